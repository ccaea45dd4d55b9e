package arith

import (
	"github.com/goptxas/goptxas/internal/codegen/expand"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/target"
)

// add lowers add and sub.
func add(l *build.Builder) {
	t := l.Typ(0)
	if t.Class() == isa.Float || t.Class() == isa.PackedFloat {
		addFloat(l, t)
		return
	}
	sub := l.In.Op == isa.WSub
	switch {
	case l.Has(isa.WCc):
		addc(l)
		return
	case l.Has(isa.WSat):
		AddSat(l, l.Dst(0)[0], l.Src1(1, t), l.Src1(2, t), sub)
		return
	case t.Class() == isa.PackedInt:
		addPacked(l, l.Dst(0)[:1], l.Src1(1, t), l.Src1(2, t))
		return
	}
	d, a, b := l.Dst(0), l.Src(1, t), l.Src(2, t)
	if build.Words(t) == 1 {
		y := b[0]
		if sub {
			y = expand.Negate(y)
		}
		l.Emit(op.IADD3, op.Mods{}, d[:1], a[0], y, expand.RZ())
		return
	}
	l.Copy(d, l.Add64(a, b, sub))
}

func neg(l *build.Builder) {
	t := l.Typ(0)
	if t.Class() == isa.Float || t.Class() == isa.PackedFloat {
		negFloat(l, t)
		return
	}
	d, a := l.Dst(0), l.Src(1, t)
	if build.Words(t) == 1 {
		l.Emit(op.IADD3, op.Mods{}, d[:1], expand.RZ(), expand.Negate(a[0]), expand.RZ())
		return
	}
	l.Copy(d, l.Add64(build.Value{expand.RZ(), expand.RZ()}, a, true))
}

// mul lowers mul.
func mul(l *build.Builder) {
	t := l.Typ(0)
	if t.Class() == isa.Float || t.Class() == isa.PackedFloat {
		mulFloat(l, t)
		return
	}
	l.Product(build.Value{expand.RZ(), expand.RZ()})
}

// mad lowers mad.
func mad(l *build.Builder) {
	t := l.Typ(0)
	if t.Class() == isa.Float || t.Class() == isa.PackedFloat {
		fma(l)
		return
	}
	if l.Has(isa.WCc) {
		madc(l)
		return
	}
	if l.Has(isa.WSat) { // mad.hi.sat.s32
		l.Knows(isa.WHi)
		h := l.High(l.Src(1, t), l.Src(2, t), true)
		AddSat(l, l.Dst(0)[0], h[0], l.Src1(3, t), false)
		return
	}
	at := t
	if l.Has(isa.WWide) {
		at = build.Double(t)
	}
	l.Product(l.Src(3, at))
}

// addPacked adds two pairs of 16-bit values.
func addPacked(l *build.Builder, d build.Value, a, b ori.Operand) {
	if l.Arch.Has(target.PackedInts) {
		l.Emit(op.VIADD, op.M(op.M16x2), d, a, b)
		return
	}
	// the low half is kept from carrying into the high one
	hi := l.Iadd(l.And2(a, ori.Imm32(0xffff0000)), b)
	l.Emit(op.PRMT, op.Mods{}, d, l.Iadd(a, b), ori.Imm(0x7610), hi)
}

// logic lowers and, or, xor and not.
func logic(l *build.Builder) {
	t := l.Typ(0)
	lut := int64(expand.LutNot)
	switch l.In.Op {
	case isa.WAnd:
		lut = expand.LutAnd
	case isa.WOr:
		lut = expand.LutOr
	case isa.WXor:
		lut = expand.LutXor
	}
	if t == isa.Pred {
		a, b := l.Predicate(1), expand.PT()
		if l.In.Op != isa.WNot {
			b = l.Predicate(2)
		}
		l.Emit(op.PLOP3, op.M(op.MLUT), build.Value{l.DstPred(0)}, a, b, expand.PT(), ori.Imm(lut), ori.Imm(0))
		return
	}
	d, a := l.Dst(0), l.Src(1, t)
	b := build.Value{expand.RZ(), expand.RZ()}
	if l.In.Op != isa.WNot {
		b = l.Src(2, t)
	}
	r := d
	if len(a) > 1 {
		r = l.Tmp(len(a))
	}
	for n := range a {
		l.Emit(op.LOP3, op.M(op.MLUT), r[n:n+1], a[n], b[n], expand.RZ(), ori.Imm(lut))
	}
	if len(a) > 1 {
		l.Copy(d, r)
	}
}

// shift lowers shl and shr. The machine clamps counts as PTX wants.
func shift(l *build.Builder) {
	t := l.Typ(0)
	d := l.Dst(0)
	n := l.Src1(2, isa.U32)
	left := l.In.Op == isa.WShl
	if build.Words(t) == 1 {
		a := l.Extended(1, t)[0]
		switch {
		case left:
			l.Emit(op.SHF, op.M(op.ML, op.MU32), d[:1], a, n, expand.RZ())
		case t.Class() == isa.Signed:
			l.Emit(op.SHF, op.M(op.MR, op.MS32, op.MHI), d[:1], expand.RZ(), n, a)
		default:
			l.Emit(op.SHF, op.M(op.MR, op.MU32, op.MHI), d[:1], expand.RZ(), n, a)
		}
		return
	}
	a := l.Src(1, t)
	r := l.Tmp(2)
	switch {
	case left:
		l.Emit(op.SHF, op.M(op.ML, op.MU64, op.MHI), r[1:], a[0], n, a[1])
		l.Emit(op.SHF, op.M(op.ML, op.MU32), r[:1], a[0], n, expand.RZ())
	case t.Class() == isa.Signed:
		l.Emit(op.SHF, op.M(op.MR, op.MS64), r[:1], a[0], n, a[1])
		l.Emit(op.SHF, op.M(op.MR, op.MS32, op.MHI), r[1:], expand.RZ(), n, a[1])
	default:
		l.Emit(op.SHF, op.M(op.MR, op.MU64), r[:1], a[0], n, a[1])
		l.Emit(op.SHF, op.M(op.MR, op.MU32, op.MHI), r[1:], expand.RZ(), n, a[1])
	}
	l.Copy(d, r)
}

// mov lowers mov, including packing and unpacking.
func mov(l *build.Builder) {
	t := l.Typ(0)
	if t == isa.Pred {
		p := l.Predicate(1)
		l.Emit(op.PLOP3, op.M(op.MLUT), build.Value{l.DstPred(0)}, p, expand.PT(), expand.PT(), ori.Imm(0xf0), ori.Imm(0))
		return
	}
	d, s := &l.Args[0], &l.Args[1]
	if d.Kind == isa.KVector && s.Kind == isa.KSpecial { // all parts of a special register
		l.Knows(isa.WV4)
		for k, e := range l.Elements(0) {
			if e.Kind == isa.KReg {
				l.Copy(l.Words(l.Regs[e.Ref])[:1], l.Special(isa.SpecialReg(s.Ref), k+1, 1))
			}
		}
		return
	}
	if l.Has(isa.WV2) || l.Has(isa.WV4) {
		movVector(l, t)
		return
	}
	if d.Kind == isa.KVector || s.Kind == isa.KVector {
		l.Pack(t)
		return
	}
	l.Copy(l.Dst(0)[:build.Words(t)], l.Src(1, t))
}

// movVector moves the elements of a vector. All are read before the first is
// written: a vector may change places with itself.
func movVector(l *build.Builder, t isa.Type) {
	es, from := l.Elements(0), l.Elements(1)
	n := build.Words(t)
	r := l.Tmp(n * len(es))
	if c := &l.Args[1]; c.Kind == isa.KInt { // its bits are dealt out
		width := t.Bits() / len(es)
		for k := range es {
			l.Copy(r[n*k:n*k+n], expand.Imm(c.Value>>(width*k)&(1<<width-1), n))
		}
	} else {
		if len(es) != len(from) {
			l.Unsupported()
		}
		for k := range from {
			if from[k].Kind != isa.KSink {
				l.Copy(r[n*k:n*k+n], l.Read(&from[k], t))
				continue
			}
			l.Copy(r[n*k:n*k+n], expand.Imm(0, n))
		}
	}
	for k := range es {
		if es[k].Kind == isa.KReg {
			l.Copy(l.Words(l.Regs[es[k].Ref])[:n], r[n*k:n*k+n])
		}
	}
}
