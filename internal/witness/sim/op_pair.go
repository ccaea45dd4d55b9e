package sim

import (
	"fmt"

	"github.com/goptxas/goptxas/internal/engine/fp"
	"github.com/goptxas/goptxas/internal/sass"
)

// Operations on two f32 in a pair of registers, and sums and products of f16
// or bf16 that are f32.

// Ways of a pair: its words in order, exchanged, or one word for both.
const (
	pairPlain = iota
	pairCrossed
	pairBoth
)

// pairFields are where FADD2, FMUL2 and FFMA2 say how each source is a pair.
var pairFields = [...][3]struct{ at, bits uint }{
	{{81, 3}, {84, 3}, {}},
	{{81, 3}, {87, 2}, {}},
	{{81, 3}, {87, 2}, {84, 3}},
}

// prepPair reads them; a number is one for both.
func prepPair(i *inst, _ []string) error {
	n := map[sass.Op]int{sass.OpFADD2: 0, sass.OpFMUL2: 1, sass.OpFFMA2: 2}[i.op]
	i.sub = uint8(n)
	for k := range i.ns {
		f := pairFields[n][k]
		v := i.in.Word().Field(f.at, f.bits)
		if i.s[k].isImm {
			v = pairBoth
		}
		if v > pairBoth {
			return fmt.Errorf("this form has no meaning in the simulator")
		}
		i.s[k].half = uint8(v)
	}
	return nil
}

// word is one half of a pair.
func (w *warp) pairWord(s *opnd, l, half int) uint64 {
	row := s.row
	if s.half != pairBoth && (half == 1) != (s.half == pairCrossed) {
		row = s.hi
	}
	v := w.row(row)[l]
	if s.abs {
		v &^= 1 << 31
	}
	if s.neg {
		v ^= 1 << 31
	}
	return uint64(v)
}

// FADD2, FMUL2, FFMA2: the same for both words.
func pairMath(w *warp, i *inst, m uint32) {
	hi := nextRow(i.d[0])
	for ; m != 0; m &= m - 1 {
		l := lane(m)
		var r [2]uint32
		for half := range r {
			a, b := w.pairWord(&i.s[0], l, half), w.pairWord(&i.s[1], l, half)
			zero := i.has(fFMZ) && (tiny(uint32(a)) || tiny(uint32(b)))
			switch {
			case i.sub == 0:
				r[half] = uint32(fp.F32.Add(a, b, i.mode))
			case i.sub == 1 && zero:
			case i.sub == 1:
				r[half] = uint32(fp.F32.Mul(a, b, i.mode))
			case zero:
				r[half] = uint32(fp.F32.Add(0, w.pairWord(&i.s[2], l, half), i.mode))
			default:
				r[half] = uint32(fp.F32.Fma(a, b, w.pairWord(&i.s[2], l, half), i.mode))
			}
		}
		w.r[i.d[0]][l], w.r[hi][l] = r[0], r[1]
	}
}

// prepMixed reads FHADD and FHFMA: which halves, and of which format.
func prepMixed(i *inst, parts []string) error {
	w := i.in.Word()
	i.src = fp.F16
	for _, p := range parts {
		if p == "BF16" {
			i.src = fp.BF16
		}
	}
	i.s[0].half, i.s[1].half = uint8(w.Field(83, 1)), uint8(w.Field(84, 1))
	return nil
}

// mixed is a half as an f32, with its marks.
func (w *warp) mixed(i *inst, s *opnd, l int) uint64 {
	v := w.row(s.row)[l] >> (16 * s.half) & 0xffff
	if s.abs {
		v &^= 1 << 15
	}
	if s.neg {
		v ^= 1 << 15
	}
	return fp.Convert(i.src, fp.F32, uint64(v), fp.Mode{})
}

// FHADD: a half and an f32. FHFMA: two halves and an f32.
func fhadd(w *warp, i *inst, m uint32) {
	c, d := w.fsrc(&i.s[1], 1), &w.r[i.d[0]]
	for ; m != 0; m &= m - 1 {
		l := lane(m)
		d[l] = uint32(fp.F32.Add(w.mixed(i, &i.s[0], l), uint64(c[l]), i.mode))
	}
}

func fhfma(w *warp, i *inst, m uint32) {
	c, d := w.fsrc(&i.s[2], 2), &w.r[i.d[0]]
	for ; m != 0; m &= m - 1 {
		l := lane(m)
		d[l] = uint32(fp.F32.Fma(w.mixed(i, &i.s[0], l), w.mixed(i, &i.s[1], l), uint64(c[l]), i.mode))
	}
}
