package regalloc

import (
	"slices"

	"github.com/goptxas/goptxas/internal/codegen/regalloc/keyed"
	"github.com/goptxas/goptxas/internal/codegen/regalloc/liveness"
)

// What lives between blocks does not depend on the order of the instructions
// inside of them. Callers that ask about one order after the other are answered
// from what was found out about the one before, as long as every block still
// does the same with every word.

// between is what lives between the blocks of a problem.
type between struct {
	in  keyed.Lists // of each block, words live into it that some path has written
	out keyed.Lists // of each block, words live out of it that some path has written

	// Of what it is known, where it is kept:
	*liveness.Summary
	vregs []kind    // of each virtual register
	files []touched // see byRegister
}

// kind is what of a virtual register matters here.
type kind struct{ class, width uint8 }

// touched are, for each register of a file, blocks at whose top and end it lives.
type touched struct {
	known     bool
	ins, outs keyed.Lists
}

// of completes what is known with what it is known of.
func (x *between) of(p *Problem, m *flowRoom) *between {
	x.Summary = liveness.Summarise(m.edges, m.touches, len(p.Blocks))
	x.vregs, x.files = make([]kind, len(p.VRegs)), make([]touched, len(p.Files))
	for v := range p.VRegs {
		x.vregs[v] = kind{p.VRegs[v].Class, p.VRegs[v].Width}
	}
	return x
}

// mayBe reports whether p has the same registers and paths.
func (x *between) mayBe(p *Problem, m *flowRoom) bool {
	return x.HasPaths(m.edges, len(p.Blocks)) && slices.EqualFunc(x.vregs, p.VRegs, func(k kind, v VReg) bool { return k == kind{v.Class, v.Width} })
}

// byRegister lists, for each register of the file, blocks at whose top and at
// whose end it lives.
func (r *ranges) byRegister(p *Problem, class uint8) (ins, outs keyed.Lists) {
	if r.files == nil {
		return r.lists(&r.in, p, class), r.lists(&r.out, p, class)
	}
	t := &r.files[class]
	if !t.known {
		*t = touched{true, r.lists(&r.in, p, class), r.lists(&r.out, p, class)}
	}
	return t.ins, t.outs
}

// lists turns words by block into blocks by register, for those of a file.
// Words of one register stand together.
func (r *ranges) lists(words *keyed.Lists, p *Problem, class uint8) keyed.Lists {
	owner := make([]int32, r.base[len(p.VRegs)])
	for v := range p.VRegs {
		for w := r.base[v]; w < r.base[v+1]; w++ {
			if owner[w] = int32(v); p.VRegs[v].Class != class {
				owner[w] = -1
			}
		}
	}
	list := make([]keyed.Pair, 0, len(words.All()))
	for b := range p.Blocks {
		last := int32(-1)
		for _, w := range words.Of(b) {
			if v := owner[w]; v != last && v >= 0 {
				list = append(list, keyed.Pair{Key: v, Item: int32(b)})
				last = v
			}
		}
	}
	return keyed.Collect(list, len(p.VRegs))
}
