package isa

// Comparison and selection, logic and shifts.

var gHalfInt = Gate{Name: "half precision floating point set instruction with integer result", V: 65, SM: 53, If: halfIntResult}

// setTypes are the source types set and setp compare.
const setTypes = tInt | tBits | tF64

var setForms = []Form{
	{Types: []TypeSet{tInt32 | tF32, setTypes}, Args: "dbb"},
	{Types: []TypeSet{tInt32 | tF32, tF32}, Args: "dbb", Mods: []Slot{SlotFtz}},
	{Types: []TypeSet{tInt16 | tInt32 | tF16, tF16}, Args: "dbb", Mods: []Slot{SlotFtz}},
	{Types: []TypeSet{tF16, tF32}, Args: "dbb", Mods: []Slot{SlotFtz}},
	{Types: []TypeSet{tF16, setTypes}, Args: "dbb"},
	{Types: []TypeSet{tInt16 | tInt32, tBF}, Args: "dbb"},
	{Types: []TypeSet{tBF, tBF}, Args: "hbb"},
	{Types: []TypeSet{tBF, setTypes | tF32 | tF16}, Args: "hbb"},
	{Types: []TypeSet{tF16x2 | tInt32, tF16x2}, Args: "dbb", Mods: []Slot{SlotFtz}},
	{Types: []TypeSet{tInt32, tBFx2}, Args: "dbb"},
	{Types: []TypeSet{tBFx2, tBFx2}, Args: "hbb"},

	{Types: []TypeSet{tInt32 | tF32, setTypes}, Args: "dbbp", May: eBool},
	{Types: []TypeSet{tInt32 | tF32, tF32}, Args: "dbbp", May: eBool, Mods: []Slot{SlotFtz}},
	{Types: []TypeSet{tInt16 | tInt32 | tF16, tF16}, Args: "dbbp", May: eBool, Mods: []Slot{SlotFtz}},
	{Types: []TypeSet{tF16, tF32}, Args: "dbbp", May: eBool, Mods: []Slot{SlotFtz}},
	{Types: []TypeSet{tF16, setTypes}, Args: "dbbp", May: eBool},
	{Types: []TypeSet{tInt16 | tInt32, tBF}, Args: "dbbp", May: eBool},
	{Types: []TypeSet{tBF, tBF}, Args: "hbbp", May: eBool},
	{Types: []TypeSet{tBF, setTypes | tF32 | tF16}, Args: "hbbp", May: eBool},
	{Types: []TypeSet{tF16x2 | tInt32, tF16x2}, Args: "dbbp", May: eBool, Mods: []Slot{SlotFtz}},
	{Types: []TypeSet{tInt32, tBFx2}, Args: "dbbp", May: eBool},
	{Types: []TypeSet{tBFx2, tBFx2}, Args: "hbbp", May: eBool},
}

var opSet = Op{Rows: []Row{{
	Name: "set", Forms: setForms,
	Mods: []Slot{SlotCmp}, Need: []Slot{SlotCmp},
	Rules: []Rule{{SlotCmp, cmpType}, {SlotCmp, needBool}},
	Gates: []Gate{
		gHalfInt,
		{Name: "f16 arithemetic and compare instructions", V: 42, SM: 53, T: tF16 | tF16x2, TargetFirst: true, If: halfResult},
		{Name: "set.bf16", V: 78, SM: 90, T: tBF, TargetFirst: true},
		{Name: "set.bf16x2", V: 78, SM: 90, T: tBFx2, TargetFirst: true},
	},
}}}

var setpForms = []Form{
	{Types: []TypeSet{setTypes | tBF | tBFx2}, Args: "qaa"},
	{Types: []TypeSet{tF32 | tF16 | tF16x2}, Args: "qaa", Mods: []Slot{SlotFtz}},
	{Types: []TypeSet{setTypes | tBF | tBFx2}, Args: "qaap", May: eBool},
	{Types: []TypeSet{tF32 | tF16 | tF16x2}, Args: "qaap", May: eBool, Mods: []Slot{SlotFtz}},
}

var opSetp = Op{Rows: []Row{{
	Name: "setp", Forms: setpForms,
	Mods: []Slot{SlotCmp}, Need: []Slot{SlotCmp},
	Rules: []Rule{{SlotCmp, cmpType}, {SlotCmp, needBool}, {SlotRead, halfPair}},
	Gates: []Gate{gHalf, gBF90},
	Flags: fPair,
}}}

var opSelp = Op{Rows: []Row{{
	Name:  "selp",
	Forms: []Form{{Types: []TypeSet{tInt | tBits | tF32 | tF64}, Args: "daap"}},
}}}

var opSlct = Op{Rows: []Row{{
	Name: "slct",
	Forms: []Form{
		{Types: []TypeSet{tInt | tBits | tF32 | tF64, tInt32}, Args: "daab"},
		{Types: []TypeSet{tInt | tBits | tF32 | tF64, tF32}, Args: "daab", Mods: []Slot{SlotFtz}},
	},
	Flags: fSigned,
}}}

var logicForms = []Form{{Types: []TypeSet{tBits | tPred}, Args: "daa"}}

var (
	opAnd  = Op{Rows: []Row{{Name: "and", Forms: logicForms}}}
	opOr   = Op{Rows: []Row{{Name: "or", Forms: logicForms}}}
	opXor  = Op{Rows: []Row{{Name: "xor", Forms: logicForms}}}
	opNot  = Op{Rows: []Row{{Name: "not", Forms: []Form{{Types: []TypeSet{tBits | tPred}, Args: "da"}}}}}
	opCnot = Op{Rows: []Row{{Name: "cnot", Forms: []Form{{Types: []TypeSet{tBits}, Args: "da"}}}}}
	opShl  = Op{Rows: []Row{{Name: "shl", Forms: []Form{{Types: []TypeSet{tBits}, Args: "dau"}}}}}
	opShr  = Op{Rows: []Row{{Name: "shr", Forms: []Form{{Types: []TypeSet{tBits | tInt}, Args: "dau"}}}}}
)

var opShf = Op{Rows: []Row{
	{
		Words: []Word{WL}, Name: "shf.l", Forms: []Form{{Types: []TypeSet{tB32}, Args: "daau"}},
		Mods: []Slot{SlotClamp}, Need: []Slot{SlotClamp}, Gates: []Gate{{V: 31, SM: 32, Inst: true, At: SlotRead}},
	},
	{
		Words: []Word{WR}, Name: "shf.r", Forms: []Form{{Types: []TypeSet{tB32}, Args: "daau"}},
		Mods: []Slot{SlotClamp}, Need: []Slot{SlotClamp}, Gates: []Gate{{V: 31, SM: 32, Inst: true, At: SlotRead}},
	},
}}

var opLop3 = Op{Rows: []Row{{
	Name: "lop3",
	Forms: []Form{
		{Types: []TypeSet{tB32}, Args: "daaai"},
		{Types: []TypeSet{tB32}, Args: "daaaip", May: eBool},
	},
	Gates: []Gate{
		{V: 43, SM: 50, Inst: true, At: SlotRead, If: noOp},
		{Name: "lop3.<BoolOp>", V: 82, SM: 70, Inst: true, At: SlotRead, If: hasOp},
	},
	Rules: []Rule{{SlotCmp, lop3Bool}},
	Flags: fPair | fSink,
}}}

var opPrmt = Op{Rows: []Row{{
	Name: "prmt", Forms: []Form{{Types: []TypeSet{tB32}, Args: "daaa"}},
	Mods: []Slot{SlotPermute}, Gates: g20,
}}}
