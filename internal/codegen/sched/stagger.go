package sched

import (
	"slices"

	"github.com/goptxas/goptxas/internal/codegen/sched/estimate"
	"github.com/goptxas/goptxas/internal/codegen/sched/tuning"
	"github.com/goptxas/goptxas/internal/ori"
)

// relax sets how early instructions may issue by the warps that the words alive in
// plans leave, and reports whether that is earlier than it was.
func (p *preScheduler) relax(f *ori.Func, plans []plan) bool {
	if !p.soft {
		return false
	}
	words := p.most[general]
	for n := range plans {
		words = max(words, plans[n].words)
	}
	was := p.tune.Slack
	p.tune.Slack = max(was, estimate.Slack(f, min(words+reserve, estimate.Most), &p.tune.Slacks))
	return p.tune.Slack > was
}

// hasExponentials reports whether exponentials take most of the time of a region.
func (p *preScheduler) hasExponentials(r region) bool {
	ops, _ := p.b.Exponentials(p.graph(r.stretch))
	return ops != nil
}

// staggerRows arranges f so that rows take turns, where some region has such, and
// reports whether it did and about how long that takes. Where registers are short it must cost no spill code.
func (p *preScheduler) staggerRows(f *ori.Func, source [][]*ori.Instr, judge Judge) (time tuning.Cost, done bool) {
	full := p.nearlyFull() || p.roomy()
	if full && (judge == nil || p.tune.Manner != 0 || f.Size() > p.tune.Tried) {
		return time, false
	}
	q, any := *p, false
	q.regions = slices.Clone(p.regions)
	for n := range q.regions {
		r := &q.regions[n]
		g := *p.graph(r.stretch)
		g.Height = slices.Clone(g.Height)
		if p.b.TakeTurns(&g) {
			r.stretch = &stretch{block: r.block, far: r.far, instrs: r.instrs, end: r.end, values: r.values, held: r.held, source: r.source, most: r.stretch.most, g: &g}
			any = true
		}
	}
	if !any {
		return time, false
	}
	time = q.arrange(f)
	f.Touch()
	if !full || fits(judge) {
		return time, true
	}
	f.Reorder(source)
	return time, false
}
