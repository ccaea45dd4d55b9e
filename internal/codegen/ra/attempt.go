package ra

import (
	"math"

	"github.com/goptxas/goptxas/internal/codegen/regalloc"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
)

// attempt is an allocation that is not written back into its function.
type attempt struct {
	b *builder
	p *regalloc.Problem
	s *regalloc.Solution
}

// solve looks for an allocation of f: with loose groups held if that needs no
// memory, else without, else with accumulators in memory.
func solve(f *ori.Func, o *Options, how regalloc.Options) (*attempt, error) {
	try := func(keep, loose bool) (*attempt, error) {
		x := &attempt{b: &builder{f: f, opts: o, keep: keep}}
		x.p = x.b.problem()
		if loose && !x.b.holdLoose() {
			return nil, nil
		}
		var err error
		x.s, err = regalloc.Solve(x.p, how)
		return x, err
	}
	keep := flow.HasGroups(f)
	if keep {
		if x, err := try(true, true); x != nil && err == nil && x.s.Slots == 0 {
			return x, nil
		}
	}
	x, err := try(keep, false)
	if err != nil && keep {
		x, err = try(false, false)
	}
	return x, err
}

// fits tells whether f still has the instructions, in the order, that the
// attempt is for.
func (x *attempt) fits(f *ori.Func) bool {
	n := 0
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			if n == len(x.b.instrs) || x.b.instrs[n] != i {
				return false
			}
			n++
		}
	}
	return n == len(x.b.instrs) && len(f.Regs) == len(x.p.VRegs)
}

// Judge tells what orders of a function's instructions cost when its
// registers are assigned. It changes nothing.
type Judge struct {
	f    *ori.Func
	o    Options
	done []*attempt // that allocation would come to as well
	mem  regalloc.Scratch
}

// NewJudge returns a judge of the orders that f will have.
func NewJudge(f *ori.Func, o Options) *Judge {
	o.Trace = nil
	return &Judge{f: f, o: o}
}

// Guess tells quickly about what spill code the order of f would add, weighed
// by loops, and how much of it in memory. It is zero where registers lack only
// in the right places.
func (j *Judge) Guess() (cost, memory float64) {
	b := &builder{f: j.f, opts: &j.o, keep: flow.HasGroups(j.f)}
	return regalloc.Estimate(b.problem(), &j.mem)
}

// Price tells what spill code the order of f would add, weighed by loops, or
// infinity if that is more than a bound, and whether some of it is in memory.
func (j *Judge) Price(most float64) (cost float64, memory bool) {
	x, err := solve(j.f, &j.o, regalloc.Options{NoSplit: j.o.NoSplit, Once: j.o.Quick, First: true, Most: most, Poll: j.f.Poll, Scratch: &j.mem})
	if err != nil {
		return math.Inf(1), true
	}
	if !x.s.Cut {
		j.done = append(j.done, x)
	}
	return x.s.Price(), x.s.Slots > 0 || x.s.Cut
}

// found returns the allocation of the order that f has, if it is known.
func (j *Judge) found() *attempt {
	if j == nil {
		return nil
	}
	for _, x := range j.done {
		if x.fits(j.f) {
			return x
		}
	}
	return nil
}
