package machine

import (
	"slices"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// LateStores moves stores to global memory behind a fence that orders shared
// memory alone (fence.proxy.async.shared::cta): its MEMBAR waits for every store
// of the thread that is on its way, those too that it has nothing to do with.
//
//	STG [a], x                  STS [b], y
//	STS [b], y                  MEMBAR.ALL.CTA
//	MEMBAR.ALL.CTA              FENCE.VIEW.ASYNC.S
//	FENCE.VIEW.ASYNC.S          STG [a], x
func LateStores(f *ori.Func) bool {
	l := &lateStores{f: f}
	changed := false
	for _, b := range f.Blocks {
		for i := b.First(); i != nil; i = i.Next() {
			if fencesShared(i) {
				changed = l.before(i) || changed
			}
		}
	}
	return f.Touched(changed)
}

// fencesShared reports whether i and the instruction behind it are a fence of
// the source for shared memory alone.
func fencesShared(i *ori.Instr) bool {
	n := i.Next()
	return i.Op == op.MEMBAR && i.Guard.Kind == ori.KNone && i.Mods == op.M(op.MALL, op.MCTA) && n != nil && isViewFence(n) && n.Line == i.Line
}

type lateStores struct {
	f     *ori.Func
	alias *flow.Alias // nil until somebody asks
}

// before moves the stores before a fence that may wait until behind it.
func (l *lateStores) before(fence *ori.Instr) bool {
	var moved, loads []*ori.Instr
	written := map[ori.Reg]bool{}
	for i := fence.Prev(); i != nil; i = i.Prev() {
		if keepsBefore(i) {
			break
		}
		if a, ok := flow.AccessOf(i); ok && !a.Frozen && a.Space&op.SpaceGlobal != 0 {
			if a.Write {
				if a.Strict || i.Op != op.STG || touches(i, written) || l.meets(i, loads) {
					break // nor may those before it pass it
				}
				moved = append(moved, i)
				continue
			}
			loads = append(loads, i)
		}
		for _, d := range i.Dsts() {
			if d.HasReg() {
				written[d.Reg] = true
			}
		}
	}
	at, changed := fence.Next(), false
	for _, i := range slices.Backward(moved) { // the first of them first
		if changed || l.f.Should("latestore", i) { // they keep their order
			i.Remove()
			fence.Block().InsertAfter(i, at)
			at, changed = i, true
		}
	}
	return changed
}

// keepsBefore reports whether a store before i stays there.
func keepsBefore(i *ori.Instr) bool {
	if i.Op.Has(op.Effect|op.Terminator) || i.Op == op.PHI || i.Op == op.CALL || i.IsGroupMMA() || i.Op.Has(op.Convergent) && i.Op.Has(op.Reads|op.Writes) {
		return true
	}
	a, ok := flow.AccessOf(i)
	return ok && a.Strict
}

// touches reports whether i reads a register that is written behind it.
func touches(i *ori.Instr, written map[ori.Reg]bool) bool {
	if i.Guard.HasReg() && written[i.Guard.Reg] {
		return true
	}
	for _, o := range i.Srcs() {
		if o.HasReg() && written[o.Reg] {
			return true
		}
	}
	return false
}

// meets reports whether a store may write what some of the loads behind it read.
func (l *lateStores) meets(i *ori.Instr, loads []*ori.Instr) bool {
	if len(loads) == 0 {
		return false
	}
	if l.alias == nil {
		l.alias = flow.AliasOf(l.f)
	}
	p := l.alias.Of(i)
	return p == nil || slices.ContainsFunc(loads, func(x *ori.Instr) bool {
		q := l.alias.Of(x)
		return q == nil || !p.Disjoint(q)
	})
}
