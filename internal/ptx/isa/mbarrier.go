package isa

import "github.com/goptxas/goptxas/internal/target"

// Barrier objects in shared memory and cluster launch control.

var (
	mbMods   = []Slot{SlotSpace}
	mbSync   = []Slot{SlotSpace, SlotSem, SlotScope}
	mbArrive = []Slot{SlotSpace, SlotSem, SlotScope, SlotNocomp}
	mbSpaces = Spaces{sShared | sCTA, 0, 1}
	mbAll    = Spaces{sSharedAll, 0, 1}
	g70      = []Gate{{V: 70, SM: 80}}
	g80      = []Gate{{V: 80, SM: 90}, gMbCluster}
)

var gMbCluster = Gate{Name: ".shared::cluster", V: 80, SM: 90, W: WSharedCluster}

var gMbCount = Gate{
	Name: "mbarrier.arrive with count argument and without '.noComplete' modifier", V: 78, SM: 90, If: mbCount, Plain: true, TargetFirst: true,
}

// mbCount: arrive with a count needed .noComplete before sm_90.
func mbCount(c *checker) bool {
	return c.row.Forms[0].Args == "Km?u" && len(c.in.Args) == 3 && !c.in.Has(SlotNocomp)
}

var b64 = []TypeSet{tB64}

var opMbarrier = Op{Rows: []Row{
	{Words: []Word{WInit}, Name: "mbarrier.init", Forms: []Form{{Types: b64, Args: "mu"}}, Mods: mbMods, Spaces: mbSpaces, Gates: g70, Flags: fGeneric},
	{Words: []Word{WInval}, Name: "mbarrier.inval", Forms: []Form{{Types: b64, Args: "m"}}, Mods: mbMods, Spaces: mbSpaces, Gates: g70, Flags: fGeneric},
	{
		Words: []Word{WExpectTx}, Name: "mbarrier.expect_tx", Forms: []Form{{Types: b64, Args: "mu"}}, Mods: mbSync, Spaces: mbAll, Gates: g80,
		Rules: []Rule{{NoSlot, mbSymbol}, {NoSlot, mbNeeds}, {SlotMmio, mbTxOrder}, {SlotMmio, mbScopes}},
	},
	{
		Words: []Word{WCompleteTx}, Name: "mbarrier.complete_tx", Forms: []Form{{Types: b64, Args: "mu"}}, Mods: mbSync, Spaces: mbAll, Gates: g80,
		Rules: []Rule{{NoSlot, mbSymbol}, {NoSlot, mbNeeds}, {SlotMmio, mbTxOrder}, {SlotMmio, mbScopes}},
	},
	{
		Words: []Word{WArrive}, Name: "mbarrier.arrive", Forms: []Form{{Types: b64, Args: "Km?u"}}, Mods: mbArrive, Spaces: mbAll,
		Gates: []Gate{{V: 70, SM: 80}, gMbCluster, gMbCount},
		Rules: []Rule{{SlotNocomp, mbNoComplete}, {SlotNocomp, mbLocal}, {NoSlot, mbReleaseGate}, {NoSlot, mbNeeds}, {SlotLayout, mbReleaseOrder}, {SlotSem, mbScopes}, {SlotRead, mbSink}}, Flags: fSink,
	},
	{
		Words: []Word{WArrive, WExpectTx}, Name: "mbarrier.arrive.expect_tx", Forms: []Form{{Types: b64, Args: "Kmu"}}, Mods: mbSync, Spaces: mbAll, Gates: g80,
		Rules: []Rule{{NoSlot, mbSymbol}, {NoSlot, mbReleaseGate}, {NoSlot, mbNeeds}, {SlotLayout, mbReleaseOrder}, {SlotSem, mbScopes}, {SlotRead, mbSink}}, Flags: fSink,
	},
	{
		Words: []Word{WArriveDrop}, Name: "mbarrier.arrive_drop", Forms: []Form{{Types: b64, Args: "Km?u"}}, Mods: mbArrive, Spaces: mbAll,
		Gates: []Gate{{V: 70, SM: 80}, gMbCluster, gMbCount},
		Rules: []Rule{{SlotNocomp, mbNoComplete}, {SlotNocomp, mbLocal}, {NoSlot, mbReleaseGate}, {NoSlot, mbNeeds}, {SlotLayout, mbReleaseOrder}, {SlotSem, mbScopes}, {SlotRead, mbSink}}, Flags: fSink,
	},
	{
		Words: []Word{WArriveDrop, WExpectTx}, Name: "mbarrier.arrive_drop.expect_tx", Forms: []Form{{Types: b64, Args: "Kmu"}}, Mods: mbSync, Spaces: mbAll, Gates: g80,
		Rules: []Rule{{NoSlot, mbSymbol}, {NoSlot, mbReleaseGate}, {NoSlot, mbNeeds}, {SlotLayout, mbReleaseOrder}, {SlotSem, mbScopes}, {SlotRead, mbSink}}, Flags: fSink,
	},
	{
		Words: []Word{WTestWait}, Name: "mbarrier.test_wait", Forms: []Form{{Types: b64, Args: "qmk"}}, Mods: mbSync, Spaces: mbSpaces, Gates: g70,
		Rules: []Rule{{NoSlot, mbAcquireGate}, {NoSlot, mbNeeds}, {SlotLayout, mbAcquireOrder}, {SlotSem, mbScopes}},
	},
	{
		Words: []Word{WTestWait, WParity}, Name: "mbarrier.test_wait.parity", Forms: []Form{{Types: b64, Args: "qmu"}}, Mods: mbSync, Spaces: mbSpaces,
		Gates: []Gate{{V: 71, SM: 80}}, Rules: []Rule{{SlotRead, mbParity}, {NoSlot, mbAcquireGate}, {NoSlot, mbNeeds}, {SlotLayout, mbAcquireOrder}, {SlotSem, mbScopes}},
	},
	{
		Words: []Word{WTryWait}, Name: "mbarrier.try_wait", Forms: []Form{{Types: b64, Args: "qmk?u"}}, Mods: mbSync, Spaces: mbSpaces,
		Gates: []Gate{{V: 78, SM: 90}}, Rules: []Rule{{NoSlot, mbAcquireGate}, {NoSlot, mbNeeds}, {SlotLayout, mbAcquireOrder}, {SlotSem, mbScopes}},
	},
	{
		Words: []Word{WTryWait, WParity}, Name: "mbarrier.try_wait.parity", Forms: []Form{{Types: b64, Args: "qmu?u"}}, Mods: mbSync, Spaces: mbSpaces,
		Gates: []Gate{{V: 78, SM: 90}}, Rules: []Rule{{SlotRead, mbParity}, {NoSlot, mbAcquireGate}, {NoSlot, mbNeeds}, {SlotLayout, mbAcquireOrder}, {SlotSem, mbScopes}},
	},
	{Words: []Word{WPendingCount}, Name: "mbarrier.pending_count", Forms: []Form{{Types: b64, Args: "nk"}}, Gates: g70},
}}

// mbNoComplete: before sm_90 a count means .noComplete.
func mbNoComplete(c *checker) {
	if c.in.Has(SlotNocomp) && len(c.in.Args) == 2 {
		c.errorf("Illegal modifier '.noComplete' for instruction '%s without count argument'", c.row.Name)
	}
	if mbCount(c) && c.lacks(78, 90) {
		c.errorf(".noComplete modifier required for instruction '%s with count argument'", c.row.Name)
	}
}

// Orders of barrier operations: transaction counts are relaxed, arrivals
// release, waits acquire; both may be relaxed since PTX 8.6.
func mbTxOrder(c *checker)      { c.mbOrder(WNone) }
func mbReleaseOrder(c *checker) { c.mbOrder(WRelease) }
func mbAcquireOrder(c *checker) { c.mbOrder(WAcquire) }
func mbReleaseGate(c *checker)  { c.mbGate(WRelease) }
func mbAcquireGate(c *checker)  { c.mbGate(WAcquire) }

// mbGate says since when an order can be named.
func (c *checker) mbGate(strong Word) {
	switch c.in.Mod(SlotSem) {
	case strong:
		c.orderOn(80, 0, strong)
	case WRelaxed:
		c.orderOn(86, 90, WRelaxed)
	}
}

func (c *checker) mbOrder(strong Word) {
	if sem := c.in.Mod(SlotSem); sem != WNone && sem != strong && sem != WRelaxed {
		c.illegal("." + sem.String())
	}
}

// mbScopes: barriers are those of a block or cluster, and scopes came later
// than barriers.
func mbScopes(c *checker) {
	scope := c.in.Mod(SlotScope)
	if scope != WNone && c.ctx.Version < 80 {
		c.errorf("Feature 'scopes on mbarrier operations' requires PTX ISA .version 8.0 or later")
	}
	if scope == WGpu || scope == WSys || scope == WGl {
		c.illegal("." + scope.String())
	}
}

// mbNeeds: an order needs a scope and a scope an order.
func mbNeeds(c *checker) {
	sem, scope := c.in.Mod(SlotSem), c.in.Mod(SlotScope)
	switch {
	case sem == WNone && scope != WNone:
		c.errorf("Modifier '.%s' requires order with '%s' instruction", scope, c.row.Name)
	case sem != WNone && scope == WNone:
		c.errorf("Modifier '.%s' requires scope with '%s' instruction", sem, c.row.Name)
	}
}

// mbSymbol: a barrier lies in shared memory.
func mbSymbol(c *checker) {
	for i := range c.in.Args {
		if o := &c.in.Args[i]; o.Kind == KAddr && o.Base == KSymbol && o.Space.Base() != SpaceShared {
			c.errorf("Illegal state space for address operand '%s' with instruction '%s'", o.Name, c.row.Name)
		}
	}
}

// mbParity: a phase is 0 or 1.
func mbParity(c *checker) {
	if o := &c.in.Args[2]; o.Kind == KInt && o.Value != 0 && o.Value != 1 {
		c.errorf("Argument 2 of instruction '%s': unexpected value '%d', expected to be 0 or 1", c.row.Name, o.Value)
	}
}

var opClusterlaunchcontrol = Op{Rows: []Row{
	{
		Words: []Word{WTryCancel, WAsync}, Name: "clusterlaunchcontrol.try_cancel.async",
		Forms: []Form{{Types: []TypeSet{tB128}, Args: "mm", May: eMcast}},
		Mods:  []Slot{SlotSpace, SlotDone}, Need: []Slot{SlotDone}, Spaces: Spaces{sCTA, 0, 1},
		Gates: []Gate{{V: 86, SM: 100}, {Name: ".multicast::cluster::all", V: 86, Only: target.OnF100 | target.OnF120, W: WMulticastClusterAll}},
	},
	{
		Words: []Word{WQueryCancel}, Name: "clusterlaunchcontrol.query_cancel",
		Forms: []Form{
			{Types: []TypeSet{tPred, tB128}, Args: "db", Mods: []Slot{SlotCancel}},
			{Types: []TypeSet{tB32, tB128}, Args: "db", Mods: []Slot{SlotCancel, SlotVec}},
		},
		Need:  []Slot{SlotCancel},
		Gates: []Gate{{V: 86, SM: 100}},
		Flags: fVector,
	},
}}
