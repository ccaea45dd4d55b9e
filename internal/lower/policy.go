package lower

import (
	"math"

	"goptxas/internal/ori"
	"goptxas/internal/ori/op"
	"goptxas/internal/ptx/isa"
	"goptxas/internal/ptx/sema"
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
	if !l.has(isa.WCvt) {
		l.unsupported()
	}
	l.knows(isa.WL2)
	l.copy(l.dst(0), l.src(1, isa.B64))
}

// prefetch lowers prefetch, prefetchu, applypriority and discard.
func (l *lowerer) prefetch() {
	a := &l.args[0]
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
