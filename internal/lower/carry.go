package lower

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// The condition code of add.cc and its kin is a predicate that holds the
// adder's carry. A subtraction adds the complement, so its carry means that
// nothing was borrowed; code that mixes both sees the adder's view, as with
// the reference.

// carryReg returns the predicate of the condition code.
func (l *lowerer) carryReg() ori.Operand {
	if l.carry == ori.NoReg {
		l.carry = l.f.NewReg(ori.P, 1)
	}
	return l.f.Words(l.carry)
}

// addc lowers addc and subc, and add and sub with .cc.
func (l *lowerer) addc() {
	t := l.typ(0)
	sub := l.in.Op == isa.WSub || l.in.Op == isa.WSubc
	reads := l.in.Op == isa.WAddc || l.in.Op == isa.WSubc
	l.chain(l.src(1, t), l.src(2, t), sub, reads)
}

// madc lowers madc, and mad with .cc.
func (l *lowerer) madc() {
	t := l.typ(0)
	a, b := l.src(1, t), l.src(2, t)
	l.knows(isa.WLo)
	var p value
	if l.has(isa.WHi) {
		p = l.high(a, b, t.Class() == isa.Signed)
	} else {
		p = l.times(a, b)
	}
	l.chain(p, l.src(3, t), false, l.in.Op == isa.WMadc)
}

// chain writes a+b or a-b with the carry that comes in, if it reads one,
// and notes the one that goes out, if .cc says so.
func (l *lowerer) chain(a, b value, sub, reads bool) {
	d := l.dst(0)
	r := l.tmp(len(a))
	l.knows(isa.WCc)
	carry := l.carryReg()
	in := carry
	for k := range a {
		last := k == len(a)-1
		dsts := value{r[k]}
		switch {
		case !last:
			dsts = append(dsts, l.pred())
		case l.has(isa.WCc):
			dsts = append(dsts, carry)
		}
		y := b[k]
		switch {
		case k == 0 && !reads && !sub:
			l.emit(op.IADD3, op.Mods{}, dsts, a[k], y, rz())
		case k == 0 && !reads:
			l.emit(op.IADD3, op.M(op.MX), dsts, a[k], invert(y), rz(), pt(), pt().Not())
		default:
			if sub {
				y = invert(y)
			}
			l.emit(op.IADD3, op.M(op.MX), dsts, a[k], y, rz(), in, pt().Not())
		}
		if !last {
			in = dsts[1]
		}
	}
	l.copy(d[:len(a)], r)
}

// addSat writes a+b or a-b of s32 values clamped to their range. The sum
// overflowed if its sign is neither operand's; it then went past the end
// that the first operand's sign tells.
func (l *lowerer) addSat(d, a, b ori.Operand, sub bool) {
	t := l.iadd(a, pick(sub, negate(b), b))
	// (a^t) & (b^t), or (a^b) & (a^t): inputs a, b, t are 0xf0, 0xcc, 0xaa
	lut := int64((0xf0 ^ 0xaa) & (0xcc ^ 0xaa))
	if sub {
		lut = (0xf0 ^ 0xcc) & (0xf0 ^ 0xaa)
	}
	over := l.cmp1(op.MLT, true, l.lop(lut, a, b, t), rz())
	end := l.xor2(l.sar1(a, ori.Imm(31)), ori.Imm32(0x7fffffff))
	l.emit(op.SEL, op.Mods{}, value{d}, end, t, over)
}

func pick(c bool, a, b ori.Operand) ori.Operand {
	if c {
		return a
	}
	return b
}
