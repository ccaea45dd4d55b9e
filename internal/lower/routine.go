package lower

import (
	"slices"

	"github.com/goptxas/goptxas/internal/codegen/abi"
	"github.com/goptxas/goptxas/internal/codegen/expand"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/lower/division"
	"github.com/goptxas/goptxas/internal/lower/routine"
	"github.com/goptxas/goptxas/internal/lower/warp"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/target"
)

// Routines lists the routines that a function calls, by number.
func Routines(f *ori.Func) []int {
	var list []int
	for k := range f.Module.Symbols {
		if f.Module.Symbols[k].Routine == ori.NoRoutine {
			continue
		}
		for n := range len(routine.Routines) + 2*len(routine.Syncs) {
			if f.Module.Symbols[k].Name == routine.Name(n) {
				list = append(list, n)
			}
		}
	}
	slices.Sort(list)
	return list
}

// Routine makes routine n.
func Routine(mod *ori.Module, arch *target.Arch, n int) *ori.Func {
	l := build.New(arch)
	nin, nout := routine.Words(n)
	l.F = mod.NewRoutine(routine.Name(n), routine.KindOf(n))
	l.Enter(l.F.NewBlock())
	back, in := l.Fixed(routine.ReturnOf(n), 1), division.FixedWords(l, nin)
	l.Emit(op.UNDEF, op.Mods{}, append(build.Value{l.F.Words(back)}, in...))
	words := 1
	if n < len(routine.Routines) {
		words = routine.Routines[n].Kind.Words()
	}
	var args build.Value
	for k := 0; k < nin; k += words {
		args = append(args, l.Tmp(words)...)
	}
	to := l.Tmp(1)
	l.Copy(to, l.Words(back))
	l.Copy(args, division.Each(l, in))
	var r build.Value
	if n < len(routine.Routines) {
		r = division.KindOf(l, n, args)
	} else {
		s, full := routine.SyncRoutine(n)
		r = warp.SyncOf(l, s, full, args)
	}
	out, exit := division.FixedWords(l, nout), l.Fixed(routine.ReturnOf(n), 2)
	l.Copy(division.Each(l, out), r)
	l.Copy(l.Words(exit), append(to, expand.RZ()))
	l.Emit(op.RET, op.M(op.MREL, op.MNODEC), nil, append(build.Value{l.F.Words(exit)}, out...)...)
	l.Arrange()
	return l.F
}

// Linked makes the function that objects call for a kind of instructions for
// which threads gather, by the full convention.
func Linked(mod *ori.Module, arch *target.Arch, s *routine.Sync) *ori.Func {
	l := build.New(arch)
	nin, nout := routine.LinkedWords(s)
	l.F = mod.NewFunc(s.Linked)
	l.Enter(l.F.NewBlock())
	back, in := l.Fixed(abi.ReturnReg, 2), division.FixedWords(l, nin)
	l.Emit(op.UNDEF, op.Mods{}, append(build.Value{l.F.Words(back)}, in...))
	to := l.Tmp(2)
	l.Copy(to, l.Words(back))
	var args build.Value
	for range nin {
		args = append(args, l.Tmp(1)...)
	}
	l.Copy(args, division.Each(l, in))
	r := warp.SyncOf(l, s, s.Unaligned, args)
	out, exit := division.FixedWords(l, nout), l.Fixed(abi.ReturnReg, 2)
	l.Copy(division.Each(l, out), r)
	l.Copy(l.Words(exit), to)
	l.Emit(op.RET, op.M(op.MABS, op.MNODEC), nil, append(build.Value{l.F.Words(exit)}, out...)...)
	l.Arrange()
	return l.F
}
