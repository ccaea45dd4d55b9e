package sched

import (
	"container/heap"
	"math/bits"

	"goptxas/internal/ori"
	"goptxas/internal/target"
)

func trailing(x uint64) int { return bits.TrailingZeros64(x) }

// cliffs are register counts at which one block or warp fewer fits on a
// multiprocessor of 65,536 registers, for the usual block sizes.
var cliffs = [...]int{32, 40, 48, 56, 64, 72, 80, 96, 128, 168, 255}

// reserve is how many registers beyond what is alive at once allocation
// takes: alignment of pairs, the stack pointer and those the machine keeps.
const reserve = 6

// Pre orders the instructions of every block of f, before registers are
// allocated, for short critical paths. Where the registers alive at once
// would pass the next number at which occupancy drops, or the budget, it
// keeps to the order of the source.
func Pre(f *ori.Func, a *target.Arch, budget int) {
	out := liveOut(f)
	if out == nil {
		return
	}
	p := &presser{f: f, b: newGrapher(virtual(f), a), live: make(regSet, (len(f.Regs)+63)/64)}
	p.busy = newBusyTable(p.b.timing)
	p.uses = make([]int32, len(f.Regs))
	p.alive = make([]bool, len(f.Regs))
	p.limit = p.ceiling(out, budget)
	for _, blk := range f.Blocks {
		p.block(blk, out[blk.ID])
	}
	f.Touch()
}

// presser orders regions under a limit of registers.
type presser struct {
	f     *ori.Func
	b     *grapher
	busy  *busyTable
	live  regSet
	limit int
	uses  []int32 // of each register, still to come in the region
	alive []bool  // registers that hold a value
	after regSet  // alive behind the region
	now   int     // words alive
	peak  int
}

// ceiling returns how many words may be alive at once: up to the cliff above
// what the source's order needs, within the budget.
func (p *presser) ceiling(out []regSet, budget int) int {
	most := 0
	for _, b := range p.f.Blocks {
		copy(p.live, out[b.ID])
		n := pressure(p.f, p.live)
		most = max(most, n)
		for i := b.Last(); i != nil; i = i.Prev() {
			n += p.change(i)
			most = max(most, n)
		}
	}
	limit := budget
	for _, c := range cliffs {
		if c >= most+reserve {
			limit = min(limit, c)
			break
		}
	}
	return limit - reserve
}

// change steps p.live over i, backwards, and returns by how many words it
// grew.
func (p *presser) change(i *ori.Instr) int {
	grew := 0
	for _, o := range i.Dsts() {
		if o.Kind == ori.KReg && kills(p.f, i, o) && p.live.has(o.Reg) {
			p.live.drop(o.Reg)
			grew -= p.words(o.Reg)
		}
	}
	use := func(r ori.Reg) {
		if !p.live.has(r) {
			p.live.add(r)
			grew += p.words(r)
		}
	}
	for _, o := range i.Srcs() {
		if o.HasReg() {
			use(o.Reg)
		}
	}
	if i.Guard.Kind == ori.KReg {
		use(i.Guard.Reg)
	}
	return grew
}

// words returns how many general registers r takes.
func (p *presser) words(r ori.Reg) int {
	if info := &p.f.Regs[r]; info.Class == ori.R {
		return int(info.Width)
	}
	return 0
}

// region is a run of instructions that may change places.
type region struct {
	instrs []*ori.Instr
	end    *ori.Instr
}

// block orders the regions of a block from the last to the first, so that
// what is alive behind each is known.
func (p *presser) block(b *ori.Block, out regSet) {
	var list []region
	regions(b, func(instrs []*ori.Instr, end *ori.Instr) {
		list = append(list, region{append([]*ori.Instr(nil), instrs...), end})
	})
	copy(p.live, out)
	at := b.Last()
	for n := len(list) - 1; n >= 0; n-- {
		r := &list[n]
		last := r.instrs[len(r.instrs)-1]
		for ; at != last; at = at.Prev() {
			step(p.f, p.live, at)
		}
		p.after = append(p.after[:0], p.live...)
		peak := pressure(p.f, p.live)
		now := peak
		for k := len(r.instrs) - 1; k >= 0; k-- {
			now += p.change(r.instrs[k])
			peak = max(peak, now)
		}
		at = r.instrs[0].Prev()
		order, high := p.order(r, now)
		if high <= max(p.limit, peak) {
			place(b, r.instrs, order, r.end)
		}
	}
}

// order lists a region that starts with some words alive. It returns the
// most words alive at once.
func (p *presser) order(r *region, start int) ([]int32, int) {
	g := p.b.build(r.instrs, r.end)
	p.now, p.peak = start, start
	for _, i := range r.instrs {
		p.each(i, func(reg ori.Reg, write bool) {
			p.uses[reg] = 0
			p.alive[reg] = p.live.has(reg)
		})
	}
	for _, i := range r.instrs {
		p.each(i, func(reg ori.Reg, write bool) { p.uses[reg]++ })
	}
	n := len(g.instrs)
	l := &lister{g: g, timing: p.b.timing, busy: p.busy, at: make([]int32, n), left: append([]int32(nil), g.preds...)}
	done := make([]bool, n)
	source := ranked{less: func(a, b int32) bool { return a < b }} // ready, in the order of the source
	l.order = make([]int32, 0, n)
	l.ready.less = func(a, b int32) bool {
		if g.height[a] != g.height[b] {
			return g.height[a] > g.height[b]
		}
		return a < b
	}
	l.soon.less = func(a, b int32) bool {
		if l.at[a] != l.at[b] {
			return l.at[a] < l.at[b]
		}
		return a < b
	}
	for k := range int32(n) {
		if l.left[k] == 0 {
			heap.Push(&l.ready, k)
			heap.Push(&source, k)
		}
	}
	for len(l.order) < n {
		k := p.choose(l, &source, done)
		done[k] = true
		p.take(g.instrs[k])
		l.issue(k)
		for _, e := range g.succs[k] {
			if l.left[e.to] == 0 && !done[e.to] {
				heap.Push(&source, e.to)
			}
		}
	}
	return l.order, p.peak
}

// choose picks by path length while registers last, and by the order of the
// source when they do not. The heaps hold instructions already taken, too.
func (p *presser) choose(l *lister, source *ranked, done []bool) int32 {
	tight := p.now+4 > p.limit
	for !tight {
		k := l.pick()
		if !done[k] {
			if p.now+p.growth(l.g.instrs[k]) > p.limit {
				heap.Push(&l.ready, k)
				break
			}
			return k
		}
		if len(l.ready.nodes)+len(l.soon.nodes) == 0 {
			break
		}
	}
	for {
		k := heap.Pop(source).(int32)
		if !done[k] {
			l.now = max(l.now, l.at[k])
			return k
		}
	}
}

// each calls do for every register of i.
func (p *presser) each(i *ori.Instr, do func(r ori.Reg, write bool)) {
	for k, o := range i.Args {
		if o.HasReg() {
			do(o.Reg, k < int(i.NDst))
		}
	}
	if i.Guard.Kind == ori.KReg {
		do(i.Guard.Reg, false)
	}
}

// growth returns by how many words i raises what is alive.
func (p *presser) growth(i *ori.Instr) int {
	n := 0
	p.each(i, func(r ori.Reg, write bool) {
		if write && !p.alive[r] {
			n += p.words(r)
		} else if p.uses[r] == 1 && !p.after.has(r) {
			n -= p.words(r)
		}
	})
	return n
}

// take accounts for i being placed next.
func (p *presser) take(i *ori.Instr) {
	p.each(i, func(r ori.Reg, write bool) {
		if !p.alive[r] {
			p.alive[r] = true
			p.now += p.words(r)
		}
	})
	p.peak = max(p.peak, p.now)
	p.each(i, func(r ori.Reg, write bool) {
		if p.uses[r]--; p.uses[r] == 0 && !p.after.has(r) {
			p.alive[r] = false
			p.now -= p.words(r)
		}
	})
}
