package isa

// Textures and surfaces.

const (
	texTypes = tInt32 | tF32 | tF16 | tF16x2
	texCoord = tInt32 | tF32
)

var (
	texMods  = []Slot{SlotDim, SlotGeom, SlotVec}
	texRules = []Rule{
		{SlotGeom, texVec}, {SlotGeom, texGeometry}, {SlotGeom, texKind}, {SlotGeom, texCoords}, {SlotGeom, texIndex}, {SlotGeom, texHandle},
	}
	texForms = []Form{{Types: []TypeSet{texTypes, texCoord}, Args: "dt?PP"}}

	gTexIndirect = Gate{At: SlotQuery, Name: "indirect texture access", V: 31, SM: 20, Inst: true, VersionFirst: true, If: indirect}
	gTexPair     = Gate{Name: "Texture instruction with optional predicate result", V: 71, SM: 60, TargetFirst: true, If: hasPair}
	gTexOffset   = Gate{At: SlotGeom, Name: "offset operand", SM: 30, If: texOffset}
	gAcube       = Gate{At: SlotGeom, Name: "cubemap array", SM: 20, W: WAcube}
	gSurf        = Gate{At: SlotQuery, Name: "indirect surface access", V: 31, SM: 20, Inst: true, VersionFirst: true, If: indirect}
	gSurf3d      = Gate{At: SlotGeom, Name: "surface instruction with .3d geometry", SM: 20, W: W3d}
	gSurfArray   = Gate{At: SlotGeom, Name: "surface instruction with array geometry", SM: 20, If: arrayGeometry}
	gSurfCop     = Gate{At: SlotCop, SM: 20, Inst: true, If: hasCop}
	gTexHalf     = Gate{Name: "f16 arithemetic and compare instructions", V: 42, SM: 53, T: tF16 | tF16x2, TargetFirst: true}
)

var opTex = Op{Rows: []Row{
	{
		Name: "tex", Forms: texForms, Mods: texMods, Rules: texRules, Flags: fTexture | fPair,
		Gates: []Gate{gTexHalf, gTexPair, {Name: "tex", V: 43, If: texOffset}, gTexOffset, gAcube, gTexIndirect},
	},
	{
		Words: []Word{WBase}, Name: "tex.base", Forms: texForms, Mods: texMods, Rules: texRules, Flags: fTexture | fPair,
		Gates: []Gate{{V: 31, SM: 20, Inst: true}, gTexHalf, gTexPair, gTexOffset, gAcube, gTexIndirect},
	},
	{
		Words: []Word{WLevel}, Name: "tex.level", Forms: []Form{{Types: []TypeSet{texTypes, texCoord}, Args: "dtL?PP"}},
		Mods: texMods, Rules: texRules, Flags: fTexture | fPair,
		Gates: []Gate{{V: 31, SM: 20, Inst: true}, gTexHalf, gTexPair, gTexOffset, gAcube, gTexIndirect},
	},
	{
		Words: []Word{WGrad}, Name: "tex.grad", Forms: []Form{{Types: []TypeSet{texTypes, tF32}, Args: "dtGG?PP"}},
		Mods: texMods, Rules: texRules, Flags: fTexture | fPair,
		Gates: []Gate{
			{V: 31, SM: 20, Inst: true},
			{Name: "tex.grad with cube geometry", V: 43, If: cubeGeometry},
			{Name: "tex.grad.{cube, acube}", SM: 20, If: cubeGeometry},
			gTexHalf, gTexPair, gTexOffset, gAcube, gTexIndirect,
		},
	},
}}

var opTld4 = Op{Rows: []Row{{
	Name: "tld4", Forms: []Form{{Types: []TypeSet{tInt32 | tF32, tF32}, Args: "dt?PP"}},
	Mods: []Slot{SlotDim, SlotGeom, SlotVec, SlotComp}, Need: []Slot{SlotComp},
	Rules: []Rule{{SlotVec, texVec}, {SlotGeom, texGeometry}, {SlotGeom, tld4Geometry}, {SlotGeom, cubeOffset}, {SlotGeom, texCoords}, {SlotGeom, texIndex}, {SlotGeom, texHandle}},
	Gates: []Gate{
		{SM: 20, Inst: true},
		gTexPair,
		{At: SlotGeom, Name: "tld4 instruction with .a2d", V: 43, SM: 30, TargetFirst: true, W: WA2d},
		{At: SlotGeom, Name: "tld4 instruction with .cube", V: 43, SM: 30, TargetFirst: true, W: WCube},
		{At: SlotGeom, Name: "tld4 instruction with .acube", V: 43, SM: 30, TargetFirst: true, W: WAcube},
		gTexIndirect,
	},
	Flags: fTexture | fPair,
}}}

var opTxq = Op{Rows: []Row{
	{
		Name: "txq", Forms: []Form{{Types: []TypeSet{tB32}, Args: "dt"}},
		Mods: []Slot{SlotQuery}, Need: []Slot{SlotQuery}, Rules: []Rule{{SlotQuery, queryHandle}},
		Gates: []Gate{gTexIndirect}, Flags: fTexture,
	},
	{
		Words: []Word{WLevel}, Name: "txq.level", Forms: []Form{{Types: []TypeSet{tB32}, Args: "dtu"}},
		Mods: []Slot{SlotQuery}, Need: []Slot{SlotQuery}, Rules: []Rule{{SlotGeom, texHandle}, {SlotQuery, txqLevel}},
		Gates: []Gate{{V: 43, SM: 30, Inst: true}, gTexIndirect}, Flags: fTexture,
	},
}}

var opSuq = Op{Rows: []Row{{
	Name: "suq", Forms: []Form{{Types: []TypeSet{tB32}, Args: "dt"}},
	Mods: []Slot{SlotQuery}, Need: []Slot{SlotQuery}, Rules: []Rule{{SlotGeom, surfHandle}, {SlotQuery, suqQuery}},
	Gates: []Gate{gSurf}, Flags: fTexture,
}}}

var (
	surfMods  = []Slot{SlotDim, SlotGeom, SlotVec, SlotClamp, SlotCop}
	surfNeed  = []Slot{SlotClamp}
	surfRules = []Rule{{SlotCop, surfCop}, {SlotGeom, surfGeometry}, {SlotGeom, texCoords}, {SlotGeom, surfHandle}, {SlotClamp, surfClamp}}
	surfGates = []Gate{gSurfCop, gSurf3d, gSurfArray, gSurf}
)

var opSuld = Op{Rows: []Row{{
	Words: []Word{WB}, Name: "suld.b", Forms: []Form{{Types: []TypeSet{tB8 | tBits}, Args: "xs"}},
	Mods: surfMods, Need: surfNeed, Rules: surfRules, Gates: surfGates, Flags: fTexture,
}}}

var opSust = Op{Rows: []Row{
	{
		Words: []Word{WB}, Name: "sust.b", Forms: []Form{{Types: []TypeSet{tB8 | tBits}, Args: "sz"}},
		Mods: surfMods, Need: surfNeed, Rules: surfRules, Gates: surfGates, Flags: fTexture,
	},
	{
		Words: []Word{WP}, Name: "sust.p", Forms: []Form{{Types: []TypeSet{tB32}, Args: "sz"}},
		Mods: surfMods, Need: surfNeed, Rules: surfRules, Flags: fVector | fTexture,
		Gates: []Gate{{SM: 20, Inst: true}, gSurf3d, gSurfArray, gSurf},
	},
}}

const eSured = eAdd | eMin | eMax | eAnd | eOr | eXor

var suredMods = []Slot{SlotDim, SlotGeom, SlotClamp, SlotOp}

var opSured = Op{Rows: []Row{
	{
		Words: []Word{WB}, Name: "sured.b", Forms: []Form{{Types: []TypeSet{tInt32 | tInt64 | tB32 | tB64}, Args: "sz", May: eSured}},
		Mods: suredMods, Need: surfNeed, Rules: suredRules,
		Gates: []Gate{{SM: 20, Inst: true}, gSurf3d, gSurf},
	},
	{
		Words: []Word{WP}, Name: "sured.p", Forms: []Form{{Types: []TypeSet{tB32 | tB64}, Args: "sz", May: eSured}},
		Mods: suredMods, Need: surfNeed, Rules: suredRules,
		Gates: []Gate{{SM: 20, Inst: true}, gSurf3d, gSurf},
	},
}}

var suredRules = []Rule{
	{SlotDim, suredOp}, {SlotGeom, suredGeometry}, {SlotGeom, texCoords}, {SlotGeom, surfHandle}, {SlotClamp, surfClamp},
}

func indirect(c *checker) bool {
	for i := range c.in.Args {
		if o := &c.in.Args[i]; o.Kind == KAddr {
			return o.Base == KReg
		}
	}
	return false
}

// texNeeds is the number of operands that must stand.
func texNeeds(c *checker) int {
	switch c.row.Name {
	case "tex.level":
		return 3
	case "tex.grad":
		return 4
	}
	return 2
}

// texHasExtra: offset or depth operands after the required ones.
func texHasExtra(c *checker) bool { return len(c.in.Args) > texNeeds(c) }

// texOffset: what tex got with PTX 4.3, offsets and separate samplers.
func texOffset(c *checker) bool {
	return texHasExtra(c) || len(c.in.Args) > 1 && len(c.in.Args[1].Elems) > 1
}

func arrayGeometry(c *checker) bool {
	w := c.in.Mod(SlotGeom)
	return w == WA1d || w == WA2d
}

func cubeGeometry(c *checker) bool {
	w := c.in.Mod(SlotGeom)
	return w == WCube || w == WAcube
}

// texVec: a texture gives four values, halves in pairs two.
func texVec(c *checker) {
	in := c.in
	t := in.Types[0]
	n := 4
	if t == F16x2 {
		n = 2
	}
	if in.Vec() != n {
		c.errorf("Instruction '%s%s' requires .v%d type", c.row.Name, t, n)
	}
}

// texGeometry: a texture has one geometry.
func texGeometry(c *checker) {
	in := c.in
	switch {
	case !in.Has(SlotDim) && !in.Has(SlotGeom):
		c.errorf("Geometry modifier required for instruction '%s'", c.row.Name)
	case in.Mod(SlotDim) == W4d || in.Mod(SlotDim) == W5d:
		c.errorf("Illegal modifier '.1d_buffer' for instruction '%s'", c.row.Name)
	}
	if w := in.Mod(SlotGeom); (w == W2dms || w == WA2dms) && in.NTypes > 1 && in.Types[1] != S32 || in.NTypes > 1 && in.Types[1] == U32 {
		c.errorf("Integer coordinates require .s32 instruction type")
	}
}

// tld4Geometry: gathers are from two-dimensional textures.
func tld4Geometry(c *checker) {
	in := c.in
	if w := in.Mod(SlotDim); w != WNone && w != W2d {
		c.illegal("." + w.String())
	}
	if w := in.Mod(SlotGeom); w == WA1d || w == W2dms || w == WA2dms {
		c.illegal("." + w.String())
	}
}

func surfGeometry(c *checker) {
	in := c.in
	if w := in.Mod(SlotGeom); w != WNone && w != WA1d && w != WA2d {
		c.illegal("." + w.String())
	}
	if !in.Has(SlotDim) && !in.Has(SlotGeom) {
		c.errorf("Geometry modifier required for instruction '%s'", c.row.Name)
	}
}

func suredGeometry(c *checker) {
	in := c.in
	if w := in.Mod(SlotGeom); w != WNone {
		c.illegal("." + w.String())
	}
	if !in.Has(SlotDim) && !in.Has(SlotGeom) {
		c.errorf("Geometry modifier required for instruction '%s'", c.row.Name)
	}
}

// coordsNeeded is the number of coordinates of a geometry; array and cube
// indices count, and vectors have one, two or four elements.
func (c *checker) coordsNeeded() int {
	switch c.in.Mod(SlotGeom) {
	case WA1d:
		return 2
	case WA2d, WCube, WAcube, W2dms, WA2dms:
		return 4
	}
	switch c.in.Mod(SlotDim) {
	case W2d:
		return 2
	case W3d:
		return 4
	}
	return 1
}

// texCoords: enough coordinates for the geometry. The reference says it
// twice when the address is not the first operand.
func texCoords(c *checker) {
	in := c.in
	need := c.coordsNeeded()
	for i := range in.Args {
		o := &in.Args[i]
		if o.Kind != KAddr || len(o.Elems) == 0 {
			continue
		}
		n := vectorLen(&o.Elems[len(o.Elems)-1])
		if n == 3 || n > 4 {
			return // said before
		}
		if n < need {
			for range min(i, 1) + 1 {
				c.errorf("Operand vector size doesn't match geometry for instruction '%s'", c.row.Name)
			}
		}
		return
	}
}

// texIndex: the number of a layer is no float.
func texIndex(c *checker) {
	if !c.isArray() {
		return
	}
	for i := range c.in.Args {
		o := &c.in.Args[i]
		if o.Kind != KAddr || len(o.Elems) == 0 {
			continue
		}
		if v := &o.Elems[len(o.Elems)-1]; v.Kind == KVector && len(v.Elems) > 0 && v.Elems[0].Kind == KReg && v.Elems[0].Own.IsFloat() {
			c.errorf("Array index in the '%s' instruction has unexpected type. Expecting type .u32", c.row.Name)
		}
		return
	}
}

// texHandle and surfHandle: a variable is of the right kind.
func texHandle(c *checker)  { c.handle(Texref) }
func surfHandle(c *checker) { c.handle(Surfref) }

func (c *checker) handle(t Type) {
	for i := range c.in.Args {
		o := &c.in.Args[i]
		if o.Kind == KAddr && o.Base == KSymbol && o.Type != t && c.isTexture(i) {
			c.errorf("Argument %d of instruction '%s': %s or .u64 register expected", i, c.row.Name, t)
		}
	}
}

// txqLevel: sizes are the queries of a mipmap level.
func txqLevel(c *checker) {
	switch c.in.Mod(SlotQuery) {
	case WNone, WWidth, WHeight, WDepth:
	default:
		c.errorf("Illegal query modifier for instruction '%s'", c.row.Name)
	}
}

func suqQuery(c *checker) {
	switch c.in.Mod(SlotQuery) {
	case WNone, WWidth, WHeight, WDepth, WArraySize, WChannelDataType, WChannelOrder, WMemoryLayout:
	default:
		c.errorf("Illegal query modifier for instruction '%s'", c.row.Name)
	}
}

// surfClamp: .wrap is no way to treat coordinates out of bounds.
func surfClamp(c *checker) {
	if c.in.Mod(SlotClamp) == WWrap {
		c.illegal("Clamp")
	}
}

// surfCop: loads have .ca .cg .cs .cv, stores .wb .cg .cs .wt.
func surfCop(c *checker) {
	w := c.in.Mod(SlotCop)
	load := c.in.Op == WSuld
	switch w {
	case WCa, WCv:
		if !load {
			c.illegal("." + w.String())
		}
	case WWb, WWt:
		if load {
			c.illegal("." + w.String())
		}
	case WLu:
		c.illegal(".lu")
	}
}

// suredOp: sums and extremes of integers, logic of bits; formatted ones take
// bits for all.
func suredOp(c *checker) {
	in := c.in
	w := in.Mod(SlotOp)
	var ok TypeSet
	switch w {
	case WAdd:
		ok = tInt32 | tU64
	case WMin, WMax:
		ok = tInt32 | tInt64
	case WAnd, WOr:
		ok = tB32
	case WNone:
		c.errorf("Illegal operation '(null)' for instruction '%s'", c.row.Name)
		c.errorf("Reduction operation is required for instruction '%s'", c.row.Name)
		return
	default:
		c.errorf("Illegal operation '.%s' for instruction '%s'", w, c.row.Name)
		return
	}
	if c.row.Name == "sured.p" {
		ok = tB32
		if w == WMin || w == WMax {
			ok |= tB64
		}
	}
	if !ok.has(in.Types[0]) {
		c.errorf("Incorrect type '%s' for operation '.%s' in instruction '%s'", in.Types[0], w, c.row.Name)
	}
}
