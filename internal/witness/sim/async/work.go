package async

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/goptxas/goptxas/internal/witness/sim/code"
	"github.com/goptxas/goptxas/internal/witness/sim/machine"
)

// Blocks that take over others.

// PrepWork reads UGETNEXTWORKID: where the answer goes, and the barrier in
// the register behind.
func PrepWork(i *machine.Inst, parts []string) error {
	rows, _ := code.Uniforms(&i.Inst)
	if len(rows) == 0 {
		return fmt.Errorf("this form has no meaning in the simulator")
	}
	i.S[0].Row, i.Full = rows[0], true
	i.Multicast = slices.Contains(parts, "BROADCAST")
	return nil
}

// NextWork is UGETNEXTWORKID: it takes over a cluster that has not started. Of
// the answer bit 0 of word 2 says whether there was one, words 0 and 1 are its
// first block, with y and z as halves.
func NextWork(w *machine.Warp, i *machine.Inst, _ uint32) {
	var v [16]byte
	if id, ok := w.TakeOver(); ok {
		binary.LittleEndian.PutUint32(v[:], id[0])
		binary.LittleEndian.PutUint32(v[4:], id[1]&0xffff|id[2]<<16)
		v[8] = 1
	}
	const off = 1<<machine.RankShift - 1
	to, bar := uint64(w.R[i.S[0].Row][0])&off, uint64(w.R[i.S[0].Row+1][0])&off
	for rank := range w.Blocks() {
		if !i.Multicast && rank != w.Rank() {
			continue
		}
		there := rank << machine.RankShift
		w.Load(bar|there, func() {
			if b := w.Bytes(machine.SpaceShared, 0, to|there, uint64(len(v)), true); b != nil {
				copy(b, v[:])
			}
		}, uint32(len(v)))
	}
}
