// Package waits prices registers that are given out again too soon.
//
// Some instructions read their registers long after they have started, and
// whoever overwrites one of them soon behind must wait. Where registers cost
// nothing (see File.Steps) such a register is not given out again at once.
// A reader whose result somebody needs earlier than the write is no matter:
// the wait for the result covers it.
package waits

import (
	"github.com/goptxas/goptxas/internal/codegen/regalloc/keyed"
	"github.com/goptxas/goptxas/internal/codegen/regalloc/problem"
	"github.com/goptxas/goptxas/internal/engine/bits"
)

// waitRange is how many instructions behind a late read a write still costs
// something: loads take that long to read their addresses when the memory
// queue is full.
const waitRange = 32

// coveredCost is what a write costs that only stands behind the wait for the
// reader's result as long as nothing changes places.
const coveredCost = 1

// touch is one access of a group: n words from its word at on.
type touch struct {
	inst  int32
	at, n int16
}

// Facts are what all walks over one file know about late reads.
type Facts struct {
	reads   keyed.Lists // late reads of each root, in touches
	writes  keyed.Lists // writes of each root, in touches
	touches []touch
	insts   []problem.Inst
	until   []int32 // of each instruction, the first behind it that needs its result
	end     []int32 // of each instruction, the end of its block
	back    []int32 // of each instruction, where its block jumps back to, or -1
	latch   []int32 // of each instruction, the end of a block that jumps back to its own, or -1
}

// Has reports whether some instruction reads the file late.
func Has(p *problem.Problem, class uint8) bool {
	for n := range p.Insts {
		if p.Insts[n].Late>>class&1 != 0 {
			return true
		}
	}
	return false
}

// FactsOf collects them for the groups of one file; find tells the group of a
// register, and where in it.
func FactsOf(p *problem.Problem, class uint8, find func(v int32) (root int32, at int16)) *Facts {
	f := &Facts{
		insts: p.Insts,
		until: make([]int32, len(p.Insts)), end: make([]int32, len(p.Insts)),
		back: make([]int32, len(p.Insts)), latch: make([]int32, len(p.Insts)),
	}
	var reads, writes []keyed.Pair
	for n := range p.Insts {
		late := p.Insts[n].Late>>class&1 != 0
		for _, o := range p.Operands(n) {
			if p.VRegs[o.V].Class != class || o.N == 0 || o.Role == problem.Hold {
				continue
			}
			root, off := find(o.V)
			k := keyed.Pair{Key: root, Item: int32(len(f.touches))}
			if o.Role.Writes() {
				writes = append(writes, k)
			}
			if late && o.Role.Reads() {
				reads = append(reads, k)
			}
			f.touches = append(f.touches, touch{int32(n), off + int16(o.Sub), int16(o.N)})
		}
	}
	f.reads, f.writes = keyed.Collect(reads, len(p.VRegs)), keyed.Collect(writes, len(p.VRegs))
	f.blocks(p)
	return f
}

// blocks finds the borders of blocks, and in each the first instruction
// that needs the result of one before it.
func (f *Facts) blocks(p *problem.Problem) {
	for n := range f.back {
		f.back[n], f.latch[n] = -1, -1
	}
	reader := make([]int32, len(p.VRegs)) // next one in the block
	for b := range p.Blocks {
		blk := &p.Blocks[b]
		end := blk.First + blk.N
		back := int32(-1)
		for _, s := range blk.Succs {
			if int(s) <= b && back < 0 && blk.N > 0 {
				back = p.Blocks[s].First
				for n := back; n < back+p.Blocks[s].N; n++ {
					f.latch[n] = end
				}
			}
		}
		for n := end - 1; n >= blk.First; n-- {
			f.end[n], f.back[n], f.until[n] = end, back, end+waitRange
			ops := p.Operands(int(n))
			for _, o := range ops {
				if o.Role.Writes() && reader[o.V] > n && reader[o.V] < end {
					f.until[n] = min(f.until[n], reader[o.V])
				}
			}
			for _, o := range ops {
				if o.Role.Reads() && o.Role != problem.Hold {
					reader[o.V] = n
				}
			}
		}
		for n := blk.First; n < end; n++ {
			for _, o := range p.Operands(int(n)) {
				reader[o.V] = 0
			}
		}
	}
}

// Waits are the late reads and the writes of the registers below a step.
type Waits struct {
	facts  *Facts
	Step   int        // up to which registers cost nothing
	Fresh  int        // what one above all used so far costs
	late   []bits.Set // of each register, instructions that read it late
	writer []bits.Set // of each register, instructions that write it
}

func New(f *Facts, step, fresh int) *Waits {
	w := &Waits{facts: f, Step: step, Fresh: fresh, late: make([]bits.Set, step), writer: make([]bits.Set, step)}
	n := (len(f.insts) + 63) / 64
	room := make(bits.Set, 2*step*n)
	for r := range step {
		w.late[r], w.writer[r] = room[2*r*n:(2*r+1)*n], room[(2*r+1)*n:(2*r+2)*n]
	}
	return w
}

// Cost is what waiting costs if group v has its first word in register r.
func (w *Waits) Cost(v int32, r int16) int {
	c := 0
	for _, k := range w.facts.writes.Of(int(v)) {
		t := &w.facts.touches[k]
		for q := r + t.at; q < min(r+t.at+t.n, int16(w.Step)); q++ {
			c += w.before(w.late[q], t.inst)
		}
	}
	for _, k := range w.facts.reads.Of(int(v)) {
		t := &w.facts.touches[k]
		for q := r + t.at; q < min(r+t.at+t.n, int16(w.Step)); q++ {
			c += w.behind(w.writer[q], t.inst)
		}
	}
	return c
}

// before prices a write by instruction n of a register that the given ones
// read late.
func (w *Waits) before(late bits.Set, n int32) int {
	covered := 0
	for e := late.LastIn(n-waitRange, n); e >= 0; e = late.LastIn(n-waitRange, e) {
		if w.behindOf(n, e) {
			return covered
		}
		if w.facts.until[e] > n {
			return price(n - e)
		}
		covered = coveredCost
	}
	end := w.facts.latch[n]
	if end < 0 {
		return covered
	}
	gone := n - w.facts.back[end-1]
	if e := late.LastIn(max(n, end-waitRange+gone), end); e >= 0 && w.facts.until[e] > end && !w.behindOf(n, e) {
		return price(end - e + gone)
	}
	return covered
}

// behind prices a late read by instruction n of a register that the given
// ones write.
func (w *Waits) behind(writer bits.Set, n int32) int {
	if e := writer.NextIn(n+1, min(n+waitRange, w.facts.until[n])); e >= 0 {
		if w.behindOf(e, n) {
			return 0
		}
		return price(e - n)
	}
	if w.facts.back[n] < 0 || w.facts.until[n] < w.facts.end[n] {
		return 0
	}
	gone := w.facts.end[n] - n
	if e := writer.NextIn(w.facts.back[n], min(n, w.facts.back[n]+waitRange-gone)); e >= 0 && !w.behindOf(e, n) {
		return price(e - w.facts.back[n] + gone)
	}
	return 0
}

// behindOf reports whether instruction n overwrites what e reads late only
// when e has read it.
func (w *Waits) behindOf(n, e int32) bool { return w.facts.insts[n].Behind&w.facts.insts[e].Queue != 0 }

// price is the cost of a write that stands so many instructions behind a
// late read: next to it, more than a copy.
func price(distance int32) int { return int(max(0, waitRange-distance))/3 + 1 }

// Take notes the accesses of group v in register r.
func (w *Waits) Take(v int32, r int16) {
	note := func(list []int32, sets []bits.Set) {
		for _, k := range list {
			t := &w.facts.touches[k]
			for q := r + t.at; q < r+t.at+t.n; q++ {
				if int(q) < w.Step {
					sets[q].Add(int(t.inst))
				}
			}
		}
	}
	note(w.facts.reads.Of(int(v)), w.late)
	note(w.facts.writes.Of(int(v)), w.writer)
}
