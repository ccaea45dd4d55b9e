package call

import (
	"slices"

	"github.com/goptxas/goptxas/internal/codegen/abi"
	"github.com/goptxas/goptxas/internal/lower/async"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/lower/memory"
	"github.com/goptxas/goptxas/internal/lower/texture"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
)

// spot is where a call passes one value.
type spot struct {
	reg   int   // first argument register, or -1
	off   int64 // on the stack otherwise
	words int
}

// spots places values in order: in the first argument registers that are
// free and aligned, else on the stack, whole. A later value may still find
// registers. The first hidden registers are taken. It returns the words of
// registers and the bytes of stack used.
func spots(params []sema.Param, hidden int) (list []spot, regs int, stack int64) {
	var used [abi.NumArgRegs]bool
	for n := range hidden {
		used[n] = true
	}
	regs = hidden
	free := func(at, n int) bool {
		for k := range n {
			if at+k >= abi.NumArgRegs || used[at+k] {
				return false
			}
		}
		return true
	}
	for n := range params {
		s := &params[n].Shape
		size, align := int64(s.Size()), int64(max(1, s.Align))
		x := spot{reg: -1, words: int((size + 3) / 4)}
		step := int(max(1, min(align, 16)/4))
		for at := 0; at < abi.NumArgRegs && x.reg < 0; at += step {
			if free(at, x.words) {
				x.reg = at
			}
		}
		if x.reg < 0 {
			stack = build.AlignUp(stack, align)
			x.off = stack
			stack += size
		} else {
			for k := range x.words {
				used[x.reg+k] = true
			}
			regs = max(regs, x.reg+x.words)
		}
		list = append(list, x)
	}
	return list, regs, stack
}

// signature is what a call must know of its callee.
type signature struct {
	rets, params []sema.Param
}

// hidden is the number of registers before the arguments: results that do
// not fit the registers are written to memory, whose address in the caller's
// frame comes first.
func hidden(rets []sema.Param) int {
	if _, _, rest := spots(rets, 0); rest > 0 {
		return 1
	}
	return 0
}

// inMemory places results one behind the other.
func inMemory(rets []sema.Param) (list []spot, size int64) {
	for n := range rets {
		s := &rets[n].Shape
		size = build.AlignUp(size, int64(max(1, s.Align)))
		list = append(list, spot{reg: -1, off: size})
		size += int64(s.Size())
	}
	return list, size
}

// inlineBudget bounds the code that calls are replaced by.
const inlineBudget = 60000

// NewPlan visits everything a kernel reaches. body returns the checked body
// of a function.
func NewPlan(m *sema.Module, kernel *sema.Body, layout *build.Layout, body func(int32) *sema.Body) *build.Plan {
	p := &build.Plan{Module: m, Kernel: kernel.Func, Body: body, SharedOf: map[int32][]int64{}, Locals: map[int32][]int64{}, Regs: map[int32][]ori.Reg{}, Cyclic: map[int32]bool{}, Budget: inlineBudget, Sites: map[int32]int{}, Outlined: map[int32]bool{}, Object: layout.Object, Shared: map[string]int64{}, Named: map[int32]bool{}}
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
	takeOthers(p)
	if len(p.Taken) > 0 {
		p.Bank2 = build.PointerSlot(m, int32(len(m.Funcs)))
	}
	return p
}

// takeOthers notes the functions whose addresses others take, if some call goes
// through a pointer: memory may have brought it.
func takeOthers(p *build.Plan) {
	m := p.Module
	calls := false
	for fn := range p.SharedOf {
		calls = calls || m.Funcs[fn].Facts.Indirect
	}
	if !calls {
		return
	}
	for n := range m.Funcs {
		if !m.Funcs[n].HasBody {
			continue
		}
		for _, t := range m.Funcs[n].Facts.Taken {
			take(p, t.Fn)
		}
		for _, fn := range m.Funcs[n].Facts.Addressed {
			take(p, fn)
		}
	}
}

func visit(p *build.Plan, b *sema.Body) {
	at := make([]int64, len(b.Vars))
	p.SharedOf[b.Func] = at
	shown := int32(0)
	switch f := &p.Module.Funcs[b.Func]; {
	case f.Entry && f.Linkage == sema.Static:
		shown = -1
	case !f.Entry && f.Linkage != sema.Static:
		shown = b.Func + 1
	}
	for n := range b.Vars {
		v := &b.Vars[n]
		if v.Space == isa.SpaceShared || v.Space == isa.SpaceSharedCTA {
			p.Own = append(p.Own, build.OwnShared{At: &at[n], Align: int64(v.Shape.Align), Size: int64(v.Shape.Size()), Shown: shown})
		}
	}
	names(p, b)
	if moves(b) {
		p.Moves, p.Movers = true, append(p.Movers, b.Func)
	}
	routines(p, b)
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

// moves reports whether a body moves the stack pointer.
func moves(b *sema.Body) bool {
	for n := range b.Instrs {
		if o := b.Instrs[n].Op; o == isa.WAlloca || o == isa.WStackrestore {
			return true
		}
	}
	return false
}

// MovesStack reports whether a function moves its stack pointer: its own text
// does, or that of a function that may stand in it in place of a call.
func MovesStack(p *build.Plan, fn int32) bool {
	list := []int32{fn}
	for n := 0; n < len(list); n++ {
		if slices.Contains(p.Movers, list[n]) {
			return true
		}
		for _, callee := range p.Module.Funcs[list[n]].Facts.Calls {
			if callee = build.Callee(p.Module, callee); callee >= 0 && !slices.Contains(list, callee) {
				list = append(list, callee)
			}
		}
	}
	return false
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
	p.Sites[fn]++
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

// place notes that a function stands in place of a call.
func place(p *build.Plan, fn int32) {
	if !slices.Contains(p.Placed, fn) {
		p.Placed = append(p.Placed, fn)
	}
}

// needPointers notes that every function whose address is used may be
// called.
func needPointers(p *build.Plan) {
	for _, fn := range p.Taken {
		need(p, fn)
	}
}

// routines notes the driver's routines that a body's instructions call.
func routines(p *build.Plan, b *sema.Body) {
	for n := range b.Instrs {
		if name := texture.GradientRoutine(b, &b.Instrs[n]); name != "" {
			p.Outgoing = max(p.Outgoing, texture.GradientStack)
			outside(p, name)
		}
		if name := async.CopyRoutine(p.Module.Opts.Arch, b, &b.Instrs[n]); name != "" {
			p.Outgoing = max(p.Outgoing, async.RoutineStack)
			outside(p, name)
		}
	}
}
