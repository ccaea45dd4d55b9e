package isa

// Atomic operations and reductions.

const atomTypes = tInt32 | tInt64 | tB16 | tB32 | tB64 | tB128 | tF32 | tF64 | tHalves

const eAtom = eAdd | eMin | eMax | eAnd | eOr | eXor

var atomForms = []Form{
	{Types: []TypeSet{atomTypes}, Args: "dma", May: eAtom},
	{Types: []TypeSet{atomTypes}, Args: "dmak", May: eAtom, Must: eHint},
	{Types: []TypeSet{atomTypes}, Args: "dmaa", May: eCas},
	{Types: []TypeSet{atomTypes}, Args: "dmaak", May: eCas, Must: eHint},
}

var atomMods = []Slot{SlotSpace, SlotSem, SlotScope, SlotVec, SlotNoftz, SlotOp}

var opAtom = Op{Rows: []Row{{
	Name: "atom", Forms: atomForms,
	Mods:   atomMods,
	Spaces: Spaces{sGlobal | sSharedAll, 0, 1},
	Gates: []Gate{
		{SM: 11, Inst: true},
		gHint,
	},
	Rules: []Rule{
		{SlotEvict2, hintSpace},
		{SlotSpace, atomGate},
		{SlotLayout, atomNoftz},
		{SlotNoftz, atomVector},
		{SlotNoftz, atomVectorKind},
		{SlotEvict2, casHint},
		{SlotScope, atomScopeGate},
		{SlotCmp, atomOp},
		{SlotSem, atomSem},
	},
	Flags: fVectorIf | fGeneric | fSink,
}}}

var opRed = Op{Rows: []Row{
	{
		Name: "red",
		Forms: []Form{
			{Types: []TypeSet{atomTypes &^ tB16 &^ tB128}, Args: "ma", May: eAtom},
			{Types: []TypeSet{atomTypes &^ tB16 &^ tB128}, Args: "mak", May: eAtom, Must: eHint},
		},
		Mods:   atomMods,
		Spaces: Spaces{sGlobal | sSharedAll, 0, 1},
		Gates:  []Gate{{V: 12}, gHint},
		Rules: []Rule{
			{SlotEvict2, hintSpace},
			{SlotSpace, atomGate},
			{SlotLayout, atomNoftz},
			{SlotNoftz, atomVector},
			{SlotNoftz, atomVectorKind},
			{SlotScope, atomScopeGate},
			{SlotCmp, atomOp},
			{SlotSem, atomSem},
		},
		Flags: fVectorIf | fGeneric,
	},
	{
		Words: []Word{WAsync}, Name: "red.async",
		Forms: []Form{
			{Types: []TypeSet{tInt32 | tInt64 | tB32}, Args: "mam", May: eAtom},
			{Types: []TypeSet{tInt32 | tInt64 | tB32}, Args: "ma", May: eAtom},
		},
		Mods:   []Slot{SlotSpace, SlotDone, SlotSem, SlotScope, SlotMmio, SlotOp},
		Spaces: Spaces{sCluster | sGlobal, 0, 1},
		Gates:  asyncGates,
		Rules:  []Rule{{NoSlot, redAsyncOp}, {NoSlot, asyncNeeds}, {SlotSpace, asyncOldSpace}, {SlotSem, asyncSem}, {SlotScope, asyncScope}, {NoSlot, needOp}, {SlotCmp, needOp}},
	},
}}

// atomRow says from where on one operation on one type exists, in generic or
// global and in shared memory.
type atomRow struct {
	ops      Early // zero for exch, inc and dec
	types    TypeSet
	v, vSh   Version
	sm, smSh int
}

var atomRows = [...]atomRow{
	{eAdd, tF32, 20, 20, 20, 20},
	{eAdd, tF64, 50, 50, 60, 60},
	{eAdd, tF16x2, 62, 62, 60, 60},
	{eAdd, tF16, 63, 63, 70, 70},
	{eAdd, tBF | tBFx2, 78, 78, 90, 90},
	{eMin | eMax, tHalves, 81, 81, 90, 90},
	{eAnd | eOr | eXor, tB64, 31, 31, 32, 32},
	{eMin | eMax, tInt64, 31, 31, 32, 32},
	{eAdd, tU64, 12, 20, 12, 20},
	{eCas, tB64, 12, 20, 12, 20},
	{0, tB64, 12, 20, 12, 20},
	{eCas, tB16, 63, 63, 70, 70},
	{eCas, tB128, 83, 83, 90, 90},
	{0, tB128, 83, 83, 90, 90},
	{eAdd | eMin | eMax | eAnd | eOr | eXor | eCas, tInt32 | tB32, 0, 0, 11, 12},
	{0, tInt32 | tB32, 0, 0, 11, 12},
}

// atomGate: versions and targets of the operation in its space.
func atomGate(c *checker) {
	in := c.in
	op := in.early & eOps
	t := in.Types[0]
	shared := in.Space().Base() == SpaceShared
	for i := range atomRows {
		r := &atomRows[i]
		if !r.types.has(t) || op&^r.ops != 0 || op == 0 && r.ops != 0 {
			continue
		}
		v, sm := r.v, r.sm
		if shared {
			v, sm = r.vSh, r.smSh
		}
		if c.lacks(0, 12) && shared {
			c.errorf("Feature 'shared storage' requires .target sm_12 or higher")
			return
		}
		if c.ctx.SM < sm {
			c.errorf("Instruction '%s' requires .target sm_%d or higher", c.atomName(), sm)
		}
		if c.ctx.Version < v {
			c.errorf("Instruction '%s' requires PTX ISA .version %s or later", c.atomName(), v)
		}
		return
	}
}

// atomName is atom.add.f32.global or "atom.add.f32 with generic state space".
func (c *checker) atomName() string {
	in := c.in
	name := c.row.Name + "." + in.Mod(SlotOp).String() + in.Types[0].String()
	if in.NSpace == 0 {
		return name + " with generic state space"
	}
	return name + in.Space().Base().String()
}

// atomNoftz: additions of halves keep subnormals and say so.
func atomNoftz(c *checker) {
	in := c.in
	half := tHalves.has(in.Types[0])
	switch {
	case half && !in.Has(SlotNoftz):
		c.errorf("'.noftz' modifier required for instruction '%s' with type '%s'", c.row.Name, in.Types[0])
	case !half && in.Has(SlotNoftz):
		c.illegal(".noftz")
	}
}

// atomVector: vectors are for sums and extremes of floats in global memory,
// and extremes of halves are for vectors.
func atomVector(c *checker) {
	in := c.in
	t := in.Types[0]
	if !in.Has(SlotVec) {
		if tHalves.has(t) && in.early&(eMin|eMax) != 0 {
			c.errorf("Vector modifier required for instruction '%s'", c.atomName())
		}
		for i := range in.Args {
			if in.Args[i].Kind == KVector {
				c.errorf("Vector is not expected for argument %d of instruction '%s'", i, c.row.Name)
			}
		}
		return
	}
	if c.lacks(81, 90) {
		c.gate(&Gate{Name: "$ instruction with vector types", V: 81, SM: 90, TargetFirst: true})
	}
	n := in.Vec()
	if t.Bits() == 32 && n == 8 {
		c.errorf("Only .v2 or .v4 vector modifier supported with type %s on .%s operation for %s instruction with vector types", t, in.Mod(SlotOp), c.row.Name)
	}
	for i := range in.Args {
		if k := c.letter(i); (k == 'd' || k == 'a') && in.Args[i].Kind != KVector && in.Args[i].Kind != KSink {
			c.errorf("Vector expected for argument %d", i)
		}
	}
	last := len(in.Args) - 1
	if o := &in.Args[last]; last > 1 && c.letter(last) == 'a' && o.Kind == KVector && len(o.Elems) != n {
		c.errorf("Argument %d of instruction '%s instruction with vector types': Argument vector size mismatch", last, c.row.Name)
		c.errorf("Argument vector size mismatch for instruction '%s'", c.row.Name)
	}
}

// atomScopeGate: scopes came with PTX 5.0 and sm_60.
func atomScopeGate(c *checker) {
	if c.in.Has(SlotScope) && c.in.Mod(SlotScope) != WCluster && !c.in.Has(SlotSem) {
		c.gate(&gScopeAtom)
	}
}

var gScopeAtom = Gate{Name: "scopes on atomic operations", V: 50, SM: 60, TargetFirst: true}

// atomTypes of the operations, and how the complaint lists them.
var atomOps = [...]struct {
	w     Word
	types TypeSet
	list  string
}{
	{WAdd, tInt32 | tU64 | tF32 | tF64 | tHalves, ".u32 or .s32 or .u64 or .f64 or f16 or f16x2 or .f32 or .bf16 or .bf16x2"},
	{WMin, tInt32 | tInt64 | tHalves, ".u32 or .s32 or .u64 or .s64 or .f16 or .f16x2 or .bf16 or .bf16x2"},
	{WMax, tInt32 | tInt64 | tHalves, ".u32 or .s32 or .u64 or .s64 or .f16 or .f16x2 or .bf16 or .bf16x2"},
	{WAnd, tB32 | tB64, ".b32 or .b64"},
	{WOr, tB32 | tB64, ".b32 or .b64"},
	{WXor, tB32 | tB64, ".b32 or .b64"},
	{WInc, tU32, ".u32"},
	{WDec, tU32, ".u32"},
	{WExch, tB32 | tB64 | tB128, ".b32 or .b64 or .b128"},
	{WCas, tB16 | tB32 | tB64 | tB128, ".b16 or .b32 or .b64 or .b128"},
}

// atomOp: the operation exists on the type.
func atomOp(c *checker) {
	in := c.in
	w := in.Mod(SlotOp)
	if w == WNone {
		c.errorf("Illegal operation '' for instruction '%s'", c.row.Name)
		c.errorf("Operation  requires  type for instruction '%s'", c.row.Name)
		c.errorf("Reduction operation is required for instruction '%s'", c.row.Name)
		return
	}
	if c.row.Name == "red" && w == WExch {
		c.errorf("Illegal operation '.exch' for instruction 'red'")
		c.errorf("Operation .exch requires  type for instruction 'red'")
		return
	}
	for i := range atomOps {
		if o := &atomOps[i]; o.w == w && !o.types.has(in.Types[0]) {
			c.errorf("Operation .%s requires %s type for instruction '%s'", w, o.list, c.row.Name)
		}
	}
}

// redAsyncOp: sums and extremes of integers, logic of bits.
func redAsyncOp(c *checker) {
	in := c.in
	w := in.Mod(SlotOp)
	var ok TypeSet
	switch w {
	case WAdd:
		ok = tInt32 | tInt64
	case WMin, WMax:
		ok = tInt32
	case WInc, WDec:
		ok = tU32
	case WAnd, WOr, WXor:
		ok = tB32
	default:
		return
	}
	if !ok.has(in.Types[0]) {
		c.errorf("Incorrect type '%s' for operation '.%s' in instruction 'red.async'", in.Types[0], w)
	}
}

// needOp: a reduction names its operation.
func needOp(c *checker) {
	if !c.in.Has(SlotOp) {
		c.errorf("Reduction operation is required for instruction '%s'", c.row.Name)
	}
}

// atomSem: the orders of atomics.
func atomSem(c *checker) {
	in := c.in
	w := in.Mod(SlotSem)
	ok := w == WNone || w == WRelaxed || w == WRelease || c.row.Name == "atom" && (w == WAcquire || w == WAcqRel)
	if !ok {
		c.illegal("." + w.String())
	}
	if in.Mod(SlotScope) == WGl {
		c.illegal(".gl")
	}
	if in.Has(SlotMmio) {
		c.errorf("Modifier '.mmio' requires scope with '%s' instruction", c.row.Name)
	}
}
