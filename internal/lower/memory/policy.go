package memory

import (
	"math"

	"github.com/goptxas/goptxas/internal/codegen/expand"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/target"
)

// priorities are the field values of the eviction priorities of a policy,
// as the reference builds them.
var priorities = [...]struct {
	word isa.Word
	bits uint32
}{
	{isa.WL2EvictUnchanged, 0x100}, {isa.WL2EvictFirst, 0x120}, {isa.WL2EvictLast, 0x140}, {isa.WL2EvictNormal, 0x160},
}

// Fields of a policy's high word.
const (
	policyShift   = 20
	policySecond  = 0x10 // the rest of the accesses is evicted first
	fractionSteps = 15   // stands for all accesses
	fractionScale = 15.99
)

// createpolicy lowers createpolicy: with a constant fraction the policy is a
// constant.
func createpolicy(l *build.Builder) {
	l.Knows(isa.WFractional)
	if !l.Has(isa.WFractional) {
		createpolicyOther(l)
		return
	}
	bits := priority(l)
	if len(l.Args) < 2 {
		l.Copy(l.Dst(0), build.Value{expand.RZ(), expand.Word((bits | fractionSteps) << policyShift)})
		return
	}
	if f, ok := constant(l, 1); ok {
		n := uint32(max(0, min(fractionSteps, f*fractionScale)))
		l.Copy(l.Dst(0), build.Value{expand.RZ(), expand.Word((bits | n) << policyShift)})
		return
	}
	f := l.One(op.FMUL, op.Mods{}, l.Src1(1, isa.F32), ori.Imm32(math.Float32bits(fractionScale)))
	n := l.One(op.F2I, op.M(op.MU32, op.MTRUNC, op.MNTZ), f)
	n = l.Shl1(l.And2(n, ori.Imm(fractionSteps)), ori.Imm(policyShift))
	l.Copy(l.Dst(0), build.Value{expand.RZ(), l.Or2(n, expand.Word(bits<<policyShift))})
}

// priority returns the bits of the eviction priorities of createpolicy.
func priority(l *build.Builder) uint32 {
	bits, seen := uint32(0), 0
	for _, w := range l.Body.ModsOf(l.In) {
		for _, p := range priorities {
			if p.word != w {
				continue
			}
			l.Knows(w)
			if seen++; seen == 1 {
				bits = p.bits
			} else if w == isa.WL2EvictFirst {
				bits |= policySecond
			}
		}
	}
	return bits
}

// A policy of a range counts lines of at least 4 KiB: so many that the whole
// window has at most 128 of them. It names the first and how many have the
// primary priority.
const (
	policyRange   = 0x80
	policyFirst   = 12
	policyCount   = 5
	policyLines   = 0x7f
	smallestLine  = 12 // 4 KiB
	linesInWindow = 7  // 128
)

// createpolicyRange lowers createpolicy.range: primary and total size follow
// the address.
func createpolicyRange(l *build.Builder) {
	l.Knows(isa.WRange)
	bits := priority(l) | policyRange
	a := generic(l, &l.Args[1])
	primary, total := l.Src1(2, isa.U32), l.Src1(3, isa.U32)
	lg := l.One(op.MUFU, op.M(op.MLG2), expand.ToFloat(&l.Writer, total, false))
	n := l.One(op.F2I, op.M(op.MU32, op.MCEIL, op.MNTZ), lg)
	n = l.Iadd(n, ori.Imm(-linesInWindow))
	n = l.Sel1(n, ori.Imm(smallestLine), l.Cmp1(op.MGT, true, n, ori.Imm(smallestLine)))
	reach := l.One(op.IADD3, op.Mods{}, primary, ori.Imm(-1), l.Shl1(l.Reg(ori.Imm(1)), n))
	end := l.Add64(a, build.Value{reach, expand.RZ()}, false)
	first, last := shr64(l, a, n), shr64(l, end, n)
	count := l.Diff(last, first)
	few := l.Cmp(op.MLT, false, count, expand.Imm(policyLines, 2))
	c := l.Sel1(count[0], ori.Imm(policyLines), few)
	hi := l.Or2(l.Shl1(l.And2(l.Iadd(n, ori.Imm(-smallestLine)), ori.Imm(15)), ori.Imm(policyShift)), expand.Word(bits<<policyShift))
	hi = l.Or2(hi, l.Shl1(l.And2(first[0], ori.Imm(policyLines)), ori.Imm(policyFirst)))
	hi = l.Or2(hi, l.Shl1(l.And2(c, ori.Imm(policyLines)), ori.Imm(policyCount)))
	none := expand.Word((priorities[0].bits | policyRange) << policyShift) // nothing is changed
	l.Copy(l.Dst(0), build.Value{expand.RZ(), l.Sel1(none, hi, l.Cmp1(op.MEQ, false, total, expand.RZ()))})
}

// shr64 shifts a 64-bit value right.
func shr64(l *build.Builder, a build.Value, n ori.Operand) build.Value {
	return build.Value{l.One(op.SHF, op.M(op.MR, op.MU64), a[0], n, a[1]), l.Shr1(a[1], n)}
}

// generic returns the address that an operand names, as a generic one.
func generic(l *build.Builder, a *sema.Operand) build.Value {
	s := Space(l, a)
	var v build.Value
	switch a.Base {
	case isa.KReg:
		v = AddressWords(l, a)
		if a.Value != 0 {
			v = l.Add64(v, expand.Imm(a.Value, 2), false)
		}
	case isa.KSymbol:
		v = l.Symbol(a, 2)
	default:
		l.Unsupported()
	}
	if s == isa.Generic {
		return v
	}
	return convert(l, v, s, false)
}

// TensormapCache lowers what is done to the caches of tensor maps. Where the
// cache of uniform constants holds them too it forgets them first.
func TensormapCache(l *build.Builder, kind op.Mod, a *sema.Operand) {
	x := &build.Order{Blocks: []build.Value{generic(l, a)}, Same: true, Do: func(u []ori.Operand) *ori.Instr {
		return l.Emit(op.UTMACCTL, op.M(kind), nil, mapAddress(u[0]))
	}}
	if kind == op.MIV && l.Arch.Has(target.CachedMaps) {
		x.First = func(u []ori.Operand) *ori.Instr {
			return l.Emit(op.CCTL, op.M(op.ME, op.MC, op.MLDCU, op.MIV, op.MDEEP), nil, mapAddress(u[0]))
		}
	}
	l.Issue(x)
}

// mapAddress is the address of a tensor map in a pair of uniform registers.
func mapAddress(u ori.Operand) ori.Operand {
	at := ori.Addr(u, 0)
	at.Flags &^= ori.Wide
	return at
}

// istypep lowers istypep: what a handle is stands in its upper word.
func istypep(l *build.Builder) {
	bit := uint32(0)
	switch l.Typ(0) {
	case isa.Texref:
		bit = 1 << 29
	case isa.Samplerref:
		bit = 1 << 30
	case isa.Surfref:
		bit = 1 << 31
	default:
		l.Unsupported()
	}
	h := l.And2(l.Src(1, isa.B64)[1], expand.Word(bit))
	l.Emit(op.ISETP, op.M(op.MNE, op.MU32, op.MAND), build.Value{l.DstPred(0)}, h, expand.RZ(), expand.PT())
}

// constant returns argument n as a number if it is a float constant.
func constant(l *build.Builder, n int) (float64, bool) {
	switch a := &l.Args[n]; a.Kind {
	case isa.KSingle:
		return float64(math.Float32frombits(uint32(a.Value))), true
	case isa.KDouble:
		return math.Float64frombits(a.Value), true
	}
	return 0, false
}

// createpolicyOther lowers createpolicy.cvt, which is the descriptor that
// the driver made of an access property.
func createpolicyOther(l *build.Builder) {
	if l.Has(isa.WRange) {
		createpolicyRange(l)
		return
	}
	if !l.Has(isa.WCvt) {
		l.Unsupported()
	}
	l.Knows(isa.WL2)
	l.Copy(l.Dst(0), l.Src(1, isa.B64))
}

// prefetch lowers prefetch, prefetchu, applypriority and discard.
func prefetch(l *build.Builder) {
	a := &l.Args[0]
	if l.Has(isa.WTensormap) {
		TensormapCache(l, op.MPF, a)
		return
	}
	s := Space(l, a)
	kind := op.MPF1
	for _, w := range l.Body.ModsOf(l.In) {
		switch w {
		case isa.WL2, isa.WL2EvictNormal:
			kind = op.MPF2
		case isa.WL2EvictLast:
			kind = op.MPML2
		case isa.WL1:
		default:
			continue
		}
		l.Knows(w)
	}
	switch l.In.Op {
	case isa.WApplypriority:
		kind = op.MDML2
	case isa.WDiscard:
		kind = op.MRML2
	}
	if s == isa.SpaceLocal {
		l.Emit(op.CCTLL, op.M(kind), nil, Address(l, a, s)...)
		return
	}
	if s == isa.SpaceParam || s == isa.SpaceShared {
		l.Unsupported()
	}
	l.Emit(op.CCTL, op.M(op.ME, kind), nil, pointer(l, a, s))
}
