package machine

import (
	"math/bits"

	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// gathering is an instruction that threads of a membermask do together,
// wherever in the text each of them comes to one like it. It is done for the
// lanes of one mask at a time, once all of them that still live have come.
type gathering struct {
	key  string // the instruction as it is spelled, without operands
	mask Operand
	srcs []Operand
	dsts []Place
	do   func(w *Warp, members uint32, in []Column, out []Column)
}

// waiting is what a lane brings to a gathering.
type waiting struct {
	at   *gathering
	mask uint32
	in   [3]uint64
}

// Gather makes the current instruction a gathering.
func (d *Decoder) Gather(mask Operand, srcs []Operand, dsts []Place, do func(w *Warp, members uint32, in, out []Column)) {
	d.Ignore(isa.WSync)
	g := &gathering{key: d.In.Op.String(), mask: mask, srcs: srcs, dsts: dsts, do: do}
	for _, w := range d.Body.ModsOf(d.In) {
		g.key += "." + w.String()
	}
	for _, t := range d.In.Types[:d.In.NTypes] {
		g.key += "." + t.String()
	}
	d.Out.Flow = g.arrive
}

func (g *gathering) arrive(w *Warp, group uint32) {
	pc := w.PC
	w.Move(group&^w.Mask, pc+1)
	w.Move(w.Mask, pc)
	here := w.Mask
	x := *w.Col(&g.mask, 0)
	for m := here; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		w.brought[l] = waiting{at: g, mask: uint32(x[l])}
		if out := uint32(1) << l &^ uint32(x[l]); out != 0 {
			w.Fail(l, "the thread is not in its own membermask %#x", uint32(x[l]))
		}
	}
	for n := range g.srcs {
		c := w.Col(&g.srcs[n], 1)
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
func (g *gathering) all(w *Warp, members uint32) {
	in, out := make([]Column, len(g.srcs)), make([]Column, 2)
	for m := members; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		for n := range in {
			in[n][l] = w.brought[l].in[n]
		}
	}
	if w.cta.races != nil {
		w.cta.races.joinWarp(w.Index, members)
	}
	g.do(w, members, in, out)
	for m := members; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		w.frame, w.Mask = w.fr[l], 1<<l
		for n, p := range w.brought[l].at.dsts {
			w.Store(p, &out[n])
		}
		w.brought[l].at = nil
		w.at[l]++
	}
	w.wait(members, ready)
}

// together makes the current instruction one that all threads of a warp do
// together at one place.
func (d *Decoder) together(run func(w *Warp, members uint32)) {
	d.Ignore(isa.WSync)
	d.Out.Flow = func(w *Warp, group uint32) {
		pc := w.PC
		w.Move(group&^w.Mask, pc+1)
		here := w.Mask
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
			w.Move(here, pc)
			return
		}
		w.Mask = here
		if w.cta.races != nil {
			w.cta.races.joinWarp(w.Index, here)
		}
		run(w, here)
		w.wait(here, ready)
		w.Move(here, pc+1)
	}
}

// WholeWarp makes the current instruction one of the whole warp.
func (d *Decoder) WholeWarp(run func(w *Warp)) {
	d.Ignore(isa.WAligned)
	d.together(func(w *Warp, members uint32) {
		if members != 1<<32-1 {
			w.Fail(bits.TrailingZeros32(^members), "a matrix instruction without this thread")
		}
		run(w)
	})
}
