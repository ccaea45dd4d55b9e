package scoreboard

import (
	"fmt"
	"slices"

	"github.com/goptxas/goptxas/internal/codegen/timing"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/target"
)

// The checker. It knows nothing of how stalls and barriers were chosen: it
// follows the instructions along every path, notes what each one leaves
// behind and reports every access that could come too early. A fact is
// something an instruction left behind in a register.

// Program is code as the checker sees it.
type Program struct {
	Blocks [][]timing.Event
	Succs  [][]int32 // of each block
	Entry  []int32   // blocks entered from elsewhere, where nothing is pending
}

// Rule names what a report is about.
type Rule uint8

// Rules of the checker.
const (
	ReadEarly      Rule = iota // a result of fixed latency is read too early
	ReadUnguarded              // a result that a barrier announces is read without waiting
	WriteEarly                 // a register is overwritten before an earlier result arrives
	WriteUnguarded             // the same, and only a barrier tells when it arrives
	ReadLost                   // a register is overwritten before it was read
	ReadLostLate               // the same, and only a barrier tells when it was
	BarrierEarly               // a barrier is waited for before it is set
	GapShort                   // operations stand too close
	StallShort                 // an operation stalls too little
	Undrained                  // something is pending where code elsewhere follows
	FenceIgnored               // the barrier of a fence is not waited for
	Unsettled                  // something goes on that must be over
	numRules
)

var ruleNames = [numRules]string{
	"result read too early", "result read without its barrier", "result overwritten too early",
	"result overwritten without its barrier", "overwritten before it is read", "overwritten before it is read, without a barrier",
	"waits for a barrier that may not be set yet", "operations too close", "stall too short", "pending at a call or return",
	"fence not waited for", "something before it may still go on",
}

// String describes the rule.
func (r Rule) String() string { return ruleNames[r] }

// Report is one violation.
type Report struct {
	Block int32
	Index int // of the instruction that comes too early
	Rule  Rule
	Cell  uint16 // register concerned
	From  target.Class
	Have  int // cycles
	Need  int
}

func (r Report) String() string {
	return fmt.Sprintf("block %d instruction %d: %s: %s, from %s, distance %d of %d",
		r.Block, r.Index, r.Rule, cellName(r.Cell), r.From, r.Have, r.Need)
}

func cellName(c uint16) string {
	names := [target.NumFiles]string{"R", "UR", "P", "UP", "B"}
	f := timing.FileOf(c)
	return fmt.Sprintf("%s%d", names[f], c-timing.FirstCell[f])
}

// replayer follows one program.
type replayer struct {
	timing  *target.Timing
	strict  bool
	prog    *Program
	starts  []*summary // of blocks that are reached
	state   factState
	block   int32
	reports []Report
	early   []bool // of each block, whether its last turn met an access that comes too early
	final   bool
	limit   int
}

// Replay checks a program and returns the violations found, up to limit. Only
// when strict, nothing may be pending at calls and returns and every
// instruction must stall: the reference is not that careful.
func Replay(p *Program, t *target.Timing, strict bool, limit int) []Report {
	r := &replayer{timing: t, strict: strict, prog: p, starts: make([]*summary, len(p.Blocks)), limit: limit, early: make([]bool, len(p.Blocks))}
	order, rank := p.order()
	queued := make([]bool, len(p.Blocks))
	for _, n := range p.Entry {
		r.starts[n] = newSummary()
		queued[n] = true
	}
	for at := 0; at < len(order); at++ {
		n := order[at]
		if !queued[n] {
			continue
		}
		queued[n] = false
		s, end := r.run(n)
		for _, t := range p.Succs[n] {
			grew := r.starts[t] == nil
			if grew {
				r.starts[t] = newSummary()
			}
			if r.starts[t].absorb(s, end) {
				grew = true
			}
			if grew {
				queued[t] = true
				at = min(at, int(rank[t])-1)
			}
		}
	}
	// The last turn of a block began with all that can be true at its start,
	// so only blocks in which it met something have anything to report.
	r.final = true
	for n, early := range r.early {
		if early {
			r.run(int32(n))
		}
	}
	return r.reports
}

func (r *replayer) report(k int, rule Rule, cell uint16, from target.Class, have, need int) {
	if !r.final {
		r.early[r.block] = true
	} else if len(r.reports) < r.limit {
		r.reports = append(r.reports, Report{r.block, k, rule, cell, from, have, need})
	}
}

// run follows a block and returns what is true at its end.
func (r *replayer) run(n int32) (*factState, int) {
	r.block = n
	if !r.final {
		r.early[n] = false
	}
	s := &r.state
	s.load(r.starts[n])
	now := 0
	for k := range r.prog.Blocks[n] {
		e := &r.prog.Blocks[n][k]
		r.waits(s, e, k, now)
		r.reads(s, e, k, now)
		r.writes(s, e, k, now)
		r.distances(s, e, k, now)
		r.settled(s, e, k, now)
		r.leave(s, e, now)
		now += int(e.Ctrl.Stall)
		if e.Ctrl.Stall == 0 && target.Matrix(e.Class) {
			now += horizon // the reference, without optimisation, waits for matrix results so
		} else if e.Ctrl.Stall == 0 {
			now++ // no two instructions issue at once
		}
	}
	return s, now
}

// waits frees what the instruction waits for.
func (r *replayer) waits(s *factState, e *timing.Event, k, now int) {
	if idle := e.Class == target.ClassOther && len(e.Reads)+len(e.Writes) == 0; !idle && !e.Passes {
		if s.fence&^e.Ctrl.Wait != 0 {
			r.report(k, FenceIgnored, 0, e.Class, 0, 0)
		}
		s.fence = 0
	}
	s.fence &^= e.Ctrl.Wait
	mask := e.Ctrl.Wait
	if mask == 0 {
		return
	}
	for n := range s.left {
		s.left[n] = slices.DeleteFunc(s.left[n], func(f fact) bool { return f.cover&mask != 0 })
	}
	for b := range s.set {
		if mask>>b&1 != 0 && now-s.set[b] < target.BarrierLag {
			r.report(k, BarrierEarly, 0, e.Class, now-s.set[b], target.BarrierLag)
		}
	}
	for _, c := range s.cells {
		if len(s.facts[c]) > 0 {
			s.facts[c] = slices.DeleteFunc(s.facts[c], func(f fact) bool {
				return !f.timed && f.cover&mask != 0 || f.timed && now-f.at >= horizon
			})
		}
	}
	s.cells = slices.DeleteFunc(s.cells, func(c uint16) bool {
		s.known[c] = len(s.facts[c]) > 0
		return !s.known[c]
	})
}

func (r *replayer) reads(s *factState, e *timing.Event, k, now int) {
	for _, a := range e.Reads {
		for c := a.Cell; c < a.Cell+uint16(a.N); c++ {
			for _, f := range s.facts[c] {
				if f.read || f.elsewhere(e) {
					continue
				}
				if !f.timed {
					r.report(k, ReadUnguarded, c, f.class, now-f.at, target.Never)
				} else if d := r.timing.RAW(timing.FileOf(c), f.class, a.Sink); now-f.at < d {
					r.report(k, ReadEarly, c, f.class, now-f.at, d)
				}
			}
		}
	}
}

func (r *replayer) writes(s *factState, e *timing.Event, k, now int) {
	for _, a := range e.Writes {
		for c := a.Cell; c < a.Cell+uint16(a.N); c++ {
			for _, f := range s.facts[c] {
				if !f.elsewhere(e) {
					r.overwrite(f, e, c, k, now)
				}
			}
		}
	}
}

// settled checks that what must be over before e is, and that nothing is
// pending in registers that e hands on.
func (r *replayer) settled(s *factState, e *timing.Event, k, now int) {
	for n := range s.left {
		for _, f := range s.left[n] {
			if e.Awaits>>n&1 != 0 && !f.elsewhere(e) {
				r.report(k, Unsettled, 0, f.class, now-f.at, target.Never)
			}
		}
	}
	for _, a := range e.Clears {
		for c := a.Cell; c < a.Cell+uint16(a.N); c++ {
			for _, f := range s.facts[c] {
				switch {
				case f.timed || f.elsewhere(e):
				case f.read:
					r.report(k, ReadLostLate, c, f.class, now-f.at, target.Never)
				default:
					r.report(k, WriteUnguarded, c, f.class, now-f.at, target.Never)
				}
			}
		}
	}
}

// overwrite checks a write to a register in which f was left behind.
func (r *replayer) overwrite(f fact, e *timing.Event, c uint16, k, now int) {
	file := timing.FileOf(c)
	have := now - f.at
	switch {
	case f.read && f.timed:
		if d := r.timing.WAR(file, f.class, e.Class); have < d {
			r.report(k, ReadLost, c, f.class, have, d)
		}
	case f.read:
		if g := target.ReadGroup(f.class); g == 0 || g != target.ReadGroup(e.Class) {
			r.report(k, ReadLostLate, c, f.class, have, target.Never)
		} else if d := r.timing.WAR(file, f.class, e.Class); have < d && r.strict {
			r.report(k, ReadLost, c, f.class, have, d)
		}
	case f.timed:
		if d := r.timing.WAW(file, f.class, e.Class); have < d {
			r.report(k, WriteEarly, c, f.class, have, d)
		}
	default:
		if g := r.timing.ReturnGroup(f.class); g == 0 || g != r.timing.ReturnGroup(e.Class) {
			r.report(k, WriteUnguarded, c, f.class, have, target.Never)
		}
	}
}

// distances checks rules that have no registers.
func (r *replayer) distances(s *factState, e *timing.Event, k, now int) {
	held := e.Ctrl.Stall == 0 && e.Class == target.ClassOther // until it is over
	if d := target.MinStall(e.Class); !held && int(e.Ctrl.Stall) < d && (r.strict || d == 5 && r.timing.ExitStall()) {
		r.report(k, StallShort, 0, e.Class, int(e.Ctrl.Stall), d)
	}
	s.gaps = slices.DeleteFunc(s.gaps, func(f fact) bool { return now-f.at > target.MaxGap })
	for _, f := range s.gaps {
		if d := r.timing.Gap(f.class, e.Class); now-f.at < d {
			r.report(k, GapShort, 0, f.class, now-f.at, d)
		}
	}
	if e.Class == target.ClassBar && r.timing.BarReads() {
		for _, c := range s.cells {
			s.facts[c] = slices.DeleteFunc(s.facts[c], func(f fact) bool { return f.read && (f.class == target.ClassSts || f.class == target.ClassStg) })
		}
	}
	if e.Class == target.ClassDepbar && !r.strict {
		// it counts what is still under way: which results those are is not followed
		for _, c := range s.cells {
			s.facts[c] = slices.DeleteFunc(s.facts[c], func(f fact) bool { return f.class == target.ClassTex })
		}
	}
	if !e.Drains {
		return
	}
	for _, c := range s.cells {
		for _, f := range s.facts[c] {
			if !r.strict {
				break
			}
			if !f.timed {
				r.report(k, Undrained, c, f.class, now-f.at, target.Never)
			} else if d := r.timing.Any(timing.FileOf(c), f.class); !f.read && now-f.at < d {
				r.report(k, Undrained, c, f.class, now-f.at, d)
			}
		}
		s.facts[c] = s.facts[c][:0]
	}
}

// leave notes what the instruction leaves behind.
func (r *replayer) leave(s *factState, e *timing.Event, now int) {
	r.extend(s, e)
	var bars uint8
	for _, b := range [2]int8{e.Ctrl.WrBar, e.Ctrl.RdBar} {
		if b >= 0 && b < timing.NumBarriers {
			bars |= 1 << b
			s.set[b] = now
			if e.Ctrl.Stall == 0 {
				s.set[b] = quiet // USETMAXREG, after which nothing may lag
			}
		}
	}
	var wr uint8
	if b := e.Ctrl.WrBar; b >= 0 && b < timing.NumBarriers {
		wr = 1 << b
	}
	for _, a := range e.Writes {
		s.forget(a)
	}
	guard, not := guardOf(e)
	timed := !r.timing.Variable(e.Class)
	for _, a := range e.Writes {
		for c := a.Cell; c < a.Cell+uint16(a.N); c++ {
			s.facts[c] = slices.DeleteFunc(s.facts[c], func(f fact) bool { return !e.Guarded || f.read && f.timed && !f.elsewhere(e) })
			cover := wr
			if e.Class == target.ClassLdg && timing.FileOf(c) == target.FileP {
				cover = bars // whether an atomic was done is known when its sources are read
			}
			if e.Class != target.ClassGmma {
				s.note(c, fact{at: now, cover: cover, class: a.Row, timed: timed, guard: guard, not: not})
			}
		}
	}
	for _, a := range e.Reads {
		for c := a.Cell; c < a.Cell+uint16(a.N); c++ {
			// the address of an arrival is read at once; to wait for it is only safe
			if timing.Late(r.timing, e.Class, c) && !(e.Class == target.ClassSyncs && a.Sink == target.SinkUniSyncs && c >= timing.FirstCell[target.FileUR]) {
				if !overlaps(e.Writes, c) {
					s.note(c, fact{at: now, cover: bars, class: e.Class, read: true, guard: guard, not: not})
				}
			} else {
				s.note(c, fact{at: now, class: e.Class, read: true, timed: true, guard: guard, not: not})
			}
		}
	}
	for n := range s.left {
		if e.Leaves>>n&1 == 0 {
			continue
		}
		cover := wr
		if op.Work(1)<<n == op.Fetched {
			cover = bars
		}
		insert(&s.left[n], fact{cover: cover, class: e.Class, guard: guard, not: not})
	}
	if target.HasGap(e.Class) {
		insert(&s.gaps, fact{at: now, class: e.Class, timed: true})
	}
	if e.Fences {
		s.fence |= bars
	}
}

// forget drops what is known of guards that an access writes.
func (s *factState) forget(a timing.Access) {
	if f := timing.FileOf(a.Cell); f != target.FileP && f != target.FileUP {
		return
	}
	for _, c := range s.cells {
		for n := range s.facts[c] {
			if f := &s.facts[c][n]; f.guard != 0 && a.Cell <= f.guard-1 && f.guard-1 < a.Cell+uint16(a.N) {
				f.guard, f.not = 0, false
			}
		}
	}
}

// overlaps reports whether a cell is among those written: an instruction
// reads its sources before it writes, so its own result protects them.
func overlaps(list []timing.Access, c uint16) bool {
	for _, a := range list {
		if a.Cell <= c && c < a.Cell+uint16(a.N) {
			return true
		}
	}
	return false
}

// extend lets the barriers of an instruction cover earlier ones of its
// group, which finish before it.
func (r *replayer) extend(s *factState, e *timing.Event) {
	wr, rd := e.Ctrl.WrBar, e.Ctrl.RdBar
	returns, reads := r.timing.ReturnGroup(e.Class), target.ReadGroup(e.Class)
	if (wr < 0 || returns == 0) && (rd < 0 && wr < 0 || reads == 0) {
		return
	}
	for _, c := range s.cells {
		for n := range s.facts[c] {
			f := &s.facts[c][n]
			if f.timed {
				continue
			}
			if wr >= 0 && !f.read && returns != 0 && r.timing.ReturnGroup(f.class) == returns {
				f.cover |= 1 << wr
			}
			if f.read && reads != 0 && target.ReadGroup(f.class) == reads {
				if rd >= 0 {
					f.cover |= 1 << rd
				}
				if wr >= 0 {
					f.cover |= 1 << wr
				}
			}
		}
	}
}

// order returns the blocks that are reached, each before those that it leads to
// but for ways back, and the place of each.
func (p *Program) order() (list, rank []int32) {
	type visit struct{ block, next int32 }
	rank = make([]int32, len(p.Succs)) // while the list is made, 1 for those seen
	list = make([]int32, 0, len(p.Succs))
	var path []visit
	for _, e := range p.Entry {
		if rank[e] != 0 {
			continue
		}
		rank[e] = 1
		path = append(path, visit{e, 0})
		for len(path) > 0 {
			v := &path[len(path)-1]
			if succs := p.Succs[v.block]; int(v.next) < len(succs) {
				t := succs[v.next]
				if v.next++; rank[t] == 0 {
					rank[t] = 1
					path = append(path, visit{t, 0})
				}
				continue
			}
			list = append(list, v.block)
			path = path[:len(path)-1]
		}
	}
	for i, j := 0, len(list)-1; i < j; i, j = i+1, j-1 {
		list[i], list[j] = list[j], list[i]
	}
	for n, b := range list {
		rank[b] = int32(n)
	}
	return list, rank
}
