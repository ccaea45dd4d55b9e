package isa

import "github.com/goptxas/goptxas/internal/target"

// Operations on tensor memory.

var (
	tcGate   = []Gate{{V: 86, Only: target.OnF100, Inst: true}}
	tcB64    = []TypeSet{tB64}
	tcAlloc  = []Slot{SlotAligned, SlotSpace}
	tcRules  = []Rule{{NoSlot, tcNeeds}, {SlotOob, tcGroup}, {SlotRead, needSync}}
	tcLdMods = []Slot{SlotAligned, SlotShape, SlotNum, SlotPack}
	tcLdNeed = []Slot{SlotShape, SlotNum}
	tcMods   = []Slot{SlotSparse, SlotKind, SlotBlock, SlotScale, SlotAshift, SlotCollA}
)

var opTcgen05 = Op{Rows: []Row{
	{
		Words: []Word{WAlloc}, Name: "tcgen05.alloc", Forms: []Form{{Types: []TypeSet{tB32}, Args: "mu", May: eSync | eGroup}},
		Mods: tcAlloc, Spaces: Spaces{sCTA, 0, 1}, Gates: tcGate, Rules: tcRules,
	},
	{
		Words: []Word{WDealloc}, Name: "tcgen05.dealloc", Forms: []Form{{Types: []TypeSet{tB32}, Args: "uu", May: eSync | eGroup}},
		Mods: alignedMods, Gates: tcGate, Rules: tcRules,
	},
	{
		Words: []Word{WRelinquishAllocPermit}, Name: "tcgen05.relinquish_alloc_permit", Forms: []Form{{Args: "", May: eSync | eGroup}},
		Mods: alignedMods, Gates: tcGate, Rules: tcRules,
	},
	{
		Words: []Word{WFenceBeforeThreadSync}, Name: "tcgen05.fence", Forms: []Form{{Args: ""}}, Gates: tcGate,
	},
	{
		Words: []Word{WFenceAfterThreadSync}, Name: "tcgen05.fence", Forms: []Form{{Args: ""}}, Gates: tcGate,
	},
	{
		Words: []Word{WWaitLd}, Name: "tcgen05.wait", Forms: []Form{{Args: "", May: eSync}}, Mods: alignedMods, Need: aligned,
		Gates: tcGate, Rules: []Rule{{NoSlot, tcNeeds}, {SlotRead, needSync}},
	},
	{
		Words: []Word{WWaitSt}, Name: "tcgen05.wait", Forms: []Form{{Args: "", May: eSync}}, Mods: alignedMods, Need: aligned,
		Gates: tcGate, Rules: []Rule{{NoSlot, tcNeeds}, {SlotRead, needSync}},
	},
	{
		Words: []Word{WLd}, Name: "tcgen05.ld",
		Forms: []Form{{Types: []TypeSet{tB32}, Args: "Fm?i", May: eSync}},
		Mods:  tcLdMods, Need: tcLdNeed, Gates: tcGate,
		Rules: []Rule{{SlotShape, tcShape}, {NoSlot, tcNeeds}, {SlotRead, needSync}}, Flags: fVector2,
	},
	{
		Words: []Word{WLd, WRed}, Name: "tcgen05.ld.red",
		Forms: []Form{{Types: []TypeSet{tInt32 | tF32}, Args: "ENm?i", May: eSync | eMin | eMax}},
		Mods:  []Slot{SlotAligned, SlotShape, SlotNum, SlotAbs, SlotNaN}, Need: tcLdNeed,
		Gates: []Gate{{V: 88, Only: target.On103a | target.On103f | target.On101a | target.On101f | target.On110a | target.On110f, Inst: true}},
		Rules: []Rule{{SlotShape, tcShape}, {NoSlot, tcNeeds}, {SlotRead, needSync}}, Flags: fVector2,
	},
	{
		Words: []Word{WSt}, Name: "tcgen05.st",
		Forms: []Form{{Types: []TypeSet{tB32}, Args: "mF", May: eSync}, {Types: []TypeSet{tB32}, Args: "miF", May: eSync}},
		Mods:  tcLdMods, Need: tcLdNeed, Gates: tcGate,
		Rules: []Rule{{SlotShape, tcShape}, {NoSlot, tcNeeds}, {SlotRead, needSync}}, Flags: fVector2,
	},
	{
		Words: []Word{WCp}, Name: "tcgen05.cp",
		Forms: []Form{
			{Args: "mk", May: eGroup},
			{Types: []TypeSet{tB8x16, tB6b4x16}, Args: "mk", May: eGroup},
		},
		Mods: []Slot{SlotShape, SlotWarpx}, Need: []Slot{SlotShape}, Gates: tcGate,
		Rules: []Rule{{NoSlot, tcNeedGroup}, {SlotOob, tcGroup}, {SlotShape, tcCpShape}},
	},
	{
		Words: []Word{WCommit}, Name: "tcgen05.commit",
		Forms: []Form{{Types: tcB64, Args: "m", May: eGroup}, {Types: tcB64, Args: "mj", May: eGroup, Must: eMcast}},
		Mods:  []Slot{SlotDone, SlotSpace}, Need: []Slot{SlotDone}, Spaces: Spaces{sCluster, 0, 1}, Gates: tcGate,
		Rules: []Rule{{NoSlot, tcNeedGroup}, {SlotOob, tcGroup}},
	},
	{
		Words: []Word{WShift}, Name: "tcgen05.shift", Forms: []Form{{Args: "m", May: eGroup}},
		Mods: []Slot{SlotDown}, Need: []Slot{SlotDown}, Gates: []Gate{{V: 86, Only: target.OnA100, Inst: true}},
		Rules: []Rule{{NoSlot, tcNeedGroup}, {SlotOob, tcGroup}},
	},
	{
		Words: []Word{WMma}, Name: "tcgen05.mma",
		Forms: []Form{
			{Args: "mekup?i", May: eGroup},
			{Args: "mekuFp?i", May: eGroup},
			{Args: "mekummp", May: eGroup},
			{Args: "mekmup?i", May: eGroup},
			{Args: "mekmuFp?i", May: eGroup},
			{Args: "mekmummp", May: eGroup},
		},
		Mods: tcMods, Need: []Slot{SlotKind},
		Gates: []Gate{{V: 86, Only: target.OnF100, Inst: true}, {Name: "argument scale-inp-d-imm", Only: target.On100a | target.On100f | target.On103a | target.On103f, If: tcScaleImm}},
		Rules: []Rule{{NoSlot, tcNeedGroup}, {SlotOob, tcGroup}, {SlotKind, tcKind}, {SlotScale, tcScale}},
		Flags: fVector2,
	},
	{
		Words: []Word{WMma, WWs}, Name: "tcgen05.mma.ws",
		Forms: []Form{{Args: "mekup?k", May: eGroup}, {Args: "mekmup?k", May: eGroup}},
		Mods:  []Slot{SlotSparse, SlotKind, SlotCollB}, Need: []Slot{SlotKind}, Gates: tcGate,
		Rules: []Rule{{NoSlot, tcNeedGroup}, {SlotOob, tcGroup}, {SlotKind, tcKind}},
	},
}}

// tcGroup: one CTA or a pair takes part.
func tcGroup(c *checker) {
	w := c.in.Mod(SlotGroup)
	if w == WNone {
		return
	}
	c.gate(&Gate{Name: "." + w.String(), Plain: true, V: 86, Only: target.OnF100})
}

// tcNeeds: what an operation of a whole warp must say.
func tcNeeds(c *checker) {
	if !c.in.Has(SlotAligned) && !c.takes(SlotShape) {
		c.errorf(".aligned modifier required for instruction '%s'", c.row.Name)
	}
	needSync(c)
	if c.row.Forms[0].May&eGroup != 0 {
		tcNeedGroup(c)
	}
}

func tcNeedGroup(c *checker) {
	if c.in.Mod(SlotGroup) == WNone {
		c.errorf(".cta_group modifier required for instruction '%s'", c.row.Name)
	}
}

// tcRegs is the number of registers a load or store of the shape moves.
func (c *checker) tcRegs() int {
	n := 1
	switch c.in.Mod(SlotNum) {
	case WX2:
		n = 2
	case WX4:
		n = 4
	case WX8:
		n = 8
	case WX16:
		n = 16
	case WX32:
		n = 32
	case WX64:
		n = 64
	case WX128:
		n = 128
	}
	switch c.in.Mod(SlotShape) {
	case W16x128b:
		return 2 * n
	case W16x256b:
		return 4 * n
	}
	return n
}

// tcShape: the shapes of loads and stores, and the sizes of their vectors.
func tcShape(c *checker) {
	in := c.in
	shape := in.Mod(SlotShape)
	split := shape == W16x32bx2
	switch shape {
	case W16x64b, W16x128b, W16x256b, W32x32b, W16x32bx2:
	case WNone:
		return
	default:
		c.errorf("Illegal matrix shape '.%s' for instruction '%s'", shape, c.row.Name)
		return
	}
	for i := range in.Args {
		o := &in.Args[i]
		if k := c.letter(i); (k == 'F' || k == 'E') && (o.Kind != KVector || len(o.Elems) != c.tcRegs()) {
			c.errorf("Argument %d of instruction '%s': Argument vector size mismatch", i, c.row.Name)
		}
	}
	imm := false
	for i := range in.Args {
		imm = imm || in.Args[i].Kind == KInt
	}
	if imm != split {
		c.errorf("Unexpected number of arguments specified for %s with shape '.%s'", c.row.Name, shape)
	}
}

// tcCpShape: some shapes of copies are multicast to the warps.
func tcCpShape(c *checker) {
	in := c.in
	w := in.Mod(SlotWarpx)
	shape := in.Mod(SlotShape)
	var ok bool
	switch shape {
	case W128x256b, W4x256b, W128x128b:
		ok = w == WNone
	case W64x128b:
		ok = w == WWarpx20123 || w == WWarpx20213
	case W32x128b:
		ok = w == WWarpx4
	case WNone:
		return
	default:
		c.errorf("Illegal matrix shape '.%s' for instruction '%s'", shape, c.row.Name)
		return
	}
	switch {
	case ok:
	case w == WNone:
		c.errorf(".multicast modifier required for instruction '%s'", c.row.Name)
	default:
		c.errorf("Modifier '.%s' cannot be combined with modifier '.%s'", w, shape)
	}
}

// tcScaleImm: a constant scale of the accumulator behind the predicate.
func tcScaleImm(c *checker) bool {
	n := 5
	if c.in.Has(SlotSparse) {
		n++
	}
	for i := range c.in.Args {
		if c.in.Args[i].Kind == KVector {
			n++
		}
	}
	return !c.in.Has(SlotBlock) && len(c.in.Args) > n
}

// tcKind: scaled kinds have blocks, and the others have not.
func tcKind(c *checker) {
	in := c.in
	k := in.Mod(SlotKind)
	scaled := k == WKindMxf4 || k == WKindMxf4nvf4 || k == WKindMxf8f6f4
	switch {
	case k == WNone:
	case scaled && c.row.Name == "tcgen05.mma.ws":
		c.illegal("." + k.String())
	case scaled && !in.Has(SlotBlock):
		c.errorf(".block_scale modifier required for instruction '%s'", c.row.Name)
	case !scaled && in.Has(SlotBlock):
		c.errorf("Modifier '.%s' cannot be combined with modifier '.block_scale'", k)
	}
	if in.Has(SlotAshift) && in.Args[1].Kind != KAddr {
		c.illegal(".ashift")
	}
}

// tcScale: the scale vectors of the kinds; where there is one it may be left
// out.
func tcScale(c *checker) {
	in := c.in
	k, s := in.Mod(SlotKind), in.Mod(SlotScale)
	if !in.Has(SlotBlock) {
		return
	}
	var ok bool
	switch k {
	case WKindMxf8f6f4:
		ok = s == WNone || s == WScaleVec1X || s == WBlock32
	case WKindMxf4:
		ok = s == WNone || s == WScaleVec2X || s == WBlock32
	case WKindMxf4nvf4:
		ok = s == WScaleVec2X || s == WScaleVec4X || s == WBlock16 || s == WBlock32
	default:
		return
	}
	switch {
	case ok && s == WNone:
		c.wordGate(WBlock32, false)
	case ok:
	case s == WNone:
		c.errorf(".scale_vec_size modifier required for instruction '%s'", c.row.Name)
	default:
		c.errorf("Modifier '.%s' cannot be combined with modifier '.%s'", k, s)
	}
}
