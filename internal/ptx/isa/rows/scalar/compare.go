package scalar

import (
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/isa/row"
)

// Comparison and selection, logic and shifts.

var gHalfInt = row.Gate{Name: "half precision floating point set instruction with integer result", V: 65, SM: 53, If: halfIntResult}

// setTypes are the source types set and setp compare.
const setTypes = row.Int | row.Bits | row.F64

var setForms = []row.Form{
	{Types: []row.TypeSet{row.Int32 | row.F32, setTypes}, Args: "dbb"},
	{Types: []row.TypeSet{row.Int32 | row.F32, row.F32}, Args: "dbb", Mods: []isa.Slot{isa.SlotFtz}},
	{Types: []row.TypeSet{row.Int16 | row.Int32 | row.F16, row.F16}, Args: "dbb", Mods: []isa.Slot{isa.SlotFtz}},
	{Types: []row.TypeSet{row.F16, row.F32}, Args: "dbb", Mods: []isa.Slot{isa.SlotFtz}},
	{Types: []row.TypeSet{row.F16, setTypes}, Args: "dbb"},
	{Types: []row.TypeSet{row.Int16 | row.Int32, row.BF16}, Args: "dbb"},
	{Types: []row.TypeSet{row.BF16, row.BF16}, Args: "hbb"},
	{Types: []row.TypeSet{row.BF16, setTypes | row.F32 | row.F16}, Args: "hbb"},
	{Types: []row.TypeSet{row.F16x2 | row.Int32, row.F16x2}, Args: "dbb", Mods: []isa.Slot{isa.SlotFtz}},
	{Types: []row.TypeSet{row.Int32, row.BF16x2}, Args: "dbb"},
	{Types: []row.TypeSet{row.BF16x2, row.BF16x2}, Args: "hbb"},

	{Types: []row.TypeSet{row.Int32 | row.F32, setTypes}, Args: "dbbp", May: row.EarlyBool},
	{Types: []row.TypeSet{row.Int32 | row.F32, row.F32}, Args: "dbbp", May: row.EarlyBool, Mods: []isa.Slot{isa.SlotFtz}},
	{Types: []row.TypeSet{row.Int16 | row.Int32 | row.F16, row.F16}, Args: "dbbp", May: row.EarlyBool, Mods: []isa.Slot{isa.SlotFtz}},
	{Types: []row.TypeSet{row.F16, row.F32}, Args: "dbbp", May: row.EarlyBool, Mods: []isa.Slot{isa.SlotFtz}},
	{Types: []row.TypeSet{row.F16, setTypes}, Args: "dbbp", May: row.EarlyBool},
	{Types: []row.TypeSet{row.Int16 | row.Int32, row.BF16}, Args: "dbbp", May: row.EarlyBool},
	{Types: []row.TypeSet{row.BF16, row.BF16}, Args: "hbbp", May: row.EarlyBool},
	{Types: []row.TypeSet{row.BF16, setTypes | row.F32 | row.F16}, Args: "hbbp", May: row.EarlyBool},
	{Types: []row.TypeSet{row.F16x2 | row.Int32, row.F16x2}, Args: "dbbp", May: row.EarlyBool, Mods: []isa.Slot{isa.SlotFtz}},
	{Types: []row.TypeSet{row.Int32, row.BF16x2}, Args: "dbbp", May: row.EarlyBool},
	{Types: []row.TypeSet{row.BF16x2, row.BF16x2}, Args: "hbbp", May: row.EarlyBool},
}

var Set = row.Op{Rows: []row.Row{{
	Name: "set", Forms: setForms, Flags: row.FlagPredVoid,
	Mods: []isa.Slot{isa.SlotCmp}, Need: []isa.Slot{isa.SlotCmp},
	Rules: []row.Rule{{At: isa.SlotCmp, Do: cmpType}, {At: isa.SlotCmp, Do: needBool}},
	Gates: []row.Gate{
		gHalfInt,
		{Name: "f16 arithemetic and compare instructions", V: 42, SM: 53, T: row.F16 | row.F16x2, TargetFirst: true, If: halfResult},
		{Name: "set.bf16", V: 78, SM: 90, T: row.BF16, TargetFirst: true},
		{Name: "set.bf16x2", V: 78, SM: 90, T: row.BF16x2, TargetFirst: true},
	},
}}}

var setpForms = []row.Form{
	{Types: []row.TypeSet{setTypes | row.BF16 | row.BF16x2}, Args: "qaa"},
	{Types: []row.TypeSet{row.F32 | row.F16 | row.F16x2}, Args: "qaa", Mods: []isa.Slot{isa.SlotFtz}},
	{Types: []row.TypeSet{setTypes | row.BF16 | row.BF16x2}, Args: "qaap", May: row.EarlyBool},
	{Types: []row.TypeSet{row.F32 | row.F16 | row.F16x2}, Args: "qaap", May: row.EarlyBool, Mods: []isa.Slot{isa.SlotFtz}},
}

var Setp = row.Op{Rows: []row.Row{{
	Name: "setp", Forms: setpForms,
	Mods: []isa.Slot{isa.SlotCmp}, Need: []isa.Slot{isa.SlotCmp},
	Rules: []row.Rule{{At: isa.SlotCmp, Do: cmpType}, {At: isa.SlotCmp, Do: needBool}, {At: isa.SlotRead, Do: halfPair}},
	Gates: []row.Gate{gHalf, gBF90},
	Flags: row.FlagPair | row.FlagPredVoid,
}}}

var Selp = row.Op{Rows: []row.Row{{
	Name:  "selp",
	Forms: []row.Form{{Types: []row.TypeSet{row.Int | row.Bits | row.F32 | row.F64}, Args: "daap"}},
}}}

var Slct = row.Op{Rows: []row.Row{{
	Name: "slct",
	Forms: []row.Form{
		{Types: []row.TypeSet{row.Int | row.Bits | row.F32 | row.F64, row.Int32}, Args: "daab"},
		{Types: []row.TypeSet{row.Int | row.Bits | row.F32 | row.F64, row.F32}, Args: "daab", Mods: []isa.Slot{isa.SlotFtz}},
	},
	Flags: row.FlagSigned,
}}}

var logicForms = []row.Form{{Types: []row.TypeSet{row.Bits | row.Pred}, Args: "daa"}}

var (
	And  = row.Op{Rows: []row.Row{{Name: "and", Forms: logicForms}}}
	Or   = row.Op{Rows: []row.Row{{Name: "or", Forms: logicForms}}}
	Xor  = row.Op{Rows: []row.Row{{Name: "xor", Forms: logicForms}}}
	Not  = row.Op{Rows: []row.Row{{Name: "not", Forms: []row.Form{{Types: []row.TypeSet{row.Bits | row.Pred}, Args: "da"}}}}}
	Cnot = row.Op{Rows: []row.Row{{Name: "cnot", Forms: []row.Form{{Types: []row.TypeSet{row.Bits}, Args: "da"}}}}}
	Shl  = row.Op{Rows: []row.Row{{Name: "shl", Forms: []row.Form{{Types: []row.TypeSet{row.Bits}, Args: "dau"}}}}}
	Shr  = row.Op{Rows: []row.Row{{Name: "shr", Forms: []row.Form{{Types: []row.TypeSet{row.Bits | row.Int}, Args: "dau"}}}}}
)

var Shf = row.Op{Rows: []row.Row{
	{
		Words: []isa.Word{isa.WL}, Name: "shf.l", Forms: []row.Form{{Types: []row.TypeSet{row.B32}, Args: "daau"}},
		Mods: []isa.Slot{isa.SlotClamp}, Need: []isa.Slot{isa.SlotClamp}, Gates: []row.Gate{{V: 31, SM: 32, Inst: true, At: isa.SlotRead}},
	},
	{
		Words: []isa.Word{isa.WR}, Name: "shf.r", Forms: []row.Form{{Types: []row.TypeSet{row.B32}, Args: "daau"}},
		Mods: []isa.Slot{isa.SlotClamp}, Need: []isa.Slot{isa.SlotClamp}, Gates: []row.Gate{{V: 31, SM: 32, Inst: true, At: isa.SlotRead}},
	},
}}

var Lop3 = row.Op{Rows: []row.Row{{
	Name: "lop3",
	Forms: []row.Form{
		{Types: []row.TypeSet{row.B32}, Args: "daaai"},
		{Types: []row.TypeSet{row.B32}, Args: "daaaip", May: row.EarlyBool},
	},
	Gates: []row.Gate{
		{V: 43, SM: 50, Inst: true, At: isa.SlotRead, If: noOp},
		{Name: "lop3.<BoolOp>", V: 82, SM: 70, Inst: true, If: hasOp},
	},
	Rules: []row.Rule{{At: isa.SlotCmp, Do: lop3Bool}},
	Flags: row.FlagPair | row.FlagSink,
}}}

var Prmt = row.Op{Rows: []row.Row{{
	Name: "prmt", Forms: []row.Form{{Types: []row.TypeSet{row.B32}, Args: "daaa"}},
	Mods: []isa.Slot{isa.SlotPermute}, Gates: g20,
}}}
