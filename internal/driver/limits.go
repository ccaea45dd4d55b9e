package driver

import (
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/goptxas/goptxas/internal/driver/cli"
	"github.com/goptxas/goptxas/internal/engine/diag"
	"github.com/goptxas/goptxas/internal/link"
	"github.com/goptxas/goptxas/internal/pipeline"
	"github.com/goptxas/goptxas/internal/ptx/sema"
)

// limits keeps a compilation within a time and a memory by giving up quality.
// Every kernel gets the best phases with which the rest would still be done in
// time, as far as those before it tell; when the time is over, or while the
// memory is, phases that code does not need are left out.
type limits struct {
	time   time.Duration // 0: any
	bytes  int64         // 0: any
	begun  time.Time
	heap   func() int64
	mu     sync.Mutex
	size   []int64
	left   int64 // text of kernels not yet begun
	active int
	most   int // kernels at once
	spent  [pipeline.NumFast]time.Duration
	done   [pipeline.NumFast]int64 // text
}

// readLimits reads the options about limits; nil without one.
func readLimits(line *cli.Line, w *Env) (*limits, *cli.Fault) {
	l := &limits{begun: time.Now(), heap: heapBytes}
	if line.Has(cli.TimeLimit) {
		s, err := strconv.ParseFloat(line.Text(cli.TimeLimit, ""), 64)
		if err != nil || s <= 0 || s > 1e9 {
			return nil, cli.Faultf("Value '%s' of option 'time-limit' is no number of seconds", line.Text(cli.TimeLimit, ""))
		}
		l.time = time.Duration(s * float64(time.Second))
	}
	if line.Has(cli.MemoryLimit) {
		n, err := strconv.ParseInt(line.Text(cli.MemoryLimit, ""), 10, 32)
		if err != nil || n <= 0 {
			return nil, cli.Faultf("Value '%s' of option 'memory-limit' is no number of megabytes", line.Text(cli.MemoryLimit, ""))
		}
		l.bytes = n << 20
		if w != nil && w.Bound != nil {
			w.Bound(l.bytes) // the collector works harder before quality is given up
		}
	}
	if l.time == 0 && l.bytes == 0 {
		return nil, nil
	}
	return l, nil
}

// costs are what the levels took for a byte of text, beside each other: from
// 150 kernels of the corpus, and only where no kernel of this module tells.
var costs = [pipeline.NumFast]float64{1, 0.5, 0.4, 0.3}

// firstCost is the first of them.
const firstCost = 2 * time.Microsecond

// Begin notes what there is to do.
func (l *limits) Begin(out *pipeline.Output, size []int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, fn := range out.Funcs {
		l.size = append(l.size, size[fn])
		l.left += size[fn]
	}
}

// Level chooses the phases of a kernel.
func (l *limits) Level(base pipeline.Fast, size int64) pipeline.Fast {
	l.mu.Lock()
	defer l.mu.Unlock()
	h := base
	if l.time > 0 {
		left := l.time - time.Since(l.begun)
		for h < pipeline.FastMax && time.Duration(float64(l.left)*l.cost(h)) > left*time.Duration(max(1, l.most)) {
			h++
		}
	}
	if l.over() {
		h = pipeline.FastMax
	}
	l.active++
	l.most = max(l.most, l.active)
	l.left -= size
	return h
}

// cost is what a byte of text takes at a level, in nanoseconds: as measured,
// else from what another level took.
func (l *limits) cost(h pipeline.Fast) float64 {
	if l.done[h] > 0 {
		return float64(l.spent[h]) / float64(l.done[h])
	}
	for g := range l.done {
		if l.done[g] > 0 {
			return float64(l.spent[g]) / float64(l.done[g]) * costs[h] / costs[g]
		}
	}
	return float64(firstCost) * costs[h]
}

// Short reports whether the time is over or the memory short.
func (l *limits) Short() bool {
	return l.time > 0 && time.Since(l.begun) > l.time || l.over()
}

func (l *limits) over() bool { return l.bytes > 0 && l.heap() > l.bytes }

// Phase does nothing.
func (l *limits) Phase(int, string, string, time.Time, time.Duration) {}

// Done learns from a kernel what its phases take.
func (l *limits) Done(_, n int, k *link.Kernel) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.active--
	if k != nil {
		l.spent[k.Fast] += k.Time
		l.done[k.Fast] += l.size[n]
	}
}

// tell says which kernels got less than was asked for.
func (l *limits) tell(j *Job, m *sema.Module, out *pipeline.Output) {
	if l == nil {
		return
	}
	n, first := 0, ""
	for i, k := range out.Kernels {
		if k != nil && k.Spared {
			if n++; n == 1 {
				first = m.Funcs[out.Funcs[i]].Name
			}
		}
	}
	if n == 0 {
		return
	}
	why := "Time limit"
	if l.time == 0 {
		why = "Memory limit"
	} else if l.bytes > 0 {
		why = "Time or memory limit"
	}
	j.Sink.Say(diag.Info, fmt.Sprintf("%s: cheaper phases were used for %d of %d functions, first '%s'; their code may be slower", why, n, len(out.Kernels), first))
}
