package matrix

import (
	"strings"

	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/isa/row"
	"github.com/goptxas/goptxas/internal/target"
)

// Warpgroup matrix operations of sm_90a.

var wgmmaForms = []row.Form{
	{Types: []row.TypeSet{row.F16 | row.F32, row.F16, row.F16}, Args: "Rkkpiiii", May: row.EarlySync | row.EarlySatf},
	{Types: []row.TypeSet{row.F32, row.BF16, row.BF16}, Args: "Rkkpiiii", May: row.EarlySync | row.EarlySatf},
	{Types: []row.TypeSet{row.F16 | row.F32, row.F16, row.F16}, Args: "RXkpiii", May: row.EarlySync | row.EarlySatf},
	{Types: []row.TypeSet{row.F32, row.BF16, row.BF16}, Args: "RXkpiii", May: row.EarlySync | row.EarlySatf},
	{Types: []row.TypeSet{row.F32, row.TF32, row.TF32}, Args: "Rgkpii?ii", May: row.EarlySync | row.EarlySatf},
	{Types: []row.TypeSet{row.F16 | row.F32, row.F8, row.F8}, Args: "Rgkpii?ii", May: row.EarlySync | row.EarlySatf},
	{Types: []row.TypeSet{row.S32, row.Int8, row.Int8}, Args: "Rgkp?ii", May: row.EarlySync | row.EarlySatf},
	{Types: []row.TypeSet{row.S32, row.B1, row.B1}, Args: "Rgkp?ii", May: row.EarlySync | row.EarlyBool | row.EarlyPopc | row.EarlySatf},

	// Sparse: metadata and its selector follow B.
	{Types: []row.TypeSet{row.F16 | row.F32, row.F16, row.F16}, Args: "Rkkvipiiii", May: row.EarlySync | row.EarlySatf},
	{Types: []row.TypeSet{row.F32, row.BF16, row.BF16}, Args: "Rkkvipiiii", May: row.EarlySync | row.EarlySatf},
	{Types: []row.TypeSet{row.F16 | row.F32, row.F16, row.F16}, Args: "RXkvipiii", May: row.EarlySync | row.EarlySatf},
	{Types: []row.TypeSet{row.F32, row.BF16, row.BF16}, Args: "RXkvipiii", May: row.EarlySync | row.EarlySatf},
	{Types: []row.TypeSet{row.F32, row.TF32, row.TF32}, Args: "Rgkvipii", May: row.EarlySync | row.EarlySatf},
	{Types: []row.TypeSet{row.F16 | row.F32, row.F8, row.F8}, Args: "Rgkvipii", May: row.EarlySync | row.EarlySatf},
	{Types: []row.TypeSet{row.S32, row.Int8, row.Int8}, Args: "Rgkvip", May: row.EarlySync | row.EarlySatf},
}

var wgmmaGate = []row.Gate{{At: isa.SlotShuffle, Name: "WGMMA", V: 80}}

var Wgmma = row.Op{Rows: []row.Row{
	{
		Words: []isa.Word{isa.WMmaAsync}, Name: "wgmma.mma_async", Forms: wgmmaForms,
		Mods: []isa.Slot{isa.SlotAligned, isa.SlotShape, isa.SlotSparse}, Need: []isa.Slot{isa.SlotShape},
		Rules: []row.Rule{
			{At: isa.SlotNocomp, Do: row.NeedSync}, {At: isa.SlotShape, Do: wgmmaGates}, {At: isa.SlotShape, Do: wgmmaShape}, {At: isa.SlotShape, Do: wgmmaArgs}, {At: isa.SlotLayout, Do: wgmmaVectors}, {At: isa.SlotLayout, Do: wgmmaConsts},
		},
		Flags: row.FlagVector2 | row.FlagTwoOps,
	},
	{
		Words: []isa.Word{isa.WFence}, Name: "wgmma.fence", Forms: []row.Form{{Args: "", May: row.EarlySync}}, Mods: alignedMods,
		Gates: wgmmaGate, Rules: []row.Rule{{At: isa.SlotShuffle, Do: on90aOnly}, {At: isa.SlotNocomp, Do: row.NeedSync}},
	},
	{
		Words: []isa.Word{isa.WCommitGroup}, Name: "wgmma.commit_group", Forms: []row.Form{{Args: "", May: row.EarlySync}}, Mods: alignedMods,
		Gates: wgmmaGate, Rules: []row.Rule{{At: isa.SlotShuffle, Do: on90aOnly}, {At: isa.SlotNocomp, Do: row.NeedSync}},
	},
	{
		Words: []isa.Word{isa.WWaitGroup}, Name: "wgmma.wait_group", Forms: []row.Form{{Args: "i", May: row.EarlySync}}, Mods: alignedMods,
		Gates: wgmmaGate, Rules: []row.Rule{{At: isa.SlotShuffle, Do: on90aOnly}, {At: isa.SlotNocomp, Do: row.NeedSync}, {At: isa.SlotRead, Do: waitCount}},
	},
}}

// waitCount: a number of groups is not negative.
func waitCount(c *row.Checker) {
	if v := c.In.Args[0].Value; v < 0 {
		c.Errorf("Argument 0 of instruction '%s': unexpected value '%d', expected to be non-negative integer", c.Row.Name, v)
	}
}

func on90aOnly(c *row.Checker) { only90a(c, c.Row.Name) }

// only90a: wgmma is of sm_90a alone, and the reference says so twice.
func only90a(c *row.Checker, name string) {
	if c.Bit&target.On90a != 0 {
		return
	}
	c.Errorf("Instruction '%s' not supported on .target '%s'", name, c.Ctx.Target)
	arch, sm := c.Ctx.Arch, c.Ctx.ArchSM
	if arch == "" {
		arch, sm = "compute_"+strings.TrimPrefix(c.Ctx.Target, "sm_"), c.Ctx.SM
	}
	if chip := target.FindSM(sm); chip != nil && chip.Family > target.Hopper {
		c.Errorf("Instruction '%s' cannot be compiled for architecture '%s'", name, arch)
	}
}

// wgmmaName is the operation with its kind of types, as messages have it.
func wgmmaName(c *row.Checker, async bool) string {
	in := c.In
	kind := " with floating point types"
	switch t := in.Types[1]; {
	case row.F8.Has(t):
		kind = " with FP8 types"
	case row.Int8.Has(t) && in.Types[2] != t:
		kind = " with mixed integer types"
	case row.Int8.Has(t):
		kind = " with integer types"
	case t == isa.B1:
		kind = " with boolean type"
	}
	name := "WGMMA"
	if async {
		name = "wgmma.mma_async"
	}
	if in.Has(isa.SlotSparse) {
		name = "Sparse " + name
	}
	return name + kind
}

func wgmmaGates(c *row.Checker) {
	in := c.In
	v := isa.Version(80)
	if in.Has(isa.SlotSparse) {
		v = 82
	}
	if row.Int8.Has(in.Types[1]) && in.Types[2] != in.Types[1] {
		v = 84
	}
	if c.Ctx.Version < v {
		c.Errorf("Feature '%s' requires PTX ISA .version %s or later", wgmmaName(c, false), v)
	}
	only90a(c, wgmmaName(c, true))
}

// wgmmaK is the depth of the shape for the types.
func wgmmaK(c *row.Checker) int {
	k := 16
	switch t := c.In.Types[1]; {
	case t == isa.TF32:
		k = 8
	case row.F8.Has(t) || row.Int8.Has(t):
		k = 32
	case t == isa.B1:
		k = 256
	}
	if c.In.Has(isa.SlotSparse) {
		k *= 2
	}
	return k
}

// wgmmaShape: 64 rows, columns in steps of 8, of 16 for some integers, and
// the depth of the type.
func wgmmaShape(c *row.Checker) {
	in := c.In
	shape := in.Mod(isa.SlotShape)
	if shape == isa.WNone {
		return
	}
	m, n, k := isa.ShapeMNK(shape)
	name := wgmmaName(c, true)
	integer := in.Types[0] == isa.S32
	switch {
	case m != 64 || integer && n%16 != 0 && n != 8 && n != 24:
		c.Errorf("Illegal matrix shape '.%s' for instruction '%s'", shape, name)
	case k != wgmmaK(c):
		c.Errorf("Illegal instruction types specified for '%s' with shape '.%s'", name, shape)
	}
	if in.Early&row.EarlySatf != 0 && !integer {
		c.Errorf("Illegal modifier '.satfinite' for instruction '%s'", name)
		c.Errorf("Illegal modifier '.satfinite' for instruction '%s'", c.Row.Name)
	}
	if in.Types[1] == isa.B1 {
		wgmmaBitOps(c, shape, name)
	}
}

func wgmmaBitOps(c *row.Checker, shape isa.Word, name string) {
	op := c.In.Early & row.EarlyBool
	switch {
	case op == 0 || c.In.Early&row.EarlyPopc == 0:
		c.Errorf("Unexpected number of operations specified for %s with shape '.%s'", name, shape)
		if op == 0 {
			c.Errorf("Boolean operation is required for instruction '%s'", c.Row.Name)
		}
	case op != row.EarlyAnd:
		c.Errorf("Incorrect operations specified for %s with shape '.%s'", name, shape)
	}
}

// badFactor reports whether A is in registers, but not in four.
func badFactor(a *isa.Operand) bool { return a.Kind == isa.KVector && len(a.Elems) != 4 }

// wgmmaArgs: transposition is for halves, scaling of inputs for floats.
func wgmmaArgs(c *row.Checker) {
	in := c.In
	n := len(in.Args)
	if in.Has(isa.SlotSparse) {
		n -= 2
	}
	t := in.Types[1]
	bad := n == 8 && t != isa.F16 && t != isa.BF16 || n > 4 && in.Types[0] == isa.S32
	if bad || badFactor(&in.Args[1]) {
		c.Errorf("Arguments mismatch for instruction '%s'", wgmmaName(c, true))
	}
}

// wgmmaVectors: D holds a quarter of 64 by n elements, A in registers four.
func wgmmaVectors(c *row.Checker) {
	in := c.In
	m, n, _ := isa.ShapeMNK(in.Mod(isa.SlotShape))
	if m != 64 {
		return
	}
	regs := n / 2
	if in.Types[0] == isa.F16 {
		regs = n / 4
	}
	bad := in.Args[0].Kind != isa.KVector || len(in.Args[0].Elems) != regs
	if bad || badFactor(&in.Args[1]) {
		c.Errorf("Argument vector size mismatch for instruction '%s'", wgmmaName(c, true))
	}
}

// wgmmaConsts: signs of the inputs are 1 or -1, transpositions 0 or 1.
func wgmmaConsts(c *row.Checker) {
	in := c.In
	first := 3
	if in.Has(isa.SlotSparse) && len(in.Args) > 5 {
		if o := &in.Args[4]; o.Kind == isa.KInt && o.Value != 0 && o.Value != 1 {
			c.Errorf("Argument 4 of instruction '%s': unexpected value '%d', expected to be 0 or 1", wgmmaName(c, true), o.Value)
		}
		first = 5
	}
	for i := first + 1; i < len(in.Args); i++ {
		o := &in.Args[i]
		v := o.Value
		switch {
		case o.Kind != isa.KInt:
		case i <= first+2 && v != 1 && v != -1:
			c.Errorf("Argument %d of instruction '%s': unexpected value '%d', expected to be -1 or 1", i, wgmmaName(c, true), v)
		case i > first+2 && v != 0 && v != 1:
			c.Errorf("Argument %d of instruction '%s': unexpected value '%d', expected to be 0 or 1", i, wgmmaName(c, true), v)
		}
	}
}
