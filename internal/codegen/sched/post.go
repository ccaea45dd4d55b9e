package sched

import (
	"github.com/goptxas/goptxas/internal/codegen/sched/estimate"
	"github.com/goptxas/goptxas/internal/codegen/sched/places"
	"github.com/goptxas/goptxas/internal/codegen/sched/words"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/target"
)

// Post orders the instructions of every block of f, which has physical
// registers, to hide latencies.
func Post(f *ori.Func, a *target.Arch, tune Tuning) {
	b := newGrapher(words.Physical(f), a, &tune)
	b.patient, b.open = true, newOpenOrder(b.names)
	b.alone, b.turns = isAlone(f, highest(f)+1), estimate.LeastTurns(f)
	busy := estimate.NewBusyTable(b.timing)
	b.busy = busy
	for _, blk := range f.Blocks {
		b.open.enter(blk)
		regions(blk, overBarriers, func(instrs []*ori.Instr, end *ori.Instr) {
			g := b.build(instrs, end)
			if g.scarce != 0 {
				b.fromEnd(g, busy)
			}
			place(blk, instrs, list(g, b.timing, busy), end)
		})
	}
	f.Touch()
}

// highest is the highest general register of f.
func highest(f *ori.Func) (n int32) {
	for r := range f.Regs {
		if x := &f.Regs[r]; x.Class == ori.R && x.Phys >= 0 {
			n = max(n, int32(x.Phys)+int32(x.Width)-1)
		}
	}
	return n
}

// reach says what runs of instructions that may change places go on behind.
type reach uint8

const (
	upToBarriers reach = iota
	overBarriers       // of the block
	overFences         // and fences; products of matrices pass both
	numReaches
)

// regions calls do with every run of two or more instructions of b that may
// change places, and the one behind it, if any.
func regions(b *ori.Block, far reach, do func(instrs []*ori.Instr, end *ori.Instr)) {
	var run []*ori.Instr
	for i := range b.Instrs {
		if !places.Pinned(i) && (far >= overBarriers || !places.IsBarrier(i) && !places.OfGroups(i)) || far == overFences && places.IsFence(i) {
			run = append(run, i)
			continue
		}
		if len(run) > 1 {
			do(run, i)
		}
		run = run[:0]
	}
	if len(run) > 1 {
		do(run, nil)
	}
}

// place puts instructions in a new order before end, or at the end of b.
func place(b *ori.Block, instrs []*ori.Instr, order []int32, end *ori.Instr) {
	moved := false
	for n, k := range order {
		moved = moved || n != int(k)
	}
	if !moved {
		return
	}
	for _, i := range instrs {
		i.Remove()
	}
	for _, k := range order {
		if end != nil {
			b.InsertBefore(instrs[k], end)
		} else {
			b.Append(instrs[k])
		}
	}
}
