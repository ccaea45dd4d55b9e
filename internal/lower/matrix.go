package lower

import (
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// matrixMods reads the modifiers of ldmatrix and stmatrix: one, two or four
// matrices of eight rows of 16 bytes, as they lie or transposed.
func (l *lowerer) matrixMods() (m op.Mods, words int) {
	l.knows(isa.WSync)
	l.knows(isa.WAligned)
	l.knows(isa.WX1)
	trans := l.has(isa.WTrans)
	words = 1
	switch {
	case l.has(isa.WM8n8) && l.typ(0) == isa.B16 && trans:
		m = op.M(op.M16, op.MMT88)
	case l.has(isa.WM8n8) && l.typ(0) == isa.B16:
		m = op.M(op.M16, op.MM88)
	case l.has(isa.WM8n16):
		m = op.M(l.narrowElements(), op.MM816)
	case l.has(isa.WM16n16):
		m, words = op.M(l.narrowElements(), op.MMT1616), 2
	case l.has(isa.WM16n8):
		m = op.M(l.narrowElements(), op.MMT168)
	default:
		l.unsupported()
	}
	switch {
	case l.has(isa.WX2):
		return m.With(op.M2), 2 * words
	case l.has(isa.WX4):
		return m.With(op.M4), 4 * words
	}
	return m, words
}

// narrowElements tells matrices of bytes, and of what is made bytes on the
// way.
func (l *lowerer) narrowElements() op.Mod {
	switch {
	case l.typ(0) == isa.B8:
		return op.M8
	case l.typ(1) == isa.B4x16P64:
		return op.MU4x16P64TO8
	case l.typ(1) == isa.B6x16P32:
		return op.MU6x16P32TO8
	}
	l.unsupported()
	return op.NoMod
}

// ldmatrix lowers ldmatrix: lanes give the addresses of rows, and every lane
// gets a pair of neighbouring elements of each matrix.
func (l *lowerer) ldmatrix() {
	m, n := l.matrixMods()
	r := l.tmp(n)
	l.emit(op.LDSM, m, value{whole(r)}, l.sharedAddress(&l.args[1]))
	for k, e := range l.elements(0) {
		if k < n && e.Kind == isa.KReg {
			l.copyRun(l.words(l.regs[e.Ref])[:1], r[k:k+1])
		}
	}
}

// stmatrix lowers stmatrix, the other way.
func (l *lowerer) stmatrix() {
	m, n := l.matrixMods()
	var v value
	for _, e := range l.elements(1) {
		v = append(v, l.read(&e, isa.B32)...)
	}
	if len(v) != n {
		l.unsupported()
	}
	l.emit(op.STSM, m, nil, l.sharedAddress(&l.args[0]), whole(l.group(v)))
}

// movmatrix lowers movmatrix: a matrix is transposed between lanes.
func (l *lowerer) movmatrix() {
	l.knows(isa.WSync)
	l.knows(isa.WAligned)
	l.knows(isa.WTrans)
	l.knows(isa.WM8n8)
	l.emit(op.MOVM, op.M(op.M16, op.MMT88), l.dst(0)[:1], l.reg(l.src1(1, isa.B32)))
}
