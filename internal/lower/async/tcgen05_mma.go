package async

import (
	"github.com/goptxas/goptxas/internal/codegen/expand"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/lower/warp"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/target"
)

// tensorKinds are the operations of the kinds of matrices. What exactly the
// elements are stands in the instruction descriptor.
var tensorKinds = [...]struct {
	word isa.Word
	op   op.Op
}{
	{isa.WKindF16, op.UTCHMMA},
	{isa.WKindTf32, op.UTCHMMA},
	{isa.WKindI8, op.UTCIMMA},
	{isa.WKindF8f6f4, op.UTCQMMA},
	{isa.WKindMxf8f6f4, op.UTCQMMA},
	{isa.WKindMxf4, op.UTCOMMA},
	{isa.WKindMxf4nvf4, op.UTCOMMA},
}

// collectors say what happens to a matrix in the collector buffer of its
// side: it is kept there, taken from there, or both.
var collectors = [...]struct {
	word  isa.Word
	marks int64
}{
	{isa.WCollectorADiscard, 0},
	{isa.WCollectorAFill, ori.KeepA},
	{isa.WCollectorAUse, ori.ReuseA | ori.KeepA},
	{isa.WCollectorALastuse, ori.ReuseA},
	{isa.WCollectorB0Discard, 0},
	{isa.WCollectorB0Fill, ori.KeepB},
	{isa.WCollectorB0Use, ori.ReuseB | ori.KeepB},
	{isa.WCollectorB0Lastuse, ori.ReuseB},
	{isa.WCollectorB1Discard, ori.Buffer1},
	{isa.WCollectorB1Fill, ori.Buffer1 | ori.KeepB},
	{isa.WCollectorB1Use, ori.Buffer1 | ori.ReuseB | ori.KeepB},
	{isa.WCollectorB1Lastuse, ori.Buffer1 | ori.ReuseB},
	{isa.WCollectorB2Discard, ori.Buffer2},
	{isa.WCollectorB2Fill, ori.Buffer2 | ori.KeepB},
	{isa.WCollectorB2Use, ori.Buffer2 | ori.ReuseB | ori.KeepB},
	{isa.WCollectorB2Lastuse, ori.Buffer2 | ori.ReuseB},
	{isa.WCollectorB3Discard, ori.Buffer1 | ori.Buffer2},
	{isa.WCollectorB3Fill, ori.Buffer1 | ori.Buffer2 | ori.KeepB},
	{isa.WCollectorB3Use, ori.Buffer1 | ori.Buffer2 | ori.ReuseB | ori.KeepB},
	{isa.WCollectorB3Lastuse, ori.Buffer1 | ori.Buffer2 | ori.ReuseB},
}

const (
	marksA = ori.KeepA | ori.ReuseA
	marksB = ori.KeepB | ori.ReuseB | ori.Buffer1 | ori.Buffer2
)

// tensorProduct is a matrix operation on tensor memory as it is put
// together.
type tensorProduct struct {
	build.Order
	op     op.Op
	mods   op.Mods
	marks  int64
	inMem  bool        // the first matrix is in tensor memory
	scaled bool        // scales follow the descriptors
	count  ori.Operand // whether the sum begins with what is there
	scale  int64       // what that is divided by, a power of two
	input  int         // block of count as a word, -1 if it is none
}

// tensorMMA lowers tcgen05.mma and tcgen05.mma.ws.
func tensorMMA(l *build.Builder) {
	x := &tensorProduct{input: -1}
	tensorKind(l, x)
	at := 3
	meta := expand.RZ()
	if l.Has(isa.WSp) {
		meta = tensorAddress(l, &l.Args[3])
		at = 4
	}
	var a build.Value
	if x.inMem = l.Args[1].Kind == isa.KAddr; x.inMem {
		a = build.Value{tensorAddress(l, &l.Args[1])}
	} else {
		a = l.Src(1, isa.B64)
	}
	x.Blocks = []build.Value{a, l.Src(2, isa.B64), {tensorAddress(l, &l.Args[0])}, {meta, l.Src1(at, isa.B32)}}
	at++
	switch {
	case l.Has(isa.WBlockScale):
		x.scaled = true
		x.Blocks = append(x.Blocks, build.Value{tensorAddress(l, &l.Args[at]), tensorAddress(l, &l.Args[at+1])})
		at += 2
	case l.Args[at].Kind == isa.KVector: // lanes whose results are dropped
		var v build.Value
		for _, e := range l.Elements(at) {
			v = append(v, l.Read(&e, isa.B32)...)
		}
		x.Blocks = append(x.Blocks, v)
		at++
	}
	x.count = l.Predicate(at)
	if at++; at < len(l.Args) {
		if l.Has(isa.WWs) { // columns of the second matrix that are zero
			x.Blocks = append(x.Blocks, l.Src(at, isa.B64))
		} else if !l.Has(isa.WKindI8) { // which the reference leaves out too
			x.scale = int64(l.Args[at].Value)
		}
	}
	tensorCount(l, x)
	x.Do = func(u []ori.Operand) *ori.Instr { return tensorOrder(l, x, u) }
	l.Issue(&x.Order)
}

// tensorKind reads what kind of operation it is.
func tensorKind(l *build.Builder, x *tensorProduct) {
	for _, k := range &tensorKinds {
		if l.Has(k.word) {
			x.op = k.op
		}
	}
	x.mods = group2(l, op.Mods{})
	if l.Has(isa.WWs) {
		x.mods = x.mods.With(op.MWS)
	}
	if l.Has(isa.WAshift) {
		x.mods = x.mods.With(op.MASHIFT)
	}
	for _, w := range [...]isa.Word{isa.WScaleVec1X, isa.WScaleVec2X, isa.WBlock32} {
		l.Knows(w)
	}
	if l.Has(isa.WScaleVec4X) || l.Has(isa.WBlock16) {
		if x.mods = x.mods.With(op.M4X); l.Arch.Has(target.TensorBlock16) {
			x.mods = x.mods.Without(op.M4X).With(op.MBLOCK16)
		}
	}
	for _, c := range &collectors {
		if l.Has(c.word) {
			x.marks = c.marks
		}
	}
	if x.op == op.None {
		l.Unsupported()
	}
}

// tensorAddress returns an address of tensor memory as a word.
func tensorAddress(l *build.Builder, a *sema.Operand) ori.Operand {
	w, off := tensorWord(l, a)
	if off != 0 {
		return l.Iadd(w, ori.Imm(off))
	}
	return w
}

// tensorCount makes the predicate a uniform one: where one thread gives the
// order, of that thread; elsewhere it goes with the other operands.
func tensorCount(l *build.Builder, x *tensorProduct) {
	p := x.count
	switch {
	case p.Kind == ori.KZero:
		x.count = ori.Zero(ori.UP)
		x.count.Flags = p.Flags
	case l.SingleThread():
		guard := l.Guard
		l.Guard = ori.Operand{}
		if guard.Kind != ori.KNone {
			p = l.Plop(expand.LutAnd, guard, p)
		}
		x.count = l.F.Words(l.F.NewReg(ori.UP, 1))
		l.Emit(op.VOTEU, op.M(op.MANY), build.Value{x.count}, p)
		l.Guard = guard
	default:
		x.input = len(x.Blocks)
		x.Blocks = append(x.Blocks, build.Value{warp.Bit(l, p)})
	}
}

// tensorOrder emits the operation on uniform registers.
func tensorOrder(l *build.Builder, x *tensorProduct, u []ori.Operand) *ori.Instr {
	count := x.count
	if x.input >= 0 {
		count = l.F.Words(l.F.NewReg(ori.UP, 1))
		l.Emit(op.UISETP, op.M(op.MNE, op.MU32, op.MAND), build.Value{count}, u[x.input], ori.Zero(ori.UR), ori.Zero(ori.UP))
		u = u[:x.input]
	}
	kinds := [...]ori.Kind{ori.KGdesc, ori.KGdesc, ori.KTmem, ori.KTmem, ori.KReg}
	if x.inMem {
		kinds[0] = ori.KTmem
	}
	if x.scaled {
		kinds[4] = ori.KTmem
	}
	for n := range u {
		u[n].Kind = kinds[n]
	}
	u[0].Imm, u[1].Imm = x.marks&marksA, x.marks&marksB
	srcs := append(append(build.Value(nil), u...), count)
	if x.scale != 0 {
		srcs = append(srcs, ori.Imm(x.scale))
	}
	return l.Emit(x.op, x.mods, nil, srcs...)
}
