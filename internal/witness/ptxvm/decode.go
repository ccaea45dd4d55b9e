package ptxvm

import (
	"math"
	"math/bits"

	"github.com/goptxas/goptxas/internal/engine/fp"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
)

// step does an instruction for the lanes of w.mask.
type step func(w *warp)

// inst is a decoded instruction: run, or flow where threads may part, wait or
// end. flow gets the whole group, also lanes whose guard fails, and must move
// every one of them.
type inst struct {
	run      step
	flow     func(w *warp, group uint32)
	guard    int32
	guardNot bool
	src      *sema.Inst
}

// decoder decodes the instructions of one body.
type decoder struct {
	f     *function
	body  *sema.Body
	in    *sema.Inst
	args  []sema.Operand
	out   *inst
	asked [isa.NumWords]bool
}

// decode fills f.code.
func (f *function) decode() (err error) {
	f.slots = make([]int32, len(f.body.Regs))
	for n := range f.body.Regs {
		f.slots[n] = f.nslots
		f.nslots++
		if widthOf(f.body.Regs[n].Type) > 64 {
			f.nslots++
		}
	}
	d := &decoder{f: f, body: f.body}
	f.code = make([]inst, len(f.body.Instrs)+1)
	defer func() {
		if r := recover(); r != nil {
			fault, ok := r.(*Fault)
			if !ok {
				panic(r)
			}
			err = fault
		}
	}()
	for n := range f.body.Instrs {
		d.inst(&f.body.Instrs[n], &f.code[n])
	}
	end := &f.code[len(f.body.Instrs)] // control that runs off the end returns
	end.guard, end.flow = -1, ret
	if f.def.Entry {
		end.flow = exit
	}
	return nil
}

func (d *decoder) inst(in *sema.Inst, out *inst) {
	d.in, d.out, d.args = in, out, d.body.Of(in.Args)
	out.src, out.guard, out.guardNot = in, -1, in.GuardNot
	if in.Guard >= 0 {
		out.guard = d.f.slots[in.Guard]
	}
	for _, w := range d.body.ModsOf(in) {
		d.asked[w] = w.IsType() || w.IsSpace()
	}
	h := meanings[in.Op]
	if h == nil {
		d.unknown()
	}
	h(d)
	for _, w := range d.body.ModsOf(in) {
		if !d.asked[w] {
			d.unknown()
		}
	}
	if out.run == nil && out.flow == nil {
		d.unknown()
	}
}

// unknown refuses an instruction that has no meaning here.
func (d *decoder) unknown() { d.fail("this instruction has no meaning in the interpreter") }

func (d *decoder) fail(what string) { panic(d.f.fault(d.in, "", what)) }

// has reports whether the instruction has a modifier. A modifier nobody asks
// about makes the instruction unknown.
func (d *decoder) has(w isa.Word) bool {
	d.asked[w] = true
	for _, x := range d.body.ModsOf(d.in) {
		if x == w {
			return true
		}
	}
	return false
}

// ignore tells that modifiers change no result.
func (d *decoder) ignore(ws ...isa.Word) {
	for _, w := range ws {
		d.asked[w] = true
	}
}

// typ returns the n-th type, TNone if there is none.
func (d *decoder) typ(n int) isa.Type {
	if n >= int(d.in.NTypes) {
		return isa.TNone
	}
	return d.in.Types[n]
}

// space returns the n-th state space; Generic if there is none.
func (d *decoder) space(n int) isa.Space {
	if n >= int(d.in.NSpaces) {
		return isa.Generic
	}
	return d.in.Spaces[n]
}

// opKind is how an operand gets its value.
type opKind uint8

const (
	opConst opKind = iota
	opReg
	opSpecial
	opLocal // an address in the frame
)

// operand is something to read.
type operand struct {
	kind opKind
	not  bool
	slot int32
	mask uint64 // bits of the register that count
	off  uint64 // of an address in the frame
	add  uint64 // to the register
	wrap uint64 // bits of the sum that count
	val  *column
	sreg isa.SpecialReg
	comp uint8
}

func constant(v uint64) operand {
	c := new(column)
	for l := range c {
		c[l] = v
	}
	return operand{val: c}
}

func low(n int) uint64 {
	if n >= 64 {
		return ^uint64(0)
	}
	return 1<<n - 1
}

// src decodes argument n read as type t.
func (d *decoder) src(n int, t isa.Type) operand {
	if n >= len(d.args) {
		d.fail("an operand is missing")
	}
	return d.read(&d.args[n], t)
}

// read decodes an operand read as type t.
func (d *decoder) read(a *sema.Operand, t isa.Type) operand {
	width := widthOf(t)
	switch a.Kind {
	case isa.KReg:
		if a.Flags&sema.Neg != 0 {
			d.fail("a negated operand")
		}
		o := operand{kind: opReg, slot: d.f.slots[a.Ref], mask: ^uint64(0), not: a.Flags&sema.Not != 0}
		if widthOf(d.body.Regs[a.Ref].Type) > width {
			o.mask = low(width)
		}
		if a.Value != 0 && a.Sel == isa.WNone && a.Flags&sema.Selected == 0 {
			d.sum(&o, a)
		}
		return o
	case isa.KVector:
		if e := d.body.Of(a.Elems); len(e) == 1 {
			return d.read(&e[0], t)
		}
	case isa.KInt:
		v := a.Value & low(width)
		if t == isa.Pred && a.Value != 0 {
			v = 1
		}
		if a.Flags&sema.Not != 0 {
			v ^= 1
		}
		return constant(v)
	case isa.KSingle:
		if width == 64 {
			return constant(fp.Convert(fp.F32, fp.F64, a.Value, fp.Mode{}))
		}
		return constant(a.Value)
	case isa.KDouble:
		return constant(double(a.Value, t))
	case isa.KSpecial:
		return operand{kind: opSpecial, sreg: isa.SpecialReg(a.Ref), comp: a.Comp, mask: low(width)}
	case isa.KSymbol:
		return d.symbol(a)
	case isa.KFunc:
		return constant(funcAddress(a.Ref))
	}
	d.fail("an operand without a value")
	return operand{}
}

// sum makes o a register plus a constant, which is a sum of integers as wide
// as the register.
func (d *decoder) sum(o *operand, a *sema.Operand) {
	t := d.body.Regs[a.Ref].Type
	if t == isa.Pred || t.Class() == isa.Float || t.Bits() > 64 {
		d.fail("a constant is added to a register that holds no integer")
	}
	o.add, o.wrap = a.Value, low(widthOf(t))
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
func (d *decoder) symbol(a *sema.Operand) operand {
	if n := a.Formal(); n >= 0 {
		at := uint64(d.f.formal[n]) + a.Value
		if d.f.def.Entry {
			return constant(at)
		}
		return operand{kind: opLocal, off: localWindow + at}
	}
	if n := a.Local(); n >= 0 {
		at := uint64(d.f.vars[n]) + a.Value
		switch d.body.Vars[n].Space.Base() {
		case isa.SpaceLocal:
			return operand{kind: opLocal, off: at}
		case isa.SpaceParam:
			return operand{kind: opLocal, off: localWindow + at}
		}
		return constant(at)
	}
	return constant(d.f.p.address(a.Ref, false) + a.Value)
}

// addr decodes argument n, an address.
func (d *decoder) addr(n int) func(w *warp, k int) *column {
	if n >= len(d.args) {
		d.fail("an operand is missing")
	}
	a := &d.args[n]
	if a.Kind == isa.KReg || a.Kind == isa.KSymbol {
		o := d.read(a, isa.B64)
		return func(w *warp, k int) *column { return w.col(&o, k) }
	}
	if a.Kind != isa.KAddr || a.Elems.Len > 0 {
		d.unknown()
	}
	var base operand
	off, wrap := uint64(0), ^uint64(0)
	switch a.Base {
	case isa.KReg:
		base = operand{kind: opReg, slot: d.f.slots[a.Ref], mask: ^uint64(0)}
		off = a.Value
		if widthOf(d.body.Regs[a.Ref].Type) == 32 {
			wrap = low(32)
		}
	case isa.KSymbol:
		base = d.symbol(a)
	case isa.KInt:
		base = constant(a.Value)
	default:
		d.unknown()
	}
	if a.Index >= 0 {
		idx := operand{kind: opReg, slot: d.f.slots[a.Index], mask: ^uint64(0)}
		return func(w *warp, k int) *column {
			b, i, r := w.col(&base, k), w.col(&idx, k), &w.scratch[k]
			for m := w.mask; m != 0; m &= m - 1 {
				l := bits.TrailingZeros32(m)
				r[l] = b[l] + i[l]
			}
			return r
		}
	}
	if off == 0 {
		return func(w *warp, k int) *column { return w.col(&base, k) }
	}
	return func(w *warp, k int) *column {
		b, r := w.col(&base, k), &w.scratch[k]
		for m := w.mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			r[l] = (b[l] + off) & wrap
		}
		return r
	}
}

// col returns the values of an operand in the lanes of w.mask. k is a scratch
// column that may hold them; no two operands of an instruction share one.
func (w *warp) col(o *operand, k int) *column {
	r := &w.scratch[k]
	switch o.kind {
	case opConst:
		return o.val
	case opReg:
		c := &w.frame.regs[o.slot]
		if w.mask&^w.frame.def[o.slot] != 0 {
			w.defined(o.slot, w.mask)
		}
		if o.mask == ^uint64(0) && !o.not && o.add == 0 {
			return c
		}
		for m := w.mask; m != 0; m &= m - 1 {
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
		for m := w.mask; m != 0; m &= m - 1 {
			r[bits.TrailingZeros32(m)] &= o.mask
		}
	case opLocal:
		for m := w.mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			r[l] = o.off + uint64(w.frame.base[l])
		}
	}
	return r
}

// place is a register to write; a sink has none.
type place struct {
	slot int32
	mask uint64
}

// dst decodes argument n as a destination.
func (d *decoder) dst(n int) place { return d.target(&d.args[n]) }

func (d *decoder) target(a *sema.Operand) place {
	switch a.Kind {
	case isa.KReg:
		return place{d.f.slots[a.Ref], low(widthOf(d.body.Regs[a.Ref].Type))}
	case isa.KSink:
		return place{-1, 0}
	}
	d.fail("the destination is no register")
	return place{}
}

// pair returns q of p|q, a sink if there is none.
func (d *decoder) pair(n int) place {
	if a := &d.args[n]; a.Pair >= 0 {
		return place{d.f.slots[a.Pair], low(widthOf(d.body.Regs[a.Pair].Type))}
	}
	return place{-1, 0}
}

// sinkColumn is the scratch column that sinks are written to.
const sinkColumn = 9

// write returns the column of a place; its lanes of w.mask count as written.
func (w *warp) write(p place) *column {
	if p.slot < 0 {
		return &w.scratch[sinkColumn]
	}
	w.frame.def[p.slot] |= w.mask
	return &w.frame.regs[p.slot]
}

// map1 applies f lane by lane.
func (d *decoder) map1(p place, a operand, f func(a uint64) uint64) {
	d.out.run = func(w *warp) {
		x := w.col(&a, 0)
		r := w.write(p)
		for m := w.mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			r[l] = f(x[l]) & p.mask
		}
	}
}

// map2 applies f lane by lane.
func (d *decoder) map2(p place, a, b operand, f func(a, b uint64) uint64) {
	d.out.run = func(w *warp) {
		x, y := w.col(&a, 0), w.col(&b, 1)
		r := w.write(p)
		for m := w.mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			r[l] = f(x[l], y[l]) & p.mask
		}
	}
}

// map3 applies f lane by lane.
func (d *decoder) map3(p place, a, b, c operand, f func(a, b, c uint64) uint64) {
	d.out.run = func(w *warp) {
		x, y, z := w.col(&a, 0), w.col(&b, 1), w.col(&c, 2)
		r := w.write(p)
		for m := w.mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			r[l] = f(x[l], y[l], z[l]) & p.mask
		}
	}
}

// same is map1, map2 or map3 of arguments of one type.
func (d *decoder) same1(t isa.Type, f func(a uint64) uint64) { d.map1(d.dst(0), d.src(1, t), f) }

func (d *decoder) same2(t isa.Type, f func(a, b uint64) uint64) {
	d.map2(d.dst(0), d.src(1, t), d.src(2, t), f)
}

func (d *decoder) same3(t isa.Type, f func(a, b, c uint64) uint64) {
	d.map3(d.dst(0), d.src(1, t), d.src(2, t), d.src(3, t), f)
}

// signed reports whether values of t have a sign.
func signed(t isa.Type) bool { return t.Class() == isa.Signed }

// sx extends the sign of the low n bits.
func sx(v uint64, n int) int64 { return int64(v<<(64-n)) >> (64 - n) }

// extend makes 64 bits of a value of type t.
func extend(v uint64, t isa.Type) uint64 {
	n := t.Bits()
	if n >= 64 {
		return v
	}
	if signed(t) {
		return uint64(sx(v, n))
	}
	return v & low(n)
}
