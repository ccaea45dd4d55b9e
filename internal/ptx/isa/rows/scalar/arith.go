// Package scalar has the rows of arithmetic, comparisons, conversions, video
// instructions and control flow. Each exported variable is the table of the
// opcode it is named after.
package scalar

import (
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/isa/row"
)

// Integer and mixed arithmetic: add, sub, mul, mad, fma and their carry,
// wide and 24-bit kin, and the bit-counting operations.

// Gates that many rows share.
var (
	gHalf = row.Gate{Name: "f16 arithemetic and compare instructions", V: 42, SM: 53, T: row.F16 | row.F16x2, TargetFirst: true}
	gBF90 = row.Gate{Name: "&", V: 78, SM: 90, T: row.BF16 | row.BF16x2, TargetFirst: true, If: oneType}
	gBF   = row.Gate{Name: ".bf16", V: 70, SM: 80, T: row.BF16, TargetFirst: true, If: oneType}
	gBF2  = row.Gate{Name: ".bf16x2", V: 70, SM: 80, T: row.BF16x2, TargetFirst: true}
	gMix  = row.Gate{Name: "&", V: 86, SM: 100, T: row.Half, TargetFirst: true, If: twoTypes}
	gF2   = row.Gate{Name: "&", V: 86, SM: 100, T: row.F32x2, TargetFirst: true}
	gI2   = row.Gate{Name: "&", V: 80, SM: 90, T: row.S16x2 | row.U16x2}
	gCc   = row.Gate{At: isa.SlotCc, Name: ".cc", V: 12, W: isa.WCc, If: not64}
	gCc64 = row.Gate{At: isa.SlotCc, Name: ".cc with 64bit type", V: 43, SM: 20, W: isa.WCc, T: row.Int64, Inst: true}
)

// Modifiers of floating point arithmetic.
var (
	ftzSatRound = []isa.Slot{isa.SlotFtz, isa.SlotSat, isa.SlotRound}
	roundOnly   = []isa.Slot{isa.SlotRound}
)

var Add = row.Op{Rows: []row.Row{{
	Name: "add", Flags: row.FlagPredVoid,
	Forms: []row.Form{
		{Types: []row.TypeSet{row.Int}, Args: "daa", Mods: []isa.Slot{isa.SlotSat, isa.SlotCc}},
		{Types: []row.TypeSet{row.S16x2 | row.U16x2}, Args: "daa", Mods: []isa.Slot{isa.SlotSat}},
		{Types: []row.TypeSet{row.F32}, Args: "daa", Mods: ftzSatRound, Rnd: row.RoundFloat},
		{Types: []row.TypeSet{row.F64}, Args: "daa", Mods: roundOnly, Rnd: row.RoundFloat},
		{Types: []row.TypeSet{row.F16 | row.F16x2}, Args: "daa", Mods: ftzSatRound, Rnd: row.RoundFloat},
		{Types: []row.TypeSet{row.BF16 | row.BF16x2}, Args: "daa", Mods: roundOnly, Rnd: row.RN},
		{Types: []row.TypeSet{row.F32x2}, Args: "daa", Mods: []isa.Slot{isa.SlotFtz, isa.SlotRound}, Rnd: row.RoundFloat},
		{Types: []row.TypeSet{row.F32, row.Half}, Args: "dba", Mods: []isa.Slot{isa.SlotSat, isa.SlotRound}, Rnd: row.RoundFloat},
	},
	Gates: []row.Gate{gHalf, gBF90, gMix, gF2, gI2, gCc, gCc64},
}}}

var Sub = row.Op{Rows: []row.Row{{
	Name: "sub", Flags: row.FlagPredVoid,
	Forms: []row.Form{
		{Types: []row.TypeSet{row.Int}, Args: "daa", Mods: []isa.Slot{isa.SlotSat, isa.SlotCc}},
		{Types: []row.TypeSet{row.F32}, Args: "daa", Mods: ftzSatRound, Rnd: row.RoundFloat},
		{Types: []row.TypeSet{row.F64}, Args: "daa", Mods: roundOnly, Rnd: row.RoundFloat},
		{Types: []row.TypeSet{row.F16 | row.F16x2}, Args: "daa", Mods: ftzSatRound, Rnd: row.RoundFloat},
		{Types: []row.TypeSet{row.BF16 | row.BF16x2}, Args: "daa", Mods: roundOnly, Rnd: row.RN},
		{Types: []row.TypeSet{row.F32x2}, Args: "daa", Mods: []isa.Slot{isa.SlotFtz, isa.SlotRound}, Rnd: row.RoundFloat},
		{Types: []row.TypeSet{row.F32, row.Half}, Args: "dba", Mods: []isa.Slot{isa.SlotSat, isa.SlotRound}, Rnd: row.RoundFloat},
	},
	Gates: []row.Gate{gHalf, gBF90, gMix, gF2, {At: isa.SlotCc, Name: "sub.cc", V: 13, W: isa.WCc, If: not64}, gCc64},
}}}

var Addc = row.Op{Rows: []row.Row{{
	Name:  "addc",
	Forms: []row.Form{{Types: []row.TypeSet{row.Int32 | row.Int64}, Args: "daa", Mods: []isa.Slot{isa.SlotSat, isa.SlotCc}}},
	Gates: []row.Gate{gCc, gCc64, {At: isa.SlotRead, Name: "1.2", V: 12}},
}}}

var Subc = row.Op{Rows: []row.Row{{
	Name:  "subc",
	Forms: []row.Form{{Types: []row.TypeSet{row.Int32 | row.Int64}, Args: "daa", Mods: []isa.Slot{isa.SlotSat, isa.SlotCc}}},
	Gates: []row.Gate{gCc64, {At: isa.SlotRead, Name: "1.3", V: 13}},
}}}

var Mul = row.Op{Rows: []row.Row{
	{
		Name: "mul", Flags: row.FlagPredVoid,
		Forms: []row.Form{
			{Types: []row.TypeSet{row.F32}, Args: "daa", Mods: ftzSatRound, Rnd: row.RoundFloat},
			{Types: []row.TypeSet{row.F64}, Args: "daa", Mods: roundOnly, Rnd: row.RoundFloat},
			{Types: []row.TypeSet{row.F16 | row.F16x2}, Args: "daa", Mods: ftzSatRound, Rnd: row.RoundFloat},
			{Types: []row.TypeSet{row.BF16 | row.BF16x2}, Args: "daa", Mods: roundOnly, Rnd: row.RN},
			{Types: []row.TypeSet{row.F32x2}, Args: "daa", Mods: []isa.Slot{isa.SlotFtz, isa.SlotRound}, Rnd: row.RoundFloat},
		},
		Gates: []row.Gate{gHalf, gBF90, gF2},
	},
	{Words: []isa.Word{isa.WLo}, Name: "mul.lo", Forms: []row.Form{{Types: []row.TypeSet{row.Int}, Args: "daa"}}},
	{Words: []isa.Word{isa.WHi}, Name: "mul.hi", Forms: []row.Form{{Types: []row.TypeSet{row.Int}, Args: "daa"}}},
	{Words: []isa.Word{isa.WWide}, Name: "mul.wide", Forms: []row.Form{{Types: []row.TypeSet{row.Int16 | row.Int32}, Args: "waa"}}},
}}

var Mul24 = row.Op{Rows: []row.Row{
	{Words: []isa.Word{isa.WLo}, Name: "mul24.lo", Forms: []row.Form{{Types: []row.TypeSet{row.Int32}, Args: "daa"}}},
	{Words: []isa.Word{isa.WHi}, Name: "mul24.hi", Forms: []row.Form{{Types: []row.TypeSet{row.Int32}, Args: "daa"}}},
}}

var Mad24 = row.Op{Rows: []row.Row{
	{Words: []isa.Word{isa.WLo}, Name: "mad24.lo", Forms: []row.Form{{Types: []row.TypeSet{row.Int32}, Args: "daaa"}}},
	{Words: []isa.Word{isa.WHi}, Name: "mad24.hi", Forms: []row.Form{{Types: []row.TypeSet{row.Int32}, Args: "daaa", Mods: []isa.Slot{isa.SlotSat}}}},
}}

var gMadCc = row.Gate{At: isa.SlotCc, Name: "mad.cc", V: 30, SM: 20, W: isa.WCc, Inst: true}

var Mad = row.Op{Rows: []row.Row{
	{
		Name: "mad",
		Forms: []row.Form{
			{Types: []row.TypeSet{row.F32}, Args: "daaa", Mods: []isa.Slot{isa.SlotFtz, isa.SlotSat, isa.SlotRound}, Rnd: row.RoundFloat},
			{Types: []row.TypeSet{row.F64}, Args: "daaa", Mods: []isa.Slot{isa.SlotRound}, Rnd: row.RoundFloat},
		},
		Gates: []row.Gate{{At: isa.SlotRound, Name: "mad.rnd.f32", SM: 20, T: row.F32, Inst: true, If: hasRound}},
		Rules: []row.Rule{{At: isa.SlotRound, Do: needRoundMad}},
	},
	{
		Words: []isa.Word{isa.WLo}, Name: "mad.lo",
		Forms: []row.Form{{Types: []row.TypeSet{row.Int}, Args: "daaa", Mods: []isa.Slot{isa.SlotCc}}},
		Gates: []row.Gate{gCc64, gMadCc},
	},
	{
		Words: []isa.Word{isa.WHi}, Name: "mad.hi",
		Forms: []row.Form{{Types: []row.TypeSet{row.Int}, Args: "daaa", Mods: []isa.Slot{isa.SlotSat, isa.SlotCc}}},
		Gates: []row.Gate{gCc64, gMadCc},
	},
	{Words: []isa.Word{isa.WWide}, Name: "mad.wide", Forms: []row.Form{{Types: []row.TypeSet{row.Int16 | row.Int32}, Args: "waaW"}}},
}}

var Madc = row.Op{Rows: []row.Row{
	{
		Words: []isa.Word{isa.WLo}, Name: "madc.lo",
		Forms: []row.Form{{Types: []row.TypeSet{row.Int32 | row.Int64}, Args: "daaa", Mods: []isa.Slot{isa.SlotCc}}},
		Gates: []row.Gate{gCc64, {At: isa.SlotRead, Name: "madc", V: 30, SM: 20, Inst: true}},
	},
	{
		Words: []isa.Word{isa.WHi}, Name: "madc.hi",
		Forms: []row.Form{{Types: []row.TypeSet{row.Int32 | row.Int64}, Args: "daaa", Mods: []isa.Slot{isa.SlotSat, isa.SlotCc}}},
		Gates: []row.Gate{gCc64, {At: isa.SlotRead, Name: "madc", V: 30, SM: 20, Inst: true}},
	},
}}

var Fma = row.Op{Rows: []row.Row{{
	Name: "fma", Flags: row.FlagPredVoid,
	Forms: []row.Form{
		{Types: []row.TypeSet{row.F32}, Args: "daaa", Mods: []isa.Slot{isa.SlotFtz, isa.SlotSat, isa.SlotRound}, Rnd: row.RoundFloat},
		{Types: []row.TypeSet{row.F64}, Args: "daaa", Mods: []isa.Slot{isa.SlotRound}, Rnd: row.RoundFloat},
		{Types: []row.TypeSet{row.F32x2}, Args: "daaa", Mods: []isa.Slot{isa.SlotFtz, isa.SlotRound}, Rnd: row.RoundFloat},
		{Types: []row.TypeSet{row.F16 | row.F16x2}, Args: "daaa", May: row.EarlyRelu, Mods: []isa.Slot{isa.SlotFtz, isa.SlotSat, isa.SlotRound, isa.SlotOob}, Rnd: row.RoundFloat},
		{Types: []row.TypeSet{row.BF16 | row.BF16x2}, Args: "daaa", May: row.EarlyRelu, Mods: []isa.Slot{isa.SlotRound, isa.SlotOob}, Rnd: row.RN},
		{Types: []row.TypeSet{row.F32, row.Half}, Args: "dbba", Mods: []isa.Slot{isa.SlotSat, isa.SlotRound}, Rnd: row.RoundFloat},
	},
	Need: []isa.Slot{isa.SlotRound},
	Gates: []row.Gate{
		gBF, gBF2, gHalf, gMix, gF2,
		{At: isa.SlotRound, Name: "fma.f32", V: 20, SM: 20, T: row.F32, Inst: true, VersionFirst: true, If: oneType},
		{At: isa.SlotRound, Name: "fma.f64", V: 14, T: row.F64},
	},
	Rules: []row.Rule{{At: isa.SlotSat, Do: reluNoSat}},
}}}

var Sad = row.Op{Rows: []row.Row{{Name: "sad", Forms: []row.Form{{Types: []row.TypeSet{row.Int}, Args: "daaa"}}}}}

var Rem = row.Op{Rows: []row.Row{{Name: "rem", Forms: []row.Form{{Types: []row.TypeSet{row.Int}, Args: "daa"}}}}}

var Abs = row.Op{Rows: []row.Row{{
	Name: "abs",
	Forms: []row.Form{
		{Types: []row.TypeSet{row.Int | row.F64 | row.BF16 | row.BF16x2}, Args: "da"},
		{Types: []row.TypeSet{row.F32 | row.F16 | row.F16x2}, Args: "da", Mods: []isa.Slot{isa.SlotFtz}},
	},
	Gates: []row.Gate{gBF, gBF2, gHalf, {Name: "abs.f16 or abs.f16x2", V: 65, T: row.F16 | row.F16x2}},
	Flags: row.FlagSigned | row.FlagPredVoid,
}}}

var Neg = row.Op{Rows: []row.Row{{
	Name: "neg",
	Forms: []row.Form{
		{Types: []row.TypeSet{row.Int | row.F64 | row.BF16 | row.BF16x2}, Args: "da"},
		{Types: []row.TypeSet{row.F32 | row.F16 | row.F16x2}, Args: "da", Mods: []isa.Slot{isa.SlotFtz}},
	},
	Gates: []row.Gate{gBF, gBF2, gHalf, {Name: "neg.f16 or neg.f16x2", V: 60, T: row.F16 | row.F16x2}},
	Flags: row.FlagSigned | row.FlagPredVoid,
}}}

// minmaxForms are those of min and max.
var minmaxForms = []row.Form{
	{Types: []row.TypeSet{row.Int | row.S16x2 | row.U16x2}, Args: "daa", May: row.EarlyRelu},
	{Types: []row.TypeSet{row.F32}, Args: "daa", Mods: []isa.Slot{isa.SlotFtz, isa.SlotNaN, isa.SlotXorsign, isa.SlotAbs}},
	{Types: []row.TypeSet{row.F32}, Args: "daaa", Mods: []isa.Slot{isa.SlotFtz, isa.SlotNaN, isa.SlotAbs}},
	{Types: []row.TypeSet{row.F64}, Args: "daa"},
	{Types: []row.TypeSet{row.F16 | row.F16x2}, Args: "daa", Mods: []isa.Slot{isa.SlotFtz, isa.SlotNaN, isa.SlotXorsign, isa.SlotAbs}},
	{Types: []row.TypeSet{row.BF16 | row.BF16x2}, Args: "daa", Mods: []isa.Slot{isa.SlotNaN, isa.SlotXorsign, isa.SlotAbs}},
}

var minmaxRules = []row.Rule{{At: isa.SlotSat, Do: reluTypes}}

var minmaxGates = []row.Gate{
	gBF, gBF2,
	{Name: "$.f16 or $.f16x2", V: 70, SM: 80, T: row.F16 | row.F16x2, At: isa.SlotXorsign, TargetFirst: true},
	{Name: "$.relu", V: 80, SM: 90, W: isa.WRelu, TargetFirst: true},
	gI2,
	{Name: "$.f32 with 3 input operands", V: 88, SM: 100, TargetFirst: true, If: fourArgs},
}

var (
	Min = row.Op{Rows: []row.Row{{Name: "min", Forms: minmaxForms, Rules: minmaxRules, Gates: minmaxGates, Flags: row.FlagPredVoid}}}
	Max = row.Op{Rows: []row.Row{{Name: "max", Forms: minmaxForms, Rules: minmaxRules, Gates: minmaxGates, Flags: row.FlagPredVoid}}}
)

// g20 is the gate of what came with PTX 2.0 and sm_20.
var g20 = []row.Gate{{V: 20, SM: 20, Inst: true, At: isa.SlotRead}}

var (
	Popc  = row.Op{Rows: []row.Row{{Name: "popc", Forms: []row.Form{{Types: []row.TypeSet{row.B32 | row.B64}, Args: "na"}}, Gates: g20}}}
	Clz   = row.Op{Rows: []row.Row{{Name: "clz", Forms: []row.Form{{Types: []row.TypeSet{row.B32 | row.B64}, Args: "na"}}, Gates: g20}}}
	Brev  = row.Op{Rows: []row.Row{{Name: "brev", Forms: []row.Form{{Types: []row.TypeSet{row.B32 | row.B64}, Args: "da"}}, Gates: g20}}}
	Bfind = row.Op{Rows: []row.Row{{Name: "bfind", Forms: []row.Form{{Types: []row.TypeSet{row.Int32 | row.Int64}, Args: "na"}}, Mods: []isa.Slot{isa.SlotShiftamt}, Gates: g20}}}
	Bfe   = row.Op{Rows: []row.Row{{
		Name: "bfe", Forms: []row.Form{{Types: []row.TypeSet{row.Int32 | row.Int64}, Args: "dauu"}}, Gates: g20,
		Ranges: []row.Range{{Arg: 2, Lo: 0, Hi: 255}, {Arg: 3, Lo: 0, Hi: 255}},
	}}}
	Bfi = row.Op{Rows: []row.Row{{
		Name: "bfi", Forms: []row.Form{{Types: []row.TypeSet{row.B32 | row.B64}, Args: "daauu"}}, Gates: g20,
		Ranges: []row.Range{{Arg: 3, Lo: 0, Hi: 255}, {Arg: 4, Lo: 0, Hi: 255}},
	}}}
	Fns = row.Op{Rows: []row.Row{{
		Name: "fns", Forms: []row.Form{{Types: []row.TypeSet{row.B32}, Args: "dvvv"}},
		Gates: []row.Gate{{V: 60, SM: 30, Inst: true, At: isa.SlotRead}},
	}}}
	Bmsk = row.Op{Rows: []row.Row{{
		Name: "bmsk", Forms: []row.Form{{Types: []row.TypeSet{row.B32}, Args: "nuu"}}, Need: []isa.Slot{isa.SlotClamp}, Mods: []isa.Slot{isa.SlotClamp},
		Gates: []row.Gate{{V: 76, SM: 70, Inst: true}},
	}}}
	Szext = row.Op{Rows: []row.Row{{
		Name: "szext", Forms: []row.Form{{Types: []row.TypeSet{row.Int32}, Args: "dau"}}, Need: []isa.Slot{isa.SlotClamp}, Mods: []isa.Slot{isa.SlotClamp},
		Gates: []row.Gate{{V: 76, SM: 70, Inst: true}},
	}}}
	Dp4a = row.Op{Rows: []row.Row{{
		Name: "dp4a", Forms: dpForms, Gates: []row.Gate{{V: 50, SM: 61, Inst: true, At: isa.SlotRead}},
	}}}
	Dp2a = row.Op{Rows: []row.Row{
		{Name: "dp2a", Forms: dpForms, Rules: []row.Rule{{At: isa.NoSlot, Do: dp2aHalf}}},
		{Words: []isa.Word{isa.WLo}, Name: "dp2a.lo", Forms: dpForms, Gates: []row.Gate{{V: 50, SM: 61, Inst: true, At: isa.SlotRead}}},
		{Words: []isa.Word{isa.WHi}, Name: "dp2a.hi", Forms: dpForms, Gates: []row.Gate{{V: 50, SM: 61, Inst: true, At: isa.SlotRead}}},
	}}
)

// dp2aHalf: the name says which half of the bytes is meant.
func dp2aHalf(c *row.Checker) { c.Errorf("'.hi/.lo' modifier required for instruction 'dp2a'") }

var dpForms = []row.Form{{Types: []row.TypeSet{row.Int32, row.Int32}, Args: "nabu"}}
