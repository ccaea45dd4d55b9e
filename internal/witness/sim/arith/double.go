package arith

import (
	"github.com/goptxas/goptxas/internal/engine/fp"
	"github.com/goptxas/goptxas/internal/witness/sim/code"
	"github.com/goptxas/goptxas/internal/witness/sim/machine"
)

// Operations on f64. A NaN keeps its sign and payload, so the marks act on
// numbers only.

func dsrc(w *machine.Warp, s *code.Operand, l int) uint64 {
	v := uint64(w.Row(s.Hi)[l])<<32 | uint64(w.Row(s.Row)[l])
	if !s.Neg && !s.Abs || fp.F64.IsNaN(v) {
		return v
	}
	if s.Abs {
		v &^= 1 << 63
	}
	if s.Neg {
		v ^= 1 << 63
	}
	return v
}

// DoubleImm makes the 32 bits of an immediate the high word.
func DoubleImm(i *machine.Inst, _ []string) error {
	for n := range i.S[:i.NS] {
		if s := &i.S[n]; s.IsImm {
			s.Row, s.Hi = code.RowZero, s.Row
		}
	}
	return nil
}

// DADD, DMUL and DFMA.
func Dadd(w *machine.Warp, i *machine.Inst, m uint32) {
	for ; m != 0; m &= m - 1 {
		l := machine.Lane(m)
		w.Dput(i, l, fp.F64.Add(dsrc(w, &i.S[0], l), dsrc(w, &i.S[1], l), i.Mode))
	}
}

// Dmul is DMUL.
func Dmul(w *machine.Warp, i *machine.Inst, m uint32) {
	for ; m != 0; m &= m - 1 {
		l := machine.Lane(m)
		w.Dput(i, l, fp.F64.Mul(dsrc(w, &i.S[0], l), dsrc(w, &i.S[1], l), i.Mode))
	}
}

// Dfma is DFMA.
func Dfma(w *machine.Warp, i *machine.Inst, m uint32) {
	for ; m != 0; m &= m - 1 {
		l := machine.Lane(m)
		w.Dput(i, l, fp.F64.Fma(dsrc(w, &i.S[0], l), dsrc(w, &i.S[1], l), dsrc(w, &i.S[2], l), i.Mode))
	}
}

// DSETP compares. .MIN and .MAX say in the first predicate whether a is the
// result and in the second whether b is and must be made quiet.
func Dsetp(w *machine.Warp, i *machine.Inst, m uint32) {
	var r, q uint32
	for k := m; k != 0; k &= k - 1 {
		l := machine.Lane(k)
		a, b := dsrc(w, &i.S[0], l), dsrc(w, &i.S[1], l)
		if i.Sub != 0 {
			first, quiet := choose(a, b, i.Sub == 1)
			r |= first << l
			q |= quiet << l
			continue
		}
		if frelate(fp.F64, a, b, false)&i.Cmp != 0 {
			r |= 1 << l
		}
	}
	if i.Sub != 0 {
		acc := w.Pred(i.PS[0])
		w.Setp(i.PD[0], m, combine(i.Bop, r, acc))
		w.Setp(i.PD[1], m, combine(i.Bop, q, acc))
		return
	}
	setpBool(w, i, m, r)
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
