package arith

import (
	"math/bits"

	"github.com/goptxas/goptxas/internal/witness/sim/code"
	"github.com/goptxas/goptxas/internal/witness/sim/machine"
)

// The 64-bit integer operations of sm_120.

// wide reads a pair.
func wide(w *machine.Warp, s *code.Operand, l int) uint64 {
	return uint64(w.Row(s.Hi)[l])<<32 | uint64(w.Row(s.Row)[l])
}

// IADD.64: a+b, with .X plus a carry; the predicate is the carry out.
func iadd64(w *machine.Warp, i *machine.Inst, m uint32) {
	var p, cy uint32
	if i.Has(code.FlagX) {
		cy = w.Pred(i.PS[0])
	}
	for k := m; k != 0; k &= k - 1 {
		l := machine.Lane(k)
		a, b, one := wide(w, &i.S[0], l), wide(w, &i.S[1], l), uint64(cy>>l&1)
		for n, v := range [2]*uint64{&a, &b} {
			switch s := &i.S[n]; {
			case s.Inv:
				*v = ^*v
			case s.Neg:
				*v = ^*v
				one++
			}
		}
		sum, o1 := bits.Add64(a, b, 0)
		sum, o2 := bits.Add64(sum, one, 0)
		if o1|o2 != 0 {
			p |= 1 << l
		}
		w.Dput(i, l, sum)
	}
	w.Setp(i.PD[0], m, p)
}

// ISETP.S64 and .U64.
func isetp64(w *machine.Warp, i *machine.Inst, m uint32) {
	var r uint32
	for k := m; k != 0; k &= k - 1 {
		l := machine.Lane(k)
		a, b := wide(w, &i.S[0], l), wide(w, &i.S[1], l)
		rel := uint8(4)
		switch {
		case a == b:
			rel = 2
		case less64(i, a, b):
			rel = 1
		}
		if rel&i.Cmp != 0 {
			r |= 1 << l
		}
	}
	setpBool(w, i, m, r)
}

func less64(i *machine.Inst, a, b uint64) bool {
	if i.It.Signed {
		return int64(a) < int64(b)
	}
	return a < b
}

// IMNMX.S64 and .U64: the lesser where the predicate holds.
func imnmx64(w *machine.Warp, i *machine.Inst, m uint32) {
	p := w.Pred(i.PS[0])
	for ; m != 0; m &= m - 1 {
		l := machine.Lane(m)
		a, b := wide(w, &i.S[0], l), wide(w, &i.S[1], l)
		if less64(i, a, b) != (p>>l&1 != 0) {
			a = b
		}
		w.Dput(i, l, a)
	}
}

// SEL.64.
func sel64(w *machine.Warp, i *machine.Inst, m uint32) {
	p := w.Pred(i.PS[0])
	for ; m != 0; m &= m - 1 {
		l := machine.Lane(m)
		v := wide(w, &i.S[1], l)
		if p>>l&1 != 0 {
			v = wide(w, &i.S[0], l)
		}
		w.Dput(i, l, v)
	}
}

// UIADD3.64: the sum of three.
func uiadd64(w *machine.Warp, i *machine.Inst, m uint32) {
	for k := m; k != 0; k &= k - 1 {
		l := machine.Lane(k)
		sum := uint64(0)
		for n := range i.NS {
			v := wide(w, &i.S[n], l)
			if i.S[n].Neg {
				v = -v
			}
			sum += v
		}
		w.Dput(i, l, sum)
	}
}
