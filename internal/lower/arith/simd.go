package arith

import (
	"github.com/goptxas/goptxas/internal/codegen/expand"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/target"
)

// SIMD video instructions: two half words or four bytes at once. Each lane
// is extended to a word, computed, and put back or added up.

// simd lowers the instructions of n lanes.
func simd(l *build.Builder, n int) {
	to, ta, tb := l.Typ(0), l.Typ(1), l.Typ(2)
	set := l.In.Op == isa.WVset2 || l.In.Op == isa.WVset4
	if set {
		to, ta, tb = isa.U32, l.Typ(0), l.Typ(1)
	}
	a, b, c := plain(l, 1), plain(l, 2), plain(l, 3)
	if n == 4 && bytesApart(l, to, ta, tb) {
		differences(l, a, b, c, ta.Class() == isa.Signed)
		return
	}
	bits := 32 / n
	va := lanes(l, a, b, digits(&l.Args[1]), 0, n, ta.Class() == isa.Signed)
	vb := lanes(l, a, b, digits(&l.Args[2]), n, n, tb.Class() == isa.Signed)
	mask := laneMask(digits(&l.Args[0]), n)
	add := l.Has(isa.WAdd)
	sum := c
	var parts build.Value
	for k := range n {
		if !mask[k] {
			if !add {
				parts = append(parts, l.Lane(c, k*bits, bits, false))
			}
			continue
		}
		t := laneOp(l, va[k], vb[k])
		if l.Has(isa.WSat) {
			t = clampLane(l, t, bits, to.Class() == isa.Signed)
		}
		if add {
			sum = l.Iadd(sum, t)
		} else {
			parts = append(parts, t)
		}
	}
	if !add {
		sum = l.Packed(parts, bits)[0]
	}
	l.Copy(l.Dst(0)[:1], build.Value{sum})
}

// bytesApart reports whether the machine has what the current instruction wants: the differences
// of all bytes, without signs, in their places or added up.
func bytesApart(l *build.Builder, to, ta, tb isa.Type) bool {
	return l.In.Op == isa.WVabsdiff4 && l.Arch.Has(target.AbsDiff) && !l.Has(isa.WSat) && to == isa.U32 && ta == tb &&
		len(digits(&l.Args[0]))+len(digits(&l.Args[1]))+len(digits(&l.Args[2])) == 0
}

func differences(l *build.Builder, a, b, c ori.Operand, signed bool) {
	var m op.Mods
	if !signed {
		m = m.With(op.MU8)
	}
	if l.Has(isa.WAdd) {
		m = m.With(op.MACC)
	} else {
		c = expand.RZ()
	}
	l.Emit(op.VABSDIFF4, m, l.Dst(0)[:1], a, b, c)
}

func simd2(l *build.Builder) { simd(l, 2) }

func simd4(l *build.Builder) { simd(l, 4) }

// lanes returns the n lanes a selector picks from two words; without one,
// those from a place on.
func lanes(l *build.Builder, a, b ori.Operand, sel []int, first, n int, signed bool) build.Value {
	bits := 32 / n
	v := make(build.Value, n)
	for k := range v {
		at := first + k
		if k < len(sel) {
			at = sel[k]
		}
		w := a
		if at >= n {
			w, at = b, at-n
		}
		v[k] = l.Lane(w, at*bits, bits, signed)
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
func laneOp(l *build.Builder, a, b ori.Operand) ori.Operand {
	switch l.In.Op {
	case isa.WVadd2, isa.WVadd4:
		return l.Iadd(a, b)
	case isa.WVsub2, isa.WVsub4:
		return l.Iadd(a, expand.Negate(b))
	case isa.WVavrg2, isa.WVavrg4: // halves are rounded up, but not below zero
		s := l.Iadd(a, b)
		s = l.One(op.IADD3, op.Mods{}, s, l.Sar1(s, ori.Imm(31)), ori.Imm(1))
		return l.Sar1(s, ori.Imm(1))
	case isa.WVabsdiff2, isa.WVabsdiff4:
		return l.One(op.IABS, op.Mods{}, l.Iadd(a, expand.Negate(b)))
	case isa.WVmin2, isa.WVmin4:
		return expand.Min1(&l.Writer, op.Mods{}, a, b, expand.PT())
	case isa.WVmax2, isa.WVmax4:
		return expand.Min1(&l.Writer, op.Mods{}, a, b, expand.PT().Not())
	}
	cmp, _ := comparison(l)
	return l.Sel1(ori.Imm(1), expand.RZ(), l.Cmp1(cmp, true, a, b))
}

// clampLane clamps a word to the range of a lane.
func clampLane(l *build.Builder, a ori.Operand, bits int, signed bool) ori.Operand {
	lo, hi := int64(0), int64(1)<<bits-1
	if signed {
		lo, hi = -(int64(1) << (bits - 1)), int64(1)<<(bits-1)-1
	}
	a = expand.Min1(&l.Writer, op.Mods{}, a, ori.Imm(lo), expand.PT().Not())
	return expand.Min1(&l.Writer, op.Mods{}, a, ori.Imm(hi), expand.PT())
}
