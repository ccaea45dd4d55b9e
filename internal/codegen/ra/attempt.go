package ra

import (
	"errors"
	"math"
	"slices"

	"github.com/goptxas/goptxas/internal/codegen/regalloc"
	"github.com/goptxas/goptxas/internal/codegen/regalloc/stores"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/target"
)

// attempt is an allocation that is not written back into its function.
type attempt struct {
	b *builder
	p *regalloc.Problem
	s *regalloc.Solution

	crossed bool // what loose operations read is overwritten before they are over
}

// solve looks for an allocation of f: with loose groups held if that needs no
// memory, else without, else with waits for matrices that are read, else with
// accumulators in memory. What is of use only without memory ends where it would
// need some. What blocks hold is kept in h.
func solve(f *ori.Func, o *Options, how regalloc.Options, h *held) (*attempt, error) {
	may := how.Memory
	if o.Arch != nil && o.Arch.Family >= target.Blackwell && !o.Plain {
		how.Dry = dry
	}
	build := func(keep, waits bool) *attempt {
		x := &attempt{b: &builder{f: f, opts: o, keep: keep, waits: waits, held: h}}
		x.p = x.b.problem()
		return x
	}
	try := func(x *attempt, memory func() bool) (_ *attempt, err error) {
		how.Memory = memory
		if x.s, err = regalloc.Solve(x.p, how); err == nil {
			stores.Drop(x.s)
		}
		return x, err
	}
	keep, loose := flow.HasGroups(f), false
	x := build(keep, false)
	if keep && x.b.holdLoose() {
		if x, err := try(x, never); err == nil {
			return x, nil
		}
		x, loose = build(keep, false), true
	}
	var y *attempt // with waits, without memory
	mayWait := keep && x.b.reads && (how.Most == 0 || how.Most >= crossing)
	memory := may
	if mayWait {
		memory = func() bool {
			z, bad := try(build(true, true), never)
			if bad == nil {
				y = z
			}
			return bad != nil && (may == nil || may())
		}
	}
	x, err := try(x, memory)
	if err != nil && mayWait && y == nil {
		if z, bad := try(build(true, true), may); bad == nil {
			y = z
		}
	}
	if y != nil {
		x, err = y, nil
	}
	if err != nil && keep && !errors.Is(err, regalloc.ErrDear) { // accumulators in memory are no cheaper
		x, err = try(build(false, false), may)
	}
	x.crossed = loose || y != nil
	return x, err
}

// dry is how many times as much values that are made again may cost as those that would go to memory, from
// sm_100 on, where nobody has timed either: code that needs no memory gets none. Before, what costs less is done.
const dry = 8

// fits tells whether f still has the instructions, in the order, that the
// attempt is for.
func (x *attempt) fits(f *ori.Func) bool { return x.b.fits(f) }

// fits tells that of what the problem was made for.
func (x *builder) fits(f *ori.Func) bool {
	n := 0
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			if n == len(x.instrs) || x.instrs[n] != i {
				return false
			}
			n++
		}
	}
	return n == len(x.instrs) && len(f.Regs) == len(x.p.VRegs)
}

// Judge tells what orders of a function's instructions cost when its
// registers are assigned. It changes nothing.
type Judge struct {
	f    *ori.Func
	o    Options
	all  int        // registers there are
	done []*attempt // that allocation would come to as well, within the registers they were asked for
	mem  regalloc.Scratch
	held held // in all orders

	guess *guess // the last without a bound
	regs  int    // that f had when that was asked
}

// NewJudge returns a judge of the orders that f will have. From its first
// question on nothing but the order inside blocks may change, or else the number
// of registers does.
func NewJudge(f *ori.Func, o Options) *Judge {
	o.Trace = nil
	return &Judge{f: f, o: o}
}

// Within judges for kernels of so many registers, or of as many as there are
// if that is 0, and tells how many of them the function has.
func (j *Judge) Within(registers int) int {
	if j.all == 0 {
		j.all = j.o.Registers
	}
	j.o.Registers = j.all
	if registers > 0 {
		j.o.Registers = min(j.all, registers-j.o.Hidden)
	}
	return j.o.Registers
}

// guess is what was guessed of an order.
type guess struct {
	b            *builder
	registers    int
	cost, memory float64
}

// look forgets what was known of another number of registers.
func (j *Judge) look() {
	if j.regs != len(j.f.Regs) {
		j.regs, j.held = len(j.f.Regs), held{}
	}
}

// Guess tells quickly about what spill code the order of f would add, weighed
// by loops, and how much of it in memory. It is zero where registers lack only
// in the right places, and infinite if memory costs more than most, or if that
// is below zero and anything lacks.
func (j *Judge) Guess(most float64) (cost, memory float64) {
	j.look()
	if x := j.guess; x != nil && most >= 0 && x.registers == j.o.Registers && x.b.fits(j.f) {
		if x.memory > most {
			return math.Inf(1), math.Inf(1)
		}
		return x.cost, x.memory
	}
	estimate := func(waits bool, most float64) (b *builder, cost, memory float64) {
		b = &builder{f: j.f, opts: &j.o, keep: flow.HasGroups(j.f), waits: waits, held: &j.held}
		cost, memory = regalloc.Estimate(b.problem(), &j.mem, most)
		return b, cost, memory
	}
	b, cost, memory := estimate(false, most)
	if memory > 0 && b.reads && most >= 0 {
		if _, c, m := estimate(true, 0); m == 0 {
			cost, memory = c+crossing, m
		}
	}
	if math.IsInf(most, 1) {
		j.guess = &guess{b, j.o.Registers, cost, memory}
	}
	return cost, memory
}

// Price tells what spill code the order of f would add, weighed by loops, or
// infinity if that is more than a bound, and whether some of it is in memory.
func (j *Judge) Price(most float64) (cost float64, memory bool) {
	j.look()
	x := j.found()
	if x == nil {
		var err error
		if x, err = solve(j.f, &j.o, regalloc.Options{NoSplit: j.o.NoSplit, Once: j.o.Quick, First: true, Most: most, Effort: j.o.Effort, Poll: j.f.Poll, Scratch: &j.mem}, &j.held); err != nil {
			return math.Inf(1), true
		}
		if !x.s.Cut {
			j.done = append(j.done, x)
		}
	}
	return x.price(most)
}

// price is what Price tells of an allocation.
func (x *attempt) price(most float64) (cost float64, memory bool) {
	if cost = x.s.Price(); most > 0 && cost > most {
		return math.Inf(1), true
	}
	if x.crossed {
		cost += crossing
	}
	return cost, x.s.Slots > 0 || x.s.Cut
}

// Dry tells what Price does where that needs no memory, else infinity, for which
// nothing is spilled to memory.
func (j *Judge) Dry(most float64) (cost float64) {
	j.look()
	x := j.found()
	if x == nil {
		var err error
		if x, err = solve(j.f, &j.o, regalloc.Options{NoSplit: j.o.NoSplit, Once: j.o.Quick, First: true, Most: most, Memory: never, Effort: j.o.Effort, Poll: j.f.Poll, Scratch: &j.mem}, &j.held); err != nil {
			return math.Inf(1)
		}
		if !x.s.Cut {
			j.done = append(j.done, x)
		}
	}
	cost, memory := x.price(most)
	if memory {
		return math.Inf(1)
	}
	return cost
}

// never says that nothing may go to memory.
func never() bool { return false }

// Places tells whether everything in the order of f finds a register, or moves to one of another file
// where its own is full.
func (j *Judge) Places() bool {
	j.look()
	if j.missed() {
		return false
	}
	x, err := solve(j.f, &j.o, regalloc.Options{NoSpill: true, Squeeze: true, Effort: j.o.Effort, Poll: j.f.Poll, Scratch: &j.mem}, &j.held)
	if err != nil || x.crossed {
		return false
	}
	j.done = append(j.done, x)
	return true
}

// missed reports whether an allocation of the order that f has, within more registers, did without
// spill code and has looked for places for all groups below the number that is asked for now: nothing
// of that is another, and it would be in vain again. What solve tries then is crossed.
func (j *Judge) missed() bool {
	keep := flow.HasGroups(j.f)
	return slices.ContainsFunc(j.done, func(x *attempt) bool {
		return x.s.Missed == j.o.Registers && x.s.Spills+x.s.Reloads == 0 && !x.crossed && x.b.keep == keep && x.fits(j.f)
	})
}

// Keep remembers the registers of the order that f has, for which spill code may
// be needed, and tells whether none is in memory.
func (j *Judge) Keep() bool {
	j.look()
	if x := j.found(); x != nil {
		return x.s.Slots == 0
	}
	x, err := solve(j.f, &j.o, regalloc.Options{NoSplit: j.o.NoSplit, Once: j.o.Quick, Effort: j.o.Effort, Poll: j.f.Poll, Scratch: &j.mem}, &j.held)
	if err != nil {
		return false
	}
	j.done = append(j.done, x)
	return x.s.Slots == 0
}

// Takes tells how many registers the order that f has is given, with those that are
// hidden, and whether some are in memory.
func (j *Judge) Takes() (registers int, memory bool) {
	j.Keep()
	x := j.found()
	if x == nil {
		return j.o.Registers + j.o.Hidden, true
	}
	return x.s.Used[fileR] + j.o.Hidden, x.s.Slots > 0
}

// crossing is the price of waits between products that are loose: of orders
// without spill code one that needs none is better.
const crossing = 1

// found returns the allocation of the order that f has, if it is known.
func (j *Judge) found() *attempt {
	if j == nil {
		return nil
	}
	for _, x := range j.done {
		if x.b.p.Files[fileR].Budget == j.o.Registers && x.fits(j.f) {
			return x
		}
	}
	return nil
}
