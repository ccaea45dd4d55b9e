package memory

import (
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/isa/row"
	"github.com/goptxas/goptxas/internal/target"
)

// Operations on addresses that stand for the memory of several GPUs, and on
// tensor maps.

const (
	tFP8x    = row.F8 | row.E4M3x2 | row.E5M2x2 | row.E4M3x4 | row.E5M2x4
	multiRed = row.Int32 | row.Int64 | row.B32 | row.B64 | row.F32 | row.F64 | row.Halves | tFP8x
	multiNo  = row.E3M2 | row.E2M3 | row.E3M2x2 | row.E2M3x2 | row.E2M1x2 | row.UE8M0x2 | row.E3M2x4 | row.E2M3x4 | row.E2M1x4
	multiSt  = row.Int32 | row.Int64 | row.B32 | row.B64 | row.F32 | row.F64 | row.Halves | tFP8x
)

var multiMods = []isa.Slot{isa.SlotSpace, isa.SlotSem, isa.SlotScope, isa.SlotVec, isa.SlotOp}

var Multimem = row.Op{Rows: []row.Row{
	{
		Words: []isa.Word{isa.WLdReduce}, Name: "multimem.ld_reduce",
		Forms: []row.Form{{Types: []row.TypeSet{multiRed}, Args: "dm", May: row.EarlyRed | row.EarlyBool}, {Types: []row.TypeSet{multiNo}, Args: "!", May: row.EarlyRed | row.EarlyBool}},
		Mods:  multiMods, Spaces: row.Spaces{Set: row.Global, Min: 0, Max: 1},
		Gates: []row.Gate{{V: 81, SM: 90, TargetFirst: true}},
		Rules: []row.Rule{{At: isa.NoSlot, Do: multiNeeds}, {At: isa.NoSlot, Do: multiOp}, {At: isa.NoSlot, Do: multiTypes}, {At: isa.NoSlot, Do: multiAcc}, {At: isa.NoSlot, Do: multiVec}, {At: isa.SlotLayout, Do: multiNoVec}, {At: isa.SlotCmp, Do: needOp}, {At: isa.SlotSem, Do: multiLdSem}, {At: isa.SlotSem, Do: multiScope}, {At: isa.SlotRead, Do: multiNoVector}},
		Flags: row.FlagVector | row.FlagPredVoid,
	},
	{
		Words: []isa.Word{isa.WSt}, Name: "multimem.st",
		Forms: []row.Form{{Types: []row.TypeSet{multiSt}, Args: "ma"}, {Types: []row.TypeSet{multiNo}, Args: "!"}},
		Mods:  multiMods, Spaces: row.Spaces{Set: row.Global, Min: 0, Max: 1},
		Gates: []row.Gate{{V: 81, SM: 90, TargetFirst: true}},
		Rules: []row.Rule{{At: isa.NoSlot, Do: multiNeeds}, {At: isa.NoSlot, Do: multiTypes}, {At: isa.NoSlot, Do: multiVec}, {At: isa.SlotLayout, Do: multiNoVec}, {At: isa.SlotSem, Do: multiStSem}, {At: isa.SlotSem, Do: multiScope}, {At: isa.SlotRead, Do: multiNoVector}},
		Flags: row.FlagVector | row.FlagPredVoid,
	},
	{
		Words: []isa.Word{isa.WRed}, Name: "multimem.red",
		Forms: []row.Form{{Types: []row.TypeSet{multiRed &^ tFP8x}, Args: "ma", May: row.EarlyRed | row.EarlyBool}},
		Mods:  multiMods, Spaces: row.Spaces{Set: row.Global, Min: 0, Max: 1},
		Gates: []row.Gate{{V: 81, SM: 90, TargetFirst: true}},
		Rules: []row.Rule{{At: isa.NoSlot, Do: multiNeeds}, {At: isa.NoSlot, Do: multiOp}, {At: isa.NoSlot, Do: multiTypes}, {At: isa.NoSlot, Do: multiVec}, {At: isa.SlotLayout, Do: multiNoVec}, {At: isa.SlotCmp, Do: needOp}, {At: isa.SlotSem, Do: multiStSem}, {At: isa.SlotRead, Do: multiNoVector}},
		Flags: row.FlagVector | row.FlagPredVoid,
	},
}}

// multiTypes: eight-bit floats came later, and small elements come in
// vectors only.
func multiTypes(c *row.Checker) {
	in := c.In
	t := in.Types[0]
	if tFP8x.Has(t) {
		c.Gate(&row.Gate{Name: t.String(), Plain: true, V: 86, Only: target.OnF100 | target.OnA120, TargetFirst: true})
	}
	if (row.Half | row.F8).Has(t) && !in.Has(isa.SlotVec) {
		c.Errorf("Unexpected instruction types specified for '%s'", c.Row.Name)
	}
}

// multiAcc: wider accumulators.
func multiAcc(c *row.Checker) {
	in := c.In
	t := in.Types[0]
	switch in.Mod(isa.SlotAcc) {
	case isa.WAccF32:
		if !row.Halves.Has(t) {
			c.Errorf("Illegal modifier '.acc::f32' for instruction '%s' with type '%s'", c.Row.Name, t)
		}
		c.Gate(&row.Gate{Name: ".acc::f32", Plain: true, V: 82, SM: 90, Mod: true, ModV: true, TargetFirst: true})
	case isa.WAccF16:
		if !tFP8x.Has(t) {
			c.Errorf("Illegal modifier '.acc::f16' for instruction '%s' with type '%s'", c.Row.Name, t)
			return
		}
		c.Gate(&row.Gate{Name: ".acc::f16", Plain: true, V: 86, ModV: true, Only: target.OnF100 | target.OnA120})
	}
}

// multiOp: which reductions go with which types.
func multiOp(c *row.Checker) {
	in := c.In
	w, t := in.Mod(isa.SlotOp), in.Types[0]
	extreme := w == isa.WMin || w == isa.WMax
	if acc := in.Mod(isa.SlotAcc); extreme && acc != isa.WNone {
		c.Errorf("Illegal reduction operation for instruction '%s.%s'", c.Row.Name, acc)
	}
	ok := reduction(c, row.Int32|row.U64|row.F32|row.F64|row.Halves|tFP8x, row.Int32|row.Int64|row.Halves|tFP8x, 0)
	if ok == 0 {
		return
	}
	if c.Row.Name == "multimem.red" && extreme && !in.Has(isa.SlotVec) {
		ok &^= row.Halfx2 // extremes of halves are for vectors
	}
	if !ok.Has(t) {
		c.Errorf("Incorrect type '%s' for operation '.%s' in instruction '%s'", t, w, c.Row.Name)
	}
}

// multiVec: vectors are of floats, of 32 to 128 bits, and the operand is one.
func multiVec(c *row.Checker) {
	in := c.In
	t, n := in.Types[0], in.Vec()
	if !in.Has(isa.SlotVec) || !t.IsFloat() {
		return
	}
	if bits := n * t.Bits(); bits > 128 || bits < 32 || t == isa.F64 {
		c.Errorf("Inconsistent type '%s' with vector .v%d for '%s'", t, n, c.Row.Name)
	}
	if i := multiArg(c); row.VectorLen(&in.Args[i]) != n {
		c.Errorf("Vector of size %d is expected for argument %d of instruction '%s'", n, i, c.Row.Name)
	}
}

// multiArg is the place of the value beside the address.
func multiArg(c *row.Checker) int {
	if c.Letter(0) == 'm' {
		return 1
	}
	return 0
}

// multiNoVec: integers come alone.
func multiNoVec(c *row.Checker) {
	if c.In.Has(isa.SlotVec) && !c.In.Types[0].IsFloat() {
		c.Errorf("Vector qualifier is not allowed for instruction '%s'", c.Row.Name)
	}
}

func multiNoVector(c *row.Checker) {
	if !c.In.Types[0].IsFloat() && c.In.Args[multiArg(c)].Kind == isa.KVector {
		c.Errorf("Vector operand is not allowed for instruction '%s'", c.Row.Name)
	}
}

func multiLdSem(c *row.Checker) { semOf(c, isa.WRelaxed, isa.WAcquire) }
func multiStSem(c *row.Checker) { semOf(c, isa.WRelaxed, isa.WRelease) }

// multiNeeds: an order needs a scope and a scope an order.
func multiNeeds(c *row.Checker) {
	sem, scope := c.In.Mod(isa.SlotSem), c.In.Mod(isa.SlotScope)
	switch {
	case scope == isa.WNone && sem != isa.WNone && sem != isa.WWeak:
		c.Errorf("Modifier '.%s' requires scope with '%s' instruction", sem, c.Row.Name)
	case scope != isa.WNone && sem == isa.WNone:
		c.Errorf("Modifier '.%s' requires order with '%s' instruction", scope, c.Row.Name)
	}
}

// multiScope: loads and stores say it once more.
func multiScope(c *row.Checker) {
	sem, scope := c.In.Mod(isa.SlotSem), c.In.Mod(isa.SlotScope)
	switch {
	case scope == isa.WNone && sem != isa.WNone && sem != isa.WWeak:
		c.Errorf("Modifier '.%s' requires scope with '%s' instruction", sem, c.Row.Name)
	case scope != isa.WNone && (sem == isa.WNone || sem == isa.WWeak):
		c.Errorf("Modifier '.weak' cannot be combined with modifier '.%s'", scope)
	}
}

var Tensormap = row.Op{Rows: []row.Row{
	{
		Words: []isa.Word{isa.WReplace}, Name: "tensormap.replace",
		Forms: []row.Form{
			{Types: []row.TypeSet{row.B1024, row.B32 | row.B64}, Args: "mb", May: row.EarlyTile},
			{Types: []row.TypeSet{row.B1024, row.B32 | row.B64}, Args: "mib", May: row.EarlyTile},
			{Types: []row.TypeSet{row.B32 | row.B64}, Args: "ma", May: row.EarlyTile},
			{Types: []row.TypeSet{row.B32 | row.B64}, Args: "mia", May: row.EarlyTile},
		},
		Mods: []isa.Slot{isa.SlotSpace}, Spaces: row.Spaces{Set: row.Global | row.SharedCTA, Min: 0, Max: 1},
		Gates: []row.Gate{
			{V: 83, Only: target.On90a | target.OnF100 | target.OnF120, Inst: true, If: notAtomicity},
			{Name: "tensormap.replace.swizzle_atomicity", V: 86, Only: target.OnF100 | target.OnF120, Inst: true, W: isa.WSwizzleAtomicity},
		},
		Rules: []row.Rule{{At: isa.NoSlot, Do: replaceField}, {At: isa.SlotSpace, Do: replaceTile}, {At: isa.NoSlot, Do: replaceValue}},
		Flags: row.FlagSharedCTA,
	},
	{
		Words: []isa.Word{isa.WCpFenceproxy}, Name: "tensormap.cp_fenceproxy",
		Forms:  []row.Form{{Args: "mmi", May: row.EarlySync}},
		Mods:   []isa.Slot{isa.SlotSpace, isa.SlotProxy, isa.SlotSem, isa.SlotScope, isa.SlotAligned},
		Spaces: row.Spaces{Set: row.Global | row.SharedCTA, Min: 2, Max: 2},
		Gates:  []row.Gate{{V: 83}},
		Rules:  []row.Rule{{At: isa.NoSlot, Do: fenceproxyTarget}, {At: isa.NoSlot, Do: fenceproxyMods}, {At: isa.NoSlot, Do: fenceproxySize}, {At: isa.SlotNocomp, Do: row.NeedSync}},
		Flags:  row.FlagManySpaces,
	},
}}

func notAtomicity(c *row.Checker) bool { return c.In.Mod(isa.SlotField) != isa.WSwizzleAtomicity }

// replaceFields are the fields with the type they take, and the largest
// value of those that are enumerations.
var replaceFields = [...]struct {
	w       isa.Word
	wide    bool
	ordinal bool
	max     int64
}{
	{w: isa.WGlobalAddress, wide: true},
	{w: isa.WRank},
	{w: isa.WBoxDim, ordinal: true, max: 4},
	{w: isa.WGlobalDim, ordinal: true, max: 4},
	{w: isa.WGlobalStride, wide: true, ordinal: true, max: 4},
	{w: isa.WElementStride, ordinal: true, max: 4},
	{w: isa.WElemtype, max: 15},
	{w: isa.WInterleaveLayout, max: 2},
	{w: isa.WSwizzleMode, max: 3},
	{w: isa.WSwizzleAtomicity, max: 3},
	{w: isa.WFillMode, max: 1},
}

// replaceField: the field and the width of its value.
func replaceField(c *row.Checker) {
	in := c.In
	if in.Mod(isa.SlotTile) == isa.WNone {
		c.Errorf(".tile modifier required for instruction 'tensormap.replace'")
	} else if in.Mod(isa.SlotTile) != isa.WTile {
		c.Illegal(".tile")
	}
	if in.NTypes == 1 {
		c.Errorf("Tensormap size modifier required for instruction 'tensormap.replace'")
		return
	}
	w := in.Mod(isa.SlotField)
	if w == isa.WNone {
		if in.Types[1] == isa.B64 {
			c.Errorf("Illegal modifier '' for instruction 'tensormap.replace' with type '.b64'")
		}
		c.Errorf("Tensormap field modifier required for instruction 'tensormap.replace'")
		return
	}
	for i := range replaceFields {
		f := &replaceFields[i]
		if f.w != w {
			continue
		}
		if f.wide != (in.Types[1] == isa.B64) {
			c.Errorf("Illegal modifier '.%s' for instruction 'tensormap.replace' with type '%s'", w, in.Types[1])
		}
		if f.ordinal != (len(in.Args) == 3) {
			c.Errorf("Arguments mismatch for instruction 'tensormap.replace'")
		}
	}
}

func replaceTile(c *row.Checker) {
	if c.In.Mod(isa.SlotTile) == isa.WTile {
		c.TargetFeature(".tile", 80, 90)
	}
}

// replaceValue: what must be a constant is one and lies in the range of the
// field.
func replaceValue(c *row.Checker) {
	in := c.In
	w := in.Mod(isa.SlotField)
	o := &in.Args[1]
	for i := range replaceFields {
		f := &replaceFields[i]
		if f.w != w || f.max == 0 {
			continue
		}
		if o.Kind != isa.KInt {
			c.Errorf("Integer constant expression expected")
			continue
		}
		top := f.max
		if w == isa.WElemtype && c.Lacks(0, 100) {
			top = 12
		}
		if w == isa.WSwizzleMode && o.Value == 4 {
			if c.Ctx.Version < 88 {
				c.Errorf("Instruction 'tensormap.replace.swizzle_mode with input value == 4' requires PTX ISA .version 8.8 or later")
			}
			if c.Bit&target.On103a != 0 {
				top = 4
			}
		}
		if o.Value < 0 || o.Value > top {
			c.Errorf("Argument 1 of instruction 'tensormap.replace': value '%d' expected to be in range [0..%d] when .%s modifier is used.", o.Value, top, w)
		}
	}
}

func fenceproxyTarget(c *row.Checker) {
	if c.Lacks(0, 90) {
		c.Errorf("Instruction 'tensormap.cp_fenceproxy' not supported on .target '%s'", c.Ctx.Target)
	}
}

// fenceproxyMods: the copy releases from the generic to the tensor map proxy.
func fenceproxyMods(c *row.Checker) {
	in := c.In
	if in.Mod(isa.SlotProxy) != isa.WTensormapGeneric {
		c.Errorf(".tensormap::generic modifier required for instruction '%s'", c.Row.Name)
	}
	if in.Mod(isa.SlotSem) != isa.WRelease {
		c.Errorf(".release modifier required for instruction '%s'", c.Row.Name)
	}
	if !in.Has(isa.SlotScope) {
		c.Errorf("scope modifier required for instruction '%s'", c.Row.Name)
		if w := in.Mod(isa.SlotSem); w != isa.WNone {
			c.Errorf("Modifier '.%s' requires scope with '%s' instruction", w, c.Row.Name)
		}
	}
	row.NeedSync(c)
	if !in.Has(isa.SlotAligned) {
		c.Errorf(".aligned modifier required for instruction '%s'", c.Row.Name)
	}
}

// fenceproxySize: a tensor map has 128 bytes.
func fenceproxySize(c *row.Checker) {
	if v := c.In.Args[2].Value; v != 128 {
		c.Errorf("Argument 2 of instruction '%s': unexpected value '%d', expected to be 128", c.Row.Name, v)
	}
}
