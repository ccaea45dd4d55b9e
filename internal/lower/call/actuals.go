package call

import (
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/lower/memory"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/ptx/syntax"
)

// actuals returns the arguments of a call as variables.
func actuals(l *build.Builder, list syntax.List) []*build.Variable {
	var vs []*build.Variable
	for n := range l.Body.Of(list) {
		a := &l.Body.Of(list)[n]
		if v := l.Variable(a); a.Kind == isa.KSymbol && v != nil {
			vs = append(vs, v)
			continue
		}
		if a.Kind == isa.KVector {
			vs = append(vs, memory.VectorArgument(l, a))
			continue
		}
		t := a.Type
		if a.Kind == isa.KInt || t == isa.TNone {
			t = isa.B64
		}
		x := l.Read(a, t)
		vs = append(vs, &build.Variable{Size: int64(4 * len(x)), Words: x})
	}
	return vs
}

// result copies a result of a call to where the caller wants it.
func result(l *build.Builder, a *sema.Operand, v *build.Variable) {
	switch d := l.Variable(a); {
	case a.Kind == isa.KSymbol && d != nil:
		memory.Assign(l, d, v)
	case a.Kind == isa.KVector:
		memory.VectorResult(l, a, v)
	case a.Kind == isa.KReg:
		w := l.Words(l.Regs[a.Ref])
		memory.Assign(l, &build.Variable{Size: int64(4 * len(w)), Words: w}, v)
	}
}
