package sim

import "encoding/binary"

// Loads and stores.

// addrOf computes a lane's address.
func (w *warp) addrOf(a *address, l int) uint64 {
	r := uint64(w.row(a.row)[l]) | uint64(w.row(a.hi)[l])<<32
	u := uint64(w.row(a.urow)[l]) | uint64(w.row(a.uh)[l])<<32
	return r<<a.scale + u + uint64(a.imm)
}

// addr32 is an address of a space of 32 bits.
func (w *warp) addr32(a *address, l int) uint64 {
	return uint64(uint32(w.row(a.row)[l]<<a.scale + w.row(a.urow)[l] + uint32(a.imm)))
}

func (w *warp) locate(i *inst, a *address, space, l int) uint64 {
	if space == spShared || space == spLocal {
		return w.addr32(a, l)
	}
	return w.addrOf(a, l)
}

// load runs every load: the size and the space are the instruction's. A
// load whose own predicate is false gives zeros.
func load(w *warp, i *inst, m uint32) {
	space := int(i.sub)
	if space == spShared {
		w.conflicts(i, m)
	}
	on := ^uint32(0)
	if i.nps > 0 {
		on = w.pred(i.ps[0])
	}
	w.setp(i.pd[0], m, ^uint32(0))
	if space == spShared && i.size == 4 && on == ^uint32(0) && w.m.async == nil {
		m = w.words(i, m)
	}
	for ; m != 0; m &= m - 1 {
		l := lane(m)
		if on>>l&1 == 0 {
			w.put(i, l, zeroBytes[:i.size])
			continue
		}
		b := w.bytes(space, l, w.locate(i, &i.addr[0], space, l), uint64(i.size), false)
		if b == nil {
			return
		}
		w.put(i, l, b)
	}
}

// words is the common load, of one word of shared memory a lane. It returns
// the lanes from the first one that needs a closer look.
func (w *warp) words(i *inst, m uint32) uint32 {
	s, d, a := w.cta.shared, &w.r[i.d[0]], &i.addr[0]
	if w.cta.rank != 0 { // whose addresses say so
		s = nil
	}
	r, u, off := w.row(a.row), w.row(a.urow), uint32(a.imm)
	for ; m != 0; m &= m - 1 {
		l := lane(m)
		at := uint64(r[l]<<a.scale + u[l] + off)
		if at&3 != 0 || at+4 > uint64(len(s)) {
			break
		}
		d[l] = binary.LittleEndian.Uint32(s[at:])
	}
	return m
}

var zeroBytes [32]byte

// put writes the bytes of a load to the destination.
func (w *warp) put(i *inst, l int, b []byte) {
	d := i.d[0]
	switch len(b) {
	case 1:
		v := uint32(b[0])
		if i.sext {
			v = uint32(int8(b[0]))
		}
		w.r[d][l] = v
	case 2:
		v := uint32(binary.LittleEndian.Uint16(b))
		if i.sext {
			v = uint32(int16(v))
		}
		w.r[d][l] = v
	case 32:
		w.putWide(i, l, b)
	default:
		w.putBytes(d, l, b)
	}
}

// putWide writes 256 bits: the lower half goes to the second destination. A
// mask may leave out words, and those behind them in their half move up.
func (w *warp) putWide(i *inst, l int, b []byte) {
	mask := ^uint32(0)
	if i.ns > 0 {
		mask = w.row(i.s[0].row)[l]
	}
	d := [2]uint16{i.d[1], i.d[0]}
	for n := range 8 {
		if mask>>n&1 != 0 {
			w.r[d[n/4]][l] = binary.LittleEndian.Uint32(b[4*n:])
			d[n/4] = nextRow(d[n/4])
		}
	}
}

// putBytes writes the words of a load to rows from d on.
func (w *warp) putBytes(d uint16, l int, b []byte) {
	for n := 0; n < len(b); n += 4 {
		w.r[d][l] = binary.LittleEndian.Uint32(b[n:])
		d = nextRow(d)
	}
}

// store runs every store.
func store(w *warp, i *inst, m uint32) {
	space := int(i.sub)
	if space == spShared {
		w.conflicts(i, m)
	}
	s := i.s[0].row
	for ; m != 0; m &= m - 1 {
		l := lane(m)
		b := w.bytes(space, l, w.locate(i, &i.addr[0], space, l), uint64(i.size), true)
		if b == nil {
			return
		}
		switch len(b) {
		case 1:
			b[0] = byte(w.row(s)[l])
		case 2:
			binary.LittleEndian.PutUint16(b, uint16(w.row(s)[l]))
		default:
			for n := range uint16(min(len(b), 16) / 4) {
				binary.LittleEndian.PutUint32(b[4*n:], w.row(behind(s, n))[l])
				if len(b) == 32 {
					binary.LittleEndian.PutUint32(b[16+4*n:], w.row(behind(i.s[1].row, n))[l])
				}
			}
		}
	}
}

// behind is the row n after a source; RZ stays RZ, and behind the last
// register of a file there is nothing.
func behind(row, n uint16) uint16 {
	if row <= rowZero && row+n >= rowZero || row < numRows && row+n >= numRows {
		return rowZero
	}
	return row + n
}

// conflicts counts how often a warp must go to shared memory: once for every
// word of the fullest of the 32 banks, in groups of lanes that move 128
// bytes.
func (w *warp) conflicts(i *inst, m uint32) {
	s := &w.m.stats
	s.Shared++
	if a := &i.addr[0]; a.row == rowZero || w.oneRow(a, m) {
		return
	}
	group := max(1, int(i.size)/4)
	for first := 0; first < 32; first += 32 / group {
		part := m & uint32((uint64(1)<<(32/group)-1)<<first)
		var seen [32][4]uint32
		var n [32]uint8
		worst := uint8(1)
		for ; part != 0; part &= part - 1 {
			word := uint32(w.addr32(&i.addr[0], lane(part))) / 4
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
		s.Conflicts += uint64(worst - 1)
	}
}

// oneRow reports whether the lanes read words of one row of the banks, each
// bank one word at most: the common case, told without counting.
func (w *warp) oneRow(a *address, m uint32) bool {
	first := w.addr32(a, lane(m)) &^ 127
	r, u := w.row(a.row), w.row(a.urow)
	for ; m != 0; m &= m - 1 {
		l := lane(m)
		if uint64(r[l]<<a.scale+u[l]+uint32(a.imm))&^127 != first {
			return false
		}
	}
	return true
}

// LDC and ULDC: constant memory by bank and offset.
func ldc(w *warp, i *inst, m uint32) {
	a := &i.addr[0]
	bank := int(i.bar)
	r := w.row(a.row)
	if a.row == rowZero && a.urow != rowZero {
		r = w.row(a.urow)
	}
	for ; m != 0; m &= m - 1 {
		l := lane(m)
		off, from := r[l]+uint32(a.imm), bank
		if a.row == rowZero && a.urow == rowZero { // the upper half of the bank has negative numbers
			off &= 0xffff
		}
		if i.cmp != 0 { // .IS, .ISL: the high half of the register adds to the bank
			off, from = r[l]&0xffff+uint32(a.imm), bank+int(r[l]>>16)
		}
		if from >= len(w.m.bank) || off&uint32(i.size-1) != 0 {
			w.fail(l, "constant access of %d bytes at c[%#x][%#x]", i.size, from, off)
			return
		}
		var b [16]byte
		if uint64(off) < uint64(len(w.m.bank[from])) {
			copy(b[:], w.m.bank[from][off:])
		}
		w.put(i, l, b[:i.size])
	}
}

// QSPC: whether a generic address lies in a window.
func qspc(w *warp, i *inst, m uint32) {
	var p uint32
	for k := m; k != 0; k &= k - 1 {
		l := lane(k)
		addr := w.addrOf(&i.addr[0], l)
		where := uint8(spGlobal)
		switch addr >> 32 {
		case sharedBase >> 32:
			where = spShared
		case localBase >> 32:
			where = spLocal
		}
		if where == i.sub {
			p |= 1 << l
		}
		w.r[i.d[0]][l] = uint32(addr)
	}
	w.setp(i.pd[0], m, p)
}

// nothing is the meaning of fences and hints where every access completes
// at once and in order.
func nothing(*warp, *inst, uint32) {}
