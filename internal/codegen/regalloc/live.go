package regalloc

import (
	"sort"

	"github.com/goptxas/goptxas/internal/codegen/regalloc/keyed"
)

// Program points: three for each instruction, in order of time.
const (
	atUse     = 0 // operands are read
	atClobber = 1 // what lives across the instruction lives here
	atDef     = 2 // results are written
	perInst   = 3
)

// span is a run of program points [from, to).
type span struct{ from, to int32 }

// ranges holds the live ranges of every word of every virtual register, as
// sorted, disjoint, non-touching spans.
type ranges struct {
	base  []int32 // first word of each virtual register
	spans [][]span
	among []bool // registers of which it is known; nil: of all. Others have no words
	*between
}

func (r *ranges) of(v int32, w uint8) []span { return r.spans[r.base[v]+int32(w)] }

// liveRanges computes the live range of every word: the points from which
// some path leads to a read of the word before it is written whole, and to
// which some path leads from a write. The second condition keeps a value
// that is only set and read under the same guard from living since the
// entry.
func liveRanges(p *Problem, m *flowRoom) *ranges { return liveAmong(p, nil, m) }

// liveAmong computes them of some registers, or of all if among is nil.
func liveAmong(p *Problem, among []bool, m *flowRoom) *ranges {
	base := make([]int32, len(p.VRegs)+1)
	for n := range p.VRegs {
		base[n+1] = base[n]
		if among == nil || among[n] {
			base[n+1] += int32(p.VRegs[n].Width)
		}
	}
	words := int(base[len(p.VRegs)])
	f := &flow{p: p, base: base, words: words, among: among, m: m}
	f.solve()
	r := &ranges{base: base, spans: make([][]span, words), among: among}
	room := make([]span, words) // most words live once
	for w := range r.spans {
		r.spans[w] = room[w : w : w+1]
	}
	f.walk(r)
	r.between = f.between
	return r
}

// leaves reports whether o is of no matter.
func (f *flow) leaves(o Operand) bool { return f.among != nil && !f.among[o.V] }

func (f *flow) each(o Operand, do func(w int32)) {
	w := f.base[o.V] + int32(o.Sub)
	for n := range int32(o.N) {
		do(w + n)
	}
}

// walk turns the block facts into spans, walking backwards so that each
// word's spans come out last first; a final reversal sorts them.
func (f *flow) walk(r *ranges) {
	m := f.m
	m.end, m.event, m.before = keyed.Zeros(m.end, f.words), keyed.Zeros(m.event, f.words), keyed.Zeros(m.before, f.words)
	end := m.end       // end of the span being built, 0 = not live
	event := m.event   // earliest read or write seen in the block
	before := m.before // last block in which the word was live and written before
	for w := range before {
		before[w] = -1
	}
	live := m.live // words live now, with stale entries
	for b := len(f.p.Blocks) - 1; b >= 0; b-- {
		blk := &f.p.Blocks[b]
		top, bottom := perInst*blk.First, perInst*(blk.First+blk.N)
		live = live[:0]
		for _, w := range f.out.Of(b) {
			end[w], event[w] = bottom, bottom
			live = append(live, w)
		}
		for n := blk.First + blk.N - 1; n >= blk.First; n-- {
			live = f.inst(r, n, end, event, live)
		}
		for _, w := range f.in.Of(b) {
			before[w] = int32(b)
		}
		for _, w := range live {
			if end[w] == 0 {
				continue
			}
			from := top
			if before[w] != int32(b) {
				from = event[w]
			}
			if from < end[w] { // else it passes through where nothing has written it
				addSpan(r, w, span{from, end[w]})
			}
			end[w] = 0
		}
	}
	m.live = live
	for _, s := range r.spans {
		for i, j := 0, len(s)-1; i < j; i, j = i+1, j-1 {
			s[i], s[j] = s[j], s[i]
		}
	}
}

func (f *flow) inst(r *ranges, n int32, end, event, live []int32) []int32 {
	at := perInst * n
	ops := f.p.Operands(int(n))
	for _, o := range ops {
		if !o.Role.Writes() || f.leaves(o) {
			continue
		}
		from := at + atDef
		if o.Role == DefEarly {
			from = at
		}
		f.each(o, func(w int32) {
			if end[w] == 0 {
				end[w] = at + perInst // a dead write still takes the register for a moment
				live = append(live, w)
			}
			event[w] = from
			if o.Role == Def || o.Role == DefEarly {
				addSpan(r, w, span{from, end[w]})
				end[w] = 0
			}
		})
	}
	for _, o := range ops {
		if !o.Role.Reads() || f.leaves(o) {
			continue
		}
		to := at + atUse + 1
		if o.Role == UseLate || o.Role == Hold {
			to = at + perInst
		}
		f.each(o, func(w int32) {
			if end[w] == 0 {
				live = append(live, w)
			}
			end[w] = max(end[w], to)
			event[w] = at
		})
	}
	return live
}

// addSpan adds a span in front of those already there, joining it with the
// one it touches.
func addSpan(r *ranges, w int32, s span) {
	list := r.spans[w]
	if k := len(list) - 1; k >= 0 && list[k].from <= s.to {
		list[k].from = min(list[k].from, s.from)
		list[k].to = max(list[k].to, s.to)
		return
	}
	r.spans[w] = append(list, s)
}

// overlap reports whether two sorted span lists share a point.
func overlap(a, b []span) bool {
	if len(a) > 8*len(b)+8 {
		a, b = b, a
	}
	if len(b) > 8*len(a)+8 { // a few spans against many: search
		for _, s := range a {
			k := sort.Search(len(b), func(k int) bool { return b[k].to > s.from })
			if k < len(b) && b[k].from < s.to {
				return true
			}
		}
		return false
	}
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i].to <= b[j].from:
			i++
		case b[j].to <= a[i].from:
			j++
		default:
			return true
		}
	}
	return false
}

// union merges two sorted span lists.
func union(a, b []span) []span {
	if len(a) == 0 {
		return b
	}
	if len(b) == 0 {
		return a
	}
	out := make([]span, 0, len(a)+len(b))
	for i, j := 0, 0; i < len(a) || j < len(b); {
		var s span
		if j == len(b) || i < len(a) && a[i].from <= b[j].from {
			s = a[i]
			i++
		} else {
			s = b[j]
			j++
		}
		if k := len(out) - 1; k >= 0 && out[k].to >= s.from {
			out[k].to = max(out[k].to, s.to)
		} else {
			out = append(out, s)
		}
	}
	return out
}
