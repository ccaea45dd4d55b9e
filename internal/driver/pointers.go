package driver

import (
	"cmp"
	"slices"

	"github.com/goptxas/goptxas/internal/engine/src"
	"github.com/goptxas/goptxas/internal/link"
	"github.com/goptxas/goptxas/internal/ptx/sema"
)

// pointers tells which functions pointers lead to, and from where. Where a
// module takes the address of a function, the reference reports those first
// that come to a pointer.
type pointers struct {
	taken []int32 // functions whose addresses are taken, in the order of the text
	has   []bool  // functions that take an address or call through one
	comes []bool  // those, and who calls them
}

// pointersOf looks for addresses of functions in bodies and initial values.
func pointersOf(m *sema.Module) *pointers {
	p := &pointers{has: make([]bool, len(m.Funcs)), comes: make([]bool, len(m.Funcs))}
	for _, n := range byText(m) {
		f := &m.Funcs[n]
		for _, t := range f.Facts.Taken {
			p.has[n] = p.take(m, t.Fn) || p.has[n]
		}
		for _, fn := range f.Facts.Addressed {
			p.take(m, fn)
		}
		p.has[n] = p.has[n] || f.Facts.Indirect
	}
	for _, fn := range m.Addressed {
		p.take(m, fn)
	}
	copy(p.comes, p.has)
	for changed := len(p.taken) > 0; changed; {
		changed = false
		for n := range m.Funcs {
			if !p.comes[n] && slices.ContainsFunc(m.Funcs[n].Facts.Calls, func(fn int32) bool { return p.comes[fn] }) {
				p.comes[n], changed = true, true
			}
		}
	}
	return p
}

// byText lists the functions that have bodies in the order of these.
func byText(m *sema.Module) []int32 {
	var list []int32
	for n := range m.Funcs {
		if m.Funcs[n].HasBody {
			list = append(list, int32(n))
		}
	}
	body := func(fn int32) src.Pos { return m.Files[m.Funcs[fn].File].Funcs[m.Funcs[fn].DeclIndex].Body }
	slices.SortStableFunc(list, func(a, b int32) int {
		return cmp.Or(cmp.Compare(m.Funcs[a].File, m.Funcs[b].File), cmp.Compare(body(a), body(b)))
	})
	return list
}

// take notes a function whose address is used.
func (p *pointers) take(m *sema.Module, fn int32) bool {
	if m.Funcs[fn].Entry || !m.Funcs[fn].HasBody {
		return false
	}
	if !slices.Contains(p.taken, fn) {
		p.taken = append(p.taken, fn)
	}
	return true
}

// first moves the functions of a list that some condition holds for to its
// front, as the reference sorts lists, where a module takes addresses.
func (p *pointers) first(list []int32, holds []bool) []int32 {
	if len(p.taken) == 0 {
		return list
	}
	slices.Reverse(list)
	return merged(list, holds)
}

// merged sorts a list: its elements are dealt out to two, the last first, and
// these are sorted and merged. Of equal ones those of the second come first.
func merged(list []int32, holds []bool) []int32 {
	if len(list) < 2 {
		return list
	}
	var half [2][]int32
	for n, fn := range slices.Backward(list) {
		half[n%2] = append(half[n%2], fn)
	}
	a, b := merged(half[0], holds), merged(half[1], holds)
	all := make([]int32, 0, len(list))
	for len(a) > 0 && len(b) > 0 {
		if holds[a[0]] && !holds[b[0]] {
			all, a = append(all, a[0]), a[1:]
		} else {
			all, b = append(all, b[0]), b[1:]
		}
	}
	return append(append(all, a...), b...)
}

// called lists the functions that a function may call, the last first: those it
// names, and behind them those that pointers lead to.
func (p *pointers) called(b *sema.Body) []int32 {
	list := called(b)
	if !p.has[b.Func] {
		return list
	}
	list = slices.DeleteFunc(list, func(fn int32) bool { return slices.Contains(p.taken, fn) })
	taken := slices.Clone(p.taken)
	slices.Reverse(taken)
	return append(taken, list...)
}

// counted is how many bytes of pointers the report of a kernel counts: those
// of all functions whose addresses are taken and one that is never given out.
// Of a kernel that is alone the reference counts none.
func (p *pointers) counted(m *sema.Module, kernel int32) int {
	if len(p.taken) == 0 || !p.comes[kernel] || len(m.Kernels()) < 2 {
		return 0
	}
	return 8 * (len(p.taken) + 1)
}

// withCallees lists the functions that pointers lead to, with what they call.
func (p *pointers) withCallees(load func(int32) *sema.Body) (list []int32) {
	for todo := slices.Clone(p.taken); len(todo) > 0; todo = todo[1:] {
		if !slices.Contains(list, todo[0]) {
			list = append(list, todo[0])
			todo = append(todo, called(load(todo[0]))...)
		}
	}
	return list
}

// reached lists those that a kernel may come to.
func (p *pointers) reached(kernel int32, load func(int32) *sema.Body) []int32 {
	if len(p.taken) == 0 || !p.comes[kernel] {
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

// endless reports whether calls from a kernel may nest without end. Addresses
// that are but stored lead somewhere if stored says so.
func (p *pointers) endless(m *sema.Module, kernel int32, load func(int32) *sema.Body, stored bool) bool {
	const open, closed = 1, 2
	state := make([]uint8, len(m.Funcs))
	var visit func(fn int32) bool
	visit = func(fn int32) bool {
		if state[fn] != 0 || !m.Funcs[fn].HasBody {
			return state[fn] == open
		}
		state[fn] = open
		list := called(load(fn))
		if m.Funcs[fn].Facts.Indirect || stored && p.has[fn] {
			list = append(list, p.taken...)
		}
		found := slices.ContainsFunc(list, visit)
		state[fn] = closed
		return found
	}
	return visit(kernel)
}
