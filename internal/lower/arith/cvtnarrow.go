package arith

import (
	"math/big"

	"github.com/goptxas/goptxas/internal/codegen/expand"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// eights maps the types of 8-bit and smaller floats to the machine's names.
var eights = []build.TypeName{
	{isa.E4M3x2, op.ME4M3},
	{isa.E5M2x2, op.ME5M2},
	{isa.E2M3x2, op.ME2M3},
	{isa.E3M2x2, op.ME3M2},
	{isa.E2M1x2, op.ME2M1},
	{isa.UE8M0x2, op.ME8},
	{isa.E4M3x4, op.ME4M3},
	{isa.E5M2x4, op.ME5M2},
	{isa.E2M3x4, op.ME2M3},
	{isa.E3M2x4, op.ME3M2},
	{isa.E2M1x4, op.ME2M1},
}

// isNarrow reports whether t is a pair of 8-bit floats.
func isNarrow(t isa.Type) bool { return narrow(t) != op.NoMod }

// narrow returns the machine's name of a type of 8-bit floats.
func narrow(t isa.Type) op.Mod { return build.OfType(eights, t) }

// cvtNarrow converts to and from 8-bit floats, and to tf32.
func cvtNarrow(l *build.Builder, to, from isa.Type) {
	d := l.Dst(0)[:1]
	if l.Args[1].Kind == isa.KVector {
		cvtFour(l, to, d)
		return
	}
	a := l.Reg(l.Src1(1, from))
	switch {
	case to == isa.TF32 && l.Has(isa.WRna):
		l.Copy(d, build.Value{tf32Away(l, a)})
	case to == isa.TF32:
		l.Emit(op.F2FP, build.Mods(finite(l), relu(l), op.MTF32, op.MF32, op.MPACK_B, l.Rounding()), d, a)
	case from == isa.UE8M0x2 && to == isa.BF16x2:
		l.Knows(isa.WRn)
		l.Emit(op.F2FP, op.M(op.MBF16, op.ME8, op.MUNPACK_B), d, a)
	case to == isa.UE8M0x2 && from == isa.F32:
		m := build.Mods(finite(l), op.ME8, op.MF32, op.MPACK_AB_MERGE_C, l.Rounding())
		l.Emit(op.F2FP, m, d, a, l.Src1(2, from), expand.RZ())
	case to == isa.UE8M0x2:
		m := build.Mods(finite(l), op.ME8, op.MBF16, op.MUNPACK_B_MERGE_C, l.Rounding())
		l.Emit(op.F2FP, m, d, a, expand.RZ())
	case isNarrow(from) && to == isa.F16x2:
		l.Knows(isa.WRn)
		l.Emit(op.F2FP, build.Mods(relu(l), op.MF16, narrow(from), op.MUNPACK_B), d, a)
	case from == isa.F16x2:
		l.Knows(isa.WRn)
		l.Emit(op.F2FP, build.Mods(finite(l), relu(l), narrow(to), op.MF16, op.MUNPACK_B_MERGE_C), d, a, expand.RZ())
	case from == isa.F32:
		l.Knows(isa.WRn)
		m := build.Mods(finite(l), relu(l), narrow(to), op.MF32, op.MPACK_AB_MERGE_C)
		l.Emit(op.F2FP, m, d, a, l.Src1(2, from), expand.RZ())
	default:
		l.Unsupported()
	}
}

// cvtFour converts four f32 values, rounded by random bits: two, then two
// more above which the first are put.
func cvtFour(l *build.Builder, to isa.Type, d build.Value) {
	es := l.Body.Of(l.Args[1].Elems)
	if len(es) != 4 || !l.Has(isa.WRs) {
		l.Unsupported()
	}
	m := build.Mods(finite(l), relu(l), narrow(to), op.MF32, op.MPACK_AB_MERGE_C, op.MRS)
	v := func(n int) ori.Operand { return l.Reg(l.Read(&es[n], isa.F32)[0]) }
	t := l.One(op.F2FP, m, v(0), v(1), l.Reg(l.Src1(2, isa.B32)))
	l.Emit(op.F2FP, m, d, v(2), v(3), t)
}

// Numbers of tf32, which has 13 bits less than f32.
const (
	tf32Half = 0x00001000 // half of its last place
	tf32Mask = 0xffffe000
)

// tf32Away rounds an f32 to tf32, halves away from zero. The addition of
// nothing makes a NaN canonical, so that it stays one without its low bits.
// With .satfinite what would be infinite is the largest number.
func tf32Away(l *build.Builder, a ori.Operand) ori.Operand {
	const inf = 0x7f800000
	a = l.One(op.FADD, op.Mods{}, a, expand.RZ().Negate())
	finite := l.Test(op.FSETP, op.M(op.MLT, op.MAND), expand.Absolute(a), ori.Imm(inf), expand.PT())
	r := l.And2(l.Sel1(l.Iadd(a, ori.Imm(tf32Half)), a, finite), ori.Imm32(tf32Mask))
	if l.Has(isa.WSatfinite) {
		over := l.Test(op.FSETP, op.M(op.MEQ, op.MAND), expand.Absolute(r), ori.Imm(inf), expand.PT())
		r = l.Sel1(l.Iadd(r, ori.Imm32(tf32Mask)), r, over) // one place less
	}
	return r
}

// packs maps the types of cvt.pack to the machine's names.
var packs = []build.TypeName{{isa.U16, op.MU16}, {isa.S16, op.MS16}, {isa.U8, op.MU8}, {isa.S8, op.MS8}}

// cvtPack lowers cvt.pack: two clamped words, the first above the second,
// and above both the low bits of the third source.
func cvtPack(l *build.Builder, to isa.Type) {
	l.Knows(isa.WSat)
	a, b, c := l.Reg(l.Src1(1, isa.S32)), l.Src1(2, isa.S32), expand.RZ()
	if len(l.Args) > 3 {
		c = l.Reg(l.Src1(3, isa.B32))
	}
	d := l.Dst(0)[:1]
	if m := build.OfType(packs, to); m != op.NoMod {
		l.Emit(op.I2IP, op.M(m, op.MS32, op.MSAT), d, a, b, c)
		return
	}
	switch to {
	case isa.U4, isa.S4, isa.U2, isa.S2: // put together by hand
		n := int64(to.Bits())
		lo, hi := clampTo(l, b, to), clampTo(l, a, to)
		mask := ori.Imm(1<<n - 1)
		both := l.Or2(l.And2(lo, mask), l.Shl1(l.And2(hi, mask), ori.Imm(n)))
		l.Emit(op.LOP3, op.M(op.MLUT), d, both, l.Shl1(c, ori.Imm(2*n)), expand.RZ(), ori.Imm(expand.LutOr))
	default:
		l.Unsupported()
	}
}

// clampTo clamps an s32 to the range of a narrower type.
func clampTo(l *build.Builder, a ori.Operand, t isa.Type) ori.Operand {
	lo, hi := limits(t)
	a = expand.Min1(&l.Writer, op.Mods{}, l.Reg(a), ori.Imm(lo.Int64()), expand.PT().Not())
	return expand.Min1(&l.Writer, op.Mods{}, a, ori.Imm(hi.Int64()), expand.PT())
}

// limits returns the range of an integer type.
func limits(t isa.Type) (lo, hi *big.Int) {
	one := big.NewInt(1)
	n := uint(t.Bits())
	if t.Class() == isa.Signed {
		hi = new(big.Int).Lsh(one, n-1)
		return new(big.Int).Neg(hi), new(big.Int).Sub(hi, one)
	}
	return new(big.Int), new(big.Int).Sub(new(big.Int).Lsh(one, n), one)
}

// relu and finite return the modifiers of those names.
func relu(l *build.Builder) op.Mod {
	if l.Has(isa.WRelu) {
		return op.MRELU
	}
	return op.NoMod
}

func finite(l *build.Builder) op.Mod {
	if l.Has(isa.WSatfinite) {
		return op.MSATFINITE
	}
	return op.NoMod
}
