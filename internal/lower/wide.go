package lower

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// Arithmetic on integer values of one or two words, so that an expansion is
// written once for both widths.

// iadd returns a+b of one word.
func (l *lowerer) iadd(a, b ori.Operand) ori.Operand {
	return l.one(op.IADD3, op.Mods{}, a, b, rz())
}

// imad returns the low word of a*b+c.
func (l *lowerer) imad(a, b, c ori.Operand) ori.Operand { return l.one(op.IMAD, op.Mods{}, a, b, c) }

// lop returns a bitwise function of three words.
func (l *lowerer) lop(lut int64, a, b, c ori.Operand) ori.Operand {
	return l.one(op.LOP3, op.M(op.MLUT), a, b, c, ori.Imm(lut))
}

// and2, or2 and xor2 return the bitwise functions of two words.
func (l *lowerer) and2(a, b ori.Operand) ori.Operand { return l.lop(lutAnd, a, b, rz()) }
func (l *lowerer) or2(a, b ori.Operand) ori.Operand  { return l.lop(lutOr, a, b, rz()) }
func (l *lowerer) xor2(a, b ori.Operand) ori.Operand { return l.lop(lutXor, a, b, rz()) }

// shl1, shr1 and sar1 shift one word; counts of 32 and more are clamped.
func (l *lowerer) shl1(a, n ori.Operand) ori.Operand {
	return l.one(op.SHF, op.M(op.ML, op.MU32), a, n, rz())
}

func (l *lowerer) shr1(a, n ori.Operand) ori.Operand {
	return l.one(op.SHF, op.M(op.MR, op.MU32, op.MHI), rz(), n, a)
}

func (l *lowerer) sar1(a, n ori.Operand) ori.Operand {
	return l.one(op.SHF, op.M(op.MR, op.MS32, op.MHI), rz(), n, a)
}

// sel1 returns a where p holds and b elsewhere.
func (l *lowerer) sel1(a, b, p ori.Operand) ori.Operand {
	d := l.tmp(1)
	l.selTo(d, a, b, p)
	return d[0]
}

// selTo is sel1 to a given place. The machine takes a constant as the second
// source only.
func (l *lowerer) selTo(d value, a, b, p ori.Operand) {
	if a.Kind == ori.KImm && b.Kind != ori.KImm {
		a, b, p = b, a, p.Not()
	}
	l.emit(op.SEL, op.Mods{}, d, a, b, p)
}

// sel is sel1 of whole values.
func (l *lowerer) sel(a, b value, p ori.Operand) value {
	r := l.tmp(len(a))
	for k := range a {
		l.selTo(r[k:k+1], a[k], b[k], p)
	}
	return r
}

// addIf adds b to d, or subtracts it, where p holds.
func (l *lowerer) addIf(p ori.Operand, d, b value, sub bool) {
	lo, hi := b[0], b[len(b)-1]
	if sub {
		lo, hi = negate(lo), invert(hi)
	}
	if len(d) == 1 {
		l.emitIf(p, op.IADD3, op.Mods{}, d, d[0], lo, rz())
		return
	}
	c := l.pred()
	l.emitIf(p, op.IADD3, op.Mods{}, value{d[0], c}, d[0], lo, rz())
	l.emitIf(p, op.IADD3, op.M(op.MX), d[1:], d[1], hi, rz(), c, pt().Not())
}

// emitIf emits an instruction that is executed where p holds.
func (l *lowerer) emitIf(p ori.Operand, o op.Op, m op.Mods, dsts value, srcs ...ori.Operand) {
	l.emit(o, m, dsts, srcs...).Guard = p
}

// cmp1 compares two words.
func (l *lowerer) cmp1(c op.Mod, signed bool, a, b ori.Operand) ori.Operand {
	m := op.M(c, op.MAND)
	if !signed {
		m = op.M(c, op.MU32, op.MAND)
	}
	return l.test(op.ISETP, m, a, b, pt())
}

// cmp compares two values.
func (l *lowerer) cmp(c op.Mod, signed bool, a, b value) ori.Operand {
	if len(a) == 1 {
		return l.cmp1(c, signed, a[0], b[0])
	}
	return l.less64(a, b, c, signed)
}

// plop returns a function of two predicates.
func (l *lowerer) plop(lut int64, a, b ori.Operand) ori.Operand {
	return l.test(op.PLOP3, op.M(op.MLUT), a, b, pt(), ori.Imm(lut), ori.Imm(0))
}

// sum and diff add and subtract values.
func (l *lowerer) sum(a, b value) value {
	if len(a) == 1 {
		return value{l.iadd(a[0], b[0])}
	}
	return l.add64(a, b, false)
}

func (l *lowerer) diff(a, b value) value {
	if len(a) == 1 {
		return value{l.iadd(a[0], negate(b[0]))}
	}
	return l.add64(a, b, true)
}

// negated returns -a.
func (l *lowerer) negated(a value) value { return l.diff(imm(0, len(a)), a) }

// times returns the low half of a*b.
func (l *lowerer) times(a, b value) value {
	if len(a) == 1 {
		return value{l.imad(a[0], b[0], rz())}
	}
	return l.mul64(a, b, value{rz(), rz()})
}

// high returns the high half of a*b.
func (l *lowerer) high(a, b value, signed bool) value {
	if len(a) == 1 {
		m := op.M(op.MHI, op.MU32)
		if signed {
			m = op.M(op.MHI)
		}
		return value{l.one(op.IMAD, m, l.reg(a[0]), b[0], rz())}
	}
	return l.high64(a, b, signed)
}

// high64 returns the high 64 bits of a 64-bit product. The products of unlike
// words are summed to three words, the carry of the low ones joins them, and
// all is added to the product of the high words. A negative factor makes the
// unsigned product too large by the other factor.
func (l *lowerer) high64(a, b value, signed bool) value {
	u32 := op.M(op.MWIDE, op.MU32)
	a0, a1 := l.reg(a[0]), l.reg(a[1])
	one, mid, low, h := l.tmp(2), l.tmp(2), l.tmp(2), l.tmp(2)
	top, carry, c := l.tmp(2), l.pred(), l.pred()
	l.emit(op.IMAD, u32, value{whole(one)}, a1, b[0], rz())
	l.emit(op.IMAD, u32, value{whole(mid), carry}, a0, b[1], whole(one))
	l.emit(op.IMAD, u32, value{whole(low)}, a0, b[0], rz())
	l.emit(op.COPY, op.Mods{}, top[:1], mid[1])
	l.emit(op.IADD3, op.M(op.MX), top[1:], rz(), rz(), rz(), carry, pt().Not())
	l.emit(op.IADD3, op.Mods{}, value{l.tmp(1)[0], c}, low[1], mid[0], rz())
	l.emit(op.IMAD, u32.With(op.MX), value{whole(h)}, a1, b[1], whole(top), c)
	if !signed {
		return h
	}
	for _, f := range [...][2]value{{a, b}, {b, a}} {
		s := l.sar1(f[0][1], ori.Imm(31))
		h = l.add64(h, value{l.and2(f[1][0], s), l.and2(f[1][1], s)}, true)
	}
	return h
}

// shl, shr and sar shift a value by a word; counts beyond the width are
// clamped as PTX wants.
func (l *lowerer) shl(a value, n ori.Operand) value {
	if len(a) == 1 {
		return value{l.shl1(a[0], n)}
	}
	r := l.tmp(2)
	l.emit(op.SHF, op.M(op.ML, op.MU64, op.MHI), r[1:], a[0], n, a[1])
	l.emit(op.SHF, op.M(op.ML, op.MU32), r[:1], a[0], n, rz())
	return r
}

func (l *lowerer) shr(a value, n ori.Operand) value {
	if len(a) == 1 {
		return value{l.shr1(a[0], n)}
	}
	return l.right64(a, n, op.MU64, op.MU32)
}

func (l *lowerer) sar(a value, n ori.Operand) value {
	if len(a) == 1 {
		return value{l.sar1(a[0], n)}
	}
	return l.right64(a, n, op.MS64, op.MS32)
}

// right64 shifts two words to the right, as unsigned or signed.
func (l *lowerer) right64(a value, n ori.Operand, both, high op.Mod) value {
	r := l.tmp(2)
	l.emit(op.SHF, op.M(op.MR, both), r[:1], a[0], n, a[1])
	l.emit(op.SHF, op.M(op.MR, high, op.MHI), r[1:], rz(), n, a[1])
	return r
}

// isZero tests a value for zero.
func (l *lowerer) isZero(a value) ori.Operand {
	w := a[0]
	if len(a) == 2 {
		w = l.or2(a[0], a[1])
	}
	return l.cmp1(op.MEQ, false, w, rz())
}

// isNegative tests the sign of a value.
func (l *lowerer) isNegative(a value) ori.Operand {
	return l.cmp1(op.MLT, true, a[len(a)-1], rz())
}

// magnitude returns |a| as an unsigned value.
func (l *lowerer) magnitude(a value) value {
	if len(a) == 1 {
		return value{l.one(op.IABS, op.Mods{}, l.reg(a[0]))}
	}
	return l.sel(l.negated(a), a, l.isNegative(a))
}

// known returns the constant a value is.
func known(a value) (v uint64, ok bool) {
	for k, w := range a {
		switch w.Kind {
		case ori.KImm:
			v |= uint64(uint32(w.Imm)) << (32 * k)
		case ori.KZero:
		default:
			return 0, false
		}
	}
	return v, true
}
