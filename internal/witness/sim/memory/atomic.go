package memory

import (
	"encoding/binary"

	"github.com/goptxas/goptxas/internal/engine/fp"
	"github.com/goptxas/goptxas/internal/witness/sim/arith"
	"github.com/goptxas/goptxas/internal/witness/sim/code"
	"github.com/goptxas/goptxas/internal/witness/sim/image"
	"github.com/goptxas/goptxas/internal/witness/sim/machine"
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

// Atomic runs ATOM, ATOMG, ATOMS, RED, REDG. The predicate of a generic one
// says whether the memory could do it, that of ATOMS.CAS whether it swapped.
func Atomic(w *machine.Warp, i *machine.Inst, m uint32) {
	space := int(i.Sub)
	var done uint32
	if i.Cmp == atCast {
		m = served(w, i, m)
	}
	for k := m; k != 0; k &= k - 1 {
		l := machine.Lane(k)
		addr := w.Locate(i, &i.Addr[0], space, l)
		if space == machine.SpaceGeneric && i.PD[0] != code.PredSink && !native(i, addr) {
			continue
		}
		b := w.Bytes(space, l, addr, uint64(i.Size), true)
		if b == nil {
			return
		}
		if swapped := Atom(w, i, l, b); swapped || space != machine.SpaceShared {
			done |= 1 << l
		}
	}
	w.Setp(i.PD[0], m, done)
}

// served returns the lanes whose CAST is tried: the machine takes as many as
// it can reach at once and tells the others that they failed, though nobody
// was in their way. Here that is every other one.
func served(w *machine.Warp, i *machine.Inst, m uint32) uint32 {
	var out uint32
	for k, n := m, 0; k != 0; k &= k - 1 {
		if n++; n%2 == 0 {
			out |= k & -k
		}
	}
	d := i.D[0]
	for range i.Size / 4 {
		for k := out; k != 0; k &= k - 1 {
			w.R[d][machine.Lane(k)] = 0
		}
		d = code.NextRow(d)
	}
	w.Setp(i.PD[0], out, 0)
	return m &^ out
}

// native reports whether the memory at a generic address does the operation
// itself. Where it does not the instruction says so in its predicate and the
// code goes another way: local memory, and shared memory for floats and
// 64-bit arithmetic.
func native(i *machine.Inst, addr uint64) bool {
	switch addr >> 32 {
	case image.LocalBase >> 32:
		return false
	case image.SharedBase >> 32:
		return i.Cmp >= atExch || i.Size == 4 && i.It.Bits != 0
	}
	return true
}

// Atom applies one lane's operation to memory and reports whether a
// compare-and-swap swapped.
func Atom(w *machine.Warp, i *machine.Inst, l int, b []byte) bool {
	var val, arg [4]uint32
	n := uint16(len(b) / 4)
	for k := range n {
		val[k] = w.Row(code.Behind(i.S[0].Row, k))[l]
		if i.Cmp >= atCas {
			arg[k] = w.Row(code.Behind(i.S[1].Row, k))[l]
		}
	}
	var old [4]uint32
	for k := range n {
		old[k] = binary.LittleEndian.Uint32(b[4*k:])
	}
	result := old
	switch i.Cmp {
	case atExch:
		PutWords(b, val[:n])
	case atCas, atCast:
		if old == val {
			PutWords(b, arg[:n])
		}
		if i.Cmp == atCast {
			result = [4]uint32{}
			if old == val {
				result[0] = 1
			}
		}
	default:
		PutWords(b, combineWords(i, old, val, n))
	}
	d := i.D[0]
	for k := range n {
		w.R[d][l] = result[k]
		d = code.NextRow(d)
	}
	return old == val
}

// PutWords writes words to memory.
func PutWords(b []byte, v []uint32) {
	for k, x := range v {
		binary.LittleEndian.PutUint32(b[4*k:], x)
	}
}

// combineWords is the arithmetic of an atomic: an integer of 32 or 64 bits,
// or floats side by side.
func combineWords(i *machine.Inst, old, val [4]uint32, n uint16) []uint32 {
	var r [4]uint32
	switch {
	case i.It.Bits == 64:
		v := integer(i, uint64(old[1])<<32|uint64(old[0]), uint64(val[1])<<32|uint64(val[0]))
		r[0], r[1] = uint32(v), uint32(v>>32)
	case i.It.Bits == 32:
		r[0] = uint32(integer(i, uint64(old[0]), uint64(val[0])))
	case i.Src == fp.F64:
		v := float(i, uint64(old[1])<<32|uint64(old[0]), uint64(val[1])<<32|uint64(val[0]))
		r[0], r[1] = uint32(v), uint32(v>>32)
	case i.Src == fp.F32:
		for k := range n {
			r[k] = uint32(float(i, uint64(old[k]), uint64(val[k])))
		}
	default:
		for k := range n {
			lo := float(i, uint64(old[k]&0xffff), uint64(val[k]&0xffff))
			hi := float(i, uint64(old[k]>>16), uint64(val[k]>>16))
			r[k] = arith.Pack(lo, hi)
		}
	}
	return append([]uint32(nil), r[:n]...)
}

func integer(i *machine.Inst, old, v uint64) uint64 {
	t := i.It
	less := t.Extend(old) < t.Extend(v)
	if t.Signed {
		less = int64(t.Extend(old)) < int64(t.Extend(v))
	}
	switch i.Cmp {
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

func float(i *machine.Inst, old, v uint64) uint64 {
	switch i.Cmp {
	case atMin:
		return i.Src.Min(old, v, fp.Extremum{})
	case atMax:
		return i.Src.Max(old, v, fp.Extremum{})
	}
	return i.Src.Add(old, v, i.Mode)
}

// popcInc is ATOMS.POPC.INC: adds the number of lanes that do it.
func popcInc(w *machine.Warp, i *machine.Inst, m uint32) {
	for ; m != 0; m &= m - 1 {
		l := machine.Lane(m)
		b := w.Bytes(machine.SpaceShared, l, w.Addr32(&i.Addr[0], l), 4, true)
		if b == nil {
			return
		}
		old := binary.LittleEndian.Uint32(b)
		binary.LittleEndian.PutUint32(b, old+1)
		w.R[i.D[0]][l] = old
	}
}
