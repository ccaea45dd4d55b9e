package arith

import (
	"github.com/goptxas/goptxas/internal/codegen/expand"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/target"
)

// isInt reports whether values of t are integers.
func isInt(t isa.Type) bool {
	c := t.Class()
	return c == isa.Signed || c == isa.Unsigned || c == isa.Bits
}

// cvt lowers conversions.
func cvt(l *build.Builder) {
	to, from := l.Typ(0), l.Typ(1)
	switch {
	case l.Has(isa.WPack):
		cvtPack(l, to)
		zeroAbove(l)
	case isNarrow(to) || isNarrow(from) || to == isa.TF32:
		cvtNarrow(l, to, from)
		zeroAbove(l)
	case isInt(to) && isInt(from):
		cvtInt(l, to, from)
	case isInt(to):
		cvtToInt(l, to, from)
	case isInt(from):
		cvtFromInt(l, to, from)
	case to == from:
		cvtSame(l, to)
	default:
		cvtFloat(l, to, from)
	}
}

// zeroAbove clears the words of the destination above its first.
func zeroAbove(l *build.Builder) { l.Spread(l.Dst(0)[1:], nil, isa.B32) }

// cvtInt converts between integers.
func cvtInt(l *build.Builder, to, from isa.Type) {
	d := l.Dst(0)
	s := l.Extended(1, from)
	if l.Has(isa.WSat) {
		l.Spread(d, saturate(l, to, from, s), to)
		return
	}
	if build.Words(to) > len(s) {
		s = build.Value{s[0], signWord(l, s[0], from)}
	}
	s = s[:build.Words(to)]
	// a narrower result in a wider register is extended again
	if len(s) == 1 && to.Bits() < 32 && (to.Bits() < from.Bits() || to.Class() != from.Class()) {
		s = build.Value{l.Extend(s[0], to)}
	}
	l.Spread(d, s, to)
}

// saturate clamps an integer to the range of a type that does not hold all
// values of its own.
func saturate(l *build.Builder, to, from isa.Type, s build.Value) build.Value {
	lo, hi := limits(to)
	flo, fhi := limits(from)
	signed := from.Class() == isa.Signed
	clamp := func(cmp op.Mod, bound int64) {
		b := expand.Imm(uint64(bound), len(s))
		var p ori.Operand
		if len(s) == 2 {
			p = l.Less64(s, b, cmp, signed)
		} else {
			m := op.M(cmp, op.MAND)
			if !signed {
				m = op.M(cmp, op.MU32, op.MAND)
			}
			p = l.Test(op.ISETP, m, s[0], b[0], expand.PT())
		}
		r := l.Tmp(len(s))
		for k := range s {
			l.Emit(op.SEL, op.Mods{}, r[k:k+1], b[k], s[k], p)
		}
		s = r
	}
	if signed && lo.Cmp(flo) > 0 {
		clamp(op.MLT, lo.Int64())
	}
	if hi.Cmp(fhi) < 0 {
		clamp(op.MGT, int64(hi.Uint64()))
	}
	if build.Words(to) > len(s) {
		s = build.Value{s[0], signWord(l, s[0], from)}
	}
	return s[:build.Words(to)]
}

// formats maps float types to the machine's names.
func format(t isa.Type) op.Mod {
	switch t {
	case isa.F16:
		return op.MF16
	case isa.BF16:
		return op.MBF16
	case isa.F32:
		return op.MF32
	}
	return op.MF64
}

// integers maps integer types to the machine's names; s32 has none.
func integer(t isa.Type) op.Mod {
	signed := t.Class() == isa.Signed
	switch t.Bits() {
	case 8:
		if signed {
			return op.MS8
		}
		return op.MU8
	case 16:
		if signed {
			return op.MS16
		}
		return op.MU16
	case 64:
		if signed {
			return op.MS64
		}
		return op.MU64
	}
	if signed {
		return op.NoMod
	}
	return op.MU32
}

var integrals = []build.WordName{{isa.WRzi, op.MTRUNC}, {isa.WRmi, op.MFLOOR}, {isa.WRpi, op.MCEIL}}

// integral returns the rounding of a conversion to integers; rni is silent.
func integral(l *build.Builder) op.Mod {
	l.Knows(isa.WRni)
	return l.Which(integrals)
}

// floatSrc returns argument n as the machine's conversions read a float of
// type t: a register, or a pair for f64.
func floatSrc(l *build.Builder, n int, t isa.Type) ori.Operand {
	v := l.Src(n, t)
	if len(v) == 2 {
		return expand.Whole(l.Pair(v))
	}
	return l.Reg(v[0])
}

// cvtToInt converts a float to an integer: always saturating; a NaN gives
// zero where the machine's .NTZ says so.
func cvtToInt(l *build.Builder, to, from isa.Type) {
	l.Knows(isa.WSat) // always so
	a := floatSrc(l, 1, from)
	var ftz op.Mod
	if l.Has(isa.WFtz) && from == isa.F32 {
		ftz = op.MFTZ
		if to.Bits() == 64 { // the wide conversion knows no .FTZ, which counts away from zero alone
			if dir := integral(l); dir == op.MFLOOR || dir == op.MCEIL {
				a = l.One(op.FMUL, op.M(op.MFTZ), a, expand.F32(1))
			}
			ftz = op.NoMod
		}
	}
	var src op.Mod
	if from != isa.F32 {
		src = format(from)
	}
	var ntz op.Mod
	if to.Bits() <= 32 && from != isa.F64 {
		ntz = op.MNTZ
	}
	m := build.Mods(ftz, integer(to), src, integral(l), ntz)
	r := l.Tmp(build.Words(to))
	l.Emit(op.F2I, m, build.Value{expand.Whole(r)}, a)
	if to.Bits() == 8 { // a NaN has a bit above the byte
		r = build.Value{l.Extend(r[0], to)}
	}
	l.Spread(l.Dst(0), r, to)
}

// cvtFromInt converts an integer to a float.
func cvtFromInt(l *build.Builder, to, from isa.Type) {
	l.Knows(isa.WFtz) // no integer becomes a subnormal number
	var a ori.Operand
	t := from
	if build.Words(from) == 2 {
		a = expand.Whole(l.Pair(l.Src(1, from)))
	} else {
		a = l.Reg(l.Extended(1, from)[0])
		if t = isa.U32; from.Class() == isa.Signed {
			t = isa.S32
		}
	}
	r := l.Tmp(build.Words(to))
	round := l.Rounding()
	if to == isa.F32 && t.Bits() == 32 && (round == op.NoMod || round == op.MRZ) && l.Arch.Has(target.IntToFloat) {
		kind := op.MU32
		if t == isa.S32 {
			kind = op.MS32
		}
		l.Emit(op.I2FP, build.Mods(op.MF32, kind, round), r, a)
	} else {
		var dst op.Mod
		if to != isa.F32 {
			dst = format(to)
		}
		l.Emit(op.I2F, build.Mods(dst, integer(t), round), build.Value{expand.Whole(r)}, a)
	}
	if l.Has(isa.WSat) {
		r = clampUnit(l, to, r)
	}
	l.Spread(l.Dst(0), r, to)
}

// clampUnit clamps a float to [0, 1]; a NaN becomes zero.
func clampUnit(l *build.Builder, t isa.Type, v build.Value) build.Value {
	switch t {
	case isa.F32:
		return build.Value{l.One(op.FADD, op.M(op.MSAT), expand.RZ(), v[0])}
	case isa.F16:
		return build.Value{l.One(op.HADD2, op.M(op.MSAT), asHalf(v[0], t), halfZero().Negate())}
	case isa.F64:
		zero, one := l.Pair(build.Value{expand.RZ(), expand.RZ()}), l.Pair(expand.Imm(0x3ff0000000000000, 2))
		p := l.Test(op.DSETP, op.M(op.MGT, op.MAND), expand.Whole(l.Pair(v)), expand.Whole(zero), expand.PT())
		v = l.Sel(v, zero, p)
		p = l.Test(op.DSETP, op.M(op.MLT, op.MAND), expand.Whole(v), expand.Whole(one), expand.PT())
		return l.Sel(v, one, p)
	}
	l.Unsupported()
	return nil
}

// cvtSame rounds a float to an integral value, saturates or flushes it.
func cvtSame(l *build.Builder, t isa.Type) {
	a := floatSrc(l, 1, t)
	var ftz op.Mod
	if l.Has(isa.WFtz) {
		ftz = op.MFTZ
	}
	r := l.Tmp(build.Words(t))
	switch {
	case l.Has(isa.WRni) || integral(l) != op.NoMod:
		var f op.Mod
		if t != isa.F32 {
			f = format(t)
		}
		l.Emit(op.FRND, build.Mods(ftz, f, integral(l)), build.Value{expand.Whole(r)}, a)
		if l.Has(isa.WSat) {
			r = clampUnit(l, t, r)
		}
	case t == isa.F32 && l.Has(isa.WSat):
		l.Emit(op.FADD, build.Mods(ftz, op.MSAT), r, expand.RZ(), a)
	case l.Has(isa.WSat):
		r = clampUnit(l, t, l.Src(1, t))
	case t == isa.F32 && ftz != op.NoMod:
		l.Emit(op.FADD, build.Mods(ftz), r, a, expand.RZ().Negate())
	case t == isa.F16: // arithmetic: a NaN becomes canonical
		l.Emit(op.HADD2, build.Mods(ftz), r, asHalf(a, t), halfZero().Negate())
	case t == isa.BF16:
		l.Emit(op.HFMA2, halfMods(t), r, halfZero().Negate(), halfZero(), asHalf(a, t))
	default:
		r = l.Src(1, t)
	}
	l.Spread(l.Dst(0), r, t)
}

// cvtFloat converts between float types.
func cvtFloat(l *build.Builder, to, from isa.Type) {
	scalar := func(t isa.Type) bool { return t == isa.F16 || t == isa.BF16 || t == isa.F32 || t == isa.F64 }
	if (to == isa.F16x2 || to == isa.BF16x2) && from == isa.F32 {
		cvtPair(l, to)
		zeroAbove(l)
		return
	}
	if !scalar(to) || !scalar(from) {
		l.Unsupported()
	}
	if l.Has(isa.WSatfinite) && !l.Arch.Has(target.PackHalves) {
		finiteHalf(l, l.Reg(l.Src1(1, from)))
		return
	}
	if l.Has(isa.WRelu) || l.Has(isa.WSatfinite) {
		m := build.Mods(finite(l), relu(l), format(to), op.MF32, op.MMERGE_C, l.Rounding())
		F2fp(l, m, l.Dst(0)[:1], l.Reg(l.Src1(1, from)), expand.RZ())
		zeroAbove(l)
		return
	}
	a := floatSrc(l, 1, from)
	r := l.Tmp(build.Words(to))
	round := l.Rounding()
	var ftz op.Mod
	if l.Has(isa.WFtz) && to != isa.F16 { // the modifier is about f32 alone
		ftz = op.MFTZ
	}
	switch {
	case from == isa.F16 && to == isa.F32:
		a.Flags |= ori.H0
		l.Emit(op.HADD2, op.M(op.MF32), r, expand.RZ().Negate(), a)
	case from == isa.BF16 && to == isa.F32 && ftz == op.NoMod:
		l.Emit(op.SHF, op.M(op.ML, op.MU32), r, a, ori.Imm(16), expand.RZ())
	case from == isa.F32 && to.Bits() == 16 && ftz == op.NoMod && (round == op.NoMod || round == op.MRZ) && l.Arch.Has(target.PackHalves):
		F2fp(l, build.Mods(format(to), op.MF32, op.MPACK_AB, round), r, expand.RZ(), a)
	case from == isa.F32 && to == isa.F64 && ftz != op.NoMod:
		x := l.One(op.FMUL, op.M(op.MFTZ), a, expand.F32(1))
		l.Emit(op.F2F, build.Mods(format(to), format(from)), build.Value{expand.Whole(r)}, x)
	case from == isa.F64 && to == isa.F32 && ftz != op.NoMod:
		l.Emit(op.F2F, build.Mods(format(to), format(from), round), r, a)
		r = build.Value{flushed(l, a, r[0], round)}
	default:
		l.Emit(op.F2F, build.Mods(ftz, format(to), format(from), round), build.Value{expand.Whole(r)}, a)
	}
	if l.Has(isa.WSat) {
		r = clampUnit(l, to, r)
	}
	l.Spread(l.Dst(0), r, to)
}

// finiteHalf converts to f16 where no instruction saturates: what is beyond the
// largest half becomes it before, and a NaN stays one.
func finiteHalf(l *build.Builder, a ori.Operand) {
	const largest, lowest = 0x477fe000, 0xc77fe000 // 65504 and -65504
	x := l.One(op.FMNMX, op.Mods{}, a, ori.Imm(largest), expand.PT())
	x = l.One(op.FMNMX, op.Mods{}, x, ori.Imm(lowest), expand.PT().Not())
	x = l.Sel1(a, x, l.Test(op.FSETP, op.M(op.MNAN, op.MAND), a, a, expand.PT()))
	r := l.Tmp(1)
	l.Emit(op.F2F, build.Mods(op.MF16, op.MF32, l.Rounding()), build.Value{expand.Whole(r)}, x)
	l.Spread(l.Dst(0), r, isa.F16)
}

// flushed returns r, an f64 rounded to f32, with a zero in place of a result
// that is subnormal before its exponent is limited: rounded to nearest, what
// lies within half a unit below 2^-126 is not.
func flushed(l *build.Builder, a, r ori.Operand, round op.Mod) ori.Operand {
	small := ori.Imm(expand.Smallest)
	var p ori.Operand
	switch round {
	case op.MRZ:
		p = l.Test(op.FSETP, op.M(op.MGEU, op.MAND), expand.Absolute(r), small, expand.PT())
	case op.NoMod:
		p = l.Test(op.DSETP, op.M(op.MGEU, op.MAND), expand.Absolute(a), expand.Whole(l.Pair(expand.Imm(0x380ffffff0000000, 2))), expand.PT())
	default: // one place below, on the side that is rounded up
		hi := a
		hi.Sub, hi.N = hi.Sub+1, 1
		neg := l.Cmp1(op.MLT, true, hi, expand.RZ())
		away := expand.Pick(round == op.MRM, neg, neg.Not())
		limit := l.Sel(expand.Imm(0x380fffffe0000001, 2), expand.Imm(0x3810000000000000, 2), away)
		p = l.Test(op.DSETP, op.M(op.MGEU, op.MAND), expand.Absolute(a), expand.Whole(limit), expand.PT())
	}
	// the product of two tiny numbers is a zero with the right sign
	return l.Sel1(r, l.One(op.FMUL, op.Mods{}, r, small), p)
}

// cvtPair converts two f32 values to a pair of halves: the first source is
// the high half.
func cvtPair(l *build.Builder, to isa.Type) {
	round := l.Rounding()
	f := op.MF16
	if to == isa.BF16x2 {
		f = op.MBF16
	}
	if l.Has(isa.WRs) { // random bits decide
		m := build.Mods(finite(l), relu(l), f, op.MF32, op.MPACK_AB, op.MRS)
		F2fp(l, m, l.Dst(0)[:1], l.Reg(l.Src1(1, isa.F32)), l.Src1(2, isa.F32), l.Reg(l.Src1(3, isa.B32)))
		return
	}
	if round != op.NoMod && round != op.MRZ {
		l.Unsupported()
	}
	m := build.Mods(finite(l), relu(l), f, op.MF32, op.MPACK_AB, round)
	F2fp(l, m, l.Dst(0)[:1], l.Reg(l.Src1(1, isa.F32)), l.Src1(2, isa.F32))
}

// F2fp emits the packing conversion. Older machines have it from f32 only, and
// to f16 unless it says otherwise.
func F2fp(l *build.Builder, m op.Mods, d build.Value, srcs ...ori.Operand) {
	if !l.Arch.Has(target.PackFormats) {
		m = m.Without(op.MF32).Without(op.MF16)
	}
	l.Emit(op.F2FP, m, d, srcs...)
}

// signWord returns the word above w: its sign repeated, or zero.
func signWord(l *build.Builder, w ori.Operand, t isa.Type) ori.Operand {
	if t.Class() != isa.Signed {
		return expand.RZ()
	}
	return l.One(op.SHF, op.M(op.MR, op.MS32, op.MHI), expand.RZ(), ori.Imm(31), w)
}
