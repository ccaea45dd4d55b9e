package isa

// Integer and mixed arithmetic: add, sub, mul, mad, fma and their carry,
// wide and 24-bit kin, and the bit-counting operations.

// Gates that many rows share.
var (
	gHalf = Gate{Name: "f16 arithemetic and compare instructions", V: 42, SM: 53, T: tF16 | tF16x2, TargetFirst: true}
	gBF90 = Gate{Name: "&", V: 78, SM: 90, T: tBF | tBFx2, TargetFirst: true, If: oneType}
	gBF   = Gate{Name: ".bf16", V: 70, SM: 80, T: tBF, TargetFirst: true, If: oneType}
	gBF2  = Gate{Name: ".bf16x2", V: 70, SM: 80, T: tBFx2, TargetFirst: true}
	gMix  = Gate{Name: "&", V: 86, SM: 100, T: tHalf, TargetFirst: true, If: twoTypes}
	gF2   = Gate{Name: "&", V: 86, SM: 100, T: tF32x2, TargetFirst: true}
	gI2   = Gate{Name: "&", V: 80, SM: 90, T: tS16x2 | tU16x2}
	gCc   = Gate{At: SlotCc, Name: ".cc", V: 12, W: WCc, If: not64}
	gCc64 = Gate{At: SlotCc, Name: ".cc with 64bit type", V: 43, SM: 20, W: WCc, T: tInt64, Inst: true}
)

// Modifiers of floating point arithmetic.
var (
	ftzSatRound = []Slot{SlotFtz, SlotSat, SlotRound}
	roundOnly   = []Slot{SlotRound}
)

var opAdd = Op{Rows: []Row{{
	Name: "add",
	Forms: []Form{
		{Types: []TypeSet{tInt}, Args: "daa", Mods: []Slot{SlotSat, SlotCc}},
		{Types: []TypeSet{tS16x2 | tU16x2}, Args: "daa", Mods: []Slot{SlotSat}},
		{Types: []TypeSet{tF32}, Args: "daa", Mods: ftzSatRound, Rnd: rFloat},
		{Types: []TypeSet{tF64}, Args: "daa", Mods: roundOnly, Rnd: rFloat},
		{Types: []TypeSet{tF16 | tF16x2}, Args: "daa", Mods: ftzSatRound, Rnd: rFloat},
		{Types: []TypeSet{tBF | tBFx2}, Args: "daa", Mods: roundOnly, Rnd: rRN},
		{Types: []TypeSet{tF32x2}, Args: "daa", Mods: []Slot{SlotFtz, SlotRound}, Rnd: rFloat},
		{Types: []TypeSet{tF32, tHalf}, Args: "dba", Mods: []Slot{SlotSat, SlotRound}, Rnd: rFloat},
	},
	Gates: []Gate{gHalf, gBF90, gMix, gF2, gI2, gCc, gCc64},
}}}

var opSub = Op{Rows: []Row{{
	Name: "sub",
	Forms: []Form{
		{Types: []TypeSet{tInt}, Args: "daa", Mods: []Slot{SlotSat, SlotCc}},
		{Types: []TypeSet{tF32}, Args: "daa", Mods: ftzSatRound, Rnd: rFloat},
		{Types: []TypeSet{tF64}, Args: "daa", Mods: roundOnly, Rnd: rFloat},
		{Types: []TypeSet{tF16 | tF16x2}, Args: "daa", Mods: ftzSatRound, Rnd: rFloat},
		{Types: []TypeSet{tBF | tBFx2}, Args: "daa", Mods: roundOnly, Rnd: rRN},
		{Types: []TypeSet{tF32x2}, Args: "daa", Mods: []Slot{SlotFtz, SlotRound}, Rnd: rFloat},
		{Types: []TypeSet{tF32, tHalf}, Args: "dba", Mods: []Slot{SlotSat, SlotRound}, Rnd: rFloat},
	},
	Gates: []Gate{gHalf, gBF90, gMix, gF2, {At: SlotCc, Name: "sub.cc", V: 13, W: WCc, If: not64}, gCc64},
}}}

var opAddc = Op{Rows: []Row{{
	Name:  "addc",
	Forms: []Form{{Types: []TypeSet{tInt32 | tInt64}, Args: "daa", Mods: []Slot{SlotSat, SlotCc}}},
	Gates: []Gate{gCc, gCc64, {At: SlotRead, Name: "1.2", V: 12}},
}}}

var opSubc = Op{Rows: []Row{{
	Name:  "subc",
	Forms: []Form{{Types: []TypeSet{tInt32 | tInt64}, Args: "daa", Mods: []Slot{SlotSat, SlotCc}}},
	Gates: []Gate{gCc64, {At: SlotRead, Name: "1.3", V: 13}},
}}}

var opMul = Op{Rows: []Row{
	{
		Name: "mul",
		Forms: []Form{
			{Types: []TypeSet{tF32}, Args: "daa", Mods: ftzSatRound, Rnd: rFloat},
			{Types: []TypeSet{tF64}, Args: "daa", Mods: roundOnly, Rnd: rFloat},
			{Types: []TypeSet{tF16 | tF16x2}, Args: "daa", Mods: ftzSatRound, Rnd: rFloat},
			{Types: []TypeSet{tBF | tBFx2}, Args: "daa", Mods: roundOnly, Rnd: rRN},
			{Types: []TypeSet{tF32x2}, Args: "daa", Mods: []Slot{SlotFtz, SlotRound}, Rnd: rFloat},
		},
		Gates: []Gate{gHalf, gBF90, gF2},
	},
	{Words: []Word{WLo}, Name: "mul.lo", Forms: []Form{{Types: []TypeSet{tInt}, Args: "daa"}}},
	{Words: []Word{WHi}, Name: "mul.hi", Forms: []Form{{Types: []TypeSet{tInt}, Args: "daa"}}},
	{Words: []Word{WWide}, Name: "mul.wide", Forms: []Form{{Types: []TypeSet{tInt16 | tInt32}, Args: "waa"}}},
}}

var opMul24 = Op{Rows: []Row{
	{Words: []Word{WLo}, Name: "mul24.lo", Forms: []Form{{Types: []TypeSet{tInt32}, Args: "daa"}}},
	{Words: []Word{WHi}, Name: "mul24.hi", Forms: []Form{{Types: []TypeSet{tInt32}, Args: "daa"}}},
}}

var opMad24 = Op{Rows: []Row{
	{Words: []Word{WLo}, Name: "mad24.lo", Forms: []Form{{Types: []TypeSet{tInt32}, Args: "daaa"}}},
	{Words: []Word{WHi}, Name: "mad24.hi", Forms: []Form{{Types: []TypeSet{tInt32}, Args: "daaa", Mods: []Slot{SlotSat}}}},
}}

var gMadCc = Gate{At: SlotCc, Name: "mad.cc", V: 30, SM: 20, W: WCc, Inst: true}

var opMad = Op{Rows: []Row{
	{
		Name: "mad",
		Forms: []Form{
			{Types: []TypeSet{tF32}, Args: "daaa", Mods: []Slot{SlotFtz, SlotSat, SlotRound}, Rnd: rFloat},
			{Types: []TypeSet{tF64}, Args: "daaa", Mods: []Slot{SlotRound}, Rnd: rFloat},
		},
		Gates: []Gate{{At: SlotRound, Name: "mad.rnd.f32", SM: 20, T: tF32, Inst: true, If: hasRound}},
		Rules: []Rule{{SlotRound, needRoundMad}},
	},
	{
		Words: []Word{WLo}, Name: "mad.lo",
		Forms: []Form{{Types: []TypeSet{tInt}, Args: "daaa", Mods: []Slot{SlotCc}}},
		Gates: []Gate{gCc64, gMadCc},
	},
	{
		Words: []Word{WHi}, Name: "mad.hi",
		Forms: []Form{{Types: []TypeSet{tInt}, Args: "daaa", Mods: []Slot{SlotSat, SlotCc}}},
		Gates: []Gate{gCc64, gMadCc},
	},
	{Words: []Word{WWide}, Name: "mad.wide", Forms: []Form{{Types: []TypeSet{tInt16 | tInt32}, Args: "waaW"}}},
}}

var opMadc = Op{Rows: []Row{
	{
		Words: []Word{WLo}, Name: "madc.lo",
		Forms: []Form{{Types: []TypeSet{tInt32 | tInt64}, Args: "daaa", Mods: []Slot{SlotCc}}},
		Gates: []Gate{gCc64, {At: SlotRead, Name: "madc", V: 30, SM: 20, Inst: true}},
	},
	{
		Words: []Word{WHi}, Name: "madc.hi",
		Forms: []Form{{Types: []TypeSet{tInt32 | tInt64}, Args: "daaa", Mods: []Slot{SlotSat, SlotCc}}},
		Gates: []Gate{gCc64, {At: SlotRead, Name: "madc", V: 30, SM: 20, Inst: true}},
	},
}}

var opFma = Op{Rows: []Row{{
	Name: "fma",
	Forms: []Form{
		{Types: []TypeSet{tF32}, Args: "daaa", Mods: []Slot{SlotFtz, SlotSat, SlotRound}, Rnd: rFloat},
		{Types: []TypeSet{tF64}, Args: "daaa", Mods: []Slot{SlotRound}, Rnd: rFloat},
		{Types: []TypeSet{tF32x2}, Args: "daaa", Mods: []Slot{SlotFtz, SlotRound}, Rnd: rFloat},
		{Types: []TypeSet{tF16 | tF16x2}, Args: "daaa", May: eRelu, Mods: []Slot{SlotFtz, SlotSat, SlotRound, SlotOob}, Rnd: rFloat},
		{Types: []TypeSet{tBF | tBFx2}, Args: "daaa", May: eRelu, Mods: []Slot{SlotRound, SlotOob}, Rnd: rRN},
		{Types: []TypeSet{tF32, tHalf}, Args: "dbba", Mods: []Slot{SlotSat, SlotRound}, Rnd: rFloat},
	},
	Need: []Slot{SlotRound},
	Gates: []Gate{
		gBF, gBF2, gHalf, gMix, gF2,
		{At: SlotRound, Name: "fma.f32", V: 20, SM: 20, T: tF32, Inst: true, VersionFirst: true, If: oneType},
		{At: SlotRound, Name: "fma.f64", V: 14, T: tF64},
	},
	Rules: []Rule{{SlotSat, reluNoSat}},
}}}

var opSad = Op{Rows: []Row{{Name: "sad", Forms: []Form{{Types: []TypeSet{tInt}, Args: "daaa"}}}}}

var opRem = Op{Rows: []Row{{Name: "rem", Forms: []Form{{Types: []TypeSet{tInt}, Args: "daa"}}}}}

var opAbs = Op{Rows: []Row{{
	Name: "abs",
	Forms: []Form{
		{Types: []TypeSet{tInt | tF64 | tBF | tBFx2}, Args: "da"},
		{Types: []TypeSet{tF32 | tF16 | tF16x2}, Args: "da", Mods: []Slot{SlotFtz}},
	},
	Gates: []Gate{gBF, gBF2, gHalf, {Name: "abs.f16 or abs.f16x2", V: 65, T: tF16 | tF16x2}},
	Flags: fSigned,
}}}

var opNeg = Op{Rows: []Row{{
	Name: "neg",
	Forms: []Form{
		{Types: []TypeSet{tInt | tF64 | tBF | tBFx2}, Args: "da"},
		{Types: []TypeSet{tF32 | tF16 | tF16x2}, Args: "da", Mods: []Slot{SlotFtz}},
	},
	Gates: []Gate{gBF, gBF2, gHalf, {Name: "neg.f16 or neg.f16x2", V: 60, T: tF16 | tF16x2}},
	Flags: fSigned,
}}}

// minmaxForms are those of min and max.
var minmaxForms = []Form{
	{Types: []TypeSet{tInt | tS16x2 | tU16x2}, Args: "daa", May: eRelu},
	{Types: []TypeSet{tF32}, Args: "daa", Mods: []Slot{SlotFtz, SlotNaN, SlotXorsign, SlotAbs}},
	{Types: []TypeSet{tF32}, Args: "daaa", Mods: []Slot{SlotFtz, SlotNaN, SlotAbs}},
	{Types: []TypeSet{tF64}, Args: "daa"},
	{Types: []TypeSet{tF16 | tF16x2}, Args: "daa", Mods: []Slot{SlotFtz, SlotNaN, SlotXorsign, SlotAbs}},
	{Types: []TypeSet{tBF | tBFx2}, Args: "daa", Mods: []Slot{SlotNaN, SlotXorsign, SlotAbs}},
}

var minmaxRules = []Rule{{SlotXorsign, xorsignAbs}, {SlotSat, reluTypes}}

var minmaxGates = []Gate{
	gBF, gBF2,
	{Name: "$.f16 or $.f16x2", V: 70, SM: 80, T: tF16 | tF16x2, At: SlotNaN, TargetFirst: true},
	{Name: "$.relu", V: 80, SM: 90, W: WRelu, TargetFirst: true},
	gI2,
	{Name: "$.f32 with 3 input operands", V: 88, SM: 100, TargetFirst: true, If: fourArgs},
}

var (
	opMin = Op{Rows: []Row{{Name: "min", Forms: minmaxForms, Rules: minmaxRules, Gates: minmaxGates}}}
	opMax = Op{Rows: []Row{{Name: "max", Forms: minmaxForms, Rules: minmaxRules, Gates: minmaxGates}}}
)

// g20 is the gate of what came with PTX 2.0 and sm_20.
var g20 = []Gate{{V: 20, SM: 20, Inst: true, At: SlotRead}}

var (
	opPopc  = Op{Rows: []Row{{Name: "popc", Forms: []Form{{Types: []TypeSet{tB32 | tB64}, Args: "na"}}, Gates: g20}}}
	opClz   = Op{Rows: []Row{{Name: "clz", Forms: []Form{{Types: []TypeSet{tB32 | tB64}, Args: "na"}}, Gates: g20}}}
	opBrev  = Op{Rows: []Row{{Name: "brev", Forms: []Form{{Types: []TypeSet{tB32 | tB64}, Args: "da"}}, Gates: g20}}}
	opBfind = Op{Rows: []Row{{Name: "bfind", Forms: []Form{{Types: []TypeSet{tInt32 | tInt64}, Args: "na"}}, Mods: []Slot{SlotShiftamt}, Gates: g20}}}
	opBfe   = Op{Rows: []Row{{
		Name: "bfe", Forms: []Form{{Types: []TypeSet{tInt32 | tInt64}, Args: "dauu"}}, Gates: g20,
		Ranges: []Range{{2, 0, 255}, {3, 0, 255}},
	}}}
	opBfi = Op{Rows: []Row{{
		Name: "bfi", Forms: []Form{{Types: []TypeSet{tB32 | tB64}, Args: "daauu"}}, Gates: g20,
		Ranges: []Range{{3, 0, 255}, {4, 0, 255}},
	}}}
	opFns = Op{Rows: []Row{{
		Name: "fns", Forms: []Form{{Types: []TypeSet{tB32}, Args: "dvvv"}},
		Gates: []Gate{{V: 60, SM: 30, Inst: true, At: SlotRead}},
	}}}
	opBmsk = Op{Rows: []Row{{
		Name: "bmsk", Forms: []Form{{Types: []TypeSet{tB32}, Args: "nuu"}}, Need: []Slot{SlotClamp}, Mods: []Slot{SlotClamp},
		Gates: []Gate{{V: 76, SM: 70, Inst: true, At: SlotRead}},
	}}}
	opSzext = Op{Rows: []Row{{
		Name: "szext", Forms: []Form{{Types: []TypeSet{tInt32}, Args: "dau"}}, Need: []Slot{SlotClamp}, Mods: []Slot{SlotClamp},
		Gates: []Gate{{V: 76, SM: 70, Inst: true, At: SlotRead}},
	}}}
	opDp4a = Op{Rows: []Row{{
		Name: "dp4a", Forms: dpForms, Gates: []Gate{{V: 50, SM: 61, Inst: true, At: SlotRead}},
	}}}
	opDp2a = Op{Rows: []Row{
		{Words: []Word{WLo}, Name: "dp2a.lo", Forms: dpForms, Gates: []Gate{{V: 50, SM: 61, Inst: true, At: SlotRead}}},
		{Words: []Word{WHi}, Name: "dp2a.hi", Forms: dpForms, Gates: []Gate{{V: 50, SM: 61, Inst: true, At: SlotRead}}},
	}}
)

var dpForms = []Form{{Types: []TypeSet{tInt32, tInt32}, Args: "nabu"}}
