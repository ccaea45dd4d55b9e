package async

import (
	"encoding/binary"

	"github.com/goptxas/goptxas/internal/witness/sim/code"
	"github.com/goptxas/goptxas/internal/witness/sim/machine"
	"github.com/goptxas/goptxas/internal/witness/sim/order"
)

// Asynchronous copies by threads and barriers in memory. A barrier in shared
// memory is a 64-bit word.

// LDGSTS: global to shared memory; a false predicate writes zeros. With
// .ZFILL the low bits of the global address are no address:
// they say how many bytes at the end of the piece become zeros.
func Ldgsts(w *machine.Warp, i *machine.Inst, m uint32) {
	on := ^uint32(0)
	if i.NPS > 0 {
		on = w.Pred(i.PS[0])
	}
	var list []copyOf
	for ; m != 0; m &= m - 1 {
		l := machine.Lane(m)
		c := copyOf{lane: l, to: w.Addr32(&i.Addr[0], l)}
		if on>>l&1 != 0 {
			c.from, c.n = w.AddrOf(&i.Addr[1], l), uint64(i.Size)
			if i.Has(code.FlagZFILL) {
				k := c.from & (c.n - 1)
				c.from, c.n = c.from-k, c.n-k
			}
		}
		list = append(list, c)
	}
	w.OrderCopy(func() { copyAll(w, list, uint64(i.Size)) })
}

// copyOf is one lane's part of LDGSTS.
type copyOf struct {
	lane     int
	to, from uint64
	n        uint64 // bytes copied; the others become zeros
}

func copyAll(w *machine.Warp, list []copyOf, size uint64) {
	for _, c := range list {
		to := w.Bytes(machine.SpaceShared, c.lane, c.to, size, true)
		if to == nil {
			return
		}
		clear(to[c.n:])
		if c.n == 0 {
			continue
		}
		from := w.Piece(c.lane, c.from, c.n)
		if from == nil {
			return
		}
		copy(to, from)
	}
}

// LDGDEPBAR closes a group of copies, and UTMACMDFLUSH one of bulk copies;
// both announce with SB0.
func CommitCopies(w *machine.Warp, _ *machine.Inst, _ uint32) { w.CommitCopies() }

// CommitBulk is UTMACMDFLUSH.
func CommitBulk(w *machine.Warp, _ *machine.Inst, _ uint32) { w.CommitBulk() }

// DEPBAR: waits for barriers, or until all but some announcements of one came.
func Depbar(w *machine.Warp, i *machine.Inst, _ uint32) {
	if i.Mnemonic != "DEPBAR.LE" {
		w.WaitBarriers(uint8(i.In.Word().Field(32, 6)))
		return
	}
	keep := 0
	if i.NS > 0 {
		keep = int(i.S[0].Imm)
	}
	w.WaitAnnounced(int(i.Bar&7), keep)
}

func mbar(w *machine.Warp, i *machine.Inst, l int) []byte {
	return w.UsedBarrier(l, w.Addr32(&i.Addr[0], l))
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
func syncsArrive(w *machine.Warp, i *machine.Inst, m uint32) {
	mine := w.Released()
	for ; m != 0; m &= m - 1 {
		l := machine.Lane(m)
		b, arg := mbar(w, i, l), uint32(0)
		if b == nil {
			return
		}
		if i.NS > 0 {
			arg = w.Row(i.S[0].Row)[l]
		}
		n, tx := arrivalOf(i.Sub, arg)
		if i.Cmp != 0 {
			machine.OptOut(b, n)
		}
		w.Dput(i, l, w.Tell(w.Addr32(&i.Addr[0], l), n, tx, mine))
	}
}

// ARRIVES.LDGSTSBAR: arrives for each lane when its copies are over.
func copiesArrive(w *machine.Warp, i *machine.Inst, m uint32) {
	var list []uint64
	for ; m != 0; m &= m - 1 {
		l := machine.Lane(m)
		if mbar(w, i, l) == nil {
			return
		}
		list = append(list, w.Addr32(&i.Addr[0], l))
	}
	n, tx := arrivalOf(i.Sub, 0)
	w.AfterCopies(list[0], func(mine *order.View) {
		for _, addr := range list {
			w.Tell(addr, n, tx, mine)
		}
	})
}

// oldPending is the count of pending arrivals of such a barrier.
const oldPending = 1<<31 - 1

// OldArrive is ATOM.ARRIVE, ATOMS.ARRIVE and the ARRIVES of sm_80 to sm_89.
// There a barrier is two words: the expected arrivals, below bit 30, and the
// pending ones, below the phase in bit 31; both are stored negative.
func OldArrive(w *machine.Warp, i *machine.Inst, m uint32) {
	space := int(i.Sub)
	for ; m != 0; m &= m - 1 {
		l := machine.Lane(m)
		b := w.Bytes(space, l, w.Locate(i, &i.Addr[0], space, l), 8, true)
		if b == nil {
			return
		}
		old := binary.LittleEndian.Uint64(b)
		expected, now := uint32(old), uint32(old>>32)+1
		if now&oldPending == 0 {
			now |= (expected + 1<<30) & oldPending
		}
		binary.LittleEndian.PutUint32(b[4:], now)
		w.Dput(i, l, old)
	}
}

// SYNCS.PHASECHK: whether the phase in bit 31 of the register is over.
func syncsCheck(w *machine.Warp, i *machine.Inst, m uint32) {
	var p uint32
	s := w.Row(i.S[0].Row)
	var words [32][]byte
	over := func(l int) bool { return uint32(binary.LittleEndian.Uint64(words[l])>>63) != s[l]>>31 }
	for k := m; k != 0; k &= k - 1 {
		l := machine.Lane(k)
		if words[l] = mbar(w, i, l); words[l] == nil {
			return
		}
		w.Observe(w.Addr32(&i.Addr[0], l), func() bool { return over(l) })
	}
	for k := m; k != 0; k &= k - 1 { // all lanes look at the same time
		if l := machine.Lane(k); over(l) {
			p |= 1 << l
		}
	}
	w.Setp(i.PD[0], m, p)
}

// SYNCS.EXCH.64: exchanges the word, which is how a barrier is made.
func syncsExch(w *machine.Warp, i *machine.Inst, _ uint32) {
	addr := w.Addr32(&i.Addr[0], 0)
	b := w.Barrier(0, addr)
	if b == nil {
		return
	}
	old := binary.LittleEndian.Uint64(b)
	lo, hi := w.Row(i.S[0].Row)[0], w.Row(i.S[0].Hi)[0]
	binary.LittleEndian.PutUint64(b, uint64(hi)<<32|uint64(lo))
	w.Fill(i.D[0], uint32(old))
	w.Fill(code.NextRow(i.D[0]), uint32(old>>32))
	w.MadeBarrier(i, addr)
}

// SYNCS.LD.64: reads the word.
func syncsLoad(w *machine.Warp, i *machine.Inst, m uint32) {
	for ; m != 0; m &= m - 1 {
		l := machine.Lane(m)
		b := mbar(w, i, l)
		if b == nil {
			return
		}
		w.Dput(i, l, binary.LittleEndian.Uint64(b))
	}
}
