package regalloc

import (
	"math"

	"github.com/goptxas/goptxas/internal/codegen/regalloc/overfull"
	"github.com/goptxas/goptxas/internal/codegen/regalloc/problem"
	"github.com/goptxas/goptxas/internal/codegen/regalloc/sunk"
)

// fat is how many words of a file live at each point, and how many
// registers there are for them.
type fat struct {
	p     *Problem
	live  *ranges
	class uint8
	words []int32         // live at each point
	room  []int32         // registers available at each point
	holds []bool          // of each virtual register, whether something holds it, while choose runs
	over  overfull.Points // points with more words than registers, while choose runs
	sunk  *sunk.Constants // while choose runs
	most  float64         // choose ends with spills that cost more

	longer  map[int32][]Operand // what lives on for a virtual register that is made again from it
	instead map[int32][]Operand // those of them that take its place
}

func pressure(p *Problem, r *ranges, class uint8) *fat {
	n := perInst * len(p.Insts)
	f := &fat{p: p, live: r, class: class, most: math.Inf(1), words: make([]int32, n+1), room: make([]int32, n)}
	for v := range p.VRegs {
		if p.VRegs[v].Class == class {
			for w := range p.VRegs[v].Width {
				for _, s := range r.of(int32(v), w) {
					f.words[s.from]++
					f.words[s.to]--
				}
			}
		}
	}
	for k := range n {
		f.words[k+1] += f.words[k]
	}
	f.words = f.words[:n]
	file := &p.Files[class]
	for b := range p.Blocks {
		blk := &p.Blocks[b]
		room := int32(file.Limit(b))
		for _, t := range file.Taken {
			if t < file.Limit(b) {
				room--
			}
		}
		for k := perInst * blk.First; k < perInst*(blk.First+blk.N); k++ {
			f.room[k] = room
		}
	}
	for i := range p.Insts {
		for _, c := range p.Insts[i].Clobbers {
			if c.Class == class {
				f.room[perInst*i+atClobber] -= int32(min(int(c.Hi), file.Budget) - min(int(c.Lo), file.Budget))
			}
		}
	}
	return f
}

// excess counts the points with more words than registers. Points that a
// Fixed register outside the budget makes fat are counted too; they cannot
// be helped and end as an Overflow.
func (f *fat) excess() int {
	n := 0
	for k, w := range f.words {
		if w > f.room[k] {
			n++
		}
	}
	return n
}

// needsMemory reports whether more words live somewhere than there are registers
// that nothing but memory can hold: not even making values again would do.
func (f *fat) needsMemory() bool {
	if f.p.Files[f.class].SpillTo != Memory {
		return false
	}
	again := make([]int32, len(f.words)+1) // words that can be made again, as they come and go
	for v := range f.p.VRegs {
		if x := &f.p.VRegs[v]; x.Class == f.class && x.Remat >= 0 {
			for w := range x.Width {
				for _, s := range f.live.of(int32(v), w) {
					again[s.from]++
					again[s.to]--
				}
			}
		}
	}
	n := int32(0)
	for k, w := range f.words {
		if n += again[k]; w-n > f.room[k] {
			return true
		}
	}
	return false
}

// lower takes n registers away everywhere.
func (f *fat) lower(n int32) {
	for k := range f.room {
		f.room[k] -= n
	}
}

// peak is the most words that live at one point.
func (f *fat) peak() int {
	var m int32
	for _, w := range f.words {
		m = max(m, w)
	}
	return int(m)
}

// fattest returns the instruction whose need exceeds its room the most.
func (f *fat) fattest() (inst, need int) {
	worst := int32(-1 << 30)
	for k, w := range f.words {
		if d := w - f.room[k]; d > worst {
			worst, inst, need = d, k/perInst, int(w)
		}
	}
	return inst, need
}

// choose picks virtual registers to spill, and where, until no point is
// overfull, nothing helps any more, or they cost too much. It chooses nothing when no point is.
// The strategy says whether registers stay where there is room for them; what leaves says no to is not picked.
func (f *fat) choose(how strategy, kin map[int32]home, leaves func(v int32) bool) []*split {
	f.over = overfull.New(f.words, f.room)
	if f.over.Set.IsEmpty() {
		return nil
	}
	f.sunk = sunk.Find(f.p, f.live.base, f.class)
	access := f.accesses()
	costs := f.costs()
	var s *splitter
	if !how.whole {
		s = newSplitter(f, kin)
	}
	decide := func(v int32) *split {
		if s == nil {
			return &split{v: v, cost: costs[v]}
		}
		return s.decide(v, access[v])
	}
	var q overfull.Queue
	for v := range f.p.VRegs {
		x := &f.p.VRegs[v]
		if x.Class != f.class || x.Keep || x.Fixed >= 0 || costs[v] == 0 || leaves != nil && !leaves(int32(v)) {
			continue
		}
		if g := f.gain(int32(v), access[v]); g > 0 {
			q = append(q, overfull.Candidate{V: int32(v), Cost: decide(int32(v)).cost, Gain: g})
		}
	}
	q.Order()
	var spill []*split
	for spent := 0.0; len(q) > 0 && spent <= f.most; {
		c := q[0]
		g := f.gain(c.V, access[c.V])
		if g == 0 {
			q.Drop()
			continue
		}
		if g < c.Gain { // others have helped here meanwhile: look again
			q[0].Gain = g
			if how.anew {
				q[0].Cost = decide(c.V).cost
			}
			q.Worse()
			continue
		}
		q.Drop()
		x := decide(c.V).clone()
		spent += x.cost
		spill = append(spill, x)
		f.remove(c.V, access[c.V])
	}
	return spill
}

// accesses lists for each virtual register the instructions that touch it.
func (f *fat) accesses() [][]int32 {
	list := make([][]int32, len(f.p.VRegs))
	f.holds = make([]bool, len(f.p.VRegs))
	for n := range f.p.Insts {
		for _, o := range f.p.Operands(n) {
			if o.Role == Hold {
				f.holds[o.V] = true
				continue
			}
			if k := len(list[o.V]); k == 0 || list[o.V][k-1] != int32(n) {
				list[o.V] = append(list[o.V], int32(n))
			}
		}
	}
	return list
}

// costs weighs what spilling each virtual register would add. Repeating an
// instruction is cheaper than a trip to memory.
func (f *fat) costs() []float64 {
	cost := make([]float64, len(f.p.VRegs))
	for b := range f.p.Blocks {
		blk := &f.p.Blocks[b]
		weight := blockWeight(blk.Depth)
		for n := blk.First; n < blk.First+blk.N; n++ {
			for k, o := range f.p.Operands(int(n)) {
				at := f.p.Insts[n].First + int32(k)
				switch {
				case o.Role == Hold:
				case f.p.VRegs[o.V].Remat >= 0:
					cost[o.V] += weight * problem.RematCost
				case !f.sunk.Write[at]:
					cost[o.V] += weight * problem.Traffic(o.N)
				}
			}
		}
	}
	return cost
}

// each calls do with every run of points at which v would no longer live
// if it were spilled: all of its points but those of the instructions that
// touch it, where a temporary takes its place.
func (f *fat) each(v int32, access []int32, do func(from, to int32)) {
	for _, o := range f.instead[v] {
		all := do
		do = func(from, to int32) { f.live.during(o, from, to, all) }
	}
	for w := range f.p.VRegs[v].Width {
		k := 0
		for _, s := range f.live.of(v, w) {
			at := s.from
			for k < len(access) && perInst*(access[k]+1) <= at {
				k++
			}
			for ; k < len(access) && perInst*access[k] < s.to; k++ {
				if from := perInst * access[k]; from > at {
					do(at, from)
				}
				at = perInst * (access[k] + 1)
				if at >= s.to {
					break // the next span may start inside this instruction
				}
			}
			if at < s.to {
				do(at, s.to)
			}
		}
	}
}

// gain counts the overfull points that spilling v would help.
func (f *fat) gain(v int32, access []int32) float64 {
	n := 0
	f.each(v, access, func(from, to int32) { n += f.over.Set.CountIn(from, to) })
	return float64(n)
}

// remove takes v away where it would no longer live.
func (f *fat) remove(v int32, access []int32) {
	f.each(v, access, f.over.Less)
}

// Estimate tells about what the spill code of a problem would cost, without
// assigning registers: that of what is cheapest to spill until nowhere more
// words live than there are registers. Where registers lack only in the right
// places, or something cannot be spilled, it is too low. Part of it is the cost
// of what goes to memory: other files spill to registers. Both are infinite as
// soon as that is more than most, or anything costs if most is below zero.
func Estimate(p *Problem, m *Scratch, most float64) (cost, memory float64) {
	q := start(p)
	m.flow.keep = true
	live := liveRanges(q, &m.flow)
	for class := range q.Files {
		f := pressure(q, live, uint8(class))
		if f.excess() > 0 && q.Take(uint8(class)) {
			f = pressure(q, live, uint8(class))
		}
		if f.excess() == 0 {
			continue
		}
		if most < 0 || most == 0 && f.needsMemory() {
			return math.Inf(1), math.Inf(1)
		}
		q = settle(p, q, f, strategies[0].lives)
		f.p = q
		if f.most = math.Inf(1); q.Files[class].SpillTo == Memory {
			f.most = most - memory
		}
		for _, x := range f.choose(strategies[0], nil, nil) {
			cost += x.cost
			if q.Files[class].SpillTo == Memory {
				memory += x.cost
			}
		}
		if memory > most {
			return math.Inf(1), math.Inf(1)
		}
	}
	return cost, memory
}
