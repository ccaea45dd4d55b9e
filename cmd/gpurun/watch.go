package main

import "github.com/goptxas/goptxas/internal/witness/ptxvm"

// watcher looks at every access to global memory. Two accesses of different
// threads to a byte race if one changes it and no barrier lies between them.
// What a write changes is known only after it: the next access looks.
// Atomic updates do not race with each other, but with plain writes; what
// they leave may still depend on their order, and what plain reads find too.
type watcher struct {
	ends    []uint64 // how far each buffer was touched
	pages   map[page]*[pageSize]shadow
	at      page // the page that was used last
	found   *[pageSize]shadow
	last    ptxvm.Access // a write whose effect is not known yet
	before  []byte
	pending bool
	changed bool
	quick   bool // the run ends with the first race
	racy    bool
	unset   bool // shared memory was read that nobody wrote
	atomics bool // there were atomic updates
	close   bool // threads exchange values in shared memory without a barrier of the block
}

const pageSize = 4096

type page struct {
	buffer int
	number uint64
}

// shadow is what is known of a byte: who changed it last, who read it, and
// who updated it atomically.
type shadow struct{ writer, reader, atomic owner }

// owner is a thread at a time; several readers are nobody in particular.
type owner struct {
	block, thread int32 // plus one; 0: nobody. Thread below zero: several
	phase         int32
}

func ownerOf(a *ptxvm.Access) owner {
	return owner{int32(a.Block + 1), int32(a.Thread + 1), int32(a.Phase)}
}

// ordered reports whether what o did comes before what a does, or is a's own.
func (o owner) ordered(a owner) bool {
	return o.block == 0 || o.block == a.block && (o.thread == a.thread || o.phase < a.phase)
}

// join adds a thread to those that did something.
func (o *owner) join(me owner) {
	switch {
	case o.block == 0 || o.ordered(me):
		*o = me
	case o.block == me.block:
		o.thread, o.phase = -1, max(o.phase, me.phase)
	default: // threads of two blocks are in order with nobody
		*o = owner{-1, -1, me.phase}
	}
}

func (w *watcher) access(a *ptxvm.Access) {
	w.settle()
	if w.quick && (w.racy || w.unset) {
		panic(&ptxvm.Fault{What: "no better than another launch"})
	}
	w.atomics = w.atomics || a.Atomic
	if a.Buffer == ptxvm.Shared {
		w.shared(a)
		return
	}
	if a.Buffer >= 0 {
		for len(w.ends) <= a.Buffer {
			w.ends = append(w.ends, 0)
		}
		w.ends[a.Buffer] = max(w.ends[a.Buffer], a.Offset+uint64(len(a.Mem)))
	}
	if a.Write || a.Atomic {
		w.last, w.pending = *a, true
		w.before = append(w.before[:0], a.Mem...)
		return
	}
	me := ownerOf(a)
	for k := range a.Mem {
		s := w.shadow(a, k)
		if !s.writer.ordered(me) {
			w.racy = true
		}
		s.reader.join(me)
	}
}

// shared notes which bytes of a block's shared memory are written, and reads
// of others: they find what earlier kernels left. Accesses with no block
// barrier between them may still be in order, by a barrier of the warp.
func (w *watcher) shared(a *ptxvm.Access) {
	me := ownerOf(a)
	for k := range a.Mem {
		s := w.shadow(a, k)
		w.unset = w.unset || s.writer.block == 0 && (a.Atomic || !a.Write)
		w.close = w.close || !s.writer.ordered(me) || a.Write && !s.reader.ordered(me)
		if a.Write {
			s.writer = me
		} else {
			s.reader.join(me)
		}
	}
}

// settle looks at what the last write did. A byte that stays the same was
// as good as read.
func (w *watcher) settle() {
	if !w.pending {
		return
	}
	w.pending = false
	me := ownerOf(&w.last)
	for k := range w.last.Mem {
		s := w.shadow(&w.last, k)
		same := w.last.Mem[k] == w.before[k]
		w.changed = w.changed || !same && w.last.Buffer >= 0
		switch {
		case w.last.Atomic:
			w.racy = w.racy || !s.writer.ordered(me)
			s.atomic.join(me)
		case same:
			w.racy = w.racy || !s.atomic.ordered(me)
			s.reader.join(me)
		default:
			w.racy = w.racy || !s.writer.ordered(me) || !s.reader.ordered(me) || !s.atomic.ordered(me)
			s.writer = me
		}
	}
}

func (w *watcher) shadow(a *ptxvm.Access, k int) *shadow {
	at := a.Offset + uint64(k)
	id := page{a.Buffer, at / pageSize}
	if a.Buffer == ptxvm.Shared {
		id.buffer += a.Block
	}
	if w.found != nil && w.at == id {
		return &w.found[at%pageSize]
	}
	p := w.pages[id]
	if p == nil {
		if w.pages == nil {
			w.pages = map[page]*[pageSize]shadow{}
		}
		p = new([pageSize]shadow)
		w.pages[id] = p
	}
	w.at, w.found = id, p
	return &p[at%pageSize]
}
