package machine

import (
	"math"
	"math/bits"

	"github.com/goptxas/goptxas/internal/engine/fp"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
)

// opKind is how an operand gets its value.
type opKind uint8

const (
	opConst opKind = iota
	opReg
	opSpecial
	opLocal  // an address in the frame
	opShared // an address in the block
)

// Operand is something to read.
type Operand struct {
	kind opKind
	not  bool
	slot int32
	mask uint64 // bits of the register that count
	off  uint64 // of an address in the frame
	add  uint64 // to the register
	wrap uint64 // bits of the sum that count
	val  *Column
	sreg isa.SpecialReg
	comp uint8
}

// Constant is an operand with one value in all lanes.
func Constant(v uint64) Operand {
	c := new(Column)
	for l := range c {
		c[l] = v
	}
	return Operand{val: c}
}

// Low is a mask of the low n bits.
func Low(n int) uint64 {
	if n >= 64 {
		return ^uint64(0)
	}
	return 1<<n - 1
}

// Src decodes argument n read as type t.
func (d *Decoder) Src(n int, t isa.Type) Operand {
	if n >= len(d.Args) {
		d.fail("an operand is missing")
	}
	return d.Read(&d.Args[n], t)
}

// Read decodes an operand read as type t.
func (d *Decoder) Read(a *sema.Operand, t isa.Type) Operand {
	width := widthOf(t)
	switch a.Kind {
	case isa.KReg:
		if a.Flags&sema.Neg != 0 {
			d.fail("a negated operand")
		}
		o := Operand{kind: opReg, slot: d.f.slots[a.Ref], mask: ^uint64(0), not: a.Flags&sema.Not != 0}
		if widthOf(d.Body.Regs[a.Ref].Type) > width {
			o.mask = Low(width)
		}
		if a.Value != 0 && a.Sel == isa.WNone && a.Flags&sema.Selected == 0 {
			d.sum(&o, a)
		}
		return o
	case isa.KVector:
		if e := d.Body.Of(a.Elems); len(e) == 1 {
			return d.Read(&e[0], t)
		}
	case isa.KInt:
		v := a.Value & Low(width)
		if t == isa.Pred && a.Value != 0 {
			v = 1
		}
		if a.Flags&sema.Not != 0 {
			v ^= 1
		}
		return Constant(v)
	case isa.KSingle:
		if width == 64 {
			return Constant(fp.Convert(fp.F32, fp.F64, a.Value, fp.Mode{}))
		}
		return Constant(a.Value)
	case isa.KDouble:
		return Constant(double(a.Value, t))
	case isa.KSpecial:
		return Operand{kind: opSpecial, sreg: isa.SpecialReg(a.Ref), comp: a.Comp, mask: Low(width)}
	case isa.KSymbol:
		return d.symbol(a)
	case isa.KFunc:
		return Constant(funcAddress(a.Ref))
	}
	d.fail("an operand without a value")
	return Operand{}
}

// sum makes o a register plus a constant, which is a sum of integers as wide
// as the register.
func (d *Decoder) sum(o *Operand, a *sema.Operand) {
	t := d.Body.Regs[a.Ref].Type
	if t == isa.Pred || t.Class() == isa.Float || t.Bits() > 64 {
		d.fail("a constant is added to a register that holds no integer")
	}
	o.add, o.wrap = a.Value, Low(widthOf(t))
}

// double makes a constant of type t from a float64.
func double(v uint64, t isa.Type) uint64 {
	f := math.Float64frombits(v)
	switch {
	case t.Bits() == 32:
		if f != f {
			return fp.F32.NaN()
		}
		return uint64(math.Float32bits(float32(f)))
	case t == isa.F16:
		return fp.Convert(fp.F64, fp.F16, v, fp.Mode{})
	case t == isa.BF16:
		return fp.Convert(fp.F64, fp.BF16, v, fp.Mode{})
	}
	return v
}

// symbol decodes the address of a variable in its space.
func (d *Decoder) symbol(a *sema.Operand) Operand {
	if n := a.Formal(); n >= 0 {
		at := uint64(d.f.formal[n]) + a.Value
		if d.f.def.Entry {
			return Constant(at)
		}
		return Operand{kind: opLocal, off: LocalWindow + at}
	}
	if n := a.Local(); n >= 0 {
		at := uint64(d.f.vars[n]) + a.Value
		switch d.Body.Vars[n].Space.Base() {
		case isa.SpaceLocal:
			return Operand{kind: opLocal, off: at}
		case isa.SpaceParam:
			return Operand{kind: opLocal, off: LocalWindow + at}
		case isa.SpaceShared:
			return Operand{kind: opShared, off: at}
		}
		return Constant(at)
	}
	at := d.f.p.address(a.Ref, false) + a.Value
	if s := &d.f.p.m.Syms[a.Ref]; s.Func < 0 && d.f.p.m.Vars[s.Var].Space.Base() == isa.SpaceShared {
		return Operand{kind: opShared, off: at}
	}
	return Constant(at)
}

// Addr decodes argument n, an address.
func (d *Decoder) Addr(n int) func(w *Warp, k int) *Column {
	if n >= len(d.Args) {
		d.fail("an operand is missing")
	}
	a := &d.Args[n]
	if a.Kind == isa.KReg || a.Kind == isa.KSymbol {
		o := d.Read(a, isa.B64)
		return func(w *Warp, k int) *Column { return w.Col(&o, k) }
	}
	if a.Kind != isa.KAddr || a.Elems.Len > 0 {
		d.Unknown()
	}
	var base Operand
	off, wrap := uint64(0), ^uint64(0)
	switch a.Base {
	case isa.KReg:
		base = Operand{kind: opReg, slot: d.f.slots[a.Ref], mask: ^uint64(0)}
		off = a.Value
		if widthOf(d.Body.Regs[a.Ref].Type) == 32 {
			wrap = Low(32)
		}
	case isa.KSymbol:
		base = d.symbol(a)
	case isa.KInt:
		base = Constant(a.Value)
	default:
		d.Unknown()
	}
	if a.Index >= 0 {
		idx := Operand{kind: opReg, slot: d.f.slots[a.Index], mask: ^uint64(0)}
		return func(w *Warp, k int) *Column {
			b, i, r := w.Col(&base, k), w.Col(&idx, k), &w.scratch[k]
			for m := w.Mask; m != 0; m &= m - 1 {
				l := bits.TrailingZeros32(m)
				r[l] = b[l] + i[l]
			}
			return r
		}
	}
	if off == 0 {
		return func(w *Warp, k int) *Column { return w.Col(&base, k) }
	}
	return func(w *Warp, k int) *Column {
		b, r := w.Col(&base, k), &w.scratch[k]
		for m := w.Mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			r[l] = (b[l] + off) & wrap
		}
		return r
	}
}

// Col returns the values of an operand in the lanes of w.Mask. k is a scratch
// column that may hold them; no two operands of an instruction share one.
func (w *Warp) Col(o *Operand, k int) *Column {
	r := &w.scratch[k]
	switch o.kind {
	case opConst:
		return o.val
	case opReg:
		c := &w.frame.regs[o.slot]
		if w.Mask&^w.frame.def[o.slot] != 0 {
			w.defined(o.slot, w.Mask)
		}
		if o.mask == ^uint64(0) && !o.not && o.add == 0 {
			return c
		}
		for m := w.Mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			x := c[l]
			if o.add != 0 {
				x = (x + o.add) & o.wrap
			}
			r[l] = x & o.mask
			if o.not {
				r[l] ^= 1
			}
		}
	case opSpecial:
		w.special(o.sreg, o.comp, r)
		for m := w.Mask; m != 0; m &= m - 1 {
			r[bits.TrailingZeros32(m)] &= o.mask
		}
	case opLocal:
		for m := w.Mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			r[l] = o.off + uint64(w.frame.base[l])
		}
	case opShared:
		for m := w.Mask; m != 0; m &= m - 1 {
			r[bits.TrailingZeros32(m)] = o.off + w.own()
		}
	}
	return r
}

// Place is a register to write; a sink has none.
type Place struct {
	slot int32
	Mask uint64
}

// Dst decodes argument n as a destination.
func (d *Decoder) Dst(n int) Place { return d.Target(&d.Args[n]) }

// Target decodes a destination.
func (d *Decoder) Target(a *sema.Operand) Place {
	switch a.Kind {
	case isa.KReg:
		return Place{d.f.slots[a.Ref], Low(widthOf(d.Body.Regs[a.Ref].Type))}
	case isa.KSink:
		return Place{-1, 0}
	}
	d.fail("the destination is no register")
	return Place{}
}

// Pair returns q of p|q, a sink if there is none.
func (d *Decoder) Pair(n int) Place {
	if a := &d.Args[n]; a.Pair >= 0 {
		return Place{d.f.slots[a.Pair], Low(widthOf(d.Body.Regs[a.Pair].Type))}
	}
	return Place{-1, 0}
}

// sinkColumn is the scratch column that sinks are written to.
const sinkColumn = 9

// Write returns the column of a place; its lanes of w.Mask count as written.
func (w *Warp) Write(p Place) *Column {
	if p.slot < 0 {
		return &w.scratch[sinkColumn]
	}
	w.frame.def[p.slot] |= w.Mask
	return &w.frame.regs[p.slot]
}

// Signed reports whether values of t have a sign.
func Signed(t isa.Type) bool { return t.Class() == isa.Signed }

// Sx extends the sign of the low n bits.
func Sx(v uint64, n int) int64 { return int64(v<<(64-n)) >> (64 - n) }

// Extend makes 64 bits of a value of type t.
func Extend(v uint64, t isa.Type) uint64 {
	n := t.Bits()
	if n >= 64 {
		return v
	}
	if Signed(t) {
		return uint64(Sx(v, n))
	}
	return v & Low(n)
}

// Truth is one or zero.
func Truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// Store writes a whole result.
func (w *Warp) Store(p Place, r *Column) {
	d := w.Write(p)
	for m := w.Mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		d[l] = r[l] & p.Mask
	}
}

// Elements returns the operands of argument n, a vector or one alone.
func (d *Decoder) Elements(n int) []sema.Operand {
	if a := &d.Args[n]; a.Kind == isa.KVector {
		return d.Body.Of(a.Elems)
	}
	return d.Args[n : n+1]
}

// SpaceOf is the space of a memory instruction: what it says, or that of the
// variable it names.
func (d *Decoder) SpaceOf(n int) isa.Space {
	s := d.Space(0)
	if a := &d.Args[n]; s == isa.Generic && a.Kind == isa.KAddr && a.Base == isa.KSymbol {
		return a.Space
	}
	return s
}

// Addresses evaluates an address in the last scratch column but one.
func (w *Warp) Addresses(addr func(w *Warp, k int) *Column) *Column { return addr(w, 8) }

// Wide splits an operand of 128 bits, which is a register, into its two
// halves.
func (d *Decoder) Wide(o Operand) (lo, hi Operand) {
	if o.kind != opReg {
		d.Unknown()
	}
	return Operand{kind: opReg, slot: o.slot, mask: ^uint64(0)}, Operand{kind: opReg, slot: o.slot + 1, mask: ^uint64(0)}
}

// Wide splits a place of 128 bits into its two halves.
func (p Place) Wide() (lo, hi Place) {
	if p.slot < 0 {
		return p, p
	}
	return Place{p.slot, ^uint64(0)}, Place{p.slot + 1, ^uint64(0)}
}

// Sink is a place that swallows what is written.
func Sink() Place { return Place{-1, 0} }

// Register is the whole of a register of the body.
func (d *Decoder) Register(n int32) Operand {
	return Operand{kind: opReg, slot: d.f.slots[n], mask: ^uint64(0)}
}

// Module is what the body belongs to.
func (d *Decoder) Module() *sema.Module { return d.f.p.m }

// Sm is the number of the target.
func (d *Decoder) Sm() int { return d.f.p.m.Opts.Arch.SM }

// Cancels says that blocks of the program take others over.
func (d *Decoder) Cancels() { d.f.p.cancels = true }
