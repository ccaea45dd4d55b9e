package ptxvm

import (
	"math/bits"

	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// reduction is what a barrier computes of the predicates of its threads.
type reduction uint8

const (
	noRed reduction = iota
	popRed
	andRed
	orRed
)

// result is what the threads of a barrier get.
func (x *bar) result() uint64 {
	switch x.red {
	case popRed:
		return x.pop
	case andRed:
		return truth(x.and)
	case orRed:
		return truth(x.or)
	}
	return 0
}

// bar is the barriers of threads, blocks and clusters.
func (d *decoder) bar() {
	d.ignore(isa.WCta)
	switch {
	case d.has(isa.WWarp):
		d.gather(d.src(0, isa.B32), nil, nil, func(*warp, uint32, []column, []column) {})
		return
	case d.has(isa.WCluster):
		d.clusterBar()
		return
	}
	aligned := d.has(isa.WAligned) || d.in.Op == isa.WBar
	red := noRed
	if d.has(isa.WRed) {
		switch {
		case d.has(isa.WPopc):
			red = popRed
		case d.has(isa.WAnd):
			red = andRed
		case d.has(isa.WOr):
			red = orRed
		}
	}
	wait := !d.has(isa.WArrive)
	d.ignore(isa.WSync)
	args := d.args
	var dst place
	var pred operand
	at := 0
	if red != noRed {
		dst, pred = d.dst(0), d.src(len(args)-1, isa.Pred)
		at, args = 1, args[:len(args)-1]
	}
	number := d.src(at, isa.U32)
	count := constant(0)
	if at+1 < len(args) {
		count = d.src(at+1, isa.U32)
	}
	b := &barInst{number: number, count: count, pred: pred, dst: dst, red: red, wait: wait, aligned: aligned}
	d.out.flow = b.arrive
}

// barInst is a decoded barrier instruction. With a reduction, threads come
// back to it once to fetch the result.
type barInst struct {
	number, count, pred operand
	dst                 place
	red                 reduction
	wait, aligned       bool
}

func (b *barInst) arrive(w *warp, group uint32) {
	pc := w.pc
	w.move(group&^w.mask, pc+1)
	if w.mask == 0 {
		return
	}
	if got := w.mask & w.owed; got != 0 { // released: fetch the results
		w.owed &^= got
		rest := w.mask &^ got
		w.mask = got
		w.store(b.dst, &w.res)
		w.move(got, pc+1)
		if w.mask = rest; rest == 0 {
			return
		}
	}
	nums, counts := *w.col(&b.number, 0), *w.col(&b.count, 1)
	var p column
	if b.red != noRed {
		p = *w.col(&b.pred, 2)
	}
	todo := w.mask
	for todo != 0 { // once for each barrier
		l := bits.TrailingZeros32(todo)
		n, count := nums[l], int(counts[l])
		if n >= 16 {
			w.fail(l, "barrier %d", n)
		}
		if count%lanes != 0 {
			w.fail(l, "a barrier of %d threads", count)
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
func (b *barInst) one(w *warp, n int, same uint32, count int, p *column, pc int32) {
	x := &w.cta.bars[n]
	if x.used && b.aligned {
		for m := x.in[w.index] & w.live; m != 0; m &= m - 1 {
			if k := bits.TrailingZeros32(m); w.st[k] == barrier && w.barAt[k] != pc {
				w.fail(k, "threads of a warp wait for barrier %d at different instructions", n)
			}
		}
	}
	next := pc + 1
	if b.red != noRed {
		next = pc
		w.owed |= same
	}
	w.move(same, next)
	for m := same; m != 0; m &= m - 1 {
		w.barAt[bits.TrailingZeros32(m)] = pc
	}
	w.cta.arrive(w, n, same, count, b, p)
}

// clusterBar is barrier.cluster.
func (d *decoder) clusterBar() {
	d.ignore(isa.WAligned, isa.WRelease, isa.WAcquire, isa.WRelaxed)
	if d.has(isa.WArrive) {
		d.out.run = func(w *warp) {
			if w.met&w.mask != 0 {
				w.fail(bits.TrailingZeros32(w.met&w.mask), "a thread arrives twice at the barrier of the cluster")
			}
			w.met |= w.mask
			w.cta.cluster.release()
		}
		return
	}
	if !d.has(isa.WWait) {
		d.unknown()
	}
	d.out.flow = func(w *warp, group uint32) {
		w.move(group, w.pc+1)
		late := w.mask & w.met
		for m := late; m != 0; m &= m - 1 {
			w.barAt[bits.TrailingZeros32(m)] = w.pc
		}
		w.metWait |= late
		w.wait(late, barrier)
	}
}
