package lower

import (
	"math"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
)

// policyDesc returns the memory descriptor that a cache policy is: its two
// words go to uniform registers as they are.
func (l *lowerer) policyDesc(v value) ori.Operand {
	u := l.f.NewReg(ori.UR, 2)
	for n := range 2 {
		l.emit(op.R2UR, op.Mods{}, value{l.f.Word(u, n)}, l.reg(v[n]))
	}
	d := l.f.Words(u)
	d.Kind = ori.KDesc
	return d
}

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
func (l *lowerer) createpolicy() {
	l.knows(isa.WFractional)
	if !l.has(isa.WFractional) {
		l.createpolicyOther()
		return
	}
	bits := l.priority()
	if len(l.args) < 2 {
		l.copy(l.dst(0), value{rz(), word((bits | fractionSteps) << policyShift)})
		return
	}
	if f, ok := l.constant(1); ok {
		n := uint32(max(0, min(fractionSteps, f*fractionScale)))
		l.copy(l.dst(0), value{rz(), word((bits | n) << policyShift)})
		return
	}
	f := l.one(op.FMUL, op.Mods{}, l.src1(1, isa.F32), ori.Imm32(math.Float32bits(fractionScale)))
	n := l.one(op.F2I, op.M(op.MU32, op.MTRUNC, op.MNTZ), f)
	n = l.shl1(l.and2(n, ori.Imm(fractionSteps)), ori.Imm(policyShift))
	l.copy(l.dst(0), value{rz(), l.or2(n, word(bits<<policyShift))})
}

// priority returns the bits of the eviction priorities of createpolicy.
func (l *lowerer) priority() uint32 {
	bits, seen := uint32(0), 0
	for _, w := range l.body.ModsOf(l.in) {
		for _, p := range priorities {
			if p.word != w {
				continue
			}
			l.knows(w)
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
func (l *lowerer) createpolicyRange() {
	l.knows(isa.WRange)
	bits := l.priority() | policyRange
	a := l.generic(&l.args[1])
	primary, total := l.src1(2, isa.U32), l.src1(3, isa.U32)
	lg := l.one(op.MUFU, op.M(op.MLG2), l.toFloat(total, false))
	n := l.one(op.F2I, op.M(op.MU32, op.MCEIL, op.MNTZ), lg)
	n = l.iadd(n, ori.Imm(-linesInWindow))
	n = l.sel1(n, ori.Imm(smallestLine), l.cmp1(op.MGT, true, n, ori.Imm(smallestLine)))
	reach := l.one(op.IADD3, op.Mods{}, primary, ori.Imm(-1), l.shl1(l.reg(ori.Imm(1)), n))
	end := l.add64(a, value{reach, rz()}, false)
	first, last := l.shr64(a, n), l.shr64(end, n)
	count := l.diff(last, first)
	few := l.cmp(op.MLT, false, count, imm(policyLines, 2))
	c := l.sel1(count[0], ori.Imm(policyLines), few)
	hi := l.or2(l.shl1(l.and2(l.iadd(n, ori.Imm(-smallestLine)), ori.Imm(15)), ori.Imm(policyShift)), word(bits<<policyShift))
	hi = l.or2(hi, l.shl1(l.and2(first[0], ori.Imm(policyLines)), ori.Imm(policyFirst)))
	hi = l.or2(hi, l.shl1(l.and2(c, ori.Imm(policyLines)), ori.Imm(policyCount)))
	none := word((priorities[0].bits | policyRange) << policyShift) // nothing is changed
	l.copy(l.dst(0), value{rz(), l.sel1(none, hi, l.cmp1(op.MEQ, false, total, rz()))})
}

// shr64 shifts a 64-bit value right.
func (l *lowerer) shr64(a value, n ori.Operand) value {
	return value{l.one(op.SHF, op.M(op.MR, op.MU64), a[0], n, a[1]), l.shr1(a[1], n)}
}

// generic returns the address that an operand names, as a generic one.
func (l *lowerer) generic(a *sema.Operand) value {
	s := l.space(a)
	var v value
	switch a.Base {
	case isa.KReg:
		v = l.words(l.regs[a.Ref])
		if a.Value != 0 {
			v = l.add64(v, imm(a.Value, 2), false)
		}
	case isa.KSymbol:
		v = l.symbol(a, 2)
	default:
		l.unsupported()
	}
	if s == isa.Generic {
		return v
	}
	return l.convert(v, s, false)
}

// tensormapCache lowers what is done to the cache of tensor maps.
func (l *lowerer) tensormapCache(kind op.Mod, a *sema.Operand) {
	l.issue(&order{blocks: []value{l.generic(a)}, same: true, do: func(u []ori.Operand) *ori.Instr {
		at := ori.Addr(u[0], 0)
		at.Flags &^= ori.Wide
		return l.emit(op.UTMACCTL, op.M(kind), nil, at)
	}})
}

// istypep lowers istypep: what a handle is stands in its upper word.
func (l *lowerer) istypep() {
	bit := uint32(0)
	switch l.typ(0) {
	case isa.Texref:
		bit = 1 << 29
	case isa.Samplerref:
		bit = 1 << 30
	case isa.Surfref:
		bit = 1 << 31
	default:
		l.unsupported()
	}
	h := l.and2(l.src(1, isa.B64)[1], word(bit))
	l.emit(op.ISETP, op.M(op.MNE, op.MU32, op.MAND), value{l.dstPred(0)}, h, rz(), pt())
}

// constant returns argument n as a number if it is a float constant.
func (l *lowerer) constant(n int) (float64, bool) {
	switch a := &l.args[n]; a.Kind {
	case isa.KSingle:
		return float64(math.Float32frombits(uint32(a.Value))), true
	case isa.KDouble:
		return math.Float64frombits(a.Value), true
	}
	return 0, false
}

// createpolicyOther lowers createpolicy.cvt, which is the descriptor that
// the driver made of an access property.
func (l *lowerer) createpolicyOther() {
	if l.has(isa.WRange) {
		l.createpolicyRange()
		return
	}
	if !l.has(isa.WCvt) {
		l.unsupported()
	}
	l.knows(isa.WL2)
	l.copy(l.dst(0), l.src(1, isa.B64))
}

// prefetch lowers prefetch, prefetchu, applypriority and discard.
func (l *lowerer) prefetch() {
	a := &l.args[0]
	if l.has(isa.WTensormap) {
		l.tensormapCache(op.MPF, a)
		return
	}
	s := l.space(a)
	kind := op.MPF1
	for _, w := range l.body.ModsOf(l.in) {
		switch w {
		case isa.WL2, isa.WL2EvictNormal:
			kind = op.MPF2
		case isa.WL2EvictLast:
			kind = op.MPML2
		case isa.WL1:
		default:
			continue
		}
		l.knows(w)
	}
	switch l.in.Op {
	case isa.WApplypriority:
		kind = op.MDML2
	case isa.WDiscard:
		kind = op.MRML2
	}
	if s == isa.SpaceLocal {
		l.emit(op.CCTLL, op.M(kind), nil, l.address(a, s)...)
		return
	}
	if s == isa.SpaceParam || s == isa.SpaceShared {
		l.unsupported()
	}
	l.emit(op.CCTL, op.M(op.ME, kind), nil, l.pointer(a, s))
}

// pointer returns an address of global memory as the forms without a
// descriptor want it: a pair of registers, spelled without .64.
func (l *lowerer) pointer(a *sema.Operand, s isa.Space) ori.Operand {
	x := l.address(a, s)[0]
	x.Flags &^= ori.Wide
	return x
}
