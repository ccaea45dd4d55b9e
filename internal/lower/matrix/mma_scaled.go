package matrix

import (
	"github.com/goptxas/goptxas/internal/codegen/expand"
	"github.com/goptxas/goptxas/internal/lower/build"
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
// its selector before the scales; the machine finds A's scales in the register
// behind that of the metadata.
func mmaScaled(l *build.Builder) {
	m := multiplication(l)
	at := len(l.Args) - 4
	scaleA, scaleB := blockScales(l, at), blockScales(l, at+2)
	srcs := build.Value{fragment(l, m.fa), fragment(l, m.fb), fragment(l, m.fc)}
	first := l.Reg(scaleA)
	if m.sparse {
		first = expand.Whole(l.Group(build.Value{m.meta, scaleA}))
	}
	srcs = append(srcs, first, l.Reg(scaleB), scaleWord(l, at+1, at+3))
	if m.sparse {
		srcs = append(srcs, ori.Imm(m.selector))
	}
	d := fragmentOf(l, 4)
	o, mods := scaledMods(l, m)
	l.Emit(o, mods, build.Value{expand.Whole(d)}, srcs...)
	writeFragment(l, 0, d, m.d)
}

// blockScales reads the scales of an argument, a register; of several in braces the
// first counts.
func blockScales(l *build.Builder, n int) ori.Operand {
	if a := &l.Args[n]; a.Kind == isa.KVector {
		return l.Read(&l.Elements(n)[0], isa.B32)[0]
	}
	return l.Src1(n, isa.B32)
}

// scaledMods returns operation and modifiers.
func scaledMods(l *build.Builder, m *multiply) (op.Op, op.Mods) {
	if !l.Arch.Has(target.MatrixFP4) {
		l.Unsupported()
	}
	l.Knows(isa.WScaleVec1X)
	l.Knows(isa.WScaleVec2X)
	mods := op.M(op.MSF)
	if m.sparse {
		mods = mods.With(op.MSP)
	}
	shape := [...][2]op.Mod{{op.M16832, op.M16864}, {op.M16864, op.M168128}}
	wide, sparse := 0, 0
	narrow := l.Has(isa.WKindMxf4) || l.Has(isa.WKindMxf4nvf4)
	if narrow {
		wide = 1
	} else if !l.Has(isa.WKindMxf8f6f4) {
		l.Unsupported()
	}
	if m.sparse {
		sparse = 1
	}
	mods = mods.With(shape[wide][sparse]).With(op.MF32).With(typeMod(m.a)).With(typeMod(m.b))
	switch {
	case !narrow:
		return op.QMMA, mods.With(op.ME8)
	case l.Has(isa.WScaleVec4X) && l.Typ(4) == isa.UE4M3:
		return op.OMMA, mods.With(op.MUE4M3).With(op.M4X)
	case l.Typ(4) == isa.UE8M0:
		return op.OMMA, mods.With(op.ME8)
	}
	l.Unsupported()
	return op.None, mods
}

// scaleWord returns the uniform word that chooses the scales, from the pairs
// of arguments a and b.
func scaleWord(l *build.Builder, a, b int) ori.Operand {
	shifts := [...]int64{0, 2, 3, 5}
	var parts [4]ori.Operand
	known, w := true, int64(0)
	for n, arg := range [...]int{a, a, b, b} {
		e := l.Elements(arg)
		if len(e) != 2 {
			l.Unsupported()
		}
		parts[n] = l.Extend(l.Read(&e[n%2], isa.U16)[0], isa.U16)
		switch parts[n].Kind {
		case ori.KZero:
		case ori.KImm:
			w |= parts[n].Imm << shifts[n]
		default:
			known = false
		}
	}
	u := l.F.Words(l.F.NewReg(ori.UR, 1))
	switch {
	case known && w == 0:
		return ori.Zero(ori.UR)
	case known:
		l.Emit(op.UMOV, op.Mods{}, build.Value{u}, ori.Imm(w))
		return u
	}
	sum := expand.RZ()
	for n, p := range parts {
		sum = l.Or2(sum, l.Shl1(l.Reg(p), ori.Imm(shifts[n])))
	}
	l.Emit(op.R2UR, op.Mods{}, build.Value{u}, sum)
	return u
}
