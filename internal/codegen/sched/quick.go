package sched

import (
	"slices"

	"github.com/goptxas/goptxas/internal/codegen/sched/heap"
	"github.com/goptxas/goptxas/internal/codegen/sched/words"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/target"
)

// quick gives regions that need more registers in the order of the source than
// there are an order found bottom up: to spill would take longer than to look for
// one. All others keep the source's order, and a function that has room
// everywhere is not studied at all.
func quick(f *ori.Func, a *target.Arch, budget Budget, tune *Tuning) {
	if f.Size() > heap.MostNode || !crowded(f, budget) {
		return
	}
	s := analyse(f, a, tune)
	if s == nil || !s.lacksRoom(budget, how(tune)) {
		return
	}
	p := s.preScheduler(budget, how(tune)).reaching(f)
	for n := range p.regions {
		if r := &p.regions[n]; &r.base[0] != &r.source[0] {
			place(r.block, r.instrs, r.base, r.end)
		}
	}
	f.Touch()
}

// crowded reports whether somewhere more general words live than there are
// registers.
func crowded(f *ori.Func, budget Budget) bool {
	all := int32(0)
	for r := range f.Regs {
		if f.Regs[r].Class == ori.R {
			all += int32(f.Regs[r].Width)
		}
	}
	if budget.Limits == nil && all <= int32(budget.Most)-reserve {
		return false
	}
	names := words.Virtual(f)
	lives := words.LivesOf(f, names)
	if lives == nil {
		return false
	}
	t := newTracer(f, names, lives)
	for _, b := range f.Blocks {
		room := budget.in(b) - reserve
		t.enter(b)
		full := t.now[general] > room
		for i := b.Last(); i != nil && !full; i = i.Prev() {
			t.step(i)
			full = t.now[general] > room
		}
		if full {
			return true
		}
	}
	return false
}

// lacksRoom reports whether some stretch of f needs more registers in the order
// of the source than there are.
func (s *analysis) lacksRoom(budget Budget, how strategy) bool {
	return slices.ContainsFunc(s.view(how.far).stretches, func(x *stretch) bool { return x.most[general] > budget.in(x.block)-reserve })
}
