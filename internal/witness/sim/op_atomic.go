package sim

import (
	"encoding/binary"

	"github.com/goptxas/goptxas/internal/engine/fp"
)

// Atomics: lanes one after another, from the lowest.

// Operations of atomics.
const (
	atAdd = iota
	atMin
	atMax
	atInc
	atDec
	atAnd
	atOr
	atXor
	atExch
	atCas
	atCast // CAS that answers 1 or 0
)

// atomic runs ATOM, ATOMG, ATOMS, RED, REDG. The predicate of a generic one
// says whether the memory could do it, that of ATOMS.CAS whether it swapped.
func atomic(w *warp, i *inst, m uint32) {
	space := int(i.sub)
	var done uint32
	if i.cmp == atCast {
		m = w.served(i, m)
	}
	for k := m; k != 0; k &= k - 1 {
		l := lane(k)
		addr := w.locate(i, &i.addr[0], space, l)
		if space == spGeneric && i.pd[0] != predSink && !native(i, addr) {
			continue
		}
		b := w.bytes(space, l, addr, uint64(i.size), true)
		if b == nil {
			return
		}
		if swapped := w.atom(i, l, b); swapped || space != spShared {
			done |= 1 << l
		}
	}
	w.setp(i.pd[0], m, done)
}

// served returns the lanes whose CAST is tried: the machine takes as many as
// it can reach at once and tells the others that they failed, though nobody
// was in their way. Here that is every other one.
func (w *warp) served(i *inst, m uint32) uint32 {
	var out uint32
	for k, n := m, 0; k != 0; k &= k - 1 {
		if n++; n%2 == 0 {
			out |= k & -k
		}
	}
	d := i.d[0]
	for range i.size / 4 {
		for k := out; k != 0; k &= k - 1 {
			w.r[d][lane(k)] = 0
		}
		d = nextRow(d)
	}
	w.setp(i.pd[0], out, 0)
	return m &^ out
}

// native reports whether the memory at a generic address does the operation
// itself. Where it does not the instruction says so in its predicate and the
// code goes another way: local memory, and shared memory for floats and
// 64-bit arithmetic.
func native(i *inst, addr uint64) bool {
	switch addr >> 32 {
	case localBase >> 32:
		return false
	case sharedBase >> 32:
		return i.cmp >= atExch || i.size == 4 && i.it.Bits != 0
	}
	return true
}

// atom applies one lane's operation to memory and reports whether a
// compare-and-swap swapped.
func (w *warp) atom(i *inst, l int, b []byte) bool {
	var val, arg [4]uint32
	n := uint16(len(b) / 4)
	for k := range n {
		val[k] = w.row(behind(i.s[0].row, k))[l]
		if i.cmp >= atCas {
			arg[k] = w.row(behind(i.s[1].row, k))[l]
		}
	}
	var old [4]uint32
	for k := range n {
		old[k] = binary.LittleEndian.Uint32(b[4*k:])
	}
	result := old
	switch i.cmp {
	case atExch:
		putWords(b, val[:n])
	case atCas, atCast:
		if old == val {
			putWords(b, arg[:n])
		}
		if i.cmp == atCast {
			result = [4]uint32{}
			if old == val {
				result[0] = 1
			}
		}
	default:
		putWords(b, i.combineWords(old, val, n))
	}
	d := i.d[0]
	for k := range n {
		w.r[d][l] = result[k]
		d = nextRow(d)
	}
	return old == val
}

func putWords(b []byte, v []uint32) {
	for k, x := range v {
		binary.LittleEndian.PutUint32(b[4*k:], x)
	}
}

// combineWords is the arithmetic of an atomic: an integer of 32 or 64 bits,
// or floats side by side.
func (i *inst) combineWords(old, val [4]uint32, n uint16) []uint32 {
	var r [4]uint32
	switch {
	case i.it.Bits == 64:
		v := i.integer(uint64(old[1])<<32|uint64(old[0]), uint64(val[1])<<32|uint64(val[0]))
		r[0], r[1] = uint32(v), uint32(v>>32)
	case i.it.Bits == 32:
		r[0] = uint32(i.integer(uint64(old[0]), uint64(val[0])))
	case i.src == fp.F64:
		v := i.float(uint64(old[1])<<32|uint64(old[0]), uint64(val[1])<<32|uint64(val[0]))
		r[0], r[1] = uint32(v), uint32(v>>32)
	case i.src == fp.F32:
		for k := range n {
			r[k] = uint32(i.float(uint64(old[k]), uint64(val[k])))
		}
	default:
		for k := range n {
			lo := i.float(uint64(old[k]&0xffff), uint64(val[k]&0xffff))
			hi := i.float(uint64(old[k]>>16), uint64(val[k]>>16))
			r[k] = pack(lo, hi)
		}
	}
	return append([]uint32(nil), r[:n]...)
}

func (i *inst) integer(old, v uint64) uint64 {
	t := i.it
	less := t.Extend(old) < t.Extend(v)
	if t.Signed {
		less = int64(t.Extend(old)) < int64(t.Extend(v))
	}
	switch i.cmp {
	case atAdd:
		return old + v
	case atMin:
		if less {
			return old
		}
		return v
	case atMax:
		if less {
			return v
		}
		return old
	case atInc:
		if old >= v {
			return 0
		}
		return old + 1
	case atDec:
		if old == 0 || old > v {
			return v
		}
		return old - 1
	case atAnd:
		return old & v
	case atOr:
		return old | v
	}
	return old ^ v
}

func (i *inst) float(old, v uint64) uint64 {
	switch i.cmp {
	case atMin:
		return i.src.Min(old, v, fp.Extremum{})
	case atMax:
		return i.src.Max(old, v, fp.Extremum{})
	}
	return i.src.Add(old, v, i.mode)
}

// popcInc is ATOMS.POPC.INC: adds the number of lanes that do it.
func popcInc(w *warp, i *inst, m uint32) {
	for ; m != 0; m &= m - 1 {
		l := lane(m)
		b := w.bytes(spShared, l, w.addr32(&i.addr[0], l), 4, true)
		if b == nil {
			return
		}
		old := binary.LittleEndian.Uint32(b)
		binary.LittleEndian.PutUint32(b, old+1)
		w.r[i.d[0]][l] = old
	}
}
