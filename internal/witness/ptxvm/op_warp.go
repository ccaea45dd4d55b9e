package ptxvm

import (
	"math/bits"

	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// gathering is an instruction that threads of a membermask do together,
// wherever in the text each of them comes to one like it. It is done for the
// lanes of one mask at a time, once all of them that still live have come.
type gathering struct {
	key  string // the instruction as it is spelled, without operands
	mask operand
	srcs []operand
	dsts []place
	do   func(w *warp, members uint32, in []column, out []column)
}

// waiting is what a lane brings to a gathering.
type waiting struct {
	at   *gathering
	mask uint32
	in   [3]uint64
}

// gather makes the current instruction a gathering.
func (d *decoder) gather(mask operand, srcs []operand, dsts []place, do func(w *warp, members uint32, in, out []column)) {
	d.ignore(isa.WSync)
	g := &gathering{key: d.in.Op.String(), mask: mask, srcs: srcs, dsts: dsts, do: do}
	for _, w := range d.body.ModsOf(d.in) {
		g.key += "." + w.String()
	}
	for _, t := range d.in.Types[:d.in.NTypes] {
		g.key += "." + t.String()
	}
	d.out.flow = g.arrive
}

func (g *gathering) arrive(w *warp, group uint32) {
	pc := w.pc
	w.move(group&^w.mask, pc+1)
	w.move(w.mask, pc)
	here := w.mask
	x := *w.col(&g.mask, 0)
	for m := here; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		w.brought[l] = waiting{at: g, mask: uint32(x[l])}
		if out := uint32(1) << l &^ uint32(x[l]); out != 0 {
			w.fail(l, "the thread is not in its own membermask %#x", uint32(x[l]))
		}
	}
	for n := range g.srcs {
		c := w.col(&g.srcs[n], 1)
		for m := here; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			w.brought[l].in[n] = c[l]
		}
	}
	w.wait(here, peers)
	for here != 0 {
		want := w.brought[bits.TrailingZeros32(here)].mask
		same := uint32(0)
		for m := w.live; m != 0; m &= m - 1 {
			if l := bits.TrailingZeros32(m); w.st[l] == peers && w.brought[l].mask == want && w.brought[l].at != nil && w.brought[l].at.key == g.key {
				same |= 1 << l
			}
		}
		here &^= same
		if want&w.live&^same == 0 {
			g.all(w, same)
		}
	}
}

// all does the instruction for its members and lets each go on where it is.
func (g *gathering) all(w *warp, members uint32) {
	in, out := make([]column, len(g.srcs)), make([]column, 2)
	for m := members; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		for n := range in {
			in[n][l] = w.brought[l].in[n]
		}
	}
	if w.cta.races != nil {
		w.cta.races.joinWarp(w.index, members)
	}
	g.do(w, members, in, out)
	for m := members; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		w.frame, w.mask = w.fr[l], 1<<l
		for n, p := range w.brought[l].at.dsts {
			w.store(p, &out[n])
		}
		w.brought[l].at = nil
		w.at[l]++
	}
	w.wait(members, ready)
}

// together makes the current instruction one that all threads of a warp do
// together at one place.
func (d *decoder) together(run func(w *warp, members uint32)) {
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
		if here == 0 {
			return
		}
		if w.live&^here != 0 {
			w.wait(here, peers)
			w.move(here, pc)
			return
		}
		w.mask = here
		if w.cta.races != nil {
			w.cta.races.joinWarp(w.index, here)
		}
		run(w, here)
		w.wait(here, ready)
		w.move(here, pc+1)
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
	d.gather(d.src(4, isa.B32), []operand{a, b, c}, []place{p, q}, func(w *warp, members uint32, in, out []column) {
		x, y, z := &in[0], &in[1], &in[2]
		for m := members; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			from, ok := shuffle(mode, l, int(y[l]&31), int(z[l]))
			if !ok {
				from = l
			}
			if members>>from&1 == 0 {
				w.fail(l, "the value of lane %d, which takes no part", from)
			}
			out[0][l], out[1][l] = x[from], truth(ok)
		}
	})
}

// vote is vote.sync.
func (d *decoder) vote() {
	p, a := d.dst(0), d.src(1, isa.Pred)
	ballot, all, any, uni := d.has(isa.WBallot), d.has(isa.WAll), d.has(isa.WAny), d.has(isa.WUni)
	if !d.has(isa.WSync) {
		d.unknown()
	}
	d.gather(d.src(2, isa.B32), []operand{a}, []place{p}, func(_ *warp, members uint32, in, out []column) {
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
			v = truth(set == members)
		case any:
			v = truth(set != 0)
		case uni:
			v = truth(set == 0 || set == members)
		}
		fill(&out[0], v)
	})
}

// fill gives every lane one value.
func fill(r *column, v uint64) {
	for l := range r {
		r[l] = v
	}
}

// match is match.sync: lanes with the same value.
func (d *decoder) match() {
	t := d.typ(0)
	p, q, a := d.dst(0), d.pair(0), d.src(1, t)
	all := d.has(isa.WAll)
	d.ignore(isa.WAny)
	d.gather(d.src(2, isa.B32), []operand{a}, []place{p, q}, func(_ *warp, members uint32, in, out []column) {
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
			out[0][l], out[1][l] = uint64(same), truth(same != 0)
		}
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
	d.gather(d.src(2, isa.B32), []operand{a}, []place{p}, func(_ *warp, members uint32, in, out []column) {
		x := &in[0]
		first := bits.TrailingZeros32(members)
		v := x[first]
		m := members & (members - 1)
		if isFloat(t) { // one value alone is made positive, or a NaN of the machine's
			m = members
		}
		for ; m != 0; m &= m - 1 {
			v = f(v, x[bits.TrailingZeros32(m)]) & low(32)
		}
		fill(&out[0], v)
	})
}

// elect chooses the first lane.
func (d *decoder) elect() {
	p, q := d.dst(0), d.pair(0)
	d.gather(d.src(1, isa.B32), nil, []place{p, q}, func(_ *warp, members uint32, _, out []column) {
		first := bits.TrailingZeros32(members)
		fill(&out[0], uint64(first))
		out[1][first] = 1
	})
}

// activemask is the lanes that run together now.
func (d *decoder) activemask() {
	p := d.dst(0)
	d.out.run = func(w *warp) {
		var r column
		fill(&r, uint64(w.mask))
		w.store(p, &r)
	}
}
