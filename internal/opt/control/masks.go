package control

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// maskSteps is how far back the words of a mask are looked at.
const maskSteps = 4

// SharedMasks lets threads with a mask that all of them share run an
// operation of the warp together. For masks of which nothing is known those with
// different ones take turns, and gather again behind it (lower/warp); where
// all have the same there is one turn, and nobody is left to wait for.
func SharedMasks(f *ori.Func) bool {
	var s *sharing
	changed := false
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			if i.Op != op.WARPSYNC || !i.Mods.Has(op.MEXCLUSIVE) || i.Guard.Kind != ori.KNone {
				continue
			}
			if s == nil {
				s = &sharing{v: flow.ValuesOf(f), u: flow.UniformityOf(f), loops: flow.LoopsOf(f, flow.DomOf(f))}
			}
			n := i.Prev()
			if n == nil || n.Op != op.BSSY || !s.shared(i, i.Srcs()[0], maskSteps) || !f.Should("sharedmask", i) {
				continue
			}
			i.Mods = op.Mods{}
			ungather(f, n)
			changed = true
		}
	}
	return f.Touched(changed)
}

// ungather takes the convergence region that begins at n away.
func ungather(f *ori.Func, n *ori.Instr) {
	k := n.Args[0]
	n.Remove()
	for _, b := range f.Blocks {
		if i := b.First(); i != nil && i.Op == op.BSYNC && i.Srcs()[0] == k {
			i.Remove()
		}
	}
}

// sharing knows what the threads of a warp share.
type sharing struct {
	v     *flow.Values
	u     *flow.Uniformity
	loops *flow.Loops
}

// shared reports whether all threads that run i read the same in o: what they
// share, what all of the warp voted, or what one instruction that does
// nothing else made of that in each of them, in this turn of the loops around it.
func (s *sharing) shared(i *ori.Instr, o ori.Operand, steps int) bool {
	switch {
	case o.Kind == ori.KImm || o.Kind == ori.KZero:
		return true
	case o.Kind != ori.KReg:
		return false
	case !s.u.Differs(o.Reg):
		return true
	}
	w := s.v.Once(o)
	if steps == 0 || w == nil || w.Guard.Kind != ori.KNone || !s.around(w.Block(), i.Block()) {
		return false
	}
	switch w.Op {
	case op.VOTE:
		p := w.Prev()
		return p != nil && flow.WaitsForAll(p)
	case op.LOP3, op.MOV, op.COPY, op.IADD3:
	default:
		return false
	}
	for _, x := range w.Srcs() {
		if !s.shared(w, x, steps-1) {
			return false
		}
	}
	return true
}

// around reports whether the loop of a is around b too.
func (s *sharing) around(a, b *ori.Block) bool {
	l := s.loops.Of(a)
	for x := s.loops.Of(b); l != nil && x != l; x = x.Parent {
		if x == nil {
			return false
		}
	}
	return true
}
