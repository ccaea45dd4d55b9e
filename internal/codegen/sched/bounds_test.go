package sched

import (
	"math"
	"testing"

	"github.com/goptxas/goptxas/internal/codegen/sched/dag"
	"github.com/goptxas/goptxas/internal/codegen/sched/estimate"
	"github.com/goptxas/goptxas/internal/codegen/sched/table"
	"github.com/goptxas/goptxas/internal/codegen/sched/tuning"
	"github.com/goptxas/goptxas/internal/target"
)

// TestBounds: a plan that ends early would have taken as long as was said, no
// plan is shorter than the shortest, and no order needs fewer words than the least
// or ends early that would have kept its bound.
func TestBounds(t *testing.T) {
	usual := Usual()
	for _, pairs := range []int{4, 20, 40} {
		f, _ := streams(pairs)
		s := analyse(f, target.Find("sm_90a"), &usual)
		p := s.preScheduler(Budget{Most: 40}, strategy{})
		for n := range p.regions {
			r := &p.regions[n]
			for _, w := range ways {
				if x := s.bottomUpWithin(r.stretch, w, anyOrder); x.most[general] < r.least[general] {
					t.Errorf("%d pairs: %d words, at least %d", pairs, x.most[general], r.least[general])
				}
				x := s.bottomUpWithin(r.stretch, w, anyOrder)
				r.held.sort(x.order)
				if most := r.held.measure(table.Inverse(nil, x.order), &s.steps); most != x.most {
					t.Errorf("%d pairs: %v words counted, %v alive", pairs, x.most, most)
				}
				for _, room := range []int32{x.most[general] - 1, x.most[general]} {
					fit := bound{math.MaxInt32, room, math.MaxInt32}
					if order, _ := bottomUp(s.bottomUpFacts(r.stretch, w), r.held, w, nil, fit); (order != nil) != (room >= x.most[general]) {
						t.Errorf("%d pairs: %d words, an order within %d: %v", pairs, x.most[general], room, order != nil)
					}
				}
			}
			for _, x := range r.bottomUps {
				full := p.move(&region{stretch: r.stretch, base: x.order, most: x.most}, dag.ByPath, false, p.limit, math.MaxInt32)
				if full.cycles < s.graph(r.stretch).Shortest() {
					t.Errorf("%d pairs: %d cycles, at least %d", pairs, full.cycles, s.graph(r.stretch).Shortest())
				}
				for _, enough := range []int32{full.cycles / 2, full.cycles, full.cycles + 1} {
					cut := p.move(&region{stretch: r.stretch, base: x.order, most: x.most}, dag.ByPath, false, p.limit, enough)
					if (cut.order == nil) != (full.cycles >= enough) || cut.order == nil && cut.cycles < enough {
						t.Errorf("%d pairs: %d cycles, ends at %d with %d", pairs, full.cycles, enough, cut.cycles)
					}
				}
			}
		}
	}
}

// TestWorthwhile: plans below the latency are better, those above are not, and
// a kernel is planned again with more registers only if it can come below.
func TestWorthwhile(t *testing.T) {
	usual := Usual()
	f, _ := streams(20)
	f.Props.SharedBytes = 100 << 10
	s := analyse(f, target.Find("sm_90a"), &usual)
	p := s.preScheduler(Budget{Most: 255}, strategy{})
	plans, weights := make([]plan, len(p.regions)), make([]float64, len(p.regions))
	held := 0
	for n := range p.regions {
		weights[n] = 1
		if plans[n] = p.plan(&p.regions[n], math.MaxInt32, math.MaxInt32); plans[n].held {
			held++
		}
	}
	now := p.cost(f, plans, weights, estimate.Tight)
	if held == 0 || !p.raise() {
		t.Fatal("registers last")
	}
	most := p.worthwhile(f, now, 0)
	if !p.tune.IsBetter(tuning.Cost{Latency: most - 2, Issue: now.Issue, Warps: now.Warps}, now) || p.tune.IsBetter(tuning.Cost{Latency: most + 2, Issue: now.Issue, Warps: now.Warps}, now) {
		t.Errorf("%v is no border below %v", most, now.Latency)
	}
	trial := make([]plan, len(plans))
	if done, more := p.replan(trial, plans, weights, 1, 1); done || more {
		t.Error("planned again for nothing")
	}
	if done, _ := p.replan(trial, plans, weights, most, most); !done || p.cost(f, trial, weights, reserve).Latency >= most {
		t.Error("not planned again")
	}
}
