package isa

// Video instructions, scalar and SIMD. Types are those of the result and of
// the two sources; a second operation takes a third source.

var (
	video3    = []TypeSet{tInt32, tInt32, tInt32}
	video2    = []TypeSet{tInt32, tInt32}
	videoGate = []Gate{{At: SlotRead, Name: "2.0", V: 20}, {At: SlotRead, SM: 20, Inst: true}}
	simdGate  = []Gate{{At: SlotRead, Name: "3.0", V: 30}, {At: SlotRead, SM: 30, Inst: true}}

	videoForms = []Form{
		{Types: video3, Args: "dbc", Mods: []Slot{SlotSat}},
		{Types: video3, Args: "dbca", May: eAdd | eMin | eMax | ePopc, Mods: []Slot{SlotSat}},
	}
	shiftForms = []Form{
		{Types: video3, Args: "dbc", Mods: []Slot{SlotSat, SlotClamp}},
		{Types: video3, Args: "dbca", May: eAdd | eMin | eMax | ePopc, Mods: []Slot{SlotSat, SlotClamp}},
	}
	vsetForms = []Form{
		{Types: video2, Args: "nab", Mods: []Slot{SlotCmp}},
		{Types: video2, Args: "nabu", May: eAdd | eMin | eMax | ePopc, Mods: []Slot{SlotCmp}},
	}
	simdForms  = []Form{{Types: video3, Args: "dbca", May: eAdd | eMin | eMax | ePopc, Mods: []Slot{SlotSat}}}
	vset2Forms = []Form{{Types: video2, Args: "nabu", May: eAdd | eMin | eMax | ePopc, Mods: []Slot{SlotCmp}}}

	videoRules = []Rule{{SlotCmp, videoSecond}}
	vsetRules  = []Rule{{SlotCmp, cmpType}, {SlotCmp, videoSecond}}
	simdRules  = []Rule{{SlotCmp, simdSecond}, {SlotRead, simdRegs}}
	simdSet    = []Rule{{SlotCmp, cmpType}, {SlotCmp, simdSecond}, {SlotRead, simdRegs}}
)

const videoFlags = fSel | fConvert

var (
	opVadd     = Op{Rows: []Row{{Name: "vadd", Forms: videoForms, Mods: []Slot{SlotOp}, Rules: videoRules, Gates: videoGate, Flags: videoFlags}}}
	opVsub     = Op{Rows: []Row{{Name: "vsub", Forms: videoForms, Mods: []Slot{SlotOp}, Rules: videoRules, Gates: videoGate, Flags: videoFlags}}}
	opVabsdiff = Op{Rows: []Row{{Name: "vabsdiff", Forms: videoForms, Mods: []Slot{SlotOp}, Rules: videoRules, Gates: videoGate, Flags: videoFlags}}}
	opVmin     = Op{Rows: []Row{{Name: "vmin", Forms: videoForms, Mods: []Slot{SlotOp}, Rules: videoRules, Gates: videoGate, Flags: videoFlags}}}
	opVmax     = Op{Rows: []Row{{Name: "vmax", Forms: videoForms, Mods: []Slot{SlotOp}, Rules: videoRules, Gates: videoGate, Flags: videoFlags}}}
	opVshl     = Op{Rows: []Row{{Name: "vshl", Forms: shiftForms, Mods: []Slot{SlotOp}, Need: []Slot{SlotClamp}, Rules: videoRules, Gates: videoGate, Flags: videoFlags}}}
	opVshr     = Op{Rows: []Row{{Name: "vshr", Forms: shiftForms, Mods: []Slot{SlotOp}, Need: []Slot{SlotClamp}, Rules: videoRules, Gates: videoGate, Flags: videoFlags}}}
	opVset     = Op{Rows: []Row{{Name: "vset", Forms: vsetForms, Mods: []Slot{SlotOp}, Need: []Slot{SlotCmp}, Rules: vsetRules, Gates: videoGate, Flags: videoFlags}}}
	opVmad     = Op{Rows: []Row{{
		Name: "vmad", Forms: []Form{{Types: video3, Args: "dbca", Mods: []Slot{SlotSat, SlotPo, SlotShr}}},
		Rules: []Rule{{SlotPo, vmadNegate}}, Gates: videoGate, Flags: videoFlags | fNeg,
	}}}

	opVadd2     = Op{Rows: []Row{{Name: "vadd2", Forms: simdForms, Mods: []Slot{SlotOp}, Rules: simdRules, Gates: simdGate, Flags: videoFlags}}}
	opVsub2     = Op{Rows: []Row{{Name: "vsub2", Forms: simdForms, Mods: []Slot{SlotOp}, Rules: simdRules, Gates: simdGate, Flags: videoFlags}}}
	opVavrg2    = Op{Rows: []Row{{Name: "vavrg2", Forms: simdForms, Mods: []Slot{SlotOp}, Rules: simdRules, Gates: simdGate, Flags: videoFlags}}}
	opVabsdiff2 = Op{Rows: []Row{{Name: "vabsdiff2", Forms: simdForms, Mods: []Slot{SlotOp}, Rules: simdRules, Gates: simdGate, Flags: videoFlags}}}
	opVmin2     = Op{Rows: []Row{{Name: "vmin2", Forms: simdForms, Mods: []Slot{SlotOp}, Rules: simdRules, Gates: simdGate, Flags: videoFlags}}}
	opVmax2     = Op{Rows: []Row{{Name: "vmax2", Forms: simdForms, Mods: []Slot{SlotOp}, Rules: simdRules, Gates: simdGate, Flags: videoFlags}}}
	opVset2     = Op{Rows: []Row{{Name: "vset2", Forms: vset2Forms, Mods: []Slot{SlotOp}, Need: []Slot{SlotCmp}, Rules: simdSet, Gates: simdGate, Flags: videoFlags}}}
	opVadd4     = Op{Rows: []Row{{Name: "vadd4", Forms: simdForms, Mods: []Slot{SlotOp}, Rules: simdRules, Gates: simdGate, Flags: videoFlags}}}
	opVsub4     = Op{Rows: []Row{{Name: "vsub4", Forms: simdForms, Mods: []Slot{SlotOp}, Rules: simdRules, Gates: simdGate, Flags: videoFlags}}}
	opVavrg4    = Op{Rows: []Row{{Name: "vavrg4", Forms: simdForms, Mods: []Slot{SlotOp}, Rules: simdRules, Gates: simdGate, Flags: videoFlags}}}
	opVabsdiff4 = Op{Rows: []Row{{Name: "vabsdiff4", Forms: simdForms, Mods: []Slot{SlotOp}, Rules: simdRules, Gates: simdGate, Flags: videoFlags}}}
	opVmin4     = Op{Rows: []Row{{Name: "vmin4", Forms: simdForms, Mods: []Slot{SlotOp}, Rules: simdRules, Gates: simdGate, Flags: videoFlags}}}
	opVmax4     = Op{Rows: []Row{{Name: "vmax4", Forms: simdForms, Mods: []Slot{SlotOp}, Rules: simdRules, Gates: simdGate, Flags: videoFlags}}}
	opVset4     = Op{Rows: []Row{{Name: "vset4", Forms: vset2Forms, Mods: []Slot{SlotOp}, Need: []Slot{SlotCmp}, Rules: simdSet, Gates: simdGate, Flags: videoFlags}}}
)

// videoSecond: the second operation of a scalar video instruction is add,
// min or max; with one the result is a whole register.
func videoSecond(c *checker) { c.second(eAdd | eMin | eMax) }

// simdSecond: that of a SIMD one is add.
func simdSecond(c *checker) { c.second(eAdd) }

func (c *checker) second(ok Early) {
	in := c.in
	w := in.Mod(SlotOp)
	if w == WNone {
		return
	}
	if w == WPopc {
		c.redName()
	}
	if earlyOf[w]&ok == 0 {
		c.errorf("Illegal secondary operation for video instruction '%s'", c.row.Name)
	}
	if earlyOf[w] == 0 {
		c.redName()
	}
}

// simdRegs: lanes are those of registers.
func simdRegs(c *checker) {
	for i := range c.in.Args {
		if c.in.Args[i].Kind != KReg {
			c.errorf("Incorrect video selector for operand %d", i)
		}
	}
}

// vmadNegate: .po adds one and excludes negation; otherwise the product or
// the addend is negated.
func vmadNegate(c *checker) {
	args := c.in.Args
	if !c.in.Has(SlotPo) {
		if len(args) > 3 && (args[1].Neg || args[2].Neg) && args[3].Neg {
			c.errorf("Operand negation limited to either (source A xor source B) or source C")
		}
		return
	}
	for i := range c.in.Args {
		if c.in.Args[i].Neg {
			c.errorf("Conflicting use of '.po' modifier with operand negation")
			return
		}
	}
}
