package whole

import (
	"cmp"
	"slices"

	"github.com/goptxas/goptxas/internal/engine/src"
	"github.com/goptxas/goptxas/internal/ptx/sema"
)

// Pointers tells which functions pointers lead to, and from where. Where a
// module takes the address of a function, the reference reports those first
// that come to a pointer.
type Pointers struct {
	Taken []int32 // functions whose addresses are taken, in the order of the text
	Has   []bool  // functions that take an address or call through one
	Comes []bool  // those, and who calls them
}

// PointersOf looks for addresses of functions in bodies and initial values.
func PointersOf(m *sema.Module) *Pointers {
	p := &Pointers{Has: make([]bool, len(m.Funcs)), Comes: make([]bool, len(m.Funcs))}
	for _, n := range byText(m) {
		f := &m.Funcs[n]
		for _, t := range f.Facts.Taken {
			p.Has[n] = p.take(m, t.Fn) || p.Has[n]
		}
		for _, fn := range f.Facts.Addressed {
			p.take(m, fn)
		}
		p.Has[n] = p.Has[n] || f.Facts.Indirect
	}
	for _, fn := range m.Addressed {
		p.take(m, fn)
	}
	copy(p.Comes, p.Has)
	for changed := len(p.Taken) > 0; changed; {
		changed = false
		for n := range m.Funcs {
			if !p.Comes[n] && slices.ContainsFunc(m.Funcs[n].Facts.Calls, func(fn int32) bool { return p.Comes[fn] }) {
				p.Comes[n], changed = true, true
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
func (p *Pointers) take(m *sema.Module, fn int32) bool {
	if m.Funcs[fn].Entry || !m.Funcs[fn].HasBody {
		return false
	}
	if !slices.Contains(p.Taken, fn) {
		p.Taken = append(p.Taken, fn)
	}
	return true
}

// First moves the functions of a list that some condition holds for to its
// front, as the reference sorts lists, where a module takes addresses.
func (p *Pointers) First(list []int32, holds []bool) []int32 {
	if len(p.Taken) == 0 {
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
