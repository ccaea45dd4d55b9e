package memory

import (
	"encoding/binary"

	"github.com/goptxas/goptxas/internal/witness/sim/code"
	"github.com/goptxas/goptxas/internal/witness/sim/image"
	"github.com/goptxas/goptxas/internal/witness/sim/machine"
)

// Loads and stores.

// Load runs every load: the size and the space are the instruction's. A
// load whose own predicate is false gives zeros.
func Load(w *machine.Warp, i *machine.Inst, m uint32) {
	space := int(i.Sub)
	if space == machine.SpaceShared {
		conflicts(w, i, m)
	}
	on := ^uint32(0)
	if i.NPS > 0 {
		on = w.Pred(i.PS[0])
	}
	w.Setp(i.PD[0], m, ^uint32(0))
	if space == machine.SpaceShared && i.Size == 4 && on == ^uint32(0) {
		m = words(w, i, m)
	}
	for ; m != 0; m &= m - 1 {
		l := machine.Lane(m)
		if on>>l&1 == 0 {
			putZeros(w, i, l)
			continue
		}
		b := w.Bytes(space, l, w.Locate(i, &i.Addr[0], space, l), uint64(i.Size), false)
		if b == nil {
			return
		}
		Put(w, i, l, b)
	}
}

// words is the common load, of one word of shared memory a lane. It returns
// the lanes from the first one that needs a closer look.
func words(w *machine.Warp, i *machine.Inst, m uint32) uint32 {
	s, d, a := w.OwnShared(), &w.R[i.D[0]], &i.Addr[0]
	r, u, off := w.Row(a.Row), w.Row(a.Urow), uint32(a.Imm)
	for ; m != 0; m &= m - 1 {
		l := machine.Lane(m)
		at := uint64(r[l]<<a.Scale + u[l] + off)
		if at&3 != 0 || at+4 > uint64(len(s)) {
			break
		}
		d[l] = binary.LittleEndian.Uint32(s[at:])
	}
	return m
}

// putZeros writes zeros to the destination of a load.
func putZeros(w *machine.Warp, i *machine.Inst, l int) {
	var b [32]byte
	Put(w, i, l, b[:i.Size])
}

// Put writes the bytes of a load to the destination.
func Put(w *machine.Warp, i *machine.Inst, l int, b []byte) {
	d := i.D[0]
	switch len(b) {
	case 1:
		v := uint32(b[0])
		if i.Sext {
			v = uint32(int8(b[0]))
		}
		w.R[d][l] = v
	case 2:
		v := uint32(binary.LittleEndian.Uint16(b))
		if i.Sext {
			v = uint32(int16(v))
		}
		w.R[d][l] = v
	case 32:
		putWide(w, i, l, b)
	default:
		putBytes(w, d, l, b)
	}
}

// putWide writes 256 bits: the lower half goes to the second destination. A
// mask may leave out words, and those behind them in their half move up.
func putWide(w *machine.Warp, i *machine.Inst, l int, b []byte) {
	mask := ^uint32(0)
	if i.NS > 0 {
		mask = w.Row(i.S[0].Row)[l]
	}
	d := [2]uint16{i.D[1], i.D[0]}
	for n := range 8 {
		if mask>>n&1 != 0 {
			w.R[d[n/4]][l] = binary.LittleEndian.Uint32(b[4*n:])
			d[n/4] = code.NextRow(d[n/4])
		}
	}
}

// putBytes writes the words of a load to rows from d on.
func putBytes(w *machine.Warp, d uint16, l int, b []byte) {
	for n := 0; n < len(b); n += 4 {
		w.R[d][l] = binary.LittleEndian.Uint32(b[n:])
		d = code.NextRow(d)
	}
}

// Store runs every store.
func Store(w *machine.Warp, i *machine.Inst, m uint32) {
	space := int(i.Sub)
	if space == machine.SpaceShared {
		conflicts(w, i, m)
	}
	s := i.S[0].Row
	for ; m != 0; m &= m - 1 {
		l := machine.Lane(m)
		b := w.Bytes(space, l, w.Locate(i, &i.Addr[0], space, l), uint64(i.Size), true)
		if b == nil {
			return
		}
		switch len(b) {
		case 1:
			b[0] = byte(w.Row(s)[l])
		case 2:
			binary.LittleEndian.PutUint16(b, uint16(w.Row(s)[l]))
		default:
			for n := range uint16(min(len(b), 16) / 4) {
				binary.LittleEndian.PutUint32(b[4*n:], w.Row(code.Behind(s, n))[l])
				if len(b) == 32 {
					binary.LittleEndian.PutUint32(b[16+4*n:], w.Row(code.Behind(i.S[1].Row, n))[l])
				}
			}
		}
	}
}

// conflicts counts how often a warp must go to shared memory: once for every
// word of the fullest of the 32 banks, in groups of lanes that move 128
// bytes.
func conflicts(w *machine.Warp, i *machine.Inst, m uint32) {
	if a := &i.Addr[0]; a.Row == code.RowZero || oneRow(w, a, m) {
		w.CountShared(0)
		return
	}
	beyond := uint64(0)
	group := max(1, int(i.Size)/4)
	for first := 0; first < 32; first += 32 / group {
		part := m & uint32((uint64(1)<<(32/group)-1)<<first)
		var seen [32][4]uint32
		var n [32]uint8
		worst := uint8(1)
		for ; part != 0; part &= part - 1 {
			word := uint32(w.Addr32(&i.Addr[0], machine.Lane(part))) / 4
			b := word & 31
			dup := false
			for k := range min(n[b], 4) {
				dup = dup || seen[b][k] == word
			}
			if !dup {
				seen[b][n[b]&3] = word
				n[b]++
				worst = max(worst, n[b])
			}
		}
		beyond += uint64(worst - 1)
	}
	w.CountShared(beyond)
}

// oneRow reports whether the lanes read words of one row of the banks, each
// bank one word at most: the common case, told without counting.
func oneRow(w *machine.Warp, a *code.Address, m uint32) bool {
	first := w.Addr32(a, machine.Lane(m)) &^ 127
	r, u := w.Row(a.Row), w.Row(a.Urow)
	for ; m != 0; m &= m - 1 {
		l := machine.Lane(m)
		if uint64(r[l]<<a.Scale+u[l]+uint32(a.Imm))&^127 != first {
			return false
		}
	}
	return true
}

// LDC and ULDC: constant memory by bank and offset.
func Ldc(w *machine.Warp, i *machine.Inst, m uint32) {
	a := &i.Addr[0]
	bank := int(i.Bar)
	r := w.Row(a.Row)
	if a.Row == code.RowZero && a.Urow != code.RowZero {
		r = w.Row(a.Urow)
	}
	for ; m != 0; m &= m - 1 {
		l := machine.Lane(m)
		off, from := r[l]+uint32(a.Imm), bank
		if a.Row == code.RowZero && a.Urow == code.RowZero { // the upper half of the bank has negative numbers
			off &= 0xffff
		}
		if i.Cmp != 0 { // .IS, .ISL: the high half of the register adds to the bank
			off, from = r[l]&0xffff+uint32(a.Imm), bank+int(r[l]>>16)
		}
		have, ok := w.Bank(from)
		if !ok || off&uint32(i.Size-1) != 0 {
			w.Fail(l, "constant access of %d bytes at c[%#x][%#x]", i.Size, from, off)
			return
		}
		var b [16]byte
		if uint64(off) < uint64(len(have)) {
			copy(b[:], have[off:])
		}
		Put(w, i, l, b[:i.Size])
	}
}

// QSPC: whether a generic address lies in a window.
func Qspc(w *machine.Warp, i *machine.Inst, m uint32) {
	var p uint32
	for k := m; k != 0; k &= k - 1 {
		l := machine.Lane(k)
		addr := w.AddrOf(&i.Addr[0], l)
		where := uint8(machine.SpaceGlobal)
		switch addr >> 32 {
		case image.SharedBase >> 32:
			where = machine.SpaceShared
		case image.LocalBase >> 32:
			where = machine.SpaceLocal
		}
		if where == i.Sub {
			p |= 1 << l
		}
		w.R[i.D[0]][l] = uint32(addr)
	}
	w.Setp(i.PD[0], m, p)
}
