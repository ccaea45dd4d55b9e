// Package call lowers calls, branches and the entry and exit of functions, and
// plans what becomes of the calls of a kernel.
package call

import (
	"slices"

	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/lower/memory"
	"github.com/goptxas/goptxas/internal/lower/texture"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/ptx/syntax"
)

// inlineBudget bounds the code that calls are replaced by.
const inlineBudget = 60000

// NewPlan visits everything a kernel reaches. body returns the checked body
// of a function.
func NewPlan(m *sema.Module, kernel *sema.Body, layout *build.Layout, body func(int32) *sema.Body) *build.Plan {
	p := &build.Plan{Module: m, Kernel: kernel.Func, Body: body, SharedOf: map[int32][]int64{}, Locals: map[int32][]int64{}, Regs: map[int32][]ori.Reg{}, Cyclic: map[int32]bool{}, Budget: inlineBudget, Object: layout.Object, Shared: map[string]int64{}, Named: map[int32]bool{}}
	defer placeShared(p, layout)
	visit(p, kernel)
	if p.Object {
		return p
	}
	for n := range m.Vars {
		for _, r := range m.Vars[n].Relocs {
			if fn := m.Syms[r.Sym].Func; fn >= 0 && !m.Funcs[fn].Entry {
				take(p, fn)
			}
		}
	}
	if len(p.Taken) > 0 {
		p.Bank2 = build.PointerSlot(m, int32(len(m.Funcs)))
	}
	return p
}

func visit(p *build.Plan, b *sema.Body) {
	at := make([]int64, len(b.Vars))
	p.SharedOf[b.Func] = at
	for n := range b.Vars {
		v := &b.Vars[n]
		if v.Space == isa.SpaceShared || v.Space == isa.SpaceSharedCTA {
			p.Own = append(p.Own, build.OwnShared{At: &at[n], Align: int64(v.Shape.Align), Size: int64(v.Shape.Size())})
		}
	}
	names(p, b)
	for n := range b.Instrs {
		p.Moves = p.Moves || b.Instrs[n].Op == isa.WAlloca || b.Instrs[n].Op == isa.WStackrestore
	}
	gradients(p, b)
	p.Active = append(p.Active, b.Func)
	for n := range b.Calls {
		visitCall(p, b, &b.Calls[n])
	}
	for n := range b.Operands {
		if o := &b.Operands[n]; o.Kind == isa.KFunc {
			take(p, o.Ref)
		}
	}
	p.Active = p.Active[:len(p.Active)-1]
}

func visitCall(p *build.Plan, b *sema.Body, c *sema.Call) {
	if c.Table >= 0 {
		t := &b.Tables[c.Table]
		if t.Proto >= 0 {
			passes(p, b.Protos[t.Proto].Params)
		} else {
			for _, fn := range b.Targets[t.List.First : t.List.First+t.List.Len] {
				take(p, fn)
			}
		}
		return
	}
	fn := build.Callee(p.Module, c.Func)
	if fn < 0 {
		return
	}
	passes(p, p.Module.Funcs[fn].Params)
	if !p.Module.Funcs[fn].HasBody {
		outside(p, p.Module.Funcs[fn].Name)
	}
	reach(p, fn)
}

// outside notes what has its address in a slot.
func outside(p *build.Plan, name string) {
	if !slices.Contains(p.Systems, name) {
		p.Systems = append(p.Systems, name)
	}
}

// passes makes room for the arguments of a call that lie on the stack.
func passes(p *build.Plan, params []sema.Param) {
	_, _, stack := spots(params, 1) // a register may be taken for the result
	p.Outgoing = max(p.Outgoing, build.AlignUp(stack, memory.StackAlign))
}

// reach visits a function, and finds out whether it reaches itself.
func reach(p *build.Plan, fn int32) {
	if !p.Module.Funcs[fn].HasBody {
		return
	}
	for k := len(p.Active) - 1; k >= 0; k-- {
		if p.Active[k] == fn {
			for _, x := range p.Active[k:] {
				p.Cyclic[x] = true
			}
		}
	}
	if _, seen := p.SharedOf[fn]; !seen {
		visit(p, p.Body(fn))
	}
}

// take notes that a function's address is used.
func take(p *build.Plan, fn int32) {
	fn = build.Callee(p.Module, fn)
	if fn >= 0 && p.Module.Funcs[fn].Entry {
		outside(p, p.Module.Funcs[fn].Name)
		return
	}
	if fn < 0 || !p.Module.Funcs[fn].HasBody || slices.Contains(p.Taken, fn) {
		return
	}
	p.Taken = append(p.Taken, fn)
	passes(p, p.Module.Funcs[fn].Params)
	if _, seen := p.SharedOf[fn]; !seen {
		visit(p, p.Body(fn))
	}
}

// indirect notes a call through a pointer.
func indirect(p *build.Plan, proto string) {
	if !slices.Contains(p.Indirect, proto) {
		p.Indirect = append(p.Indirect, proto)
	}
}

// need notes that a function is compiled by itself.
func need(p *build.Plan, fn int32) {
	if !slices.Contains(p.Functions, fn) {
		p.Functions = append(p.Functions, fn)
	}
}

// needPointers notes that every function whose address is used may be
// called.
func needPointers(p *build.Plan) {
	for _, fn := range p.Taken {
		need(p, fn)
	}
}

// call lowers call.
func call(l *build.Builder) {
	l.Knows(isa.WUni)
	c := &l.Body.Calls[l.In.Call]
	fn := l.Callee(c.Func)
	switch {
	case fn < 0:
		l.Alone(func() { callIndirect(l, c) })
	case l.Layout.Object && (!l.Module.Funcs[fn].HasBody || l.Module.Funcs[fn].Linkage == sema.Weak):
		l.Alone(func() { callFunc(l, c, fn) }) // the linker may choose another
	case !l.Module.Funcs[fn].HasBody:
		l.Alone(func() { callSystem(l, c, fn) })
	case l.Layout.Apart || l.Plan.Cyclic[fn] || l.Plan.Budget < len(l.Plan.Body(fn).Instrs):
		l.Alone(func() { callFunc(l, c, fn) })
	default:
		b := l.Plan.Body(fn)
		l.Plan.Budget -= len(b.Instrs)
		l.Alone(func() { inline(l, c, b) })
	}
}

// inline lowers the callee's body in place of the call.
func inline(l *build.Builder, c *sema.Call, b *sema.Body) {
	outer, top, loc := l.Scope, l.Top, l.Loc
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

// gradients notes the routines that a body's gradients call.
func gradients(p *build.Plan, b *sema.Body) {
	for n := range b.Instrs {
		name := texture.GradientRoutine(b, &b.Instrs[n])
		if name == "" {
			continue
		}
		p.Outgoing = max(p.Outgoing, texture.GradientStack)
		outside(p, name)
	}
}
