package lower

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
)

// SIMD video instructions: two half words or four bytes at once. Each lane
// is extended to a word, computed, and put back or added up.

// simd lowers the instructions of n lanes.
func (l *lowerer) simd(n int) {
	to, ta, tb := l.typ(0), l.typ(1), l.typ(2)
	set := l.in.Op == isa.WVset2 || l.in.Op == isa.WVset4
	if set {
		to, ta, tb = isa.U32, l.typ(0), l.typ(1)
	}
	a, b, c := l.plain(1), l.plain(2), l.plain(3)
	bits := 32 / n
	va := l.lanes(a, b, digits(&l.args[1]), 0, n, ta.Class() == isa.Signed)
	vb := l.lanes(a, b, digits(&l.args[2]), n, n, tb.Class() == isa.Signed)
	mask := laneMask(digits(&l.args[0]), n)
	add := l.has(isa.WAdd)
	sum := c
	var parts value
	for k := range n {
		if !mask[k] {
			if !add {
				parts = append(parts, l.lane(c, k*bits, bits, false))
			}
			continue
		}
		t := l.laneOp(va[k], vb[k])
		if l.has(isa.WSat) {
			t = l.clampLane(t, bits, to.Class() == isa.Signed)
		}
		if add {
			sum = l.iadd(sum, t)
		} else {
			parts = append(parts, t)
		}
	}
	if !add {
		sum = l.packed(parts, bits)[0]
	}
	l.copy(l.dst(0)[:1], value{sum})
}

func (l *lowerer) simd2() { l.simd(2) }
func (l *lowerer) simd4() { l.simd(4) }

// lanes returns the n lanes a selector picks from two words; without one,
// those from a place on.
func (l *lowerer) lanes(a, b ori.Operand, sel []int, first, n int, signed bool) value {
	bits := 32 / n
	v := make(value, n)
	for k := range v {
		at := first + k
		if k < len(sel) {
			at = sel[k]
		}
		w := a
		if at >= n {
			w, at = b, at-n
		}
		v[k] = l.lane(w, at*bits, bits, signed)
	}
	return v
}

// laneMask tells which lanes a mask names; without one, all.
func laneMask(sel []int, n int) [4]bool {
	var m [4]bool
	for k := range n {
		m[k] = len(sel) == 0
	}
	for _, d := range sel {
		m[d&3] = true
	}
	return m
}

// digits returns what a selector names, lowest lane first: its last digit.
func digits(a *sema.Operand) []int {
	if a.Flags&sema.Selected == 0 {
		return nil
	}
	d := make([]int, a.Value>>16)
	for k := range d {
		d[k] = int(a.Value >> (4 * k) & 15)
	}
	return d
}

// laneOp computes one lane; with at most 16 bits each, a word holds all.
func (l *lowerer) laneOp(a, b ori.Operand) ori.Operand {
	switch l.in.Op {
	case isa.WVadd2, isa.WVadd4:
		return l.iadd(a, b)
	case isa.WVsub2, isa.WVsub4:
		return l.iadd(a, negate(b))
	case isa.WVavrg2, isa.WVavrg4: // halves are rounded up, but not below zero
		s := l.iadd(a, b)
		s = l.one(op.IADD3, op.Mods{}, s, l.sar1(s, ori.Imm(31)), ori.Imm(1))
		return l.sar1(s, ori.Imm(1))
	case isa.WVabsdiff2, isa.WVabsdiff4:
		return l.one(op.IABS, op.Mods{}, l.iadd(a, negate(b)))
	case isa.WVmin2, isa.WVmin4:
		return l.min1(op.Mods{}, a, b, pt())
	case isa.WVmax2, isa.WVmax4:
		return l.min1(op.Mods{}, a, b, pt().Not())
	}
	cmp, _ := l.comparison()
	return l.sel1(ori.Imm(1), rz(), l.cmp1(cmp, true, a, b))
}

// clampLane clamps a word to the range of a lane.
func (l *lowerer) clampLane(a ori.Operand, bits int, signed bool) ori.Operand {
	lo, hi := int64(0), int64(1)<<bits-1
	if signed {
		lo, hi = -(int64(1) << (bits - 1)), int64(1)<<(bits-1)-1
	}
	a = l.min1(op.Mods{}, a, ori.Imm(lo), pt().Not())
	return l.min1(op.Mods{}, a, ori.Imm(hi), pt())
}
