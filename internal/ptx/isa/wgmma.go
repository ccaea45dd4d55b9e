package isa

import (
	"strings"

	"github.com/goptxas/goptxas/internal/target"
)

// Warpgroup matrix operations of sm_90a.

var wgmmaForms = []Form{
	{Types: []TypeSet{tF16 | tF32, tF16, tF16}, Args: "Rkkpiiii", May: eSync | eSatf},
	{Types: []TypeSet{tF32, tBF, tBF}, Args: "Rkkpiiii", May: eSync | eSatf},
	{Types: []TypeSet{tF16 | tF32, tF16, tF16}, Args: "RXkpiii", May: eSync | eSatf},
	{Types: []TypeSet{tF32, tBF, tBF}, Args: "RXkpiii", May: eSync | eSatf},
	{Types: []TypeSet{tF32, tTF32, tTF32}, Args: "Rgkpii?ii", May: eSync | eSatf},
	{Types: []TypeSet{tF16 | tF32, tF8, tF8}, Args: "Rgkpii?ii", May: eSync | eSatf},
	{Types: []TypeSet{tS32, tInt8, tInt8}, Args: "Rgkp?ii", May: eSync | eSatf},
	{Types: []TypeSet{tS32, tB1, tB1}, Args: "Rgkp?ii", May: eSync | eBool | ePopc | eSatf},

	// Sparse: metadata and its selector follow B.
	{Types: []TypeSet{tF16 | tF32, tF16, tF16}, Args: "Rkkvipiiii", May: eSync | eSatf},
	{Types: []TypeSet{tF32, tBF, tBF}, Args: "Rkkvipiiii", May: eSync | eSatf},
	{Types: []TypeSet{tF16 | tF32, tF16, tF16}, Args: "RXkvipiii", May: eSync | eSatf},
	{Types: []TypeSet{tF32, tBF, tBF}, Args: "RXkvipiii", May: eSync | eSatf},
	{Types: []TypeSet{tF32, tTF32, tTF32}, Args: "Rgkvipii", May: eSync | eSatf},
	{Types: []TypeSet{tF16 | tF32, tF8, tF8}, Args: "Rgkvipii", May: eSync | eSatf},
	{Types: []TypeSet{tS32, tInt8, tInt8}, Args: "Rgkvip", May: eSync | eSatf},
}

var wgmmaGate = []Gate{{Name: "WGMMA", V: 80}}

var opWgmma = Op{Rows: []Row{
	{
		Words: []Word{WMmaAsync}, Name: "wgmma.mma_async", Forms: wgmmaForms,
		Mods: []Slot{SlotAligned, SlotShape, SlotSparse}, Need: []Slot{SlotShape},
		Rules: []Rule{
			{NoSlot, needSync}, {NoSlot, wgmmaGates}, {SlotShape, wgmmaShape}, {SlotShape, wgmmaArgs}, {SlotLayout, wgmmaVectors}, {SlotLayout, wgmmaConsts},
		},
		Flags: fVector2 | fTwoOps,
	},
	{
		Words: []Word{WFence}, Name: "wgmma.fence", Forms: []Form{{Args: "", May: eSync}}, Mods: alignedMods,
		Gates: wgmmaGate, Rules: []Rule{{NoSlot, on90aOnly}, {SlotRead, needSync}},
	},
	{
		Words: []Word{WCommitGroup}, Name: "wgmma.commit_group", Forms: []Form{{Args: "", May: eSync}}, Mods: alignedMods,
		Gates: wgmmaGate, Rules: []Rule{{NoSlot, on90aOnly}, {SlotRead, needSync}},
	},
	{
		Words: []Word{WWaitGroup}, Name: "wgmma.wait_group", Forms: []Form{{Args: "i", May: eSync}}, Mods: alignedMods,
		Gates: wgmmaGate, Rules: []Rule{{NoSlot, on90aOnly}, {SlotRead, needSync}, {SlotRead, waitCount}},
	},
}}

// waitCount: a number of groups is not negative.
func waitCount(c *checker) {
	if v := c.in.Args[0].Value; v < 0 {
		c.errorf("Argument 0 of instruction '%s': unexpected value '%d', expected to be non-negative integer", c.row.Name, v)
	}
}

func on90aOnly(c *checker) { c.only90a(c.row.Name) }

// only90a: wgmma is of sm_90a alone, and the reference says so twice.
func (c *checker) only90a(name string) {
	if c.bit&target.On90a != 0 {
		return
	}
	c.errorf("Instruction '%s' not supported on .target '%s'", name, c.ctx.Target)
	arch, sm := c.ctx.Arch, c.ctx.ArchSM
	if arch == "" {
		arch, sm = "compute_"+strings.TrimPrefix(c.ctx.Target, "sm_"), c.ctx.SM
	}
	if chip := target.FindSM(sm); chip != nil && chip.Family > target.Hopper {
		c.errorf("Instruction '%s' cannot be compiled for architecture '%s'", name, arch)
	}
}

// wgmmaName is the operation with its kind of types, as messages have it.
func (c *checker) wgmmaName(async bool) string {
	in := c.in
	kind := " with floating point types"
	switch t := in.Types[1]; {
	case tF8.has(t):
		kind = " with FP8 types"
	case tInt8.has(t) && in.Types[2] != t:
		kind = " with mixed integer types"
	case tInt8.has(t):
		kind = " with integer types"
	case t == B1:
		kind = " with boolean type"
	}
	name := "WGMMA"
	if async {
		name = "wgmma.mma_async"
	}
	if in.Has(SlotSparse) {
		name = "Sparse " + name
	}
	return name + kind
}

func wgmmaGates(c *checker) {
	in := c.in
	v := Version(80)
	if in.Has(SlotSparse) {
		v = 82
	}
	if tInt8.has(in.Types[1]) && in.Types[2] != in.Types[1] {
		v = 84
	}
	if c.ctx.Version < v {
		c.errorf("Feature '%s' requires PTX ISA .version %s or later", c.wgmmaName(false), v)
	}
	c.only90a(c.wgmmaName(true))
}

// wgmmaK is the depth of the shape for the types.
func (c *checker) wgmmaK() int {
	k := 16
	switch t := c.in.Types[1]; {
	case t == TF32:
		k = 8
	case tF8.has(t) || tInt8.has(t):
		k = 32
	case t == B1:
		k = 256
	}
	if c.in.Has(SlotSparse) {
		k *= 2
	}
	return k
}

// wgmmaShape: 64 rows, columns in steps of 8, of 16 for some integers, and
// the depth of the type.
func wgmmaShape(c *checker) {
	in := c.in
	shape := in.Mod(SlotShape)
	if shape == WNone {
		return
	}
	m, n, k := ShapeMNK(shape)
	name := c.wgmmaName(true)
	integer := in.Types[0] == S32
	switch {
	case m != 64 || integer && n%16 != 0 && n != 8 && n != 24:
		c.errorf("Illegal matrix shape '.%s' for instruction '%s'", shape, name)
	case k != c.wgmmaK():
		c.errorf("Illegal instruction types specified for '%s' with shape '.%s'", name, shape)
	}
	if in.early&eSatf != 0 && !integer {
		c.errorf("Illegal modifier '.satfinite' for instruction '%s'", name)
		c.errorf("Illegal modifier '.satfinite' for instruction '%s'", c.row.Name)
	}
	if in.Types[1] == B1 {
		c.wgmmaBitOps(shape, name)
	}
}

func (c *checker) wgmmaBitOps(shape Word, name string) {
	op := c.in.early & eBool
	switch {
	case op == 0 || c.in.early&ePopc == 0:
		c.errorf("Unexpected number of operations specified for %s with shape '.%s'", name, shape)
		if op == 0 {
			c.errorf("Boolean operation is required for instruction '%s'", c.row.Name)
		}
	case op != eAnd:
		c.errorf("Incorrect operations specified for %s with shape '.%s'", name, shape)
	}
}

// badFactor reports whether A is in registers, but not in four.
func badFactor(a *Operand) bool { return a.Kind == KVector && len(a.Elems) != 4 }

// wgmmaArgs: transposition is for halves, scaling of inputs for floats.
func wgmmaArgs(c *checker) {
	in := c.in
	n := len(in.Args)
	if in.Has(SlotSparse) {
		n -= 2
	}
	t := in.Types[1]
	bad := n == 8 && t != F16 && t != BF16 || n > 4 && in.Types[0] == S32
	if bad || badFactor(&in.Args[1]) {
		c.errorf("Arguments mismatch for instruction '%s'", c.wgmmaName(true))
	}
}

// wgmmaVectors: D holds a quarter of 64 by n elements, A in registers four.
func wgmmaVectors(c *checker) {
	in := c.in
	m, n, _ := ShapeMNK(in.Mod(SlotShape))
	if m != 64 {
		return
	}
	regs := n / 2
	if in.Types[0] == F16 {
		regs = n / 4
	}
	bad := in.Args[0].Kind != KVector || len(in.Args[0].Elems) != regs
	if bad || badFactor(&in.Args[1]) {
		c.errorf("Argument vector size mismatch for instruction '%s'", c.wgmmaName(true))
	}
}

// wgmmaConsts: signs of the inputs are 1 or -1, transpositions 0 or 1.
func wgmmaConsts(c *checker) {
	in := c.in
	first := 3
	if in.Has(SlotSparse) && len(in.Args) > 5 {
		if o := &in.Args[4]; o.Kind == KInt && o.Value != 0 && o.Value != 1 {
			c.errorf("Argument 4 of instruction '%s': unexpected value '%d', expected to be 0 or 1", c.wgmmaName(true), o.Value)
		}
		first = 5
	}
	for i := first + 1; i < len(in.Args); i++ {
		o := &in.Args[i]
		v := o.Value
		switch {
		case o.Kind != KInt:
		case i <= first+2 && v != 1 && v != -1:
			c.errorf("Argument %d of instruction '%s': unexpected value '%d', expected to be -1 or 1", i, c.wgmmaName(true), v)
		case i > first+2 && v != 0 && v != 1:
			c.errorf("Argument %d of instruction '%s': unexpected value '%d', expected to be 0 or 1", i, c.wgmmaName(true), v)
		}
	}
}
