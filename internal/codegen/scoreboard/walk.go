package scoreboard

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/goptxas/goptxas/internal/codegen/timing"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/target"
)

// horizon is an age at which nothing of fixed timing is pending any more:
// above the longest matrix operation.
const horizon = 48

// entry is a result under way, a register still to be read, or an operation
// that keeps others at a distance, with its age at a block's end.
type entry struct {
	key uint32 // cell<<8 | kind<<7 | class
	age int32
}

const (
	kindWrite = 0
	kindRead  = 1 << 7
	gapCell   = timing.NumCells // the cell of operations that keep others away
)

func keyOf(cell uint16, kind uint32, c target.Class) uint32 {
	return uint32(cell)<<8 | kind | uint32(c)
}

// state is what may be pending at a place.
type state struct {
	entries []entry // sorted by key
	wr      [timing.NumCells]uint8
	rd      [timing.NumCells]uint8
	reader  [timing.NumBarriers]readerClass // who sets it when it has read
	by      [timing.NumCells]readerClass    // who will still read a cell, where rd has barriers
	barAge  [timing.NumBarriers]uint8       // since last set; 0 = BarrierLag at least, or never
	fence   uint8                           // barriers that what fences hold back must wait for
	left    [op.NumWorks]uint8              // barriers of what goes on unseen
}

// readerClass is the class of the operations that set a barrier when they
// have read their registers, plus one, if all are of one class.
type readerClass uint8

const (
	noReader   readerClass = 0
	anyReaders readerClass = 0xff // of several classes, or of one without a queue
)

func (r readerClass) join(x readerClass) readerClass {
	if r == noReader || r == x {
		return x
	}
	if x == noReader {
		return r
	}
	return anyReaders
}

// before reports whether an operation of class c stands in the queue of the
// readers, behind them.
func (r readerClass) before(c target.Class) bool {
	return r != noReader && r != anyReaders && target.Queued(target.Class(r-1), c)
}

// merge adds what is pending in y and reports whether anything was new.
func (s *state) merge(y *state) bool {
	changed := false
	for c := 0; c < timing.NumCells; c += eight {
		changed = join(s.wr[c:c+eight], y.wr[c:c+eight]) || changed
		if binary.LittleEndian.Uint64(y.rd[c:]) != 0 { // else nobody will read there
			changed = join(s.rd[c:c+eight], y.rd[c:c+eight]) || changed
			changed = joinReaders(s.by[c:c+eight], y.by[c:c+eight]) || changed
		}
	}
	for b, r := range y.reader {
		if r = s.reader[b].join(r); r != s.reader[b] {
			s.reader[b] = r
			changed = true
		}
	}
	for b, age := range y.barAge {
		if age != 0 && (s.barAge[b] == 0 || age < s.barAge[b]) {
			s.barAge[b] = age
			changed = true
		}
	}
	if y.fence&^s.fence != 0 {
		s.fence |= y.fence
		changed = true
	}
	for k, bars := range y.left {
		if bars&^s.left[k] != 0 {
			s.left[k] |= bars
			changed = true
		}
	}
	if len(y.entries) == 0 {
		return changed
	}
	return s.mergeEntries(y.entries) || changed
}

// joinReaders adds the readers of cells to those of others and reports whether any
// was new.
func joinReaders(to, from []readerClass) (changed bool) {
	for c, r := range from {
		if r = to[c].join(r); r != to[c] {
			to[c] = r
			changed = true
		}
	}
	return changed
}

// eight is how many cells are looked at together: most have no barrier.
const eight = 8

// join adds the barriers of eight cells to those of others and reports
// whether any was new.
func join(to, from []uint8) bool {
	x, y := binary.LittleEndian.Uint64(to), binary.LittleEndian.Uint64(from)
	if y&^x == 0 {
		return false
	}
	binary.LittleEndian.PutUint64(to, x|y)
	return true
}

func (s *state) mergeEntries(add []entry) bool {
	changed := false
	out := make([]entry, 0, len(s.entries)+len(add))
	old := s.entries
	for len(old) > 0 || len(add) > 0 {
		switch {
		case len(add) == 0 || len(old) > 0 && old[0].key < add[0].key:
			out = append(out, old[0])
			old = old[1:]
		case len(old) == 0 || add[0].key < old[0].key:
			out = append(out, add[0])
			add = add[1:]
			changed = true
		default:
			e := old[0]
			if add[0].age < e.age {
				e.age = add[0].age
				changed = true
			}
			out = append(out, e)
			old, add = old[1:], add[1:]
		}
	}
	s.entries = out
	return changed
}

// record is an entry inside a block, chained by cell.
type record struct {
	at    int // cycle of issue
	next  int32
	cell  uint16
	read  bool
	class target.Class
}

// walker follows the instructions of a block.
type walker struct {
	timing  *target.Timing
	expires [target.NumFiles][target.NumClasses]uint8 // age at which any reader is served; 0 = not known yet
	now     int
	recs    []record
	head    [timing.NumCells + 1]int32 // first record of each cell plus one
	touched []uint16
	wr, rd  [timing.NumCells]uint8
	reader  [timing.NumBarriers]readerClass
	by      [timing.NumCells]readerClass
	pending [timing.NumBarriers][]uint16 // cells that name the barrier
	setAt   [timing.NumBarriers]int
	fence   uint8
	left    [op.NumWorks]uint8
	some    []partial // results on their way, of this block
	out     state
}

// partial is a result on its way that only the threads of a guard get, in cells
// where nothing else is on its way: threads of the opposite guard do not wait for
// it to write theirs there.
type partial struct {
	timing.Access
	guard uint16
	not   bool
}

const longAgo = -1000

// start begins a block with what is pending at its start.
func (w *walker) start(in *state) {
	for _, c := range w.touched {
		w.head[c] = 0
	}
	w.touched, w.recs, w.now = w.touched[:0], w.recs[:0], 0
	for b := range w.pending {
		w.pending[b] = w.pending[b][:0]
		w.setAt[b] = longAgo
		if in.barAge[b] != 0 {
			w.setAt[b] = -int(in.barAge[b])
		}
	}
	w.wr, w.rd, w.reader, w.by = in.wr, in.rd, in.reader, in.by
	for c := 0; c < timing.NumCells; c += eight {
		if binary.LittleEndian.Uint64(w.wr[c:])|binary.LittleEndian.Uint64(w.rd[c:]) != 0 {
			w.await(c, c+eight)
		}
	}
	w.fence, w.left, w.some = in.fence, in.left, w.some[:0]
	for _, e := range in.entries {
		w.add(uint16(e.key>>8), e.key&kindRead != 0, target.Class(e.key&0x7f), -int(e.age))
	}
}

// await notes the barriers of the cells in [from, to).
func (w *walker) await(from, to int) {
	for c := from; c < to; c++ {
		for m := w.wr[c] | w.rd[c]; m != 0; m &= m - 1 {
			b := bits.TrailingZeros8(m)
			w.pending[b] = append(w.pending[b], uint16(c))
		}
	}
}

func (w *walker) add(cell uint16, read bool, c target.Class, at int) {
	if w.head[cell] == 0 {
		w.touched = append(w.touched, cell)
	}
	w.recs = append(w.recs, record{at, w.head[cell], cell, read, c})
	w.head[cell] = int32(len(w.recs))
}

// drop forgets what is recorded of a cell.
func (w *walker) drop(cell uint16) {
	for n := w.head[cell]; n != 0; n = w.recs[n-1].next {
		w.recs[n-1].at = longAgo
	}
	w.head[cell] = 0
}

// needs returns the barriers that e must wait for.
func (w *walker) needs(e *timing.Event) uint8 {
	mask := uint8(0)
	if !e.Passes {
		mask = w.fence
	}
	for k, bars := range w.left {
		if e.Drains || e.Awaits>>k&1 != 0 {
			mask |= bars
		}
	}
	if e.Drains {
		for b := range w.pending {
			if len(w.pending[b]) > 0 {
				mask |= 1 << b
			}
		}
	}
	for _, a := range e.Reads {
		for c := a.Cell; c < a.Cell+uint16(a.N); c++ {
			mask |= w.wr[c]
		}
	}
	for _, a := range e.Writes {
		opposite := w.opposite(e, a)
		for c := a.Cell; c < a.Cell+uint16(a.N); c++ {
			if !opposite {
				mask |= w.wr[c]
			}
			mask |= w.unread(e, c)
		}
	}
	for _, a := range e.Clears {
		for c := a.Cell; c < a.Cell+uint16(a.N); c++ {
			mask |= w.wr[c] | w.rd[c]
		}
	}
	for _, a := range e.Behind {
		for c := a.Cell; c < a.Cell+uint16(a.N); c++ {
			mask |= w.wr[c]
		}
	}
	return mask
}

// opposite reports whether what is on its way to the cells of a are results for
// threads that do not run e.
func (w *walker) opposite(e *timing.Event, a timing.Access) bool {
	return e.Guarded && slices.ContainsFunc(w.some, func(p partial) bool {
		return p.Cell == a.Cell && p.N == a.N && p.guard == e.Guard && p.not != e.Negated
	})
}

// divide remembers the results of e if they are for some threads only, and
// forgets those whose cells or guard it writes. It stands before what e leaves
// is recorded.
func (w *walker) divide(e *timing.Event) {
	if len(w.some) > 0 {
		w.some = slices.DeleteFunc(w.some, func(p partial) bool {
			return overlaps(e.Writes, p.guard) || slices.ContainsFunc(e.Writes, func(a timing.Access) bool {
				return a.Cell < p.Cell+uint16(p.N) && p.Cell < a.Cell+uint16(a.N)
			})
		})
	}
	if !e.Guarded || e.Ctrl.WrBar < 0 || !w.timing.Variable(e.Class) || overlaps(e.Writes, e.Guard) {
		return
	}
	for _, a := range e.Writes {
		free := true
		for c := a.Cell; c < a.Cell+uint16(a.N); c++ {
			free = free && w.wr[c] == 0
		}
		if free {
			w.some = append(w.some, partial{a, e.Guard, e.Negated})
		}
	}
}

// unread returns the barriers of those that will still read a cell, before
// e may overwrite it: not of those behind which it stands in their queue.
func (w *walker) unread(e *timing.Event, c uint16) uint8 {
	mask := w.rd[c]
	if mask == 0 || e.Guarded || timing.FileOf(c) != target.FileR {
		return mask
	}
	if w.by[c].before(e.Class) { // whatever else sets their barriers
		return 0
	}
	for b, r := range w.reader {
		if mask>>b&1 != 0 && r.before(e.Class) {
			mask &^= 1 << b
		}
	}
	return mask
}

// earliest returns the first cycle at which e may issue.
func (w *walker) earliest(e *timing.Event, mask uint8) int {
	at := w.now
	for b := range w.setAt {
		if mask>>b&1 != 0 {
			at = max(at, w.setAt[b]+target.BarrierLag)
		}
	}
	for _, a := range e.Reads {
		for c := a.Cell; c < a.Cell+uint16(a.N); c++ {
			for n := w.head[c]; n != 0 && !w.past(n); n = w.recs[n-1].next {
				if r := &w.recs[n-1]; !r.read {
					at = max(at, r.at+w.timing.RAW(timing.FileOf(c), r.class, a.Sink))
				}
			}
		}
	}
	for _, a := range e.Writes {
		for c := a.Cell; c < a.Cell+uint16(a.N); c++ {
			at = max(at, w.overwrite(c, e.Class))
		}
	}
	for n := w.head[gapCell]; n != 0; n = w.recs[n-1].next {
		r := &w.recs[n-1]
		if w.now-r.at > horizon {
			break
		}
		at = max(at, r.at+w.timing.Gap(r.class, e.Class))
	}
	if e.Drains {
		at = max(at, w.drained())
	}
	return at
}

// past reports whether record n and all behind it are too old to matter:
// those of this block stand in the order of time, before those that were
// pending at its start. A register that is read again and again would
// otherwise cost more with every read.
func (w *walker) past(n int32) bool {
	at := w.recs[n-1].at
	return at > 0 && w.now-at > horizon
}

// overwrite returns the first cycle at which an operation of class c may
// write a cell.
func (w *walker) overwrite(cell uint16, c target.Class) int {
	at := longAgo
	f := timing.FileOf(cell)
	for n := w.head[cell]; n != 0 && !w.past(n); n = w.recs[n-1].next {
		r := &w.recs[n-1]
		if r.read {
			at = max(at, r.at+w.timing.WAR(f, r.class, c))
		} else {
			at = max(at, r.at+w.timing.WAW(f, r.class, c))
		}
	}
	return at
}

// drained returns the first cycle at which every result has arrived.
func (w *walker) drained() int {
	at := longAgo
	for n := len(w.recs) - 1; n >= 0; n-- {
		r := &w.recs[n]
		if r.at > w.now-horizon && !r.read && r.cell != gapCell {
			at = max(at, r.at+w.timing.Any(timing.FileOf(r.cell), r.class))
		}
	}
	return at
}

// wait notes that the barriers of mask are free.
func (w *walker) wait(mask uint8) {
	for b := range w.pending {
		if mask>>b&1 == 0 {
			continue
		}
		for _, c := range w.pending[b] {
			w.wr[c] &^= 1 << b
			if w.rd[c] &^= 1 << b; w.rd[c] == 0 {
				w.by[c] = noReader
			}
		}
		w.pending[b] = w.pending[b][:0]
		w.reader[b] = noReader
	}
	w.fence &^= mask
	for k := range w.left {
		w.left[k] &^= mask
	}
}

// retire records what e leaves pending.
func (w *walker) retire(e *timing.Event) {
	w.divide(e)
	variable := w.timing.Variable(e.Class)
	for _, a := range e.Writes {
		for c := a.Cell; c < a.Cell+uint16(a.N); c++ {
			if !e.Guarded {
				w.drop(c)
				w.rd[c], w.by[c] = 0, noReader // what follows waits for e
			}
			switch {
			case e.Class == target.ClassGmma:
				// WARPGROUP.DEPBAR tells when these arrive
			case !variable:
				w.add(c, false, a.Row, w.now)
			case e.Ctrl.WrBar >= 0:
				w.set(c, &w.wr, e.Ctrl.WrBar)
			}
		}
	}
	for _, a := range e.Reads {
		late := isLate(w.timing, e, a)
		for c := a.Cell; c < a.Cell+uint16(a.N); c++ {
			w.retireRead(e, c, late)
		}
	}
	w.leave(e)
	for _, b := range [2]int8{e.Ctrl.WrBar, e.Ctrl.RdBar} {
		if b >= 0 {
			w.setAt[b] = w.now
			if e.Fences {
				w.fence |= 1 << b
			}
		}
	}
	if target.HasGap(e.Class) {
		w.add(gapCell, false, e.Class, w.now)
	}
}

// leave notes the barriers of what goes on behind e: of its results, or of
// what it reads. A barrier of results tells of both.
func (w *walker) leave(e *timing.Event) {
	for k := range w.left {
		if e.Leaves>>k&1 == 0 {
			continue
		}
		bar := e.Ctrl.WrBar
		if op.Work(1)<<k == op.Fetched && e.Ctrl.RdBar >= 0 {
			bar = e.Ctrl.RdBar
		}
		if bar >= 0 {
			w.left[k] |= 1 << bar
		}
	}
}

func (w *walker) retireRead(e *timing.Event, c uint16, late bool) {
	if !late {
		w.add(c, true, e.Class, w.now)
		return
	}
	bar := e.Ctrl.RdBar
	if bar < 0 {
		bar = e.Ctrl.WrBar
	}
	queues := target.ReadGroup(e.Class) != 0
	if bar >= 0 {
		w.set(c, &w.rd, bar)
		by := anyReaders
		if queues {
			by = readerClass(e.Class) + 1
		}
		w.reader[bar], w.by[c] = w.reader[bar].join(by), w.by[c].join(by)
	}
	if bar < 0 || queues { // its own queue may overwrite it
		w.add(c, true, e.Class, w.now)
	}
}

func (w *walker) set(c uint16, in *[timing.NumCells]uint8, b int8) {
	if (w.wr[c]|w.rd[c])>>b&1 == 0 {
		w.pending[b] = append(w.pending[b], c)
	}
	in[c] |= 1 << b
}

// stop collects what is pending at the end of the block, now.
func (w *walker) stop() {
	o := &w.out
	o.wr, o.rd, o.reader, o.by, o.fence, o.left = w.wr, w.rd, w.reader, w.by, w.fence, w.left
	for b := range o.barAge {
		o.barAge[b] = 0
		if age := w.now - w.setAt[b]; age < target.BarrierLag {
			o.barAge[b] = uint8(max(age, 1))
		}
	}
	o.entries = o.entries[:0]
	for n := range w.recs {
		r := &w.recs[n]
		age := w.now - r.at
		if age >= w.expiry(r) {
			continue
		}
		kind := uint32(kindWrite)
		if r.read {
			kind = kindRead
		}
		o.entries = append(o.entries, entry{keyOf(r.cell, kind, r.class), int32(age)})
	}
	slices.SortFunc(o.entries, func(a, b entry) int {
		if a.key != b.key {
			return int(a.key) - int(b.key)
		}
		return int(a.age - b.age)
	})
	o.entries = slices.CompactFunc(o.entries, func(a, b entry) bool { return a.key == b.key })
}

// expiry returns the age at which a record no longer matters.
func (w *walker) expiry(r *record) int {
	switch {
	case r.cell == gapCell:
		return target.MaxGap
	case r.read:
		return longestWAR
	}
	f := timing.FileOf(r.cell)
	if w.expires[f][r.class] == 0 {
		w.expires[f][r.class] = expires(w.timing, f, r.class)
	}
	return int(w.expires[f][r.class])
}

// expires returns the age at which any reader of a result is served.
func expires(t *target.Timing, f target.File, c target.Class) uint8 {
	d := t.Any(f, c)
	for s := range target.Sinks(f) {
		d = max(d, t.RAW(f, c, s))
	}
	return uint8(min(d, horizon))
}

// longestWAR is the age at which registers of fixed timing have been read.
const longestWAR = 8
