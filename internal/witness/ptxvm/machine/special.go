package machine

import (
	"math/bits"

	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// special fills the lanes of w.Mask with a special register. What depends on
// time and place is told as for a machine with one multiprocessor whose clock
// counts instructions.
func (w *Warp) special(r isa.SpecialReg, comp uint8, out *Column) {
	g := w.cta.grid
	k := max(int(comp), 1) - 1
	pick := func(v [3]uint32) uint64 {
		if k > 2 {
			return 0
		}
		return uint64(v[k])
	}
	var v uint64
	switch r.Word() {
	case isa.WSrTid, isa.WSrLaneid, isa.WSrLanemaskEq, isa.WSrLanemaskLe, isa.WSrLanemaskLt, isa.WSrLanemaskGe, isa.WSrLanemaskGt:
		w.laneSpecial(r.Word(), k, out)
		return
	case isa.WSrNtid:
		v = pick(g.launch.Block)
	case isa.WSrCtaid:
		v = pick(w.cta.id)
	case isa.WSrNctaid:
		v = pick(g.launch.Grid)
	case isa.WSrClusterid, isa.WSrNclusterid, isa.WSrClusterCtaid, isa.WSrClusterNctaid, isa.WSrClusterCtarank,
		isa.WSrClusterNctarank, isa.WSrIsExplicitCluster:
		v = w.clusterSpecial(r.Word(), k)
	case isa.WSrWarpid:
		v = uint64(w.Index)
	case isa.WSrNwarpid:
		v = 64
	case isa.WSrSmid, isa.WSrGridid, isa.WSrClockHi, isa.WSrGlobaltimerHi:
		v = w.anyTime(0)
	case isa.WSrNsmid:
		v = 1
	case isa.WSrClock, isa.WSrClock64, isa.WSrGlobaltimer, isa.WSrGlobaltimerLo:
		v = w.anyTime(uint64(g.steps))
	case isa.WSrDynamicSmemSize:
		v = uint64(g.launch.Smem)
	case isa.WSrTotalSmemSize, isa.WSrAggrSmemSize:
		v = uint64(len(w.cta.shared))
	default:
		w.Fail(-1, "special register %s has no meaning in the interpreter", r)
	}
	for m := w.Mask; m != 0; m &= m - 1 {
		out[bits.TrailingZeros32(m)] = v
	}
}

// laneSpecial fills registers that differ between lanes.
func (w *Warp) laneSpecial(r isa.Word, k int, out *Column) {
	for m := w.Mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		bit := uint64(1) << l
		switch r {
		case isa.WSrTid:
			out[l] = 0
			if k < 3 {
				out[l] = uint64(w.tid[l][k])
			}
		case isa.WSrLaneid:
			out[l] = uint64(l)
		case isa.WSrLanemaskEq:
			out[l] = bit
		case isa.WSrLanemaskLe:
			out[l] = bit | (bit - 1)
		case isa.WSrLanemaskLt:
			out[l] = bit - 1
		case isa.WSrLanemaskGe:
			out[l] = Low(32) &^ (bit - 1)
		case isa.WSrLanemaskGt:
			out[l] = Low(32) &^ (bit | (bit - 1))
		}
	}
}

// clusterSpecial is the registers about clusters.
func (w *Warp) clusterSpecial(r isa.Word, k int) uint64 {
	g := w.cta.grid
	cl := g.cluster
	if k > 2 {
		return 0
	}
	switch r {
	case isa.WSrClusterid:
		return uint64(w.cta.id[k] / cl[k])
	case isa.WSrNclusterid:
		return uint64(g.launch.Grid[k] / cl[k])
	case isa.WSrClusterCtaid:
		return uint64(w.cta.id[k] % cl[k])
	case isa.WSrClusterNctaid:
		return uint64(cl[k])
	case isa.WSrClusterCtarank:
		return uint64(w.cta.rank)
	case isa.WSrClusterNctarank:
		return uint64(len(w.cta.cluster.blocks))
	}
	return Truth(g.fn.def.Launch.HasCluster || g.launch.Cluster[0] != 0)
}
