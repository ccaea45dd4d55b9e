package dag

import (
	"cmp"
	"slices"

	"github.com/goptxas/goptxas/internal/codegen/sched/places"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// Narrow accesses to one sector of global memory stay together.
//
// Stores that fill a sector one after the other are written to it as one if
// they come close together; if other work stands between them each writes its part
// of every sector by itself. Kernels that compute word by word under a mask and store
// halves took half as long again. So the first waits for what the others store.
//
// Loads from a sector follow the first of them when it is there. Sent while
// it is on its way, each comes back in parts and at its own time, and so do the
// warps that wait for them all; what they store then is written in parts. Where
// nothing is stored so, nothing is gained.
//
// The graphs here keep the order, and scoreboard/sectors.go has the machine wait.

// noteStore remembers a store that may be one of several to a sector.
func (b *Grapher) noteStore(t *places.Touch) {
	if t.Write && !t.Strict && t.Base >= 0 && t.Space == op.SpaceGlobal && t.Hi-t.Lo <= flow.Narrow {
		b.narrow = append(b.narrow, *t)
	}
}

// noteLoad remembers a load that may be one of several from a sector.
func (b *Grapher) noteLoad(k int32, i *ori.Instr) {
	if a, ok := flow.PartOfSector(i); ok && !a.Write {
		t := places.Touch{Node: k, Lo: a.Lo, Hi: a.Hi}
		if b.base(&t, i); t.Base >= 0 {
			b.fromSector = append(b.fromSector, t)
		}
	}
}

// together has the first of several stores to a sector wait for what the others
// store, and the others for it, where all of that is computed before the first;
// and loads from a sector for the first of them.
func (b *Grapher) together(g *Graph) {
	var from [][]edge // by whom a node is reached, To being that; nil where no stores are gathered
	sectors(b.narrow, b.tune.SectorStores, func(stores []places.Touch) {
		if from == nil {
			from = g.backward()
		}
		g.gather(from, stores)
	})
	if from == nil {
		return
	}
	sectors(b.fromSector, b.tune.SectorLoads, func(loads []places.Touch) {
		first := loads[0].Node
		for _, t := range loads[1:] {
			g.edge(first, t.Node, b.estimate(g.Classes[first]))
		}
	})
}

// sectors visits the accesses to each sector, if there are so many, in the order
// of the code; zero is never.
func sectors(list []places.Touch, least int, visit func([]places.Touch)) {
	if least == 0 || len(list) < least {
		return
	}
	key := func(x, y places.Touch) int {
		return cmp.Or(cmp.Compare(x.Base, y.Base), cmp.Compare(x.Version, y.Version), cmp.Compare(x.Uniform, y.Uniform), cmp.Compare(x.UniformVersion, y.UniformVersion), cmp.Compare(x.Lo/flow.Sector, y.Lo/flow.Sector))
	}
	slices.SortStableFunc(list, key)
	for n := 0; n < len(list); {
		m := n + 1
		for m < len(list) && key(list[n], list[m]) == 0 {
			m++
		}
		if m-n >= least {
			visit(list[n:m])
		}
		n = m
	}
}

// backward returns the edges into every node.
func (g *Graph) backward() [][]edge {
	from := make([][]edge, len(g.Succs))
	for k, list := range g.Succs {
		for _, e := range list {
			from[e.To] = append(from[e.To], edge{int32(k), e.Latency})
		}
	}
	return from
}

// gather keeps stores of a sector together.
func (g *Graph) gather(from [][]edge, stores []places.Touch) {
	first := stores[0].Node
	for _, s := range stores[1:] {
		if slices.ContainsFunc(from[s.Node], func(e edge) bool { return e.To >= first }) {
			continue
		}
		for _, e := range from[s.Node] {
			g.edge(e.To, first, e.Latency)
		}
		g.edge(first, s.Node, 0) // at once, so that nothing of another sector comes between
	}
}
