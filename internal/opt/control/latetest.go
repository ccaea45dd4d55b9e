package control

import (
	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// LateTests lets the comparison that waits for memory come last of two that
// are combined, so that nothing is left to do when the value arrives:
//
//	LDS   x = …                      LDS   x = …
//	ISETP.GT.AND q = x, y, pt        ISETP.EQ.AND q = z, rz, pt
//	ISETP.EQ.XOR p = z, rz, q        ISETP.GT.XOR p = x, y, q
func LateTests(f *ori.Func) bool {
	v := opt.ValuesOf(f)
	changed := false
	for _, b := range f.Blocks {
		for j := b.First(); j != nil; j = j.Next() {
			changed = lateTest(v, b, j) || changed
		}
	}
	return f.Touched(changed)
}

// isTest reports whether i compares two values and combines the outcome with
// a predicate.
func isTest(i *ori.Instr) bool {
	return (i.Op == op.ISETP || i.Op == op.FSETP) && i.NDst == 1 && len(i.Args) == 4 && i.Guard.Kind == ori.KNone && i.Args[0].Class == ori.P &&
		i.Args[3].Class == ori.P
}

// lateTest changes the places of comparison j and the one it is combined
// with.
func lateTest(v *opt.Values, b *ori.Block, j *ori.Instr) bool {
	if !isTest(j) || j.Args[3].Kind != ori.KReg || !j.Mods.Has(op.MXOR) && j.Args[3].Flags != 0 {
		return false
	}
	q := j.Args[3]
	q.Flags = 0
	i := v.Once(q)
	if i == nil || i == j || !isTest(i) || i.Block() != b || i.Args[3] != ori.Zero(ori.P) || !i.Mods.Has(op.MAND) || v.ReadsOf(q) != 1 ||
		i.Args[0] != q || !waits(v, i) || waits(v, j) || !v.Stable(i.Args[1]) || !v.Stable(i.Args[2]) {
		return false
	}
	for k := i; k != j; k = k.Next() {
		if k == nil || writes(k, i.Args[1]) || writes(k, i.Args[2]) {
			return false // j stands before it, or it would compare something else
		}
	}
	d, with, how := j.Args[0], j.Args[3], op.MAND
	for _, m := range [...]op.Mod{op.MOR, op.MXOR} {
		if j.Mods.Has(m) {
			how = m
		}
	}
	swap(i, op.MAND, how)
	swap(j, how, op.MAND)
	i.Args[0], i.Args[3] = d, with
	j.Args[0], j.Args[3] = q, ori.Zero(ori.P)
	i.Remove()
	b.InsertAfter(i, j)
	return true
}

// writes reports whether k writes to the register of an operand.
func writes(k *ori.Instr, a ori.Operand) bool {
	for _, d := range k.Dsts() {
		if a.Kind == ori.KReg && d.Kind == ori.KReg && d.Reg == a.Reg {
			return true
		}
	}
	return false
}

// swap puts a modifier in the place of another.
func swap(i *ori.Instr, old, with op.Mod) {
	for k, m := range i.Mods {
		if m == old {
			i.Mods[k] = with
			return
		}
	}
}

// waits reports whether a source of comparison i comes from memory.
func waits(v *opt.Values, i *ori.Instr) bool {
	for _, a := range i.Args[1:3] {
		if a.Kind != ori.KReg {
			continue
		}
		a.Flags = 0
		if d := v.Once(a); d != nil && d.Op.Has(op.Reads) {
			return true
		}
	}
	return false
}
