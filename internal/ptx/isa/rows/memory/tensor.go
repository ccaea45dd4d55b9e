package memory

import (
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/isa/row"
	"github.com/goptxas/goptxas/internal/target"
)

// Copies and reductions of tensors: their modes, coordinates and operands.
// What stands at the place of an address is looked at last.

var tensorRules = []row.Rule{
	{At: isa.NoSlot, Do: mcastAdvice},
	{At: isa.NoSlot, Do: tensorOp},
	{At: isa.SlotCmp, Do: tensorNeedsOp},
	{At: isa.SlotSpace, Do: tensorSpaceRule},
	{At: isa.SlotSpace, Do: tensorDim},
	{At: isa.SlotSpace, Do: modeFits},
	{At: isa.SlotSpace, Do: tensorSizes},
	{At: isa.SlotSpace, Do: tensorInfo},
	{At: isa.SlotSpace, Do: tensorGroup},
	{At: isa.SlotSpace, Do: tensorMode},
	{At: isa.SlotSpace, Do: bulkDone},
	{At: isa.SlotSpace, Do: tensorPlace},
	{At: isa.SlotRead, Do: tensorPlain},
}

// tensorSpaceRule: from global to shared memory and back.
func tensorSpaceRule(c *row.Checker) {
	in := c.In
	if in.NSpace < 2 {
		return
	}
	d, s := in.Spaces[0], in.Spaces[1]
	ok := d == isa.SpaceGlobal && s == isa.SpaceSharedCTA
	if c.In.Mods[0] != isa.WReduce {
		ok = ok || (d == isa.SpaceSharedCluster || d == isa.SpaceSharedCTA) && s == isa.SpaceGlobal
	}
	if !ok {
		c.Errorf("State space incorrect for instruction '%s'", c.Row.Name)
	}
}

// toGlobal reports whether a copy is a store.
func toGlobal(c *row.Checker) bool {
	return c.In.NSpace > 0 && c.In.Spaces[0] == isa.SpaceGlobal
}

// tensorGroup: which pair of CTAs is signalled.
func tensorGroup(c *row.Checker) {
	w := c.In.Mod(isa.SlotGroup)
	if w == isa.WNone {
		return
	}
	if c.Ctx.Version < 86 && c.In.NSpace == 2 {
		c.Errorf("Modifier '.%s' on '%s' requires PTX ISA .version 8.6 or later", w, c.Row.Name)
	}
	c.Gate(&row.Gate{Name: "." + w.String(), Plain: true, V: 86, Only: target.OnF100})
}

// tensorMode: versions and targets of the modes, and where they apply.
func tensorMode(c *row.Checker) {
	w := c.In.Mod(isa.SlotTile)
	name := "." + w.String()
	switch w {
	case isa.WTile, isa.WIm2col, isa.WIm2colNoOffs:
		c.TargetFeature(name, 80, 90)
	case isa.WTileGather4, isa.WIm2colW:
		switch {
		case toCluster(c):
			c.Gate(&row.Gate{Name: name + " with destination state space as .shared::cluster", Plain: true, Only: target.OnF100})
		case toCTA(c):
			c.Gate(&row.Gate{Name: name + " with destination state space as .shared::cta", Plain: true, SM: 100})
		}
		if c.Ctx.Version < 86 {
			c.Errorf("Feature '%s' requires PTX ISA .version 8.6 or later", name)
		}
	case isa.WTileScatter4, isa.WIm2colW128:
		c.Gate(&row.Gate{Name: name, Plain: true, V: 86, Only: target.OnF100, TargetFirst: true})
	}
}

// modeFits: gathers and offsets are for loads, scatters for stores.
func modeFits(c *row.Checker) {
	w, store := c.In.Mod(isa.SlotTile), toGlobal(c) && c.Row.Spaces.Max == 2
	switch w {
	case isa.WIm2col, isa.WIm2colW, isa.WIm2colW128, isa.WTileGather4:
		if store && c.In.NSpace == 2 {
			c.Illegal("." + w.String())
		}
	case isa.WIm2colNoOffs, isa.WTileScatter4:
		if !store && c.In.NSpace == int(c.Row.Spaces.Max) {
			c.Illegal("." + w.String())
		}
	}
	d, text := c.In.Mod(isa.SlotDim), ""
	if d != isa.WNone {
		text = "." + d.String()
	}
	flat := d == isa.W1d || d == isa.W2d || d == isa.WNone
	switch w {
	case isa.WIm2col, isa.WIm2colW, isa.WIm2colW128, isa.WIm2colNoOffs:
		if flat {
			c.Errorf("Modifier '%s' cannot be combined with modifier '.%s'", text, w)
		}
	case isa.WTileGather4, isa.WTileScatter4:
		if d != isa.W2d {
			c.Errorf("Modifier '%s' cannot be combined with modifier '.%s'", text, w)
		}
	}
}

// prefetchMode: modes of prefetches; without one it is .tile.
func prefetchMode(c *row.Checker) {
	w := c.In.Mod(isa.SlotTile)
	name := "." + w.String()
	switch w {
	case isa.WNone:
		c.TargetFeature(".tile", 80, 90)
	case isa.WTile, isa.WIm2col:
		c.TargetFeature(name, 80, 90)
	case isa.WTileGather4, isa.WIm2colW:
		if c.Ctx.Version < 86 {
			c.Errorf("Feature '%s' requires PTX ISA .version 8.6 or later", name)
		}
		c.Gate(&row.Gate{Name: name + " with " + c.Row.Name, Plain: true, Only: target.OnF100})
	case isa.WIm2colW128:
		c.Gate(&row.Gate{Name: name, Plain: true, V: 86, Only: target.OnF100, TargetFirst: true})
	}
	modeFits(c)
}

// dims is the number of dimensions of a tensor.
func dims(c *row.Checker) int {
	switch c.In.Mod(isa.SlotDim) {
	case isa.W1d:
		return 1
	case isa.W2d:
		return 2
	case isa.W3d:
		return 3
	case isa.W4d:
		return 4
	case isa.W5d:
		return 5
	}
	return 0
}

// tensorDim: a tensor has dimensions.
func tensorDim(c *row.Checker) {
	if dims(c) == 0 {
		c.Errorf(".dim modifier required for instruction '%s'", c.Row.Name)
	}
}

// coordinates is the place of the operand with the coordinates.
func coordinates(c *row.Checker) int {
	if c.Letter(0) == 'o' {
		return 0
	}
	return 1
}

// astray reports whether the coordinates stand where those of a copy in the
// other direction would.
func astray(c *row.Checker) bool {
	return c.In.NSpace >= 2 && toGlobal(c) != (coordinates(c) == 0)
}

// tensorPlace: a load has its destination before the coordinates.
func tensorPlace(c *row.Checker) {
	if !astray(c) {
		return
	}
	want := 2
	if toGlobal(c) {
		want = 1
	}
	c.Errorf("Vector expected for argument %d", want)
}

// tensorSizes: as many coordinates as dimensions, four rows for a gather,
// and offsets where the mode has them.
func tensorSizes(c *row.Checker) {
	in := c.In
	if c.Row.Spaces.Max == 1 {
		tensorDim(c)
	}
	if astray(c) {
		return
	}
	n := dims(c)
	if w := in.Mod(isa.SlotTile); w == isa.WTileGather4 || w == isa.WTileScatter4 {
		n = 5
	}
	at := coordinates(c)
	if row.VectorLen(&in.Args[at].Elems[0]) != n {
		c.Errorf("Argument %d of instruction '%s': Argument vector size mismatch", at+1, c.Row.Name)
	}
	if i := firstExtra(c); hasInfo(c) && i < len(in.Args) && in.Args[i].Kind != isa.KAddr && row.VectorLen(&in.Args[i]) != infoSize(c) {
		c.Errorf("Argument %d of instruction '%s': Argument vector size mismatch", i+1, c.Row.Name)
	}
}

// firstExtra is the place behind the addresses.
func firstExtra(c *row.Checker) int {
	if c.Row.Spaces.Max == 1 {
		return 1
	}
	return coordinates(c) + 2
}

// hasInfo reports whether the mode takes offsets.
func hasInfo(c *row.Checker) bool {
	switch c.In.Mod(isa.SlotTile) {
	case isa.WIm2col, isa.WIm2colW, isa.WIm2colW128:
		return true
	}
	return false
}

// infoSize is the number of offsets a mode takes.
func infoSize(c *row.Checker) int {
	if c.In.Mod(isa.SlotTile) == isa.WIm2col {
		return dims(c) - 2
	}
	return 2
}

// tensorInfo: behind the addresses stand offsets if the mode takes them, the
// mask of a multicast, a cache policy. That offsets are missing is said twice.
func tensorInfo(c *row.Checker) {
	in := c.In
	if in.NSpace < int(c.Row.Spaces.Max) || astray(c) {
		return
	}
	info := hasInfo(c) && !(c.Row.Spaces.Max == 2 && toGlobal(c))
	var buf [4]byte
	want := buf[:0]
	if info {
		want = append(want, 'J')
	}
	if in.Early&row.EarlyMcast != 0 {
		want = append(want, 'j')
	}
	if in.Early&row.EarlyHint != 0 {
		want = append(want, 'k')
	}
	i := firstExtra(c)
	if extras(c, i, string(want)) {
		return
	}
	c.Errorf("Arguments mismatch for instruction '%s'", c.Row.Name)
	if info && (i >= len(in.Args) || !c.LetterFits('J', &in.Args[i])) {
		c.Errorf("Arguments mismatch for instruction '%s'", c.Row.Name)
	}
}

// tensorPlain: what is no address at the place of one.
func tensorPlain(c *row.Checker) {
	for i := range min(firstExtra(c), len(c.In.Args)) {
		if c.Letter(i) != '*' {
			continue
		}
		switch o := &c.In.Args[i]; o.Kind {
		case isa.KAddr, isa.KSpecial:
		case isa.KInt:
			c.Errorf("Immediate addresses allowed only for .local state space")
		case isa.KVector:
			c.Errorf("Vector operand is not allowed for instruction '%s'", c.Row.Name)
		default:
			if !o.Neg && !o.HasPair && !astray(c) {
				c.Errorf("Arguments mismatch for instruction '%s'", c.Row.Name)
			}
		}
	}
}
