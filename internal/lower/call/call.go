package call

import (
	"slices"

	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/lower/memory"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/target"
)

// call lowers call.
func call(l *build.Builder) {
	l.Knows(isa.WUni)
	c := &l.Body.Calls[l.In.Call]
	fn := l.Callee(c.Func)
	switch {
	case fn < 0:
		l.Alone(func() { callIndirect(l, c) })
	case l.Layout.Object && elsewhere(l, fn):
		l.Alone(func() { callFunc(l, c, fn) })
	case !l.Module.Funcs[fn].HasBody:
		l.Alone(func() { callSystem(l, c, fn) })
	case l.Layout.NoInline || l.Layout.Framed && hasVariable(l.Plan.Body(fn), isa.SpaceLocal) || l.Plan.Cyclic[fn] || l.Plan.Outlined[fn] || l.Plan.Budget < len(l.Plan.Body(fn).Instrs):
		l.Alone(func() { callFunc(l, c, fn) })
	default:
		b := l.Plan.Body(fn)
		l.Plan.Budget -= len(b.Instrs)
		place(l.Plan, fn)
		l.Alone(func() { inline(l, c, b) })
	}
}

// elsewhere reports whether the linker may choose another function than the
// one of this object, or counts for it what it has.
func elsewhere(l *build.Builder, fn int32) bool {
	f := &l.Module.Funcs[fn]
	if !f.HasBody {
		return true
	}
	b := l.Plan.Body(fn)
	if l.Layout.Closed {
		return hasVariable(b, isa.SpaceShared)
	}
	return f.Linkage == sema.Weak || hasMeans(l, b)
}

// hasVariable reports whether a body has a variable in a state space.
func hasVariable(b *sema.Body, space isa.Space) bool {
	return slices.ContainsFunc(b.Vars, func(v sema.Var) bool { return v.Space == space })
}

// hasMeans reports whether a body has what the linker counts for each function
// of an object: memory, barriers, constants and textures of its own.
func hasMeans(l *build.Builder, b *sema.Body) bool {
	if hasVariable(b, isa.SpaceLocal) || hasVariable(b, isa.SpaceShared) {
		return true
	}
	for n := range b.Instrs {
		switch i := &b.Instrs[n]; i.Op {
		case isa.WBar, isa.WBarrier, isa.WAlloca, isa.WTex, isa.WTld4, isa.WTxq, isa.WSuld, isa.WSust, isa.WSured, isa.WSuq, isa.WBrx:
			return true
		default:
			if i.NTypes > 0 && i.Types[0] == isa.F64 && l.Arch.Has(target.Literals) {
				return true
			}
		}
	}
	return false
}

// inline lowers the callee's body in place of the call.
func inline(l *build.Builder, c *sema.Call, b *sema.Body) {
	outer, top, loc := l.Scope, l.Top, l.Loc
	if l.F.Props.Copies++; !l.Entered(b) {
		l.F.Props.Copied++
	}
	args := actuals(l, c.Actuals)
	rets := l.Body.Of(c.Rets)
	l.Scope = build.Scope{Body: b, Fn: &l.Module.Funcs[b.Func], Out: l.F.NewBlock(), Inner: true}
	sp := memory.SaveStack(l)
	l.Begin()
	inner := l.Scope
	nrets := len(inner.Fn.Rets)
	for n, v := range args {
		if nrets+n < len(inner.Formals) {
			memory.Assign(l, inner.Formals[nrets+n], v)
		}
	}
	l.Fall(l.At[0])
	l.Code()
	l.Enter(inner.Out)
	l.Scope, l.Top, l.Loc = outer, top, loc
	for n := range rets {
		if n < nrets {
			result(l, &rets[n], inner.Formals[n])
		}
	}
	memory.RestoreStack(l, sp)
}
