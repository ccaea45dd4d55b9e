package sim

import (
	"encoding/binary"
	"slices"
)

// Asynchronous copies by threads and barriers in memory. A barrier in shared
// memory is a 64-bit word.

// LDGSTS: global to shared memory; a false predicate writes zeros. With
// .ZFILL the low bits of the global address are no address:
// they say how many bytes at the end of the piece become zeros.
func ldgsts(w *warp, i *inst, m uint32) {
	on := ^uint32(0)
	if i.nps > 0 {
		on = w.pred(i.ps[0])
	}
	var list []copyOf
	for ; m != 0; m &= m - 1 {
		l := lane(m)
		c := copyOf{lane: l, to: w.addr32(&i.addr[0], l)}
		if on>>l&1 != 0 {
			c.from, c.n = w.addrOf(&i.addr[1], l), uint64(i.size)
			if i.has(fZFILL) {
				k := c.from & (c.n - 1)
				c.from, c.n = c.from-k, c.n-k
			}
		}
		list = append(list, c)
	}
	f := &flight{run: func() { w.copyAll(list, uint64(i.size)) }}
	if a := w.async; a != nil {
		f.actor = actor{tid: uint16(w.tid(tidCopy)), clock: a.copies.next(), pc: w.at, view: a.clone()}
		a.copies.open = append(a.copies.open, f)
	}
	w.start(f)
}

// copyOf is one lane's part of LDGSTS.
type copyOf struct {
	lane     int
	to, from uint64
	n        uint64 // bytes copied; the others become zeros
}

func (w *warp) copyAll(list []copyOf, size uint64) {
	for _, c := range list {
		to := w.bytes(spShared, c.lane, c.to, size, true)
		if to == nil {
			return
		}
		clear(to[c.n:])
		if c.n == 0 {
			continue
		}
		from := w.piece(c.lane, c.from, c.n)
		if from == nil {
			return
		}
		copy(to, from)
	}
}

// LDGDEPBAR closes a group of copies, and UTMACMDFLUSH one of bulk copies;
// both announce with SB0.
func commitCopies(w *warp, _ *inst, _ uint32) {
	if a := w.async; a != nil {
		a.copies.commit()
		a.sb0 = append(a.sb0, &a.copies)
	}
}

func commitBulk(w *warp, _ *inst, _ uint32) {
	if a := w.async; a != nil {
		a.bulk.commit()
		a.sb0 = append(a.sb0, &a.bulk)
	}
}

// DEPBAR: waits for barriers, or until all but some announcements of one came.
func depbar(w *warp, i *inst, _ uint32) {
	a := w.async
	if a == nil {
		return
	}
	if i.mn != "DEPBAR.LE" {
		for b := range a.waits {
			if i.in.Word().Field(32, 6)>>b&1 != 0 {
				w.waited(b)
			}
		}
		return
	}
	keep := 0
	if i.ns > 0 {
		keep = int(i.s[0].imm)
	}
	switch b := int(i.bar & 7); {
	case b == 0 && len(a.sb0) > 0:
		w.waitGroups(keep)
	case keep == 0 && b < len(a.waits):
		w.waited(b)
	}
}

// A barrier in memory is the 64-bit word that the reference's code builds
// for mbarrier.init: bits 1 to 20 hold the expected arrivals, bits 21 to 41
// the bytes that are still to come, bits 43 to 62 the pending arrivals, bit
// 63 the phase. Counts of arrivals are stored negative.
const (
	mbTx     = 21
	mbTxBits = 21
	mbPend   = 43
	mbField  = 1<<20 - 1

	mbOldPend = 1<<31 - 1
)

func (w *warp) mbar(i *inst, l int) []byte {
	addr := w.addr32(&i.addr[0], l)
	if w.async != nil {
		w.useBarrier(w.cta.barrierAt(addr), addr)
	}
	return w.barrier(l, addr)
}

// arrive counts n arrivals and tx bytes to come, and ends the phase when
// nothing is left.
func mbArrive(v uint64, n, tx uint32) uint64 {
	pend := (v>>mbPend + uint64(n)) & mbField
	left := (v>>mbTx + uint64(tx)) & (1<<mbTxBits - 1)
	phase := v >> 63
	if pend == 0 && left == 0 {
		pend, phase = v>>1&mbField, phase^1
	}
	const keep = 1<<mbTx - 1
	return v&keep | left<<mbTx | pend<<mbPend | phase<<63
}

// Ways of SYNCS.ARRIVE: arrivals and bytes.
const (
	arrOneTx  = iota // one arrival, bytes from the register
	arrOne           // .A1T0
	arrTx            // .A0TR
	arrCount         // .ART0
	arrTxOne         // .A0T1
	arrTxDone        // .A0TX
	arrLdgsts        // ARRIVES.LDGSTSBAR.ARVCNT
	arrTxCopy        // ARRIVES.LDGSTSBAR.TRANSCNT
)

// arrivalOf returns the arrivals and the bytes to come that an arrival brings.
func arrivalOf(kind uint8, arg uint32) (n, tx uint32) {
	switch kind {
	case arrOneTx:
		return 1, arg
	case arrTx:
		return 0, arg
	case arrCount:
		return arg, 0
	case arrTxOne:
		return 0, 1
	case arrTxDone:
		return 0, -arg
	case arrTxCopy:
		return 0, ^uint32(0)
	}
	return 1, 0
}

// SYNCS.ARRIVE: arrives and returns the word as it was. With .OPTOUT later
// phases expect fewer arrivals.
func syncsArrive(w *warp, i *inst, m uint32) {
	mine := &view{}
	if w.async != nil {
		w.release(mine)
	}
	for ; m != 0; m &= m - 1 {
		l := lane(m)
		b, arg := w.mbar(i, l), uint32(0)
		if b == nil {
			return
		}
		if i.ns > 0 {
			arg = w.row(i.s[0].row)[l]
		}
		n, tx := arrivalOf(i.sub, arg)
		if i.cmp != 0 {
			v := binary.LittleEndian.Uint64(b)
			binary.LittleEndian.PutUint64(b, v&^(mbField<<1)|(v>>1+uint64(n))&mbField<<1)
		}
		w.dput(i, l, w.tell(w.addr32(&i.addr[0], l), n, tx, mine))
	}
}

// ARRIVES.LDGSTSBAR: arrives for each lane when its copies are over.
func copiesArrive(w *warp, i *inst, m uint32) {
	var list []uint64
	for ; m != 0; m &= m - 1 {
		l := lane(m)
		if w.mbar(i, l) == nil {
			return
		}
		list = append(list, w.addr32(&i.addr[0], l))
	}
	n, tx := arrivalOf(i.sub, 0)
	mine := &view{}
	f := &flight{}
	f.run = func() {
		for _, addr := range list {
			w.tell(addr, n, tx, mine)
		}
	}
	a := w.async
	if a == nil {
		f.run()
		return
	}
	w.release(mine)
	copies := slices.Clone(a.copies.open)
	for _, g := range a.copies.closed {
		copies = append(copies, g...)
	}
	mine.g.raise(w.tid(tidCopy), a.copies.next())
	a.copies.commit() // its clock names no copy that comes later
	a.sb0 = append(a.sb0, &a.copies)
	arrive := f.run
	f.run = func() {
		for _, c := range copies {
			w.cta.finish(c)
		}
		arrive()
	}
	f.bar, f.actor = w.cta.barrierAt(list[0]), actor{pc: w.at, view: mine}
	w.start(f)
}

// oldArrive is ATOM.ARRIVE, ATOMS.ARRIVE and the ARRIVES of sm_80 to sm_89.
// There a barrier is two words: the expected arrivals, below bit 30, and the
// pending ones, below the phase in bit 31; both are stored negative.
func oldArrive(w *warp, i *inst, m uint32) {
	space := int(i.sub)
	for ; m != 0; m &= m - 1 {
		l := lane(m)
		b := w.bytes(space, l, w.locate(i, &i.addr[0], space, l), 8, true)
		if b == nil {
			return
		}
		old := binary.LittleEndian.Uint64(b)
		expected, now := uint32(old), uint32(old>>32)+1
		if now&mbOldPend == 0 {
			now |= (expected + 1<<30) & mbOldPend
		}
		binary.LittleEndian.PutUint32(b[4:], now)
		w.dput(i, l, old)
	}
}

// SYNCS.PHASECHK: whether the phase in bit 31 of the register is over.
func syncsCheck(w *warp, i *inst, m uint32) {
	var p uint32
	s := w.row(i.s[0].row)
	var words [32][]byte
	over := func(l int) bool { return uint32(binary.LittleEndian.Uint64(words[l])>>63) != s[l]>>31 }
	for k := m; k != 0; k &= k - 1 {
		l := lane(k)
		if words[l] = w.mbar(i, l); words[l] == nil {
			return
		}
		if w.async != nil {
			w.observe(w.cta.barrierAt(w.addr32(&i.addr[0], l)), func() bool { return over(l) })
		}
	}
	for k := m; k != 0; k &= k - 1 { // all lanes look at the same time
		if l := lane(k); over(l) {
			p |= 1 << l
		}
	}
	w.setp(i.pd[0], m, p)
}

// observe looks at a phase: what may only be late until somebody looks
// happens now, and a phase that is over tells what its arrivals knew.
func (w *warp) observe(b *mbarState, over func() bool) {
	if !over() {
		for _, c := range w.cta.cluster.blocks { // whoever ordered them
			if c != w.cta {
				c.steps++ // time passes for a block that only waits
			}
			c.finishWhere(func(f *flight) bool {
				return f.bar == b && (f.due == never || w.m.async.when != BySeed || f.due <= c.steps)
			})
		}
	}
	if over() {
		w.acquire(&b.done)
	}
}

// SYNCS.EXCH.64: exchanges the word, which is how a barrier is made.
func syncsExch(w *warp, i *inst, _ uint32) {
	addr := w.addr32(&i.addr[0], 0)
	b := w.barrier(0, addr)
	if b == nil {
		return
	}
	old := binary.LittleEndian.Uint64(b)
	lo, hi := w.row(i.s[0].row)[0], w.row(i.s[0].hi)[0]
	binary.LittleEndian.PutUint64(b, uint64(hi)<<32|uint64(lo))
	w.fill(i.d[0], uint32(old))
	w.fill(nextRow(i.d[0]), uint32(old>>32))
	if a := w.async; a != nil {
		s := w.cta.barrierAt(addr)
		s.by, s.init, s.pc = w.tid(0), ^uint32(0), w.at // until its barrier is waited for
		w.whenWaited(i, func() { s.init = a.g.at(w.tid(0)) })
	}
}

// SYNCS.LD.64: reads the word.
func syncsLoad(w *warp, i *inst, m uint32) {
	for ; m != 0; m &= m - 1 {
		l := lane(m)
		b := w.mbar(i, l)
		if b == nil {
			return
		}
		w.dput(i, l, binary.LittleEndian.Uint64(b))
	}
}

// piece is global memory whose length need not be a power of two.
func (w *warp) piece(l int, addr, n uint64) []byte {
	if n&(n-1) == 0 {
		return w.bytes(spGlobal, l, addr, n, false)
	}
	b := w.m.mem.find(addr, n, false)
	if b == nil {
		w.fail(l, "global access of %d bytes at %#x hits nothing%s", n, addr, w.m.mem.near(addr))
	}
	return b
}
