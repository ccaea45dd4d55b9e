package machine

import "math/bits"

// races watches shared memory with vector clocks: each thread knows how far
// it has heard of every other, barriers and .sync instructions tell. Two
// accesses of different threads to a byte are a race if one is a plain write
// and the later thread has not heard of the earlier access.
type races struct {
	clock [][]uint32 // of each thread: what it has heard of every thread
	bytes []shadow
	// arrived is what all arrivals at mbarriers have told.
	arrived []uint32
}

// shadow is the last write of a byte and the reads since.
type shadow struct {
	writer, reader int32 // threads plus one
	wclk, rclk     uint32
	atomic         bool
	more           []read // reads by others
}

type read struct {
	thread int32
	clk    uint32
}

func newRaces(threads, size int) *races {
	r := &races{clock: make([][]uint32, threads), bytes: make([]shadow, size), arrived: make([]uint32, threads)}
	for t := range r.clock {
		r.clock[t] = make([]uint32, threads)
		r.clock[t][t] = 1
	}
	return r
}

// heard reports whether thread t knows of what u did at a time.
func (r *races) heard(t, u int32, clk uint32) bool { return t == u || r.clock[t][u] >= clk }

// access checks and notes an access to shared memory.
func (r *races) access(w *Warp, lane int, a, size uint64, write bool) {
	t := int32(w.Index*Lanes + lane)
	now := r.clock[t][t]
	for k := a; k < a+size; k++ {
		s := &r.bytes[k]
		if s.writer != 0 && !(w.atomic && s.atomic) && !r.heard(t, s.writer-1, s.wclk) {
			w.Fail(lane, "race on shared address %#x with a write of thread %d of the block", k, s.writer-1)
		}
		if !write {
			r.note(s, t, now)
			continue
		}
		if s.reader != 0 && !r.heard(t, s.reader-1, s.rclk) {
			w.Fail(lane, "race on shared address %#x with a read of thread %d of the block", k, s.reader-1)
		}
		for _, x := range s.more {
			if !r.heard(t, x.thread, x.clk) {
				w.Fail(lane, "race on shared address %#x with a read of thread %d of the block", k, x.thread)
			}
		}
		*s = shadow{writer: t + 1, wclk: now, atomic: w.atomic, more: s.more[:0]}
	}
}

// note remembers a read.
func (r *races) note(s *shadow, t int32, now uint32) {
	if s.reader == 0 || s.reader == t+1 || r.heard(t, s.reader-1, s.rclk) {
		s.reader, s.rclk = t+1, now
		return
	}
	for k := range s.more {
		if s.more[k].thread == t {
			s.more[k].clk = now
			return
		}
	}
	s.more = append(s.more, read{t, now})
}

// join tells the threads of a barrier, by warp, of each other.
func (r *races) join(in []uint32) {
	var list []int
	for k, mask := range in {
		for m := mask; m != 0; m &= m - 1 {
			list = append(list, k*Lanes+bits.TrailingZeros32(m))
		}
	}
	sum := make([]uint32, len(r.clock))
	for _, t := range list {
		for u, c := range r.clock[t] {
			sum[u] = max(sum[u], c)
		}
	}
	for _, t := range list {
		copy(r.clock[t], sum)
		r.clock[t][t]++
	}
}

// joinWarp tells lanes of a warp of each other.
func (r *races) joinWarp(warp int, mask uint32) {
	in := make([]uint32, warp+1)
	in[warp] = mask
	r.join(in)
}

// leave and enter order what threads did before they arrived at an mbarrier
// before what those do that find its phase complete.
func (r *races) leave(w *Warp) {
	for m := w.Mask; m != 0; m &= m - 1 {
		t := w.Index*Lanes + bits.TrailingZeros32(m)
		for u, c := range r.clock[t] {
			r.arrived[u] = max(r.arrived[u], c)
		}
		r.clock[t][t]++
	}
}

func (r *races) enter(w *Warp, done *Column) {
	for m := w.Mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		if done[l] == 0 {
			continue
		}
		mine := r.clock[w.Index*Lanes+l]
		for u, c := range r.arrived {
			mine[u] = max(mine[u], c)
		}
	}
}

// Published tells that the running lanes arrived at an mbarrier, or gave work
// that will: whoever waits for one has heard of what they did.
func (w *Warp) Published() {
	if w.cta.races != nil {
		w.cta.races.leave(w)
	}
}

// Observed tells which running lanes found the phase of an mbarrier over.
func (w *Warp) Observed(over *Column) {
	if w.cta.races != nil {
		w.cta.races.enter(w, over)
	}
}
