package isa

import (
	"github.com/goptxas/goptxas/internal/engine/diag"
	"github.com/goptxas/goptxas/internal/target"
)

// Barriers, votes and shuffles, fences and memory barriers.

var (
	barForms    = []Form{{Args: "u?u", May: eSync}}
	arriveForms = []Form{{Args: "uu"}}
	barRed      = []Form{
		{Types: []TypeSet{tU32 | tPred}, Args: "dup", May: eBool | ePopc | eRed},
		{Types: []TypeSet{tU32 | tPred}, Args: "duup", May: eBool | ePopc | eRed},
	}
	barRules    = []Rule{{SlotAligned, barSync}, {SlotRead, barNumber}}
	arriveRules = []Rule{{SlotRead, barNumber}}
	redRules    = []Rule{{SlotCmp, barRedOp}, {SlotRead, barNumber}}
	aligned     = []Slot{SlotAligned}
)

var opBar = Op{Rows: []Row{
	{Name: "bar", Forms: barForms, Rules: barRules},
	{Words: []Word{WArrive}, Name: "bar.arrive", Forms: arriveForms, Rules: arriveRules, Gates: []Gate{{V: 20, SM: 20, Inst: true}}},
	{Words: []Word{WRed}, Name: "bar.red", Forms: barRed, Mods: []Slot{SlotOp}, Rules: redRules, Gates: []Gate{{V: 20, SM: 20, Inst: true}}},
	{Words: []Word{WCta}, Name: "bar.cta", Forms: barForms, Rules: barRules, Gates: []Gate{{V: 78, SM: 20, Inst: true}}},
	{Words: []Word{WCta, WArrive}, Name: "bar.cta.arrive", Forms: arriveForms, Rules: arriveRules, Gates: []Gate{{V: 78, SM: 20, Inst: true}}},
	{Words: []Word{WCta, WRed}, Name: "bar.cta.red", Forms: barRed, Mods: []Slot{SlotOp}, Rules: redRules, Gates: []Gate{{V: 78, SM: 20, Inst: true}}},
	{Words: []Word{WWarp}, Name: "bar.warp", Forms: []Form{{Args: "v", May: eSync}}, Rules: []Rule{{SlotRead, needSync}}, Gates: []Gate{{V: 60, SM: 30, Inst: true, VersionFirst: true}}},
}}

var opBarrier = Op{Rows: []Row{
	{Name: "barrier", Forms: barForms, Mods: aligned, Rules: barRules, Gates: []Gate{{V: 60, SM: 30, Inst: true}}},
	{Words: []Word{WArrive}, Name: "barrier.arrive", Forms: arriveForms, Mods: aligned, Rules: arriveRules, Gates: []Gate{{V: 60, SM: 30, Inst: true}}},
	{Words: []Word{WRed}, Name: "barrier.red", Forms: barRed, Mods: []Slot{SlotAligned, SlotOp}, Rules: redRules, Gates: []Gate{{V: 60, SM: 30, Inst: true}}},
	{Words: []Word{WCta}, Name: "barrier.cta", Forms: barForms, Mods: aligned, Rules: barRules, Gates: []Gate{{V: 78, SM: 30, Inst: true}}},
	{Words: []Word{WCta, WArrive}, Name: "barrier.cta.arrive", Forms: arriveForms, Mods: aligned, Rules: arriveRules, Gates: []Gate{{V: 78, SM: 30, Inst: true}}},
	{Words: []Word{WCta, WRed}, Name: "barrier.cta.red", Forms: barRed, Mods: []Slot{SlotAligned, SlotOp}, Rules: redRules, Gates: []Gate{{V: 78, SM: 30, Inst: true}}},
	{
		Words: []Word{WCluster, WArrive}, Name: "barrier.cluster.arrive", Forms: []Form{{Args: ""}},
		Mods: []Slot{SlotAligned, SlotSem}, Gates: []Gate{{V: 78, SM: 90}}, Rules: []Rule{{SlotScope, clusterArriveSem}},
	},
	{
		Words: []Word{WCluster, WWait}, Name: "barrier.cluster.wait", Forms: []Form{{Args: ""}},
		Mods: []Slot{SlotAligned, SlotSem}, Gates: []Gate{{V: 78, SM: 90}}, Rules: []Rule{{SlotScope, clusterWaitSem}},
	},
}}

// barSync: without .arrive or .red a barrier is .sync, and says so.
func barSync(c *checker) {
	if c.in.early&eSync == 0 {
		c.errorf("Barrier modifier required for instruction '%s'", c.row.Name)
	}
}

// barNumber: there are sixteen barriers, and they count whole warps.
func barNumber(c *checker) {
	args := c.in.Args
	i := 0
	if c.row.Forms[0].Args[0] == 'd' {
		i = 1
	}
	if i < len(args) && args[i].Kind == KInt && uint64(args[i].Value) > 15 {
		c.errorf("Barrier number '%d' out of range, expected to be in range [0..15]", uint64(args[i].Value))
	}
	if i++; i < len(args) && args[i].Kind == KInt && args[i].Value%32 != 0 {
		c.errorf("Number of threads participating in barrier must be in multiple of warp size")
	}
}

// barRedOp: .and and .or give predicates, .popc a count.
func barRedOp(c *checker) {
	in := c.in
	pred := in.Types[0] == Pred
	w := in.Mod(SlotOp)
	switch w {
	case WAnd, WOr:
		if !pred {
			c.errorf("Operation requires .pred type")
		}
	case WPopc:
		if pred {
			c.errorf("Operation requires .u32 type")
		}
	default:
		c.errorf("Illegal reduction operation for instruction '%s%s'", c.row.Name, in.Types[0])
		if w == WNone {
			c.errorf("Reduction operation is required for instruction '%s'", c.row.Name)
		}
	}
}

// clusterArriveSem and clusterWaitSem: the orders of cluster barriers came
// with PTX 8.0.
func clusterArriveSem(c *checker) { c.orderOn(80, 0, WRelease, WRelaxed) }
func clusterWaitSem(c *checker)   { c.orderOn(80, 0, WAcquire) }

// orderOn complains about a memory order that the operation does not have
// at all, or not yet.
func (c *checker) orderOn(v Version, sm int, allowed ...Word) {
	w := c.in.Mod(SlotSem)
	if w == WNone {
		return
	}
	for _, a := range allowed {
		if a == w {
			if c.ctx.SM < sm {
				c.errorf("Modifier '.%s' on '%s' requires .target sm_%d or higher", w, c.row.Name, sm)
			}
			if c.ctx.Version < v {
				c.errorf("Modifier '.%s' on '%s' requires PTX ISA .version %s or later", w, c.row.Name, v)
			}
			return
		}
	}
	c.illegal("." + w.String())
}

var opVote = Op{Rows: []Row{{
	Name: "vote",
	Forms: []Form{
		{Types: []TypeSet{tPred}, Args: "qp"},
		{Types: []TypeSet{tB32}, Args: "Np"},
		{Types: []TypeSet{tPred}, Args: "qpu", May: eSync},
		{Types: []TypeSet{tB32}, Args: "Npu", May: eSync},
	},
	Mods: []Slot{SlotAll, SlotUni, SlotVote},
	Gates: []Gate{
		{Name: "vote.sync", V: 60, SM: 30, Inst: true, VersionFirst: true, If: hasSync},
		{At: SlotRead, Name: "vote.ballot", V: 20, SM: 20, Inst: true, VersionFirst: true, If: voteBallot},
		{At: SlotRead, Name: "1.2", V: 12, If: noSync},
		{At: SlotRead, SM: 12, Inst: true, If: noSync},
	},
	Rules: []Rule{{NoSlot, oldNoSync}, {SlotVote, voteMode}},
}}}

var opShfl = Op{Rows: []Row{{
	Name: "shfl",
	Forms: []Form{
		{Types: []TypeSet{tB32}, Args: "davv"},
		{Types: []TypeSet{tB32}, Args: "davvu", May: eSync},
	},
	Mods: []Slot{SlotShuffle, SlotDown},
	Gates: []Gate{
		{At: SlotRead, SM: 30, Inst: true},
		{At: SlotRead, V: 30, If: noSync},
		{At: SlotRead, Name: "shfl.sync", V: 60, If: hasSync},
	},
	Rules: []Rule{{SlotShuffle, shflMode}, {SlotShuffle, oldNoSync}},
	Flags: fPair,
}}}

func hasSync(c *checker) bool    { return c.in.early&eSync != 0 }
func noSync(c *checker) bool     { return c.in.early&eSync == 0 }
func voteBallot(c *checker) bool { return noSync(c) && c.in.Has(SlotVote) }

// oldNoSync: votes and shuffles without .sync assume that a warp runs in
// step, which it does no longer from sm_70 on.
func oldNoSync(c *checker) {
	if hasSync(c) {
		return
	}
	if c.form.May&eSync != 0 {
		c.errorf(".sync modifier required for instruction '%s'", c.row.Name)
	}
	switch {
	case !c.lacks(64, 70):
		c.errorf("Instruction '%s' without '.sync' is not supported on .target sm_70 and higher from PTX ISA version 6.4", c.row.Name)
		return
	case voteBallot(c) && (c.ctx.Version == 60 || c.ctx.Version == 61): // the reference forgets it
		return
	}
	c.say(diag.Warning, "Instruction '%s' without '.sync' may produce unpredictable results on sm_70 and later architectures", c.row.Name)
	if c.ctx.Version >= 60 {
		c.say(diag.Warning, "Instruction '%s' without '.sync' is deprecated since PTX ISA version 6.0 and will be discontinued in a future PTX ISA version", c.row.Name)
	}
}

// shflMode: a shuffle says which way.
func shflMode(c *checker) {
	up, down := c.in.Has(SlotShuffle), c.in.Has(SlotDown)
	switch {
	case !up && !down:
		c.errorf("Shuffle modifier required for instruction 'shfl'")
	case up && down:
		c.errorf("Multiple shuffle modifiers specified")
	}
}

// membarProxy: a proxy fence names its proxy.
func membarProxy(c *checker) {
	in := c.in
	if in.Has(SlotSpace) {
		c.errorf("State space incorrect for instruction '%s'", c.row.Name)
	}
	if !in.Has(SlotProxy) && !in.Has(SlotAlias) && !in.Has(SlotAsync) {
		c.errorf(".proxykind modifier required for instruction '%s'", c.row.Name)
	}
}

// voteMode: .all, .any and .uni give predicates, .ballot gives bits.
func voteMode(c *checker) {
	in := c.in
	if !in.Has(SlotAll) && !in.Has(SlotUni) && !in.Has(SlotVote) {
		c.errorf(".mode modifier required for instruction 'vote'")
		return
	}
	if in.Has(SlotVote) != (in.Types[0] == B32) {
		c.errorf("Unexpected instruction types specified for 'vote'")
	}
}

var opMatch = Op{Rows: []Row{{
	Name: "match", Forms: []Form{{Types: []TypeSet{tB32 | tB64}, Args: "nau", May: eSync}},
	Mods: []Slot{SlotAll}, Need: []Slot{SlotAll},
	Gates: []Gate{{V: 60, SM: 70, Inst: true, VersionFirst: true}},
	Rules: []Rule{{SlotRead, needSync}},
	Flags: fPair,
}}}

var opRedux = Op{Rows: []Row{{
	Name: "redux",
	Forms: []Form{
		{Types: []TypeSet{tInt32 | tB32}, Args: "dau", May: eSync | eRed | eBool},
		{Types: []TypeSet{tF32}, Args: "dau", May: eSync | eRed | eBool, Mods: []Slot{SlotNaN, SlotAbs}},
	},
	Mods: []Slot{SlotOp},
	Gates: []Gate{
		{V: 70, SM: 80, TargetFirst: true, If: notF32},
		{Name: "redux.f32", V: 86, Only: target.On100a | target.On100f | target.On103a | target.On103f, T: tF32, Inst: true, TargetFirst: true},
	},
	Rules: []Rule{{SlotCmp, reduxOp}, {SlotNaN, reduxF32}, {SlotRead, needSync}},
}}}

func notF32(c *checker) bool { return c.in.Types[0] != F32 }

// reduxOp: which reductions go with which types.
func reduxOp(c *checker) {
	in := c.in
	w := in.Mod(SlotOp)
	var ok TypeSet
	switch w {
	case WNone:
		c.errorf("Reduction operation is required for instruction 'redux'")
		return
	case WAdd:
		ok = tInt32
	case WMin, WMax:
		ok = tInt32 | tF32
	case WAnd, WOr, WXor:
		ok = tB32
	default:
		c.errorf("Illegal reduction operation for instruction 'redux%s'", in.Types[0])
		return
	}
	if !ok.has(in.Types[0]) {
		c.errorf("Incorrect type '%s' for operation '.%s' in instruction 'redux'", in.Types[0], w)
	}
}

// reduxF32: .NaN and .abs are for floats.
func reduxF32(c *checker) {
	in := c.in
	for _, s := range [...]Slot{SlotNaN, SlotAbs} {
		if in.Has(s) && in.Types[0] != F32 {
			c.errorf("Instruction 'redux' requires '.f32' type with '.%s' modifier.", in.Mod(s))
		}
	}
}

var opElect = Op{Rows: []Row{{
	Name: "elect", Forms: []Form{{Args: "Nv", May: eSync}},
	Gates: []Gate{{V: 80, SM: 90}},
	Rules: []Rule{{SlotRead, needSync}},
	Flags: fPairMust | fSink,
}}}

var opActivemask = Op{Rows: []Row{{Name: "activemask", Forms: []Form{{Types: []TypeSet{tB32}, Args: "d"}}, Gates: []Gate{{V: 62, SM: 30}}}}}

var opGriddepcontrol = Op{Rows: []Row{{
	Name: "griddepcontrol", Forms: []Form{{Args: ""}},
	Mods: []Slot{SlotGrid}, Need: []Slot{SlotGrid}, Gates: []Gate{{V: 78, SM: 90, Inst: true, VersionFirst: true}},
}}}

var opMembar = Op{Rows: []Row{
	{
		Name: "membar", Forms: []Form{{Args: ""}}, Mods: []Slot{SlotScope},
		Gates: []Gate{{V: 14}, {Name: "membar.sys", V: 20, SM: 20, W: WSys, Inst: true, VersionFirst: true}},
		Rules: []Rule{{SlotScope, membarLevel}},
	},
	{
		Words: []Word{WProxy}, Name: "membar.proxy", Forms: []Form{{Args: ""}},
		Mods: []Slot{SlotProxy, SlotAlias}, Rules: []Rule{{NoSlot, membarProxy}}, Gates: []Gate{{V: 75, SM: 60}},
	},
}}

// membarLevel: membar names .cta, .gl or .sys.
func membarLevel(c *checker) {
	switch w := c.in.Mod(SlotScope); w {
	case WNone:
		c.errorf("Membar level required for instruction 'membar'")
	case WGpu, WCluster:
		c.illegal("." + w.String())
	}
}

var fenceMods = []Slot{SlotSem, SlotScope, SlotRestrict, SlotInit}

var opFence = Op{Rows: []Row{
	{
		Name: "fence", Forms: []Form{{Args: ""}}, Mods: fenceMods,
		Gates: []Gate{{Name: "fence instruction", V: 60, SM: 70}, {At: SlotInit, Name: ".mbarrier_init", V: 80, SM: 90, Mod: true, ModV: true, W: WMbarrierInit}},
		Rules: []Rule{{SlotInit, fenceInit}, {SlotScope, fenceScope}, {SlotSem, fenceSem}, {SlotRestrict, fenceRestrict}},
	},
	{
		Words: []Word{WProxy}, Name: "fence.proxy",
		Forms:  []Form{{Args: ""}, {Args: "mi"}},
		Mods:   []Slot{SlotProxy, SlotAlias, SlotAsync, SlotSem, SlotScope, SlotRestrict, SlotSpace},
		Spaces: Spaces{sGlobal | sCTA | sCluster, 0, 1},
		Gates: []Gate{
			{V: 75, SM: 70},
			{Name: "fence.proxy with unidirection proxy fence", V: 83, If: oneWayProxy},
		},
		Rules: []Rule{{NoSlot, proxyTarget}, {NoSlot, proxyKind}, {SlotRead, proxySize}, {SlotSem, proxySem}, {SlotRestrict, proxyRestrict}},
	},
}}

// fenceInit: making a barrier known to the cluster is a release.
func fenceInit(c *checker) {
	in := c.in
	if !in.Has(SlotInit) {
		return
	}
	sem := in.Mod(SlotSem)
	text := ""
	if sem == WNone {
		c.errorf("Modifier '.mbarrier_init' requires modifier 'order'")
	} else {
		text = "." + sem.String()
	}
	if sem != WRelease {
		c.errorf("Modifier '.mbarrier_init' cannot be combined with modifier '%s'", text)
	}
	if w := in.Mod(SlotScope); w != WNone && w != WCluster {
		c.errorf("Modifier '.mbarrier_init' cannot be combined with modifier '.%s'", w)
	}
}

// fenceScope: a fence names a scope.
func fenceScope(c *checker) {
	if !c.in.Has(SlotScope) {
		c.errorf("Scope modifier required for instruction 'fence'")
	}
	if c.in.Mod(SlotScope) == WGl {
		c.illegal(".gl")
	}
}

// fenceSem: without an order a fence is .acq_rel.
func fenceSem(c *checker) {
	in := c.in
	w := in.Mod(SlotSem)
	if w == WNone {
		w = WAcqRel
	}
	switch w {
	case WRelaxed, WVolatile, WWeak:
		c.illegal("." + w.String())
	}
	if !in.Has(SlotScope) {
		c.errorf("Modifier '.%s' requires scope with 'fence' instruction", w)
	}
}

func oneWayProxy(c *checker) bool {
	w := c.in.Mod(SlotProxy)
	return w == WTensormapGeneric || w == WAsyncGeneric
}

func proxyTarget(c *checker) {
	if oneWayProxy(c) && c.lacks(0, 90) {
		c.errorf("Instruction 'fence.proxy with unidirection proxy fence' not supported on .target '%s'", c.ctx.Target)
	}
}

// proxyKind: a proxy fence names its proxy.
func proxyKind(c *checker) {
	if !c.in.Has(SlotProxy) && !c.in.Has(SlotAsync) && !c.in.Has(SlotAlias) {
		c.errorf(".proxykind modifier required for instruction 'fence.proxy'")
	}
}

// proxySize: a tensor map has 128 bytes.
func proxySize(c *checker) {
	if len(c.in.Args) == 2 && c.in.Args[1].Value != 128 {
		c.errorf("Argument 1 of instruction 'fence.proxy': unexpected value '%d', expected to be 128", c.in.Args[1].Value)
	}
}

// proxySem: fences from one proxy to another acquire or release; only the
// acquiring one of tensor maps has operands.
func proxySem(c *checker) {
	in := c.in
	w := in.Mod(SlotSem)
	if !oneWayProxy(c) {
		if w != WNone {
			c.illegal("." + w.String())
		}
		return
	}
	if w != WAcquire && w != WRelease && w != WNone {
		c.illegal("." + w.String())
	}
	if w != WNone && !in.Has(SlotScope) {
		c.errorf("Modifier '.%s' requires scope with 'fence.proxy' instruction", w)
	}
}
