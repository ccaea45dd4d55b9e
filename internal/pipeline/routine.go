package pipeline

import (
	"goptxas/internal/engine/phase"
	"goptxas/internal/engine/pool"
	"goptxas/internal/lower"
	"goptxas/internal/ori"
	"goptxas/internal/ptx/sema"
)

// keptRegisters is how many registers a kernel should have besides those its
// routine destroys: with fewer it had to spill around calls that are rarely
// made.
const keptRegisters = 24

// lowered lowers one body and compiles the routines it calls, if any: which
// registers these destroy must be known before the body gets its own. With
// routines that leave few registers all stays in its place.
func lowered(m *sema.Module, body *sema.Body, o *Options, r *runner, at *phase.Progress, plan *lower.Plan, mem *pool.Pool) (*unit, error) {
	opts := lower.Options{NoFMA: o.NoFMA, Plan: plan, Caches: o.Caches, Errors: o.Errors, Routines: o.Level > 1 && !o.Layout.Object}
	f, err := lower.Func(&ori.Module{Pool: mem}, m, body, o.Arch, o.Layout, opts)
	if err != nil {
		return nil, err
	}
	u := &unit{f: f, o: o, knobs: r.knobs, mem: mem}
	if !opts.Routines {
		return u, nil
	}
	fit := true
	for _, n := range lower.Routines(f) {
		x := &unit{f: lower.Routine(&ori.Module{Pool: mem}, o.Arch, n), o: o, knobs: r.knobs, mem: mem, isRoutine: true}
		p := &f.Props
		x.f.Props = ori.Props{MaxNReg: p.MaxNReg, MinNCTA: p.MinNCTA, ReqNTid: p.ReqNTid, MaxNTid: p.MaxNTid}
		if err := r.Run(x, at); err != nil {
			return nil, err
		}
		fit = fit && int(x.f.Props.Registers)+keptRegisters <= budget(x.f, o) && x.spills.SpillBytes == 0 && x.f.Props.LocalBytes+x.f.Props.SpillBytes == 0
		u.routines = append(u.routines, x)
	}
	if fit {
		return u, nil
	}
	opts.Routines = false
	u.routines = nil
	u.f, err = lower.Func(&ori.Module{Pool: mem}, m, body, o.Arch, o.Layout, opts)
	return u, err
}
