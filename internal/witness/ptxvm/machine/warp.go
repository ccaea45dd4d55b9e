package machine

import (
	"fmt"
	"math/bits"
	"time"

	"github.com/goptxas/goptxas/internal/witness/texture"
)

// A warp is 32 threads, each at its own place. The threads at one place make
// a group and run together. Of several groups the one in the deepest call
// and there the earliest in the text runs first: parted threads so meet again
// as early as possible. A group that others wait for could starve that way,
// so after many turns the groups take turns for a while.

// Lanes is how many threads a warp has.
const Lanes = 32

// Column is one value in each lane.
type Column [Lanes]uint64

// state tells what a thread waits for.
type state uint8

const (
	ready   state = iota
	peers         // threads of its warp, at a .sync instruction
	barrier       // a barrier of its block
	gone          // nothing any more
)

// frame is the registers and the local memory of one call. Threads that call
// together share a frame; each has its lane.
type frame struct {
	fn    *function
	up    *frame
	site  *CallSite
	ret   int32
	depth int32
	live  uint32
	base  [Lanes]uint32 // of local memory
	regs  []Column
	def   []uint32 // lanes that have written a column
}

// keptReg is a register of the module while no running frame has it.
type keptReg struct {
	value Column
	def   uint32
}

// Warp is 32 threads and what they run with.
type Warp struct {
	cta   *cta
	Index int
	frame *frame // of the running group
	Mask  uint32 // lanes that execute the instruction
	PC    int32

	fr     [Lanes]*frame
	at     [Lanes]int32
	st     [Lanes]state
	sp     [Lanes]uint32
	local  [Lanes][]byte
	live   uint32
	Carry  Column                // condition code
	module map[[2]int32]*keptReg // by symbol and element
	tid    [Lanes][3]uint32

	met     uint32 // lanes that arrived at the cluster's barrier
	metWait uint32 // and wait there
	turns   int
	next    int // lane whose group runs next when groups take turns
	scratch [10]Column
	in      *Inst
	atomic  bool         // the access under way is atomic
	res     Column       // results of barrier reductions
	owed    uint32       // lanes that have not fetched theirs
	barAt   [Lanes]int32 // the barrier instruction each thread waits at
	brought [Lanes]waiting
	yields  bool    // it polls: another warp's turn
	late    []later // copies of groups
	commits [numLate][Lanes]int

	products []unfinished // whose accumulators nobody may read
	groups   int          // of them, committed
}

// starved is after how many turns groups begin, and end, to take turns.
const starved = 4096

// newFrame enters a function with the given lanes.
func (w *Warp) newFrame(fn *function, up *frame, mask uint32) *frame {
	f := &frame{fn: fn, up: up, live: mask, regs: make([]Column, fn.nslots), def: make([]uint32, fn.nslots)}
	if up != nil {
		f.depth = up.depth + 1
	}
	for m := mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		f.base[l] = uint32(alignUp(int64(w.sp[l]), max(1, fn.align)))
		w.grow(l, f.base[l]-w.sp[l]+uint32(fn.frame))
	}
	w.cta.grid.dirtyRegs(f)
	w.cta.grid.open = w.cta.grid.open || fn.frame > 0
	return f
}

// maxLocal bounds the local memory of a thread, as the machine does.
const maxLocal = 512 << 10

// grow takes n more bytes of local memory.
func (w *Warp) grow(l int, n uint32) {
	if w.sp[l]+n > maxLocal || w.sp[l]+n < n {
		w.Fail(l, "the stack is too deep")
	}
	w.sp[l] += n
	if need := int(w.sp[l]); need > len(w.local[l]) {
		b := make([]byte, max(need, 2*len(w.local[l])))
		copy(b, w.local[l])
		w.local[l] = b
	}
	w.cta.grid.dirty(w.local[l][w.sp[l]-n : w.sp[l]])
}

// pick chooses the next group: its lanes, and the place of the next group of
// the same frame, where the two would meet.
func (w *Warp) pick() (mask uint32, stop int32) {
	best, parted := -1, false
	for m := w.live; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		if w.st[l] != ready {
			continue
		}
		if best < 0 {
			best = l
			continue
		}
		a, b := w.fr[l], w.fr[best]
		if a == b && w.at[l] == w.at[best] {
			continue
		}
		parted = true
		if a.depth > b.depth || a.depth == b.depth && w.at[l] < w.at[best] {
			best = l
		}
	}
	if best < 0 {
		return 0, 0
	}
	if parted {
		best = w.fair(best)
	}
	stop = 1<<31 - 1
	f, pc := w.fr[best], w.at[best]
	for m := w.live; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		if w.st[l] != ready || w.fr[l] != f {
			continue
		}
		if w.at[l] == pc {
			mask |= 1 << l
		} else if w.at[l] > pc {
			stop = min(stop, w.at[l])
		}
	}
	w.frame, w.PC = f, pc
	return mask, stop
}

// fair returns the lane whose group runs now that groups are parted.
func (w *Warp) fair(best int) int {
	w.turns++
	g := w.cta.grid
	if g.opts.Schedule != 0 {
		w.next = int(g.random() % Lanes)
	} else if w.turns/starved%2 == 0 {
		return best
	}
	for k := range Lanes {
		l := (w.next + k) % Lanes
		if w.live>>l&1 != 0 && w.st[l] == ready {
			w.next = (l + 1) % Lanes
			return l
		}
	}
	return best
}

// run lets groups run, at most so many turns. It returns whether any thread
// did something.
func (w *Warp) run(turns int) bool {
	moved := false
	for range turns {
		mask, stop := w.pick()
		if mask == 0 {
			return moved
		}
		moved = true
		w.straight(mask, stop)
		if w.yields {
			w.yields = false
			return true
		}
	}
	return true
}

// clockSteps is after how many instructions the time is looked at.
const clockSteps = 256

// straight runs a group until it branches, waits, or meets another.
func (w *Warp) straight(group uint32, stop int32) {
	code := w.frame.fn.code
	g := w.cta.grid
	n := int64(bits.OnesCount32(group))
	pc := w.PC
	for {
		in := &code[pc]
		w.in, w.PC, w.Mask = in, pc, group
		g.steps++
		g.threads += n
		if g.steps > g.opts.MaxSteps {
			w.Fail(-1, "more than %d instructions", g.opts.MaxSteps)
		}
		if g.steps%clockSteps == 0 && !g.opts.Until.IsZero() && time.Now().After(g.opts.Until) {
			w.Fail(-1, "more than its time")
		}
		if in.guard >= 0 {
			w.Mask = w.guarded(in, group)
		}
		if in.Flow != nil {
			in.Flow(w, group)
			return
		}
		if w.Mask != 0 {
			in.Run(w)
		}
		pc++
		if pc >= stop {
			break
		}
	}
	w.Move(group, pc)
}

// guarded returns the lanes of the group whose guard holds.
func (w *Warp) guarded(in *Inst, group uint32) uint32 {
	w.defined(in.guard, group)
	p := &w.frame.regs[in.guard]
	var m uint32
	for g := group; g != 0; g &= g - 1 {
		l := bits.TrailingZeros32(g)
		if (p[l] != 0) != in.guardNot {
			m |= 1 << l
		}
	}
	return m
}

// Move sets the place of lanes.
func (w *Warp) Move(mask uint32, pc int32) {
	for ; mask != 0; mask &= mask - 1 {
		w.at[bits.TrailingZeros32(mask)] = pc
	}
}

// wait sets the state of lanes.
func (w *Warp) wait(mask uint32, s state) {
	for ; mask != 0; mask &= mask - 1 {
		w.st[bits.TrailingZeros32(mask)] = s
	}
}

// exit ends threads.
func (w *Warp) exit(mask uint32) {
	w.cta.grid.polls = 0
	w.live &^= mask
	w.wait(mask, gone)
	for m := w.live; m != 0; m &= m - 1 { // masks may be complete without them
		if l := bits.TrailingZeros32(m); w.st[l] == peers {
			w.st[l] = ready
		}
	}
	w.cta.exits = true
}

// Fail ends the launch with a fault; a lane below zero blames nobody.
func (w *Warp) Fail(lane int, format string, args ...any) {
	b := w.cta.id
	who := fmt.Sprintf("block %d,%d,%d warp %d", b[0], b[1], b[2], w.Index)
	if lane >= 0 {
		t := w.tid[lane]
		who = fmt.Sprintf("block %d,%d,%d thread %d,%d,%d", b[0], b[1], b[2], t[0], t[1], t[2])
	}
	panic(w.frame.fn.fault(w.in.src, who, fmt.Sprintf(format, args...)))
}

// defined faults if a lane reads a column it has not written, where that is
// asked for.
func (w *Warp) defined(slot int32, mask uint32) {
	missing := mask &^ w.frame.def[slot]
	if missing == 0 {
		return
	}
	w.cta.grid.open = true
	if w.cta.grid.opts.Undefined && w.ordered(slot) {
		w.Fail(bits.TrailingZeros32(missing), "register %s belongs to a product that was not waited for", w.frame.fn.nameOf(slot))
	}
	if w.cta.grid.opts.Undefined {
		w.Fail(bits.TrailingZeros32(missing), "register %s is read before it is written", w.frame.fn.nameOf(slot))
	}
}

// nameOf spells the register a column belongs to.
func (f *function) nameOf(slot int32) string {
	for n, s := range f.slots {
		r := &f.body.Regs[n]
		if slot == s || slot == s+1 && widthOf(r.Type) > 64 {
			name := f.body.Name(r.Name)
			if r.Num >= 0 {
				name = fmt.Sprintf("%s%d", name, r.Num)
			}
			return name
		}
	}
	return "?"
}

// Textures are those of the launch.
func (w *Warp) Textures() *texture.Set { return w.cta.grid.tex }

// Rank is the number of the warp's block in its cluster.
func (w *Warp) Rank() uint64 { return uint64(w.cta.rank) }

// RankOf is the block of the cluster that an address in shared memory names.
func (w *Warp) RankOf(addr uint64) uint64 {
	if n := addr >> RankShift; n >= rankBias {
		return n - rankBias
	}
	return w.Rank()
}
