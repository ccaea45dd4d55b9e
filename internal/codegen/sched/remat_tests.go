package sched

import (
	"github.com/goptxas/goptxas/internal/codegen/sched/estimate"
	"github.com/goptxas/goptxas/internal/codegen/sched/remat"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/target"
)

// rematTests makes the tests of stores anew, before the stores, where more
// predicates live than there are: those that guard loads need not live on
// until nothing is left to load, and a row of loads with one test may be done
// with before the next.
//
//	ISETP p = x, n           ISETP p = x, n
//	@p LDG …                 @p LDG …
//	                         ISETP q = x, n
//	@p STG …                 @q STG …
//
// What is compared lives on instead: f stays as it is unless orders do with
// the registers of a step of occupancy less.
func (s *analysis) rematTests(f *ori.Func, a *target.Arch, p *preScheduler) (*analysis, *preScheduler) {
	if p.budget.Limits != nil || estimate.CliffOf(p.peak) == estimate.Cliffs[0] {
		return s, p
	}
	var list []*remat.Test
	last := (*ori.Block)(nil)
	for _, r := range p.regions {
		if r.block != last && r.stretch.most[predicates] > predicateRoom+1 {
			last = r.block
			list = append(list, remat.Tests(f, r.block)...)
		}
	}
	if len(list) == 0 {
		return s, p
	}
	for _, t := range list {
		t.Repeat(f)
	}
	f.Touch()
	u := analyse(f, a, s.tune)
	most := p.peak - 1
	if c := estimate.CliffOf(p.peak); c > 0 {
		most = estimate.Below(c)
	}
	if q := u.within(p.budget, how(s.tune), most); q != nil {
		return u, q
	}
	for _, t := range list {
		t.Undo()
	}
	f.Touch()
	return s, p
}
