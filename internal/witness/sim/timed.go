package sim

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/goptxas/goptxas/internal/sass"
	"github.com/goptxas/goptxas/internal/witness/hazard"
)

// Timed mode. Results arrive as late as the hazard checker's tables allow,
// which were mined from the reference's code and are none of the compiler's: one of
// fixed latency after its distance in cycles of issue, one of variable
// latency only when somebody waits for its barrier. A warp's clock counts
// stalls alone, since waiting may take no time at all. A lane that reads a
// result too early gets poison, and the launch reports both instructions.
// Unlike the checker this follows the paths that are really
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
	Need     int // noTime: a barrier
	Times    int
}

// noTime is the distance of what only a barrier tells.
const noTime = 1 << 20

// String tells both instructions.
func (e Early) String() string {
	need := fmt.Sprintf("%d cycles instead of %d", e.Have, e.Need)
	if e.Need == noTime {
		need = "no wait for its barrier"
	}
	return fmt.Sprintf("%s: %s %s: %04x %s then %04x %s: %s (%d times)",
		e.Kernel, e.Register, e.What, e.FirstPC, e.First, e.SecondPC, e.Second, need, e.Times)
}

// timedMachine is what a launch keeps for timed mode.
type timedMachine struct {
	model *hazard.Model
	early map[earlyKey]*Early
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
	facts  [hazard.NumCells][]late
	cells  []uint16
	known  [hazard.NumCells]bool
	set    [hazard.NumBarriers]int
	nth    [hazard.NumBarriers]int // announcements made so far
}

// late is something in flight: a result on its way to a register, or a
// register still to be read.
type late struct {
	at    int
	done  int // guess of the cycle it arrives
	pc    uint32
	lanes uint32
	op    *hazard.Op
	from  hazard.Access
	cover uint8                   // barriers that tell when it is over
	nth   [hazard.NumBarriers]int // and which of their announcements does, the first of them
	read  bool
	timed bool
}

func newTimed(p *Program) (*timedMachine, error) {
	var list []sass.Inst
	for n := range p.insts {
		list = append(list, p.insts[n].in)
	}
	m, err := hazard.NewModel(p.Arch, list)
	return &timedMachine{model: m, early: map[earlyKey]*Early{}}, err
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
	t.nth = [hazard.NumBarriers]int{}
}

// issue checks an instruction about to run for lanes mask and notes what it
// leaves behind.
func (w *warp) issue(i *inst, mask uint32) {
	m, t := w.m.timed, w.timed
	e := &m.model.Ops[w.at]
	if stalled, pc := t.wait(i, e); stalled > 0 {
		w.m.stats.StallsBy[w.m.prog.insts[pc].kind] += uint64(stalled)
	}
	for _, a := range e.Reads {
		w.checkRead(e, a, mask)
	}
	for _, a := range e.Writes {
		w.checkWrite(e, a, mask)
	}
	if m.model.Meets(e) {
		t.drop(func(f *late) bool { return f.read && f.op.Stores() })
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
func (t *timedWarp) wait(i *inst, e *hazard.Op) (stalled int, longest uint32) {
	mask, keep := e.Ctrl.Wait, 0
	if depbar, n := waitsFor(i); depbar != 0 {
		mask |= depbar
		keep = n
	}
	if mask == 0 {
		return 0, 0
	}
	for b := range t.set {
		if t.now-t.set[b] < hazard.Lag {
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

func (w *warp) checkRead(e *hazard.Op, a hazard.Access, mask uint32) {
	m, t, c := w.m.timed, w.timed, a.Cell
	if int(c) == e.Guard {
		mask = w.act
	}
	for _, f := range t.facts[c] {
		if f.read || f.lanes&mask == 0 {
			continue
		}
		have, need := t.now-f.at, noTime
		if f.timed {
			need = m.model.Read(f.op, f.from, e, a)
		}
		if !f.timed || have < need {
			w.early("is read too early", c, f, have, need)
			w.spoil(c, f.lanes&mask)
		}
	}
}

// spoil writes poison where a result has not arrived.
func (w *warp) spoil(c uint16, lanes uint32) {
	r, ok := hazard.General(c)
	if !ok || r >= rowZero {
		return
	}
	for ; lanes != 0; lanes &= lanes - 1 {
		w.r[r][lane(lanes)] = poisonReg | uint32(r)
	}
}

func (w *warp) checkWrite(e *hazard.Op, a hazard.Access, mask uint32) {
	m, t, c := w.m.timed, w.timed, a.Cell
	for _, f := range t.facts[c] {
		if f.lanes&mask == 0 {
			continue
		}
		have := t.now - f.at
		what, need := "is overwritten too early", noTime
		switch {
		case f.read && f.timed:
			what, need = "is overwritten before it is read", m.model.Over(f.op, f.from, e)
		case f.read:
			what = "is overwritten before it is read"
			if hazard.Behind(f.op, e) {
				need = 0
			}
		case f.timed && reads(e, c): // it waited for the value as a source
			continue
		case f.timed:
			need = m.model.Write(f.op, f.from, e)
		default:
			if hazard.InOrder(f.op, e) {
				need = 0
			}
		}
		if need == noTime || have < need {
			w.early(what, c, f, have, need)
		}
	}
}

// reads reports whether a cell is a source of e.
func reads(e *hazard.Op, c uint16) bool {
	return slices.ContainsFunc(e.Reads, func(a hazard.Access) bool { return a.Cell == c })
}

// leaveBehind notes the results and the late reads of an instruction.
func (w *warp) leaveBehind(i *inst, e *hazard.Op, mask uint32) {
	m, t := w.m.timed, w.timed
	var wr, all uint8
	for n, b := range [2]int8{e.Ctrl.WrBar, e.Ctrl.RdBar} {
		if b < 0 || b >= hazard.NumBarriers {
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
	if mask == 0 || e.Group() { // products have rules of their own (guard.go)
		return // it passes through its unit all the same
	}
	if i.full {
		mask = ^uint32(0)
	}
	f := late{at: t.now, pc: w.at, lanes: mask, done: t.cycles + guess(e.Class()), op: e}
	for _, a := range e.Writes {
		t.forget(a.Cell, mask)
		f.from, f.cover, f.timed, f.read = a, 0, !e.Variable(), false
		t.covered(&f, e.Announces(a))
		t.note(a.Cell, f)
	}
	for _, a := range e.Reads {
		f.from, f.read, f.cover = a, true, 0
		if f.timed = !m.model.Late(e, a); !f.timed {
			t.covered(&f, all)
			if written(e, a.Cell) {
				continue
			}
		}
		t.note(a.Cell, f)
	}
}

func written(e *hazard.Op, c uint16) bool {
	return slices.ContainsFunc(e.Writes, func(a hazard.Access) bool { return a.Cell == c })
}

// extend lets the barriers of an instruction cover earlier ones that the
// machine finishes before it: results of one unit return in order, and its
// sources are read in order.
func (w *warp) extend(e *hazard.Op, wr, all uint8) {
	if all == 0 {
		return
	}
	t := w.timed
	for _, c := range t.cells {
		for n := range t.facts[c] {
			f := &t.facts[c][n]
			switch {
			case f.timed:
			case f.read && hazard.Speaks(e, f.op):
				t.covered(f, all)
			case !f.read && hazard.InOrder(f.op, e):
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
func guess(class string) int {
	switch class {
	case "ldg", "ldgsts":
		return 500
	case "lds":
		return 30
	case "ldc", "s2r":
		return 40
	case "xu", "xu64", "fp64":
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
	w.m.timed.early[k] = &Early{
		Kernel: p.kernel.Name, What: what, First: p.text(f.pc), Second: p.text(w.at), FirstPC: p.offset(f.pc), SecondPC: p.offset(w.at),
		Register: hazard.CellName(c), Have: have, Need: need, Times: 1,
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
