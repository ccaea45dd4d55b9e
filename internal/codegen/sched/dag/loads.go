package dag

import (
	"github.com/goptxas/goptxas/internal/codegen/sched/estimate"
	"github.com/goptxas/goptxas/internal/engine/pool"
)

// Ranking says which of the instructions that are ready issues first.
type Ranking uint8

const (
	ByPath Ranking = iota // that with the longest path behind it
	ByTurn                // loads as the order with few registers has them
)

// LongLoad is the typical time of a result from which an operation counts
// as a load that cannot be early enough.
const LongLoad = 200

// IsLoad reports whether an instruction is a load that cannot be early enough.
func (g *Graph) IsLoad(k int32) bool { return estimate.Typical[g.Classes[k]] >= LongLoad }

// Least is how many cycles an order takes at least, by paths and instructions.
func (g *Graph) Least() int32 {
	n := int32(len(g.Instrs))
	for _, h := range g.Height {
		n = max(n, h)
	}
	return n
}

// Loads counts them.
func (g *Graph) Loads() (n int) {
	for k := range g.Classes {
		if g.IsLoad(int32(k)) {
			n++
		}
	}
	return n
}

// Leads tells of each instruction whether it is a load from memory or something
// that one waits for.
func (g *Graph) Leads() []bool {
	if g.leads == nil {
		g.leads = make([]bool, len(g.Instrs))
		for k := len(g.Instrs) - 1; k >= 0; k-- {
			g.leads[k] = g.IsLoad(int32(k))
			for _, e := range g.Succs[k] {
				g.leads[k] = g.leads[k] || g.leads[e.To]
			}
		}
	}
	return g.leads
}

// Eager finds loads from memory and what they wait for: all, or some quarters of
// the loads, the first of an order.
func (g *Graph) Eager(quarters int, order []int32) []bool {
	n := len(g.Instrs)
	list := pool.Make[bool](g.Mem, n)
	left := (g.Loads()*quarters + 3) / 4
	for _, k := range order {
		if g.IsLoad(k) && left > 0 {
			list[k] = true
			left--
		}
	}
	for k := n - 1; k >= 0; k-- {
		for _, e := range g.Succs[k] {
			list[k] = list[k] || list[e.To]
		}
	}
	return list
}

// Ranks returns the rank of each instruction. By turn, what leads to more loads
// one after the other is first, and loads, and what they wait for, before all else.
func (g *Graph) Ranks(by Ranking, pos []int32) []int32 {
	if by == ByPath {
		return g.Height
	}
	n := int32(len(g.Instrs))
	rank, rounds := pool.Make[int32](g.Mem, int(n)), pool.Make[int32](g.Mem, int(n))
	long := int32(0)
	for k := n - 1; k >= 0; k-- {
		for _, e := range g.Succs[k] {
			rounds[k] = max(rounds[k], rounds[e.To])
		}
		if g.IsLoad(k) {
			rounds[k]++
		}
		long = max(long, g.Height[k])
	}
	for k := range rank {
		rank[k] = g.Height[k]
		if rounds[k] > 0 {
			rank[k] = long + rounds[k]*n - pos[k]
		}
	}
	return rank
}
