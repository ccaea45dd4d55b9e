package regalloc

import (
	"slices"

	"github.com/goptxas/goptxas/internal/codegen/regalloc/keyed"
)

// flow is the dataflow over blocks behind liveness. It follows one word at
// a time from its reads up to its writes, so that its cost is the number of
// words that live between blocks, not all words times all blocks.
type flow struct {
	p     *Problem
	base  []int32
	words int
	m     *flowRoom
	in    keyed.Lists // of each block, words live at its top that some path has written
	out   keyed.Lists // of each block, words live at its end that some path has written
}

// flowRoom is the memory that the flow over one problem after the other uses.
type flowRoom struct {
	edges, touches, ins, outs []keyed.Pair
	touched, preds            keyed.Lists
	does, state               []uint8
	global                    []bool
	seen, end, event, before  []int32
	here, live                []int32
	tops, ends, work          []int32
}

// What a block does with a word.
const (
	exposed  = 1 << iota // reads it before it writes it whole
	kills                // writes it whole
	writes               // writes it at all
	liveTop              // it lives at the top
	liveEnd              // it lives at the end
	wroteTop             // some path to the top has written it
	actions  = 3         // bits of the first three
)

// solve finds the words that live at the borders of blocks.
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
	m.state = keyed.Zeros(m.state, n)
	s := &spread{f: f, preds: m.preds, state: m.state, tops: m.tops, ends: m.ends, work: m.work}
	s.ins, s.outs = slices.Grow(m.ins[:0], len(touched.All())), slices.Grow(m.outs[:0], len(touched.All()))
	for w := range f.words {
		if global[w] {
			s.word(int32(w), touched.Of(w))
		}
	}
	f.in, f.out = keyed.Collect(s.ins, n), keyed.Collect(s.outs, n)
	m.ins, m.outs, m.tops, m.ends, m.work = s.ins, s.outs, s.tops, s.ends, s.work
}

// local finds what every block does with every word it touches, as lists
// for each word of block<<actions with what happens there, and which words
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
					does[w] |= writes
					if o.Role == Def || o.Role == DefEarly {
						does[w] = does[w]&^exposed | kills
					}
				})
			}
			for _, o := range ops {
				if o.Role.Reads() {
					f.each(o, func(w int32) {
						touch(w)
						does[w] |= exposed
					})
				}
			}
		}
		for _, w := range here {
			pairs = append(pairs, keyed.Pair{Key: w, Item: int32(b)<<actions | int32(does[w])})
			global[w] = global[w] || does[w]&exposed != 0
		}
	}
	m.here, m.touches = here, pairs
	m.touched.Collect(pairs, f.words)
	return m.touched, global
}

// spread follows one word through the blocks.
type spread struct {
	f         *flow
	preds     keyed.Lists
	state     []uint8 // of each block, for the current word
	tops      []int32 // blocks at whose top it lives
	ends      []int32 // blocks at whose end it lives
	work      []int32 // see written
	ins, outs []keyed.Pair
}

// word finds where word w lives and where it was written before.
func (s *spread) word(w int32, touched []int32) {
	s.tops, s.ends = s.tops[:0], s.ends[:0]
	for _, t := range touched {
		s.state[t>>actions] = uint8(t & (1<<actions - 1))
	}
	for _, t := range touched {
		if t&exposed != 0 {
			s.top(t >> actions)
		}
	}
	for k := 0; k < len(s.tops); k++ {
		for _, p := range s.preds.Of(int(s.tops[k])) {
			if s.state[p]&liveEnd == 0 {
				s.state[p] |= liveEnd
				s.ends = append(s.ends, p)
			}
			if s.state[p]&kills == 0 {
				s.top(p)
			}
		}
	}
	s.written()
	for _, b := range s.tops {
		if s.state[b]&wroteTop != 0 {
			s.ins = append(s.ins, keyed.Pair{Key: b, Item: w})
		}
	}
	for _, b := range s.ends {
		if s.state[b]&(wroteTop|writes) != 0 {
			s.outs = append(s.outs, keyed.Pair{Key: b, Item: w})
		}
	}
	for _, t := range touched {
		s.state[t>>actions] = 0
	}
	for _, b := range s.tops {
		s.state[b] = 0
	}
	for _, b := range s.ends {
		s.state[b] = 0
	}
}

// top notes that the word lives at the top of b.
func (s *spread) top(b int32) {
	if s.state[b]&liveTop == 0 {
		s.state[b] |= liveTop
		s.tops = append(s.tops, b)
	}
}

// written follows the writes downwards, as far as the word lives.
func (s *spread) written() {
	work := s.work[:0]
	for _, b := range s.ends {
		if s.state[b]&writes != 0 {
			work = append(work, b)
		}
	}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		for _, t := range s.f.p.Blocks[b].Succs {
			if s.state[t]&(liveTop|wroteTop) == liveTop {
				s.state[t] |= wroteTop
				if s.state[t]&liveEnd != 0 {
					work = append(work, t)
				}
			}
		}
	}
	s.work = work
}
