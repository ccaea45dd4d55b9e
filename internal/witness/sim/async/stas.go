package async

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/goptxas/goptxas/internal/witness/sim/machine"
	"github.com/goptxas/goptxas/internal/witness/tensor"
)

// PrepStas reads STAS: a pair of registers holds where to and whom to tell.
func PrepStas(i *machine.Inst, parts []string) error {
	w := i.In.Word()
	i.S[0].Row, i.S[1].Row = uint16(w.Field(24, 8)), uint16(w.Field(32, 8))
	i.Size = 4
	for n, s := range [...]string{"64", "128"} {
		if slices.Contains(parts, s) {
			i.Size = 8 << n
		}
	}
	i.Addr[0].Imm = int64(w.Field(40, 24)) << 40 >> 40
	return nil
}

// eachWord orders what every lane does with its words in the shared memory of
// a block of the cluster, at some time of its own; a barrier there is told
// their bytes.
func eachWord(w *machine.Warp, i *machine.Inst, m uint32, do func(l int, to uint64, v []byte)) {
	n := uint64(i.Size)
	for ; m != 0; m &= m - 1 {
		l := machine.Lane(m)
		to := uint64(w.R[i.S[0].Row][l] + uint32(i.Addr[0].Imm))
		bar := uint64(w.R[i.S[0].Row+1][l])
		var v [16]byte
		for k := range n / 4 {
			binary.LittleEndian.PutUint32(v[4*k:], w.R[i.S[1].Row+uint16(k)][l])
		}
		w.Load(bar, func() { do(l, to, v[:n]) }, uint32(n))
	}
}

// Stas is STAS: each lane stores its words.
func Stas(w *machine.Warp, i *machine.Inst, m uint32) {
	eachWord(w, i, m, func(l int, to uint64, v []byte) {
		copy(w.Bytes(machine.SpaceShared, l, to, uint64(len(v)), true), v)
	})
}

// PrepRedas reads REDAS: as STAS, with an operation.
func PrepRedas(i *machine.Inst, parts []string) error {
	if err := PrepStas(i, parts); err != nil {
		return err
	}
	w := i.In.Word()
	types := [...]int{tensor.U32, tensor.S32, tensor.U64}
	n := w.Field(73, 3)
	if n >= uint64(len(types)) {
		return fmt.Errorf("%s is not simulated", i.Mnemonic)
	}
	i.Cmp, i.Bop = uint8(types[n]), uint8(w.Field(87, 4))
	return nil
}

// Redas is REDAS: each lane changes a word as an atomic operation does, so
// that others that do the same need no order.
func Redas(w *machine.Warp, i *machine.Inst, m uint32) {
	eachWord(w, i, m, func(l int, to uint64, v []byte) {
		w.Quietly(func() {
			if mem := w.Bytes(machine.SpaceShared, l, to, uint64(len(v)), true); mem != nil {
				tensor.Reduce(int(i.Cmp), tensor.Op(i.Bop), mem, v)
			}
		})
	})
}
