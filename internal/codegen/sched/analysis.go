package sched

import (
	"slices"

	"github.com/goptxas/goptxas/internal/codegen/abi"
	"github.com/goptxas/goptxas/internal/codegen/sched/dag"
	"github.com/goptxas/goptxas/internal/codegen/sched/estimate"
	"github.com/goptxas/goptxas/internal/codegen/sched/heap"
	"github.com/goptxas/goptxas/internal/codegen/sched/places"
	"github.com/goptxas/goptxas/internal/codegen/sched/profile"
	"github.com/goptxas/goptxas/internal/codegen/sched/table"
	"github.com/goptxas/goptxas/internal/codegen/sched/words"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/target"
)

// analysis is what is known of a function whatever order its instructions get:
// several are looked for, and all begin with this.
type analysis struct {
	f      *ori.Func
	b      *dag.Grapher
	t      *tracer
	busy   *estimate.BusyTable
	tune   *Tuning
	views  [places.NumReaches]*view
	steps  [numCounted][]int32
	cliffs estimate.Cliffs
	alive  [numCounted]profile.Profile // while a region is listed
	trades bool                        // products of matrices lie where warps trade registers
	soft   bool                        // exponentials lie between products of warp groups
}

// view is a function as runs of instructions that may change places.
type view struct {
	stretches []*stretch
	most      counts   // words alive where nothing changes places
	byBlock   []counts // words alive there in each block, by ID
	calls     []called
}

// called is a call of a function elsewhere, and the words that what lives through it takes from others.
type called struct {
	*ori.Instr
	words int32
}

// stretch is a run of instructions that may change places, with what was found
// out about it so far.
type stretch struct {
	block     *ori.Block
	far       places.Reach
	instrs    []*ori.Instr
	end       *ori.Instr
	values    values     // of words
	held      *values    // with vectors joined
	source    []int32    // the order it has
	most      counts     // words alive in it
	least     counts     // words alive in any order of it
	g         *dag.Graph // nil until asked for
	bottomUps []bottomUpOrder
	plain     bool              // orders that do not look ahead are worth a plan
	holds     [3]*bottomUpFacts // of words, of units, and of units looked at by all who share them; nil until asked for
	plans     []planned
}

// bottomUpOrder is an order found bottom up.
type bottomUpOrder struct {
	way
	base  []int32 // see loadsFirst
	order []int32 // nil: it has more words alive than was asked for
	most  counts  // words alive in it, or in what was made of it
}

// planned is what came out of a base and a limit.
type planned struct {
	base   *int32 // its first entry: bases are never changed
	by     dag.Ranking
	limit  counts
	slack  int
	strict bool // see preScheduler
	greedy bool // see preScheduler.planned
	plan
}

// analyse looks at f as it is; it returns nil when the function is
// too large.
func analyse(f *ori.Func, a *target.Arch, tune *Tuning) *analysis {
	if f.Size() > heap.MostNode {
		return nil
	}
	names := words.Virtual(f)
	l := words.LivesOf(f, names)
	if l == nil {
		return nil
	}
	g := dag.NewGrapher(names, a, tune)
	g.Alias = flow.AliasOf(f)
	g.Diverged = divergenceOf(f, g.Drains() && flow.HasGroups(f))
	s := &analysis{f: f, b: g, t: newTracer(f, names, l), busy: estimate.NewBusyTable(g.Timing), tune: tune, cliffs: estimate.CliffsOf(f, a)}
	most := int32(1)
	for _, r := range s.view(places.UpToBarriers).stretches {
		most = max(most, r.most[general])
	}
	g.Alone, g.Turns = isAlone(f, most+reserve), estimate.LeastTurns(f)
	return s
}

// view returns the view with regions of some reach; the function must have the order that the
// analysis is of, or the view was asked for before.
func (s *analysis) view(far places.Reach) *view {
	if s.views[far] == nil {
		s.views[far] = &view{byBlock: make([]counts, s.f.NumBlocks())}
		s.survey(s.views[far], far)
	}
	return s.views[far]
}

// survey finds the stretches, their values and what the source's order needs. Those of
// blocks in which nothing is passed that others end at are the same however far they go,
// with all that is found out about them.
func (s *analysis) survey(v *view, far places.Reach) {
	near := s.views[places.UpToBarriers]
	known := near.stretches
	for _, b := range s.f.Blocks {
		first := len(v.stretches)
		if far > places.UpToBarriers {
			n := 0
			for n < len(known) && known[n].block == b {
				n++
			}
			if !places.Divided(b) && !s.b.DrainsIn(b) {
				v.stretches = append(v.stretches, known[:n]...)
				v.byBlock[b.ID] = near.byBlock[b.ID]
				v.most.raise(&v.byBlock[b.ID])
				known = known[n:]
				continue
			}
			known = known[n:]
		}
		places.Regions(b, far, func(instrs []*ori.Instr, end *ori.Instr) {
			v.stretches = append(v.stretches, &stretch{block: b, far: far, instrs: slices.Clone(instrs), end: end})
		})
		s.t.enter(b)
		at := b.Last()
		for n := len(v.stretches) - 1; n >= first; n-- {
			r := v.stretches[n]
			for ; at != r.instrs[len(r.instrs)-1]; at = at.Prev() {
				s.look(v, at)
			}
			s.t.read(&r.values, r.instrs)
			r.held = r.values.joined()
			r.source = table.Identity(r.values.mem, len(r.instrs))
			r.most, r.least = r.held.measure(r.source, &s.steps), r.held.least()
			for ; at != r.instrs[0].Prev(); at = at.Prev() {
				s.t.step(at)
			}
		}
		for ; at != nil; at = at.Prev() {
			s.look(v, at)
		}
	}
}

// look counts what lives at an instruction that keeps its place, and the registers between those that a
// function elsewhere keeps: what lives through its call has no use for them.
func (s *analysis) look(v *view, i *ori.Instr) {
	behind := s.t.now[general]
	s.t.step(i)
	now := s.t.now
	if i.Op == op.CALL && i.Srcs()[0].Kind == ori.KReg {
		now[general] = max(now[general], int32(abi.Around(int(min(behind, now[general])))+abi.HiddenRegisters)-estimate.Tight)
		v.calls = append(v.calls, called{i, now[general]})
	}
	v.most.raise(&now)
	v.byBlock[i.Block().ID].raise(&now)
}

// graph returns the dependences of a stretch.
func (s *analysis) graph(r *stretch) *dag.Graph {
	if r.g == nil {
		s.b.Far = r.far
		r.g = s.b.Build(r.instrs, r.end)
	}
	return r.g
}

// bottomUpWithin returns a bottom-up order of a stretch, or one that is
// nil if it would not keep a bound.
func (s *analysis) bottomUpWithin(r *stretch, w way, most bound) *bottomUpOrder {
	return s.loadsFirst(r, w, nil, most)
}

// loadsFirst returns such an order that begins with loads, the first of a base.
func (s *analysis) loadsFirst(r *stretch, w way, base []int32, most bound) *bottomUpOrder {
	x := r.orderOf(w, base)
	if x.order == nil && most.holds(&x.most) {
		x.order, x.most = bottomUp(s.bottomUpFacts(r, w), r.held, w, x.base, most)
	}
	return x
}

// orderOf returns what is known of an order.
func (r *stretch) orderOf(w way, base []int32) *bottomUpOrder {
	for n := range r.bottomUps {
		if x := &r.bottomUps[n]; x.way == w {
			return x
		}
	}
	r.bottomUps = append(r.bottomUps, bottomUpOrder{way: w, base: base})
	return &r.bottomUps[len(r.bottomUps)-1]
}

// bottomUpFacts returns what bottom-up orders begin with.
func (s *analysis) bottomUpFacts(r *stretch, w way) *bottomUpFacts {
	n := 0
	switch {
	case w.shares:
		n = 2
	case w.whole:
		n = 1
	}
	if r.holds[n] == nil {
		h := newBottomUpFacts(s.graph(r), &r.values, s.tune, w.whole)
		h.joint = w.shares
		h.cones = new(table.Lists)
		for _, other := range r.holds {
			if other != nil {
				h.back = other.back
				if !other.joint && !h.joint {
					h.cones = other.cones
				}
			}
		}
		if h.back.Keys() == 0 {
			h.backward()
		}
		r.holds[n] = h
	}
	return r.holds[n]
}

// planned returns the plan of a base within a limit, made if it is not known.
// Of one that takes so many cycles no more than that needs to be known.
func (r *stretch) planned(w planned, most int32, plan func() plan) plan {
	for n := range r.plans {
		if x := &r.plans[n]; x.base == w.base && x.by == w.by && x.slack == w.slack && x.strict == w.strict && x.greedy == w.greedy && x.serves(w.limit) {
			if x.order == nil && x.cycles < most {
				x.limit, x.plan = w.limit, plan()
			}
			return x.plan
		}
	}
	w.plan = plan()
	r.plans = append(r.plans, w)
	return w.plan
}

// serves reports whether the plan for a limit would be the same: more registers
// are of no use to one that was never short of them.
func (x *planned) serves(limit counts) bool {
	if !x.held {
		limit[general] = min(limit[general], x.limit[general])
	}
	return x.limit == limit
}

// raise makes c at least d.
func (c *counts) raise(d *counts) {
	for f, n := range d {
		c[f] = max(c[f], n)
	}
}
