package sim

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/goptxas/goptxas/internal/sass"
	"github.com/goptxas/goptxas/internal/witness/tensor"
)

// Bulk copies: one instruction is one copy for the warp.

// Directions of a bulk copy.
const (
	bulkIn    = iota // global to shared memory
	bulkOut          // shared to global memory
	bulkLocal        // shared to shared memory
)

// prepBulk finds the uniform registers of a bulk copy: where to with the
// barrier beside it, where from, how much.
func prepBulk(i *inst, parts []string) error {
	n := 1
	for k := range i.in.NArg() {
		o := i.in.Arg(k)
		if o.Kind != sass.KindReg || o.File != sass.FileU || n > 3 {
			continue
		}
		i.s[n].row, i.s[n].hi = srcRow(&o)
		n++
	}
	if n < 4 || len(parts) < 2 {
		return fmt.Errorf("%s is not simulated", i.mn)
	}
	i.multicast = slices.Contains(parts, "MULTICAST")
	switch {
	case parts[0] == "S" && parts[1] == "G":
		i.sub = bulkIn
	case parts[0] == "G":
		i.sub = bulkOut
	default:
		i.sub = bulkLocal
	}
	i.full = true
	return nil
}

// bulkUnit is what sizes are counted in.
const bulkUnit = 16

// UBLKCP: copies, then tells the barrier how many bytes came.
func ublkcp(w *warp, i *inst, _ uint32) { w.bulkCopy(i, func(to, from []byte) { copy(to, from) }) }

// UBLKRED: the same, with an operation.
func ublkred(w *warp, i *inst, _ uint32) {
	size := int(i.size)
	w.bulkCopy(i, func(to, from []byte) {
		for k := 0; k+size <= len(to); k += size {
			tensor.Reduce(int(i.cmp), tensor.Op(i.bop), to[k:k+size], from[k:k+size])
		}
	})
}

func (w *warp) bulkCopy(i *inst, put func(to, from []byte)) {
	word := func(row uint16) uint64 { return uint64(w.row(row)[0]) }
	to, from := word(i.s[1].row), word(i.s[2].row)
	spTo, spFrom := spShared, spShared
	if i.sub == bulkIn {
		from, spFrom = from|word(i.s[2].hi)<<32, spGlobal
	}
	if i.sub == bulkOut {
		to, spTo = to|word(i.s[1].hi)<<32, spGlobal
	}
	size := word(i.s[3].row) & 0xffff * bulkUnit
	run := func(to uint64) {
		for k := uint64(0); k < size; k += bulkUnit {
			var d []byte
			s := w.bytes(spFrom, 0, from+k, bulkUnit, false)
			end := func() { d = w.bytes(spTo, 0, to+k, bulkUnit, true) }
			if i.sub == bulkOut {
				w.asEnd(end)
			} else {
				end()
			}
			if d == nil || s == nil {
				return
			}
			put(d, s)
		}
	}
	if i.sub == bulkOut {
		w.unload(func() { run(to) })
		return
	}
	w.everywhere(i, w.row(i.s[3].row)[0], to, word(i.s[1].hi), func(to, bar uint64) {
		w.load(bar, func() { run(to) }, uint32(size))
	})
}

// prepBulkRed reads type and operation of UBLKRED.
func prepBulkRed(i *inst, parts []string) error {
	w := i.in.Word()
	i.bop = uint8(w.Field(87, 3))
	types := [...]int{tensor.U32, tensor.S32, tensor.U64, tensor.S64, tensor.F16, tensor.F32, -1, tensor.F64, tensor.BF16}
	n := w.Field(81, 4)
	if n >= uint64(len(types)) || types[n] < 0 {
		return fmt.Errorf("%s is not simulated", i.mn)
	}
	i.cmp = uint8(types[n])
	m := tensor.Map{Type: types[n]}
	i.size = uint8(m.Elem())
	return prepBulk(i, parts)
}

// prepMemset reads UMEMSETS: an address, what words of 64 bits become, and how
// many.
func prepMemset(i *inst, _ []string) error {
	rows, imms := uniforms(i)
	if len(rows) < 2 || len(imms) > 1 {
		return fmt.Errorf("this form has no meaning in the simulator")
	}
	n := len(rows)
	i.s[0].row, i.s[1].row, i.s[2].row = rowZero, rows[n-1], rows[n-2]
	if n > 2 {
		i.s[0].row = rows[0]
	}
	if len(imms) == 1 {
		i.rel = imms[0]
	}
	i.full = true
	return nil
}

// UMEMSETS: fills shared memory.
func umemsets(w *warp, i *inst, _ uint32) {
	at := uint64(w.r[i.s[0].row][0]) + uint64(i.rel)
	v := w.uniform64(i.s[2].row)
	for k := range uint64(w.r[i.s[1].row][0]) {
		b := w.bytes(spShared, 0, at+8*k, 8, true)
		if b == nil {
			return
		}
		binary.LittleEndian.PutUint64(b, v)
	}
}
