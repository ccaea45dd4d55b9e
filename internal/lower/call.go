package lower

import (
	"slices"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/ptx/syntax"
)

// Plan says what a kernel and the functions it calls share: where their
// shared variables lie, which functions cannot stand in place of a call and
// must be compiled by themselves, and what the kernel's own bank of
// constants holds.
type Plan struct {
	Functions []int32  // compiled by themselves, in order of need
	Systems   []string // routines of the driver that are called, kernels whose address is used
	Pointers  bool     // some call goes through a pointer
	Indirect  []string // prototypes of calls through pointers, in an object
	Bank2     int64    // bytes of constant bank 2
	Keep      bool     // warps keep the registers they were launched with
	Meet      Meet     // .sync instructions that several functions have
	Refs      []Ref    // textures, samplers and surfaces named, a word each behind the parameters

	Shared map[string]int64 // offset of each shared variable of the module that is named

	m        *sema.Module
	kernel   int32
	named    map[int32]bool // variables of the module
	own      []ownShared
	body     func(int32) *sema.Body
	shared   map[int32][]int64   // offset of each shared variable, by function
	locals   map[int32][]int64   // offset in the frame of each local variable, by function
	regs     map[int32][]ori.Reg // virtual register of each PTX register, by function
	bytes    int64
	outgoing int64          // bytes of stack that calls pass
	cyclic   map[int32]bool // functions that reach themselves
	taken    []int32        // functions whose address is used, in order
	moves    bool           // some body moves the stack pointer
	object   bool           // nothing is known of where things lie
	budget   int            // instructions that may still be put in place of calls
	active   []int32        // functions being visited
}

// inlineBudget bounds the code that calls are replaced by.
const inlineBudget = 60000

// NewPlan visits everything a kernel reaches. body returns the checked body
// of a function.
func NewPlan(m *sema.Module, kernel *sema.Body, layout *Layout, body func(int32) *sema.Body) *Plan {
	p := &Plan{m: m, kernel: kernel.Func, body: body, shared: map[int32][]int64{}, locals: map[int32][]int64{}, regs: map[int32][]ori.Reg{}, cyclic: map[int32]bool{}, budget: inlineBudget, object: layout.Object, Shared: map[string]int64{}, named: map[int32]bool{}}
	defer p.placeShared(layout)
	p.visit(kernel)
	if p.object {
		return p
	}
	for n := range m.Vars {
		for _, r := range m.Vars[n].Relocs {
			if fn := m.Syms[r.Sym].Func; fn >= 0 && !m.Funcs[fn].Entry {
				p.take(fn)
			}
		}
	}
	if len(p.taken) > 0 {
		p.Bank2 = PointerSlot(m, int32(len(m.Funcs)))
	}
	return p
}

// Places returns where the variables of a function's body lie that has been
// lowered: the offsets in its frame of local ones, in shared memory of shared
// ones.
func (p *Plan) Places(fn int32) (locals, shared []int64) { return p.locals[fn], p.shared[fn] }

// Registers returns the virtual register of each PTX register of a function
// that has been lowered.
func (p *Plan) Registers(fn int32) []ori.Reg { return p.regs[fn] }

// PointerSlot returns the place of a function's offset in bank 2: behind one
// word that no function has, in the order of the module.
func PointerSlot(m *sema.Module, fn int32) int64 {
	at := int64(pointerSize)
	for n := range m.Funcs[:fn] {
		if m.Funcs[n].HasBody && !m.Funcs[n].Entry {
			at += pointerSize
		}
	}
	return at
}

// pointerSize is the size of a function's offset in bank 2.
const pointerSize = 8

func (p *Plan) visit(b *sema.Body) {
	at := make([]int64, len(b.Vars))
	p.shared[b.Func] = at
	for n := range b.Vars {
		v := &b.Vars[n]
		if v.Space == isa.SpaceShared || v.Space == isa.SpaceSharedCTA {
			p.own = append(p.own, ownShared{at: &at[n], align: int64(v.Shape.Align), size: int64(v.Shape.Size())})
		}
	}
	p.names(b)
	for n := range b.Instrs {
		p.moves = p.moves || b.Instrs[n].Op == isa.WAlloca || b.Instrs[n].Op == isa.WStackrestore
	}
	p.gradients(b)
	p.active = append(p.active, b.Func)
	for n := range b.Calls {
		p.visitCall(b, &b.Calls[n])
	}
	for n := range b.Operands {
		if o := &b.Operands[n]; o.Kind == isa.KFunc {
			p.take(o.Ref)
		}
	}
	p.active = p.active[:len(p.active)-1]
}

func (p *Plan) visitCall(b *sema.Body, c *sema.Call) {
	if c.Table >= 0 {
		t := &b.Tables[c.Table]
		if t.Proto >= 0 {
			p.passes(b.Protos[t.Proto].Params)
		} else {
			for _, fn := range b.Targets[t.List.First : t.List.First+t.List.Len] {
				p.take(fn)
			}
		}
		return
	}
	fn := callee(p.m, c.Func)
	if fn < 0 {
		return
	}
	p.passes(p.m.Funcs[fn].Params)
	if !p.m.Funcs[fn].HasBody {
		p.outside(p.m.Funcs[fn].Name)
	}
	p.reach(fn)
}

// outside notes what has its address in a slot.
func (p *Plan) outside(name string) {
	if !slices.Contains(p.Systems, name) {
		p.Systems = append(p.Systems, name)
	}
}

// passes makes room for the arguments of a call that lie on the stack.
func (p *Plan) passes(params []sema.Param) {
	_, _, stack := spots(params, 1) // a register may be taken for the result
	p.outgoing = max(p.outgoing, alignUp(stack, stackAlign))
}

// reach visits a function, and finds out whether it reaches itself.
func (p *Plan) reach(fn int32) {
	if !p.m.Funcs[fn].HasBody {
		return
	}
	for k := len(p.active) - 1; k >= 0; k-- {
		if p.active[k] == fn {
			for _, x := range p.active[k:] {
				p.cyclic[x] = true
			}
		}
	}
	if _, seen := p.shared[fn]; !seen {
		p.visit(p.body(fn))
	}
}

// take notes that a function's address is used.
func (p *Plan) take(fn int32) {
	fn = callee(p.m, fn)
	if fn >= 0 && p.m.Funcs[fn].Entry {
		p.outside(p.m.Funcs[fn].Name)
		return
	}
	if fn < 0 || !p.m.Funcs[fn].HasBody || slices.Contains(p.taken, fn) {
		return
	}
	p.taken = append(p.taken, fn)
	p.passes(p.m.Funcs[fn].Params)
	if _, seen := p.shared[fn]; !seen {
		p.visit(p.body(fn))
	}
}

// indirect notes a call through a pointer.
func (p *Plan) indirect(proto string) {
	if !slices.Contains(p.Indirect, proto) {
		p.Indirect = append(p.Indirect, proto)
	}
}

// need notes that a function is compiled by itself.
func (p *Plan) need(fn int32) {
	if !slices.Contains(p.Functions, fn) {
		p.Functions = append(p.Functions, fn)
	}
}

// needPointers notes that every function whose address is used may be
// called.
func (p *Plan) needPointers() {
	for _, fn := range p.taken {
		p.need(fn)
	}
}

// callee follows aliases to the function that has the body.
func callee(m *sema.Module, fn int32) int32 {
	for n := 0; fn >= 0 && m.Funcs[fn].Alias >= 0 && n < len(m.Funcs); n++ {
		fn = m.Funcs[fn].Alias
	}
	return fn
}

func (l *lowerer) callee(fn int32) int32 { return callee(l.m, fn) }

// call lowers call.
func (l *lowerer) call() {
	l.knows(isa.WUni)
	c := &l.body.Calls[l.in.Call]
	fn := l.callee(c.Func)
	switch {
	case fn < 0:
		l.alone(func() { l.callIndirect(c) })
	case l.layout.Object && (!l.m.Funcs[fn].HasBody || l.m.Funcs[fn].Linkage == sema.Weak):
		l.alone(func() { l.callFunc(c, fn) }) // the linker may choose another
	case !l.m.Funcs[fn].HasBody:
		l.alone(func() { l.callSystem(c, fn) })
	case l.layout.Apart || l.plan.cyclic[fn] || l.plan.budget < len(l.plan.body(fn).Instrs):
		l.alone(func() { l.callFunc(c, fn) })
	default:
		b := l.plan.body(fn)
		l.plan.budget -= len(b.Instrs)
		l.alone(func() { l.inline(c, b) })
	}
}

// inline lowers the callee's body in place of the call.
func (l *lowerer) inline(c *sema.Call, b *sema.Body) {
	outer, top, loc := l.scope, l.top, l.loc
	args := l.actuals(c.Actuals)
	rets := l.body.Of(c.Rets)
	l.scope = scope{body: b, fn: &l.m.Funcs[b.Func], out: l.f.NewBlock(), inner: true}
	sp := l.saveStack()
	l.begin()
	inner := l.scope
	nrets := len(inner.fn.Rets)
	for n, v := range args {
		if nrets+n < len(inner.formals) {
			l.assign(inner.formals[nrets+n], v)
		}
	}
	l.fall(l.at[0])
	l.code()
	l.enter(inner.out)
	l.scope, l.top, l.loc = outer, top, loc
	for n := range rets {
		if n < nrets {
			l.result(&rets[n], inner.formals[n])
		}
	}
	l.restoreStack(sp)
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
		if a.Kind == isa.KVector {
			vs = append(vs, l.vectorArgument(a))
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
	case a.Kind == isa.KVector:
		l.vectorResult(a, v)
	case a.Kind == isa.KReg:
		w := l.words(l.regs[a.Ref])
		l.assign(&variable{size: int64(4 * len(w)), words: w}, v)
	}
}
