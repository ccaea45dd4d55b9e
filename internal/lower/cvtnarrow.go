package lower

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// eights maps the types of 8-bit and smaller floats to the machine's names.
var eights = []typeName{
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
func narrow(t isa.Type) op.Mod { return ofType(eights, t) }

// cvtNarrow converts to and from 8-bit floats, and to tf32.
func (l *lowerer) cvtNarrow(to, from isa.Type) {
	d := l.dst(0)[:1]
	if l.args[1].Kind == isa.KVector {
		l.cvtFour(to, d)
		return
	}
	a := l.reg(l.src1(1, from))
	switch {
	case to == isa.TF32 && l.has(isa.WRna):
		l.copy(d, value{l.tf32Away(a)})
	case to == isa.TF32:
		l.emit(op.F2FP, mods(l.finite(), l.relu(), op.MTF32, op.MF32, op.MPACK_B, l.rounding()), d, a)
	case from == isa.UE8M0x2 && to == isa.BF16x2:
		l.knows(isa.WRn)
		l.emit(op.F2FP, op.M(op.MBF16, op.ME8, op.MUNPACK_B), d, a)
	case to == isa.UE8M0x2 && from == isa.F32:
		m := mods(l.finite(), op.ME8, op.MF32, op.MPACK_AB_MERGE_C, l.rounding())
		l.emit(op.F2FP, m, d, a, l.src1(2, from), rz())
	case to == isa.UE8M0x2:
		m := mods(l.finite(), op.ME8, op.MBF16, op.MUNPACK_B_MERGE_C, l.rounding())
		l.emit(op.F2FP, m, d, a, rz())
	case isNarrow(from) && to == isa.F16x2:
		l.knows(isa.WRn)
		l.emit(op.F2FP, mods(l.relu(), op.MF16, narrow(from), op.MUNPACK_B), d, a)
	case from == isa.F16x2:
		l.knows(isa.WRn)
		l.emit(op.F2FP, mods(l.finite(), l.relu(), narrow(to), op.MF16, op.MUNPACK_B_MERGE_C), d, a, rz())
	case from == isa.F32:
		l.knows(isa.WRn)
		m := mods(l.finite(), l.relu(), narrow(to), op.MF32, op.MPACK_AB_MERGE_C)
		l.emit(op.F2FP, m, d, a, l.src1(2, from), rz())
	default:
		l.unsupported()
	}
}

// cvtFour converts four f32 values, rounded by random bits: two, then two
// more above which the first are put.
func (l *lowerer) cvtFour(to isa.Type, d value) {
	es := l.body.Of(l.args[1].Elems)
	if len(es) != 4 || !l.has(isa.WRs) {
		l.unsupported()
	}
	m := mods(l.finite(), l.relu(), narrow(to), op.MF32, op.MPACK_AB_MERGE_C, op.MRS)
	v := func(n int) ori.Operand { return l.reg(l.read(&es[n], isa.F32)[0]) }
	t := l.one(op.F2FP, m, v(0), v(1), l.reg(l.src1(2, isa.B32)))
	l.emit(op.F2FP, m, d, v(2), v(3), t)
}

// Numbers of tf32, which has 13 bits less than f32.
const (
	tf32Half = 0x00001000 // half of its last place
	tf32Mask = 0xffffe000
)

// tf32Away rounds an f32 to tf32, halves away from zero. The addition of
// nothing makes a NaN canonical, so that it stays one without its low bits.
// With .satfinite what would be infinite is the largest number.
func (l *lowerer) tf32Away(a ori.Operand) ori.Operand {
	const inf = 0x7f800000
	a = l.one(op.FADD, op.Mods{}, a, rz().Negate())
	finite := l.test(op.FSETP, op.M(op.MLT, op.MAND), absolute(a), ori.Imm(inf), pt())
	r := l.and2(l.sel1(l.iadd(a, ori.Imm(tf32Half)), a, finite), ori.Imm32(tf32Mask))
	if l.has(isa.WSatfinite) {
		over := l.test(op.FSETP, op.M(op.MEQ, op.MAND), absolute(r), ori.Imm(inf), pt())
		r = l.sel1(l.iadd(r, ori.Imm32(tf32Mask)), r, over) // one place less
	}
	return r
}

// packs maps the types of cvt.pack to the machine's names.
var packs = []typeName{{isa.U16, op.MU16}, {isa.S16, op.MS16}, {isa.U8, op.MU8}, {isa.S8, op.MS8}}

// cvtPack lowers cvt.pack: two clamped words, the first above the second,
// and above both the low bits of the third source.
func (l *lowerer) cvtPack(to isa.Type) {
	l.knows(isa.WSat)
	a, b, c := l.reg(l.src1(1, isa.S32)), l.src1(2, isa.S32), rz()
	if len(l.args) > 3 {
		c = l.reg(l.src1(3, isa.B32))
	}
	d := l.dst(0)[:1]
	if m := ofType(packs, to); m != op.NoMod {
		l.emit(op.I2IP, op.M(m, op.MS32, op.MSAT), d, a, b, c)
		return
	}
	switch to {
	case isa.U4, isa.S4, isa.U2, isa.S2: // put together by hand
		n := int64(to.Bits())
		lo, hi := l.clampTo(b, to), l.clampTo(a, to)
		mask := ori.Imm(1<<n - 1)
		both := l.or2(l.and2(lo, mask), l.shl1(l.and2(hi, mask), ori.Imm(n)))
		l.emit(op.LOP3, op.M(op.MLUT), d, both, l.shl1(c, ori.Imm(2*n)), rz(), ori.Imm(lutOr))
	default:
		l.unsupported()
	}
}

// clampTo clamps an s32 to the range of a narrower type.
func (l *lowerer) clampTo(a ori.Operand, t isa.Type) ori.Operand {
	lo, hi := limits(t)
	a = l.min1(op.Mods{}, l.reg(a), ori.Imm(lo.Int64()), pt().Not())
	return l.min1(op.Mods{}, a, ori.Imm(hi.Int64()), pt())
}
