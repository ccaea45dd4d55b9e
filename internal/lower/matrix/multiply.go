package matrix

import (
	"github.com/goptxas/goptxas/internal/codegen/expand"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// multiply is one matrix product as PTX writes it.
type multiply struct {
	shape      isa.Word
	d, a, b, c isa.Type
	sparse     bool
	ordered    bool // metadata whose indices ascend
	sat        bool
	and        bool // bits are joined by and, else by xor
	aCol, bRow bool // only the oldest shape has a choice
	round      op.Mod
	meta       ori.Operand
	selector   int64
	fa, fb, fc build.Value // the fragments
}

// kinds of elements that are multiplied alike.
const (
	kindHalf = 1 << iota
	kindBrain
	kindTensor
	kindDouble
	kindByte
	kindNibble
	kindBit
	kindFP8
	kindFP4 // six bits too
)

// kindOf returns the kind of an element.
func kindOf(t isa.Type) int {
	switch t {
	case isa.F16:
		return kindHalf
	case isa.BF16:
		return kindBrain
	case isa.TF32:
		return kindTensor
	case isa.F64:
		return kindDouble
	case isa.S8, isa.U8:
		return kindByte
	case isa.S4, isa.U4:
		return kindNibble
	case isa.B1:
		return kindBit
	case isa.E4M3, isa.E5M2:
		return kindFP8
	case isa.E3M2, isa.E2M3, isa.E2M1:
		return kindFP4
	}
	return 0
}

// multiplication reads the current mma instruction.
func multiplication(l *build.Builder) *multiply {
	l.Knows(isa.WSync)
	l.Knows(isa.WAligned)
	l.Knows(isa.WPopc)
	l.Knows(isa.WXor)
	l.Knows(isa.WRow)
	l.Knows(isa.WCol)
	l.Knows(isa.WKindF8f6f4)
	m := &multiply{
		shape: shape(l), d: l.Typ(0), a: l.Typ(1), b: l.Typ(2), c: l.Typ(3),
		sparse: l.Has(isa.WSp), ordered: l.Has(isa.WSpOrderedMetadata), sat: l.Has(isa.WSatfinite), and: l.Has(isa.WAnd), round: l.Rounding(),
	}
	m.sparse = m.sparse || m.ordered
	m.aCol, m.bRow = layouts(l)
	m.fa, m.fb, m.fc = readFragment(l, 1, m.a), readFragment(l, 2, m.b), readFragment(l, 3, m.c)
	if m.sparse {
		m.meta = l.Src1(4, isa.B32)
		m.selector = int64(l.Args[5].Value)
	}
	return m
}

// shape returns the shape of the current instruction.
func shape(l *build.Builder) isa.Word {
	for _, w := range l.Body.ModsOf(l.In) {
		if w.IsShape() {
			l.Knows(w)
			return w
		}
	}
	return isa.WNone
}

// layouts reports whether the first matrix lies by columns and the second
// by rows.
func layouts(l *build.Builder) (aCol, bRow bool) {
	n := 0
	for _, w := range l.Body.ModsOf(l.In) {
		if w != isa.WRow && w != isa.WCol {
			continue
		}
		if n == 0 {
			aCol = w == isa.WCol
		} else {
			bRow = w == isa.WRow
		}
		n++
	}
	return aCol, bRow
}

// readFragment returns the words of vector argument n.
func readFragment(l *build.Builder, n int, t isa.Type) build.Value {
	var v build.Value
	width := isa.B32
	if t == isa.F64 {
		width = isa.F64
	}
	for _, e := range l.Elements(n) {
		v = append(v, l.Read(&e, width)...)
	}
	return v
}

// writeFragment copies the words of a result to vector argument n.
func writeFragment(l *build.Builder, n int, v build.Value, t isa.Type) {
	per := 1
	if t == isa.F64 {
		per = 2
	}
	for k, e := range l.Elements(n) {
		if e.Kind == isa.KReg {
			l.CopyRun(l.Words(l.Regs[e.Ref])[:per], v[per*k:per*k+per])
		}
	}
}

// typeMods are the modifiers of element types.
var typeMods = []build.TypeName{
	{isa.S8, op.MS8},
	{isa.U8, op.MU8},
	{isa.S4, op.MS4},
	{isa.U4, op.MU4},
	{isa.E4M3, op.ME4M3},
	{isa.E5M2, op.ME5M2},
	{isa.E3M2, op.ME3M2},
	{isa.E2M3, op.ME2M3},
	{isa.E2M1, op.ME2M1},
}

func typeMod(t isa.Type) op.Mod { return build.OfType(typeMods, t) }

// fragmentOf returns a new run of n words, aligned as matrix instructions
// want it: to its own size.
func fragmentOf(l *build.Builder, n int) build.Value {
	r := l.F.NewReg(ori.R, n)
	for a := 8; a <= n; a *= 2 {
		l.F.Regs[r].Align = uint8(a)
	}
	return l.Words(r)
}

// fragment makes sure that the words of v stand side by side; zeros need no
// register.
func fragment(l *build.Builder, v build.Value) ori.Operand {
	zero := true
	for _, o := range v {
		zero = zero && l.InRun(o).Kind == ori.KZero
	}
	if zero {
		return expand.RZ()
	}
	if len(v) == 1 {
		return l.Reg(l.InRun(v[0]))
	}
	if run, ok := l.SameRun(v); ok {
		return expand.Whole(run)
	}
	run := fragmentOf(l, len(v))
	l.Copy(run, v)
	for n := range v {
		l.Holds(v[n], run[n])
	}
	return expand.Whole(run)
}

func zeros(n int) build.Value { return expand.Imm(0, n) }

// halvesOf returns two of the four 8-bit floats of every word as f16.
func halvesOf(l *build.Builder, v build.Value, t isa.Type, upper bool) build.Value {
	out := make(build.Value, len(v))
	for n, w := range v {
		w = l.Reg(w)
		if upper && w.Kind == ori.KReg {
			w.Flags |= ori.H1
		}
		out[n] = l.One(op.F2FP, op.M(op.MF16, typeMod(t), op.MUNPACK_B), w)
	}
	return out
}
