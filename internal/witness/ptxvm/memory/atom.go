package memory

import (
	"math/bits"

	"github.com/goptxas/goptxas/internal/engine/fp"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/witness/ptxvm/arith"
	"github.com/goptxas/goptxas/internal/witness/ptxvm/machine"
)

// update computes what an atomic operation leaves in memory.
type update func(old, b, c uint64) uint64

// Atom is atom and red: lanes in order, each at once.
func Atom(d *machine.Decoder) {
	atom(d)
	order(d)
}

// order lets an atomic operation tell others what its thread did before it, or
// hear what others told, if it says so: locks are made of these.
func order(d *machine.Decoder) {
	both := d.Has(isa.WAcqRel)
	tells, hears := both || d.Has(isa.WRelease), both || d.Has(isa.WAcquire)
	if run := d.Out.Run; tells || hears {
		var all machine.Column
		for l := range all {
			all[l] = 1
		}
		d.Out.Run = func(w *machine.Warp) {
			if tells {
				w.Published()
			}
			if run(w); hears {
				w.Observed(&all)
			}
		}
	}
}

func atom(d *machine.Decoder) {
	d.Ignore(AccessWords...)
	d.Ignore(isa.WNoftz)
	t := d.Type(0)
	first := 1
	if d.In.Op != isa.WAtom {
		first = 0
	}
	space := d.SpaceOf(first)
	addr := d.Addr(first)
	size := uint64(t.Size())
	es := d.Elements(first + 1)
	plain, flushed := Update(d, t, false), Update(d, t, true)
	if t.Bits() == 128 {
		atom128(d, space, addr, first)
		return
	}
	if mmio := d.Has(isa.WMmio); d.Has(isa.WAsync) && !mmio { // one that nobody is told of may be done at once
		redAsync(d, space, addr, t, plain)
		return
	}
	n := len(es)
	b, dst := make([]machine.Operand, n), make([]machine.Place, n)
	for k := range es {
		b[k], dst[k] = d.Read(&es[k], t), machine.Sink()
		if first == 1 {
			dst[k] = d.Target(&d.Elements(0)[k])
		}
	}
	c := machine.Constant(0)
	if d.Has(isa.WCas) {
		c = d.Src(first+2, t)
	}
	d.Out.Run = func(w *machine.Warp) {
		a := *w.Addresses(addr)
		z := w.Col(&c, 7)
		var was [8]machine.Column
		var list [machine.Lanes]uint8
		for k := range b {
			y := w.Col(&b[k], k)
			r := &was[k]
			for _, lane := range w.Order(w.Mask, &list) {
				l := int(lane)
				mem := w.AtomicBytes(space, a[l]+uint64(k)*size, l, size)
				r[l] = machine.Get(mem)
				f := plain
				if s := space.Base(); s == isa.SpaceGlobal || s == isa.Generic && a[l]/machine.WindowSize != 1 {
					f = flushed
				}
				machine.Put(mem, f(r[l], y[l], z[l]))
			}
		}
		for k := range b { // results may be sources of other elements
			w.Store(dst[k], &was[k])
		}
	}
}

// redAsync is red.async: the value is taken now, and an mbarrier is told when
// memory was changed.
func redAsync(d *machine.Decoder, space isa.Space, addr func(w *machine.Warp, k int) *machine.Column, t isa.Type, change update) {
	d.Ignore(isa.WMbarrierCompleteTxBytes)
	size := uint64(t.Size())
	b, bar := d.Src(1, t), d.Addr(2)
	d.Out.Run = func(w *machine.Warp) {
		a, y, at := *w.Addresses(addr), *w.Col(&b, 0), *bar(w, 9)
		for m := w.Mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			to, v, told := a[l], y[l], w.BarrierAt(isa.SpaceShared, at[l], l)
			w.BeginTold(told, func() {
				mem := w.AtomicBytes(space, to, l, size)
				machine.Put(mem, change(machine.Get(mem), v, 0))
				w.CompleteTx(told, size)
			})
		}
	}
}

// atom128 is exch and cas of 128 bits.
func atom128(d *machine.Decoder, space isa.Space, addr func(w *machine.Warp, k int) *machine.Column, first int) {
	cas := d.Has(isa.WCas)
	if first == 0 || !cas && !d.Has(isa.WExch) {
		d.Unknown()
	}
	p, b := d.Dst(0), d.Src(2, isa.B128)
	c := b
	if cas {
		c = d.Src(3, isa.B128)
	}
	b0, b1 := d.Wide(b)
	c0, c1 := d.Wide(c)
	p0, p1 := p.Wide()
	d.Out.Run = func(w *machine.Warp) {
		a := *w.Addresses(addr)
		x0, x1, y0, y1 := w.Col(&b0, 0), w.Col(&b1, 1), w.Col(&c0, 2), w.Col(&c1, 3)
		var was [2]machine.Column
		for m := w.Mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			mem := w.AtomicBytes(space, a[l], l, 16)
			was[0][l], was[1][l] = machine.Get(mem[:8]), machine.Get(mem[8:])
			if !cas || was[0][l] == x0[l] && was[1][l] == x1[l] {
				machine.Put(mem[:8], y0[l])
				machine.Put(mem[8:], y1[l])
			}
		}
		w.Store(p0, &was[0])
		w.Store(p1, &was[1])
	}
}

// Update reads the operation. Additions of f32 to global memory flush
// subnormal numbers.
func Update(d *machine.Decoder, t isa.Type, global bool) update {
	switch {
	case d.Has(isa.WCas):
		return func(old, b, c uint64) uint64 {
			if old == b {
				return c
			}
			return old
		}
	case d.Has(isa.WExch):
		return func(_, b, _ uint64) uint64 { return b }
	case d.Has(isa.WAnd):
		return func(old, b, _ uint64) uint64 { return old & b }
	case d.Has(isa.WOr):
		return func(old, b, _ uint64) uint64 { return old | b }
	case d.Has(isa.WXor):
		return func(old, b, _ uint64) uint64 { return old ^ b }
	case d.Has(isa.WInc):
		return func(old, b, _ uint64) uint64 {
			if old >= b {
				return 0
			}
			return old + 1
		}
	case d.Has(isa.WDec):
		return func(old, b, _ uint64) uint64 {
			if old == 0 || old > b {
				return b
			}
			return old - 1
		}
	case d.Has(isa.WAdd):
		return atomicAdd(d, t, global)
	case d.Has(isa.WMin), d.Has(isa.WMax):
		return AtomicExtremum(d, t, d.Has(isa.WMin))
	}
	d.Unknown()
	return nil
}

func atomicAdd(d *machine.Decoder, t isa.Type, global bool) update {
	if !arith.IsFloat(t) {
		return func(old, b, _ uint64) uint64 { return old + b }
	}
	f, n := arith.FormatOf(d, t)
	m := fp.Mode{Ftz: global && t == isa.F32}
	add := arith.Each2(f, n, func(a, b uint64) uint64 { return f.Add(a, b, m) })
	if t == isa.F64 && !global { // a loop whose sum keeps the NaN of the addend
		return func(old, b, _ uint64) uint64 { return add(b, old) }
	}
	return func(old, b, _ uint64) uint64 { return add(old, b) }
}

// AtomicExtremum is min or max of a type.
func AtomicExtremum(d *machine.Decoder, t isa.Type, want bool) update {
	if arith.IsFloat(t) {
		f, n := arith.FormatOf(d, t)
		op := f.Max
		if want {
			op = f.Min
		}
		g := arith.Each2(f, n, func(a, b uint64) uint64 { return op(a, b, fp.Extremum{}) })
		return func(old, b, _ uint64) uint64 { return g(old, b) }
	}
	return func(old, b, _ uint64) uint64 {
		if arith.Less(b, old, t) == want {
			return b
		}
		return old
	}
}
