package driver

import (
	"cmp"
	"slices"

	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
)

// objectShared is how much shared memory the report of an object says a kernel
// has: its own variables without gaps, and room in front of them where they
// are no more than what the widest alignment of the file asks for.
func objectShared(m *sema.Module, f *sema.Func) int {
	size, align := uint64(0), uint64(1)
	for i := range f.Facts.Shared {
		s := &f.Facts.Shared[i]
		size, align = size+s.Size(), max(align, s.Align)
	}
	for i := range m.Vars {
		if v := &m.Vars[i]; v.Space == isa.SpaceShared && !v.Shape.Open && v.Linkage != sema.Extern {
			align = max(align, v.Shape.Align)
		}
	}
	for i := range m.Funcs {
		for n := range m.Funcs[i].Facts.Shared {
			if !m.Funcs[i].Entry {
				align = max(align, m.Funcs[i].Facts.Shared[n].Align)
			}
		}
	}
	if size > 0 && size <= align {
		size += align
	}
	return int(size)
}

// extensibleShared is how much an extensible program's kernel has: the
// variables that it and what it calls use, up to where memory of the launch's
// size may begin. For a debugger or in a hurry functions are called and count for
// themselves, and variables lie by alignment and size.
func extensibleShared(m *sema.Module, kernel int32, called bool) int {
	reached := []int32{kernel}
	for i := 0; i < len(reached) && !called; i++ {
		for _, fn := range m.Funcs[reached[i]].Facts.Calls {
			if !slices.Contains(reached, fn) {
				reached = append(reached, fn)
			}
		}
	}
	list := usedShared(m, reached)
	if called {
		slices.SortStableFunc(list, func(a, b *sema.Shape) int {
			return cmp.Or(cmp.Compare(b.Align, a.Align), cmp.Compare(a.Size(), b.Size()))
		})
	}
	at := uint64(0)
	for _, s := range list {
		at = (at+s.Align-1)&^(s.Align-1) + s.Size()
	}
	for i := range m.Vars {
		v, align := &m.Vars[i], uint64(1)
		switch {
		case v.Space != isa.SpaceShared || !v.Shape.Open || at == 0:
		case !called:
			align = v.Shape.Align
		case slices.Contains(m.Funcs[kernel].Facts.Vars, int32(i)):
			align = max(v.Shape.Align, openLeast)
		}
		at = (at + align - 1) &^ (align - 1)
	}
	return int(at)
}

// openLeast is the least alignment of memory of the launch's size where
// functions are called.
const openLeast = 16

// usedShared lists the variables in shared memory that functions have or name.
func usedShared(m *sema.Module, funcs []int32) []*sema.Shape {
	var list []*sema.Shape
	done := map[int32]bool{}
	for _, fn := range funcs {
		facts := &m.Funcs[fn].Facts
		for n := range facts.Shared {
			list = append(list, &facts.Shared[n])
		}
		for _, n := range slices.Sorted(slices.Values(facts.Vars)) {
			if v := &m.Vars[n]; v.Space == isa.SpaceShared && !v.Shape.Open && !done[n] {
				list = append(list, &v.Shape)
			}
			done[n] = true
		}
	}
	return list
}
