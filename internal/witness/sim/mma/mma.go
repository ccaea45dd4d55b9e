package mma

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/goptxas/goptxas/internal/engine/fp"
	"github.com/goptxas/goptxas/internal/sass"
	"github.com/goptxas/goptxas/internal/witness/matrix"
	"github.com/goptxas/goptxas/internal/witness/sim/code"
	"github.com/goptxas/goptxas/internal/witness/sim/machine"
)

// Products of matrices spread over a warp. What they mean is matrix.Product;
// here the mnemonic says which.

// PrepMMA reads shape and types.
func PrepMMA(i *machine.Inst, parts []string) error {
	p := &matrix.Product{Sum: matrix.FloatElem(fp.F32), Sat: i.Mode.Sat, Round: i.Mode.Round}
	p.Sparse = slices.Contains(parts, "SP")
	if slices.Contains(parts, "884") && i.Op == sass.OpHMMA {
		return fmt.Errorf("this form has no meaning in the simulator")
	}
	if slices.Contains(parts, "SF") {
		p.Scale = &matrix.Scales{Format: [...]fp.Format{fp.UE8M0, fp.E4M3}[code.Pick(parts, 0, "", "UE4M3")], Block: 32}
		if slices.Contains(parts, "4X") {
			p.Scale.Block = 16
		}
		if p.Sparse { // as many for twice the depth
			p.Scale.Block *= 2
		}
	}
	if !shapeMMA(p, parts) {
		return fmt.Errorf("unknown shape")
	}
	switch i.Op {
	case sass.OpHMMA:
		p.A = matrix.FloatElem([...]fp.Format{fp.F16, fp.BF16, fp.TF32}[code.Pick(parts, 0, "", "BF16", "TF32")])
		p.B = p.A
	case sass.OpDMMA:
		p.A = matrix.FloatElem(fp.F64)
		p.B, p.Sum = p.A, p.A
	case sass.OpBMMA:
		p.A = matrix.Elem{Bits: 1}
		p.B, p.Sum, p.And = p.A, matrix.Elem{Bits: 32}, slices.Contains(parts, "AND")
	case sass.OpIMMA:
		p.Sum, p.Bytes = matrix.Elem{Bits: 32}, true
		i.Product = p
		return factorsMMA(p, parts, intElem)
	case sass.OpOMMA:
		p.A = matrix.FloatElem(fp.E2M1)
		p.B, p.Bytes = p.A, p.Sparse
	case sass.OpQMMA:
		p.Bytes = true
		sumMMA(p, parts)
		i.Product = p
		return factorsMMA(p, parts, byteElem)
	}
	if i.Op == sass.OpHMMA {
		sumMMA(p, parts)
	}
	i.Product = p
	return existsMMA(p)
}

// sumMMA reads the accumulator's format.
func sumMMA(p *matrix.Product, parts []string) {
	if code.Pick(parts, 1, "F16", "F32") == 0 {
		p.Sum = matrix.FloatElem(fp.F16)
	}
}

// shapeMMA reads 16816, 16x8x16 and their like.
func shapeMMA(p *matrix.Product, parts []string) bool {
	for _, s := range parts {
		s = strings.ReplaceAll(s, "x", "")
		for _, rows := range [...]string{"168", "88"} {
			d, ok := strings.CutPrefix(s, rows)
			if k, err := strconv.Atoi(d); ok && err == nil {
				p.M, p.K = 8, k
				if rows == "168" {
					p.M = 16
				}
				return true
			}
		}
	}
	return false
}

func intElem(s string) (matrix.Elem, bool) {
	t, ok := code.IntType(s)
	return matrix.Elem{Bits: int(t.Bits), Signed: t.Signed}, ok
}

func byteElem(s string) (matrix.Elem, bool) {
	switch s {
	case "E4M3":
		return matrix.FloatElem(fp.E4M3), true
	case "E5M2":
		return matrix.FloatElem(fp.E5M2), true
	case "E2M3":
		return matrix.Boxed(fp.E2M3), true
	case "E3M2":
		return matrix.Boxed(fp.E3M2), true
	case "E2M1":
		return matrix.Boxed(fp.E2M1), true
	}
	return matrix.Elem{}, false
}

// factorsMMA reads the types of both factors.
func factorsMMA(p *matrix.Product, parts []string, read func(string) (matrix.Elem, bool)) error {
	var list []matrix.Elem
	for _, s := range parts {
		if e, ok := read(s); ok {
			list = append(list, e)
		}
	}
	if len(list) != 2 || list[0].Bits != list[1].Bits {
		return fmt.Errorf("this form has no meaning in the simulator")
	}
	p.A, p.B = list[0], list[1]
	return existsMMA(p)
}

// existsMMA refuses combinations of shape and types that no product has.
func existsMMA(p *matrix.Product) error {
	if !p.Exists() {
		return fmt.Errorf("this form has no meaning in the simulator")
	}
	return nil
}

// Mma multiplies.
func Mma(w *machine.Warp, i *machine.Inst, m uint32) {
	if m != ^uint32(0) {
		w.Fail(machine.Lane(^m), "a matrix product with lanes missing")
		return
	}
	p := *i.Product
	if p.A.Float {
		p.Dot = matrix.DotOf(w.Sm(), p.A, p.Sum)
	}
	if p.Scale != nil {
		s := *p.Scale
		ids := int(w.Row(i.S[5].Row)[0])
		s.A, s.B = *w.Row(i.S[3].Row), *w.Row(i.S[4].Row)
		if p.Sparse { // metadata and scales of A are a pair
			s.A = *w.Row(code.Behind(i.S[3].Row, 1))
		}
		s.ByteA, s.LanesA, s.ByteB, s.LanesB = ids&3, ids>>2&1, ids>>3&3, ids>>5&3
		p.Scale, p.Dot = &s, matrix.ScaledDot(p.K)
	}
	if p.Sparse {
		p.Meta = *w.Row(i.S[3].Row)
		p.Selector = int(i.S[4].Imm)
		if p.Scale != nil {
			p.Selector = int(i.S[6].Imm)
		}
	}
	a := fragmentOf(w, &i.S[0], p.Words('a'))
	b := fragmentOf(w, &i.S[1], p.Words('b'))
	c := fragmentOf(w, &i.S[2], p.Words('c'))
	for n, v := range p.Run(a, b, c) {
		w.R[after(i.D[0], uint16(n))] = v
	}
}

// fragmentOf copies the registers of a source.
func fragmentOf(w *machine.Warp, s *code.Operand, n int) []matrix.Column {
	if s.Neg || s.Abs {
		w.Fail(0, "a matrix product of negated factors has no meaning in the simulator")
	}
	out := make([]matrix.Column, n)
	for k := range out {
		out[k] = *w.Row(code.Behind(s.Row, uint16(k)))
	}
	return out
}
