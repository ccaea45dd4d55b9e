package lower

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/target"
)

// Block-scaled products of sm_120: every block of a row of A and of a column
// of B has a scale of eight bits. Two registers hold scales; which byte of
// which thread of four holds those that count is said by a uniform word:
// byte of A in bits 0 and 1, thread of A in bit 2, byte of B in bits 3 and
// 4, thread of B in bits 5 and 6.

// mmaScaled lowers mma with block_scale. Sparse products have metadata and
// its selector before the scales; the machine finds metadata in the register
// behind that of A's scales.
func (l *lowerer) mmaScaled() {
	m := l.multiplication()
	at := len(l.args) - 4
	scaleA, scaleB := l.src1(at, isa.B32), l.src1(at+2, isa.B32)
	srcs := value{l.fragment(m.fa), l.fragment(m.fb), l.fragment(m.fc)}
	first := l.reg(scaleA)
	if m.sparse {
		first = whole(l.group(value{scaleA, m.meta}))
	}
	srcs = append(srcs, first, l.reg(scaleB), l.scaleWord(at+1, at+3))
	if m.sparse {
		srcs = append(srcs, ori.Imm(m.selector))
	}
	d := l.fragmentOf(4)
	o, mods := l.scaledMods(m)
	l.emit(o, mods, value{whole(d)}, srcs...)
	l.writeFragment(0, d, m.d)
}

// scaledMods returns operation and modifiers.
func (l *lowerer) scaledMods(m *multiply) (op.Op, op.Mods) {
	if !l.arch.Has(target.MatrixFP4) {
		l.unsupported()
	}
	l.knows(isa.WScaleVec1X)
	l.knows(isa.WScaleVec2X)
	mods := op.M(op.MSF)
	if m.sparse {
		mods = mods.With(op.MSP)
	}
	shape := [...][2]op.Mod{{op.M16832, op.M16864}, {op.M16864, op.M168128}}
	wide, sparse := 0, 0
	narrow := l.has(isa.WKindMxf4) || l.has(isa.WKindMxf4nvf4)
	if narrow {
		wide = 1
	} else if !l.has(isa.WKindMxf8f6f4) {
		l.unsupported()
	}
	if m.sparse {
		sparse = 1
	}
	mods = mods.With(shape[wide][sparse]).With(op.MF32).With(typeMod(m.a)).With(typeMod(m.b))
	switch {
	case !narrow:
		return op.QMMA, mods.With(op.ME8)
	case l.has(isa.WScaleVec4X) && l.typ(4) == isa.UE4M3:
		return op.OMMA, mods.With(op.MUE4M3).With(op.M4X)
	case l.typ(4) == isa.UE8M0:
		return op.OMMA, mods.With(op.ME8)
	}
	l.unsupported()
	return op.None, mods
}

// scaleWord returns the uniform word that chooses the scales, from the pairs
// of arguments a and b.
func (l *lowerer) scaleWord(a, b int) ori.Operand {
	shifts := [...]int64{0, 2, 3, 5}
	var parts [4]ori.Operand
	known, w := true, int64(0)
	for n, arg := range [...]int{a, a, b, b} {
		e := l.elements(arg)
		if len(e) != 2 {
			l.unsupported()
		}
		parts[n] = l.extend(l.read(&e[n%2], isa.U16)[0], isa.U16)
		switch parts[n].Kind {
		case ori.KZero:
		case ori.KImm:
			w |= parts[n].Imm << shifts[n]
		default:
			known = false
		}
	}
	u := l.f.Words(l.f.NewReg(ori.UR, 1))
	switch {
	case known && w == 0:
		return ori.Zero(ori.UR)
	case known:
		l.emit(op.UMOV, op.Mods{}, value{u}, ori.Imm(w))
		return u
	}
	sum := rz()
	for n, p := range parts {
		sum = l.or2(sum, l.shl1(l.reg(p), ori.Imm(shifts[n])))
	}
	l.emit(op.R2UR, op.Mods{}, value{u}, sum)
	return u
}
