package machine

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/goptxas/goptxas/internal/witness/sim/order"
)

// Asynchronous work. Products of warp groups, bulk and tensor copies and
// LDGSTS run beside the program: an order reads and writes at any time
// between its issue and the wait that covers it. A launch picks the time: at
// once, as late as some wait allows, or by a seed. What the program may rely
// on are the rules of the PTX ISA alone (package order); everything else is
// reported with both places. docs/async.md is the guide.

// Timing says when asynchronous work happens.
type Timing uint8

// Timings.
const (
	AtOnce Timing = iota // and nothing is checked
	AsEarly
	AsLate
	BySeed
)

// Async is the timing of a launch.
type Async struct {
	When Timing
	Seed uint64
}

// ParseAsync reads early, late or seed:N.
func ParseAsync(s string) (Async, error) {
	switch s {
	case "":
		return Async{}, nil
	case "early":
		return Async{When: AsEarly}, nil
	case "late":
		return Async{When: AsLate}, nil
	}
	if n, ok := strings.CutPrefix(s, "seed:"); ok {
		if v, err := strconv.ParseUint(n, 10, 64); err == nil {
			return Async{When: BySeed, Seed: v}, nil
		}
	}
	return Async{}, fmt.Errorf("asynchronous work is early, late or seed:N, not %q", s)
}

// asyncMachine is what a launch keeps for asynchronous work.
type asyncMachine struct {
	when   Timing
	rng    *rand.Rand
	races  order.Races
	actor  *order.Actor // of the access being made; nil: the running warp
	quiet  bool         // accesses that the rules do not speak of: barriers
	regs   []order.Uses // of every instruction
	round  []int        // order of the warps
	global map[uint64]*order.Cell
	places map[uint64]*order.View // what strong accesses of a place released
}

// flight is an order on its way.
type flight struct {
	order.Actor
	run  func()
	done bool
	due  uint64 // step of the block at which it happens, unless waited for
	bar  *order.Barrier
	w    *Warp
}

func newAsync(p *Program, a Async) *asyncMachine {
	m := &asyncMachine{
		when: a.When, rng: rand.New(rand.NewPCG(a.Seed, 1)), global: map[uint64]*order.Cell{}, places: map[uint64]*order.View{},
	}
	for n := range p.insts {
		m.regs = append(m.regs, usedRegs(&p.insts[n].Inst))
	}
	return m
}

// never is the step of something that waits to be waited for.
const never = ^uint64(0)

// start gives an order its time.
func (w *Warp) start(f *flight) {
	m := w.m.async
	if m == nil {
		f.run()
		return
	}
	f.w = w
	switch m.when {
	case AsLate:
		f.due = never
	case BySeed:
		switch m.rng.IntN(4) {
		case 0:
			f.due = never
		case 1:
		default:
			f.due = w.cta.steps + w.steps + uint64(m.rng.IntN(2000))
		}
	}
	if f.due == 0 {
		w.cta.finish(f)
		return
	}
	w.cta.flights = append(w.cta.flights, f)
	w.cta.due = min(w.cta.due, f.due)
}

// pick chooses the warp that runs as the n-th of a round, and for how long:
// a seed changes both.
func (m *asyncMachine) pick(c *cta, n, turn int) (*Warp, int) {
	if m.when != BySeed {
		return c.warps[n], turn
	}
	if n == 0 {
		m.round = m.rng.Perm(len(c.warps))
	}
	return c.warps[m.round[n]], 1 + m.rng.IntN(96)
}

// begin makes a block ready for asynchronous work.
func (c *cta) begin(number uint32) {
	c.number, c.flights, c.due, c.mbars = number, nil, never, nil
	c.shadow = make([]order.Cell, (len(c.shared)+3)/4)
	for n := range c.bars {
		c.bars[n].known = order.View{}
	}
	for _, w := range c.warps {
		w.async = &asyncWarp{}
		w.async.Known.Raise(w.tid(0), 1)
	}
}

// finish lets an order happen.
func (c *cta) finish(f *flight) {
	if f.done {
		return
	}
	f.done = true
	m := c.m.async
	was, at := m.actor, f.w.At
	m.actor, f.w.At = &f.Actor, f.Pc
	f.run()
	m.actor, f.w.At = was, at
}

// end is the end of a block: its shared memory is given back, so nothing may
// still read or write it.
func (c *cta) end() {
	if c.m.async == nil {
		return
	}
	for _, w := range c.warps {
		a := w.async
		for _, f := range append(slices.Concat(a.bulk.closed...), a.bulk.open...) {
			c.m.race(f.Pc, w.At, "is given back while a bulk copy may still read it", "shared memory")
		}
	}
	for _, f := range c.flights {
		if f.bar != nil && f.Proxy {
			c.m.race(f.Pc, f.w.At, "is given back while a bulk copy may still write it", "shared memory")
		}
	}
	c.finishWhere(func(*flight) bool { return true })
}

// finishWhere lets the orders that a wait covers happen.
func (c *cta) finishWhere(covered func(*flight) bool) {
	list := c.flights
	c.flights = nil
	for _, f := range list {
		if covered(f) {
			c.finish(f)
		}
	}
	for _, f := range list {
		if !f.done {
			c.flights = append(c.flights, f)
		}
	}
	c.due = never
	for _, f := range c.flights {
		c.due = min(c.due, f.due)
	}
}

// groups counts what a warp commits and waits for: LDGSTS and bulk copies.
type groups struct {
	open   []*flight
	closed [][]*flight // oldest first
	first  uint32      // groups waited for
}

func (g *groups) commit() {
	g.closed = append(g.closed, g.open)
	g.open = nil
}

// next is the clock of the orders of the open group.
func (g *groups) next() uint32 { return g.first + uint32(len(g.closed)) + 1 }

// wait lets all but keep groups end and returns how many have.
func (g *groups) wait(c *cta, keep int) uint32 {
	for len(g.closed) > keep {
		for _, f := range g.closed[0] {
			c.finish(f)
		}
		g.closed = g.closed[1:]
		g.first++
	}
	return g.first
}

// asyncWarp is what a warp has on its way.
type asyncWarp struct {
	order.View
	fenced order.Clocks // what a MEMBAR covers
	waits  [6][]func()
	copies groups // LDGSTS
	bulk   groups
	sb0    []*groups // announcements of SB0, oldest first
	stored uint32    // groups of bulk stores whose end was waited for
	remote uint32    // stores to other blocks
	atoms  uint32    // atomics of global memory issued
	orders []*productOrder
	groups uint32 // of products, committed
	regs   order.Registers

	commits uint32    // of orders on tensor memory
	stores  []*flight // to tensor memory, that no fence covers

	suspects []suspicion
}

// asyncIssue does what an instruction's wait mask and the time allow, before
// it runs.
func (w *Warp) asyncIssue(i *Inst, mask uint32) {
	c := i.In.Ctrl()
	a := w.async
	for b := range a.waits {
		if c.Wait>>b&1 != 0 {
			w.waited(b)
		}
	}
	if w.cta.due != never && w.cta.steps+w.steps >= w.cta.due {
		now := w.cta.steps + w.steps
		w.cta.finishWhere(func(f *flight) bool { return f.due <= now })
	}
	if len(a.orders) > 0 && w.m.async.when == BySeed && w.m.async.rng.IntN(64) == 0 {
		w.runProducts(1)
	}
	w.guardRegs(i, mask)
	w.announce(i, c.WrBar, c.RdBar)
}

// waited runs what was to happen when barrier b is waited for.
func (w *Warp) waited(b int) {
	a := w.async
	for _, f := range a.waits[b] {
		f()
	}
	a.waits[b] = a.waits[b][:0]
	a.regs.Waited(b)
	if b == 0 && len(a.sb0) > 0 {
		w.waitGroups(0)
	}
}

// whenWaited runs f when the barrier that the instruction sets is waited for.
// Without one nobody can know, and f never runs.
func (w *Warp) whenWaited(i *Inst, f func()) {
	c := i.In.Ctrl()
	for _, b := range [...]int8{c.WrBar, c.RdBar} {
		if b >= 0 && int(b) < len(w.async.waits) {
			w.async.waits[b] = append(w.async.waits[b], f)
			return
		}
	}
}

// waitGroups is DEPBAR.LE SB0, keep.
func (w *Warp) waitGroups(keep int) {
	a := w.async
	for len(a.sb0) > keep {
		g := a.sb0[0]
		a.sb0 = a.sb0[1:]
		n := g.wait(w.cta, len(g.closed)-1)
		if g == &a.copies {
			a.Known.Raise(w.tid(order.TidCopy), n)
		} else {
			a.Known.Raise(w.tid(order.TidBulkRead), n)
			a.stored = max(a.stored, n)
		}
	}
}

// race notes a pair of places.
func (m *machine) race(first, second uint32, what, where string) {
	r := m.async.races.Add(first, second, what)
	if r == nil {
		return
	}
	p := m.prog
	r.Kernel, r.Where = p.kernel.Name, where
	r.First, r.Second, r.FirstPC, r.SecondPC = p.text(first), p.text(second), p.Offset(first), p.Offset(second)
}
