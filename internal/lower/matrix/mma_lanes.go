package matrix

import (
	"github.com/goptxas/goptxas/internal/codegen/expand"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// Words of other threads of the warp, and choices among lanes.

// laneID returns the number of the thread in its warp.
func laneID(l *build.Builder) ori.Operand {
	return l.One(op.S2R, op.Mods{}, ori.Special(op.SRLaneID))
}

// fromLane reads a word of another thread.
func fromLane(l *build.Builder, w, lane ori.Operand) ori.Operand {
	d := l.Tmp(1)
	l.Emit(op.SHFL, op.M(op.MIDX), build.Value{expand.PT(), d[0]}, l.Reg(w), lane, ori.Imm(0x1f))
	return d[0]
}

// ofFour reads a word of lane n of the thread's four.
func ofFour(l *build.Builder, w ori.Operand, n int64) ori.Operand {
	d := l.Tmp(1)
	l.Emit(op.SHFL, op.M(op.MIDX), build.Value{expand.PT(), d[0]}, l.Reg(w), expand.Word(uint32(n)), ori.Imm(0x1c03))
	return d[0]
}

// turnIf permutes the bytes of w if a bit is set.
func turnIf(l *build.Builder, w, bits ori.Operand, bit int, order uint32) ori.Operand {
	w = l.Reg(w)
	p := l.Cmp1(op.MNE, false, l.And2(bits, ori.Imm32(1<<bit)), expand.RZ())
	return l.Sel1(l.One(op.PRMT, op.Mods{}, w, ori.Imm32(order), expand.RZ()), w, p)
}

// neighbour reads a word of the lane below or above.
func neighbour(l *build.Builder, m op.Mod, w ori.Operand) ori.Operand {
	d := l.Tmp(1)
	limit := expand.RZ()
	if m == op.MDOWN {
		limit = ori.Imm(0x1f)
	}
	l.Emit(op.SHFL, op.M(m), build.Value{expand.PT(), d[0]}, w, ori.Imm(1), limit)
	return d[0]
}

// everyOther makes metadata of the even or odd chunks of 16: lanes 0 and 1
// get what lanes 0 and 1, and 2 and 3, have.
func everyOther(l *build.Builder, meta ori.Operand, odd int) ori.Operand {
	if odd == 1 {
		meta = l.Shr1(meta, ori.Imm(4))
	}
	x := l.And2(meta, ori.Imm(0x0f0f0f0f))
	x = l.And2(l.Lop(expand.LutOr, x, l.Shr1(x, ori.Imm(4)), expand.RZ()), ori.Imm(0x00ff00ff))
	x = l.One(op.PRMT, op.Mods{}, x, ori.Imm32(0x4420), expand.RZ())
	from := l.Shl1(l.And2(laneID(l), ori.Imm(1)), ori.Imm(1))
	lo := quadLane(l, x, from)
	hi := quadLane(l, x, l.Iadd(from, ori.Imm(1)))
	return l.One(op.PRMT, op.Mods{}, lo, ori.Imm32(0x5410), hi)
}

// quadLane reads a word of the lane of the thread's four that n names.
func quadLane(l *build.Builder, w, n ori.Operand) ori.Operand {
	d := l.Tmp(1)
	l.Emit(op.SHFL, op.M(op.MIDX), build.Value{expand.PT(), d[0]}, w, n, ori.Imm(0x1c03))
	return d[0]
}
