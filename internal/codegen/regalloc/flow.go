package regalloc

import (
	"slices"

	"github.com/goptxas/goptxas/internal/codegen/regalloc/keyed"
	"github.com/goptxas/goptxas/internal/codegen/regalloc/liveness"
)

// flow is the dataflow over blocks behind liveness. It follows words from
// their reads up to their writes, so that its cost is the number of words that
// live between blocks, not all words times all blocks.
type flow struct {
	p     *Problem
	base  []int32
	words int
	among []bool // registers whose words matter; nil: all
	m     *flowRoom
	*between
}

// flowRoom is the memory that the flow over one problem after the other uses.
type flowRoom struct {
	edges, touches           []keyed.Pair
	touched, preds           keyed.Lists
	does                     []uint8
	global                   []bool
	seen, end, event, before []int32
	here, live               []int32
	liveness                 liveness.Solver

	keep  bool        // problems are of the caller, who may come with another order of them
	known [3]*between // the last of them
	next  int         // place of the next
}

// solve finds the words that are live into and out of blocks.
func (f *flow) solve() {
	n, m := len(f.p.Blocks), f.m
	m.edges = m.edges[:0]
	for b := range f.p.Blocks {
		for _, s := range f.p.Blocks[b].Succs {
			m.edges = append(m.edges, keyed.Pair{Key: s, Item: int32(b)})
		}
	}
	if f.between = f.local(); f.between != nil {
		return
	}
	m.touched.Collect(m.touches, f.words)
	m.preds.Collect(m.edges, n)
	ins, outs := m.liveness.Solve(m.touched, m.global, &m.preds, func(b int32) []int32 { return f.p.Blocks[b].Succs })
	f.between = &between{in: keyed.Collect(ins, n), out: keyed.Collect(outs, n)}
	if m.keep && f.among == nil {
		m.known[m.next] = f.between.of(f.p, m)
		m.next = (m.next + 1) % len(m.known)
	}
}

// local finds what every block does with every word it touches, as lists
// for each word of block<<liveness.Actions with what happens there, and which words
// are read before they are written somewhere: only those can live between
// blocks. Where that is known of a problem before, it returns what lives there.
func (f *flow) local() *between {
	m := f.m
	known := m.known // those that may be the same
	for k, x := range known {
		if x != nil && (f.among != nil || !x.mayBe(f.p, m)) {
			known[k] = nil
		}
	}
	m.does, m.seen, m.global = keyed.Zeros(m.does, f.words), keyed.Zeros(m.seen, f.words), keyed.Zeros(m.global, f.words)
	does, seen, global := m.does, m.seen, m.global
	here, pairs := m.here, slices.Grow(m.touches[:0], f.words)
	for b := range f.p.Blocks {
		here = here[:0]
		touch := func(w int32) {
			if seen[w] != int32(b)+1 {
				seen[w], does[w] = int32(b)+1, 0
				here = append(here, w)
			}
		}
		blk := &f.p.Blocks[b]
		for n := int(blk.First + blk.N - 1); n >= int(blk.First); n-- {
			ops := f.p.Operands(n)
			for _, o := range ops {
				if !o.Role.Writes() || f.leaves(o) {
					continue
				}
				f.each(o, func(w int32) {
					touch(w)
					does[w] |= liveness.Writes
					if o.Role == Def || o.Role == DefEarly {
						does[w] = does[w]&^liveness.Exposed | liveness.Kills
					}
				})
			}
			for _, o := range ops {
				if o.Role.Reads() && !f.leaves(o) {
					f.each(o, func(w int32) {
						touch(w)
						does[w] |= liveness.Exposed
					})
				}
			}
		}
		for _, w := range here {
			pairs = append(pairs, keyed.Pair{Key: w, Item: int32(b)<<liveness.Actions | int32(does[w])})
			global[w] = global[w] || does[w]&liveness.Exposed != 0
		}
		for k, x := range known {
			if x != nil && !x.Does(b, len(here), func(w int32) (uint8, bool) { return does[w], seen[w] == int32(b)+1 }) {
				known[k] = nil
			}
		}
	}
	m.here, m.touches = here, pairs
	for _, x := range known {
		if x != nil {
			return x
		}
	}
	return nil
}
