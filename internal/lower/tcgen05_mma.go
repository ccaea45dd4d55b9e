package lower

import (
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
	order
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
func (l *lowerer) tensorMMA() {
	x := &tensorProduct{input: -1}
	l.tensorKind(x)
	at := 3
	meta := rz()
	if l.has(isa.WSp) {
		meta = l.tensorAddress(&l.args[3])
		at = 4
	}
	var a value
	if x.inMem = l.args[1].Kind == isa.KAddr; x.inMem {
		a = value{l.tensorAddress(&l.args[1])}
	} else {
		a = l.src(1, isa.B64)
	}
	x.blocks = []value{a, l.src(2, isa.B64), {l.tensorAddress(&l.args[0])}, {meta, l.src1(at, isa.B32)}}
	at++
	switch {
	case l.has(isa.WBlockScale):
		x.scaled = true
		x.blocks = append(x.blocks, value{l.tensorAddress(&l.args[at]), l.tensorAddress(&l.args[at+1])})
		at += 2
	case l.args[at].Kind == isa.KVector: // lanes whose results are dropped
		var v value
		for _, e := range l.elements(at) {
			v = append(v, l.read(&e, isa.B32)...)
		}
		x.blocks = append(x.blocks, v)
		at++
	}
	x.count = l.predicate(at)
	if at++; at < len(l.args) {
		if l.has(isa.WWs) { // columns of the second matrix that are zero
			x.blocks = append(x.blocks, l.src(at, isa.B64))
		} else {
			x.scale = int64(l.args[at].Value)
		}
	}
	l.tensorCount(x)
	x.do = func(u []ori.Operand) *ori.Instr { return l.tensorOrder(x, u) }
	l.issue(&x.order)
}

// tensorKind reads what kind of operation it is.
func (l *lowerer) tensorKind(x *tensorProduct) {
	for _, k := range &tensorKinds {
		if l.has(k.word) {
			x.op = k.op
		}
	}
	x.mods = l.group2(op.Mods{})
	if l.has(isa.WWs) {
		x.mods = x.mods.With(op.MWS)
	}
	if l.has(isa.WAshift) {
		x.mods = x.mods.With(op.MASHIFT)
	}
	for _, w := range [...]isa.Word{isa.WScaleVec1X, isa.WScaleVec2X, isa.WBlock32} {
		l.knows(w)
	}
	if l.has(isa.WScaleVec4X) || l.has(isa.WBlock16) {
		if x.mods = x.mods.With(op.M4X); l.arch.Has(target.TensorBlock16) {
			x.mods = x.mods.Without(op.M4X).With(op.MBLOCK16)
		}
	}
	for _, c := range &collectors {
		if l.has(c.word) {
			x.marks = c.marks
		}
	}
	if x.op == op.None {
		l.unsupported()
	}
}

// tensorAddress returns an address of tensor memory as a word.
func (l *lowerer) tensorAddress(a *sema.Operand) ori.Operand {
	w, off := l.tensorWord(a)
	if off != 0 {
		return l.iadd(w, ori.Imm(off))
	}
	return w
}

// tensorCount makes the predicate a uniform one: where one thread gives the
// order, of that thread; elsewhere it goes with the other operands.
func (l *lowerer) tensorCount(x *tensorProduct) {
	p := x.count
	switch {
	case p.Kind == ori.KZero:
		x.count = ori.Zero(ori.UP)
		x.count.Flags = p.Flags
	case l.lonely():
		guard := l.guard
		l.guard = ori.Operand{}
		if guard.Kind != ori.KNone {
			p = l.plop(lutAnd, guard, p)
		}
		x.count = l.f.Words(l.f.NewReg(ori.UP, 1))
		l.emit(op.VOTEU, op.M(op.MANY), value{x.count}, p)
		l.guard = guard
	default:
		x.input = len(x.blocks)
		x.blocks = append(x.blocks, value{l.bit(p)})
	}
}

// tensorOrder emits the operation on uniform registers.
func (l *lowerer) tensorOrder(x *tensorProduct, u []ori.Operand) *ori.Instr {
	count := x.count
	if x.input >= 0 {
		count = l.f.Words(l.f.NewReg(ori.UP, 1))
		l.emit(op.UISETP, op.M(op.MNE, op.MU32, op.MAND), value{count}, u[x.input], ori.Zero(ori.UR), ori.Zero(ori.UP))
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
	srcs := append(append(value(nil), u...), count)
	if x.scale != 0 {
		srcs = append(srcs, ori.Imm(x.scale))
	}
	return l.emit(x.op, x.mods, nil, srcs...)
}
