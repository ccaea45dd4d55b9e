package machine

import "math/bits"

// maxHeap is the most that one call of malloc gives.
const maxHeap = 1 << 20

// Malloc gives each lane memory of its own.
func (w *Warp) Malloc(site *CallSite) {
	size, to := &site.args[0], &site.rets[0]
	g := w.cta.grid
	g.open = true
	for m := w.Mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		var n uint64
		if size.frame >= 0 {
			at := w.frame.base[l] + uint32(size.frame)
			n = Get(w.local[l][at : at+8])
		} else {
			n = w.Col(&size.value, 1)[l]
		}
		var a uint64 // the machine returns null when it has no more
		if n <= maxHeap && len(g.mem.segments) < 1<<16 {
			b := make([]byte, n)
			g.dirty(b)
			a = g.mem.alloc(b)
		}
		switch {
		case to.none:
		case to.frame >= 0:
			at := w.frame.base[l] + uint32(to.frame)
			Put(w.local[l][at:at+8], a)
		default:
			w.frame.regs[to.reg.slot][l] = a
			w.frame.def[to.reg.slot] |= 1 << l
		}
	}
}

// zero makes a result of a call zero in the lanes of w.Mask.
func (w *Warp) zero(to *actual) {
	if to.none {
		return
	}
	for m := w.Mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		if to.frame >= 0 {
			at := w.frame.base[l] + uint32(to.frame)
			clear(w.local[l][at : at+4])
			continue
		}
		w.frame.regs[to.reg.slot][l] = 0
		w.frame.def[to.reg.slot] |= 1 << l
	}
}

// Unary tells that a call has one argument and one result.
func (s *CallSite) Unary() bool { return len(s.args) == 1 && len(s.rets) == 1 }

// ZeroResults makes the results of a call zero in the lanes of w.Mask.
func (w *Warp) ZeroResults(site *CallSite) {
	for k := range site.rets {
		w.zero(&site.rets[k])
	}
}
