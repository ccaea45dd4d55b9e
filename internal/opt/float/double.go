package float

import (
	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// DoubleConstants puts f64 constants into the instructions that read them. The
// machine takes the high word as an immediate where the low one is zero;
// readers of another constant near each other share its registers.
func DoubleConstants(f *ori.Func) bool {
	d := &doubles{v: opt.ValuesOf(f)}
	changed := false
	for _, b := range f.Blocks {
		d.inRegs = d.inRegs[:0]
		for i := range b.Instrs {
			d.at++
			if !i.Op.IsDouble() {
				continue
			}
			room := d.roomy(i)
			for k := int(i.NDst); k < len(i.Args); k++ {
				changed = d.source(&i.Args[k], room) || changed
			}
		}
	}
	return f.Touched(changed)
}

// doubles looks for constants in a block.
type doubles struct {
	v      *opt.Values
	inRegs []regConstant
	at     int // instructions seen
}

// regConstant is a constant in registers.
type regConstant struct {
	low, high uint32
	reg       ori.Operand
	at        int // last read
}

// maxConstantRange is how far apart, in instructions, two readers of a constant
// share its registers.
const maxConstantRange = 64

// roomy reports whether i reads no constant that must stay in registers:
// those may become uniform ones, beside which no immediate has a place.
func (d *doubles) roomy(i *ori.Instr) bool {
	for _, a := range i.Srcs() {
		if low, _, ok := double(d.v, a); ok && low != 0 {
			return false
		}
	}
	return true
}

// source replaces a source that holds a constant by a better one.
func (d *doubles) source(a *ori.Operand, room bool) bool {
	low, high, ok := double(d.v, *a)
	if !ok {
		return false
	}
	if low == 0 && room {
		*a = ori.Imm32(uint32(literalOf(*a, low, high).Imm >> 32))
		return true
	}
	for n := range d.inRegs {
		h := &d.inRegs[n]
		if h.low != low || h.high != high || d.at-h.at > maxConstantRange {
			continue
		}
		h.at = d.at
		old := *a
		a.Reg, a.Sub = h.reg.Reg, h.reg.Sub
		return *a != old
	}
	d.inRegs = append(d.inRegs, regConstant{low, high, *a, d.at})
	return false
}

// double returns the words of the f64 constant a source holds.
func double(v *opt.Values, a ori.Operand) (low, high uint32, ok bool) {
	if a.Kind != ori.KReg || a.N != 2 {
		return 0, 0, false
	}
	lo, hi := a, a
	lo.N, hi.N, lo.Flags, hi.Flags = 1, 1, 0, 0
	hi.Sub++
	if low, ok = literal(v, lo); !ok {
		return 0, 0, false
	}
	high, ok = literal(v, hi)
	return low, high, ok
}

// literal returns the constant a word holds.
func literal(v *opt.Values, a ori.Operand) (uint32, bool) {
	j := v.Once(a)
	if j == nil || j.Op != op.MOV && j.Op != op.COPY || j.NDst != 1 || len(j.Args) != 2 || j.Guard.Kind != ori.KNone || j.Args[0].N > 1 {
		return 0, false
	}
	switch s := j.Args[1]; {
	case s.Kind == ori.KZero && s.Flags == 0:
		return 0, true
	case s.Kind == ori.KImm && s.Flags == 0:
		return uint32(s.Imm), true
	}
	return 0, false
}
