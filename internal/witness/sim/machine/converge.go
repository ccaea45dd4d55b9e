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
		for k := w.bwait[b]; k != 0 && m != 0; k &= k - 1 {
			w.desert(b, Lane(k), m)
		}
	}
	if len(w.ready) == 0 {
		w.ready = append(w.ready, w.asleep...)
		w.asleep = w.asleep[:0]
	}
}

// desert lets lane l and those it waits for at barrier b go on if all but
// the lanes m are there.
func (w *Warp) desert(b, l int, m uint32) {
	set := w.conv[b][l]
	need := (set | 1<<l) &^ w.exited &^ m
	if set&m == 0 || need&^w.bwait[b] != 0 {
		return
	}
	for k := need; k != 0; k &= k - 1 {
		if w.conv[b][Lane(k)] != set {
			return
		}
	}
	for k := m; k != 0; k &= k - 1 {
		w.conv[b][Lane(k)] &^= need
	}
	w.bwait[b] &^= need
	w.scatter(need, &w.lpc)
}

// meet releases the lanes that have found all their partners at barrier b.
// Lanes that wait there for somebody else, since a function that they called
// uses the barrier again, have not come yet.
func (w *Warp) meet(b uint8) {
	for k := w.bwait[b]; k != 0; {
		l := Lane(k)
		k &= k - 1
		need := (w.conv[b][l] | 1<<l) &^ w.exited
		if need&^w.bwait[b] != 0 || !w.agree(b, need) {
			continue
		}
		w.bwait[b] &^= need
		w.scatter(need, &w.lpc)
		k &^= need
	}
}

// agree reports whether all lanes of a set wait for just that set.
func (w *Warp) agree(b uint8, need uint32) bool {
	for k := need; k != 0; k &= k - 1 {
		if l := Lane(k); (w.conv[b][l]|1<<l)&^w.exited != need {
			return false
		}
	}
	return true
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

// ConvergeAt says that the lanes of m have to meet at barrier b.
func (w *Warp) ConvergeAt(b uint8, m uint32) {
	for k := m; k != 0; k &= k - 1 {
		w.conv[b][Lane(k)] = m
	}
}

// Convergence is with whom each lane has to meet at barrier b.
func (w *Warp) Convergence(b uint8) *[32]uint32 { return &w.conv[b] }

// Converge lets lanes m wait for those they have to meet.
func (w *Warp) Converge(b uint8, m uint32) {
	if m == w.act && w.conv[b][Lane(m)]&^w.exited == m {
		return // nobody to wait for
	}
	w.wait(m)
	w.bwait[b] |= m
	rest := w.act
	w.act = 0
	w.meet(b)
	if rest != 0 {
		w.act = rest
	}
}

// Forsake tells that lanes m will not come to barrier b.
func (w *Warp) Forsake(b uint8, m uint32) {
	for k := m; k != 0; k &= k - 1 {
		for p := w.conv[b][Lane(k)]; p != 0; p &= p - 1 {
			if l := Lane(p); m>>l&1 == 0 {
				w.conv[b][l] &^= m
			}
		}
	}
	for k := m; k != 0; k &= k - 1 {
		w.conv[b][Lane(k)] = 0
	}
	w.meet(b)
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
		w.asleep = append(w.asleep, group{w.act, w.pc})
		w.act = 0
	}
}
