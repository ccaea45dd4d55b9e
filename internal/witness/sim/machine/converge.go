package machine

// Taken is the mask of lanes that a control instruction is about: those of
// its guard whose predicate operands hold too.
func (w *Warp) Taken(i *Inst, m uint32) uint32 {
	m &= w.act
	for _, p := range i.PS[:i.NPS] {
		m &= w.Pred(p)
	}
	return m
}

// Far sends each lane to its own address.
func (w *Warp) Far(m uint32, to func(l int) uint64) {
	var pcs [32]uint32
	limit := uint64(len(w.m.prog.insts)) * 16
	for k := m; k != 0; k &= k - 1 {
		l := Lane(k)
		a := to(l)
		if a%16 != 0 || a >= limit {
			w.Fail(l, "jumps to %#x, which is no instruction", a)
			w.Leave(m)
			return
		}
		pcs[l] = uint32(a / 16)
	}
	first := pcs[Lane(m)]
	same := true
	for k := m; k != 0; k &= k - 1 {
		same = same && pcs[Lane(k)] == first
	}
	if same {
		w.Jump(m, first)
		return
	}
	w.m.stats.Divergent++
	w.act &^= m
	w.awaited = m
	w.scatter(m, &pcs)
	if w.act == 0 {
		return
	}
	w.park()
}

// wake ends the sleep of all groups when no other can run. Lanes that wait
// at a BSYNC only for those that sleep go on without them first, as on the
// machine.
func (w *Warp) wake() {
	var m uint32
	for _, g := range w.asleep {
		m |= g.mask
	}
	for b := range w.bwait {
		if m != 0 && w.bwait[b] != 0 {
			w.meet(uint8(b), m, true)
		}
	}
	if len(w.ready) == 0 {
		w.ready = append(w.ready, w.asleep...)
		w.asleep = w.asleep[:0]
	}
	if len(w.ready) == 0 && w.behind != 0 {
		w.rejoin()
	}
}

// meet releases the lanes that wait at convergence barrier b for each other,
// those of late aside. The barrier is one for the whole warp, and the machine
// keeps no more than who waits: when every lane of the barrier waits somewhere,
// those at the BSYNC of the one that came last go on and the barrier is empty.
// Lanes of it that wait at another BSYNC are left behind until nobody else can
// run; not where lanes slept, behind which nobody counts on meeting them.
// exact: all must wait at b.
func (w *Warp) meet(b uint8, late uint32, exact bool) {
	set := w.conv[b] &^ w.exited &^ late
	waits := w.bwait[b]
	if !exact {
		waits |= w.wwait
		for _, m := range w.bwait {
			waits |= m
		}
	}
	here := set & w.bwait[b]
	if here == 0 || set&^waits != 0 {
		return
	}
	at := w.lpc[Lane(here)]
	if here&w.last != 0 {
		at = w.lpc[Lane(here&w.last)]
	}
	for k := here; k != 0 && !w.loose; k &= k - 1 {
		if l := Lane(k); w.lpc[l] != at {
			here &^= 1 << l
		}
	}
	w.conv[b] = 0
	w.bwait[b] &^= here
	if left := set &^ here &^ w.wwait; left != 0 && !w.loose {
		w.behind |= left
		w.m.stats.Behind++
	}
	w.scatter(here, &w.lpc)
}

// rejoin lets the lanes run that were left behind.
func (w *Warp) rejoin() {
	for b := range w.bwait {
		if m := w.bwait[b] & w.behind; m != 0 {
			w.bwait[b] &^= m
			w.scatter(m, &w.lpc)
		}
	}
	w.behind = 0
}

// gather releases the lanes whose WARPSYNC is complete: all lanes of the mask
// wait at it, and for the same lanes. One that waits at another WARPSYNC has
// not come. Those at a WARPSYNC.COLLECTIVE may wait at several: all go on
// behind one of these, up to the ENDCOLLECTIVE there.
func (w *Warp) gather() {
	for k := w.wwait; k != 0; {
		l := Lane(k)
		k &= k - 1
		need := (w.wmask[l] | 1<<l) &^ w.exited
		if need&^w.wwait != 0 || !w.sameMask(need) {
			continue
		}
		w.wwait &^= need
		if w.whole&need != 0 {
			w.whole &^= need
			w.ready = append(w.ready, group{need, w.lpc[l]})
		} else {
			w.scatter(need, &w.lpc)
		}
		k &^= need
	}
}

// sameMask reports whether all lanes of a set wait at one WARPSYNC, or all at
// a WARPSYNC.COLLECTIVE, for just that set.
func (w *Warp) sameMask(need uint32) bool {
	first := Lane(need)
	for k := need; k != 0; k &= k - 1 {
		l := Lane(k)
		if (w.wmask[l]|1<<l)&^w.exited != need || w.whole>>l&1 != w.whole>>first&1 || w.whole>>l&1 == 0 && w.lpc[l] != w.lpc[first] {
			return false
		}
	}
	return true
}

// Active is the lanes of the running group.
func (w *Warp) Active() uint32 { return w.act }

// Together reports whether the running group has all lanes of a mask that
// still run.
func (w *Warp) Together(need uint32) bool { return w.act&need == need&^w.exited }

// WholeWarp reports whether a mask has all lanes that still run.
func (w *Warp) WholeWarp(m uint32) bool { return m == ^w.exited }

// ConvergeAt says that the lanes of m have to meet at barrier b, beside those
// that it has.
func (w *Warp) ConvergeAt(b uint8, m uint32) { w.conv[b] |= m }

// Convergence is the lanes that have to meet at barrier b.
func (w *Warp) Convergence(b uint8) *uint32 { return &w.conv[b] }

// Converge lets lanes m wait for those they have to meet, which run next. Lanes
// that the barrier has left behind before go on.
func (w *Warp) Converge(b uint8, m uint32) {
	if set := w.conv[b] &^ w.exited; m == w.act && set&^m == 0 {
		w.conv[b] = 0 // nobody to wait for
		return
	}
	if m &= w.conv[b]; m == 0 {
		return
	}
	w.wait(m)
	w.bwait[b] |= m
	w.awaited, w.last = w.conv[b], m
	rest := w.act
	w.act = 0
	w.meet(b, 0, false)
	if rest != 0 {
		w.act = rest
	}
}

// Forsake tells that lanes m will not come to barrier b.
func (w *Warp) Forsake(b uint8, m uint32) {
	w.conv[b] &^= m
	w.meet(b, 0, false)
}

// Collect says that lanes m may meet others at another WARPSYNC.COLLECTIVE,
// and where they go on behind its end.
func (w *Warp) Collect(m, end uint32) {
	for k := m; k != 0; k &= k - 1 {
		w.whole |= k & -k
		w.wend[Lane(k)] = end
	}
}

// SyncLanes lets each lane of m wait for those of its mask.
func (w *Warp) SyncLanes(m uint32, masks *[32]uint32) {
	w.wait(m)
	for k := m; k != 0; k &= k - 1 {
		l := Lane(k)
		w.wmask[l] = masks[l]
	}
	w.wwait |= m
	w.gather()
}

// EndCollective sends each lane where its WARPSYNC.COLLECTIVE said.
func (w *Warp) EndCollective(m uint32) {
	w.act &^= m
	w.scatter(m, &w.wend)
	if w.act != 0 {
		w.park()
	}
}

// Sleep lets every other group have its turn.
func (w *Warp) Sleep() {
	if w.act != 0 && w.act != ^w.exited {
		w.loose = true
		w.asleep = append(w.asleep, group{w.act, w.pc})
		w.act = 0
	}
}
