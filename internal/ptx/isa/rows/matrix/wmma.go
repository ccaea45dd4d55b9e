package matrix

import (
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/isa/row"
)

// The older warp matrix operations. Each thread holds fragments in an order
// that only wmma itself knows.

const (
	wmmaAB = row.F16 | row.BF16 | row.TF32 | row.F32 | row.F64 | row.Int8 | row.Int4 | row.B1 | row.S32
	wmmaCD = row.F16 | row.F32 | row.F64 | row.S32
)

var (
	wmmaMods   = []isa.Slot{isa.SlotAligned, isa.SlotShape, isa.SlotLayout, isa.SlotSpace}
	wmmaNeed   = []isa.Slot{isa.SlotShape}
	wmmaSpaces = row.Spaces{Set: row.Global | row.Shared | row.SharedCTA, Min: 0, Max: 1}
	wmmaRules  = []row.Rule{
		{At: isa.SlotNocomp, Do: row.NeedSync}, {At: isa.SlotNoftz, Do: wmmaGates}, {At: isa.SlotShape, Do: wmmaShape}, {At: isa.SlotLayout, Do: wmmaLayout}, {At: isa.SlotLayout, Do: wmmaVectors},
	}
	wmmaMma = []row.Rule{
		{At: isa.SlotNocomp, Do: row.NeedSync}, {At: isa.SlotNoftz, Do: wmmaGates}, {At: isa.SlotShape, Do: wmmaShape}, {At: isa.SlotLayout, Do: wmmaLayout}, {At: isa.SlotLayout, Do: wmmaVectors}, {At: isa.SlotCmp, Do: wmmaOps},
	}
)

var Wmma = row.Op{Rows: []row.Row{
	{Words: []isa.Word{isa.WLoad, isa.WA}, Name: "wmma.load.a", Forms: []row.Form{{Types: []row.TypeSet{wmmaAB}, Args: "Rm?u", May: row.EarlySync}}, Mods: wmmaMods, Need: wmmaNeed, Spaces: wmmaSpaces, Rules: wmmaRules, Flags: row.FlagVector2},
	{Words: []isa.Word{isa.WLoad, isa.WB}, Name: "wmma.load.b", Forms: []row.Form{{Types: []row.TypeSet{wmmaAB}, Args: "Rm?u", May: row.EarlySync}}, Mods: wmmaMods, Need: wmmaNeed, Spaces: wmmaSpaces, Rules: wmmaRules, Flags: row.FlagVector2},
	{Words: []isa.Word{isa.WLoad, isa.WC}, Name: "wmma.load.c", Forms: []row.Form{{Types: []row.TypeSet{wmmaCD}, Args: "Rm?u", May: row.EarlySync}}, Mods: wmmaMods, Need: wmmaNeed, Spaces: wmmaSpaces, Rules: wmmaRules, Flags: row.FlagVector2},
	{Words: []isa.Word{isa.WStore, isa.WD}, Name: "wmma.store.d", Forms: []row.Form{{Types: []row.TypeSet{wmmaCD}, Args: "mS?u", May: row.EarlySync}}, Mods: wmmaMods, Need: wmmaNeed, Spaces: wmmaSpaces, Rules: wmmaRules, Flags: row.FlagVector2},
	{
		Words: []isa.Word{isa.WMma}, Name: "wmma.mma",
		Forms: []row.Form{
			{Types: []row.TypeSet{row.F16 | row.F32, row.F16 | row.F32}, Args: "RHHX", May: row.EarlySync | row.EarlySatf},
			{Types: []row.TypeSet{row.F32, row.BF16, row.BF16, row.F32}, Args: "RXYZ", May: row.EarlySync},
			{Types: []row.TypeSet{row.F32, row.TF32, row.TF32, row.F32}, Args: "RXYZ", May: row.EarlySync},
			{Types: []row.TypeSet{row.F64, row.F64, row.F64, row.F64}, Args: "RXYZ", May: row.EarlySync, Mods: []isa.Slot{isa.SlotRound}, Rnd: row.RoundFloat},
			{Types: []row.TypeSet{row.S32, row.S8, row.S8, row.S32}, Args: "RXYZ", May: row.EarlySync | row.EarlySatf},
			{Types: []row.TypeSet{row.S32, row.U8, row.U8, row.S32}, Args: "RXYZ", May: row.EarlySync | row.EarlySatf},
			{Types: []row.TypeSet{row.S32, row.S4, row.S4, row.S32}, Args: "RXYZ", May: row.EarlySync | row.EarlySatf},
			{Types: []row.TypeSet{row.S32, row.U4, row.U4, row.S32}, Args: "RXYZ", May: row.EarlySync | row.EarlySatf},
			{Types: []row.TypeSet{row.S32, row.B1, row.B1, row.S32}, Args: "RXYZ", May: row.EarlySync | row.EarlyBool | row.EarlyPopc},
		},
		Mods: []isa.Slot{isa.SlotAligned, isa.SlotShape, isa.SlotLayout}, Need: wmmaNeed, Rules: wmmaMma, Flags: row.FlagVector2 | row.FlagTwoOps | row.FlagPredVoid,
	},
}}

// wmmaClass is a family of multiplicand types.
type wmmaClass struct {
	types   row.TypeSet
	feature string
	v       isa.Version
	sm      int
	shapes  []isa.Word
}

var wmmaClasses = [...]wmmaClass{
	{row.F16, "WMMA with floating point types", 60, 70, []isa.Word{isa.WM16n16k16, isa.WM8n32k16, isa.WM32n8k16}},
	{row.BF16, "WMMA with .bf16/.tf32 FP types", 70, 80, []isa.Word{isa.WM16n16k16, isa.WM8n32k16, isa.WM32n8k16}},
	{row.TF32, "WMMA with .bf16/.tf32 FP types", 70, 80, []isa.Word{isa.WM16n16k8}},
	{row.F64, "WMMA with fp64 types", 70, 80, []isa.Word{isa.WM8n8k4}},
	{row.Int8, "WMMA with integer types", 63, 72, []isa.Word{isa.WM16n16k16, isa.WM8n32k16, isa.WM32n8k16}},
	{row.Int4, "WMMA with sub-byte integer types", 63, 75, []isa.Word{isa.WM8n8k32}},
	{row.B1, "WMMA with bit types", 63, 75, []isa.Word{isa.WM8n8k128}},
	{row.F32, "WMMA with floating point types", 60, 70, []isa.Word{isa.WM16n16k16, isa.WM8n32k16, isa.WM32n8k16, isa.WM16n16k8}},
	{row.S32, "WMMA with integer types", 63, 72, []isa.Word{isa.WM16n16k16, isa.WM8n32k16, isa.WM32n8k16, isa.WM8n8k32, isa.WM8n8k128}},
}

// wmmaShapes are the shapes with their first version and target.
var wmmaShapes = [...]struct {
	w  isa.Word
	v  isa.Version
	sm int
}{
	{isa.WM16n16k16, 60, 70},
	{isa.WM8n32k16, 61, 70},
	{isa.WM32n8k16, 61, 70},
	{isa.WM16n16k8, 70, 80},
	{isa.WM8n8k4, 70, 80},
	{isa.WM8n8k32, 63, 75},
	{isa.WM8n8k128, 63, 75},
}

// multiplicand is the type of A and B: halves when mma names two types.
func multiplicand(c *row.Checker) isa.Type {
	in := c.In
	if c.Row.Name == "wmma.mma" {
		if in.NTypes == 2 {
			return isa.F16
		}
		return in.Types[1]
	}
	return in.Types[0]
}

func classOf(c *row.Checker) *wmmaClass {
	t := multiplicand(c)
	for i := range wmmaClasses {
		if wmmaClasses[i].types.Has(t) {
			return &wmmaClasses[i]
		}
	}
	return nil
}

// wmmaGates: versions and targets of types and shapes.
func wmmaGates(c *row.Checker) {
	in := c.In
	k := classOf(c)
	shape := in.Mod(isa.SlotShape)
	if k == nil {
		return
	}
	mma := c.Row.Name == "wmma.mma"
	if !mma || k.types != row.BF16 && k.types != row.TF32 {
		c.OneFeature(k.feature, k.v, k.sm)
	}
	wmmaAligned(c)
	for i := range wmmaShapes {
		s := &wmmaShapes[i]
		if s.w != shape {
			continue
		}
		if c.Ctx.Version < s.v {
			c.Errorf("Feature '.%s' requires PTX ISA .version %s or later", shape, s.v)
		}
		if c.Ctx.SM < s.sm {
			c.Errorf("Modifier '.%s' requires .target sm_%d or higher", shape, s.sm)
		}
	}
	if mma {
		wmmaMmaGates(c, k)
	}
}

// wmmaMmaGates: since when there are products of a class.
func wmmaMmaGates(c *row.Checker, k *wmmaClass) {
	layoutGiven(c, c.Row.Name)
	first := wmmaClasses[0].sm
	if c.Ctx.SM < first {
		c.Errorf("Instruction 'wmma.mma' requires .target %d or higher", first)
	}
	if c.Ctx.Version < k.v {
		c.Errorf("Feature 'wmma.mma' requires PTX ISA .version %s or later", k.v)
	}
	if c.Ctx.SM < k.sm && k.sm > first {
		c.Errorf("Instruction 'wmma.mma' requires .target %d or higher", k.sm)
	}
	mmaOps(c)
}

// wmmaAligned: .aligned is required since PTX 6.3.
func wmmaAligned(c *row.Checker) {
	switch has := c.In.Has(isa.SlotAligned); {
	case has && c.Ctx.Version < 63:
		c.Errorf("Feature '.aligned modifier for wmma' requires PTX ISA .version 6.3 or later")
	case !has && c.Ctx.Version >= 63:
		c.Errorf(".aligned modifier required for instruction '%s'", c.Row.Name)
	}
}

// wmmaShape: the shape exists, and for the type.
func wmmaShape(c *row.Checker) {
	in := c.In
	shape := in.Mod(isa.SlotShape)
	text := ""
	if sizesFirst(c) {
		wmmaSizes(c)
		if multiplicand(c) == isa.F64 {
			return
		}
	}
	if shape != isa.WNone {
		text = "." + shape.String()
		known := false
		for i := range wmmaShapes {
			known = known || wmmaShapes[i].w == shape
		}
		if !known {
			c.Errorf("Illegal matrix shape '%s' for instruction '%s'", text, c.Row.Name)
		}
	}
	if t := in.Types[0]; (t == isa.F32 || t == isa.S32) && (c.Row.Name == "wmma.load.a" || c.Row.Name == "wmma.load.b") {
		c.Errorf("Illegal type for %s", c.Row.Name)
		return
	}
	if k := classOf(c); k != nil && !shapeIn(c, k.shapes, shape) {
		c.Errorf("Incorrect instruction type specified for %s with shape '%s'", c.Row.Name, text)
	}
	if in.Early&row.EarlySatf != 0 && in.NTypes == 2 && c.Ctx.Version >= 65 {
		c.Errorf("Instruction ''wmma.mma' with floating point type' with '.satfinite' is not supported starting from PTX ISA version 6.5")
	}
}

func shapeIn(c *row.Checker, list []isa.Word, w isa.Word) bool {
	for _, s := range list {
		if s == w {
			return true
		}
	}
	return false
}

// wmmaLayout: loads and stores name one layout, mma two; small types have
// only one.
func wmmaLayout(c *row.Checker) {
	in := c.In
	a, b := in.Layouts()
	if c.Row.Name != "wmma.mma" && (a == isa.WNone || b != isa.WNone) {
		c.Errorf("layout modifier required for instruction '%s'", c.Row.Name)
		return
	}
	t := multiplicand(c)
	if !(row.Int4 | row.B1).Has(t) {
		return
	}
	if c.Row.Name == "wmma.mma" {
		layoutFits(c, c.Row.Name)
		return
	}
	if a == isa.WCol && c.Row.Name != "wmma.load.b" {
		c.Errorf("Illegal alayout '.col' for instruction '%s'", c.Row.Name)
	}
	if a == isa.WRow && c.Row.Name == "wmma.load.b" {
		c.Errorf("Illegal alayout '.row' for instruction '%s'", c.Row.Name)
	}
}

// wmmaRegs is the number of registers of a fragment: which is 'a', 'b' or
// 'c' for accumulators.
func wmmaRegs(which byte, t isa.Type, shape isa.Word) int {
	m, n, k := isa.ShapeMNK(shape)
	switch {
	case shape == isa.WNone && t != isa.F16:
		return 0
	case which == 'c':
		if t == isa.F16 {
			return 4
		}
		return m * n / 32
	case t == isa.F16:
		return 8
	case t == isa.F64 || (row.Int4 | row.B1).Has(t):
		return 1
	case t == isa.TF32:
		return 4
	}
	elems := m * k
	if which == 'b' {
		elems = k * n
	}
	return elems * t.Bits() / 32 / 32
}

// sizesFirst: without a shape the sizes are complained about before it in
// loads and stores, and in products of tf32.
func sizesFirst(c *row.Checker) bool {
	return !c.In.Has(isa.SlotShape) && (c.Row.Name != "wmma.mma" || multiplicand(c) == isa.TF32)
}

// wmmaVectors: the operands hold whole fragments.
func wmmaVectors(c *row.Checker) {
	if !sizesFirst(c) {
		wmmaSizes(c)
	}
}

func wmmaSizes(c *row.Checker) {
	in := c.In
	shape := in.Mod(isa.SlotShape)
	k := classOf(c)
	if k == nil || shape != isa.WNone && !shapeIn(c, k.shapes, shape) {
		return
	}
	switch c.Row.Name {
	case "wmma.load.a":
		wmmaArg(c, 0, wmmaRegs('a', in.Types[0], shape))
	case "wmma.load.b":
		wmmaArg(c, 0, wmmaRegs('b', in.Types[0], shape))
	case "wmma.load.c":
		wmmaArg(c, 0, wmmaRegs('c', in.Types[0], shape))
	case "wmma.store.d":
		wmmaArg(c, 1, wmmaRegs('c', in.Types[0], shape))
	default:
		t := multiplicand(c)
		sizes := [...]int{wmmaRegs('c', in.Types[0], shape), wmmaRegs('a', t, shape), wmmaRegs('b', t, shape), wmmaRegs('c', in.Types[in.NTypes-1], shape)}
		if shape == isa.WNone {
			sizes = [4]int{}
		}
		if in.NTypes == 2 { // of halves it is said twice
			for i, n := range sizes {
				if row.VectorLen(&in.Args[i]) != n {
					c.Errorf("Argument vector size mismatch for instruction '%s'", c.Row.Name)
				}
			}
		}
		for i, n := range sizes {
			wmmaArg(c, i, n)
		}
	}
}

func wmmaArg(c *row.Checker, i, n int) {
	o := &c.In.Args[i]
	switch {
	case o.Kind != isa.KVector:
		c.Errorf("Vector expected for argument %d", i)
	case len(o.Elems) != n:
		c.Errorf("Argument vector size mismatch for instruction '%s'", c.Row.Name)
	}
}

// wmmaOps: bit matrices name their operation.
func wmmaOps(c *row.Checker) {
	in := c.In
	if in.Types[1] != isa.B1 || in.NTypes != 4 {
		return
	}
	shape := in.Mod(isa.SlotShape)
	op := in.Early & row.EarlyBool
	if op == row.EarlyAnd && c.Ctx.Version < 71 {
		c.Errorf("Modifier '.and' on '%s' requires PTX ISA .version 7.1 or later", c.Row.Name)
	}
	if op == 0 || in.Early&row.EarlyPopc == 0 {
		c.Errorf("Unexpected number of operations specified for wmma.mma with shape '.%s'", shape)
	}
	switch op {
	case 0:
		c.Errorf("Boolean operation is required for instruction 'wmma.mma'")
	case row.EarlyOr:
		c.Errorf("Incorrect operations specified for wmma.mma with shape '.%s'", shape)
	}
}
