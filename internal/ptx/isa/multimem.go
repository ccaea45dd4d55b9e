package isa

import "github.com/goptxas/goptxas/internal/target"

// Operations on addresses that stand for the memory of several GPUs, and on
// tensor maps.

const (
	tFP8x    = tF8 | tE4M3x2 | tE5M2x2 | tE4M3x4 | tE5M2x4
	multiRed = tInt32 | tInt64 | tB32 | tB64 | tF32 | tF64 | tHalves | tFP8x
	multiSt  = tInt32 | tInt64 | tB32 | tB64 | tF32 | tF64 | tHalves | tFP8x
)

var multiMods = []Slot{SlotSpace, SlotSem, SlotScope, SlotVec, SlotOp}

var opMultimem = Op{Rows: []Row{
	{
		Words: []Word{WLdReduce}, Name: "multimem.ld_reduce",
		Forms: []Form{{Types: []TypeSet{multiRed}, Args: "dm", May: eRed | eBool}},
		Mods:  multiMods, Spaces: Spaces{sGlobal, 0, 1},
		Gates: []Gate{{V: 81, SM: 90, TargetFirst: true}},
		Rules: []Rule{{NoSlot, multiTypes}, {NoSlot, multiAcc}, {NoSlot, multiLdScope}, {SlotSem, multiLdSem}, {SlotSem, multiScope}, {SlotDim, multiOp}, {SlotCmp, needOp}, {SlotDim, multiVec}},
		Flags: fVectorIf,
	},
	{
		Words: []Word{WSt}, Name: "multimem.st",
		Forms: []Form{{Types: []TypeSet{multiSt}, Args: "ma"}},
		Mods:  multiMods, Spaces: Spaces{sGlobal, 0, 1},
		Gates: []Gate{{V: 81, SM: 90, TargetFirst: true}},
		Rules: []Rule{{NoSlot, multiTypes}, {SlotSem, multiStSem}, {SlotSem, multiScope}, {SlotDim, multiVec}},
		Flags: fVectorIf,
	},
	{
		Words: []Word{WRed}, Name: "multimem.red",
		Forms: []Form{{Types: []TypeSet{multiRed}, Args: "ma", May: eRed | eBool}},
		Mods:  multiMods, Spaces: Spaces{sGlobal, 0, 1},
		Gates: []Gate{{V: 81, SM: 90, TargetFirst: true}},
		Rules: []Rule{{NoSlot, multiTypes}, {SlotSem, multiStSem}, {SlotSem, multiScope}, {SlotDim, multiOp}, {SlotCmp, needOp}, {SlotDim, multiVec}},
		Flags: fVectorIf,
	},
}}

// multiTypes: eight-bit floats came later, and small elements come in
// vectors only.
func multiTypes(c *checker) {
	in := c.in
	t := in.Types[0]
	if tFP8x.has(t) {
		c.gate(&Gate{Name: t.String(), Plain: true, V: 86, Only: target.OnF100 | target.OnA120, TargetFirst: true})
	}
	if (tHalf | tF8).has(t) && !in.Has(SlotVec) {
		c.errorf("Unexpected instruction types specified for '%s'", c.row.Name)
	}
}

// multiAcc: wider accumulators.
func multiAcc(c *checker) {
	in := c.in
	t := in.Types[0]
	switch in.Mod(SlotAcc) {
	case WAccF32:
		if !tHalves.has(t) {
			c.errorf("Illegal modifier '.acc::f32' for instruction '%s' with type '%s'", c.row.Name, t)
		}
		c.gate(&Gate{Name: ".acc::f32", Plain: true, V: 82, SM: 90, Mod: true, ModV: true, TargetFirst: true})
	case WAccF16:
		if !tFP8x.has(t) {
			c.errorf("Illegal modifier '.acc::f16' for instruction '%s' with type '%s'", c.row.Name, t)
			return
		}
		c.gate(&Gate{Name: ".acc::f16", Plain: true, V: 86, ModV: true, Only: target.OnF100 | target.OnA120})
	}
}

// multiOp: which reductions go with which types.
func multiOp(c *checker) {
	in := c.in
	w, t := in.Mod(SlotOp), in.Types[0]
	extreme := w == WMin || w == WMax
	if acc := in.Mod(SlotAcc); extreme && acc != WNone {
		c.errorf("Illegal reduction operation for instruction '%s.%s'", c.row.Name, acc)
	}
	ok := c.reduction(tInt32|tU64|tF32|tF64|tHalves|tFP8x, tInt32|tInt64|tHalves|tFP8x, 0)
	if ok == 0 {
		return
	}
	if c.row.Name == "multimem.red" && extreme && !in.Has(SlotVec) {
		ok &^= tHalfx2 // extremes of halves are for vectors
	}
	if !ok.has(t) {
		c.errorf("Incorrect type '%s' for operation '.%s' in instruction '%s'", t, w, c.row.Name)
	}
}

// multiVec: vectors are of floats, of 32 to 128 bits.
func multiVec(c *checker) {
	in := c.in
	if !in.Has(SlotVec) {
		return
	}
	t, n := in.Types[0], in.Vec()
	if bits := n * t.Bits(); bits > 128 || bits < 32 || !t.IsFloat() || t == F64 {
		c.errorf("Inconsistent type '%s' with vector .v%d for '%s'", t, n, c.row.Name)
	}
}

func multiLdSem(c *checker) { c.semOf(WRelaxed, WAcquire) }
func multiStSem(c *checker) { c.semOf(WRelaxed, WRelease) }

// multiLdScope: the reference says it twice for loads.
func multiLdScope(c *checker) {
	sem := c.in.Mod(SlotSem)
	if !c.in.Has(SlotScope) && sem != WNone && sem != WWeak {
		c.errorf("Modifier '.%s' requires scope with '%s' instruction", sem, c.row.Name)
	}
}

// multiScope: an order needs a scope and a scope an order.
func multiScope(c *checker) {
	in := c.in
	sem, scope := in.Mod(SlotSem), in.Mod(SlotScope)
	switch {
	case scope == WNone && sem != WNone && sem != WWeak:
		c.errorf("Modifier '.%s' requires scope with '%s' instruction", sem, c.row.Name)
	case scope != WNone && (sem == WNone || sem == WWeak):
		if sem == WNone {
			c.errorf("Modifier '.%s' requires order with '%s' instruction", scope, c.row.Name)
		}
		c.errorf("Modifier '.weak' cannot be combined with modifier '.%s'", scope)
	}
}

var opTensormap = Op{Rows: []Row{
	{
		Words: []Word{WReplace}, Name: "tensormap.replace",
		Forms: []Form{
			{Types: []TypeSet{tB1024, tB32 | tB64}, Args: "mb", May: eTile},
			{Types: []TypeSet{tB1024, tB32 | tB64}, Args: "mib", May: eTile},
		},
		Mods: []Slot{SlotSpace}, Spaces: Spaces{sGlobal | sCTA, 0, 1},
		Gates: []Gate{
			{V: 83, Only: target.On90a | target.OnF100 | target.OnF120, Inst: true, If: notAtomicity},
			{Name: "tensormap.replace.swizzle_atomicity", V: 86, Only: target.OnF100 | target.OnF120, Inst: true, W: WSwizzleAtomicity},
		},
		Rules: []Rule{{SlotDim, replaceField}, {SlotRead, replaceValue}},
		Flags: fSharedCTA,
	},
	{
		Words: []Word{WCpFenceproxy}, Name: "tensormap.cp_fenceproxy",
		Forms: []Form{{Args: "mmi", May: eSync}},
		Mods:  []Slot{SlotSpace, SlotProxy, SlotSem, SlotScope, SlotAligned}, Need: []Slot{SlotAligned},
		Spaces: Spaces{sGlobal | sCTA, 2, 2},
		Gates:  []Gate{{V: 83}},
		Rules:  []Rule{{NoSlot, fenceproxyTarget}, {SlotProxy, fenceproxyMods}, {SlotRead, needSync}, {SlotRead, fenceproxySize}},
		Flags:  fManySpaces,
	},
}}

func notAtomicity(c *checker) bool { return c.in.Mod(SlotField) != WSwizzleAtomicity }

// replaceFields are the fields with the type they take, and the largest
// value of those that are enumerations.
var replaceFields = [...]struct {
	w       Word
	wide    bool
	ordinal bool
	max     int64
}{
	{w: WGlobalAddress, wide: true},
	{w: WRank},
	{w: WBoxDim, ordinal: true, max: 4},
	{w: WGlobalDim, ordinal: true, max: 4},
	{w: WGlobalStride, wide: true, ordinal: true, max: 4},
	{w: WElementStride, ordinal: true, max: 4},
	{w: WElemtype, max: 15},
	{w: WInterleaveLayout, max: 2},
	{w: WSwizzleMode, max: 3},
	{w: WSwizzleAtomicity, max: 3},
	{w: WFillMode, max: 1},
}

// replaceField: the field and the width of its value.
func replaceField(c *checker) {
	in := c.in
	if in.Mod(SlotTile) == WNone {
		c.errorf(".tile modifier required for instruction 'tensormap.replace'")
	} else if in.Mod(SlotTile) != WTile {
		c.illegal(".tile")
	}
	if in.Mod(SlotTile) == WTile {
		c.targetFeature(".tile", 80, 90)
	}
	w := in.Mod(SlotField)
	if w == WNone {
		c.errorf("Tensormap field modifier required for instruction 'tensormap.replace'")
		return
	}
	for i := range replaceFields {
		f := &replaceFields[i]
		if f.w != w {
			continue
		}
		if f.wide != (in.Types[1] == B64) {
			c.errorf("Illegal modifier '.%s' for instruction 'tensormap.replace' with type '%s'", w, in.Types[1])
		}
		if f.ordinal != (len(in.Args) == 3) {
			c.errorf("Arguments mismatch for instruction 'tensormap.replace'")
		}
	}
}

// replaceValue: constants lie in the range of the field.
func replaceValue(c *checker) {
	in := c.in
	w := in.Mod(SlotField)
	o := &in.Args[1]
	if o.Kind != KInt {
		return
	}
	for i := range replaceFields {
		f := &replaceFields[i]
		if f.w != w || f.max == 0 {
			continue
		}
		top := f.max
		if w == WSwizzleMode && o.Value == 4 && c.bit&target.On103a != 0 {
			top = 4
			if c.ctx.Version < 88 {
				c.errorf("Instruction 'tensormap.replace.swizzle_mode with input value == 4' requires PTX ISA .version 8.8 or later")
			}
		}
		if o.Value < 0 || o.Value > top {
			c.errorf("Argument 1 of instruction 'tensormap.replace': value '%d' expected to be in range [0..%d] when .%s modifier is used.", o.Value, f.max, w)
		}
	}
}

func fenceproxyTarget(c *checker) {
	if c.lacks(0, 90) {
		c.errorf("Instruction 'tensormap.cp_fenceproxy' not supported on .target '%s'", c.ctx.Target)
	}
}

// fenceproxyMods: the copy releases from the generic to the tensor map proxy.
func fenceproxyMods(c *checker) {
	in := c.in
	if in.Mod(SlotProxy) != WTensormapGeneric {
		c.errorf(".tensormap::generic modifier required for instruction '%s'", c.row.Name)
	}
	if in.Mod(SlotSem) != WRelease {
		c.errorf(".release modifier required for instruction '%s'", c.row.Name)
	}
	if !in.Has(SlotScope) {
		c.errorf("scope modifier required for instruction '%s'", c.row.Name)
		if w := in.Mod(SlotSem); w != WNone {
			c.errorf("Modifier '.%s' requires scope with '%s' instruction", w, c.row.Name)
		}
	}
}

// fenceproxySize: a tensor map has 128 bytes.
func fenceproxySize(c *checker) {
	if v := c.in.Args[2].Value; v != 128 {
		c.errorf("Argument 2 of instruction '%s': unexpected value '%d', expected to be 128", c.row.Name, v)
	}
}
