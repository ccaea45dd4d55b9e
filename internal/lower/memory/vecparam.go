package memory

import (
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
)

// VectorArgument returns a vector operand of a call as a variable.
func VectorArgument(l *build.Builder, a *sema.Operand) *build.Variable {
	es := l.Body.Of(a.Elems)
	t := es[0].Type
	list := make([]build.Value, len(es))
	for k := range es {
		list[k] = l.Read(&es[k], t)
	}
	return build.VectorVariable(list, t.Bits())
}

// VectorResult copies a result to the elements of a vector operand.
func VectorResult(l *build.Builder, a *sema.Operand, v *build.Variable) {
	es := l.Body.Of(a.Elems)
	t := isa.TNone
	list := make([]build.Value, len(es))
	for k := range es {
		if es[k].Kind == isa.KReg {
			t = es[k].Type
			list[k] = l.Words(l.Regs[es[k].Ref])
		}
	}
	if t == isa.TNone {
		return
	}
	for k := range list {
		if list[k] == nil {
			list[k] = l.Tmp(build.Words(t))
		}
	}
	Assign(l, build.VectorVariable(list, t.Bits()), v)
}
