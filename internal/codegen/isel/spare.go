package isel

import (
	"slices"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// BarrierLimit is how many convergence barriers there are for regions that enclose
// each other. A barrier cannot go to a register and back while threads wait at
// it, and some wait there while others run inside.
type BarrierLimit struct {
	All  int // at any place
	Kept int // at calls, which may note threads in the others
}

// SpareBarriers takes convergence regions away until the barriers of f find
// room. The threads of such a region gather further on. It reports whether it
// took any away.
func SpareBarriers(f *ori.Func, limit BarrierLimit) (took bool) {
	for numBarriers(f) > limit.Kept {
		k := tooMany(f, limit)
		if k == ori.NoReg {
			break
		}
		dissolve(f, k)
		took = true
	}
	return took
}

// numBarriers counts the barriers of f.
func numBarriers(f *ori.Func) (n int) {
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			if i.Op == op.BSSY {
				n++
			}
		}
	}
	return n
}

// tooMany returns the barrier that goes where there is no room for all: the
// last that threads leave, whose region only saves time, or else the last.
func tooMany(f *ori.Func, limit BarrierLimit) ori.Reg {
	var over []ori.Reg
	flow.Barriers(f, func(i *ori.Instr, alive []ori.Reg) bool {
		n := limit.All
		if i.Op == op.CALL && !f.CallsRoutine(i) {
			n = limit.Kept
		}
		if len(alive) > n {
			over = slices.Clone(alive)
		}
		return over == nil
	})
	if over == nil {
		return ori.NoReg
	}
	best := ori.NoReg
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			if i.Op != op.BREAK {
				continue
			}
			if k := i.Srcs()[0].Reg; slices.Contains(over, k) && (best == ori.NoReg || k > best) {
				best = k
			}
		}
	}
	if best == ori.NoReg {
		best = slices.Max(over)
	}
	return best
}

// dissolve takes the region of barrier k away.
func dissolve(f *ori.Func, k ori.Reg) {
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			if i.Op != op.BSSY && i.Op != op.BSYNC && i.Op != op.BREAK {
				continue
			}
			if slices.ContainsFunc(i.Args, func(o ori.Operand) bool { return o.Kind == ori.KReg && o.Reg == k }) {
				i.Remove()
			}
		}
	}
	f.Touch()
}
