package order

// touch is one access.
type touch struct {
	clock uint32
	pc    uint32
	tid   uint16
	mask  uint8 // bytes of the word
	used  bool
	proxy bool // made by the asynchronous proxy
}

// readers is how many last readers a word remembers.
const readers = 4

// Cell is a word of memory: its last write and its last readers.
type Cell struct {
	w touch
	r [readers]touch
	n uint8 // place of the next reader

	of uint32 // block, of global memory
}

// Check tells of earlier accesses that are not ordered before this one. Of
// global memory only those that meet asynchronous work of the same block are
// looked at. What LDGSTS wrote needs no proxy fence once it was waited for:
// programs multiply it without one, and the reference adds none. Of two plain
// writes only the bytes are told that are suspect: it matters whether the
// second one changes them.
func (c *Cell) Check(who *Actor, shared bool, mask uint8, write bool, tell func(pc uint32, what string, suspects uint8)) {
	proxy := who.Proxy
	if t := &c.w; t.used && t.mask&mask != 0 && t.tid != who.Tid || t.used && t.mask&mask != 0 && proxy != t.proxy {
		known := &who.View.Known
		if kind := t.tid % numTids &^ 31; proxy && !t.proxy && kind != TidCopy {
			known = &who.View.Proxy
		}
		switch {
		case known.At(int(t.tid)) >= t.clock || !shared && !proxy && !t.proxy:
		case write && !proxy && !t.proxy:
			tell(t.pc, "", t.mask&mask)
		default:
			tell(t.pc, behindWrite(write, known == &who.View.Proxy), 0)
		}
	}
	if !write {
		return
	}
	for k := range c.r {
		t := &c.r[k]
		if !t.used || t.mask&mask == 0 || t.tid == who.Tid && t.proxy == proxy || !shared && !proxy && !t.proxy {
			continue
		}
		if who.View.Known.At(int(t.tid)) < t.clock {
			tell(t.pc, WriteTooEarly, 0)
		}
	}
}

// Foreign reports, and forgets, what another cluster did to a word of global
// memory: the clocks are those of one cluster.
func (c *Cell) Foreign(cluster uint32) bool {
	if c.of == cluster {
		return false
	}
	*c = Cell{of: cluster}
	return true
}

// Hidden tells the write, if there is one of the cluster, that the tensor-map
// proxy need not see.
func (c *Cell) Hidden(cluster uint32, seen *View) (pc uint32, ok bool) {
	if !c.w.used || c.of != cluster || seen.Maps.At(int(c.w.tid)) >= c.w.clock {
		return 0, false
	}
	return c.w.pc, true
}

// What can be wrong between two accesses.
const (
	NoFence       = "was written and no proxy fence orders it before asynchronous work"
	WrittenTwice  = "is written twice in no order"
	ReadTooEarly  = "is read and its write is not known to be over"
	WriteTooEarly = "is written and its read is not known to be over"
)

// behindWrite says what is wrong with an access behind a write.
func behindWrite(write, fence bool) string {
	switch {
	case fence:
		return NoFence
	case write:
		return WrittenTwice
	}
	return ReadTooEarly
}

// Note remembers an access.
func (c *Cell) Note(who *Actor, mask uint8, write bool) {
	proxy := who.Proxy
	t := touch{clock: who.Clock, pc: who.Pc, tid: who.Tid, mask: mask, used: true, proxy: proxy}
	if write {
		if c.w.used && c.w.tid == t.tid && c.w.proxy == proxy && c.w.clock == t.clock { // what it wrote earlier is ordered otherwise
			t.mask |= c.w.mask
		}
		c.w = t
		for k := range c.r { // whoever is ordered behind the write is behind them
			if c.r[k].mask &^= mask; c.r[k].mask == 0 {
				c.r[k].used = false
			}
		}
		return
	}
	for k := range c.r {
		if o := &c.r[k]; o.used && o.tid == t.tid && o.proxy == proxy {
			t.mask |= o.mask
			*o = t
			return
		}
	}
	c.r[c.n%readers] = t
	c.n++
}
