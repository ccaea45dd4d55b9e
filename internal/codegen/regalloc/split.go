package regalloc

import (
	"slices"

	"github.com/goptxas/goptxas/internal/codegen/regalloc/keyed"
	"github.com/goptxas/goptxas/internal/codegen/regalloc/problem"
)

// A register that is spilled need not live in memory everywhere. In blocks
// where registers are not short it stays in one: a piece, loaded where paths
// from elsewhere enter and stored where they leave. Which blocks those are
// follows from the overfull points; loops then decide as a whole, since a
// load at the border of a block inside a loop may cost more than loads at
// the accesses. What is loaded before a loop and stored behind it counts as
// often as the blocks it stands in, eight times for each loop around them.
//
// No edge needs a block of its own. A load may stand at the end of a block
// that also leads elsewhere: the home holds the words there and the register
// is free. A store may stand at the top of a block that is entered from
// memory too, if those paths load the piece before.

// split says where a spilled virtual register stays in registers.
type split struct {
	v      int32
	cost   float64
	blocks []int32 // where it does; empty: nowhere
	piece  []int32 // which piece, for each of them
	pieces []piece
	keep   []int32 // operands whose words stay in a register since the access before, in one block
}

// piece is a connected set of blocks in which a register stays.
type piece struct {
	through  bool    // every write is stored at once
	dirty    bool    // it is written and stored only where paths leave it
	store    float64 // what storing every write costs
	leave    float64 // what storing where paths leave costs
	loadTop  []int32 // blocks in which it is loaded first
	loadEnd  []int32 // blocks at whose end it is loaded
	storeTop []int32
	storeEnd []int32
}

// What a block is to the virtual register being split.
const (
	inDomain = 1 << iota // it lives there
	livesTop
	livesEnd
	inMemory
)

// splitter decides about splits.
type splitter struct {
	f      *fat
	preds  keyed.Lists
	ins    keyed.Lists // of each virtual register, blocks at whose top it lives
	outs   keyed.Lists
	block  []int32 // of each instruction
	kin    map[int32]home
	weight []float64

	// Of the current virtual register:
	all    float64   // what moving all of its words costs
	state  []uint8   // of each block
	comp   []int32   // of each block, another of its piece; see find
	number []int32   // of the block that stands for a piece, the piece
	cost   []float64 // of each block, accesses if it is in memory
	writes []float64 // of each block, stores if every write is stored at once
	domain []int32
	keep   []int32
	last   []int32 // of each word, the instruction that accessed it last
	inner  []uint8 // of each loop, whether it is in memory there, in a register, or both
	tries  [2]split
	remat  bool
	whole  bool // it has no pieces: it is one, its file's registers are empty afterwards, something holds it, or it is made again from others
}

// newSplitter prepares the facts about blocks.
func newSplitter(f *fat, kin map[int32]home) *splitter {
	p := f.p
	n := len(p.Blocks)
	s := &splitter{
		f: f, kin: kin, preds: predecessors(p), block: make([]int32, len(p.Insts)), weight: make([]float64, n),
		state: make([]uint8, n), comp: make([]int32, n), number: make([]int32, n), cost: make([]float64, n), writes: make([]float64, n),
	}
	for b := range p.Blocks {
		blk := &p.Blocks[b]
		s.weight[b] = blockWeight(blk.Depth)
		for k := blk.First; k < blk.First+blk.N; k++ {
			s.block[k] = int32(b)
		}
	}
	s.ins, s.outs = f.live.byRegister(p, f.class)
	return s
}

func predecessors(p *Problem) keyed.Lists {
	var edges []keyed.Pair
	for b := range p.Blocks {
		for _, s := range p.Blocks[b].Succs {
			edges = append(edges, keyed.Pair{Key: s, Item: int32(b)})
		}
	}
	return keyed.Collect(edges, len(p.Blocks))
}

// decide returns the cheapest split of v that leaves the overfull points. It
// stands until the next is asked for; see clone.
func (s *splitter) decide(v int32, access []int32) *split {
	s.survey(v, access)
	defer s.forget()
	all := 0.0
	for _, b := range s.domain {
		all += s.cost[b]
	}
	x, y := &s.tries[0], &s.tries[1]
	x.clear(v)
	if x.cost = all; len(s.domain) == 1 || s.whole {
		x.keep = s.keep
		return x
	}
	s.crowded(v, access)
	s.layout(x, v)
	for _, l := range s.mixed() {
		changed := s.sink(l)
		if s.layout(y, v); y.cost < x.cost {
			x, y = y, x
		} else {
			for _, b := range changed {
				s.state[b] &^= inMemory
			}
		}
	}
	if x.cost >= all {
		x.clear(v)
		x.cost = all
	}
	x.keep = s.keep
	return x
}

// clear makes x a split without pieces, and keeps its memory.
func (x *split) clear(v int32) {
	*x = split{v: v, blocks: x.blocks[:0], piece: x.piece[:0], pieces: x.pieces[:0]}
}

// clone returns a copy of x that stands.
func (x *split) clone() *split {
	y := *x
	y.blocks, y.piece, y.pieces, y.keep = slices.Clone(x.blocks), slices.Clone(x.piece), slices.Clone(x.pieces), slices.Clone(x.keep)
	return &y
}

// survey finds where v lives and what its accesses cost in memory.
func (s *splitter) survey(v int32, access []int32) {
	p := s.f.p
	s.domain = s.domain[:0]
	s.remat = p.VRegs[v].Remat >= 0
	s.all = 1
	if !s.remat {
		s.all = problem.Traffic(p.VRegs[v].Width)
	}
	add := func(b int32, what uint8) {
		if s.state[b] == 0 {
			s.domain = append(s.domain, b)
			s.cost[b], s.writes[b] = 0, 0
		}
		s.state[b] |= what | inDomain
	}
	for _, b := range s.ins.Of(int(v)) {
		add(b, livesTop)
	}
	for _, b := range s.outs.Of(int(v)) {
		add(b, livesEnd)
	}
	_, again := s.kin[v]
	s.whole = again || s.f.holds[v] || p.VRegs[v].Derived
	s.keep = s.keep[:0]
	s.last = slices.Grow(s.last[:0], 256)[:p.VRegs[v].Width]
	for w := range s.last {
		s.last[w] = -1
	}
	for _, n := range access {
		add(s.block[n], 0)
		s.access(v, n)
	}
	slices.Sort(s.keep)
}

// access adds what instruction n costs if v lives in memory. Words that stay
// in a register since the access before are not read again.
func (s *splitter) access(v, n int32) {
	p, b := s.f.p, s.block[n]
	w := s.weight[b]
	for k, o := range p.Operands(int(n)) {
		if o.V != v || o.Role == Hold {
			continue
		}
		words := s.last[o.Sub : o.Sub+o.N]
		if o.Role.Reads() {
			last := slices.Min(words)
			switch {
			case last == n: // another operand has them
			case last >= p.Blocks[b].First && !s.whole && s.free(last+1, n):
				s.keep = append(s.keep, p.Insts[n].First+int32(k))
			case s.remat:
				s.cost[b] += w * problem.RematCost
			default:
				s.cost[b] += w * s.f.sunk.Reading(p, p.Insts[n].First+int32(k))
			}
		}
		if o.Role.Writes() && !s.remat && !s.f.sunk.Write[p.Insts[n].First+int32(k)] {
			s.cost[b] += w * problem.Traffic(o.N)
			s.writes[b] += w * problem.Traffic(o.N)
		}
		for x := range words {
			words[x] = n
		}
	}
}

// free reports whether registers are not short between two instructions.
func (s *splitter) free(from, to int32) bool {
	return from >= to || !s.f.over.Set.AnyIn(perInst*from, perInst*to)
}

func (s *splitter) forget() {
	for _, b := range s.domain {
		s.state[b] = 0
	}
}

// crowded puts the blocks with overfull points that v could leave in
// memory.
func (s *splitter) crowded(v int32, access []int32) {
	f := s.f
	f.each(v, access, func(from, to int32) {
		for b := s.block[from/perInst]; from < to; b++ {
			blk := &f.p.Blocks[b]
			end := min(to, perInst*(blk.First+blk.N))
			if from < end {
				if f.over.Set.AnyIn(from, end) {
					s.state[b] |= inMemory
				}
				from = end
			}
		}
	})
}

// mixed lists the loops in which v is partly in memory, inner ones first.
func (s *splitter) mixed() []int32 {
	loops := s.f.p.Loops
	if len(loops) == 0 {
		return nil
	}
	s.inner = slices.Grow(s.inner[:0], len(loops))[:len(loops)]
	seen := s.inner
	clear(seen)
	for _, b := range s.domain {
		what := uint8(1)
		if s.state[b]&inMemory != 0 {
			what = 2
		}
		for l := s.f.p.Blocks[b].Loop; l != 0; l = loops[l] {
			seen[l] |= what
		}
	}
	const most = 16 // so many layouts are tried
	var list []int32
	for l := len(loops) - 1; l > 0 && len(list) < most; l-- {
		if seen[l] == 3 {
			list = append(list, int32(l))
		}
	}
	return list
}

// sink puts all blocks of a loop in memory and returns those that were not.
func (s *splitter) sink(loop int32) (changed []int32) {
	for _, b := range s.domain {
		if s.state[b]&inMemory != 0 {
			continue
		}
		for l := s.f.p.Blocks[b].Loop; l != 0; l = s.f.p.Loops[l] {
			if l == loop {
				s.state[b] |= inMemory
				changed = append(changed, b)
				break
			}
		}
	}
	return changed
}

// resident reports whether v stays in a register in b.
func (s *splitter) resident(b int32) bool { return s.state[b]&(inDomain|inMemory) == inDomain }

// find returns the block that stands for b's piece.
func (s *splitter) find(b int32) int32 {
	for s.comp[b] != b {
		s.comp[b] = s.comp[s.comp[b]]
		b = s.comp[b]
	}
	return b
}

// layout finds the pieces, and where they are loaded and stored.
func (s *splitter) layout(x *split, v int32) {
	x.clear(v)
	for _, b := range s.domain {
		s.comp[b], s.number[b] = b, -1
	}
	for _, b := range s.domain {
		if s.resident(b) && s.state[b]&livesEnd != 0 {
			for _, t := range s.f.p.Blocks[b].Succs {
				if s.resident(t) && s.state[t]&livesTop != 0 {
					s.comp[s.find(t)] = s.find(b)
				}
			}
		}
	}
	for _, b := range s.domain {
		if !s.resident(b) {
			x.cost += s.cost[b]
			continue
		}
		root := s.find(b)
		if s.number[root] < 0 {
			s.number[root] = int32(len(x.pieces))
			x.pieces = append(x.pieces, piece{})
		}
		k := s.number[root]
		x.blocks, x.piece = append(x.blocks, b), append(x.piece, k)
		x.pieces[k].store += s.writes[b]
	}
	s.exits(x)
	s.entries(x)
}

// exits finds how the pieces that are written get home: at every write, or
// where paths leave them.
func (s *splitter) exits(x *split) {
	for _, b := range s.domain {
		if s.state[b]&(livesTop|inMemory) != livesTop|inMemory {
			continue
		}
		memory, others := s.memory(b), false
		first := int32(-1) // piece
		for _, p := range s.preds.Of(int(b)) {
			if !s.leaves(p) {
				continue
			}
			k := s.number[s.find(p)]
			others = others || first >= 0 && k != first
			first = k
		}
		if first < 0 {
			continue
		}
		inside := 0.0
		for _, p := range s.preds.Of(int(b)) {
			if s.leaves(p) {
				inside += s.atEnd(p)
			}
		}
		if top := s.weight[b]*s.all + memory; !others && top < inside {
			x.pieces[first].leave += top
			x.pieces[first].storeTop = append(x.pieces[first].storeTop, b)
			continue
		}
		for _, p := range s.preds.Of(int(b)) {
			if s.leaves(p) {
				y := &x.pieces[s.number[s.find(p)]]
				if !slices.Contains(y.storeEnd, p) {
					y.leave += s.atEnd(p)
					y.storeEnd = append(y.storeEnd, p)
				}
			}
		}
	}
	for k := range x.pieces {
		y := &x.pieces[k]
		y.through = y.store > 0 && y.store < y.leave
		y.dirty = y.store > 0 && !y.through
		if !y.dirty || s.remat {
			y.storeTop, y.storeEnd = nil, nil
		}
		if y.dirty {
			x.cost += y.leave
		} else {
			x.cost += y.store
		}
		for _, b := range y.storeTop {
			y.loadEnd = s.addMemory(y.loadEnd, b)
		}
	}
}

// leaves reports whether v is in a register at the end of p, and lives.
func (s *splitter) leaves(p int32) bool { return s.state[p]&(livesEnd|inMemory) == livesEnd }

// memory is what moving all words costs at the end of each predecessor of b at
// whose end v lives in memory.
func (s *splitter) memory(b int32) (weight float64) {
	for _, p := range s.preds.Of(int(b)) {
		if s.state[p]&(livesEnd|inMemory) == livesEnd|inMemory {
			weight += s.atEnd(p)
		}
	}
	return weight
}

// impossible is more than anything costs.
const impossible = 1e30

// atEnd is what moving all words at the end of b costs.
func (s *splitter) atEnd(b int32) float64 {
	if s.f.p.Blocks[b].Closed {
		return impossible
	}
	return s.weight[b] * s.all
}

// addMemory adds those predecessors, each once.
func (s *splitter) addMemory(list []int32, b int32) []int32 {
	for _, p := range s.preds.Of(int(b)) {
		if s.state[p]&(livesEnd|inMemory) == livesEnd|inMemory && !slices.Contains(list, p) {
			list = append(list, p)
		}
	}
	return list
}

// entries finds where the pieces are loaded. One that holds what its home
// does not cannot be loaded where paths inside it arrive.
func (s *splitter) entries(x *split) {
	unit := 1.0
	if s.remat {
		unit = problem.RematCost
	}
	for n, b := range x.blocks {
		if s.state[b]&livesTop == 0 {
			continue
		}
		memory := s.memory(b)
		if memory == 0 {
			continue
		}
		y := &x.pieces[x.piece[n]]
		inside := slices.ContainsFunc(s.preds.Of(int(b)), s.leaves)
		if s.weight[b]*s.all < memory && !(y.dirty && inside) {
			y.loadTop = append(y.loadTop, b)
			x.cost += s.weight[b] * s.all * unit
		} else {
			y.loadEnd = s.addMemory(y.loadEnd, b)
			x.cost += memory * unit
		}
	}
}
