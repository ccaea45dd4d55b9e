package arith

import (
	"github.com/goptxas/goptxas/internal/engine/fp"
	"github.com/goptxas/goptxas/internal/witness/sim/code"
	"github.com/goptxas/goptxas/internal/witness/sim/machine"
)

// Operations on pairs of f16 or bf16.

// hsrc returns the low and high value of a source, by its selector.
func hsrc(w *machine.Warp, i *machine.Inst, s *code.Operand, l int) (lo, hi uint64) {
	v := uint64(w.Row(s.Row)[l])
	lo, hi = v&0xffff, v>>16
	switch s.Half {
	case code.HalfLow:
		hi = lo
	case code.HalfHigh:
		lo = hi
	case code.HalfCross:
		lo, hi = hi, lo
	case code.HalfF32:
		lo = fp.Convert(fp.F32, i.Src, v, fp.Mode{})
		hi = lo
	}
	if s.Abs {
		lo, hi = lo&0x7fff, hi&0x7fff
	}
	if s.Neg {
		lo, hi = lo^0x8000, hi^0x8000
	}
	if s.Half == code.HalfCross {
		lo ^= 0x8000
	}
	return lo, hi
}

// Pack puts two halves into a word.
func Pack(lo, hi uint64) uint32 { return uint32(lo&0xffff | hi<<16) }

// HADD2: a+b in each half; with .F32 the low halves are added as floats.
func Hadd2(w *machine.Warp, i *machine.Inst, m uint32) {
	d := &w.R[i.D[0]]
	for ; m != 0; m &= m - 1 {
		l := machine.Lane(m)
		a0, a1 := hsrc(w, i, &i.S[0], l)
		b0, b1 := hsrc(w, i, &i.S[1], l)
		if i.Has(code.FlagF32) {
			a, b := fp.Convert(i.Src, fp.F32, a0, fp.Mode{}), fp.Convert(i.Src, fp.F32, b0, fp.Mode{})
			d[l] = uint32(fp.F32.Add(a, b, i.Mode))
			continue
		}
		d[l] = Pack(i.Src.Add(a0, b0, i.Mode), i.Src.Add(a1, b1, i.Mode))
	}
}

// HMUL2: a·b.
func Hmul2(w *machine.Warp, i *machine.Inst, m uint32) {
	d := &w.R[i.D[0]]
	for ; m != 0; m &= m - 1 {
		l := machine.Lane(m)
		a0, a1 := hsrc(w, i, &i.S[0], l)
		b0, b1 := hsrc(w, i, &i.S[1], l)
		d[l] = Pack(hmul(i, a0, b0), hmul(i, a1, b1))
	}
}

func hmul(i *machine.Inst, a, b uint64) uint64 {
	if i.Has(code.FlagFMZ) && (i.Src.IsZero(i.Src.Flush(a)) || i.Src.IsZero(i.Src.Flush(b))) {
		return 0
	}
	return i.Src.Mul(a, b, i.Mode)
}

// HFMA2: a·b+c with one rounding.
func Hfma2(w *machine.Warp, i *machine.Inst, m uint32) {
	d := &w.R[i.D[0]]
	for ; m != 0; m &= m - 1 {
		l := machine.Lane(m)
		a0, a1 := hsrc(w, i, &i.S[0], l)
		b0, b1 := hsrc(w, i, &i.S[1], l)
		c0, c1 := hsrc(w, i, &i.S[2], l)
		d[l] = Pack(hfma(i, a0, b0, c0), hfma(i, a1, b1, c1))
	}
}

// outsideNaN is what tensor copies leave outside of a tensor, but for the sign.
const outsideNaN = 0x7ff7

// hfma2Outside is HFMA2.OOB: a factor from outside of a tensor makes the whole
// sum zero.
func hfma2Outside(w *machine.Warp, i *machine.Inst, m uint32) {
	d := &w.R[i.D[0]]
	for ; m != 0; m &= m - 1 {
		l := machine.Lane(m)
		a0, a1 := hsrc(w, i, &i.S[0], l)
		b0, b1 := hsrc(w, i, &i.S[1], l)
		c0, c1 := hsrc(w, i, &i.S[2], l)
		lo, hi := hfma(i, a0, b0, c0), hfma(i, a1, b1, c1)
		if a0&^0x8000 == outsideNaN || b0&^0x8000 == outsideNaN {
			lo = 0
		}
		if a1&^0x8000 == outsideNaN || b1&^0x8000 == outsideNaN {
			hi = 0
		}
		d[l] = Pack(lo, hi)
	}
}

func hfma(i *machine.Inst, a, b, c uint64) uint64 {
	if i.Has(code.FlagFMZ) && (i.Src.IsZero(i.Src.Flush(a)) || i.Src.IsZero(i.Src.Flush(b))) {
		return i.Src.Add(0, c, i.Mode)
	}
	return i.Src.Fma(a, b, c, i.Mode)
}

// HMNMX2: the lesser or the greater of each half.
func Hmnmx2(w *machine.Warp, i *machine.Inst, m uint32) {
	d, p := &w.R[i.D[0]], w.Pred(i.PS[0])
	x := fp.Extremum{Ftz: i.Mode.Ftz, NaN: i.Has(code.FlagNAN), XorSign: i.Has(code.FlagXS)}
	s0, s1 := i.S[0], i.S[1]
	if i.Has(code.FlagXS) {
		s0.Neg, s0.Abs, s1.Neg, s1.Abs = false, false, false, false
	}
	for ; m != 0; m &= m - 1 {
		l := machine.Lane(m)
		a0, a1 := hsrc(w, i, &s0, l)
		b0, b1 := hsrc(w, i, &s1, l)
		if p>>l&1 != 0 {
			d[l] = Pack(i.Src.Min(a0, b0, x), i.Src.Min(a1, b1, x))
		} else {
			d[l] = Pack(i.Src.Max(a0, b0, x), i.Src.Max(a1, b1, x))
		}
	}
}

// Vhmnmx is the least or greatest of three, half by half.
func Vhmnmx(w *machine.Warp, i *machine.Inst, m uint32) {
	d, p := &w.R[i.D[0]], w.Pred(i.PS[0])
	x := fp.Extremum{NaN: i.Has(code.FlagNAN)}
	for ; m != 0; m &= m - 1 {
		l := machine.Lane(m)
		pick := i.Src.Max
		if p>>l&1 != 0 {
			pick = i.Src.Min
		}
		a0, a1 := hsrc(w, i, &i.S[0], l)
		b0, b1 := hsrc(w, i, &i.S[1], l)
		c0, c1 := hsrc(w, i, &i.S[2], l)
		d[l] = Pack(pick(pick(a0, b0, x), c0, x), pick(pick(a1, b1, x), c1, x))
	}
}

// hcompare returns the comparison of the low and of the high halves.
func hcompare(w *machine.Warp, i *machine.Inst, m uint32) (lo, hi uint32) {
	for ; m != 0; m &= m - 1 {
		l := machine.Lane(m)
		a0, a1 := hsrc(w, i, &i.S[0], l)
		b0, b1 := hsrc(w, i, &i.S[1], l)
		if frelate(i.Src, a0, b0, i.Mode.Ftz)&i.Cmp != 0 {
			lo |= 1 << l
		}
		if frelate(i.Src, a1, b1, i.Mode.Ftz)&i.Cmp != 0 {
			hi |= 1 << l
		}
	}
	return lo, hi
}

// HSETP2: one predicate for each half; with .H_AND both together and the
// negation.
func Hsetp2(w *machine.Warp, i *machine.Inst, m uint32) {
	lo, hi := hcompare(w, i, m)
	if i.Has(code.FlagHAND) {
		setpBool(w, i, m, lo&hi)
		return
	}
	acc := w.Pred(i.PS[0])
	w.Setp(i.PD[0], m, combine(i.Bop, lo, acc))
	w.Setp(i.PD[1], m, combine(i.Bop, hi, acc))
}

// HSET2: all ones, or one with .BF, in each half.
func Hset2(w *machine.Warp, i *machine.Inst, m uint32) {
	lo, hi := hcompare(w, i, m)
	acc := w.Pred(i.PS[0])
	lo, hi = combine(i.Bop, lo, acc), combine(i.Bop, hi, acc)
	yes := uint64(0xffff)
	if i.Has(code.FlagBF) {
		yes = i.Src.One()
	}
	d := &w.R[i.D[0]]
	for ; m != 0; m &= m - 1 {
		l := machine.Lane(m)
		d[l] = Pack(yes*uint64(lo>>l&1), yes*uint64(hi>>l&1))
	}
}
