package whole

import (
	"github.com/goptxas/goptxas/internal/engine/diag"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/ptx/sema/setting"
)

// The calling convention has no place for predicates, and none for numbers of
// one or two bytes unless they are plain bits. The convention of the first
// versions has, but objects cannot use it.

// oldObjects: objects keep to the convention.
func oldObjects(m *sema.Module, u *diag.Unit) {
	if len(m.NoABI) > 0 && m.Opts.CompileOnly {
		u.Report(diag.Fatal, setting.NoPos, "'Compile only(-c)' requires ABI")
	}
}

// narrowParams judges the functions that are kept: all of an object, else what
// kernels reach. Of functions without a body and of prototypes only what is
// passed counts; of an object's parameters all come before results.
func narrowParams(m *sema.Module, u *diag.Unit) {
	if len(m.NoABI) > 0 {
		return
	}
	const (
		passing   = "In ABI compilation, passing predicate, 8-bit and 16-bit parameters to device functions is not supported"
		returning = "In ABI compilation, returning predicate, 8-bit and 16-bit values from device functions is not supported"
	)
	kept := kept(m)
	returns := ""
	for i := range m.Funcs {
		f := &m.Funcs[i]
		switch {
		case !kept[i]:
		case !f.Entry && sema.AnyNarrow(f.Params), f.Facts.NarrowArg:
			u.Report(diag.Fatal, setting.NoPos, passing)
			return
		case f.HasBody && sema.AnyNarrow(f.Rets):
			returns = returning
		}
		if returns != "" && !m.Opts.CompileOnly {
			break
		}
	}
	if returns != "" {
		u.Report(diag.Fatal, setting.NoPos, returns)
	}
}

// kept tells which functions code is generated for, or called.
func kept(m *sema.Module) []bool {
	kept := make([]bool, len(m.Funcs))
	add := func(f int32) {
		for _, r := range reach(m, f) {
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
		for _, t := range m.Funcs[i].Facts.Taken {
			add(t.Fn)
		}
		for _, v := range m.Funcs[i].Facts.Vars {
			for _, r := range m.Vars[v].Relocs {
				if f := m.Syms[r.Sym].Func; f >= 0 && !kept[f] {
					add(f)
				}
			}
		}
	}
	return kept
}
