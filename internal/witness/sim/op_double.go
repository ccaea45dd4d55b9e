package sim

import "github.com/goptxas/goptxas/internal/engine/fp"

// Operations on f64. A NaN keeps its sign and payload, so the marks act on
// numbers only.

func (w *warp) dsrc(s *opnd, l int) uint64 {
	v := uint64(w.row(s.hi)[l])<<32 | uint64(w.row(s.row)[l])
	if !s.neg && !s.abs || fp.F64.IsNaN(v) {
		return v
	}
	if s.abs {
		v &^= 1 << 63
	}
	if s.neg {
		v ^= 1 << 63
	}
	return v
}

// doubleImm makes the 32 bits of an immediate the high word.
func doubleImm(i *inst, _ []string) error {
	for n := range i.s[:i.ns] {
		if s := &i.s[n]; s.isImm {
			s.row, s.hi = rowZero, s.row
		}
	}
	return nil
}

func (w *warp) dput(i *inst, l int, v uint64) {
	w.r[i.d[0]][l], w.r[nextRow(i.d[0])][l] = uint32(v), uint32(v>>32)
}

// DADD, DMUL and DFMA.
func dadd(w *warp, i *inst, m uint32) {
	for ; m != 0; m &= m - 1 {
		l := lane(m)
		w.dput(i, l, fp.F64.Add(w.dsrc(&i.s[0], l), w.dsrc(&i.s[1], l), i.mode))
	}
}

func dmul(w *warp, i *inst, m uint32) {
	for ; m != 0; m &= m - 1 {
		l := lane(m)
		w.dput(i, l, fp.F64.Mul(w.dsrc(&i.s[0], l), w.dsrc(&i.s[1], l), i.mode))
	}
}

func dfma(w *warp, i *inst, m uint32) {
	for ; m != 0; m &= m - 1 {
		l := lane(m)
		w.dput(i, l, fp.F64.Fma(w.dsrc(&i.s[0], l), w.dsrc(&i.s[1], l), w.dsrc(&i.s[2], l), i.mode))
	}
}

// DSETP compares. .MIN and .MAX say in the first predicate whether a is the
// result and in the second whether b is and must be made quiet.
func dsetp(w *warp, i *inst, m uint32) {
	var r, q uint32
	for k := m; k != 0; k &= k - 1 {
		l := lane(k)
		a, b := w.dsrc(&i.s[0], l), w.dsrc(&i.s[1], l)
		if i.sub != 0 {
			first, quiet := choose(a, b, i.sub == 1)
			r |= first << l
			q |= quiet << l
			continue
		}
		if frelate(fp.F64, a, b, false)&i.cmp != 0 {
			r |= 1 << l
		}
	}
	if i.sub != 0 {
		acc := w.pred(i.ps[0])
		w.setp(i.pd[0], m, combine(i.bop, r, acc))
		w.setp(i.pd[1], m, combine(i.bop, q, acc))
		return
	}
	w.setpBool(i, m, r)
}

func choose(a, b uint64, least bool) (first, quiet uint32) {
	na, nb := fp.F64.IsNaN(a), fp.F64.IsNaN(b)
	switch {
	case na && nb:
		return 0, 1
	case na:
		return 0, 0
	case nb:
		return 1, 0
	}
	// order by sign and magnitude, so that -0 comes before +0
	key := func(v uint64) uint64 {
		if v>>63 != 0 {
			return ^v
		}
		return v | 1<<63
	}
	if (key(a) <= key(b)) == least {
		return 1, 0
	}
	return 0, 0
}
