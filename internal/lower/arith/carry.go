package arith

import (
	"github.com/goptxas/goptxas/internal/codegen/expand"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// The condition code of add.cc and its kin is a predicate that holds the
// adder's carry. A subtraction adds the complement, so its carry means that
// nothing was borrowed; code that mixes both sees the adder's view, as with
// the reference.

// carryReg returns the predicate of the condition code.
func carryReg(l *build.Builder) ori.Operand {
	if l.Carry == ori.NoReg {
		l.Carry = l.F.NewReg(ori.P, 1)
	}
	return l.F.Words(l.Carry)
}

// addc lowers addc and subc, and add and sub with .cc.
func addc(l *build.Builder) {
	t := l.Typ(0)
	sub := l.In.Op == isa.WSub || l.In.Op == isa.WSubc
	reads := l.In.Op == isa.WAddc || l.In.Op == isa.WSubc
	chain(l, l.Src(1, t), l.Src(2, t), sub, reads)
}

// madc lowers madc, and mad with .cc.
func madc(l *build.Builder) {
	t := l.Typ(0)
	a, b := l.Src(1, t), l.Src(2, t)
	l.Knows(isa.WLo)
	var p build.Value
	if l.Has(isa.WHi) {
		p = l.High(a, b, t.Class() == isa.Signed)
	} else {
		p = l.Times(a, b)
	}
	chain(l, p, l.Src(3, t), false, l.In.Op == isa.WMadc)
}

// chain writes a+b or a-b with the carry that comes in, if it reads one,
// and notes the one that goes out, if .cc says so.
func chain(l *build.Builder, a, b build.Value, sub, reads bool) {
	d := l.Dst(0)
	r := l.Tmp(len(a))
	l.Knows(isa.WCc)
	carry := carryReg(l)
	in := carry
	for k := range a {
		last := k == len(a)-1
		dsts := build.Value{r[k]}
		switch {
		case !last:
			dsts = append(dsts, l.Pred())
		case l.Has(isa.WCc):
			dsts = append(dsts, carry)
		}
		y := b[k]
		switch {
		case k == 0 && !reads && !sub:
			l.Emit(op.IADD3, op.Mods{}, dsts, a[k], y, expand.RZ())
		case k == 0 && !reads:
			l.Emit(op.IADD3, op.M(op.MX), dsts, a[k], expand.Invert(y), expand.RZ(), expand.PT(), expand.PT().Not())
		default:
			if sub {
				y = expand.Invert(y)
			}
			l.Emit(op.IADD3, op.M(op.MX), dsts, a[k], y, expand.RZ(), in, expand.PT().Not())
		}
		if !last {
			in = dsts[1]
		}
	}
	l.Copy(d[:len(a)], r)
}

// AddSat writes a+b or a-b of s32 values clamped to their range. The sum
// overflowed if its sign is neither operand's; it then went past the end
// that the first operand's sign tells.
func AddSat(l *build.Builder, d, a, b ori.Operand, sub bool) {
	t := l.Iadd(a, expand.Pick(sub, expand.Negate(b), b))
	// (a^t) & (b^t), or (a^b) & (a^t): inputs a, b, t are 0xf0, 0xcc, 0xaa
	lut := int64((0xf0 ^ 0xaa) & (0xcc ^ 0xaa))
	if sub {
		lut = (0xf0 ^ 0xcc) & (0xf0 ^ 0xaa)
	}
	over := l.Cmp1(op.MLT, true, l.Lop(lut, a, b, t), expand.RZ())
	end := l.Xor2(l.Sar1(a, ori.Imm(31)), ori.Imm32(0x7fffffff))
	l.Emit(op.SEL, op.Mods{}, build.Value{d}, end, t, over)
}
