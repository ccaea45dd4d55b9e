// Package lower turns checked PTX into Ori: registers become virtual
// registers of words, instructions become machine operations, labels become
// blocks. Operands are left as they come (immediates and constants
// anywhere); instruction selection puts them where a form allows them.
//
// The builder (lower/build) knows the body, its operands and variables and
// emits instructions; each package above it lowers one kind of PTX instruction
// and has a table that says which function lowers which. This package asks
// the tables. Packages see those below them in this list only:
//
//	call             calls, branches, the ABI
//	async            copies and barriers that go on by themselves, tensor memory
//	texture matrix   textures and surfaces; matrix products and fragments
//	warp             threads of a warp together, barriers of the block, fences
//	memory           loads, stores, atomics, addresses
//	arith            arithmetic, comparisons, conversions
//	division         division, roots and what calls their routines
//	build            the builder
//	routine          which routines there are
package lower

import (
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/lower/call"
	"github.com/goptxas/goptxas/internal/lower/division"
	"github.com/goptxas/goptxas/internal/lower/routine"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/ptx/sema/bodies"
	"github.com/goptxas/goptxas/internal/target"
)

// Draft is a lowered body whose .sync instructions may still become calls.
type Draft struct {
	F *ori.Func
	l *build.Builder
}

// New lowers a checked body.
func New(mod *ori.Module, m *sema.Module, body *sema.Body, arch *target.Arch, layout *build.Layout, opts build.Options) (d *Draft, err error) {
	l := build.New(arch)
	l.Module, l.Layout, l.Opts, l.Tables = m, layout, opts, tables[:]
	l.Body, l.Fn = body, &m.Funcs[body.Func]
	l.F = mod.NewFunc(l.Fn.Name)
	defer refused(&err)
	properties(l)
	l.Plan = opts.Plan
	if l.Plan == nil {
		l.Plan = call.NewPlan(m, body, layout, func(fn int32) *sema.Body { return bodies.Of(m, fn, new(bodies.Scratch)) })
	}
	if opts.Routines != nil && l.F.Kernel && !layout.Object && !l.Plan.Moves {
		division.Sites(l.Plan, body, &l.Sites)
		l.Sites.Fit(opts.Routines(l.F))
	}
	l.F.Props.SharedBytes = int32(l.Plan.Bytes)
	l.F.Props.MovesStack = call.MovesStack(l.Plan, body.Func)
	l.Top = l.Plan.Outgoing
	l.Begin()
	l.Enter(l.At[0])
	if !l.Fn.Entry {
		l.Out = l.F.NewBlock()
		call.EnterFunc(l)
	}
	l.Code()
	if !l.Fn.Entry {
		l.Enter(l.Out)
		call.LeaveFunc(l)
	}
	l.Arrange()
	build.SortCuts(l.F)
	return &Draft{l.F, l}, nil
}

// refused turns an instruction that cannot be compiled into an error.
func refused(err *error) {
	if r := recover(); r != nil {
		u, ok := r.(*build.Unsupported)
		if !ok {
			panic(r)
		}
		*err = u
	}
}

// Gather makes calls of the .sync instructions for which threads gather from
// several places.
func (d *Draft) Gather(g *routine.Gathers) (err error) {
	defer refused(&err)
	d.l.Gather(g)
	return nil
}

// Repeats returns the heads of the loops that the text does not have.
func (d *Draft) Repeats() []*ori.Block { return d.l.Repeats }

// Finish ends lowering and returns the .loc directives of the body, which
// Instr.Loc counts.
func (d *Draft) Finish() []build.Line {
	d.l.Unmark()
	d.F.NoteAtomics()
	if d.l.Opts.Guards.Steer {
		steer(d.F)
	}
	return d.l.List
}

func properties(l *build.Builder) {
	p, a := &l.F.Props, &l.Fn.Launch
	l.F.Kernel = l.Fn.Entry
	p.ParamBytes = int32(l.Fn.ParamLen)
	p.ParamBase = int32(l.Arch.Bank0().Param)
	p.MaxNReg = int32(a.MaxNReg)
	p.LocalNReg = int32(a.LocalMaxNReg)
	p.MinNCTA = int32(a.MinNCTAPerSM)
	for k := range 3 {
		p.ReqNTid[k], p.MaxNTid[k] = int32(a.ReqNTid[k]), int32(a.MaxNTid[k])
		p.Cluster[k] = int32(a.Cluster[k])
	}
}
