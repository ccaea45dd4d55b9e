package main

import (
	"errors"
	"slices"
	"strings"

	"goptxas/internal/witness/launch"
	"goptxas/internal/witness/ptxvm"
)

// Choosing among guesses: each attempt is run in the PTX interpreter, which
// says whether the kernel stays inside its buffers, ends, writes anything and
// depends on the order of its threads. The first attempts about which there
// is nothing to complain are taken.

// trial is what the interpreter says about one launch.
type trial struct {
	launch launch.Launch
	steps  int64
	fault  string // how it ended
	racy   bool   // the result depends on the order of threads
	unset  bool   // it depends on shared memory that was never written
	silent bool   // nothing was written that was not there before
}

// maxTrial bounds the instructions of warps in one trial.
const maxTrial = 1_500_000

// faulty is the level of trials that did not end well.
const faulty = 3

// maxLong is after how many attempts that take too long only small grids are
// tried.
const maxLong = 3

// level orders trials: the lower the better.
func (t *trial) level() int {
	switch {
	case t.fault != "":
		return faulty
	case t.silent:
		return 2
	case t.racy || t.unset:
		return 1
	}
	return 0
}

// note says what is wrong with a launch.
func (t *trial) note() string {
	odd := "racy"
	if !t.racy {
		odd = "unset"
	}
	return [...]string{"", odd, "silent", t.fault}[t.level()]
}

// outside reports whether the kernel left its buffers.
func (t *trial) outside() bool {
	return strings.Contains(t.fault, "outside of every buffer")
}

// nowhere reports whether it did so at an address that is no more than one
// of the numbers that were guessed.
func (t *trial) nowhere() bool {
	_, rest, ok := strings.Cut(t.fault, "global address 0x")
	digits, _, _ := strings.Cut(rest, ",")
	return ok && t.outside() && len(digits) <= 6
}

// pick returns up to count launches of a kernel, the best ones.
func (k *facts) pick(p *ptxvm.Program, count int) []trial {
	var good []trial
	var best *trial
	wide, long := false, 0
	for n := range attempts {
		if long >= maxLong && attempts[n].grid != 1 {
			continue
		}
		a := attempts[n]
		a.wide = a.wide || wide
		l := k.launchOf(&a, windows[0], uint64(n))
		if slices.ContainsFunc(good, func(t trial) bool { return sameShape(&t.launch, &l) }) {
			continue
		}
		t := try(p, l)
		if !a.wide && t.nowhere() { // a number was taken for a pointer: perhaps all are
			a.wide, wide = true, true
			t = try(p, k.launchOf(&a, windows[0], uint64(n)))
		}
		for _, w := range windows[1:] {
			if t.outside() {
				t = try(p, k.launchOf(&a, w, uint64(n)))
			}
		}
		if reason(t.fault) == "more than" {
			long++
		}
		if t.level() == 0 {
			if good = append(good, t); len(good) == count {
				return good
			}
			continue
		}
		if best == nil || t.level() < best.level() {
			best = &t
		}
		if n > 8 && len(good) > 0 {
			break
		}
	}
	if len(good) == 0 && best != nil {
		good = append(good, *best)
	}
	return good
}

// sameShape reports whether two launches differ in contents of buffers only.
func sameShape(a, b *launch.Launch) bool {
	if a.Grid != b.Grid || a.Block != b.Block {
		return false
	}
	for n := range a.Args {
		if (a.Args[n].Buf == 0) != (b.Args[n].Buf == 0) || !slices.Equal(a.Args[n].Bytes, b.Args[n].Bytes) {
			return false
		}
	}
	return true
}

// try runs a launch. The buffers of the result are as long as what the
// kernel touched.
func try(p *ptxvm.Program, l launch.Launch) trial {
	w := &watcher{}
	_, st, err := p.RunStats(&l, ptxvm.Options{MaxSteps: maxTrial, Watch: w.access})
	w.settle()
	t := trial{launch: l, steps: st.Warps, racy: w.racy, unset: w.unset, silent: !w.changed}
	if err != nil {
		t.fault = err.Error()
		var f *ptxvm.Fault
		if errors.As(err, &f) {
			t.fault = f.Inst + ": " + f.What
		}
		return t
	}
	t.launch = w.trim(l)
	return t
}

// trim shortens the buffers of a launch.
func (w *watcher) trim(l launch.Launch) launch.Launch {
	n := 0
	cut := func(size int) int {
		end := 0
		if n < len(w.ends) {
			end = int(w.ends[n])
		}
		n++
		return min(size, max(256, (end+255)&^255))
	}
	args := slices.Clone(l.Args)
	for k := range args {
		a := &args[k]
		if a.Buf > 0 {
			a.Buf = cut(a.Buf)
		}
		a.Ptrs = slices.Clone(a.Ptrs)
		for q := range a.Ptrs {
			a.Ptrs[q].Buf = cut(a.Ptrs[q].Buf)
		}
	}
	l.Args = args
	return l
}

// watcher looks at every access to global memory. Two accesses of different
// threads to a byte race if one changes it and no barrier lies between them.
// What a write changes is known only after it: the next access looks.
type watcher struct {
	ends    []uint64 // how far each buffer was touched
	pages   map[page]*[pageSize]shadow
	at      page // the page that was used last
	found   *[pageSize]shadow
	last    ptxvm.Access // a write whose effect is not known yet
	before  []byte
	pending bool
	changed bool
	racy    bool
	unset   bool
}

const pageSize = 4096

type page struct {
	buffer int
	number uint64
}

// shadow is what is known of a byte: who changed it last and who read it.
type shadow struct{ writer, reader owner }

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

func (w *watcher) access(a *ptxvm.Access) {
	w.settle()
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
	if a.Atomic {
		w.changed = w.changed || a.Buffer >= 0
		return
	}
	if a.Write {
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
		s.read(me)
	}
}

// shared notes which bytes of a block's shared memory are written, and reads
// of others: they find what earlier kernels left.
func (w *watcher) shared(a *ptxvm.Access) {
	for k := range a.Mem {
		s := w.shadow(a, k)
		if a.Write {
			s.writer.block = int32(a.Block + 1)
		} else if s.writer.block != int32(a.Block+1) {
			w.unset = true
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
		if w.last.Mem[k] == w.before[k] {
			s.read(me)
			continue
		}
		w.changed = w.changed || w.last.Buffer >= 0
		if !s.writer.ordered(me) || !s.reader.ordered(me) {
			w.racy = true
		}
		s.writer = me
	}
}

func (s *shadow) read(me owner) {
	switch {
	case s.reader.block == 0 || s.reader.ordered(me):
		s.reader = me
	case s.reader.block == me.block:
		s.reader.thread, s.reader.phase = -1, max(s.reader.phase, me.phase)
	default: // readers in two blocks are in order with nobody
		s.reader = owner{-1, -1, me.phase}
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

// reason shortens a fault for counting.
func reason(s string) string {
	for _, r := range [...]string{"untried", "no body", "assertion", "not aligned", "outside", "more than", "barrier", "waits", "trap"} {
		if strings.Contains(s, r) {
			return r
		}
	}
	return s
}
