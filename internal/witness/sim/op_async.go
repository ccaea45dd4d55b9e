package sim

import "encoding/binary"

// Asynchronous copies and barriers in memory. Copies complete at once; a
// barrier in shared memory is a 64-bit word.

// LDGSTS: global to shared memory; a false predicate writes zeros. With
// .ZFILL the low bits of the global address are no address:
// they say how many bytes at the end of the piece become zeros.
func ldgsts(w *warp, i *inst, m uint32) {
	on := ^uint32(0)
	if i.nps > 0 {
		on = w.pred(i.ps[0])
	}
	for ; m != 0; m &= m - 1 {
		l := lane(m)
		to := w.bytes(spShared, l, w.addr32(&i.addr[0], l), uint64(i.size), true)
		if to == nil {
			return
		}
		if on>>l&1 == 0 {
			clear(to)
			continue
		}
		addr, n := w.addrOf(&i.addr[1], l), uint64(i.size)
		if i.has(fZFILL) {
			k := addr & (n - 1)
			addr, n = addr-k, n-k
			clear(to[n:])
		}
		from := w.piece(l, addr, n)
		if from == nil {
			return
		}
		copy(to, from)
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
	return w.bytes(spShared, l, w.addr32(&i.addr[0], l), 8, true)
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
	arrLdgsts        // ARRIVES.LDGSTSBAR
)

// SYNCS.ARRIVE: arrives and returns the word as it was.
func syncsArrive(w *warp, i *inst, m uint32) {
	for ; m != 0; m &= m - 1 {
		l := lane(m)
		b := w.mbar(i, l)
		if b == nil {
			return
		}
		old, arg := binary.LittleEndian.Uint64(b), uint32(0)
		if i.ns > 0 {
			arg = w.row(i.s[0].row)[l]
		}
		n, tx := uint32(1), uint32(0)
		switch i.sub {
		case arrOneTx:
			tx = arg
		case arrTx:
			n, tx = 0, arg
		case arrCount:
			n = arg
		}
		binary.LittleEndian.PutUint64(b, mbArrive(old, n, tx))
		if i.sub != arrLdgsts {
			w.dput(i, l, old)
		}
	}
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
	for k := m; k != 0; k &= k - 1 {
		l := lane(k)
		b := w.mbar(i, l)
		if b == nil {
			return
		}
		if uint32(binary.LittleEndian.Uint64(b)>>63) != s[l]>>31 {
			p |= 1 << l
		}
	}
	w.setp(i.pd[0], m, p)
}

// SYNCS.EXCH.64: exchanges the word, which is how a barrier is made.
func syncsExch(w *warp, i *inst, _ uint32) {
	b := w.mbar(i, 0)
	if b == nil {
		return
	}
	old := binary.LittleEndian.Uint64(b)
	lo, hi := w.row(i.s[0].row)[0], w.row(i.s[0].hi)[0]
	binary.LittleEndian.PutUint64(b, uint64(hi)<<32|uint64(lo))
	w.fill(i.d[0], uint32(old))
	w.fill(nextRow(i.d[0]), uint32(old>>32))
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
