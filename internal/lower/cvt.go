package lower

import (
	"math/big"

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
func (l *lowerer) cvt() {
	to, from := l.typ(0), l.typ(1)
	switch {
	case l.has(isa.WPack):
		l.cvtPack(to)
		l.zeroAbove()
	case isNarrow(to) || isNarrow(from) || to == isa.TF32:
		l.cvtNarrow(to, from)
		l.zeroAbove()
	case isInt(to) && isInt(from):
		l.cvtInt(to, from)
	case isInt(to):
		l.cvtToInt(to, from)
	case isInt(from):
		l.cvtFromInt(to, from)
	case to == from:
		l.cvtSame(to)
	default:
		l.cvtFloat(to, from)
	}
}

// zeroAbove clears the words of the destination above its first.
func (l *lowerer) zeroAbove() { l.spread(l.dst(0)[1:], nil, isa.B32) }

// cvtInt converts between integers.
func (l *lowerer) cvtInt(to, from isa.Type) {
	d := l.dst(0)
	s := l.extended(1, from)
	if l.has(isa.WSat) {
		l.spread(d, l.saturate(to, from, s), to)
		return
	}
	if words(to) > len(s) {
		s = value{s[0], l.signWord(s[0], from)}
	}
	s = s[:words(to)]
	// a narrower result in a wider register is extended again
	if len(s) == 1 && to.Bits() < 32 && (to.Bits() < from.Bits() || to.Class() != from.Class()) {
		s = value{l.extend(s[0], to)}
	}
	l.spread(d, s, to)
}

// saturate clamps an integer to the range of a type that does not hold all
// values of its own.
func (l *lowerer) saturate(to, from isa.Type, s value) value {
	lo, hi := limits(to)
	flo, fhi := limits(from)
	signed := from.Class() == isa.Signed
	clamp := func(cmp op.Mod, bound int64) {
		b := imm(uint64(bound), len(s))
		var p ori.Operand
		if len(s) == 2 {
			p = l.less64(s, b, cmp, signed)
		} else {
			m := op.M(cmp, op.MAND)
			if !signed {
				m = op.M(cmp, op.MU32, op.MAND)
			}
			p = l.test(op.ISETP, m, s[0], b[0], pt())
		}
		r := l.tmp(len(s))
		for k := range s {
			l.emit(op.SEL, op.Mods{}, r[k:k+1], b[k], s[k], p)
		}
		s = r
	}
	if signed && lo.Cmp(flo) > 0 {
		clamp(op.MLT, lo.Int64())
	}
	if hi.Cmp(fhi) < 0 {
		clamp(op.MGT, int64(hi.Uint64()))
	}
	if words(to) > len(s) {
		s = value{s[0], l.signWord(s[0], from)}
	}
	return s[:words(to)]
}

// limits returns the range of an integer type.
func limits(t isa.Type) (lo, hi *big.Int) {
	one := big.NewInt(1)
	n := uint(t.Bits())
	if t.Class() == isa.Signed {
		hi = new(big.Int).Lsh(one, n-1)
		return new(big.Int).Neg(hi), new(big.Int).Sub(hi, one)
	}
	return new(big.Int), new(big.Int).Sub(new(big.Int).Lsh(one, n), one)
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

func mods(list ...op.Mod) op.Mods {
	var m op.Mods
	for _, x := range list {
		if x != op.NoMod {
			m = m.With(x)
		}
	}
	return m
}

var integrals = []wordName{{isa.WRzi, op.MTRUNC}, {isa.WRmi, op.MFLOOR}, {isa.WRpi, op.MCEIL}}

// integral returns the rounding of a conversion to integers; rni is silent.
func (l *lowerer) integral() op.Mod {
	l.knows(isa.WRni)
	return l.which(integrals)
}

// floatSrc returns argument n as the machine's conversions read a float of
// type t: a register, or a pair for f64.
func (l *lowerer) floatSrc(n int, t isa.Type) ori.Operand {
	v := l.src(n, t)
	if len(v) == 2 {
		return whole(l.pair(v))
	}
	return l.reg(v[0])
}

// cvtToInt converts a float to an integer: always saturating; a NaN gives
// zero where the machine's .NTZ says so.
func (l *lowerer) cvtToInt(to, from isa.Type) {
	l.knows(isa.WSat) // always so
	a := l.floatSrc(1, from)
	var ftz op.Mod
	if l.has(isa.WFtz) && from == isa.F32 {
		ftz = op.MFTZ
		if to.Bits() == 64 { // the wide conversion knows no .FTZ
			a, ftz = l.one(op.FMUL, op.M(op.MFTZ), a, f32(1)), op.NoMod
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
	m := mods(ftz, integer(to), src, l.integral(), ntz)
	r := l.tmp(words(to))
	l.emit(op.F2I, m, value{whole(r)}, a)
	if to.Bits() == 8 { // a NaN has a bit above the byte
		r = value{l.extend(r[0], to)}
	}
	l.spread(l.dst(0), r, to)
}

// cvtFromInt converts an integer to a float.
func (l *lowerer) cvtFromInt(to, from isa.Type) {
	l.knows(isa.WFtz) // no integer becomes a subnormal number
	var a ori.Operand
	t := from
	if words(from) == 2 {
		a = whole(l.pair(l.src(1, from)))
	} else {
		a = l.reg(l.extended(1, from)[0])
		if t = isa.U32; from.Class() == isa.Signed {
			t = isa.S32
		}
	}
	r := l.tmp(words(to))
	round := l.rounding()
	if to == isa.F32 && t.Bits() == 32 && (round == op.NoMod || round == op.MRZ) && l.arch.Has(target.IntToFloat) {
		kind := op.MU32
		if t == isa.S32 {
			kind = op.MS32
		}
		l.emit(op.I2FP, mods(op.MF32, kind, round), r, a)
	} else {
		var dst op.Mod
		if to != isa.F32 {
			dst = format(to)
		}
		l.emit(op.I2F, mods(dst, integer(t), round), value{whole(r)}, a)
	}
	if l.has(isa.WSat) {
		r = l.clampUnit(to, r)
	}
	l.spread(l.dst(0), r, to)
}

// clampUnit clamps a float to [0, 1]; a NaN becomes zero.
func (l *lowerer) clampUnit(t isa.Type, v value) value {
	switch t {
	case isa.F32:
		return value{l.one(op.FADD, op.M(op.MSAT), rz(), v[0])}
	case isa.F16:
		return value{l.one(op.HADD2, op.M(op.MSAT), asHalf(v[0], t), halfZero().Negate())}
	case isa.F64:
		zero, one := l.pair(value{rz(), rz()}), l.pair(imm(0x3ff0000000000000, 2))
		p := l.test(op.DSETP, op.M(op.MGT, op.MAND), whole(l.pair(v)), whole(zero), pt())
		v = l.sel(v, zero, p)
		p = l.test(op.DSETP, op.M(op.MLT, op.MAND), whole(v), whole(one), pt())
		return l.sel(v, one, p)
	}
	l.unsupported()
	return nil
}

// cvtSame rounds a float to an integral value, saturates or flushes it.
func (l *lowerer) cvtSame(t isa.Type) {
	a := l.floatSrc(1, t)
	var ftz op.Mod
	if l.has(isa.WFtz) {
		ftz = op.MFTZ
	}
	r := l.tmp(words(t))
	switch {
	case l.has(isa.WRni) || l.integral() != op.NoMod:
		var f op.Mod
		if t != isa.F32 {
			f = format(t)
		}
		l.emit(op.FRND, mods(ftz, f, l.integral()), value{whole(r)}, a)
		if l.has(isa.WSat) {
			r = l.clampUnit(t, r)
		}
	case t == isa.F32 && l.has(isa.WSat):
		l.emit(op.FADD, mods(ftz, op.MSAT), r, rz(), a)
	case l.has(isa.WSat):
		r = l.clampUnit(t, l.src(1, t))
	case t == isa.F32 && ftz != op.NoMod:
		l.emit(op.FADD, mods(ftz), r, a, rz().Negate())
	case t == isa.F16: // arithmetic: a NaN becomes canonical
		l.emit(op.HADD2, mods(ftz), r, asHalf(a, t), halfZero().Negate())
	case t == isa.BF16:
		l.emit(op.HFMA2, halfMods(t), r, halfZero().Negate(), halfZero(), asHalf(a, t))
	default:
		r = l.src(1, t)
	}
	l.spread(l.dst(0), r, t)
}

// cvtFloat converts between float types.
func (l *lowerer) cvtFloat(to, from isa.Type) {
	scalar := func(t isa.Type) bool { return t == isa.F16 || t == isa.BF16 || t == isa.F32 || t == isa.F64 }
	if (to == isa.F16x2 || to == isa.BF16x2) && from == isa.F32 {
		l.cvtPair(to)
		l.zeroAbove()
		return
	}
	if !scalar(to) || !scalar(from) {
		l.unsupported()
	}
	if l.has(isa.WRelu) || l.has(isa.WSatfinite) {
		m := mods(l.finite(), l.relu(), format(to), op.MF32, op.MMERGE_C, l.rounding())
		l.f2fp(m, l.dst(0)[:1], l.reg(l.src1(1, from)), rz())
		l.zeroAbove()
		return
	}
	a := l.floatSrc(1, from)
	r := l.tmp(words(to))
	round := l.rounding()
	var ftz op.Mod
	if l.has(isa.WFtz) && to != isa.F16 { // the modifier is about f32 alone
		ftz = op.MFTZ
	}
	switch {
	case from == isa.F16 && to == isa.F32:
		a.Flags |= ori.H0
		l.emit(op.HADD2, op.M(op.MF32), r, rz().Negate(), a)
	case from == isa.BF16 && to == isa.F32 && ftz == op.NoMod:
		l.emit(op.SHF, op.M(op.ML, op.MU32), r, a, ori.Imm(16), rz())
	case from == isa.F32 && to.Bits() == 16 && ftz == op.NoMod && (round == op.NoMod || round == op.MRZ) && l.arch.Has(target.PackHalves):
		l.f2fp(mods(format(to), op.MF32, op.MPACK_AB, round), r, rz(), a)
	case from == isa.F32 && to == isa.F64 && ftz != op.NoMod:
		x := l.one(op.FMUL, op.M(op.MFTZ), a, f32(1))
		l.emit(op.F2F, mods(format(to), format(from)), value{whole(r)}, x)
	case from == isa.F64 && to == isa.F32 && ftz != op.NoMod:
		l.emit(op.F2F, mods(format(to), format(from), round), r, a)
		r = value{l.flushed(a, r[0], round)}
	default:
		l.emit(op.F2F, mods(ftz, format(to), format(from), round), value{whole(r)}, a)
	}
	if l.has(isa.WSat) {
		r = l.clampUnit(to, r)
	}
	l.spread(l.dst(0), r, to)
}

// flushed returns r, an f64 rounded to f32, with a zero in place of a result
// that is subnormal before its exponent is limited: rounded to nearest, what
// lies within half a unit below 2^-126 is not.
func (l *lowerer) flushed(a, r ori.Operand, round op.Mod) ori.Operand {
	small := ori.Imm(smallest)
	var p ori.Operand
	switch round {
	case op.MRZ:
		p = l.test(op.FSETP, op.M(op.MGEU, op.MAND), absolute(r), small, pt())
	case op.NoMod:
		p = l.test(op.DSETP, op.M(op.MGEU, op.MAND), absolute(a), whole(l.pair(imm(0x380ffffff0000000, 2))), pt())
	default: // one place below, on the side that is rounded up
		hi := a
		hi.Sub, hi.N = hi.Sub+1, 1
		neg := l.cmp1(op.MLT, true, hi, rz())
		away := pick(round == op.MRM, neg, neg.Not())
		limit := l.sel(imm(0x380fffffe0000001, 2), imm(0x3810000000000000, 2), away)
		p = l.test(op.DSETP, op.M(op.MGEU, op.MAND), absolute(a), whole(limit), pt())
	}
	// the product of two tiny numbers is a zero with the right sign
	return l.sel1(r, l.one(op.FMUL, op.Mods{}, r, small), p)
}

// relu and finite return the modifiers of those names.
func (l *lowerer) relu() op.Mod {
	if l.has(isa.WRelu) {
		return op.MRELU
	}
	return op.NoMod
}

func (l *lowerer) finite() op.Mod {
	if l.has(isa.WSatfinite) {
		return op.MSATFINITE
	}
	return op.NoMod
}

// cvtPair converts two f32 values to a pair of halves: the first source is
// the high half.
func (l *lowerer) cvtPair(to isa.Type) {
	round := l.rounding()
	f := op.MF16
	if to == isa.BF16x2 {
		f = op.MBF16
	}
	if l.has(isa.WRs) { // random bits decide
		m := mods(l.finite(), l.relu(), f, op.MF32, op.MPACK_AB, op.MRS)
		l.f2fp(m, l.dst(0)[:1], l.reg(l.src1(1, isa.F32)), l.src1(2, isa.F32), l.reg(l.src1(3, isa.B32)))
		return
	}
	if round != op.NoMod && round != op.MRZ {
		l.unsupported()
	}
	m := mods(l.finite(), l.relu(), f, op.MF32, op.MPACK_AB, round)
	l.f2fp(m, l.dst(0)[:1], l.reg(l.src1(1, isa.F32)), l.src1(2, isa.F32))
}

// f2fp emits the packing conversion. Older machines have it from f32 only, and
// to f16 unless it says otherwise.
func (l *lowerer) f2fp(m op.Mods, d value, srcs ...ori.Operand) {
	if !l.arch.Has(target.PackFormats) {
		m = m.Without(op.MF32).Without(op.MF16)
	}
	l.emit(op.F2FP, m, d, srcs...)
}

// signWord returns the word above w: its sign repeated, or zero.
func (l *lowerer) signWord(w ori.Operand, t isa.Type) ori.Operand {
	if t.Class() != isa.Signed {
		return rz()
	}
	return l.one(op.SHF, op.M(op.MR, op.MS32, op.MHI), rz(), ori.Imm(31), w)
}

// pack lowers mov with a vector on one side: words and halves are put
// together or taken apart.
func (l *lowerer) pack(t isa.Type) {
	if l.args[1].Kind == isa.KVector {
		es := l.body.Of(l.args[1].Elems)
		part := t.Bits() / len(es)
		d := l.dst(0)
		var parts value
		for k := range es {
			parts = append(parts, l.read(&es[k], bitsType(part))...)
		}
		l.copy(d[:words(t)], l.joined(parts, part))
		return
	}
	es := l.body.Of(l.args[0].Elems)
	part := t.Bits() / len(es)
	s := l.src(1, t)
	for k := range es {
		if es[k].Kind == isa.KSink {
			continue
		}
		d := l.words(l.regs[es[k].Ref])
		switch part {
		case 32:
			l.copy(d[:1], s[k:k+1])
		case 64:
			l.copy(d[:2], s[2*k:2*k+2])
		case 16:
			sel := int64(0x7710)
			if k%2 == 1 {
				sel = 0x7732
			}
			l.emit(op.PRMT, op.Mods{}, d[:1], l.reg(s[k/2]), ori.Imm(sel), rz())
		case 8:
			l.emit(op.PRMT, op.Mods{}, d[:1], l.reg(s[k/4]), ori.Imm(0x7770+int64(k%4)), rz())
		default:
			l.unsupported()
		}
	}
}

// packed joins parts of 8, 16, 32 or 64 bits into words.
func (l *lowerer) packed(parts value, bits int) value {
	if bits >= 32 {
		return parts
	}
	var out value
	per := 32 / bits
	for n := 0; n < len(parts); n += per {
		w := parts[n]
		if bits == 16 {
			w = l.one(op.PRMT, op.Mods{}, l.reg(w), ori.Imm(0x5410), parts[n+1])
		} else {
			lo := l.one(op.PRMT, op.Mods{}, l.reg(w), ori.Imm(0x40), parts[n+1])
			hi := l.one(op.PRMT, op.Mods{}, l.reg(parts[n+2]), ori.Imm(0x40), parts[n+3])
			w = l.one(op.PRMT, op.Mods{}, lo, ori.Imm(0x5410), hi)
		}
		out = append(out, w)
	}
	return out
}

func bitsType(bits int) isa.Type {
	switch bits {
	case 8:
		return isa.B8
	case 16:
		return isa.B16
	case 32:
		return isa.B32
	}
	return isa.B64
}
