package scalar

import (
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/isa/row"
)

// Video instructions, scalar and SIMD. Types are those of the result and of
// the two sources; a second operation takes a third source.

var (
	video3    = []row.TypeSet{row.Int32, row.Int32, row.Int32}
	video2    = []row.TypeSet{row.Int32, row.Int32}
	videoGate = []row.Gate{{At: isa.SlotRead, Name: "2.0", V: 20}, {At: isa.SlotRead, SM: 20, Inst: true}}
	simdGate  = []row.Gate{{At: isa.SlotRead, Name: "3.0", V: 30}, {At: isa.SlotRead, SM: 30, Inst: true}}

	videoForms = []row.Form{
		{Types: video3, Args: "dbc", Mods: []isa.Slot{isa.SlotSat}},
		{Types: video3, Args: "dbca", May: row.EarlyAdd | row.EarlyMin | row.EarlyMax | row.EarlyPopc, Mods: []isa.Slot{isa.SlotSat}},
	}
	shiftForms = []row.Form{
		{Types: video3, Args: "dbc", Mods: []isa.Slot{isa.SlotSat, isa.SlotClamp}},
		{Types: video3, Args: "dbca", May: row.EarlyAdd | row.EarlyMin | row.EarlyMax | row.EarlyPopc, Mods: []isa.Slot{isa.SlotSat, isa.SlotClamp}},
	}
	vsetForms = []row.Form{
		{Types: video2, Args: "nab", Mods: []isa.Slot{isa.SlotCmp}},
		{Types: video2, Args: "nabu", May: row.EarlyAdd | row.EarlyMin | row.EarlyMax | row.EarlyPopc, Mods: []isa.Slot{isa.SlotCmp}},
	}
	simdForms  = []row.Form{{Types: video3, Args: "dbca", May: row.EarlyAdd | row.EarlyMin | row.EarlyMax | row.EarlyPopc, Mods: []isa.Slot{isa.SlotSat}}}
	vset2Forms = []row.Form{{Types: video2, Args: "nabu", May: row.EarlyAdd | row.EarlyMin | row.EarlyMax | row.EarlyPopc, Mods: []isa.Slot{isa.SlotCmp}}}

	videoRules = []row.Rule{{At: isa.SlotCmp, Do: videoSecond}, {At: isa.SlotRead, Do: videoSelectors}}
	vsetRules  = []row.Rule{{At: isa.SlotCmp, Do: cmpType}, {At: isa.SlotCmp, Do: videoSecond}, {At: isa.SlotRead, Do: videoSelectors}}
	simdRules  = []row.Rule{{At: isa.SlotCmp, Do: simdSecond}, {At: isa.SlotRead, Do: simdRegs}}
	simdSet    = []row.Rule{{At: isa.SlotCmp, Do: cmpType}, {At: isa.SlotCmp, Do: simdSecond}, {At: isa.SlotRead, Do: simdRegs}}
)

const videoFlags = row.FlagSel | row.FlagConvert

var (
	Vadd     = row.Op{Rows: []row.Row{{Name: "vadd", Forms: videoForms, Mods: []isa.Slot{isa.SlotOp}, Rules: videoRules, Gates: videoGate, Flags: videoFlags}}}
	Vsub     = row.Op{Rows: []row.Row{{Name: "vsub", Forms: videoForms, Mods: []isa.Slot{isa.SlotOp}, Rules: videoRules, Gates: videoGate, Flags: videoFlags}}}
	Vabsdiff = row.Op{Rows: []row.Row{{Name: "vabsdiff", Forms: videoForms, Mods: []isa.Slot{isa.SlotOp}, Rules: videoRules, Gates: videoGate, Flags: videoFlags}}}
	Vmin     = row.Op{Rows: []row.Row{{Name: "vmin", Forms: videoForms, Mods: []isa.Slot{isa.SlotOp}, Rules: videoRules, Gates: videoGate, Flags: videoFlags}}}
	Vmax     = row.Op{Rows: []row.Row{{Name: "vmax", Forms: videoForms, Mods: []isa.Slot{isa.SlotOp}, Rules: videoRules, Gates: videoGate, Flags: videoFlags}}}
	Vshl     = row.Op{Rows: []row.Row{{Name: "vshl", Forms: shiftForms, Mods: []isa.Slot{isa.SlotOp}, Need: []isa.Slot{isa.SlotClamp}, Rules: videoRules, Gates: videoGate, Flags: videoFlags}}}
	Vshr     = row.Op{Rows: []row.Row{{Name: "vshr", Forms: shiftForms, Mods: []isa.Slot{isa.SlotOp}, Need: []isa.Slot{isa.SlotClamp}, Rules: videoRules, Gates: videoGate, Flags: videoFlags}}}
	Vset     = row.Op{Rows: []row.Row{{Name: "vset", Forms: vsetForms, Mods: []isa.Slot{isa.SlotOp}, Need: []isa.Slot{isa.SlotCmp}, Rules: vsetRules, Gates: videoGate, Flags: videoFlags}}}
	Vmad     = row.Op{Rows: []row.Row{{
		Name: "vmad", Forms: []row.Form{{Types: video3, Args: "dbca", Mods: []isa.Slot{isa.SlotSat, isa.SlotPo, isa.SlotShr}}},
		Rules: []row.Rule{{At: isa.SlotPo, Do: vmadNegate}, {At: isa.SlotRead, Do: videoSelectors}}, Gates: videoGate, Flags: videoFlags | row.FlagNeg,
	}}}

	Vadd2     = row.Op{Rows: []row.Row{{Name: "vadd2", Forms: simdForms, Mods: []isa.Slot{isa.SlotOp}, Rules: simdRules, Gates: simdGate, Flags: videoFlags}}}
	Vsub2     = row.Op{Rows: []row.Row{{Name: "vsub2", Forms: simdForms, Mods: []isa.Slot{isa.SlotOp}, Rules: simdRules, Gates: simdGate, Flags: videoFlags}}}
	Vavrg2    = row.Op{Rows: []row.Row{{Name: "vavrg2", Forms: simdForms, Mods: []isa.Slot{isa.SlotOp}, Rules: simdRules, Gates: simdGate, Flags: videoFlags}}}
	Vabsdiff2 = row.Op{Rows: []row.Row{{Name: "vabsdiff2", Forms: simdForms, Mods: []isa.Slot{isa.SlotOp}, Rules: simdRules, Gates: simdGate, Flags: videoFlags}}}
	Vmin2     = row.Op{Rows: []row.Row{{Name: "vmin2", Forms: simdForms, Mods: []isa.Slot{isa.SlotOp}, Rules: simdRules, Gates: simdGate, Flags: videoFlags}}}
	Vmax2     = row.Op{Rows: []row.Row{{Name: "vmax2", Forms: simdForms, Mods: []isa.Slot{isa.SlotOp}, Rules: simdRules, Gates: simdGate, Flags: videoFlags}}}
	Vset2     = row.Op{Rows: []row.Row{{Name: "vset2", Forms: vset2Forms, Mods: []isa.Slot{isa.SlotOp}, Need: []isa.Slot{isa.SlotCmp}, Rules: simdSet, Gates: simdGate, Flags: videoFlags}}}
	Vadd4     = row.Op{Rows: []row.Row{{Name: "vadd4", Forms: simdForms, Mods: []isa.Slot{isa.SlotOp}, Rules: simdRules, Gates: simdGate, Flags: videoFlags}}}
	Vsub4     = row.Op{Rows: []row.Row{{Name: "vsub4", Forms: simdForms, Mods: []isa.Slot{isa.SlotOp}, Rules: simdRules, Gates: simdGate, Flags: videoFlags}}}
	Vavrg4    = row.Op{Rows: []row.Row{{Name: "vavrg4", Forms: simdForms, Mods: []isa.Slot{isa.SlotOp}, Rules: simdRules, Gates: simdGate, Flags: videoFlags}}}
	Vabsdiff4 = row.Op{Rows: []row.Row{{Name: "vabsdiff4", Forms: simdForms, Mods: []isa.Slot{isa.SlotOp}, Rules: simdRules, Gates: simdGate, Flags: videoFlags}}}
	Vmin4     = row.Op{Rows: []row.Row{{Name: "vmin4", Forms: simdForms, Mods: []isa.Slot{isa.SlotOp}, Rules: simdRules, Gates: simdGate, Flags: videoFlags}}}
	Vmax4     = row.Op{Rows: []row.Row{{Name: "vmax4", Forms: simdForms, Mods: []isa.Slot{isa.SlotOp}, Rules: simdRules, Gates: simdGate, Flags: videoFlags}}}
	Vset4     = row.Op{Rows: []row.Row{{Name: "vset4", Forms: vset2Forms, Mods: []isa.Slot{isa.SlotOp}, Need: []isa.Slot{isa.SlotCmp}, Rules: simdSet, Gates: simdGate, Flags: videoFlags}}}
)

// videoSecond: the second operation of a scalar video instruction is add,
// min or max; with one the result is a whole register.
func videoSecond(c *row.Checker) { second(c, row.EarlyAdd|row.EarlyMin|row.EarlyMax) }

// simdSecond: that of a SIMD one is add.
func simdSecond(c *row.Checker) { second(c, row.EarlyAdd) }

func second(c *row.Checker, ok row.Early) {
	in := c.In
	w := in.Mod(isa.SlotOp)
	if w == isa.WNone {
		return
	}
	if w == isa.WPopc {
		c.RedName()
	}
	if row.EarlyOf[w]&ok == 0 {
		c.Errorf("Illegal secondary operation for video instruction '%s'", c.Row.Name)
	}
	if row.EarlyOf[w] == 0 {
		c.RedName()
	}
}

// videoSelectors: a scalar operation reads and writes one of four bytes or two
// halves.
func videoSelectors(c *row.Checker) {
	for i := range c.In.Args {
		switch c.In.Args[i].Sel {
		case "", "b0", "b1", "b2", "b3", "h0", "h1":
		default:
			c.Errorf("Incorrect video selector for operand %d", i)
		}
	}
	if args := c.In.Args; len(args) == 3 && args[0].Sel != "" {
		c.Errorf("Video selector is not allowed on destination for instruction '%s'", c.Row.Name)
	}
}

// simdRegs: lanes are those of registers, two halves or four bytes.
func simdRegs(c *row.Checker) {
	lanes := c.Row.Name[len(c.Row.Name)-1]
	for i := range c.In.Args {
		o := &c.In.Args[i]
		half := o.Sel != "" && o.Sel[0] == 'h'
		if o.Kind != isa.KReg || o.Sel != "" && (half != (lanes == '2') || o.Sel[0] != 'h' && o.Sel[0] != 'b' || badLane(o.Sel[1:], half)) {
			c.Errorf("Incorrect video selector for operand %d", i)
		}
	}
}

// badLane reports whether a selector names a lane that two registers do not
// have.
func badLane(digits string, half bool) bool {
	for _, d := range digits {
		if d < '0' || d > '7' || half && d > '3' {
			return true
		}
	}
	return digits == ""
}

// vmadNegate: .po adds one and excludes negation; otherwise the product or
// the addend is negated.
func vmadNegate(c *row.Checker) {
	args := c.In.Args
	if !c.In.Has(isa.SlotPo) {
		if len(args) > 3 && (args[1].Neg || args[2].Neg) && args[3].Neg {
			c.Errorf("Operand negation limited to either (source A xor source B) or source C")
		}
		return
	}
	for i := range c.In.Args {
		if c.In.Args[i].Neg {
			c.Errorf("Conflicting use of '.po' modifier with operand negation")
			return
		}
	}
}
