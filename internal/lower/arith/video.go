package arith

import (
	"github.com/goptxas/goptxas/internal/codegen/expand"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
)

// Video instructions. The scalar ones compute with more than 32 bits in
// between, here with two words, clamp to the type of the result and merge it
// into a third operand or combine it with one.

// plain returns argument n without its sign.
func plain(l *build.Builder, n int) ori.Operand {
	a := l.Args[n]
	a.Flags &^= sema.Neg
	return l.Reg(l.Read(&a, isa.B32)[0])
}

// pickPart returns the byte or half word that a selector names, extended.
func pickPart(l *build.Builder, w ori.Operand, sel isa.Word, signed bool) ori.Operand {
	first, bits := selected(sel)
	return l.Lane(w, first, bits, signed)
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

// long returns a word as two.
func long(l *build.Builder, w ori.Operand, signed bool) build.Value {
	if !signed {
		return build.Value{w, expand.RZ()}
	}
	return build.Value{w, l.Sar1(w, ori.Imm(31))}
}

// video lowers the scalar video instructions but vmad.
func video(l *build.Builder) {
	to, ta, tb := l.Typ(0), l.Typ(1), l.Typ(2)
	if l.In.Op == isa.WVset {
		to, ta, tb = isa.U32, l.Typ(0), l.Typ(1)
	}
	sa, sb := ta.Class() == isa.Signed, tb.Class() == isa.Signed
	a := long(l, pickPart(l, plain(l, 1), l.Args[1].Sel, sa), sa)
	b := long(l, pickPart(l, plain(l, 2), l.Args[2].Sel, sb), sb)
	first, bits := selected(l.Args[0].Sel)
	r := videoOp(l, a, b)
	if l.Has(isa.WSat) {
		r = clampLong(l, r, bits, to.Class() == isa.Signed)
	}
	second(l, r, to, first, bits)
}

// videoOp computes the operation of a scalar video instruction.
func videoOp(l *build.Builder, a, b build.Value) build.Value {
	less := func(cmp op.Mod) build.Value { return l.Sel(a, b, l.Less64(a, b, cmp, true)) }
	switch l.In.Op {
	case isa.WVadd:
		return l.Sum(a, b)
	case isa.WVsub:
		return l.Diff(a, b)
	case isa.WVabsdiff:
		return l.Magnitude(l.Diff(a, b))
	case isa.WVmin:
		return less(op.MLT)
	case isa.WVmax:
		return less(op.MGT)
	case isa.WVset:
		cmp, _ := comparison(l)
		p := l.Less64(a, b, cmp, true)
		return build.Value{l.Sel1(ori.Imm(1), expand.RZ(), p), expand.RZ()}
	}
	n := b[0]
	l.Knows(isa.WClamp)
	if l.Has(isa.WWrap) {
		n = l.And2(n, ori.Imm(31))
	} else {
		n = expand.Min1(&l.Writer, op.M(op.MU32), l.Reg(n), ori.Imm(32), expand.PT())
	}
	if l.In.Op == isa.WVshr {
		return l.Sar(a, n)
	}
	r := l.Shl(a, n) // of which 34 bits are kept
	return build.Value{r[0], l.One(op.SGXT, op.Mods{}, r[1], ori.Imm(2))}
}

// clampLong clamps two words to the range of a type.
func clampLong(l *build.Builder, v build.Value, bits int, signed bool) build.Value {
	lo, hi := int64(0), int64(1)<<bits-1
	if signed {
		lo, hi = -(int64(1) << (bits - 1)), int64(1)<<(bits-1)-1
	}
	min, max := expand.Imm(uint64(lo), 2), expand.Imm(uint64(hi), 2)
	v = l.Sel(min, v, l.Less64(v, min, op.MLT, true))
	return l.Sel(max, v, l.Less64(v, max, op.MGT, true))
}

// second writes a result after the secondary operation or merge. Minimum and
// maximum see the whole signed result, not only the word that is kept.
func second(l *build.Builder, r build.Value, t isa.Type, first, bits int) {
	d := l.Dst(0)[:1]
	if len(l.Args) < 4 {
		l.Copy(d, r[:1])
		return
	}
	c := plain(l, 3)
	signed := t.Class() == isa.Signed
	pickBy := func(cmp op.Mod) {
		p := l.Less64(r, long(l, c, signed), cmp, true)
		l.Emit(op.SEL, op.Mods{}, d, r[0], c, p)
	}
	switch {
	case l.Has(isa.WAdd):
		l.Emit(op.IADD3, op.Mods{}, d, r[0], c, expand.RZ())
	case l.Has(isa.WMin):
		pickBy(op.MLT)
	case l.Has(isa.WMax):
		pickBy(op.MGT)
	default:
		l.Emit(op.PRMT, op.Mods{}, d, r[0], ori.Imm(merge(first, bits)), c)
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
func vmad(l *build.Builder) {
	sa, sb := l.Typ(1).Class() == isa.Signed, l.Typ(2).Class() == isa.Signed
	a, b := pickPart(l, plain(l, 1), l.Args[1].Sel, sa), pickPart(l, plain(l, 2), l.Args[2].Sel, sb)
	c := plain(l, 3)
	minus := func(n int) bool { return l.Args[n].Flags&sema.Neg != 0 }
	negP, negC := minus(1) != minus(2), minus(3)
	final := sa || sb || negP || negC
	p := build.Value{l.Imad(a, b, expand.RZ()), l.High(build.Value{a}, build.Value{b}, false)[0], expand.RZ()}
	for _, f := range [...]struct {
		signed bool
		x, y   ori.Operand
	}{{sa, a, b}, {sb, b, a}} {
		if f.signed { // a negative factor makes the high word too large
			p[1] = l.Iadd(p[1], expand.Negate(l.And2(l.Sar1(f.x, ori.Imm(31)), f.y)))
		}
	}
	if sa || sb {
		p[2] = l.Sar1(p[1], ori.Imm(31))
	}
	cs := build.Value{c, expand.RZ(), expand.RZ()}
	if final && (sa || sb || negP) {
		s := l.Sar1(c, ori.Imm(31))
		cs = build.Value{c, s, s}
	}
	one := expand.PT().Not()
	switch {
	case l.Has(isa.WPo):
		one = expand.PT()
	case negP:
		p, one = build.Value{expand.Invert(p[0]), expand.Invert(p[1]), expand.Invert(p[2])}, expand.PT()
	case negC:
		cs, one = build.Value{expand.Invert(cs[0]), expand.Invert(cs[1]), expand.Invert(cs[2])}, expand.PT()
	}
	r := l.Tmp(3)
	in := one
	for k := range r {
		out := l.Pred()
		l.Emit(op.IADD3, op.M(op.MX), build.Value{r[k], out}, p[k], cs[k], expand.RZ(), in, expand.PT().Not())
		in = out
	}
	r = scaledSum(l, r)
	if l.Has(isa.WSat) {
		r = clampVmad(l, r, final)
	}
	l.Copy(l.Dst(0)[:1], r[:1])
}

// scaledSum shifts three words down as the scale says.
func scaledSum(l *build.Builder, r build.Value) build.Value {
	var n ori.Operand
	switch {
	case l.Has(isa.WShr7):
		n = ori.Imm(7)
	case l.Has(isa.WShr15):
		n = ori.Imm(15)
	default:
		return r
	}
	m := op.M(op.MR, op.MU64)
	return build.Value{l.One(op.SHF, m, r[0], n, r[1]), l.One(op.SHF, m, r[1], n, r[2]), l.Sar1(r[2], n)}
}

// clampVmad clamps the three words of vmad's result, which is unsigned if
// nothing in it is signed.
func clampVmad(l *build.Builder, r build.Value, signed bool) build.Value {
	if !signed {
		p := l.Cmp1(op.MNE, false, l.Or2(r[1], r[2]), expand.RZ())
		return build.Value{l.Sel1(ori.Imm32(^uint32(0)), r[0], p)}
	}
	// the words above the first must repeat its sign
	s := l.Sar1(r[0], ori.Imm(31))
	over := l.Cmp1(op.MNE, false, l.Lop((0xf0^0xaa)|(0xcc^0xaa), r[1], r[2], s), expand.RZ())
	end := l.Xor2(l.Sar1(r[2], ori.Imm(31)), ori.Imm32(0x7fffffff))
	return build.Value{l.Sel1(end, r[0], over)}
}
