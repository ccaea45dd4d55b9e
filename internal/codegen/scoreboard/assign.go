package scoreboard

import (
	"github.com/goptxas/goptxas/internal/codegen/timing"
	"github.com/goptxas/goptxas/internal/engine/pool"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/target"
)

// Assign decides stalls, barriers, waits, yields and operand reuse of a
// function with physical registers.
//
// Barriers are handed out first. Then a forward data flow over
// what is pending (results under way and registers still to be read, with
// their age in cycles, and barriers not waited for) computes waits and
// stalls until nothing changes: states only grow where paths meet, so it
// ends, and the last visit of every block saw everything that can be
// pending there.
func Assign(f *ori.Func, a *target.Arch, least Sectors) { assign(f, a, least, whole) }

func assign(f *ori.Func, a *target.Arch, least Sectors, with care) {
	addJumps(f)
	addDummies(f, a)
	s := newAssigner(f, a)
	s.care = with
	if with == closed {
		s.closeLoops()
	}
	for n := range s.nodes {
		s.gather(&s.nodes[n], least)
	}
	s.handOut()
	s.solve()
	s.write()
	s.reuse()
}

// node is a block under assignment.
type node struct {
	block  *ori.Block
	instrs []*ori.Instr
	events []timing.Event
	stall  []int   // cycles from each instruction to the next, any size
	waits  []uint8 // barriers each instruction waits for
	before []int   // extra cycles before an instruction
	in     state
	succs  []int32 // node numbers
	preds  []int32
	closes int  // the first instruction of those at its end that wait for all before them; as many as there are: none
	known  bool // some predecessor was visited
	queued bool
}

type assigner struct {
	f        *ori.Func
	arch     *target.Arch
	timing   *target.Timing
	describe *timing.Describer
	care     care
	nodes    []node
	walk     walker
	reserved uint8 // barriers that only asynchronous groups use
	now      int   // while barriers are handed out, about the cycle at which the instruction issues, counted from the block's start
}

// usualRecords is about how many accesses of an instruction are remembered.
const usualRecords = 4

func newAssigner(f *ori.Func, a *target.Arch) *assigner {
	d := timing.NewDescriber(f, a)
	s := &assigner{f: f, arch: a, timing: d.Timing, describe: d, nodes: make([]node, len(f.Blocks))}
	number := pool.Make[int32](f.Scratch(), f.NumBlocks())
	longest := 0
	for n, b := range f.Blocks {
		number[b.ID] = int32(n)
	}
	for n, b := range f.Blocks {
		x := &s.nodes[n]
		x.block = b
		longest = max(longest, b.Len())
		x.instrs = make([]*ori.Instr, 0, b.Len())
		x.events = make([]timing.Event, 0, b.Len())
		for i := range b.Instrs {
			i.Sched = ori.NoSched
			x.instrs = append(x.instrs, i)
			x.events = append(x.events, d.Instr(i))
		}
		x.stall = pool.Make[int](f.Scratch(), len(x.instrs))
		x.waits = pool.Make[uint8](f.Scratch(), len(x.instrs))
		x.before = pool.Make[int](f.Scratch(), len(x.instrs))
		x.closes = len(x.instrs)
		for _, t := range b.Succs {
			x.succs = append(x.succs, number[t.ID])
		}
		for _, t := range b.Preds {
			x.preds = append(x.preds, number[t.ID])
		}
		s.reserve(x)
	}
	s.walk.timing = s.timing
	s.walk.recs = pool.Room[record](f.Scratch(), usualRecords*longest)
	return s
}

// reserve keeps barrier 0 for groups of asynchronous copies, which DEPBAR
// counts.
func (s *assigner) reserve(x *node) {
	for _, i := range x.instrs {
		if i.Op.Has(op.Commits) {
			s.reserved |= 1
		}
	}
}

// solve visits blocks until no state changes.
func (s *assigner) solve() {
	var work []int32
	for n := range s.nodes {
		s.nodes[n].queued = true
		work = append(work, int32(n))
	}
	// Blocks are taken in layout order, again and again: a block is seldom
	// reached before those that lead to it.
	for len(work) > 0 {
		var next []int32
		for _, n := range work {
			s.f.Poll()
			s.nodes[n].queued = false
			next = s.visit(int(n), next)
		}
		work = next
	}
}

// visit computes the stalls of one node and passes what is pending at its
// end on.
func (s *assigner) visit(n int, next []int32) []int32 {
	x := &s.nodes[n]
	w := &s.walk
	for {
		w.start(&x.in)
		for k := range x.events {
			s.issue(x, k)
		}
		if s.finish(x) {
			break
		}
	}
	end := w.now
	for _, t := range x.succs {
		y := &s.nodes[t]
		if w.now = end; x.isTarget(y.block) {
			w.now -= x.stall[len(x.stall)-1]
		}
		w.stop()
		changed := y.in.merge(&w.out) || !y.known
		y.known = true
		if changed && !y.queued {
			y.queued = true
			next = append(next, t)
		}
	}
	return next
}

// issue places instruction k of x.
func (s *assigner) issue(x *node, k int) {
	w := &s.walk
	e := &x.events[k]
	mask := w.needs(e)
	if k >= x.closes {
		mask |= w.open()
	}
	at := w.earliest(e, mask)
	if k >= x.closes && k > 0 { // the first has nobody before it who could stall
		at = max(at, w.over())
	}
	if k > 0 {
		at = max(at, w.now+max(leastStall(x, k-1), s.busy(x, k-1, e)))
	}
	at += x.before[k]
	if k > 0 {
		x.stall[k-1] = at - w.now
	}
	w.now = at
	x.waits[k] = mask
	w.wait(mask)
	w.retire(e)
}

// busy is how long instruction k of x keeps one behind it from its unit.
func (s *assigner) busy(x *node, k int, e *timing.Event) int {
	if never(x.instrs[k]) {
		return 1
	}
	return s.timing.Busy(x.events[k].Class, e.Class)
}

// leaves returns the branch before the jump that ends x, and where it leads:
// who is there comes without the time that the jump takes.
func (x *node) leaves() (k int, to *ori.Operand) {
	k = len(x.instrs) - 2
	if k < 0 || !x.instrs[k].Op.Has(op.Terminator) {
		return -1, nil
	}
	for n := range x.instrs[k].Args {
		if o := &x.instrs[k].Args[n]; o.Kind == ori.KLabel {
			return k, o
		}
	}
	return -1, nil
}

// isTarget reports whether b is where the branch before the last jump leads.
func (x *node) isTarget(b *ori.Block) bool {
	_, to := x.leaves()
	return to != nil && int32(to.Reg) == b.ID
}

// depart decides how long the branch before the last jump of x stalls. It
// reports false when the block must be placed again.
func (s *assigner) depart(x *node) bool {
	w := &s.walk
	k, to := x.leaves()
	if to == nil {
		return true
	}
	need := w.now
	for b := range w.setAt {
		need = max(need, w.setAt[b]+target.BarrierLag)
	}
	for _, t := range x.succs {
		if y := &s.nodes[t]; x.isTarget(y.block) && len(y.events) > 0 {
			need = max(need, w.earliest(&y.events[0], w.needs(&y.events[0])))
		}
	}
	more := need - w.now
	if more == 0 {
		return true
	}
	room := max(0, target.MaxStall-x.stall[k]) // a NOP behind the branch would not be on the way
	x.before[k+1] += min(more, room)
	x.before[k] += max(0, more-room)
	return false
}

// finish decides how long the last instruction of x stalls so that the
// first of each successor may issue. It reports false when the block must be
// placed again, because more is needed than its last stall can give.
func (s *assigner) finish(x *node) bool {
	w := &s.walk
	last := len(x.events) - 1
	if last < 0 {
		return true
	}
	if !s.depart(x) {
		return false
	}
	need := w.now + leastStall(x, last)
	for b := range w.setAt {
		// a successor may wait for it on behalf of another path
		need = max(need, w.setAt[b]+target.BarrierLag)
	}
	for _, t := range x.succs {
		y := &s.nodes[t]
		if len(y.events) > 0 {
			first := &y.events[0]
			need = max(need, w.earliest(first, w.needs(first)), w.now+s.busy(x, last, first))
		}
	}
	if x.closes <= last {
		need = max(need, w.over())
	}
	x.stall[last] = need - w.now
	if over := x.stall[last] - target.MaxStall; over > 0 && x.instrs[last].Op.Has(op.Terminator) {
		x.before[last] += over
		return false
	}
	w.now = need
	return true
}

// write puts the decisions into the instructions. Delays longer than a
// stall count holds are continued in NOPs.
func (s *assigner) write() {
	for n := range s.nodes {
		x := &s.nodes[n]
		if len(x.instrs) > 0 {
			// a delay before the first instruction has none to stall
			for rest := x.before[0]; rest > 0; rest -= target.MaxStall {
				s.nop(x.block, x.instrs[0], min(rest, target.MaxStall), 0, false)
			}
		}
		for k, i := range x.instrs {
			c := &x.events[k].Ctrl
			wait := x.waits[k]
			if x.events[k].Class == target.ClassGmma && wait != 0 {
				// warp-group matrix operations take no waits
				s.nop(x.block, i, 1, wait, false)
				wait = 0
			}
			stall := min(x.stall[k], target.MaxStall)
			i.Sched = ori.Sched{
				Stall: uint8(stall), Yield: yields(x.events[k].Class, stall), WrBar: c.WrBar, RdBar: c.RdBar, Wait: wait,
			}
			at, rest := i, x.stall[k]-stall
			if holds(i) {
				i.Sched.Stall, i.Sched.Yield, rest = 0, true, x.stall[k]-1
			}
			for ; rest > 0; rest -= stall {
				stall = min(rest, target.MaxStall)
				at = s.nop(x.block, at, stall, 0, true)
			}
		}
	}
}

// leastStall returns the least stall of instruction k of x.
func leastStall(x *node, k int) int {
	i := x.instrs[k]
	return max(target.MinStall(x.events[k].Class), i.Op.LeastStall(&i.Mods))
}

// holds reports whether a warp goes on behind i only when i is over, which a
// stall of zero asks for: the reference gives ERRBAR no other.
func holds(i *ori.Instr) bool { return i.Op.Has(op.Holds) }

// nop adds a NOP beside at.
func (s *assigner) nop(b *ori.Block, at *ori.Instr, stall int, wait uint8, after bool) *ori.Instr {
	i := s.f.NewInstr(op.NOP, op.Mods{}, nil, nil)
	i.Line, i.Loc = at.Line, at.Loc
	i.Sched = ori.Sched{Stall: uint8(stall), Yield: yields(target.ClassOther, stall), WrBar: -1, RdBar: -1, Wait: wait, Pad: wait == 0}
	if after {
		return b.InsertAfter(i, at)
	}
	return b.InsertBefore(i, at)
}

// yields reports whether the warp may be switched out after an instruction.
// Long stalls must allow it; units of the warp's own allow it from three
// cycles on, as the reference does.
func yields(c target.Class, stall int) bool {
	return stall == 0 || stall >= 12 || stall >= 3 && c.Coupled() || c == target.ClassDepbar || c == target.ClassLepc
}

// addJumps makes every jump of f an instruction: where control falls
// through to a block that does not follow, a branch is added, so that it is
// scheduled like all others. Blocks without instructions get a NOP, as a
// place for stalls.
func addJumps(f *ori.Func) {
	for n, b := range f.Blocks {
		last := b.Last()
		if len(b.Succs) > 0 && (last == nil || !last.Op.Has(op.Terminator) || last.Guard.Kind != ori.KNone) {
			if t := b.Succs[len(b.Succs)-1]; n+1 >= len(f.Blocks) || f.Blocks[n+1] != t {
				j := f.NewInstr(op.BRA, op.Mods{}, nil, []ori.Operand{ori.Label(t)})
				if last != nil {
					j.Line, j.Loc = last.Line, last.Loc
				}
				b.Append(j)
			}
		}
		if b.First() == nil {
			b.Append(f.NewInstr(op.NOP, op.Mods{}, nil, nil))
		}
	}
}
