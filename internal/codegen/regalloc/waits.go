package regalloc

import (
	"github.com/goptxas/goptxas/internal/engine/bits"

	"github.com/goptxas/goptxas/internal/codegen/regalloc/keyed"
)

// Some instructions read their registers long after they have started, and
// whoever overwrites one of them soon behind must wait. Where registers cost
// nothing (see File.Steps) such a register is not given out again at once.
// A reader whose result somebody needs earlier than the write is no matter:
// the wait for the result covers it.

// waitRange is how many instructions behind a late read a write still costs
// something: loads take that long to read their addresses when the memory
// queue is full.
const waitRange = 32

// freeCosts are what a register above all used so far costs below the step:
// waits that are nearly out of range are not worth one. Where so many are
// taken that vectors find no place any more, only shorter distances are.
var freeCosts = [...]int{3, 7, 10}

// coveredCost is what a write costs that only stands behind the wait for the
// reader's result as long as nothing changes places.
const coveredCost = 1

// touch is one access of a group: n words from its word at on.
type touch struct {
	inst  int32
	at, n int16
}

// waitFacts are what all walks over one file know about late reads.
type waitFacts struct {
	reads   keyed.Lists // late reads of each root, in touches
	writes  keyed.Lists // writes of each root, in touches
	touches []touch
	insts   []Inst
	until   []int32 // of each instruction, the first behind it that needs its result
	end     []int32 // of each instruction, the end of its block
	back    []int32 // of each instruction, where its block jumps back to, or -1
	latch   []int32 // of each instruction, the end of a block that jumps back to its own, or -1
}

// lateReaders reports whether some instruction reads the file late.
func lateReaders(p *Problem, class uint8) bool {
	for n := range p.Insts {
		if p.Insts[n].Late>>class&1 != 0 {
			return true
		}
	}
	return false
}

// newWaitFacts collects them for groups g of one file.
func newWaitFacts(p *Problem, g *groups, class uint8) *waitFacts {
	f := &waitFacts{
		insts: p.Insts,
		until: make([]int32, len(p.Insts)), end: make([]int32, len(p.Insts)),
		back: make([]int32, len(p.Insts)), latch: make([]int32, len(p.Insts)),
	}
	var reads, writes []keyed.Pair
	for n := range p.Insts {
		late := p.Insts[n].Late>>class&1 != 0
		for _, o := range p.Operands(n) {
			if p.VRegs[o.V].Class != class || o.N == 0 || o.Role == Hold {
				continue
			}
			root, off := g.find(o.V)
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
func (f *waitFacts) blocks(p *Problem) {
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
				if o.Role.Reads() && o.Role != Hold {
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

// waits are the late reads and the writes of the registers below a step.
type waits struct {
	*waitFacts
	step   int
	fresh  int        // see freeCosts
	late   []bits.Set // of each register, instructions that read it late
	writer []bits.Set // of each register, instructions that write it
}

func newWaits(f *waitFacts, step, fresh, insts int) *waits {
	w := &waits{waitFacts: f, step: step, fresh: fresh, late: make([]bits.Set, step), writer: make([]bits.Set, step)}
	n := (insts + 63) / 64
	room := make(bits.Set, 2*step*n)
	for r := range step {
		w.late[r], w.writer[r] = room[2*r*n:(2*r+1)*n], room[(2*r+1)*n:(2*r+2)*n]
	}
	return w
}

// cost is what waiting costs if group v has its first word in register r.
func (w *waits) cost(v int32, r int16) int {
	c := 0
	for _, k := range w.writes.Of(int(v)) {
		t := &w.touches[k]
		for q := r + t.at; q < min(r+t.at+t.n, int16(w.step)); q++ {
			c += w.before(w.late[q], t.inst)
		}
	}
	for _, k := range w.reads.Of(int(v)) {
		t := &w.touches[k]
		for q := r + t.at; q < min(r+t.at+t.n, int16(w.step)); q++ {
			c += w.behind(w.writer[q], t.inst)
		}
	}
	return c
}

// before prices a write by instruction n of a register that the given ones
// read late.
func (w *waits) before(late bits.Set, n int32) int {
	covered := 0
	for e := late.LastIn(n-waitRange, n); e >= 0; e = late.LastIn(n-waitRange, e) {
		if w.behindOf(n, e) {
			return covered
		}
		if w.until[e] > n {
			return price(n - e)
		}
		covered = coveredCost
	}
	end := w.latch[n]
	if end < 0 {
		return covered
	}
	gone := n - w.back[end-1]
	if e := late.LastIn(max(n, end-waitRange+gone), end); e >= 0 && w.until[e] > end && !w.behindOf(n, e) {
		return price(end - e + gone)
	}
	return covered
}

// behind prices a late read by instruction n of a register that the given
// ones write.
func (w *waits) behind(writer bits.Set, n int32) int {
	if e := writer.NextIn(n+1, min(n+waitRange, w.until[n])); e >= 0 {
		if w.behindOf(e, n) {
			return 0
		}
		return price(e - n)
	}
	if w.back[n] < 0 || w.until[n] < w.end[n] {
		return 0
	}
	gone := w.end[n] - n
	if e := writer.NextIn(w.back[n], min(n, w.back[n]+waitRange-gone)); e >= 0 && !w.behindOf(e, n) {
		return price(e - w.back[n] + gone)
	}
	return 0
}

// behindOf reports whether instruction n overwrites what e reads late only
// when e has read it.
func (w *waits) behindOf(n, e int32) bool { return w.insts[n].Behind&w.insts[e].Queue != 0 }

// price is the cost of a write that stands so many instructions behind a
// late read: next to it, more than a copy.
func price(distance int32) int { return int(max(0, waitRange-distance))/3 + 1 }

// take notes the accesses of group v in register r.
func (w *waits) take(v int32, r int16) {
	note := func(list []int32, sets []bits.Set) {
		for _, k := range list {
			t := &w.touches[k]
			for q := r + t.at; q < r+t.at+t.n; q++ {
				if int(q) < w.step {
					sets[q].Add(int(t.inst))
				}
			}
		}
	}
	note(w.reads.Of(int(v)), w.late)
	note(w.writes.Of(int(v)), w.writer)
}
