package regalloc

import (
	"sort"

	"github.com/goptxas/goptxas/internal/codegen/regalloc/problem"
	"github.com/goptxas/goptxas/internal/codegen/regalloc/waits"
)

// A group is a set of virtual registers that share registers because
// copies between them are to vanish. Every member sits at a fixed offset
// from the group's first register; a chain of parents with offsets leads
// from a member to its group. A register nothing was joined with is a
// group of its own.
type groups struct {
	parent []int32 // parent virtual register, or itself
	offset []int16 // first word relative to the parent's first word
	info   []group // valid for roots
	among  []bool  // registers that matter; nil: all

	// Of the file nearOf-1, for each root: see near.
	nearOf  uint8
	copies  [][]copyOf
	peers   [][]int32
	vectors bool         // some group wants an aligned four
	late    *waits.Facts // nil until asked for
}

// group is what a root knows about all its members.
type group struct {
	class  uint8
	width  int16
	align  int16
	phase  int16 // first register ≡ phase modulo align
	fixed  int16 // first register, or -1
	lo, hi int16 // bounds of the first register and of the end; hi 0 = budget
	spans  [][]span
	cost   float64 // of its accesses if it were spilled, weighted
	keep   bool
	from   int32 // first point at which it lives, see near
	size   int32 // points at which its words live
}

func newGroups(p *Problem, r *ranges) *groups {
	n := len(p.VRegs)
	g := &groups{parent: make([]int32, n), offset: make([]int16, n), info: make([]group, n), among: r.among}
	for v := range p.VRegs {
		x := &p.VRegs[v]
		g.parent[v] = int32(v)
		g.info[v] = group{
			class: x.Class, width: int16(x.Width), align: max(1, int16(x.Align)), fixed: x.Fixed, lo: x.Lo, hi: x.Hi,
			spans: r.spans[r.base[v]:r.base[v+1]], keep: x.Keep,
		}
	}
	for b := range p.Blocks {
		blk := &p.Blocks[b]
		weight := blockWeight(blk.Depth)
		for n := blk.First; n < blk.First+blk.N; n++ {
			for _, o := range p.Operands(int(n)) {
				if r.among != nil && !r.among[o.V] {
					continue
				}
				g.info[o.V].cost += weight * moved(p, o)
			}
		}
	}
	g.bounds(p)
	return g
}

// moved is what an access costs to what is spilled: moving words, or making them again.
func moved(p *Problem, o Operand) float64 {
	switch {
	case o.Role == Hold:
		return 0
	case p.VRegs[o.V].Remat >= 0:
		return problem.RematCost
	case o.Role.Reads() && o.Role.Writes():
		return 2 * problem.Traffic(o.N)
	}
	return problem.Traffic(o.N)
}

// blockWeight is how often a block is taken to run: eight times for each
// loop around it.
func blockWeight(depth uint8) float64 { return float64(uint64(1) << (3 * min(depth, 7))) }

// find returns v's root and the offset of v's first word in it.
func (g *groups) find(v int32) (root int32, off int16) {
	for g.parent[v] != v {
		off += g.offset[v]
		v = g.parent[v]
	}
	return v, off
}

// coalesce joins the two sides of copies where nothing speaks against it,
// hottest copies first.
func (g *groups) coalesce(p *Problem) {
	g.coalesceAmong(p, func(int32, int32) bool { return true })
}

// coalesceAmong does so for groups that may says, and reports whether any
// were joined.
func (g *groups) coalesceAmong(p *Problem, may func(a, b int32) bool) bool {
	type copyAt struct {
		inst  int32
		depth uint8
	}
	var moves []copyAt
	for b := range p.Blocks {
		blk := &p.Blocks[b]
		for n := blk.First; n < blk.First+blk.N; n++ {
			if p.Insts[n].Kind == Move {
				moves = append(moves, copyAt{n, blk.Depth})
			}
		}
	}
	sort.SliceStable(moves, func(a, b int) bool { return moves[a].depth > moves[b].depth })
	joined := false
	excluded := make([]bool, len(p.VRegs))
	for _, x := range p.Excludes {
		excluded[x.V] = true
	}
	for _, m := range moves {
		o := p.Operands(int(m.inst))
		if p.VRegs[o[0].V].Class != p.VRegs[o[1].V].Class || excluded[o[0].V] || excluded[o[1].V] || g.among != nil && !(g.among[o[0].V] && g.among[o[1].V]) || p.Reserved(o[0].V) || p.Reserved(o[1].V) {
			continue
		}
		a, ao := g.find(o[0].V)
		b, bo := g.find(o[1].V)
		if a != b && may(a, b) {
			joined = g.join(a, b, ao+int16(o[0].Sub)-bo-int16(o[1].Sub)) || joined
		}
	}
	return joined
}

// join makes b a part of a (or a of b, if b is wider) such that b's first
// word is a's word at. It reports false when the two cannot share.
func (g *groups) join(a, b int32, at int16) bool {
	if g.info[b].width > g.info[a].width {
		a, b, at = b, a, -at
	}
	x, y := &g.info[a], &g.info[b]
	if at < 0 || at+y.width > x.width {
		return false // the group would grow at the edges
	}
	big, small, phase := x, y, x.phase
	if y.align > x.align {
		big, small, phase = y, x, mod(y.phase-at, y.align)
	}
	other := small.phase
	if small == y {
		other = y.phase - at
	}
	if mod(phase-other, small.align) != 0 {
		return false
	}
	fixed := x.fixed
	if y.fixed >= 0 {
		if fixed >= 0 && fixed != y.fixed-at || y.fixed < at {
			return false
		}
		fixed = y.fixed - at
	}
	if fixed >= 0 && mod(fixed-phase, big.align) != 0 {
		return false
	}
	for w := range y.width {
		if overlap(x.spans[at+w], y.spans[w]) {
			return false
		}
	}
	spans := make([][]span, x.width)
	copy(spans, x.spans)
	for w := range y.width {
		spans[at+w] = union(x.spans[at+w], y.spans[w])
	}
	x.align, x.phase, x.fixed, x.spans = big.align, phase, fixed, spans
	x.lo = max(x.lo, y.lo-at)
	if y.hi > 0 {
		if hi := y.hi - at - y.width + x.width; x.hi == 0 || hi < x.hi {
			x.hi = hi
		}
	}
	x.cost += y.cost
	x.keep = x.keep || y.keep
	g.parent[b], g.offset[b] = a, at
	return true
}

func mod(a, m int16) int16 { return (a%m + m) % m }

// Joins tells which virtual registers can be one because copies between them
// are to vanish, among those that copies connect with one marked Keep: of
// each, the register it becomes part of and the word it begins at. Registers
// with a place or an upper bound of their own stay alone, and so does what
// would need a larger alignment than the widest of its group has.
func Joins(p *Problem) (root []int32, word []int16) {
	g := newGroups(p, liveAmong(p, p.Joinable(), &flowRoom{}))
	free := func(x *group) bool { return x.fixed < 0 && x.hi == 0 }
	for again := true; again; {
		again = g.coalesceAmong(p, func(a, b int32) bool {
			x, y := &g.info[a], &g.info[b]
			if y.width > x.width || y.width == x.width && y.align > x.align {
				x, y = y, x
			}
			return (x.keep || y.keep) && free(x) && free(y) && (x.align >= y.align && x.width > y.width || x.align == y.align)
		})
	}
	root, word = make([]int32, len(p.VRegs)), make([]int16, len(p.VRegs))
	for v := range p.VRegs {
		root[v], word[v] = g.find(int32(v))
	}
	return root, word
}
