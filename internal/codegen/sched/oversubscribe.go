package sched

import (
	"math"

	"github.com/goptxas/goptxas/internal/codegen/sched/remat"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/target"
)

// Where nearly all registers are taken, an order within them has few loads in
// flight: at worst each waits for the one before it. Values that the
// region does not need, like pointers of later copies, are then better off in
// memory for a while: a trip there takes a few cycles, a load that nobody
// overlaps hundreds.

// oversubscribeSteps is for how many numbers of registers beyond those there are orders
// are made.
const oversubscribeSteps = 4

// Guesses below fewGuessed say nothing about others, and none is taken to be
// off by more than mostOff.
const (
	fewGuessed = 20
	mostOff    = 3
)

// total is about how long an order takes with its spill code.
func (v *verdict) total(t *Tuning) float64 { return t.Spilled(v.time, v.cost) }

// off is how many times more than was guessed the spill code of an order
// costs.
func (v *verdict) off() float64 {
	if v.guess < fewGuessed || v.cost < v.guess {
		return 1
	}
	return min(v.cost/v.guess, mostOff)
}

// oversubscribe gives f an order that is made for more registers than there are, if it
// is so much faster than the best one so far that its spill code pays.
func (s *analysis) oversubscribe(f *ori.Func, a *target.Arch, p *preScheduler, best verdict, source [][]*ori.Instr, judge Judge) {
	if best.order == nil || best.time.Latency == 0 || p.budget.Limits != nil || math.IsInf(best.cost, 1) || !p.waits(f, &best) {
		return
	}
	best.time.Memory = p.traffic(f)
	off, first := best.off(), best
	beyond := int32(0) // registers that best is made for beyond those there are
	for n := range oversubscribeSteps {
		how := best.how
		how.less = -int32((n + 1) * s.tune.Ample)
		f.Reorder(source)
		q := s.preScheduler(p.budget, how)
		x := verdict{made: made{how: how, time: q.arrange(f)}, memory: true}
		x.time.Memory = best.time.Memory
		f.Touch()
		most := s.tune.Affordable(x.time, best.total(s.tune)*s.tune.Gain())
		if most <= 0 {
			continue
		}
		if x.guess, _ = judge.Guess(most); x.guess*off > most {
			continue
		}
		x.order = f.Order()
		if x.cost, x.memory = judge.Price(most); x.cost < most {
			beyond = int32((n + 1) * s.tune.Ample)
			x.how = best.how
			best = x
		}
	}
	if !first.memory && best.memory {
		if s.spare(f, a, p, best, beyond, source, judge) {
			return
		}
		if a.Family >= target.Blackwell { // nobody has timed there what memory for loads in flight gains; an H200 gains 2.5 % in the mean of full kernels
			best = first
		}
	}
	f.Reorder(best.order)
}

// spareSteps is for how many registers beyond those there are orders are made
// that are to need no memory: allocation makes constants again by itself.
var spareSteps = [...]int32{16, 8, 0}

// spare does without the memory of an order that is made for so many registers
// beyond those there are, where none was needed before: what lives through all
// regions that would use them is made again behind these. It reports whether
// that goes and takes no longer; else all stays as it is.
func (s *analysis) spare(f *ori.Func, a *target.Arch, p *preScheduler, best verdict, beyond int32, source [][]*ori.Instr, judge Judge) bool {
	f.Reorder(source)
	var undo func()
	for over := beyond; over > 0 && undo == nil; over /= 2 {
		undo = remat.Later(f, p.beyond(over), func() {})
	}
	if undo == nil {
		return false
	}
	order := f.Order()
	f.Touch()
	t := analyse(f, a, s.tune)
	for _, more := range spareSteps {
		how := best.how
		how.less = -more
		f.Reorder(order)
		x := verdict{made: made{how: how, time: t.preScheduler(p.budget, how).arrange(f)}}
		x.time.Memory = best.time.Memory
		f.Touch()
		if x.cost, x.memory = judge.Price(best.cost); !x.memory && x.total(s.tune) <= best.total(s.tune) {
			return true
		}
	}
	undo()
	f.Touch()
	return false
}

// beyond lists the regions that come to hold so many words more than there are
// registers where orders may, and through which as many live.
func (p *preScheduler) beyond(words int32) (runs []remat.Run) {
	for n := range p.regions {
		r := &p.regions[n]
		if r.held.through[general] >= words && r.most[general] > int32(p.budget.Most)-reserve-words {
			runs = append(runs, remat.Run{First: r.instrs[0], Last: r.instrs[len(r.instrs)-1], Over: words})
		}
	}
	return runs
}

// perByte is for how many cycles a scheduler's part of memory is busy with a byte that each thread
// of a warp loads or stores: an H200 gives a multiprocessor some 20 bytes a cycle.
const perByte = 6

// traffic is for how long global memory is busy with what a warp loads and stores: loads
// of so many warps that this is what they wait for need not be in flight together.
func (p *preScheduler) traffic(f *ori.Func) (cycles float64) {
	for n, w := range p.weights(f) {
		for _, i := range p.regions[n].instrs {
			if i.Op.Space() == op.SpaceGlobal {
				cycles += w * perByte * float64(width(i))
			}
		}
	}
	return cycles
}

// width is how many bytes an access loads or stores.
func width(i *ori.Instr) int {
	switch m := i.Mods; {
	case m.Has(op.M128):
		return 16
	case m.Has(op.M64):
		return 8
	case m.Has(op.MU16) || m.Has(op.MS16):
		return 2
	case m.Has(op.MU8) || m.Has(op.MS8):
		return 1
	}
	return 4
}

// waits reports whether an order takes longer than others could.
func (p *preScheduler) waits(f *ori.Func, best *verdict) bool {
	if !p.nearlyFull() && !p.roomy() {
		return false
	}
	least := best.time
	least.Latency, least.Memory = 0, p.traffic(f)
	for n, w := range p.weights(f) {
		least.Latency += w * float64(p.graph(p.regions[n].stretch).Shortest())
	}
	return p.tune.Affordable(least, best.total(p.tune)*p.tune.Gain()) > 0
}
