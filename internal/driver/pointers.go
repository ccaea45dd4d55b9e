package driver

import (
	"slices"

	"github.com/goptxas/goptxas/internal/link"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/ptx/sema/whole"
)

// pointers tells in which order functions are reported where pointers lead to
// some.
type pointers struct {
	*whole.Pointers
	m *sema.Module
}

func pointersOf(m *sema.Module) *pointers { return &pointers{whole.PointersOf(m), m} }

// called lists the functions that a function may call, the last first: those it
// names, and behind them those that pointers lead to.
func (p *pointers) called(b *sema.Body) []int32 {
	list := called(b)
	if !p.Has[b.Func] {
		return list
	}
	list = slices.DeleteFunc(list, func(fn int32) bool { return slices.Contains(p.Taken, fn) })
	taken := slices.Clone(p.Taken)
	slices.Reverse(taken)
	return append(taken, list...)
}

// counted is how many bytes of pointers the report of a kernel counts: those
// of all functions whose addresses are taken and one that is never given out.
// Of a kernel that is alone the reference counts none.
func (p *pointers) counted(m *sema.Module, kernel int32) int {
	if len(p.Taken) == 0 || !p.Comes[kernel] || len(m.Kernels()) < 2 {
		return 0
	}
	return 8 * (len(p.Taken) + 1)
}

// withCallees lists the functions that pointers lead to, with what they call, in
// this module.
func (p *pointers) withCallees(load func(int32) *sema.Body) (list []int32) {
	for todo := slices.Clone(p.Taken); len(todo) > 0; todo = todo[1:] {
		if p.m.Funcs[todo[0]].HasBody && !slices.Contains(list, todo[0]) {
			list = append(list, todo[0])
			todo = append(todo, called(load(todo[0]))...)
		}
	}
	return list
}

// reached lists those that a kernel may come to.
func (p *pointers) reached(kernel int32, load func(int32) *sema.Body) []int32 {
	if len(p.Taken) == 0 || !p.Comes[kernel] {
		return nil
	}
	return p.withCallees(load)
}

// withPointed is a kernel of a program with the functions that pointers lead to
// from it, of which some may have no code there because it never calls through a
// pointer.
func withPointed(m *sema.Module, k *link.Kernel, kernel int32) *link.Kernel {
	x := *k
	for _, fn := range pointersOf(m).reached(kernel, link.Bodies(m)) {
		if m.Funcs[fn].HasBody && !hasSub(k, fn) && !slices.Contains(x.Placed, fn) {
			x.Placed = append(slices.Clip(x.Placed), fn)
		}
	}
	return &x
}

// endless counts the functions that a kernel calls itself, by name or through a
// pointer, from which calls may nest without end. Addresses that are but stored
// lead somewhere if stored says so.
func (p *pointers) endless(kernel int32, load func(int32) *sema.Body, stored bool) (n int) {
	const open, closed = 1, 2
	next := func(fn int32) []int32 {
		list := called(load(fn))
		if p.m.Funcs[fn].Facts.Indirect || stored && p.Has[fn] {
			list = append(list, p.Taken...)
		}
		return list
	}
	for _, fn := range next(kernel) {
		state := make([]uint8, len(p.m.Funcs))
		var visit func(fn int32) bool
		visit = func(fn int32) bool {
			if state[fn] != 0 || !p.m.Funcs[fn].HasBody {
				return state[fn] == open
			}
			state[fn] = open
			found := slices.ContainsFunc(next(fn), visit)
			state[fn] = closed
			return found
		}
		if visit(fn) {
			n++
		}
	}
	return n
}
