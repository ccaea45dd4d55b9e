package arith

import (
	"github.com/goptxas/goptxas/internal/codegen/expand"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/target"
)

// minmax lowers min and max of integers.
func minmax(l *build.Builder) {
	t := l.Typ(0)
	if t.Class() == isa.Float || t.Class() == isa.PackedFloat {
		minmaxFloat(l, t)
		return
	}
	which := expand.PT()
	if l.In.Op == isa.WMax {
		which = which.Not()
	}
	signed := t.Class() == isa.Signed
	d := l.Dst(0)
	switch {
	case t.Class() == isa.PackedInt:
		m := op.M(op.MU16x2)
		if t == isa.S16x2 {
			m = op.M(op.MS16x2)
		}
		if l.Has(isa.WRelu) {
			m = m.With(op.MRELU)
		}
		expand.EmitMin(&l.Writer, m, d[:1], l.Src1(1, t), l.Src1(2, t), which)
	case build.Words(t) == 1:
		var m op.Mods
		if !signed {
			m = op.M(op.MU32)
		}
		if l.Has(isa.WRelu) {
			m = m.With(op.MRELU)
		}
		expand.EmitMin(&l.Writer, m, d[:1], l.Extended(1, t)[0], l.Extended(2, t)[0], which)
	default:
		a, b := l.Src(1, t), l.Src(2, t)
		cmp := op.MLT
		if l.In.Op == isa.WMax {
			cmp = op.MGT
		}
		p := l.Less64(a, b, cmp, signed)
		r := l.Tmp(2)
		for k := range r {
			l.Emit(op.SEL, op.Mods{}, r[k:k+1], a[k], b[k], p)
		}
		l.Copy(d, r)
	}
}

// abs lowers abs.
func abs(l *build.Builder) {
	t := l.Typ(0)
	switch {
	case t.Class() == isa.Float || t.Class() == isa.PackedFloat:
		absFloat(l, t)
	case build.Words(t) == 1:
		l.Emit(op.IABS, op.Mods{}, l.Dst(0)[:1], l.Reg(l.Extended(1, t)[0]))
	default:
		a := l.Src(1, t)
		n := l.Add64(build.Value{expand.RZ(), expand.RZ()}, a, true)
		p := l.Test(op.ISETP, op.M(op.MLT, op.MAND), a[1], expand.RZ(), expand.PT())
		r := l.Tmp(2)
		for k := range r {
			l.Emit(op.SEL, op.Mods{}, r[k:k+1], n[k], a[k], p)
		}
		l.Copy(l.Dst(0), r)
	}
}

// popc, brev, clz and bfind lower the operations of the bit unit.
func popc(l *build.Builder) {
	t := l.Typ(0)
	a := l.Src(1, t)
	d := l.Dst(0)
	if len(a) == 1 {
		l.Emit(op.POPC, op.Mods{}, d[:1], l.Reg(a[0]))
		return
	}
	lo, hi := l.One(op.POPC, op.Mods{}, l.Reg(a[0])), l.One(op.POPC, op.Mods{}, l.Reg(a[1]))
	l.Emit(op.IADD3, op.Mods{}, d[:1], lo, hi, expand.RZ())
}

func brev(l *build.Builder) {
	t := l.Typ(0)
	a := l.Src(1, t)
	if len(a) == 1 {
		l.Emit(op.BREV, op.Mods{}, l.Dst(0)[:1], l.Reg(a[0]))
		return
	}
	r := l.Tmp(2)
	l.Emit(op.BREV, op.Mods{}, r[:1], l.Reg(a[1]))
	l.Emit(op.BREV, op.Mods{}, r[1:], l.Reg(a[0]))
	l.Copy(l.Dst(0), r)
}

// highestBit returns the number of the highest set bit, or -1.
func highestBit(l *build.Builder, a ori.Operand) ori.Operand {
	return l.One(op.FLO, op.M(op.MU32), l.Reg(a))
}

func clz(l *build.Builder) {
	t := l.Typ(0)
	a := l.Src(1, t)
	d := l.Dst(0)
	if len(a) == 1 {
		f := highestBit(l, a[0])
		l.Emit(op.IADD3, op.Mods{}, d[:1], expand.Negate(f), ori.Imm(31), expand.RZ())
		return
	}
	// the high word decides unless it is zero
	p := l.Test(op.ISETP, op.M(op.MEQ, op.MU32, op.MAND), a[1], expand.RZ(), expand.PT())
	w := l.One(op.SEL, op.Mods{}, a[0], a[1], p)
	f := highestBit(l, w)
	base := l.One(op.SEL, op.Mods{}, ori.Imm(63), ori.Imm(31), p)
	l.Emit(op.IADD3, op.Mods{}, d[:1], base, expand.Negate(f), expand.RZ())
}

func bfind(l *build.Builder) {
	t := l.Typ(0)
	signed := t.Class() == isa.Signed
	shift := l.Has(isa.WShiftamt)
	a := l.Src(1, t)
	d := l.Dst(0)
	if len(a) == 1 {
		var m op.Mods // signed: the highest bit that differs from the sign
		if !signed {
			m = m.With(op.MU32)
		}
		if shift {
			m = m.With(op.MSH)
		}
		l.Copy(d[:1], build.Value{l.One(op.FLO, m, l.Reg(a[0]))})
		return
	}
	if signed { // what differs from the sign
		s := l.One(op.SHF, op.M(op.MR, op.MS32, op.MHI), expand.RZ(), ori.Imm(31), a[1])
		x := l.Tmp(2)
		for k := range x {
			l.Emit(op.LOP3, op.M(op.MLUT), x[k:k+1], a[k], s, expand.RZ(), ori.Imm(expand.LutXor))
		}
		a = x
	}
	p := l.Test(op.ISETP, op.M(op.MEQ, op.MU32, op.MAND), a[1], expand.RZ(), expand.PT())
	w := l.One(op.SEL, op.Mods{}, a[0], a[1], p)
	f := highestBit(l, w)
	base := l.One(op.SEL, op.Mods{}, expand.RZ(), ori.Imm(32), p)
	none := l.Test(op.ISETP, op.M(op.MEQ, op.MU32, op.MAND), w, expand.RZ(), expand.PT())
	r := l.One(op.IADD3, op.Mods{}, base, f, expand.RZ())
	if shift {
		r = l.One(op.IADD3, op.Mods{}, expand.Negate(r), ori.Imm(63), expand.RZ())
	}
	l.Emit(op.SEL, op.Mods{}, d[:1], ori.Imm32(0xffffffff), r, none)
}

// lop3 lowers lop3.b32, with or without a predicate that tells whether the
// result is not zero, joined with another.
func lop3(l *build.Builder) {
	t := isa.B32
	lut := ori.Imm(int64(l.Args[4].Value & 0xff))
	d, srcs := l.Dst(0)[:1], []ori.Operand{l.Src1(1, t), l.Src1(2, t), l.Src1(3, t), lut}
	if !l.Has(isa.WOr) && !l.Has(isa.WAnd) {
		l.Emit(op.LOP3, op.M(op.MLUT), d, srcs...)
		return
	}
	m := op.M(op.MLUT)
	if l.Has(isa.WAnd) {
		m = op.M(op.MLUT, op.MPAND)
	}
	l.Emit(op.LOP3, m, build.Value{pairPred(l, 0), d[0]}, append(srcs, l.Predicate(5))...)
}

// pairPred returns the predicate p of a destination d|p; for a sink one
// that nobody reads.
func pairPred(l *build.Builder, n int) ori.Operand {
	if a := &l.Args[n]; a.PairKind == isa.KReg {
		return l.F.Words(l.Regs[a.Pair])
	}
	return l.Pred()
}

var prmtModes = []build.WordName{
	{isa.WF4e, op.MF4E}, {isa.WB4e, op.MB4E}, {isa.WRc8, op.MRC8}, {isa.WEcl, op.MECL}, {isa.WEcr, op.MECR}, {isa.WRc16, op.MRC16},
}

// prmt lowers prmt: the selector is the machine's second source.
func prmt(l *build.Builder) {
	m := l.Which(prmtModes)
	t := isa.B32
	l.Emit(op.PRMT, build.Mods(m), l.Dst(0)[:1], l.Reg(l.Src1(1, t)), l.Src1(3, t), l.Src1(2, t))
}

// funnel lowers shf.
func funnel(l *build.Builder) {
	t := isa.B32
	lo, hi, n := l.Src1(1, t), l.Src1(2, t), l.Src1(3, t)
	m := op.M(op.MR)
	l.Knows(isa.WR)
	l.Knows(isa.WClamp)
	if l.Has(isa.WL) {
		m = op.M(op.ML)
	}
	if l.Has(isa.WWrap) {
		m = m.With(op.MW)
	}
	m = m.With(op.MU32)
	if l.Has(isa.WL) {
		m = m.With(op.MHI)
	}
	l.Emit(op.SHF, m, l.Dst(0)[:1], lo, n, hi)
}

// field8 returns the low eight bits of a bit-field position or length.
func field8(l *build.Builder, n int) ori.Operand {
	o := l.Src1(n, isa.U32)
	if o.Kind == ori.KImm {
		return expand.Word(uint32(o.Imm) & 0xff)
	}
	if o.Kind == ori.KZero {
		return o
	}
	return l.One(op.LOP3, op.M(op.MLUT), o, ori.Imm(0xff), expand.RZ(), ori.Imm(expand.LutAnd))
}

// bfe lowers 32-bit bfe: shift down, then cut to the length.
func bfe(l *build.Builder) {
	t := l.Typ(0)
	if build.Words(t) != 1 {
		bfe64(l, t)
		return
	}
	a, pos, n := l.Src1(1, t), field8(l, 2), field8(l, 3)
	m, g := op.M(op.MR, op.MU32, op.MHI), op.M(op.MU32)
	if t.Class() == isa.Signed {
		m, g = op.M(op.MR, op.MS32, op.MHI), op.Mods{}
	}
	s := l.One(op.SHF, m, expand.RZ(), pos, a)
	l.Emit(op.SGXT, g, l.Dst(0)[:1], l.Reg(s), n)
}

// bfe64 lowers 64-bit bfe. An unsigned field is shifted down and masked; a
// signed one goes to the top first, so that shifting down repeats its sign.
func bfe64(l *build.Builder, t isa.Type) {
	a, pos, n := l.Src(1, t), field8(l, 2), field8(l, 3)
	if t.Class() != isa.Signed {
		s, m := l.Shr(a, pos), ones64(l, n)
		l.Copy(l.Dst(0), build.Value{l.And2(s[0], m[0]), l.And2(s[1], m[1])})
		return
	}
	end := expand.Min1(&l.Writer, op.M(op.MU32), l.Reg(l.Iadd(pos, n)), ori.Imm(64), expand.PT())
	up := l.Iadd(ori.Imm(64), expand.Negate(end))
	s := l.Sar(l.Shl(a, up), l.Iadd(up, pos))
	l.Copy(l.Dst(0), l.Sel(build.Value{expand.RZ(), expand.RZ()}, s, l.Cmp1(op.MEQ, false, n, expand.RZ())))
}

// ones64 returns n ones, as many as fit.
func ones64(l *build.Builder, n ori.Operand) build.Value {
	return l.Diff(l.Shl(build.Value{l.Reg(ori.Imm(1)), expand.RZ()}, n), expand.Imm(1, 2))
}

// bfi lowers bfi: the bits of the first source where the mask is set, of
// the second elsewhere.
func bfi(l *build.Builder) {
	t := l.Typ(0)
	const lut = 0xf0&0xcc | 0xaa&^0xcc // s, m, b
	a, b, pos, n := l.Src(1, t), l.Src(2, t), field8(l, 3), field8(l, 4)
	if len(a) == 2 {
		m, s := l.Shl(ones64(l, n), pos), l.Shl(a, pos)
		l.Copy(l.Dst(0), build.Value{l.Lop(lut, s[0], m[0], b[0]), l.Lop(lut, s[1], m[1], b[1])})
		return
	}
	m := l.One(op.BMSK, op.Mods{}, l.Reg(pos), n)
	l.Emit(op.LOP3, op.M(op.MLUT), l.Dst(0)[:1], l.Shl1(a[0], pos), m, b[0], ori.Imm(lut))
}

// sad lowers sad.
func sad(l *build.Builder) {
	t := l.Typ(0)
	signed := t.Class() == isa.Signed
	if build.Words(t) != 1 {
		a, b := l.Src(1, t), l.Src(2, t)
		d := l.Sel(l.Diff(b, a), l.Diff(a, b), l.Less64(a, b, op.MLT, signed))
		l.Copy(l.Dst(0), l.Add64(d, l.Src(3, t), false))
		return
	}
	var m op.Mods
	if !signed {
		m = op.M(op.MU32)
	}
	a, b := l.Extended(1, t)[0], l.Extended(2, t)[0]
	if !l.Arch.Has(target.AbsDiff) {
		hi, lo := expand.Min1(&l.Writer, m, l.Reg(a), b, expand.PT().Not()), expand.Min1(&l.Writer, m, l.Reg(a), b, expand.PT())
		l.Emit(op.IADD3, op.Mods{}, l.Dst(0)[:1], hi, expand.Negate(lo), l.Src1(3, t))
		return
	}
	l.Emit(op.VABSDIFF, m, l.Dst(0)[:1], a, b, l.Src1(3, t))
}

// slct lowers slct: the first source if the third is not negative.
func slct(l *build.Builder) {
	t, c := l.Typ(0), l.Typ(1)
	var p ori.Operand
	if c == isa.F32 {
		x := l.Src1(3, c)
		if l.Has(isa.WFtz) {
			x = l.One(op.FADD, op.M(op.MFTZ), l.Reg(x), expand.RZ().Negate())
		}
		p = l.Test(op.FSETP, op.M(op.MGE, op.MAND), l.Reg(x), expand.RZ(), expand.PT())
	} else {
		p = l.Test(op.ISETP, op.M(op.MGE, op.MAND), l.Reg(l.Src1(3, c)), expand.RZ(), expand.PT())
	}
	a, b := l.Src(1, t), l.Src(2, t)
	r := l.Tmp(len(a))
	for k := range a {
		l.Emit(op.SEL, op.Mods{}, r[k:k+1], a[k], b[k], p)
	}
	l.Copy(l.Dst(0)[:len(a)], r)
}

// cnot lowers cnot: one if the source is zero.
func cnot(l *build.Builder) {
	t := l.Typ(0)
	v := l.Extended(1, t)
	w := v[0]
	if len(v) == 2 {
		w = l.One(op.LOP3, op.M(op.MLUT), v[0], v[1], expand.RZ(), ori.Imm(expand.LutOr))
	}
	p := l.Test(op.ISETP, op.M(op.MEQ, op.MU32, op.MAND), w, expand.RZ(), expand.PT())
	d := l.Dst(0)
	l.Emit(op.SEL, op.Mods{}, d[:1], ori.Imm(1), expand.RZ(), p)
	if len(v) == 2 {
		l.Emit(op.MOV, op.Mods{}, d[1:2], expand.RZ())
	}
}

// dp lowers dp4a and dp2a.
func dp(l *build.Builder) {
	a, b := l.Typ(0), l.Typ(1)
	wide := func(t isa.Type, signed, unsigned op.Mod) op.Mod {
		if t.Class() == isa.Signed {
			return signed
		}
		return unsigned
	}
	m := op.M(op.M4A, wide(a, op.MS8, op.MU8), wide(b, op.MS8, op.MU8))
	if l.In.Op == isa.WDp2a {
		half := op.MLO
		l.Knows(isa.WLo)
		if l.Has(isa.WHi) {
			half = op.MHI
		}
		m = op.M(op.M2A, half, wide(a, op.MS16, op.MU16), wide(b, op.MS8, op.MU8))
	}
	t := isa.B32
	l.Emit(op.IDP, m, l.Dst(0)[:1], l.Reg(l.Src1(1, t)), l.Reg(l.Src1(2, t)), l.Reg(l.Src1(3, t)))
}

// mul24 lowers mul24 and mad24.
func mul24(l *build.Builder) {
	t := l.Typ(0)
	l.Knows(isa.WLo)
	m := op.M(op.MU32)
	if t.Class() == isa.Signed {
		m = op.Mods{}
	}
	a := l.One(op.SGXT, m, l.Reg(l.Src1(1, t)), ori.Imm(24))
	b := l.One(op.SGXT, m, l.Reg(l.Src1(2, t)), ori.Imm(24))
	c := expand.RZ()
	if l.In.Op == isa.WMad24 {
		c = l.Src1(3, t)
	}
	d := l.Dst(0)[:1]
	if !l.Has(isa.WHi) {
		l.Emit(op.IMAD, op.Mods{}, d, a, b, c)
		return
	}
	// bits 47 to 16 of the product
	w := l.Wide(a, b, build.Value{expand.RZ(), expand.RZ()}, t.Class() == isa.Signed)
	h := l.One(op.SHF, op.M(op.MR, op.MU64), w[0], ori.Imm(16), w[1])
	if l.Has(isa.WSat) {
		AddSat(l, d[0], h, c, false)
		return
	}
	l.Emit(op.IADD3, op.Mods{}, d, h, c, expand.RZ())
}

// bmsk and szext lower the mask and extension operations.
func bmsk(l *build.Builder) {
	l.Knows(isa.WClamp)
	var m op.Mods
	if l.Has(isa.WWrap) {
		m = op.M(op.MW)
	}
	l.Emit(op.BMSK, m, l.Dst(0)[:1], l.Reg(l.Src1(1, isa.B32)), l.Src1(2, isa.B32))
}

func szext(l *build.Builder) {
	l.Knows(isa.WClamp)
	var m op.Mods
	if l.Has(isa.WWrap) {
		m = op.M(op.MW)
	}
	if l.Typ(0).Class() != isa.Signed {
		m = m.With(op.MU32)
	}
	l.Emit(op.SGXT, m, l.Dst(0)[:1], l.Reg(l.Src1(1, isa.B32)), l.Src1(2, isa.U32))
}

// fns lowers fns: the n-th set bit from a place on, upward or downward. For
// a downward search the mask is reversed; a search for the bit at the place
// itself sees that bit alone. What is left is the n-th set bit from the
// bottom, found by counting the bits of ever smaller halves.
func fns(l *build.Builder) {
	mask, base, off := l.Reg(l.Src1(1, isa.B32)), l.Src1(2, isa.B32), l.Reg(l.Src1(3, isa.S32))
	down := l.Cmp1(op.MLT, true, off, expand.RZ())
	zero := l.Cmp1(op.MEQ, true, off, expand.RZ())
	m := l.Sel1(l.One(op.BREV, op.Mods{}, mask), mask, down)
	from := l.Sel1(l.Iadd(ori.Imm(31), expand.Negate(base)), base, down)
	seen := l.Shl1(l.Sel1(ori.Imm(1), ori.Imm32(^uint32(0)), zero), from)
	m = l.And2(m, seen)
	n := l.Sel1(ori.Imm(1), l.One(op.IABS, op.Mods{}, off), zero)
	none := l.Cmp1(op.MGT, false, n, l.One(op.POPC, op.Mods{}, m))
	pos := l.Reg(expand.RZ())
	x := m
	for w := int64(16); w > 0; w /= 2 {
		c := l.One(op.POPC, op.Mods{}, l.And2(x, ori.Imm(1<<w-1)))
		p := l.Cmp1(op.MGT, false, n, c)
		n = l.Sel1(l.Iadd(n, expand.Negate(c)), n, p)
		x = l.Sel1(l.Shr1(x, ori.Imm(w)), x, p)
		pos = l.Sel1(l.Iadd(pos, ori.Imm(w)), pos, p)
	}
	pos = l.Sel1(l.Iadd(ori.Imm(31), expand.Negate(pos)), pos, down)
	l.Emit(op.SEL, op.Mods{}, l.Dst(0)[:1], ori.Imm32(^uint32(0)), pos, none)
}
