package whole

import (
	"slices"

	"github.com/goptxas/goptxas/internal/engine/diag"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/ptx/sema/setting"
)

// mixedGroups refuses code that uses tensor memory for one block and for a
// pair: a kernel with all that it reaches, or, where functions stay apart, a
// function alone.
func mixedGroups(m *sema.Module, u *diag.Unit) {
	mixed := func(f int32, groups uint8) bool {
		if groups != sema.GroupOne|sema.GroupTwo {
			return false
		}
		u.Report(diag.Error, setting.NoPos, "Function '"+m.Funcs[f].Name+"' uses single CTA(.cta_group::1) and CTA pair granularity(.cta_group::2) and that is not allowed.")
		return true
	}
	some := false
	for _, f := range apart(m) {
		some = mixed(f, m.Funcs[f].Facts.Groups) || some
	}
	if !some && !m.Opts.Relocatable {
		for _, f := range m.Kernels() {
			some = mixed(f, groupsOf(m, f)) || some
		}
	}
	if some {
		u.Report(diag.Fatal, setting.NoPos, aborted)
	}
}

// groupsOf adds up what a kernel reaches by calls and by addresses.
func groupsOf(m *sema.Module, kernel int32) (groups uint8) {
	for _, f := range reach(m, kernel) {
		groups |= m.Funcs[f].Facts.Groups
		for _, t := range m.Funcs[f].Facts.Taken {
			for _, r := range reach(m, t.Fn) {
				groups |= m.Funcs[r].Facts.Groups
			}
		}
	}
	return groups
}

// apart lists the functions of a file in which none stands in place of a
// call, in the order of their messages.
func apart(m *sema.Module) (list []int32) {
	if !m.Opts.Relocatable && !m.Opts.Debug {
		return nil
	}
	for f := range m.Funcs {
		list = append(list, int32(f))
	}
	if !m.Opts.InOrder {
		slices.Reverse(list)
	}
	return list
}
