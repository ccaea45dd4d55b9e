package warp

import (
	"math/bits"

	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/witness/ptxvm/arith"
	"github.com/goptxas/goptxas/internal/witness/ptxvm/machine"
	"github.com/goptxas/goptxas/internal/witness/ptxvm/memory"
)

// shuffles are the modes of shfl: the lane to read and whether it is valid.
func shuffle(mode isa.Word, lane, b, c int) (from int, ok bool) {
	seg := c >> 8 & 31
	top := lane&seg | c&31&^seg
	bottom := lane & seg
	switch mode {
	case isa.WUp:
		from = lane - b
		return from, from >= top
	case isa.WDown:
		from = lane + b
		return from, from <= top
	case isa.WBfly:
		from = lane ^ b
		return from, from <= top
	}
	from = bottom | b&^seg
	return from, from <= top
}

// Shfl exchanges values between lanes.
func Shfl(d *machine.Decoder) {
	mode := isa.WIdx
	for _, w := range []isa.Word{isa.WUp, isa.WDown, isa.WBfly, isa.WIdx} {
		if d.Has(w) {
			mode = w
		}
	}
	p, q := d.Dst(0), d.Pair(0)
	a, b, c := d.Src(1, isa.B32), d.Src(2, isa.B32), d.Src(3, isa.B32)
	if !d.Has(isa.WSync) {
		d.Unknown()
	}
	d.Gather(d.Src(4, isa.B32), []machine.Operand{a, b, c}, []machine.Place{p, q}, func(w *machine.Warp, members uint32, in, out []machine.Column) {
		x, y, z := &in[0], &in[1], &in[2]
		for m := members; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			from, ok := shuffle(mode, l, int(y[l]&31), int(z[l]))
			if !ok {
				from = l
			}
			if members>>from&1 == 0 {
				w.Fail(l, "the value of lane %d, which takes no part", from)
			}
			out[0][l], out[1][l] = x[from], machine.Truth(ok)
		}
	})
}

// Vote is vote.sync.
func Vote(d *machine.Decoder) {
	p, a := d.Dst(0), d.Src(1, isa.Pred)
	ballot, all, any, uni := d.Has(isa.WBallot), d.Has(isa.WAll), d.Has(isa.WAny), d.Has(isa.WUni)
	if !d.Has(isa.WSync) {
		d.Unknown()
	}
	d.Gather(d.Src(2, isa.B32), []machine.Operand{a}, []machine.Place{p}, func(_ *machine.Warp, members uint32, in, out []machine.Column) {
		x := &in[0]
		var set uint32
		for m := members; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			set |= uint32(x[l]) << l
		}
		v := uint64(set)
		switch {
		case ballot:
		case all:
			v = machine.Truth(set == members)
		case any:
			v = machine.Truth(set != 0)
		case uni:
			v = machine.Truth(set == 0 || set == members)
		}
		fill(&out[0], v)
	})
}

// fill gives every lane one value.
func fill(r *machine.Column, v uint64) {
	for l := range r {
		r[l] = v
	}
}

// Match is match.sync: lanes with the same value.
func Match(d *machine.Decoder) {
	t := d.Type(0)
	p, q, a := d.Dst(0), d.Pair(0), d.Src(1, t)
	all := d.Has(isa.WAll)
	d.Ignore(isa.WAny)
	d.Gather(d.Src(2, isa.B32), []machine.Operand{a}, []machine.Place{p, q}, func(_ *machine.Warp, members uint32, in, out []machine.Column) {
		x := &in[0]
		for m := members; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			same := uint32(0)
			for k := members; k != 0; k &= k - 1 {
				if o := bits.TrailingZeros32(k); x[o] == x[l] {
					same |= 1 << o
				}
			}
			if all && same != members {
				same = 0
			}
			out[0][l], out[1][l] = uint64(same), machine.Truth(same != 0)
		}
	})
}

// Redux is redux.sync.
func Redux(d *machine.Decoder) {
	t := d.Type(0)
	p, a := d.Dst(0), d.Src(1, t)
	var f func(a, b uint64) uint64
	switch {
	case arith.IsFloat(t):
		f = arith.ReduxFloat(d, t)
	case d.Has(isa.WAdd):
		f = func(a, b uint64) uint64 { return a + b }
	case d.Has(isa.WAnd):
		f = func(a, b uint64) uint64 { return a & b }
	case d.Has(isa.WOr):
		f = func(a, b uint64) uint64 { return a | b }
	case d.Has(isa.WXor):
		f = func(a, b uint64) uint64 { return a ^ b }
	case d.Has(isa.WMin), d.Has(isa.WMax):
		g := memory.AtomicExtremum(d, t, d.Has(isa.WMin))
		f = func(a, b uint64) uint64 { return g(a, b, 0) }
	default:
		d.Unknown()
	}
	d.Gather(d.Src(2, isa.B32), []machine.Operand{a}, []machine.Place{p}, func(_ *machine.Warp, members uint32, in, out []machine.Column) {
		x := &in[0]
		first := bits.TrailingZeros32(members)
		v := x[first]
		m := members & (members - 1)
		if arith.IsFloat(t) { // one value alone is made positive, or a NaN of the machine's
			m = members
		}
		for ; m != 0; m &= m - 1 {
			v = f(v, x[bits.TrailingZeros32(m)]) & machine.Low(32)
		}
		fill(&out[0], v)
	})
}

// Elect chooses the first lane.
func Elect(d *machine.Decoder) {
	p, q := d.Dst(0), d.Pair(0)
	d.Gather(d.Src(1, isa.B32), nil, []machine.Place{p, q}, func(_ *machine.Warp, members uint32, _, out []machine.Column) {
		first := bits.TrailingZeros32(members)
		fill(&out[0], uint64(first))
		out[1][first] = 1
	})
}

// Activemask is the lanes that run together now.
func Activemask(d *machine.Decoder) {
	p := d.Dst(0)
	d.Out.Run = func(w *machine.Warp) {
		var r machine.Column
		fill(&r, uint64(w.Mask))
		w.Store(p, &r)
	}
}
