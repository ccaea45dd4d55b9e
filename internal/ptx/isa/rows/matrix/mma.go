package matrix

import (
	"github.com/goptxas/goptxas/internal/engine/diag"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/isa/row"
	"github.com/goptxas/goptxas/internal/target"
)

// Warp-level matrix operations: mma, wmma, ldmatrix, stmatrix, movmatrix.

var mmaForms = []row.Form{
	{Types: []row.TypeSet{row.F16 | row.F32, row.F16, row.F16, row.F16 | row.F32}, Args: "RXYZ", May: row.EarlySync},
	{Types: []row.TypeSet{row.F32, row.BF16, row.BF16, row.F32}, Args: "RXYZ", May: row.EarlySync},
	{Types: []row.TypeSet{row.F32, row.TF32, row.TF32, row.F32}, Args: "RXYZ", May: row.EarlySync},
	{Types: []row.TypeSet{row.F64, row.F64, row.F64, row.F64}, Args: "RXYZ", May: row.EarlySync, Mods: []isa.Slot{isa.SlotRound}, Rnd: row.RoundFloat},
	{Types: []row.TypeSet{row.Int32, row.Int8, row.Int8, row.Int32}, Args: "RXYZ", May: row.EarlySync | row.EarlySatf},
	{Types: []row.TypeSet{row.Int32, row.Int4, row.Int4, row.Int32}, Args: "RXYZ", May: row.EarlySync | row.EarlySatf},
	{Types: []row.TypeSet{row.Int32, row.B1, row.B1, row.Int32}, Args: "RXYZ", May: row.EarlySync | row.EarlyOps},
	{Types: []row.TypeSet{row.F16 | row.F32, row.F8F6F4, row.F8F6F4, row.F16 | row.F32}, Args: "RXYZ", May: row.EarlySync},

	// Sparse forms have metadata and its selector.
	{Types: []row.TypeSet{row.F16, row.F16, row.F16, row.F16}, Args: "RXYZ1i", May: row.EarlySync},
	{Types: []row.TypeSet{row.F32, row.F16, row.F16, row.F32}, Args: "RXYZ1i", May: row.EarlySync},
	{Types: []row.TypeSet{row.F32, row.BF16, row.BF16, row.F32}, Args: "RXYZ1i", May: row.EarlySync},
	{Types: []row.TypeSet{row.F32, row.TF32, row.TF32, row.F32}, Args: "RXYZ1i", May: row.EarlySync},
	{Types: []row.TypeSet{row.Int32, row.Int8, row.Int8, row.Int32}, Args: "RXYZ1i", May: row.EarlySync | row.EarlySatf},
	{Types: []row.TypeSet{row.Int32, row.Int4, row.Int4, row.Int32}, Args: "RXYZ1i", May: row.EarlySync | row.EarlySatf},
	{Types: []row.TypeSet{row.F16 | row.F32, row.F8F6F4, row.F8F6F4, row.F16 | row.F32}, Args: "RXYZ1i", May: row.EarlySync},

	// Types that no product has: the shape is complained about.
	{Types: []row.TypeSet{row.F32, smallTypes, smallTypes, row.F32}, Args: "RXYZ", May: row.EarlySync},
	{Types: []row.TypeSet{row.F32, smallTypes, smallTypes, row.F32}, Args: "RXYZ1i", May: row.EarlySync},
	{Types: []row.TypeSet{row.F32, smallTypes, row.F32}, Args: "RXXS", May: row.EarlySync},
	{Types: []row.TypeSet{row.F32, smallTypes, row.F32}, Args: "RXXS1i", May: row.EarlySync},
	{Types: []row.TypeSet{row.Int32, smallTypes, smallTypes, row.Int32}, Args: "RXYZ", May: row.EarlySync | row.EarlySatf | row.EarlyOps},
	{Types: []row.TypeSet{row.Int32, smallTypes, smallTypes, row.Int32}, Args: "RXYZ1i", May: row.EarlySync | row.EarlySatf | row.EarlyOps},
	{Types: []row.TypeSet{row.Int32, smallTypes, row.Int32}, Args: "RXXS", May: row.EarlySync | row.EarlySatf | row.EarlyOps},
	{Types: []row.TypeSet{row.Int32, smallTypes, row.Int32}, Args: "RXXS1i", May: row.EarlySync | row.EarlySatf | row.EarlyOps},
	{Types: []row.TypeSet{row.F16 | row.F32, scaleTypes, scaleTypes, row.F16 | row.F32}, Args: "RXYZ", May: row.EarlySync},
	{Types: []row.TypeSet{row.F16 | row.F32, scaleTypes, scaleTypes, row.F16 | row.F32}, Args: "RXYZ1i", May: row.EarlySync},

	// Block-scaled forms have scales, and the bytes and threads they lie in.
	{Types: []row.TypeSet{row.F32, row.F8F6F4, row.F8F6F4, row.F32, row.UE8M0 | row.UE4M3}, Args: "RXYZ1I1I", May: row.EarlySync},
	{Types: []row.TypeSet{row.F32, row.F8F6F4, row.F8F6F4, row.F32, row.UE8M0 | row.UE4M3}, Args: "RXYZ1i1I1I", May: row.EarlySync},
}

// Types of factors that the table takes together, whatever there are products
// of.
const (
	smallTypes = row.BF16 | row.BF16x2 | row.TF32 | row.Int4 | row.U2 | row.S2 | row.B1
	scaleTypes = row.F8F6F4 | row.UE8M0 | row.UE4M3
)

// factors reports whether there are products of the types of A and B that
// give the type of D.
func factors(c *row.Checker) bool {
	in := c.In
	d, a, b := in.Types[0], in.Types[1], in.Types[2]
	switch {
	case in.NTypes < 4:
		return false
	case a == isa.BF16 || a == isa.TF32:
		return b == a && d == isa.F32
	case row.Int4.Has(a):
		return row.Int4.Has(b) && row.Int32.Has(d)
	case a == isa.B1:
		return b == a && row.Int32.Has(d)
	case scaleTypes.Has(a):
		return row.F8F6F4.Has(a) && row.F8F6F4.Has(b)
	}
	return !smallTypes.Has(a)
}

// mmaShape is one shape with the multiplicand types it takes.
type mmaShape struct {
	shape  isa.Word
	types  row.TypeSet
	sparse bool
	v      isa.Version
	sm     int
}

var mmaShapes = [...]mmaShape{
	{isa.WM8n8k4, row.F16, false, 64, 70},
	{isa.WM8n8k4, row.F64, false, 70, 80},
	{isa.WM8n8k16, row.Int8, false, 65, 75},
	{isa.WM8n8k32, row.Int4, false, 65, 75},
	{isa.WM8n8k128, row.B1, false, 70, 75},
	{isa.WM16n8k4, row.TF32, false, 70, 80},
	{isa.WM16n8k4, row.F64, false, 78, 90},
	{isa.WM16n8k8, row.F16, false, 65, 75},
	{isa.WM16n8k8, row.BF16 | row.TF32, false, 70, 80},
	{isa.WM16n8k8, row.F64, false, 78, 90},
	{isa.WM16n8k16, row.F16 | row.BF16 | row.Int8, false, 70, 80},
	{isa.WM16n8k16, row.F64, false, 78, 90},
	{isa.WM16n8k16, row.F8, false, 87, 89},
	{isa.WM16n8k32, row.Int8 | row.Int4, false, 70, 80},
	{isa.WM16n8k32, row.F8F6F4, false, 84, 89},
	{isa.WM16n8k64, row.Int4, false, 70, 80},
	{isa.WM16n8k64, row.E2M1, false, 87, 120},
	{isa.WM16n8k128, row.B1, false, 70, 80},
	{isa.WM16n8k256, row.B1, false, 70, 80},

	{isa.WM16n8k8, row.TF32, true, 71, 80},
	{isa.WM16n8k16, row.F16 | row.BF16 | row.TF32, true, 71, 80},
	{isa.WM16n8k32, row.F16 | row.BF16 | row.Int8, true, 71, 80},
	{isa.WM16n8k64, row.Int8 | row.Int4, true, 71, 80},
	{isa.WM16n8k64, row.F8F6F4, true, 84, 89},
	{isa.WM16n8k128, row.Int4, true, 71, 80},
	{isa.WM16n8k128, row.E2M1, true, 87, 120},
}

var Mma = row.Op{Rows: []row.Row{{
	Name: "mma", Forms: mmaForms,
	Mods: []isa.Slot{isa.SlotAligned, isa.SlotShape, isa.SlotLayout, isa.SlotVec, isa.SlotSparse, isa.SlotKind, isa.SlotBlock, isa.SlotScale},
	Rules: []row.Rule{
		{At: isa.NoSlot, Do: mmaAdvice},
		{At: isa.SlotSparse, Do: mmaSparse},
		{At: isa.SlotNocomp, Do: row.NeedSync},
		{At: isa.SlotNoftz, Do: mmaNeeds},
		{At: isa.SlotNoftz, Do: mmaGates},
		{At: isa.SlotNoftz, Do: sparseLayout},
		{At: isa.SlotNoftz, Do: mmaScales},
		{At: isa.SlotShape, Do: mmaShapeRule},
		{At: isa.SlotLayout, Do: mmaVectors},
		{At: isa.SlotKind, Do: mmaKind},
		{At: isa.SlotScale, Do: impliedScale},
		{At: isa.SlotRead, Do: mmaSelector},
	},
	Flags: row.FlagVector | row.FlagTwoOps,
}}}

// findShape returns the row of the instruction's shape and types.
func findShape(c *row.Checker) *mmaShape {
	in := c.In
	shape, t := in.Mod(isa.SlotShape), in.Types[1]
	for i := range mmaShapes {
		r := &mmaShapes[i]
		if r.shape == shape && r.types.Has(t) && r.sparse == in.Has(isa.SlotSparse) {
			return r
		}
	}
	return nil
}

// mmaGates: versions and targets of shapes and types.
func mmaGates(c *row.Checker) {
	in := c.In
	shape, a := in.Mod(isa.SlotShape), in.Types[1]
	r := findShape(c)
	switch {
	case in.Has(isa.SlotBlock):
	case row.F8F6F4.Has(a) || row.F8F6F4.Has(in.Types[2]):
		fp8Gates(c, shape)
	case in.Has(isa.SlotSparse):
		if r == nil {
			c.OneFeature("mma", 64, 70)
		}
		c.OneFeature("Sparse MMA", 71, 80)
		switch {
		case shape == isa.WNone:
		case (row.Int8 | row.Int4).Has(a):
			c.OneFeature("Sparse Integer MMA with shape ."+shape.String(), 70, 80)
		case c.Lacks(70, 80):
			c.Gate(&row.Gate{Name: "." + shape.String(), Plain: true, V: 70, SM: 80, Mod: true})
		}
	case r != nil:
		mmaOps(c)
		if !c.Lacks(r.v, r.sm) {
			return
		}
		name := "." + shape.String()
		if a == isa.F64 {
			name += " with double types"
		}
		c.OneFeature(name, r.v, r.sm)
	}
}

// mmaOps: products of bits by and came after those by xor.
func mmaOps(c *row.Checker) {
	if c.In.Early&row.EarlyAnd == 0 {
		return
	}
	if c.Ctx.Version < 71 {
		c.Errorf("Modifier '.and' on '%s' requires PTX ISA .version 7.1 or later", c.Row.Name)
	}
	if c.Lacks(0, 80) {
		c.Errorf("Modifier '.and' on '%s' requires .target sm_80 or higher", c.Row.Name)
	}
}

// narrowTypes reports whether a factor has elements of 4 or 6 bits.
func narrowTypes(c *row.Checker) bool {
	narrow := row.F8F6F4 &^ row.F8
	return narrow.Has(c.In.Types[1]) || narrow.Has(c.In.Types[2])
}

// mmaKnown: whether there are such products at all.
func mmaKnown(c *row.Checker) {
	switch in := c.In; {
	case in.Has(isa.SlotBlock):
		blockGates(c)
	case narrowTypes(c):
		c.Gate(&row.Gate{Name: "mma with with FP6/FP4 floating point type", V: 87, Only: target.OnF120, Inst: true})
	case row.F8F6F4.Has(in.Types[1]) || row.F8F6F4.Has(in.Types[2]):
		c.OneFeature("mma with FP8 floating point type", 84, 89)
	}
}

func fp8Gates(c *row.Checker, shape isa.Word) {
	in := c.In
	if narrowTypes(c) {
		return
	}
	if in.Has(isa.SlotSparse) {
		c.OneFeature("mma with FP8 floating point type", 84, 89)
	}
	if in.Types[0] == isa.F16 && c.Ctx.Version < 87 {
		c.Errorf("Feature 'mma with FP8 floating point type and FP16 accumulation' requires PTX ISA .version 8.7 or later")
	}
	if in.Types[0] == isa.F16 && in.Has(isa.SlotSparse) {
		c.Gate(&row.Gate{Name: "mma with with F16 accumulator and F8 floating point type", Only: target.OnF120, Inst: true})
		if in.Mod(isa.SlotSparse) == isa.WSp {
			c.Illegal("." + isa.WSp.String())
		}
	}
	if shape == isa.WM16n8k16 && c.Ctx.Version < 87 {
		c.Errorf("Feature 'mma with FP8 floating point type and .m16n8k16 shape' requires PTX ISA .version 8.7 or later")
	}
}

func blockGates(c *row.Checker) {
	c.Gate(&row.Gate{Name: "mma with block scale", V: 87, Only: target.OnF120, Inst: true})
	if c.In.Has(isa.SlotSparse) && c.In.Mod(isa.SlotKind) == isa.WKindMxf4nvf4 || c.In.Mod(isa.SlotKind) == isa.WKindMxf4 && c.In.Has(isa.SlotSparse) {
		c.Gate(&row.Gate{Name: "Sparse mma with block scale", V: 87, Only: target.OnA120, Inst: true})
	}
}

// mmaAdvice: the newer kind of sparsity is preferred.
func mmaAdvice(c *row.Checker) {
	in := c.In
	if in.Mod(isa.SlotSparse) == isa.WSp {
		c.Say(diag.Info, "Advisory: Modifier '.sp::ordered_metadata' should be used on instruction '%s' instead of modifier '.sp' as it is expected to have substantially reduced performance on some future architectures", c.Row.Name)
	}
}

// mmaSparse: metadata operands and .sp go together.
func mmaSparse(c *row.Checker) {
	in := c.In
	n := len(in.Args)
	sparse := n == 6 || n == 10
	if sparse && !in.Has(isa.SlotSparse) {
		c.Errorf(".sp modifier required for instruction '%s'", c.Row.Name)
		c.Errorf("Arguments mismatch for instruction '%s'", c.Row.Name)
	}
	if !sparse && in.Has(isa.SlotSparse) {
		c.Errorf("Arguments mismatch for instruction '%s'", c.Row.Name)
	}
}

// mmaShapeRule: the shape exists for the types.
func mmaShapeRule(c *row.Checker) {
	in := c.In
	shape := in.Mod(isa.SlotShape)
	if shape == isa.WNone {
		mmaNoShape(c)
		return
	}
	if !factors(c) {
		c.Errorf("Incorrect instruction type specified for mma with shape '.%s'", shape)
		return
	}
	if findShape(c) == nil {
		switch {
		case row.F8F6F4.Has(in.Types[1]) || intShape(c):
			c.Errorf("Incorrect instruction type specified for mma with shape '.%s'", shape)
		case !otherShape(c):
			c.Errorf("Illegal matrix shape '.%s' for instruction 'mma'", shape)
		}
		return
	}
	if in.Types[0] == isa.U32 || in.Types[3] == isa.U32 {
		c.Errorf("Incorrect instruction type specified for mma with shape '.%s'", shape)
	}
	if in.Types[0] != in.Types[3] && in.Types[0].IsFloat() && shape != isa.WM8n8k4 {
		c.Errorf(".dtype must be '%s' when .ctype is '%s' for 'mma' instruction with shape '.%s'", in.Types[3], in.Types[3], shape)
	}
	if in.Types[1] == isa.B1 {
		mmaBitOps(c, shape)
	}
}

func mmaBitOps(c *row.Checker, shape isa.Word) {
	op := c.In.Early & row.EarlyBool
	switch {
	case op == 0 || c.In.Early&row.EarlyPopc == 0:
		c.Errorf("Unexpected number of operations specified for mma with shape '.%s'", shape)
	case op == row.EarlyOr:
		c.Errorf("Incorrect operations specified for mma with shape '.%s'", shape)
	}
}

// mmaLayout: A is by rows and B by columns, except in the oldest shape. Of
// sparse products and those of f64 it is said once more.
func mmaLayout(c *row.Checker) {
	in := c.In
	layoutGiven(c, "mma")
	if in.Has(isa.SlotShape) && in.Mod(isa.SlotShape) != isa.WM8n8k4 {
		layoutFits(c, "mma")
	}
	if in.Types[1] == isa.F64 {
		layoutFits(c, "mma with double types")
	}
}

// sparseLayout is mmaLayout once more.
func sparseLayout(c *row.Checker) {
	if !c.In.Has(isa.SlotSparse) {
		return
	}
	layoutGiven(c, "Sparse mma")
	if !row.F8F6F4.Has(c.In.Types[1]) {
		layoutFits(c, "Sparse mma")
	}
}

// layoutGiven: both layouts are written.
func layoutGiven(c *row.Checker, name string) {
	switch a, b := c.In.Layouts(); {
	case a == isa.WNone:
		c.Errorf("'.alayout.blayout' modifier required for instruction '%s'", name)
	case b == isa.WNone:
		c.Errorf("'.blayout' modifier required for instruction '%s'", name)
	}
}

// layoutFits: each layout is the one there is.
func layoutFits(c *row.Checker, name string) {
	a, b := c.In.Layouts()
	switch {
	case a == isa.WNone:
		c.Errorf("alayout modifier required for instruction '%s'", name)
	case a == isa.WCol && b != isa.WNone:
		c.Errorf("Illegal alayout '.col' for instruction '%s'", name)
	}
	switch b {
	case isa.WNone:
		c.Errorf("blayout modifier required for instruction '%s'", name)
	case isa.WRow:
		c.Errorf("Illegal blayout '.row' for instruction '%s'", name)
	}
}

// fragment returns how many registers hold n elements of type t, spread
// over a warp.
func fragment(n int, t isa.Type, container8 bool) int {
	switch bits := t.Bits(); {
	case t == isa.F64 || t == isa.TF32 || t == isa.F32 || t == isa.S32 || t == isa.U32:
		return n / 32
	case bits < 8 && container8 && t.IsFloat():
		return n / 32 / 4
	default:
		return n * bits / 32 / 32
	}
}

// mmaSizes returns the number of registers of D, A, B and C.
func mmaSizes(c *row.Checker) [4]int {
	in := c.In
	m, n, k := isa.ShapeMNK(in.Mod(isa.SlotShape))
	if in.Mod(isa.SlotShape) == isa.WM8n8k4 && in.Types[1] == isa.F16 {
		acc := func(t isa.Type) int {
			if t == isa.F16 {
				return 4
			}
			return 8
		}
		return [4]int{acc(in.Types[0]), 2, 2, acc(in.Types[3])}
	}
	wide := in.Mod(isa.SlotKind) != isa.WKindMxf4 && in.Mod(isa.SlotKind) != isa.WKindMxf4nvf4
	ka := k
	if in.Has(isa.SlotSparse) {
		ka = k / 2
	}
	return [4]int{
		fragment(m*n, in.Types[0], wide), fragment(m*ka, in.Types[1], wide),
		fragment(k*n, in.Types[2], wide), fragment(m*n, in.Types[3], wide),
	}
}

// mmaNeeds: the layouts, the shape and .aligned.
func mmaNeeds(c *row.Checker) {
	if findShape(c) != nil && !row.F8F6F4.Has(c.In.Types[1]) && !c.In.Has(isa.SlotBlock) {
		c.OneFeature("mma", 64, 70)
	}
	if !c.In.Has(isa.SlotShape) {
		c.Errorf("Shape modifier required for instruction '%s'", c.Row.Name)
	}
	mmaKnown(c)
	mmaLayout(c)
	if !c.In.Has(isa.SlotAligned) {
		c.Errorf(".aligned modifier required for instruction '%s'", c.Row.Name)
	}
}

// sparseName is the operation as messages about sizes have it.
func sparseName(c *row.Checker) string {
	if c.In.Has(isa.SlotSparse) && !row.F8F6F4.Has(c.In.Types[1]) {
		return "Sparse mma"
	}
	return "mma"
}

// mmaNoShape: of sparse products more is said than that the shape is missing.
func mmaNoShape(c *row.Checker) {
	t := c.In.Types[1]
	switch {
	case !c.In.Has(isa.SlotSparse):
	case row.F8F6F4.Has(t):
		c.Errorf("Illegal matrix shape '' for instruction 'mma'")
	default:
		if t.IsFloat() {
			c.Errorf("Illegal instruction types specified for 'Sparse mma' with shape ''")
		}
		for range 4 {
			c.Errorf("Argument vector size mismatch for instruction 'Sparse mma'")
		}
	}
}

// intShape reports whether the shape is one of the other integers.
func intShape(c *row.Checker) bool {
	return (row.Int8 | row.Int4).Has(c.In.Types[1]) && shapeOf(c, row.Int8|row.Int4)
}

// otherShape reports whether a shape of tf32 is used with bf16: only the
// sizes of the operands are complained about then.
func otherShape(c *row.Checker) bool {
	return c.In.Types[1] == isa.BF16 && shapeOf(c, row.TF32)
}

func shapeOf(c *row.Checker, types row.TypeSet) bool {
	for i := range mmaShapes {
		r := &mmaShapes[i]
		if r.shape == c.In.Mod(isa.SlotShape) && r.types&types != 0 && r.sparse == c.In.Has(isa.SlotSparse) {
			return true
		}
	}
	return false
}

// mmaVectors: the operands hold the fragments of the shape. What is no vector
// is told of twice, around the sizes, unless its registers are looked at by
// themselves.
func mmaVectors(c *row.Checker) {
	in := c.In
	if !in.Has(isa.SlotShape) || !factors(c) || findShape(c) == nil && !intShape(c) && !otherShape(c) {
		return
	}
	sizes := mmaSizes(c)
	t := in.Types[1]
	fp8, sparse := row.F8F6F4.Has(t), in.Has(isa.SlotSparse)
	for i := range sizes {
		if in.Args[i].Kind != isa.KVector && !(fp8 && sparse) {
			c.Errorf("Vector expected for argument %d", i)
		}
	}
	for i, n := range sizes {
		factor := i == 1 || i == 2
		switch o := &in.Args[i]; {
		case o.Kind != isa.KVector:
			if fp8 && n != 1 {
				c.Errorf("Argument vector size mismatch for instruction '%s'", sparseName(c))
			}
		case len(o.Elems) == n || fp8 && i == 2 && in.Mod(isa.SlotShape) == isa.WM16n8k16:
		case factor && (t == isa.F64 || t == isa.B1 && n == 1):
			c.Errorf("Arguments mismatch for instruction 'mma'")
		default:
			c.Errorf("Argument vector size mismatch for instruction '%s'", sparseName(c))
		}
	}
	if !sparse && (t == isa.BF16 || t == isa.TF32) {
		singleFactors(c)
	}
	for i, n := range sizes {
		single := (i == 1 || i == 2) && (t == isa.F64 || (row.Int8 | row.Int4).Has(t) || t == isa.B1 && n == 1)
		if in.Args[i].Kind != isa.KVector && !sparse && !fp8 && !single {
			c.Errorf("Vector expected for argument %d", i)
		}
	}
}

// singleFactors: f32 registers hold no factors of smaller floats.
func singleFactors(c *row.Checker) {
	for _, o := range c.In.Args[1:3] {
		if o.Kind == isa.KVector && o.Elems[0].Kind == isa.KReg && o.Elems[0].Type == isa.F32 {
			c.Errorf("Arguments mismatch for instruction 'mma'")
		}
	}
}

// mmaKind: which kinds go with which types.
func mmaKind(c *row.Checker) {
	in := c.In
	k := in.Mod(isa.SlotKind)
	narrow := row.F8F6F4 &^ row.F8
	fp := row.F8F6F4.Has(in.Types[1])
	switch {
	case k == isa.WNone && in.Has(isa.SlotBlock):
		c.Errorf(".kind::mxf8f6f4 modifier required for instruction 'mma'")
	case k == isa.WNone && fp && (narrow.Has(in.Types[1]) || narrow.Has(in.Types[2])):
		c.Errorf(".kind::f8f6f4 modifier required for instruction 'mma'")
	case k == isa.WNone:
	case k == isa.WKindF8f6f4 && fp && !in.Has(isa.SlotBlock):
	case in.Has(isa.SlotBlock) && (k == isa.WKindMxf4 || k == isa.WKindMxf4nvf4 || k == isa.WKindMxf8f6f4):
		blockScale(c, k, givenScale(c))
	default:
		c.Illegal("." + k.String())
	}
}

// givenScale is the scale vector that an instruction names: sizes of blocks
// are words of tcgen05.mma, and none here.
func givenScale(c *row.Checker) isa.Word {
	w := c.In.Mod(isa.SlotScale)
	if w == isa.WBlock16 || w == isa.WBlock32 {
		return isa.WNone
	}
	return w
}

// blockScale: the scale vectors and types of the kinds.
func blockScale(c *row.Checker, k, scale isa.Word) {
	switch {
	case k == isa.WKindMxf8f6f4 && c.In.Types[4] == isa.UE4M3:
		c.Errorf("Incorrect instruction type specified for mma with shape '.%s'", c.In.Mod(isa.SlotShape))
	case k == isa.WKindMxf8f6f4 && scale != isa.WNone && scale != isa.WScaleVec1X, k == isa.WKindMxf4nvf4 && scale == isa.WScaleVec1X:
		c.Illegal("." + scale.String())
	case k == isa.WKindMxf4nvf4 && scale == isa.WNone:
		c.Errorf(".scale_vec_size modifier required for instruction 'mma'")
	case k == isa.WKindMxf4 && scale != isa.WNone && scale != isa.WScaleVec2X:
		c.Errorf("Modifier '.%s' cannot be combined with modifier '.%s'", scale, k)
		if t := c.In.Types[4]; t == isa.UE4M3 {
			c.Errorf("Illegal modifier '.%s' for instruction 'mma' with type '%s'", k, t)
		}
		if scale == isa.WScaleVec1X {
			c.Illegal("." + scale.String())
		}
	default:
		scaleType(c, k, scale)
	}
}

// sizeOfBlocks: mma has no sizes of blocks.
func sizeOfBlocks(c *row.Checker, w isa.Word) {
	k := c.In.Mod(isa.SlotKind)
	switch {
	case k == isa.WKindMxf8f6f4 && c.In.Types[4] != isa.UE4M3:
		c.Errorf("Modifier '.%s' cannot be combined with modifier '.%s'", w, isa.WScaleVec1X)
	case k == isa.WKindMxf4:
		c.Errorf("Modifier '.%s' cannot be combined with modifier '.%s'", w, isa.WScaleVec2X)
	}
	c.Illegal("." + w.String())
}

// mmaScales: the bytes that scales lie in begin at whole ones of their number,
// and the threads that hold them are two for A, four for B.
func mmaScales(c *row.Checker) {
	in := c.In
	n := len(in.Args)
	if !in.Has(isa.SlotBlock) || n != 8 && n != 10 {
		return
	}
	scales := int64(1)
	switch w := in.Mod(isa.SlotScale); {
	case w == isa.WScaleVec4X:
		scales = 4
	case w == isa.WScaleVec2X || w == isa.WNone && in.Mod(isa.SlotKind) == isa.WKindMxf4:
		scales = 2
	}
	name := "mma"
	if in.Has(isa.SlotSparse) && scales > 1 {
		name = "Sparse mma"
	}
	for _, k := range [...]int{n - 3, n - 1} {
		o := &in.Args[k]
		switch {
		case o.Kind != isa.KVector:
			c.Errorf("Vector expected for argument %d", k)
			continue
		case len(o.Elems) != 2:
			c.Errorf("Argument vector size mismatch for instruction '%s'", name)
			continue
		}
		scaleByte(c, name, k, o.Elems[0], scales)
		if e, top := o.Elems[1], int64(3-2*((n-1-k)/2)); e.Kind == isa.KInt && (e.Value < 0 || e.Value > top) {
			c.Errorf("Argument %d of instruction '%s': value '%d' out of range, expected to be in range [0..%d]", k, name, e.Value, top)
		}
	}
}

// scaleByte: so many scales lie in the bytes from e on.
func scaleByte(c *row.Checker, name string, k int, e isa.Operand, scales int64) {
	switch {
	case e.Kind != isa.KInt || e.Value >= 0 && e.Value < 4 && e.Value%scales == 0:
	case scales == 1:
		c.Errorf("Argument %d of instruction '%s': value '%d' out of range, expected to be in range [0..3]", k, name, e.Value)
	case scales == 2:
		c.Errorf("Argument %d of instruction '%s': unexpected value '%d', expected to be 0 or 2", k, name, e.Value)
	default:
		c.Errorf("Argument %d of instruction '%s': unexpected value '%d', expected to be 0", k, name, e.Value)
	}
}

// impliedScale: a kind with one possible scale vector means that one.
func impliedScale(c *row.Checker) {
	if w := c.In.Mod(isa.SlotScale); w != isa.WNone && !c.In.Has(isa.SlotBlock) {
		c.Illegal("." + w.String())
	} else if w == isa.WBlock16 || w == isa.WBlock32 {
		sizeOfBlocks(c, w)
	}
	if c.In.Has(isa.SlotScale) || !c.In.Has(isa.SlotBlock) {
		return
	}
	switch c.In.Mod(isa.SlotKind) {
	case isa.WKindMxf8f6f4:
		c.WordGate(isa.WScaleVec1X, false)
	case isa.WKindMxf4:
		c.WordGate(isa.WScaleVec2X, false)
	}
}

// mmaSelector: the sparsity selector picks some of four threads: as many as
// hold metadata for the shape.
func mmaSelector(c *row.Checker) {
	if n := len(c.In.Args); n != 6 && n != 10 {
		return
	}
	o, t := &c.In.Args[5], c.In.Types[1]
	if o.Kind != isa.KInt {
		return
	}
	if row.F8F6F4.Has(t) {
		if o.Value != 0 {
			c.Errorf("Argument 5 of instruction 'mma': unexpected value '%d', expected to be 0", uint32(o.Value))
		}
		return
	}
	_, _, k := isa.ShapeMNK(c.In.Mod(isa.SlotShape))
	top := int64(3)
	switch bits := max(k, 1) * fragBits(t); {
	case t.IsInt() && bits > 256:
		top = 0
	case t.IsInt() || bits > 256 && t != isa.F16:
		top = 1
	}
	if o.Value < 0 || o.Value > top {
		c.Errorf("Argument 6 of instruction 'Sparse mma': value '%d' out of range, expected to be in range [0..%d]", o.Value, top)
	}
}

// fragBits is the width of an element in registers.
func fragBits(t isa.Type) int {
	if t == isa.TF32 {
		return 32
	}
	return t.Bits()
}

// scaleType: four scales of a block are ue4m3, others ue8m0.
func scaleType(c *row.Checker, k, scale isa.Word) {
	t := c.In.Types[4]
	if (t == isa.UE4M3) == (k == isa.WKindMxf4nvf4 && scale == isa.WScaleVec4X) {
		return
	}
	if k != isa.WKindMxf4nvf4 {
		c.Errorf("Illegal modifier '.%s' for instruction 'mma' with type '%s'", k, t)
		if scale == isa.WNone {
			scale = isa.WScaleVec2X
		}
		c.Errorf("Illegal modifier '.%s' for instruction 'mma' with type '%s'", scale, t)
		return
	}
	c.Errorf("Illegal modifier '.%s' for instruction 'mma' with type '%s'", scale, t)
	c.Errorf("Illegal modifier '.%s' for instruction 'mma' with type '%s'", k, t)
	if t == isa.UE4M3 {
		c.Errorf("Illegal modifier '.%s' for instruction 'mma' with type '%s'", scale, t)
	}
}
