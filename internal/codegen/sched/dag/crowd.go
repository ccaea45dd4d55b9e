package dag

import (
	"slices"

	"github.com/goptxas/goptxas/internal/codegen/sched/places"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// Stores of which there are too many to compare with each of them become one, of all that they may touch. From
// Blackwell on only those that share a memory with the access at hand do: loads from global memory
// still pass the ones to shared memory. Elsewhere, where orders were timed without, nothing passes.

// meet reports whether two accesses may have to keep their order whatever their addresses are.
func meet(t, u *places.Touch) bool { return t.Space&u.Space != 0 || t.Strict && u.Strict }

// isCrowded reports whether there are too many stores to compare access t with each of them.
func (b *Grapher) isCrowded(t *places.Touch) bool {
	if !b.apart || len(b.stores) <= maxStores {
		return len(b.stores) > maxStores
	}
	n := 0
	for k := range b.stores {
		if meet(t, &b.stores[k]) {
			n++
		}
	}
	return n > maxStores
}

// gather orders access t behind all that share a memory with it, and has t stand for them from now on.
func (b *Grapher) gather(g *Graph, t places.Touch, i *ori.Instr) {
	all := t.Space
	for _, l := range [2]*[]places.Touch{&b.loads, &b.stores} {
		*l = slices.DeleteFunc(*l, func(u places.Touch) bool {
			if !meet(&t, &u) {
				return false
			}
			g.edge(u.Node, t.Node, g.settled(u.Node, i))
			all |= u.Space
			return true
		})
	}
	b.stores = append(b.stores, places.Touch{Node: t.Node, Space: all, Write: true, Strict: true, Base: -1})
}

// holdAll orders access t behind all before it: i holds memory, or there are too many to compare it with.
func (b *Grapher) holdAll(g *Graph, t places.Touch, i *ori.Instr, holds, passes bool) {
	for _, l := range [2]*[]places.Touch{&b.loads, &b.stores} {
		*l = slices.DeleteFunc(*l, func(u places.Touch) bool {
			if passes && isOpen(g.Instrs[u.Node]) {
				return false
			}
			if !holds || u.Space != op.SpaceLocal {
				g.edge(u.Node, t.Node, g.settled(u.Node, i))
			}
			// accesses to the frame pass a barrier, and what may touch it still keeps them in order
			return !holds || u.Space&op.SpaceLocal == 0
		})
	}
	t.Reads, t.Write, t.Strict, t.Base, t.Place = 0, true, true, -1, nil
	if !holds {
		t.Space = flow.Anything
	}
	b.stores = append(b.stores, t)
}
