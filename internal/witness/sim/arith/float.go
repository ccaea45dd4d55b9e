package arith

import (
	"math"

	"github.com/goptxas/goptxas/internal/engine/fp"
	"github.com/goptxas/goptxas/internal/witness/sim/code"
	"github.com/goptxas/goptxas/internal/witness/sim/machine"
)

// Operations on f32. A NaN result is the machine's one NaN, so the sign of a
// NaN source does not matter and the marks -x and |x| are plain bit
// operations.

// fsrc returns a source with its float marks applied.
func fsrc(w *machine.Warp, s *code.Operand, k int) *[32]uint32 {
	r := w.Row(s.Row)
	if !s.Neg && !s.Abs {
		return r
	}
	t := &w.Tmp[k]
	for l, v := range r {
		if s.Abs {
			v &^= 1 << 31
		}
		if s.Neg {
			v ^= 1 << 31
		}
		t[l] = v
	}
	return t
}

const nan32 = 0x7fffffff

// plain reports whether a result can be left to the host: round to nearest,
// subnormals kept, no clamp.
func plain(i *machine.Inst) bool { return i.Mode == fp.Mode{} && !i.Has(code.FlagFMZ) }

// FADD: a+b.
func Fadd(w *machine.Warp, i *machine.Inst, m uint32) {
	a, b, d := fsrc(w, &i.S[0], 0), fsrc(w, &i.S[1], 1), &w.R[i.D[0]]
	if plain(i) {
		for ; m != 0; m &= m - 1 {
			l := machine.Lane(m)
			r := math.Float32frombits(a[l]) + math.Float32frombits(b[l])
			if d[l] = math.Float32bits(r); r != r {
				d[l] = nan32
			}
		}
		return
	}
	for ; m != 0; m &= m - 1 {
		l := machine.Lane(m)
		d[l] = uint32(fp.F32.Add(uint64(a[l]), uint64(b[l]), i.Mode))
	}
}

// FMUL: a·b.
func Fmul(w *machine.Warp, i *machine.Inst, m uint32) {
	a, b, d := fsrc(w, &i.S[0], 0), fsrc(w, &i.S[1], 1), &w.R[i.D[0]]
	if plain(i) {
		for ; m != 0; m &= m - 1 {
			l := machine.Lane(m)
			r := math.Float32frombits(a[l]) * math.Float32frombits(b[l])
			if d[l] = math.Float32bits(r); r != r {
				d[l] = nan32
			}
		}
		return
	}
	for ; m != 0; m &= m - 1 {
		l := machine.Lane(m)
		if i.Has(code.FlagFMZ) && (tiny(a[l]) || tiny(b[l])) {
			d[l] = 0
			continue
		}
		d[l] = uint32(fp.F32.Mul(uint64(a[l]), uint64(b[l]), i.Mode))
	}
}

// fmulScaled is FMUL.D8 to .M8: the product times a power of two, rounded
// once. The product of two f32 is exact in f64.
func fmulScaled(w *machine.Warp, i *machine.Inst, m uint32) {
	a, b, d := fsrc(w, &i.S[0], 0), fsrc(w, &i.S[1], 1), &w.R[i.D[0]]
	flush := func(v uint32) float64 {
		if i.Mode.Ftz && tiny(v) {
			v &= 1 << 31
		}
		return float64(math.Float32frombits(v))
	}
	for ; m != 0; m &= m - 1 {
		l := machine.Lane(m)
		p := math.Ldexp(flush(a[l])*flush(b[l]), int(i.Rel))
		switch {
		case i.Has(code.FlagFMZ) && (tiny(a[l]) || tiny(b[l])), p != p && i.Mode.Sat:
			d[l] = 0
		case p != p:
			d[l] = nan32
		default:
			d[l] = uint32(fp.Convert(fp.F64, fp.F32, math.Float64bits(p), i.Mode))
		}
	}
}

// tiny reports a zero or subnormal f32.
func tiny(v uint32) bool { return v&0x7f800000 == 0 }

// FFMA: a·b+c with one rounding.
func Ffma(w *machine.Warp, i *machine.Inst, m uint32) {
	a, b, c, d := fsrc(w, &i.S[0], 0), fsrc(w, &i.S[1], 1), fsrc(w, &i.S[2], 2), &w.R[i.D[0]]
	if plain(i) {
		for ; m != 0; m &= m - 1 {
			l := machine.Lane(m)
			d[l] = fma32(a[l], b[l], c[l])
		}
		return
	}
	for ; m != 0; m &= m - 1 {
		l := machine.Lane(m)
		if i.Has(code.FlagFMZ) && (tiny(a[l]) || tiny(b[l])) {
			d[l] = uint32(fp.F32.Add(0, uint64(c[l]), i.Mode))
			continue
		}
		d[l] = uint32(fp.F32.Fma(uint64(a[l]), uint64(b[l]), uint64(c[l]), i.Mode))
	}
}

// fma32 is a·b+c to nearest. The product is exact in f64 and the sum is
// rounded once to f64 and once to f32, which is right unless the first
// rounding lands on a tie of the second or near the subnormals.
func fma32(a, b, c uint32) uint32 {
	s := float64(math.Float32frombits(a))*float64(math.Float32frombits(b)) + float64(math.Float32frombits(c))
	r := float32(s)
	if v := math.Float64bits(s); v&(1<<29-1) != 1<<28 && (r > 0x1p-125 && r < math.MaxFloat32 || r < -0x1p-125 && r > -math.MaxFloat32) {
		return math.Float32bits(r)
	}
	return uint32(fp.F32.Fma(uint64(a), uint64(b), uint64(c), fp.Mode{}))
}

// FMNMX: the lesser where the predicate holds, else the greater. With
// .XORSIGN magnitudes are compared and the signs of the registers, whatever
// their marks, make the sign.
func Fmnmx(w *machine.Warp, i *machine.Inst, m uint32) {
	a, b, d, p := fsrc(w, &i.S[0], 0), fsrc(w, &i.S[1], 1), &w.R[i.D[0]], w.Pred(i.PS[0])
	if i.Has(code.FlagXS) {
		a, b = w.Row(i.S[0].Row), w.Row(i.S[1].Row)
	}
	x := fp.Extremum{Ftz: i.Mode.Ftz, NaN: i.Has(code.FlagNAN), XorSign: i.Has(code.FlagXS)}
	for ; m != 0; m &= m - 1 {
		l := machine.Lane(m)
		if p>>l&1 != 0 {
			d[l] = uint32(fp.F32.Min(uint64(a[l]), uint64(b[l]), x))
		} else {
			d[l] = uint32(fp.F32.Max(uint64(a[l]), uint64(b[l]), x))
		}
	}
}

// FMNMX3 is the least or greatest of three.
func Fmnmx3(w *machine.Warp, i *machine.Inst, m uint32) {
	a, b, c, d, p := fsrc(w, &i.S[0], 0), fsrc(w, &i.S[1], 1), fsrc(w, &i.S[2], 2), &w.R[i.D[0]], w.Pred(i.PS[0])
	x := fp.Extremum{Ftz: i.Mode.Ftz, NaN: i.Has(code.FlagNAN)}
	for ; m != 0; m &= m - 1 {
		l := machine.Lane(m)
		pick := fp.F32.Max
		if p>>l&1 != 0 {
			pick = fp.F32.Min
		}
		d[l] = uint32(pick(pick(uint64(a[l]), uint64(b[l]), x), uint64(c[l]), x))
	}
}

// frelate compares two floats of a format.
func frelate(f fp.Format, a, b uint64, ftz bool) uint8 { return uint8(f.Relate(a, b, ftz)) }

// FSETP compares into predicates, FSET into 1.0 or 0.
func Fsetp(w *machine.Warp, i *machine.Inst, m uint32) { setpBool(w, i, m, fcompare(w, i, m)) }

func fcompare(w *machine.Warp, i *machine.Inst, m uint32) uint32 {
	a, b := fsrc(w, &i.S[0], 0), fsrc(w, &i.S[1], 1)
	var r uint32
	if !i.Mode.Ftz {
		for k := m; k != 0; k &= k - 1 {
			l := machine.Lane(k)
			x, y := math.Float32frombits(a[l]), math.Float32frombits(b[l])
			rel := uint8(fp.Unordered)
			switch {
			case x < y:
				rel = uint8(fp.Less)
			case x == y:
				rel = uint8(fp.Equal)
			case x > y:
				rel = uint8(fp.Greater)
			}
			if rel&i.Cmp != 0 {
				r |= 1 << l
			}
		}
		return r
	}
	for k := m; k != 0; k &= k - 1 {
		l := machine.Lane(k)
		if frelate(fp.F32, uint64(a[l]), uint64(b[l]), true)&i.Cmp != 0 {
			r |= 1 << l
		}
	}
	return r
}

// Fset is FSET: one or all ones where a comparison holds.
func Fset(w *machine.Warp, i *machine.Inst, m uint32) {
	r := combine(i.Bop, fcompare(w, i, m), w.Pred(i.PS[0]))
	d := &w.R[i.D[0]]
	for ; m != 0; m &= m - 1 {
		l := machine.Lane(m)
		if d[l] = 0; r>>l&1 != 0 {
			d[l] = math.Float32bits(1)
		}
	}
}

// FSEL: a where the predicate holds, else b.
func Fsel(w *machine.Warp, i *machine.Inst, m uint32) {
	a, b, d, p := fsrc(w, &i.S[0], 0), fsrc(w, &i.S[1], 1), &w.R[i.D[0]], w.Pred(i.PS[0])
	for ; m != 0; m &= m - 1 {
		l := machine.Lane(m)
		v := b[l]
		if p>>l&1 != 0 {
			v = a[l]
		}
		if i.Mode.Ftz && tiny(v) {
			v &= 1 << 31
		}
		d[l] = v
	}
}

// FCHK: whether a/b needs the slow path. The machine's limits are not known
// to the bit; these are wider, and code must be right on both paths.
func Fchk(w *machine.Warp, i *machine.Inst, m uint32) {
	a, b := fsrc(w, &i.S[0], 0), fsrc(w, &i.S[1], 1)
	var r uint32
	for k := m; k != 0; k &= k - 1 {
		l := machine.Lane(k)
		ea, eb := int(a[l]>>23&255), int(b[l]>>23&255)
		if ea < 27 || ea == 255 || eb < 3 || eb > 252 || ea-eb > 125 || eb-ea > 123 {
			r |= 1 << l
		}
	}
	w.Setp(i.PD[0], m, r)
}

// MUFU: the multi-function unit.
func Mufu(w *machine.Warp, i *machine.Inst, m uint32) {
	a, d := w.Row(i.S[0].Row), &w.R[i.D[0]]
	s := &i.S[0]
	for ; m != 0; m &= m - 1 {
		l := machine.Lane(m)
		switch {
		case i.Src == fp.F64:
			v := uint64(mark(w, s, fp.F32, a[l])) << 32
			d[l] = uint32(fp.Approx64(fp.Func(i.Sub), v) >> 32)
		case i.Src == fp.F32:
			d[l] = fp.Mufu(fp.Func(i.Sub), uint32(mark(w, s, fp.F32, a[l])))
		default:
			v := a[l] & 0xffff
			if s.Half == code.HalfHigh {
				v = a[l] >> 16
			}
			// the upper half is zero: the reference stores the word as it is
			d[l] = mufuHalf(w, i, v)
		}
	}
}

// mufuPair is MUFU of both halves of a word.
func mufuPair(w *machine.Warp, i *machine.Inst, m uint32) {
	a, d := w.Row(i.S[0].Row), &w.R[i.D[0]]
	for ; m != 0; m &= m - 1 {
		l := machine.Lane(m)
		d[l] = mufuHalf(w, i, a[l]&0xffff) | mufuHalf(w, i, a[l]>>16)<<16
	}
}

// mufuHalf is a function of one half.
func mufuHalf(w *machine.Warp, i *machine.Inst, v uint32) uint32 {
	return uint32(fp.ApproxHalf(i.Src, fp.Func(i.Sub), uint64(mark(w, &i.S[0], i.Src, v)), i.Src == fp.BF16 && fp.Func(i.Sub) == fp.Ex2Fn))
}

// mark applies -x and |x| to a value of a format.
func mark(w *machine.Warp, s *code.Operand, f fp.Format, v uint32) uint32 {
	sign := uint32(1) << (f.Width() - 1)
	if s.Abs {
		v &^= sign
	}
	if s.Neg {
		v ^= sign
	}
	return v
}

// FSWZADD: a lane's a and b of the quad, added with signs chosen by lane.
func Fswzadd(w *machine.Warp, i *machine.Inst, m uint32) {
	a, b, d := w.Row(i.S[0].Row), w.Row(i.S[1].Row), &w.R[i.D[0]]
	for ; m != 0; m &= m - 1 {
		l := machine.Lane(m)
		x, y := a[l], b[l]
		switch i.In.Word().Field(uint(38-2*(l&3)), 2) {
		case 1:
			y ^= 1 << 31
		case 2:
			x ^= 1 << 31
		case 3:
			x = 0
		}
		d[l] = uint32(fp.F32.Add(uint64(x), uint64(y), i.Mode))
	}
}
