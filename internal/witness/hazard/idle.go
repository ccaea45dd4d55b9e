package hazard

import (
	"fmt"

	"github.com/goptxas/goptxas/internal/sass"
)

// Needs tells why code may lose its meaning with another control field in
// instruction k; nothing if it keeps it: everything that is pending anywhere is still waited for
// before it is touched, and every two instructions that come closer than they
// were keep a distance at which the reference was seen to put such two. It
// walks along all ways from each instruction by itself, where Check carries
// everything that is pending from block to block; only the tables are the
// same. What no table knows is needed.
func (c *Code) Needs(k int, change func(*sass.Ctrl)) string {
	old := c.insts[k].ctrl
	change(&c.insts[k].ctrl)
	defer func() { c.insts[k].ctrl = old }()
	i := &c.insts[k]
	if i.ctrl.Stall != old.Stall {
		return c.needsStall(k, i)
	}
	if untold(i) {
		return "it has no barrier"
	}
	for j := range c.insts {
		if c.exposed(j) {
			return "what is touched before it was waited for: " + c.insts[j].text
		}
	}
	return ""
}

// next returns the instructions that may follow instruction k.
func (c *Code) next(k int) []int {
	var out []int
	i := &c.insts[k]
	if t := i.target; i.is("BRA") && !i.never && t >= 0 && t < len(c.insts) {
		out = append(out, t)
	}
	if i.falls() && !i.calls() && k+1 < len(c.insts) {
		out = append(out, k+1)
	}
	return out
}

// exposed reports whether something that instruction j leaves pending is
// touched on some way before it is waited for.
func (c *Code) exposed(j int) bool {
	i := &c.insts[j]
	if i.never || i.class == "gmma" {
		return false
	}
	wr, rd := mask(i.ctrl.WrBar), mask(i.ctrl.RdBar)
	if told := i.tells(); told != nil && wr|rd != 0 && c.touched(j, wr|rd, journey{stop: told}) {
		return true
	}
	if i.how == 'V' {
		for _, a := range i.writes {
			own := wr
			if i.is("ATOM") && fileOf(a.cell) == fileP {
				own |= rd
			}
			if fileOf(a.cell) != fileB && c.touched(j, own, journey{cell: a.cell, result: true}) {
				return true
			}
		}
	}
	for _, a := range i.reads {
		if a.slot != "g" && c.table.readsLate(i, fileOf(a.cell)) && c.touched(j, wr|rd, journey{cell: a.cell}) {
			return true
		}
	}
	return false
}

// tells returns what must not come before the barrier of i was waited for,
// where that is no register.
func (i *inst) tells() func(*inst) bool {
	switch {
	case fences(i):
		return fenced
	case markInit.on(i):
		return func(x *inst) bool { return x.is("BAR") }
	}
	return nil
}

// journey is what a walk looks for: somebody who touches a register, or for
// whom stop is true.
type journey struct {
	cell   uint16
	result bool // a result is pending, else a read
	stop   func(*inst) bool
}

// place is where a walk is, with the barriers that would tell by now that
// what it is about is over.
type place struct {
	at    int
	bars  uint8
	guard int16
}

// touched walks from instruction j, which announces what the walk is about by
// the barriers own.
func (c *Code) touched(j int, own uint8, w journey) bool {
	from := &c.insts[j]
	seen := map[place]bool{}
	var work []place
	push := func(k int, bars uint8, guard int16) {
		for _, n := range c.next(k) {
			if p := (place{n, bars, guard}); !seen[p] {
				seen[p] = true
				work = append(work, p)
			}
		}
	}
	push(j, own, from.guard)
	for len(work) > 0 {
		p := work[len(work)-1]
		work = work[:len(work)-1]
		x := &c.insts[p.at]
		waits := x.ctrl.Wait
		if open, some := depbar(x); open == 0 {
			waits |= some
		}
		if waits&p.bars != 0 {
			continue
		}
		if !x.never {
			switch c.meets(from, x, p.guard, w) {
			case bad:
				return true
			case over:
				continue
			}
			p.bars |= lends(from, x, w)
			if g := max(p.guard, -p.guard); g != 0 && x.isWritten(uint16(g)) {
				p.guard = 0
			}
		}
		push(p.at, p.bars, p.guard)
	}
	return false
}

const (
	fine = iota
	over // nothing is pending any more
	bad
)

// meets says what x does to what a walk from from is about.
func (c *Code) meets(from, x *inst, guard int16, w journey) int {
	if w.stop != nil {
		if w.stop(x) {
			return bad
		}
		return fine
	}
	if x.elsewhere() && c.table.sm >= 90 && !(w.cell == 1 && from.is("LDC")) {
		return bad
	}
	if guard != 0 && guard == -x.guard {
		return fine
	}
	if w.result {
		for _, a := range x.reads {
			if a.cell == w.cell {
				return bad
			}
		}
	}
	if !x.isWritten(w.cell) {
		return fine
	}
	if w.result || !behind(from, x) {
		return bad
	}
	if x.guard == 0 {
		return over
	}
	return fine
}

// lends returns the barriers of x that also tell that what from left pending
// is over.
func lends(from, x *inst, w journey) uint8 {
	switch {
	case w.stop != nil:
	case w.result && returns(from) != 0 && returns(from) == returns(x):
		return mask(x.ctrl.WrBar)
	case !w.result && speaks(x, from):
		return mask(x.ctrl.WrBar) | mask(x.ctrl.RdBar)
	}
	return 0
}

// needsStall does the same for the distances of instructions.
func (c *Code) needsStall(k int, i *inst) string {
	if int(i.ctrl.Stall) < c.table.minStall(i) || held(i) {
		return "a stall of its own"
	}
	for j := range c.insts {
		if c.insts[j].never {
			continue
		}
		if why := c.closer(j, k); why != "" {
			return why
		}
	}
	return ""
}

// moment is where a walk is, and how many cycles it has gone.
type moment struct {
	at, age int
	past    bool  // it has come through the instruction that was changed
	guard   int16 // of the instruction it started from
}

// closer walks from instruction j for as long as something of it may matter
// and compares what it meets behind k with the tables.
func (c *Code) closer(j, k int) string {
	from := &c.insts[j]
	if why := c.walk(j, k, keepR, c.apart); why != "" || from.how != 'F' {
		return why
	}
	for _, a := range from.writes {
		why := c.walk(j, k, c.table.served(fileOf(a.cell), from.class), func(from, to *inst, m moment) (ok, end bool) {
			if m.guard != 0 && m.guard == -to.guard {
				return true, false
			}
			return c.arrived(from, to, a, m.age), to.guard == 0 && to.isWritten(a.cell)
		})
		if why != "" {
			return why
		}
	}
	return ""
}

// walk follows all ways from j through k for some cycles and asks of each
// instruction behind k whether it may stand there, and whether that is the
// end of the way.
func (c *Code) walk(j, k, cycles int, ask func(from, to *inst, m moment) (ok, end bool)) string {
	seen := map[moment]bool{}
	work := []moment{{j, 0, false, c.insts[j].guard}}
	for len(work) > 0 {
		m := work[len(work)-1]
		work = work[:len(work)-1]
		x := &c.insts[m.at]
		if m.at != j && !x.never {
			ok, end := ask(&c.insts[j], x, m)
			if m.past && !ok {
				return fmt.Sprintf("%d cycles from %s to %s", m.age, c.insts[j].text, x.text)
			}
			if end {
				continue
			}
		}
		if g := max(m.guard, -m.guard); g != 0 && x.isWritten(uint16(g)) {
			m.guard = 0
		}
		age := m.age + int(clock(x))
		if age > cycles {
			continue
		}
		for _, n := range c.next(m.at) {
			if to := (moment{n, age, m.past || m.at == k, m.guard}); !seen[to] {
				seen[to] = true
				work = append(work, to)
			}
		}
	}
	return ""
}

// served is the age at which a result is there for any reader, as at the
// ends of the reference's blocks.
func (t *table) served(f file, c class) int {
	switch {
	case matrix[c] || c == "dmma":
		return 35
	case f == fileP || f == fileUP:
		return 14
	case f == fileUR && (c == "umov" || c == "uldc" || c == "elect" || c == "voteu"):
		return 7
	case f == fileUR:
		return 15
	case c == "fp64" || c == "hmma_fma":
		return 11
	case c == "p2r" || c == "cs2r64":
		return 9
	}
	return 7
}

// arrived reports whether to may stand age cycles behind from, whose result
// is a.
func (c *Code) arrived(from, to *inst, a access, age int) bool {
	t := c.table
	if to.calls() && age < t.settled(fileOf(a.cell), from.class) {
		return false
	}
	if age >= t.served(fileOf(a.cell), from.class) {
		return true
	}
	for _, b := range to.reads {
		if b.cell == a.cell && !t.seenAt(pair{raw, fileOf(a.cell), from.class, to.class, a.slot, b.slot}, age) {
			return false
		}
	}
	for _, b := range to.writes {
		if b.cell == a.cell && from.class != to.class && !t.seenAt(pair{waw, fileOf(a.cell), from.class, to.class, a.slot, b.slot}, age) {
			return false
		}
	}
	return true
}

// apart reports whether instruction to may issue so soon behind from, the
// results of which aside.
func (c *Code) apart(from, to *inst, m moment) (ok, end bool) {
	for n := range gaps {
		if g := &gaps[n]; g.mark.on(from) && c.table.sm >= g.sm && g.to(to) && m.age < g.cycles {
			return false, false
		}
	}
	if (mask(from.ctrl.WrBar)|mask(from.ctrl.RdBar))&to.ctrl.Wait != 0 && m.age < 2 {
		return false, false
	}
	return c.unread(from, to, m.age), false
}

// unread reports whether to may write what from reads at its issue: a cycle
// behind, two if its results come at no fixed time, seven behind a product.
func (c *Code) unread(from, to *inst, age int) bool {
	need := 1
	switch {
	case from.class == "mma1" || from.class == "mma2" || from.class == "qmma":
		need = 7
	case to.how == 'V':
		need = 2
	}
	for _, a := range from.reads {
		least := need
		if f := fileOf(a.cell); f != fileR {
			least = c.table.over(f, from.class, a.slot, to.class, to.how == 'V')
		}
		if late := a.slot != "g" && c.table.readsLate(from, fileOf(a.cell)); !late && to.isWritten(a.cell) && age < least {
			return false
		}
	}
	return true
}

// seenAt reports whether the reference was seen to keep no more than age
// cycles between two.
func (t *table) seenAt(p pair, age int) bool {
	d, ok := t.pairs[p]
	return ok && d.cycles <= age
}
