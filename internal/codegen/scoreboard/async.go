package scoreboard

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/target"
)

// asyncDummies is how many loads that do nothing the reference puts before
// asynchronous copies.
const asyncDummies = 3

// asyncLast is the last architecture on which it does.
const asyncLast = 119

// addDummies puts loads that do nothing before the first LDGSTS of a kernel
// and before the first one behind every BAR, on every path: the reference
// does so on every architecture up to sm_110, and nothing tells that the
// machine can do without.
func addDummies(f *ori.Func, a *target.Arch) {
	if a.SM > asyncLast {
		return
	}
	needs := make([]bool, f.NumBlocks()) // at the start of each block
	found := false
	for changed, first := true, true; changed; first = false {
		changed = false
		for n, b := range f.Blocks {
			need := needs[b.ID] || n == 0
			for i := range b.Instrs {
				if i.Op == op.BAR {
					need = true
				} else if i.Op == op.LDGSTS {
					need, found = false, true
				}
			}
			for _, s := range b.Succs {
				if need && !needs[s.ID] {
					needs[s.ID] = true
					changed = true
				}
			}
		}
		if first && !found {
			return
		}
	}
	for n, b := range f.Blocks {
		need := needs[b.ID] || n == 0
		for i := range b.Instrs {
			switch {
			case i.Op == op.BAR:
				need = true
			case i.Op == op.LDGSTS && need:
				need = false
				for range asyncDummies {
					b.InsertBefore(dummy(f, i), i)
				}
			}
		}
	}
}

// dummy makes a load that is never done.
func dummy(f *ori.Func, at *ori.Instr) *ori.Instr {
	d := f.NewInstr(op.LDS, op.Mods{}, []ori.Operand{ori.Zero(ori.R)}, []ori.Operand{ori.Addr(ori.Operand{}, 0)})
	d.Guard = ori.Zero(ori.P).Not()
	d.Line, d.Loc = at.Line, at.Loc
	return d
}
