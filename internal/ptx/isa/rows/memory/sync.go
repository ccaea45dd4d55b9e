package memory

import (
	"github.com/goptxas/goptxas/internal/engine/diag"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/isa/row"
	"github.com/goptxas/goptxas/internal/target"
)

// Barriers, votes and shuffles, fences and memory barriers.

var (
	barForms    = []row.Form{{Args: "u?u", May: row.EarlySync}}
	arriveForms = []row.Form{{Args: "uu"}}
	barRed      = []row.Form{
		{Types: []row.TypeSet{row.U32 | row.Pred}, Args: "dup", May: row.EarlyBool | row.EarlyPopc | row.EarlyRed},
		{Types: []row.TypeSet{row.U32 | row.Pred}, Args: "duup", May: row.EarlyBool | row.EarlyPopc | row.EarlyRed},
	}
	barRules    = []row.Rule{{At: isa.SlotAligned, Do: barSync}, {At: isa.SlotRead, Do: barNumber}}
	arriveRules = []row.Rule{{At: isa.SlotRead, Do: arriveCount}, {At: isa.SlotRead, Do: barNumber}}
	redRules    = []row.Rule{{At: isa.SlotCmp, Do: barRedOp}, {At: isa.SlotRead, Do: barNumber}}
	aligned     = []isa.Slot{isa.SlotAligned}
)

var Bar = row.Op{Rows: []row.Row{
	{Name: "bar", Forms: barForms, Rules: barRules},
	{Words: []isa.Word{isa.WArrive}, Name: "bar.arrive", Forms: arriveForms, Rules: arriveRules, Gates: []row.Gate{{V: 20, SM: 20, Inst: true}}},
	{Words: []isa.Word{isa.WRed}, Name: "bar.red", Forms: barRed, Mods: []isa.Slot{isa.SlotOp}, Rules: redRules, Gates: []row.Gate{{V: 20, SM: 20, Inst: true}}},
	{Words: []isa.Word{isa.WCta}, Name: "bar.cta", Forms: barForms, Rules: barRules, Gates: []row.Gate{{V: 78, SM: 20, Inst: true, W: isa.WSync}}},
	{Words: []isa.Word{isa.WCta, isa.WArrive}, Name: "bar.cta.arrive", Forms: arriveForms, Rules: arriveRules, Gates: []row.Gate{{V: 78, SM: 20, Inst: true}}},
	{Words: []isa.Word{isa.WCta, isa.WRed}, Name: "bar.cta.red", Forms: barRed, Mods: []isa.Slot{isa.SlotOp}, Rules: redRules, Gates: []row.Gate{{V: 78, SM: 20, Inst: true}}},
	{Words: []isa.Word{isa.WWarp}, Name: "bar.warp", Forms: []row.Form{{Args: "v", May: row.EarlySync}}, Rules: []row.Rule{{At: isa.SlotNocomp, Do: row.NeedSync}}, Gates: []row.Gate{{V: 60, SM: 30, Inst: true, VersionFirst: true}}},
}}

var Barrier = row.Op{Rows: []row.Row{
	{Name: "barrier", Forms: barForms, Mods: aligned, Rules: barRules, Gates: []row.Gate{{V: 60, SM: 30, Inst: true}}},
	{Words: []isa.Word{isa.WArrive}, Name: "barrier.arrive", Forms: arriveForms, Mods: aligned, Rules: arriveRules, Gates: []row.Gate{{V: 60, SM: 30, Inst: true}}},
	{Words: []isa.Word{isa.WRed}, Name: "barrier.red", Forms: barRed, Mods: []isa.Slot{isa.SlotAligned, isa.SlotOp}, Rules: redRules, Gates: []row.Gate{{V: 60, SM: 30, Inst: true}}},
	{Words: []isa.Word{isa.WCta}, Name: "barrier.cta", Forms: barForms, Mods: aligned, Rules: barRules, Gates: []row.Gate{{V: 78, SM: 30, Inst: true}}},
	{Words: []isa.Word{isa.WCta, isa.WArrive}, Name: "barrier.cta.arrive", Forms: arriveForms, Mods: aligned, Rules: arriveRules, Gates: []row.Gate{{V: 78, SM: 30, Inst: true}}},
	{Words: []isa.Word{isa.WCta, isa.WRed}, Name: "barrier.cta.red", Forms: barRed, Mods: []isa.Slot{isa.SlotAligned, isa.SlotOp}, Rules: redRules, Gates: []row.Gate{{V: 78, SM: 30, Inst: true}}},
	{
		Words: []isa.Word{isa.WCluster, isa.WArrive}, Name: "barrier.cluster.arrive", Forms: []row.Form{{Args: ""}},
		Mods: []isa.Slot{isa.SlotAligned, isa.SlotSem}, Gates: []row.Gate{{V: 78, SM: 90}}, Rules: []row.Rule{{At: isa.SlotScope, Do: clusterArriveSem}},
	},
	{
		Words: []isa.Word{isa.WCluster, isa.WWait}, Name: "barrier.cluster.wait", Forms: []row.Form{{Args: ""}},
		Mods: []isa.Slot{isa.SlotAligned, isa.SlotSem}, Gates: []row.Gate{{V: 78, SM: 90}}, Rules: []row.Rule{{At: isa.SlotScope, Do: clusterWaitSem}},
	},
}}

// arriveCount: who does not wait says how many are waited for.
func arriveCount(c *row.Checker) {
	if o := &c.In.Args[1]; o.Kind == isa.KInt && o.Value == 0 {
		c.Errorf("Instruction '%s' requires a non-zero thread count argument", c.Row.Name)
	}
}

// barSync: without .arrive or .red a barrier is .sync, and says so.
func barSync(c *row.Checker) {
	if c.In.Early&row.EarlySync == 0 {
		c.Errorf("Barrier modifier required for instruction '%s'", c.Row.Name)
	}
}

// barNumber: there are sixteen barriers, and they count whole warps.
func barNumber(c *row.Checker) {
	args := c.In.Args
	i := 0
	if c.Row.Forms[0].Args[0] == 'd' {
		i = 1
	}
	if i < len(args) && args[i].Kind == isa.KInt && uint64(args[i].Value) > 15 {
		c.Errorf("Barrier number '%d' out of range, expected to be in range [0..15]", uint64(args[i].Value))
	}
	if i++; i < len(args) && args[i].Kind == isa.KInt && args[i].Value%32 != 0 {
		c.Errorf("Number of threads participating in barrier must be in multiple of warp size")
	}
}

// barRedOp: .and and .or give predicates, .popc a count.
func barRedOp(c *row.Checker) {
	in := c.In
	pred := in.Types[0] == isa.Pred
	w := in.Mod(isa.SlotOp)
	switch w {
	case isa.WAnd, isa.WOr:
		if !pred {
			c.Errorf("Operation requires .pred type")
		}
	case isa.WPopc:
		if pred {
			c.Errorf("Operation requires .u32 type")
		}
	default:
		c.Errorf("Illegal reduction operation for instruction '%s%s'", c.Row.Name, in.Types[0])
		if w == isa.WNone {
			c.Errorf("Reduction operation is required for instruction '%s'", c.Row.Name)
		}
	}
}

// clusterArriveSem and clusterWaitSem: the orders of cluster barriers came
// with PTX 8.0.
func clusterArriveSem(c *row.Checker) { orderOn(c, 80, 0, isa.WRelease, isa.WRelaxed) }
func clusterWaitSem(c *row.Checker)   { orderOn(c, 80, 0, isa.WAcquire) }

// orderOn complains about a memory order that the operation does not have
// at all, or not yet.
func orderOn(c *row.Checker, v isa.Version, sm int, allowed ...isa.Word) {
	w := c.In.Mod(isa.SlotSem)
	if w == isa.WNone {
		return
	}
	for _, a := range allowed {
		if a == w {
			if c.Ctx.SM < sm {
				c.Errorf("Modifier '.%s' on '%s' requires .target sm_%d or higher", w, c.Row.Name, sm)
			}
			if c.Ctx.Version < v {
				c.Errorf("Modifier '.%s' on '%s' requires PTX ISA .version %s or later", w, c.Row.Name, v)
			}
			return
		}
	}
	c.Illegal("." + w.String())
}

var Vote = row.Op{Rows: []row.Row{{
	Name: "vote",
	Forms: []row.Form{
		{Types: []row.TypeSet{row.Pred}, Args: "qp"},
		{Types: []row.TypeSet{row.B32}, Args: "Np"},
		{Types: []row.TypeSet{row.Pred}, Args: "qpu", May: row.EarlySync},
		{Types: []row.TypeSet{row.B32}, Args: "Npu", May: row.EarlySync},
	},
	Mods: []isa.Slot{isa.SlotAll, isa.SlotUni, isa.SlotVote},
	Gates: []row.Gate{
		{Name: "vote.sync", V: 60, SM: 30, Inst: true, VersionFirst: true, If: hasSync},
		{At: isa.SlotRead, Name: "vote.ballot", V: 20, SM: 20, Inst: true, VersionFirst: true, If: voteBallot},
		{At: isa.SlotRead, Name: "1.2", V: 12, If: noSync},
		{At: isa.SlotRead, SM: 12, Inst: true, If: noSync},
	},
	Rules: []row.Rule{{At: isa.NoSlot, Do: oldNoSync}, {At: isa.SlotVote, Do: voteMode}},
}}}

var Shfl = row.Op{Rows: []row.Row{{
	Name: "shfl",
	Forms: []row.Form{
		{Types: []row.TypeSet{row.B32}, Args: "davv"},
		{Types: []row.TypeSet{row.B32}, Args: "davvu", May: row.EarlySync},
	},
	Mods: []isa.Slot{isa.SlotShuffle, isa.SlotDown},
	Gates: []row.Gate{
		{At: isa.SlotRead, SM: 30, Inst: true},
		{At: isa.SlotRead, V: 30, If: noSync},
		{At: isa.SlotRead, Name: "shfl.sync", V: 60, If: hasSync},
	},
	Rules: []row.Rule{{At: isa.SlotShuffle, Do: shflMode}, {At: isa.SlotShuffle, Do: oldNoSync}},
	Flags: row.FlagPair,
}}}

func hasSync(c *row.Checker) bool    { return c.In.Early&row.EarlySync != 0 }
func noSync(c *row.Checker) bool     { return c.In.Early&row.EarlySync == 0 }
func voteBallot(c *row.Checker) bool { return noSync(c) && c.In.Has(isa.SlotVote) }

// oldNoSync: votes and shuffles without .sync assume that a warp runs in
// step, which it does no longer from sm_70 on.
func oldNoSync(c *row.Checker) {
	if hasSync(c) {
		return
	}
	if c.Form.May&row.EarlySync != 0 {
		c.Errorf(".sync modifier required for instruction '%s'", c.Row.Name)
	}
	switch {
	case !c.Lacks(64, 70):
		c.Errorf("Instruction '%s' without '.sync' is not supported on .target sm_70 and higher from PTX ISA version 6.4", c.Row.Name)
		return
	case voteBallot(c) && (c.Ctx.Version == 60 || c.Ctx.Version == 61): // the reference forgets it
		return
	}
	c.Say(diag.Warning, "Instruction '%s' without '.sync' may produce unpredictable results on sm_70 and later architectures", c.Row.Name)
	if c.Ctx.Version >= 60 {
		c.Say(diag.Warning, "Instruction '%s' without '.sync' is deprecated since PTX ISA version 6.0 and will be discontinued in a future PTX ISA version", c.Row.Name)
	}
}

// shflMode: a shuffle says which way.
func shflMode(c *row.Checker) {
	up, down := c.In.Has(isa.SlotShuffle), c.In.Has(isa.SlotDown)
	switch {
	case !up && !down:
		c.Errorf("Shuffle modifier required for instruction 'shfl'")
	case up && down:
		c.Errorf("Multiple shuffle modifiers specified")
	}
}

// membarProxy: a proxy fence names its proxy.
func membarProxy(c *row.Checker) {
	in := c.In
	if in.Has(isa.SlotSpace) {
		c.Errorf("State space incorrect for instruction '%s'", c.Row.Name)
	}
	if !in.Has(isa.SlotProxy) && !in.Has(isa.SlotAlias) && !in.Has(isa.SlotAsync) {
		c.Errorf(".proxykind modifier required for instruction '%s'", c.Row.Name)
	}
}

// voteMode: .all, .any and .uni give predicates, .ballot gives bits.
func voteMode(c *row.Checker) {
	in := c.In
	if !in.Has(isa.SlotAll) && !in.Has(isa.SlotUni) && !in.Has(isa.SlotVote) {
		c.Errorf(".mode modifier required for instruction 'vote'")
		return
	}
	if in.Has(isa.SlotVote) == (in.Types[0] == isa.B32) {
		return
	}
	want, mode := isa.B32, isa.WBallot
	if !in.Has(isa.SlotVote) {
		want, mode = isa.Pred, in.Mod(isa.SlotAll)
		if mode == isa.WNone {
			mode = isa.WUni
		}
	}
	c.Errorf("Instruction 'vote' requires '%s' type with '.%s' modifier.", want, mode)
}

var Match = row.Op{Rows: []row.Row{{
	Name: "match", Forms: []row.Form{{Types: []row.TypeSet{row.B32 | row.B64}, Args: "nau", May: row.EarlySync}},
	Mods:  []isa.Slot{isa.SlotAll},
	Gates: []row.Gate{{V: 60, SM: 70, Inst: true, VersionFirst: true}},
	Rules: []row.Rule{{At: isa.SlotAll, Do: matchMode}, {At: isa.SlotLayout, Do: matchPair}, {At: isa.SlotNocomp, Do: row.NeedSync}},
	Flags: row.FlagPair,
}}}

// matchMode: any of the others, or all of them.
func matchMode(c *row.Checker) {
	if !c.In.Has(isa.SlotAll) {
		c.Errorf("'.any' or '.all' modifier required for instruction 'match'")
	}
}

// matchPair: only match.all says by a predicate whether all are alike.
func matchPair(c *row.Checker) {
	if row.HasPair(c) && c.In.Mod(isa.SlotAll) == isa.WAny {
		c.Errorf("Predicate output not allowed for instruction 'match.any'")
	}
}

var Redux = row.Op{Rows: []row.Row{{
	Name: "redux",
	Forms: []row.Form{
		{Types: []row.TypeSet{row.Int32 | row.B32}, Args: "dau", May: row.EarlySync | row.EarlyRed | row.EarlyBool},
		{Types: []row.TypeSet{row.F32}, Args: "dau", May: row.EarlySync | row.EarlyRed | row.EarlyBool, Mods: []isa.Slot{isa.SlotNaN, isa.SlotAbs}},
	},
	Mods: []isa.Slot{isa.SlotOp},
	Gates: []row.Gate{
		{V: 70, SM: 80, TargetFirst: true, If: notF32},
		{Name: "redux.f32", V: 86, Only: target.On100a | target.On100f | target.On103a | target.On103f, T: row.F32, Inst: true, TargetFirst: true},
	},
	Rules: []row.Rule{{At: isa.SlotCmp, Do: reduxOp}, {At: isa.SlotNaN, Do: reduxF32}, {At: isa.SlotNocomp, Do: row.NeedSync}},
}}}

func notF32(c *row.Checker) bool { return c.In.Types[0] != isa.F32 }

// reduxOp: which reductions go with which types.
func reduxOp(c *row.Checker) {
	in := c.In
	w := in.Mod(isa.SlotOp)
	var ok row.TypeSet
	switch w {
	case isa.WNone:
		c.Errorf("Reduction operation is required for instruction 'redux'")
		return
	case isa.WAdd:
		ok = row.Int32
	case isa.WMin, isa.WMax:
		ok = row.Int32 | row.F32
	case isa.WAnd, isa.WOr, isa.WXor:
		ok = row.B32
	default:
		c.Errorf("Illegal reduction operation for instruction 'redux%s'", in.Types[0])
		return
	}
	if !ok.Has(in.Types[0]) {
		c.Errorf("Incorrect type '%s' for operation '.%s' in instruction 'redux'", in.Types[0], w)
	}
	if in.Types[0] == isa.B32 && (in.Args[0].Type.IsFloat() || in.Args[1].Type.IsFloat()) { // bits are those of integers here
		c.Errorf("Arguments mismatch for instruction 'redux'")
	}
}

// reduxF32: .NaN and .abs are for floats.
func reduxF32(c *row.Checker) {
	in := c.In
	for _, s := range [...]isa.Slot{isa.SlotNaN, isa.SlotAbs} {
		if in.Has(s) && in.Types[0] != isa.F32 {
			c.Errorf("Instruction 'redux' requires '.f32' type with '.%s' modifier.", in.Mod(s))
		}
	}
}

var Elect = row.Op{Rows: []row.Row{{
	Name: "elect", Forms: []row.Form{{Args: "Nv", May: row.EarlySync}},
	Gates: []row.Gate{{V: 80, SM: 90}},
	Rules: []row.Rule{{At: isa.SlotNocomp, Do: row.NeedSync}},
	Flags: row.FlagPairMust | row.FlagSink,
}}}

var Activemask = row.Op{Rows: []row.Row{{Name: "activemask", Forms: []row.Form{{Types: []row.TypeSet{row.B32}, Args: "d"}}, Gates: []row.Gate{{V: 62, SM: 30}}}}}

var Griddepcontrol = row.Op{Rows: []row.Row{{
	Name: "griddepcontrol", Forms: []row.Form{{Args: ""}},
	Mods: []isa.Slot{isa.SlotGrid}, Need: []isa.Slot{isa.SlotGrid}, Gates: []row.Gate{{V: 78, SM: 90, Inst: true, VersionFirst: true}},
}}}

var Membar = row.Op{Rows: []row.Row{
	{
		Name: "membar", Forms: []row.Form{{Args: ""}}, Mods: []isa.Slot{isa.SlotScope},
		Gates: []row.Gate{{V: 14}, {Name: "membar.sys", V: 20, SM: 20, W: isa.WSys, Inst: true, VersionFirst: true}},
		Rules: []row.Rule{{At: isa.SlotScope, Do: membarLevel}},
	},
	{
		Words: []isa.Word{isa.WProxy}, Name: "membar.proxy", Forms: []row.Form{{Args: ""}},
		Mods: []isa.Slot{isa.SlotProxy, isa.SlotAlias}, Rules: []row.Rule{{At: isa.NoSlot, Do: membarProxy}}, Gates: []row.Gate{{V: 75, SM: 60}},
	},
}}

// membarLevel: membar names .cta, .gl or .sys.
func membarLevel(c *row.Checker) {
	switch w := c.In.Mod(isa.SlotScope); w {
	case isa.WNone:
		c.Errorf("Membar level required for instruction 'membar'")
	case isa.WGpu, isa.WCluster:
		c.Illegal("." + w.String())
	}
}

var fenceMods = []isa.Slot{isa.SlotSem, isa.SlotScope, isa.SlotRestrict, isa.SlotInit}

var Fence = row.Op{Rows: []row.Row{
	{
		Name: "fence", Forms: []row.Form{{Args: ""}}, Mods: fenceMods,
		Gates: []row.Gate{{At: isa.SlotCmp, Name: "fence instruction", V: 60, SM: 70}, {At: isa.SlotInit, Name: ".mbarrier_init", V: 80, SM: 90, Mod: true, ModV: true, W: isa.WMbarrierInit}},
		Rules: []row.Rule{{At: isa.SlotInit, Do: fenceInit}, {At: isa.SlotSem, Do: fenceScope}, {At: isa.SlotSem, Do: fenceSem}, {At: isa.SlotRestrict, Do: fenceRestrict}},
	},
	{
		Words: []isa.Word{isa.WProxy}, Name: "fence.proxy",
		Forms:  []row.Form{{Args: ""}, {Args: "mi"}},
		Mods:   []isa.Slot{isa.SlotProxy, isa.SlotAlias, isa.SlotAsync, isa.SlotSem, isa.SlotScope, isa.SlotRestrict, isa.SlotSpace},
		Spaces: row.Spaces{Set: row.Global | row.SharedCTA | row.SharedCluster, Min: 0, Max: 1},
		Gates: []row.Gate{
			{V: 75, SM: 70, If: bothWaysProxy},
			{Name: "fence.proxy with unidirection proxy fence", V: 83, If: oneWayProxy},
		},
		Rules: []row.Rule{{At: isa.NoSlot, Do: proxyTarget}, {At: isa.NoSlot, Do: proxyKind}, {At: isa.SlotRead, Do: proxySize}, {At: isa.SlotSem, Do: proxySem}, {At: isa.SlotRestrict, Do: proxyRestrict}},
	},
}}

func bothWaysProxy(c *row.Checker) bool { return !oneWayProxy(c) }

// fenceInit: making a barrier known to the cluster is a release.
func fenceInit(c *row.Checker) {
	in := c.In
	if !in.Has(isa.SlotInit) {
		return
	}
	sem := in.Mod(isa.SlotSem)
	text := ""
	if sem == isa.WNone {
		c.Errorf("Modifier '.mbarrier_init' requires modifier 'order'")
	} else {
		text = "." + sem.String()
	}
	if sem != isa.WRelease {
		c.Errorf("Modifier '.mbarrier_init' cannot be combined with modifier '%s'", text)
	}
	if w := in.Mod(isa.SlotScope); w != isa.WNone && w != isa.WCluster {
		c.Errorf("Modifier '.mbarrier_init' cannot be combined with modifier '.%s'", w)
	}
}

// fenceScope: a fence names a scope.
func fenceScope(c *row.Checker) {
	if !c.In.Has(isa.SlotScope) {
		c.Errorf("Scope modifier required for instruction 'fence'")
	}
	if c.In.Mod(isa.SlotScope) == isa.WGl {
		c.Illegal(".gl")
	}
}

// fenceSem: without an order a fence is .acq_rel.
func fenceSem(c *row.Checker) {
	in := c.In
	w := in.Mod(isa.SlotSem)
	if w == isa.WNone {
		w = isa.WAcqRel
	}
	switch w {
	case isa.WRelaxed, isa.WVolatile, isa.WWeak:
		c.Illegal("." + w.String())
	}
	if !in.Has(isa.SlotScope) {
		c.Errorf("Modifier '.%s' requires scope with 'fence' instruction", w)
	}
}

func oneWayProxy(c *row.Checker) bool {
	w := c.In.Mod(isa.SlotProxy)
	return w == isa.WTensormapGeneric || w == isa.WAsyncGeneric
}

func proxyTarget(c *row.Checker) {
	if oneWayProxy(c) && c.Lacks(0, 90) {
		c.Errorf("Instruction 'fence.proxy with unidirection proxy fence' not supported on .target '%s'", c.Ctx.Target)
	}
}

// proxyKind: a proxy fence names its proxy.
func proxyKind(c *row.Checker) {
	if !c.In.Has(isa.SlotProxy) && !c.In.Has(isa.SlotAsync) && !c.In.Has(isa.SlotAlias) {
		c.Errorf(".proxykind modifier required for instruction 'fence.proxy'")
	}
}

// proxySize: a tensor map has 128 bytes.
func proxySize(c *row.Checker) {
	if len(c.In.Args) == 2 && c.In.Args[1].Value != 128 {
		c.Errorf("Argument 1 of instruction 'fence.proxy': unexpected value '%d', expected to be 128", c.In.Args[1].Value)
	}
}

// proxySem: fences from one proxy to another acquire or release; only the
// acquiring one of tensor maps has operands.
func proxySem(c *row.Checker) {
	in := c.In
	w := in.Mod(isa.SlotSem)
	if !oneWayProxy(c) {
		if w != isa.WNone {
			c.Illegal("." + w.String())
		}
		if w := in.Mod(isa.SlotScope); w != isa.WNone {
			c.Illegal("." + w.String())
		}
		return
	}
	if w != isa.WAcquire && w != isa.WRelease && w != isa.WNone {
		c.Illegal("." + w.String())
	}
	if w != isa.WNone && !in.Has(isa.SlotScope) {
		c.Errorf("Modifier '.%s' requires scope with 'fence.proxy' instruction", w)
	}
}
