package matrix

import (
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/target"
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

// native is a product that is one instruction on some machines.
type native struct {
	shape  isa.Word
	kinds  int
	sparse bool
	op     op.Op
	mod    op.Mod
	needs  target.Features
}

// natives are those of recipes: shapes by element and machine.
var natives = [...]native{
	{isa.WM16n8k8, kindHalf, false, op.HMMA, op.M1688, 0},
	{isa.WM16n8k8, kindBrain, false, op.HMMA, op.M1688, target.MatrixM16},
	{isa.WM16n8k16, kindHalf | kindBrain, false, op.HMMA, op.M16816, target.MatrixM16},
	{isa.WM16n8k4, kindTensor, false, op.HMMA, op.M1684, target.MatrixM16},
	{isa.WM16n8k8, kindTensor, false, op.HMMA, op.M1688, target.MatrixM16},
	{isa.WM16n8k16, kindHalf | kindBrain, true, op.HMMA, op.M16816, target.MatrixM16},
	{isa.WM16n8k32, kindHalf | kindBrain, true, op.HMMA, op.M16832, target.MatrixM16},
	{isa.WM16n8k8, kindTensor, true, op.HMMA, op.M1688, target.MatrixM16},
	{isa.WM16n8k16, kindTensor, true, op.HMMA, op.M16816, target.MatrixM16},

	{isa.WM8n8k4, kindDouble, false, op.DMMA, op.M884, target.MatrixDMMA884},
	{isa.WM8n8k4, kindDouble, false, op.DMMA, op.M8x8x4, target.MatrixDMMA8x8},
	{isa.WM16n8k4, kindDouble, false, op.DMMA, op.M16x8x4, target.MatrixDMMA16},
	{isa.WM16n8k8, kindDouble, false, op.DMMA, op.M16x8x8, target.MatrixDMMA16},
	{isa.WM16n8k16, kindDouble, false, op.DMMA, op.M16x8x16, target.MatrixDMMA16},

	{isa.WM8n8k16, kindByte, false, op.IMMA, op.M8816, target.MatrixIMMA8},
	{isa.WM16n8k16, kindByte, false, op.IMMA, op.M16816, target.MatrixM16},
	{isa.WM16n8k32, kindByte, false, op.IMMA, op.M16832, target.MatrixM16},
	{isa.WM16n8k32, kindByte, true, op.IMMA, op.M16832, target.MatrixM16},
	{isa.WM16n8k64, kindByte, true, op.IMMA, op.M16864, target.MatrixM16},
	{isa.WM8n8k32, kindNibble, false, op.IMMA, op.M8832, target.MatrixNibbles},
	{isa.WM16n8k32, kindNibble, false, op.IMMA, op.M16832, target.MatrixNibbles | target.MatrixM16},
	{isa.WM16n8k64, kindNibble, false, op.IMMA, op.M16864, target.MatrixNibbles | target.MatrixM16},
	{isa.WM16n8k64, kindNibble, true, op.IMMA, op.M16864, target.MatrixNibbles | target.MatrixM16},
	{isa.WM16n8k128, kindNibble, true, op.IMMA, op.M168128, target.MatrixNibbles | target.MatrixM16},

	{isa.WM8n8k128, kindBit, false, op.BMMA, op.M88128, target.MatrixBits},
	{isa.WM16n8k128, kindBit, false, op.BMMA, op.M168128, target.MatrixBits | target.MatrixM16},
	{isa.WM16n8k256, kindBit, false, op.BMMA, op.M168256, target.MatrixBits | target.MatrixM16},

	{isa.WM16n8k16, kindFP8, false, op.QMMA, op.M16816, target.MatrixFP8},
	{isa.WM16n8k32, kindFP8, false, op.QMMA, op.M16832, target.MatrixFP8},
	{isa.WM16n8k32, kindFP4, false, op.QMMA, op.M16832, target.MatrixFP4},
	{isa.WM16n8k64, kindFP8, true, op.QMMA, op.M16864, target.MatrixFP8},
	{isa.WM16n8k64, kindFP4, true, op.QMMA, op.M16864, target.MatrixFP4},
}

// mma lowers mma: a product of matrices spread over the warp, and a sum.
func mma(l *build.Builder) {
	if l.Has(isa.WBlockScale) {
		mmaScaled(l)
		return
	}
	m := multiplication(l)
	writeFragment(l, 0, multiplyOut(l, m), m.d)
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

// multiplyOut makes the product, by one instruction where there is one.
func multiplyOut(l *build.Builder, m *multiply) build.Value {
	for n := range natives {
		r := &natives[n]
		if r.shape == m.shape && r.kinds&kindOf(m.a) != 0 && r.sparse == m.sparse && l.Arch.Has(r.needs) && !lacks(l, m) {
			return matmul(l, r.op, productMods(l, m, r), m, m.fa, m.fb, m.fc)
		}
	}
	return emulate(l, m)
}

// lacks reports whether a machine with the shape lacks what else m asks:
// the joining of bits by xor, or metadata in any order.
func lacks(l *build.Builder, m *multiply) bool {
	switch kindOf(m.a) {
	case kindBit:
		return !m.and && !l.Arch.Has(target.MatrixXor)
	case kindHalf, kindByte:
		return m.sparse && !m.ordered && l.Arch.Has(target.MatrixSorted)
	}
	return false
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

// productMods returns the modifiers of a native product, in the
// assembler's order.
func productMods(l *build.Builder, m *multiply, r *native) op.Mods {
	var list op.Mods
	if m.sparse {
		list = list.With(op.MSP)
	}
	list = list.With(r.mod)
	switch r.op {
	case op.HMMA:
		list = list.With(sumMod(m.d))
		switch m.a {
		case isa.BF16:
			list = list.With(op.MBF16)
		case isa.TF32:
			list = list.With(op.MTF32)
		}
	case op.IMMA:
		list = list.With(typeMod(m.a)).With(typeMod(m.b))
		if m.sat {
			list = list.With(op.MSAT)
		}
	case op.BMMA:
		join := op.MXOR
		if m.and {
			join = op.MAND
		}
		list = list.With(join).With(op.MPOPC)
	case op.QMMA:
		list = list.With(sumMod(m.d)).With(typeMod(m.a)).With(typeMod(m.b))
	case op.DMMA:
		if m.round != op.NoMod {
			list = list.With(m.round)
		}
	}
	return list
}

// sumMod is the modifier of a float accumulator.
func sumMod(t isa.Type) op.Mod {
	if t == isa.F16 {
		return op.MF16
	}
	return op.MF32
}

// matmul emits one matrix instruction and returns its result, which is as
// long as the addend.
func matmul(l *build.Builder, o op.Op, mods op.Mods, m *multiply, a, b, c build.Value) build.Value {
	d := fragmentOf(l, len(c))
	srcs := build.Value{fragment(l, a), fragment(l, b), fragment(l, c)}
	if m.sparse {
		srcs = append(srcs, l.Reg(m.meta), ori.Imm(m.selector))
	}
	l.Emit(o, mods, build.Value{build.Whole(d)}, srcs...)
	return d
}

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
		return build.RZ()
	}
	if len(v) == 1 {
		return l.Reg(l.InRun(v[0]))
	}
	if run, ok := l.SameRun(v); ok {
		return build.Whole(run)
	}
	run := fragmentOf(l, len(v))
	l.Copy(run, v)
	for n := range v {
		l.Holds(v[n], run[n])
	}
	return build.Whole(run)
}
