package scoreboard

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/target"
)

// care is how much work goes into the decisions.
type care uint8

const (
	whole  care = iota
	once        // barriers are handed out once, and what blocks behind do with results is no matter then
	closed      // and whoever goes back to a block that stands before waits for all that is under way
)

// Quick decides what Assign does with less work, at a price in the code: barriers
// are shared with less knowledge of who waits for them. If loops are closed one
// walk over the function is enough, for the checker too: nothing that a block
// begins with becomes known only after it was looked at. The price is that no
// load of one turn of a loop is on its way in the next one.
func Quick(f *ori.Func, a *target.Arch, least Sectors, closesLoops bool) {
	with := once
	if closesLoops {
		with = closed
	}
	assign(f, a, least, with)
}

// closeLoops lets the ways back to blocks that stand before wait for all that is
// under way.
func (s *assigner) closeLoops() {
	for n := range s.nodes {
		x := &s.nodes[n]
		for _, t := range x.succs {
			if int(t) > n {
				continue
			}
			x.closes = len(x.instrs) - 1
			if k, _ := x.leaves(); k >= 0 {
				x.closes = k
			}
		}
	}
}

// open returns the barriers that somebody still has to wait for.
func (w *walker) open() uint8 {
	mask := w.fence
	for _, bars := range w.left {
		mask |= bars
	}
	for b := range w.pending {
		if len(w.pending[b]) > 0 {
			mask |= 1 << b
		}
	}
	return mask
}

// over returns the first cycle at which nothing of fixed timing is pending.
func (w *walker) over() int {
	at := longAgo
	for n := range w.recs {
		if r := &w.recs[n]; r.at > w.now-horizon {
			at = max(at, r.at+w.expiry(r))
		}
	}
	return at
}
