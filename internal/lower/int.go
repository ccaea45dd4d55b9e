package lower

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/target"
)

// add lowers add and sub.
func (l *lowerer) add() {
	t := l.typ(0)
	if t.Class() == isa.Float || t.Class() == isa.PackedFloat {
		l.addFloat(t)
		return
	}
	sub := l.in.Op == isa.WSub
	switch {
	case l.has(isa.WCc):
		l.addc()
		return
	case l.has(isa.WSat):
		l.addSat(l.dst(0)[0], l.src1(1, t), l.src1(2, t), sub)
		return
	case t.Class() == isa.PackedInt:
		l.addPacked(l.dst(0)[:1], l.src1(1, t), l.src1(2, t))
		return
	}
	d, a, b := l.dst(0), l.src(1, t), l.src(2, t)
	if words(t) == 1 {
		y := b[0]
		if sub {
			y = negate(y)
		}
		l.emit(op.IADD3, op.Mods{}, d[:1], a[0], y, rz())
		return
	}
	l.copy(d, l.add64(a, b, sub))
}

// negate returns -x; constants fold.
func negate(x ori.Operand) ori.Operand {
	switch x.Kind {
	case ori.KImm:
		return word(-uint32(x.Imm))
	case ori.KZero:
		return x
	}
	return x.Negate()
}

// invert returns ~x; constants fold.
func invert(x ori.Operand) ori.Operand {
	switch x.Kind {
	case ori.KImm:
		return word(^uint32(x.Imm))
	case ori.KZero:
		return ori.Imm32(^uint32(0))
	}
	return x.Not()
}

// add64 adds or subtracts 64-bit values. The carry of a subtraction means
// that nothing was borrowed: a - b = a + ~b + 1.
func (l *lowerer) add64(a, b value, sub bool) value {
	t, c := l.tmp(2), l.pred()
	if sub {
		if b[0].Kind == ori.KZero { // -0 gives no carry: nothing to borrow
			l.emit(op.MOV, op.Mods{}, t[:1], a[0])
			l.emit(op.IADD3, op.Mods{}, t[1:], a[1], negate(b[1]), rz())
			return t
		}
		l.emit(op.IADD3, op.Mods{}, value{t[0], c}, a[0], negate(b[0]), rz())
		l.emit(op.IADD3, op.M(op.MX), t[1:], a[1], invert(b[1]), rz(), c, pt().Not())
		return t
	}
	l.emit(op.IADD3, op.Mods{}, value{t[0], c}, a[0], b[0], rz())
	l.emit(op.IADD3, op.M(op.MX), t[1:], a[1], b[1], rz(), c, pt().Not())
	return t
}

func (l *lowerer) neg() {
	t := l.typ(0)
	if t.Class() == isa.Float || t.Class() == isa.PackedFloat {
		l.negFloat(t)
		return
	}
	d, a := l.dst(0), l.src(1, t)
	if words(t) == 1 {
		l.emit(op.IADD3, op.Mods{}, d[:1], rz(), negate(a[0]), rz())
		return
	}
	l.copy(d, l.add64(value{rz(), rz()}, a, true))
}

// mul lowers mul.
func (l *lowerer) mul() {
	t := l.typ(0)
	if t.Class() == isa.Float || t.Class() == isa.PackedFloat {
		l.mulFloat(t)
		return
	}
	l.product(value{rz(), rz()})
}

// mad lowers mad.
func (l *lowerer) mad() {
	t := l.typ(0)
	if t.Class() == isa.Float || t.Class() == isa.PackedFloat {
		l.fma()
		return
	}
	if l.has(isa.WCc) {
		l.madc()
		return
	}
	if l.has(isa.WSat) { // mad.hi.sat.s32
		l.knows(isa.WHi)
		h := l.high(l.src(1, t), l.src(2, t), true)
		l.addSat(l.dst(0)[0], h[0], l.src1(3, t), false)
		return
	}
	at := t
	if l.has(isa.WWide) {
		at = double(t)
	}
	l.product(l.src(3, at))
}

// double returns the type twice as wide with the same sign.
func double(t isa.Type) isa.Type {
	switch t {
	case isa.S16:
		return isa.S32
	case isa.U16:
		return isa.U32
	case isa.S32:
		return isa.S64
	}
	return isa.U64
}

// product computes a*b+c in the way .lo, .hi or .wide says.
func (l *lowerer) product(c value) {
	t := l.typ(0)
	d, a, b := l.dst(0), l.extended(1, t), l.extended(2, t)
	signed := t.Class() == isa.Signed
	l.knows(isa.WLo)
	l.knows(isa.WHi)
	l.knows(isa.WWide)
	switch {
	case t.Bits() == 16:
		p := l.one(op.IMAD, op.Mods{}, a[0], b[0], rz())
		if l.has(isa.WHi) {
			m := op.M(op.MR, op.MU32, op.MHI)
			if signed {
				m = op.M(op.MR, op.MS32, op.MHI)
			}
			p = l.one(op.SHF, m, rz(), ori.Imm(16), p)
		}
		l.emit(op.IADD3, op.Mods{}, d[:1], p, c[0], rz())
	case t.Bits() == 32 && l.has(isa.WLo):
		l.emit(op.IMAD, op.Mods{}, d[:1], a[0], b[0], c[0])
	case t.Bits() == 32 && l.has(isa.WWide):
		r := l.wide(a[0], b[0], c, signed)
		l.copy(d, r)
	case t.Bits() == 32:
		l.emit(op.IADD3, op.Mods{}, d[:1], l.high(a, b, signed)[0], c[0], rz())
	case l.has(isa.WLo):
		l.copy(d, l.mul64(a, b, c))
	default:
		l.copy(d, l.add64(l.high64(a, b, signed), c, false))
	}
}

// addPacked adds two pairs of 16-bit values.
func (l *lowerer) addPacked(d value, a, b ori.Operand) {
	if l.arch.Has(target.PackedInts) {
		l.emit(op.VIADD, op.M(op.M16x2), d, a, b)
		return
	}
	// the low half is kept from carrying into the high one
	hi := l.iadd(l.and2(a, ori.Imm32(0xffff0000)), b)
	l.emit(op.PRMT, op.Mods{}, d, l.iadd(a, b), ori.Imm(0x7610), hi)
}

// wide computes the 64-bit product of two words plus a 64-bit value.
func (l *lowerer) wide(a, b ori.Operand, c value, signed bool) value {
	m := op.M(op.MWIDE)
	if !signed {
		m = op.M(op.MWIDE, op.MU32)
	}
	t := l.tmp(2)
	addend := rz()
	if c[0].Kind != ori.KZero || c[1].Kind != ori.KZero {
		addend = whole(l.pair(c))
	}
	l.emit(op.IMAD, m, value{whole(t)}, l.reg(a), b, addend)
	return t
}

// mul64 computes the low 64 bits of a*b+c.
func (l *lowerer) mul64(a, b, c value) value {
	p := l.wide(a[0], b[0], c, false)
	t := l.tmp(2)
	l.emit(op.COPY, op.Mods{}, t[:1], p[0])
	hi := p[1]
	if a[1].Kind != ori.KZero {
		hi = l.imad(a[1], b[0], hi)
	}
	if b[1].Kind != ori.KZero {
		hi = l.imad(a[0], b[1], hi)
	}
	l.emit(op.COPY, op.Mods{}, t[1:], hi)
	return t
}

// luts of the two-input operations: bit n of the table is the result for
// the inputs whose pattern is 0xf0, 0xcc, 0xaa at bit n.
const (
	lutAnd = 0xf0 & 0xcc
	lutOr  = 0xf0 | 0xcc
	lutXor = 0xf0 ^ 0xcc
	lutNot = 0xff &^ 0xf0
)

// logic lowers and, or, xor and not.
func (l *lowerer) logic() {
	t := l.typ(0)
	lut := int64(lutNot)
	switch l.in.Op {
	case isa.WAnd:
		lut = lutAnd
	case isa.WOr:
		lut = lutOr
	case isa.WXor:
		lut = lutXor
	}
	if t == isa.Pred {
		a, b := l.predicate(1), pt()
		if l.in.Op != isa.WNot {
			b = l.predicate(2)
		}
		l.emit(op.PLOP3, op.M(op.MLUT), value{l.dstPred(0)}, a, b, pt(), ori.Imm(lut), ori.Imm(0))
		return
	}
	d, a := l.dst(0), l.src(1, t)
	b := value{rz(), rz()}
	if l.in.Op != isa.WNot {
		b = l.src(2, t)
	}
	r := d
	if len(a) > 1 {
		r = l.tmp(len(a))
	}
	for n := range a {
		l.emit(op.LOP3, op.M(op.MLUT), r[n:n+1], a[n], b[n], rz(), ori.Imm(lut))
	}
	if len(a) > 1 {
		l.copy(d, r)
	}
}

// shift lowers shl and shr. The machine clamps counts as PTX wants.
func (l *lowerer) shift() {
	t := l.typ(0)
	d := l.dst(0)
	n := l.src1(2, isa.U32)
	left := l.in.Op == isa.WShl
	if words(t) == 1 {
		a := l.extended(1, t)[0]
		switch {
		case left:
			l.emit(op.SHF, op.M(op.ML, op.MU32), d[:1], a, n, rz())
		case t.Class() == isa.Signed:
			l.emit(op.SHF, op.M(op.MR, op.MS32, op.MHI), d[:1], rz(), n, a)
		default:
			l.emit(op.SHF, op.M(op.MR, op.MU32, op.MHI), d[:1], rz(), n, a)
		}
		return
	}
	a := l.src(1, t)
	r := l.tmp(2)
	switch {
	case left:
		l.emit(op.SHF, op.M(op.ML, op.MU64, op.MHI), r[1:], a[0], n, a[1])
		l.emit(op.SHF, op.M(op.ML, op.MU32), r[:1], a[0], n, rz())
	case t.Class() == isa.Signed:
		l.emit(op.SHF, op.M(op.MR, op.MS64), r[:1], a[0], n, a[1])
		l.emit(op.SHF, op.M(op.MR, op.MS32, op.MHI), r[1:], rz(), n, a[1])
	default:
		l.emit(op.SHF, op.M(op.MR, op.MU64), r[:1], a[0], n, a[1])
		l.emit(op.SHF, op.M(op.MR, op.MU32, op.MHI), r[1:], rz(), n, a[1])
	}
	l.copy(d, r)
}

// mov lowers mov, including packing and unpacking.
func (l *lowerer) mov() {
	t := l.typ(0)
	if t == isa.Pred {
		p := l.predicate(1)
		l.emit(op.PLOP3, op.M(op.MLUT), value{l.dstPred(0)}, p, pt(), pt(), ori.Imm(0xf0), ori.Imm(0))
		return
	}
	d, s := &l.args[0], &l.args[1]
	if d.Kind == isa.KVector && s.Kind == isa.KSpecial { // all parts of a special register
		l.knows(isa.WV4)
		for k, e := range l.elements(0) {
			if e.Kind == isa.KReg {
				l.copy(l.words(l.regs[e.Ref])[:1], l.special(isa.SpecialReg(s.Ref), k+1, 1))
			}
		}
		return
	}
	if l.has(isa.WV2) || l.has(isa.WV4) {
		l.movVector(t)
		return
	}
	if d.Kind == isa.KVector || s.Kind == isa.KVector {
		l.pack(t)
		return
	}
	l.copy(l.dst(0)[:words(t)], l.src(1, t))
}

// movVector moves the elements of a vector. All are read before the first is
// written: a vector may change places with itself.
func (l *lowerer) movVector(t isa.Type) {
	es, from := l.elements(0), l.elements(1)
	if len(es) != len(from) {
		l.unsupported()
	}
	n := words(t)
	r := l.tmp(n * len(from))
	for k := range from {
		l.copy(r[n*k:n*k+n], l.read(&from[k], t))
	}
	for k := range es {
		if es[k].Kind == isa.KReg {
			l.copy(l.words(l.regs[es[k].Ref])[:n], r[n*k:n*k+n])
		}
	}
}
