package hazard

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/goptxas/goptxas/internal/sass"
)

// Finding is one place where something could come too early.
type Finding struct {
	Rule string // what is broken, in a few words
	At   int    // instruction that comes too early
	From int    // instruction that it should have waited for, or -1
	Cell string // register, where one is meant
	Have int    // cycles between them
	Need int    // cycles that the reference was seen to keep
	Text string // both instructions
}

func (f Finding) String() string {
	s := fmt.Sprintf("%04x: %s", 16*f.At, f.Rule)
	if f.Cell != "" {
		s += " of " + f.Cell
	}
	if f.Need > 0 {
		s += fmt.Sprintf(" after %d cycles instead of %d", f.Have, f.Need)
	}
	return s + ": " + f.Text
}

// order is a way in which something is right by the order of a queue alone.
type order int

const (
	lentWrite order = iota // a later barrier tells of a result
	lentRead               // and of a read
	orderRead              // what overwrites comes behind the read
	numOrders
)

var orderNames = [numOrders]string{"lent result", "lent read", "behind a read"}

// replay walks over code.
type replay struct {
	*Code
	found  []Finding
	limit  int
	report bool
	seen   map[[2]int32]bool
	lean   func(o order, f *fact, at int32) // told what is right by the order of a queue alone
}

// Check returns up to limit findings.
func (c *Code) Check(limit int) []Finding {
	r := &replay{Code: c, limit: limit, seen: map[[2]int32]bool{}, lean: c.lean}
	in := make([]*state, len(c.starts))
	queued := make([]bool, len(c.starts))
	var work []int
	for b, e := range c.entry {
		if e {
			in[b] = newState()
			work, queued[b] = append(work, b), true
		}
	}
	for len(work) > 0 {
		b := work[0]
		work, queued[b] = work[1:], false
		out := r.block(b, in[b].clone())
		for _, s := range c.succs[b] {
			switch {
			case in[s] == nil:
				in[s] = out.clone()
			case !in[s].join(out):
				continue
			}
			if !queued[s] {
				work, queued[s] = append(work, int(s)), true
			}
		}
	}
	r.report = true
	for b := range c.starts {
		if in[b] != nil && len(r.found) < limit {
			r.block(b, in[b].clone())
		}
	}
	return r.found
}

// block replays block b from s and returns what it leaves behind.
func (r *replay) block(b int, s *state) *state {
	now := int32(0)
	for k := r.starts[b]; k < r.end(b); k++ {
		r.step(int32(k), s, now)
		now += clock(&r.insts[k])
	}
	s.shift(now)
	return s
}

func (r *replay) say(at, from int32, rule string, cell, have, need int) {
	if !r.report || len(r.found) >= r.limit || r.seen[[2]int32{at, from}] {
		return
	}
	r.seen[[2]int32{at, from}] = true
	f := Finding{Rule: rule, At: int(at), From: int(from), Have: have, Need: need, Text: r.insts[at].text}
	if cell >= 0 {
		f.Cell = cellName(uint16(cell))
	}
	if from >= 0 {
		f.Text = fmt.Sprintf("%s (from %04x %s)", f.Text, 16*from, r.insts[from].text)
	}
	r.found = append(r.found, f)
}

// step replays instruction k, which issues at now.
func (r *replay) step(k int32, s *state, now int32) {
	i := &r.insts[k]
	r.fields(k)
	r.wait(k, s, now)
	r.spacing(k, s, now)
	if i.never {
		return
	}
	r.conflicts(k, s, now)
	r.cover(i, s)
	r.leave(k, s, now)
	r.pass(k, s, now)
}

// fields checks the values of the control fields alone.
func (r *replay) fields(k int32) {
	i := &r.insts[k]
	if i.ctrl.Stay && (i.ctrl.Stall == 0 || i.ctrl.Stall >= 12) {
		r.say(k, -1, "stall that a warp cannot keep its turn for", -1, 0, 0)
	}
	if r.table.sm >= 90 && untold(i) && !i.never && !r.fencedAgain(k) {
		r.say(k, -1, "no barrier tells when it is over", -1, 0, 0)
	}
	if held(i) && (i.ctrl.Stall != 0 || i.ctrl.Stay) {
		r.say(k, -1, "the warp goes on before it is over", -1, int(i.ctrl.Stall), 0)
	}
	if need := r.table.minStall(i); int(i.ctrl.Stall) < need {
		r.say(k, -1, "stall too short for the operation", -1, int(i.ctrl.Stall), need)
	}
}

// wait drops what the barriers announce.
func (r *replay) wait(k int32, s *state, now int32) {
	i := &r.insts[k]
	mask := i.ctrl.Wait
	for b := range uint8(6) {
		if mask>>b&1 != 0 && now-s.set[b] < 2 {
			r.say(k, -1, "wait for barrier "+strconv.Itoa(int(b))+" too soon after it is set", -1, int(now-s.set[b]), 2)
		}
	}
	open, some := depbar(i)
	if open == 0 {
		mask |= some
	}
	if i.is("BAR") && r.table.sm < 80 { // stores have read what they store when threads meet
		s.facts = slices.DeleteFunc(s.facts, func(f fact) bool { return f.what == openRead && r.insts[f.inst].class == "sts" })
	}
	s.fence &^= mask
	s.init &^= mask
	groups := -1
	if i.is("WARPGROUP") && i.has("DEPBAR") {
		groups = lastNumber(i.text)
	}
	if mask|some == 0 && groups < 0 {
		return
	}
	for n := range s.facts {
		s.facts[n].leans |= s.facts[n].lent & mask
	}
	s.facts = slices.DeleteFunc(s.facts, func(f fact) bool {
		matrix := f.what == matrixWrite || f.what == matrixRead
		fetch := (f.bars|f.lent)&some != 0 && returns(&r.insts[f.inst]) == counted
		over := f.bars | f.lent
		if r.lean != nil {
			over = f.bars
		}
		return over&mask != 0 || matrix && groups >= 0 && int(f.groups) > groups || fetch && int(f.groups) > open
	})
}

// depbar returns how many operations DEPBAR leaves pending on which barrier.
func depbar(i *inst) (open int, bar uint8) {
	_, rest, ok := strings.Cut(i.text, " SB")
	if !i.is("DEPBAR") || !ok || rest == "" || rest[0] < '0' || rest[0] > '5' {
		return -1, 0
	}
	return lastNumber(i.text), 1 << (rest[0] - '0')
}

// lastNumber returns the last operand of a text, a number.
func lastNumber(text string) int {
	text = strings.TrimSpace(strings.TrimSuffix(text, ";"))
	w := text[strings.LastIndexAny(text, " ,")+1:]
	n, err := strconv.ParseInt(strings.TrimSuffix(w, ";"), 0, 32)
	if err != nil {
		return -1
	}
	return int(n)
}

// conflicts compares the registers of instruction k with what is pending.
func (r *replay) conflicts(k int32, s *state, now int32) {
	i := &r.insts[k]
	if len(i.reads)+len(i.writes) == 0 {
		return
	}
	for n := range s.facts {
		f := &s.facts[n]
		if f.guard != 0 && f.guard == -i.guard {
			continue
		}
		for _, a := range i.reads {
			if a.cell == f.cell {
				r.read(k, a, f, int(now-f.at))
			}
		}
		for _, a := range i.writes {
			if a.cell == f.cell {
				r.write(k, a, f, int(now-f.at))
			}
		}
	}
	if i.class != "gmma" {
		return
	}
	if s.bare {
		r.say(k, -1, "product before a WARPGROUP.ARRIVE", -1, 0, 0)
	}
	for _, a := range append(slices.Clone(i.reads), i.writes...) {
		if fileOf(a.cell) == fileR && s.dirty.has(a.cell) {
			r.say(k, -1, "register of a warpgroup's product written since it arrived", int(a.cell), 0, 0)
		}
	}
	for _, a := range i.writes {
		if fileOf(a.cell) == fileR && s.seen.has(a.cell) {
			r.say(k, -1, "register that a warpgroup's product writes read since it arrived", int(a.cell), 0, 0)
		}
	}
}

func (r *replay) read(k int32, a access, f *fact, age int) {
	i, from := &r.insts[k], &r.insts[f.inst]
	switch f.what {
	case timedWrite:
		if need := r.table.read(fileOf(a.cell), from.class, f.slot, i.class, a.slot); age < need {
			r.say(k, f.inst, "result read too soon", int(a.cell), age, need)
		}
	case openWrite:
		if f.leans != 0 {
			r.lean(lentWrite, f, k)
			return
		}
		r.say(k, f.inst, "result read without a wait", int(a.cell), 0, 0)
	case matrixWrite:
		if i.class != "gmma" || a.slot != "c" {
			r.say(k, f.inst, "accumulator read before its group is over", int(a.cell), 0, 0)
		}
	}
}

func (r *replay) write(k int32, a access, f *fact, age int) {
	i, from := &r.insts[k], &r.insts[f.inst]
	file, variable := fileOf(a.cell), i.how == 'V'
	switch f.what {
	case timedWrite:
		if need := r.table.write(file, from.class, f.slot, i.class, variable); age < need {
			r.say(k, f.inst, "result overtaken", int(a.cell), age, need)
		}
	case openWrite:
		if f.leans != 0 {
			r.lean(lentWrite, f, k)
		} else if !overtakes(from, i) {
			r.say(k, f.inst, "pending result overwritten", int(a.cell), 0, 0)
		}
	case timedRead:
		if need := r.table.over(file, from.class, f.slot, i.class, variable); age < need {
			r.say(k, f.inst, "register overwritten too soon after a read", int(a.cell), age, need)
		}
	case openRead:
		if f.leans != 0 {
			r.lean(lentRead, f, k)
		} else if !behind(from, i) {
			r.say(k, f.inst, "register overwritten before it is read", int(a.cell), 0, 0)
		} else if r.lean != nil {
			r.lean(orderRead, f, k)
		}
	case matrixWrite, matrixRead:
		if i.class != "gmma" {
			r.say(k, f.inst, "register of a warpgroup's product overwritten", int(a.cell), 0, 0)
		}
	}
}

// cover notes that a barrier of i also speaks for what stands before it in
// the same queue.
func (r *replay) cover(i *inst, s *state) {
	wr, rd := mask(i.ctrl.WrBar), mask(i.ctrl.RdBar)
	if wr|rd == 0 {
		return
	}
	ret := returns(i)
	for n := range s.facts {
		f := &s.facts[n]
		switch f.what {
		case openWrite:
			if ret != 0 && ret == returns(&r.insts[f.inst]) {
				f.lent |= wr
				if wr != 0 && f.groups < 200 {
					f.groups++
				}
			}
		case openRead:
			if speaks(i, &r.insts[f.inst]) {
				f.lent |= wr | rd
			}
		}
	}
}

func mask(bar int8) uint8 {
	if bar == sass.NoBar {
		return 0
	}
	return 1 << bar
}

// leave adds the facts that instruction k leaves behind.
func (r *replay) leave(k int32, s *state, now int32) {
	i := &r.insts[k]
	s.facts = slices.DeleteFunc(s.facts, func(f fact) bool { // the last time around a loop, and what is overwritten
		return f.inst == k || i.guard == 0 && i.isWritten(f.cell)
	})
	for n := range s.facts { // a guard that changes says nothing any more
		f := &s.facts[n]
		if g := max(f.guard, -f.guard); g != 0 && i.isWritten(uint16(g)) {
			f.guard = 0
		}
	}
	guard := i.guard
	if guard != 0 && i.isWritten(uint16(max(guard, -guard))) {
		guard = 0
	}
	base := fact{inst: k, at: now, guard: guard}
	for n, a := range i.reads {
		if a.slot == "g" || slices.ContainsFunc(i.reads[:n], func(b access) bool { return b.cell == a.cell && b.slot != "g" }) {
			continue
		}
		if fileOf(a.cell) == fileR && i.class != "gmma" {
			s.seen.add(a.cell)
		}
		f := base
		f.cell, f.slot, f.what = a.cell, a.slot, timedRead
		switch {
		case i.class == "gmma" && a.slot == "a":
			f.what = matrixRead
		case i.class == "gmma" && a.slot == "c":
			continue
		case r.table.readsLate(i, fileOf(a.cell)):
			f.what, f.bars = openRead, mask(i.ctrl.RdBar)|mask(i.ctrl.WrBar)
		}
		s.facts = append(s.facts, f)
	}
	for _, a := range i.writes {
		f := base
		f.cell, f.slot, f.what = a.cell, a.slot, timedWrite
		switch {
		case i.class == "gmma":
			f.what = matrixWrite
		case i.how == 'V':
			f.what, f.bars = openWrite, mask(i.ctrl.WrBar)
			if i.is("ATOM") && fileOf(a.cell) == fileP { // whether the address is shared memory is known when it is read
				f.bars |= mask(i.ctrl.RdBar)
			}
			f.groups = min(f.bars, 1)
		}
		if fileOf(a.cell) == fileR && i.class != "gmma" {
			s.dirty.add(a.cell)
		}
		if fileOf(a.cell) != fileB {
			s.facts = append(s.facts, f)
		}
	}
}

func (i *inst) isWritten(cell uint16) bool {
	for _, a := range i.writes {
		if a.cell == cell {
			return true
		}
	}
	return false
}

// pass notes barriers and marks, and what goes on elsewhere.
func (r *replay) pass(k int32, s *state, now int32) {
	i := &r.insts[k]
	for _, b := range [...]int8{i.ctrl.WrBar, i.ctrl.RdBar} {
		if b != sass.NoBar && !i.is("USETMAXREG") { // which holds the warp itself
			s.set[b] = now
		}
	}
	if i.class == "gmma" && strings.Contains(i.text, "gsb0") {
		for n := range s.facts {
			if f := &s.facts[n]; f.what == matrixWrite || f.what == matrixRead {
				f.groups = min(f.groups+1, 200)
			}
		}
	}
	if i.is("WARPGROUP") && i.has("ARRIVE") {
		s.dirty, s.seen, s.bare = regs{}, regs{}, false
	}
	if i.is("WARPGROUP") && i.has("DEPBAR") {
		s.bare = true
	}
	for m := range numMarks {
		if m.on(i) {
			s.marks[m] = now
		}
	}
	if markInit.on(i) {
		s.init |= mask(i.ctrl.WrBar)
	}
	if fences(i) {
		s.fence |= mask(i.ctrl.WrBar) | mask(i.ctrl.RdBar)
	}
	if i.elsewhere() && r.table.sm >= 90 {
		for n := range s.facts {
			f := &s.facts[n]
			if f.what == timedWrite && i.calls() {
				if need, age := r.table.settled(fileOf(f.cell), r.insts[f.inst].class), int(now-f.at); age < need {
					r.say(k, f.inst, "result too young for a call", int(f.cell), age, need)
				}
			}
			if unused := f.cell == 1 && r.insts[f.inst].is("LDC"); f.leans == 0 && f.what != timedWrite && f.what != timedRead && !unused {
				r.say(k, f.inst, "still pending where control goes elsewhere", int(f.cell), 0, 0)
			}
		}
	}
}

// Pair names the two operations of a finding.
func (c *Code) Pair(f Finding) string {
	to := c.insts[f.At].words[0]
	if f.From < 0 {
		return to
	}
	return c.insts[f.From].words[0] + " > " + to
}

// fencedAgain reports whether instruction k is a fence with another one right
// behind it, whose barrier is enough for both.
func (r *replay) fencedAgain(k int32) bool {
	const near = 3
	for n := k + 1; r.insts[k].is("FENCE") && n < int32(len(r.insts)) && n <= k+near; n++ {
		if r.insts[n].is("FENCE") {
			return mask(r.insts[n].ctrl.WrBar) != 0
		}
	}
	return false
}
