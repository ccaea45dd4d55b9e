package regalloc

import "github.com/goptxas/goptxas/internal/codegen/regalloc/waits"

// plan is one way to try a file.
type plan struct {
	order    order
	coalesce bool
	small    bool // for functions of few instructions
}

// plans are tried in this order; the first that needs no more registers
// than the fattest point holds words ends the search.
var plans = [...]plan{
	{byStart, true, false},
	{byWidth, true, false},
	{byDepth, true, true},
	{bySize, true, false},
	{byStart, false, false},
	{byWidth, false, true},
}

// fewTrials is the round of spilling from which only one plan is tried.
const fewTrials = 2

// trials tries the plans and returns the best that fits, nil if none does.
// Where what lives at once leaves room below the next step, registers are
// spread first, over a few more than live; else the best plan is tried again
// with a few more than it took. The search goes on while a result lies above a step that the
// fattest point does not, and ends at once where their number is no matter. After spilling, fewer plans are tried: every round
// costs them again.
func (s *solver) trials(class uint8, floor, round int) *trial {
	p := s.sol.Problem
	f := &p.Files[class]
	if s.opts.Squeeze && len(f.Steps) > 1 {
		if f.Crowded(p, class, floor, f.Budget) {
			return nil
		}
		return s.squeeze(class, f.Budget)
	}
	late := !s.opts.NoCoalesce && len(f.Steps) > 0 && waits.Has(p, class)
	step, tried := f.Step(floor), -1 // tried: how far registers were spread by the first plan, in vain
	if late && floor <= step-step/16 {
		tried = f.SpreadTo(floor)
		if t := s.spread(class, plans[0], tried, freeCosts[:1]); t != nil {
			return t
		}
	}
	var best *trial
	var how plan
	n := -1
	for _, pl := range plans {
		if pl.small && len(p.Insts) > s.opts.Effort.Small {
			continue
		}
		n++
		if s.opts.Trials > 0 && n >= s.opts.Trials || pl.coalesce && s.opts.NoCoalesce || round > 0 && n >= 3 || round > fewTrials && n >= 1 {
			continue
		}
		t := newTrial(p, s.groups(pl.coalesce), class, s.room)
		if best != nil {
			t.most = best.used - 1
		}
		switch {
		case t.run(pl.order):
			s.trace("-CLASS %s NOSPILL REGALLOC: attemp %d, used %d, target %d\n", f.Name, n, t.used, f.Budget)
			best, how = t, pl
		case t.used > t.most:
			s.trace("-CLASS %s NOSPILL REGALLOC: attemp %d, no fewer than %d\n", f.Name, n, best.used)
		default:
			s.trace("-CLASS %s NOSPILL REGALLOC: attemp %d, failed, target %d\n", f.Name, n, f.Budget)
		}
		if best != nil && (best.used <= floor+floor/16 && best.used <= max(step, floor) || !pl.coalesce || f.Free) {
			break
		}
	}
	if best != nil && len(f.Steps) > 1 && best.used > step && best.used <= step+squeezed && floor <= step && round == 0 && !f.Crowded(p, class, floor, step) {
		if t := s.squeeze(class, step); t != nil {
			return t
		}
		s.sol.Missed = step
	}
	if best != nil && late && round == 0 {
		costs := freeCosts[:]
		if how == plans[0] && f.SpreadTo(best.used) == tried {
			costs = costs[1:]
		}
		if t := s.spread(class, how, f.SpreadTo(best.used), costs); t != nil {
			return t
		}
	}
	return best
}

// squeezed is by how many registers plans may miss a step that groups are moved for.
const squeezed = 5

// squeeze looks for a place for everything below a step.
func (s *solver) squeeze(class uint8, step int) *trial {
	for n, pl := range [...]plan{{order: byWidth, coalesce: !s.opts.NoCoalesce}, {order: byStart, coalesce: !s.opts.NoCoalesce}} {
		t := newTrial(s.sol.Problem, s.groups(pl.coalesce), class, s.room)
		t.budget = step
		if t.recolour(pl.order, s.opts.Effort.Moves[n]) {
			s.trace("-CLASS %s NOSPILL REGALLOC: squeeze %d, used %d, step %d\n", s.sol.Problem.Files[class].Name, n, t.used, step)
			return t
		}
		s.trace("-CLASS %s NOSPILL REGALLOC: squeeze %d, failed, step %d\n", s.sol.Problem.Files[class].Name, n, step)
	}
	return nil
}

// freeCosts are what a register above all used so far costs below the step:
// waits that are nearly out of range are not worth one. Where so many are
// taken that vectors find no place any more, only shorter distances are.
var freeCosts = [...]int{3, 7, 10}

// spread tries a plan with registers that cost nothing, those up to a step.
// It returns nil where the walk goes beyond at each of the given costs.
func (s *solver) spread(class uint8, pl plan, step int, costs []int) *trial {
	p := s.sol.Problem
	f := &p.Files[class]
	for _, fresh := range costs {
		t := newTrial(p, s.groups(pl.coalesce), class, s.room)
		if t.g.late == nil {
			t.g.late = waits.FactsOf(p, class, t.g.find)
		}
		t.waits = waits.New(t.g.late, step, fresh)
		t.most = step
		if t.run(pl.order) {
			s.trace("-CLASS %s NOSPILL REGALLOC: spread, used %d, step %d\n", f.Name, t.used, step)
			return t
		}
		s.trace("-CLASS %s NOSPILL REGALLOC: spread, failed, step %d\n", f.Name, step)
	}
	return nil
}
