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
	m     *flowRoom
	in    keyed.Lists // of each block, words live into it that some path has written
	out   keyed.Lists // of each block, words live out of it that some path has written
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
}

// solve finds the words that are live into and out of blocks.
func (f *flow) solve() {
	touched, global := f.local()
	n, m := len(f.p.Blocks), f.m
	m.edges = m.edges[:0]
	for b := range f.p.Blocks {
		for _, s := range f.p.Blocks[b].Succs {
			m.edges = append(m.edges, keyed.Pair{Key: s, Item: int32(b)})
		}
	}
	m.preds.Collect(m.edges, n)
	ins, outs := m.liveness.Solve(touched, global, &m.preds, func(b int32) []int32 { return f.p.Blocks[b].Succs })
	f.in, f.out = keyed.Collect(ins, n), keyed.Collect(outs, n)
}

// local finds what every block does with every word it touches, as lists
// for each word of block<<liveness.Actions with what happens there, and which words
// are read before they are written somewhere: only those can live between
// blocks.
func (f *flow) local() (touched keyed.Lists, global []bool) {
	m := f.m
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
				if !o.Role.Writes() {
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
				if o.Role.Reads() {
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
	}
	m.here, m.touches = here, pairs
	m.touched.Collect(pairs, f.words)
	return m.touched, global
}
