package machine

import (
	"github.com/goptxas/goptxas/internal/witness/sim/code"
	"github.com/goptxas/goptxas/internal/witness/sim/order"
)

// productOrder is a product of a warp group on its way: registers and shared
// memory are read when it runs.
type productOrder struct {
	*code.GroupForm
	run   func()
	pc    uint32
	done  bool
	clock uint32      // its group
	seen  *order.View // what its issuer knew
}

// OrderProduct gives a product its time.
func (w *Warp) OrderProduct(f *code.GroupForm, run func()) {
	a := w.async
	if a == nil {
		run()
		return
	}
	o := &productOrder{GroupForm: f, run: run, pc: w.At, clock: a.groups + 1, seen: a.Clone()}
	a.orders = append(a.orders, o)
	switch m := w.m.async; {
	case m.when == AsEarly, m.when == BySeed && m.rng.IntN(3) == 0:
		w.runProducts(len(a.orders))
	}
	w.CommitProducts(f)
}

// CommitProducts closes the group, where a product says so.
func (w *Warp) CommitProducts(f *code.GroupForm) {
	if w.async != nil && f.Commits {
		w.async.groups++
	}
}

// ArriveProducts is where registers may begin to belong to products.
func (w *Warp) ArriveProducts() {
	if w.async != nil {
		w.async.regs.Arrive()
	}
}

// runProducts lets the first n products run that have not yet.
func (w *Warp) runProducts(n int) {
	m := w.m.async
	for _, o := range w.async.orders {
		if o.done {
			continue
		}
		if n--; n < 0 {
			return
		}
		was, at := m.actor, w.At
		m.actor, w.At = &order.Actor{Tid: uint16(w.tid(order.TidGMMA)), Clock: o.clock, Pc: o.pc, View: o.seen, Proxy: true}, o.pc
		o.run()
		m.actor, w.At, o.done = was, at, true
	}
}

// WaitProducts ends all but keep committed groups.
func (w *Warp) WaitProducts(keep uint32) {
	a := w.async
	if a == nil || a.groups < keep {
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
			w.runProducts(1)
		}
	}
	a.orders = append(a.orders[:0], a.orders[n:]...)
	a.Known.Raise(w.tid(order.TidGMMA), over)
}
