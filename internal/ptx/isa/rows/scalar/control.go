package scalar

import (
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/isa/row"
	"github.com/goptxas/goptxas/internal/target"
)

// Control flow and the few operations without a better home.

var Bra = row.Op{Rows: []row.Row{{Name: "bra", Forms: []row.Form{{Args: "*"}}, Mods: []isa.Slot{isa.SlotUni}, Rules: []row.Rule{{At: isa.SlotRead, Do: wantLabel}}, Flags: row.FlagSymbol | row.FlagAnyArg}}}

var Brx = row.Op{Rows: []row.Row{{
	Words: []isa.Word{isa.WIdx}, Name: "brx.idx", Forms: []row.Form{{Args: "u*"}}, Mods: []isa.Slot{isa.SlotUni},
	Gates: []row.Gate{{V: 60, SM: 30, Inst: true}}, Rules: []row.Rule{{At: isa.SlotRead, Do: wantTable}}, Flags: row.FlagSymbol | row.FlagAnyArg,
}}}

// wantTable: an indexed branch has a table of labels.
func wantTable(c *row.Checker) {
	switch c.In.Args[1].Kind {
	case isa.KTable:
	case isa.KBad, isa.KLabel, isa.KInt:
		c.Errorf("Arguments mismatch for instruction 'brx.idx'")
	default:
		c.Errorf("Label with '.branchtargets' directive expected for argument 1 of instruction 'brx.idx'")
	}
}

// wantLabel: bra goes to a label.
func wantLabel(c *row.Checker) {
	switch c.In.Args[0].Kind {
	case isa.KLabel, isa.KBad:
	case isa.KSymbol, isa.KFunc, isa.KTable:
		c.Errorf("Arguments mismatch for instruction 'bra'")
	default:
		c.Errorf("Label expected for argument 0 of instruction '%s'", c.Row.Name)
	}
}

var Call = row.Op{Rows: []row.Row{{Name: "call", Forms: []row.Form{{Args: "?*********"}}, Mods: []isa.Slot{isa.SlotUni}, Flags: row.FlagVector | row.FlagSymbol | row.FlagPair | row.FlagSink}}}

var (
	Ret   = row.Op{Rows: []row.Row{{Name: "ret", Forms: []row.Form{{Args: ""}}, Mods: []isa.Slot{isa.SlotUni}}}}
	Exit  = row.Op{Rows: []row.Row{{Name: "exit", Forms: []row.Form{{Args: ""}}}}}
	Trap  = row.Op{Rows: []row.Row{{Name: "trap", Forms: []row.Form{{Args: ""}}}}}
	Brkpt = row.Op{Rows: []row.Row{{Name: "brkpt", Forms: []row.Form{{Args: ""}}, Gates: []row.Gate{{SM: 11, Inst: true}}}}}
)

var Pmevent = row.Op{Rows: []row.Row{
	{Name: "pmevent", Forms: []row.Form{{Args: "i"}}, Gates: []row.Gate{{V: 14}}, Ranges: []row.Range{{Arg: 0, Lo: 0, Hi: 15}}},
	{Words: []isa.Word{isa.WMask}, Name: "pmevent.mask", Forms: []row.Form{{Args: "i"}}, Gates: []row.Gate{{V: 30, SM: 20}}, Ranges: []row.Range{{Arg: 0, Lo: 0, Hi: 65535}}},
}}

var Nanosleep = row.Op{Rows: []row.Row{{
	Name: "nanosleep", Forms: []row.Form{{Types: []row.TypeSet{row.Int32}, Args: "u"}},
	Gates: []row.Gate{{V: 62, SM: 70, Inst: true}},
	Rules: []row.Rule{{At: isa.SlotRead, Do: sleepType}},
}}}

func sleepType(c *row.Checker) {
	if c.In.Types[0] != isa.U32 {
		c.Errorf("Instruction 'nanosleep' requires '.u32' type")
	}
}

var maxnregMods = []isa.Slot{isa.SlotAligned}

var maxnregGates = []row.Gate{{V: 80, Only: target.On90a | target.OnF100 | target.OnF120, Inst: true}}

var Setmaxnreg = row.Op{Rows: []row.Row{
	{
		Words: []isa.Word{isa.WInc}, Name: "setmaxnreg.inc", Forms: []row.Form{{Types: []row.TypeSet{row.U32}, Args: "i", May: row.EarlySync}},
		Mods: maxnregMods, Need: maxnregMods, Gates: maxnregGates, Rules: []row.Rule{{At: isa.SlotNocomp, Do: row.NeedSync}, {At: isa.SlotRead, Do: maxnregValue}},
	},
	{
		Words: []isa.Word{isa.WDec}, Name: "setmaxnreg.dec", Forms: []row.Form{{Types: []row.TypeSet{row.U32}, Args: "i", May: row.EarlySync}},
		Mods: maxnregMods, Need: maxnregMods, Gates: maxnregGates, Rules: []row.Rule{{At: isa.SlotNocomp, Do: row.NeedSync}, {At: isa.SlotRead, Do: maxnregValue}},
	},
}}

// maxnregValue: register counts go from 24 to 256 in steps of 8.
func maxnregValue(c *row.Checker) {
	v := c.In.Args[0].Value
	if v%8 != 0 {
		c.Errorf("Argument 1 of instruction '%s': unexpected value '%d', expected to be multiple of 8", c.Row.Name, v)
	}
	if v < 24 || v > 256 {
		c.Errorf("Argument 1 of instruction '%s': value '%d' out of range, expected to be in range [24..256]", c.Row.Name, v)
	}
}
