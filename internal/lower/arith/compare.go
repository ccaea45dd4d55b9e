package arith

import (
	"github.com/goptxas/goptxas/internal/codegen/expand"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
)

// comparisons maps the PTX comparison words to the machine's.
var comparisons = [...]struct {
	word isa.Word
	mod  op.Mod
	low  bool // lo, ls, hi, hs: unsigned whatever the type says
}{
	{isa.WEq, op.MEQ, false},
	{isa.WNe, op.MNE, false},
	{isa.WLt, op.MLT, false},
	{isa.WLe, op.MLE, false},
	{isa.WGt, op.MGT, false},
	{isa.WGe, op.MGE, false},
	{isa.WLo, op.MLT, true},
	{isa.WLs, op.MLE, true},
	{isa.WHi, op.MGT, true},
	{isa.WHs, op.MGE, true},
	{isa.WEqu, op.MEQU, false},
	{isa.WNeu, op.MNEU, false},
	{isa.WLtu, op.MLTU, false},
	{isa.WLeu, op.MLEU, false},
	{isa.WGtu, op.MGTU, false},
	{isa.WGeu, op.MGEU, false},
	{isa.WNum, op.MNUM, false},
	{isa.WNan, op.MNAN, false},
}

// comparison returns the machine's comparison of the current instruction.
func comparison(l *build.Builder) (m op.Mod, unsigned bool) {
	for _, w := range l.Body.ModsOf(l.In) {
		for _, c := range comparisons {
			if c.word == w {
				l.Knows(w)
				return c.mod, c.low
			}
		}
	}
	l.Fail("comparison without an operator")
	return op.NoMod, false
}

// boolean returns how the comparison is joined with a third predicate.
func boolean(l *build.Builder) op.Mod {
	l.Knows(isa.WAnd)
	switch {
	case l.Has(isa.WOr):
		return op.MOR
	case l.Has(isa.WXor):
		return op.MXOR
	}
	return op.MAND
}

// setp lowers setp: p, or p|q, from a comparison and perhaps a predicate.
// The second result is the opposite comparison joined with the predicate;
// for a pair of halves the two are those of the halves.
func setp(l *build.Builder) {
	t := l.Typ(0)
	with := expand.PT()
	if len(l.Args) > 3 {
		with = l.Predicate(3)
	}
	cmp, low := comparison(l)
	dst := l.DstPred(0)
	paired := l.Args[0].Flags&sema.Paired != 0
	switch {
	case isPair(t):
		compareHalf(l, build.Value{dst, pairPred(l, 0)}, t, cmp, boolean(l), with)
	case paired:
		p := l.Pred()
		compare(l, p, 1, t, cmp, low, op.MAND, expand.PT())
		lut := int64(expand.LutAnd)
		switch boolean(l) {
		case op.MOR:
			lut = expand.LutOr
		case op.MXOR:
			lut = expand.LutXor
		}
		q := l.Plop(lut, p.Not(), with)
		l.Emit(op.PLOP3, op.M(op.MLUT), build.Value{dst}, p, with, expand.PT(), ori.Imm(lut), ori.Imm(0))
		l.Emit(op.PLOP3, op.M(op.MLUT), build.Value{pairPred(l, 0)}, q, expand.PT(), expand.PT(), ori.Imm(expand.LutAnd), ori.Imm(0))
	default:
		compare(l, dst, 1, t, cmp, low, boolean(l), with)
	}
}

// set lowers set: ones, or the number one, where the comparison holds.
func set(l *build.Builder) {
	to, t := l.Typ(0), l.Typ(1)
	with := expand.PT()
	if len(l.Args) > 3 {
		with = l.Predicate(3)
	}
	cmp, low := comparison(l)
	d := l.Dst(0)[:1]
	yes := expand.Word(truth(to))
	if m, ok := halfSet(l, to, t, cmp); ok {
		l.Emit(op.HSET2, m, d, half(l, 1, t), half(l, 2, t), with)
		return
	}
	if isPair(t) {
		p, q := l.Pred(), l.Pred()
		compareHalf(l, build.Value{p, q}, t, cmp, boolean(l), with)
		lo := l.Sel1(expand.Word(truth(to)&0xffff), expand.RZ(), p)
		hi := l.Sel1(expand.Word(truth(to)&0xffff0000), expand.RZ(), q)
		l.Emit(op.LOP3, op.M(op.MLUT), d, lo, hi, expand.RZ(), ori.Imm(expand.LutOr))
		return
	}
	p := l.Pred()
	compare(l, p, 1, t, cmp, low, boolean(l), with)
	l.Emit(op.SEL, op.Mods{}, d, yes, expand.RZ(), p)
}

// halfSet returns the modifiers of the machine's own comparison of halves to
// words: ones in both halves, or the number one of the type that is compared.
func halfSet(l *build.Builder, to, t isa.Type, cmp op.Mod) (m op.Mods, ok bool) {
	switch t {
	case isa.F16, isa.BF16, isa.F16x2, isa.BF16x2:
	default:
		return m, false
	}
	m = halfMods(t)
	switch truth(to) {
	case truth(t):
		m = m.With(op.MBF)
	case ^uint32(0):
	default:
		return m, false
	}
	m = m.With(cmp)
	if l.Has(isa.WFtz) {
		m = m.With(op.MFTZ)
	}
	return m.With(boolean(l)), true
}

// truth is what set writes for true.
func truth(t isa.Type) uint32 {
	switch t {
	case isa.F32:
		return 0x3f800000
	case isa.F16, isa.F16x2:
		return 0x3c003c00
	case isa.BF16, isa.BF16x2:
		return 0x3f803f80
	}
	return ^uint32(0)
}

// compare writes a comparison of arguments n and n+1 to dst.
func compare(l *build.Builder, dst ori.Operand, n int, t isa.Type, cmp op.Mod, low bool, join op.Mod, with ori.Operand) {
	switch t {
	case isa.F32:
		m := op.M(cmp, join)
		if l.Has(isa.WFtz) {
			m = op.M(cmp, op.MFTZ, join)
		}
		l.Emit(op.FSETP, m, build.Value{dst}, l.Src1(n, t), l.Src1(n+1, t), with)
		return
	case isa.F64:
		a, b := l.Pair(l.Src(n, t)), l.Src(n+1, t)
		l.Emit(op.DSETP, op.M(cmp, join), build.Value{dst}, expand.Whole(a), double(l, b), with)
		return
	case isa.F16, isa.BF16, isa.F16x2, isa.BF16x2:
		compareHalf(l, build.Value{dst}, t, cmp, join, with)
		return
	}
	signed := t.Class() == isa.Signed && !low
	a, b := l.Extended(n, t), l.Extended(n+1, t)
	m := op.M(cmp, join)
	if !signed {
		m = op.M(cmp, op.MU32, join)
	}
	if len(a) == 1 {
		l.Emit(op.ISETP, m, build.Value{dst}, a[0], b[0], with)
		return
	}
	p := l.Test(op.ISETP, op.M(cmp, op.MU32, op.MAND), a[0], b[0], expand.PT())
	l.Emit(op.ISETP, m.With(op.MEX), build.Value{dst}, a[1], b[1], with, p)
}

// selp lowers selp.
func selp(l *build.Builder) {
	t := l.Typ(0)
	d, a, b, p := l.Dst(0), l.Src(1, t), l.Src(2, t), l.Predicate(3)
	r := d
	if len(a) > 1 {
		r = l.Tmp(len(a))
	}
	o := op.SEL
	if t == isa.F32 { // may take the signs of its sources in
		o = op.FSEL
	}
	for n := range a {
		l.Emit(o, op.Mods{}, r[n:n+1], a[n], b[n], p)
	}
	if len(a) > 1 {
		l.Copy(d, r)
	}
}
