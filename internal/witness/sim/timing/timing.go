package timing

import (
	"cmp"
	"fmt"
	"slices"

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

// Machine is what a launch keeps for timed mode.
type Machine struct {
	model  *hazard.Model
	early  map[earlyKey]*Early
	kernel string
	tell   func(pc uint32) (text string, offset uint64)
}

type earlyKey struct {
	first, second uint32
	cell          uint16
	what          string
}

// Warp is a warp's clock and what it has in flight.
type Warp struct {
	m      *Machine
	x      *Issue
	now    int
	cycles int // with waiting, as a guess
	stalls int
	facts  [hazard.NumCells][]late
	cells  []uint16
	known  [hazard.NumCells]bool
	set    [hazard.NumBarriers]int
	nth    [hazard.NumBarriers]int // announcements made so far
	early  []spoiled
}

// Issue is an instruction about to run.
type Issue struct {
	Pc     uint32
	Active uint32 // lanes of the running group
	Mask   uint32 // those whose guard holds
	Full   bool   // it is one of the whole warp
	Depbar uint8  // barriers that a DEPBAR waits for
	Keep   int    // and how many of their announcements may be missing
}

// spoiled is lanes of a register that were read before their result was
// there.
type spoiled struct {
	Reg   int
	Lanes uint32
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

// New makes ready for the code of a kernel, which m describes; tell prints an
// instruction and says where it stands.
func New(m *hazard.Model, kernel string, tell func(pc uint32) (string, uint64)) *Machine {
	return &Machine{model: m, early: map[earlyKey]*Early{}, kernel: kernel, tell: tell}
}

// NewWarp is a warp's clock.
func (m *Machine) NewWarp() *Warp { return &Warp{m: m} }

// Take returns the cycles of a warp, and the stalls since the last time.
func (t *Warp) Take() (cycles, stalls uint64) {
	cycles, stalls = uint64(t.cycles), uint64(t.stalls)
	t.stalls = 0
	return cycles, stalls
}

// Reset is the start of another block.
func (t *Warp) Reset() {
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

// Issue checks an instruction about to run and notes what it leaves behind.
// It returns how long the warp may have waited, for which instruction, and the
// registers that hold no result yet.
func (t *Warp) Issue(x *Issue) (stalled int, longest uint32, early []spoiled) {
	m, mask := t.m, x.Mask
	e := &m.model.Ops[x.Pc]
	t.x, t.early = x, t.early[:0]
	stalled, longest = t.wait(e)
	for _, a := range e.Reads {
		t.checkRead(e, a, mask)
	}
	for _, a := range e.Writes {
		t.checkWrite(e, a, mask)
	}
	if m.model.Meets(e) {
		t.drop(func(f *late) bool { return f.read && f.op.Stores() })
	}
	t.leaveBehind(e, mask)
	t.now += e.Clock()
	t.cycles += max(1, int(e.Ctrl.Stall))
	return stalled, longest, t.early
}

// wait drops what the barriers of the instruction announce: all of those in
// its control code, and of a DEPBAR's own but the last few. It guesses how
// long that takes, and which instruction takes longest.
func (t *Warp) wait(e *hazard.Op) (stalled int, longest uint32) {
	if e.Ctrl.Wait|t.x.Depbar == 0 {
		return 0, 0
	}
	var seen uint8
	for b := range t.set {
		if t.now-t.set[b] >= hazard.Lag { // not set too lately to be seen
			seen |= 1 << b
		}
	}
	before := t.cycles
	for _, c := range t.cells {
		t.facts[c] = slices.DeleteFunc(t.facts[c], func(f late) bool {
			if f.timed || !t.over(&f, e.Ctrl.Wait&seen, 0) && !t.over(&f, t.x.Depbar&seen, t.x.Keep) {
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
func (t *Warp) over(f *late, mask uint8, keep int) bool {
	for b := range t.nth {
		if mask&f.cover>>b&1 != 0 && f.nth[b] <= t.nth[b]-keep {
			return true
		}
	}
	return false
}

// covered adds barriers that announce the end of something.
func (t *Warp) covered(f *late, by uint8) {
	for b := range t.nth {
		if by&^f.cover>>b&1 != 0 {
			f.nth[b] = t.nth[b]
		}
	}
	f.cover |= by
}

// drop forgets some of what is in flight.
func (t *Warp) drop(over func(*late) bool) {
	for _, c := range t.cells {
		t.facts[c] = slices.DeleteFunc(t.facts[c], func(f late) bool { return over(&f) })
	}
}

func (t *Warp) checkRead(e *hazard.Op, a hazard.Access, mask uint32) {
	m, c := t.m, a.Cell
	if int(c) == e.Guard {
		mask = t.x.Active
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
			t.report("is read too early", c, f, have, need)
			if r, ok := hazard.General(c); ok {
				t.early = append(t.early, spoiled{r, f.lanes & mask})
			}
		}
	}
}

func (t *Warp) checkWrite(e *hazard.Op, a hazard.Access, mask uint32) {
	m, c := t.m, a.Cell
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
			t.report(what, c, f, have, need)
		}
	}
}

// reads reports whether a cell is a source of e.
func reads(e *hazard.Op, c uint16) bool {
	return slices.ContainsFunc(e.Reads, func(a hazard.Access) bool { return a.Cell == c })
}

// leaveBehind notes the results and the late reads of an instruction.
func (t *Warp) leaveBehind(e *hazard.Op, mask uint32) {
	m := t.m
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
	t.extend(e, wr, all)
	if mask == 0 || e.Group() { // products have rules of their own (order.Registers)
		return // it passes through its unit all the same
	}
	if t.x.Full {
		mask = ^uint32(0)
	}
	f := late{at: t.now, pc: t.x.Pc, lanes: mask, done: t.cycles + guess(e.Class()), op: e}
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
func (t *Warp) extend(e *hazard.Op, wr, all uint8) {
	if all == 0 {
		return
	}
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
func (t *Warp) forget(c uint16, lanes uint32) {
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

func (t *Warp) note(c uint16, f late) {
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

// report notes a violation, once for each pair of instructions and
// register.
func (t *Warp) report(what string, c uint16, f late, have, need int) {
	k := earlyKey{f.pc, t.x.Pc, c, what}
	if r := t.m.early[k]; r != nil {
		r.Times++
		return
	}
	e := &Early{Kernel: t.m.kernel, What: what, Register: hazard.CellName(c), Have: have, Need: need, Times: 1}
	e.First, e.FirstPC = t.m.tell(f.pc)
	e.Second, e.SecondPC = t.m.tell(t.x.Pc)
	t.m.early[k] = e
}

// Reports lists the violations in the order of the code.
func (t *Machine) Reports() []Early {
	var list []Early
	for _, e := range t.early {
		list = append(list, *e)
	}
	slices.SortFunc(list, func(a, b Early) int {
		return cmp.Or(cmp.Compare(a.SecondPC, b.SecondPC), cmp.Compare(a.FirstPC, b.FirstPC), cmp.Compare(a.Register, b.Register), cmp.Compare(a.What, b.What))
	})
	return list
}
