package memory

import (
	"math/bits"

	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/witness/ptxvm/machine"
)

// AccessWords say how memory is accessed and change no value here, where all
// threads see one memory.
var AccessWords = []isa.Word{
	isa.WWeak, isa.WVolatile, isa.WRelaxed, isa.WAcquire, isa.WRelease, isa.WAcqRel, isa.WSc, isa.WMmio,
	isa.WCta, isa.WCluster, isa.WGpu, isa.WSys, isa.WCa, isa.WCg, isa.WCs, isa.WLu, isa.WCv, isa.WNc, isa.WWb, isa.WWt,
	isa.WL1EvictFirst, isa.WL1EvictLast, isa.WL1EvictNormal, isa.WL1EvictUnchanged, isa.WL1NoAllocate,
	isa.WL264B, isa.WL2128B, isa.WL2256B, isa.WL2CacheHint, isa.WL2EvictFirst, isa.WL2EvictLast, isa.WL2EvictNormal,
	isa.WV2, isa.WV4, isa.WV8, isa.WUnified,
}

// Ld loads.
func Ld(d *machine.Decoder) {
	d.Ignore(AccessWords...)
	t, space := d.Type(0), d.SpaceOf(1)
	addr := d.Addr(1)
	es := d.Elements(0)
	dst := make([]machine.Place, len(es))
	for k := range es {
		dst[k] = d.Target(&es[k])
	}
	size := uint64(t.Size())
	total := size * uint64(len(es))
	if t.Bits() == 128 {
		if len(es) != 1 {
			d.Unknown()
		}
		lo, hi := dst[0].Wide()
		dst = []machine.Place{lo, hi}
		size = 8
	}
	d.Out.Run = func(w *machine.Warp) {
		a := *w.Addresses(addr)
		var mem [machine.Lanes][]byte
		for m := w.Mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			mem[l] = w.Bytes(space, a[l], l, total, total, false)
		}
		for k := range dst {
			r := w.Write(dst[k])
			at := uint64(k) * size
			for m := w.Mask; m != 0; m &= m - 1 {
				l := bits.TrailingZeros32(m)
				r[l] = machine.Extend(machine.Get(mem[l][at:at+size]), t) & dst[k].Mask
			}
		}
	}
}

// St stores.
func St(d *machine.Decoder) {
	d.Ignore(AccessWords...)
	if d.Has(isa.WBulk) {
		stBulk(d)
		return
	}
	t, space := d.Type(0), d.SpaceOf(0)
	addr := d.Addr(0)
	var bar func(*machine.Warp, int) *machine.Column
	if mmio := d.Has(isa.WMmio); d.Has(isa.WAsync) && !mmio { // one that nobody is told of may be there at once
		d.Ignore(isa.WMbarrierCompleteTxBytes)
		bar = d.Addr(2)
	}
	es := d.Elements(1)
	size := uint64(t.Size())
	total := size * uint64(len(es))
	var srcs []machine.Operand
	for k := range es {
		srcs = append(srcs, d.Read(&es[k], t))
	}
	if t.Bits() == 128 {
		if len(es) != 1 {
			d.Unknown()
		}
		lo, hi := d.Wide(srcs[0])
		srcs = []machine.Operand{lo, hi}
		size = 8
	}
	d.Out.Run = func(w *machine.Warp) {
		a := w.Addresses(addr)
		var x [8]*machine.Column
		for k := range srcs {
			x[k] = w.Col(&srcs[k], k)
		}
		for m := w.Mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			if bar != nil {
				storeLater(w, space, a[l], bar(w, 9)[l], l, size, x[:len(srcs)])
				continue
			}
			b := w.Bytes(space, a[l], l, total, total, true)
			for k := range srcs {
				machine.Put(b[uint64(k)*size:uint64(k+1)*size], x[k][l])
			}
		}
	}
}

// storeLater is st.async: the values are taken now, and an mbarrier is told
// when they are there.
func storeLater(w *machine.Warp, space isa.Space, to, bar uint64, l int, size uint64, x []*machine.Column) {
	var v []byte
	for _, c := range x {
		v = append(v, make([]byte, size)...)
		machine.Put(v[uint64(len(v))-size:], c[l])
	}
	mem, n := w.BarrierAt(isa.SpaceShared, bar, l), uint64(len(v))
	w.BeginTold(mem, func() {
		copy(w.Bytes(space, to, l, n, n, true), v)
		w.CompleteTx(mem, n)
	})
}

// Cvta converts between generic addresses and those of a space.
func Cvta(d *machine.Decoder) {
	t := d.Type(0)
	win := machine.Window(d.Space(0))
	p, a := d.Dst(0), d.Src(1, t)
	if d.Has(isa.WTo) {
		d.Map1(p, a, func(a uint64) uint64 {
			if win == machine.ParamWindow && a/machine.WindowSize == 2 {
				return a
			}
			return a - win
		})
		return
	}
	d.Map1(p, a, func(a uint64) uint64 {
		if (win == machine.ParamWindow || win == machine.LocalWindow) && a/machine.WindowSize == 2 { // a function's parameter: already so
			return a
		}
		return a + win
	})
}

// Isspacep asks which space a generic address is in.
func Isspacep(d *machine.Decoder) {
	want := d.Space(0)
	p, a := d.Dst(0), d.Src(1, isa.B64)
	d.Out.Run = func(w *machine.Warp) {
		x := w.Col(&a, 0)
		r := w.Write(p)
		for m := w.Mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			s, off := machine.Resolve(x[l])
			r[l] = machine.Truth(s == want.Base() && (want != isa.SpaceSharedCTA || w.RankOf(off) == w.Rank()))
		}
	}
}

// Mapa makes the address of the same place in another block of the cluster.
func Mapa(d *machine.Decoder) {
	win := uint64(machine.SharedWindow)
	if d.Space(0) != isa.Generic {
		win = 0
	}
	a := d.Addr(1)
	p, rank := d.Dst(0), d.Src(2, isa.U32)
	d.Out.Run = func(w *machine.Warp) {
		x, y := w.Addresses(a), w.Col(&rank, 1)
		r := w.Write(p)
		for m := w.Mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			r[l] = (win + (x[l]-win)&(1<<machine.RankShift-1) + machine.Block(y[l])) & p.Mask
		}
	}
}

// Getctarank tells which block of the cluster an address is in.
func Getctarank(d *machine.Decoder) {
	win := uint64(machine.SharedWindow)
	if d.Space(0) != isa.Generic {
		win = 0
	}
	a := d.Addr(1)
	p := d.Dst(0)
	d.Out.Run = func(w *machine.Warp) {
		x := w.Addresses(a)
		r := w.Write(p)
		for m := w.Mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			r[l] = w.RankOf(x[l] - win)
		}
	}
}

// Alloca takes local memory until the function returns.
func Alloca(d *machine.Decoder) {
	p, size := d.Dst(0), d.Src(1, d.Type(0))
	align := uint64(8)
	if len(d.Args) > 2 {
		align = d.Args[2].Value
	}
	d.Out.Run = func(w *machine.Warp) {
		x := w.Col(&size, 0)
		r := w.Write(p)
		for m := w.Mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			r[l] = w.Alloca(l, x[l], align) & p.Mask
		}
	}
}

// Stacksave tells where the stack ends.
func Stacksave(d *machine.Decoder) {
	p := d.Dst(0)
	d.Out.Run = func(w *machine.Warp) {
		r := w.Write(p)
		for m := w.Mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			r[l] = w.Stack(l)
		}
	}
}

// Stackrestore gives back what was taken since.
func Stackrestore(d *machine.Decoder) {
	a := d.Src(0, d.Type(0))
	d.Out.Run = func(w *machine.Warp) {
		x := w.Col(&a, 0)
		for m := w.Mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			w.Unwind(l, x[l])
		}
	}
}

// Hint is instructions without effect on values.
func Hint(d *machine.Decoder) {
	for _, w := range d.Body.ModsOf(d.In) {
		d.Ignore(w)
	}
	d.Out.Run = func(*machine.Warp) {}
}

// Policy is createpolicy: an opaque value that changes nothing.
func Policy(d *machine.Decoder) {
	for _, w := range d.Body.ModsOf(d.In) {
		d.Ignore(w)
	}
	p := d.Dst(0)
	d.Out.Run = func(w *machine.Warp) { w.Store(p, new(machine.Column)) }
}

// stBulk fills shared memory with zeros (PTX ISA, st.bulk).
func stBulk(d *machine.Decoder) {
	addr, size := d.Addr(0), d.Src(1, isa.B64)
	space := d.SpaceOf(0)
	d.Out.Run = func(w *machine.Warp) {
		a, n := w.Addresses(addr), w.Col(&size, 1)
		for m := w.Mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			if n[l]%8 != 0 {
				w.Fail(l, "a bulk store of %d bytes", n[l])
			}
			for k := uint64(0); k < n[l]; k += 8 {
				clear(w.Bytes(space, a[l]+k, l, 8, 8, true))
			}
		}
	}
}
