package sim

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/goptxas/goptxas/internal/sass"
)

// Bulk copies complete at once, like all asynchronous copies here. One
// instruction is one copy for the warp.

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
	if n < 4 || len(parts) < 2 || slices.Contains(parts, "MULTICAST") {
		return fmt.Errorf("%s is not simulated", i.mn)
	}
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
func ublkcp(w *warp, i *inst, _ uint32) {
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
	for k := uint64(0); k < size; k += bulkUnit {
		d := w.bytes(spTo, 0, to+k, bulkUnit, true)
		s := w.bytes(spFrom, 0, from+k, bulkUnit, false)
		if d == nil || s == nil {
			return
		}
		copy(d, s)
	}
	if i.sub == bulkOut {
		return
	}
	b := w.bytes(spShared, 0, word(i.s[1].hi), 8, true)
	if b != nil {
		binary.LittleEndian.PutUint64(b, mbArrive(binary.LittleEndian.Uint64(b), 0, -uint32(size)))
	}
}
