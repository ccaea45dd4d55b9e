package async

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/goptxas/goptxas/internal/sass"
	"github.com/goptxas/goptxas/internal/witness/sim/code"
	"github.com/goptxas/goptxas/internal/witness/sim/machine"
	"github.com/goptxas/goptxas/internal/witness/tensor"
)

// Bulk copies: one instruction is one copy for the warp.

// Directions of a bulk copy.
const (
	bulkIn    = iota // global to shared memory
	bulkOut          // shared to global memory
	bulkLocal        // shared to shared memory
)

// PrepBulk finds the uniform registers of a bulk copy: where to with the
// barrier beside it, where from, how much.
func PrepBulk(i *machine.Inst, parts []string) error {
	n := 1
	for k := range i.In.NArg() {
		o := i.In.Arg(k)
		if o.Kind != sass.KindReg || o.File != sass.FileU || n > 3 {
			continue
		}
		i.S[n].Row, i.S[n].Hi = code.SrcRow(&o)
		n++
	}
	if n < 4 || len(parts) < 2 {
		return fmt.Errorf("%s is not simulated", i.Mnemonic)
	}
	i.Multicast = slices.Contains(parts, "MULTICAST")
	i.Masked = slices.Contains(parts, "DST_G_BYTE_MASK")
	switch {
	case parts[0] == "S" && parts[1] == "G":
		i.Sub = bulkIn
	case parts[0] == "G":
		i.Sub = bulkOut
	default:
		i.Sub = bulkLocal
	}
	i.Full = true
	return nil
}

// bulkUnit is what sizes are counted in.
const bulkUnit = 16

// UBLKCP: copies, then tells the barrier how many bytes came.
func Ublkcp(w *machine.Warp, i *machine.Inst, _ uint32) {
	bulkCopy(w, i, func(to, from []byte) { copy(to, from) })
}

// UBLKRED: the same, with an operation.
func Ublkred(w *machine.Warp, i *machine.Inst, _ uint32) {
	size := int(i.Size)
	bulkCopy(w, i, func(to, from []byte) {
		for k := 0; k+size <= len(to); k += size {
			tensor.Reduce(int(i.Cmp), tensor.Op(i.Bop), to[k:k+size], from[k:k+size])
		}
	})
}

func bulkCopy(w *machine.Warp, i *machine.Inst, put func(to, from []byte)) {
	word := func(row uint16) uint64 { return uint64(w.Row(row)[0]) }
	to, from := word(i.S[1].Row), word(i.S[2].Row)
	spTo, spFrom := machine.SpaceShared, machine.SpaceShared
	if i.Sub == bulkIn {
		from, spFrom = from|word(i.S[2].Hi)<<32, machine.SpaceGlobal
	}
	if i.Sub == bulkOut {
		to, spTo = to|word(i.S[1].Hi)<<32, machine.SpaceGlobal
	}
	size := word(i.S[3].Row) & 0xffff * bulkUnit
	if i.Masked { // above the size: which bytes of each unit are written
		mask := word(i.S[3].Row) >> 16
		put = func(to, from []byte) {
			for k := range to {
				if mask>>k&1 != 0 {
					to[k] = from[k]
				}
			}
		}
	}
	run := func(to uint64) {
		for k := uint64(0); k < size; k += bulkUnit {
			var d []byte
			s := w.Bytes(spFrom, 0, from+k, bulkUnit, false)
			end := func() { d = w.Bytes(spTo, 0, to+k, bulkUnit, true) }
			if i.Sub == bulkOut {
				w.AsEnd(end)
			} else {
				end()
			}
			if d == nil || s == nil {
				return
			}
			put(d, s)
		}
	}
	if i.Sub == bulkOut {
		w.Unload(func() { run(to) })
		return
	}
	if i.Sub == bulkIn && elsewhere(w, i, to) {
		return
	}
	everywhere(w, i, w.Row(i.S[3].Row)[0], to, word(i.S[1].Hi), func(to, bar uint64) {
		w.Load(bar, func() { run(to) }, uint32(size))
	})
}

// PrepBulkRed reads type and operation of UBLKRED.
func PrepBulkRed(i *machine.Inst, parts []string) error {
	w := i.In.Word()
	i.Bop = uint8(w.Field(87, 3))
	types := [...]int{tensor.U32, tensor.S32, tensor.U64, tensor.S64, tensor.F16, tensor.F32, -1, tensor.F64, tensor.BF16}
	n := w.Field(81, 4)
	if n >= uint64(len(types)) || types[n] < 0 {
		return fmt.Errorf("%s is not simulated", i.Mnemonic)
	}
	i.Cmp = uint8(types[n])
	m := tensor.Map{Type: types[n]}
	i.Size = uint8(m.Elem())
	return PrepBulk(i, parts)
}

// PrepMemset reads UMEMSETS: an address, what words of 64 bits become, and how
// many.
func PrepMemset(i *machine.Inst, _ []string) error {
	rows, imms := code.Uniforms(&i.Inst)
	if len(rows) < 2 || len(imms) > 1 {
		return fmt.Errorf("this form has no meaning in the simulator")
	}
	n := len(rows)
	i.S[0].Row, i.S[1].Row, i.S[2].Row = code.RowZero, rows[n-1], rows[n-2]
	if n > 2 {
		i.S[0].Row = rows[0]
	}
	if len(imms) == 1 {
		i.Rel = imms[0]
	}
	i.Full = true
	return nil
}

// UMEMSETS: fills shared memory.
func Umemsets(w *machine.Warp, i *machine.Inst, _ uint32) {
	at := uint64(w.R[i.S[0].Row][0]) + uint64(i.Rel)
	v := w.Uniform64(i.S[2].Row)
	for k := range uint64(w.R[i.S[1].Row][0]) {
		b := w.Bytes(machine.SpaceShared, 0, at+8*k, 8, true)
		if b == nil {
			return
		}
		binary.LittleEndian.PutUint64(b, v)
	}
}
