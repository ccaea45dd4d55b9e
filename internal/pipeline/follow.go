package pipeline

import (
	"time"

	"github.com/goptxas/goptxas/internal/engine/phase"
	"github.com/goptxas/goptxas/internal/link"
)

// Follower is told how far the compilation of a module is. It is called from
// many goroutines at once, and nothing it does may change the result.
type Follower interface {
	// Begin comes before the first kernel. The output knows which there will
	// be and, but for an object, how much memory the module takes; size has
	// the length of the text of every function of the module.
	Begin(out *Output, size []int64)
	// Phase comes after each phase of a function.
	Phase(worker int, fn, phase string, opened time.Time, took time.Duration)
	// Done comes when kernel n of the output is compiled; k is nil where that
	// failed.
	Done(worker, n int, k *link.Kernel)
}

// following tells a Follower about phases.
type following struct{ to Follower }

// Before does nothing.
func (following) Before(*unit, *phase.Event) {}

// After tells what a phase took.
func (w following) After(u *unit, e *phase.Event) {
	w.to.Phase(u.o.worker, e.Func, e.Phase, e.Opened, e.Time)
}

// Thrift bounds the time and the memory of a compilation. It is asked from
// many goroutines at once.
type Thrift interface {
	// Level is asked before a kernel whose text has the given size: how much
	// quality must be given up. It is not below the level asked for.
	Level(base Hurry, size int64) Hurry
	// Short is asked before every phase that code does not need: whether to
	// leave it out.
	Short() bool
}

// spare reports whether a phase of a function is left out, and notes it.
func spare(u *unit) bool {
	if u.o.Thrift.Short() {
		u.o.spared = true
		return true
	}
	return false
}

// runners are the phases of each level of hurry that a kernel may need.
type runners struct {
	base Hurry
	list [NumHurries]*runner

	workers int   // that share the work
	whole   int64 // size of all kernels
}

// newRunners makes the runner of the options, and where time or memory is
// bounded those of every level above.
func newRunners(o *Options) (*runners, error) {
	x := &runners{base: o.Hurry}
	for h := o.Hurry; h < NumHurries; h++ {
		own := *o
		own.Hurry = h
		r, err := newRunner(&own)
		if err != nil {
			return nil, err
		}
		if x.list[h] = r; o.Thrift == nil {
			break
		}
	}
	return x, nil
}

// choose returns the runner for a kernel of the given size, and tells the
// worker's options its level.
func (x *runners) choose(o *Options, size int64) *runner {
	o.Hurry, o.spared = x.base, false
	if o.Thrift != nil {
		o.Hurry = max(x.base, o.Thrift.Level(x.base, size))
	}
	return x.list[o.Hurry]
}
