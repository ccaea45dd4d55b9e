package isa

import (
	"github.com/goptxas/goptxas/internal/engine/diag"
	"github.com/goptxas/goptxas/internal/target"
)

// Warp-level matrix operations: mma, wmma, ldmatrix, stmatrix, movmatrix.

var mmaForms = []Form{
	{Types: []TypeSet{tF16 | tF32, tF16, tF16, tF16 | tF32}, Args: "RXYZ", May: eSync},
	{Types: []TypeSet{tF32, tBF, tBF, tF32}, Args: "RXYZ", May: eSync},
	{Types: []TypeSet{tF32, tTF32, tTF32, tF32}, Args: "RXYZ", May: eSync},
	{Types: []TypeSet{tF64, tF64, tF64, tF64}, Args: "RXYZ", May: eSync, Mods: []Slot{SlotRound}, Rnd: rFloat},
	{Types: []TypeSet{tInt32, tInt8, tInt8, tInt32}, Args: "RXYZ", May: eSync | eSatf},
	{Types: []TypeSet{tInt32, tInt4, tInt4, tInt32}, Args: "RXYZ", May: eSync | eSatf},
	{Types: []TypeSet{tInt32, tB1, tB1, tInt32}, Args: "RXYZ", May: eSync | eBool | ePopc},
	{Types: []TypeSet{tF16 | tF32, tF8F6F4, tF8F6F4, tF16 | tF32}, Args: "RXYZ", May: eSync},

	// Sparse forms have metadata and its selector.
	{Types: []TypeSet{tF16 | tF32, tF16, tF16, tF16 | tF32}, Args: "RXYZ1i", May: eSync},
	{Types: []TypeSet{tF32, tBF, tBF, tF32}, Args: "RXYZ1i", May: eSync},
	{Types: []TypeSet{tF32, tTF32, tTF32, tF32}, Args: "RXYZ1i", May: eSync},
	{Types: []TypeSet{tInt32, tInt8, tInt8, tInt32}, Args: "RXYZ1i", May: eSync | eSatf},
	{Types: []TypeSet{tInt32, tInt4, tInt4, tInt32}, Args: "RXYZ1i", May: eSync | eSatf},
	{Types: []TypeSet{tF16 | tF32, tF8F6F4, tF8F6F4, tF16 | tF32}, Args: "RXYZ1i", May: eSync},

	// Block-scaled forms have scales, and the bytes and threads they lie in.
	{Types: []TypeSet{tF32, tF8F6F4, tF8F6F4, tF32, tUE8M0 | tUE4M3}, Args: "RXYZ1I1I", May: eSync},
	{Types: []TypeSet{tF32, tF8F6F4, tF8F6F4, tF32, tUE8M0 | tUE4M3}, Args: "RXYZ1i1I1I", May: eSync},
}

// mmaShape is one shape with the multiplicand types it takes.
type mmaShape struct {
	shape  Word
	types  TypeSet
	sparse bool
	v      Version
	sm     int
}

var mmaShapes = [...]mmaShape{
	{WM8n8k4, tF16, false, 64, 70},
	{WM8n8k4, tF64, false, 70, 80},
	{WM8n8k16, tInt8, false, 65, 75},
	{WM8n8k32, tInt4, false, 65, 75},
	{WM8n8k128, tB1, false, 70, 75},
	{WM16n8k4, tTF32, false, 70, 80},
	{WM16n8k4, tF64, false, 78, 90},
	{WM16n8k8, tF16, false, 65, 75},
	{WM16n8k8, tBF | tTF32, false, 70, 80},
	{WM16n8k8, tF64, false, 78, 90},
	{WM16n8k16, tF16 | tBF | tInt8, false, 70, 80},
	{WM16n8k16, tF64, false, 78, 90},
	{WM16n8k16, tF8, false, 87, 89},
	{WM16n8k32, tInt8 | tInt4, false, 70, 80},
	{WM16n8k32, tF8F6F4, false, 84, 89},
	{WM16n8k64, tInt4, false, 70, 80},
	{WM16n8k64, tE2M1, false, 87, 120},
	{WM16n8k128, tB1, false, 70, 80},
	{WM16n8k256, tB1, false, 70, 80},

	{WM16n8k8, tTF32, true, 71, 80},
	{WM16n8k16, tF16 | tBF | tTF32, true, 71, 80},
	{WM16n8k32, tF16 | tBF | tInt8, true, 71, 80},
	{WM16n8k64, tInt8 | tInt4, true, 71, 80},
	{WM16n8k64, tF8F6F4, true, 84, 89},
	{WM16n8k128, tInt4, true, 71, 80},
	{WM16n8k128, tE2M1, true, 87, 120},
}

var opMma = Op{Rows: []Row{{
	Name: "mma", Forms: mmaForms,
	Mods: []Slot{SlotAligned, SlotShape, SlotLayout, SlotSparse, SlotKind, SlotBlock, SlotScale},
	Need: []Slot{SlotAligned, SlotShape},
	Rules: []Rule{
		{NoSlot, mmaAdvice},
		{NoSlot, mmaGates},
		{SlotSparse, mmaSparse},
		{SlotShape, mmaShapeRule},
		{SlotLayout, mmaLayout},
		{SlotLayout, mmaVectors},
		{SlotKind, mmaKind},
		{SlotScale, impliedScale},
		{SlotRead, needSync},
		{SlotRead, mmaSelector},
	},
	Flags: fVector | fTwoOps,
}}}

// findShape returns the row of the instruction's shape and types.
func (c *checker) findShape() *mmaShape {
	in := c.in
	shape, t := in.Mod(SlotShape), in.Types[1]
	for i := range mmaShapes {
		r := &mmaShapes[i]
		if r.shape == shape && r.types.has(t) && r.sparse == in.Has(SlotSparse) {
			return r
		}
	}
	return nil
}

// mmaGates: versions and targets of shapes and types.
func mmaGates(c *checker) {
	in := c.in
	shape, a := in.Mod(SlotShape), in.Types[1]
	r := c.findShape()
	switch {
	case in.Has(SlotBlock):
		c.blockGates()
	case tF8F6F4.has(a) || tF8F6F4.has(in.Types[2]):
		c.fp8Gates(shape)
	case in.Has(SlotSparse):
		c.oneFeature("mma", 64, 70)
		c.oneFeature("Sparse MMA", 71, 80)
		switch {
		case (tInt8 | tInt4).has(a):
			c.oneFeature("Sparse Integer MMA with shape ."+shape.String(), 70, 80)
		case c.lacks(70, 80):
			c.gate(&Gate{Name: "." + shape.String(), Plain: true, V: 70, SM: 80, Mod: true})
		}
	case r != nil:
		c.mmaOps()
		if !c.lacks(r.v, r.sm) {
			return
		}
		name := "." + shape.String()
		if a == F64 {
			name += " with double types"
		}
		c.oneFeature("mma", 64, 70)
		c.oneFeature(name, r.v, r.sm)
	}
}

// mmaOps: products of bits by and came after those by xor.
func (c *checker) mmaOps() {
	if c.in.early&eAnd == 0 {
		return
	}
	if c.ctx.Version < 71 {
		c.errorf("Modifier '.and' on '%s' requires PTX ISA .version 7.1 or later", c.row.Name)
	}
	if c.lacks(0, 80) {
		c.errorf("Modifier '.and' on '%s' requires .target sm_80 or higher", c.row.Name)
	}
}

func (c *checker) fp8Gates(shape Word) {
	in := c.in
	narrow := (tF8F6F4 &^ tF8)
	if narrow.has(in.Types[1]) || narrow.has(in.Types[2]) {
		c.gate(&Gate{Name: "mma with with FP6/FP4 floating point type", V: 87, Only: target.OnF120, Inst: true})
		return
	}
	c.oneFeature("mma with FP8 floating point type", 84, 89)
	if in.Types[0] == F16 && c.ctx.Version < 87 {
		c.errorf("Feature 'mma with FP8 floating point type and FP16 accumulation' requires PTX ISA .version 8.7 or later")
	}
	if in.Types[0] == F16 && in.Has(SlotSparse) {
		c.gate(&Gate{Name: "mma with with F16 accumulator and F8 floating point type", Only: target.OnF120, Inst: true})
		if in.Mod(SlotSparse) == WSp {
			c.illegal("." + WSp.String())
		}
	}
	if shape == WM16n8k16 && c.ctx.Version < 87 {
		c.errorf("Feature 'mma with FP8 floating point type and .m16n8k16 shape' requires PTX ISA .version 8.7 or later")
	}
}

func (c *checker) blockGates() {
	c.gate(&Gate{Name: "mma with block scale", V: 87, Only: target.OnF120, Inst: true})
	if c.in.Has(SlotSparse) && c.in.Mod(SlotKind) == WKindMxf4nvf4 || c.in.Mod(SlotKind) == WKindMxf4 && c.in.Has(SlotSparse) {
		c.gate(&Gate{Name: "Sparse mma with block scale", V: 87, Only: target.OnA120, Inst: true})
	}
}

// mmaAdvice: the newer kind of sparsity is preferred.
func mmaAdvice(c *checker) {
	in := c.in
	if in.Mod(SlotSparse) == WSp {
		c.say(diag.Info, "Advisory: Modifier '.sp::ordered_metadata' should be used on instruction '%s' instead of modifier '.sp' as it is expected to have substantially reduced performance on some future architectures", c.row.Name)
	}
}

// mmaSparse: metadata operands and .sp go together.
func mmaSparse(c *checker) {
	in := c.in
	n := len(in.Args)
	sparse := n == 6 || n == 10
	if sparse && !in.Has(SlotSparse) {
		c.errorf(".sp modifier required for instruction '%s'", c.row.Name)
		c.errorf("Arguments mismatch for instruction '%s'", c.row.Name)
	}
	if !sparse && in.Has(SlotSparse) {
		c.errorf("Arguments mismatch for instruction '%s'", c.row.Name)
	}
}

// mmaShapeRule: the shape exists for the types.
func mmaShapeRule(c *checker) {
	in := c.in
	shape := in.Mod(SlotShape)
	if shape == WNone {
		return
	}
	if c.findShape() == nil {
		if tF8F6F4.has(in.Types[1]) {
			c.errorf("Incorrect instruction type specified for mma with shape '.%s'", shape)
		} else {
			c.errorf("Illegal matrix shape '.%s' for instruction 'mma'", shape)
		}
		return
	}
	if in.Types[0] == U32 || in.Types[3] == U32 {
		c.errorf("Incorrect instruction type specified for mma with shape '.%s'", shape)
	}
	if in.Types[0] != in.Types[3] && in.Types[0].IsFloat() && shape != WM8n8k4 {
		c.errorf(".dtype must be '%s' when .ctype is '%s' for 'mma' instruction with shape '.%s'", in.Types[3], in.Types[3], shape)
	}
	if in.Types[1] == B1 {
		c.mmaBitOps(shape)
	}
}

func (c *checker) mmaBitOps(shape Word) {
	op := c.in.early & eBool
	switch {
	case op == 0 || c.in.early&ePopc == 0:
		c.errorf("Unexpected number of operations specified for mma with shape '.%s'", shape)
	case op == eOr:
		c.errorf("Incorrect operations specified for mma with shape '.%s'", shape)
	}
}

// mmaLayout: A is by rows and B by columns, except in the oldest shape.
func mmaLayout(c *checker) {
	in := c.in
	a, b := in.Layouts()
	switch {
	case a == WNone:
		c.errorf("'.alayout.blayout' modifier required for instruction '%s'", c.row.Name)
		c.errorf("alayout modifier required for instruction '%s'", c.row.Name)
		c.errorf("blayout modifier required for instruction '%s'", c.row.Name)
		return
	case b == WNone:
		c.errorf("'.blayout' modifier required for instruction '%s'", c.row.Name)
		c.errorf("blayout modifier required for instruction '%s'", c.row.Name)
		return
	}
	name := "mma"
	if in.Types[1] == F64 {
		name = "mma with double types"
	} else if in.Mod(SlotShape) == WM8n8k4 {
		return
	}
	if a == WCol {
		c.errorf("Illegal alayout '.col' for instruction '%s'", name)
	}
	if b == WRow {
		c.errorf("Illegal blayout '.row' for instruction '%s'", name)
	}
}

// fragment returns how many registers hold n elements of type t, spread
// over a warp.
func fragment(n int, t Type, container8 bool) int {
	switch bits := t.Bits(); {
	case t == F64 || t == TF32 || t == F32 || t == S32 || t == U32:
		return n / 32
	case bits < 8 && container8 && t.IsFloat():
		return n / 32 / 4
	default:
		return n * bits / 32 / 32
	}
}

// mmaSizes returns the number of registers of D, A, B and C.
func (c *checker) mmaSizes() [4]int {
	in := c.in
	m, n, k := ShapeMNK(in.Mod(SlotShape))
	if in.Mod(SlotShape) == WM8n8k4 && in.Types[1] == F16 {
		acc := func(t Type) int {
			if t == F16 {
				return 4
			}
			return 8
		}
		return [4]int{acc(in.Types[0]), 2, 2, acc(in.Types[3])}
	}
	wide := in.Mod(SlotKind) != WKindMxf4 && in.Mod(SlotKind) != WKindMxf4nvf4
	ka := k
	if in.Has(SlotSparse) {
		ka = k / 2
	}
	return [4]int{
		fragment(m*n, in.Types[0], wide), fragment(m*ka, in.Types[1], wide),
		fragment(k*n, in.Types[2], wide), fragment(m*n, in.Types[3], wide),
	}
}

// mmaVectors: the operands hold the fragments of the shape.
func mmaVectors(c *checker) {
	in := c.in
	if !in.Has(SlotShape) || c.findShape() == nil {
		return
	}
	sizes := c.mmaSizes()
	bad := false
	for i, n := range sizes {
		o := &in.Args[i]
		switch {
		case o.Kind != KVector:
			c.errorf("Vector expected for argument %d", i)
			if !in.Has(SlotSparse) && in.Types[1] != F64 {
				c.errorf("Vector expected for argument %d", i)
			}
		case len(o.Elems) != n:
			bad = true
		}
	}
	if bad {
		c.errorf("Argument vector size mismatch for instruction 'mma'")
	}
}

// mmaKind: which kinds go with which types.
func mmaKind(c *checker) {
	in := c.in
	k := in.Mod(SlotKind)
	narrow := tF8F6F4 &^ tF8
	fp := tF8F6F4.has(in.Types[1])
	switch {
	case k == WNone && in.Has(SlotBlock):
		c.errorf(".kind::mxf8f6f4 modifier required for instruction 'mma'")
	case k == WNone && fp && (narrow.has(in.Types[1]) || narrow.has(in.Types[2])):
		c.errorf(".kind::f8f6f4 modifier required for instruction 'mma'")
	case k == WNone:
	case k == WKindF8f6f4 && fp && !in.Has(SlotBlock):
	case in.Has(SlotBlock) && (k == WKindMxf4 || k == WKindMxf4nvf4 || k == WKindMxf8f6f4):
		c.blockScale(k)
	default:
		c.illegal("." + k.String())
	}
}

// blockScale: the scale vectors and types of the kinds.
func (c *checker) blockScale(k Word) {
	in := c.in
	scale := in.Mod(SlotScale)
	want := WScaleVec2X
	if k == WKindMxf8f6f4 {
		want = WScaleVec1X
	}
	ok := scale == WNone && k != WKindMxf4nvf4 || scale == want || k == WKindMxf4nvf4 && (scale == WScaleVec2X || scale == WScaleVec4X)
	switch {
	case scale == WNone && k == WKindMxf4nvf4:
		c.errorf(".scale_vec_size modifier required for instruction 'mma'")
	case !ok:
		c.errorf("Modifier '.%s' cannot be combined with modifier '.%s'", scale, k)
		c.illegal("." + scale.String())
	}
	c.scaleType(k, scale)
}

// impliedScale: a kind with one possible scale vector means that one.
func impliedScale(c *checker) {
	if c.in.Has(SlotScale) || !c.in.Has(SlotBlock) {
		return
	}
	switch c.in.Mod(SlotKind) {
	case WKindMxf8f6f4:
		c.wordGate(WScaleVec1X, false)
	case WKindMxf4:
		c.wordGate(WScaleVec2X, false)
	}
}

// mmaSelector: the sparsity selector picks one of four threads.
func mmaSelector(c *checker) {
	if n := len(c.in.Args); n != 6 && n != 10 {
		return
	}
	if o := &c.in.Args[5]; o.Kind == KInt && (o.Value < 0 || o.Value > 3) {
		c.errorf("Argument 6 of instruction 'Sparse mma': value '%d' out of range, expected to be in range [0..3]", o.Value)
	}
}

// scaleType: four scales of a block are ue4m3, others ue8m0.
func (c *checker) scaleType(k, scale Word) {
	t := c.in.Types[4]
	if (t == UE4M3) == (k == WKindMxf4nvf4 && scale == WScaleVec4X) {
		return
	}
	if k != WKindMxf4nvf4 {
		c.errorf("Illegal modifier '.%s' for instruction 'mma' with type '%s'", k, t)
		if scale == WNone {
			scale = WScaleVec2X
		}
		c.errorf("Illegal modifier '.%s' for instruction 'mma' with type '%s'", scale, t)
		return
	}
	c.errorf("Illegal modifier '.%s' for instruction 'mma' with type '%s'", scale, t)
	c.errorf("Illegal modifier '.%s' for instruction 'mma' with type '%s'", k, t)
	if t == UE4M3 {
		c.errorf("Illegal modifier '.%s' for instruction 'mma' with type '%s'", scale, t)
	}
}
