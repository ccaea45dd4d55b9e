package flow

import (
	"slices"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// Divergence tells where threads of a warp may be at different places, given the
// convergence instructions that the code has. It is stricter than
// Uniformity.Partial: paths that reconverge without a BSYNC are not together
// again before a WARPSYNC of all, and nothing is known behind calls, masks of
// the source, and sleeps of threads that are apart.
//
// A uniform register is one for the whole warp. Two things follow:
//   - where threads are apart, a result that only some of them should see
//     must not be written;
//   - what is read by some of them must survive all that the others do in
//     the meantime: Regions says where.
type Divergence struct {
	blocks  []bool
	Regions []Region
}

// Region is a part of the function in which threads that parted at the end
// of a block of From may be in any block.
type Region struct {
	From   []*ori.Block
	Blocks []*ori.Block
	Open   bool // no BSYNC gathers all of them behind it
}

// Is reports whether b may run while threads of the same warp are
// elsewhere.
func (a *Divergence) Is(b *ori.Block) bool { return a.blocks[b.ID] }

// DivergenceOf analyses f, which has its convergence instructions. u is the
// uniformity of f.
func DivergenceOf(f *ori.Func, u *Uniformity) *Divergence {
	a := &Divergence{blocks: make([]bool, f.NumBlocks())}
	pd, byID := PostDomOf(f), blocksByID(f)
	var noted map[ori.Reg][]*ori.Block
	var dom *Dom
	seen := make([]int32, f.NumBlocks())
	open := make([]int32, f.NumBlocks()) // number + 1 of a region without end that holds the block
	for n, b := range f.Blocks {
		var reconv *ori.Block
		switch {
		case !f.Kernel && n == 0, loosens(f, b):
			a.blocks[b.ID] = true
		case u.Parts(b):
			m := pd.Ipdom[b.ID]
			if m < 0 || !gathers(byID[m]) {
				break
			}
			if noted == nil {
				noted, dom = notedIn(f), DomOf(f)
			}
			if k := byID[m].First().Srcs()[0].Reg; slices.ContainsFunc(noted[k], func(x *ori.Block) bool { return dom.Dominates(x, b) }) {
				reconv = byID[m]
			}
		default:
			continue
		}
		if k := open[b.ID]; reconv == nil && k > 0 { // all that b reaches is in there
			a.Regions[k-1].From = append(a.Regions[k-1].From, b)
			continue
		}
		r := Region{[]*ori.Block{b}, reach(b, reconv, seen, int32(n+1)), reconv == nil}
		a.Regions = append(a.Regions, r)
		for _, x := range r.Blocks {
			a.blocks[x.ID] = true
			if reconv == nil && !allWait(x) {
				open[x.ID] = int32(len(a.Regions))
			}
		}
	}
	a.sleepers(f, open, seen)
	return a
}

// sleepers adds what lies behind a sleep of threads that are apart: those
// that wait for them at a BSYNC go on without them.
func (a *Divergence) sleepers(f *ori.Func, open, seen []int32) {
	done := make([]bool, f.NumBlocks())
	for changed := true; changed; {
		changed = false
		for _, b := range f.Blocks {
			if !a.blocks[b.ID] || open[b.ID] > 0 || done[b.ID] || !Sleeps(b) {
				continue
			}
			changed, done[b.ID] = true, true
			r := Region{[]*ori.Block{b}, reach(b, nil, seen, -1-b.ID), true}
			if seen[b.ID] != -1-b.ID {
				r.Blocks = append(r.Blocks, b)
			}
			a.Regions = append(a.Regions, r)
			for _, x := range r.Blocks {
				a.blocks[x.ID] = true
				if !allWait(x) {
					open[x.ID] = int32(len(a.Regions))
				}
			}
		}
	}
}

// Sleeps reports whether b lets other threads of the warp run first.
func Sleeps(b *ori.Block) bool {
	for i := range b.Instrs {
		if i.Op == op.NANOSLEEP || i.Op == op.YIELD {
			return true
		}
	}
	return false
}

// gathers reports whether b begins by waiting for the threads that were
// noted.
func gathers(b *ori.Block) bool {
	i := b.First()
	return i != nil && i.Op == op.BSYNC && i.Guard.Kind == ori.KNone
}

// loosens reports whether b holds an instruction behind which nothing is
// known about where the threads are: they may come back from a call one
// after the other, and a mask of the source may name any of them.
func loosens(f *ori.Func, b *ori.Block) bool {
	for i := range b.Instrs {
		switch i.Op {
		case op.CALL:
			if !f.CallsRoutine(i) {
				return true
			}
		case op.RET:
			return true
		case op.WARPSYNC:
			if i.Mods != op.M(op.MALL) {
				return true
			}
		}
	}
	return false
}

// reach lists the blocks that can be reached from b without passing reconv or
// a place where all threads of the warp wait for each other. A block with such
// a place is still listed: it begins before it. seen holds the marks of
// earlier calls.
func reach(b, reconv *ori.Block, seen []int32, mark int32) []*ori.Block {
	var list []*ori.Block
	work := append([]*ori.Block(nil), b.Succs...)
	for len(work) > 0 {
		x := work[len(work)-1]
		work = work[:len(work)-1]
		if x == reconv || seen[x.ID] == mark {
			continue
		}
		seen[x.ID] = mark
		list = append(list, x)
		if !allWait(x) {
			work = append(work, x.Succs...)
		}
	}
	return list
}

// allWait reports whether nobody leaves b before all threads of the warp have
// come there.
func allWait(b *ori.Block) bool {
	for i := range b.Instrs {
		if WaitsForAll(i) {
			return true
		}
	}
	return false
}

// WaitsForAll reports whether all threads of the warp wait for each other at i.
func WaitsForAll(i *ori.Instr) bool {
	return i.Op == op.WARPSYNC && i.Mods == op.M(op.MALL) && i.Guard.Kind == ori.KNone
}

// Meets reports whether i waits for the other threads of the block and does
// nothing else: memory accesses and what threads of a warp do together keep
// to their side of it, but arithmetic may pass.
func Meets(i *ori.Instr) bool {
	return i.Op == op.BAR && i.Mods.Has(op.MSYNC) && i.Guard.Kind == ori.KNone && i.NDst == 0
}
