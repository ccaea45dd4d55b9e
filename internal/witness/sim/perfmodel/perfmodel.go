package perfmodel

import (
	"math"
	"strings"

	"github.com/goptxas/goptxas/internal/sass"
)

// Inst is an instruction of the code.
type Inst struct {
	Mnemonic string
	Ctrl     sass.Ctrl
	Commits  bool // a product that ends its group
	Reads    bool // a product with a matrix in registers
	Left     int  // groups that a wait leaves pending
	Never    bool // under a guard that never holds
}

// Block is what the warps of a block executed: indices of instructions.
type Block struct{ Warps [][]uint32 }

const (
	schedulers = 4
	numBars    = 6
	meeting    = 6    // cycles until threads that have met go on
	later      = 500  // cycles that each of the first blocks begins behind the one before it
	copyTime   = 1000 // until a copy from global to shared memory is there
	sourceTime = 14   // until a late reader has read
	startTime  = 16   // of a product
	endTime    = 32   // from the end of a product to who waits for it
	ahead      = 2    // products that may be waiting for the unit
	never      = math.MaxInt64
)

// step is an instruction with its costs.
type step struct {
	Inst
	row
	product int
	kind    kind
}

type kind uint8

const (
	plain kind = iota
	meets
	awaitsProducts
	marksCopies
	awaitsCopies
	copies
)

// kinds are found by the beginnings of mnemonics, the first that fits.
var kinds = []struct {
	name string
	kind kind
}{
	{"BAR.SYNC", meets}, {"BAR.RED", meets}, {"WARPGROUP.DEPBAR", awaitsProducts}, {"LDGDEPBAR", marksCopies}, {"DEPBAR", awaitsCopies}, {"LDGSTS", copies},
}

// stepsOf gives instructions their costs.
func stepsOf(code []Inst) []step {
	table := byName()
	list := make([]step, len(code))
	for n, i := range code {
		s := step{Inst: i, row: costOf(table, i.Mnemonic), product: productTime(i.Mnemonic)}
		for _, k := range kinds {
			if strings.HasPrefix(i.Mnemonic, k.name) {
				s.kind = k.kind
				break
			}
		}
		if i.Never {
			s.row, s.kind, s.product = row{busy: 1}, plain, 0
		}
		list[n] = s
	}
	return list
}

// warp is a warp on its way.
type warp struct {
	trace  []uint32
	at     int64 // when it may issue again
	bars   [numBars]int64
	groups []int64 // ends of the groups of products that were committed
	copied int64   // when its copies so far are there
	sets   []int64 // when the marked sets of copies are there
	meet   *meet   // where it waits for others
	block  *block
}

// meet is one time that the threads of a block meet.
type meet struct {
	left int
	at   int64
}

type block struct {
	warps, left int
	next        *meet
}

// scheduler issues one instruction a cycle of its warps.
type scheduler struct {
	warps  []*warp
	free   [numUnits]int64
	tensor int64 // when the unit of products is free
	last   *warp
}

// multiprocessor runs some blocks.
type multiprocessor struct {
	code   []step
	scheds [schedulers]scheduler
	free   [numUnits]int64
	now    int64
}

// Cycles is about how long a multiprocessor takes for blocks of a kernel, of
// which it runs some together.
func Cycles(code []Inst, blocks []Block, together int) int64 {
	m := &multiprocessor{code: stepsOf(code)}
	running, at := []*block{}, int64(0)
	for len(blocks) > 0 || len(running) > 0 {
		for len(running) < max(1, together) && len(blocks) > 0 {
			running = append(running, m.begin(&blocks[0], max(m.now, at)))
			blocks = blocks[1:]
			if m.now == 0 { // in step they would all want the same unit at once, all the time
				at += later
			}
		}
		m.until(running)
		kept := running[:0]
		for _, b := range running {
			if b.left > 0 {
				kept = append(kept, b)
			}
		}
		running = kept
	}
	return m.now
}

// begin gives the warps of a block to the schedulers.
func (m *multiprocessor) begin(b *Block, at int64) *block {
	x := &block{warps: len(b.Warps), left: len(b.Warps)}
	for n, t := range b.Warps {
		if len(t) == 0 {
			x.left--
			x.warps--
			continue
		}
		s := &m.scheds[n%schedulers]
		s.warps = append(s.warps, &warp{trace: t, at: at, block: x})
	}
	return x
}

// until goes on until a block has ended.
func (m *multiprocessor) until(running []*block) {
	for {
		next := int64(never)
		for n := range m.scheds {
			next = min(next, m.turn(&m.scheds[n]))
		}
		m.now = max(m.now+1, next)
		for _, b := range running {
			if b.left == 0 {
				return
			}
		}
		if next == never {
			return // all wait for somebody who is gone
		}
	}
}

// turn lets a scheduler issue if it can. It returns when it can next.
func (m *multiprocessor) turn(s *scheduler) int64 {
	var best *warp
	next := int64(never)
	for _, w := range s.warps {
		t := m.ready(s, w)
		if t > m.now {
			next = min(next, t)
			continue
		}
		if best == nil || w == s.last {
			best = w
		}
	}
	if best == nil {
		return next
	}
	m.issue(s, best)
	return m.now + 1
}

// ready is the first cycle at which a warp may issue, as far as it is known.
func (m *multiprocessor) ready(s *scheduler, w *warp) int64 {
	t := w.at
	if w.meet != nil {
		if w.meet.left > 0 {
			return never
		}
		t = max(t, w.meet.at+meeting)
	}
	i := &m.code[w.trace[0]]
	for b := range w.bars {
		if i.Ctrl.Wait>>b&1 != 0 {
			t = max(t, w.bars[b])
		}
	}
	switch {
	case i.unit.common():
		t = max(t, m.free[i.unit])
	case i.unit != noUnit:
		t = max(t, s.free[i.unit])
	}
	switch i.kind {
	case awaitsProducts:
		if n := len(w.groups) - i.Left; n > 0 {
			t = max(t, w.groups[n-1]+endTime)
		}
	case awaitsCopies:
		if n := len(w.sets) - i.Left; n > 0 {
			t = max(t, w.sets[n-1])
		}
	}
	if i.product > 0 {
		t = max(t, s.tensor-int64(ahead*i.product))
	}
	return t
}

// issue lets a warp issue now.
func (m *multiprocessor) issue(s *scheduler, w *warp) {
	i := &m.code[w.trace[0]]
	now := m.now
	w.trace, w.meet, s.last = w.trace[1:], nil, w
	if !i.Ctrl.Stay && i.Ctrl.Stall > 0 {
		s.last = nil
	}
	if i.unit != noUnit {
		if i.unit.common() {
			m.free[i.unit] = now + int64(i.busy)
		} else {
			s.free[i.unit] = now + int64(i.busy)
		}
	}
	switch {
	case i.product > 0:
		s.tensor = max(now+startTime, s.tensor) + int64(i.product)
		if i.Commits {
			w.groups = append(w.groups, s.tensor)
		}
	case i.kind == copies:
		w.copied = max(w.copied, now+copyTime)
	case i.kind == marksCopies:
		w.sets = append(w.sets, w.copied)
	case i.kind == meets:
		w.arrive(now)
	}
	if b := i.Ctrl.WrBar; b >= 0 && int(b) < numBars && i.kind != marksCopies {
		w.bars[b] = max(w.bars[b], now+int64(i.latency))
	}
	if b := i.Ctrl.RdBar; b >= 0 && int(b) < numBars {
		w.bars[b] = max(w.bars[b], now+sourceTime)
	}
	w.at = now + max(1, int64(i.Ctrl.Stall))
	if len(w.trace) == 0 {
		m.leave(s, w)
	}
}

// arrive is a warp that comes to where the threads of its block meet.
func (w *warp) arrive(now int64) {
	b := w.block
	if b.next == nil {
		b.next = &meet{left: b.warps}
	}
	w.meet = b.next
	w.meet.left--
	w.meet.at = now
	if w.meet.left == 0 {
		b.next = nil
	}
}

// leave is the end of a warp.
func (m *multiprocessor) leave(s *scheduler, w *warp) {
	for n, x := range s.warps {
		if x == w {
			s.warps = append(s.warps[:n], s.warps[n+1:]...)
			break
		}
	}
	b := w.block
	b.warps--
	b.left--
	if b.next != nil { // those that wait do not wait for it
		if b.next.left--; b.next.left == 0 {
			b.next.at, b.next = m.now, nil
		}
	}
}
