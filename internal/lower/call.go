package lower

import (
	"goptxas/internal/ptx/isa"
	"goptxas/internal/ptx/sema"
	"goptxas/internal/ptx/syntax"
)

// plan says what a kernel and the functions it calls share: where their
// shared variables lie and which functions cannot stand in place of a call.
type plan struct {
	shared map[int32][]int64 // offset of each shared variable, by function
	bytes  int64
	cyclic map[int32]bool // functions that reach themselves
	budget int            // instructions that may still be put in place of calls
	active []int32        // functions being lowered
}

// inlineBudget bounds the code that calls are replaced by.
const inlineBudget = 60000

// makePlan visits everything the function reaches.
func (l *lowerer) makePlan() {
	l.plan = &plan{shared: map[int32][]int64{}, cyclic: map[int32]bool{}, budget: inlineBudget, bytes: l.layout.SharedBytes}
	l.plan.visit(l, l.body)
	l.plan.active = []int32{l.body.Func}
	l.f.Props.SharedBytes = int32(l.plan.bytes)
}

func (p *plan) visit(l *lowerer, b *sema.Body) {
	at := make([]int64, len(b.Vars))
	p.shared[b.Func] = at
	for n := range b.Vars {
		v := &b.Vars[n]
		if v.Space == isa.SpaceShared || v.Space == isa.SpaceSharedCTA {
			p.bytes = alignUp(p.bytes, int64(v.Shape.Align))
			at[n] = p.bytes
			p.bytes += int64(v.Shape.Size())
		}
	}
	p.active = append(p.active, b.Func)
	for n := range b.Calls {
		fn := l.callee(b.Calls[n].Func)
		if fn < 0 || !l.m.Funcs[fn].HasBody {
			continue
		}
		for k := len(p.active) - 1; k >= 0; k-- {
			if p.active[k] == fn {
				for _, x := range p.active[k:] {
					p.cyclic[x] = true
				}
			}
		}
		if _, seen := p.shared[fn]; !seen && l.opts.Body != nil {
			p.visit(l, l.opts.Body(fn))
		}
	}
	p.active = p.active[:len(p.active)-1]
}

// callee follows aliases to the function that has the body.
func (l *lowerer) callee(fn int32) int32 {
	for n := 0; fn >= 0 && l.m.Funcs[fn].Alias >= 0 && n < len(l.m.Funcs); n++ {
		fn = l.m.Funcs[fn].Alias
	}
	return fn
}

// call lowers call.
func (l *lowerer) call() {
	l.knows(isa.WUni)
	c := &l.body.Calls[l.in.Call]
	fn := l.callee(c.Func)
	if fn < 0 || !l.m.Funcs[fn].HasBody || l.plan.cyclic[fn] || l.opts.Body == nil {
		l.unsupported()
	}
	b := l.opts.Body(fn)
	if l.plan.budget < len(b.Instrs) {
		l.unsupported()
	}
	l.plan.budget -= len(b.Instrs)
	l.alone(func() { l.inline(c, b) })
}

// inline lowers the callee's body in place of the call.
func (l *lowerer) inline(c *sema.Call, b *sema.Body) {
	outer, top := l.scope, l.top
	args := l.actuals(c.Actuals)
	rets := l.body.Of(c.Rets)
	l.scope = scope{body: b, fn: &l.m.Funcs[b.Func], out: l.f.NewBlock(), inner: true}
	l.plan.active = append(l.plan.active, b.Func)
	l.begin()
	inner := l.scope
	nrets := len(inner.fn.Rets)
	for n, v := range args {
		if nrets+n < len(inner.formals) {
			l.assign(inner.formals[nrets+n], v)
		}
	}
	l.code()
	l.enter(inner.out)
	l.scope, l.top = outer, top
	for n := range rets {
		if n < nrets {
			l.result(&rets[n], inner.formals[n])
		}
	}
	l.plan.active = l.plan.active[:len(l.plan.active)-1]
}

// actuals returns the arguments of a call as variables.
func (l *lowerer) actuals(list syntax.List) []*variable {
	var vs []*variable
	for n := range l.body.Of(list) {
		a := &l.body.Of(list)[n]
		if v := l.variable(a); a.Kind == isa.KSymbol && v != nil {
			vs = append(vs, v)
			continue
		}
		t := a.Type
		if a.Kind == isa.KInt || t == isa.TNone {
			t = isa.B64
		}
		x := l.read(a, t)
		vs = append(vs, &variable{size: int64(4 * len(x)), words: x})
	}
	return vs
}

// result copies a result of a call to where the caller wants it.
func (l *lowerer) result(a *sema.Operand, v *variable) {
	switch d := l.variable(a); {
	case a.Kind == isa.KSymbol && d != nil:
		l.assign(d, v)
	case a.Kind == isa.KReg:
		w := l.words(l.regs[a.Ref])
		l.assign(&variable{size: int64(4 * len(w)), words: w}, v)
	}
}
