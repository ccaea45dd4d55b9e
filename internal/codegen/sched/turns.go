package sched

import (
	"cmp"
	"slices"

	"github.com/goptxas/goptxas/internal/codegen/sched/estimate"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/target"
)

// Where exponentials take most of the time, as in the softmax of attention,
// all rows have equal paths, and by paths alone the rows go side by side: the
// maxima of all of them are found before the first exponential can begin.
// There the unit is given to one row after the other: the paths of a row that
// has its turn early are longer by the time that the unit is busy for those
// behind it.

// takeTurns lengthens the heights of a graph by the time that the special
// function unit is busy with what comes later, and reports whether it did.
func (b *grapher) takeTurns(g *graph) bool {
	ops, each := b.exponentials(g)
	if ops == nil {
		return false
	}
	turn := b.turnsOf(g)
	if several(ops, turn, b.tune.Turns.Few) < b.turns {
		return false
	}
	slices.SortStableFunc(ops, func(x, y int32) int { // the last one first
		return cmp.Or(
			cmp.Compare(turn[y], turn[x]),
			cmp.Compare(min(len(g.succs[x]), b.tune.Turns.Reads), min(len(g.succs[y]), b.tune.Turns.Reads)),
			cmp.Compare(y, x),
		)
	})
	end := int32(0)
	for _, k := range ops {
		end = max(end+each, g.height[k])
		g.height[k] = end
	}
	g.heights()
	return true
}

// exponentials returns the operations of the special function unit, if they
// keep it busy for most of the time, and how long each of them does.
func (b *grapher) exponentials(g *graph) (ops []int32, each int32) {
	for k, c := range g.classes {
		if c == target.ClassXu {
			ops = append(ops, int32(k))
		}
	}
	each = int32(b.timing.Busy(target.ClassXu, target.ClassXu))
	if n := each * int32(len(ops)); n < int32(b.tune.Turns.Time) || int32(b.tune.Turns.Share)*n < int32(len(g.instrs)) {
		return nil, each
	}
	return ops, each
}

// relax sets how early instructions may issue by the warps that the words alive in
// plans leave, and reports whether that is earlier than it was.
func (p *presser) relax(f *ori.Func, plans []plan) bool {
	if !p.soft {
		return false
	}
	words := p.most[general]
	for n := range plans {
		words = max(words, plans[n].words)
	}
	was := p.tune.Slack
	p.tune.Slack = max(was, estimate.Slack(f, min(words+reserve, estimate.Cliffs[len(estimate.Cliffs)-1])))
	return p.tune.Slack > was
}

// hasExponentials reports whether exponentials take most of the time of a region.
func (p *presser) hasExponentials(r region) bool {
	ops, _ := p.b.exponentials(p.graph(r.stretch))
	return ops != nil
}

// inTurns arranges f so that rows take turns, where some region has such, and
// reports whether it did. Where registers are short it must cost no spill code.
func (p *presser) inTurns(f *ori.Func, source [][]*ori.Instr, judge Judge) bool {
	full := p.nearlyFull() || p.roomy()
	if full && (judge == nil || p.tune.Manner != 0 || f.Size() > mostTried) {
		return false
	}
	q, any := *p, false
	q.regions = slices.Clone(p.regions)
	for n := range q.regions {
		r := &q.regions[n]
		g := *p.graph(r.stretch)
		g.height = slices.Clone(g.height)
		if p.b.takeTurns(&g) {
			r.stretch = &stretch{block: r.block, far: r.far, instrs: r.instrs, end: r.end, values: r.values, held: r.held, source: r.source, most: r.stretch.most, g: &g}
			any = true
		}
	}
	if !any {
		return false
	}
	q.arrange(f)
	f.Touch()
	if !full || fits(judge) {
		return true
	}
	f.Reorder(source)
	return false
}

// turnsOf finds for each instruction the last one before it whose result comes
// at no known time, those of the unit apart, plus one: of the operations of one
// row that is where its maximum was exchanged.
func (b *grapher) turnsOf(g *graph) []int32 {
	turn := make([]int32, len(g.instrs))
	for k := range g.instrs {
		at := turn[k]
		if c := g.classes[k]; b.timing.Variable(c) && c != target.ClassXu && c != target.ClassGmma {
			at = int32(k) + 1
		}
		for _, e := range g.succs[k] {
			turn[e.to] = max(turn[e.to], at)
		}
	}
	return turn
}

// several counts the turns that have a few operations.
func several(ops, turn []int32, few int) (large int) {
	n := map[int32]int{}
	for _, k := range ops {
		if n[turn[k]]++; n[turn[k]] == few {
			large++
		}
	}
	return large
}
