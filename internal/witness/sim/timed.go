package sim

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/goptxas/goptxas/internal/codegen/timing"
	"github.com/goptxas/goptxas/internal/target"
	"github.com/goptxas/goptxas/internal/witness/tables"
)

// Timed mode. Results arrive as late as the latency tables allow: one of
// fixed latency after its distance in cycles of issue, one of variable
// latency only when somebody waits for its barrier. A warp's clock counts
// stalls alone, since waiting may take no time at all. A lane that reads a
// result too early gets poison, and the launch reports both instructions.
// Unlike the checker of the compiler this follows the paths that are really
// taken, through calls and computed jumps, lane by lane.

// Early is a result that was read, or overwritten, before it arrived, or a
// source that was overwritten before it was read.
type Early struct {
	Kernel   string
	What     string
	First    string // the instruction that left it behind
	Second   string // the one that came too early
	FirstPC  uint64
	SecondPC uint64
	Register string
	Have     int // cycles between them
	Need     int // target.Never: a barrier
	Times    int
}

// String tells both instructions.
func (e Early) String() string {
	need := fmt.Sprintf("%d cycles instead of %d", e.Have, e.Need)
	if e.Need == target.Never {
		need = "no wait for its barrier"
	}
	return fmt.Sprintf("%s: %s %s: %04x %s then %04x %s: %s (%d times)",
		e.Kernel, e.Register, e.What, e.FirstPC, e.First, e.SecondPC, e.Second, need, e.Times)
}

// timedMachine is what a launch keeps for timed mode.
type timedMachine struct {
	timing *target.Timing
	events []timing.Event
	early  map[earlyKey]*Early
}

type earlyKey struct {
	first, second uint32
	cell          uint16
	what          string
}

// timedWarp is a warp's clock and what it has in flight.
type timedWarp struct {
	now    int
	cycles int // with waiting, as a guess
	stalls int
	facts  [timing.NumCells][]late
	cells  []uint16
	known  [timing.NumCells]bool
	set    [timing.NumBarriers]int
	nth    [timing.NumBarriers]int // announcements made so far
}

// late is something in flight: a result on its way to a register, or a
// register still to be read.
type late struct {
	at    int
	done  int // guess of the cycle it arrives
	pc    uint32
	lanes uint32
	class target.Class
	cover uint8                   // barriers that tell when it is over
	nth   [timing.NumBarriers]int // and which of their announcements does, the first of them
	read  bool
	timed bool
}

func newTimed(p *Program) *timedMachine {
	t := &timedMachine{timing: target.TimingOf(p.Arch), early: map[earlyKey]*Early{}}
	for n := range p.insts {
		t.events = append(t.events, tables.Event(p.Arch, p.insts[n].in))
	}
	return t
}

func (t *timedWarp) reset() {
	for _, c := range t.cells {
		t.facts[c], t.known[c] = t.facts[c][:0], false
	}
	t.cells = t.cells[:0]
	t.now, t.cycles = 0, 0
	for b := range t.set {
		t.set[b] = -1 << 20
	}
	t.nth = [timing.NumBarriers]int{}
}

// issue checks an instruction about to run for lanes mask and notes what it
// leaves behind.
func (w *warp) issue(i *inst, mask uint32) {
	m, t := w.m.timed, w.timed
	e := &m.events[w.at]
	if stalled, pc := t.wait(i, e); stalled > 0 {
		w.m.stats.StallsBy[w.m.prog.insts[pc].kind] += uint64(stalled)
	}
	for n := range e.Reads {
		w.checkRead(e, &e.Reads[n], mask)
	}
	for n := range e.Writes {
		w.checkWrite(e, &e.Writes[n], mask)
	}
	if e.Class == target.ClassBar && m.timing.BarReads() {
		t.drop(func(f *late) bool { return f.read && f.class == target.ClassSts })
	}
	w.leaveBehind(i, e, mask)
	t.now += int(e.Ctrl.Stall)
	t.cycles += int(e.Ctrl.Stall)
	if e.Ctrl.Stall == 0 {
		t.now++
		t.cycles++
	}
}

// wait drops what the barriers of the instruction announce. It guesses how
// long that takes, and which instruction takes longest.
func (t *timedWarp) wait(i *inst, e *timing.Event) (stalled int, longest uint32) {
	mask, keep := e.Ctrl.Wait, 0
	if depbar, n := waitsFor(i); depbar != 0 {
		mask |= depbar
		keep = n
	}
	if mask == 0 {
		return 0, 0
	}
	for b := range t.set {
		if t.now-t.set[b] < target.BarrierLag {
			mask &^= 1 << b // set too lately to be seen
		}
	}
	before := t.cycles
	for _, c := range t.cells {
		t.facts[c] = slices.DeleteFunc(t.facts[c], func(f late) bool {
			if f.timed || !t.over(&f, mask, keep) {
				return false
			}
			if f.done > t.cycles {
				t.cycles, longest = f.done, f.pc
			}
			return true
		})
	}
	t.stalls += t.cycles - before
	return t.cycles - before, longest
}

// over reports whether waiting for barriers, all but keep of whose
// announcements have come, ends something in flight.
func (t *timedWarp) over(f *late, mask uint8, keep int) bool {
	for b := range t.nth {
		if mask&f.cover>>b&1 != 0 && f.nth[b] <= t.nth[b]-keep {
			return true
		}
	}
	return false
}

// covered adds barriers that announce the end of something.
func (t *timedWarp) covered(f *late, by uint8) {
	for b := range t.nth {
		if by&^f.cover>>b&1 != 0 {
			f.nth[b] = t.nth[b]
		}
	}
	f.cover |= by
}

// drop forgets some of what is in flight.
func (t *timedWarp) drop(over func(*late) bool) {
	for _, c := range t.cells {
		t.facts[c] = slices.DeleteFunc(t.facts[c], func(f late) bool { return over(&f) })
	}
}

// waitsFor returns the barriers that DEPBAR waits for and how many of their
// announcements may be missing.
func waitsFor(i *inst) (uint8, int) {
	if i.mn != "DEPBAR.LE" || i.ns == 0 {
		return 0, 0
	}
	return 1 << (i.bar & 7), int(i.s[0].imm)
}

func (w *warp) checkRead(e *timing.Event, a *timing.Access, mask uint32) {
	m, t := w.m.timed, w.timed
	if e.Guarded && a.Cell == e.Guard {
		mask = w.act
	}
	for c := a.Cell; c < a.Cell+uint16(a.N); c++ {
		for _, f := range t.facts[c] {
			if f.read || f.lanes&mask == 0 {
				continue
			}
			have, need := t.now-f.at, target.Never
			if f.timed {
				need = soonest(timing.FileOf(c), f.class, a.Sink, m.timing.RAW(timing.FileOf(c), f.class, a.Sink))
			}
			if !f.timed || have < need {
				w.early("is read too early", c, f, have, need)
				w.spoil(c, f.lanes&mask)
			}
		}
	}
}

// sooner are results that the reference's code reads sooner than the
// compiler's tables ask for, which keep to the longer distance that it shows
// in other places: both are enough for the machine.
var sooner = [...]struct {
	from target.Class
	to   target.Sink
	need int
}{
	{target.ClassWide, target.SinkWide, 4},
	{target.ClassImad, target.SinkCbu, 4},
}

// soonest returns the cycles a reader must wait, where the tables ask for
// need.
func soonest(file target.File, from target.Class, to target.Sink, need int) int {
	if file == target.FileR {
		for _, s := range sooner {
			if s.from == from && s.to == to {
				return min(need, s.need)
			}
		}
	}
	return need
}

// spoil writes poison where a result has not arrived.
func (w *warp) spoil(c uint16, lanes uint32) {
	if timing.FileOf(c) != target.FileR {
		return
	}
	r := c - timing.FirstCell[target.FileR]
	if r >= rowZero {
		return
	}
	for ; lanes != 0; lanes &= lanes - 1 {
		w.r[r][lane(lanes)] = poisonReg | uint32(r)
	}
}

func (w *warp) checkWrite(e *timing.Event, a *timing.Access, mask uint32) {
	m, t := w.m.timed, w.timed
	for c := a.Cell; c < a.Cell+uint16(a.N); c++ {
		for _, f := range t.facts[c] {
			if f.lanes&mask == 0 {
				continue
			}
			file, have := timing.FileOf(c), t.now-f.at
			what, need := "is overwritten too early", target.Never
			switch {
			case f.read && f.timed:
				what, need = "is overwritten before it is read", m.timing.WAR(file, f.class, e.Class)
			case f.read:
				what = "is overwritten before it is read"
				if g := target.ReadGroup(f.class); g != 0 && g == target.ReadGroup(e.Class) {
					need = 0
				}
			case f.timed && reads(e, c): // it waited for the value as a source
				continue
			case f.timed:
				need = m.timing.WAW(file, f.class, e.Class)
			default:
				if g := m.timing.ReturnGroup(f.class); g != 0 && g == m.timing.ReturnGroup(e.Class) {
					need = 0
				}
			}
			if need == target.Never || have < need {
				w.early(what, c, f, have, need)
			}
		}
	}
}

// reads reports whether a cell is a source of e.
func reads(e *timing.Event, c uint16) bool {
	for n := range e.Reads {
		if a := &e.Reads[n]; c >= a.Cell && c < a.Cell+uint16(a.N) {
			return true
		}
	}
	return false
}

// leaveBehind notes the results and the late reads of an instruction.
func (w *warp) leaveBehind(i *inst, e *timing.Event, mask uint32) {
	m, t := w.m.timed, w.timed
	var wr, all uint8
	for n, b := range [2]int8{e.Ctrl.WrBar, e.Ctrl.RdBar} {
		if b < 0 || b >= timing.NumBarriers {
			continue
		}
		t.set[b] = t.now
		if all&(1<<b) == 0 {
			t.nth[b]++
		}
		all |= 1 << b
		if n == 0 {
			wr = 1 << b
		}
	}
	w.extend(e, wr, all)
	if mask == 0 {
		return // it passes through its unit all the same
	}
	if i.full {
		mask = ^uint32(0)
	}
	timed := !m.timing.Variable(e.Class)
	f := late{at: t.now, pc: w.at, lanes: mask, done: t.cycles + guess(e.Class)}
	for _, a := range e.Writes {
		for c := a.Cell; c < a.Cell+uint16(a.N); c++ {
			t.forget(c, mask)
			f.class, f.cover, f.timed, f.read = a.Row, 0, timed, false
			t.covered(&f, wr)
			if e.Class != target.ClassGmma {
				t.note(c, f)
			}
		}
	}
	for _, a := range e.Reads {
		for c := a.Cell; c < a.Cell+uint16(a.N); c++ {
			f.class, f.read = e.Class, true
			if f.timed = !timing.Late(m.timing, e.Class, c); f.timed {
				f.cover = 0
			} else {
				f.cover = 0
				t.covered(&f, all)
				if written(e, c) {
					continue
				}
			}
			t.note(c, f)
		}
	}
}

func written(e *timing.Event, c uint16) bool {
	for _, a := range e.Writes {
		if c >= a.Cell && c < a.Cell+uint16(a.N) {
			return true
		}
	}
	return false
}

// extend lets the barriers of an instruction cover earlier ones that the
// machine finishes before it: results of one unit return in order, and its
// sources are read in order.
func (w *warp) extend(e *timing.Event, wr, all uint8) {
	if all == 0 {
		return
	}
	m, t := w.m.timed, w.timed
	back, reads := m.timing.ReturnGroup(e.Class), target.ReadGroup(e.Class)
	for _, c := range t.cells {
		for n := range t.facts[c] {
			f := &t.facts[c][n]
			switch {
			case f.timed:
			case f.read && reads != 0 && target.ReadGroup(f.class) == reads:
				t.covered(f, all)
			case !f.read && back != 0 && m.timing.ReturnGroup(f.class) == back:
				t.covered(f, wr)
			}
		}
	}
}

// forget drops what lanes have in flight in a cell, once something newer is
// on its way there.
func (t *timedWarp) forget(c uint16, lanes uint32) {
	list := t.facts[c][:0]
	for _, f := range t.facts[c] {
		if f.lanes &^= lanes; f.lanes != 0 {
			list = append(list, f)
		}
	}
	t.facts[c] = list
}

// horizon is more cycles than any fixed distance.
const horizon = 64

func (t *timedWarp) note(c uint16, f late) {
	if !t.known[c] {
		t.known[c] = true
		t.cells = append(t.cells, c)
	}
	list := t.facts[c][:0]
	for _, g := range t.facts[c] {
		switch {
		case g.timed && t.now-g.at > horizon:
		case g.read && f.read && g.pc == f.pc:
			f.lanes |= g.lanes
		default:
			list = append(list, g)
		}
	}
	t.facts[c] = append(list, f)
}

// guess is a usual latency, for the estimate of cycles only.
func guess(c target.Class) int {
	switch c {
	case target.ClassLdg, target.ClassLdgsts:
		return 500
	case target.ClassLds:
		return 30
	case target.ClassLdc, target.ClassS2r:
		return 40
	case target.ClassXu, target.ClassXu64, target.ClassFp64:
		return 20
	}
	return 14
}

// early reports a violation, once for each pair of instructions and
// register.
func (w *warp) early(what string, c uint16, f late, have, need int) {
	k := earlyKey{f.pc, w.at, c, what}
	if r := w.m.timed.early[k]; r != nil {
		r.Times++
		return
	}
	p := w.m.prog
	names := [target.NumFiles]string{"R", "UR", "P", "UP", "B"}
	file := timing.FileOf(c)
	w.m.timed.early[k] = &Early{
		Kernel: p.kernel.Name, What: what, First: p.text(f.pc), Second: p.text(w.at), FirstPC: p.offset(f.pc), SecondPC: p.offset(w.at),
		Register: fmt.Sprintf("%s%d", names[file], c-timing.FirstCell[file]), Have: have, Need: need, Times: 1,
	}
}

// reports lists the violations in the order of the code.
func (t *timedMachine) reports() []Early {
	var list []Early
	for _, e := range t.early {
		list = append(list, *e)
	}
	slices.SortFunc(list, func(a, b Early) int {
		return cmp.Or(cmp.Compare(a.SecondPC, b.SecondPC), cmp.Compare(a.FirstPC, b.FirstPC), cmp.Compare(a.Register, b.Register), cmp.Compare(a.What, b.What))
	})
	return list
}
