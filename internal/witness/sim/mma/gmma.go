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

// Products of warp groups: HGMMA, IGMMA, QGMMA and BGMMA. Each of the four
// warps computes its sixteen rows, when the launch says so: at once, or at any
// time up to the WARPGROUP.DEPBAR that waits for it (machine/products.go).

// PrepGMMA reads the mnemonic for shape and types and the word for the rest
// (fields as the disassembler shows them one by one).
func PrepGMMA(i *machine.Inst, parts []string) error {
	w := i.In.Word()
	g := &code.GroupForm{A: code.RowSink, Commits: w.Field(84, 3) == 0}
	p := &g.Product
	p.M, p.Sum, p.Sparse = 16, matrix.FloatElem(fp.F32), slices.Contains(parts, "SP")
	if !shapeGMMA(g, parts) {
		return fmt.Errorf("unknown shape")
	}
	if err := typesGMMA(p, i.Op, parts); err != nil {
		return err
	}
	reg := func(lo uint) uint16 {
		if n := uint16(w.Field(lo, 8)); n != 255 {
			return n
		}
		return code.RowZero
	}
	g.D, g.C = reg(16), reg(64)
	g.Gdesc = code.RowUni + uint16(w.Field(24, 6))
	if i.In.Word().Field(10, 1) != 0 {
		g.A, g.Gdesc = reg(24), code.RowUni+uint16(w.Field(32, 6))
	} else {
		g.TransA = w.Field(61, 1) != 0
	}
	g.TransB, g.NegB, g.NegA = w.Field(62, 1) != 0, w.Field(63, 1) != 0, w.Field(72, 1) != 0
	g.Meta, g.Selector = reg(40), int(w.Field(48, 2))
	g.Scale = code.Pred{P: code.UniPred(uint8(7 - w.Field(87, 3)))}
	if w.Field(90, 1) != 0 {
		g.Scale.Neg = ^uint32(0)
	}
	g.Regs = g.N / 8 * p.Words('c')
	for _, first := range [...]uint16{g.D, g.C} {
		if first != code.RowZero && int(first)+g.Regs > code.RowZero {
			return fmt.Errorf("a matrix reaches past the last register")
		}
	}
	i.Gmma = g
	return nil
}

// shapeGMMA reads 64x128x16.
func shapeGMMA(g *code.GroupForm, parts []string) bool {
	for _, s := range parts {
		f := strings.Split(s, "x")
		if len(f) != 3 || f[0] != "64" {
			continue
		}
		n, err := strconv.Atoi(f[1])
		k, err2 := strconv.Atoi(f[2])
		g.N, g.K = n, k
		return err == nil && err2 == nil
	}
	return false
}

func typesGMMA(p *matrix.Product, op sass.Op, parts []string) error {
	switch op {
	case sass.OpHGMMA:
		p.A = matrix.FloatElem([...]fp.Format{fp.F16, fp.BF16, fp.TF32}[code.Pick(parts, 0, "", "BF16", "TF32")])
		p.B = p.A
		sumMMA(p, parts)
	case sass.OpQGMMA:
		p.Bytes = true
		sumMMA(p, parts)
		return factorsGMMA(p, parts, byteElem)
	case sass.OpIGMMA:
		p.Bytes, p.Sum, p.Sat = true, matrix.Elem{Bits: 32}, slices.Contains(parts, "SAT")
		return factorsGMMA(p, parts, intElem)
	case sass.OpBGMMA:
		p.A = matrix.Elem{Bits: 1}
		p.B, p.Sum, p.And = p.A, matrix.Elem{Bits: 32}, slices.Contains(parts, "AND")
	}
	return nil
}

// factorsGMMA reads the types of both factors.
func factorsGMMA(p *matrix.Product, parts []string, read func(string) (matrix.Elem, bool)) error {
	var list []matrix.Elem
	for _, s := range parts {
		if e, ok := read(s); ok {
			list = append(list, e)
		}
	}
	if len(list) != 2 {
		return fmt.Errorf("this form has no meaning in the simulator")
	}
	p.A, p.B = list[0], list[1]
	return nil
}

// Gmma is HGMMA, IGMMA, QGMMA and BGMMA.
func Gmma(w *machine.Warp, i *machine.Inst, m uint32) {
	if m != ^uint32(0) {
		w.Fail(machine.Lane(^m), "a product of a warp group with lanes missing")
		return
	}
	g := i.Gmma
	word := func(n uint16) matrix.Descriptor { return matrix.Descriptor(w.R[g.Gdesc+n][0]) }
	if g.D == code.RowZero { // it only commits
		w.CommitProducts(g)
		return
	}
	o := &gmmaOrder{GroupForm: g, da: word(0) | word(1)<<32, db: word(2) | word(3)<<32, keep: w.Pred(g.Scale)&1 != 0 && g.C != code.RowZero}
	for n, d := range []matrix.Descriptor{o.da, o.db} {
		if d>>49&7 != 0 && (n == 1 || g.A == code.RowSink) {
			w.Fail(0, "a matrix descriptor with a base offset has no meaning in the simulator")
			return
		}
	}
	w.OrderProduct(g, func() { o.compute(w) })
}

// gmmaOrder is one issued product: descriptors and the predicate are read at
// issue, registers and shared memory when it runs.
type gmmaOrder struct {
	*code.GroupForm
	da, db matrix.Descriptor
	keep   bool // the accumulator counts
}

// compute runs a product now.
func (o *gmmaOrder) compute(w *machine.Warp) {
	g := o.Group
	if g.A.Float {
		g.Dot = matrix.DotOf(w.Sm(), g.A, g.Sum)
	}
	rows := func(first uint16, n int) []matrix.Column {
		out := make([]matrix.Column, n)
		for k := range out {
			out[k] = w.R[first+uint16(k)]
		}
		return out
	}
	var a []matrix.Column
	if o.A != code.RowSink {
		a = rows(o.A, g.Words('a'))
	}
	if g.Sparse {
		g.Meta = w.R[o.Meta]
	}
	c := make([]matrix.Column, o.Regs)
	if o.keep {
		c = rows(o.D, o.Regs)
	}
	mine := w.Rank() << machine.RankShift // descriptors have no room for a rank
	mem := func(addr uint32) []byte { return w.Bytes(machine.SpaceShared, 0, mine|uint64(addr), 16, false) }
	for k, v := range g.Run(w.ID%4, mem, o.da, o.db, a, c) {
		w.R[o.D+uint16(k)] = v
	}
}

// PrepWarpgroup tells arrivals from waits.
func PrepWarpgroup(i *machine.Inst, parts []string) error {
	switch {
	case len(parts) > 0 && parts[0] == "ARRIVE":
	case len(parts) > 0 && parts[0] == "DEPBAR":
		i.Sub, i.Cmp = 1, uint8(i.In.Word().Field(72, 3))
	default:
		return fmt.Errorf("this form has no meaning in the simulator")
	}
	return nil
}

// Warpgroup is WARPGROUP.ARRIVE and WARPGROUP.DEPBAR.
func Warpgroup(w *machine.Warp, i *machine.Inst, _ uint32) {
	switch {
	case i.Sub == 0:
		w.ArriveProducts()
	default:
		w.WaitProducts(uint32(i.Cmp))
	}
}
