package arith

import (
	"fmt"

	"github.com/goptxas/goptxas/internal/engine/fp"
	"github.com/goptxas/goptxas/internal/sass"
	"github.com/goptxas/goptxas/internal/witness/sim/code"
	"github.com/goptxas/goptxas/internal/witness/sim/machine"
)

// Operations on two f32 in a pair of registers, and sums and products of f16
// or bf16 that are f32.

// Ways of a pair: its words in order, exchanged, or one word for both.
const (
	pairPlain = iota
	pairCrossed
	pairBoth

	pairNP = 4 // .NP: the upper word is negated
)

// pairFields are where FADD2, FMUL2 and FFMA2 say how each source is a pair.
var pairFields = [...][3]struct{ at, bits uint }{
	{{81, 3}, {84, 3}, {}},
	{{81, 3}, {87, 2}, {}},
	{{81, 3}, {87, 2}, {84, 3}},
}

// PrepPair reads them; a number is one for both.
func PrepPair(i *machine.Inst, _ []string) error {
	n := map[sass.Op]int{sass.OpFADD2: 0, sass.OpFMUL2: 1, sass.OpFFMA2: 2}[i.Op]
	i.Sub = uint8(n)
	for k := range i.NS {
		f := pairFields[n][k]
		v := i.In.Word().Field(f.at, f.bits)
		if i.S[k].IsImm {
			v = pairBoth
		}
		if v&^pairNP > pairBoth {
			return fmt.Errorf("this form has no meaning in the simulator")
		}
		i.S[k].Half = uint8(v)
	}
	return nil
}

// word is one half of a pair.
func pairWord(w *machine.Warp, s *code.Operand, l, half int) uint64 {
	row, way := s.Row, s.Half&^pairNP
	if way != pairBoth && (half == 1) != (way == pairCrossed) {
		row = s.Hi
	}
	v := w.Row(row)[l]
	if half == 1 && s.Half&pairNP != 0 {
		v ^= 1 << 31
	}
	if s.Abs {
		v &^= 1 << 31
	}
	if s.Neg {
		v ^= 1 << 31
	}
	return uint64(v)
}

// FADD2, FMUL2, FFMA2: the same for both words.
func PairMath(w *machine.Warp, i *machine.Inst, m uint32) {
	hi := code.NextRow(i.D[0])
	for ; m != 0; m &= m - 1 {
		l := machine.Lane(m)
		var r [2]uint32
		for half := range r {
			a, b := pairWord(w, &i.S[0], l, half), pairWord(w, &i.S[1], l, half)
			zero := i.Has(code.FlagFMZ) && (tiny(uint32(a)) || tiny(uint32(b)))
			switch {
			case i.Sub == 0:
				r[half] = uint32(fp.F32.Add(a, b, i.Mode))
			case i.Sub == 1 && zero:
			case i.Sub == 1:
				r[half] = uint32(fp.F32.Mul(a, b, i.Mode))
			case zero:
				r[half] = uint32(fp.F32.Add(0, pairWord(w, &i.S[2], l, half), i.Mode))
			default:
				r[half] = uint32(fp.F32.Fma(a, b, pairWord(w, &i.S[2], l, half), i.Mode))
			}
		}
		w.R[i.D[0]][l], w.R[hi][l] = r[0], r[1]
	}
}

// PrepMixed reads FHADD and FHFMA: which halves, and of which format.
func PrepMixed(i *machine.Inst, parts []string) error {
	w := i.In.Word()
	i.Src = fp.F16
	for _, p := range parts {
		if p == "BF16" {
			i.Src = fp.BF16
		}
	}
	i.S[0].Half, i.S[1].Half = uint8(w.Field(83, 1)), uint8(w.Field(84, 1))
	return nil
}

// mixed is a half as an f32, with its marks.
func mixed(w *machine.Warp, i *machine.Inst, s *code.Operand, l int) uint64 {
	v := w.Row(s.Row)[l] >> (16 * s.Half) & 0xffff
	if s.Abs {
		v &^= 1 << 15
	}
	if s.Neg {
		v ^= 1 << 15
	}
	return fp.Convert(i.Src, fp.F32, uint64(v), fp.Mode{})
}

// FHADD: a half and an f32. FHFMA: two halves and an f32.
func Fhadd(w *machine.Warp, i *machine.Inst, m uint32) {
	c, d := fsrc(w, &i.S[1], 1), &w.R[i.D[0]]
	for ; m != 0; m &= m - 1 {
		l := machine.Lane(m)
		d[l] = uint32(fp.F32.Add(mixed(w, i, &i.S[0], l), uint64(c[l]), i.Mode))
	}
}

// Fhfma is FHFMA.
func Fhfma(w *machine.Warp, i *machine.Inst, m uint32) {
	c, d := fsrc(w, &i.S[2], 2), &w.R[i.D[0]]
	for ; m != 0; m &= m - 1 {
		l := machine.Lane(m)
		d[l] = uint32(fp.F32.Fma(mixed(w, i, &i.S[0], l), mixed(w, i, &i.S[1], l), uint64(c[l]), i.Mode))
	}
}
