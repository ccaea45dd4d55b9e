package dag

import (
	"cmp"
	"slices"

	"github.com/goptxas/goptxas/internal/codegen/sched/places"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// Narrow stores that fill a sector of global memory one after the other are
// written to it as one if they come close together; if other work stands between
// them each writes its part of every sector by itself. Kernels that compute word by
// word under a mask and store halves took half as long again.

// sector is how many bytes are written at once.
const sector = 32

// narrow is how many bytes a store has at most that is kept with others, and
// fewNarrow how many of a sector are not worth it.
const (
	narrow    = 4
	fewNarrow = 2
)

// note remembers a store that may be one of several to a sector.
func (b *Grapher) note(t *places.Touch) {
	if t.Write && !t.Strict && t.Base >= 0 && t.Space == op.SpaceGlobal && t.Hi-t.Lo <= narrow {
		b.narrow = append(b.narrow, *t)
	}
}

// together has the first of several stores to a sector wait for what the others
// store, and the others for it, where all of that is computed before the first.
func (b *Grapher) together(g *Graph) {
	if len(b.narrow) <= fewNarrow {
		return
	}
	key := func(x, y places.Touch) int {
		return cmp.Or(cmp.Compare(x.Base, y.Base), cmp.Compare(x.Version, y.Version), cmp.Compare(x.Uniform, y.Uniform), cmp.Compare(x.UniformVersion, y.UniformVersion), cmp.Compare(x.Lo/sector, y.Lo/sector))
	}
	slices.SortStableFunc(b.narrow, key)
	var from [][]edge // by whom a node is reached, To being that
	for n := 0; n < len(b.narrow); {
		m := n + 1
		for m < len(b.narrow) && key(b.narrow[n], b.narrow[m]) == 0 {
			m++
		}
		if m-n > fewNarrow {
			if from == nil {
				from = g.backward()
			}
			g.gather(from, b.narrow[n:m])
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
		g.edge(first, s.Node, 1)
	}
}
