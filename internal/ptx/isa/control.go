package isa

import "github.com/goptxas/goptxas/internal/target"

// Control flow and the few operations without a better home.

var opBra = Op{Rows: []Row{{Name: "bra", Forms: []Form{{Args: "*"}}, Mods: []Slot{SlotUni}, Rules: []Rule{{SlotRead, wantLabel}}, Flags: fSymbol | fAnyArg}}}

var opBrx = Op{Rows: []Row{{
	Words: []Word{WIdx}, Name: "brx.idx", Forms: []Form{{Args: "u*"}}, Mods: []Slot{SlotUni},
	Gates: []Gate{{V: 60, SM: 30, Inst: true}}, Rules: []Rule{{SlotRead, wantTable}},
}}}

// wantTable: an indexed branch has a table of labels.
func wantTable(c *checker) {
	switch c.in.Args[1].Kind {
	case KTable:
	case KBad, KLabel, KSymbol, KFunc:
		c.errorf("Arguments mismatch for instruction 'brx.idx'")
	default:
		c.errorf("Label with '.branchtargets' directive expected for argument 1 of instruction 'brx.idx'")
	}
}

// wantLabel: bra goes to a label.
func wantLabel(c *checker) {
	switch c.in.Args[0].Kind {
	case KLabel, KBad:
	case KSymbol, KFunc, KTable:
		c.errorf("Arguments mismatch for instruction 'bra'")
	default:
		c.errorf("Label expected for argument 0 of instruction '%s'", c.row.Name)
	}
}

var opCall = Op{Rows: []Row{{Name: "call", Forms: []Form{{Args: "?*********"}}, Mods: []Slot{SlotUni}, Flags: fVector | fSymbol | fPair | fSink}}}

var (
	opRet   = Op{Rows: []Row{{Name: "ret", Forms: []Form{{Args: ""}}, Mods: []Slot{SlotUni}}}}
	opExit  = Op{Rows: []Row{{Name: "exit", Forms: []Form{{Args: ""}}}}}
	opTrap  = Op{Rows: []Row{{Name: "trap", Forms: []Form{{Args: ""}}}}}
	opBrkpt = Op{Rows: []Row{{Name: "brkpt", Forms: []Form{{Args: ""}}, Gates: []Gate{{SM: 11, Inst: true}}}}}
)

var opPmevent = Op{Rows: []Row{
	{Name: "pmevent", Forms: []Form{{Args: "i"}}, Gates: []Gate{{V: 14}}, Ranges: []Range{{0, 0, 15}}},
	{Words: []Word{WMask}, Name: "pmevent.mask", Forms: []Form{{Args: "i"}}, Gates: []Gate{{V: 30, SM: 20}}},
}}

var opNanosleep = Op{Rows: []Row{{
	Name: "nanosleep", Forms: []Form{{Types: []TypeSet{tInt | tBits | tF32 | tF64}, Args: "u"}},
	Gates: []Gate{{V: 62, SM: 70, Inst: true}},
	Rules: []Rule{{SlotRead, sleepType}},
}}}

func sleepType(c *checker) {
	if c.in.Types[0] != U32 {
		c.errorf("Instruction 'nanosleep' requires '.u32' type")
	}
}

var maxnregMods = []Slot{SlotAligned}

var maxnregGates = []Gate{{V: 80, Only: target.On90a | target.OnF100 | target.OnF120, Inst: true}}

var opSetmaxnreg = Op{Rows: []Row{
	{
		Words: []Word{WInc}, Name: "setmaxnreg.inc", Forms: []Form{{Types: []TypeSet{tU32}, Args: "i", May: eSync}},
		Mods: maxnregMods, Need: maxnregMods, Gates: maxnregGates, Rules: []Rule{{SlotRead, needSync}, {SlotRead, maxnregValue}},
	},
	{
		Words: []Word{WDec}, Name: "setmaxnreg.dec", Forms: []Form{{Types: []TypeSet{tU32}, Args: "i", May: eSync}},
		Mods: maxnregMods, Need: maxnregMods, Gates: maxnregGates, Rules: []Rule{{SlotRead, needSync}, {SlotRead, maxnregValue}},
	},
}}

// maxnregValue: register counts go from 24 to 256 in steps of 8.
func maxnregValue(c *checker) {
	v := c.in.Args[0].Value
	switch {
	case v < 24 || v > 256:
		c.errorf("Argument 1 of instruction '%s': value '%d' out of range, expected to be in range [24..256]", c.row.Name, v)
	case v%8 != 0:
		c.errorf("Argument 1 of instruction '%s': unexpected value '%d', expected to be multiple of 8", c.row.Name, v)
	}
}
