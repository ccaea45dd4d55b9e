package sched

import (
	"github.com/goptxas/goptxas/internal/codegen/sched/estimate"

	"github.com/goptxas/goptxas/internal/codegen/sched/remat"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/target"
)

// rematLater makes values again behind the regions that need the most, as long as
// orders then do with the registers of a step of occupancy less.
func (s *analysis) rematLater(f *ori.Func, a *target.Arch, p *preScheduler) (*analysis, *preScheduler) {
	for p.budget.Limits == nil {
		below := s.cliffs.StepBelow(p.peak)
		// at what keeps its place between regions there may be too many words, too
		over := p.most[general] + estimate.Tight - below
		between := over > 0
		if below == 0 || between && (p.peak <= int32(s.tune.Crowded) || over > int32(s.tune.Again)) {
			break
		}
		var warps float64
		if between {
			warps = p.warps(f)
		}
		order := f.Order()
		undo := remat.Later(f, p.fuller(below-estimate.Tight))
		if undo == nil {
			break
		}
		f.Touch()
		t := analyse(f, a, s.tune)
		q := t.preScheduler(p.budget, how(s.tune))
		if q.peak+estimate.Tight > below || 100*t.issued(f, q) > float64(100+s.tune.Later)*s.issued(f, p) || between && q.warps(f) <= warps {
			undo()
			f.Reorder(order)
			break
		}
		s, p = t, q
	}
	return s, p
}

// warps is how many share a scheduler with the orders that p comes to.
func (p *preScheduler) warps(f *ori.Func) float64 {
	limit := p.limit
	_, c := p.found(f)
	p.limit = limit
	return c.Warps
}

// issued is how many instructions of f run, loops weighed.
func (s *analysis) issued(f *ori.Func, p *preScheduler) (n float64) {
	for k, w := range p.weights(f) {
		n += w * float64(len(p.regions[k].instrs))
	}
	return n
}

// fuller lists the regions that need more than so many words; none, if so many
// do not even live through one of them.
func (p *preScheduler) fuller(words int32) (list []remat.Run) {
	for n := range p.regions {
		r := &p.regions[n]
		over := r.most[general] - words
		switch {
		case over <= 0:
		case over > r.held.through[general]:
			return nil
		default:
			list = append(list, remat.Run{First: r.instrs[0], Last: r.instrs[len(r.instrs)-1], Over: over})
		}
	}
	return list
}
