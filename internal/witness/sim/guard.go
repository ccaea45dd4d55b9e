package sim

import (
	"fmt"

	"github.com/goptxas/goptxas/internal/sass"
)

// Registers that asynchronous products own. Between WARPGROUP.ARRIVE and the
// WARPGROUP.DEPBAR that waits for it a product may read and write its
// registers at any time, so nothing else may be on its way to or from them at
// the arrival, nothing may write them between arrival and product, and
// nothing may touch them until the wait (PTX ISA, wgmma.fence and
// wgmma.wait_group).

// regRange is a run of vector registers.
type regRange struct {
	first, n uint16
	write    bool
}

type regUse []regRange

// usedRegs lists the vector registers that an instruction names.
func usedRegs(i *inst) regUse {
	var out regUse
	if i.gmma != nil || !i.in.Known() {
		return nil
	}
	for n := range i.in.NArg() {
		o := i.in.Arg(n)
		if o.Kind != sass.KindReg || o.File != sass.FileR || o.Zero {
			continue
		}
		out = append(out, regRange{uint16(o.Reg), uint16(max(o.Width, 1)), o.Role == sass.Write || o.Role == sass.Both})
	}
	return out
}

// announced is an instruction whose sources are read late, or whose result
// comes late.
type announced struct {
	pc           uint32
	kind         Class
	use          regUse
	reads, write uint8 // barriers that tell the end of its reads and writes
	readDone     bool
	writeDone    bool
}

// guard follows the registers of a warp.
type guard struct {
	seq     uint64
	arrived uint64
	wrote   [256]uint64 // when a register was written last
	by      [256]uint32
	flying  []announced
	open    []announced // those on their way at the last arrival
}

// lateKinds read their sources late.
func lateKind(k Class) bool {
	switch k {
	case ClassGlobal, ClassShared, ClassLocal, ClassAtomic, ClassTexture, ClassTensor:
		return true
	}
	return false
}

// announce notes an instruction that uses registers late.
func (w *warp) announce(i *inst, wr, rd int8) {
	use := w.m.async.regs[w.at]
	g := &w.async.regs
	var reads, write uint8
	if wr >= 0 && wr < 6 {
		reads, write = 1<<wr, 1<<wr
	}
	if rd >= 0 && rd < 6 {
		reads |= 1 << rd
	}
	if reads == 0 && !lateKind(i.kind) {
		return
	}
	for k := range g.flying { // units read and answer in order
		if f := &g.flying[k]; f.kind == i.kind {
			if f.reads == 0 {
				f.reads = reads
			}
			if f.write == 0 {
				f.write = write
			}
		}
	}
	if len(use) == 0 {
		return
	}
	g.flying = append(g.flying, announced{pc: w.at, kind: i.kind, use: use, reads: reads, write: write, writeDone: !writes(use)})
}

func writes(use regUse) bool {
	for _, r := range use {
		if r.write {
			return true
		}
	}
	return false
}

// waited ends what barrier b announces.
func (g *guard) waited(b int) {
	g.end(func(f *announced) (bool, bool) { return f.reads>>b&1 != 0, f.write>>b&1 != 0 })
}

func (g *guard) end(over func(*announced) (reads, write bool)) {
	list := g.flying[:0]
	for k := range g.flying {
		f := g.flying[k]
		r, wr := over(&f)
		f.readDone, f.writeDone = f.readDone || r, f.writeDone || wr
		if !f.readDone || !f.writeDone {
			list = append(list, f)
		}
	}
	g.flying = list
}

// arrive is WARPGROUP.ARRIVE.
func (g *guard) arrive() {
	g.arrived = g.seq
	g.open = append(g.open[:0], g.flying...)
}

// guardRegs checks the registers of an instruction against those of products
// that may still run, and those of a product against everything else.
func (w *warp) guardRegs(i *inst, mask uint32) {
	g := &w.async.regs
	g.seq++
	if i.gmma != nil {
		w.guardGMMA(i.gmma)
		return
	}
	if mask == 0 {
		return
	}
	for _, u := range w.m.async.regs[w.at] {
		for _, o := range w.async.orders {
			if r, ok := u.meets(o.d, uint16(o.regs)); ok && o.d != rowZero {
				w.m.race(o.pc, w.at, "belongs to a product that was not waited for", fmt.Sprintf("R%d", r))
			} else if r, ok := u.meets(o.a, o.aRegs()); ok && u.write && o.a != rowSink {
				w.m.race(o.pc, w.at, "is written and a product may still read it", fmt.Sprintf("R%d", r))
			}
		}
		if u.write {
			for r := u.first; r < u.first+u.n && r < 256; r++ {
				g.wrote[r], g.by[r] = g.seq, w.at
			}
		}
	}
}

// meets returns a register that both runs have.
func (u *regRange) meets(first, n uint16) (uint16, bool) {
	r := max(u.first, first)
	return r, r < min(u.first+u.n, first+n)
}

func (f *gmmaForm) aRegs() uint16 {
	if f.a == rowSink {
		return 0
	}
	return uint16(f.Words('a'))
}

// guardGMMA checks what a product reads and writes.
func (w *warp) guardGMMA(f *gmmaForm) {
	if f.d == rowZero {
		return
	}
	w.guardRun(f.d, uint16(f.regs), true)
	if f.a != rowSink {
		w.guardRun(f.a, f.aRegs(), false)
	}
	if f.Sparse {
		w.guardRun(f.meta, 1, false)
	}
}

func (w *warp) guardRun(first, n uint16, write bool) {
	g := &w.async.regs
	for r := first; r < first+n && r < 255; r++ {
		if g.wrote[r] > g.arrived {
			w.m.race(g.by[r], w.at, "is written and no WARPGROUP.ARRIVE follows", fmt.Sprintf("R%d", r))
		}
	}
	for _, list := range [...][]announced{g.open, g.flying} {
		for k := range list {
			for _, u := range list[k].use {
				if r, ok := u.meets(first, n); ok && (write || u.write) && !(u.write && list[k].writeDone) && !(!u.write && list[k].readDone) {
					w.m.race(list[k].pc, w.at, "is on its way when a product may begin", fmt.Sprintf("R%d", r))
				}
			}
		}
	}
}

// prepWarpgroup tells arrivals from waits.
func prepWarpgroup(i *inst, parts []string) error {
	switch {
	case len(parts) > 0 && parts[0] == "ARRIVE":
	case len(parts) > 0 && parts[0] == "DEPBAR":
		i.sub, i.cmp = 1, uint8(i.in.Word().Field(72, 3))
	default:
		return fmt.Errorf("this form has no meaning in the simulator")
	}
	return nil
}

// warpgroup is WARPGROUP.ARRIVE and WARPGROUP.DEPBAR.
func warpgroup(w *warp, i *inst, _ uint32) {
	switch {
	case w.async == nil:
	case i.sub == 0:
		w.async.regs.arrive()
	default:
		w.waitGMMA(uint32(i.cmp))
	}
}

// orderGMMA gives a product its time.
func (w *warp) orderGMMA(o *gmmaOrder) {
	a := w.async
	if a == nil {
		w.compute(o)
		return
	}
	o.clock = a.groups + 1
	o.seen = a.clone()
	a.orders = append(a.orders, o)
	switch m := w.m.async; {
	case m.when == AsEarly, m.when == BySeed && m.rng.IntN(3) == 0:
		w.runGMMA(len(a.orders))
	}
	w.commitGMMA(o)
}

func (w *warp) commitGMMA(o *gmmaOrder) {
	if w.async != nil && o.commits {
		w.async.groups++
	}
}

// runGMMA lets the first n products run that have not yet.
func (w *warp) runGMMA(n int) {
	m := w.m.async
	for _, o := range w.async.orders {
		if o.done {
			continue
		}
		if n--; n < 0 {
			return
		}
		was := m.actor
		m.actor = &actor{tid: uint16(w.tid(tidGMMA)), clock: o.clock, pc: o.pc, view: o.seen, proxy: true}
		w.compute(o)
		m.actor = was
	}
}

// waitGMMA is WARPGROUP.DEPBAR: all but keep committed groups are over.
func (w *warp) waitGMMA(keep uint32) {
	a := w.async
	if a.groups < keep {
		return
	}
	over, n := a.groups-keep, 0
	for _, o := range a.orders {
		if o.clock <= over {
			n++
		}
	}
	for _, o := range a.orders[:n] {
		if !o.done {
			w.runGMMA(1)
		}
	}
	a.orders = append(a.orders[:0], a.orders[n:]...)
	a.g.raise(w.tid(tidGMMA), over)
}
