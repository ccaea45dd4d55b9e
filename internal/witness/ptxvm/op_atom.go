package ptxvm

import (
	"math/bits"

	"github.com/goptxas/goptxas/internal/engine/fp"
	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// update computes what an atomic operation leaves in memory.
type update func(old, b, c uint64) uint64

// atom is atom and red: lanes in order, each at once.
func (d *decoder) atom() {
	d.ignore(memoryWords...)
	d.ignore(isa.WNoftz)
	t := d.typ(0)
	first := 1
	if d.in.Op == isa.WRed {
		first = 0
	}
	space := d.spaceOf(first)
	addr := d.addr(first)
	size := uint64(t.Size())
	es := d.elements(first + 1)
	plain, flushed := d.update(t, false), d.update(t, true)
	if t.Bits() == 128 {
		d.atom128(space, addr, first)
		return
	}
	if d.has(isa.WAsync) {
		d.redAsync(space, addr, t, plain)
		return
	}
	n := len(es)
	b, dst := make([]operand, n), make([]place, n)
	for k := range es {
		b[k], dst[k] = d.read(&es[k], t), place{-1, 0}
		if first == 1 {
			dst[k] = d.target(&d.elements(0)[k])
		}
	}
	c := constant(0)
	if d.has(isa.WCas) {
		c = d.src(first+2, t)
	}
	d.out.run = func(w *warp) {
		a := *w.col8(addr)
		z := w.col(&c, 7)
		var was [8]column
		var list [lanes]uint8
		for k := range b {
			y := w.col(&b[k], k)
			r := &was[k]
			for _, lane := range w.order(w.mask, &list) {
				l := int(lane)
				w.atomic = true
				mem := w.bytes(space, a[l]+uint64(k)*size, l, size, size, true)
				w.atomic = false
				r[l] = get(mem)
				f := plain
				if s := space.Base(); s == isa.SpaceGlobal || s == isa.Generic && a[l]/windowSize != 1 {
					f = flushed
				}
				put(mem, f(r[l], y[l], z[l]))
			}
		}
		for k := range b { // results may be sources of other elements
			w.store(dst[k], &was[k])
		}
	}
}

// redAsync is red.async: the value is taken now, and an mbarrier is told when
// memory was changed.
func (d *decoder) redAsync(space isa.Space, addr func(w *warp, k int) *column, t isa.Type, change update) {
	d.ignore(isa.WMbarrierCompleteTxBytes)
	size := uint64(t.Size())
	b, bar := d.src(1, t), d.addr(2)
	d.out.run = func(w *warp) {
		a, y, at := *w.col8(addr), *w.col(&b, 0), *bar(w, 9)
		for m := w.mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			to, v, told := a[l], y[l], w.barrierAt(isa.SpaceShared, at[l], l)
			w.beginTold(told, func() {
				w.atomic = true
				mem := w.bytes(space, to, l, size, size, true)
				w.atomic = false
				put(mem, change(get(mem), v, 0))
				w.completeTx(told, size)
			})
		}
	}
}

// atom128 is exch and cas of 128 bits.
func (d *decoder) atom128(space isa.Space, addr func(w *warp, k int) *column, first int) {
	cas := d.has(isa.WCas)
	if first == 0 || !cas && !d.has(isa.WExch) {
		d.unknown()
	}
	p, b := d.dst(0), d.src(2, isa.B128)
	c := b
	if cas {
		c = d.src(3, isa.B128)
	}
	if b.kind != opReg || c.kind != opReg || p.slot < 0 {
		d.unknown()
	}
	d.out.run = func(w *warp) {
		a := *w.col8(addr)
		regs := w.frame.regs
		for m := w.mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			w.atomic = true
			mem := w.bytes(space, a[l], l, 16, 16, true)
			w.atomic = false
			old := [2]uint64{get(mem[:8]), get(mem[8:])}
			if !cas || old[0] == regs[b.slot][l] && old[1] == regs[b.slot+1][l] {
				put(mem[:8], regs[c.slot][l])
				put(mem[8:], regs[c.slot+1][l])
			}
			regs[p.slot][l], regs[p.slot+1][l] = old[0], old[1]
		}
		w.frame.def[p.slot] |= w.mask
		w.frame.def[p.slot+1] |= w.mask
	}
}

// update reads the operation. Additions of f32 to global memory flush
// subnormal numbers.
func (d *decoder) update(t isa.Type, global bool) update {
	switch {
	case d.has(isa.WCas):
		return func(old, b, c uint64) uint64 {
			if old == b {
				return c
			}
			return old
		}
	case d.has(isa.WExch):
		return func(_, b, _ uint64) uint64 { return b }
	case d.has(isa.WAnd):
		return func(old, b, _ uint64) uint64 { return old & b }
	case d.has(isa.WOr):
		return func(old, b, _ uint64) uint64 { return old | b }
	case d.has(isa.WXor):
		return func(old, b, _ uint64) uint64 { return old ^ b }
	case d.has(isa.WInc):
		return func(old, b, _ uint64) uint64 {
			if old >= b {
				return 0
			}
			return old + 1
		}
	case d.has(isa.WDec):
		return func(old, b, _ uint64) uint64 {
			if old == 0 || old > b {
				return b
			}
			return old - 1
		}
	case d.has(isa.WAdd):
		return d.atomicAdd(t, global)
	case d.has(isa.WMin), d.has(isa.WMax):
		return d.atomicExtremum(t, d.has(isa.WMin))
	}
	d.unknown()
	return nil
}

func (d *decoder) atomicAdd(t isa.Type, global bool) update {
	if !isFloat(t) {
		return func(old, b, _ uint64) uint64 { return old + b }
	}
	f, n := d.formatOf(t)
	m := fp.Mode{Ftz: global && t == isa.F32}
	add := each2(f, n, func(a, b uint64) uint64 { return f.Add(a, b, m) })
	if t == isa.F64 && !global { // a loop whose sum keeps the NaN of the addend
		return func(old, b, _ uint64) uint64 { return add(b, old) }
	}
	return func(old, b, _ uint64) uint64 { return add(old, b) }
}

func (d *decoder) atomicExtremum(t isa.Type, want bool) update {
	if isFloat(t) {
		f, n := d.formatOf(t)
		op := f.Max
		if want {
			op = f.Min
		}
		g := each2(f, n, func(a, b uint64) uint64 { return op(a, b, fp.Extremum{}) })
		return func(old, b, _ uint64) uint64 { return g(old, b) }
	}
	return func(old, b, _ uint64) uint64 {
		if less(b, old, t) == want {
			return b
		}
		return old
	}
}
