package opt

import (
	"slices"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// roundings are the directions in which FRND and F2I round; to the nearest is
// silent.
var roundings = []op.Mod{op.MTRUNC, op.MFLOOR, op.MCEIL}

// roundedOnce lets a conversion to an integer round the number itself, in the
// direction of the one that rounded it before:
//
//	FRND.FLOOR y = x                     F2I.FLOOR.NTZ z = x
//	F2I.TRUNC.NTZ z = y
//
// What y is rounded to has no fraction, so that the second direction does not
// count, and is no subnormal number, so that the second .FTZ does not.
func (c *Combiner) roundedOnce(i *ori.Instr) bool {
	if i.NDst != 1 || len(i.Args) != 2 || i.Args[1].Kind != ori.KReg || i.Args[1].Flags != 0 {
		return false
	}
	j := c.V.Once(i.Args[1])
	for j != nil && j.Op == op.COPY && Plain(j.Args[0]) && Plain(j.Args[1]) && j.Guard.Kind == ori.KNone {
		j = c.V.Once(j.Args[1])
	}
	if j == nil || j.Op != op.FRND || j.NDst != 1 || len(j.Args) != 2 || j.Guard.Kind != ori.KNone || j.Args[0].N != i.Args[1].N || j.Args[1].Kind != ori.KReg || j.Args[1].Flags != 0 || !c.V.Stable(j.Args[1]) {
		return false
	}
	for _, format := range []op.Mod{op.MF16, op.MBF16, op.MF64} {
		if i.Mods.Has(format) != j.Mods.Has(format) {
			return false
		}
	}
	dir := op.NoMod
	for _, m := range roundings {
		if j.Mods.Has(m) {
			dir = m
		}
	}
	flushes := j.Mods.Has(op.MFTZ)
	if i.Mods.Has(op.MS64) || i.Mods.Has(op.MU64) { // these know no .FTZ
		if flushes && (dir == op.MFLOOR || dir == op.MCEIL) {
			return false
		}
		flushes = false
	}
	c.V.Change(i, op.F2I, rounding(i.Mods, flushes, dir), j.Args[1])
	return true
}

// rounding returns the modifiers of an F2I with another treatment of subnormal
// numbers and another direction.
func rounding(m op.Mods, flushes bool, dir op.Mod) op.Mods {
	var list []op.Mod
	if flushes {
		list = append(list, op.MFTZ)
	}
	for _, x := range m {
		if x != op.NoMod && x != op.MFTZ && x != op.MNTZ && !slices.Contains(roundings, x) {
			list = append(list, x)
		}
	}
	if dir != op.NoMod {
		list = append(list, dir)
	}
	if m.Has(op.MNTZ) {
		list = append(list, op.MNTZ)
	}
	return op.M(list...)
}
