package sched

import (
	"github.com/goptxas/goptxas/internal/codegen/sched/estimate"
	"github.com/goptxas/goptxas/internal/codegen/sched/places"
	"github.com/goptxas/goptxas/internal/codegen/sched/remat"
	"github.com/goptxas/goptxas/internal/codegen/sched/tuning"
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
		if below == 0 || over > int32(s.tune.Again) {
			break
		}
		var now tuning.Cost
		var order [][]*ori.Instr
		undo := remat.Later(f, p.fuller(below-estimate.Tight), func() {
			if between { // rarely of use, and as much work as all the rest
				now = p.costs(f)
			}
			order = f.Order()
		})
		if undo == nil {
			break
		}
		f.Touch()
		t := analyse(f, a, s.tune)
		q := t.preScheduler(p.budget, how(s.tune))
		if q.peak+estimate.Tight > below || 100*t.issued(f, q) > float64(100+s.tune.Later)*s.issued(f, p) || between && !q.fills(f, now) {
			undo()
			f.Reorder(order)
			break
		}
		s, p = t, q
	}
	return s, p
}

// costs is about how long f takes with the orders that p comes to.
func (p *preScheduler) costs(f *ori.Func) tuning.Cost {
	limit := p.limit
	_, c := p.found(f)
	p.limit = limit
	return c
}

// fills reports whether the orders of p let more warps run than was so, and take no longer for it.
func (p *preScheduler) fills(f *ori.Func, now tuning.Cost) bool {
	left := p.costs(f)
	return left.Warps > now.Warps && left.Latency <= p.tune.Longest(now, left.Warps)
}

// issued is how many instructions of f run, loops weighed.
func (s *analysis) issued(f *ori.Func, p *preScheduler) (n float64) {
	for k, w := range p.weights(f) {
		n += w * float64(len(p.regions[k].instrs))
	}
	return n
}

// fuller lists the regions and calls that need more than so many words; none, if so many
// do not even live through one of the regions.
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
	for _, x := range p.view(places.UpToBarriers).calls {
		if over := x.words - words; over > 0 {
			list = append(list, remat.Run{First: x.Instr, Last: x.Instr, Over: over})
		}
	}
	return list
}
