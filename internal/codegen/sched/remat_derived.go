package sched

import (
	"math"
	"slices"

	"github.com/goptxas/goptxas/internal/codegen/sched/estimate"
	"github.com/goptxas/goptxas/internal/codegen/sched/remat"
	"github.com/goptxas/goptxas/internal/codegen/sched/tuning"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/target"
)

// excess is how many words more are alive than there are registers for.
func (p *preScheduler) excess() int32 { return p.peak - int32(p.budget.Most) + reserve }

// instead is what an order may cost in place of another of which so much is
// guessed: that guess is as far off as its own was.
func (v *verdict) instead(guess float64) float64 { return tuning.Likely(guess) * v.off() }

// rematDerived makes values again in the blocks that read them and gives f an order
// then, if that costs no more than the first order without is likely to; else
// all stays as it is.
func (s *analysis) rematDerived(f *ori.Func, a *target.Arch, p *preScheduler, source [][]*ori.Instr, judge Judge) bool {
	do := remat.Derivable(f, p.over(f))
	if do == nil {
		return false
	}
	f.Reorder(source)
	p.arrange(f)
	f.Touch()
	guess, memory := judge.Guess(math.Inf(1))
	f.Reorder(source)
	if memory == 0 {
		return false
	}
	slack, full := s.tune.Slack, p.excess()
	var undo []func()
	for do != nil && len(undo) < s.tune.Derived.Rounds && p.short() {
		if len(undo) > 0 {
			do = remat.Derivable(f, p.over(f))
		}
		if do != nil {
			undo = append(undo, do())
			f.Touch()
			s = analyse(f, a, s.tune)
			p = s.preScheduler(p.budget, how(s.tune)).reaching(f)
			if rounds := int32(s.tune.Derived.Rounds); (full-p.excess())*rounds < full/int32(s.tune.Derived.Share)*int32(len(undo)) { // so many rounds will not do
				break
			}
		}
	}
	if p.excess() < full-full/int32(s.tune.Derived.Share) {
		order := f.Order()
		found := s.list(f, order, p, judge)
		if cost, _ := judge.Price(found.instead(guess)); !math.IsInf(cost, 1) {
			s.oversubscribe(f, a, p, found, order, judge)
			return true
		}
	}
	for _, back := range slices.Backward(undo) {
		back()
	}
	s.tune.Slack = slack
	f.Reorder(source)
	return false
}

// over is how many words more are alive in each block than there should be.
func (p *preScheduler) over(f *ori.Func) []int32 {
	over := make([]int32, f.NumBlocks())
	for _, b := range f.Blocks {
		x := &p.byBlock[b.ID]
		over[b.ID] = x[general] + max(0, x[predicates]-predicateRoom-1) - (p.budget.in(b) - reserve - int32(p.tune.Derived.Slack))
	}
	return over
}

// rematStep makes values again in the blocks that read them where few words too
// many are alive there for a step of occupancy, if orders then fit it.
func (s *analysis) rematStep(f *ori.Func, a *target.Arch, p *preScheduler) (*analysis, *preScheduler) {
	below := s.cliffs.StepBelow(p.peak)
	words := below - estimate.Tight
	if below == 0 || p.budget.Limits != nil || p.tune.Manner != 0 || p.peak-words > int32(p.tune.Again) {
		return s, p
	}
	over := make([]int32, f.NumBlocks())
	for _, b := range f.Blocks {
		over[b.ID] = p.byBlock[b.ID][general] - words
	}
	order := f.Order()
	back := remat.Derived(f, over)
	if back == nil {
		return s, p
	}
	f.Touch()
	t := analyse(f, a, s.tune)
	if q := t.within(p.budget, how(s.tune), words); q != nil {
		return t, q
	}
	back()
	f.Reorder(order)
	f.Touch()
	return s, p
}
