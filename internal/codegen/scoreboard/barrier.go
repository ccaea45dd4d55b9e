package scoreboard

import (
	"slices"

	"github.com/goptxas/goptxas/internal/codegen/timing"
	"github.com/goptxas/goptxas/internal/engine/pool"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/target"
)

// cellSet is a set of cells.
type cellSet [(timing.NumCells + 63) / 64]uint64

func (s *cellSet) add(a timing.Access) {
	for c := a.Cell; c < a.Cell+uint16(a.N); c++ {
		s[c/64] |= 1 << (c % 64)
	}
}

func (s *cellSet) drop(a timing.Access) {
	for c := a.Cell; c < a.Cell+uint16(a.N); c++ {
		s[c/64] &^= 1 << (c % 64)
	}
}

func (s *cellSet) has(a timing.Access) bool {
	for c := a.Cell; c < a.Cell+uint16(a.N); c++ {
		if s[c/64]>>(c%64)&1 != 0 {
			return true
		}
	}
	return false
}

func (s *cellSet) union(x *cellSet) (grew bool) {
	for n := range s {
		if x[n]&^s[n] != 0 {
			s[n] |= x[n]
			grew = true
		}
	}
	return grew
}

// beyond is what code after a block may do.
type beyond struct {
	written  cellSet
	accessed cellSet
	awaited  op.Work
}

// futures returns, for each node, the cells written and accessed somewhere
// after its end.
func (s *assigner) futures() []beyond {
	own := make([]beyond, len(s.nodes))
	out := make([]beyond, len(s.nodes))
	for n := range s.nodes {
		for k := range s.nodes[n].events {
			e := &s.nodes[n].events[k]
			for _, a := range e.Writes {
				own[n].written.add(a)
				own[n].accessed.add(a)
			}
			for _, a := range e.Reads {
				own[n].accessed.add(a)
			}
			for _, a := range e.Clears {
				own[n].written.add(a)
				own[n].accessed.add(a)
			}
			own[n].awaited |= e.Awaits
			if e.Drains {
				own[n] = everything()
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for n := len(s.nodes) - 1; n >= 0; n-- {
			for _, t := range s.nodes[n].succs {
				for _, x := range [2]*beyond{&own[t], &out[t]} {
					w, a := out[n].written.union(&x.written), out[n].accessed.union(&x.accessed)
					changed = changed || w || a || x.awaited&^out[n].awaited != 0
					out[n].awaited |= x.awaited
				}
			}
		}
	}
	return out
}

// everything is what a call may do.
func everything() beyond {
	var b beyond
	for n := range b.written {
		b.written[n], b.accessed[n] = ^uint64(0), ^uint64(0)
	}
	b.awaited = 1<<op.NumWorks - 1
	return b
}

// far is a place beyond the end of a block; nowhere is none at all.
const (
	far     = 1 << 20
	nowhere = 1 << 30
)

// due says when an instruction's barriers will be waited for, as positions
// in its block.
type due struct {
	result int // results are accessed
	source int // registers it reads late are overwritten
}

// dues computes the dues of a block's instructions, walking backwards.
func (s *assigner) dues(x *node, out *beyond) []due {
	list := pool.Make[due](s.f.Scratch(), len(x.events))
	var access, write [timing.NumCells]int32 // position plus one of the next one
	drain := nowhere
	var awaited [op.NumWorks]int
	for n := range awaited {
		awaited[n] = nowhere
		if out.awaited>>n&1 != 0 {
			awaited[n] = far
		}
	}
	for k := len(x.events) - 1; k >= 0; k-- {
		e := &x.events[k]
		d := due{nowhere, nowhere}
		for _, a := range e.Writes {
			d.result = min(d.result, next(&access, a, &out.accessed), drain)
		}
		for n, at := range awaited {
			switch kind := op.Work(1) << n; {
			case e.Leaves&kind == 0:
			case kind == op.Fetched:
				d.source = min(d.source, at, drain)
			default:
				d.result = min(d.result, at, drain)
			}
		}
		for _, a := range e.Reads {
			if isLate(s.timing, e, a) {
				d.source = min(d.source, s.overwritten(x, e, &write, a, &out.written), drain)
			}
		}
		list[k] = d
		for _, a := range e.Writes {
			mark(&access, a, k)
			mark(&write, a, k)
		}
		for _, a := range e.Reads {
			mark(&access, a, k)
		}
		for _, a := range e.Behind {
			mark(&access, a, k)
		}
		for _, a := range e.Clears {
			mark(&access, a, k)
			mark(&write, a, k)
		}
		if e.Drains {
			drain = k
		}
		for n := range awaited {
			if e.Awaits>>n&1 != 0 {
				awaited[n] = k
			}
		}
	}
	return list
}

// isLate reports whether e reads a at a time that only a barrier tells. The
// address of an arrival is read at once if it stands in a uniform register.
func isLate(t *target.Timing, e *timing.Event, a timing.Access) bool {
	arrives := e.Class == target.ClassSyncs && e.Leaves&op.Fetched == 0 && !slices.ContainsFunc(e.Writes, isPredicate)
	return timing.Late(t, e.Class, a.Cell) && !(arrives && a.Sink == target.SinkUniSyncs && timing.FileOf(a.Cell) == target.FileUR)
}

func isPredicate(a timing.Access) bool { return timing.FileOf(a.Cell) == target.FileP }

// overwritten returns where a register that e reads late is overwritten
// first. An operation of the same queue, behind e, needs no barrier for it,
// and whoever comes later waits for that operation.
func (s *assigner) overwritten(x *node, e *timing.Event, write *[timing.NumCells]int32, a timing.Access, later *cellSet) int {
	n := nowhere
	for c := a.Cell; c < a.Cell+uint16(a.N); c++ {
		one := timing.Access{Cell: c, N: 1}
		k := next(write, one, later)
		if k < far && timing.FileOf(c) == target.FileR {
			if w := &x.events[k]; !w.Guarded && target.Queued(e.Class, w.Class) {
				continue
			}
		}
		n = min(n, k)
	}
	return n
}

func mark(at *[timing.NumCells]int32, a timing.Access, k int) {
	for c := a.Cell; c < a.Cell+uint16(a.N); c++ {
		at[c] = int32(k + 1)
	}
}

func next(at *[timing.NumCells]int32, a timing.Access, later *cellSet) int {
	n := nowhere
	for c := a.Cell; c < a.Cell+uint16(a.N); c++ {
		if at[c] != 0 {
			n = min(n, int(at[c])-1)
		}
	}
	if n == nowhere && later.has(a) {
		return far
	}
	return n
}

// slot is what is known of a barrier while they are handed out.
type slot struct {
	used  bool
	due   int // position at which it will be waited for
	ready int // about the cycle at which what it announces is there
	reads bool
	polls bool // it tells whether a phase is over, which others decide
	class target.Class
	cells cellSet // registers it speaks for
	kinds op.Work
}

// handOut gives every instruction that needs them its barriers. What a loop
// leaves pending for its next round is known when its end has been seen: where
// there is a loop, all is done again with that.
func (s *assigner) handOut() {
	later := s.futures()
	carry := make([][timing.NumBarriers]slot, len(s.nodes))
	begun := make([][timing.NumBarriers]slot, len(s.nodes)) // what blocks began with
	for round := range rounds {
		loops := false
		for n := range s.nodes {
			x := &s.nodes[n]
			var slots [timing.NumBarriers]slot
			for _, p := range slices.Sorted(slices.Values(x.preds)) {
				loops = loops || int(p) >= n
				if int(p) < n || round > 0 {
					inherit(&slots, &carry[p])
				}
			}
			if round > 0 && slots == begun[n] {
				continue
			}
			begun[n] = slots
			carry[n] = s.handOutBlock(x, &later[n], slots)
		}
		if !loops || s.care != whole {
			return
		}
	}
}

// rounds is how often barriers of a function with loops are handed out.
const rounds = 3

// handOutBlock gives the instructions of a block their barriers, of which some
// are pending at its start, and returns those at its end.
func (s *assigner) handOutBlock(x *node, later *beyond, slots [timing.NumBarriers]slot) [timing.NumBarriers]slot {
	s.locate(x, &slots)
	dues := s.dues(x, later)
	s.now = 0
	for k := range x.events {
		for b := range slots {
			if y := &slots[b]; y.due <= k {
				if y.used {
					s.now = max(s.now, y.ready)
				}
				y.used = false
			}
		}
		x.events[k].Ctrl.WrBar, x.events[k].Ctrl.RdBar = -1, -1
		s.equip(x, k, dues[k], &slots)
		taken(&x.events[k], &slots)
		s.now += pace
	}
	for b := range slots {
		slots[b].ready = max(0, slots[b].ready-s.now)
	}
	return slots
}

// taken lets barriers forget registers that e overwrites behind their readers in
// the same queue: who touches them next waits for e. Else the next round of a loop
// would seem to wait early for what only others of these readers still keep, and
// give the barrier to a load.
func taken(e *timing.Event, slots *[timing.NumBarriers]slot) {
	for b := range slots {
		y := &slots[b]
		if !y.used || !y.reads || e.Guarded || int8(b) == e.Ctrl.RdBar || !target.Queued(y.class, e.Class) {
			continue
		}
		for _, a := range e.Writes {
			if timing.FileOf(a.Cell) == target.FileR {
				y.cells.drop(a)
			}
		}
	}
}

// inherit adds the barriers pending at the end of a predecessor. What the last
// one uses a barrier for counts: that is the end of a loop at its head.
func inherit(to, from *[timing.NumBarriers]slot) {
	for b := range to {
		if from[b].used {
			cells, kinds, ready := to[b].cells, to[b].kinds, to[b].ready
			to[b] = from[b]
			to[b].due, to[b].ready = far, max(ready, from[b].ready)
			to[b].cells.union(&cells)
			to[b].kinds |= kinds
		}
	}
}

// locate finds where in a block barriers that are pending at its start will
// be waited for.
func (s *assigner) locate(x *node, slots *[timing.NumBarriers]slot) {
	open := 0
	for b := range slots {
		if slots[b].used {
			open++
		}
	}
	for k := 0; k < len(x.events) && open > 0; k++ {
		for b := range slots {
			if y := &slots[b]; y.used && y.due == far && touches(&x.events[k], y) {
				y.due = k
				open--
			}
		}
	}
	for b := range slots {
		if y := &slots[b]; y.used && y.due == far {
			y.due = s.behind(x, y)
		}
	}
}

// behind finds at which position, counted on from those of block x, somebody
// behind it must wait for the barrier of a slot; far if that is far away.
func (s *assigner) behind(x *node, y *slot) int {
	type way struct{ node, at int }
	if s.care != whole {
		return far
	}
	var ways [mostWays]way
	n, best := 0, far
	add := func(x *node, at int) {
		for _, t := range x.succs {
			if n < mostWays {
				ways[n] = way{int(t), at}
				n++
			}
		}
	}
	add(x, len(x.events))
	for k := 0; k < n; k++ {
		z := &s.nodes[ways[k].node]
		at := ways[k].at
		for j := range z.events {
			if at+j >= best || at+j >= len(x.events)+farBehind {
				break
			}
			if touches(&z.events[j], y) {
				best = at + j
			}
		}
		if at += len(z.events); at < min(best, len(x.events)+farBehind) {
			add(z, at)
		}
	}
	return best
}

// mostWays and farBehind bound how far behind a block is looked.
const (
	mostWays  = 6
	farBehind = 160
)

// touches reports whether e must wait for the barrier of a slot.
func touches(e *timing.Event, y *slot) bool {
	if e.Drains || e.Awaits&y.kinds != 0 {
		return true
	}
	for _, a := range e.Clears {
		if y.cells.has(a) {
			return true
		}
	}
	for _, a := range e.Behind {
		if !y.reads && y.cells.has(a) {
			return true
		}
	}
	queued := y.reads && !e.Guarded && target.Queued(y.class, e.Class) // behind it in its queue
	for _, a := range e.Writes {
		if y.cells.has(a) && !(queued && timing.FileOf(a.Cell) == target.FileR) {
			return true
		}
	}
	for _, a := range e.Reads {
		if !y.reads && y.cells.has(a) {
			return true
		}
	}
	return false
}

// equip chooses the barriers of instruction k.
func (s *assigner) equip(x *node, k int, d due, slots *[timing.NumBarriers]slot) {
	e := &x.events[k]
	if o := x.instrs[k].Op; o.Has(op.Commits) { // who waits for the group names this barrier
		if o.Has(op.BarsRead) {
			e.Ctrl.RdBar = 0
		} else {
			e.Ctrl.WrBar = 0
		}
		return
	}
	if e.Fences {
		held := k + 1
		for held < len(x.events) && x.events[held].Passes {
			held++
		}
		b := s.choose(slots, slot{due: held, class: e.Class}, k)
		if e.Class == target.ClassMembar {
			e.Ctrl.RdBar = b
		} else {
			e.Ctrl.WrBar = b
		}
	}
	if d.result < nowhere && s.timing.Variable(e.Class) {
		want := slot{due: d.result, class: e.Class, kinds: e.Leaves, polls: x.instrs[k].Mods.Has(op.MTRYWAIT)}
		for _, a := range e.Writes {
			want.cells.add(a)
		}
		if want.due == far {
			want.due = s.behind(x, &want)
		}
		e.Ctrl.WrBar = s.choose(slots, want, k)
	}
	// a wait for the results covers the sources too
	if d.source < nowhere && (e.Ctrl.WrBar < 0 || d.source < d.result || d.result == far) {
		want := slot{due: d.source, reads: true, class: e.Class, kinds: e.Leaves & op.Fetched}
		for _, a := range e.Reads {
			if isLate(s.timing, e, a) {
				want.cells.add(a)
			}
		}
		if want.due == far {
			want.due = s.behind(x, &want)
		}
		e.Ctrl.RdBar = s.choose(slots, want, k)
	}
}

// pace is about how many cycles pass from one instruction to the next that
// waits for nothing.
const pace = 2

// arrival is about how many cycles pass until operations of a class have
// their results, or have read their sources. A warp that waits for a phase of an
// mbarrier may sleep: nobody else should wait for the answer.
func (y *slot) arrival() int {
	switch c := y.class; {
	case y.reads:
		return 14
	case y.polls:
		return 500
	case c == target.ClassLdg, c == target.ClassTex, c == target.ClassTmem:
		return 500
	case c == target.ClassLdc, c == target.ClassLdcu:
		return 40
	case c == target.ClassLds:
		return 30
	}
	return 22
}

// choose returns the cheapest barrier for a use by instruction k and notes
// it. A free one costs nothing; sharing costs nothing either when both are
// waited for at the same place; otherwise whoever waits first waits for
// both.
func (s *assigner) choose(slots *[timing.NumBarriers]slot, want slot, k int) int8 {
	want.ready = s.now + want.arrival()
	best, least := 0, nowhere
	free := s.free(slots, &want)
	for b := range slots {
		if s.reserved>>b&1 != 0 {
			continue
		}
		cost := free
		if slots[b].used {
			cost = sharing(&slots[b], &want, s.now-pace*k)
		}
		if cost < least {
			best, least = b, cost
		}
	}
	x := &slots[best]
	if x.used {
		want.due = min(want.due, x.due)
		want.ready = max(want.ready, x.ready)
		want.reads = want.reads && x.reads
		want.polls = want.polls || x.polls
		want.cells.union(&x.cells)
		want.kinds |= x.kinds
	}
	want.used = true
	*x = want
	return int8(best)
}

// free is the price of a barrier that nobody uses. The last ones are dear for
// loads from memory: one would make everything else that shares a barrier with
// it wait long, and can share one with other such loads that come at about the
// same time.
func (s *assigner) free(slots *[timing.NumBarriers]slot, want *slot) int {
	n := 0
	for b := range slots {
		if !slots[b].used && s.reserved>>b&1 == 0 {
			n++
		}
	}
	switch {
	case n > 2:
		return 1
	case !want.polls && want.arrival() > 100:
		return [...]int{0, 120, 40}[n]
	}
	return 2
}

// sharing is the price of two uses of one barrier: the cycles that the one
// who waits first waits for what the other needs, and a little for each
// difference. Instruction k issues pace*k cycles behind start.
func sharing(have, want *slot, start int) int {
	if have.due == want.due && have.reads == want.reads && have.class == want.class {
		return 0
	}
	first, second := have, want
	if want.due < have.due {
		first, second = want, have
	}
	cost := 2 + max(0, second.ready-max(start+pace*min(first.due, far), first.ready))
	if have.reads != want.reads {
		cost += 4
	}
	if have.class != want.class {
		cost += 2
	}
	return cost
}
