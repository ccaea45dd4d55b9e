package dag

import (
	"slices"

	"github.com/goptxas/goptxas/internal/codegen/abi"
	"github.com/goptxas/goptxas/internal/codegen/sched/estimate"
	"github.com/goptxas/goptxas/internal/codegen/sched/heap"
	"github.com/goptxas/goptxas/internal/codegen/sched/places"
	"github.com/goptxas/goptxas/internal/codegen/sched/tuning"
	"github.com/goptxas/goptxas/internal/codegen/sched/words"
	"github.com/goptxas/goptxas/internal/codegen/timing"
	"github.com/goptxas/goptxas/internal/engine/pool"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/target"
)

// edge says that an instruction issues at least some cycles after another.
type edge struct {
	To      int32
	Latency int32
}

// Graph is the dependences inside a region: instructions between two that
// keep their places.
type Graph struct {
	Mem    *pool.Scratch
	alone  bool // see groupBusy
	groups bool // the function has products of warp groups

	Instrs  []*ori.Instr
	Classes []target.Class
	Succs   [][]edge
	Preds   []int32      // number of edges into each
	Height  []int32      // longest path to the end
	rests   []int32      // see rest; nil until asked for
	short   int32        // see Shortest; 0 until asked for
	leads   []bool       // see Leads; nil until asked for
	units   *units       // nil until asked for
	byRest  []heap.Node  // all instructions, the longest rest first; nil until asked for
	look    int          // ready instructions that are tried for one whose unit is free
	Scarce  target.Class // see scarce.go
	work    int32        // cycles that its unit is busy
	copied  int32        // see draining.go
}

// fewEdges is how many edges most instructions have at most.
const fewEdges = 4

// word state: who wrote a word last and who read it since.
type word struct {
	stamp   int32 // region in which the rest is valid
	writer  int32
	version int32
	first   int32 // of its readers in the grapher's list, plus one; 0 = none
	last    int32
}

// readOf is one of the readers of a word since it was written.
type readOf struct{ node, next int32 }

// Bounds on how many memory accesses are compared with each new one; when
// there are more, the next one is ordered behind all of them.
const (
	maxStores = 48
	maxLoads  = 256
)

// Grapher builds graphs. Its tables are used again for every region.
type Grapher struct {
	tune       *tuning.Tuning
	Names      *words.Numbering
	desc       *timing.Describer
	Timing     *target.Timing
	words      []word
	reads      []readOf // of all words of the region
	stamp      int32
	list       []words.Access
	Alias      *flow.Alias         // nil after allocation
	Diverged   *flow.Divergence    // nil where no block exchanges words behind a barrier
	Patient    bool                // see loaded
	Busy       *estimate.BusyTable // where scarce units are looked for
	crowded    bool                // there is one in this region
	loads      []places.Touch
	stores     []places.Touch
	narrow     []places.Touch // see together
	fromSector []places.Touch // the same
	Far        places.Reach   // of the region
	joint      []int32        // since the last barrier, what threads of a warp do together
	barrier    int32          // the last barrier of the block, -1 = none
	groups     groupOrder
	Open       openOrder // after allocation
	Alone      bool      // a block of the kernel fills a multiprocessor
	Turns      int       // that rows of a region must have to take turns
	drains     []bool    // see draining.go
	apart      bool      // see crowd.go
}

// NewGrapher returns a grapher for the instructions that names knows.
func NewGrapher(names *words.Numbering, a *target.Arch, tune *tuning.Tuning) *Grapher {
	d := timing.NewDescriber(names.F, a)
	return &Grapher{tune: tune, Names: names, desc: d, Timing: d.Timing, words: pool.Make[word](names.F.Scratch(), names.Size), groups: newGroupOrder(names, d.Timing), drains: drainsOf(names.F, tune), apart: a.Family >= target.Blackwell}
}

// Build returns the graph of a region. end, which may be nil, is the
// instruction behind it: what it reads must be ready by then.
func (b *Grapher) Build(instrs []*ori.Instr, end *ori.Instr) *Graph {
	b.stamp++
	b.reads = b.reads[:0]
	b.loads, b.stores, b.narrow, b.fromSector, b.joint, b.barrier = b.loads[:0], b.stores[:0], b.narrow[:0], b.fromSector[:0], b.joint[:0], -1
	b.groups.begin()
	b.Open.begin()
	n, mem := len(instrs), b.Names.F.Scratch()
	g := &Graph{
		Mem: mem, Instrs: instrs, alone: b.Alone, groups: b.groups.theirs != nil, look: Lookahead, Classes: pool.Make[target.Class](mem, n), Succs: make([][]edge, n), Preds: pool.Make[int32](mem, n), Height: pool.Make[int32](mem, n),
	}
	room := pool.Make[edge](mem, fewEdges*n)
	for k := range g.Succs {
		g.Succs[k] = room[fewEdges*k : fewEdges*k : fewEdges*(k+1)]
	}
	for k, i := range instrs {
		g.Classes[k] = b.desc.Class(i)
	}
	if b.Busy != nil {
		g.Scarce, g.work = g.ScarceOf(b.Busy, b.tune)
	}
	g.copied = b.copied(instrs[0].Block())
	b.crowded = g.Scarce != 0 || b.Patient && g.multipliesGroups()
	for k, i := range instrs {
		b.memory(g, int32(k), i) // before its own results change what registers hold
		b.registers(g, int32(k), i)
		b.groups.add(g, int32(k), i, b.list)
		b.Open.add(g, int32(k), i, b.list)
	}
	b.together(g)
	if end != nil {
		b.finish(g, end)
	}
	g.heights()
	if b.Patient {
		b.TakeTurns(g)
	}
	tuning.Shake(g.Height, b.tune.Jitter)
	return g
}

// multipliesGroups reports whether there are products of warp groups, which
// read shared memory too.
func (g *Graph) multipliesGroups() bool {
	return slices.Contains(g.Classes, target.ClassGmma)
}

// finish gives what end reads the height its latency asks for.
func (b *Grapher) finish(g *Graph, end *ori.Instr) {
	class := b.desc.Class(end)
	b.list = b.Names.Accesses(end)
	for _, a := range b.list {
		for w := a.Word; w < a.Word+int32(a.N) && !a.Write; w++ {
			if x := b.at(w); x.writer >= 0 {
				g.Height[x.writer] = max(g.Height[x.writer], b.latency(g.Classes[x.writer], class, &a))
			}
		}
	}
}

func (g *Graph) edge(from, to, latency int32) {
	if from != to {
		if list := g.Succs[from]; len(list) == cap(list) {
			g.Succs[from] = append(pool.Room[edge](g.Mem, 2*max(fewEdges, len(list))), list...)
		}
		g.Succs[from] = append(g.Succs[from], edge{to, latency})
		g.Preds[to]++
	}
}

func (b *Grapher) at(w int32) *word {
	x := &b.words[w]
	if x.stamp != b.stamp {
		*x = word{stamp: b.stamp, writer: -1}
	}
	return x
}

// readBy notes that instruction k reads a word.
func (b *Grapher) readBy(x *word, k int32) {
	if x.first != 0 && b.reads[x.last-1].node == k {
		return
	}
	b.reads = append(b.reads, readOf{node: k})
	n := int32(len(b.reads))
	if x.first == 0 {
		x.first = n
	} else {
		b.reads[x.last-1].next = n
	}
	x.last = n
}

// registers adds the edges of instruction k for the registers it names.
func (b *Grapher) registers(g *Graph, k int32, i *ori.Instr) {
	b.list = b.Names.Accesses(i)
	for _, a := range b.list {
		if a.Write {
			continue
		}
		for w := a.Word; w < a.Word+int32(a.N); w++ {
			x := b.at(w)
			if x.writer >= 0 {
				g.edge(x.writer, k, b.result(g, x.writer, k, &a))
			}
			if i.Op == op.COPY { // behind the other readers it can vanish
				for n := x.first; n != 0; n = b.reads[n-1].next {
					g.edge(b.reads[n-1].node, k, 0)
				}
			}
			b.readBy(x, k)
		}
	}
	guarded := i.Guard.Kind != ori.KNone
	for _, a := range b.list {
		if !a.Write {
			continue
		}
		for w := a.Word; w < a.Word+int32(a.N); w++ {
			x := b.at(w)
			for n := x.first; n != 0; n = b.reads[n-1].next {
				r := b.reads[n-1].node
				g.edge(r, k, b.release(g, r, k, &a, b.Timing.WAR))
			}
			if x.writer >= 0 {
				lat := b.release(g, x.writer, k, &a, b.Timing.WAW)
				if guarded {
					// what it does not write is read behind it
					lat = max(lat, b.estimate(g.Classes[x.writer])-b.estimate(g.Classes[k]))
				}
				g.edge(x.writer, k, lat)
			}
			x.writer, x.first = k, 0
			x.version++
		}
	}
}

// result estimates the cycles from what one instruction writes to another
// that reads it.
func (b *Grapher) result(g *Graph, from, to int32, a *words.Access) int32 {
	if g.groups && g.Instrs[from].Mods.Has(op.MLOOSE) {
		return g.groupTime(g.Instrs[from], g.Instrs[to])
	}
	return b.latency(g.Classes[from], g.Classes[to], a)
}

// release estimates the cycles until an instruction has left a register that
// another writes. A matrix operation of a warp group takes its descriptors
// along when it issues and keeps only the general registers.
// Before registers are assigned it is not known which of them are shared.
func (b *Grapher) release(g *Graph, from, to int32, a *words.Access, least func(f target.File, a, b target.Class) int) int32 {
	if g.groups && a.File == target.FileR && g.Instrs[from].Mods.Has(op.MLOOSE) {
		return g.groupTime(g.Instrs[from], g.Instrs[to])
	}
	if !b.Patient {
		return 1
	}
	x, y := g.Classes[from], g.Classes[to]
	if a.File == target.FileR && b.Timing.ReadsLate(x) {
		switch {
		case target.Queued(x, y):
			return 1
		case x == target.ClassLdgsts && g.Scarce != 0:
			return copySources
		}
		return estimate.SourcesRead
	}
	return max(1, int32(least(a.File, x, y)))
}

// copySources is how long an asynchronous copy keeps its addresses in loops of the matrix
// unit: it waits behind loads of matrices, and nothing that writes them has to be early.
const copySources = 80

// groupDelay is how long a warp-group matrix operation takes beyond the time
// it keeps the unit busy, its arrival and the wait for it counted in.
const groupDelay = 48

// groupBusy is how long a block that is alone must take it to keep the unit, of
// which there is one for all warps of a scheduler: 2,048 products a cycle, 64
// cycles for 64 words of sums. Then what comes first is what leads
// to the next operation. Where other blocks have work for the unit in
// the meantime, hardly any: operations that start one by one cost an arrival each.
func (g *Graph) groupBusy(i *ori.Instr) int32 {
	if !g.alone {
		return leastBusy
	}
	return max(leastBusy, int32(i.Args[0].N))
}

// leastBusy is how long the smallest of them keeps it.
const leastBusy = 8

// Products is how long the operations keep their unit beyond that.
func (g *Graph) Products() (busy int32) {
	for k, c := range g.Classes {
		if i := g.Instrs[k]; c == target.ClassGmma && i.Mods.Has(op.MLOOSE) {
			busy += int32(i.Args[0].N) - min(int32(i.Args[0].N), g.groupBusy(i))
		}
	}
	return busy
}

// groupTime is the time from a warp-group matrix operation to an instruction
// that touches its registers; one that adds to the same sums follows at once.
func (g *Graph) groupTime(i, next *ori.Instr) int32 {
	if next.Mods.Has(op.MLOOSE) && next.Args[0] == i.Args[0] {
		return g.groupBusy(i)
	}
	return g.groupBusy(i) + groupDelay
}

// latency estimates the cycles from a result to a reader.
func (b *Grapher) latency(from, to target.Class, a *words.Access) int32 {
	if b.Timing.Variable(from) {
		return b.estimate(from)
	}
	return int32(b.Timing.RAW(a.File, from, timing.SinkOf(to, a.Use)))
}

// passes reports whether threads of a warp may as well do i together on the
// other side of a barrier: it touches nothing else, and where they are all in
// one place a barrier does not bring them there.
func (b *Grapher) passes(i *ori.Instr) bool {
	if places.IsProduct(i) {
		return b.Far == places.OverFences || b.groups.theirs == nil && b.copied(i.Block()) > 0
	}
	return i.Op.Has(op.Exchange) && b.Diverged != nil && !b.Diverged.Is(i.Block())
}

// memory adds the edges of instruction k for the memory it touches.
func (b *Grapher) memory(g *Graph, k int32, i *ori.Instr) {
	switch {
	case places.IsBarrier(i):
		for _, j := range b.joint {
			g.edge(j, k, 1)
		}
		b.joint, b.barrier = append(b.joint[:0], k), k
	case i.Op.Has(op.Convergent) && !b.passes(i):
		if b.barrier >= 0 {
			g.edge(b.barrier, k, 1)
		}
		if !(g.groups && g.copied > 0 && isOpen(i)) {
			b.joint = append(b.joint, k)
		}
	case b.Alias != nil && places.PutsFlag(i): // else the predicate lives over the barrier
		b.joint = append(b.joint, k)
	}
	b.noteLoad(k, i)
	t, ok := places.TouchOf(i)
	if !ok {
		b.stack(g, k, i)
		return
	}
	t.Node = k
	b.base(&t, i)
	if b.Alias != nil {
		t.Place = b.Alias.Of(i)
	}
	holds, passes := places.HoldsMemory(i), g.passesOpen(i)
	full := (t.Write || t.Strict) && len(b.loads) > maxLoads
	switch crowded := !holds && b.isCrowded(&t); {
	case crowded && b.apart && !full:
		b.gather(g, t, i)
		return
	case holds || crowded || full:
		b.holdAll(g, t, i, holds, passes)
		return
	}
	for n := range b.stores {
		if t.Conflicts(&b.stores[n]) {
			g.edge(b.stores[n].Node, k, 1)
		}
	}
	for n := range b.loads {
		if (t.Write || t.Strict) && t.Conflicts(&b.loads[n]) && !(passes && isOpen(g.Instrs[b.loads[n].Node])) {
			g.edge(b.loads[n].Node, k, 1)
		}
	}
	b.noteStore(&t)
	if t.Write {
		b.stores = append(slices.DeleteFunc(b.stores, func(u places.Touch) bool { return t.Covers(&u) }), t)
	} else {
		b.loads = append(b.loads, t)
	}
}

// stack lets no access to the frame of a function stand behind instruction k, if
// k moves the stack pointer: what a debugger or a tool calls in between takes the
// room below it. Kernels keep theirs.
func (b *Grapher) stack(g *Graph, k int32, i *ori.Instr) {
	if b.Names.F.Kernel {
		return
	}
	sp := int32(timing.FirstCell[target.FileR]) + abi.StackReg
	for _, d := range i.Dsts() {
		if d.Kind != ori.KReg || d.Class != ori.R || b.Names.Word(d) != sp {
			continue
		}
		for _, l := range [2][]places.Touch{b.loads, b.stores} {
			for n := range l {
				if l[n].Space&op.SpaceLocal != 0 {
					g.edge(l[n].Node, k, 1)
				}
			}
		}
	}
}

// absolute is the base of accesses without a register.
const absolute = 1 << 30

// base finds the register an access counts its bytes from.
func (b *Grapher) base(t *places.Touch, i *ori.Instr) {
	t.Base = -1
	if t.Hi-t.Lo > 16 || t.Strict {
		return
	}
	for k, o := range i.Srcs() {
		if o.Kind != ori.KAddr {
			continue
		}
		if k+1 < len(i.Srcs()) && i.Srcs()[k+1].Kind == ori.KUAddr && i.Srcs()[k+1].Reg != ori.NoReg {
			if u := i.Srcs()[k+1]; u.N == 2 && o.Reg == ori.NoReg { // the whole address
				o = u
			} else {
				w := b.Names.Word(u)
				t.Uniform, t.UniformVersion = w+1, b.at(w).version
			}
		}
		if o.Reg == ori.NoReg {
			t.Base = absolute
			return
		}
		t.Base = b.Names.Word(o)
		t.Version = int64(b.at(t.Base).version)
		if o.N > 1 {
			t.Version = t.Version<<32 | int64(b.at(t.Base+1).version)
		}
		return
	}
}

// heights computes the longest path from every instruction to the end.
func (g *Graph) heights() {
	for k := len(g.Instrs) - 1; k >= 0; k-- {
		h := max(1, g.Height[k], g.Awaited(int32(k)))
		for _, e := range g.Succs[k] {
			h = max(h, g.Height[e.To]+e.Latency)
		}
		g.Height[k] = h
	}
}

// Rest is how many cycles pass at least from the issue of an instruction until
// the last one that waits for it has issued. Heights are longer: they count
// what stands behind the region, and more where that gives better orders.
func (g *Graph) Rest(k int32) int32 {
	if g.rests == nil {
		g.rests = make([]int32, len(g.Instrs))
		for k := len(g.Instrs) - 1; k >= 0; k-- {
			x := max(1, g.Awaited(int32(k)))
			for _, e := range g.Succs[k] {
				x = max(x, g.rests[e.To]+e.Latency)
			}
			g.rests[k] = x
		}
	}
	return g.rests[k]
}

// Shortest is how many cycles any order takes at least.
func (g *Graph) Shortest() int32 {
	if g.short == 0 {
		g.short = int32(len(g.Instrs))
		for k := range int32(len(g.Instrs)) {
			g.short = max(g.short, g.Rest(k))
		}
	}
	return g.short
}

// Lasting finds the longest rest of what was not issued.
type Lasting struct {
	G  *Graph
	at int // all before it in the list were
}

func (l *Lasting) Of(done []bool) int32 {
	if l.G.byRest == nil {
		l.G.byRest = make([]heap.Node, len(l.G.Instrs))
		for k := range l.G.byRest {
			l.G.byRest[k] = heap.NodeOf(-l.G.Rest(int32(k)), int32(k))
		}
		slices.Sort(l.G.byRest)
	}
	for ; l.at < len(done); l.at++ {
		if x := l.G.byRest[l.at]; !done[x.Instr()] {
			return -x.Key()
		}
	}
	return 0
}

// loaded is how long a load from memory takes on a busy machine. An order that
// no longer takes registers waits that long before it reads a result while
// there is other work: who reads too early holds all the rest back, who reads
// late nobody.
const loaded = 400

// crowdedLds is how long a load from shared memory takes where many warps feed
// one unit from there: the memory is nearly as busy as the unit.
const crowdedLds = 60

// estimate is about how long results of a class take.
func (b *Grapher) estimate(c target.Class) int32 {
	if c == target.ClassLdg && b.Patient {
		return loaded
	}
	if c == target.ClassLds && b.crowded {
		return crowdedLds
	}
	if c == target.ClassLdg && b.tune.Load > 0 {
		return int32(b.tune.Load)
	}
	if b.Timing.Variable(c) {
		return max(estimate.Typical[c], 10)
	}
	return 4
}
