package tcgen05

import (
	"slices"

	"github.com/goptxas/goptxas/internal/engine/fp"
	"github.com/goptxas/goptxas/internal/witness/sim/code"
	"github.com/goptxas/goptxas/internal/witness/sim/machine"
	"github.com/goptxas/goptxas/internal/witness/tmem"
)

// stat is LDTM.STAT: the least or greatest word of each lane that gets some.
func stat(w *machine.Warp, t *code.TensorForm, v [][32]uint32) {
	is := func(name string) bool { return slices.Contains(t.Stat, name) }
	greater := is("MAX") || is("MAXABS")
	better := func(a, b uint32) uint32 {
		switch {
		case is("F32") && greater:
			return uint32(fp.F32.Max(uint64(a), uint64(b), fp.Extremum{NaN: is("NAN")}))
		case is("F32"):
			return uint32(fp.F32.Min(uint64(a), uint64(b), fp.Extremum{NaN: is("NAN")}))
		case is("S32") && greater:
			return uint32(max(int32(a), int32(b)))
		case is("S32"):
			return uint32(min(int32(a), int32(b)))
		case greater:
			return max(a, b)
		}
		return min(a, b)
	}
	if t.Best >= code.RowZero {
		return
	}
	for l := range w.R[t.Best] {
		if upper := l >= 16; t.Move.Shape == tmem.S16x32 && upper != t.Move.Upper {
			continue
		}
		for k := range v {
			x := v[k][l]
			if is("MINABS") || is("MAXABS") {
				x = x << 1 >> 1
			}
			if k > 0 {
				x = better(w.R[t.Best][l], x)
			}
			w.R[t.Best][l] = x
		}
	}
}
