package memory

import (
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/isa/row"
)

// Textures and surfaces.

const (
	texTypes = row.Int32 | row.F32 | row.F16 | row.F16x2
	texCoord = row.Int32 | row.F32
)

var (
	texMods  = []isa.Slot{isa.SlotDim, isa.SlotGeom, isa.SlotVec}
	texRules = []row.Rule{
		{At: isa.SlotGeom, Do: texVec}, {At: isa.SlotGeom, Do: texGeometry}, {At: isa.SlotGeom, Do: texKind}, {At: isa.SlotGeom, Do: texCoords}, {At: isa.SlotGeom, Do: texIndex}, {At: isa.SlotGeom, Do: texHandle},
	}
	texForms = []row.Form{{Types: []row.TypeSet{texTypes, texCoord}, Args: "dt?PP"}}

	gTexIndirect = row.Gate{At: isa.SlotQuery, Name: "indirect texture access", V: 31, SM: 20, Inst: true, VersionFirst: true, If: indirect}
	gTexPair     = row.Gate{Name: "Texture instruction with optional predicate result", V: 71, SM: 60, TargetFirst: true, If: row.HasPair}
	gTexOffset   = row.Gate{At: isa.SlotGeom, Name: "offset operand", SM: 30, If: texOffset}
	gAcube       = row.Gate{At: isa.SlotGeom, Name: "cubemap array", SM: 20, W: isa.WAcube}
	gSurf        = row.Gate{At: isa.SlotQuery, Name: "indirect surface access", V: 31, SM: 20, Inst: true, VersionFirst: true, If: indirect}
	gSurf3d      = row.Gate{At: isa.SlotGeom, Name: "surface instruction with .3d geometry", SM: 20, W: isa.W3d}
	gSurfArray   = row.Gate{At: isa.SlotGeom, Name: "surface instruction with array geometry", SM: 20, If: arrayGeometry}
	gSurfCop     = row.Gate{At: isa.SlotCop, SM: 20, Inst: true, If: hasCop}
	gTexHalf     = row.Gate{Name: "f16 arithemetic and compare instructions", V: 42, SM: 53, T: row.F16 | row.F16x2, TargetFirst: true}
)

var Tex = row.Op{Rows: []row.Row{
	{
		Name: "tex", Forms: texForms, Mods: texMods, Rules: texRules, Flags: row.FlagTexture | row.FlagPair,
		Gates: []row.Gate{gTexHalf, gTexPair, {Name: "tex", V: 43, If: texOffset}, gTexOffset, gAcube, gTexIndirect},
	},
	{
		Words: []isa.Word{isa.WBase}, Name: "tex.base", Forms: texForms, Mods: texMods, Rules: texRules, Flags: row.FlagTexture | row.FlagPair,
		Gates: []row.Gate{{V: 31, SM: 20, Inst: true}, gTexHalf, gTexPair, gTexOffset, gAcube, gTexIndirect},
	},
	{
		Words: []isa.Word{isa.WLevel}, Name: "tex.level", Forms: []row.Form{{Types: []row.TypeSet{texTypes, texCoord}, Args: "dtL?PP"}},
		Mods: texMods, Rules: texRules, Flags: row.FlagTexture | row.FlagPair,
		Gates: []row.Gate{{V: 31, SM: 20, Inst: true}, gTexHalf, gTexPair, gTexOffset, gAcube, gTexIndirect},
	},
	{
		Words: []isa.Word{isa.WGrad}, Name: "tex.grad", Forms: []row.Form{{Types: []row.TypeSet{texTypes, row.F32}, Args: "dtGG?PP"}},
		Mods: texMods, Rules: texRules, Flags: row.FlagTexture | row.FlagPair,
		Gates: []row.Gate{
			{V: 31, SM: 20, Inst: true},
			{Name: "tex.grad with cube geometry", V: 43, If: cubeGeometry},
			{Name: "tex.grad.{cube, acube}", SM: 20, If: cubeGeometry},
			gTexHalf, gTexPair, gTexOffset, gAcube, gTexIndirect,
		},
	},
}}

var Tld4 = row.Op{Rows: []row.Row{{
	Name: "tld4", Forms: []row.Form{{Types: []row.TypeSet{row.Int32 | row.F32, row.F32}, Args: "dt?PP"}},
	Mods: []isa.Slot{isa.SlotDim, isa.SlotGeom, isa.SlotVec, isa.SlotComp}, Need: []isa.Slot{isa.SlotComp},
	Rules: []row.Rule{{At: isa.SlotVec, Do: texVec}, {At: isa.SlotGeom, Do: texGeometry}, {At: isa.SlotGeom, Do: tld4Geometry}, {At: isa.SlotGeom, Do: cubeOffset}, {At: isa.SlotGeom, Do: texCoords}, {At: isa.SlotGeom, Do: texIndex}, {At: isa.SlotGeom, Do: texHandle}},
	Gates: []row.Gate{
		{SM: 20, Inst: true},
		gTexPair,
		{At: isa.SlotGeom, Name: "tld4 instruction with .a2d", V: 43, SM: 30, TargetFirst: true, W: isa.WA2d},
		{At: isa.SlotGeom, Name: "tld4 instruction with .cube", V: 43, SM: 30, TargetFirst: true, W: isa.WCube},
		{At: isa.SlotGeom, Name: "tld4 instruction with .acube", V: 43, SM: 30, TargetFirst: true, W: isa.WAcube},
		gTexIndirect,
	},
	Flags: row.FlagTexture | row.FlagPair,
}}}

var Txq = row.Op{Rows: []row.Row{
	{
		Name: "txq", Forms: []row.Form{{Types: []row.TypeSet{row.B32}, Args: "dt"}},
		Mods: []isa.Slot{isa.SlotQuery}, Need: []isa.Slot{isa.SlotQuery}, Rules: []row.Rule{{At: isa.SlotQuery, Do: queryHandle}},
		Gates: []row.Gate{gTexIndirect}, Flags: row.FlagTexture,
	},
	{
		Words: []isa.Word{isa.WLevel}, Name: "txq.level", Forms: []row.Form{{Types: []row.TypeSet{row.B32}, Args: "dtu"}},
		Mods: []isa.Slot{isa.SlotQuery}, Need: []isa.Slot{isa.SlotQuery}, Rules: []row.Rule{{At: isa.SlotGeom, Do: texHandle}, {At: isa.SlotQuery, Do: txqLevel}},
		Gates: []row.Gate{{V: 43, SM: 30, Inst: true}, gTexIndirect}, Flags: row.FlagTexture,
	},
}}

var Suq = row.Op{Rows: []row.Row{{
	Name: "suq", Forms: []row.Form{{Types: []row.TypeSet{row.B32}, Args: "dt"}},
	Mods: []isa.Slot{isa.SlotQuery}, Need: []isa.Slot{isa.SlotQuery}, Rules: []row.Rule{{At: isa.SlotGeom, Do: surfHandle}, {At: isa.SlotQuery, Do: suqQuery}},
	Gates: []row.Gate{gSurf}, Flags: row.FlagTexture,
}}}

var (
	surfMods  = []isa.Slot{isa.SlotDim, isa.SlotGeom, isa.SlotVec, isa.SlotClamp, isa.SlotCop}
	surfNeed  = []isa.Slot{isa.SlotClamp}
	surfRules = []row.Rule{{At: isa.SlotCop, Do: surfCop}, {At: isa.SlotGeom, Do: surfGeometry}, {At: isa.SlotGeom, Do: texCoords}, {At: isa.SlotGeom, Do: surfHandle}, {At: isa.SlotClamp, Do: surfClamp}}
	surfGates = []row.Gate{gSurfCop, gSurf3d, gSurfArray, gSurf}
)

var Suld = row.Op{Rows: []row.Row{{
	Words: []isa.Word{isa.WB}, Name: "suld.b", Forms: []row.Form{{Types: []row.TypeSet{row.B8 | row.Bits}, Args: "xs"}},
	Mods: surfMods, Need: surfNeed, Rules: surfRules, Gates: surfGates, Flags: row.FlagTexture,
}}}

var Sust = row.Op{Rows: []row.Row{
	{
		Words: []isa.Word{isa.WB}, Name: "sust.b", Forms: []row.Form{{Types: []row.TypeSet{row.B8 | row.Bits}, Args: "sz"}},
		Mods: surfMods, Need: surfNeed, Rules: surfRules, Gates: surfGates, Flags: row.FlagTexture,
	},
	{
		Words: []isa.Word{isa.WP}, Name: "sust.p", Forms: []row.Form{{Types: []row.TypeSet{row.B32}, Args: "sz"}},
		Mods: surfMods, Need: surfNeed, Rules: surfRules, Flags: row.FlagVector | row.FlagTexture,
		Gates: []row.Gate{{SM: 20, Inst: true}, gSurf3d, gSurfArray, gSurf},
	},
}}

const eSured = row.EarlyAdd | row.EarlyMin | row.EarlyMax | row.EarlyAnd | row.EarlyOr | row.EarlyXor

var suredMods = []isa.Slot{isa.SlotDim, isa.SlotGeom, isa.SlotClamp, isa.SlotOp}

var Sured = row.Op{Rows: []row.Row{
	{
		Words: []isa.Word{isa.WB}, Name: "sured.b", Forms: []row.Form{{Types: []row.TypeSet{row.Int32 | row.Int64 | row.B32 | row.B64}, Args: "sz", May: eSured}},
		Mods: suredMods, Need: surfNeed, Rules: suredRules,
		Gates: []row.Gate{{SM: 20, Inst: true}, gSurf3d, gSurf},
	},
	{
		Words: []isa.Word{isa.WP}, Name: "sured.p", Forms: []row.Form{{Types: []row.TypeSet{row.B32 | row.B64}, Args: "sz", May: eSured}},
		Mods: suredMods, Need: surfNeed, Rules: suredRules,
		Gates: []row.Gate{{SM: 20, Inst: true}, gSurf3d, gSurf},
	},
}}

var suredRules = []row.Rule{
	{At: isa.SlotDim, Do: suredOp}, {At: isa.SlotGeom, Do: suredGeometry}, {At: isa.SlotGeom, Do: texCoords}, {At: isa.SlotGeom, Do: surfHandle}, {At: isa.SlotClamp, Do: surfClamp},
}

func indirect(c *row.Checker) bool {
	for i := range c.In.Args {
		if o := &c.In.Args[i]; o.Kind == isa.KAddr {
			return o.Base == isa.KReg
		}
	}
	return false
}

// texNeeds is the number of operands that must stand.
func texNeeds(c *row.Checker) int {
	switch c.Row.Name {
	case "tex.level":
		return 3
	case "tex.grad":
		return 4
	}
	return 2
}

// texHasExtra: offset or depth operands after the required ones.
func texHasExtra(c *row.Checker) bool { return len(c.In.Args) > texNeeds(c) }

// texOffset: what tex got with PTX 4.3, offsets and separate samplers.
func texOffset(c *row.Checker) bool {
	return texHasExtra(c) || len(c.In.Args) > 1 && len(c.In.Args[1].Elems) > 1
}

func arrayGeometry(c *row.Checker) bool {
	w := c.In.Mod(isa.SlotGeom)
	return w == isa.WA1d || w == isa.WA2d
}

func cubeGeometry(c *row.Checker) bool {
	w := c.In.Mod(isa.SlotGeom)
	return w == isa.WCube || w == isa.WAcube
}

// texVec: a texture gives four values, halves in pairs two.
func texVec(c *row.Checker) {
	in := c.In
	t := in.Types[0]
	n := 4
	if t == isa.F16x2 {
		n = 2
	}
	if in.Vec() != n {
		c.Errorf("Instruction '%s%s' requires .v%d type", c.Row.Name, t, n)
	}
}

// texGeometry: a texture has one geometry.
func texGeometry(c *row.Checker) {
	in := c.In
	switch {
	case !in.Has(isa.SlotDim) && !in.Has(isa.SlotGeom):
		c.Errorf("Geometry modifier required for instruction '%s'", c.Row.Name)
	case in.Mod(isa.SlotDim) == isa.W4d || in.Mod(isa.SlotDim) == isa.W5d:
		c.Errorf("Illegal modifier '.1d_buffer' for instruction '%s'", c.Row.Name)
	}
	if w := in.Mod(isa.SlotGeom); (w == isa.W2dms || w == isa.WA2dms) && in.NTypes > 1 && in.Types[1] != isa.S32 || in.NTypes > 1 && in.Types[1] == isa.U32 {
		c.Errorf("Integer coordinates require .s32 instruction type")
	}
}

// tld4Geometry: gathers are from two-dimensional textures.
func tld4Geometry(c *row.Checker) {
	in := c.In
	if w := in.Mod(isa.SlotDim); w != isa.WNone && w != isa.W2d {
		c.Illegal("." + w.String())
	}
	if w := in.Mod(isa.SlotGeom); w == isa.WA1d || w == isa.W2dms || w == isa.WA2dms {
		c.Illegal("." + w.String())
	}
}

func surfGeometry(c *row.Checker) {
	in := c.In
	if w := in.Mod(isa.SlotGeom); w != isa.WNone && w != isa.WA1d && w != isa.WA2d {
		c.Illegal("." + w.String())
	}
	if !in.Has(isa.SlotDim) && !in.Has(isa.SlotGeom) {
		c.Errorf("Geometry modifier required for instruction '%s'", c.Row.Name)
	}
}

func suredGeometry(c *row.Checker) {
	in := c.In
	if w := in.Mod(isa.SlotGeom); w != isa.WNone {
		c.Illegal("." + w.String())
	}
	if !in.Has(isa.SlotDim) && !in.Has(isa.SlotGeom) {
		c.Errorf("Geometry modifier required for instruction '%s'", c.Row.Name)
	}
}

// coordsNeeded is the number of coordinates of a geometry; array and cube
// indices count, and vectors have one, two or four elements.
func coordsNeeded(c *row.Checker) int {
	switch c.In.Mod(isa.SlotGeom) {
	case isa.WA1d:
		return 2
	case isa.WA2d, isa.WCube, isa.WAcube, isa.W2dms, isa.WA2dms:
		return 4
	}
	switch c.In.Mod(isa.SlotDim) {
	case isa.W2d:
		return 2
	case isa.W3d:
		return 4
	}
	return 1
}

// texCoords: enough coordinates for the geometry. The reference says it
// twice when the address is not the first operand.
func texCoords(c *row.Checker) {
	in := c.In
	need := coordsNeeded(c)
	for i := range in.Args {
		o := &in.Args[i]
		if o.Kind != isa.KAddr || len(o.Elems) == 0 {
			continue
		}
		n := row.VectorLen(&o.Elems[len(o.Elems)-1])
		if n == 3 || n > 4 {
			return // said before
		}
		if n < need {
			for range min(i, 1) + 1 {
				c.Errorf("Operand vector size doesn't match geometry for instruction '%s'", c.Row.Name)
			}
		}
		return
	}
}

// texIndex: the number of a layer is no float.
func texIndex(c *row.Checker) {
	if !c.IsArray() {
		return
	}
	for i := range c.In.Args {
		o := &c.In.Args[i]
		if o.Kind != isa.KAddr || len(o.Elems) == 0 {
			continue
		}
		if v := &o.Elems[len(o.Elems)-1]; v.Kind == isa.KVector && len(v.Elems) > 0 && v.Elems[0].Kind == isa.KReg && v.Elems[0].Own.IsFloat() {
			c.Errorf("Array index in the '%s' instruction has unexpected type. Expecting type .u32", c.Row.Name)
		}
		return
	}
}

// texHandle and surfHandle: a variable is of the right kind.
func texHandle(c *row.Checker) {
	if c.Ctx.Torn {
		c.Errorf("Instruction or declaration violates .target texmode_unified setting")
	}
	handle(c, isa.Texref)
	samplerHandle(c)
}

// samplerHandle: independent textures are read through samplers beside them.
func samplerHandle(c *row.Checker) {
	if c.Ctx.Unified {
		return
	}
	for i := range c.In.Args {
		o := &c.In.Args[i]
		if o.Kind != isa.KAddr || !c.IsTexture(i) {
			continue
		}
		if len(o.Elems) != 2 || o.Elems[0].Kind == isa.KSymbol && o.Elems[0].Type != isa.Samplerref {
			c.Errorf("Argument %d of instruction '%s': %s or .u64 register expected", i+1, c.Row.Name, isa.Samplerref)
		}
	}
}

func surfHandle(c *row.Checker) { handle(c, isa.Surfref) }

func handle(c *row.Checker, t isa.Type) {
	for i := range c.In.Args {
		o := &c.In.Args[i]
		if o.Kind == isa.KAddr && o.Base == isa.KSymbol && o.Type != t && c.IsTexture(i) {
			c.Errorf("Argument %d of instruction '%s': %s or .u64 register expected", i, c.Row.Name, t)
		}
	}
}

// txqLevel: sizes are the queries of a mipmap level.
func txqLevel(c *row.Checker) {
	switch c.In.Mod(isa.SlotQuery) {
	case isa.WNone, isa.WWidth, isa.WHeight, isa.WDepth:
	default:
		c.Errorf("Illegal query modifier for instruction '%s'", c.Row.Name)
	}
}

func suqQuery(c *row.Checker) {
	switch c.In.Mod(isa.SlotQuery) {
	case isa.WNone, isa.WWidth, isa.WHeight, isa.WDepth, isa.WArraySize, isa.WChannelDataType, isa.WChannelOrder, isa.WMemoryLayout:
	default:
		c.Errorf("Illegal query modifier for instruction '%s'", c.Row.Name)
	}
}

// surfClamp: .wrap is no way to treat coordinates out of bounds.
func surfClamp(c *row.Checker) {
	if c.In.Mod(isa.SlotClamp) == isa.WWrap {
		c.Illegal("Clamp")
	}
}

// surfCop: loads have .ca .cg .cs .cv, stores .wb .cg .cs .wt.
func surfCop(c *row.Checker) {
	w := c.In.Mod(isa.SlotCop)
	load := c.In.Op == isa.WSuld
	switch w {
	case isa.WCa, isa.WCv:
		if !load {
			c.Illegal("." + w.String())
		}
	case isa.WWb, isa.WWt:
		if load {
			c.Illegal("." + w.String())
		}
	case isa.WLu:
		c.Illegal(".lu")
	}
}

// suredOp: sums and extremes of integers, logic of bits; formatted ones take
// bits for all.
func suredOp(c *row.Checker) {
	in := c.In
	w := in.Mod(isa.SlotOp)
	var ok row.TypeSet
	switch w {
	case isa.WAdd:
		ok = row.Int32 | row.U64
	case isa.WMin, isa.WMax:
		ok = row.Int32 | row.Int64
	case isa.WAnd, isa.WOr:
		ok = row.B32
	case isa.WNone:
		c.Errorf("Illegal operation '(null)' for instruction '%s'", c.Row.Name)
		c.Errorf("Reduction operation is required for instruction '%s'", c.Row.Name)
		return
	default:
		c.Errorf("Illegal operation '.%s' for instruction '%s'", w, c.Row.Name)
		return
	}
	if c.Row.Name == "sured.p" {
		ok = row.B32
		if w == isa.WMin || w == isa.WMax {
			ok |= row.B64
		}
	}
	if !ok.Has(in.Types[0]) {
		c.Errorf("Incorrect type '%s' for operation '.%s' in instruction '%s'", in.Types[0], w, c.Row.Name)
	}
}
