// Package pipeline takes kernels from checked text to code. It is the one
// place that knows in which order a function passes through the compiler.
//
//   - A module: module.go compiles its kernels on workers (workers.go), each
//     in a unit of its own (unit.go); options.go and output.go are what goes
//     in and comes out.
//   - A kernel: pipeline.go lowers bodies and runs the phases; gather.go
//     decides where threads gather, routine.go and subs.go add routines and
//     functions that stand alone, regpool.go serves warps that trade
//     registers, linked.go objects.
//   - The phases: phases.go is the table, runners.go keeps a runner for each
//     level.
//   - Beside that: remember.go and pack.go keep compiled kernels, resume.go
//     and head.go go on from dumps, search.go looks for faster code,
//     follow.go and watch.go tell others how far it is.
package pipeline

import (
	"fmt"
	"slices"

	"github.com/goptxas/goptxas/internal/codegen/abi"
	"github.com/goptxas/goptxas/internal/engine/knobs"
	"github.com/goptxas/goptxas/internal/engine/phase"
	"github.com/goptxas/goptxas/internal/engine/pool"
	"github.com/goptxas/goptxas/internal/link"
	"github.com/goptxas/goptxas/internal/lower/call"
	"github.com/goptxas/goptxas/internal/lower/routine"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/sema"
)

// compileBody lowers a body and runs the phases over it, and over the
// functions it calls that stand by themselves.
func compileBody(m *sema.Module, body *sema.Body, o *Options, r *runner, at *phase.Progress) (*link.Kernel, error) {
	c := &compilation{m: m, o: o, r: r, at: at, body: body, load: link.Bodies(m), mem: pool.New(o.Pool, pool.NameKernel)}
	defer c.mem.Destroy()
	units, err := c.converged()
	if err != nil {
		return nil, err
	}
	return c.kernel(units)
}

// converged lowers the kernel with its functions and brings them to where
// threads have their barriers. Then it is known where threads gather: that
// none wait for others at different places but in calls is proved here. Where a phase
// could not keep what lowered code showed, calls are decided anew, by both.
func (c *compilation) converged() ([]*unit, error) {
	for tries := 0; ; tries++ {
		units, err := c.draft()
		if err != nil {
			return nil, err
		}
		more := false
		for _, u := range units {
			if err := c.begin(u); err != nil {
				return nil, err
			}
			line := uncalled(u)
			if line > 0 && (tries == mostDrafts || c.resumes(u)) {
				return nil, fmt.Errorf("%s: line %d: threads may gather for this instruction from several places", u.f.Name, line)
			}
			if line > 0 {
				if c.also == nil {
					c.also = map[string][]int32{}
				}
				c.also[u.f.Name] = append(c.also[u.f.Name], u.gatherings...)
				more = true
			}
		}
		if !more {
			return units, nil
		}
	}
}

// mostDrafts bounds how often calls are decided anew.
const mostDrafts = 4

// draft lowers the kernel and, where they are part of it, the functions it
// calls that stand by themselves. Instructions for which threads may gather
// from several of them, or from several places of one, are routines.
func (c *compilation) draft() ([]*unit, error) {
	c.plan = call.NewPlan(c.m, c.body, c.o.Layout, c.load)
	if c.o.Level > 1 {
		call.Long(c.plan, int(c.r.knobs.Int(knobs.InlineCopies)))
	}
	u, err := c.lowered(c.body)
	if err != nil {
		return nil, err
	}
	units, all := []*unit{u}, []*ori.Func{u.f}
	for n := 0; n < len(c.plan.Functions) && !c.o.Layout.Object; n++ {
		u, err := c.lowered(c.load(c.plan.Functions[n]))
		if err != nil {
			return nil, err
		}
		u.private = c.private(c.plan.Functions[n])
		units, all = append(units, u), append(all, u.f)
	}
	var shared routine.Gathers
	if len(all) > 1 {
		shared.Share(all)
	}
	for _, u := range units {
		if err := c.gather(u, &shared); err != nil {
			return nil, err
		}
		u.locs = u.draft.Finish()
		u.draft = nil
	}
	return units, nil
}

// private reports whether a function is compiled before all that call it, all
// of which stand in this kernel: it need not keep their registers. Debuggers
// expect that it does, and a kernel that moves its stack pointer counts on the
// register of its frame.
func (c *compilation) private(fn int32) bool {
	return c.plan.Outlined[fn] && !c.plan.Cyclic[fn] && !c.plan.Moves && !slices.Contains(c.plan.Taken, fn) && !c.o.Debug
}

// kernel compiles what was lowered.
func (c *compilation) kernel(units []*unit) (_ *link.Kernel, err error) {
	var private []*unit
	for _, u := range units {
		if u.private {
			private = append(private, u)
		}
	}
	for _, first := range [...]bool{true, false} {
		for _, u := range units {
			if u.private != first {
				continue
			}
			if !u.private {
				u.callees = private
			}
			if err := c.finish(u); err != nil {
				return nil, err
			}
		}
	}
	for _, u := range units {
		if !c.o.Layout.Object {
			link.PlaceLiterals(c.plan, u.f)
		}
	}
	if c.o.Level > 0 && c.o.Fast < FastMax && !c.o.Debug {
		for _, u := range units {
			u.f.Props.Barriers = barriersLeft(u)
		}
	}
	u := units[0]
	k := &link.Kernel{
		Code: u.code, Props: u.f.Props, Spills: u.spills, Frame: u.f.Props.LocalBytes + u.f.Props.SpillBytes,
		Indirect: c.plan.Indirect, Shared: c.plan.Shared, Locs: u.locs, Price: u.price, Warps: u.warps, Ahead: u.ahead, Occupancy: u.occupancy, Latency: u.latency, Injected: u.injected,
	}
	k.Framed = link.FrameOf(u.f, u.code)
	k.Placed, k.Endless = placed(c.plan), len(c.plan.Cyclic) > 0 || c.o.Extensible && c.plan.Moves
	if u.debug != nil {
		k.Debug = append(k.Debug, u.debug)
	}
	k.MaxRegs = uint16(launchBudget(u.f, c.o) + abi.HiddenRegisters)
	k.Class, k.Maps = link.Compat(u.f)
	if c.o.Patch {
		k.Uniform = uniforms(u.f)
	}
	if !u.f.Kernel {
		k.Unwind = link.Unwind(u.f, u.code)
	}
	switch {
	case c.o.Layout.Object:
		if u.f.Props.HasCalls {
			k.Props.Registers = max(k.Props.Registers, abi.CallRegisters-abi.HiddenRegisters)
		}
		if len(u.routines) > 0 || link.HasLiterals(u.f) {
			err = c.addRoutines(k, u)
		}
	case u.f.Props.HasCalls || c.plan.Bank2 > 0 || len(u.routines) > 0:
		err = c.addFunctions(k, units)
	}
	if err != nil {
		return nil, err
	}
	k.Refs = link.RefWords(c.plan.Refs)
	k.Props.Registers = abi.Reported(k.Props.Registers)
	return k, nil
}

// barriersLeft counts the barriers of a block that a function waits at, without
// those in code that nobody comes to. Where a routine does so, who called it
// has said which.
func barriersLeft(u *unit) int32 {
	if len(u.routines) > 0 {
		return u.f.Props.Barriers
	}
	most := int32(0)
	for _, b := range u.f.Blocks {
		for i := range b.Instrs {
			switch {
			case i.Op == op.UCGABAR_WAIT:
				most = max(most, 1)
			case i.Op != op.BAR:
			case len(i.Srcs()) > 0 && i.Srcs()[0].Kind == ori.KImm:
				most = max(most, int32(i.Srcs()[0].Imm)+1)
			default:
				return u.f.Props.Barriers
			}
		}
	}
	return min(most, u.f.Props.Barriers)
}

// uniforms counts the uniform registers that a function changes.
func uniforms(f *ori.Func) int {
	top := 0
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			for _, o := range i.Dsts() {
				if o.Kind == ori.KReg && o.Class == ori.UR {
					top = max(top, int(f.Regs[o.Reg].Phys)+int(o.Sub)+max(1, int(o.N)))
				}
			}
		}
	}
	return top
}

// begin runs the first phases over a lowered function, up to the one after
// which it is known where threads gather.
func (c *compilation) begin(u *unit) error {
	u.ptx = c.plan.Registers(u.body.Func)
	u.pass = c.r.Begin(u, c.at)
	if c.resumes(u) {
		if err := c.resume(u); err != nil {
			return err
		}
	}
	if err := c.compileRoutines(u); err != nil {
		return err
	}
	return u.pass.Through(convergePhase)
}

// finish runs the phases that are left.
func (c *compilation) finish(u *unit) error {
	if err := u.pass.Finish(); err != nil {
		return err
	}
	if u.code == nil {
		return fmt.Errorf("%s: no code was made", u.f.Name)
	}
	if c.o.Debug {
		u.debug = link.DebugOf(c.m, u.body, c.plan, &link.Debugged{F: u.f, Code: u.code, Spilled: u.spills.SpillBytes > 0, Alive: u.alive})
	}
	return nil
}
