package sema

import (
	"slices"

	"github.com/goptxas/goptxas/internal/engine/diag"
	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// The calling convention has no place for predicates, and none for numbers of
// one or two bytes unless they are plain bits. The convention of the first
// versions has, but objects cannot use it.

// anyNarrow reports whether the convention cannot pass one of the list.
func anyNarrow(list []Param) bool {
	return slices.ContainsFunc(list, func(p Param) bool {
		t := p.Shape.Type
		return !p.Shape.Array && p.Shape.Vec <= 1 && (t == isa.Pred || t.IsInt() && t.Class() != isa.Bits && t.Bits() <= 16)
	})
}

// oldObjects: objects keep to the convention.
func (m *Module) oldObjects(u *diag.Unit) {
	if len(m.NoABI) > 0 && m.Opts.CompileOnly {
		u.Report(diag.Fatal, noPos, "'Compile only(-c)' requires ABI")
	}
}

// narrowParams judges the functions that are kept: all of an object, else what
// kernels reach. Of functions without a body and of prototypes only what is
// passed counts; of an object's parameters all come before results.
func (m *Module) narrowParams(u *diag.Unit) {
	if len(m.NoABI) > 0 {
		return
	}
	const (
		passing   = "In ABI compilation, passing predicate, 8-bit and 16-bit parameters to device functions is not supported"
		returning = "In ABI compilation, returning predicate, 8-bit and 16-bit values from device functions is not supported"
	)
	kept := m.kept()
	returns := ""
	for i := range m.Funcs {
		f := &m.Funcs[i]
		switch {
		case !kept[i]:
		case !f.Entry && anyNarrow(f.Params), f.done.narrowArg:
			u.Report(diag.Fatal, noPos, passing)
			return
		case f.HasBody && anyNarrow(f.Rets):
			returns = returning
		}
		if returns != "" && !m.Opts.CompileOnly {
			break
		}
	}
	if returns != "" {
		u.Report(diag.Fatal, noPos, returns)
	}
}

// kept tells which functions code is generated for, or called.
func (m *Module) kept() []bool {
	kept := make([]bool, len(m.Funcs))
	add := func(f int32) {
		for _, r := range m.reach(f) {
			kept[r] = true
		}
	}
	for i := range m.Funcs {
		if f := &m.Funcs[i]; f.HasBody && (f.Entry || m.Opts.CompileOnly) && !kept[i] {
			add(int32(i))
		}
	}
	for i := range m.Funcs {
		if !kept[i] {
			continue
		}
		for _, t := range m.Funcs[i].done.taken {
			add(t.fn)
		}
		for _, v := range m.Funcs[i].done.vars {
			for _, r := range m.Vars[v].Relocs {
				if f := m.Syms[r.Sym].Func; f >= 0 && !kept[f] {
					add(f)
				}
			}
		}
	}
	return kept
}
