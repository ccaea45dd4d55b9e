package driver

import (
	"cmp"
	"slices"

	"github.com/goptxas/goptxas/internal/link"
	"github.com/goptxas/goptxas/internal/ptx/sema"
)

// The reference reports functions in the order in which it compiles them:
// kernels of a whole program as sema.Module.Kernels says, each with the
// functions that it reaches; where functions stand by themselves, callees
// before their callers, or first to last if nothing is optimised.

// calleesFirst orders the functions of an object: those that only the module
// sees before the others, both last to first, but what a function calls before
// it, the last call first.
func calleesFirst(m *sema.Module, funcs []int32) []int32 {
	todo := slices.Clone(funcs)
	slices.Sort(todo)
	slices.Reverse(todo)
	slices.SortStableFunc(todo, func(a, b int32) int { return cmp.Compare(seenOutside(m, a), seenOutside(m, b)) })
	has, done := make([]bool, len(m.Funcs)), make([]bool, len(m.Funcs))
	for _, fn := range funcs {
		has[fn] = true
	}
	order, load := make([]int32, 0, len(funcs)), link.Bodies(m)
	var visit func(fn int32)
	visit = func(fn int32) {
		if !has[fn] || done[fn] {
			return
		}
		done[fn] = true
		for _, c := range called(load(fn)) {
			visit(c)
		}
		order = append(order, fn)
	}
	for _, fn := range todo {
		visit(fn)
	}
	return order
}

// called lists the functions that a body calls, the last first use first.
func called(b *sema.Body) []int32 {
	var list []int32
	for n := range b.Calls {
		if fn := b.Calls[n].Func; fn >= 0 && !slices.Contains(list, fn) {
			list = append(list, fn)
		}
	}
	slices.Reverse(list)
	return list
}

// firstToLast orders functions as the text does, those that only the module
// sees behind the others.
func firstToLast(m *sema.Module, funcs []int32) []int32 {
	order := slices.Clone(funcs)
	slices.Sort(order)
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(seenOutside(m, b), seenOutside(m, a)) })
	return order
}

// seenOutside is 1 for a function that other modules see.
func seenOutside(m *sema.Module, fn int32) int {
	if m.Funcs[fn].Linkage == sema.Static {
		return 0
	}
	return 1
}

// callees lists the functions that belong to a kernel: first those with code of
// their own, then those that stand in place of their calls, by name.
func callees(m *sema.Module, k *link.Kernel) []FunctionFrame {
	var list []FunctionFrame
	byName := func(a, b FunctionFrame) int { return cmp.Compare(a.Name, b.Name) }
	for _, sub := range k.Subs {
		list = append(list, functionFrame(m, &sub))
	}
	slices.SortFunc(list, byName)
	own := len(list)
	for _, fn := range k.Placed {
		list = append(list, FunctionFrame{Name: m.Funcs[fn].Name})
	}
	slices.SortFunc(list[own:], byName)
	return list
}

// withCalled is a kernel of an extensible program with the functions that it
// calls, whose code stands by itself there.
func withCalled(m *sema.Module, k *link.Kernel, kernel int32, code map[int32]*link.Kernel) *link.Kernel {
	x := *k
	load := link.Bodies(m)
	seen := append([]int32{kernel}, k.Placed...)
	for todo := slices.Clone(seen); len(todo) > 0; todo = todo[1:] {
		for _, fn := range called(load(todo[0])) {
			if c := code[fn]; c != nil && !slices.Contains(seen, fn) {
				seen, todo = append(seen, fn), append(todo, fn)
				x.Subs = append(x.Subs, link.Sub{Func: fn, Frame: c.Frame, Spills: c.Spills})
			}
		}
	}
	return &x
}

// functionFrame is the stack use of a function in a kernel's section.
func functionFrame(m *sema.Module, sub *link.Sub) FunctionFrame {
	return FunctionFrame{m.Funcs[sub.Func].Name, Frame{
		Stack: int(sub.Frame), SpillStores: 4 * sub.Spills.Stores, SpillLoads: 4 * sub.Spills.Loads,
	}}
}
