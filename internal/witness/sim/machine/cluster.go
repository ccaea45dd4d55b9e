package machine

import (
	"fmt"

	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/witness/sim/order"
)

// Clusters: blocks that run together. Each reaches the shared memory of the
// others, whose addresses have the rank of a block in their upper byte, and
// all meet at one barrier. A block without a cluster is one of its own.

type cluster struct {
	blocks []*cta
	number uint32     // of its first block
	left   int        // blocks that have not come to their end
	phase  uint32     // of the barrier: how often all have met
	open   order.View // of those that arrived
	done   order.View
}

// RankShift is where a shared address says whose it is.
const RankShift = 24

// clusters finds out how many blocks a cluster of the launch has.
func (m *machine) clusters() error {
	m.clusterOf = m.l.Cluster
	for _, a := range m.prog.kernel.Attrs {
		if a.ID == cubin.AttrCtaPerCluster && len(a.Words) == 3 && m.clusterOf[0] == 0 {
			copy(m.clusterOf[:], a.Words)
		}
	}
	m.clustered = m.clusterOf[0] != 0
	for n, g := range m.l.Grid {
		m.clusterOf[n] = max(m.clusterOf[n], 1)
		if g%m.clusterOf[n] != 0 {
			return fmt.Errorf("%s: a grid of %d blocks in clusters of %d", m.prog.kernel.Name, m.l.Grid, m.clusterOf)
		}
	}
	return nil
}

// start makes the blocks of cluster number n ready.
func (m *machine) start(n uint64) []*cta {
	c, first := m.clusterOf, m.firstOf(n)
	cl := &cluster{number: uint32(n) + 1}
	for z := range c[2] {
		for y := range c[1] {
			for x := range c[0] {
				id := [3]uint32{first[0] + x, first[1] + y, first[2] + z}
				cl.blocks = append(cl.blocks, m.block(id, uint32(len(cl.blocks)), cl))
			}
		}
	}
	cl.left = len(cl.blocks)
	return cl.blocks
}

// firstOf is the first block of cluster number n.
func (m *machine) firstOf(n uint64) [3]uint32 {
	c, g := m.clusterOf, m.l.Grid
	nx, ny := uint64(g[0]/c[0]), uint64(g[1]/c[1])
	return [3]uint32{uint32(n%nx) * c[0], uint32(n/nx%ny) * c[1], uint32(n/nx/ny) * c[2]}
}

// TakeOver takes the last cluster that has not started out of the launch and
// returns its first block.
func (w *Warp) TakeOver() (id [3]uint32, ok bool) {
	m := w.m
	if m.next >= m.total {
		return id, false
	}
	m.total--
	return m.firstOf(m.total), true
}

// Blocks is how many blocks the cluster has.
func (w *Warp) Blocks() uint64 { return uint64(len(w.cta.cluster.blocks)) }

// leave ends a block and returns those that can be used again: all of the
// cluster, when it was the last one.
func (c *cta) leave() []*cta {
	c.ended = true
	if c.cluster.left--; c.cluster.left > 0 {
		return nil
	}
	return c.cluster.blocks
}

// owner returns the block that a shared address belongs to and the place in
// its memory, or nil.
func (c *cta) owner(addr uint64) (*cta, uint64) {
	rank := addr >> RankShift
	if rank == uint64(c.rank) {
		return c, addr & (1<<RankShift - 1)
	}
	if rank >= uint64(len(c.cluster.blocks)) {
		return nil, 0
	}
	return c.cluster.blocks[rank], addr & (1<<RankShift - 1)
}

// word is the word of shared memory at an address, or nil.
func (c *cta) word(addr uint64) []byte {
	o, off := c.owner(addr)
	if o == nil || off+4 > uint64(len(o.shared)) {
		return nil
	}
	return o.shared[off : off+4]
}

// sharedBytes is shared memory of any block of the cluster.
func (w *Warp) sharedBytes(l int, addr, n uint64) []byte {
	o, off := w.cta.owner(addr)
	switch {
	case o == nil:
		w.Fail(l, "shared access at %#x: the cluster has %d blocks", addr, len(w.cta.cluster.blocks))
	case o.ended:
		w.Fail(l, "shared access at %#x: that block has come to its end", addr)
	case off >= uint64(len(o.shared)) || off+n > uint64(len(o.shared)):
		w.Fail(l, "shared access of %d bytes at %#x is outside the %#x bytes of the block", n, addr, len(o.shared))
	default:
		return o.shared[off : off+n : off+n]
	}
	return nil
}

// ArriveCluster enters the warp at the barrier of the cluster.
func (w *Warp) ArriveCluster(m uint32) {
	if m != ^w.exited {
		w.Fail(Lane(m), "part of the warp comes to a barrier of the cluster")
		return
	}
	cl := w.cta.cluster
	if w.met > cl.phase {
		w.Fail(-1, "arrives twice at the barrier of the cluster")
		return
	}
	w.met = cl.phase + 1
	if w.async != nil {
		w.release(&cl.open)
	}
	cl.settle()
}

// WaitCluster lets the warp wait until all have arrived.
func (w *Warp) WaitCluster(m uint32) {
	cl := w.cta.cluster
	if w.met > cl.phase {
		w.wait(m)
		w.cwait |= m
		w.meets |= m
		return
	}
	if w.async != nil {
		w.acquire(&cl.done)
	}
}

// settle ends a phase when all warps that still run have arrived.
func (cl *cluster) settle() {
	any := false
	for _, c := range cl.blocks {
		for _, w := range c.warps {
			if w.exited == ^uint32(0) {
				continue
			}
			if w.met <= cl.phase {
				return
			}
			any = true
		}
	}
	if !any {
		return
	}
	cl.phase++
	cl.done.Merge(&cl.open)
	cl.open = order.View{}
	for _, c := range cl.blocks {
		for _, w := range c.warps {
			if m := w.meets; m != 0 {
				w.meets = 0
				w.cwait &^= m
				w.scatter(m, &w.lpc)
				if w.async != nil {
					w.acquire(&cl.done)
				}
			}
		}
	}
}
