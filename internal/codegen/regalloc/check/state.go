package check

import (
	"fmt"
	"slices"

	"github.com/goptxas/goptxas/internal/codegen/regalloc"
)

// set is a set of the caller's words that one location holds. Most hold
// nothing or one word, so those need no memory: 0 is the empty set, w+1 the
// set of word w alone, higher numbers are rows of a table.
type set int32

const empty set = 0

func one(w int32) set { return set(w) + 1 }

// sets is the table of the sets with more than one word, and the words for
// the others.
type sets struct {
	single []int32
	many   [][]int32
}

func newSets(words int32) sets {
	s := sets{single: make([]int32, words)}
	for w := range s.single {
		s.single[w] = int32(w)
	}
	return s
}

// of returns the words of x, which must not be changed.
func (t *sets) of(x set) []int32 {
	switch {
	case x == empty:
		return nil
	case int(x) <= len(t.single):
		return t.single[x-1 : x : x]
	}
	return t.many[int(x)-len(t.single)-1]
}

func (t *sets) has(x set, w int32) bool {
	if int(x) <= len(t.single) {
		return x == one(w)
	}
	return slices.Contains(t.of(x), w)
}

// from returns the set of the words of a list, which it keeps.
func (t *sets) from(list []int32) set {
	switch len(list) {
	case 0:
		return empty
	case 1:
		return one(list[0])
	}
	t.many = append(t.many, list)
	return set(len(t.single) + len(t.many))
}

func (t *sets) with(x set, w int32) set {
	if x == empty {
		return one(w)
	}
	return t.from(append(slices.Clone(t.of(x)), w))
}

func (t *sets) without(x set, w int32) set {
	if !t.has(x, w) {
		return x
	}
	return t.from(slices.DeleteFunc(slices.Clone(t.of(x)), func(y int32) bool { return y == w }))
}

func (t *sets) equal(x, y set) bool {
	if x == y {
		return true
	}
	a, b := t.of(x), t.of(y)
	return len(a) == len(b) && !slices.ContainsFunc(a, func(w int32) bool { return !slices.Contains(b, w) })
}

// meet returns the words of x that y has too or never saw, and those of y
// that x never saw.
func (t *sets) meet(x, y set, xSaw, ySaw *pages) set {
	if x == y {
		return x
	}
	var keep []int32
	for _, w := range t.of(x) {
		if t.has(y, w) || !ySaw.has(w) {
			keep = append(keep, w)
		}
	}
	for _, w := range t.of(y) {
		if !xSaw.has(w) && !slices.Contains(keep, w) {
			keep = append(keep, w)
		}
	}
	if len(keep) == len(t.of(x)) && !slices.ContainsFunc(keep, func(w int32) bool { return !t.has(x, w) }) {
		return x
	}
	return t.from(keep)
}

// pageBits is how many words of a function one page of a pages set tells
// of: states differ in few of them and share the others.
const pageBits = 1024

type page [pageBits / 64]uint64

// pages is a set of words that only grows. Copies share pages until one of
// them writes.
type pages struct {
	list []*page
	own  []bool
}

func newPages(words int32) pages {
	n := (words + pageBits - 1) / pageBits
	p := pages{make([]*page, n), make([]bool, n)}
	blank := &page{}
	for k := range p.list {
		p.list[k] = blank
	}
	return p
}

// clone returns a copy; from now on neither owns the pages.
func (p *pages) clone() pages {
	clear(p.own)
	return pages{slices.Clone(p.list), make([]bool, len(p.list))}
}

func (p *pages) has(w int32) bool {
	return p.list[w/pageBits][w%pageBits>>6]>>(uint(w)&63)&1 != 0
}

// writable returns page k, which no other set shares.
func (p *pages) writable(k int32) *page {
	if !p.own[k] {
		c := *p.list[k]
		p.list[k], p.own[k] = &c, true
	}
	return p.list[k]
}

func (p *pages) add(w int32) {
	if !p.has(w) {
		p.writable(w / pageBits)[w%pageBits>>6] |= 1 << (uint(w) & 63)
	}
}

// join adds the words of q and reports whether there were new ones.
func (p *pages) join(q *pages) (changed bool) {
	for k, x := range p.list {
		y := q.list[k]
		if x == y {
			continue
		}
		for n := range y {
			if y[n]&^p.list[k][n] != 0 {
				p.writable(int32(k))[n] |= y[n]
				changed = true
			}
		}
	}
	return changed
}

// state is what is known at one point.
type state struct {
	holds   []set  // words that each location holds
	written pages  // words some path has written
	old     []bool // see repeats
}

func (s *state) clone() *state {
	return &state{holds: slices.Clone(s.holds), written: s.written.clone(), old: slices.Clone(s.old)}
}

// meet narrows s to what o promises too.
func (c *replay) meet(s, o *state) (changed bool) {
	for n, x := range s.holds {
		if y := c.sets.meet(x, o.holds[n], &s.written, &o.written); !c.sets.equal(x, y) {
			changed = true
			s.holds[n] = y
		}
	}
	for n, old := range o.old {
		if old && !s.old[n] {
			changed = true
			s.old[n] = true
		}
	}
	return s.written.join(&o.written) || changed
}

// run finds what is known at the top of every block, going round until
// nothing changes. Whenever it comes to a block it judges its instructions: what
// counts is the last time, when the state at its top is final.
func (c *replay) run() error {
	faults := make([]error, len(c.p.Blocks))
	met := make([]bool, len(c.p.Blocks))
	in := make([]*state, len(c.p.Blocks))
	in[0] = &state{holds: make([]set, c.locs), written: newPages(c.word[len(c.orig.VRegs)]), old: make([]bool, len(c.repeats.of))}
	pending := make([]bool, len(c.p.Blocks))
	pending[0] = true
	for again := true; again; {
		again = false
		for b := range c.p.Blocks {
			if !pending[b] {
				continue
			}
			pending[b] = false
			if !met[b] {
				met[b] = true
				if err := c.fixed(b); err != nil {
					return fmt.Errorf("block %d: %w", b, err)
				}
			}
			s := in[b].clone()
			c.vanish(s, b)
			c.enter(s)
			blk := &c.p.Blocks[b]
			faults[b] = c.follow(s, b)
			for n, t := range blk.Succs {
				switch {
				case in[t] == nil && n == len(blk.Succs)-1:
					in[t] = s
				case in[t] == nil:
					in[t] = s.clone()
				case !c.meet(in[t], s):
					continue
				}
				pending[t] = true
				again = again || int(t) <= b
			}
		}
	}
	for b, fault := range faults {
		if fault != nil {
			return fmt.Errorf("block %d: %w", b, fault)
		}
	}
	return nil
}

// follow replays block b, at the top of which s is known, and returns the first
// fault.
func (c *replay) follow(s *state, b int) (fault error) {
	blk := &c.p.Blocks[b]
	for n := blk.First; n < blk.First+blk.N; n++ {
		if fault == nil {
			c.step(s, n, &fault)
		} else {
			c.step(s, n, nil)
		}
	}
	return fault
}

// fixed judges in block b what no state decides.
func (c *replay) fixed(b int) error {
	blk := &c.p.Blocks[b]
	for n := blk.First; n < blk.First+blk.N; n++ {
		i, ops := &c.p.Insts[n], c.p.Operands(int(n))
		for k := range ops {
			if o := &ops[k]; int(o.Sub)+int(o.N) > int(c.p.VRegs[o.V].Width) {
				return fmt.Errorf("instruction %d operand %d: words %d+%d of v%d", n, k, o.Sub, o.N, o.V)
			}
		}
		if i.Kind <= regalloc.Move {
			if err := c.sharing(n, ops, c.orig.Operands(int(i.Orig))); err != nil {
				return err
			}
		}
		if err := c.there(b, n); err != nil {
			return err
		}
	}
	return nil
}

// enter starts the visit of a block in state s.
func (c *replay) enter(s *state) {
	c.now++
	for l, x := range s.holds {
		for _, w := range c.sets.of(x) {
			c.note(w, int32(l))
		}
	}
}

// note remembers that location l holds word w. The list of a word names all
// locations that hold it, and some that did; it counts only if it was made
// in this visit of a block.
func (c *replay) note(w, l int32) {
	if c.visit[w] != c.now {
		c.visit[w] = c.now
		c.where[w] = c.where[w][:0]
	}
	c.where[w] = append(c.where[w], l)
}

// set makes location l hold the given words and nothing else.
func (c *replay) set(s *state, l int32, x set) {
	s.holds[l] = x
	for _, w := range c.sets.of(x) {
		c.note(w, l)
	}
}

// stale takes word w out of every location.
func (c *replay) stale(s *state, w int32) {
	if c.visit[w] != c.now {
		return
	}
	for _, l := range c.where[w] {
		s.holds[l] = c.sets.without(s.holds[l], w)
	}
	c.where[w] = c.where[w][:0]
}

// vanish takes the words out of the registers that are not there in block b.
func (c *replay) vanish(s *state, b int) {
	for n := range c.orig.Files {
		if limits := c.orig.Files[n].Limits; limits != nil {
			clear(s.holds[c.register(uint8(n), int(limits[b])):c.file[n+1]])
		}
	}
}

// there checks that the registers of an instruction's operands are there in
// block b.
func (c *replay) there(b int, n int32) error {
	for k, o := range c.p.Operands(int(n)) {
		class := c.p.VRegs[o.V].Class
		limits := c.orig.Files[class].Limits
		if at := int(c.sol.Phys[o.V]) + int(o.Sub) + int(o.N); limits != nil && o.N > 0 && at > int(limits[b]) {
			return fmt.Errorf("instruction %d operand %d ends at register %d of %s, %d are there", n, k, at, c.orig.Files[class].Name, limits[b])
		}
	}
	return nil
}
