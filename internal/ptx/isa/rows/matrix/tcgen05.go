package matrix

import (
	"slices"

	"github.com/goptxas/goptxas/internal/engine/diag"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/isa/row"
	"github.com/goptxas/goptxas/internal/target"
)

// Operations on tensor memory.

var (
	tcGate       = []row.Gate{{V: 86, Only: target.OnF100, Inst: true}}
	tcB64        = []row.TypeSet{row.B64}
	tcAlloc      = []isa.Slot{isa.SlotAligned, isa.SlotSpace}
	tcRules      = []row.Rule{{At: isa.NoSlot, Do: tcNeeds}, {At: isa.SlotOob, Do: tcGroup}, {At: isa.SlotNocomp, Do: row.NeedSync}}
	tcAllocRules = []row.Rule{{At: isa.NoSlot, Do: tcNeeds}, {At: isa.SlotOob, Do: tcGroup}, {At: isa.SlotNocomp, Do: row.NeedSync}, {At: isa.SlotRead, Do: tcColumns}}
	tcFreeRules  = []row.Rule{{At: isa.NoSlot, Do: tcNeeds}, {At: isa.SlotOob, Do: tcGroup}, {At: isa.SlotNocomp, Do: row.NeedSync}, {At: isa.SlotRead, Do: tcUnits}}
	tcLdMods     = []isa.Slot{isa.SlotAligned, isa.SlotShape, isa.SlotNum, isa.SlotPack}
	tcLdNeed     = []isa.Slot{isa.SlotShape}
	tcMods       = []isa.Slot{isa.SlotSparse, isa.SlotKind, isa.SlotBlock, isa.SlotScale, isa.SlotAshift, isa.SlotCollA, isa.SlotCollB}
)

var Tcgen05 = row.Op{Rows: []row.Row{
	{
		Words: []isa.Word{isa.WAlloc}, Name: "tcgen05.alloc", Forms: []row.Form{{Types: []row.TypeSet{row.B32}, Args: "mu", May: row.EarlySync | row.EarlyGroup}},
		Mods: tcAlloc, Spaces: row.Spaces{Set: row.SharedCTA, Min: 0, Max: 1}, Gates: tcGate, Rules: tcAllocRules,
	},
	{
		Words: []isa.Word{isa.WDealloc}, Name: "tcgen05.dealloc", Forms: []row.Form{{Types: []row.TypeSet{row.B32}, Args: "uu", May: row.EarlySync | row.EarlyGroup}},
		Mods: alignedMods, Gates: tcGate, Rules: tcFreeRules,
	},
	{
		Words: []isa.Word{isa.WRelinquishAllocPermit}, Name: "tcgen05.relinquish_alloc_permit", Forms: []row.Form{{Args: "", May: row.EarlySync | row.EarlyGroup}},
		Mods: alignedMods, Gates: tcGate, Rules: tcRules,
	},
	{
		Words: []isa.Word{isa.WFenceBeforeThreadSync}, Name: "tcgen05.fence", Forms: []row.Form{{Args: ""}}, Gates: tcGate,
	},
	{
		Words: []isa.Word{isa.WFenceAfterThreadSync}, Name: "tcgen05.fence", Forms: []row.Form{{Args: ""}}, Gates: tcGate,
	},
	{
		Words: []isa.Word{isa.WWaitLd}, Name: "tcgen05.wait", Forms: []row.Form{{Args: "", May: row.EarlySync}}, Mods: alignedMods, Need: alignedMods,
		Gates: tcGate, Rules: []row.Rule{{At: isa.SlotNocomp, Do: row.NeedSync}},
	},
	{
		Words: []isa.Word{isa.WWaitSt}, Name: "tcgen05.wait", Forms: []row.Form{{Args: "", May: row.EarlySync}}, Mods: alignedMods, Need: alignedMods,
		Gates: tcGate, Rules: []row.Rule{{At: isa.SlotNocomp, Do: row.NeedSync}},
	},
	{
		Words: []isa.Word{isa.WLd}, Name: "tcgen05.ld",
		Forms: []row.Form{{Types: []row.TypeSet{row.B32}, Args: "24?i", May: row.EarlySync}},
		Mods:  tcLdMods, Need: tcLdNeed, Gates: tcGate,
		Rules: []row.Rule{{At: isa.NoSlot, Do: tcNum}, {At: isa.NoSlot, Do: tcPlace}, {At: isa.SlotPack, Do: tcPack}, {At: isa.SlotShape, Do: tcShape}, {At: isa.SlotNocomp, Do: row.NeedSync}}, Flags: row.FlagVector2,
	},
	{
		Words: []isa.Word{isa.WLd, isa.WRed}, Name: "tcgen05.ld.red",
		Forms: []row.Form{{Types: []row.TypeSet{row.Int32 | row.F32}, Args: "E34?i", May: row.EarlySync | row.EarlyMin | row.EarlyMax}},
		Mods:  []isa.Slot{isa.SlotAligned, isa.SlotShape, isa.SlotNum, isa.SlotAbs, isa.SlotNaN}, Need: tcLdNeed,
		Gates: []row.Gate{{V: 88, Only: target.On103a | target.On103f | target.On101a | target.On101f | target.On110a | target.On110f, Inst: true}},
		Rules: []row.Rule{{At: isa.NoSlot, Do: tcNum}, {At: isa.NoSlot, Do: tcPlace}, {At: isa.SlotPack, Do: tcPack}, {At: isa.SlotShape, Do: tcShape}, {At: isa.SlotNocomp, Do: row.NeedSync}}, Flags: row.FlagVector2,
	},
	{
		Words: []isa.Word{isa.WSt}, Name: "tcgen05.st",
		Forms: []row.Form{{Types: []row.TypeSet{row.B32}, Args: "4F", May: row.EarlySync}, {Types: []row.TypeSet{row.B32}, Args: "4iF", May: row.EarlySync}},
		Mods:  tcLdMods, Need: tcLdNeed, Gates: tcGate,
		Rules: []row.Rule{{At: isa.NoSlot, Do: tcNum}, {At: isa.NoSlot, Do: tcPlace}, {At: isa.SlotPack, Do: tcPack}, {At: isa.SlotShape, Do: tcShape}, {At: isa.SlotNocomp, Do: row.NeedSync}}, Flags: row.FlagVector2,
	},
	{
		Words: []isa.Word{isa.WCp}, Name: "tcgen05.cp",
		Forms: []row.Form{
			{Args: "mk", May: row.EarlyGroup},
			{Types: []row.TypeSet{tB8x16, tB6b4x16}, Args: "mk", May: row.EarlyGroup},
		},
		Mods: []isa.Slot{isa.SlotShape, isa.SlotWarpx}, Need: []isa.Slot{isa.SlotShape}, Gates: tcGate,
		Rules: []row.Rule{{At: isa.NoSlot, Do: tcNeedGroup}, {At: isa.NoSlot, Do: tcPlace}, {At: isa.SlotOob, Do: tcGroup}, {At: isa.SlotShape, Do: tcCpShape}},
	},
	{
		Words: []isa.Word{isa.WCommit}, Name: "tcgen05.commit",
		Forms: []row.Form{{Types: tcB64, Args: "m", May: row.EarlyGroup}, {Types: tcB64, Args: "mj", May: row.EarlyGroup, Must: row.EarlyMcast}},
		Mods:  []isa.Slot{isa.SlotDone, isa.SlotSpace}, Need: []isa.Slot{isa.SlotDone}, Spaces: row.Spaces{Set: row.SharedCluster, Min: 0, Max: 1}, Gates: tcGate,
		Rules: []row.Rule{{At: isa.NoSlot, Do: tcNeedGroup}, {At: isa.SlotOob, Do: tcGroup}, {At: isa.NoSlot, Do: tcMask}},
	},
	{
		Words: []isa.Word{isa.WShift}, Name: "tcgen05.shift", Forms: []row.Form{{Args: "m", May: row.EarlyGroup}},
		Mods: []isa.Slot{isa.SlotDown}, Need: []isa.Slot{isa.SlotDown}, Gates: []row.Gate{{V: 86, Only: target.OnA100, Inst: true}},
		Rules: []row.Rule{{At: isa.NoSlot, Do: tcNeedGroup}, {At: isa.NoSlot, Do: tcPlace}, {At: isa.SlotOob, Do: tcGroup}},
	},
	{
		Words: []isa.Word{isa.WMma}, Name: "tcgen05.mma",
		Forms: []row.Form{
			{Args: "4ekup?i", May: row.EarlyGroup},
			{Args: "4ekuFp?i", May: row.EarlyGroup},
			{Args: "4eku44p", May: row.EarlyGroup},
			{Args: "4ek4up?i", May: row.EarlyGroup},
			{Args: "4ek4uFp?i", May: row.EarlyGroup},
			{Args: "4ek4u44p", May: row.EarlyGroup},
		},
		Mods:  tcMods,
		Gates: []row.Gate{{V: 86, Only: target.OnF100, Inst: true}, {Name: "argument scale-inp-d-imm", Only: target.On100a | target.On100f | target.On103a | target.On103f, If: tcScaleImm}},
		Rules: []row.Rule{{At: isa.NoSlot, Do: tcNeedGroup}, {At: isa.SlotOob, Do: tcGroup}, {At: isa.NoSlot, Do: tcNeedKind}, {At: isa.NoSlot, Do: tcCollector}, {At: isa.NoSlot, Do: tcMeta}, {At: isa.SlotKind, Do: tcKind}, {At: isa.NoSlot, Do: tcScale}, {At: isa.NoSlot, Do: tcLanes}, {At: isa.NoSlot, Do: tcScaleRange}, {At: isa.SlotScale, Do: tcLoneScale}},
		Flags: row.FlagVector2,
	},
	{
		Words: []isa.Word{isa.WMma, isa.WWs}, Name: "tcgen05.mma.ws",
		Forms: []row.Form{{Args: "4ekup?k", May: row.EarlyGroup}, {Args: "4ek4up?k", May: row.EarlyGroup}},
		Mods:  []isa.Slot{isa.SlotSparse, isa.SlotKind, isa.SlotCollB}, Gates: tcGate,
		Rules: []row.Rule{{At: isa.NoSlot, Do: tcNeedGroup}, {At: isa.SlotOob, Do: tcGroup}, {At: isa.NoSlot, Do: tcNeedKind}, {At: isa.NoSlot, Do: tcCollector}, {At: isa.NoSlot, Do: tcMeta}, {At: isa.SlotKind, Do: tcKind}},
	},
}}

// tcGroup: one CTA or a pair takes part.
func tcGroup(c *row.Checker) {
	w := c.In.Mod(isa.SlotGroup)
	if w == isa.WNone {
		return
	}
	c.Gate(&row.Gate{Name: "." + w.String(), Plain: true, V: 86, Only: target.OnF100})
}

// tcColumns: as many columns are allocated as a power of two, from 32 to 512.
func tcColumns(c *row.Checker) {
	o := &c.In.Args[1]
	if o.Kind != isa.KInt {
		return
	}
	v := int64(o.Value)
	if v < 32 || v > 512 {
		c.Errorf("Argument 1 of instruction '%s': value '%d' out of range, expected to be in range [32..512]", c.Row.Name, v)
	}
	if v <= 0 || v&(v-1) != 0 {
		c.Errorf("Argument 1 of '%s' instruction: value must be power of 2", c.Row.Name)
	}
}

// tcUnits: columns are given back in units of 32.
func tcUnits(c *row.Checker) {
	if o := &c.In.Args[1]; o.Kind == isa.KInt && o.Value%32 != 0 {
		c.Errorf("Argument 1 of instruction '%s': unexpected value '%d', expected to be multiple of 32", c.Row.Name, o.Value)
	}
}

// tcNum: a shape has a number of repetitions.
func tcNum(c *row.Checker) {
	if c.In.Has(isa.SlotShape) && !c.In.Has(isa.SlotNum) {
		c.Errorf(".num modifier required for instruction '%s'", c.Row.Name)
	}
}

// tcNeeds: what an operation of a whole warp must say.
func tcNeeds(c *row.Checker) {
	if !c.In.Has(isa.SlotAligned) && !c.Takes(isa.SlotShape) {
		c.Errorf(".aligned modifier required for instruction '%s'", c.Row.Name)
	}
	row.NeedSync(c)
	if c.Row.Forms[0].May&row.EarlyGroup != 0 {
		tcNeedGroup(c)
	}
}

func tcNeedGroup(c *row.Checker) {
	if c.In.Mod(isa.SlotGroup) == isa.WNone {
		c.Errorf(".cta_group modifier required for instruction '%s'", c.Row.Name)
	}
}

// tcCollector: A is collected by the products of one warp group, B by those
// of a warp each.
func tcCollector(c *row.Checker) {
	w := c.In.Mod(isa.SlotCollB)
	if c.Row.Name == "tcgen05.mma.ws" {
		w = c.In.Mod(isa.SlotCollA)
		if !c.In.Has(isa.SlotGroup) {
			c.Illegal("")
		}
	}
	if g := c.In.Mod(isa.SlotGroup); c.Row.Name == "tcgen05.mma.ws" && g == isa.WCtaGroup2 {
		c.Illegal("." + g.String())
	}
	if w != isa.WNone {
		c.Illegal("." + w.String())
	}
}

func tcNeedKind(c *row.Checker) {
	if !c.In.Has(isa.SlotKind) {
		c.Errorf(".kind modifier required for instruction '%s'", c.Row.Name)
	}
}

// tcRegs is the number of registers a load or store of the shape moves.
func tcRegs(c *row.Checker) int {
	n := 1
	switch c.In.Mod(isa.SlotNum) {
	case isa.WX2:
		n = 2
	case isa.WX4:
		n = 4
	case isa.WX8:
		n = 8
	case isa.WX16:
		n = 16
	case isa.WX32:
		n = 32
	case isa.WX64:
		n = 64
	case isa.WX128:
		n = 128
	}
	switch c.In.Mod(isa.SlotShape) {
	case isa.W16x128b:
		return 2 * n
	case isa.W16x256b:
		return 4 * n
	}
	return n
}

// tcShape: the shapes of loads and stores, and the sizes of their vectors.
func tcShape(c *row.Checker) {
	in := c.In
	shape := in.Mod(isa.SlotShape)
	split := shape == isa.W16x32bx2
	red := c.Row.Name == "tcgen05.ld.red"
	if red && in.Mod(isa.SlotNum) == isa.WX1 {
		c.Illegal("." + isa.WX1.String())
	}
	switch shape {
	case isa.W16x64b, isa.W16x128b, isa.W16x256b:
		if red {
			c.Errorf("Illegal matrix shape '.%s' for instruction '%s'", shape, c.Row.Name)
			c.Errorf("Unexpected number of arguments specified for %s with shape '.%s'", c.Row.Name, shape)
			return
		}
	}
	switch shape {
	case isa.W16x64b, isa.W16x128b, isa.W16x256b, isa.W32x32b, isa.W16x32bx2:
	case isa.WNone:
		return
	default:
		c.Errorf("Illegal matrix shape '.%s' for instruction '%s'", shape, c.Row.Name)
		return
	}
	if tcRegs(c) > 128 {
		c.Errorf("Modifier .%s not allowed for instruction %s with shape '.%s'", in.Mod(isa.SlotNum), c.Row.Name, shape)
		return
	}
	for i := range in.Args {
		o := &in.Args[i]
		if k := c.Letter(i); (k == 'F' || k == '2') && o.Kind != isa.KVector {
			c.Errorf("Vector expected for argument %d", i)
		}
		if k := c.Letter(i); (k == 'F' || k == '2' || k == 'E') && in.Has(isa.SlotNum) && (o.Kind != isa.KVector || len(o.Elems) != tcRegs(c)) {
			c.Errorf("Argument %d of instruction '%s': Argument vector size mismatch", i, c.Row.Name)
		} else if k == '3' && o.Kind == isa.KVector && len(o.Elems) != 1 {
			c.Errorf("Argument vector size mismatch for instruction 'ld'")
		}
	}
	if o := &in.Args[0]; o.Kind == isa.KVector && slices.ContainsFunc(o.Elems, func(e isa.Operand) bool { return e.Kind == isa.KSink }) {
		c.Say(diag.Fatal, "Result discard mode is not allowed for instruction 'ld'")
		return
	}
	imm := false
	for i := range in.Args {
		imm = imm || in.Args[i].Kind == isa.KInt
	}
	if imm != split {
		c.Errorf("Unexpected number of arguments specified for %s with shape '.%s'", c.Row.Name, shape)
	}
}

// tcCpShape: some shapes of copies are multicast to the warps.
func tcCpShape(c *row.Checker) {
	in := c.In
	w := in.Mod(isa.SlotWarpx)
	shape := in.Mod(isa.SlotShape)
	var ok bool
	switch shape {
	case isa.W128x256b, isa.W4x256b, isa.W128x128b:
		ok = w == isa.WNone
	case isa.W64x128b:
		ok = w == isa.WWarpx20123 || w == isa.WWarpx20213
	case isa.W32x128b:
		ok = w == isa.WWarpx4
	case isa.WNone:
		return
	default:
		c.Errorf("Illegal matrix shape '.%s' for instruction '%s'", shape, c.Row.Name)
		return
	}
	switch {
	case ok:
	case w == isa.WNone:
		c.Errorf("Modifier '.warptype' require for instruction %s with shape '.%s'", c.Row.Name, shape)
	case shape == isa.W64x128b || shape == isa.W32x128b:
		c.Errorf("Modifier .%s not allowed for instruction %s with shape '.%s'", w, c.Row.Name, shape)
	default:
		c.Errorf("Modifier .warptype not allowed for instruction %s with shape '.%s'", c.Row.Name, shape)
	}
}

// scaleImm returns the number of the operand that is a constant scale of the
// accumulator, behind the predicate, or 0.
func scaleImm(c *row.Checker) int {
	n := 5
	if c.In.Has(isa.SlotSparse) {
		n++
	}
	for i := range c.In.Args {
		if c.In.Args[i].Kind == isa.KVector {
			n++
		}
	}
	if c.In.Has(isa.SlotBlock) || len(c.In.Args) <= n {
		return 0
	}
	return n
}

func tcScaleImm(c *row.Checker) bool { return scaleImm(c) > 0 }

// tcScaleRange: the scale of the accumulator is of four bits, for products of
// halves and tf32. One of bytes is taken and does nothing.
func tcScaleRange(c *row.Checker) {
	n, k := scaleImm(c), c.In.Mod(isa.SlotKind)
	if n == 0 || k == isa.WKindI8 {
		return
	}
	if v := int64(c.In.Args[n].Value); v < 0 || v > 15 {
		c.Errorf("Argument %d of instruction '%s': value '%d' out of range, expected to be in range [0..15]", n, c.Row.Name, v)
	}
	if k == isa.WKindF8f6f4 {
		c.Errorf("Illegal modifier '.%s' for instruction '%s' with 'arg scale-inp-d-imm'", k, c.Row.Name)
	}
}

// tcMeta: a sparse product has metadata, and no other.
func tcMeta(c *row.Checker) {
	meta := c.In.Args[3].Kind == isa.KAddr
	if meta == c.In.Has(isa.SlotSparse) {
		return
	}
	if meta && c.Row.Name == "tcgen05.mma.ws" {
		c.Errorf(".sp modifier required for instruction '%s'", c.Row.Name)
		return
	}
	c.Errorf("Arguments mismatch for instruction '%s'", c.Row.Name)
	if meta {
		c.Errorf("Arguments mismatch for instruction '%s'", c.Row.Name)
	} else {
		c.Illegal("." + c.In.Mod(isa.SlotSparse).String())
	}
}

// tcLanes: lanes that are left alone have a bit each, 128 of a block.
func tcLanes(c *row.Checker) {
	want := 4
	if c.In.Mod(isa.SlotGroup) == isa.WCtaGroup2 {
		want = 8
	}
	for i := range c.In.Args {
		o := &c.In.Args[i]
		if c.Letter(i) != 'F' {
			continue
		}
		if o.Kind != isa.KVector {
			name := c.Row.Name
			if i+2 < len(c.In.Args) { // a constant follows, by which the sums are scaled
				name = "selp"
			}
			c.Errorf("Arguments mismatch for instruction '%s'", name)
			return
		}
		n := len(o.Elems)
		if n == 3 || n > 4 && n != 8 {
			c.Errorf("Illegal vector size: %d", n)
		}
		if n != want {
			c.Errorf("Argument vector size mismatch for instruction '%s'", c.Row.Name)
		}
	}
}

// tcPlace: a place in tensor memory is a register of 32 bits.
func tcPlace(c *row.Checker) {
	for i := range c.In.Args {
		switch o := &c.In.Args[i]; {
		case o.Kind != isa.KAddr || c.Letter(i) != 'm' && c.Letter(i) != '4':
		case o.Base == isa.KSymbol:
			c.Errorf("Argument 1 of instruction 'add': must be register")
		case o.Base == isa.KReg && o.Type.Bits() != 32:
			c.Errorf("Arguments mismatch for instruction 'add'")
		}
	}
}

// tcMask: the mask of blocks is in a register.
func tcMask(c *row.Checker) {
	if len(c.In.Args) > 1 && c.In.Args[1].Kind == isa.KInt {
		c.Errorf("Arguments mismatch for instruction '%s'", c.Row.Name)
	}
}

// tcPack: loads pack and stores unpack.
func tcPack(c *row.Checker) {
	bad := isa.WUnpack16b
	if c.Row.Name == "tcgen05.st" {
		bad = isa.WPack16b
	}
	if c.In.Mod(isa.SlotPack) == bad {
		c.Illegal("." + bad.String())
	}
}

// tcKind: scaled kinds have blocks, and the others have not.
func tcKind(c *row.Checker) {
	in := c.In
	k := in.Mod(isa.SlotKind)
	scaled := k == isa.WKindMxf4 || k == isa.WKindMxf4nvf4 || k == isa.WKindMxf8f6f4
	switch {
	case k == isa.WNone:
	case scaled && c.Row.Name == "tcgen05.mma.ws":
		c.Illegal("." + k.String())
	}
	if in.Has(isa.SlotAshift) && in.Args[1].Kind != isa.KAddr {
		c.Illegal(".ashift")
	}
	if w := in.Mod(isa.SlotCollA); in.Has(isa.SlotAshift) && (w == isa.WCollectorAFill || w == isa.WCollectorAUse) { // what is shifted is not kept
		c.Errorf("Modifier '.%s' cannot be combined with modifier '.ashift'", w)
	}
}

// tcScale: the scale vectors of the kinds, which have blocks; where there is
// one it may be left out.
func tcScale(c *row.Checker) {
	in := c.In
	k, s := in.Mod(isa.SlotKind), in.Mod(isa.SlotScale)
	var ok bool
	switch k {
	case isa.WNone:
		return
	case isa.WKindMxf8f6f4:
		ok = s == isa.WNone || s == isa.WScaleVec1X || s == isa.WBlock32
	case isa.WKindMxf4:
		ok = s == isa.WNone || s == isa.WScaleVec2X || s == isa.WBlock32
	case isa.WKindMxf4nvf4:
		ok = s == isa.WScaleVec2X || s == isa.WScaleVec4X || s == isa.WBlock16 || s == isa.WBlock32
		if s == isa.WNone {
			c.Errorf("Modifier '.%s' requires modifier '.scale_vectorsize' for instruction '%s'", k, c.Row.Name)
			return
		}
	default:
		if in.Has(isa.SlotBlock) {
			c.Errorf("Modifier '.%s' cannot be combined with modifier '.block_scale'", k)
		}
		if s == isa.WNone {
			return
		}
	}
	if s != isa.WNone && !in.Has(isa.SlotBlock) {
		c.Errorf("Modifier '.%s' requires modifier '.block_scale' for instruction '%s'", s, c.Row.Name)
	}
	if !ok {
		c.Errorf("Modifier '.%s' cannot be combined with modifier '.%s'", k, s)
	}
}

// tcLoneScale: there are no scale vectors without blocks. Two kinds have one
// by themselves.
func tcLoneScale(c *row.Checker) {
	k, s := c.In.Mod(isa.SlotKind), c.In.Mod(isa.SlotScale)
	own := s == isa.WNone && (k == isa.WKindMxf8f6f4 || k == isa.WKindMxf4)
	if own {
		s = isa.WBlock32
	}
	switch {
	case c.In.Has(isa.SlotBlock) && own:
		c.WordGate(s, false)
	case !c.In.Has(isa.SlotBlock) && s != isa.WNone:
		c.Illegal("." + s.String())
	}
}
