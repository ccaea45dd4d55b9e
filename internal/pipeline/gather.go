package pipeline

import (
	"slices"

	"github.com/goptxas/goptxas/internal/codegen/isel"
	"github.com/goptxas/goptxas/internal/engine/src"
	"github.com/goptxas/goptxas/internal/lower/routine"
	"github.com/goptxas/goptxas/internal/opt/ssa"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// gather makes calls of the .sync instructions of a lowered function for which
// threads may gather from several places. Where threads of the warp may be in
// functions of other objects all are functions that objects share: always in a
// function of an object, and in its kernels where calls are left.
func (c *compilation) gather(u *unit, shared *routine.Gathers) error {
	if len(u.f.Syncs) == 0 {
		return nil
	}
	g := shared.Copy()
	g.Linked = c.o.Layout.Object && u.f.Props.HasCalls
	g.Add(u.f, c.also[u.f.Name])
	if err := u.draft.Gather(g); err != nil || g.Linked {
		return err
	}
	for g.Add(u.f, c.gatherings(u.f)) { // calls part threads that were together
		if err := u.draft.Gather(g); err != nil {
			return err
		}
	}
	return nil
}

// gatherings lists the places of the text for which threads may gather from
// several places of the code, as the function was lowered. Phases bring
// threads together where this expects them, and copy none of these instructions to where
// others could wait for it. Names of the text that hold what differs between threads
// in one place and what they share in another say too much: where there are
// any places, values are asked.
func (c *compilation) gatherings(f *ori.Func) []int32 {
	list := c.gatheringsOf(f)
	if len(list) == 0 || c.o.Level == 0 {
		return list
	}
	m, err := ori.ReadRecords(f.Module.AppendRecords(nil))
	if err != nil {
		return list
	}
	n := slices.IndexFunc(m.Funcs, func(x *ori.Func) bool { return x.Name == f.Name })
	if n < 0 {
		return list
	}
	values := m.Funcs[n]
	values.Syncs = f.Syncs
	ssa.SplitWebs(values)
	ssa.SSA(values)
	if !values.Props.SSA {
		return list
	}
	return c.gatheringsOf(values)
}

func (c *compilation) gatheringsOf(f *ori.Func) []int32 {
	x := flow.UniformityOf(f)
	cross := flow.Crossings(f, x)
	waits := isel.Reconverging(f, func(b *ori.Block) bool { return (c.o.Level == 0 || x.Parts(b)) && !cross[b.ID] })
	return flow.Gatherings(f, x, waits)
}

// uncalled returns the line of an instruction for which threads may gather
// from several places and that is no call of a routine, 0 if there is none.
func uncalled(u *unit) int {
	for _, b := range u.f.Blocks {
		for i := range b.Instrs {
			if i.Op == op.WARPSYNC && slices.Contains(u.gatherings, i.Line) {
				_, line := u.f.Module.Source.Line(src.Pos(i.Line))
				return line
			}
		}
	}
	return 0
}
