package lower

import (
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
func (l *lowerer) comparison() (m op.Mod, unsigned bool) {
	for _, w := range l.body.ModsOf(l.in) {
		for _, c := range comparisons {
			if c.word == w {
				l.knows(w)
				return c.mod, c.low
			}
		}
	}
	l.fail("comparison without an operator")
	return op.NoMod, false
}

// boolean returns how the comparison is joined with a third predicate.
func (l *lowerer) boolean() op.Mod {
	l.knows(isa.WAnd)
	switch {
	case l.has(isa.WOr):
		return op.MOR
	case l.has(isa.WXor):
		return op.MXOR
	}
	return op.MAND
}

// setp lowers setp: p, or p|q, from a comparison and perhaps a predicate.
// The second result is the opposite comparison joined with the predicate;
// for a pair of halves the two are those of the halves.
func (l *lowerer) setp() {
	t := l.typ(0)
	with := pt()
	if len(l.args) > 3 {
		with = l.predicate(3)
	}
	cmp, low := l.comparison()
	dst := l.dstPred(0)
	paired := l.args[0].Flags&sema.Paired != 0
	switch {
	case isPair(t):
		l.compareHalf(value{dst, l.pairPred(0)}, t, cmp, l.boolean(), with)
	case paired:
		p := l.pred()
		l.compare(p, 1, t, cmp, low, op.MAND, pt())
		lut := int64(lutAnd)
		switch l.boolean() {
		case op.MOR:
			lut = lutOr
		case op.MXOR:
			lut = lutXor
		}
		q := l.plop(lut, p.Not(), with)
		l.emit(op.PLOP3, op.M(op.MLUT), value{dst}, p, with, pt(), ori.Imm(lut), ori.Imm(0))
		l.emit(op.PLOP3, op.M(op.MLUT), value{l.pairPred(0)}, q, pt(), pt(), ori.Imm(lutAnd), ori.Imm(0))
	default:
		l.compare(dst, 1, t, cmp, low, l.boolean(), with)
	}
}

// set lowers set: ones, or the number one, where the comparison holds.
func (l *lowerer) set() {
	to, t := l.typ(0), l.typ(1)
	with := pt()
	if len(l.args) > 3 {
		with = l.predicate(3)
	}
	cmp, low := l.comparison()
	d := l.dst(0)[:1]
	yes := word(truth(to))
	if isPair(t) {
		p, q := l.pred(), l.pred()
		l.compareHalf(value{p, q}, t, cmp, l.boolean(), with)
		lo := l.sel1(word(truth(to)&0xffff), rz(), p)
		hi := l.sel1(word(truth(to)&0xffff0000), rz(), q)
		l.emit(op.LOP3, op.M(op.MLUT), d, lo, hi, rz(), ori.Imm(lutOr))
		return
	}
	p := l.pred()
	l.compare(p, 1, t, cmp, low, l.boolean(), with)
	l.emit(op.SEL, op.Mods{}, d, yes, rz(), p)
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
func (l *lowerer) compare(dst ori.Operand, n int, t isa.Type, cmp op.Mod, low bool, join op.Mod, with ori.Operand) {
	switch t {
	case isa.F32:
		m := op.M(cmp, join)
		if l.has(isa.WFtz) {
			m = op.M(cmp, op.MFTZ, join)
		}
		l.emit(op.FSETP, m, value{dst}, l.src1(n, t), l.src1(n+1, t), with)
		return
	case isa.F64:
		a, b := l.pair(l.src(n, t)), l.src(n+1, t)
		l.emit(op.DSETP, op.M(cmp, join), value{dst}, whole(a), l.double(b), with)
		return
	case isa.F16, isa.BF16, isa.F16x2, isa.BF16x2:
		l.compareHalf(value{dst}, t, cmp, join, with)
		return
	}
	signed := t.Class() == isa.Signed && !low
	a, b := l.extended(n, t), l.extended(n+1, t)
	m := op.M(cmp, join)
	if !signed {
		m = op.M(cmp, op.MU32, join)
	}
	if len(a) == 1 {
		l.emit(op.ISETP, m, value{dst}, a[0], b[0], with)
		return
	}
	p := l.test(op.ISETP, op.M(cmp, op.MU32, op.MAND), a[0], b[0], pt())
	l.emit(op.ISETP, m.With(op.MEX), value{dst}, a[1], b[1], with, p)
}

// selp lowers selp.
func (l *lowerer) selp() {
	t := l.typ(0)
	d, a, b, p := l.dst(0), l.src(1, t), l.src(2, t), l.predicate(3)
	r := d
	if len(a) > 1 {
		r = l.tmp(len(a))
	}
	o := op.SEL
	if t == isa.F32 { // may take the signs of its sources in
		o = op.FSEL
	}
	for n := range a {
		l.emit(o, op.Mods{}, r[n:n+1], a[n], b[n], p)
	}
	if len(a) > 1 {
		l.copy(d, r)
	}
}
