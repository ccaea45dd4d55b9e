package isa

// Floating point division, roots and transcendental functions, and tests.

var opDiv = Op{Rows: []Row{
	{
		Name: "div",
		Forms: []Form{
			{Types: []TypeSet{tInt}, Args: "daa"},
			{Types: []TypeSet{tF32}, Args: "daa", Mods: []Slot{SlotApprox, SlotFtz, SlotRound}, Rnd: rFloat},
			{Types: []TypeSet{tF64}, Args: "daa", Mods: []Slot{SlotRound}, Rnd: rFloat},
		},
		Gates: []Gate{
			{At: SlotRead, Name: "div.rnd.f32", SM: 20, T: tF32, Inst: true, If: hasRound},
			{At: SlotRead, Name: "div.rn.f64", SM: 20, T: tF64, Inst: true, If: roundNotRn},
		},
		Rules: []Rule{{SlotApprox, needRoundApprox}},
	},
	{
		Words: []Word{WFull}, Name: "div.full",
		Forms: []Form{{Types: []TypeSet{tF32}, Args: "daa", Mods: []Slot{SlotFtz}}},
		Gates: []Gate{{At: SlotRead, V: 14}},
	},
}}

var opRcp = Op{Rows: []Row{{
	Name: "rcp",
	Forms: []Form{
		{Types: []TypeSet{tF32 | tF64}, Args: "da", Mods: []Slot{SlotApprox, SlotFtz, SlotRound}, Rnd: rFloat},
	},
	Gates: []Gate{
		{At: SlotRead, Name: "rcp.rnd.f32", SM: 20, T: tF32, Inst: true, If: hasRound},
		{At: SlotRead, Name: "rcp.rn.f64", SM: 20, T: tF64, Inst: true, If: roundNotRn},
		{At: SlotRead, Name: "rcp.approx.f64", V: 21, SM: 20, T: tF64, Inst: true, VersionFirst: true, If: rcpApprox},
	},
	Rules: []Rule{{SlotApprox, needRoundApprox}, {SlotApprox, rcpApprox64}},
}}}

var opSqrt = Op{Rows: []Row{{
	Name: "sqrt",
	Forms: []Form{
		{Types: []TypeSet{tF32}, Args: "da", Mods: []Slot{SlotApprox, SlotFtz, SlotRound}, Rnd: rFloat},
		{Types: []TypeSet{tF64}, Args: "da", Mods: []Slot{SlotRound}, Rnd: rFloat},
	},
	Gates: []Gate{
		{At: SlotRead, Name: "sqrt.rnd.f32", SM: 20, T: tF32, Inst: true, If: hasRound},
		{At: SlotRead, Name: "sqrt.rn.f64", SM: 20, T: tF64, Inst: true, If: roundNotRn},
	},
	Rules: []Rule{{SlotApprox, needRoundApprox}},
}}}

var opRsqrt = Op{Rows: []Row{{
	Name:  "rsqrt",
	Forms: []Form{{Types: []TypeSet{tF32 | tF64}, Args: "da", Mods: []Slot{SlotApprox, SlotFtz}}},
	Gates: []Gate{{At: SlotRead, Name: "rsqrt.approx.ftz.f64", V: 40, SM: 20, T: tF64, W: WFtz, Inst: true, VersionFirst: true}},
	Rules: []Rule{{SlotApprox, needApprox}},
}}}

var approxForms = []Form{{Types: []TypeSet{tF32}, Args: "da", Mods: []Slot{SlotApprox, SlotFtz}}}

var (
	opSin = Op{Rows: []Row{{Name: "sin", Forms: approxForms, Rules: []Rule{{SlotApprox, needApprox}}}}}
	opCos = Op{Rows: []Row{{Name: "cos", Forms: approxForms, Rules: []Rule{{SlotApprox, needApprox}}}}}
	opLg2 = Op{Rows: []Row{{Name: "lg2", Forms: approxForms, Rules: []Rule{{SlotApprox, needApprox}}}}}
)

var opEx2 = Op{Rows: []Row{{
	Name: "ex2",
	Forms: []Form{
		{Types: []TypeSet{tF32}, Args: "da", Mods: []Slot{SlotApprox, SlotFtz}},
		{Types: []TypeSet{tF16 | tF16x2}, Args: "da", Mods: []Slot{SlotApprox}},
		{Types: []TypeSet{tBF | tBFx2}, Args: "da", Mods: []Slot{SlotApprox, SlotFtz}},
	},
	Gates: []Gate{
		{Name: "ex2.f16/f16x2", V: 70, SM: 75, T: tF16 | tF16x2, TargetFirst: true},
		gBF90,
	},
	Rules: []Rule{{SlotApprox, needApproxTwice}, {SlotFtz, ex2Ftz}},
}}}

var opTanh = Op{Rows: []Row{{
	Name: "tanh",
	Forms: []Form{
		{Types: []TypeSet{tF32 | tHalves}, Args: "da", Mods: []Slot{SlotApprox}},
	},
	Gates: []Gate{{V: 70, SM: 75, TargetFirst: true, If: notBF}, gBF90},
	Rules: []Rule{{SlotApprox, needApproxTwice}},
}}}

var opCopysign = Op{Rows: []Row{{Name: "copysign", Forms: []Form{{Types: []TypeSet{tF32 | tF64}, Args: "daa"}}, Gates: g20}}}

var opTestp = Op{Rows: []Row{{Name: "testp", Forms: []Form{{Types: []TypeSet{tF32 | tF64}, Args: "qa"}}, Gates: g20}}}
