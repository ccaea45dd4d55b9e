package sched

import (
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
	if p.budget.Limits != nil || p.cliffs.Of(p.peak) == p.cliffs.First() {
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
	columns := remat.Columns(f, list)
	for _, t := range list {
		t.Repeat(f)
	}
	f.Touch()
	u := analyse(f, a, s.tune)
	if crowd := p.crowd(); crowd > int32(p.budget.Most)-reserve {
		v, q := u.rematColumns(f, a, u.preScheduler(p.budget, how(s.tune)), list, columns)
		if q.crowd() < crowd {
			return v, q
		}
	} else {
		most := p.peak - 1
		if c := p.cliffs.Of(p.peak); c > 0 {
			most = p.cliffs.Below(c)
		}
		if q := u.within(p.budget, how(s.tune), most); q != nil {
			return u, q
		}
	}
	for _, t := range list {
		t.UndoColumn()
		t.Undo()
	}
	f.Touch()
	return s, p
}

// rematColumns makes what these tests compare again, too, where many columns are
// made from one, if there are not enough registers without.
func (s *analysis) rematColumns(f *ori.Func, a *target.Arch, p *preScheduler, list []*remat.Test, columns bool) (*analysis, *preScheduler) {
	crowd := p.crowd()
	if !columns || crowd <= int32(p.budget.Most)-reserve {
		return s, p
	}
	for _, t := range list {
		t.Column(f)
	}
	f.Touch()
	u := analyse(f, a, s.tune)
	if q := u.preScheduler(p.budget, how(s.tune)); q.crowd() < crowd {
		return u, q
	}
	for _, t := range list {
		t.UndoColumn()
	}
	f.Touch()
	return s, p
}

// crowd is the most words that are alive where predicates that do not find room
// take one each.
func (p *preScheduler) crowd() (most int32) {
	for n := range p.regions {
		r := &p.regions[n]
		most = max(most, r.most[general]+max(0, r.most[predicates]-predicateRoom-1))
	}
	return most
}
