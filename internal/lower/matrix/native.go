package matrix

import (
	"github.com/goptxas/goptxas/internal/codegen/expand"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/target"
)

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
	l.Emit(o, mods, build.Value{expand.Whole(d)}, srcs...)
	return d
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
