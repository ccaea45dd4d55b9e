package sim

import (
	"math"

	"github.com/goptxas/goptxas/internal/engine/fp"
)

// Operations on f32. A NaN result is the machine's one NaN, so the sign of a
// NaN source does not matter and the marks -x and |x| are plain bit
// operations.

// fsrc returns a source with its float marks applied.
func (w *warp) fsrc(s *opnd, k int) *[32]uint32 {
	r := w.row(s.row)
	if !s.neg && !s.abs {
		return r
	}
	t := &w.tmp[k]
	for l, v := range r {
		if s.abs {
			v &^= 1 << 31
		}
		if s.neg {
			v ^= 1 << 31
		}
		t[l] = v
	}
	return t
}

const nan32 = 0x7fffffff

// plain reports whether a result can be left to the host: round to nearest,
// subnormals kept, no clamp.
func (i *inst) plain() bool { return i.mode == fp.Mode{} && !i.has(fFMZ) }

// FADD: a+b.
func fadd(w *warp, i *inst, m uint32) {
	a, b, d := w.fsrc(&i.s[0], 0), w.fsrc(&i.s[1], 1), &w.r[i.d[0]]
	if i.plain() {
		for ; m != 0; m &= m - 1 {
			l := lane(m)
			r := math.Float32frombits(a[l]) + math.Float32frombits(b[l])
			if d[l] = math.Float32bits(r); r != r {
				d[l] = nan32
			}
		}
		return
	}
	for ; m != 0; m &= m - 1 {
		l := lane(m)
		d[l] = uint32(fp.F32.Add(uint64(a[l]), uint64(b[l]), i.mode))
	}
}

// FMUL: a·b.
func fmul(w *warp, i *inst, m uint32) {
	a, b, d := w.fsrc(&i.s[0], 0), w.fsrc(&i.s[1], 1), &w.r[i.d[0]]
	if i.plain() {
		for ; m != 0; m &= m - 1 {
			l := lane(m)
			r := math.Float32frombits(a[l]) * math.Float32frombits(b[l])
			if d[l] = math.Float32bits(r); r != r {
				d[l] = nan32
			}
		}
		return
	}
	for ; m != 0; m &= m - 1 {
		l := lane(m)
		if i.has(fFMZ) && (tiny(a[l]) || tiny(b[l])) {
			d[l] = 0
			continue
		}
		d[l] = uint32(fp.F32.Mul(uint64(a[l]), uint64(b[l]), i.mode))
	}
}

// fmulScaled is FMUL.D8 to .M8: the product times a power of two, rounded
// once. The product of two f32 is exact in f64.
func fmulScaled(w *warp, i *inst, m uint32) {
	a, b, d := w.fsrc(&i.s[0], 0), w.fsrc(&i.s[1], 1), &w.r[i.d[0]]
	flush := func(v uint32) float64 {
		if i.mode.Ftz && tiny(v) {
			v &= 1 << 31
		}
		return float64(math.Float32frombits(v))
	}
	for ; m != 0; m &= m - 1 {
		l := lane(m)
		p := math.Ldexp(flush(a[l])*flush(b[l]), int(i.rel))
		switch {
		case i.has(fFMZ) && (tiny(a[l]) || tiny(b[l])), p != p && i.mode.Sat:
			d[l] = 0
		case p != p:
			d[l] = nan32
		default:
			d[l] = uint32(fp.Convert(fp.F64, fp.F32, math.Float64bits(p), i.mode))
		}
	}
}

// tiny reports a zero or subnormal f32.
func tiny(v uint32) bool { return v&0x7f800000 == 0 }

// FFMA: a·b+c with one rounding.
func ffma(w *warp, i *inst, m uint32) {
	a, b, c, d := w.fsrc(&i.s[0], 0), w.fsrc(&i.s[1], 1), w.fsrc(&i.s[2], 2), &w.r[i.d[0]]
	if i.plain() {
		for ; m != 0; m &= m - 1 {
			l := lane(m)
			d[l] = fma32(a[l], b[l], c[l])
		}
		return
	}
	for ; m != 0; m &= m - 1 {
		l := lane(m)
		if i.has(fFMZ) && (tiny(a[l]) || tiny(b[l])) {
			d[l] = uint32(fp.F32.Add(0, uint64(c[l]), i.mode))
			continue
		}
		d[l] = uint32(fp.F32.Fma(uint64(a[l]), uint64(b[l]), uint64(c[l]), i.mode))
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
func fmnmx(w *warp, i *inst, m uint32) {
	a, b, d, p := w.fsrc(&i.s[0], 0), w.fsrc(&i.s[1], 1), &w.r[i.d[0]], w.pred(i.ps[0])
	if i.has(fXS) {
		a, b = w.row(i.s[0].row), w.row(i.s[1].row)
	}
	x := fp.Extremum{Ftz: i.mode.Ftz, NaN: i.has(fNAN), XorSign: i.has(fXS)}
	for ; m != 0; m &= m - 1 {
		l := lane(m)
		if p>>l&1 != 0 {
			d[l] = uint32(fp.F32.Min(uint64(a[l]), uint64(b[l]), x))
		} else {
			d[l] = uint32(fp.F32.Max(uint64(a[l]), uint64(b[l]), x))
		}
	}
}

// FMNMX3 is the least or greatest of three.
func fmnmx3(w *warp, i *inst, m uint32) {
	a, b, c, d, p := w.fsrc(&i.s[0], 0), w.fsrc(&i.s[1], 1), w.fsrc(&i.s[2], 2), &w.r[i.d[0]], w.pred(i.ps[0])
	x := fp.Extremum{Ftz: i.mode.Ftz, NaN: i.has(fNAN)}
	for ; m != 0; m &= m - 1 {
		l := lane(m)
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
func fsetp(w *warp, i *inst, m uint32) { w.setpBool(i, m, fcompare(w, i, m)) }

func fcompare(w *warp, i *inst, m uint32) uint32 {
	a, b := w.fsrc(&i.s[0], 0), w.fsrc(&i.s[1], 1)
	var r uint32
	if !i.mode.Ftz {
		for k := m; k != 0; k &= k - 1 {
			l := lane(k)
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
			if rel&i.cmp != 0 {
				r |= 1 << l
			}
		}
		return r
	}
	for k := m; k != 0; k &= k - 1 {
		l := lane(k)
		if frelate(fp.F32, uint64(a[l]), uint64(b[l]), true)&i.cmp != 0 {
			r |= 1 << l
		}
	}
	return r
}

func fset(w *warp, i *inst, m uint32) {
	r := combine(i.bop, fcompare(w, i, m), w.pred(i.ps[0]))
	d := &w.r[i.d[0]]
	for ; m != 0; m &= m - 1 {
		l := lane(m)
		if d[l] = 0; r>>l&1 != 0 {
			d[l] = math.Float32bits(1)
		}
	}
}

// FSEL: a where the predicate holds, else b.
func fsel(w *warp, i *inst, m uint32) {
	a, b, d, p := w.fsrc(&i.s[0], 0), w.fsrc(&i.s[1], 1), &w.r[i.d[0]], w.pred(i.ps[0])
	for ; m != 0; m &= m - 1 {
		l := lane(m)
		v := b[l]
		if p>>l&1 != 0 {
			v = a[l]
		}
		if i.mode.Ftz && tiny(v) {
			v &= 1 << 31
		}
		d[l] = v
	}
}

// FCHK: whether a/b needs the slow path. The machine's limits are not known
// to the bit; these are wider, and code must be right on both paths.
func fchk(w *warp, i *inst, m uint32) {
	a, b := w.fsrc(&i.s[0], 0), w.fsrc(&i.s[1], 1)
	var r uint32
	for k := m; k != 0; k &= k - 1 {
		l := lane(k)
		ea, eb := int(a[l]>>23&255), int(b[l]>>23&255)
		if ea < 27 || ea == 255 || eb < 3 || eb > 252 || ea-eb > 125 || eb-ea > 123 {
			r |= 1 << l
		}
	}
	w.setp(i.pd[0], m, r)
}

// MUFU: the multi-function unit.
func mufu(w *warp, i *inst, m uint32) {
	a, d := w.row(i.s[0].row), &w.r[i.d[0]]
	s := &i.s[0]
	for ; m != 0; m &= m - 1 {
		l := lane(m)
		switch {
		case i.src == fp.F64:
			v := uint64(w.mark(s, fp.F32, a[l])) << 32
			d[l] = uint32(fp.Approx64(fp.Func(i.sub), v) >> 32)
		case i.src == fp.F32:
			d[l] = fp.Mufu(fp.Func(i.sub), uint32(w.mark(s, fp.F32, a[l])))
		default:
			v := uint64(a[l]) & 0xffff
			if s.half == hHigh {
				v = uint64(a[l]) >> 16
			}
			// the upper half is zero: the reference stores the word as it is
			d[l] = uint32(fp.ApproxHalf(i.src, fp.Func(i.sub), uint64(w.mark(s, i.src, uint32(v))), i.src == fp.BF16 && fp.Func(i.sub) == fp.Ex2Fn))
		}
	}
}

// mark applies -x and |x| to a value of a format.
func (w *warp) mark(s *opnd, f fp.Format, v uint32) uint32 {
	sign := uint32(1) << (f.Width() - 1)
	if s.abs {
		v &^= sign
	}
	if s.neg {
		v ^= sign
	}
	return v
}

// FSWZADD: a lane's a and b of the quad, added with signs chosen by lane.
func fswzadd(w *warp, i *inst, m uint32) {
	a, b, d := w.row(i.s[0].row), w.row(i.s[1].row), &w.r[i.d[0]]
	for ; m != 0; m &= m - 1 {
		l := lane(m)
		x, y := a[l], b[l]
		switch i.in.Word().Field(uint(38-2*(l&3)), 2) {
		case 1:
			y ^= 1 << 31
		case 2:
			x ^= 1 << 31
		case 3:
			x = 0
		}
		d[l] = uint32(fp.F32.Add(uint64(x), uint64(y), i.mode))
	}
}
