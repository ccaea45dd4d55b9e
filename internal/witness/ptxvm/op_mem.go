package ptxvm

import (
	"math/bits"

	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
)

// memoryWords say how memory is accessed and change no value here, where all
// threads see one memory.
var memoryWords = []isa.Word{
	isa.WWeak, isa.WVolatile, isa.WRelaxed, isa.WAcquire, isa.WRelease, isa.WAcqRel, isa.WSc, isa.WMmio,
	isa.WCta, isa.WCluster, isa.WGpu, isa.WSys, isa.WCa, isa.WCg, isa.WCs, isa.WLu, isa.WCv, isa.WNc, isa.WWb, isa.WWt,
	isa.WL1EvictFirst, isa.WL1EvictLast, isa.WL1EvictNormal, isa.WL1EvictUnchanged, isa.WL1NoAllocate,
	isa.WL264B, isa.WL2128B, isa.WL2256B, isa.WL2CacheHint, isa.WL2EvictFirst, isa.WL2EvictLast, isa.WL2EvictNormal,
	isa.WV2, isa.WV4, isa.WV8, isa.WUnified,
}

// elements returns the operands of argument n, a vector or one alone.
func (d *decoder) elements(n int) []sema.Operand {
	if a := &d.args[n]; a.Kind == isa.KVector {
		return d.body.Of(a.Elems)
	}
	return d.args[n : n+1]
}

// spaceOf is the space of a memory instruction: what it says, or that of the
// variable it names.
func (d *decoder) spaceOf(n int) isa.Space {
	s := d.space(0)
	if a := &d.args[n]; s == isa.Generic && a.Kind == isa.KAddr && a.Base == isa.KSymbol {
		return a.Space
	}
	return s
}

// ld loads.
func (d *decoder) ld() {
	d.ignore(memoryWords...)
	t, space := d.typ(0), d.spaceOf(1)
	addr := d.addr(1)
	es := d.elements(0)
	dst := make([]place, len(es))
	for k := range es {
		dst[k] = d.target(&es[k])
	}
	size := uint64(t.Size())
	total := size * uint64(len(es))
	if t.Bits() == 128 {
		if len(es) != 1 {
			d.unknown()
		}
		dst = []place{{dst[0].slot, ^uint64(0)}, {dst[0].slot + 1, ^uint64(0)}}
		size = 8
	}
	d.out.run = func(w *warp) {
		a := *w.col8(addr)
		var mem [lanes][]byte
		for m := w.mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			mem[l] = w.bytes(space, a[l], l, total, total, false)
		}
		for k := range dst {
			r := w.write(dst[k])
			at := uint64(k) * size
			for m := w.mask; m != 0; m &= m - 1 {
				l := bits.TrailingZeros32(m)
				r[l] = extend(get(mem[l][at:at+size]), t) & dst[k].mask
			}
		}
	}
}

// col8 evaluates an address in the last scratch column but one.
func (w *warp) col8(addr func(w *warp, k int) *column) *column { return addr(w, 8) }

// st stores.
func (d *decoder) st() {
	d.ignore(memoryWords...)
	if d.has(isa.WBulk) {
		d.stBulk()
		return
	}
	t, space := d.typ(0), d.spaceOf(0)
	addr := d.addr(0)
	var bar func(*warp, int) *column
	if d.has(isa.WAsync) {
		d.ignore(isa.WMbarrierCompleteTxBytes)
		bar = d.addr(2)
	}
	es := d.elements(1)
	size := uint64(t.Size())
	total := size * uint64(len(es))
	var srcs []operand
	for k := range es {
		srcs = append(srcs, d.read(&es[k], t))
	}
	if t.Bits() == 128 {
		if len(es) != 1 || srcs[0].kind != opReg {
			d.unknown()
		}
		srcs = append(srcs, operand{kind: opReg, slot: srcs[0].slot + 1, mask: ^uint64(0)})
		size = 8
	}
	d.out.run = func(w *warp) {
		a := w.col8(addr)
		var x [8]*column
		for k := range srcs {
			x[k] = w.col(&srcs[k], k)
		}
		for m := w.mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			if bar != nil {
				w.storeLater(space, a[l], bar(w, 9)[l], l, size, x[:len(srcs)])
				continue
			}
			b := w.bytes(space, a[l], l, total, total, true)
			for k := range srcs {
				put(b[uint64(k)*size:uint64(k+1)*size], x[k][l])
			}
		}
	}
}

// storeLater is st.async: the values are taken now, and an mbarrier is told
// when they are there.
func (w *warp) storeLater(space isa.Space, to, bar uint64, l int, size uint64, x []*column) {
	var v []byte
	for _, c := range x {
		v = append(v, make([]byte, size)...)
		put(v[uint64(len(v))-size:], c[l])
	}
	mem, n := w.barrierAt(isa.SpaceShared, bar, l), uint64(len(v))
	w.beginTold(mem, func() {
		copy(w.bytes(space, to, l, n, n, true), v)
		w.completeTx(mem, n)
	})
}

// cvta converts between generic addresses and those of a space.
func (d *decoder) cvta() {
	t := d.typ(0)
	win := window(d.space(0))
	p, a := d.dst(0), d.src(1, t)
	if d.has(isa.WTo) {
		d.map1(p, a, func(a uint64) uint64 {
			if win == paramWindow && a/windowSize == 2 {
				return a
			}
			return a - win
		})
		return
	}
	d.map1(p, a, func(a uint64) uint64 {
		if (win == paramWindow || win == localWindow) && a/windowSize == 2 { // a function's parameter: already so
			return a
		}
		return a + win
	})
}

// isspacep asks which space a generic address is in.
func (d *decoder) isspacep() {
	want := d.space(0)
	d.map1(d.dst(0), d.src(1, isa.B64), func(a uint64) uint64 {
		s, off := resolve(a)
		if want == isa.SpaceSharedCTA && off>>rankShift != 0 {
			return 0
		}
		return truth(s == want.Base())
	})
}

// mapa makes the address of the same place in another block of the cluster.
func (d *decoder) mapa() {
	win := uint64(sharedWindow)
	if d.space(0) != isa.Generic {
		win = 0
	}
	a := d.addr(1)
	p, rank := d.dst(0), d.src(2, isa.U32)
	d.out.run = func(w *warp) {
		x, y := w.col8(a), w.col(&rank, 1)
		r := w.write(p)
		for m := w.mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			r[l] = (win + (x[l]-win)&(1<<rankShift-1) + (y[l]+1)<<rankShift) & p.mask
		}
	}
}

// getctarank tells which block of the cluster an address is in.
func (d *decoder) getctarank() {
	win := uint64(sharedWindow)
	if d.space(0) != isa.Generic {
		win = 0
	}
	a := d.addr(1)
	p := d.dst(0)
	d.out.run = func(w *warp) {
		x := w.col8(a)
		r := w.write(p)
		for m := w.mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			r[l] = uint64(w.cta.rank)
			if n := (x[l] - win) >> rankShift; n != 0 {
				r[l] = n - 1
			}
		}
	}
}

// alloca takes local memory until the function returns.
func (d *decoder) alloca() {
	p, size := d.dst(0), d.src(1, d.typ(0))
	align := uint64(8)
	if len(d.args) > 2 {
		align = d.args[2].Value
	}
	d.out.run = func(w *warp) {
		x := w.col(&size, 0)
		r := w.write(p)
		for m := w.mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			pad := uint64(alignUp(int64(w.sp[l]), int64(align))) - uint64(w.sp[l])
			n := x[l] + pad
			if n > maxLocal {
				w.fail(l, "alloca of %d bytes", x[l])
			}
			w.grow(l, uint32(n))
			r[l] = (uint64(w.sp[l]) - x[l]) & p.mask
		}
	}
}

func (d *decoder) stacksave() {
	p := d.dst(0)
	d.out.run = func(w *warp) {
		r := w.write(p)
		for m := w.mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			r[l] = uint64(w.sp[l])
		}
	}
}

func (d *decoder) stackrestore() {
	a := d.src(0, d.typ(0))
	d.out.run = func(w *warp) {
		x := w.col(&a, 0)
		for m := w.mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			if x[l] > uint64(w.sp[l]) || x[l] < uint64(w.frame.base[l]) {
				w.fail(l, "%#x is no saved stack", x[l])
			}
			w.sp[l] = uint32(x[l])
		}
	}
}

// hint is instructions without effect on values.
func (d *decoder) hint() {
	for _, w := range d.body.ModsOf(d.in) {
		d.ignore(w)
	}
	d.out.run = func(*warp) {}
}

// policy is createpolicy: an opaque value that changes nothing.
func (d *decoder) policy() {
	for _, w := range d.body.ModsOf(d.in) {
		d.ignore(w)
	}
	p := d.dst(0)
	d.out.run = func(w *warp) { w.store(p, new(column)) }
}

// stBulk fills shared memory with zeros (PTX ISA, st.bulk).
func (d *decoder) stBulk() {
	addr, size := d.addr(0), d.src(1, isa.B64)
	space := d.spaceOf(0)
	d.out.run = func(w *warp) {
		a, n := w.col8(addr), w.col(&size, 1)
		for m := w.mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			if n[l]%8 != 0 {
				w.fail(l, "a bulk store of %d bytes", n[l])
			}
			for k := uint64(0); k < n[l]; k += 8 {
				clear(w.bytes(space, a[l]+k, l, 8, 8, true))
			}
		}
	}
}
