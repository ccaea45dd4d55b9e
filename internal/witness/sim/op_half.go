package sim

import "github.com/goptxas/goptxas/internal/engine/fp"

// Operations on pairs of f16 or bf16.

// hsrc returns the low and high value of a source, by its selector.
func (w *warp) hsrc(i *inst, s *opnd, l int) (lo, hi uint64) {
	v := uint64(w.row(s.row)[l])
	lo, hi = v&0xffff, v>>16
	switch s.half {
	case hLow:
		hi = lo
	case hHigh:
		lo = hi
	case hCross:
		lo, hi = hi, lo
	case hF32:
		lo = fp.Convert(fp.F32, i.src, v, fp.Mode{})
		hi = lo
	}
	if s.abs {
		lo, hi = lo&0x7fff, hi&0x7fff
	}
	if s.neg {
		lo, hi = lo^0x8000, hi^0x8000
	}
	if s.half == hCross {
		lo ^= 0x8000
	}
	return lo, hi
}

func pack(lo, hi uint64) uint32 { return uint32(lo&0xffff | hi<<16) }

// HADD2: a+b in each half; with .F32 the low halves are added as floats.
func hadd2(w *warp, i *inst, m uint32) {
	d := &w.r[i.d[0]]
	for ; m != 0; m &= m - 1 {
		l := lane(m)
		a0, a1 := w.hsrc(i, &i.s[0], l)
		b0, b1 := w.hsrc(i, &i.s[1], l)
		if i.has(fF32) {
			a, b := fp.Convert(i.src, fp.F32, a0, fp.Mode{}), fp.Convert(i.src, fp.F32, b0, fp.Mode{})
			d[l] = uint32(fp.F32.Add(a, b, i.mode))
			continue
		}
		d[l] = pack(i.src.Add(a0, b0, i.mode), i.src.Add(a1, b1, i.mode))
	}
}

// HMUL2: a·b.
func hmul2(w *warp, i *inst, m uint32) {
	d := &w.r[i.d[0]]
	for ; m != 0; m &= m - 1 {
		l := lane(m)
		a0, a1 := w.hsrc(i, &i.s[0], l)
		b0, b1 := w.hsrc(i, &i.s[1], l)
		d[l] = pack(hmul(i, a0, b0), hmul(i, a1, b1))
	}
}

func hmul(i *inst, a, b uint64) uint64 {
	if i.has(fFMZ) && (i.src.IsZero(i.src.Flush(a)) || i.src.IsZero(i.src.Flush(b))) {
		return 0
	}
	return i.src.Mul(a, b, i.mode)
}

// HFMA2: a·b+c with one rounding.
func hfma2(w *warp, i *inst, m uint32) {
	d := &w.r[i.d[0]]
	for ; m != 0; m &= m - 1 {
		l := lane(m)
		a0, a1 := w.hsrc(i, &i.s[0], l)
		b0, b1 := w.hsrc(i, &i.s[1], l)
		c0, c1 := w.hsrc(i, &i.s[2], l)
		d[l] = pack(hfma(i, a0, b0, c0), hfma(i, a1, b1, c1))
	}
}

func hfma(i *inst, a, b, c uint64) uint64 {
	if i.has(fFMZ) && (i.src.IsZero(i.src.Flush(a)) || i.src.IsZero(i.src.Flush(b))) {
		return i.src.Add(0, c, i.mode)
	}
	return i.src.Fma(a, b, c, i.mode)
}

// HMNMX2: the lesser or the greater of each half.
func hmnmx2(w *warp, i *inst, m uint32) {
	d, p := &w.r[i.d[0]], w.pred(i.ps[0])
	x := fp.Extremum{Ftz: i.mode.Ftz, NaN: i.has(fNAN), XorSign: i.has(fXS)}
	s0, s1 := i.s[0], i.s[1]
	if i.has(fXS) {
		s0.neg, s0.abs, s1.neg, s1.abs = false, false, false, false
	}
	for ; m != 0; m &= m - 1 {
		l := lane(m)
		a0, a1 := w.hsrc(i, &s0, l)
		b0, b1 := w.hsrc(i, &s1, l)
		if p>>l&1 != 0 {
			d[l] = pack(i.src.Min(a0, b0, x), i.src.Min(a1, b1, x))
		} else {
			d[l] = pack(i.src.Max(a0, b0, x), i.src.Max(a1, b1, x))
		}
	}
}

// hcompare returns the comparison of the low and of the high halves.
func hcompare(w *warp, i *inst, m uint32) (lo, hi uint32) {
	for ; m != 0; m &= m - 1 {
		l := lane(m)
		a0, a1 := w.hsrc(i, &i.s[0], l)
		b0, b1 := w.hsrc(i, &i.s[1], l)
		if frelate(i.src, a0, b0, i.mode.Ftz)&i.cmp != 0 {
			lo |= 1 << l
		}
		if frelate(i.src, a1, b1, i.mode.Ftz)&i.cmp != 0 {
			hi |= 1 << l
		}
	}
	return lo, hi
}

// HSETP2: one predicate for each half; with .H_AND both together and the
// negation.
func hsetp2(w *warp, i *inst, m uint32) {
	lo, hi := hcompare(w, i, m)
	if i.has(fHAND) {
		w.setpBool(i, m, lo&hi)
		return
	}
	acc := w.pred(i.ps[0])
	w.setp(i.pd[0], m, combine(i.bop, lo, acc))
	w.setp(i.pd[1], m, combine(i.bop, hi, acc))
}

// HSET2: all ones, or one with .BF, in each half.
func hset2(w *warp, i *inst, m uint32) {
	lo, hi := hcompare(w, i, m)
	acc := w.pred(i.ps[0])
	lo, hi = combine(i.bop, lo, acc), combine(i.bop, hi, acc)
	yes := uint64(0xffff)
	if i.has(fBF) {
		yes = i.src.One()
	}
	d := &w.r[i.d[0]]
	for ; m != 0; m &= m - 1 {
		l := lane(m)
		d[l] = pack(yes*uint64(lo>>l&1), yes*uint64(hi>>l&1))
	}
}
