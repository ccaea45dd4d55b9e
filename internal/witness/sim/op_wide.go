package sim

import "math/bits"

// The 64-bit integer operations of sm_120.

// wide reads a pair.
func (w *warp) wide(s *opnd, l int) uint64 {
	return uint64(w.row(s.hi)[l])<<32 | uint64(w.row(s.row)[l])
}

// IADD.64: a+b, with .X plus a carry; the predicate is the carry out.
func iadd64(w *warp, i *inst, m uint32) {
	var p, cy uint32
	if i.has(fX) {
		cy = w.pred(i.ps[0])
	}
	for k := m; k != 0; k &= k - 1 {
		l := lane(k)
		a, b, one := w.wide(&i.s[0], l), w.wide(&i.s[1], l), uint64(cy>>l&1)
		for n, v := range [2]*uint64{&a, &b} {
			switch s := &i.s[n]; {
			case s.inv:
				*v = ^*v
			case s.neg:
				*v = ^*v
				one++
			}
		}
		sum, o1 := bits.Add64(a, b, 0)
		sum, o2 := bits.Add64(sum, one, 0)
		if o1|o2 != 0 {
			p |= 1 << l
		}
		w.dput(i, l, sum)
	}
	w.setp(i.pd[0], m, p)
}

// ISETP.S64 and .U64.
func isetp64(w *warp, i *inst, m uint32) {
	var r uint32
	for k := m; k != 0; k &= k - 1 {
		l := lane(k)
		a, b := w.wide(&i.s[0], l), w.wide(&i.s[1], l)
		rel := uint8(4)
		switch {
		case a == b:
			rel = 2
		case less64(i, a, b):
			rel = 1
		}
		if rel&i.cmp != 0 {
			r |= 1 << l
		}
	}
	w.setpBool(i, m, r)
}

func less64(i *inst, a, b uint64) bool {
	if i.it.Signed {
		return int64(a) < int64(b)
	}
	return a < b
}

// IMNMX.S64 and .U64: the lesser where the predicate holds.
func imnmx64(w *warp, i *inst, m uint32) {
	p := w.pred(i.ps[0])
	for ; m != 0; m &= m - 1 {
		l := lane(m)
		a, b := w.wide(&i.s[0], l), w.wide(&i.s[1], l)
		if less64(i, a, b) != (p>>l&1 != 0) {
			a = b
		}
		w.dput(i, l, a)
	}
}

// SEL.64.
func sel64(w *warp, i *inst, m uint32) {
	p := w.pred(i.ps[0])
	for ; m != 0; m &= m - 1 {
		l := lane(m)
		v := w.wide(&i.s[1], l)
		if p>>l&1 != 0 {
			v = w.wide(&i.s[0], l)
		}
		w.dput(i, l, v)
	}
}

// UIADD3.64: the sum of three.
func uiadd64(w *warp, i *inst, m uint32) {
	for k := m; k != 0; k &= k - 1 {
		l := lane(k)
		sum := uint64(0)
		for n := range i.ns {
			v := w.wide(&i.s[n], l)
			if i.s[n].neg {
				v = -v
			}
			sum += v
		}
		w.dput(i, l, sum)
	}
}
