package isa

import "github.com/goptxas/goptxas/internal/target"

// Loads, stores and transpositions of matrices, and the older wmma.

const (
	tB8x16   TypeSet = 1 << B8x16
	tB6b4x16 TypeSet = 1<<B6x16P32 | 1<<B4x16P64
)

var (
	matrixMods  = []Slot{SlotAligned, SlotShape, SlotNum, SlotTrans, SlotSpace}
	alignedMods = []Slot{SlotAligned}
)

var opLdmatrix = Op{Rows: []Row{{
	Name: "ldmatrix",
	Forms: []Form{
		{Types: []TypeSet{tB16 | tB8}, Args: "Fm", May: eSync},
		{Types: []TypeSet{tB8x16, tB6b4x16}, Args: "Fm", May: eSync},
	},
	Mods: matrixMods, Need: []Slot{SlotAligned, SlotShape, SlotNum},
	Spaces: Spaces{sShared | sCTA, 0, 1},
	Gates: []Gate{
		{V: 65, SM: 75, TargetFirst: true},
		{Name: ".m8n8", V: 65, W: WM8n8},
		{Name: "ldmatrix.b8", V: 86, Only: target.OnF100 | target.OnF120, TargetFirst: true, T: tB8},
	},
	Rules: []Rule{{NoSlot, matrixGates}, {SlotRestrict, matrixSize}, {SlotShape, matrixShape}, {SlotLayout, matrixVector}, {NoSlot, needSync}, {SlotRead, needSync}},
	Flags: fVector2,
}}}

var opStmatrix = Op{Rows: []Row{{
	Name:  "stmatrix",
	Forms: []Form{{Types: []TypeSet{tB16 | tB8}, Args: "mF", May: eSync}},
	Mods:  matrixMods, Need: []Slot{SlotAligned, SlotShape, SlotNum},
	Spaces: Spaces{sShared | sCTA, 0, 1},
	Gates: []Gate{
		{V: 78, SM: 90, TargetFirst: true, W: WM8n8},
		{Name: "stmatrix.b8", V: 86, Only: target.OnF100 | target.OnF120, TargetFirst: true, T: tB8},
	},
	Rules: []Rule{{SlotRestrict, matrixSize}, {SlotShape, matrixShape}, {SlotLayout, matrixVector}, {NoSlot, needSync}, {SlotRead, needSync}},
	Flags: fVector2,
}}}

var opMovmatrix = Op{Rows: []Row{{
	Name: "movmatrix", Forms: []Form{{Types: []TypeSet{tB16}, Args: "NB", May: eSync}},
	Mods: []Slot{SlotAligned, SlotShape, SlotTrans}, Need: []Slot{SlotAligned, SlotShape},
	Gates: []Gate{{V: 78, SM: 75, TargetFirst: true}},
	Rules: []Rule{{SlotShape, movmatrixShape}, {SlotTrans, needTrans}, {SlotRead, needSync}},
}}}

func movmatrixShape(c *checker) {
	if w := c.in.Mod(SlotShape); w != WM8n8 {
		text := ""
		if w != WNone {
			text = "." + w.String()
		}
		c.errorf("Illegal matrix shape '%s' for instruction 'movmatrix'", text)
	}
}

func needTrans(c *checker) {
	if !c.in.Has(SlotTrans) {
		c.errorf(".trans modifier required for instruction '%s'", c.row.Name)
	}
}

var gM8n16 = Gate{Name: ".m8n16", Plain: true, Only: target.OnF100 | target.OnF120}

// matrixGates: what the m8n8 loads need, and what format conversion does.
func matrixGates(c *checker) {
	in := c.in
	if in.Mod(SlotShape) == WM8n8 && c.lacks(0, 75) {
		c.errorf("Modifier '.m8n8' requires .target sm_75 or higher")
	}
	if in.NTypes != 2 {
		return
	}
	if in.Mod(SlotShape) == WM8n16 {
		if c.ctx.Version < 86 {
			c.errorf("Modifier '.m8n16' on 'ldmatrix' requires PTX ISA .version 8.6 or later")
		}
		c.gate(&gM8n16)
	}
	if c.ctx.Version < 86 {
		c.errorf("Modifier 'format conversion' on 'ldmatrix' requires PTX ISA .version 8.6 or later")
	}
	c.gate(&Gate{Name: "ldmatrix with format conversion", Only: target.OnF100 | target.OnF120})
}

// matrixCount is the number of matrices .xN names.
func (c *checker) matrixCount() int {
	switch c.in.Mod(SlotNum) {
	case WX1:
		return 1
	case WX2:
		return 2
	case WX4:
		return 4
	case WX8:
		return 8
	}
	return 0
}

// matrixRegs is how many registers the matrices fill.
func (c *checker) matrixRegs() int {
	n := c.matrixCount()
	if c.in.Mod(SlotShape) == WM16n16 {
		n *= 2
	}
	return n
}

// matrixSize: the vector has as many registers as .xN fills.
func matrixSize(c *checker) {
	i := c.matrixArg()
	n := c.matrixRegs()
	o := &c.in.Args[i]
	if n > 0 && (o.Kind != KVector || len(o.Elems) != n) {
		c.errorf("Vector of size %d is expected for argument %d of instruction '%s'", n, i, c.row.Name)
	}
}

func (c *checker) matrixArg() int {
	if c.in.Op == WStmatrix {
		return 1
	}
	return 0
}

// matrixVector: and the vector is no longer or shorter than that.
func matrixVector(c *checker) {
	o := &c.in.Args[c.matrixArg()]
	if n := c.matrixRegs(); n > 0 && o.Kind == KVector && len(o.Elems) != n {
		c.errorf("Argument vector size mismatch for instruction '%s'", c.row.Name)
	}
}

// matrixShape: types, counts and transposition of the shapes.
func matrixShape(c *checker) {
	in := c.in
	name := c.row.Name
	shape := in.Mod(SlotShape)
	two := in.NTypes == 2
	switch shape {
	case WM8n8:
		if two {
			c.errorf("Unexpected number of instruction types specified for %s with shape '.m8n8'", name)
		}
		if in.Types[0] != B16 {
			c.errorf("Incorrect instruction type specified for %s with shape '.m8n8'", name)
		}
		if two {
			c.errorf("Modifier format conversion not allowed for shape '.m8n8'")
		}
	case WM16n16:
		if in.Types[0] == B16 {
			c.errorf("Incorrect instruction type specified for %s with shape '.m16n16'", name)
		}
		if n := c.matrixCount(); n > 2 {
			c.errorf("Incorrect no. of matrix: %d for %s with shape '.m16n16'", n, name)
		}
		c.wantTrans(shape)
	case WM8n16:
		if !two {
			c.errorf("Unexpected number of instruction types specified for %s with shape '.m8n16'", name)
		}
		if in.Has(SlotTrans) {
			c.errorf("Modifier .trans not allowed for shape '.m8n16'")
		}
	case WM16n8:
		if in.Types[0] != B8 {
			c.errorf("Incorrect instruction type specified for %s with shape '.m16n8'", name)
		}
		c.wantTrans(shape)
	case WNone:
	default:
		c.errorf("Illegal matrix shape '.%s' for instruction '%s'", shape, name)
	}
}

func (c *checker) wantTrans(shape Word) {
	if !c.in.Has(SlotTrans) {
		c.errorf("Modifier '.trans' require for instruction %s with shape '.%s'", c.row.Name, shape)
	}
}
