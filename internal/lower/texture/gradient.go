package texture

import (
	"github.com/goptxas/goptxas/internal/codegen/abi"
	"github.com/goptxas/goptxas/internal/codegen/expand"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/lower/memory"
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
	GradientStack  = 48 // bytes of stack the arguments take at most
	gradientAt     = 4  // word of the coordinates
	gradientResult = 5  // words that come back
)

// GradientRoutine returns the name of the routine that a tex.grad calls, or
// "" if the machine does it.
func GradientRoutine(b *sema.Body, in *sema.Inst) string {
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

// callGradient lowers a gradient by calling its routine.
func callGradient(l *build.Builder, name string) {
	if l.Typ(0).Bits() != 32 || l.Args[0].Pair >= 0 || l.Layout.Object || !l.Arch.Has(target.UniformHandles) {
		l.Unsupported()
	}
	geometryOf(l)
	a := &l.Args[1]
	handle, sampler := wholeHandle(l, a), build.Value(nil)
	if es := l.Body.Of(a.Elems); len(es) > 1 {
		sampler = wholeHandle(l, &es[0])
	}
	read := func(a *sema.Operand, t isa.Type) build.Value {
		es := []sema.Operand{*a}
		if a.Kind == isa.KVector {
			es = l.Body.Of(a.Elems)
		}
		v := build.Value{expand.RZ(), expand.RZ(), expand.RZ(), expand.RZ()}
		for k := range min(len(es), 4) {
			v[k] = l.Read(&es[k], t)[0]
		}
		return v
	}
	coord := append(coordinates(l, a, isa.F32), expand.RZ(), expand.RZ(), expand.RZ())[:4]
	dx, dy := read(&l.Args[2], isa.F32), read(&l.Args[3], isa.F32)
	rest := l.Args[4:]
	l.Alone(func() {
		l.F.Props.HasCalls = true
		at := int64(0)
		push := func(v build.Value) {
			memory.Assign(l, &build.Variable{Size: int64(4 * len(v)), Off: at, Out: true}, &build.Variable{Size: int64(4 * len(v)), Words: v})
			at += 16
		}
		push(dy)
		if len(rest) > 0 && rest[0].Kind == isa.KVector {
			push(read(&rest[0], isa.B32))
			rest = rest[1:]
		}
		r := l.Fixed(abi.FirstArgReg, abi.NumArgRegs)
		w := l.Words(r)
		l.Copy(w[:2], handle)
		compare := build.Value{expand.RZ(), expand.RZ()}
		if len(rest) > 0 {
			compare[0] = l.Read(&rest[0], isa.F32)[0]
		}
		switch {
		case sampler == nil:
			l.Copy(w[2:4], compare)
		case len(rest) > 0:
			push(compare[:1])
			fallthrough
		default:
			l.Copy(w[2:4], sampler)
		}
		l.Copy(w[gradientAt:gradientAt+4], coord)
		l.Copy(w[gradientAt+4:], dx)
		back := l.Words(l.Fixed(abi.ReturnReg, 2))
		next := l.F.NewBlock()
		next.Kept = true
		t := l.Tmp(2)
		l.Emit(op.LDC, op.M(op.M64), build.Value{expand.Whole(t)}, ori.Operand{Kind: ori.KSymbol, Reg: l.F.Module.Symbol(name)})
		l.Emit(op.LEPC, op.Mods{}, build.Value{expand.Whole(back)}, ori.Label(next))
		out := l.Fixed(abi.FirstArgReg, gradientResult)
		l.Emit(op.CALL, op.M(op.MABS, op.MNOINC), build.Value{l.F.Words(out)}, expand.Whole(t), expand.Whole(back), l.F.Words(r))
		l.Fall(next)
		texResult(l, l.Words(out)[1:], l.Typ(0))
	})
}
