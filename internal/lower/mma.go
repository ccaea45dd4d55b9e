package lower

import (
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
	fa, fb, fc value // the fragments
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
func (l *lowerer) mma() {
	if l.has(isa.WBlockScale) {
		l.mmaScaled()
		return
	}
	m := l.multiplication()
	l.writeFragment(0, l.multiply(m), m.d)
}

// multiplication reads the current mma instruction.
func (l *lowerer) multiplication() *multiply {
	l.knows(isa.WSync)
	l.knows(isa.WAligned)
	l.knows(isa.WPopc)
	l.knows(isa.WXor)
	l.knows(isa.WRow)
	l.knows(isa.WCol)
	l.knows(isa.WKindF8f6f4)
	m := &multiply{
		shape: l.shape(), d: l.typ(0), a: l.typ(1), b: l.typ(2), c: l.typ(3),
		sparse: l.has(isa.WSp), ordered: l.has(isa.WSpOrderedMetadata), sat: l.has(isa.WSatfinite), and: l.has(isa.WAnd), round: l.rounding(),
	}
	m.sparse = m.sparse || m.ordered
	m.aCol, m.bRow = l.layouts()
	m.fa, m.fb, m.fc = l.readFragment(1, m.a), l.readFragment(2, m.b), l.readFragment(3, m.c)
	if m.sparse {
		m.meta = l.src1(4, isa.B32)
		m.selector = int64(l.args[5].Value)
	}
	return m
}

// shape returns the shape of the current instruction.
func (l *lowerer) shape() isa.Word {
	for _, w := range l.body.ModsOf(l.in) {
		if w.IsShape() {
			l.knows(w)
			return w
		}
	}
	return isa.WNone
}

// layouts reports whether the first matrix lies by columns and the second
// by rows.
func (l *lowerer) layouts() (aCol, bRow bool) {
	n := 0
	for _, w := range l.body.ModsOf(l.in) {
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
func (l *lowerer) readFragment(n int, t isa.Type) value {
	var v value
	width := isa.B32
	if t == isa.F64 {
		width = isa.F64
	}
	for _, e := range l.elements(n) {
		v = append(v, l.read(&e, width)...)
	}
	return v
}

// writeFragment copies the words of a result to vector argument n.
func (l *lowerer) writeFragment(n int, v value, t isa.Type) {
	per := 1
	if t == isa.F64 {
		per = 2
	}
	for k, e := range l.elements(n) {
		if e.Kind == isa.KReg {
			l.copyRun(l.words(l.regs[e.Ref])[:per], v[per*k:per*k+per])
		}
	}
}

// multiply makes the product, by one instruction where there is one.
func (l *lowerer) multiply(m *multiply) value {
	for n := range natives {
		r := &natives[n]
		if r.shape == m.shape && r.kinds&kindOf(m.a) != 0 && r.sparse == m.sparse && l.arch.Has(r.needs) && !l.lacks(m) {
			return l.matmul(r.op, l.productMods(m, r), m, m.fa, m.fb, m.fc)
		}
	}
	return l.emulate(m)
}

// lacks reports whether a machine with the shape lacks what else m asks:
// the joining of bits by xor, or metadata in any order.
func (l *lowerer) lacks(m *multiply) bool {
	switch kindOf(m.a) {
	case kindBit:
		return !m.and && !l.arch.Has(target.MatrixXor)
	case kindHalf, kindByte:
		return m.sparse && !m.ordered && l.arch.Has(target.MatrixSorted)
	}
	return false
}

// typeMods are the modifiers of element types.
var typeMods = []typeName{
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

func typeMod(t isa.Type) op.Mod { return ofType(typeMods, t) }

// productMods returns the modifiers of a native product, in the
// assembler's order.
func (l *lowerer) productMods(m *multiply, r *native) op.Mods {
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
func (l *lowerer) matmul(o op.Op, mods op.Mods, m *multiply, a, b, c value) value {
	d := l.fragmentOf(len(c))
	srcs := value{l.fragment(a), l.fragment(b), l.fragment(c)}
	if m.sparse {
		srcs = append(srcs, l.reg(m.meta), ori.Imm(m.selector))
	}
	l.emit(o, mods, value{whole(d)}, srcs...)
	return d
}

// fragmentOf returns a new run of n words, aligned as matrix instructions
// want it: to its own size.
func (l *lowerer) fragmentOf(n int) value {
	r := l.f.NewReg(ori.R, n)
	for a := 8; a <= n; a *= 2 {
		l.f.Regs[r].Align = uint8(a)
	}
	return l.words(r)
}

// fragment makes sure that the words of v stand side by side; zeros need no
// register.
func (l *lowerer) fragment(v value) ori.Operand {
	zero := true
	for _, o := range v {
		zero = zero && l.inRun(o).Kind == ori.KZero
	}
	if zero {
		return rz()
	}
	if len(v) == 1 {
		return l.reg(l.inRun(v[0]))
	}
	if run, ok := l.sameRun(v); ok {
		return whole(run)
	}
	run := l.fragmentOf(len(v))
	l.copy(run, v)
	for n := range v {
		l.holds(v[n], run[n])
	}
	return whole(run)
}
