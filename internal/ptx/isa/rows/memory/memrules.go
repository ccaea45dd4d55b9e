package memory

import (
	"math"

	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/isa/row"
)

// Rules of loads, stores and other operations on memory.

func hasPref(c *row.Checker) bool { return c.In.Has(isa.SlotPref) }
func hasCop(c *row.Checker) bool  { return c.In.Has(isa.SlotCop) }
func hasEvict2(c *row.Checker) bool {
	_, two := c.In.TwoEvictions()
	return c.In.Has(isa.SlotEvict2) && !two
}
func paramSpace(c *row.Checker) bool { return c.In.Space().Base() == isa.SpaceParam }

// wide256: a vector of more than 128 bits.
func wide256(c *row.Checker) bool { return c.In.Vec()*c.In.Types[0].Bits() == 256 }

// hintSpace: cache hints are for global memory.
func hintSpace(c *row.Checker) {
	in := c.In
	if in.Early&row.EarlyHint == 0 {
		return
	}
	if s := in.Space(); s != isa.Generic && s != isa.SpaceGlobal {
		c.Errorf("Modifier '.L2::cache_hint' cannot be applied to '%s' space for instruction '%s'", s, c.Row.Name)
	}
	if in.Mod(isa.SlotSem) == isa.WVolatile {
		c.Errorf("Modifier '.L2::cache_hint' cannot be combined with modifier '.volatile'")
	}
}

// prefSpace: so is prefetching, and 256 bytes need sm_80.
func prefSpace(c *row.Checker) {
	if !c.In.Has(isa.SlotPref) {
		return
	}
	if s := c.In.Space(); s != isa.Generic && s != isa.SpaceGlobal {
		c.Errorf("State space incorrect for feature 'cache prefetching'")
	}
	pref256Target(c)
}

// pref256Target: prefetching 256 bytes needs sm_80 and PTX 7.4.
func pref256Target(c *row.Checker) {
	if c.In.Mod(isa.SlotPref) != isa.WL2256B {
		return
	}
	if c.Lacks(0, 80) {
		c.Errorf("Modifier '.L2::256B' requires .target sm_80 or higher")
	}
	if c.Ctx.Version < 74 {
		c.Errorf("Feature '256B cache prefetching' requires PTX ISA .version 7.4 or later")
	}
}

// evictRules: eviction priorities are for global memory, exclude other cache
// operations, and those of the second level need 256-bit vectors.
func evictRules(c *row.Checker) {
	in := c.In
	level, _ := in.TwoEvictions()
	if level != "" {
		c.Errorf("Duplicate '.%s::eviction_priority' modifier specified for instruction '%s'", level, c.Row.Name)
	}
	if in.Has(isa.SlotEvict) {
		evictOn(c, in.Mod(isa.SlotEvict), 70)
	}
	if level != "" {
		c.Errorf("Incorrect '.level::eviction_priority' modifier specified for instruction '%s'", c.Row.Name)
	}
	if !in.Has(isa.SlotEvict2) {
		return
	}
	w := in.Mod(isa.SlotEvict2)
	t := in.Types[0].Bits()
	if !(t == 32 && in.Vec() == 8 || t == 64 && in.Vec() == 4) {
		c.Errorf("Instruction '%s' requires '.v8.b32/.v4.b64' type with '.%s' modifier.", c.Row.Name, w)
	}
	if w == isa.WL2EvictUnchanged {
		c.Illegal("." + w.String())
	}
}

func evictOn(c *row.Checker, w isa.Word, sm int) {
	in := c.In
	name := row.Spelled(w)
	if c.Ctx.Version < 74 {
		c.Errorf("Modifier '.%s' on '%s' requires PTX ISA .version 7.4 or later", name, c.Row.Name)
	}
	if c.Ctx.SM < sm {
		c.Errorf("Modifier '.%s' on '%s' requires .target sm_%d or higher", name, c.Row.Name, sm)
	}
	if s := in.Space(); s != isa.Generic && s != isa.SpaceGlobal {
		c.Errorf("Modifier '.%s' cannot be applied to '%s' space for instruction '%s'", name, s, c.Row.Name)
	}
	if in.Has(isa.SlotCop) {
		c.Errorf("Modifier '.%s' cannot be combined with modifier '.%s'", name, in.Mod(isa.SlotCop))
	}
	if in.Mod(isa.SlotSem) == isa.WVolatile {
		c.Errorf("Modifier '.%s' cannot be combined with modifier '.volatile'", name)
	}
}

// wideSpace: 256-bit vectors are for global memory.
func wideSpace(c *row.Checker) {
	if !wide256(c) {
		return
	}
	if s := c.In.Space(); s != isa.Generic && s != isa.SpaceGlobal {
		c.Errorf("global state space expected for feature '256 bit wide load/store'")
	}
}

// semOfLoad and semOfStore: which orders go with which direction.
func semOfLoad(c *row.Checker)  { semOf(c, isa.WRelaxed, isa.WAcquire) }
func semOfStore(c *row.Checker) { semOf(c, isa.WRelaxed, isa.WRelease) }

func semOf(c *row.Checker, a, b isa.Word) {
	in := c.In
	if !in.Has(isa.SlotSem) {
		return
	}
	w := in.Mod(isa.SlotSem)
	s := in.Space()
	if w != isa.WWeak && (s == isa.SpaceLocal || s == isa.SpaceConst || s.Base() == isa.SpaceParam) {
		c.Errorf("Modifier '.%s' cannot be applied to '%s' space", w, s)
	}
	if w != a && w != b && w != isa.WWeak && w != isa.WVolatile {
		c.Illegal("." + w.String())
	}
}

// orderAndScope: an order needs a scope and a scope an order; .volatile and
// .weak have none; .mmio is relaxed and of the whole system.
func orderAndScope(c *row.Checker) {
	in := c.In
	sem, scope := in.Mod(isa.SlotSem), in.Mod(isa.SlotScope)
	weak := sem == isa.WWeak || sem == isa.WVolatile
	if in.Has(isa.SlotMmio) {
		mmioRules(c, sem, scope)
	}
	switch {
	case weak && scope != isa.WNone:
		c.Errorf("Modifier '.%s' cannot be combined with modifier '.%s'", sem, scope)
	case sem == isa.WNone && in.Has(isa.SlotMmio) && scope == isa.WNone:
		c.Errorf("Modifier '.mmio' requires scope with '%s' instruction", c.Row.Name)
	case sem != isa.WNone && !weak && scope == isa.WNone:
		c.Errorf("Modifier '.%s' requires scope with '%s' instruction", sem, c.Row.Name)
	case sem == isa.WNone && scope == isa.WGl:
		c.Illegal(".gl")
	case sem == isa.WNone && scope != isa.WNone && !in.Has(isa.SlotMmio):
		c.Errorf("Modifier '.%s' requires memory order with '%s' instruction", scope, c.Row.Name)
	}
}

func mmioRules(c *row.Checker, sem, scope isa.Word) {
	if s := c.In.Space(); s != isa.Generic && s != isa.SpaceGlobal {
		c.Errorf("Modifier '.mmio' cannot be applied to '%s' space", s)
	}
	if sem != isa.WRelaxed {
		c.Errorf("Modifier '.mmio' requires modifier '.relaxed' for instruction '%s'", c.Row.Name)
	}
	if scope != isa.WNone && scope != isa.WSys && sem == isa.WRelaxed {
		c.Errorf("Modifier '.mmio' cannot be combined with modifier '.%s'", scope)
	}
}

// ncRules: .nc is for global memory and plain loads.
func ncRules(c *row.Checker) {
	in := c.In
	if !in.Has(isa.SlotNc) {
		return
	}
	if in.Space() != isa.SpaceGlobal {
		c.Errorf("Modifier '.nc' requires .global space")
	}
	if w := in.Mod(isa.SlotCop); w == isa.WCv || w == isa.WLu {
		c.Errorf("Illegal cache operation for instruction '%s.nc'", c.Row.Name)
	}
}

// copRules: loads have .ca .cg .cs .lu .cv, stores .wb .cg .cs .wt, and an
// order excludes them.
func copRules(c *row.Checker) {
	in := c.In
	if !in.Has(isa.SlotCop) {
		return
	}
	w := in.Mod(isa.SlotCop)
	load := c.Row.Name == "ld"
	switch w {
	case isa.WCa, isa.WLu, isa.WCv:
		if !load {
			c.Illegal("." + w.String())
		}
	case isa.WWb, isa.WWt:
		if load {
			c.Illegal("." + w.String())
		}
	}
}

// weakOnly: st.bulk is weak or says nothing.
func weakOnly(c *row.Checker) {
	if w := c.In.Mod(isa.SlotSem); w != isa.WNone && w != isa.WWeak {
		c.Illegal("." + w.String())
	}
}

// bulkZeros: st.bulk clears whole words of 64 bits.
func bulkZeros(c *row.Checker) {
	if o := &c.In.Args[1]; o.Kind == isa.KInt && o.Value%8 != 0 {
		c.Errorf("Argument 1 of instruction '%s': unexpected value '%d', expected to be multiple of 8", c.Row.Name, o.Value)
	}
	if o := &c.In.Args[2]; o.Kind == isa.KInt && o.Value != 0 {
		c.Errorf("Argument 2 of instruction '%s': unexpected value '%d', expected to be zero", c.Row.Name, o.Value)
	}
}

// asyncOldSpace: .global came late to st.async and red.async.
func asyncOldSpace(c *row.Checker) {
	if c.In.Space() == isa.SpaceGlobal && c.Lacks(87, 100) {
		c.Errorf("State space incorrect for instruction '%s'", c.Row.Name)
	}
}

// asyncDone: the form on shared memory signals a barrier, the one on global
// memory does not.
func asyncDone(c *row.Checker) {
	in := c.In
	if !in.Has(isa.SlotMmio) && !in.Has(isa.SlotDone) && in.Mod(isa.SlotSem) != isa.WRelease {
		c.Errorf("Modifier '.shared::cluster' requires modifier '.completion_mechanism' for instruction '%s'", c.Row.Name)
	}
}

func asyncNeedsScope(c *row.Checker) {
	if sem := c.In.Mod(isa.SlotSem); !c.In.Has(isa.SlotMmio) && sem != isa.WNone && !c.In.Has(isa.SlotScope) {
		c.Errorf("Modifier '.%s' requires scope with 'red.async' instruction", sem)
	}
}

// asyncNeeds: red.async names an order and a scope, and signals a barrier
// unless it releases.
func asyncNeeds(c *row.Checker) {
	in := c.In
	sem, scope := in.Mod(isa.SlotSem), in.Mod(isa.SlotScope)
	if scope == isa.WCluster && in.Space() == isa.SpaceGlobal {
		c.Errorf("Modifier '.cluster' requires '.shared::cluster' space for instruction 'red.async'")
	}
	if scope != isa.WNone && sem != isa.WRelease && !in.Has(isa.SlotMmio) && !in.Has(isa.SlotDone) && (scope == isa.WCluster || in.Space() != isa.SpaceGlobal) {
		c.Errorf("Modifier '.%s' requires modifier '.completion_mechanism' for instruction 'red.async'", scope)
	}
	if !in.Has(isa.SlotMmio) && sem == isa.WNone {
		c.Errorf("order modifier required for instruction 'red.async'")
	}
}

// asyncSem: on shared memory red.async is relaxed and st.async weak; on
// global memory both release.
func asyncSem(c *row.Checker) {
	in := c.In
	sem, scope := in.Mod(isa.SlotSem), in.Mod(isa.SlotScope)
	if sem == isa.WRelease && c.Lacks(87, 100) {
		c.Illegal(".release")
	}
	if in.Has(isa.SlotMmio) {
		if sem != isa.WRelease {
			if sem != isa.WNone {
				c.Errorf("Modifier '.mmio' cannot be combined with modifier '.%s'", sem)
			}
			c.Errorf("Modifier '.mmio' requires modifier '.release' for instruction '%s'", c.Row.Name)
		}
		if scope == isa.WNone {
			c.Errorf("Modifier '.mmio' requires scope with '%s' instruction", c.Row.Name)
		}
		return
	}
	switch {
	case in.Op == isa.WRed: // asyncNeeds says it
	case sem == isa.WRelaxed || sem == isa.WAcquire || sem == isa.WAcqRel || sem == isa.WSc || sem == isa.WVolatile:
		c.Illegal("." + sem.String())
	case sem == isa.WWeak && scope != isa.WNone:
		c.Errorf("Modifier '.weak' cannot be combined with modifier '.%s'", scope)
	}
}

// asyncScope: what signals a barrier stays in the cluster; wider scopes are
// those of global memory.
func asyncScope(c *row.Checker) {
	in := c.In
	scope := in.Mod(isa.SlotScope)
	switch {
	case in.Mod(isa.SlotSem) == isa.WRelease && (scope == isa.WCta || scope == isa.WCluster):
		c.Errorf("Illegal modifier '.%s' for instruction '%s' with '.release'", scope, c.Row.Name)
		if scope == isa.WCta {
			c.Illegal(".cta")
		} else if in.Op == isa.WSt {
			c.Errorf("Modifier '.cluster' requires '.shared::cluster' space for instruction '%s'", c.Row.Name)
			c.Errorf("Modifier '.cluster' requires modifier '.completion_mechanism' for instruction '%s'", c.Row.Name)
		}
	case in.Has(isa.SlotMmio) || in.Mod(isa.SlotSem) == isa.WRelease:
	case scope == isa.WCta:
		c.Illegal(".cta")
	case scope == isa.WGpu || scope == isa.WSys:
		if s := in.Space(); s != isa.SpaceGlobal && s != isa.Generic {
			c.Errorf("Modifier '.%s' requires '.global' space for instruction '%s'", scope, c.Row.Name)
		}
		if in.Has(isa.SlotDone) {
			c.Errorf("Illegal modifier '.%s' for instruction '%s' with '.%s'", in.Mod(isa.SlotDone), c.Row.Name, scope)
		}
	}
}

// prefetchLevel: prefetch names a cache level or an eviction priority.
func prefetchLevel(c *row.Checker) {
	if !c.In.Has(isa.SlotLevel) && !c.In.Has(isa.SlotEvict2) {
		c.Errorf("Cache level modifier required for instruction '%s'", c.Row.Name)
	}
}

// prefetchEvict: an eviction priority says the level itself.
func prefetchEvict(c *row.Checker) {
	oneEvict(c)
	if w := c.In.Mod(isa.SlotLevel); w != isa.WNone && (c.In.Has(isa.SlotEvict2) || c.In.Has(isa.SlotEvict)) {
		c.Errorf("Illegal modifier '.%s' for instruction '%s' with '.level::eviction_priority'", w, c.Row.Name)
	}
}

// oneEvict: these take one eviction priority.
func oneEvict(c *row.Checker) {
	if _, two := c.In.TwoEvictions(); two {
		c.Several()
	}
}

// bytes128: the size operand of discard and applypriority is one line.
func bytes128(c *row.Checker) {
	if o := &c.In.Args[1]; o.Kind == isa.KInt && o.Value != 128 {
		c.Errorf("Argument 2 of instruction '%s': unexpected value '%d', expected to be 128", c.Row.Name, o.Value)
	}
}

// policyEvict: the priorities of createpolicy.
func policyEvict(c *row.Checker) {
	in := c.In
	if !in.Has(isa.SlotEvict2) {
		return
	}
	first, second := in.Evictions()
	if first == isa.WNone {
		first, second = second, isa.WNone
	}
	policyGate(c, first)
	if second == isa.WNone {
		return
	}
	policyGate(c, second)
	if second != isa.WL2EvictFirst && second != isa.WL2EvictUnchanged {
		c.Errorf("Unsupported modifier '.%s' as secondary_priority for instruction '%s'", row.Spelled(second), c.Row.Name)
	}
}

// policyLevel: policies are those of the second level.
func policyLevel(c *row.Checker) {
	switch {
	case c.In.Has(isa.SlotEvict):
		c.Errorf("Modifier 'cache eviction priority' requires cache level L2 with '%s' instruction", c.Row.Name)
	case !c.In.Has(isa.SlotEvict2):
		c.Errorf("cache eviction priority modifier required for instruction '%s'", c.Row.Name)
		c.Errorf(".L2 modifier required for instruction '%s'", c.Row.Name)
	}
}

// policyL2 is policyLevel where the level is named by itself.
func policyL2(c *row.Checker) {
	switch w := c.In.Mod(isa.SlotLevel); w {
	case isa.WL2:
	case isa.WNone:
		c.Errorf(".L2 modifier required for instruction '%s'", c.Row.Name)
	default:
		c.Illegal("." + w.String())
	}
}

// policyFraction: a part of the accesses, not none of them.
func policyFraction(c *row.Checker) {
	if len(c.In.Args) < 2 {
		return
	}
	o := &c.In.Args[1]
	var v float64
	switch o.Kind {
	case isa.KDouble:
		v = math.Float64frombits(uint64(o.Value))
	case isa.KSingle:
		v = float64(math.Float32frombits(uint32(o.Value)))
	default:
		return
	}
	if !(v > 0 && v <= 1) {
		c.Errorf("Argument 2 of instruction '%s': value '%f' out of range, expected to be in range (0.000000 .. 1.000000]", c.Row.Name, v)
	}
}

func policyGate(c *row.Checker, w isa.Word) {
	if c.Ctx.Version < 74 {
		c.Errorf("Modifier '.%s' on '%s' requires PTX ISA .version 7.4 or later", w, c.Row.Name)
	}
	if c.Lacks(0, 80) {
		c.Errorf("Modifier '.%s' on '%s' requires .target sm_80 or higher", w, c.Row.Name)
	}
}

// oldSpaces: spaces that came later to cvta and isspacep are also no spaces
// of theirs before.
func oldSpaces(c *row.Checker) {
	s := c.In.Space()
	if s == isa.SpaceConst && c.Ctx.Version < 31 || s.Base() == isa.SpaceParam && c.Lacks(77, 70) {
		c.Errorf("State space incorrect for instruction '%s'", c.Row.Name)
	}
}

// movVector: a vector stands on one side only, unless .v2 or .v4 says that
// both are vectors.
func movVector(c *row.Checker) {
	d, a := &c.In.Args[0], &c.In.Args[1]
	if c.In.Has(isa.SlotVec) {
		return
	}
	if d.Kind == isa.KVector && a.Kind == isa.KVector {
		c.Errorf("Illegal vector-vector operands for vector-scalar or scalar-vector mov instruction")
	}
}
