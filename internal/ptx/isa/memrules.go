package isa

import "math"

// Rules of loads, stores and other operations on memory.

func hasPref(c *checker) bool    { return c.in.Has(SlotPref) }
func hasCop(c *checker) bool     { return c.in.Has(SlotCop) }
func hasEvict2(c *checker) bool  { return c.in.Has(SlotEvict2) }
func paramSpace(c *checker) bool { return c.in.Space().Base() == SpaceParam }

// wide256: a vector of more than 128 bits.
func wide256(c *checker) bool { return c.in.Vec()*c.in.Types[0].Bits() == 256 }

// hintSpace: cache hints are for global memory.
func hintSpace(c *checker) {
	in := c.in
	if in.early&eHint == 0 {
		return
	}
	if s := in.Space(); s != Generic && s != SpaceGlobal {
		c.errorf("Modifier '.L2::cache_hint' cannot be applied to '%s' space for instruction '%s'", s, c.row.Name)
	}
	if in.Mod(SlotSem) == WVolatile {
		c.errorf("Modifier '.L2::cache_hint' cannot be combined with modifier '.volatile'")
	}
}

// prefSpace: so is prefetching, and 256 bytes need sm_80.
func prefSpace(c *checker) {
	if !c.in.Has(SlotPref) {
		return
	}
	if s := c.in.Space(); s != Generic && s != SpaceGlobal {
		c.errorf("State space incorrect for feature 'cache prefetching'")
	}
	pref256Target(c)
}

// pref256Target: prefetching 256 bytes needs sm_80.
func pref256Target(c *checker) {
	if c.in.Mod(SlotPref) == WL2256B && c.lacks(0, 80) && !c.lacks(0, 75) {
		c.errorf("Modifier '.L2::256B' requires .target sm_80 or higher")
	}
}

// evictRules: eviction priorities are for global memory, exclude other cache
// operations, and those of the second level need 256-bit vectors.
func evictRules(c *checker) {
	in := c.in
	if in.Has(SlotEvict) {
		c.evictOn(in.Mod(SlotEvict), 70)
	}
	if !in.Has(SlotEvict2) {
		return
	}
	w := in.Mod(SlotEvict2)
	t := in.Types[0].Bits()
	if !(t == 32 && in.Vec() == 8 || t == 64 && in.Vec() == 4) {
		c.errorf("Instruction '%s' requires '.v8.b32/.v4.b64' type with '.%s' modifier.", c.row.Name, w)
	}
	if w == WL2EvictUnchanged {
		c.illegal("." + w.String())
	}
}

func (c *checker) evictOn(w Word, sm int) {
	in := c.in
	name := spelled(w)
	if c.ctx.Version < 74 {
		c.errorf("Modifier '.%s' on '%s' requires PTX ISA .version 7.4 or later", name, c.row.Name)
	}
	if c.ctx.SM < sm {
		c.errorf("Modifier '.%s' on '%s' requires .target sm_%d or higher", name, c.row.Name, sm)
	}
	if s := in.Space(); s != Generic && s != SpaceGlobal {
		c.errorf("Modifier '.%s' cannot be applied to '%s' space", name, s)
	}
	if in.Has(SlotCop) {
		c.errorf("Modifier '.%s' cannot be combined with modifier '.%s'", name, in.Mod(SlotCop))
	}
	if in.Mod(SlotSem) == WVolatile {
		c.errorf("Modifier '.%s' cannot be combined with modifier '.volatile'", name)
	}
}

// wideSpace: 256-bit vectors are for global memory.
func wideSpace(c *checker) {
	if !wide256(c) {
		return
	}
	if s := c.in.Space(); s != Generic && s != SpaceGlobal {
		c.errorf("global state space expected for feature '256 bit wide load/store'")
	}
}

// semOfLoad and semOfStore: which orders go with which direction.
func semOfLoad(c *checker)  { c.semOf(WRelaxed, WAcquire) }
func semOfStore(c *checker) { c.semOf(WRelaxed, WRelease) }

func (c *checker) semOf(a, b Word) {
	in := c.in
	if !in.Has(SlotSem) {
		return
	}
	w := in.Mod(SlotSem)
	s := in.Space()
	if w != WWeak && (s == SpaceLocal || s == SpaceConst || s.Base() == SpaceParam) {
		c.errorf("Modifier '.%s' cannot be applied to '%s' space", w, s)
	}
	if w != a && w != b && w != WWeak && w != WVolatile {
		c.illegal("." + w.String())
	}
}

// orderAndScope: an order needs a scope and a scope an order; .volatile and
// .weak have none; .mmio is relaxed and of the whole system.
func orderAndScope(c *checker) {
	in := c.in
	sem, scope := in.Mod(SlotSem), in.Mod(SlotScope)
	weak := sem == WWeak || sem == WVolatile
	if in.Has(SlotMmio) {
		c.mmioRules(sem, scope)
	}
	switch {
	case weak && scope != WNone:
		c.errorf("Modifier '.%s' cannot be combined with modifier '.%s'", sem, scope)
	case sem == WNone && in.Has(SlotMmio) && scope == WNone:
		c.errorf("Modifier '.mmio' requires scope with '%s' instruction", c.row.Name)
	case sem != WNone && !weak && scope == WNone:
		c.errorf("Modifier '.%s' requires scope with '%s' instruction", sem, c.row.Name)
	case sem == WNone && scope == WGl:
		c.illegal(".gl")
	case sem == WNone && scope != WNone && !in.Has(SlotMmio):
		c.errorf("Modifier '.%s' requires memory order with '%s' instruction", scope, c.row.Name)
	}
}

func (c *checker) mmioRules(sem, scope Word) {
	if s := c.in.Space(); s != Generic && s != SpaceGlobal {
		c.errorf("Modifier '.mmio' cannot be applied to '%s' space", s)
	}
	if sem != WRelaxed {
		c.errorf("Modifier '.mmio' requires modifier '.relaxed' for instruction '%s'", c.row.Name)
	}
	if scope != WNone && scope != WSys && sem == WRelaxed {
		c.errorf("Modifier '.mmio' cannot be combined with modifier '.%s'", scope)
	}
}

// ncRules: .nc is for global memory and plain loads.
func ncRules(c *checker) {
	in := c.in
	if !in.Has(SlotNc) {
		return
	}
	if in.Space() != SpaceGlobal {
		c.errorf("Modifier '.nc' requires .global space")
	}
	if w := in.Mod(SlotCop); w == WCv || w == WLu {
		c.errorf("Illegal cache operation for instruction '%s.nc'", c.row.Name)
	}
}

// copRules: loads have .ca .cg .cs .lu .cv, stores .wb .cg .cs .wt, and an
// order excludes them.
func copRules(c *checker) {
	in := c.in
	if !in.Has(SlotCop) {
		return
	}
	w := in.Mod(SlotCop)
	load := c.row.Name == "ld"
	switch w {
	case WCa, WLu, WCv:
		if !load {
			c.illegal("." + w.String())
		}
	case WWb, WWt:
		if load {
			c.illegal("." + w.String())
		}
	}
	if s := in.Mod(SlotSem); s != WNone && s != WWeak {
		c.errorf("Modifier '.%s' cannot be combined with modifier '.%s'", s, w)
	}
}

// weakOnly: st.bulk is weak or says nothing.
func weakOnly(c *checker) {
	if w := c.in.Mod(SlotSem); w != WNone && w != WWeak {
		c.illegal("." + w.String())
	}
}

// asyncOldSpace: .global came late to st.async and red.async.
func asyncOldSpace(c *checker) {
	if c.in.Space() == SpaceGlobal && c.lacks(87, 100) {
		c.errorf("State space incorrect for instruction '%s'", c.row.Name)
	}
}

// asyncDone: the form on shared memory signals a barrier, the one on global
// memory does not.
func asyncDone(c *checker) {
	in := c.in
	if !in.Has(SlotMmio) && !in.Has(SlotDone) && in.Mod(SlotSem) != WRelease {
		c.errorf("Modifier '.shared::cluster' requires modifier '.completion_mechanism' for instruction '%s'", c.row.Name)
	}
}

// asyncNeeds: red.async names an order and a scope, and signals a barrier
// unless it releases.
func asyncNeeds(c *checker) {
	in := c.in
	sem, scope := in.Mod(SlotSem), in.Mod(SlotScope)
	if scope != WNone && sem != WRelease && !in.Has(SlotMmio) && !in.Has(SlotDone) {
		c.errorf("Modifier '.%s' requires modifier '.completion_mechanism' for instruction 'red.async'", scope)
	}
	switch {
	case in.Has(SlotMmio):
	case sem == WNone:
		c.errorf("order modifier required for instruction 'red.async'")
	case scope == WNone:
		c.errorf("Modifier '.%s' requires scope with 'red.async' instruction", sem)
	}
}

// asyncSem: on shared memory red.async is relaxed and st.async weak; on
// global memory both release.
func asyncSem(c *checker) {
	in := c.in
	sem, scope := in.Mod(SlotSem), in.Mod(SlotScope)
	if sem == WRelease && c.lacks(87, 100) {
		c.illegal(".release")
	}
	if in.Has(SlotMmio) {
		if sem != WRelease {
			if sem != WNone {
				c.errorf("Modifier '.mmio' cannot be combined with modifier '.%s'", sem)
			}
			c.errorf("Modifier '.mmio' requires modifier '.release' for instruction '%s'", c.row.Name)
		}
		if scope == WNone {
			c.errorf("Modifier '.mmio' requires scope with '%s' instruction", c.row.Name)
		}
		return
	}
	switch {
	case in.Op == WRed: // asyncNeeds says it
	case sem == WRelaxed || sem == WAcquire || sem == WAcqRel || sem == WSc || sem == WVolatile:
		c.illegal("." + sem.String())
	case sem == WWeak && scope != WNone:
		c.errorf("Modifier '.weak' cannot be combined with modifier '.%s'", scope)
	}
}

// asyncScope: what signals a barrier stays in the cluster; wider scopes are
// those of global memory.
func asyncScope(c *checker) {
	in := c.in
	scope := in.Mod(SlotScope)
	switch {
	case in.Has(SlotMmio) || in.Mod(SlotSem) == WRelease:
	case scope == WCta:
		c.illegal(".cta")
	case scope == WGpu || scope == WSys:
		if s := in.Space(); s != SpaceGlobal && s != Generic {
			c.errorf("Modifier '.%s' requires '.global' space for instruction '%s'", scope, c.row.Name)
		}
		if in.Has(SlotDone) {
			c.errorf("Illegal modifier '.%s' for instruction '%s' with '.%s'", in.Mod(SlotDone), c.row.Name, scope)
		}
	}
}

// prefetchLevel: prefetch names a cache level or an eviction priority.
func prefetchLevel(c *checker) {
	if !c.in.Has(SlotLevel) && !c.in.Has(SlotEvict2) {
		c.errorf("Cache level modifier required for instruction '%s'", c.row.Name)
	}
}

// prefetchEvict: an eviction priority says the level itself.
func prefetchEvict(c *checker) {
	if w := c.in.Mod(SlotLevel); w != WNone && (c.in.Has(SlotEvict2) || c.in.Has(SlotEvict)) {
		c.errorf("Illegal modifier '.%s' for instruction '%s' with '.level::eviction_priority'", w, c.row.Name)
	}
}

// bytes128: the size operand of discard and applypriority is one line.
func bytes128(c *checker) {
	if o := &c.in.Args[1]; o.Kind == KInt && o.Value != 128 {
		c.errorf("Argument 2 of instruction '%s': unexpected value '%d', expected to be 128", c.row.Name, o.Value)
	}
}

// policyEvict: the priorities of createpolicy.
func policyEvict(c *checker) {
	in := c.in
	if !in.Has(SlotEvict2) {
		return
	}
	first, second := in.Evictions()
	if first == WNone {
		first, second = second, WNone
	}
	c.policyGate(first)
	if second == WNone {
		return
	}
	c.policyGate(second)
	if second != WL2EvictFirst && second != WL2EvictUnchanged {
		c.errorf("Unsupported modifier '.%s' as secondary_priority for instruction '%s'", spelled(second), c.row.Name)
	}
}

// policyFraction: a part of the accesses, not none of them.
func policyFraction(c *checker) {
	if len(c.in.Args) < 2 {
		return
	}
	o := &c.in.Args[1]
	var v float64
	switch o.Kind {
	case KDouble:
		v = math.Float64frombits(uint64(o.Value))
	case KSingle:
		v = float64(math.Float32frombits(uint32(o.Value)))
	default:
		return
	}
	if !(v > 0 && v <= 1) {
		c.errorf("Argument 2 of instruction '%s': value '%f' out of range, expected to be in range (0.000000 .. 1.000000]", c.row.Name, v)
	}
}

func (c *checker) policyGate(w Word) {
	if c.ctx.Version < 74 {
		c.errorf("Modifier '.%s' on '%s' requires PTX ISA .version 7.4 or later", w, c.row.Name)
	}
	if c.lacks(0, 80) {
		c.errorf("Modifier '.%s' on '%s' requires .target sm_80 or higher", w, c.row.Name)
	}
}

// oldSpaces: spaces that came later to cvta and isspacep are also no spaces
// of theirs before.
func oldSpaces(c *checker) {
	s := c.in.Space()
	if s == SpaceConst && c.ctx.Version < 31 || s.Base() == SpaceParam && c.lacks(77, 70) {
		c.errorf("State space incorrect for instruction '%s'", c.row.Name)
	}
}

// movVector: a vector stands on one side only, unless .v2 or .v4 says that
// both are vectors.
func movVector(c *checker) {
	d, a := &c.in.Args[0], &c.in.Args[1]
	if c.in.Has(SlotVec) {
		return
	}
	if d.Kind == KVector && a.Kind == KVector {
		c.errorf("Illegal vector-vector operands for vector-scalar or scalar-vector mov instruction")
	}
}
