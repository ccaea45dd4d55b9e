package machine

import (
	"math/bits"

	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
)

// Step does an instruction for the lanes of w.Mask.
type Step func(w *Warp)

// Inst is a decoded instruction: run, or flow where threads may part, wait or
// end. flow gets the whole group, also lanes whose guard fails, and must move
// every one of them.
type Inst struct {
	Run      Step
	Flow     func(w *Warp, group uint32)
	guard    int32
	guardNot bool
	src      *sema.Inst
}

// Meanings says how each instruction is decoded; one without a row has no
// meaning in the interpreter.
type Meanings [isa.NumWords]func(*Decoder)

// Decoder decodes the instructions of one body.
type Decoder struct {
	f     *function
	Body  *sema.Body
	In    *sema.Inst
	Args  []sema.Operand
	Out   *Inst
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
	d := &Decoder{f: f, Body: f.body}
	f.code = make([]Inst, len(f.body.Instrs)+1)
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
	end.guard, end.Flow = -1, f.leave()
	return nil
}

func (d *Decoder) inst(in *sema.Inst, out *Inst) {
	d.In, d.Out, d.Args = in, out, d.Body.Of(in.Args)
	out.src, out.guard, out.guardNot = in, -1, in.GuardNot
	if in.Guard >= 0 {
		out.guard = d.f.slots[in.Guard]
	}
	for _, w := range d.Body.ModsOf(in) {
		d.asked[w] = w.IsType() || w.IsSpace()
	}
	h := d.f.p.meanings[in.Op]
	if h == nil {
		d.Unknown()
	}
	h(d)
	for _, w := range d.Body.ModsOf(in) {
		if !d.asked[w] {
			d.Unknown()
		}
	}
	if out.Run == nil && out.Flow == nil {
		d.Unknown()
	}
}

// Unknown refuses an instruction that has no meaning here.
func (d *Decoder) Unknown() { d.fail("this instruction has no meaning in the interpreter") }

func (d *Decoder) fail(what string) { panic(d.f.fault(d.In, "", what)) }

// Has reports whether the instruction has a modifier. A modifier nobody asks
// about makes the instruction unknown.
func (d *Decoder) Has(w isa.Word) bool {
	d.asked[w] = true
	for _, x := range d.Body.ModsOf(d.In) {
		if x == w {
			return true
		}
	}
	return false
}

// Ignore tells that modifiers change no result.
func (d *Decoder) Ignore(ws ...isa.Word) {
	for _, w := range ws {
		d.asked[w] = true
	}
}

// Type returns the n-th type, TNone if there is none.
func (d *Decoder) Type(n int) isa.Type {
	if n >= int(d.In.NTypes) {
		return isa.TNone
	}
	return d.In.Types[n]
}

// Space returns the n-th state space; Generic if there is none.
func (d *Decoder) Space(n int) isa.Space {
	if n >= int(d.In.NSpaces) {
		return isa.Generic
	}
	return d.In.Spaces[n]
}

// Map1 applies f lane by lane.
func (d *Decoder) Map1(p Place, a Operand, f func(a uint64) uint64) {
	d.Out.Run = func(w *Warp) {
		x := w.Col(&a, 0)
		r := w.Write(p)
		for m := w.Mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			r[l] = f(x[l]) & p.Mask
		}
	}
}

// Map2 applies f lane by lane.
func (d *Decoder) Map2(p Place, a, b Operand, f func(a, b uint64) uint64) {
	d.Out.Run = func(w *Warp) {
		x, y := w.Col(&a, 0), w.Col(&b, 1)
		r := w.Write(p)
		for m := w.Mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			r[l] = f(x[l], y[l]) & p.Mask
		}
	}
}

// Map3 applies f lane by lane.
func (d *Decoder) Map3(p Place, a, b, c Operand, f func(a, b, c uint64) uint64) {
	d.Out.Run = func(w *Warp) {
		x, y, z := w.Col(&a, 0), w.Col(&b, 1), w.Col(&c, 2)
		r := w.Write(p)
		for m := w.Mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			r[l] = f(x[l], y[l], z[l]) & p.Mask
		}
	}
}

// Same1 is Map1 of an argument of a type.
func (d *Decoder) Same1(t isa.Type, f func(a uint64) uint64) { d.Map1(d.Dst(0), d.Src(1, t), f) }

// Same2 is Map2 of two arguments of one type.
func (d *Decoder) Same2(t isa.Type, f func(a, b uint64) uint64) {
	d.Map2(d.Dst(0), d.Src(1, t), d.Src(2, t), f)
}

// Same3 is Map3 of three.
func (d *Decoder) Same3(t isa.Type, f func(a, b, c uint64) uint64) {
	d.Map3(d.Dst(0), d.Src(1, t), d.Src(2, t), d.Src(3, t), f)
}
