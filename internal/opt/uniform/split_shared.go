package uniform

import (
	"cmp"
	"slices"

	"github.com/goptxas/goptxas/internal/engine/pool"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// SplitShared parts registers that hold a value of the warp at one place and
// one of each thread at another, or one that is written while threads are
// apart. Whoever reads the former alone reads it from a register of its own,
// which the uniform datapath may have, and the old register gets a copy:
//
//	r1 = LDG [r2]                  r9 = LDG [r2]
//	                               r1 = r9
//	... r1 ...              =>     ... r9 ...
//	loop: ... r1 ...               loop: ... r1 ...
//	      r1 = S2R tid                   r1 = S2R tid
//
// f has its convergence instructions.
func SplitShared(f *ori.Func) bool {
	if !f.Kernel || !wantsUniform(f) {
		return false
	}
	s := &splitter{f: f, differ: flow.UniformityOf(f), seen: make([]int32, f.NumBlocks())}
	s.apart = flow.DivergenceOf(f, s.differ)
	x := flow.IndexOf(f)
	changed := false
	for r := range x.Defs {
		if len(x.Defs[r]) > 1 && f.Regs[r].Class == ori.R && f.Regs[r].Width == 1 && !f.Regs[r].Fixed {
			changed = s.register(ori.Reg(r), x.Defs[r], x.Uses[r]) || changed
		}
	}
	return f.Touched(changed)
}

// wantsUniform reports whether something in f needs its operands in uniform
// registers and gets them from general ones.
func wantsUniform(f *ori.Func) bool {
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			if i.Op == op.R2UR {
				return true
			}
		}
	}
	return false
}

type splitter struct {
	f      *ori.Func
	differ *flow.Uniformity
	apart  *flow.Divergence
	seen   []int32 // by block ID: the last walk that came to its beginning
	walk   int32

	place       []int32      // by instruction ID: where it stands; nil until a register needs it
	events      []*ori.Instr // who reads or writes the register that is looked at
	first, held []int32      // by block ID: the first of them in it, and for which register that holds, plus one
	work        []*ori.Block
}

// register parts r, if some of its writes are the warp's and others are not.
func (s *splitter) register(r ori.Reg, defs, uses []*ori.Instr) bool {
	shared := make([]bool, len(defs))
	n := 0
	for k, d := range defs {
		shared[k] = d.Guard.Kind == ori.KNone && len(d.Old) == 0 && !s.apart.Is(d.Block()) && s.differ.Agrees(d)
		if shared[k] {
			n++
		}
	}
	if n == 0 || n == len(defs) {
		return false
	}
	s.gather(r, defs, uses)
	seers := map[*ori.Instr]int{} // who reads what one write left, by its number + 1; less than 0: of several
	for k, d := range defs {
		s.reads(r, d, func(i *ori.Instr) {
			if seers[i] != 0 && seers[i] != k+1 {
				seers[i] = -1
			} else {
				seers[i] = k + 1
			}
		})
	}
	changed := false
	for k, d := range defs {
		if !shared[k] || !slices.ContainsFunc(uses, func(i *ori.Instr) bool { return seers[i] == k+1 }) || !s.f.Should("share", d) {
			continue
		}
		own := s.f.NewReg(ori.R, 1)
		for _, i := range uses {
			if seers[i] == k+1 {
				reads(i, r, own)
			}
		}
		s.part(d, r, own)
		changed = true
	}
	return changed
}

// gather lists who reads or writes r, block by block in the order of the code:
// walks look at those alone.
func (s *splitter) gather(r ori.Reg, defs, uses []*ori.Instr) {
	if s.place == nil {
		s.place = pool.Make[int32](s.f.Scratch(), s.f.NumInstrs())
		s.first, s.held = make([]int32, s.f.NumBlocks()), make([]int32, s.f.NumBlocks())
		n := int32(0)
		for _, b := range s.f.Blocks {
			for i := b.First(); i != nil; i = i.Next() {
				s.place[i.ID] = n
				n++
			}
		}
	}
	s.events = append(append(s.events[:0], defs...), uses...)
	slices.SortFunc(s.events, func(a, b *ori.Instr) int { return cmp.Compare(s.place[a.ID], s.place[b.ID]) })
	s.events = slices.Compact(s.events)
	for k := len(s.events) - 1; k >= 0; k-- {
		b := s.events[k].Block().ID
		s.first[b], s.held[b] = int32(k), int32(r)+1
	}
}

// reads calls see with those who may read what d leaves in r.
func (s *splitter) reads(r ori.Reg, d *ori.Instr, see func(*ori.Instr)) {
	s.walk++
	from := func(b *ori.Block, k int) bool { // whether it lives to the end
		for ; k < len(s.events) && s.events[k].Block() == b; k++ {
			i := s.events[k]
			if slices.ContainsFunc(i.Srcs(), func(a ori.Operand) bool { return a.HasReg() && a.Reg == r }) {
				see(i)
			}
			if i.Guard.Kind == ori.KNone && slices.ContainsFunc(i.Dsts(), func(a ori.Operand) bool { return a.HasReg() && a.Reg == r }) {
				return false
			}
		}
		return true
	}
	work := s.work[:0]
	if from(d.Block(), slices.Index(s.events, d)+1) {
		work = append(work, d.Block().Succs...)
	}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if s.seen[b.ID] == s.walk {
			continue
		}
		s.seen[b.ID] = s.walk
		if s.held[b.ID] != int32(r)+1 || from(b, int(s.first[b.ID])) {
			work = append(work, b.Succs...)
		}
	}
	s.work = work
}

// part lets d write a register of its own, from which r is copied.
func (s *splitter) part(d *ori.Instr, r, own ori.Reg) {
	for k := range d.Dsts() {
		if a := &d.Args[k]; a.HasReg() && a.Reg == r {
			a.Reg = own
		}
	}
	c := s.f.NewInstr(op.COPY, op.Mods{}, []ori.Operand{s.f.Words(r)}, []ori.Operand{s.f.Words(own)})
	c.Line, c.Loc = d.Line, d.Loc
	d.Block().InsertAfter(c, d)
}
