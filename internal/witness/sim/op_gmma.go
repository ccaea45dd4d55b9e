package sim

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/goptxas/goptxas/internal/engine/fp"
	"github.com/goptxas/goptxas/internal/sass"
	"github.com/goptxas/goptxas/internal/witness/matrix"
)

// Products of warp groups: HGMMA, IGMMA, QGMMA and BGMMA. Each of the four
// warps computes its sixteen rows, when the launch says so: at once, or at any
// time up to the WARPGROUP.DEPBAR that waits for it (async.go).

// gmmaForm is what the word of such a product says.
type gmmaForm struct {
	matrix.Group
	d, c, a, meta uint16 // rows; a is rowSink where A is in shared memory
	gdesc         uint16 // of four uniform registers
	scale         predSrc
	commits       bool
	regs          int // of the accumulator
}

// prepGMMA reads the mnemonic for shape and types and the word for the rest
// (fields as the disassembler shows them one by one).
func prepGMMA(i *inst, parts []string) error {
	w := i.in.Word()
	g := &gmmaForm{a: rowSink, commits: w.Field(84, 3) == 0}
	p := &g.Product
	p.M, p.Sum, p.Sparse = 16, matrix.FloatElem(fp.F32), slices.Contains(parts, "SP")
	if !shapeGMMA(g, parts) {
		return fmt.Errorf("unknown shape")
	}
	if err := typesGMMA(p, i.op, parts); err != nil {
		return err
	}
	reg := func(lo uint) uint16 {
		if n := uint16(w.Field(lo, 8)); n != 255 {
			return n
		}
		return rowZero
	}
	g.d, g.c = reg(16), reg(64)
	g.gdesc = rowUni + uint16(w.Field(24, 6))
	if i.in.Word().Field(10, 1) != 0 {
		g.a, g.gdesc = reg(24), rowUni+uint16(w.Field(32, 6))
	} else {
		g.TransA = w.Field(61, 1) != 0
	}
	g.TransB, g.NegB, g.NegA = w.Field(62, 1) != 0, w.Field(63, 1) != 0, w.Field(72, 1) != 0
	g.meta, g.Selector = reg(40), int(w.Field(48, 2))
	g.scale = predSrc{p: uniPred(uint8(7 - w.Field(87, 3)))}
	if w.Field(90, 1) != 0 {
		g.scale.neg = ^uint32(0)
	}
	g.regs = g.N / 8 * p.Words('c')
	i.gmma = g
	return nil
}

// shapeGMMA reads 64x128x16.
func shapeGMMA(g *gmmaForm, parts []string) bool {
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
		p.A = matrix.FloatElem([...]fp.Format{fp.F16, fp.BF16, fp.TF32}[pick(parts, 0, "", "BF16", "TF32")])
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

// gmmaOrder is one issued product: descriptors and the predicate are read at
// issue, registers and shared memory when it runs.
type gmmaOrder struct {
	*gmmaForm
	da, db matrix.Descriptor
	keep   bool // the accumulator counts
	pc     uint32
	done   bool
	clock  uint32 // its group
	seen   *view  // what its issuer knew
}

func gmma(w *warp, i *inst, m uint32) {
	if m != ^uint32(0) {
		w.fail(lane(^m), "a product of a warp group with lanes missing")
		return
	}
	g := i.gmma
	word := func(n uint16) matrix.Descriptor { return matrix.Descriptor(w.r[g.gdesc+n][0]) }
	o := &gmmaOrder{
		gmmaForm: g, da: word(0) | word(1)<<32, db: word(2) | word(3)<<32, keep: w.pred(g.scale)&1 != 0 && g.c != rowZero, pc: w.at,
	}
	if g.d == rowZero { // it only commits
		w.commitGMMA(o)
		return
	}
	for n, d := range []matrix.Descriptor{o.da, o.db} {
		if d>>49&7 != 0 && (n == 1 || g.a == rowSink) {
			w.fail(0, "a matrix descriptor with a base offset has no meaning in the simulator")
			return
		}
	}
	w.orderGMMA(o)
}

// compute runs a product now.
func (w *warp) compute(o *gmmaOrder) {
	g := o.Group
	if g.A.Float {
		g.Dot = matrix.DotOf(w.m.prog.Arch.SM, g.A, g.Sum)
	}
	rows := func(first uint16, n int) []matrix.Column {
		out := make([]matrix.Column, n)
		for k := range out {
			out[k] = w.r[first+uint16(k)]
		}
		return out
	}
	var a []matrix.Column
	if o.a != rowSink {
		a = rows(o.a, g.Words('a'))
	}
	if g.Sparse {
		g.Meta = w.r[o.meta]
	}
	c := make([]matrix.Column, o.regs)
	if o.keep {
		c = rows(o.d, o.regs)
	}
	at := w.at
	w.at = o.pc
	mine := uint64(w.cta.rank) << rankShift // descriptors have no room for a rank
	mem := func(addr uint32) []byte { return w.bytes(spShared, 0, mine|uint64(addr), 16, false) }
	for k, v := range g.Run(w.id%4, mem, o.da, o.db, a, c) {
		w.r[o.d+uint16(k)] = v
	}
	w.at = at
	o.done = true
}
