package serve

import (
	"context"
	"errors"
	"sync"
)

// errBusy tells that too many wait already.
var errBusy = errors.New("too many compilations wait")

// gate lets compilations in, first come first served, while there are slots
// and memory for them.
type gate struct {
	mu      sync.Mutex
	slots   int
	memory  int64
	most    int64 // memory of all
	places  int   // for those who wait
	waiting []*entrant
}

type entrant struct {
	memory int64
	in     chan struct{}
}

// memoryOf guesses what compiling so much text takes: the largest files of
// the corpus take 200 times their text, most take 60 and a few megabytes.
func memoryOf(text int64) int64 { return 8<<20 + 80*text }

// enter waits for a slot and for memory; leave gives both back. More than all
// memory is granted to one who is alone.
func (g *gate) enter(ctx context.Context, memory int64) (leave func(), err error) {
	memory = min(memory, g.most)
	g.mu.Lock()
	e := &entrant{memory, make(chan struct{})}
	if g.waiting = append(g.waiting, e); len(g.waiting) > 1 || !g.fits(e) {
		if len(g.waiting) > g.places {
			g.waiting = g.waiting[:len(g.waiting)-1]
			g.mu.Unlock()
			return nil, errBusy
		}
	}
	g.admit()
	g.mu.Unlock()
	select {
	case <-e.in:
	case <-ctx.Done():
		g.mu.Lock()
		defer g.mu.Unlock()
		for n, x := range g.waiting {
			if x == e {
				g.waiting = append(g.waiting[:n], g.waiting[n+1:]...)
				g.admit()
				return nil, context.Cause(ctx)
			}
		}
		g.slots, g.memory = g.slots+1, g.memory+memory // it had come in at the same moment
		g.admit()
		return nil, context.Cause(ctx)
	}
	return func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.slots, g.memory = g.slots+1, g.memory+memory
		g.admit()
	}, nil
}

func (g *gate) fits(e *entrant) bool { return g.slots > 0 && e.memory <= g.memory }

// admit lets those in who are first and fit.
func (g *gate) admit() {
	for len(g.waiting) > 0 && g.fits(g.waiting[0]) {
		e := g.waiting[0]
		g.waiting = g.waiting[1:]
		g.slots, g.memory = g.slots-1, g.memory-e.memory
		close(e.in)
	}
}

// queued is how many wait.
func (g *gate) queued() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.waiting)
}
