// Package liveness finds the words that are live into and out of basic blocks.
package liveness

import (
	"math/bits"
	"slices"

	"github.com/goptxas/goptxas/internal/codegen/regalloc/keyed"
)

// What a block does with a word.
const (
	Exposed = 1 << iota // reads it before it writes it whole
	Kills               // writes it whole
	Writes              // writes it at all
	Actions = 3         // bits of these
)

// Solve finds the words that are live into and out of each block and
// that some path has written, as pairs of block and word, words of a block in
// order. Touched lists, for each word, block<<Actions with what happens there;
// only global words can live between blocks.
func (s *Solver) Solve(touched keyed.Lists, global []bool, preds *keyed.Lists, succs func(int32) []int32) (ins, outs []keyed.Pair) {
	s.at = keyed.Zeros(s.at, preds.Keys())
	s.ins, s.outs = slices.Grow(s.ins[:0], len(touched.All())), slices.Grow(s.outs[:0], len(touched.All()))
	for w := range global {
		if global[w] {
			s.words = append(s.words, int32(w))
		}
		if len(s.words) == 64 || w == len(global)-1 {
			s.follow(&touched, preds, succs)
		}
	}
	return s.ins, s.outs
}

// Solver follows up to 64 words at once through the blocks that they reach, so
// that words which live side by side cost as much as one. Its memory serves for
// one function after the other.
type Solver struct {
	at        []lives // of each block
	reached   []int32 // blocks at which something is known
	work      []int32 // blocks where words are due
	words     []int32 // the words, a bit each
	ins, outs []keyed.Pair
}

// lives is what is known about words where a block begins and ends, a bit each.
type lives struct {
	kills, writes   uint64
	liveIn, liveOut uint64
	writtenIn       uint64 // some path to the top has written it
	due             uint64 // not yet followed to the blocks beside
	reached         bool
}

// reach returns what is known about b.
func (s *Solver) reach(b int32) *lives {
	x := &s.at[b]
	if !x.reached {
		x.reached = true
		s.reached = append(s.reached, b)
	}
	return x
}

// owe notes words that are to be followed from b.
func (s *Solver) owe(b int32, x *lives, words uint64) {
	if words != 0 && x.due == 0 {
		s.work = append(s.work, b)
	}
	x.due |= words
}

// next takes a block where words are due.
func (s *Solver) next() (b int32, due uint64) {
	b = s.work[len(s.work)-1]
	s.work = s.work[:len(s.work)-1]
	due, s.at[b].due = s.at[b].due, 0
	return b, due
}

// top notes words that live at the top of b.
func (s *Solver) top(b int32, words uint64) {
	x := s.reach(b)
	words &^= x.liveIn
	x.liveIn |= words
	s.owe(b, x, words)
}

// follow finds where the words live and where they were written before.
func (s *Solver) follow(touched, preds *keyed.Lists, succs func(int32) []int32) {
	for k, w := range s.words {
		for _, t := range touched.Of(int(w)) {
			x, bit := s.reach(t>>Actions), uint64(1)<<k
			if t&Kills != 0 {
				x.kills |= bit
			}
			if t&Writes != 0 {
				x.writes |= bit
			}
			if t&Exposed != 0 {
				s.top(t>>Actions, bit)
			}
		}
	}
	for len(s.work) > 0 {
		b, due := s.next()
		for _, p := range preds.Of(int(b)) {
			x := s.reach(p)
			x.liveOut |= due
			s.top(p, due&^x.kills)
		}
	}
	for _, b := range s.reached { // writes downwards, as far as words live
		s.owe(b, &s.at[b], s.at[b].liveOut&s.at[b].writes)
	}
	for len(s.work) > 0 {
		b, due := s.next()
		for _, t := range succs(b) {
			x := &s.at[t]
			wrote := due & x.liveIn &^ x.writtenIn
			x.writtenIn |= wrote
			s.owe(t, x, wrote&x.liveOut)
		}
	}
	for _, b := range s.reached {
		x := &s.at[b]
		s.ins = s.pairs(s.ins, b, x.liveIn&x.writtenIn)
		s.outs = s.pairs(s.outs, b, x.liveOut&(x.writtenIn|x.writes))
		*x = lives{}
	}
	s.reached, s.words = s.reached[:0], s.words[:0]
}

// pairs appends words of b.
func (s *Solver) pairs(list []keyed.Pair, b int32, words uint64) []keyed.Pair {
	for ; words != 0; words &= words - 1 {
		list = append(list, keyed.Pair{Key: b, Item: s.words[bits.TrailingZeros64(words)]})
	}
	return list
}
