package isa

// late runs the checks of the third stage in slot order.
func (c *checker) late() {
	in, row := c.in, c.row
	if c.quiet && c.clean() {
		for i := range row.Gates {
			c.gate(&row.Gates[i])
		}
		for i := range row.Rules {
			row.Rules[i].Do(c)
		}
		for _, w := range in.Mods[len(row.Words):] {
			if wordGates[w].late != nil {
				c.wordGate(w, false)
			}
		}
		c.quickGeneral()
		return
	}
	if c.quiet {
		c.bad++
		return
	}
	for s := lastEarly; s < NumSlots; s++ {
		c.slotIllegal(s)
		c.slotNeed(s)
		c.generalAt(s)
		for i := range row.Gates {
			if row.Gates[i].At == s || s == SlotDim && row.Gates[i].At == NoSlot {
				c.gate(&row.Gates[i])
			}
		}
		for i := range row.Rules {
			if row.Rules[i].At == s || s == SlotDim && row.Rules[i].At == NoSlot {
				row.Rules[i].Do(c)
			}
		}
	}
	c.operandsLate()
}

// clean reports whether every slot set is allowed and every slot needed is
// set.
func (c *checker) clean() bool {
	row, in := c.row, c.in
	for _, s := range row.Need {
		if !in.Has(s) {
			return false
		}
	}
	for _, s := range c.form.Need {
		if !in.Has(s) {
			return false
		}
	}
	for _, w := range in.Mods[len(row.Words):] {
		s := w.Slot()
		if s <= lastEarly || s >= SlotFree {
			continue
		}
		if !c.takes(s) {
			return false
		}
		c.slotValue(s, w)
	}
	return true
}

// slotIllegal complains about a slot that is set and not allowed.
func (c *checker) slotIllegal(s Slot) {
	in := c.in
	if s <= lastEarly || s >= SlotFree || !in.Has(s) {
		return
	}
	w := in.val[s]
	if c.takes(s) {
		if s != SlotNaN { // gated with the rounding
			c.wordGate(w, false)
		}
		c.slotValue(s, w)
		return
	}
	if gateFirst(s) {
		c.wordGate(w, false)
	} else {
		defer c.wordGate(w, false)
	}
	c.slotRefused(s, w)
}

// slotRefused says how a slot is refused; some have their own words, some
// are refused twice.
func (c *checker) slotRefused(s Slot, w Word) {
	in, row := c.in, &slotRows[s]
	switch s {
	case SlotCc:
		c.illegal(".cc")
		c.ccType()
	case SlotSpace:
		c.errorf("No state space qualifier expected for instruction '%s'", c.row.Name)
	case SlotVec:
		c.errorf("Vector qualifier is not allowed for instruction '%s'", c.row.Name)
	case SlotCmp:
		c.errorf("Comparison qualifier is not allowed for instruction '%s'", c.row.Name)
		c.cmpType()
	case SlotRound:
		c.errorf("Illegal rounding modifier for instruction '%s'", c.row.Name)
		if w == WRs {
			c.illegal(".rs")
		}
	case SlotQuery:
		c.errorf("Illegal query modifier for instruction '%s'", c.row.Name)
		if w != WMemoryLayout {
			c.errorf("Illegal query modifier for instruction '%s'", c.row.Name)
		}
	case SlotEvict, SlotEvict2:
		c.illegal(slotRows[SlotEvict].illegal) // and by its name when spaces are done
	case SlotGeom:
		c.illegal("Geometry")
		if w == W2dms || w == WA2dms {
			c.illegal("Multi-sample geometry")
		} else {
			c.illegal("." + w.String())
		}
	case SlotXorsign, SlotAbs:
		c.illegal("." + w.String())
		xorsignAlone(c)
	case SlotMmio:
		if !in.Has(SlotSpace) {
			c.errorf("Modifier '.mmio' cannot be applied to '' space")
		}
		c.illegal(".mmio")
	case SlotClamp:
		c.illegal("Clamp")
		if w != WClamp && w != WWrap || c.row.Flags&fSel == 0 {
			c.illegal("Clamp")
		}
	case SlotAsync:
		c.illegal(".async")
		if c.row.Name != "membar.proxy" {
			c.illegal(".async")
		}
	case SlotMbar:
		c.illegal(".mbarrier")
		c.errorf("Unknown modifier '.mbarrier'")
	case SlotLevel, SlotScope, SlotCop:
		if s == SlotLevel && w != WL2 && c.row.takes(SlotEvict) {
			c.illegalWord(row, w)
		}
		c.illegalWord(row, w)
		c.illegalWord(row, w)
	default:
		c.illegalWord(row, w)
		if w == WSpOrderedMetadata {
			c.illegalWord(row, w)
		}
	}
}

func (c *checker) illegalWord(row *slotRow, w Word) {
	if row.illegal != "" {
		c.illegal(row.illegal)
		return
	}
	c.illegal("." + spelled(w))
}

// illegal complains about a modifier by its name.
func (c *checker) illegal(name string) {
	c.errorf("Illegal modifier '%s' for instruction '%s'", name, c.row.Name)
}

// slotNeed complains about a slot that is required and not set.
func (c *checker) slotNeed(s Slot) {
	if c.in.Has(s) {
		return
	}
	for _, n := range c.row.Need {
		if n == s {
			c.errorf("%s for instruction '%s'", slotRows[s].need, c.row.Name)
		}
	}
	for _, n := range c.form.Need {
		if n == s {
			c.errorf("%s for instruction '%s'", slotRows[s].need, c.row.Name)
		}
	}
}

// cmpType complains about a comparison that the type does not have.
func (c *checker) cmpType() {
	in := c.in
	t := TNone
	if in.NTypes > 0 {
		t = in.Types[in.NTypes-1]
	}
	w := in.val[SlotCmp]
	ok := true
	switch w {
	case WEq, WNe:
	case WLt, WLe, WGt, WGe:
		ok = t.Class() != Bits
	case WLo, WLs, WHi, WHs:
		ok = t.Class() == Unsigned
	default:
		ok = t.IsFloat()
	}
	if !ok {
		c.errorf("Mismatch between instruction type and comparison qualifier")
	}
}

// slotValue complains about a word that its slot does not take here.
func (c *checker) slotValue(s Slot, w Word) {
	in := c.in
	switch s {
	case SlotRound:
		c.roundValue(w)
	case SlotSat:
		if t := in.Types[0]; t != S32 && (t.IsInt() || t.Class() == PackedInt) && c.row.Flags&fConvert == 0 {
			c.errorf("Modifier '.sat' does not apply to '%s' type", t)
		}
	case SlotCc:
		c.ccType()
	}
}

// ccType: the carry is that of 32 and 64-bit integer operations.
func (c *checker) ccType() {
	in := c.in
	if t := in.Types[0]; !t.IsInt() || t.Bits() < 32 {
		c.errorf("Modifier '.cc' applies only to %s integer types", c.row.Name)
	}
	if in.Has(SlotSat) {
		c.errorf("Modifier '.cc' cannot be combined with modifier '.sat'")
	}
}

// roundValue complains about a rounding the form or the target lacks.
func (c *checker) roundValue(w Word) {
	in := c.in
	r := roundOf(w)
	t := in.Types[0]
	bad := r&c.form.Rnd == 0
	if c.row.Flags&fConvert == 0 {
		updown := r&(rRM|rRP) != 0
		bad = bad || c.lacks(0, 13) && t == F64 && updown || c.lacks(0, 20) && t == F32 && (updown || in.Op == WMad)
	}
	switch {
	case w == WRs && c.form.Rnd == rFloat:
		c.illegal(".rs")
	case bad:
		c.errorf("Illegal rounding modifier for instruction '%s'", c.row.Name)
	}
	if (t == F16 || t == F16x2) && r&(rRZ|rRM|rRP|rRS) != 0 && c.row.Flags&fConvert == 0 {
		c.errorf("Illegal rounding modifier for instruction '%s'", c.row.Name)
	}
}

// quickGeneral runs the general checks, leaving out those of operands where
// all operands are plain.
func (c *checker) quickGeneral() {
	in, row := c.in, c.row
	if c.odd || in.Has(SlotVec) || in.Has(SlotOp) || in.early&eRelu != 0 || in.Has(SlotNc) || in.Has(SlotOob) || row.Ranges != nil || row.Flags&fPairMust != 0 {
		for _, s := range generalSlots {
			c.generalAt(s)
		}
		c.operandsLate()
		return
	}
	c.spaces()
	if row.Flags&fSigned != 0 {
		c.generalAt(SlotCc)
	}
	if in.Has(SlotSem) || in.Has(SlotScope) {
		c.generalAt(SlotSem)
	}
	for i := range in.Args {
		if o := &in.Args[i]; o.Kind == KAddr {
			if r := &argRows[c.letter(i)]; r.kinds&kReg != 0 {
				c.operandsLate()
				return
			}
		}
	}
}

// generalSlots are those where generalAt has something to say.
var generalSlots = [...]Slot{SlotLevel, SlotSpace, SlotVec, SlotLayout, SlotCmp, SlotSem, SlotMmio, SlotCc, SlotOob, SlotPo}

// generalAt runs the checks that every instruction undergoes at a slot.
func (c *checker) generalAt(s Slot) {
	switch s {
	case SlotSpace:
		c.spaces()
	case SlotVec:
		c.vecSize()
	case SlotLayout:
		c.specialArgs()
		c.vecResult()
		c.pairs()
	case SlotCmp:
		c.lateOp()
		if !c.in.Has(SlotVec) || len(c.in.Args) == 0 || !c.in.Args[0].IsConst() {
			c.constResult()
		}
	case SlotSem:
		if w := c.in.Mod(SlotSem); w != WNone && c.takes(SlotSem) {
			c.semGate(w)
		}
		if c.in.Mod(SlotScope) == WCluster && c.takes(SlotScope) {
			c.gate(&gScopeCluster)
		}
	case SlotCc:
		if c.row.Flags&fSigned != 0 && c.in.Types[max(c.in.NTypes, 1)-1].Class() == Unsigned {
			c.errorf("Instruction '%s' applies only to signed numeric types", c.row.Name)
		}
	case SlotOob:
		if c.in.Has(SlotFtz) && c.in.Has(SlotOob) {
			c.errorf("Modifier '.ftz' cannot be combined with modifier '.oob'")
		}
	case SlotMmio:
		if w := c.in.Mod(SlotSem); c.in.Has(SlotNc) && w != WNone {
			c.errorf("Modifier '.%s' cannot be combined with modifier '.nc'", w)
		}
	case SlotPo:
		c.negations()
	case SlotUni:
		for _, s := range [...]Slot{SlotEvict, SlotEvict2} {
			if c.in.Has(s) && !c.takes(s) {
				c.illegal("." + spelled(c.in.val[s]))
			}
		}
	case SlotLevel:
		if c.in.early&eRelu != 0 {
			c.gate(&gRelu)
		}
	case SlotRound:
		if c.in.Has(SlotNaN) && c.takes(SlotNaN) {
			c.wordGate(WNaN, false)
		}
	}
}

var (
	gRelu         = Gate{Name: ".relu", V: 70, SM: 80, Mod: true}
	gScopeCluster = Gate{Name: ".cluster scope", V: 78, SM: 90, TargetFirst: true}
	gSem          = Gate{V: 60, SM: 70}
	gVolatile     = Gate{Name: ".volatile", V: 11}
)

// semGate: memory orders came with PTX 6.0 and sm_70.
func (c *checker) semGate(w Word) {
	switch w {
	case WVolatile:
		c.gate(&gVolatile)
	default:
		if c.lacks(60, 70) {
			g := gSem
			g.Name, g.Plain = "."+w.String(), true
			c.gate(&g)
		}
	}
}

// lateOp: inc, dec and exch are operations of atomics only, and no early
// words.
func (c *checker) lateOp() {
	if w := c.in.Mod(SlotOp); w != WNone && earlyOf[w] == 0 && !c.row.takes(SlotOp) {
		c.redName()
	}
}

// gateFirst tells the slots whose words are gated before they are found
// illegal; of the others the gate comes after.
func gateFirst(s Slot) bool {
	switch s {
	case SlotWarpx, SlotTask, SlotPack, SlotMask, SlotInit, SlotRestrict, SlotKind, SlotBlock, SlotScale,
		SlotAshift, SlotCollA, SlotCollB:
		return true
	}
	return false
}

// xorsignAlone: each of .xorsign and .abs wants the other.
func xorsignAlone(c *checker) {
	x, a := c.in.Has(SlotXorsign), c.in.Has(SlotAbs)
	if x && !a {
		c.errorf("Modifier '.xorsign' requires modifier '.abs'")
	}
	if a && !x {
		c.errorf("Modifier '.abs' requires modifier '.xorsign'")
	}
}

// redName complains about a reduction by name and types.
func (c *checker) redName() {
	name := c.row.Name
	for i, t := range c.types() {
		if i < 2 {
			name += t.String()
		}
	}
	c.errorf("Illegal reduction operation for instruction '%s'", name)
}

func needSync(c *checker) {
	if c.in.early&eSync == 0 {
		c.errorf(".sync modifier required for instruction '%s'", c.row.Name)
	}
}
