package memory

import (
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/isa/row"
	"github.com/goptxas/goptxas/internal/target"
)

// Barrier objects in shared memory and cluster launch control.

var (
	mbMods   = []isa.Slot{isa.SlotSpace}
	mbSync   = []isa.Slot{isa.SlotSpace, isa.SlotSem, isa.SlotScope}
	mbArrive = []isa.Slot{isa.SlotSpace, isa.SlotSem, isa.SlotScope, isa.SlotNocomp}
	mbSpaces = row.Spaces{Set: row.Shared | row.SharedCTA, Min: 0, Max: 1}
	mbAll    = row.Spaces{Set: row.SharedAll, Min: 0, Max: 1}
	g70      = []row.Gate{{V: 70, SM: 80}}
	g80      = []row.Gate{{V: 80, SM: 90}, gMbCluster}
)

var gMbCluster = row.Gate{Name: ".shared::cluster", V: 80, SM: 90, W: isa.WSharedCluster}

var gMbCount = row.Gate{
	At: isa.SlotLevel, Name: "mbarrier.arrive with count argument and without '.noComplete' modifier", V: 78, SM: 90, If: mbCount, Plain: true, TargetFirst: true,
}

// mbCount: arrive with a count needed .noComplete before sm_90.
func mbCount(c *row.Checker) bool {
	return c.Row.Forms[0].Args == "Km?u" && len(c.In.Args) == 3 && !c.In.Has(isa.SlotNocomp)
}

var b64 = []row.TypeSet{row.B64}

var Mbarrier = row.Op{Rows: []row.Row{
	{Words: []isa.Word{isa.WInit}, Name: "mbarrier.init", Forms: []row.Form{{Types: b64, Args: "mu"}}, Mods: mbMods, Spaces: mbSpaces, Gates: g70, Rules: []row.Rule{{At: isa.NoSlot, Do: mbSymbol}}, Flags: row.FlagGeneric},
	{Words: []isa.Word{isa.WInval}, Name: "mbarrier.inval", Forms: []row.Form{{Types: b64, Args: "m"}}, Mods: mbMods, Spaces: mbSpaces, Gates: g70, Rules: []row.Rule{{At: isa.NoSlot, Do: mbSymbol}}, Flags: row.FlagGeneric},
	{
		Words: []isa.Word{isa.WExpectTx}, Name: "mbarrier.expect_tx", Forms: []row.Form{{Types: b64, Args: "mu"}}, Mods: mbSync, Spaces: mbAll, Gates: g80,
		Rules: []row.Rule{{At: isa.NoSlot, Do: mbSymbol}, {At: isa.NoSlot, Do: mbNeeds}, {At: isa.SlotMmio, Do: mbTxOrder}, {At: isa.SlotMmio, Do: mbScopes}},
	},
	{
		Words: []isa.Word{isa.WCompleteTx}, Name: "mbarrier.complete_tx", Forms: []row.Form{{Types: b64, Args: "mu"}}, Mods: mbSync, Spaces: mbAll, Gates: g80,
		Rules: []row.Rule{{At: isa.NoSlot, Do: mbSymbol}, {At: isa.NoSlot, Do: mbNeeds}, {At: isa.SlotMmio, Do: mbTxOrder}, {At: isa.SlotMmio, Do: mbScopes}},
	},
	{
		Words: []isa.Word{isa.WArrive}, Name: "mbarrier.arrive", Forms: []row.Form{{Types: b64, Args: "Km?u"}}, Mods: mbArrive, Spaces: mbAll,
		Gates: []row.Gate{{V: 70, SM: 80}, gMbCluster, gMbCount},
		Rules: []row.Rule{{At: isa.NoSlot, Do: mbSymbol}, {At: isa.SlotNocomp, Do: mbNoComplete}, {At: isa.SlotNocomp, Do: mbLocal}, {At: isa.NoSlot, Do: mbReleaseGate}, {At: isa.NoSlot, Do: mbNeeds}, {At: isa.SlotLayout, Do: mbReleaseOrder}, {At: isa.SlotSem, Do: mbScopes}, {At: isa.NoSlot, Do: mbSink}}, Flags: row.FlagSink,
	},
	{
		Words: []isa.Word{isa.WArrive, isa.WExpectTx}, Name: "mbarrier.arrive.expect_tx", Forms: []row.Form{{Types: b64, Args: "Kmu"}}, Mods: mbSync, Spaces: mbAll, Gates: g80,
		Rules: []row.Rule{{At: isa.NoSlot, Do: mbSymbol}, {At: isa.NoSlot, Do: mbReleaseGate}, {At: isa.NoSlot, Do: mbNeeds}, {At: isa.SlotLayout, Do: mbReleaseOrder}, {At: isa.SlotSem, Do: mbScopes}, {At: isa.NoSlot, Do: mbSink}}, Flags: row.FlagSink,
	},
	{
		Words: []isa.Word{isa.WArriveDrop}, Name: "mbarrier.arrive_drop", Forms: []row.Form{{Types: b64, Args: "Km?u"}}, Mods: mbArrive, Spaces: mbAll,
		Gates: []row.Gate{{V: 70, SM: 80}, gMbCluster, gMbCount},
		Rules: []row.Rule{{At: isa.NoSlot, Do: mbSymbol}, {At: isa.SlotNocomp, Do: mbNoComplete}, {At: isa.SlotNocomp, Do: mbLocal}, {At: isa.NoSlot, Do: mbReleaseGate}, {At: isa.NoSlot, Do: mbNeeds}, {At: isa.SlotLayout, Do: mbReleaseOrder}, {At: isa.SlotSem, Do: mbScopes}, {At: isa.NoSlot, Do: mbSink}}, Flags: row.FlagSink,
	},
	{
		Words: []isa.Word{isa.WArriveDrop, isa.WExpectTx}, Name: "mbarrier.arrive_drop.expect_tx", Forms: []row.Form{{Types: b64, Args: "Kmu"}}, Mods: mbSync, Spaces: mbAll, Gates: g80,
		Rules: []row.Rule{{At: isa.NoSlot, Do: mbSymbol}, {At: isa.NoSlot, Do: mbReleaseGate}, {At: isa.NoSlot, Do: mbNeeds}, {At: isa.SlotLayout, Do: mbReleaseOrder}, {At: isa.SlotSem, Do: mbScopes}, {At: isa.NoSlot, Do: mbSink}}, Flags: row.FlagSink,
	},
	{
		Words: []isa.Word{isa.WTestWait}, Name: "mbarrier.test_wait", Forms: []row.Form{{Types: b64, Args: "qmk"}}, Mods: mbSync, Spaces: mbSpaces, Gates: g70,
		Rules: []row.Rule{{At: isa.NoSlot, Do: mbSymbol}, {At: isa.NoSlot, Do: mbAcquireGate}, {At: isa.NoSlot, Do: mbNeeds}, {At: isa.SlotLayout, Do: mbAcquireOrder}, {At: isa.SlotSem, Do: mbScopes}},
	},
	{
		Words: []isa.Word{isa.WTestWait, isa.WParity}, Name: "mbarrier.test_wait.parity", Forms: []row.Form{{Types: b64, Args: "qmu"}}, Mods: mbSync, Spaces: mbSpaces,
		Gates: []row.Gate{{V: 71, SM: 80}}, Rules: []row.Rule{{At: isa.NoSlot, Do: mbSymbol}, {At: isa.SlotRead, Do: mbParity}, {At: isa.NoSlot, Do: mbAcquireGate}, {At: isa.NoSlot, Do: mbNeeds}, {At: isa.SlotLayout, Do: mbAcquireOrder}, {At: isa.SlotSem, Do: mbScopes}},
	},
	{
		Words: []isa.Word{isa.WTryWait}, Name: "mbarrier.try_wait", Forms: []row.Form{{Types: b64, Args: "qmk?u"}}, Mods: mbSync, Spaces: mbSpaces,
		Gates: []row.Gate{{V: 78, SM: 90}}, Rules: []row.Rule{{At: isa.NoSlot, Do: mbSymbol}, {At: isa.NoSlot, Do: mbAcquireGate}, {At: isa.NoSlot, Do: mbNeeds}, {At: isa.SlotLayout, Do: mbAcquireOrder}, {At: isa.SlotSem, Do: mbScopes}},
	},
	{
		Words: []isa.Word{isa.WTryWait, isa.WParity}, Name: "mbarrier.try_wait.parity", Forms: []row.Form{{Types: b64, Args: "qmu?u"}}, Mods: mbSync, Spaces: mbSpaces,
		Gates: []row.Gate{{V: 78, SM: 90}}, Rules: []row.Rule{{At: isa.NoSlot, Do: mbSymbol}, {At: isa.SlotRead, Do: mbParity}, {At: isa.NoSlot, Do: mbAcquireGate}, {At: isa.NoSlot, Do: mbNeeds}, {At: isa.SlotLayout, Do: mbAcquireOrder}, {At: isa.SlotSem, Do: mbScopes}},
	},
	{Words: []isa.Word{isa.WPendingCount}, Name: "mbarrier.pending_count", Forms: []row.Form{{Types: b64, Args: "nk"}}, Gates: g70},
}}

// mbNoComplete: before sm_90 a count means .noComplete.
func mbNoComplete(c *row.Checker) {
	if c.In.Has(isa.SlotNocomp) && len(c.In.Args) == 2 {
		c.Errorf("Illegal modifier '.noComplete' for instruction '%s without count argument'", c.Row.Name)
	}
	if mbCount(c) && c.Lacks(78, 90) {
		c.Errorf(".noComplete modifier required for instruction '%s with count argument'", c.Row.Name)
	}
}

// Orders of barrier operations: transaction counts are relaxed, arrivals
// release, waits acquire; both may be relaxed since PTX 8.6.
func mbTxOrder(c *row.Checker)      { mbOrder(c, isa.WNone) }
func mbReleaseOrder(c *row.Checker) { mbOrder(c, isa.WRelease) }
func mbAcquireOrder(c *row.Checker) { mbOrder(c, isa.WAcquire) }
func mbReleaseGate(c *row.Checker)  { mbGate(c, isa.WRelease) }
func mbAcquireGate(c *row.Checker)  { mbGate(c, isa.WAcquire) }

// mbGate says since when an order can be named.
func mbGate(c *row.Checker, strong isa.Word) {
	switch c.In.Mod(isa.SlotSem) {
	case strong:
		orderOn(c, 80, 0, strong)
	case isa.WRelaxed:
		orderOn(c, 86, 90, isa.WRelaxed)
	}
}

func mbOrder(c *row.Checker, strong isa.Word) {
	sem, scope := c.In.Mod(isa.SlotSem), c.In.Mod(isa.SlotScope)
	if sem == isa.WNone || sem == strong || sem == isa.WRelaxed {
		return
	}
	c.Illegal("." + sem.String())
	c.Illegal("." + sem.String())
	if scope != isa.WNone && (sem == isa.WVolatile || sem == isa.WWeak) {
		c.Errorf("Modifier '.%s' cannot be combined with modifier '.%s'", sem, scope)
	}
}

// mbScopes: barriers are those of a block or cluster, and scopes came later
// than barriers.
func mbScopes(c *row.Checker) {
	scope := c.In.Mod(isa.SlotScope)
	if scope != isa.WNone && c.Ctx.Version < 80 {
		c.Errorf("Feature 'scopes on mbarrier operations' requires PTX ISA .version 8.0 or later")
	}
	if scope == isa.WGpu || scope == isa.WSys || scope == isa.WGl {
		c.Illegal("." + scope.String())
	}
}

// mbNeeds: an order needs a scope and a scope an order.
func mbNeeds(c *row.Checker) {
	sem, scope := c.In.Mod(isa.SlotSem), c.In.Mod(isa.SlotScope)
	switch {
	case sem == isa.WNone && scope != isa.WNone:
		c.Errorf("Modifier '.%s' requires order with '%s' instruction", scope, c.Row.Name)
	case sem != isa.WNone && scope == isa.WNone:
		c.Errorf("Modifier '.%s' requires scope with '%s' instruction", sem, c.Row.Name)
	}
}

// mbSymbol: a barrier lies in shared memory.
func mbSymbol(c *row.Checker) {
	for i := range c.In.Args {
		if o := &c.In.Args[i]; o.Kind == isa.KAddr && o.Base == isa.KSymbol && o.Space.Base() != isa.SpaceShared {
			c.Errorf("Illegal state space for address operand '%s' with instruction '%s'", o.Name, c.Row.Name)
		}
	}
}

// mbParity: a phase is 0 or 1.
func mbParity(c *row.Checker) {
	if o := &c.In.Args[2]; o.Kind == isa.KInt && o.Value != 0 && o.Value != 1 {
		c.Errorf("Argument 2 of instruction '%s': unexpected value '%d', expected to be 0 or 1", c.Row.Name, o.Value)
	}
}

func needComplete(c *row.Checker) {
	if !c.In.Has(isa.SlotDone) {
		c.Errorf(".mbarrier::complete_tx::bytes modifier required for instruction '%s'", c.Row.Name)
	}
}

var Clusterlaunchcontrol = row.Op{Rows: []row.Row{
	{
		Words: []isa.Word{isa.WTryCancel, isa.WAsync}, Name: "clusterlaunchcontrol.try_cancel.async",
		Forms: []row.Form{{Types: []row.TypeSet{row.B128}, Args: "mm", May: row.EarlyMcast}},
		Mods:  []isa.Slot{isa.SlotSpace, isa.SlotDone}, Spaces: row.Spaces{Set: row.SharedCTA, Min: 0, Max: 1},
		Rules: []row.Rule{{At: isa.NoSlot, Do: needComplete}},
		Gates: []row.Gate{{V: 86, SM: 100}, {At: isa.SlotOob, Name: ".multicast::cluster::all", V: 86, Only: target.OnF100 | target.OnF120, W: isa.WMulticastClusterAll}},
	},
	{
		Words: []isa.Word{isa.WQueryCancel}, Name: "clusterlaunchcontrol.query_cancel",
		Forms: []row.Form{
			{Types: []row.TypeSet{row.Pred, row.B128}, Args: "db", Mods: []isa.Slot{isa.SlotCancel}},
			{Types: []row.TypeSet{row.B32, row.B128}, Args: "db", Mods: []isa.Slot{isa.SlotCancel, isa.SlotVec}},
		},
		Need:  []isa.Slot{isa.SlotCancel},
		Gates: []row.Gate{{V: 86, SM: 100}},
		Rules: []row.Rule{{At: isa.NoSlot, Do: firstBlock}},
		Flags: row.FlagVector,
	},
}}

// firstBlock: the place of a block comes as a vector of four words, or one of
// its words is asked for.
func firstBlock(c *row.Checker) {
	in := c.In
	if in.Mod(isa.SlotCancel) != isa.WGetFirstCtaid {
		return
	}
	if in.Vec() != 4 {
		c.Errorf("Unexpected instruction types specified for '%s'", c.Row.Name)
	}
	if o := &in.Args[0]; in.Vec() != 4 || o.Kind != isa.KVector || len(o.Elems) != 4 {
		c.Errorf("Vector of size 4 is expected for argument 0 of instruction '%s'", c.Row.Name)
	}
}
