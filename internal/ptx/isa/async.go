package isa

import (
	"github.com/goptxas/goptxas/internal/engine/diag"
	"github.com/goptxas/goptxas/internal/target"
)

// Asynchronous copies: cp.async, bulk copies, tensor copies and reductions.

var bulkTypes = []TypeSet{tInt32 | tInt64 | tB32 | tB64 | tF32 | tF64 | tHalf}

var (
	bulkMods   = []Slot{SlotSpace, SlotDone, SlotMask}
	tensorMods = []Slot{SlotSpace, SlotDone, SlotDim}
	bulkSpaces = Spaces{sGlobal | sCTA | sCluster, 2, 2}
)

var opCp = Op{Rows: []Row{
	{
		Words: []Word{WAsync}, Name: "cp.async",
		Forms: []Form{
			{Args: "mmi?u", May: ePref},
			{Args: "mmip", May: ePref},
			{Args: "mmik", May: ePref, Must: eHint},
			{Args: "mmiuk", May: ePref, Must: eHint},
			{Args: "mmipk", May: ePref, Must: eHint},
		},
		Mods: []Slot{SlotSpace, SlotCop}, Need: []Slot{SlotCop},
		Spaces: Spaces{sShared | sCTA | sGlobal, 2, 2},
		Gates:  []Gate{{V: 70, SM: 80}, {Name: "igonre-src on cp.async", V: 75, If: ignoreSrc}, gPref, gPref256, gHint},
		Rules:  []Rule{{SlotSpace, cpSpaces}, {SlotSpace, pref256Target}, {SlotCop, cpCop}, {SlotRead, cpSize}},
		Flags:  fManySpaces,
	},
	{Words: []Word{WAsync, WCommitGroup}, Name: "cp.async.commit_group", Forms: []Form{{Args: ""}}, Gates: g70},
	{Words: []Word{WAsync, WWaitAll}, Name: "cp.async.wait_all", Forms: []Form{{Args: ""}}, Gates: g70},
	{Words: []Word{WAsync, WWaitGroup}, Name: "cp.async.wait_group", Forms: []Form{{Args: "i"}}, Gates: g70},
	{
		Words: []Word{WAsync, WMbarrier, WArrive}, Name: "cp.async.mbarrier.arrive", Forms: []Form{{Types: b64, Args: "m"}},
		Mods: []Slot{SlotSpace, SlotNoinc}, Spaces: mbSpaces, Gates: g70,
	},
	{
		Words: []Word{WAsync, WBulk}, Name: "cp.async.bulk",
		Forms: []Form{{Args: "mmu?***", May: eMcast | eGroup}, {Args: "mmu*?**", May: eMcast | eGroup, Must: eHint}},
		Mods:  bulkMods, Spaces: bulkSpaces,
		Gates: []Gate{{V: 80, SM: 90, TargetFirst: true}, {Name: "$ with destination state space as .shared::cta", V: 86, If: toCTA}, gMcast, gHintLast},
		Rules: []Rule{{SlotSpace, bulkSpaceRule}, {SlotSpace, bulkArgs}, {NoSlot, mcastAdvice}, {SlotDone, bulkDone}, {SlotMask, bulkMask}, {SlotRead, bulkSize}},
		Flags: fManySpaces,
	},
	{Words: []Word{WAsync, WBulk, WCommitGroup}, Name: "cp.async.bulk.commit_group", Forms: []Form{{Args: ""}}, Gates: []Gate{{V: 80, SM: 90, TargetFirst: true}}},
	{
		Words: []Word{WAsync, WBulk, WWaitGroup}, Name: "cp.async.bulk.wait_group", Forms: []Form{{Args: "i"}}, Mods: []Slot{SlotRead},
		Gates: []Gate{{V: 80, SM: 90, TargetFirst: true}},
	},
	{
		Words: []Word{WAsync, WBulk, WPrefetch}, Name: "cp.async.bulk.prefetch",
		Forms: []Form{{Args: "mu"}, {Args: "muk", Must: eHint}},
		Mods:  []Slot{SlotSpace, SlotLevel}, Spaces: Spaces{sGlobal, 1, 1}, Rules: []Rule{{NoSlot, needLevel}},
		Gates: []Gate{{V: 80, SM: 90, TargetFirst: true}},
	},
	{
		Words: []Word{WAsync, WBulk, WPrefetch, WTensor}, Name: "cp.async.bulk.prefetch.tensor",
		Forms: []Form{{Args: "o?***", May: eTile}, {Args: "o*?**", May: eTile, Must: eHint}},
		Mods:  []Slot{SlotSpace, SlotLevel, SlotDim}, Need: []Slot{SlotDim}, Spaces: Spaces{sGlobal, 1, 1},
		Gates: []Gate{{V: 80, SM: 90, TargetFirst: true}, gHintLast},
		Rules: []Rule{{NoSlot, needLevel}, {NoSlot, prefetchMode}, {SlotDim, tensorSizes}, {SlotDim, tensorArgs}},
		Flags: fManySpaces | fVector2,
	},
	{
		Words: []Word{WAsync, WBulk, WTensor}, Name: "cp.async.bulk.tensor",
		Forms: []Form{
			{Args: "mom?***", May: eTile | eGroup},
			{Args: "momk", May: eTile | eGroup, Must: eHint},
			{Args: "momJk", May: eTile | eGroup, Must: eHint},
			{Args: "momj?*", May: eTile | eGroup, Must: eMcast},
			{Args: "momJj?*", May: eTile | eGroup, Must: eMcast},
			{Args: "momjk", May: eTile | eGroup, Must: eMcast | eHint},
			{Args: "momJjk", May: eTile | eGroup, Must: eMcast | eHint},
			{Args: "om?***", May: eTile | eGroup},
			{Args: "omk", May: eTile | eGroup, Must: eHint},
		},
		Mods: tensorMods, Need: []Slot{SlotDim}, Spaces: bulkSpaces,
		Gates: []Gate{
			{V: 80, SM: 90, TargetFirst: true},
			{Name: "$ with destination state space as .shared::cta", V: 86, If: toCTA},
			gMcast, gHintLast,
		},
		Rules: []Rule{{NoSlot, mcastAdvice}, {NoSlot, tensorGroup}, {NoSlot, tensorMode}, {SlotSpace, tensorSpaceRule}, {SlotDim, tensorSizes}, {SlotDim, tensorArgs}, {SlotDone, bulkDone}},
		Flags: fManySpaces | fVector2,
	},
	{
		Words: []Word{WReduce, WAsync, WBulk}, Name: "cp.reduce.async.bulk",
		Forms: []Form{{Types: bulkTypes, Args: "mmu?***", May: eAtom}, {Types: bulkTypes, Args: "mmu*?**", May: eAtom, Must: eHint}},
		Mods:  []Slot{SlotSpace, SlotDone, SlotNoftz, SlotOp}, Spaces: bulkSpaces,
		Gates: []Gate{{V: 80, SM: 90, TargetFirst: true}, gHintLast},
		Rules: []Rule{{NoSlot, reduceOp}, {SlotSpace, bulkSpaceRule}, {SlotSpace, bulkArgs}, {SlotDone, bulkDone}, {SlotNoftz, reduceNoftz}, {SlotRead, bulkSize}},
		Flags: fManySpaces,
	},
	{
		Words: []Word{WReduce, WAsync, WBulk, WTensor}, Name: "cp.reduce.async.bulk.tensor",
		Forms: []Form{{Args: "om?*", May: eTile | eAtom}, {Args: "om*", May: eTile | eAtom, Must: eHint}},
		Mods:  []Slot{SlotSpace, SlotDone, SlotDim, SlotOp}, Need: []Slot{SlotDim}, Spaces: bulkSpaces,
		Gates: []Gate{{V: 80, SM: 90, TargetFirst: true}, gHintLast},
		Rules: []Rule{{NoSlot, tensorMode}, {SlotSpace, tensorSpaceRule}, {SlotDim, tensorSizes}, {SlotDim, tensorArgs}, {SlotDim, tensorOp}, {SlotDone, bulkDone}},
		Flags: fManySpaces | fVector2,
	},
}}

// gHintLast is gHint where the reference looks at it last.
var gHintLast = Gate{At: SlotRead, Name: ".L2::cache_hint", V: 74, SM: 80, TargetFirst: true, W: WL2CacheHint, Mod: true, ModV: true}

var gMcast = Gate{Name: ".multicast::cluster", V: 80, SM: 90, W: WMulticastCluster, Mod: true, ModV: true, TargetFirst: true}

func ignoreSrc(c *checker) bool {
	a := c.in.Args
	return len(a) > 3 && (a[3].Type == Pred)
}

func toCTA(c *checker) bool { return c.in.NSpace > 0 && c.in.Spaces[0] == SpaceSharedCTA }
func toCluster(c *checker) bool {
	return c.in.NSpace > 0 && c.in.Spaces[0] == SpaceSharedCluster
}

// cpSpaces: cp.async copies from global to shared memory.
func cpSpaces(c *checker) {
	in := c.in
	if in.NSpace != 2 {
		return
	}
	if in.Spaces[0].Base() != SpaceShared {
		c.errorf("State space incorrect for instruction 'cp.async'")
	}
	if in.Spaces[1] != SpaceGlobal {
		c.errorf("State space incorrect for instruction 'cp.async'")
	}
}

// cpCop: through both caches or the second level only.
func cpCop(c *checker) {
	if w := c.in.Mod(SlotCop); w != WNone && w != WCa && w != WCg {
		c.illegal("." + w.String())
	}
}

// cpSize: 4, 8 or 16 bytes, past the first level only 16.
func cpSize(c *checker) {
	o := &c.in.Args[2]
	v := o.Value
	switch {
	case c.in.Mod(SlotCop) == WCg && v != 16:
		c.errorf("Argument 2 of instruction 'cp.async': unexpected value '%d', expected to be 16", v)
	case v != 4 && v != 8 && v != 16:
		c.errorf("Argument 2 of instruction 'cp.async': unexpected value '%d', expected to be 4 or 8 or 16", v)
	}
}

// bulkSpaceRule: from global to shared memory, back, or between the shared
// memories of a cluster.
func bulkSpaceRule(c *checker) {
	in := c.in
	if in.NSpace != 2 {
		return
	}
	d, s := in.Spaces[0], in.Spaces[1]
	ok := d == SpaceGlobal && s == SpaceSharedCTA || d == SpaceSharedCluster && (s == SpaceGlobal || s == SpaceSharedCTA) ||
		d == SpaceSharedCTA && s == SpaceGlobal
	if c.in.Mods[0] == WReduce {
		ok = ok && s == SpaceSharedCTA
	}
	if !ok {
		c.errorf("State space incorrect for instruction '%s'", c.row.Name)
	}
}

// tensorSpaceRule: from global to shared memory and back.
func tensorSpaceRule(c *checker) {
	in := c.in
	if in.NSpace != 2 {
		return
	}
	d, s := in.Spaces[0], in.Spaces[1]
	ok := d == SpaceGlobal && s == SpaceSharedCTA
	if c.in.Mods[0] != WReduce {
		ok = ok || (d == SpaceSharedCluster || d == SpaceSharedCTA) && s == SpaceGlobal
	}
	if !ok {
		c.errorf("State space incorrect for instruction '%s'", c.row.Name)
	}
}

// bulkDone: copies to global memory form groups, others complete on a
// barrier.
func bulkDone(c *checker) {
	in := c.in
	if in.NSpace != 2 {
		return
	}
	w := in.Mod(SlotDone)
	want := WMbarrierCompleteTxBytes
	if in.Spaces[0] == SpaceGlobal {
		want = WBulkGroup
	}
	switch {
	case w == WNone:
		c.errorf(".completion_mechanism modifier required for instruction '%s'", c.row.Name)
	case w != want:
		c.illegal("." + spelled(w))
	}
}

// extras checks the operands from i on against what the modifiers call for,
// each told by the letter of a form.
func (c *checker) extras(i int, letters string) bool {
	args := c.in.Args[min(i, len(c.in.Args)):]
	if len(args) != len(letters) {
		return false
	}
	for k := range args {
		if !c.letterFits(letters[k], &args[k]) {
			return false
		}
	}
	return true
}

// bulkArgs: a barrier unless the copy is to global memory, then the mask of
// a multicast, a cache policy, a byte mask.
func bulkArgs(c *checker) {
	in := c.in
	if in.NSpace != 2 {
		return
	}
	var buf [4]byte
	want := buf[:0]
	if in.Spaces[0] != SpaceGlobal {
		want = append(want, 'm')
	}
	if in.early&eMcast != 0 {
		want = append(want, 'j')
	}
	if in.early&eHint != 0 {
		want = append(want, 'k')
	}
	masked := append(want, 'j')
	if in.Has(SlotMask) && c.extras(3, string(masked)) {
		return
	}
	if !c.extras(3, string(want)) || in.Has(SlotMask) && in.early&eHint != 0 {
		c.errorf("Arguments mismatch for instruction '%s'", c.row.Name)
	}
}

// maxBulk is the largest bulk copy: a little less than a megabyte.
const maxBulk = 1<<20 - 16

// mcastAdvice: multicast is fast on some targets only.
func mcastAdvice(c *checker) {
	if c.hasWord(WMulticastCluster) && c.bit&(target.On90a|target.OnF100) == 0 {
		c.say(diag.Warning, "Advisory: '.multicast::cluster' modifier on instruction 'cp.async.bulk{.tensor}' should be used on .target 'sm_90a/sm_100a/sm_100f/sm_103a/sm_103f/sm_110a/sm_110f' instead of .target '%s' as this feature is expected to have substantially reduced performance on some future architectures", c.ctx.Target)
	}
}

// bulkSize: bulk copies move whole 16 bytes.
func bulkSize(c *checker) {
	o := &c.in.Args[2]
	if o.Kind != KInt {
		return
	}
	if o.Value%16 != 0 {
		c.errorf("Argument 2 of instruction '%s': unexpected value '%d', expected to be multiple of 16", c.row.Name, uint32(o.Value))
	}
	if o.Value < 0 || o.Value > maxBulk {
		c.errorf("Argument 2 of instruction '%s': value '%d' out of range, expected to be in range [0..%d]", c.row.Name, o.Value, maxBulk)
	}
}

// needLevel: bulk prefetches name the cache.
func needLevel(c *checker) {
	if !c.in.Has(SlotLevel) {
		c.errorf(".level modifier required for instruction '%s'", c.row.Name)
	}
}

// bulkMask: a byte mask is for copies to global memory, and comes with an
// operand.
func bulkMask(c *checker) {
	in := c.in
	if !in.Has(SlotMask) {
		return
	}
	last := &in.Args[len(in.Args)-1]
	if in.NSpace == 2 && in.Spaces[0] != SpaceGlobal || len(in.Args) == 3 || last.Kind != KReg || last.Type.Bits() != 16 {
		c.illegal(".cp_mask")
	}
}

// tensorGroup: which pair of CTAs is signalled.
func tensorGroup(c *checker) {
	w := c.in.Mod(SlotGroup)
	if w == WNone {
		return
	}
	if c.ctx.Version < 86 {
		c.errorf("Modifier '.%s' on '%s' requires PTX ISA .version 8.6 or later", w, c.row.Name)
	}
	c.gate(&Gate{Name: "." + w.String(), Plain: true, V: 86, Only: target.OnF100})
}

// tensorMode: versions and targets of the modes, and where they apply.
func tensorMode(c *checker) {
	in := c.in
	w := in.Mod(SlotTile)
	store := in.NSpace > 0 && in.Spaces[0] == SpaceGlobal
	name := "." + w.String()
	switch w {
	case WTile, WIm2col, WIm2colNoOffs:
		c.targetFeature(name, 80, 90)
	case WTileGather4, WIm2colW:
		switch {
		case toCluster(c):
			c.gate(&Gate{Name: name + " with destination state space as .shared::cluster", Plain: true, Only: target.OnF100})
		case toCTA(c):
			c.gate(&Gate{Name: name + " with destination state space as .shared::cta", Plain: true, SM: 100})
		}
		if c.ctx.Version < 86 {
			c.errorf("Feature '%s' requires PTX ISA .version 8.6 or later", name)
		}
	case WTileScatter4, WIm2colW128:
		c.gate(&Gate{Name: name, Plain: true, V: 86, Only: target.OnF100, TargetFirst: true})
	}
	c.modeFits(w, store)
}

// modeFits: gathers and offsets are for loads, scatters for stores.
func (c *checker) modeFits(w Word, store bool) {
	in := c.in
	switch w {
	case WIm2col, WIm2colW, WIm2colW128, WTileGather4:
		if store {
			c.illegal("." + w.String())
			return
		}
	case WIm2colNoOffs, WTileScatter4:
		if !store {
			c.illegal("." + w.String())
			return
		}
	}
	switch w {
	case WIm2col, WIm2colW, WIm2colW128, WIm2colNoOffs:
		if d := in.Mod(SlotDim); d == W1d || d == W2d {
			c.errorf("Modifier '.%s' cannot be combined with modifier '.%s'", w, d)
		}
	case WTileGather4, WTileScatter4:
		if d := in.Mod(SlotDim); d != W2d && d != WNone {
			c.errorf("Modifier '.%s' cannot be combined with modifier '.%s'", w, d)
		}
	}
}

// prefetchMode: modes of prefetches; without one it is .tile.
func prefetchMode(c *checker) {
	w := c.in.Mod(SlotTile)
	name := "." + w.String()
	switch w {
	case WNone:
		c.targetFeature(".tile", 80, 90)
	case WTile, WIm2col:
		c.targetFeature(name, 80, 90)
	case WTileGather4, WIm2colW:
		if c.ctx.Version < 86 {
			c.errorf("Feature '%s' requires PTX ISA .version 8.6 or later", name)
		}
		c.gate(&Gate{Name: name + " with " + c.row.Name, Plain: true, Only: target.OnF100})
	case WIm2colW128:
		c.gate(&Gate{Name: name, Plain: true, V: 86, Only: target.OnF100, TargetFirst: true})
	}
	c.modeFits(w, false)
}

// dims is the number of dimensions of a tensor.
func (c *checker) dims() int {
	switch c.in.Mod(SlotDim) {
	case W1d:
		return 1
	case W2d:
		return 2
	case W3d:
		return 3
	case W4d:
		return 4
	case W5d:
		return 5
	}
	return 0
}

// tensorSizes: as many coordinates as dimensions, four rows for a gather,
// and offsets where the mode has them.
func tensorSizes(c *checker) {
	in := c.in
	n := c.dims()
	if n == 0 {
		return
	}
	if w := in.Mod(SlotTile); w == WTileGather4 || w == WTileScatter4 {
		n = 5
	}
	at := 0
	for at < len(in.Args) && len(in.Args[at].Elems) == 0 {
		at++
	}
	if at >= len(in.Args) {
		return
	}
	if vectorLen(&in.Args[at].Elems[0]) != n {
		c.errorf("Argument %d of instruction '%s': Argument vector size mismatch", at+1, c.row.Name)
	}
	info := c.infoSize()
	first := 1
	if at == 1 {
		first = 3
	}
	if info > 0 && first < len(in.Args) && in.Args[first].Kind != KAddr && vectorLen(&in.Args[first]) != info {
		c.errorf("Argument %d of instruction '%s': Argument vector size mismatch", first+1, c.row.Name)
	}
}

// infoSize is the number of offsets a mode takes.
func (c *checker) infoSize() int {
	switch c.in.Mod(SlotTile) {
	case WIm2col:
		return c.dims() - 2
	case WIm2colW:
		return 2
	case WIm2colW128:
		return 2
	}
	return 0
}

// tensorArgs: offsets, the mask of a multicast, a cache policy.
func tensorArgs(c *checker) {
	in := c.in
	first := 1
	switch {
	case in.Args[0].Kind == KAddr && len(in.Args[0].Elems) == 0:
		first = 3
	case len(in.Args) > 1 && in.Args[1].Kind == KAddr:
		first = 2
	}
	var buf [4]byte
	want := buf[:0]
	if c.infoSize() > 0 {
		want = append(want, 'J')
	}
	if in.early&eMcast != 0 {
		want = append(want, 'j')
	}
	if in.early&eHint != 0 {
		want = append(want, 'k')
	}
	load := first == 3
	if in.NSpace == 2 && load == (in.Spaces[0] == SpaceGlobal) || !c.extras(first, string(want)) {
		c.errorf("Arguments mismatch for instruction '%s'", c.row.Name)
	}
}

// tensorOp: a reduction names its operation.
func tensorOp(c *checker) {
	switch c.in.Mod(SlotOp) {
	case WNone:
		c.errorf("Reduction operation is required for instruction '%s'", c.row.Name)
	case WCas, WExch, WPopc:
		c.errorf("Illegal reduction operation for instruction '%s'", c.row.Name)
	}
}

// reduction returns the types of the operation: those of sums, of extremes
// and of counters, or those of logic. It complains about other operations.
func (c *checker) reduction(sum, extreme, count TypeSet) (ok TypeSet) {
	switch c.in.Mod(SlotOp) {
	case WNone:
		c.errorf("Reduction operation is required for instruction '%s'", c.row.Name)
		return 0
	case WAdd:
		ok = sum
	case WMin, WMax:
		ok = extreme
	case WInc, WDec:
		ok = count
	case WAnd, WOr, WXor:
		ok = tB32 | tB64
	}
	if ok == 0 {
		c.errorf("Illegal reduction operation for instruction '%s'", c.row.Name)
	}
	return ok
}

// reduceOp: which operations go with which types.
func reduceOp(c *checker) {
	w, t := c.in.Mod(SlotOp), c.in.Types[0]
	ok := c.reduction(tInt32|tU64|tF32|tF64|tHalf, tInt32|tInt64|tHalf, tU32)
	if ok == 0 {
		return
	}
	if !ok.has(t) {
		c.errorf("Incorrect type '%s' for operation '.%s' in instruction '%s'", t, w, c.row.Name)
	}
	if toCluster(c) && !(tInt32 | tB32).has(t) && !(t == U64 && w == WAdd) {
		c.errorf("Illegal reduction operation for instruction '%s.shared::cluster.shared::cta%s'", c.row.Name, t)
	}
}

// reduceNoftz: sums of halves keep subnormals and say so.
func reduceNoftz(c *checker) {
	in := c.in
	t := in.Types[0]
	sum := tHalf.has(t) && in.early&eAdd != 0
	switch {
	case sum && !in.Has(SlotNoftz):
		c.errorf("Modifier '.noftz' required for instruction '%s' with type '%s' and operation '.add'", c.row.Name, t)
	case !sum && in.Has(SlotNoftz):
		c.illegal(".noftz")
	}
}
