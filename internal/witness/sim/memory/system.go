package memory

import (
	"encoding/binary"
	"fmt"

	"github.com/goptxas/goptxas/internal/witness/sim/code"
	"github.com/goptxas/goptxas/internal/witness/sim/machine"
)

// Stores and sums of the uniform datapath that devices see, and memory that
// several GPUs share.

// PrepSystem reads USTGR and UREDGR: an address and a value in uniform
// registers.
func PrepSystem(i *machine.Inst, parts []string) error {
	rows, imms := code.Uniforms(&i.Inst)
	if len(rows) != 2 || len(imms) > 1 {
		return fmt.Errorf("this form has no meaning in the simulator")
	}
	i.S[0].Row, i.S[1].Row = rows[0], rows[1]
	if len(imms) == 1 {
		i.Rel = imms[0]
	}
	i.Full = true
	return code.AccessSize(&i.Inst, parts)
}

// system is the memory that i names and the value, little end first.
func system(w *machine.Warp, i *machine.Inst) (b, v []byte) {
	at := w.Uniform64(i.S[0].Row) + uint64(i.Rel)
	for k := range uint16(max(1, i.Size/4)) {
		v = binary.LittleEndian.AppendUint32(v, w.R[i.S[1].Row+k][0])
	}
	return w.Bytes(machine.SpaceGlobal, 0, at, uint64(i.Size), true), v
}

// Ustgr is USTGR: it stores.
func Ustgr(w *machine.Warp, i *machine.Inst, _ uint32) {
	b, v := system(w, i)
	copy(b, v)
}

// Uredgr is UREDGR: it adds.
func Uredgr(w *machine.Warp, i *machine.Inst, _ uint32) {
	b, v := system(w, i)
	carry := 0
	for k := range b {
		carry += int(b[k]) + int(v[k])
		b[k] = byte(carry)
		carry >>= 8
	}
}

// PrepMulticast reads LDGMC: what all GPUs hold, combined. There is one here,
// so the operation does not matter, and neither does the type but for its
// size.
func PrepMulticast(i *machine.Inst, _ []string) error {
	i.Sub, i.Size = uint8(machine.SpaceGlobal), 4*max(1, i.Width)
	return nil
}
