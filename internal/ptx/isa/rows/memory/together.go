package memory

import (
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/isa/row"
)

// Words that are right alone and wrong together.

// mmioAlone: an access to a device is what it says, no more.
func mmioAlone(c *row.Checker) {
	in := c.In
	if !in.Has(isa.SlotMmio) {
		return
	}
	if w := in.Mod(isa.SlotPref); w != isa.WNone {
		c.Errorf("Modifier '.%s' cannot be combined with modifier '.mmio'", w)
	}
	if w := in.Mod(isa.SlotEvict); w != isa.WNone {
		c.Errorf("Modifier '.%s' cannot be combined with modifier '.mmio'", row.Spelled(w))
	}
	if in.Early&row.EarlyHint != 0 {
		c.Errorf("Modifier '.L2::cache_hint' cannot be combined with modifier '.mmio'")
	}
}

// mmioVec: a device is accessed word by word.
func mmioVec(c *row.Checker) {
	if c.In.Has(isa.SlotMmio) && c.In.Has(isa.SlotVec) {
		c.Errorf("Modifier '.mmio' cannot be combined with modifier '.v%d'", c.In.Vec())
	}
}

// prefetchSpace: constants and parameters hold tensor maps only, other
// memory holds none; local memory has no eviction priority.
func prefetchSpace(c *row.Checker) {
	in := c.In
	s := in.Space()
	tensor := in.Mod(isa.SlotLevel) == isa.WTensormap
	switch {
	case tensor && (s == isa.SpaceGlobal || s == isa.SpaceLocal):
		c.Errorf("Modifier '.tensormap' cannot be applied to '%s' space for instruction 'prefetch'", s)
	case !tensor && (s == isa.SpaceConst || s.Base() == isa.SpaceParam):
		c.Errorf("State space incorrect for instruction 'prefetch'")
	case s == isa.SpaceLocal && in.Has(isa.SlotEvict2):
		c.Errorf("State space incorrect for feature 'cache eviction priority'")
	}
}

// onlyL1 and onlyL2: operations of one level of the caches.
func onlyL1(c *row.Checker) { onlyLevel(c, isa.WL1) }
func onlyL2(c *row.Checker) { onlyLevel(c, isa.WL2) }

func onlyLevel(c *row.Checker, level isa.Word) {
	if w := c.In.Mod(isa.SlotLevel); w != isa.WNone && w != level {
		c.Illegal("." + w.String())
	}
}

// onlyNormal: a priority is only ever taken back.
func onlyNormal(c *row.Checker) {
	if w := c.In.Mod(isa.SlotEvict2); w != isa.WNone && w != isa.WL2EvictNormal {
		c.Errorf("Unsupported modifier '.%s' for instruction '%s'", row.Spelled(w), c.Row.Name)
	}
}

// symbolSpace: the address of a variable is in the space of the variable.
func symbolSpace(c *row.Checker) {
	o := &c.In.Args[1]
	if o.Kind != isa.KSymbol {
		return
	}
	if o.Space.Base() != c.In.Space().Base() {
		c.Errorf("State space mismatch between instruction and address in instruction '%s'", c.Row.Name)
	}
}

// sharedSymbol: a variable whose place in a cluster is asked for lies in
// shared memory, whether the instruction says so or not.
func sharedSymbol(c *row.Checker) {
	o := &c.In.Args[1]
	if s := o.Space.Base(); o.Kind == isa.KSymbol && s != isa.SpaceShared && s != isa.Generic {
		c.Errorf("State space mismatch between instruction and address in instruction '%s'", c.Row.Name)
	}
}

// movHandle: the handle of a texture or surface is a number of 64 bits.
func movHandle(c *row.Checker) {
	o := &c.In.Args[1]
	if o.Kind != isa.KSymbol || c.In.Types[0] == isa.U64 {
		return
	}
	switch o.Type {
	case isa.Texref:
		c.Errorf("Indirect access to texture requires .u64 type")
	case isa.Surfref:
		c.Errorf("Indirect access to surface requires .u64 type")
	case isa.Samplerref:
		c.Errorf("Indirect access to sampler requires .u64 type")
	}
}

// casHint: comparing atomics take no policy, and a fourth operand of others
// is one.
func casHint(c *row.Checker) {
	in := c.In
	op := in.Mod(isa.SlotOp)
	switch {
	case op == isa.WCas && in.Early&row.EarlyHint != 0:
		c.Illegal(".L2::cache_hint")
	case op != isa.WCas && in.Early&row.EarlyHint == 0 && len(in.Args) == 4 && (op != isa.WNone || in.Types[0].Bits() == 64):
		c.Errorf(".L2::cache_hint modifier required for instruction 'atom' with 4 arguments")
		if op == isa.WNone {
			c.Errorf("Arguments mismatch for instruction 'atom'")
		}
	}
}

// mbSink: what another block's barrier was is not told.
func mbSink(c *row.Checker) {
	in := c.In
	if in.Space() == isa.SpaceSharedCluster && in.Args[0].Kind != isa.KSink {
		c.Errorf("Sink '_' is expected as a destination operand for instruction '%s' with '.shared::cluster'", c.Row.Name)
	}
}

// mbLocal: an arrival that completes nothing stays in its block and
// releases.
func mbLocal(c *row.Checker) {
	in := c.In
	if !in.Has(isa.SlotNocomp) {
		return
	}
	if w := in.Mod(isa.SlotSem); w == isa.WRelaxed {
		c.Errorf("Modifier '.relaxed' cannot be combined with modifier '.noComplete'")
	} else if in.Mod(isa.SlotScope) == isa.WCluster {
		c.Errorf("Modifier '.cluster' cannot be combined with modifier '.noComplete'")
	}
}

// fenceRestrict and proxyRestrict: the restriction is to the memory that the
// order is about, the cluster's for acquiring and the block's for releasing.
func fenceRestrict(c *row.Checker) {
	sem, w := c.In.Mod(isa.SlotSem), c.In.Mod(isa.SlotRestrict)
	if sem == isa.WAcquire && w == isa.WSyncRestrictSharedCta || sem == isa.WRelease && w == isa.WSyncRestrictSharedCluster {
		c.Errorf("Modifier '.%s' cannot be combined with modifier '.%s'", w, sem)
	}
	if s := c.In.Mod(isa.SlotScope); w != isa.WNone && s != isa.WCluster && s != isa.WNone {
		c.Errorf("Modifier '.%s' cannot be combined with modifier '.%s'", w, s)
	}
}

func proxyRestrict(c *row.Checker) {
	if !oneWayProxy(c) {
		return
	}
	sem, w := c.In.Mod(isa.SlotSem), c.In.Mod(isa.SlotRestrict)
	want := isa.WNone
	switch {
	case sem == isa.WNone:
		c.Errorf(".acquire/.release modifier required for instruction 'fence.proxy'")
		return
	case sem == isa.WAcquire:
		want = isa.WSyncRestrictSharedCluster
	case sem == isa.WRelease:
		want = isa.WSyncRestrictSharedCta
	}
	named := w != isa.WNone || c.In.Mod(isa.SlotProxy) == isa.WAsyncGeneric
	if named && w != want && want != isa.WNone {
		c.Errorf(".%s modifier required for instruction 'fence.proxy'", want)
	}
	if named && c.In.Mod(isa.SlotScope) != isa.WCluster {
		c.Errorf(".cluster modifier required for instruction 'fence.proxy'")
	}
}

// texKind: what the ways to read a texture do not do with all geometries.
func texKind(c *row.Checker) {
	in := c.In
	w := in.Mod(isa.SlotGeom)
	if (w == isa.W2dms || w == isa.WA2dms) && c.Row.Name == "tex.level" {
		c.Illegal("Multi-sample geometry")
	}
	if cubeGeometry(c) && in.NTypes > 1 && in.Types[1] != isa.F32 {
		c.Errorf("Floating-point coordinates required")
	}
	cubeOffset(c)
	if c.Row.Name == "tex.grad" {
		gradients(c)
	}
}

// gradients: arguments 3 and 4 are vectors, where the texture, its sampler and its
// coordinates are one each.
func gradients(c *row.Checker) {
	before := max(1, len(c.In.Args[1].Elems))
	for n := 2; n < len(c.In.Args) && n+before <= 4; n++ {
		if c.In.Args[n].Kind != isa.KVector {
			c.Errorf("Vector expected for argument %d", n+before)
		}
	}
}

// cubeOffset: the faces of a cube have no offsets.
func cubeOffset(c *row.Checker) {
	if !cubeGeometry(c) || !texHasExtra(c) {
		return
	}
	if c.In.Args[texNeeds(c)].Kind == isa.KVector {
		c.Illegal("." + c.In.Mod(isa.SlotGeom).String())
	}
}

// queryHandle: a query names what it asks about, a texture or its sampler.
// Only beside independent textures samplers have names of their own.
func queryHandle(c *row.Checker) {
	o := &c.In.Args[1]
	if o.Kind != isa.KAddr || o.Base != isa.KSymbol {
		return
	}
	sampler := false
	switch c.In.Mod(isa.SlotQuery) {
	case isa.WFilterMode, isa.WAddrMode0, isa.WAddrMode1, isa.WAddrMode2:
		sampler = !c.Ctx.Unified
	case isa.WForceUnnormalizedCoords:
		if c.Ctx.Unified {
			c.Errorf("Argument 1 of instruction '%s': .samplerref expected", c.Row.Name)
			return
		}
		sampler = true
	}
	want := isa.Texref
	if sampler {
		want = isa.Samplerref
	}
	if o.Type != want {
		c.Errorf("Argument 1 of instruction '%s': %s or .u64 register expected", c.Row.Name, want)
	}
}
