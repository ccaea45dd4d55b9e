package lower

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/target"
)

// minmax lowers min and max of integers.
func (l *lowerer) minmax() {
	t := l.typ(0)
	if t.Class() == isa.Float || t.Class() == isa.PackedFloat {
		l.minmaxFloat(t)
		return
	}
	which := pt()
	if l.in.Op == isa.WMax {
		which = which.Not()
	}
	signed := t.Class() == isa.Signed
	d := l.dst(0)
	switch {
	case t.Class() == isa.PackedInt:
		m := op.M(op.MU16x2)
		if t == isa.S16x2 {
			m = op.M(op.MS16x2)
		}
		if l.has(isa.WRelu) {
			m = m.With(op.MRELU)
		}
		l.emitMin(m, d[:1], l.src1(1, t), l.src1(2, t), which)
	case words(t) == 1:
		var m op.Mods
		if !signed {
			m = op.M(op.MU32)
		}
		if l.has(isa.WRelu) {
			m = m.With(op.MRELU)
		}
		l.emitMin(m, d[:1], l.extended(1, t)[0], l.extended(2, t)[0], which)
	default:
		a, b := l.src(1, t), l.src(2, t)
		cmp := op.MLT
		if l.in.Op == isa.WMax {
			cmp = op.MGT
		}
		p := l.less64(a, b, cmp, signed)
		r := l.tmp(2)
		for k := range r {
			l.emit(op.SEL, op.Mods{}, r[k:k+1], a[k], b[k], p)
		}
		l.copy(d, r)
	}
}

// emitMin writes the smaller of two words, or of their halves, or the larger
// one if which is false. The operation has several spellings.
func (l *lowerer) emitMin(m op.Mods, d value, a, b, which ori.Operand) {
	o := op.VIMNMX
	switch {
	case !l.arch.Has(target.PackedInts) && m != (op.Mods{}) && m != op.M(op.MU32):
		l.splitMin(m, d, a, b, which)
		return
	case !l.arch.Has(target.PackedInts):
		o = op.IMNMX
	case l.arch.Has(target.MinNamesType):
		if !m.Has(op.MU32) && !m.Has(op.MU16x2) && !m.Has(op.MS16x2) { // signed words have a name
			m = op.M(append([]op.Mod{op.MS32}, m[:len(m)-1]...)...)
		}
	case l.arch.Has(target.MinTellsSource):
		d = value{d[0], pt(), pt()}
	}
	l.emit(o, m, d, a, b, which)
}

// splitMin is emitMin of pairs of halves, or with negative results as zero,
// where the machine has neither.
func (l *lowerer) splitMin(m op.Mods, d value, a, b, which ori.Operand) {
	one := func(x, y ori.Operand) ori.Operand {
		r := l.min1(op.Mods{}, x, y, which)
		if m.Has(op.MRELU) {
			r = l.min1(op.Mods{}, r, rz(), pt().Not())
		}
		return r
	}
	if !m.Has(op.MU16x2) && !m.Has(op.MS16x2) {
		l.copy(d, value{one(a, b)})
		return
	}
	a, b = l.reg(a), l.reg(b)
	var halves [2]ori.Operand
	for k := range halves {
		signed := m.Has(op.MS16x2)
		halves[k] = one(l.lane(a, 16*k, 16, signed), l.lane(b, 16*k, 16, signed))
	}
	l.emit(op.PRMT, op.Mods{}, d, halves[0], ori.Imm(0x5410), halves[1])
}

// min1 is emitMin into a temporary.
func (l *lowerer) min1(m op.Mods, a, b, which ori.Operand) ori.Operand {
	d := l.tmp(1)
	l.emitMin(m, d, a, b, which)
	return d[0]
}

// less64 compares 64-bit values.
func (l *lowerer) less64(a, b value, cmp op.Mod, signed bool) ori.Operand {
	p := l.test(op.ISETP, op.M(cmp, op.MU32, op.MAND), a[0], b[0], pt())
	m := op.M(cmp, op.MAND, op.MEX)
	if !signed {
		m = op.M(cmp, op.MU32, op.MAND, op.MEX)
	}
	return l.test(op.ISETP, m, a[1], b[1], pt(), p)
}

// abs lowers abs.
func (l *lowerer) abs() {
	t := l.typ(0)
	switch {
	case t.Class() == isa.Float || t.Class() == isa.PackedFloat:
		l.absFloat(t)
	case words(t) == 1:
		l.emit(op.IABS, op.Mods{}, l.dst(0)[:1], l.reg(l.extended(1, t)[0]))
	default:
		a := l.src(1, t)
		n := l.add64(value{rz(), rz()}, a, true)
		p := l.test(op.ISETP, op.M(op.MLT, op.MAND), a[1], rz(), pt())
		r := l.tmp(2)
		for k := range r {
			l.emit(op.SEL, op.Mods{}, r[k:k+1], n[k], a[k], p)
		}
		l.copy(l.dst(0), r)
	}
}

// popc, brev, clz and bfind lower the operations of the bit unit.
func (l *lowerer) popc() {
	t := l.typ(0)
	a := l.src(1, t)
	d := l.dst(0)
	if len(a) == 1 {
		l.emit(op.POPC, op.Mods{}, d[:1], l.reg(a[0]))
		return
	}
	lo, hi := l.one(op.POPC, op.Mods{}, l.reg(a[0])), l.one(op.POPC, op.Mods{}, l.reg(a[1]))
	l.emit(op.IADD3, op.Mods{}, d[:1], lo, hi, rz())
}

func (l *lowerer) brev() {
	t := l.typ(0)
	a := l.src(1, t)
	if len(a) == 1 {
		l.emit(op.BREV, op.Mods{}, l.dst(0)[:1], l.reg(a[0]))
		return
	}
	r := l.tmp(2)
	l.emit(op.BREV, op.Mods{}, r[:1], l.reg(a[1]))
	l.emit(op.BREV, op.Mods{}, r[1:], l.reg(a[0]))
	l.copy(l.dst(0), r)
}

// findLeading returns the number of the highest set bit, or -1; with
// signed, of the highest bit that differs from the sign.
func (l *lowerer) findLeading(a ori.Operand, signed, shift bool) ori.Operand {
	var m op.Mods
	if !signed {
		m = m.With(op.MU32)
	}
	if shift {
		m = m.With(op.MSH)
	}
	return l.one(op.FLO, m, l.reg(a))
}

func (l *lowerer) clz() {
	t := l.typ(0)
	a := l.src(1, t)
	d := l.dst(0)
	if len(a) == 1 {
		f := l.findLeading(a[0], false, false)
		l.emit(op.IADD3, op.Mods{}, d[:1], negate(f), ori.Imm(31), rz())
		return
	}
	// the high word decides unless it is zero
	p := l.test(op.ISETP, op.M(op.MEQ, op.MU32, op.MAND), a[1], rz(), pt())
	w := l.one(op.SEL, op.Mods{}, a[0], a[1], p)
	f := l.findLeading(w, false, false)
	base := l.one(op.SEL, op.Mods{}, ori.Imm(63), ori.Imm(31), p)
	l.emit(op.IADD3, op.Mods{}, d[:1], base, negate(f), rz())
}

func (l *lowerer) bfind() {
	t := l.typ(0)
	signed := t.Class() == isa.Signed
	shift := l.has(isa.WShiftamt)
	a := l.src(1, t)
	d := l.dst(0)
	if len(a) == 1 {
		l.copy(d[:1], value{l.findLeading(a[0], signed, shift)})
		return
	}
	if signed { // what differs from the sign
		s := l.one(op.SHF, op.M(op.MR, op.MS32, op.MHI), rz(), ori.Imm(31), a[1])
		x := l.tmp(2)
		for k := range x {
			l.emit(op.LOP3, op.M(op.MLUT), x[k:k+1], a[k], s, rz(), ori.Imm(lutXor))
		}
		a = x
	}
	p := l.test(op.ISETP, op.M(op.MEQ, op.MU32, op.MAND), a[1], rz(), pt())
	w := l.one(op.SEL, op.Mods{}, a[0], a[1], p)
	f := l.findLeading(w, false, false)
	base := l.one(op.SEL, op.Mods{}, rz(), ori.Imm(32), p)
	none := l.test(op.ISETP, op.M(op.MEQ, op.MU32, op.MAND), w, rz(), pt())
	r := l.one(op.IADD3, op.Mods{}, base, f, rz())
	if shift {
		r = l.one(op.IADD3, op.Mods{}, negate(r), ori.Imm(63), rz())
	}
	l.emit(op.SEL, op.Mods{}, d[:1], ori.Imm32(0xffffffff), r, none)
}

// lop3 lowers lop3.b32, with or without a predicate that tells whether the
// result is not zero, joined with another.
func (l *lowerer) lop3() {
	t := isa.B32
	lut := ori.Imm(int64(l.args[4].Value & 0xff))
	d, srcs := l.dst(0)[:1], []ori.Operand{l.src1(1, t), l.src1(2, t), l.src1(3, t), lut}
	if !l.has(isa.WOr) && !l.has(isa.WAnd) {
		l.emit(op.LOP3, op.M(op.MLUT), d, srcs...)
		return
	}
	m := op.M(op.MLUT)
	if l.has(isa.WAnd) {
		m = op.M(op.MLUT, op.MPAND)
	}
	l.emit(op.LOP3, m, value{l.pairPred(0), d[0]}, append(srcs, l.predicate(5))...)
}

// pairPred returns the predicate p of a destination d|p; for a sink one
// that nobody reads.
func (l *lowerer) pairPred(n int) ori.Operand {
	if a := &l.args[n]; a.PairKind == isa.KReg {
		return l.f.Words(l.regs[a.Pair])
	}
	return l.pred()
}

var prmtModes = []wordName{
	{isa.WF4e, op.MF4E}, {isa.WB4e, op.MB4E}, {isa.WRc8, op.MRC8}, {isa.WEcl, op.MECL}, {isa.WEcr, op.MECR}, {isa.WRc16, op.MRC16},
}

// prmt lowers prmt: the selector is the machine's second source.
func (l *lowerer) prmt() {
	m := l.which(prmtModes)
	t := isa.B32
	l.emit(op.PRMT, mods(m), l.dst(0)[:1], l.reg(l.src1(1, t)), l.src1(3, t), l.src1(2, t))
}

// funnel lowers shf.
func (l *lowerer) funnel() {
	t := isa.B32
	lo, hi, n := l.src1(1, t), l.src1(2, t), l.src1(3, t)
	m := op.M(op.MR)
	l.knows(isa.WR)
	l.knows(isa.WClamp)
	if l.has(isa.WL) {
		m = op.M(op.ML)
	}
	if l.has(isa.WWrap) {
		m = m.With(op.MW)
	}
	m = m.With(op.MU32)
	if l.has(isa.WL) {
		m = m.With(op.MHI)
	}
	l.emit(op.SHF, m, l.dst(0)[:1], lo, n, hi)
}

// field8 returns the low eight bits of a bit-field position or length.
func (l *lowerer) field8(n int) ori.Operand {
	o := l.src1(n, isa.U32)
	if o.Kind == ori.KImm {
		return word(uint32(o.Imm) & 0xff)
	}
	if o.Kind == ori.KZero {
		return o
	}
	return l.one(op.LOP3, op.M(op.MLUT), o, ori.Imm(0xff), rz(), ori.Imm(lutAnd))
}

// bfe lowers 32-bit bfe: shift down, then cut to the length.
func (l *lowerer) bfe() {
	t := l.typ(0)
	if words(t) != 1 {
		l.bfe64(t)
		return
	}
	a, pos, n := l.src1(1, t), l.field8(2), l.field8(3)
	m, g := op.M(op.MR, op.MU32, op.MHI), op.M(op.MU32)
	if t.Class() == isa.Signed {
		m, g = op.M(op.MR, op.MS32, op.MHI), op.Mods{}
	}
	s := l.one(op.SHF, m, rz(), pos, a)
	l.emit(op.SGXT, g, l.dst(0)[:1], l.reg(s), n)
}

// bfe64 lowers 64-bit bfe. An unsigned field is shifted down and masked; a
// signed one goes to the top first, so that shifting down repeats its sign.
func (l *lowerer) bfe64(t isa.Type) {
	a, pos, n := l.src(1, t), l.field8(2), l.field8(3)
	if t.Class() != isa.Signed {
		s, m := l.shr(a, pos), l.ones64(n)
		l.copy(l.dst(0), value{l.and2(s[0], m[0]), l.and2(s[1], m[1])})
		return
	}
	end := l.min1(op.M(op.MU32), l.reg(l.iadd(pos, n)), ori.Imm(64), pt())
	up := l.iadd(ori.Imm(64), negate(end))
	s := l.sar(l.shl(a, up), l.iadd(up, pos))
	l.copy(l.dst(0), l.sel(value{rz(), rz()}, s, l.cmp1(op.MEQ, false, n, rz())))
}

// ones64 returns n ones, as many as fit.
func (l *lowerer) ones64(n ori.Operand) value {
	return l.diff(l.shl(value{l.reg(ori.Imm(1)), rz()}, n), imm(1, 2))
}

// bfi lowers bfi: the bits of the first source where the mask is set, of
// the second elsewhere.
func (l *lowerer) bfi() {
	t := l.typ(0)
	const lut = 0xf0&0xcc | 0xaa&^0xcc // s, m, b
	a, b, pos, n := l.src(1, t), l.src(2, t), l.field8(3), l.field8(4)
	if len(a) == 2 {
		m, s := l.shl(l.ones64(n), pos), l.shl(a, pos)
		l.copy(l.dst(0), value{l.lop(lut, s[0], m[0], b[0]), l.lop(lut, s[1], m[1], b[1])})
		return
	}
	m := l.one(op.BMSK, op.Mods{}, l.reg(pos), n)
	l.emit(op.LOP3, op.M(op.MLUT), l.dst(0)[:1], l.shl1(a[0], pos), m, b[0], ori.Imm(lut))
}

// sad lowers sad.
func (l *lowerer) sad() {
	t := l.typ(0)
	signed := t.Class() == isa.Signed
	if words(t) != 1 {
		a, b := l.src(1, t), l.src(2, t)
		d := l.sel(l.diff(b, a), l.diff(a, b), l.less64(a, b, op.MLT, signed))
		l.copy(l.dst(0), l.add64(d, l.src(3, t), false))
		return
	}
	var m op.Mods
	if !signed {
		m = op.M(op.MU32)
	}
	a, b := l.extended(1, t)[0], l.extended(2, t)[0]
	if !l.arch.Has(target.AbsDiff) {
		hi, lo := l.min1(m, l.reg(a), b, pt().Not()), l.min1(m, l.reg(a), b, pt())
		l.emit(op.IADD3, op.Mods{}, l.dst(0)[:1], hi, negate(lo), l.src1(3, t))
		return
	}
	l.emit(op.VABSDIFF, m, l.dst(0)[:1], a, b, l.src1(3, t))
}

// slct lowers slct: the first source if the third is not negative.
func (l *lowerer) slct() {
	t, c := l.typ(0), l.typ(1)
	var p ori.Operand
	if c == isa.F32 {
		x := l.src1(3, c)
		if l.has(isa.WFtz) {
			x = l.one(op.FADD, op.M(op.MFTZ), l.reg(x), rz().Negate())
		}
		p = l.test(op.FSETP, op.M(op.MGE, op.MAND), l.reg(x), rz(), pt())
	} else {
		p = l.test(op.ISETP, op.M(op.MGE, op.MAND), l.reg(l.src1(3, c)), rz(), pt())
	}
	a, b := l.src(1, t), l.src(2, t)
	r := l.tmp(len(a))
	for k := range a {
		l.emit(op.SEL, op.Mods{}, r[k:k+1], a[k], b[k], p)
	}
	l.copy(l.dst(0)[:len(a)], r)
}

// cnot lowers cnot: one if the source is zero.
func (l *lowerer) cnot() {
	t := l.typ(0)
	v := l.extended(1, t)
	w := v[0]
	if len(v) == 2 {
		w = l.one(op.LOP3, op.M(op.MLUT), v[0], v[1], rz(), ori.Imm(lutOr))
	}
	p := l.test(op.ISETP, op.M(op.MEQ, op.MU32, op.MAND), w, rz(), pt())
	d := l.dst(0)
	l.emit(op.SEL, op.Mods{}, d[:1], ori.Imm(1), rz(), p)
	if len(v) == 2 {
		l.emit(op.MOV, op.Mods{}, d[1:2], rz())
	}
}

// dp lowers dp4a and dp2a.
func (l *lowerer) dp() {
	a, b := l.typ(0), l.typ(1)
	wide := func(t isa.Type, signed, unsigned op.Mod) op.Mod {
		if t.Class() == isa.Signed {
			return signed
		}
		return unsigned
	}
	m := op.M(op.M4A, wide(a, op.MS8, op.MU8), wide(b, op.MS8, op.MU8))
	if l.in.Op == isa.WDp2a {
		half := op.MLO
		l.knows(isa.WLo)
		if l.has(isa.WHi) {
			half = op.MHI
		}
		m = op.M(op.M2A, half, wide(a, op.MS16, op.MU16), wide(b, op.MS8, op.MU8))
	}
	t := isa.B32
	l.emit(op.IDP, m, l.dst(0)[:1], l.reg(l.src1(1, t)), l.reg(l.src1(2, t)), l.reg(l.src1(3, t)))
}

// mul24 lowers mul24 and mad24.
func (l *lowerer) mul24() {
	t := l.typ(0)
	l.knows(isa.WLo)
	m := op.M(op.MU32)
	if t.Class() == isa.Signed {
		m = op.Mods{}
	}
	a := l.one(op.SGXT, m, l.reg(l.src1(1, t)), ori.Imm(24))
	b := l.one(op.SGXT, m, l.reg(l.src1(2, t)), ori.Imm(24))
	c := rz()
	if l.in.Op == isa.WMad24 {
		c = l.src1(3, t)
	}
	d := l.dst(0)[:1]
	if !l.has(isa.WHi) {
		l.emit(op.IMAD, op.Mods{}, d, a, b, c)
		return
	}
	// bits 47 to 16 of the product
	w := l.wide(a, b, value{rz(), rz()}, t.Class() == isa.Signed)
	h := l.one(op.SHF, op.M(op.MR, op.MU64), w[0], ori.Imm(16), w[1])
	if l.has(isa.WSat) {
		l.addSat(d[0], h, c, false)
		return
	}
	l.emit(op.IADD3, op.Mods{}, d, h, c, rz())
}

// bmsk and szext lower the mask and extension operations.
func (l *lowerer) bmsk() {
	l.knows(isa.WClamp)
	var m op.Mods
	if l.has(isa.WWrap) {
		m = op.M(op.MW)
	}
	l.emit(op.BMSK, m, l.dst(0)[:1], l.reg(l.src1(1, isa.B32)), l.src1(2, isa.B32))
}

func (l *lowerer) szext() {
	l.knows(isa.WClamp)
	var m op.Mods
	if l.has(isa.WWrap) {
		m = op.M(op.MW)
	}
	if l.typ(0).Class() != isa.Signed {
		m = m.With(op.MU32)
	}
	l.emit(op.SGXT, m, l.dst(0)[:1], l.reg(l.src1(1, isa.B32)), l.src1(2, isa.U32))
}

// fns lowers fns: the n-th set bit from a place on, upward or downward. For
// a downward search the mask is reversed; a search for the bit at the place
// itself sees that bit alone. What is left is the n-th set bit from the
// bottom, found by counting the bits of ever smaller halves.
func (l *lowerer) fns() {
	mask, base, off := l.reg(l.src1(1, isa.B32)), l.src1(2, isa.B32), l.reg(l.src1(3, isa.S32))
	down := l.cmp1(op.MLT, true, off, rz())
	zero := l.cmp1(op.MEQ, true, off, rz())
	m := l.sel1(l.one(op.BREV, op.Mods{}, mask), mask, down)
	from := l.sel1(l.iadd(ori.Imm(31), negate(base)), base, down)
	seen := l.shl1(l.sel1(ori.Imm(1), ori.Imm32(^uint32(0)), zero), from)
	m = l.and2(m, seen)
	n := l.sel1(ori.Imm(1), l.one(op.IABS, op.Mods{}, off), zero)
	none := l.cmp1(op.MGT, false, n, l.one(op.POPC, op.Mods{}, m))
	pos := l.reg(rz())
	x := m
	for w := int64(16); w > 0; w /= 2 {
		c := l.one(op.POPC, op.Mods{}, l.and2(x, ori.Imm(1<<w-1)))
		p := l.cmp1(op.MGT, false, n, c)
		n = l.sel1(l.iadd(n, negate(c)), n, p)
		x = l.sel1(l.shr1(x, ori.Imm(w)), x, p)
		pos = l.sel1(l.iadd(pos, ori.Imm(w)), pos, p)
	}
	pos = l.sel1(l.iadd(ori.Imm(31), negate(pos)), pos, down)
	l.emit(op.SEL, op.Mods{}, l.dst(0)[:1], ori.Imm32(^uint32(0)), pos, none)
}
