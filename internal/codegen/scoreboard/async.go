package scoreboard

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/target"
)

// Loads that do nothing. In kernels with asynchronous copies the reference
// keeps a copy three, and a fence four memory operations behind the last
// that touched shared memory or met other threads, with loads under a guard
// that never holds (target.PaddedCopies), and nothing tells that the machine
// can do without. On newer machines it counts from the start of the kernel too.
const (
	beforeCopy  = 3
	beforeFence = 4
)

// distance returns how many such loads must stand before i since the last
// operation that resets returns true for.
func distance(i *ori.Instr) int {
	switch i.Op {
	case op.LDGSTS:
		return beforeCopy
	case op.MEMBAR:
		return beforeFence
	}
	return 0
}

// resets reports whether copies and fences must keep away from i.
func resets(i *ori.Instr) bool { return i.Op.Has(op.Spaced) }

// addDummies puts loads that do nothing where copies or fences are too close
// to other operations, on any path.
func addDummies(f *ori.Func, a *target.Arch) {
	if !a.Has(target.PaddedCopies) || !copies(f) {
		return
	}
	since := make([]int, f.NumBlocks()) // loads before each block, at least
	for n := range since {
		since[n] = beforeFence
	}
	if a.Has(target.PaddedStart) || !f.Kernel {
		since[f.Blocks[0].ID] = 0
	}
	for changed := true; changed; {
		changed = false
		for _, b := range f.Blocks {
			n := since[b.ID]
			for i := range b.Instrs {
				n = behind(i, n)
			}
			for _, s := range b.Succs {
				if n < since[s.ID] {
					since[s.ID] = n
					changed = true
				}
			}
		}
	}
	for _, b := range f.Blocks {
		n := since[b.ID]
		for i := range b.Instrs {
			for range distance(i) - n {
				b.InsertBefore(dummy(f, i), i)
			}
			n = behind(i, n)
		}
	}
}

// behind returns how many loads stand behind the last operation that resets
// after i, when there were n before it.
func behind(i *ori.Instr, n int) int {
	if resets(i) {
		return 0
	}
	return max(n, distance(i))
}

// copies reports whether f has asynchronous copies.
func copies(f *ori.Func) bool {
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			if i.Op == op.LDGSTS {
				return true
			}
		}
	}
	return false
}

// dummy makes a load that is never done.
func dummy(f *ori.Func, at *ori.Instr) *ori.Instr {
	d := f.NewInstr(op.LDS, op.Mods{}, []ori.Operand{ori.Zero(ori.R)}, []ori.Operand{ori.Addr(ori.Operand{}, 0)})
	d.Guard = ori.Zero(ori.P).Not()
	d.Line, d.Loc = at.Line, at.Loc
	return d
}

// never reports whether i stands under a guard that never holds: it takes its
// place in line and no unit.
func never(i *ori.Instr) bool {
	return i.Guard.Kind == ori.KZero && i.Guard.Flags&ori.Inv != 0
}
