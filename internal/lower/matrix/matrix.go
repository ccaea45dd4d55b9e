package matrix

import (
	"github.com/goptxas/goptxas/internal/codegen/expand"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/lower/memory"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// matrixMods reads the modifiers of ldmatrix and stmatrix: one, two or four
// matrices of eight rows of 16 bytes, as they lie or transposed.
func matrixMods(l *build.Builder) (m op.Mods, words int) {
	l.Knows(isa.WSync)
	l.Knows(isa.WAligned)
	l.Knows(isa.WX1)
	trans := l.Has(isa.WTrans)
	words = 1
	switch {
	case l.Has(isa.WM8n8) && l.Typ(0) == isa.B16 && trans:
		m = op.M(op.M16, op.MMT88)
	case l.Has(isa.WM8n8) && l.Typ(0) == isa.B16:
		m = op.M(op.M16, op.MM88)
	case l.Has(isa.WM8n16):
		m = op.M(narrowElements(l), op.MM816)
	case l.Has(isa.WM16n16):
		m, words = op.M(narrowElements(l), op.MMT1616), 2
	case l.Has(isa.WM16n8):
		m = op.M(narrowElements(l), op.MMT168)
	default:
		l.Unsupported()
	}
	switch {
	case l.Has(isa.WX2):
		return m.With(op.M2), 2 * words
	case l.Has(isa.WX4):
		return m.With(op.M4), 4 * words
	}
	return m, words
}

// narrowElements tells matrices of bytes, and of what is made bytes on the
// way.
func narrowElements(l *build.Builder) op.Mod {
	switch {
	case l.Typ(0) == isa.B8:
		return op.M8
	case l.Typ(1) == isa.B4x16P64:
		return op.MU4x16P64TO8
	case l.Typ(1) == isa.B6x16P32:
		return op.MU6x16P32TO8
	}
	l.Unsupported()
	return op.NoMod
}

// ldmatrix lowers ldmatrix: lanes give the addresses of rows, and every lane
// gets a pair of neighbouring elements of each matrix.
func ldmatrix(l *build.Builder) {
	m, n := matrixMods(l)
	r := l.Tmp(n)
	l.Emit(op.LDSM, m, build.Value{expand.Whole(r)}, memory.SharedAddress(l, &l.Args[1]))
	for k, e := range l.Elements(0) {
		if k < n && e.Kind == isa.KReg {
			l.CopyRun(l.Words(l.Regs[e.Ref])[:1], r[k:k+1])
		}
	}
}

// stmatrix lowers stmatrix, the other way.
func stmatrix(l *build.Builder) {
	m, n := matrixMods(l)
	var v build.Value
	for _, e := range l.Elements(1) {
		v = append(v, l.Read(&e, isa.B32)...)
	}
	if len(v) != n {
		l.Unsupported()
	}
	l.Emit(op.STSM, m, nil, memory.SharedAddress(l, &l.Args[0]), expand.Whole(l.Group(v)))
}

// movmatrix lowers movmatrix: a matrix is transposed between lanes.
func movmatrix(l *build.Builder) {
	l.Knows(isa.WSync)
	l.Knows(isa.WAligned)
	l.Knows(isa.WTrans)
	l.Knows(isa.WM8n8)
	l.Emit(op.MOVM, op.M(op.M16, op.MMT88), l.Dst(0)[:1], l.Reg(l.Src1(1, isa.B32)))
}
