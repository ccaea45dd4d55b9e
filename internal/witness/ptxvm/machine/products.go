package machine

import "slices"

// unfinished is a product of a warp group that was not waited for.
type unfinished struct {
	frame *frame
	to    []Place // its accumulator
	group int
	write func() // nil where the sums are written already
}

// Owe leaves the sums of a product, which write writes, where nobody may
// look.
func (w *Warp) Owe(to []Place, write func()) {
	p := unfinished{frame: w.frame, to: to, group: w.groups}
	if w.cta.grid.async = true; w.cta.grid.opts.Late {
		p.write = write
	} else {
		write()
	}
	for _, x := range to {
		if x.slot >= 0 {
			w.frame.def[x.slot] = 0
		}
	}
	w.products = append(w.products, p)
}

// CommitProducts closes the group of products.
func (w *Warp) CommitProducts() { w.groups++ }

// WaitProducts ends all products but those of the last n groups.
func (w *Warp) WaitProducts(n int) {
	w.finish(func(p *unfinished) bool { return p.group < w.groups-n })
}

// FinishProducts ends those that have an accumulator in common with a new one.
func (w *Warp) FinishProducts(to []Place) {
	w.finish(func(p *unfinished) bool { return p.frame == w.frame && p.shares(to) })
}

// finish ends products: their registers hold the sums.
func (w *Warp) finish(over func(*unfinished) bool) {
	w.products = slices.DeleteFunc(w.products, func(p unfinished) bool {
		if !over(&p) {
			return false
		}
		at := w.frame
		w.frame = p.frame
		if p.write != nil {
			mask := w.Mask
			w.Mask = ^uint32(0)
			p.write()
			w.Mask = mask
		}
		for _, to := range p.to {
			if to.slot >= 0 {
				w.frame.def[to.slot] = ^uint32(0)
			}
		}
		w.frame = at
		return true
	})
}

// shares reports whether a product has a register of a list.
func (p *unfinished) shares(to []Place) bool {
	return slices.ContainsFunc(p.to, func(a Place) bool {
		return slices.ContainsFunc(to, func(b Place) bool { return a.slot >= 0 && a.slot == b.slot })
	})
}

// ordered reports whether a column is the accumulator of a product.
func (w *Warp) ordered(slot int32) bool {
	return slices.ContainsFunc(w.products, func(p unfinished) bool {
		return p.frame == w.frame && slices.ContainsFunc(p.to, func(a Place) bool { return a.slot == slot })
	})
}
