package lower

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
)

// Video instructions. The scalar ones compute with more than 32 bits in
// between, here with two words, clamp to the type of the result and merge it
// into a third operand or combine it with one.

// plain returns argument n without its sign.
func (l *lowerer) plain(n int) ori.Operand {
	a := l.args[n]
	a.Flags &^= sema.Neg
	return l.reg(l.read(&a, isa.B32)[0])
}

// pickPart returns the byte or half word that a selector names, extended.
func (l *lowerer) pickPart(w ori.Operand, sel isa.Word, signed bool) ori.Operand {
	first, bits := selected(sel)
	return l.lane(w, first, bits, signed)
}

// selected returns the place and size of what a selector names.
func selected(sel isa.Word) (first, bits int) {
	if sel == isa.WNone {
		return 0, 32
	}
	s := sel.String()
	n := int(s[len(s)-1] - '0')
	if s[0] == 'h' {
		return 16 * n, 16
	}
	return 8 * n, 8
}

// lane returns bits of a word from a place on, extended to a word.
func (l *lowerer) lane(w ori.Operand, first, bits int, signed bool) ori.Operand {
	if bits == 32 {
		return w
	}
	b := uint32(first / 8)
	top := b + uint32(bits/8) - 1
	fill := uint32(7) // a byte of the zero register
	if signed {
		fill = top | 8
	}
	sel := b
	for k := uint32(1); k < 4; k++ {
		x := fill
		if k < uint32(bits/8) {
			x = b + k
		}
		sel |= x << (4 * k)
	}
	return l.one(op.PRMT, op.Mods{}, w, ori.Imm(int64(sel)), rz())
}

// long returns a word as two.
func (l *lowerer) long(w ori.Operand, signed bool) value {
	if !signed {
		return value{w, rz()}
	}
	return value{w, l.sar1(w, ori.Imm(31))}
}

// video lowers the scalar video instructions but vmad.
func (l *lowerer) video() {
	to, ta, tb := l.typ(0), l.typ(1), l.typ(2)
	if l.in.Op == isa.WVset {
		to, ta, tb = isa.U32, l.typ(0), l.typ(1)
	}
	sa, sb := ta.Class() == isa.Signed, tb.Class() == isa.Signed
	a := l.long(l.pickPart(l.plain(1), l.args[1].Sel, sa), sa)
	b := l.long(l.pickPart(l.plain(2), l.args[2].Sel, sb), sb)
	first, bits := selected(l.args[0].Sel)
	r := l.videoOp(a, b)
	if l.has(isa.WSat) {
		r = l.clampLong(r, bits, to.Class() == isa.Signed)
	}
	l.second(r, to, first, bits)
}

// videoOp computes the operation of a scalar video instruction.
func (l *lowerer) videoOp(a, b value) value {
	less := func(cmp op.Mod) value { return l.sel(a, b, l.less64(a, b, cmp, true)) }
	switch l.in.Op {
	case isa.WVadd:
		return l.sum(a, b)
	case isa.WVsub:
		return l.diff(a, b)
	case isa.WVabsdiff:
		return l.magnitude(l.diff(a, b))
	case isa.WVmin:
		return less(op.MLT)
	case isa.WVmax:
		return less(op.MGT)
	case isa.WVset:
		cmp, _ := l.comparison()
		p := l.less64(a, b, cmp, true)
		return value{l.sel1(ori.Imm(1), rz(), p), rz()}
	}
	n := b[0]
	l.knows(isa.WClamp)
	if l.has(isa.WWrap) {
		n = l.and2(n, ori.Imm(31))
	} else {
		n = l.min1(op.M(op.MU32), l.reg(n), ori.Imm(32), pt())
	}
	if l.in.Op == isa.WVshr {
		return l.sar(a, n)
	}
	r := l.shl(a, n) // of which 34 bits are kept
	return value{r[0], l.one(op.SGXT, op.Mods{}, r[1], ori.Imm(2))}
}

// clampLong clamps two words to the range of a type.
func (l *lowerer) clampLong(v value, bits int, signed bool) value {
	lo, hi := int64(0), int64(1)<<bits-1
	if signed {
		lo, hi = -(int64(1) << (bits - 1)), int64(1)<<(bits-1)-1
	}
	min, max := imm(uint64(lo), 2), imm(uint64(hi), 2)
	v = l.sel(min, v, l.less64(v, min, op.MLT, true))
	return l.sel(max, v, l.less64(v, max, op.MGT, true))
}

// second writes a result after the secondary operation or merge. Minimum and
// maximum see the whole signed result, not only the word that is kept.
func (l *lowerer) second(r value, t isa.Type, first, bits int) {
	d := l.dst(0)[:1]
	if len(l.args) < 4 {
		l.copy(d, r[:1])
		return
	}
	c := l.plain(3)
	signed := t.Class() == isa.Signed
	pickBy := func(cmp op.Mod) {
		p := l.less64(r, l.long(c, signed), cmp, true)
		l.emit(op.SEL, op.Mods{}, d, r[0], c, p)
	}
	switch {
	case l.has(isa.WAdd):
		l.emit(op.IADD3, op.Mods{}, d, r[0], c, rz())
	case l.has(isa.WMin):
		pickBy(op.MLT)
	case l.has(isa.WMax):
		pickBy(op.MGT)
	default:
		l.emit(op.PRMT, op.Mods{}, d, r[0], ori.Imm(merge(first, bits)), c)
	}
}

// merge is the selector that puts the low bits of the first source into the
// second.
func merge(first, bits int) int64 {
	sel := int64(0x7654)
	for k := range bits / 8 {
		at := 4 * (first/8 + k)
		sel = sel&^(0xf<<at) | int64(k)<<at
	}
	return sel
}

// vmad lowers vmad: the product, its complement if it is negated, plus the
// addend or its complement and one, in three words; then scaled and clamped.
func (l *lowerer) vmad() {
	sa, sb := l.typ(1).Class() == isa.Signed, l.typ(2).Class() == isa.Signed
	a, b := l.pickPart(l.plain(1), l.args[1].Sel, sa), l.pickPart(l.plain(2), l.args[2].Sel, sb)
	c := l.plain(3)
	minus := func(n int) bool { return l.args[n].Flags&sema.Neg != 0 }
	negP, negC := minus(1) != minus(2), minus(3)
	final := sa || sb || negP || negC
	p := value{l.imad(a, b, rz()), l.high(value{a}, value{b}, false)[0], rz()}
	for _, f := range [...]struct {
		signed bool
		x, y   ori.Operand
	}{{sa, a, b}, {sb, b, a}} {
		if f.signed { // a negative factor makes the high word too large
			p[1] = l.iadd(p[1], negate(l.and2(l.sar1(f.x, ori.Imm(31)), f.y)))
		}
	}
	if sa || sb {
		p[2] = l.sar1(p[1], ori.Imm(31))
	}
	cs := value{c, rz(), rz()}
	if final && (sa || sb || negP) {
		s := l.sar1(c, ori.Imm(31))
		cs = value{c, s, s}
	}
	one := pt().Not()
	switch {
	case l.has(isa.WPo):
		one = pt()
	case negP:
		p, one = value{invert(p[0]), invert(p[1]), invert(p[2])}, pt()
	case negC:
		cs, one = value{invert(cs[0]), invert(cs[1]), invert(cs[2])}, pt()
	}
	r := l.tmp(3)
	in := one
	for k := range r {
		out := l.pred()
		l.emit(op.IADD3, op.M(op.MX), value{r[k], out}, p[k], cs[k], rz(), in, pt().Not())
		in = out
	}
	r = l.scaled(r)
	if l.has(isa.WSat) {
		r = l.clampVmad(r, final)
	}
	l.copy(l.dst(0)[:1], r[:1])
}

// scaled shifts three words down as the scale says.
func (l *lowerer) scaled(r value) value {
	var n ori.Operand
	switch {
	case l.has(isa.WShr7):
		n = ori.Imm(7)
	case l.has(isa.WShr15):
		n = ori.Imm(15)
	default:
		return r
	}
	m := op.M(op.MR, op.MU64)
	return value{l.one(op.SHF, m, r[0], n, r[1]), l.one(op.SHF, m, r[1], n, r[2]), l.sar1(r[2], n)}
}

// clampVmad clamps the three words of vmad's result, which is unsigned if
// nothing in it is signed.
func (l *lowerer) clampVmad(r value, signed bool) value {
	if !signed {
		p := l.cmp1(op.MNE, false, l.or2(r[1], r[2]), rz())
		return value{l.sel1(ori.Imm32(^uint32(0)), r[0], p)}
	}
	// the words above the first must repeat its sign
	s := l.sar1(r[0], ori.Imm(31))
	over := l.cmp1(op.MNE, false, l.lop((0xf0^0xaa)|(0xcc^0xaa), r[1], r[2], s), rz())
	end := l.xor2(l.sar1(r[2], ori.Imm(31)), ori.Imm32(0x7fffffff))
	return value{l.sel1(end, r[0], over)}
}
