package opt

import (
	"goptxas/internal/ori"
	"goptxas/internal/ori/op"
)

// IfConvert turns short conditional blocks into guarded instructions:
//
//	    @p BRA b2              @!p LDG r = …
//	b1: LDG r = …
//	b2: …
//
// A guard costs less than parting the threads of a warp and bringing them
// together again. What only computes a word that nobody else writes needs
// not even the guard.
func IfConvert(f *ori.Func) bool {
	v := valuesOf(f)
	changed := false
	for again := true; again; {
		again = false
		for _, b := range f.Blocks {
			if t, guard, ok := triangle(f, b); ok && v.convertible(t, guard) {
				v.convert(f, b, t, guard)
				again, changed = true, true
			}
		}
		unreachable(f)
	}
	return changed
}

// maxConverted is the number of instructions up to which a block is guarded.
const maxConverted = 6

// triangle recognises a block t that runs between b and the block after it
// only under a condition.
func triangle(f *ori.Func, b *ori.Block) (t *ori.Block, guard ori.Operand, ok bool) {
	i := b.Last()
	if i == nil || i.Op != op.BRA || i.Mods != (op.Mods{}) || len(i.Args) != 1 || i.Guard.Kind != ori.KReg || i.Guard.Class != ori.P || len(b.Succs) != 2 {
		return nil, guard, false
	}
	to := target(b, i)
	next := b.Succs[1]
	if to == nil || to == next || to != b.Succs[0] {
		return nil, guard, false
	}
	t, join, guard := next, to, i.Guard.Not()
	if !between(f, b, t, join) {
		t, join, guard = to, next, i.Guard
	}
	return t, guard, between(f, b, t, join)
}

// between reports whether t is entered from b alone and leads to join.
func between(f *ori.Func, b, t, join *ori.Block) bool {
	return t != b && t != join && join != b && t != f.Blocks[0] && !t.Kept && len(t.Preds) == 1 && len(t.Succs) == 1 && t.Succs[0] == join
}

// convertible reports whether all of t can run under the guard.
func (v *values) convertible(t *ori.Block, guard ori.Operand) bool {
	n := 0
	for i := t.First(); i != nil; i = i.Next() {
		if i == t.Last() && i.Op == op.BRA && i.Guard.Kind == ori.KNone && i.Mods == (op.Mods{}) {
			break
		}
		if n++; n > maxConverted || i.Guard.Kind != ori.KNone || i.Op.Has(op.Effect|op.Terminator|op.Convergent|op.Uniform) ||
			i.Op.Has(op.Pseudo) && i.Op != op.COPY {
			return false
		}
		for _, d := range i.Dsts() {
			if d.Class != ori.R && d.Class != ori.P || d.HasReg() && d.Reg == guard.Reg {
				return false
			}
		}
	}
	return true
}

// convert moves the instructions of t to the end of b.
func (v *values) convert(f *ori.Func, b, t *ori.Block, guard ori.Operand) {
	jump := b.Last()
	join := t.Succs[0]
	for i := range t.Instrs {
		if i.Op == op.BRA {
			continue
		}
		i.Remove()
		if !v.speculates(i) {
			v.Count(i, -1)
			i.Guard = guard
			v.Count(i, 1)
		}
		b.InsertBefore(i, jump)
	}
	v.Count(jump, -1)
	jump.Guard = ori.Operand{}
	jump.Args[0] = ori.Label(join)
	v.Count(jump, 1)
	b.RemoveEdge(t)
	t.RemoveEdge(join)
	f.Touch()
}

// speculates reports whether i may run even when its result is not wanted.
func (v *values) speculates(i *ori.Instr) bool {
	if !isPure(i) || i.Op == op.COPY {
		return false
	}
	for _, s := range i.Srcs() {
		if s.Kind == ori.KConst && s.Reg != ori.NoReg {
			return false // an index that is only valid here
		}
	}
	for _, d := range i.Dsts() {
		if d.HasReg() && !v.Stable(d) {
			return false
		}
	}
	return true
}
