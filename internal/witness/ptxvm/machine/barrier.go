package machine

import "math/bits"

// reduction is what a barrier computes of the predicates of its threads.
type reduction uint8

// The reductions.
const (
	NoRed reduction = iota
	PopRed
	AndRed
	OrRed
)

// result is what the threads of a barrier get.
func (x *bar) result() uint64 {
	switch x.red {
	case PopRed:
		return x.pop
	case AndRed:
		return Truth(x.and)
	case OrRed:
		return Truth(x.or)
	}
	return 0
}

// BarInst is a decoded barrier instruction. With a reduction, threads come
// back to it once to fetch the result.
type BarInst struct {
	Number, Count, Pred Operand
	Dst                 Place
	Red                 reduction
	Wait, Aligned       bool
}

// Arrive enters the running lanes at the barriers they name.
func (b *BarInst) Arrive(w *Warp, group uint32) {
	pc := w.PC
	w.Move(group&^w.Mask, pc+1)
	if w.Mask == 0 {
		return
	}
	if got := w.Mask & w.owed; got != 0 { // released: fetch the results
		w.owed &^= got
		rest := w.Mask &^ got
		w.Mask = got
		w.Store(b.Dst, &w.res)
		w.Move(got, pc+1)
		if w.Mask = rest; rest == 0 {
			return
		}
	}
	nums, counts := *w.Col(&b.Number, 0), *w.Col(&b.Count, 1)
	var p Column
	if b.Red != NoRed {
		p = *w.Col(&b.Pred, 2)
	}
	todo := w.Mask
	for todo != 0 { // once for each barrier
		l := bits.TrailingZeros32(todo)
		n, count := nums[l], int(counts[l])
		if n >= 16 {
			w.Fail(l, "barrier %d", n)
		}
		if count%Lanes != 0 {
			w.Fail(l, "a barrier of %d threads", count)
		}
		same := uint32(0)
		for m := todo; m != 0; m &= m - 1 {
			if k := bits.TrailingZeros32(m); nums[k] == n && counts[k] == uint64(count) {
				same |= 1 << k
			}
		}
		todo &^= same
		b.one(w, int(n), same, count, &p, pc)
	}
}

// one enters threads at one barrier.
func (b *BarInst) one(w *Warp, n int, same uint32, count int, p *Column, pc int32) {
	x := &w.cta.bars[n]
	if x.used && b.Aligned {
		for m := x.in[w.Index] & w.live; m != 0; m &= m - 1 {
			if k := bits.TrailingZeros32(m); w.st[k] == barrier && w.barAt[k] != pc {
				w.Fail(k, "threads of a warp wait for barrier %d at different instructions", n)
			}
		}
	}
	next := pc + 1
	if b.Red != NoRed {
		next = pc
		w.owed |= same
	}
	w.Move(same, next)
	for m := same; m != 0; m &= m - 1 {
		w.barAt[bits.TrailingZeros32(m)] = pc
	}
	w.cta.arrive(w, n, same, count, b, p)
}

// bar is a named barrier.
type bar struct {
	expect  int // threads, 0 for all
	in      []uint32
	waiting []uint32 // lanes of each warp that wait; those only arrived are in in
	used    bool
	red     reduction
	pop     uint64
	and, or bool
}

// arrive enters threads of a warp at a barrier.
func (c *cta) arrive(w *Warp, n int, mask uint32, expect int, b *BarInst, p *Column) {
	x := &c.bars[n]
	if !x.used {
		*x = bar{used: true, expect: expect, and: true, red: b.Red, in: make([]uint32, len(c.warps)), waiting: make([]uint32, len(c.warps))}
	} else if x.expect != expect {
		w.Fail(-1, "barrier %d is used with %d threads and with %d", n, x.expect, expect)
	}
	if twice := x.in[w.Index] & mask; twice != 0 {
		w.Fail(bits.TrailingZeros32(twice), "a thread arrives twice at barrier %d", n)
	}
	x.in[w.Index] |= mask
	if b.Red != NoRed {
		if x.red != b.Red {
			w.Fail(-1, "barrier %d is used with different reductions", n)
		}
		for m := mask; m != 0; m &= m - 1 {
			v := p[bits.TrailingZeros32(m)] != 0
			x.pop += Truth(v)
			x.and, x.or = x.and && v, x.or || v
		}
	}
	if b.Wait {
		x.waiting[w.Index] |= mask
		w.wait(mask, barrier)
	}
	c.release(n)
}

// release lets the threads of a barrier go if all have arrived. Threads that
// have ended count with the warp they belong to.
func (c *cta) release(b int) bool {
	x := &c.bars[b]
	if !x.used {
		return false
	}
	n, missing := 0, false
	for k, w := range c.warps {
		if x.in[k] != 0 {
			n += bits.OnesCount32(x.in[k] | ^w.live)
		}
		missing = missing || w.live&^x.in[k] != 0
	}
	if x.expect == 0 && missing || x.expect != 0 && n < x.expect {
		return false
	}
	x.used = false
	c.phase++
	if c.races != nil {
		c.races.join(x.in)
	}
	for k, w := range c.warps {
		for m := x.waiting[k]; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			w.res[l] = x.result()
			w.st[l] = ready
		}
	}
	return true
}

// release begins a new phase of the cluster's barrier if all threads of all
// blocks have arrived.
func (g *group) release() bool {
	any := false
	for _, c := range g.blocks {
		for _, w := range c.warps {
			if w.live&^w.met != 0 {
				return false
			}
			any = any || w.met != 0
		}
	}
	if !any {
		return false
	}
	for _, c := range g.blocks {
		for _, w := range c.warps {
			w.wait(w.metWait&w.live, ready)
			w.met, w.metWait = 0, 0
		}
	}
	return true
}

// ArriveCluster enters the running lanes at the cluster's barrier.
func (w *Warp) ArriveCluster() {
	if w.met&w.Mask != 0 {
		w.Fail(bits.TrailingZeros32(w.met&w.Mask), "a thread arrives twice at the barrier of the cluster")
	}
	w.met |= w.Mask
	w.cta.cluster.release()
}

// WaitCluster lets the running lanes wait until all of the cluster have
// arrived.
func (w *Warp) WaitCluster(group uint32) {
	w.Move(group, w.PC+1)
	late := w.Mask & w.met
	for m := late; m != 0; m &= m - 1 {
		w.barAt[bits.TrailingZeros32(m)] = w.PC
	}
	w.metWait |= late
	w.wait(late, barrier)
}
