package machine

import (
	"encoding/binary"
	"fmt"

	"github.com/goptxas/goptxas/internal/sass"
	"github.com/goptxas/goptxas/internal/witness/sim/order"
)

// Who touched what. Every word of shared memory, and of the global memory
// that was touched, remembers its last write and its last readers.

func sharedName(addr uint64) string { return fmt.Sprintf("shared memory at %#x", addr) }

// touch checks an access of the running warp, or of the order it runs for.
func (w *Warp) touch(where int, addr, n uint64, write bool) {
	m := w.m.async
	if m.quiet || where == SpaceLocal {
		return
	}
	if f := w.m.l.Touch; f != nil {
		f(Touch{Block: w.cta.id, Warp: w.ID, PC: w.m.prog.Offset(w.At), Addr: addr, N: n, Shared: where == SpaceShared, Write: write, Proxy: m.actor != nil && m.actor.Proxy})
	}
	i := &w.m.prog.insts[w.At]
	who := order.Actor{Tid: uint16(w.tid(0)), Clock: w.async.Known.At(w.tid(0)), Pc: w.At, View: &w.async.View}
	if m.actor != nil {
		who = *m.actor
	} else if w.strong(i, where, addr, write) {
		return
	} else if o, _ := w.cta.owner(addr); where == SpaceShared && write && o != w.cta {
		w.async.remote++ // known to be there when a fence says so
		who.Tid, who.Clock = uint16(w.tid(order.TidRemote)), w.async.remote
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
		if where == SpaceShared || !c.Foreign(w.cta.cluster.number) {
			c.Check(&who, where == SpaceShared, mask, write, func(pc uint32, what string, suspects uint8) {
				if suspects != 0 {
					w.suspect(pc, first, suspects)
					return
				}
				w.m.race(pc, who.Pc, what, place(where, first))
			})
		}
		c.Note(&who, mask, write)
	}
}

// cellAt returns the memory of a word.
func (w *Warp) cellAt(where int, addr uint64, write bool) *order.Cell {
	if where == SpaceShared {
		if o, off := w.cta.owner(addr); o != nil && off/4 < uint64(len(o.shadow)) {
			return &o.shadow[off/4]
		}
		return nil
	}
	m := w.m.async
	c := m.global[addr]
	if c == nil && (write || m.actor != nil) {
		c = &order.Cell{}
		m.global[addr] = c
	}
	return c
}

// suspicion is bytes of a word of shared memory that two warps write in no
// order: it matters when the second one changes them.
type suspicion struct {
	first uint32
	addr  uint64
	was   uint32
	bytes uint32 // a mask of their bits
}

func (w *Warp) suspect(first uint32, addr uint64, bytes uint8) {
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
func (w *Warp) convict() {
	a := w.async
	for _, x := range a.suspects {
		if (binary.LittleEndian.Uint32(w.cta.word(x.addr))^x.was)&x.bytes != 0 {
			w.m.race(x.first, w.At, order.WrittenTwice, sharedName(x.addr))
		}
	}
	a.suspects = a.suspects[:0]
}

func place(where int, addr uint64) string {
	if where == SpaceShared {
		return sharedName(addr)
	}
	return fmt.Sprintf("global memory at %#x", addr)
}

// strong reports whether an access is one that orders: atomics and accesses
// marked strong carry what is known from who wrote a place to who reads it.
func (w *Warp) strong(i *Inst, where int, addr uint64, write bool) bool {
	atomic := i.kind == ClassAtomic
	if !atomic && !i.Strong {
		return false
	}
	key := addr
	if where == SpaceShared {
		o, off := w.cta.owner(addr)
		if o == nil {
			return true
		}
		key = off | uint64(o.number)<<40
	}
	m := w.m.async
	v := m.places[key]
	if v == nil {
		v = &order.View{}
		m.places[key] = v
	}
	if atomic || !write {
		w.acquire(v)
	}
	if atomic || write {
		w.release(v)
	}
	if where == SpaceGlobal && (i.Op == sass.OpATOMG || i.Op == sass.OpATOM) {
		w.noteAtom(addr, uint64(i.Size))
	}
	return true
}

// noteAtom remembers an atomic of global memory for the tensor-map proxy,
// which sees it when the instruction's barrier was waited for.
func (w *Warp) noteAtom(addr, n uint64) {
	a := w.async
	a.atoms++
	who := order.Actor{Tid: uint16(w.tid(order.TidAtom)), Clock: a.atoms, Pc: w.At}
	for first := addr &^ 3; first < addr+n; first += 4 {
		c := w.cellAt(SpaceGlobal, first, true)
		c.Foreign(w.cta.cluster.number)
		c.Note(&who, 15, true)
	}
	nth := a.atoms
	w.whenWaited(&w.m.prog.insts[w.At], func() {
		a.Device.Raise(w.tid(order.TidAtom), nth)
	})
}

// readMap checks that a tensor map of global memory is the one that the
// tensor-map proxy sees.
func (w *Warp) readMap(addr uint64, seen *order.View) {
	for k := uint64(0); k < 128; k += 4 {
		c := w.m.async.global[addr+k]
		if c == nil {
			continue
		}
		if pc, ok := c.Hidden(w.cta.cluster.number, seen); ok {
			w.m.race(pc, w.At, "was written and the tensor-map proxy need not see it", place(SpaceGlobal, addr+k))
			return
		}
	}
}
