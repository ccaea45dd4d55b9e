package machine

import (
	"fmt"
	"math/rand/v2"

	"github.com/goptxas/goptxas/internal/witness/sim/code"
	"github.com/goptxas/goptxas/internal/witness/sim/timing"
)

// turn is how many instructions a warp runs before the next one gets its
// turn, and patience how many a block runs before another one is started
// beside it: blocks may wait for each other.
const (
	turn     = 512
	patience = 1 << 16
	resident = 64 // blocks at a time
)

// machine is one launch.
type machine struct {
	prog  *Program
	l     *Launch
	pool  [][32]uint32
	mem   *Memory
	bank  [8][]byte
	count []instCount
	stats Stats
	timed *timing.Machine
	async *asyncMachine
	paths *rand.Rand // picks the lanes that run first; nil: those that do not jump
	err   error
	hook  func(*Event) error
	event Event
	free  []*cta
	stack uint32

	clusterOf [3]uint32 // blocks of a cluster
	clustered bool      // the launch is one of clusters
	next      uint64    // the cluster that starts next
	total     uint64    // those that start
	maxStep   uint64
	steps     uint64
}

// poisonLanes are the lanes in which a predicate holds that nobody wrote.
const poisonLanes uint32 = 0x6cb3a59c

type instCount struct{ warps, threads uint64 }

// Run executes a launch. Global memory is changed in place. The error is a
// *Fault when the program did something wrong.
func (p *Program) Run(l *Launch) (*Stats, error) {
	m, err := p.machine(l)
	if err != nil {
		return nil, err
	}
	if err := m.run(); err != nil {
		return m.finish(), err
	}
	return m.finish(), nil
}

func (p *Program) machine(l *Launch) (*machine, error) {
	m := &machine{prog: p, l: l, mem: l.Memory, count: make([]instCount, len(p.insts)), hook: l.Hook, maxStep: l.MaxSteps}
	if l.Paths != 0 {
		m.paths = rand.New(rand.NewPCG(l.Paths, 2))
	}
	n := uint64(l.Block[0]) * uint64(l.Block[1]) * uint64(l.Block[2])
	if n == 0 || n > 1024 {
		return nil, fmt.Errorf("%s: a block of %d threads", p.kernel.Name, n)
	}
	if l.Timed {
		var err error
		if m.timed, err = newClocks(p); err != nil {
			return nil, err
		}
	}
	if l.Async.When != AtOnce {
		m.async = newAsync(p, l.Async)
	}
	if m.mem == nil {
		m.mem = p.module.Memory()
	}
	if err := m.clusters(); err != nil {
		return nil, err
	}
	if err := m.banks(); err != nil {
		return nil, err
	}
	m.pool = make([][32]uint32, len(p.pool.Words))
	for k, w := range p.pool.Words {
		v := w.Off
		if w.Bank >= 0 {
			v = m.constant(int(w.Bank), w.Off)
		}
		for l := range m.pool[k] {
			m.pool[k][l] = v
		}
	}
	return m, nil
}

func (m *machine) run() error {
	g := m.l.Grid
	c := m.clusterOf
	m.total = uint64(g[0]/c[0]) * uint64(g[1]/c[1]) * uint64(g[2]/c[2])
	if m.l.Blocks != 0 {
		m.total = min(m.total, m.l.Blocks)
	}
	var live []*cta
	for m.next < m.total || len(live) > 0 {
		if m.next < m.total && (len(live) == 0 || len(live) < resident && live[len(live)-1].steps > patience) {
			live = append(live, m.start(m.next)...)
			m.next++
		}
		moved := false
		for k := 0; k < len(live); k++ {
			was := live[k].steps
			mv, done := live[k].run(turn)
			m.steps += live[k].steps - was
			if m.maxStep != 0 && m.steps > m.maxStep {
				w := live[k].warps[0]
				w.failAt(w.At, "more than %d instructions", m.maxStep)
				return m.ended(live)
			}
			if m.err != nil {
				return m.err
			}
			moved = moved || mv
			if done {
				live[k].end()
				if m.err != nil {
					return m.err
				}
				for _, w := range live[k].warps {
					if m.timed != nil {
						m.clockOut(w)
					}
				}
				m.free = append(m.free, live[k].leave()...)
				live = append(live[:k], live[k+1:]...)
				k--
				moved = true
			}
		}
		if !moved && (m.next >= m.total || len(live) >= resident) {
			return m.deadlock(live)
		}
		if !moved { // they wait for a block that has not started
			live = append(live, m.start(m.next)...)
			m.next++
		}
	}
	return nil
}

func (m *machine) deadlock(live []*cta) error {
	for _, c := range live {
		for _, w := range c.warps {
			if w.exited == ^uint32(0) {
				continue
			}
			stuck := ^w.exited
			l := Lane(stuck)
			w.At = max(w.lpc[l], 1) - 1
			what := "waits for a convergence barrier"
			switch {
			case w.cwait>>l&1 != 0:
				what = "waits at a barrier of the block"
			case w.wwait>>l&1 != 0:
				what = "waits for lanes to converge"
			}
			w.Fail(l, "%s that nobody completes: deadlock", what)
			return m.ended(live)
		}
	}
	return fmt.Errorf("%s: deadlock", m.prog.kernel.Name)
}

// ended takes the clocks of blocks that did not come to their end.
func (m *machine) ended(live []*cta) error {
	m.stats.Cut = true
	for _, c := range live {
		for _, w := range c.warps {
			if m.timed != nil {
				m.clockOut(w)
			}
		}
	}
	return m.err
}

// block makes a block of the grid ready.
func (m *machine) block(id [3]uint32, rank uint32, cl *cluster) *cta {
	g, b := m.l.Grid, m.l.Block
	threads := int(b[0] * b[1] * b[2])
	var c *cta
	if k := len(m.free); k > 0 {
		c, m.free = m.free[k-1], m.free[:k-1]
	} else {
		c = &cta{block: b, m: m, shared: make([]byte, m.sharedSize())}
		for k := range (threads + 31) / 32 {
			c.warps = append(c.warps, &Warp{ID: k, lane0: k * 32, cta: c, m: m, fresh: true})
		}
	}
	c.id, c.rank, c.cluster, c.ended = id, rank, cl, false
	c.live, c.steps = threads, 0
	c.tensor = tensorState{}
	if m.async != nil {
		c.begin(id[0] + g[0]*(id[1]+g[1]*id[2]) + 1)
	}
	for k := range c.shared {
		c.shared[k] = poisonByte
	}
	m.enterTensor(c)
	for _, w := range c.warps {
		w.reset(min(32, threads-w.lane0))
	}
	return c
}

// Memory and registers that nobody wrote hold these, so that a program that
// reads them is wrong every time.
const (
	poisonByte = 0xcd
	poisonReg  = 0xbad00000
)

func (w *Warp) reset(lanes int) {
	// Rows that no instruction names need no care the second time.
	first, last := int(w.m.prog.regs), int(w.m.prog.uregs)
	if w.fresh {
		first, last = code.RowUni, code.NumRows-code.RowUni
		w.fresh = false
	}
	for n := range first {
		w.R[n] = w.m.prog.poison[n]
	}
	for n := code.RowUni; n < code.RowUni+last; n++ {
		w.R[n] = w.m.prog.poison[n]
	}
	w.R[code.RowZero] = [32]uint32{}
	for n := range w.P {
		w.P[n] = poisonLanes
		if n >= code.PredUni {
			w.P[n] = -(poisonLanes >> n & 1) // of all lanes
		}
	}
	w.P[code.PredTrue] = ^uint32(0)
	w.act, w.pc = uint32(1<<lanes-1), w.m.prog.entry
	w.exited = ^w.act
	w.ready, w.asleep = w.ready[:0], w.asleep[:0]
	w.conv, w.last, w.awaited, w.behind, w.loose = [16]uint32{}, 0, 0, 0, false
	w.bwait, w.wwait, w.cwait = [16]uint32{}, 0, 0
	w.steps = 0
	w.met, w.meets = 0, 0
	if w.m.timed != nil {
		if w.timed == nil {
			w.timed = w.m.timed.NewWarp()
		}
		w.m.clockOut(w)
		w.timed.Reset()
	}
	for n := range w.local {
		w.local[n] = poisonByte
	}
}

// finish adds up the counts.
func (m *machine) finish() *Stats {
	s := &m.stats
	for n := range m.count {
		k := m.prog.insts[n].kind
		s.Warps[k] += m.count[n].warps
		s.Threads[k] += m.count[n].threads
	}
	if m.timed != nil {
		s.Reports = m.timed.Reports()
	}
	if m.async != nil {
		s.Races = m.async.races.List()
	}
	return s
}
