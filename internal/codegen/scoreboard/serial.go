package scoreboard

import (
	"github.com/goptxas/goptxas/internal/codegen/timing"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/target"
)

// Serial makes every instruction wait for all before it. It is slow and
// needs no analysis, which makes it a witness against the real scheduler.
func Serial(f *ori.Func, a *target.Arch) {
	addJumps(f)
	addDummies(f, a)
	d := timing.NewDescriber(f, a)
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			e := d.Instr(i)
			i.Sched = ori.Sched{Stall: target.MaxStall, Yield: true, WrBar: -1, RdBar: -1, Wait: 1<<timing.NumBarriers - 1}
			if holds(i) {
				i.Sched.Stall = 0
			}
			for k := range i.Args {
				i.Args[k].Flags &^= ori.Reuse
			}
			if d.Timing.Variable(e.Class) && (len(e.Writes) > 0 || e.Leaves&^op.Fetched != 0) || e.Class == target.ClassLdgdepbar || e.Class == target.ClassFence {
				i.Sched.WrBar = 0
			}
			if d.Timing.ReadsLate(e.Class) || target.UniformLate(e.Class) || e.Fences && e.Class == target.ClassMembar {
				i.Sched.RdBar = 1
			}
			serialPad(f, b, i, d, &e)
		}
	}
}

// serialPad adds NOPs: behind operations slower than a stall count holds,
// and before warp-group matrix operations, which take no waits.
func serialPad(f *ori.Func, b *ori.Block, i *ori.Instr, d *timing.Describer, e *timing.Event) {
	pad := func() *ori.Instr {
		n := f.NewInstr(op.NOP, op.Mods{}, nil, nil)
		n.Line, n.Loc = i.Line, i.Loc
		n.Sched = ori.Sched{Stall: target.MaxStall, Yield: true, WrBar: -1, RdBar: -1, Wait: 1<<timing.NumBarriers - 1}
		return n
	}
	if e.Class == target.ClassGmma {
		i.Sched.Wait = 0
		b.InsertBefore(pad(), i)
		return
	}
	slow := 0
	if !d.Timing.Variable(e.Class) {
		for _, w := range e.Writes {
			slow = max(slow, d.Timing.Any(timing.FileOf(w.Cell), w.Row))
		}
	}
	for at := i; slow > target.MaxStall; slow -= target.MaxStall {
		at = b.InsertAfter(pad(), at)
	}
}
