package lower

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/target"
)

// Gradients that the machine has no instruction for (of three coordinates,
// and with a comparison) are routines of the driver. They take the handle in
// the first two argument registers, the value to compare with in the third,
// coordinates and first derivatives in four each behind a gap of one; second
// derivatives and offsets on the stack. A sampler takes the place of the value
// to compare with, which then is last on the stack. The texel follows a word
// about its residency.
const (
	gradientStack  = 48 // bytes of stack the arguments take at most
	gradientAt     = 4  // word of the coordinates
	gradientResult = 5  // words that come back
)

// gradientRoutine returns the name of the routine that a tex.grad calls, or
// "" if the machine does it.
func gradientRoutine(b *sema.Body, in *sema.Inst) string {
	if in.Op != isa.WTex {
		return ""
	}
	name, grad, deep := "", false, false
	for _, w := range b.ModsOf(in) {
		grad = grad || w == isa.WGrad
		for _, g := range geometries {
			if g.word == w {
				name = g.word.String()
				deep = g.n > 2
			}
		}
	}
	args := b.Of(in.Args)
	if !grad || len(args) < 4 {
		return ""
	}
	name = "__cuda_syscall_tex_grad_" + name + "_v4_" + in.Types[0].Word().String() + "_" + in.Types[1].Word().String()
	if len(b.Of(args[1].Elems)) > 1 {
		name += "_texmode_independent"
	}
	rest := args[4:]
	if len(rest) > 0 && rest[0].Kind == isa.KVector {
		name += "_offset"
		rest = rest[1:]
	}
	if len(rest) > 0 {
		name += "_depth_compare"
	}
	if !deep && len(rest) == 0 {
		return ""
	}
	return name
}

// gradients notes the routines that a body's gradients call.
func (p *Plan) gradients(b *sema.Body) {
	for n := range b.Instrs {
		name := gradientRoutine(b, &b.Instrs[n])
		if name == "" {
			continue
		}
		p.outgoing = max(p.outgoing, gradientStack)
		p.outside(name)
	}
}

// callGradient lowers a gradient by calling its routine.
func (l *lowerer) callGradient(name string) {
	if l.typ(0).Bits() != 32 || l.args[0].Pair >= 0 || l.layout.Object || !l.arch.Has(target.UniformHandles) {
		l.unsupported()
	}
	l.geometry()
	a := &l.args[1]
	handle, sampler := l.wholeHandle(a), value(nil)
	if es := l.body.Of(a.Elems); len(es) > 1 {
		sampler = l.wholeHandle(&es[0])
	}
	read := func(a *sema.Operand, t isa.Type) value {
		es := []sema.Operand{*a}
		if a.Kind == isa.KVector {
			es = l.body.Of(a.Elems)
		}
		v := value{rz(), rz(), rz(), rz()}
		for k := range min(len(es), 4) {
			v[k] = l.read(&es[k], t)[0]
		}
		return v
	}
	coord := append(l.coordinates(a, isa.F32), rz(), rz(), rz())[:4]
	dx, dy := read(&l.args[2], isa.F32), read(&l.args[3], isa.F32)
	rest := l.args[4:]
	l.alone(func() {
		l.f.Props.HasCalls = true
		at := int64(0)
		push := func(v value) {
			l.assign(&variable{size: int64(4 * len(v)), off: at, out: true}, &variable{size: int64(4 * len(v)), words: v})
			at += 16
		}
		push(dy)
		if len(rest) > 0 && rest[0].Kind == isa.KVector {
			push(read(&rest[0], isa.B32))
			rest = rest[1:]
		}
		r := l.fixed(firstArgReg, numArgRegs)
		w := l.words(r)
		l.copy(w[:2], handle)
		compare := value{rz(), rz()}
		if len(rest) > 0 {
			compare[0] = l.read(&rest[0], isa.F32)[0]
		}
		switch {
		case sampler == nil:
			l.copy(w[2:4], compare)
		case len(rest) > 0:
			push(compare[:1])
			fallthrough
		default:
			l.copy(w[2:4], sampler)
		}
		l.copy(w[gradientAt:gradientAt+4], coord)
		l.copy(w[gradientAt+4:], dx)
		back := l.words(l.fixed(returnReg, 2))
		next := l.f.NewBlock()
		next.Kept = true
		t := l.tmp(2)
		l.emit(op.LDC, op.M(op.M64), value{whole(t)}, ori.Operand{Kind: ori.KSymbol, Reg: l.f.Module.Symbol(name)})
		l.emit(op.LEPC, op.Mods{}, value{whole(back)}, ori.Label(next))
		out := l.fixed(firstArgReg, gradientResult)
		l.emit(op.CALL, op.M(op.MABS, op.MNOINC), value{l.f.Words(out)}, whole(t), whole(back), l.f.Words(r))
		l.fall(next)
		l.texResult(l.words(out)[1:], l.typ(0))
	})
}

// wholeHandle returns both words of a handle.
func (l *lowerer) wholeHandle(a *sema.Operand) value {
	l.notRaw()
	if a.Kind == isa.KReg || a.Kind == isa.KAddr && a.Base == isa.KReg {
		return l.words(l.regs[a.Ref])[:2]
	}
	h, ok := l.reference(a)
	if !ok {
		l.unsupported()
	}
	return h
}
