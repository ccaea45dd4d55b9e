package async

import (
	"encoding/binary"
	"strconv"
	"strings"

	"github.com/goptxas/goptxas/internal/witness/sim/machine"
	"github.com/goptxas/goptxas/internal/witness/tensor"
)

// Where the machine copies to the block itself alone, copies to several blocks
// of a cluster, and to another one, are routines of the driver. Their
// arguments are those of the instruction: where to, where from or the map,
// the number of bytes or five coordinates, the mask of the blocks, the
// barrier, the policy; offsets of im2col, and then the policy, are on the stack.

// driverCopy is a routine, by its name.
type driverCopy struct {
	cast   bool // to several blocks
	dims   int  // of a tensor; 0 for bytes
	im2col bool
}

// Routine is what a routine of the driver does, or nil.
func Routine(name string) machine.Routine {
	rest, ok := strings.CutPrefix(name, "__cuda_syscall_cp_async_bulk_")
	if !ok {
		return nil
	}
	var c driverCopy
	if rest, c.cast = strings.CutSuffix(rest, "multicast"); !c.cast {
		if rest, ok = strings.CutSuffix(rest, "unicast"); !ok {
			return nil
		}
	}
	if rest == "" {
		return c.bytes
	}
	dims, mode, _ := strings.Cut(strings.TrimPrefix(rest, "tensor_"), "d_")
	n, err := strconv.Atoi(dims)
	if c.dims, c.im2col = n, mode == "im2col_"; err != nil || n < 1 || n > 5 || mode != "tile_" && !c.im2col {
		return nil
	}
	return c.tensor
}

// args are words of the arguments of a lane.
func args(w *machine.Warp, l int, first, n uint16) []uint32 {
	var list []uint32
	for k := range n {
		list = append(list, w.R[machine.RoutineArgs+first+k][l])
	}
	return list
}

// order is the instruction that the routine stands for.
func (c driverCopy) order() *machine.Inst {
	i := &machine.Inst{}
	i.Multicast = c.cast
	return i
}

// bytes copies bytes, for each lane.
func (c driverCopy) bytes(w *machine.Warp, m uint32) {
	for ; m != 0; m &= m - 1 {
		a := args(w, machine.Lane(m), 0, 7)
		from, size := uint64(a[2])|uint64(a[3])<<32, uint64(a[4])
		everywhere(w, c.order(), a[5]<<16, uint64(a[0]), uint64(a[6]), func(to, bar uint64) {
			w.Load(bar, func() {
				for k := uint64(0); k < size; k += bulkUnit {
					s, d := w.Bytes(machine.SpaceGlobal, 0, from+k, bulkUnit, false), w.Bytes(machine.SpaceShared, 0, to+k, bulkUnit, true)
					if s == nil || d == nil {
						return
					}
					copy(d, s)
				}
			}, uint32(size))
		})
	}
}

// tensor copies a box of a tensor, for each lane.
func (c driverCopy) tensor(w *machine.Warp, m uint32) {
	for ; m != 0; m &= m - 1 {
		l := machine.Lane(m)
		a := args(w, l, 0, 11)
		raw := w.MapAt(uint64(a[2]) | uint64(a[3])<<32)
		if raw == nil {
			return
		}
		t, err := tensor.Decode(raw)
		if err != nil {
			w.Fail(l, "%v", err)
			return
		}
		if t.Rank != c.dims || t.Im2col != c.im2col {
			w.Fail(l, "a copy of %d dimensions of a tensor of %d, im2col %v of %v", c.dims, t.Rank, c.im2col, t.Im2col)
			return
		}
		var at [5]int32
		for n := range at {
			at[n] = int32(a[4+n])
		}
		off, ok := c.offsets(w, l)
		if !ok {
			return
		}
		list := []*box{newBox(t, at, off)}
		if list[0].illegal(false) {
			w.Fail(l, "a copy at %v, where the machine takes none", at[:t.Rank])
			return
		}
		everywhere(w, c.order(), a[9]<<16, uint64(a[0]), uint64(a[10]), func(to, bar uint64) { tileIn(w, list, uint32(to), bar) })
	}
}

// offsets are those of im2col, sixteen bits each.
func (c driverCopy) offsets(w *machine.Warp, l int) (off [3]int32, ok bool) {
	if !c.im2col {
		return off, true
	}
	b := w.Bytes(machine.SpaceLocal, l, uint64(w.R[machine.RoutineStack][l]), 8, false)
	if b == nil {
		return off, false
	}
	for n := range off {
		off[n] = int32(binary.LittleEndian.Uint16(b[2*n:]))
	}
	return off, true
}
