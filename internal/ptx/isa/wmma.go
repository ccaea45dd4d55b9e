package isa

// The older warp matrix operations. Each thread holds fragments in an order
// that only wmma itself knows.

const (
	wmmaAB = tF16 | tBF | tTF32 | tF32 | tF64 | tInt8 | tInt4 | tB1 | tS32
	wmmaCD = tF16 | tF32 | tF64 | tS32
)

var (
	wmmaMods   = []Slot{SlotAligned, SlotShape, SlotLayout, SlotSpace}
	wmmaNeed   = []Slot{SlotShape}
	wmmaSpaces = Spaces{sGlobal | sShared | sCTA, 0, 1}
	wmmaRules  = []Rule{
		{NoSlot, wmmaGates}, {SlotAligned, wmmaAligned}, {SlotAligned, needSync}, {SlotShape, wmmaShape}, {SlotLayout, wmmaLayout}, {SlotLayout, wmmaVectors},
	}
	wmmaMma = []Rule{
		{NoSlot, wmmaGates}, {SlotAligned, wmmaAligned}, {SlotAligned, needSync}, {SlotShape, wmmaShape}, {SlotLayout, wmmaLayout}, {SlotLayout, wmmaVectors}, {SlotCmp, wmmaOps},
	}
)

var opWmma = Op{Rows: []Row{
	{Words: []Word{WLoad, WA}, Name: "wmma.load.a", Forms: []Form{{Types: []TypeSet{wmmaAB}, Args: "Rm?u", May: eSync}}, Mods: wmmaMods, Need: wmmaNeed, Spaces: wmmaSpaces, Rules: wmmaRules, Flags: fVector2},
	{Words: []Word{WLoad, WB}, Name: "wmma.load.b", Forms: []Form{{Types: []TypeSet{wmmaAB}, Args: "Rm?u", May: eSync}}, Mods: wmmaMods, Need: wmmaNeed, Spaces: wmmaSpaces, Rules: wmmaRules, Flags: fVector2},
	{Words: []Word{WLoad, WC}, Name: "wmma.load.c", Forms: []Form{{Types: []TypeSet{wmmaCD}, Args: "Rm?u", May: eSync}}, Mods: wmmaMods, Need: wmmaNeed, Spaces: wmmaSpaces, Rules: wmmaRules, Flags: fVector2},
	{Words: []Word{WStore, WD}, Name: "wmma.store.d", Forms: []Form{{Types: []TypeSet{wmmaCD}, Args: "mS?u", May: eSync}}, Mods: wmmaMods, Need: wmmaNeed, Spaces: wmmaSpaces, Rules: wmmaRules, Flags: fVector2},
	{
		Words: []Word{WMma}, Name: "wmma.mma",
		Forms: []Form{
			{Types: []TypeSet{tF16 | tF32, tF16 | tF32}, Args: "RHHX", May: eSync | eSatf},
			{Types: []TypeSet{tF32, tBF, tBF, tF32}, Args: "RXYZ", May: eSync},
			{Types: []TypeSet{tF32, tTF32, tTF32, tF32}, Args: "RXYZ", May: eSync},
			{Types: []TypeSet{tF64, tF64, tF64, tF64}, Args: "RXYZ", May: eSync, Mods: []Slot{SlotRound}, Rnd: rFloat},
			{Types: []TypeSet{tS32, tS8, tS8, tS32}, Args: "RXYZ", May: eSync | eSatf},
			{Types: []TypeSet{tS32, tU8, tU8, tS32}, Args: "RXYZ", May: eSync | eSatf},
			{Types: []TypeSet{tS32, tS4, tS4, tS32}, Args: "RXYZ", May: eSync | eSatf},
			{Types: []TypeSet{tS32, tU4, tU4, tS32}, Args: "RXYZ", May: eSync | eSatf},
			{Types: []TypeSet{tS32, tB1, tB1, tS32}, Args: "RXYZ", May: eSync | eBool | ePopc},
		},
		Mods: []Slot{SlotAligned, SlotShape, SlotLayout}, Need: wmmaNeed, Rules: wmmaMma, Flags: fVector2 | fTwoOps,
	},
}}

// wmmaClass is a family of multiplicand types.
type wmmaClass struct {
	types   TypeSet
	feature string
	v       Version
	sm      int
	shapes  []Word
}

var wmmaClasses = [...]wmmaClass{
	{tF16, "WMMA with floating point types", 60, 70, []Word{WM16n16k16, WM8n32k16, WM32n8k16}},
	{tBF, "WMMA with .bf16/.tf32 FP types", 70, 80, []Word{WM16n16k16, WM8n32k16, WM32n8k16}},
	{tTF32, "WMMA with .bf16/.tf32 FP types", 70, 80, []Word{WM16n16k8}},
	{tF64, "WMMA with fp64 types", 70, 80, []Word{WM8n8k4}},
	{tInt8, "WMMA with integer types", 63, 72, []Word{WM16n16k16, WM8n32k16, WM32n8k16}},
	{tInt4, "WMMA with sub-byte integer types", 63, 75, []Word{WM8n8k32}},
	{tB1, "WMMA with bit types", 63, 75, []Word{WM8n8k128}},
	{tF32, "WMMA with floating point types", 60, 70, []Word{WM16n16k16, WM8n32k16, WM32n8k16, WM16n16k8}},
	{tS32, "WMMA with integer types", 63, 72, []Word{WM16n16k16, WM8n32k16, WM32n8k16, WM8n8k32, WM8n8k128}},
}

// wmmaShapes are the shapes with their first version and target.
var wmmaShapes = [...]struct {
	w  Word
	v  Version
	sm int
}{
	{WM16n16k16, 60, 70},
	{WM8n32k16, 61, 70},
	{WM32n8k16, 61, 70},
	{WM16n16k8, 70, 80},
	{WM8n8k4, 70, 80},
	{WM8n8k32, 63, 75},
	{WM8n8k128, 63, 75},
}

// multiplicand is the type of A and B: halves when mma names two types.
func (c *checker) multiplicand() Type {
	in := c.in
	if c.row.Name == "wmma.mma" {
		if in.NTypes == 2 {
			return F16
		}
		return in.Types[1]
	}
	return in.Types[0]
}

func (c *checker) wmmaClass() *wmmaClass {
	t := c.multiplicand()
	for i := range wmmaClasses {
		if wmmaClasses[i].types.has(t) {
			return &wmmaClasses[i]
		}
	}
	return nil
}

// wmmaGates: versions and targets of types and shapes.
func wmmaGates(c *checker) {
	in := c.in
	k := c.wmmaClass()
	shape := in.Mod(SlotShape)
	if k == nil {
		return
	}
	mma := c.row.Name == "wmma.mma"
	isBF := mma && (k.types == tBF || k.types == tTF32)
	if mma {
		c.mmaOps()
	}
	if !isBF && (!mma || in.early&eAnd == 0 || c.ctx.Version >= 71) {
		c.oneFeature(k.feature, k.v, k.sm)
	}
	if c.ctx.Version < 63 && in.Has(SlotAligned) {
		c.errorf("Feature '.aligned modifier for wmma' requires PTX ISA .version 6.3 or later")
	}
	for i := range wmmaShapes {
		s := &wmmaShapes[i]
		if s.w != shape {
			continue
		}
		if c.ctx.Version < s.v {
			c.errorf("Feature '.%s' requires PTX ISA .version %s or later", shape, s.v)
		}
		if c.ctx.SM < s.sm {
			c.errorf("Modifier '.%s' requires .target sm_%d or higher", shape, s.sm)
		}
	}
	if mma {
		if c.ctx.Version < k.v {
			c.errorf("Feature 'wmma.mma' requires PTX ISA .version %s or later", k.v)
		}
		if c.ctx.SM < k.sm {
			c.errorf("Instruction 'wmma.mma' requires .target %d or higher", k.sm)
		}
	}
}

// wmmaAligned: .aligned is required since PTX 6.3.
func wmmaAligned(c *checker) {
	if !c.in.Has(SlotAligned) && c.ctx.Version >= 63 {
		c.errorf(".aligned modifier required for instruction '%s'", c.row.Name)
	}
}

// wmmaShape: the shape exists, and for the type.
func wmmaShape(c *checker) {
	in := c.in
	shape := in.Mod(SlotShape)
	text := ""
	if shape != WNone {
		text = "." + shape.String()
		known := false
		for i := range wmmaShapes {
			known = known || wmmaShapes[i].w == shape
		}
		if !known {
			c.errorf("Illegal matrix shape '%s' for instruction '%s'", text, c.row.Name)
		}
	}
	if t := in.Types[0]; (t == F32 || t == S32) && (c.row.Name == "wmma.load.a" || c.row.Name == "wmma.load.b") {
		c.errorf("Illegal type for %s", c.row.Name)
		return
	}
	if k := c.wmmaClass(); k != nil && !c.shapeIn(k.shapes, shape) {
		c.errorf("Incorrect instruction type specified for %s with shape '%s'", c.row.Name, text)
	}
	if in.early&eSatf != 0 && in.NTypes == 2 && c.ctx.Version >= 65 {
		c.errorf("Instruction ''wmma.mma' with floating point type' with '.satfinite' is not supported starting from PTX ISA version 6.5")
	}
}

func (c *checker) shapeIn(list []Word, w Word) bool {
	for _, s := range list {
		if s == w {
			return true
		}
	}
	return false
}

// wmmaLayout: loads and stores name one layout, mma two; small types have
// only one.
func wmmaLayout(c *checker) {
	in := c.in
	a, b := in.Layouts()
	if c.row.Name == "wmma.mma" {
		switch {
		case a == WNone:
			c.errorf("'.alayout.blayout' modifier required for instruction 'wmma.mma'")
			return
		case b == WNone:
			c.errorf("'.blayout' modifier required for instruction 'wmma.mma'")
			return
		}
	} else if a == WNone || b != WNone {
		c.errorf("layout modifier required for instruction '%s'", c.row.Name)
		return
	}
	t := c.multiplicand()
	if !(tInt4 | tB1).has(t) {
		return
	}
	if a == WCol && c.row.Name != "wmma.load.b" {
		c.errorf("Illegal alayout '.col' for instruction '%s'", c.row.Name)
	}
	if a == WRow && c.row.Name == "wmma.load.b" {
		c.errorf("Illegal alayout '.row' for instruction '%s'", c.row.Name)
	}
	if b == WRow {
		c.errorf("Illegal blayout '.row' for instruction '%s'", c.row.Name)
	}
}

// wmmaRegs is the number of registers of a fragment: which is 'a', 'b' or
// 'c' for accumulators.
func wmmaRegs(which byte, t Type, shape Word) int {
	m, n, k := ShapeMNK(shape)
	switch {
	case which == 'c':
		if t == F16 {
			return 4
		}
		return m * n / 32
	case t == F16:
		return 8
	case t == F64 || (tInt4 | tB1).has(t):
		return 1
	case t == TF32:
		return 4
	}
	elems := m * k
	if which == 'b' {
		elems = k * n
	}
	return elems * t.Bits() / 32 / 32
}

// wmmaVectors: the operands hold whole fragments.
func wmmaVectors(c *checker) {
	in := c.in
	shape := in.Mod(SlotShape)
	k := c.wmmaClass()
	if k == nil || !c.shapeIn(k.shapes, shape) {
		return
	}
	switch c.row.Name {
	case "wmma.load.a":
		c.wmmaArg(0, wmmaRegs('a', in.Types[0], shape))
	case "wmma.load.b":
		c.wmmaArg(0, wmmaRegs('b', in.Types[0], shape))
	case "wmma.load.c":
		c.wmmaArg(0, wmmaRegs('c', in.Types[0], shape))
	case "wmma.store.d":
		c.wmmaArg(1, wmmaRegs('c', in.Types[0], shape))
	default:
		t := c.multiplicand()
		c.wmmaArg(0, wmmaRegs('c', in.Types[0], shape))
		c.wmmaArg(1, wmmaRegs('a', t, shape))
		c.wmmaArg(2, wmmaRegs('b', t, shape))
		c.wmmaArg(3, wmmaRegs('c', in.Types[in.NTypes-1], shape))
	}
}

func (c *checker) wmmaArg(i, n int) {
	o := &c.in.Args[i]
	switch {
	case o.Kind != KVector:
		c.errorf("Vector expected for argument %d", i)
	case len(o.Elems) != n:
		c.errorf("Argument vector size mismatch for instruction '%s'", c.row.Name)
		if c.row.Name == "wmma.mma" {
			c.errorf("Argument vector size mismatch for instruction '%s'", c.row.Name)
		}
	}
}

// wmmaOps: bit matrices name their operation.
func wmmaOps(c *checker) {
	in := c.in
	if in.Types[1] != B1 || in.NTypes != 4 {
		return
	}
	shape := in.Mod(SlotShape)
	op := in.early & eBool
	if op == 0 || in.early&ePopc == 0 {
		c.errorf("Unexpected number of operations specified for wmma.mma with shape '.%s'", shape)
	}
	switch op {
	case 0:
		c.errorf("Boolean operation is required for instruction 'wmma.mma'")
	case eOr:
		c.errorf("Incorrect operations specified for wmma.mma with shape '.%s'", shape)
	}
}
