package scoreboard

import (
	"fmt"

	"github.com/goptxas/goptxas/internal/codegen/timing"
	"github.com/goptxas/goptxas/internal/engine/pool"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/target"
)

// Check replays f from its control fields alone and returns an error when
// something could be read or overwritten before it is there, or when a
// field has a value the machine does not take.
func Check(f *ori.Func, a *target.Arch) error {
	d := timing.NewDescriber(f, a)
	p := &Program{Entry: []int32{0}, Blocks: make([][]timing.Event, 0, len(f.Blocks)), Succs: make([][]int32, 0, len(f.Blocks))}
	number := pool.Make[int32](f.Scratch(), f.NumBlocks())
	for n, b := range f.Blocks {
		number[b.ID] = int32(n)
	}
	for n, b := range f.Blocks {
		events := make([]timing.Event, 0, b.Len())
		for i := range b.Instrs {
			if err := legal(f, a, i); err != nil {
				return err
			}
			events = append(events, d.Instr(i))
		}
		var succs []int32
		for _, t := range b.Succs {
			succs = append(succs, number[t.ID])
		}
		if err := falls(f, n); err != nil {
			return err
		}
		p.Blocks = append(p.Blocks, events)
		p.Succs = append(p.Succs, succs)
	}
	reports := Replay(p, d.Timing, true, 1)
	if len(reports) == 0 {
		return nil
	}
	r := reports[0]
	return fmt.Errorf("%s: hazard at %q: %s", f.Name, f.AppendInstr(nil, nth(f.Blocks[r.Block], r.Index)), r)
}

// nth returns instruction k of a block.
func nth(b *ori.Block, k int) *ori.Instr {
	i := b.First()
	for ; k > 0; k-- {
		i = i.Next()
	}
	return i
}

// legal checks the values of the control fields of i.
func legal(f *ori.Func, a *target.Arch, i *ori.Instr) error {
	s := i.Sched
	switch {
	case s.Stall > target.MaxStall || s.Wait >= 1<<timing.NumBarriers || s.WrBar >= timing.NumBarriers || s.RdBar >= timing.NumBarriers:
	case !s.Yield && (s.Stall == 0 || s.Stall >= 12):
		// the machine's bit for staying is not encodable with these
	case s.Yield && reused(i):
	case i.Op.Has(op.KeepsMatrix) && firstKept(a) > 0 && i.Srcs()[0].Flags&ori.Reuse != 0:
	default:
		return nil
	}
	return fmt.Errorf("%s: control fields of %q cannot be encoded", f.Name, f.AppendInstr(nil, i))
}

func reused(i *ori.Instr) bool {
	for _, o := range i.Srcs() {
		if o.Flags&ori.Reuse != 0 {
			return true
		}
	}
	return false
}

// falls checks that block n reaches its fall-through successor without a
// jump that nobody scheduled.
func falls(f *ori.Func, n int) error {
	b := f.Blocks[n]
	last := b.Last()
	if len(b.Succs) == 0 || last != nil && last.Op.Has(op.Terminator) && last.Guard.Kind == ori.KNone {
		return nil
	}
	if t := b.Succs[len(b.Succs)-1]; n+1 >= len(f.Blocks) || f.Blocks[n+1] != t {
		return fmt.Errorf("%s: block b%d falls through to b%d, which does not follow", f.Name, b.ID, t.ID)
	}
	return nil
}
