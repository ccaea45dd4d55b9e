package memory

import (
	"github.com/goptxas/goptxas/internal/engine/diag"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/isa/row"
	"github.com/goptxas/goptxas/internal/target"
)

// Asynchronous copies: cp.async, bulk copies, tensor copies and reductions.

var bulkTypes = []row.TypeSet{row.Int32 | row.Int64 | row.B32 | row.B64 | row.F32 | row.F64 | row.Half}

var (
	bulkMods   = []isa.Slot{isa.SlotSpace, isa.SlotDone, isa.SlotMask}
	tensorMods = []isa.Slot{isa.SlotSpace, isa.SlotDone, isa.SlotDim}
	bulkSpaces = row.Spaces{Set: row.Global | row.SharedCTA | row.SharedCluster, Min: 2, Max: 2}
)

var Cp = row.Op{Rows: []row.Row{
	{
		Words: []isa.Word{isa.WAsync}, Name: "cp.async",
		Forms: []row.Form{
			{Args: "mmi?u", May: row.EarlyPref},
			{Args: "mmip", May: row.EarlyPref},
			{Args: "mmik", May: row.EarlyPref, Must: row.EarlyHint},
			{Args: "mmiuk", May: row.EarlyPref, Must: row.EarlyHint},
			{Args: "mmipk", May: row.EarlyPref, Must: row.EarlyHint},
		},
		Mods: []isa.Slot{isa.SlotSpace, isa.SlotCop}, Need: []isa.Slot{isa.SlotCop},
		Spaces: row.Spaces{Set: row.Shared | row.SharedCTA | row.Global, Min: 2, Max: 2},
		Gates:  []row.Gate{{V: 70, SM: 80}, {Name: "igonre-src on cp.async", V: 75, If: ignoreSrc}, gPrefCopy, gHint},
		Rules:  []row.Rule{{At: isa.SlotSpace, Do: cpSpaces}, {At: isa.SlotSpace, Do: pref256Target}, {At: isa.SlotCop, Do: cpCop}, {At: isa.NoSlot, Do: cpSize}},
		Flags:  row.FlagManySpaces,
	},
	{Words: []isa.Word{isa.WAsync, isa.WCommitGroup}, Name: "cp.async.commit_group", Forms: []row.Form{{Args: ""}}, Gates: g70},
	{Words: []isa.Word{isa.WAsync, isa.WWaitAll}, Name: "cp.async.wait_all", Forms: []row.Form{{Args: ""}}, Gates: g70},
	{Words: []isa.Word{isa.WAsync, isa.WWaitGroup}, Name: "cp.async.wait_group", Forms: []row.Form{{Args: "i"}}, Gates: g70},
	{
		Words: []isa.Word{isa.WAsync, isa.WMbarrier, isa.WArrive}, Name: "cp.async.mbarrier.arrive", Forms: []row.Form{{Types: b64, Args: "m"}},
		Mods: []isa.Slot{isa.SlotSpace, isa.SlotNoinc}, Spaces: mbSpaces, Gates: g70,
	},
	{
		Words: []isa.Word{isa.WAsync, isa.WBulk}, Name: "cp.async.bulk",
		Forms: []row.Form{
			{Args: "mmu?m"},
			{Args: "mmuk", May: row.EarlyHint},
			{Args: "mmuJ"},
			{Args: "mmukJ", May: row.EarlyHint},
			{Args: "mmumJ", May: row.EarlyMcast},
			{Args: "mmumk", May: row.EarlyHint},
			{Args: "mmumJk", May: row.EarlyHint | row.EarlyMcast},
		},
		Mods: bulkMods, Spaces: bulkSpaces,
		Gates: []row.Gate{{V: 80, SM: 90, TargetFirst: true}, {Name: "$ with destination state space as .shared::cta", V: 86, If: toCTA}, gHintLast},
		Rules: []row.Rule{
			{At: isa.NoSlot, Do: mcastAdvice},
			{At: isa.NoSlot, Do: bulkCopy},
			{At: isa.SlotMask, Do: bulkMask},
			{At: isa.SlotOob, Do: mcastGate},
			{At: isa.SlotVec, Do: copyPlaces},
		},
		Flags: row.FlagManySpaces | row.FlagVector2,
	},
	{Words: []isa.Word{isa.WAsync, isa.WBulk, isa.WCommitGroup}, Name: "cp.async.bulk.commit_group", Forms: []row.Form{{Args: ""}}, Gates: []row.Gate{{V: 80, SM: 90, TargetFirst: true}}},
	{
		Words: []isa.Word{isa.WAsync, isa.WBulk, isa.WWaitGroup}, Name: "cp.async.bulk.wait_group", Forms: []row.Form{{Args: "i"}}, Mods: []isa.Slot{isa.SlotRead},
		Gates: []row.Gate{{V: 80, SM: 90, TargetFirst: true}},
	},
	{
		Words: []isa.Word{isa.WAsync, isa.WBulk, isa.WPrefetch}, Name: "cp.async.bulk.prefetch",
		Forms: []row.Form{{Args: "mu"}, {Args: "muk", Must: row.EarlyHint}},
		Mods:  []isa.Slot{isa.SlotSpace, isa.SlotLevel}, Spaces: row.Spaces{Set: row.Global, Min: 1, Max: 1}, Rules: []row.Rule{{At: isa.NoSlot, Do: needLevel}, {At: isa.SlotAsync, Do: hintNowhere}},
		Gates: []row.Gate{{V: 80, SM: 90, TargetFirst: true}, gHintLast},
	},
	{
		Words: []isa.Word{isa.WAsync, isa.WBulk, isa.WPrefetch, isa.WTensor}, Name: "cp.async.bulk.prefetch.tensor",
		Forms: []row.Form{
			{Args: "o?J", May: row.EarlyTile},
			{Args: "ok", May: row.EarlyTile | row.EarlyHint},
			{Args: "oJk", May: row.EarlyTile | row.EarlyHint},
		},
		Mods: []isa.Slot{isa.SlotSpace, isa.SlotLevel, isa.SlotDim}, Spaces: row.Spaces{Set: row.Global, Min: 1, Max: 1},
		Gates: []row.Gate{{V: 80, SM: 90, TargetFirst: true}, gHintLast},
		Rules: []row.Rule{{At: isa.NoSlot, Do: prefetchTensor}, {At: isa.SlotAsync, Do: hintNowhere}, {At: isa.SlotOob, Do: prefetchMode}, {At: isa.SlotVec, Do: copyPlaces}, {At: isa.SlotRead, Do: tensorVector}},
		Flags: row.FlagManySpaces | row.FlagVector2,
	},
	{
		Words: []isa.Word{isa.WAsync, isa.WBulk, isa.WTensor}, Name: "cp.async.bulk.tensor",
		Forms: []row.Form{
			{Args: "*o*", May: row.EarlyTile | row.EarlyGroup},
			{Args: "*o*J", May: row.EarlyTile | row.EarlyGroup | row.EarlyMcast},
			{Args: "*o*k", May: row.EarlyTile | row.EarlyGroup | row.EarlyHint},
			{Args: "*o*JJ", May: row.EarlyTile | row.EarlyGroup | row.EarlyMcast},
			{Args: "*o*Jk", May: row.EarlyTile | row.EarlyGroup | row.EarlyHint | row.EarlyMcast},
			{Args: "*o*JJk", May: row.EarlyTile | row.EarlyGroup | row.EarlyHint | row.EarlyMcast},
			{Args: "o*", May: row.EarlyTile},
			{Args: "o*k", May: row.EarlyTile | row.EarlyHint},
			{Args: "*F*", May: row.EarlyTile},
			{Args: "*F*k", May: row.EarlyTile | row.EarlyHint},
		},
		Mods: tensorMods, Spaces: bulkSpaces,
		Gates: []row.Gate{
			{V: 80, SM: 90, TargetFirst: true},
			{Name: "$ with destination state space as .shared::cta", V: 86, If: toCTA},
			gHintLast,
		},
		Rules: tensorRules,
		Flags: row.FlagManySpaces | row.FlagVector2,
	},
	{
		Words: []isa.Word{isa.WReduce, isa.WAsync, isa.WBulk}, Name: "cp.reduce.async.bulk",
		Forms: []row.Form{{Types: bulkTypes, Args: "mmu?m", May: eAtom}, {Types: bulkTypes, Args: "mmuk", May: eAtom | row.EarlyHint}},
		Mods:  []isa.Slot{isa.SlotSpace, isa.SlotDone, isa.SlotNoftz, isa.SlotOp}, Spaces: bulkSpaces,
		Gates: []row.Gate{{V: 80, SM: 90, TargetFirst: true}, gHintLast},
		Rules: []row.Rule{{At: isa.NoSlot, Do: bulkCopy}, {At: isa.SlotVec, Do: copyPlaces}, {At: isa.SlotCmp, Do: needOp}},
		Flags: row.FlagManySpaces | row.FlagPredVoid,
	},
	{
		Words: []isa.Word{isa.WReduce, isa.WAsync, isa.WBulk, isa.WTensor}, Name: "cp.reduce.async.bulk.tensor",
		Forms: []row.Form{{Args: "o*", May: row.EarlyTile | eAtom}, {Args: "o*k", May: row.EarlyTile | eAtom | row.EarlyHint}},
		Mods:  []isa.Slot{isa.SlotSpace, isa.SlotDone, isa.SlotDim, isa.SlotOp}, Spaces: bulkSpaces,
		Gates: []row.Gate{{V: 80, SM: 90, TargetFirst: true}, gHintLast},
		Rules: tensorRules,
		Flags: row.FlagManySpaces | row.FlagVector2,
	},
}}

// gPrefCopy is gPref behind the spaces.
var gPrefCopy = row.Gate{At: isa.SlotSpace, Name: "cache prefetching", V: 74, SM: 75, If: hasPref, TargetFirst: true}

// gHintLast is gHint where the reference looks at it last.
var gHintLast = row.Gate{At: isa.SlotAsync, Name: ".L2::cache_hint", V: 74, SM: 80, TargetFirst: true, W: isa.WL2CacheHint, Mod: true, ModV: true}

var gMcast = row.Gate{Name: ".multicast::cluster", V: 80, SM: 90, W: isa.WMulticastCluster, Mod: true, ModV: true, TargetFirst: true}

func mcastGate(c *row.Checker) { c.Gate(&gMcast) }

func ignoreSrc(c *row.Checker) bool {
	a := c.In.Args
	return len(a) > 3 && (a[3].Type == isa.Pred)
}

func toCTA(c *row.Checker) bool { return c.In.NSpace > 1 && c.In.Spaces[0] == isa.SpaceSharedCTA }
func toCluster(c *row.Checker) bool {
	return c.In.NSpace > 0 && c.In.Spaces[0] == isa.SpaceSharedCluster
}

// cpSpaces: cp.async copies from global to shared memory.
func cpSpaces(c *row.Checker) {
	in := c.In
	if in.NSpace != 2 {
		return
	}
	if in.Spaces[0].Base() != isa.SpaceShared {
		c.Errorf("State space incorrect for instruction 'cp.async'")
	}
	if in.Spaces[1] != isa.SpaceGlobal {
		c.Errorf("State space incorrect for instruction 'cp.async'")
	}
	for i, s := range in.Spaces[:2] {
		if o := &in.Args[i]; o.Kind == isa.KAddr && o.Base == isa.KSymbol && o.Space.Base() != s.Base() {
			c.Errorf("State space mismatch between instruction and address in instruction 'cp.async'")
			return
		}
	}
}

// cpCop: through both caches or the second level only.
func cpCop(c *row.Checker) {
	if w := c.In.Mod(isa.SlotCop); w != isa.WNone && w != isa.WCa && w != isa.WCg {
		c.Illegal("." + w.String())
	}
}

// cpSize: 4, 8 or 16 bytes, past the first level only 16.
func cpSize(c *row.Checker) {
	o := &c.In.Args[2]
	v := o.Value
	switch {
	case c.In.Mod(isa.SlotCop) == isa.WCg && v != 16:
		c.Errorf("Argument 2 of instruction 'cp.async': unexpected value '%d', expected to be 16", v)
	case v != 4 && v != 8 && v != 16:
		c.Errorf("Argument 2 of instruction 'cp.async': unexpected value '%d', expected to be 4 or 8 or 16", v)
	}
	if len(c.In.Args) > 3 && c.In.Args[3].Kind == isa.KInt && (c.In.Args[3].Value < 0 || c.In.Args[3].Value > v) {
		c.Errorf("Argument 3 of instruction 'cp.async': value '%d' out of range, expected to be in range [0..%d]", c.In.Args[3].Value, v)
	}
}

// bulkCopy looks at what belongs to bulk copies and reductions alone. Where
// the spaces are wrong nothing else is.
func bulkCopy(c *row.Checker) {
	if !bulkPlaces(c) {
		c.Errorf("State space incorrect for instruction '%s'", c.Row.Name)
		return
	}
	if c.In.Mods[0] == isa.WReduce {
		reduceOp(c)
	} else if c.In.Has(isa.SlotMask) && !toGlobal(c) {
		illegalWith(c, isa.WCpMask)
	}
	bulkDone(c)
	mcastFits(c)
	if c.In.Mods[0] == isa.WReduce {
		reduceNoftz(c)
		if toCluster(c) && c.In.Early&row.EarlyHint != 0 {
			illegalWith(c, isa.WL2CacheHint)
		}
	}
	bulkArgs(c)
	bulkSize(c)
}

// illegalWith refuses a word for the spaces an instruction names.
func illegalWith(c *row.Checker, w isa.Word) {
	c.Errorf("Illegal modifier '.%s' for instruction '%s' with '%s%s'", w, c.Row.Name, c.In.Spaces[0], c.In.Spaces[1])
}

// mcastFits: what goes to several CTAs comes from global memory.
func mcastFits(c *row.Checker) {
	if c.HasWord(isa.WMulticastCluster) && !(toCluster(c) && c.In.Spaces[1] == isa.SpaceGlobal) && !(c.Row.Takes(isa.SlotDim) && toGlobal(c)) {
		illegalWith(c, isa.WMulticastCluster)
	}
}

// bulkPlaces: from global to shared memory, back, or between the shared
// memories of a cluster.
func bulkPlaces(c *row.Checker) bool {
	in := c.In
	if in.NSpace < 2 {
		return false
	}
	d, s := in.Spaces[0], in.Spaces[1]
	ok := d == isa.SpaceGlobal && s == isa.SpaceSharedCTA || d == isa.SpaceSharedCluster && (s == isa.SpaceGlobal || s == isa.SpaceSharedCTA) ||
		d == isa.SpaceSharedCTA && s == isa.SpaceGlobal
	return ok && (in.Mods[0] != isa.WReduce || s == isa.SpaceSharedCTA)
}

// bulkDone: copies to global memory form groups, others complete on a
// barrier.
func bulkDone(c *row.Checker) {
	in := c.In
	if in.NSpace < 2 {
		return
	}
	w := in.Mod(isa.SlotDone)
	want := isa.WMbarrierCompleteTxBytes
	if in.Spaces[0] == isa.SpaceGlobal {
		want = isa.WBulkGroup
	}
	switch {
	case w == isa.WNone:
		c.Errorf(".completion_mechanism modifier required for instruction '%s'", c.Row.Name)
	case w != want:
		c.Illegal("." + row.Spelled(w))
	}
}

// bulkArgs: a barrier unless the copy is to global memory, then the mask of
// a multicast, a cache policy. A byte mask counts in copies to global memory
// only, and may be missing where nothing else is.
func bulkArgs(c *row.Checker) {
	in := c.In
	n, want := len(in.Args)-3, 0
	if !toGlobal(c) {
		want++
	}
	if in.Early&row.EarlyMcast != 0 {
		want++
	}
	if in.Early&row.EarlyHint != 0 && !(in.Mods[0] == isa.WReduce && toCluster(c)) {
		want++
	}
	if in.Has(isa.SlotMask) && toGlobal(c) && (n > 0 || want > 0) {
		want++
	}
	if n != want || in.Mods[0] == isa.WReduce && toCluster(c) && in.Early&row.EarlyHint != 0 {
		c.Errorf("Arguments mismatch for instruction '%s'", c.Row.Name)
	}
}

// maxBulk is the largest bulk copy: a little less than a megabyte.
const maxBulk = 1<<20 - 16

// mcastAdvice: multicast is fast on some targets only.
func mcastAdvice(c *row.Checker) {
	if c.HasWord(isa.WMulticastCluster) && c.Bit&(target.On90a|target.OnF100) == 0 {
		c.Say(diag.Warning, "Advisory: '.multicast::cluster' modifier on instruction 'cp.async.bulk{.tensor}' should be used on .target 'sm_90a/sm_100a/sm_100f/sm_103a/sm_103f/sm_110a/sm_110f' instead of .target '%s' as this feature is expected to have substantially reduced performance on some future architectures", c.Ctx.Target)
	}
}

// bulkSize: bulk copies move whole 16 bytes.
func bulkSize(c *row.Checker) {
	o := &c.In.Args[2]
	if o.Kind != isa.KInt {
		return
	}
	if o.Value%16 != 0 {
		c.Errorf("Argument 2 of instruction '%s': unexpected value '%d', expected to be multiple of 16", c.Row.Name, uint32(o.Value))
	}
	if o.Value < 0 || o.Value > maxBulk {
		c.Errorf("Argument 2 of instruction '%s': value '%d' out of range, expected to be in range [0..%d]", c.Row.Name, o.Value, maxBulk)
	}
}

// hintNowhere: a cache policy is for a space that is named.
func hintNowhere(c *row.Checker) {
	if c.In.NSpace == 0 && c.In.Early&row.EarlyHint != 0 {
		c.Errorf("Modifier '.L2::cache_hint' cannot be applied to '' space for instruction '%s'", c.Row.Name)
	}
}

// needLevel: bulk prefetches name the cache.
func needLevel(c *row.Checker) {
	if !c.In.Has(isa.SlotLevel) {
		c.Errorf(".level modifier required for instruction '%s'", c.Row.Name)
	}
}

// bulkMask: a byte mask comes with an operand, the last one. A constant fits the
// form with a cache policy there, too.
func bulkMask(c *row.Checker) {
	if !c.In.Has(isa.SlotMask) {
		return
	}
	f, last := c.Form.Args, len(c.In.Args)-1
	own := c.Letter(last) == 'J' && f[len(f)-1] == 'J' && f[3] != 'm'
	if constant := f == "mmuk" && c.In.Args[last].Kind == isa.KInt && c.In.Early&row.EarlyHint == 0; !own && !constant {
		c.Illegal(".cp_mask")
	}
}

// tensorOp: a reduction names its operation.
func tensorOp(c *row.Checker) {
	if !c.Row.Takes(isa.SlotOp) {
		return
	}
	switch c.In.Mod(isa.SlotOp) {
	case isa.WNone:
		c.Errorf("Reduction operation is required for instruction '%s'", c.Row.Name)
	case isa.WCas, isa.WExch, isa.WPopc:
		c.Errorf("Illegal reduction operation for instruction '%s'", c.Row.Name)
	}
}

func tensorNeedsOp(c *row.Checker) {
	if c.Row.Takes(isa.SlotOp) {
		needOp(c)
	}
}

// reduction returns the types of the operation: those of sums, of extremes
// and of counters, or those of logic. It complains about other operations.
func reduction(c *row.Checker, sum, extreme, count row.TypeSet) (ok row.TypeSet) {
	switch c.In.Mod(isa.SlotOp) {
	case isa.WNone:
		c.Errorf("Reduction operation is required for instruction '%s'", c.Row.Name)
		return 0
	case isa.WAdd:
		ok = sum
	case isa.WMin, isa.WMax:
		ok = extreme
	case isa.WInc, isa.WDec:
		ok = count
	case isa.WAnd, isa.WOr, isa.WXor:
		ok = row.B32 | row.B64
	}
	if ok == 0 {
		c.Errorf("Illegal reduction operation for instruction '%s'", c.Row.Name)
	}
	return ok
}

// reduceOp: which operations go with which types.
func reduceOp(c *row.Checker) {
	w, t := c.In.Mod(isa.SlotOp), c.In.Types[0]
	ok := reduction(c, row.Int32|row.U64|row.F32|row.F64|row.Half, row.Int32|row.Int64|row.Half, row.U32)
	if ok == 0 {
		return
	}
	if !ok.Has(t) {
		c.Errorf("Incorrect type '%s' for operation '.%s' in instruction '%s'", t, w, c.Row.Name)
	}
	if toCluster(c) && !(row.Int32 | row.B32).Has(t) && !(t == isa.U64 && w == isa.WAdd) {
		c.Errorf("Illegal reduction operation for instruction '%s.shared::cluster.shared::cta%s'", c.Row.Name, t)
	}
}

// reduceNoftz: sums of halves keep subnormals and say so.
func reduceNoftz(c *row.Checker) {
	in := c.In
	t := in.Types[0]
	sum := row.Half.Has(t) && in.Early&row.EarlyAdd != 0
	switch {
	case sum && !in.Has(isa.SlotNoftz):
		c.Errorf("Modifier '.noftz' required for instruction '%s' with type '%s' and operation '.add'", c.Row.Name, t)
	case !sum && in.Has(isa.SlotNoftz):
		c.Illegal(".noftz")
	}
}
