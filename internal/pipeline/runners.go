package pipeline

import (
	"runtime"

	"github.com/goptxas/goptxas/internal/engine/knobs"
	"github.com/goptxas/goptxas/internal/engine/phase"
	"github.com/goptxas/goptxas/internal/engine/pool"
)

// runners are the phases of each level of fast compilation that a kernel may need.
type runners struct {
	base Fast
	list [NumFast]*runner

	workers int   // that share the work
	whole   int64 // size of all kernels
}

// newRunners makes the runner of the options, and where time or memory is
// bounded those of every level above.
func newRunners(o *Options) (*runners, error) {
	x := &runners{base: o.Fast}
	for h := o.Fast; h < NumFast; h++ {
		own := *o
		own.Fast = h
		r, err := newRunner(&own)
		if err != nil {
			return nil, err
		}
		if x.list[h] = r; o.Limits == nil {
			break
		}
	}
	return x, nil
}

// choose returns the runner for a kernel of the given size, and tells the
// worker's options its level.
func (x *runners) choose(o *Options, size int64) *runner {
	o.Fast, o.spared = x.base, false
	if o.Limits != nil {
		o.Fast = max(x.base, o.Limits.Level(x.base, size))
	}
	return x.list[o.Fast]
}

// newRunner prepares the phases for one set of options.
func newRunner(o *Options) (*runner, error) {
	set := o.Knobs
	if set == nil {
		set = knobs.New()
	}
	var observers []phase.Observer[*unit]
	if o.Watch != nil {
		observers = append(observers, watching{o.Watch})
	}
	if o.Follow != nil {
		observers = append(observers, following{o.Follow})
	}
	var skip func(*unit) bool
	if o.Limits != nil {
		skip = spare
	}
	r, err := phase.New(phase.Config[*unit]{
		Table: phase.Table[*unit]{Rows: phases(), Order: orders[o.Fast]},
		Hooks: phase.Hooks[*unit]{
			Name:   func(u *unit) string { return u.f.Name },
			Dump:   dump,
			Pool:   func(u *unit) *pool.Pool { return u.mem },
			Check:  wellFormed,
			Create: o.Create,
			Stop:   o.ended,
			Skip:   skip,
			Done:   func(u *unit) { u.f.Scratch().Reset() },
		},
		Opt: o.Level, Knobs: set, Options: o.Phases, Observers: observers,
	})
	if err != nil {
		return nil, err
	}
	if o.Trace != nil {
		r.Report(o.Trace)
	}
	return &runner{r, set}, nil
}

// share is how long the search for a kernel of the given size may take.
func (x *runners) share(size int64) float64 {
	if x.whole == 0 {
		return 1
	}
	return float64(size) * float64(x.workers) / float64(x.whole)
}

// abreast is how many candidates of a kernel are compiled at the same time: a
// search is given a time, in which all processors may work.
func (x *runners) abreast() int { return max(1, runtime.GOMAXPROCS(0)/max(1, x.workers)) }
