package sim

import (
	"encoding/binary"
	"fmt"

	"github.com/goptxas/goptxas/internal/sass"
)

// Who touched what. Every word of shared memory, and of the global memory
// that was touched, remembers its last write and its last readers.

// touchOf is one access.
type touchOf struct {
	clock uint32
	pc    uint32
	tid   uint16
	mask  uint8 // bytes of the word
	used  bool
	proxy bool // made by the asynchronous proxy
}

// readers is how many last readers a word remembers.
const readers = 4

type cell struct {
	w touchOf
	r [readers]touchOf
	n uint8 // place of the next reader

	of uint32 // block, of global memory
}

func sharedName(addr uint64) string { return fmt.Sprintf("shared memory at %#x", addr) }

// touch checks an access of the running warp, or of the order it runs for.
func (w *warp) touch(where int, addr, n uint64, write bool) {
	m := w.m.async
	if m.quiet || where == spLocal {
		return
	}
	if f := w.m.l.Touch; f != nil {
		f(Touch{Block: w.cta.id, Warp: w.id, PC: w.m.prog.offset(w.at), Addr: addr, N: n, Shared: where == spShared, Write: write, Proxy: m.actor != nil && m.actor.proxy})
	}
	i := &w.m.prog.insts[w.at]
	who := actor{tid: uint16(w.tid(0)), clock: w.async.g.at(w.tid(0)), pc: w.at, view: &w.async.view}
	if m.actor != nil {
		who = *m.actor
	} else if w.strong(i, where, addr, write) {
		return
	} else if o, _ := w.cta.owner(addr); where == spShared && write && o != w.cta {
		w.async.remote++ // known to be there when a fence says so
		who.tid, who.clock = uint16(w.tid(tidRemote)), w.async.remote
	}
	for first := addr &^ 3; first < addr+n; first += 4 {
		mask := uint8(15)
		if first < addr {
			mask &= 15 << (addr - first)
		}
		if end := addr + n - first; end < 4 {
			mask &= 1<<end - 1
		}
		c := w.cellAt(where, first, write)
		if c == nil {
			continue
		}
		w.check(c, &who, where, first, mask, write, who.proxy)
		c.note(&who, mask, write, who.proxy)
	}
}

// cellAt returns the memory of a word.
func (w *warp) cellAt(where int, addr uint64, write bool) *cell {
	if where == spShared {
		if o, off := w.cta.owner(addr); o != nil && off/4 < uint64(len(o.shadow)) {
			return &o.shadow[off/4]
		}
		return nil
	}
	m := w.m.async
	c := m.global[addr]
	if c == nil && (write || m.actor != nil) {
		c = &cell{}
		m.global[addr] = c
	}
	return c
}

// check reports earlier accesses that are not ordered before this one. Of
// global memory only those that meet asynchronous work of the same block are
// looked at. What LDGSTS wrote needs no proxy fence once it was waited for:
// programs multiply it without one, and the reference adds none.
func (w *warp) check(c *cell, who *actor, where int, addr uint64, mask uint8, write, proxy bool) {
	if where != spShared && w.m.foreign(c, w.cta) {
		return
	}
	if t := &c.w; t.used && t.mask&mask != 0 && t.tid != who.tid || t.used && t.mask&mask != 0 && proxy != t.proxy {
		known := &who.view.g
		if kind := t.tid % numTids &^ 31; proxy && !t.proxy && kind != tidCopy {
			known = &who.view.a
		}
		switch {
		case known.at(int(t.tid)) >= t.clock || where != spShared && !proxy && !t.proxy:
		case write && !proxy && !t.proxy:
			w.suspect(t.pc, addr, t.mask&mask)
		default:
			w.m.race(t.pc, who.pc, found(true, write, known == &who.view.a), place(where, addr))
		}
	}
	if !write {
		return
	}
	for k := range c.r {
		t := &c.r[k]
		if !t.used || t.mask&mask == 0 || t.tid == who.tid && t.proxy == proxy || where != spShared && !proxy && !t.proxy {
			continue
		}
		if who.view.g.at(int(t.tid)) < t.clock {
			w.m.race(t.pc, who.pc, found(false, true, false), place(where, addr))
		}
	}
}

// suspicion is bytes of a word of shared memory that two warps write in no
// order: it matters when the second one changes them.
type suspicion struct {
	first uint32
	addr  uint64
	was   uint32
	bytes uint32 // a mask of their bits
}

func (w *warp) suspect(first uint32, addr uint64, bytes uint8) {
	b := w.cta.word(addr)
	if b == nil {
		return
	}
	x := suspicion{first: first, addr: addr, was: binary.LittleEndian.Uint32(b)}
	for k := range 4 {
		if bytes>>k&1 != 0 {
			x.bytes |= 0xff << (8 * k)
		}
	}
	w.async.suspects = append(w.async.suspects, x)
}

// convict reports the suspects of the instruction that has just run.
func (w *warp) convict() {
	a := w.async
	for _, x := range a.suspects {
		if (binary.LittleEndian.Uint32(w.cta.word(x.addr))^x.was)&x.bytes != 0 {
			w.m.race(x.first, w.at, found(true, true, false), sharedName(x.addr))
		}
	}
	a.suspects = a.suspects[:0]
}

// foreign reports, and forgets, what another block did to a word of global
// memory: the clocks are those of one cluster.
func (m *machine) foreign(c *cell, b *cta) bool {
	if c.of == b.cluster.number {
		return false
	}
	*c = cell{of: b.cluster.number}
	return true
}

func place(where int, addr uint64) string {
	if where == spShared {
		return sharedName(addr)
	}
	return fmt.Sprintf("global memory at %#x", addr)
}

func found(wrote, write, fence bool) string {
	switch {
	case fence:
		return "was written and no proxy fence orders it before asynchronous work"
	case wrote && write:
		return "is written twice in no order"
	case wrote:
		return "is read and its write is not known to be over"
	}
	return "is written and its read is not known to be over"
}

// note remembers an access.
func (c *cell) note(who *actor, mask uint8, write, proxy bool) {
	t := touchOf{clock: who.clock, pc: who.pc, tid: who.tid, mask: mask, used: true, proxy: proxy}
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

// strong reports whether an access is one that orders: atomics and accesses
// marked strong carry what is known from who wrote a place to who reads it.
func (w *warp) strong(i *inst, where int, addr uint64, write bool) bool {
	atomic := i.kind == ClassAtomic
	if !atomic && !i.strong {
		return false
	}
	key := addr
	if where == spShared {
		o, off := w.cta.owner(addr)
		if o == nil {
			return true
		}
		key = off | uint64(o.number)<<40
	}
	m := w.m.async
	v := m.places[key]
	if v == nil {
		v = &view{}
		m.places[key] = v
	}
	if atomic || !write {
		w.acquire(v)
	}
	if atomic || write {
		w.release(v)
	}
	if where == spGlobal && (i.op == sass.OpATOMG || i.op == sass.OpATOM) {
		w.noteAtom(addr, uint64(i.size))
	}
	return true
}

// noteAtom remembers an atomic of global memory for the tensor-map proxy,
// which sees it when the instruction's barrier was waited for.
func (w *warp) noteAtom(addr, n uint64) {
	a := w.async
	a.atoms++
	who := actor{tid: uint16(w.tid(tidAtom)), clock: a.atoms, pc: w.at}
	for first := addr &^ 3; first < addr+n; first += 4 {
		c := w.cellAt(spGlobal, first, true)
		w.m.foreign(c, w.cta)
		c.note(&who, 15, true, false)
	}
	nth := a.atoms
	w.whenWaited(&w.m.prog.insts[w.at], func() {
		a.r.raise(w.tid(tidAtom), nth)
	})
}

// readMap checks that a tensor map of global memory is the one that the
// tensor-map proxy sees.
func (w *warp) readMap(addr uint64, seen *view) {
	for k := uint64(0); k < 128; k += 4 {
		c := w.m.async.global[addr+k]
		if c == nil || !c.w.used || c.of != w.cta.cluster.number {
			continue
		}
		if seen.t.at(int(c.w.tid)) < c.w.clock {
			w.m.race(c.w.pc, w.at, "was written and the tensor-map proxy need not see it", place(spGlobal, addr+k))
			return
		}
	}
}
