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
	{At: isa.NoSlot, Do: tensorCopy},
	{At: isa.SlotMask, Do: tensorGroup},
	{At: isa.SlotOob, Do: mcastGate},
	{At: isa.SlotOob, Do: tensorMode},
	{At: isa.SlotVec, Do: loosePlace},
	{At: isa.SlotVec, Do: copyPlaces},
	{At: isa.SlotCmp, Do: tensorNeedsOp},
	{At: isa.SlotAsync, Do: tensorVector},
	{At: isa.SlotRead, Do: copyVectors},
}

// tensorCopy looks at what belongs to copies and reductions of tensors alone.
// Where the spaces are wrong nothing else is.
func tensorCopy(c *row.Checker) {
	if !tensorSpaces(c) {
		c.Errorf("State space incorrect for instruction '%s'", c.Row.Name)
		return
	}
	tensorOp(c)
	bulkDone(c)
	tensorDim(c)
	modeFits(c)
	tensorPair(c)
	mcastFits(c)
	if astray(c) || loose(c) {
		tensorPlace(c)
		return
	}
	tensorSizes(c)
	tensorInfo(c)
}

// loose reports whether coordinates stand outside of the brackets.
func loose(c *row.Checker) bool { return c.Letter(1) == 'F' }

func loosePlace(c *row.Checker) {
	if loose(c) {
		c.Errorf("Illegal Addressing Mode in instruction '%s'", c.Row.Name)
	}
}

// prefetchTensor is tensorCopy for prefetches.
func prefetchTensor(c *row.Checker) {
	tensorDim(c)
	needLevel(c)
	modeFits(c)
	tensorSizes(c)
	tensorInfo(c)
}

// tensorSpaces: from global to shared memory and back.
func tensorSpaces(c *row.Checker) bool {
	in := c.In
	if in.NSpace < 2 {
		return false
	}
	d, s := in.Spaces[0], in.Spaces[1]
	if d == isa.SpaceGlobal && s == isa.SpaceSharedCTA {
		return true
	}
	return in.Mods[0] != isa.WReduce && (d == isa.SpaceSharedCluster || d == isa.SpaceSharedCTA) && s == isa.SpaceGlobal
}

// toGlobal reports whether a copy is a store.
func toGlobal(c *row.Checker) bool {
	return c.In.NSpace > 0 && c.In.Spaces[0] == isa.SpaceGlobal
}

// tensorPair: a pair of CTAs is signalled by a barrier.
func tensorPair(c *row.Checker) {
	w := c.In.Mod(isa.SlotGroup)
	if w == isa.WNone {
		return
	}
	if c.Ctx.Version < 86 {
		c.Errorf("Modifier '.%s' on '%s' requires PTX ISA .version 8.6 or later", w, c.Row.Name)
	}
	if toGlobal(c) {
		c.Errorf("State space incorrect for instruction '%swith .cta_group modifier'", c.Row.Name)
		return
	}
	if d := c.In.Mod(isa.SlotDone); d != isa.WMbarrierCompleteTxBytes {
		c.Errorf("Modifier '%s' cannot be combined with modifier '.%s'", dotted(d), w)
	}
}

// dotted is a word with its dot, or nothing.
func dotted(w isa.Word) string {
	if w == isa.WNone {
		return ""
	}
	return "." + row.Spelled(w)
}

// tensorGroup: which pair of CTAs is signalled.
func tensorGroup(c *row.Checker) {
	if w := c.In.Mod(isa.SlotGroup); w != isa.WNone {
		c.Gate(&row.Gate{Name: "." + w.String(), Plain: true, V: 86, Only: target.OnF100})
	}
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

// modeFits: gathers and offsets are for loads, scatters for stores. Offsets
// want three dimensions, gathers and scatters two.
func modeFits(c *row.Checker) {
	w, prefetch := c.In.Mod(isa.SlotTile), c.Row.Spaces.Max == 1
	store := toGlobal(c) && !prefetch
	switch w {
	case isa.WIm2col, isa.WIm2colW, isa.WIm2colW128, isa.WTileGather4:
		if store {
			c.Illegal("." + w.String())
		}
	case isa.WIm2colNoOffs, isa.WTileScatter4:
		if !store {
			c.Illegal("." + w.String())
		}
		if prefetch {
			return
		}
	}
	d := c.In.Mod(isa.SlotDim)
	switch w {
	case isa.WIm2col, isa.WIm2colW, isa.WIm2colW128, isa.WIm2colNoOffs:
		if dims(c) < 3 {
			c.Errorf("Modifier '%s' cannot be combined with modifier '.%s'", dotted(d), w)
		}
	case isa.WTileGather4, isa.WTileScatter4:
		if d != isa.W2d {
			c.Errorf("Modifier '%s' cannot be combined with modifier '.%s'", dotted(d), w)
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
		c.Gate(&row.Gate{Name: name + " with " + c.Row.Name, Plain: true, Only: target.OnF100})
		if c.Ctx.Version < 86 {
			c.Errorf("Feature '%s' requires PTX ISA .version 8.6 or later", name)
		}
	case isa.WIm2colNoOffs:
		c.TargetFeature(name, 80, 90)
	case isa.WIm2colW128, isa.WTileScatter4:
		c.Gate(&row.Gate{Name: name, Plain: true, V: 86, Only: target.OnF100, TargetFirst: true})
	}
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
	want := 2
	if toGlobal(c) {
		want = 1
	}
	c.Errorf("Vector expected for argument %d", want)
}

// tensorSizes: as many coordinates as dimensions, four rows for a gather.
func tensorSizes(c *row.Checker) {
	n := dims(c)
	if w := c.In.Mod(isa.SlotTile); w == isa.WTileGather4 || w == isa.WTileScatter4 {
		n = 5
	}
	at := coordinates(c)
	if row.VectorLen(&c.In.Args[at].Elems[0]) != n {
		c.Errorf("Argument %d of instruction '%s': Argument vector size mismatch", at+1, c.Row.Name)
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

// tensorInfo: behind the addresses stand offsets if the mode takes them, the
// mask of a multicast, a cache policy. What is missing is said for itself and
// once for all.
func tensorInfo(c *row.Checker) {
	first := firstExtra(c)
	args, want := c.In.Args[first:], 0
	if hasInfo(c) && (c.Row.Spaces.Max == 1 || !toGlobal(c)) {
		if want++; len(args) < want {
			c.Errorf("Arguments mismatch for instruction '%s'", c.Row.Name)
		} else {
			offsets(c, &args[0], first+1)
		}
	}
	if c.In.Early&row.EarlyMcast != 0 {
		if want++; len(args) < want {
			c.Errorf("Arguments mismatch for instruction '%s'", c.Row.Name)
		} else if args[want-1].Kind == isa.KVector {
			c.Errorf("Vector is not expected for argument %d of instruction '%s'", first+want, c.Row.Name)
		}
	}
	if c.In.Early&row.EarlyHint != 0 {
		want++
	}
	if len(args) != want {
		c.Errorf("Arguments mismatch for instruction '%s'", c.Row.Name)
	}
}

// offsets looks at the offsets of a convolution, argument number n: two for
// the modes of sm_100, else one for each dimension beyond two.
func offsets(c *row.Checker, o *isa.Operand, n int) {
	if o.Kind != isa.KVector {
		c.Errorf("Vector expected for argument %d", n)
	}
	size, w := 2, c.In.Mod(isa.SlotTile)
	if w == isa.WIm2col {
		if size = dims(c) - 2; size < 1 {
			c.Errorf("Modifier '%s' cannot be combined with modifier '.%s'", dotted(c.In.Mod(isa.SlotDim)), w)
			return
		}
	}
	if o.Kind != isa.KVector || len(o.Elems) != size {
		c.Errorf("Argument %d of instruction '%s': Argument vector size mismatch", n, c.Row.Name)
	}
}

// tensorVector: .v2 and the like are about the coordinates and offsets.
func tensorVector(c *row.Checker) {
	n := c.In.Vec()
	if !c.In.Has(isa.SlotVec) {
		return
	}
	for i := range c.In.Args {
		o := &c.In.Args[i]
		if o.Kind == isa.KAddr && len(o.Elems) > 0 {
			o = &o.Elems[0]
		}
		if o.Kind == isa.KVector && len(o.Elems) != n {
			c.Errorf("Argument vector size mismatch for instruction '%s'", c.Row.Name)
		}
	}
}

// copyPlaces: what stands at the places of addresses. A register or a variable
// without brackets is let pass.
func copyPlaces(c *row.Checker) {
	for i := range c.In.Args {
		letter := c.Letter(i)
		if letter != '*' && letter != 'o' && letter != 'm' {
			continue
		}
		o := &c.In.Args[i]
		switch {
		case o.Kind == isa.KSymbol || o.Kind == isa.KAddr && o.Base == isa.KSymbol:
			if o.Space.Base() != copySpace(c, i).Base() {
				c.Errorf("State space mismatch between instruction and address in instruction '%s'", c.Row.Name)
			}
		case o.Kind == isa.KInt:
			c.Errorf("Immediate addresses allowed only for .local state space")
		case o.Kind == isa.KLabel:
			c.Errorf("Illegal operand type to instruction '%s'", c.Row.Name)
		}
	}
}

// copySpace is the space of the address in place i: those named in turn, then
// the barrier's.
func copySpace(c *row.Checker, i int) isa.Space {
	switch {
	case i < c.In.NSpace && i < len(c.In.Spaces):
		return c.In.Spaces[i]
	case c.In.NSpace == 1:
		return c.In.Spaces[0]
	}
	return isa.SpaceShared
}

// copyVectors: vectors are no addresses.
func copyVectors(c *row.Checker) {
	for i := range c.In.Args {
		if c.Letter(i) == '*' && c.In.Args[i].Kind == isa.KVector {
			c.Errorf("Vector operand is not allowed for instruction '%s'", c.Row.Name)
		}
	}
}
