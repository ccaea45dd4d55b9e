package memory

import (
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/isa/row"
)

// Atomic operations and reductions.

const atomTypes = row.Int32 | row.Int64 | row.B16 | row.B32 | row.B64 | row.B128 | row.F32 | row.F64 | row.Halves

const casTypes = row.B16 | row.B32 | row.B64 | row.B128

const eAtom = row.EarlyAdd | row.EarlyMin | row.EarlyMax | row.EarlyAnd | row.EarlyOr | row.EarlyXor

var atomForms = []row.Form{
	{Types: []row.TypeSet{atomTypes}, Args: "dma", May: eAtom},
	{Types: []row.TypeSet{atomTypes}, Args: "dmak", May: eAtom, Must: row.EarlyHint},
	{Types: []row.TypeSet{casTypes}, Args: "dmaa", May: row.EarlyCas},
	{Types: []row.TypeSet{casTypes}, Args: "dmaak", May: row.EarlyCas, Must: row.EarlyHint},
}

var atomMods = []isa.Slot{isa.SlotSpace, isa.SlotSem, isa.SlotScope, isa.SlotVec, isa.SlotNoftz, isa.SlotOp}

var Atom = row.Op{Rows: []row.Row{{
	Name: "atom", Forms: atomForms,
	Mods:   atomMods,
	Spaces: row.Spaces{Set: row.Global | row.SharedAll, Min: 0, Max: 1},
	Gates: []row.Gate{
		{SM: 11, Inst: true},
		gHintAtom,
	},
	Rules: []row.Rule{
		{At: isa.SlotEvict2, Do: hintSpace},
		{At: isa.SlotVec, Do: atomNotNoftz},
		{At: isa.SlotCmp, Do: atomNoftz},
		{At: isa.SlotCmp, Do: atomVector},
		{At: isa.SlotVec, Do: atomGate},
		{At: isa.SlotScope, Do: atomNone},
		{At: isa.SlotScope, Do: casHint},
		{At: isa.SlotScope, Do: atomScopeGate},
		{At: isa.SlotCmp, Do: atomOp},
		{At: isa.SlotSem, Do: atomOrderGate},
		{At: isa.SlotSem, Do: atomSem},
	},
	Flags: row.FlagVectorIf | row.FlagGeneric | row.FlagSink | row.FlagPredVoid,
}}}

var Red = row.Op{Rows: []row.Row{
	{
		Name: "red",
		Forms: []row.Form{
			{Types: []row.TypeSet{atomTypes &^ row.B16 &^ row.B128}, Args: "ma", May: eAtom},
			{Types: []row.TypeSet{atomTypes &^ row.B16 &^ row.B128}, Args: "mak", May: eAtom, Must: row.EarlyHint},
		},
		Mods:   atomMods,
		Spaces: row.Spaces{Set: row.Global | row.SharedAll, Min: 0, Max: 1},
		Gates:  []row.Gate{{V: 12}, gHintAtom},
		Rules: []row.Rule{
			{At: isa.SlotEvict2, Do: hintSpace},
			{At: isa.SlotVec, Do: atomNotNoftz},
			{At: isa.SlotCmp, Do: atomNoftz},
			{At: isa.SlotCmp, Do: atomVector},
			{At: isa.SlotVec, Do: atomGate},
			{At: isa.SlotScope, Do: atomScopeGate},
			{At: isa.SlotScope, Do: atomNone},
			{At: isa.SlotCmp, Do: atomOp},
			{At: isa.SlotSem, Do: atomOrderGate},
			{At: isa.SlotSem, Do: atomSem},
		},
		Flags: row.FlagVectorIf | row.FlagGeneric | row.FlagPredVoid,
	},
	{
		Words: []isa.Word{isa.WAsync}, Name: "red.async",
		Forms: []row.Form{
			{Types: []row.TypeSet{row.Int32 | row.Int64 | row.B32}, Args: "mam", May: eAtom},
			{Types: []row.TypeSet{row.Int32 | row.Int64 | row.B32}, Args: "ma", May: eAtom},
		},
		Mods:   []isa.Slot{isa.SlotSpace, isa.SlotDone, isa.SlotSem, isa.SlotScope, isa.SlotMmio, isa.SlotOp},
		Spaces: row.Spaces{Set: row.SharedCluster | row.Global, Min: 0, Max: 1},
		Gates:  asyncGates,
		Rules:  []row.Rule{{At: isa.NoSlot, Do: redAsyncOp}, {At: isa.NoSlot, Do: asyncNeeds}, {At: isa.SlotSpace, Do: asyncOldSpace}, {At: isa.SlotSem, Do: asyncSem}, {At: isa.SlotSem, Do: asyncNeedsScope}, {At: isa.SlotScope, Do: asyncScope}, {At: isa.NoSlot, Do: needOp}, {At: isa.SlotCmp, Do: needOp}},
	},
}}

// gHintAtom is gHint where atomics look at it.
var gHintAtom = row.Gate{At: isa.SlotNoftz, Name: ".L2::cache_hint", V: 74, SM: 80, TargetFirst: true, W: isa.WL2CacheHint, Mod: true, ModV: true}

// atomRow says from where on one operation on one type exists, in generic or
// global and in shared memory.
type atomRow struct {
	ops      row.Early // zero for exch, inc and dec
	types    row.TypeSet
	v, vSh   isa.Version
	sm, smSh int
}

var atomRows = [...]atomRow{
	{row.EarlyAdd, row.F32, 20, 20, 20, 20},
	{row.EarlyAdd, row.F64, 50, 50, 60, 60},
	{row.EarlyAdd, row.F16x2, 62, 62, 60, 60},
	{row.EarlyAdd, row.F16, 63, 63, 70, 70},
	{row.EarlyAdd, row.BF16 | row.BF16x2, 78, 78, 90, 90},
	{row.EarlyMin | row.EarlyMax, row.Halves, 81, 81, 90, 90},
	{row.EarlyAnd | row.EarlyOr | row.EarlyXor, row.B64, 31, 31, 32, 32},
	{row.EarlyMin | row.EarlyMax, row.Int64, 31, 31, 32, 32},
	{row.EarlyAdd, row.U64, 12, 20, 12, 20},
	{row.EarlyCas, row.B64, 12, 20, 12, 20},
	{0, row.B64, 12, 20, 12, 20},
	{row.EarlyCas, row.B16, 63, 63, 70, 70},
	{row.EarlyCas, row.B128, 83, 83, 90, 90},
	{0, row.B128, 83, 83, 90, 90},
	{row.EarlyAdd | row.EarlyMin | row.EarlyMax | row.EarlyAnd | row.EarlyOr | row.EarlyXor | row.EarlyCas, row.Int32 | row.B32, 0, 0, 11, 12},
	{0, row.Int32 | row.B32, 0, 0, 11, 12},
}

// atomGate: versions and targets of the operation in its space.
func atomGate(c *row.Checker) {
	in := c.In
	op := in.Early & row.EarlyOps
	t := in.Types[0]
	shared := in.Space().Base() == isa.SpaceShared
	for i := range atomRows {
		r := &atomRows[i]
		if !r.types.Has(t) || op&^r.ops != 0 || op == 0 && r.ops != 0 {
			continue
		}
		v, sm := r.v, r.sm
		if shared {
			v, sm = r.vSh, r.smSh
		}
		if c.Lacks(0, 12) && shared {
			c.Errorf("Feature 'shared storage' requires .target sm_12 or higher")
			return
		}
		if c.Ctx.SM < sm {
			c.Errorf("Instruction '%s' requires .target sm_%d or higher", atomName(c), sm)
		}
		if c.Ctx.Version < v {
			c.Errorf("Instruction '%s' requires PTX ISA .version %s or later", atomName(c), v)
		}
		return
	}
}

// atomName is atom.add.f32.global or "atom.add.f32 with generic state space".
func atomName(c *row.Checker) string {
	in := c.In
	name := c.Row.Name + "." + in.Mod(isa.SlotOp).String() + in.Types[0].String()
	if in.NSpace == 0 {
		return name + " with generic state space"
	}
	return name + in.Space().Base().String()
}

// atomNoftz: additions of halves keep subnormals and say so.
func atomNoftz(c *row.Checker) {
	in := c.In
	half := row.Halves.Has(in.Types[0])
	if half && !in.Has(isa.SlotNoftz) {
		c.Errorf("'.noftz' modifier required for instruction '%s' with type '%s'", c.Row.Name, in.Types[0])
	}
}

// atomNotNoftz: and others flush nothing anyway.
func atomNotNoftz(c *row.Checker) {
	if c.In.Has(isa.SlotNoftz) && !row.Halves.Has(c.In.Types[0]) {
		c.Illegal(".noftz")
	}
}

// atomVector: vectors are for sums and extremes of floats in global memory,
// and extremes of halves are for vectors.
func atomVector(c *row.Checker) {
	in := c.In
	t := in.Types[0]
	if !in.Has(isa.SlotVec) {
		if w := in.Mod(isa.SlotOp); row.Halves.Has(t) && (w == isa.WMin || w == isa.WMax) {
			c.Errorf("Vector modifier required for instruction '%s'", atomName(c))
		}
		for i := len(in.Args) - 1; i >= 0; i-- {
			if in.Args[i].Kind == isa.KVector {
				c.Errorf("Vector is not expected for argument %d of instruction '%s'", i, c.Row.Name)
			}
		}
		return
	}
	floats := (row.Halves | row.F32).Has(t)
	if !floats {
		c.Errorf("Vector qualifier is not allowed for instruction '%s'", c.Row.Name)
	}
	if c.Lacks(81, 90) {
		c.Gate(&row.Gate{Name: "$ instruction with vector types", V: 81, SM: 90, TargetFirst: true})
	}
	if in.Space().Base() == isa.SpaceShared {
		c.Errorf("State space incorrect for feature '%s instruction with vector types'", c.Row.Name)
	}
	if !floats {
		c.Errorf("Unexpected instruction types specified for '%s instruction with vector types'", c.Row.Name)
	}
	n := in.Vec()
	if !floats || t.Bits() == 32 && n == 8 {
		c.Errorf("Only .v2 or .v4 vector modifier supported with type %s on .%s operation for %s instruction with vector types", t, in.Mod(isa.SlotOp), c.Row.Name)
	}
	for i := range in.Args {
		if k := c.Letter(i); (k == 'd' || k == 'a') && in.Args[i].Kind != isa.KVector && in.Args[i].Kind != isa.KSink {
			c.Errorf("Vector expected for argument %d", i)
		}
	}
	last := len(in.Args) - 1
	if o := &in.Args[last]; last > 1 && c.Letter(last) == 'a' && o.Kind == isa.KVector && len(o.Elems) != n {
		c.Errorf("Argument %d of instruction '%s instruction with vector types': Argument vector size mismatch", last, c.Row.Name)
		c.Errorf("Argument vector size mismatch for instruction '%s'", c.Row.Name)
	}
}

// atomScopeGate: scopes came with PTX 5.0 and sm_60.
func atomScopeGate(c *row.Checker) {
	if c.In.Has(isa.SlotScope) && !c.In.Has(isa.SlotSem) {
		c.Gate(&gScopeAtom)
	}
}

// atomOrderGate does so behind what is said of the order of the operation.
func atomOrderGate(c *row.Checker) {
	if c.In.Has(isa.SlotScope) && c.In.Has(isa.SlotSem) {
		c.Gate(&gScopeAtom)
	}
}

var gScopeAtom = row.Gate{Name: "scopes on atomic operations", V: 50, SM: 60, TargetFirst: true}

// atomTypes of the operations, and how the complaint lists them.
var atomOps = [...]struct {
	w     isa.Word
	types row.TypeSet
	list  string
}{
	{isa.WAdd, row.Int32 | row.U64 | row.F32 | row.F64 | row.Halves, ".u32 or .s32 or .u64 or .f64 or f16 or f16x2 or .f32 or .bf16 or .bf16x2"},
	{isa.WMin, row.Int32 | row.Int64 | row.Halves, ".u32 or .s32 or .u64 or .s64 or .f16 or .f16x2 or .bf16 or .bf16x2"},
	{isa.WMax, row.Int32 | row.Int64 | row.Halves, ".u32 or .s32 or .u64 or .s64 or .f16 or .f16x2 or .bf16 or .bf16x2"},
	{isa.WAnd, row.B32 | row.B64, ".b32 or .b64"},
	{isa.WOr, row.B32 | row.B64, ".b32 or .b64"},
	{isa.WXor, row.B32 | row.B64, ".b32 or .b64"},
	{isa.WInc, row.U32, ".u32"},
	{isa.WDec, row.U32, ".u32"},
	{isa.WExch, row.B32 | row.B64 | row.B128, ".b32 or .b64 or .b128"},
	{isa.WCas, row.B16 | row.B32 | row.B64 | row.B128, ".b16 or .b32 or .b64 or .b128"},
}

// atomNone: without an operation no type is right.
func atomNone(c *row.Checker) {
	if !c.In.Has(isa.SlotOp) {
		c.Errorf("Illegal operation '' for instruction '%s'", c.Row.Name)
		c.Errorf("Operation  requires  type for instruction '%s'", c.Row.Name)
	}
}

// atomOp: the operation exists on the type.
func atomOp(c *row.Checker) {
	in := c.In
	w := in.Mod(isa.SlotOp)
	if w == isa.WNone {
		c.Errorf("Reduction operation is required for instruction '%s'", c.Row.Name)
		return
	}
	if c.Row.Name == "red" && w == isa.WExch {
		c.Errorf("Illegal operation '.exch' for instruction 'red'")
		c.Errorf("Operation .exch requires  type for instruction 'red'")
		return
	}
	for i := range atomOps {
		if o := &atomOps[i]; o.w == w && !o.types.Has(in.Types[0]) {
			c.Errorf("Operation .%s requires %s type for instruction '%s'", w, o.list, c.Row.Name)
		}
	}
}

// redAsyncOp: sums and extremes of integers, logic of bits.
func redAsyncOp(c *row.Checker) {
	in := c.In
	w := in.Mod(isa.SlotOp)
	var ok row.TypeSet
	switch w {
	case isa.WAdd:
		ok = row.Int32 | row.Int64
	case isa.WMin, isa.WMax:
		ok = row.Int32
	case isa.WInc, isa.WDec:
		ok = row.U32
	case isa.WAnd, isa.WOr, isa.WXor:
		ok = row.B32
	default:
		return
	}
	if !ok.Has(in.Types[0]) {
		c.Errorf("Incorrect type '%s' for operation '.%s' in instruction 'red.async'", in.Types[0], w)
	}
}

// needOp: a reduction names its operation.
func needOp(c *row.Checker) {
	if !c.In.Has(isa.SlotOp) {
		c.Errorf("Reduction operation is required for instruction '%s'", c.Row.Name)
	}
}

// atomSem: the orders of atomics.
func atomSem(c *row.Checker) {
	in := c.In
	w := in.Mod(isa.SlotSem)
	ok := w == isa.WNone || w == isa.WRelaxed || w == isa.WRelease || c.Row.Name == "atom" && (w == isa.WAcquire || w == isa.WAcqRel)
	if !ok {
		c.Illegal("." + w.String())
	}
	if in.Mod(isa.SlotScope) == isa.WGl {
		c.Illegal(".gl")
	}
}
