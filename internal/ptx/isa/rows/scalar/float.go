package scalar

import (
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/isa/row"
)

// Floating point division, roots and transcendental functions, and tests.

var Div = row.Op{Rows: []row.Row{
	{
		Name: "div",
		Forms: []row.Form{
			{Types: []row.TypeSet{row.Int}, Args: "daa"},
			{Types: []row.TypeSet{row.F32}, Args: "daa", Mods: []isa.Slot{isa.SlotApprox, isa.SlotFtz, isa.SlotRound}, Rnd: row.RoundFloat},
			{Types: []row.TypeSet{row.F64}, Args: "daa", Mods: []isa.Slot{isa.SlotRound}, Rnd: row.RoundFloat},
		},
		Gates: []row.Gate{
			{At: isa.SlotRead, Name: "div.rnd.f32", SM: 20, T: row.F32, Inst: true, If: hasRound},
			{At: isa.SlotRead, Name: "div.rn.f64", SM: 20, T: row.F64, Inst: true, If: roundNotRn},
		},
		Rules: []row.Rule{{At: isa.SlotApprox, Do: needRoundApprox}},
	},
	{
		Words: []isa.Word{isa.WFull}, Name: "div.full",
		Forms: []row.Form{{Types: []row.TypeSet{row.F32}, Args: "daa", Mods: []isa.Slot{isa.SlotFtz}}},
		Gates: []row.Gate{{At: isa.SlotRead, V: 14}},
	},
}}

var Rcp = row.Op{Rows: []row.Row{{
	Name: "rcp", Flags: row.FlagPredVoid,
	Forms: []row.Form{
		{Types: []row.TypeSet{row.F32 | row.F64}, Args: "da", Mods: []isa.Slot{isa.SlotApprox, isa.SlotFtz, isa.SlotRound}, Rnd: row.RoundFloat},
	},
	Gates: []row.Gate{
		{At: isa.SlotRead, Name: "rcp.rnd.f32", SM: 20, T: row.F32, Inst: true, If: hasRound},
		{At: isa.SlotRead, Name: "rcp.rn.f64", SM: 20, T: row.F64, Inst: true, If: roundNotRn},
		{At: isa.SlotRead, Name: "rcp.approx.f64", V: 21, SM: 20, T: row.F64, Inst: true, VersionFirst: true, If: rcpApprox},
	},
	Rules: []row.Rule{{At: isa.SlotApprox, Do: needRoundApprox}, {At: isa.SlotApprox, Do: rcpApprox64}},
}}}

var Sqrt = row.Op{Rows: []row.Row{{
	Name: "sqrt", Flags: row.FlagPredVoid,
	Forms: []row.Form{
		{Types: []row.TypeSet{row.F32}, Args: "da", Mods: []isa.Slot{isa.SlotApprox, isa.SlotFtz, isa.SlotRound}, Rnd: row.RoundFloat},
		{Types: []row.TypeSet{row.F64}, Args: "da", Mods: []isa.Slot{isa.SlotRound}, Rnd: row.RoundFloat},
	},
	Gates: []row.Gate{
		{At: isa.SlotRead, Name: "sqrt.rnd.f32", SM: 20, T: row.F32, Inst: true, If: hasRound},
		{At: isa.SlotRead, Name: "sqrt.rn.f64", SM: 20, T: row.F64, Inst: true, If: roundNotRn},
	},
	Rules: []row.Rule{{At: isa.SlotApprox, Do: needRoundApprox}},
}}}

var Rsqrt = row.Op{Rows: []row.Row{{
	Name:  "rsqrt",
	Flags: row.FlagPredVoid,
	Forms: []row.Form{{Types: []row.TypeSet{row.F32 | row.F64}, Args: "da", Mods: []isa.Slot{isa.SlotApprox, isa.SlotFtz}}},
	Gates: []row.Gate{{At: isa.SlotRead, Name: "rsqrt.approx.ftz.f64", V: 40, SM: 20, T: row.F64, W: isa.WFtz, Inst: true, VersionFirst: true}},
	Rules: []row.Rule{{At: isa.SlotApprox, Do: needApprox}},
}}}

var approxForms = []row.Form{{Types: []row.TypeSet{row.F32}, Args: "da", Mods: []isa.Slot{isa.SlotApprox, isa.SlotFtz}}}

var (
	Sin = row.Op{Rows: []row.Row{{Name: "sin", Flags: row.FlagPredVoid, Forms: approxForms, Rules: []row.Rule{{At: isa.SlotApprox, Do: needApprox}}}}}
	Cos = row.Op{Rows: []row.Row{{Name: "cos", Flags: row.FlagPredVoid, Forms: approxForms, Rules: []row.Rule{{At: isa.SlotApprox, Do: needApprox}}}}}
	Lg2 = row.Op{Rows: []row.Row{{Name: "lg2", Flags: row.FlagPredVoid, Forms: approxForms, Rules: []row.Rule{{At: isa.SlotApprox, Do: needApprox}}}}}
)

var Ex2 = row.Op{Rows: []row.Row{{
	Name: "ex2", Flags: row.FlagPredVoid,
	Forms: []row.Form{
		{Types: []row.TypeSet{row.F32}, Args: "da", Mods: []isa.Slot{isa.SlotApprox, isa.SlotFtz}},
		{Types: []row.TypeSet{row.F16 | row.F16x2}, Args: "da", Mods: []isa.Slot{isa.SlotApprox}},
		{Types: []row.TypeSet{row.BF16 | row.BF16x2}, Args: "da", Mods: []isa.Slot{isa.SlotApprox, isa.SlotFtz}},
	},
	Gates: []row.Gate{
		{Name: "ex2.f16/f16x2", V: 70, SM: 75, T: row.F16 | row.F16x2, TargetFirst: true},
		gBF90,
	},
	Rules: []row.Rule{{At: isa.SlotApprox, Do: needApproxTwice}, {At: isa.SlotFtz, Do: ex2Ftz}},
}}}

var Tanh = row.Op{Rows: []row.Row{{
	Name: "tanh", Flags: row.FlagPredVoid,
	Forms: []row.Form{
		{Types: []row.TypeSet{row.F32 | row.Halves}, Args: "da", Mods: []isa.Slot{isa.SlotApprox}},
	},
	Gates: []row.Gate{{V: 70, SM: 75, TargetFirst: true, If: notBF}, gBF90},
	Rules: []row.Rule{{At: isa.SlotApprox, Do: needApproxTwice}},
}}}

var Copysign = row.Op{Rows: []row.Row{{Name: "copysign", Forms: []row.Form{{Types: []row.TypeSet{row.F32 | row.F64}, Args: "daa"}}, Gates: g20}}}

var Testp = row.Op{Rows: []row.Row{{Name: "testp", Forms: []row.Form{{Types: []row.TypeSet{row.F32 | row.F64}, Args: "qa"}}, Gates: g20}}}
