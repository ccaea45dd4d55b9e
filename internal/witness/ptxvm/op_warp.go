package ptxvm

import (
	"math/bits"

	"goptxas/internal/ptx/isa"
)

// together makes the current instruction one that threads of a membermask do
// together. It runs for the lanes of one mask at a time, once all of them
// that still live have come.
func (d *decoder) together(mask operand, run func(w *warp, members uint32)) {
	d.ignore(isa.WSync)
	d.out.flow = func(w *warp, group uint32) {
		pc := w.pc
		w.move(group&^w.mask, pc+1)
		here := w.mask
		for m := w.live &^ group; m != 0; m &= m - 1 { // those that came before
			if l := bits.TrailingZeros32(m); w.st[l] == peers && w.fr[l] == w.frame && w.at[l] == pc {
				here |= 1 << l
			}
		}
		w.mask = here
		x := *w.col(&mask, 0)
		for here != 0 {
			l := bits.TrailingZeros32(here)
			want := uint32(x[l])
			same := uint32(0)
			for m := here; m != 0; m &= m - 1 {
				if k := bits.TrailingZeros32(m); uint32(x[k]) == want {
					same |= 1 << k
				}
			}
			here &^= same
			if out := same &^ want; out != 0 {
				w.fail(bits.TrailingZeros32(out), "the thread is not in its own membermask %#x", want)
			}
			if want&w.live&^same != 0 {
				w.wait(same, peers)
				w.move(same, pc)
				continue
			}
			w.mask = same
			if w.cta.races != nil {
				w.cta.races.joinWarp(w.index, same)
			}
			run(w, same)
			w.wait(same, ready)
			w.move(same, pc+1)
		}
	}
}

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

// shfl exchanges values between lanes.
func (d *decoder) shfl() {
	mode := isa.WIdx
	for _, w := range []isa.Word{isa.WUp, isa.WDown, isa.WBfly, isa.WIdx} {
		if d.has(w) {
			mode = w
		}
	}
	p, q := d.dst(0), d.pair(0)
	a, b, c := d.src(1, isa.B32), d.src(2, isa.B32), d.src(3, isa.B32)
	if !d.has(isa.WSync) {
		d.unknown()
	}
	d.together(d.src(4, isa.B32), func(w *warp, members uint32) {
		x, y, z := *w.col(&a, 1), w.col(&b, 2), w.col(&c, 3)
		var r, s column
		for m := members; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			from, ok := shuffle(mode, l, int(y[l]&31), int(z[l]))
			if !ok {
				from = l
			}
			if members>>from&1 == 0 {
				w.fail(l, "the value of lane %d, which takes no part", from)
			}
			r[l], s[l] = x[from], truth(ok)
		}
		w.store(p, &r)
		w.store(q, &s)
	})
}

// vote is vote.sync.
func (d *decoder) vote() {
	p, a := d.dst(0), d.src(1, isa.Pred)
	ballot, all, any, uni := d.has(isa.WBallot), d.has(isa.WAll), d.has(isa.WAny), d.has(isa.WUni)
	if !d.has(isa.WSync) {
		d.unknown()
	}
	d.together(d.src(2, isa.B32), func(w *warp, members uint32) {
		x := w.col(&a, 1)
		var set uint32
		for m := members; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			set |= uint32(x[l]) << l
		}
		v := uint64(set)
		switch {
		case ballot:
		case all:
			v = truth(set == members)
		case any:
			v = truth(set != 0)
		case uni:
			v = truth(set == 0 || set == members)
		}
		w.all(p, v)
	})
}

// all writes one value to every lane.
func (w *warp) all(p place, v uint64) {
	r := w.write(p)
	for m := w.mask; m != 0; m &= m - 1 {
		r[bits.TrailingZeros32(m)] = v & p.mask
	}
}

// match is match.sync: lanes with the same value.
func (d *decoder) match() {
	t := d.typ(0)
	p, q, a := d.dst(0), d.pair(0), d.src(1, t)
	all := d.has(isa.WAll)
	d.ignore(isa.WAny)
	d.together(d.src(2, isa.B32), func(w *warp, members uint32) {
		x := *w.col(&a, 1)
		var r, s column
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
			r[l], s[l] = uint64(same), truth(same != 0)
		}
		w.store(p, &r)
		w.store(q, &s)
	})
}

// redux is redux.sync.
func (d *decoder) redux() {
	t := d.typ(0)
	p, a := d.dst(0), d.src(1, t)
	var f func(a, b uint64) uint64
	switch {
	case isFloat(t):
		f = d.reduxFloat(t)
	case d.has(isa.WAdd):
		f = func(a, b uint64) uint64 { return a + b }
	case d.has(isa.WAnd):
		f = func(a, b uint64) uint64 { return a & b }
	case d.has(isa.WOr):
		f = func(a, b uint64) uint64 { return a | b }
	case d.has(isa.WXor):
		f = func(a, b uint64) uint64 { return a ^ b }
	case d.has(isa.WMin), d.has(isa.WMax):
		g := d.atomicExtremum(t, d.has(isa.WMin))
		f = func(a, b uint64) uint64 { return g(a, b, 0) }
	default:
		d.unknown()
	}
	d.together(d.src(2, isa.B32), func(w *warp, members uint32) {
		x := w.col(&a, 1)
		first := bits.TrailingZeros32(members)
		v := x[first]
		for m := members & (members - 1); m != 0; m &= m - 1 {
			v = f(v, x[bits.TrailingZeros32(m)]) & low(32)
		}
		w.all(p, v)
	})
}

// elect chooses the first lane.
func (d *decoder) elect() {
	p, q := d.dst(0), d.pair(0)
	d.together(d.src(1, isa.B32), func(w *warp, members uint32) {
		first := uint64(bits.TrailingZeros32(members))
		w.all(p, first)
		r := w.write(q)
		for m := members; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			r[l] = truth(uint64(l) == first)
		}
	})
}

// activemask is the lanes that run together now.
func (d *decoder) activemask() {
	p := d.dst(0)
	d.out.run = func(w *warp) { w.all(p, uint64(w.mask)) }
}
