// Package matrix has the rows of matrix instructions: fragments, products of
// warps and warp groups, and tensor memory. Each exported variable is the
// table of the opcode it is named after.
package matrix

import (
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/isa/row"
	"github.com/goptxas/goptxas/internal/target"
)

// Loads, stores and transpositions of matrices, and the older wmma.

const (
	tB8x16   row.TypeSet = 1 << isa.B8x16
	tB6b4x16 row.TypeSet = 1<<isa.B6x16P32 | 1<<isa.B4x16P64
)

var (
	matrixMods  = []isa.Slot{isa.SlotAligned, isa.SlotShape, isa.SlotNum, isa.SlotTrans, isa.SlotSpace}
	alignedMods = []isa.Slot{isa.SlotAligned}
)

var Ldmatrix = row.Op{Rows: []row.Row{{
	Name: "ldmatrix",
	Forms: []row.Form{
		{Types: []row.TypeSet{row.B16 | row.B8}, Args: "2m", May: row.EarlySync},
		{Types: []row.TypeSet{tB8x16, tB6b4x16}, Args: "2m", May: row.EarlySync},
		{Args: "2m", May: row.EarlySync},
	},
	Mods: matrixMods, Need: []isa.Slot{isa.SlotShape},
	Spaces: row.Spaces{Set: row.Shared | row.SharedCTA, Min: 0, Max: 1},
	Gates: []row.Gate{
		{V: 65, SM: 75, TargetFirst: true},
		{Name: "ldmatrix.b8", V: 86, Only: target.OnF100 | target.OnF120, TargetFirst: true, T: row.B8, At: isa.SlotShape, If: notM8n8},
	},
	Rules: []row.Rule{{At: isa.SlotNocomp, Do: row.NeedSync}, {At: isa.SlotNoftz, Do: matrixNeeds}, {At: isa.SlotNoftz, Do: matrixGates}, {At: isa.SlotRestrict, Do: matrixSize}, {At: isa.SlotShape, Do: matrixShape}, {At: isa.SlotLayout, Do: matrixVector}},
	Flags: row.FlagVector2,
}}}

var Stmatrix = row.Op{Rows: []row.Row{{
	Name:  "stmatrix",
	Forms: []row.Form{{Types: []row.TypeSet{row.B16 | row.B8}, Args: "mF", May: row.EarlySync}},
	Mods:  matrixMods, Need: []isa.Slot{isa.SlotShape},
	Spaces: row.Spaces{Set: row.Shared | row.SharedCTA, Min: 0, Max: 1},
	Gates: []row.Gate{
		{V: 78, SM: 90, TargetFirst: true},
		{Name: "stmatrix.b8", V: 86, Only: target.OnF100 | target.OnF120, TargetFirst: true, T: row.B8, At: isa.SlotShape, If: notM8n8},
	},
	Rules: []row.Rule{{At: isa.SlotNocomp, Do: row.NeedSync}, {At: isa.SlotNoftz, Do: matrixNeeds}, {At: isa.SlotRestrict, Do: matrixSize}, {At: isa.SlotShape, Do: matrixShape}, {At: isa.SlotLayout, Do: matrixVector}},
	Flags: row.FlagVector2,
}}}

var Movmatrix = row.Op{Rows: []row.Row{{
	Name: "movmatrix", Forms: []row.Form{{Types: []row.TypeSet{row.B16}, Args: "NB", May: row.EarlySync}},
	Mods: []isa.Slot{isa.SlotAligned, isa.SlotShape, isa.SlotTrans}, Need: []isa.Slot{isa.SlotShape},
	Gates: []row.Gate{{V: 78, SM: 75, TargetFirst: true}},
	Rules: []row.Rule{{At: isa.NoSlot, Do: movmatrixShape}, {At: isa.NoSlot, Do: needTrans}, {At: isa.NoSlot, Do: needAligned}, {At: isa.SlotNocomp, Do: row.NeedSync}},
}}}

func movmatrixShape(c *row.Checker) {
	if w := c.In.Mod(isa.SlotShape); w != isa.WM8n8 {
		text := ""
		if w != isa.WNone {
			text = "." + w.String()
		}
		c.Errorf("Illegal matrix shape '%s' for instruction 'movmatrix'", text)
	}
}

func needTrans(c *row.Checker) {
	if !c.In.Has(isa.SlotTrans) {
		c.Errorf(".trans modifier required for instruction '%s'", c.Row.Name)
	}
}

// matrixNeeds: the number of matrices, and that the warp is together.
func matrixNeeds(c *row.Checker) {
	if !c.In.Has(isa.SlotNum) {
		c.Errorf(".num modifier required for instruction '%s'", c.Row.Name)
	}
	needAligned(c)
	row.NeedSync(c)
}

func needAligned(c *row.Checker) {
	if !c.In.Has(isa.SlotAligned) {
		c.Errorf(".aligned modifier required for instruction '%s'", c.Row.Name)
	}
}

var gM8n8 = row.Gate{Name: ".m8n8", Plain: true, V: 65, SM: 75, Mod: true}

var gM8n16 = row.Gate{Name: ".m8n16", Plain: true, Only: target.OnF100 | target.OnF120}

// matrixGates: what the m8n8 loads need, and what format conversion does.
func matrixGates(c *row.Checker) {
	in := c.In
	if in.Mod(isa.SlotShape) == isa.WM8n8 {
		c.Gate(&gM8n8)
	}
	if in.NTypes != 2 {
		return
	}
	if in.Mod(isa.SlotShape) == isa.WM8n16 {
		if c.Ctx.Version < 86 {
			c.Errorf("Modifier '.m8n16' on 'ldmatrix' requires PTX ISA .version 8.6 or later")
		}
		c.Gate(&gM8n16)
	}
	if c.Ctx.Version < 86 {
		c.Errorf("Modifier 'format conversion' on 'ldmatrix' requires PTX ISA .version 8.6 or later")
	}
	c.Gate(&row.Gate{Name: "ldmatrix with format conversion", Only: target.OnF100 | target.OnF120})
}

func notM8n8(c *row.Checker) bool { return c.In.Mod(isa.SlotShape) != isa.WM8n8 }

// matrixCount is the number of matrices .xN names.
func matrixCount(c *row.Checker) int {
	switch c.In.Mod(isa.SlotNum) {
	case isa.WX1:
		return 1
	case isa.WX2:
		return 2
	case isa.WX4:
		return 4
	case isa.WX8:
		return 8
	}
	return 0
}

// matrixRegs is how many registers the matrices fill.
func matrixRegs(c *row.Checker) int {
	n := matrixCount(c)
	if c.In.Mod(isa.SlotShape) == isa.WM16n16 { // more than two matrices are complained about
		n = min(2*n, 4)
	}
	return n
}

// matrixSize: the vector has as many registers as .xN fills. Where that is too
// many for the shape the shape is judged first.
func matrixSize(c *row.Checker) {
	if c.In.Mod(isa.SlotShape) != isa.WM16n16 || matrixCount(c) <= 2 {
		vectorSize(c)
	}
}

func vectorSize(c *row.Checker) {
	i := matrixArg(c)
	n := matrixRegs(c)
	o := &c.In.Args[i]
	if n > 0 && (o.Kind != isa.KVector || len(o.Elems) != n) {
		c.Errorf("Vector of size %d is expected for argument %d of instruction '%s'", n, i, c.Row.Name)
	}
}

func matrixArg(c *row.Checker) int {
	if c.In.Op == isa.WStmatrix {
		return 1
	}
	return 0
}

// matrixVector: and the vector is no longer or shorter than that.
func matrixVector(c *row.Checker) {
	o := &c.In.Args[matrixArg(c)]
	if n := matrixRegs(c); n > 0 && o.Kind == isa.KVector && len(o.Elems) != n {
		c.Errorf("Argument vector size mismatch for instruction '%s'", c.Row.Name)
	}
}

// matrixShape: types, counts and transposition of the shapes.
func matrixShape(c *row.Checker) {
	in := c.In
	name := c.Row.Name
	shape := in.Mod(isa.SlotShape)
	two := in.NTypes == 2
	switch shape {
	case isa.WM8n8:
		if in.NTypes != 1 {
			c.Errorf("Unexpected number of instruction types specified for %s with shape '.m8n8'", name)
		}
		if in.Types[0] != isa.B16 {
			c.Errorf("Incorrect instruction type specified for %s with shape '.m8n8'", name)
		}
		if two {
			c.Errorf("Modifier format conversion not allowed for shape '.m8n8'")
		}
	case isa.WM16n16:
		if n := matrixCount(c); n > 2 {
			c.Errorf("Incorrect no. of matrix: %d for %s with shape '.m16n16'", n, name)
			vectorSize(c)
		}
		if in.Types[0] == isa.B16 {
			c.Errorf("Incorrect instruction type specified for %s with shape '.m16n16'", name)
		}
		wantTrans(c, shape)
		wantFormat(c, shape)
	case isa.WM8n16:
		wantFormat(c, shape)
		if in.NTypes == 1 {
			c.Errorf("Unexpected number of instruction types specified for %s with shape '.m8n16'", name)
		}
		if in.Has(isa.SlotTrans) {
			c.Errorf("Modifier .trans not allowed for shape '.m8n16'")
		}
	case isa.WM16n8:
		if in.Op == isa.WLdmatrix {
			c.Errorf("Illegal matrix shape '.%s' for instruction '%s'", shape, name)
			return
		}
		if in.Types[0] != isa.B8 {
			c.Errorf("Incorrect instruction type specified for %s with shape '.m16n8'", name)
		}
		wantTrans(c, shape)
	case isa.WNone:
		if in.Has(isa.SlotTrans) && in.Op == isa.WLdmatrix {
			c.Errorf("Modifier .trans not allowed for shape ''")
		}
		if two {
			c.Errorf("Modifier format conversion not allowed for shape ''")
		}
	default:
		c.Errorf("Illegal matrix shape '.%s' for instruction '%s'", shape, name)
	}
}

// wantFormat: a shape without types converts between formats.
func wantFormat(c *row.Checker, shape isa.Word) {
	if c.In.NTypes == 0 {
		c.Errorf("Modifier 'format conversion' require for instruction %s with shape '.%s'", c.Row.Name, shape)
	}
}

func wantTrans(c *row.Checker, shape isa.Word) {
	if !c.In.Has(isa.SlotTrans) {
		c.Errorf("Modifier '.trans' require for instruction %s with shape '.%s'", c.Row.Name, shape)
	}
}
