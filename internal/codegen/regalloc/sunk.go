package regalloc

import "slices"

// pending is a constant that is not made yet.
type pending struct {
	sub, n uint8
	orig   int32 // instruction that makes it
}

// fill makes temporary t hold n words of a home from word sub on: pending
// constants are made now, the others are loaded.
func (w *rewriter) fill(h *home, t int32, sub, n uint8) {
	for at := sub; at < sub+n; {
		k := len(h.unmade)
		end := sub + n
		for j := range h.unmade {
			switch x := &h.unmade[j]; {
			case x.sub == at:
				k, end = j, x.sub+x.n
			case x.sub > at && x.sub < end && k == len(h.unmade):
				end = x.sub
			}
		}
		d := Operand{V: t, Sub: at - sub, N: end - at, Role: Def}
		if k < len(h.unmade) {
			w.s.sol.Reloads++
			w.emit(Inst{Kind: Remat, Orig: h.unmade[k].orig, Slot: -1}, d)
		} else {
			w.load(h, -1, d, at, -1)
		}
		at = end
	}
	h.unmade = slices.DeleteFunc(h.unmade, func(x pending) bool { return x.sub >= sub && x.sub < sub+n })
}
