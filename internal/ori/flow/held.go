package flow

import (
	"slices"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// Convergence barriers belong to the warp. One at which threads gather must
// not be noted in by threads that are elsewhere, though no path of one thread
// leads from the one place to the other. That may happen to two kinds:
//   - barriers that threads leave (BREAK): those go on while the others still
//     gather;
//   - barriers that live where their threads wait for others than those they
//     note, or let others run, while the warp is apart with no end: the others
//     may be anywhere.

// HeldBarriers lists, by block ID, the barriers that must survive the block
// though it may not be on a path to their BSYNC; nil if there are none.
func HeldBarriers(f *ori.Func, a *Divergence) [][]ori.Reg {
	if len(a.Regions) == 0 {
		return nil
	}
	live := liveBarriers(f)
	if len(live.Words) == 0 {
		return nil
	}
	left := forsaken(f)
	var held [][]ori.Reg
	for _, r := range a.Regions {
		var list []ori.Reg
		for _, b := range r.From {
			for n := range live.End(b).All() {
				if k := live.Reg(n); left[k] {
					list = also(list, k)
				}
			}
		}
		if r.Open {
			for _, b := range r.Blocks {
				list = also(list, waitedAt(f, b, live)...)
			}
		}
		if len(list) == 0 {
			continue
		}
		if held == nil {
			held = make([][]ori.Reg, f.NumBlocks())
		}
		for _, b := range r.Blocks {
			held[b.ID] = also(held[b.ID], list...)
		}
	}
	return held
}

// Barriers calls see with each instruction of f behind which barriers live or
// are held, the last of a block first, until it returns false. A held barrier
// takes its register from where threads are noted in it on, as registers are
// given out.
func Barriers(f *ori.Func, see func(i *ori.Instr, alive []ori.Reg) bool) {
	live := liveBarriers(f)
	ends := heldEnds(f, HeldBarriers(f, DivergenceOf(f, UniformityOf(f))))
	for _, b := range f.Blocks {
		var alive []ori.Reg
		if ends != nil {
			alive = slices.Clone(ends[b.ID])
		}
		for n := range live.End(b).All() {
			alive = also(alive, live.Reg(n))
		}
		for i := b.Last(); i != nil; i = i.Prev() {
			if len(alive) > 0 && !see(i, alive) {
				return
			}
			alive = step(f, i, alive)
		}
	}
}

// heldEnds lists, by block ID, the barriers that must survive the end of the
// block: those that are held in it, or further on with nobody noted in them
// anew in between.
func heldEnds(f *ori.Func, held [][]ori.Reg) [][]ori.Reg {
	if held == nil {
		return nil
	}
	ends := make([][]ori.Reg, len(held))
	noted, paths := notedIn(f), map[ori.Reg]map[*ori.Block]bool{}
	for _, b := range f.Blocks {
		for _, k := range held[b.ID] {
			after := paths[k]
			if after == nil {
				after = behind(noted[k])
				paths[k] = after
			}
			spreadBack(b, func(x *ori.Block) bool {
				if !after[x] || slices.Contains(ends[x.ID], k) {
					return false
				}
				ends[x.ID] = append(ends[x.ID], k)
				return !slices.Contains(noted[k], x)
			})
		}
	}
	return ends
}

// notedIn lists the blocks in which threads are noted in each barrier.
func notedIn(f *ori.Func) map[ori.Reg][]*ori.Block {
	m := map[ori.Reg][]*ori.Block{}
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			if i.Op == op.BSSY {
				k := i.Dsts()[0].Reg
				m[k] = append(m[k], b)
			}
		}
	}
	return m
}

// behind finds the blocks to whose ends paths lead from some blocks.
func behind(from []*ori.Block) map[*ori.Block]bool {
	seen := map[*ori.Block]bool{}
	work := slices.Clone(from)
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if !seen[b] {
			seen[b] = true
			work = append(work, b.Succs...)
		}
	}
	return seen
}

// spreadBack goes from the end of a block against the paths, before each block
// that take says yes to.
func spreadBack(b *ori.Block, take func(*ori.Block) bool) {
	work := []*ori.Block{b}
	for len(work) > 0 {
		x := work[len(work)-1]
		work = work[:len(work)-1]
		if take(x) {
			work = append(work, x.Preds...)
		}
	}
}

// step goes back over i: what it notes lives no longer before it, what it
// waits at does.
func step(f *ori.Func, i *ori.Instr, alive []ori.Reg) []ori.Reg {
	for _, d := range i.Dsts() {
		if n := slices.Index(alive, d.Reg); d.HasReg() && n >= 0 {
			alive = slices.Delete(alive, n, n+1)
		}
	}
	for _, s := range i.Srcs() {
		if s.HasReg() && f.Regs[s.Reg].Class == ori.B {
			alive = also(alive, s.Reg)
		}
	}
	return alive
}

func liveBarriers(f *ori.Func) *Live {
	return LiveAmong(f, func(r ori.Reg) bool { return f.Regs[r].Class == ori.B })
}

// also adds those of more that a list does not have.
func also(list []ori.Reg, more ...ori.Reg) []ori.Reg {
	for _, k := range more {
		if !slices.Contains(list, k) {
			list = append(list, k)
		}
	}
	return list
}

// forsaken finds the barriers that threads leave before they gather there.
func forsaken(f *ori.Func) map[ori.Reg]bool {
	m := map[ori.Reg]bool{}
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			if i.Op == op.BREAK {
				m[i.Srcs()[0].Reg] = true
			}
		}
	}
	return m
}

// waitedAt lists the barriers that live where threads in b wait for others or
// let them run.
func waitedAt(f *ori.Func, b *ori.Block, live *Live) (list []ori.Reg) {
	if !anyWaits(f, b) {
		return nil
	}
	var alive []ori.Reg
	for n := range live.End(b).All() {
		alive = also(alive, live.Reg(n))
	}
	for i := b.Last(); i != nil; i = i.Prev() {
		if waits(f, i) {
			list = also(list, alive...)
		}
		alive = step(f, i, alive)
	}
	return list
}

// anyWaits reports whether something in b waits for others of the warp or
// lets them run.
func anyWaits(f *ori.Func, b *ori.Block) bool {
	for i := range b.Instrs {
		if waits(f, i) {
			return true
		}
	}
	return false
}

func waits(f *ori.Func, i *ori.Instr) bool {
	switch i.Op {
	case op.WARPSYNC, op.NANOSLEEP, op.YIELD:
		return true
	case op.CALL:
		return f.CallsGathering(i)
	}
	return false
}
