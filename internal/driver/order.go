package driver

import (
	"cmp"
	"slices"

	"github.com/goptxas/goptxas/internal/link"
	"github.com/goptxas/goptxas/internal/pipeline"
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
	w := newWalk(m, funcs)
	for _, fn := range todo {
		w.visit(fn, false)
	}
	return w.order
}

// byKernel orders kernels as they are compiled, each before what it
// calls or behind it.
func byKernel(m *sema.Module, funcs []int32, before bool) []int32 {
	w := newWalk(m, funcs)
	for _, fn := range m.Kernels() {
		w.visit(fn, before)
	}
	return w.order
}

// walk goes from functions to those that they call.
type walk struct {
	load      func(int32) *sema.Body
	to        *pointers
	has, done []bool
	left      int // functions that are not done: without them no body need be read
	order     []int32
}

func newWalk(m *sema.Module, funcs []int32) *walk {
	w := &walk{load: link.Bodies(m), to: pointersOf(m), has: make([]bool, len(m.Funcs)), done: make([]bool, len(m.Funcs))}
	for _, fn := range funcs {
		if !w.has[fn] {
			w.left++
		}
		w.has[fn] = true
	}
	return w
}

// visit adds a function behind those that it calls, or before them.
func (w *walk) visit(fn int32, before bool) {
	if !w.has[fn] || w.done[fn] {
		return
	}
	w.done[fn] = true
	w.left--
	if before {
		w.order = append(w.order, fn)
	}
	var list []int32
	if w.left > 0 {
		list = w.to.called(w.load(fn))
	}
	if before {
		slices.Reverse(list)
	}
	for _, c := range list {
		w.visit(c, before)
	}
	if !before {
		w.order = append(w.order, fn)
	}
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
// their own or that pointers lead to, and what these call, then those that the
// kernel alone has in place of calls, by name.
func callees(m *sema.Module, k *link.Kernel) []FunctionFrame {
	var own, placed []FunctionFrame
	w := newWalk(m, k.Placed)
	for _, sub := range k.Subs {
		own = append(own, functionFrame(m, &sub))
		for _, fn := range called(w.load(sub.Func)) {
			w.visit(fn, false)
		}
	}
	for _, fn := range w.to.withCallees(w.load) {
		w.visit(fn, false)
	}
	for _, fn := range k.Placed {
		if f := (FunctionFrame{Name: m.Funcs[fn].Name}); w.done[fn] {
			own = append(own, f)
		} else {
			placed = append(placed, f)
		}
	}
	byName := func(a, b FunctionFrame) int { return cmp.Compare(a.Name, b.Name) }
	slices.SortFunc(own, byName)
	slices.SortFunc(placed, byName)
	return append(own, placed...)
}

// hasSub reports whether a kernel's section has the code of a function.
func hasSub(k *link.Kernel, fn int32) bool {
	return slices.ContainsFunc(k.Subs, func(s link.Sub) bool { return s.Func == fn })
}

// withCalled is a kernel of an extensible program with the functions that it
// calls, whose code stands by itself there.
func withCalled(m *sema.Module, k *link.Kernel, kernel int32, code map[int32]*link.Kernel) *link.Kernel {
	x := *k
	load, to := link.Bodies(m), pointersOf(m)
	seen := append([]int32{kernel}, k.Placed...)
	add := func(list []int32) (added []int32) {
		for _, fn := range list {
			if c := code[fn]; c != nil && !slices.Contains(seen, fn) {
				seen, added = append(seen, fn), append(added, fn)
				x.Subs = append(x.Subs, link.Sub{Func: fn, Frame: c.Frame, Spills: c.Spills})
			}
		}
		return added
	}
	for todo := slices.Concat(seen, add(to.reached(kernel, load))); len(todo) > 0; todo = todo[1:] {
		todo = append(todo, add(called(load(todo[0])))...)
	}
	return &x
}

// withStack is a kernel whose frame counts with those of the functions that it
// calls, where these are compiled by themselves and it is known how deep calls
// nest.
func withStack(m *sema.Module, k *link.Kernel, fn int32, out *pipeline.Output) *link.Kernel {
	if k.Endless {
		return k
	}
	load, known := link.Bodies(m), make(map[int32]int32)
	var deepest func(fn int32) int32
	deepest = func(fn int32) int32 {
		if most, ok := known[fn]; ok {
			return most
		}
		known[fn] = 0 // not asked for again from within: calls do not nest endlessly
		most := int32(0)
		for _, c := range called(load(fn)) {
			own := int32(0)
			if sub := subOf(out, c); sub != nil {
				own = sub.Frame
			}
			if m.Funcs[c].HasBody {
				most = max(most, own+deepest(c))
			}
		}
		known[fn] = most
		return most
	}
	x := *k
	x.Stack = k.Frame + deepest(fn)
	return &x
}

// functionFrame is the stack use of a function in a kernel's section.
func functionFrame(m *sema.Module, sub *link.Sub) FunctionFrame {
	return FunctionFrame{m.Funcs[sub.Func].Name, Frame{
		Stack: int(sub.Frame), SpillStores: 4 * sub.Spills.Stores, SpillLoads: 4 * sub.Spills.Loads,
	}}
}
