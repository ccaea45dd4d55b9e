package ssa

import "github.com/goptxas/goptxas/internal/ori"

// bind says that a place wants to lie in a variable: its words are copied there
// and back. Variables take no part in wishes, since what they hold is no value;
// the allocator gives such a place the words of the variable, unless it became
// a part of another register before. In a loop with accumulators that would
// cost two copies of each word a turn.
type bind struct {
	to     ori.Reg
	off    int // of the start of the place in the variable, in words
	weight int
}

// bind notes that a, a value, is copied from or to b, if that is a variable.
func (l *leaver) bind(a, b ori.Operand, weight int) {
	if b.Kind != ori.KReg || !l.f.Regs[b.Reg].Var || b.Class != ori.R || !l.free(a) || a.Class != ori.R {
		return
	}
	if was, ok := l.binds[a.Reg]; ok && was.weight >= weight {
		return
	}
	if l.binds == nil {
		l.binds = map[ori.Reg]bind{}
	}
	l.binds[a.Reg] = bind{b.Reg, int(b.Sub) - int(a.Sub), weight}
}

// pulls reports whether place b in place a, by words behind its start, pulls
// one of them out of a variable for a wish that weighs less.
func (l *leaver) pulls(a, b ori.Reg, by, weight int) bool {
	x, inA := l.binds[a]
	y, inB := l.binds[b]
	switch {
	case l.f.Regs[a].Width == 1 || !inA && !inB:
		return false
	case inA && inB && x.to == y.to && x.off+by == y.off:
		return false
	}
	return inA && x.weight > weight || inB && y.weight > weight
}

// bindBoth lets place a, of which b is a part now, want what weighs most.
func (l *leaver) bindBoth(a, b ori.Reg, by int) {
	y, ok := l.binds[b]
	if x, has := l.binds[a]; !ok || has && x.weight >= y.weight {
		return
	}
	y.off -= by
	l.binds[a] = y
}
