package ahead

import (
	"math"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// What loads ahead are worth: about how long a turn takes with them and
// without. Between two barriers instructions are taken to issue as soon as what
// they read is there, one each cycle, in whatever order; no instruction
// passes a barrier or the end of its block. Loads that gain nothing stay, and so
// do all where the words that live longer for them would find no room.

// Cycles until a result is there, about.
const (
	usualTime  = 5
	sharedTime = 30
	matrixTime = 24
	rootTime   = 20 // of special functions, shuffles and special registers
	meetTime   = 20 // that threads wait for each other
	innerTurns = 4  // of a loop inside
	turnsRun   = 5  // until turns take equally long
)

// worth returns those of the loads that are worth sending ahead.
func (p *pipeliner) worth(list []*ahead) []*ahead {
	if len(list) == 0 {
		return nil
	}
	c := newTurnClock(p)
	before := c.turn(nil)
	after := c.turn(list)
	if 100*after > int64(p.a.Share)*before {
		return nil
	}
	for n := len(list) - 1; n >= 0; n-- { // those that gain nothing themselves
		rest := append(append([]*ahead(nil), list[:n]...), list[n+1:]...)
		if t := c.turn(rest); 100*t <= 101*after {
			list = rest
		}
	}
	words := 0
	for _, x := range list {
		words += int(x.load.Args[0].N)
	}
	if len(list) == 0 || words > p.a.Words || !p.pays(c.issue, before, after, p.live(nil)) || p.live(list) > p.a.Most {
		return nil
	}
	return list
}

// pays reports whether a turn takes less time with as many warps as run
// together: they hide from each other what one of them waits for. With few and
// with many of them it is judged alike, as nobody knows how large the grid is. What
// warps the registers leave in the end is judged when they are assigned.
func (p *pipeliner) pays(issue, before, after int64, words int) bool {
	all := max(1, p.a.Warps(words))
	price := func(t int64) float64 {
		return math.Sqrt(max(float64(issue), float64(t)/min(all, p.a.Few)) * max(float64(issue), float64(t)/all))
	}
	return 100*price(after) <= float64(p.a.Share)*price(before)
}

// turnClock runs turns of the loop.
type turnClock struct {
	p      *pipeliner
	blocks []*ori.Block
	ready  []int64 // when each word is there
	now    int64
	issue  int64 // instructions of a turn
	loads  map[*ori.Instr]*ahead
	lasts  map[*ori.Instr]bool
}

func newTurnClock(p *pipeliner) *turnClock {
	c := &turnClock{p: p, ready: make([]int64, len(p.v.Words))}
	for _, b := range p.f.Blocks {
		if p.in[b] {
			c.blocks = append(c.blocks, b)
		}
	}
	return c
}

// turn is how long a turn takes with some loads sent ahead.
func (c *turnClock) turn(list []*ahead) (took int64) {
	c.loads, c.lasts = map[*ori.Instr]*ahead{}, map[*ori.Instr]bool{}
	for _, x := range list {
		x.due = c.now + int64(c.p.a.Latency)
		c.loads[x.load], c.lasts[x.last] = x, true
	}
	for range turnsRun {
		begun := c.now
		c.issue = 0
		for _, b := range c.blocks {
			c.block(b, list)
		}
		took = c.now - begun
		for i := c.p.loop.Header.First(); i != nil && i.Op == op.PHI; i = i.Next() {
			if s := c.p.back[i.Args[1].Imm]; s.Kind == ori.KReg {
				for k := range int32(i.Args[0].N) {
					c.ready[c.p.v.WordOf(i.Args[0])+k] = c.ready[c.p.v.WordOf(s)+k]
				}
			}
		}
	}
	return took
}

// block runs a block.
func (c *turnClock) block(b *ori.Block, list []*ahead) {
	begun, end, count := c.now, c.now, int64(0)
	turns := int64(1)
	if c.p.loops.Of(b) != c.p.loop {
		turns = innerTurns
	}
	for i := range b.Instrs {
		if i.Op == op.PHI || i.Op == op.PHISRC || i.Op == op.COPY {
			continue
		}
		at := c.now
		c.p.allSources(i, func(w word) bool {
			at = max(at, c.ready[c.p.v.WordOf(w.operand())])
			return true
		})
		if x := c.loads[i]; x != nil {
			c.results(i, x.due)
			continue
		}
		if c.lasts[i] {
			for _, x := range list {
				if x.last == i {
					x.due = at + int64(c.p.a.Latency)
				}
			}
		}
		c.results(i, at+c.latency(i))
		count++
		end = max(end, at+1)
		if i.Op == op.BAR {
			c.now = max(end, c.now+count) + meetTime
			c.issue += count * turns
			count = 0
		}
	}
	c.issue += count * turns
	c.now = max(end, c.now+count)
	c.now += (turns - 1) * (c.now - begun)
}

// results notes when the results of i are there.
func (c *turnClock) results(i *ori.Instr, at int64) {
	for _, d := range i.Dsts() {
		if d.Kind == ori.KReg {
			for k := range int32(wordsIn(&d)) {
				c.ready[c.p.v.WordOf(d)+k] = at
			}
		}
	}
}

// latency is about how long after i its results are there.
func (c *turnClock) latency(i *ori.Instr) int64 {
	switch {
	case i.Op.Has(op.Matrix):
		return matrixTime
	case i.Op.LoadsConstant():
		return sharedTime
	case i.Op.Has(op.Reads) && i.Op.Space()&op.SpaceGlobal != 0:
		return int64(c.p.a.Latency)
	case i.Op.Has(op.Reads):
		return sharedTime
	case i.Op == op.MUFU || i.Op.Has(op.Exchange|op.ReadsSpecial):
		return rootTime
	}
	return usualTime
}

// live is how many words of the general file are alive at once, in the whole
// function or, where that is more, in the loop with what is sent ahead.
func (p *pipeliner) live(list []*ahead) int {
	l := flow.LiveOf(p.f)
	w := &fattest{p: p, live: l, here: make([]int8, len(p.v.Words))}
	most := 0
	for _, b := range p.dom.Order.Blocks {
		if list == nil {
			most = max(most, w.block(b, nil))
		} else if p.in[b] {
			most = max(most, w.block(b, list))
		}
	}
	return most
}

// fattest counts the words alive in a block.
type fattest struct {
	p     *pipeliner
	live  *flow.Live
	here  []int8 // of each word: alive 1, not alive -1, as at the end of the block 0
	seen  []int32
	count int
}

// block returns the most words alive in b, from its end up.
func (w *fattest) block(b *ori.Block, list []*ahead) (most int) {
	for _, x := range w.seen {
		w.here[x] = 0
	}
	w.seen, w.count = w.seen[:0], 0
	for n := range w.live.End(b).All() {
		if w.p.f.Regs[w.live.Reg(n)].Class == ori.R {
			w.count++
		}
	}
	more := 0
	for _, x := range list {
		more += int(x.load.Args[0].N)
	}
	most = w.count + more
	for i := b.Last(); i != nil; i = i.Prev() {
		for _, x := range list {
			if x.last == i {
				more -= int(x.load.Args[0].N)
			}
		}
		for _, d := range i.Dsts() {
			if d.Kind == ori.KReg && d.Class == ori.R {
				w.set(b, d, false)
			}
		}
		w.p.allSources(i, func(x word) bool {
			if x.class == ori.R {
				w.set(b, x.operand(), true)
			}
			return true
		})
		for _, x := range list {
			if x.load == i {
				more += int(x.load.Args[0].N)
			}
		}
		most = max(most, w.count+more)
	}
	return most
}

// set notes whether the words of an operand are alive above an instruction.
func (w *fattest) set(b *ori.Block, o ori.Operand, alive bool) {
	for k := range wordsIn(&o) {
		n := w.p.v.WordOf(o) + int32(k)
		was := w.here[n] > 0
		if w.here[n] == 0 {
			at := w.live.Number(o.Reg, int(o.Sub)+k)
			was = at >= 0 && w.live.End(b).Has(at)
			w.seen = append(w.seen, n)
		}
		w.here[n] = -1
		if alive {
			w.here[n] = 1
		}
		switch {
		case alive && !was:
			w.count++
		case !alive && was:
			w.count--
		}
	}
}
