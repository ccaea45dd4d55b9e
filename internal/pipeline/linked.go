package pipeline

import (
	"slices"

	"github.com/goptxas/goptxas/internal/codegen/abi"
	"github.com/goptxas/goptxas/internal/codegen/emit"
	"github.com/goptxas/goptxas/internal/engine/phase"
	"github.com/goptxas/goptxas/internal/engine/pool"
	"github.com/goptxas/goptxas/internal/link"
	"github.com/goptxas/goptxas/internal/lower"
	"github.com/goptxas/goptxas/internal/lower/routine"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// Threads of a warp may gather for one .sync instruction from functions of
// different objects, of which only the linker sees all. So every object has
// such an instruction as a weak function, and the linker keeps one of them.

// addLinked compiles the functions for gathering threads that the code of an
// object calls, and adds them to it.
func addLinked(p *link.Program, o *Options, all *runners) error {
	calls := func(s *routine.Sync) bool {
		return slices.ContainsFunc(p.Kernels, func(k *link.Kernel) bool {
			return slices.ContainsFunc(k.Code.Relocs, func(r emit.Reloc) bool { return r.Kind == emit.RelocCall && r.Symbol == s.Linked })
		})
	}
	for n := range routine.Syncs {
		s := &routine.Syncs[n]
		if !calls(s) {
			continue
		}
		k, err := linked(s, o, all)
		if err != nil {
			return err
		}
		args, result := linkedTypes(s)
		p.AddWeak(s.Linked, args, result, k)
	}
	return nil
}

// linkedTypes is the prototype of a kind's function. All have a result, as the
// reference's do.
func linkedTypes(s *routine.Sync) (args []isa.Type, result isa.Type) {
	in, out := routine.LinkedWords(s)
	if s.Op == op.MATCH && s.In == 2 {
		args, in = append(args, isa.B64), in-2
	}
	for range in {
		args = append(args, isa.B32)
	}
	if out == 2 {
		return args, isa.B64
	}
	return args, isa.B32
}

// linked compiles the function of one kind.
func linked(s *routine.Sync, o *Options, all *runners) (*link.Kernel, error) {
	mem := pool.New(o.Pool, pool.NameKernel)
	defer mem.Destroy()
	w := newScratch(o, 0)
	r := all.choose(&w.o, 0)
	u := &unit{f: lower.Linked(&ori.Module{Pool: mem}, o.Arch, s), o: &w.o, knobs: r.knobs, mem: mem}
	if err := r.Run(u, new(phase.Progress)); err != nil {
		return nil, err
	}
	k := &link.Kernel{Code: u.code, Props: u.f.Props, Spills: u.spills, Frame: u.f.Props.LocalBytes + u.f.Props.SpillBytes}
	k.Class, k.Maps = link.Compat(u.f)
	k.Props.Registers = abi.Reported(k.Props.Registers)
	return k, nil
}
