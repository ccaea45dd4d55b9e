package isa

// Words that are right alone and wrong together.

// mmioAlone: an access to a device is what it says, no more.
func mmioAlone(c *checker) {
	in := c.in
	if !in.Has(SlotMmio) {
		return
	}
	if w := in.Mod(SlotPref); w != WNone {
		c.errorf("Modifier '.%s' cannot be combined with modifier '.mmio'", w)
	}
	if w := in.Mod(SlotEvict); w != WNone {
		c.errorf("Modifier '.%s' cannot be combined with modifier '.mmio'", spelled(w))
	}
	if in.early&eHint != 0 {
		c.errorf("Modifier '.L2::cache_hint' cannot be combined with modifier '.mmio'")
	}
	if in.Has(SlotVec) {
		c.errorf("Modifier '.mmio' cannot be combined with modifier '.v%d'", in.Vec())
	}
}

// prefetchSpace: constants and parameters hold tensor maps only, other
// memory holds none; local memory has no eviction priority.
func prefetchSpace(c *checker) {
	in := c.in
	s := in.Space()
	tensor := in.Mod(SlotLevel) == WTensormap
	switch {
	case tensor && (s == SpaceGlobal || s == SpaceLocal):
		c.errorf("Modifier '.tensormap' cannot be applied to '%s' space for instruction 'prefetch'", s)
	case !tensor && (s == SpaceConst || s.Base() == SpaceParam):
		c.errorf("State space incorrect for instruction 'prefetch'")
	case s == SpaceLocal && in.Has(SlotEvict2):
		c.errorf("State space incorrect for feature 'cache eviction priority'")
	}
}

// onlyL1 and onlyL2: operations of one level of the caches.
func onlyL1(c *checker) { c.onlyLevel(WL1) }
func onlyL2(c *checker) { c.onlyLevel(WL2) }

func (c *checker) onlyLevel(level Word) {
	if w := c.in.Mod(SlotLevel); w != WNone && w != level {
		c.illegal("." + w.String())
	}
}

// onlyNormal: a priority is only ever taken back.
func onlyNormal(c *checker) {
	if w := c.in.Mod(SlotEvict2); w != WNone && w != WL2EvictNormal {
		c.errorf("Unsupported modifier '.%s' for instruction '%s'", spelled(w), c.row.Name)
	}
}

// symbolSpace: the address of a variable is in the space of the variable.
func symbolSpace(c *checker) {
	o := &c.in.Args[1]
	if o.Kind != KSymbol {
		return
	}
	if o.Space.Base() != c.in.Space().Base() {
		c.errorf("State space mismatch between instruction and address in instruction '%s'", c.row.Name)
	}
}

// sharedSymbol: a variable whose place in a cluster is asked for lies in
// shared memory, whether the instruction says so or not.
func sharedSymbol(c *checker) {
	o := &c.in.Args[1]
	if s := o.Space.Base(); o.Kind == KSymbol && s != SpaceShared && s != Generic {
		c.errorf("State space mismatch between instruction and address in instruction '%s'", c.row.Name)
	}
}

// movHandle: the handle of a texture or surface is a number of 64 bits.
func movHandle(c *checker) {
	o := &c.in.Args[1]
	if o.Kind != KSymbol || c.in.Types[0] == U64 {
		return
	}
	switch o.Type {
	case Texref:
		c.errorf("Indirect access to texture requires .u64 type")
	case Surfref:
		c.errorf("Indirect access to surface requires .u64 type")
	case Samplerref:
		c.errorf("Indirect access to sampler requires .u64 type")
	}
}

// atomVectorKind: vectors are of floats of up to 32 bits in global memory.
func atomVectorKind(c *checker) {
	in := c.in
	if !in.Has(SlotVec) {
		return
	}
	if !(tHalves | tF32).has(in.Types[0]) {
		c.errorf("Vector qualifier is not allowed for instruction '%s'", c.row.Name)
		return
	}
	if in.Space().Base() == SpaceShared {
		c.errorf("State space incorrect for feature '%s instruction with vector types'", c.row.Name)
	}
}

// casHint: comparing atomics take no policy, and a fourth operand of others
// is one.
func casHint(c *checker) {
	in := c.in
	op := in.Mod(SlotOp)
	switch {
	case op == WCas && in.early&eHint != 0:
		c.illegal(".L2::cache_hint")
	case op != WCas && in.early&eHint == 0 && len(in.Args) == 4:
		c.errorf(".L2::cache_hint modifier required for instruction 'atom' with 4 arguments")
	}
}

// mbSink: what another block's barrier was is not told.
func mbSink(c *checker) {
	in := c.in
	if in.Space() == SpaceSharedCluster && in.Args[0].Kind != KSink {
		c.errorf("Sink '_' is expected as a destination operand for instruction '%s' with '.shared::cluster'", c.row.Name)
	}
}

// mbLocal: an arrival that completes nothing stays in its block and
// releases.
func mbLocal(c *checker) {
	in := c.in
	if !in.Has(SlotNocomp) {
		return
	}
	if w := in.Mod(SlotSem); w == WRelaxed {
		c.errorf("Modifier '.relaxed' cannot be combined with modifier '.noComplete'")
	} else if in.Mod(SlotScope) == WCluster {
		c.errorf("Modifier '.cluster' cannot be combined with modifier '.noComplete'")
	}
}

// fenceRestrict and proxyRestrict: the restriction is to the memory that the
// order is about, the cluster's for acquiring and the block's for releasing.
func fenceRestrict(c *checker) {
	sem, w := c.in.Mod(SlotSem), c.in.Mod(SlotRestrict)
	if sem == WAcquire && w == WSyncRestrictSharedCta || sem == WRelease && w == WSyncRestrictSharedCluster {
		c.errorf("Modifier '.%s' cannot be combined with modifier '.%s'", w, sem)
	}
}

func proxyRestrict(c *checker) {
	if !oneWayProxy(c) {
		return
	}
	sem, w := c.in.Mod(SlotSem), c.in.Mod(SlotRestrict)
	want := WNone
	switch {
	case sem == WNone:
		c.errorf(".acquire/.release modifier required for instruction 'fence.proxy'")
		return
	case sem == WAcquire:
		want = WSyncRestrictSharedCluster
	case sem == WRelease:
		want = WSyncRestrictSharedCta
	}
	if w != WNone && w != want && want != WNone {
		c.errorf(".%s modifier required for instruction 'fence.proxy'", want)
	}
}

// texKind: what the ways to read a texture do not do with all geometries.
func texKind(c *checker) {
	in := c.in
	w := in.Mod(SlotGeom)
	if (w == W2dms || w == WA2dms) && c.row.Name == "tex.level" {
		c.illegal("Multi-sample geometry")
	}
	if cubeGeometry(c) && in.NTypes > 1 && in.Types[1] != F32 {
		c.errorf("Floating-point coordinates required")
	}
	cubeOffset(c)
	if c.row.Name == "tex.grad" && len(in.Args) > 3 && in.Args[3].Kind != KVector {
		c.errorf("Vector expected for argument 3")
	}
}

// cubeOffset: the faces of a cube have no offsets.
func cubeOffset(c *checker) {
	if !cubeGeometry(c) || !texHasExtra(c) {
		return
	}
	if c.in.Args[texNeeds(c)].Kind == KVector {
		c.illegal("." + c.in.Mod(SlotGeom).String())
	}
}

// queryHandle: a query names what it asks about, a texture or its sampler.
// Only beside independent textures samplers have names of their own.
func queryHandle(c *checker) {
	o := &c.in.Args[1]
	if o.Kind != KAddr || o.Base != KSymbol {
		return
	}
	sampler := false
	switch c.in.Mod(SlotQuery) {
	case WFilterMode, WAddrMode0, WAddrMode1, WAddrMode2:
		sampler = !c.ctx.Unified
	case WForceUnnormalizedCoords:
		if c.ctx.Unified {
			c.errorf("Argument 1 of instruction '%s': .samplerref expected", c.row.Name)
			return
		}
		sampler = true
	}
	want := Texref
	if sampler {
		want = Samplerref
	}
	if o.Type != want {
		c.errorf("Argument 1 of instruction '%s': %s or .u64 register expected", c.row.Name, want)
	}
}
