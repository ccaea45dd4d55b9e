package machine

import (
	"math/bits"

	"github.com/goptxas/goptxas/internal/witness/launch"
	"github.com/goptxas/goptxas/internal/witness/texture"
)

// grid is one launch.
type grid struct {
	p       *Program
	fn      *function
	launch  *launch.Launch
	inside  [][]byte // buffers behind pointers inside arguments
	opts    Options
	mem     memory
	tex     *texture.Set
	cluster [3]uint32
	steps   int64
	threads int64
	rand    uint64
	open    bool        // something undefined was read
	async   bool        // there were asynchronous copies
	polls   int         // waits for mbarriers in vain since anything was written
	buffers int         // of the launch; memory of the heap comes behind them
	waiting [][3]uint32 // the first blocks of clusters that have not started
}

// random is a SplitMix generator started by Options.Schedule.
func (g *grid) random() uint64 {
	g.rand += 0x9E3779B97F4A7C15
	z := g.rand
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

// shuffleList brings a list into the order of the schedule.
func shuffleList[T any](g *grid, list []T) {
	if g.opts.Schedule == 0 {
		return
	}
	for k := len(list) - 1; k > 0; k-- {
		j := g.random() % uint64(k+1)
		list[k], list[j] = list[j], list[k]
	}
}

// resident is how many blocks run at once: enough for blocks that wait for
// their neighbours.
const resident = 32

// run runs all blocks. Clusters start together.
func (g *grid) run() {
	g.cluster = g.launch.Cluster
	if c := g.fn.def.Launch.Cluster; g.cluster[0] == 0 && c[0] != 0 {
		g.cluster = [3]uint32{c[0], max(c[1], 1), max(c[2], 1)}
	}
	for k := range g.cluster {
		g.cluster[k] = max(g.cluster[k], 1)
	}
	gr := g.launch.Grid
	for z := uint32(0); z < gr[2]; z += g.cluster[2] {
		for y := uint32(0); y < gr[1]; y += g.cluster[1] {
			for x := uint32(0); x < gr[0]; x += g.cluster[0] {
				g.waiting = append(g.waiting, [3]uint32{x, y, z})
			}
		}
	}
	most := resident
	if g.p.cancels { // one at a time, so that there is something to take over
		most = 1
	}
	var list []*cta
	for len(g.waiting) > 0 {
		at := g.waiting[0]
		g.waiting = g.waiting[1:]
		list = append(list, g.newCluster(at)...)
		for len(list) >= most {
			list = g.round(list)
		}
	}
	for len(list) > 0 {
		list = g.round(list)
	}
}

// round gives each block a turn and drops those that are done.
func (g *grid) round(list []*cta) []*cta {
	moved := false
	shuffleList(g, list)
	for _, c := range list {
		if c.turn() {
			moved = true
		}
	}
	if !moved {
		list[0].deadlock()
	}
	left := list[:0]
	for _, c := range list {
		if !c.done() {
			left = append(left, c)
		} else {
			c.end()
		}
	}
	return left
}

// group is the blocks of one cluster, and its barrier.
type group struct {
	blocks []*cta
	late   []later // copies that tell mbarriers
}

func (g *grid) newCluster(at [3]uint32) []*cta {
	cl := &group{}
	for z := range g.cluster[2] {
		for y := range g.cluster[1] {
			for x := range g.cluster[0] {
				id := [3]uint32{at[0] + x, at[1] + y, at[2] + z}
				if id[0] < g.launch.Grid[0] && id[1] < g.launch.Grid[1] && id[2] < g.launch.Grid[2] {
					c := newCTA(g, id)
					c.cluster, c.rank = cl, uint32(len(cl.blocks))
					cl.blocks = append(cl.blocks, c)
				}
			}
		}
	}
	return cl.blocks
}

// cta is one block.
type cta struct {
	grid    *grid
	id      [3]uint32
	cluster *group
	rank    uint32
	warps   []*Warp
	turns   []*Warp // the warps in the order in which they have their turns
	shared  []byte
	bars    [16]bar
	exits   bool // threads have ended since barriers were looked at
	phase   int  // barriers that have completed
	races   *races
	tensor  tensorState
}

func newCTA(g *grid, id [3]uint32) *cta {
	c := &cta{grid: g, id: id}
	size := g.p.lay.dynamic + int64(g.launch.Smem)
	c.shared = make([]byte, size)
	g.dirty(c.shared)
	b := g.launch.Block
	n := int(b[0] * b[1] * b[2])
	for first := 0; first < n; first += Lanes {
		w := &Warp{cta: c, Index: first / Lanes}
		for l := 0; l < Lanes && first+l < n; l++ {
			t := uint32(first + l)
			w.tid[l] = [3]uint32{t % b[0], t / b[0] % b[1], t / (b[0] * b[1])}
			w.live |= 1 << l
			w.sp[l] = localStart
			if n := uint32(g.p.lay.local); n > localStart {
				w.grow(l, n-localStart)
			}
		}
		w.in = &g.fn.code[0]
		f := w.newFrame(g.fn, nil, w.live)
		w.frame = f
		for l := range Lanes {
			w.fr[l] = f
			if w.live>>l&1 == 0 {
				w.st[l] = gone
			}
		}
		c.warps = append(c.warps, w)
	}
	if g.opts.Races {
		c.races = newRaces(len(c.warps)*Lanes, len(c.shared))
	}
	return c
}

// quantum is how many turns a warp has before the next one runs.
const quantum = 512

// turn lets every warp run for a while. It returns whether anything moved.
func (c *cta) turn() bool {
	moved := false
	g := c.grid
	if g.opts.Schedule != 0 {
		c.turns = append(c.turns[:0], c.warps...)
		shuffleList(g, c.turns)
	} else {
		c.turns = c.warps
	}
	for _, w := range c.turns {
		n := quantum
		if g.opts.Schedule != 0 {
			n = 1 + int(g.random()%16)
		}
		if w.live != 0 && w.run(n) {
			moved = true
		}
		if c.exits {
			c.exits = false
			for b := range c.bars {
				moved = c.release(b) || moved
			}
			moved = c.cluster.release() || moved
		}
	}
	return moved
}

func (c *cta) done() bool {
	for _, w := range c.warps {
		if w.live != 0 {
			return false
		}
	}
	return true
}

// deadlock faults, blaming the first thread that waits for threads of its
// warp, or else at a barrier.
func (c *cta) deadlock() {
	for _, want := range [...]state{peers, barrier} {
		for _, w := range c.warps {
			for m := w.live; m != 0; m &= m - 1 {
				l := bits.TrailingZeros32(m)
				if w.st[l] != want {
					continue
				}
				at, what := w.at[l], "waits for threads of its warp that never come"
				if want == barrier {
					at, what = w.barAt[l], "waits at a barrier that never completes"
				}
				w.frame, w.in = w.fr[l], &w.fr[l].fn.code[at]
				w.Fail(l, "%s", what)
			}
		}
	}
}

// peer returns the block of the cluster that an address begins with.
func (w *Warp) peer(prefix uint64, lane int) *cta {
	if prefix < rankBias || prefix-rankBias >= uint64(len(w.cta.cluster.blocks)) {
		w.Fail(lane, "no block %d in the cluster", int64(prefix-rankBias))
	}
	return w.cta.cluster.blocks[prefix-rankBias]
}

// own is what addresses of shared variables begin with: nothing in a block
// that has no others beside it.
func (w *Warp) own() uint64 {
	if len(w.cta.cluster.blocks) < 2 {
		return 0
	}
	return Block(uint64(w.cta.rank))
}

// Cancel takes a cluster that has not started out of the launch and returns
// its first block: a running one does its work.
func (w *Warp) Cancel() (id [3]uint32, ok bool) {
	g := w.cta.grid
	n := len(g.waiting)
	if n == 0 {
		return id, false
	}
	id, g.waiting = g.waiting[n-1], g.waiting[:n-1]
	return id, true
}

// Blocks is how many blocks the cluster has.
func (w *Warp) Blocks() uint64 { return uint64(len(w.cta.cluster.blocks)) }
