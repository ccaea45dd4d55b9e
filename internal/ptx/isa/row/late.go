package row

import (
	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// late runs the checks of the third stage in slot order.
func (c *Checker) late() {
	in, row := c.In, c.Row
	if c.quiet && c.clean() {
		for i := range row.Gates {
			c.Gate(&row.Gates[i])
		}
		for i := range row.Rules {
			row.Rules[i].Do(c)
		}
		for _, w := range in.Mods[len(row.Words):] {
			if wordGates[w].late != nil {
				c.WordGate(w, false)
			}
		}
		c.quickGeneral()
		return
	}
	if c.quiet {
		c.bad++
		return
	}
	for s := isa.LastEarly; s < isa.NumSlots; s++ {
		c.slotIllegal(s)
		c.slotNeed(s)
		c.generalAt(s)
		for i := range row.Gates {
			if row.Gates[i].At == s || s == isa.SlotDim && row.Gates[i].At == isa.NoSlot {
				c.Gate(&row.Gates[i])
			}
		}
		for i := range row.Rules {
			if row.Rules[i].At == s || s == isa.SlotDim && row.Rules[i].At == isa.NoSlot {
				row.Rules[i].Do(c)
			}
		}
	}
	c.operandsLate()
}

// clean reports whether every slot set is allowed and every slot needed is
// set.
func (c *Checker) clean() bool {
	row, in := c.Row, c.In
	for _, s := range row.Need {
		if !in.Has(s) {
			return false
		}
	}
	for _, s := range c.Form.Need {
		if !in.Has(s) {
			return false
		}
	}
	for _, w := range in.Mods[len(row.Words):] {
		s := w.Slot()
		if s <= isa.LastEarly || s >= isa.SlotFree {
			continue
		}
		if !c.Takes(s) {
			return false
		}
		c.slotValue(s, w)
	}
	return true
}

// slotIllegal complains about a slot that is set and not allowed.
func (c *Checker) slotIllegal(s isa.Slot) {
	in := c.In
	if s <= isa.LastEarly || s >= isa.SlotFree || !in.Has(s) {
		return
	}
	w := in.val[s]
	if c.Takes(s) {
		if s != isa.SlotNaN { // gated with the rounding
			c.WordGate(w, false)
		}
		c.slotValue(s, w)
		return
	}
	if gateFirst(s) {
		c.WordGate(w, false)
	} else {
		if s != isa.SlotLevel && s != isa.SlotXorsign {
			defer c.WordGate(w, false)
		}
	}
	c.slotRefused(s, w)
}

// slotRefused says how a slot is refused; some have their own words, some
// are refused twice.
func (c *Checker) slotRefused(s isa.Slot, w isa.Word) {
	row := &slotRows[s]
	switch s {
	case isa.SlotCc:
		c.Illegal(".cc")
		c.ccType()
	case isa.SlotSpace:
		c.Errorf("No state space qualifier expected for instruction '%s'", c.Row.Name)
	case isa.SlotVec:
		c.Errorf("Vector qualifier is not allowed for instruction '%s'", c.Row.Name)
	case isa.SlotCmp:
		c.Errorf("Comparison qualifier is not allowed for instruction '%s'", c.Row.Name)
		c.CmpType()
	case isa.SlotRound:
		c.Errorf("Illegal rounding modifier for instruction '%s'", c.Row.Name)
		if w == isa.WRs {
			c.Illegal(".rs")
		}
	case isa.SlotQuery:
		c.Errorf("Illegal query modifier for instruction '%s'", c.Row.Name)
		if w != isa.WMemoryLayout {
			c.Errorf("Illegal query modifier for instruction '%s'", c.Row.Name)
		}
	case isa.SlotEvict, isa.SlotEvict2:
		if s == isa.SlotEvict && c.Takes(isa.SlotEvict2) || s == isa.SlotEvict2 && c.In.Has(isa.SlotEvict) {
			return // of two it is their number, or the first is told of
		}
		c.Illegal(slotRows[isa.SlotEvict].illegal) // and by its name when spaces are done
	case isa.SlotGeom:
		c.Illegal("Geometry")
		if w == isa.W2dms || w == isa.WA2dms {
			c.Illegal("Multi-sample geometry")
		} else {
			c.Illegal("." + w.String())
		}
	case isa.SlotXorsign:
		c.Illegal(".xorsign")
		c.Gate(&gXorsign)
		c.xorsignAlone(s)
	case isa.SlotAbs:
		c.Illegal("." + w.String())
		c.xorsignAlone(s)
	case isa.SlotMmio:
		c.mmioRefused()
	case isa.SlotClamp:
		c.Illegal("Clamp")
		if w != isa.WClamp && w != isa.WWrap || c.Row.Flags&FlagSel == 0 {
			c.Illegal("Clamp")
		}
	case isa.SlotAsync:
		c.Illegal(".async")
		if c.Row.Name != "membar.proxy" {
			c.Illegal(".async")
		}
	case isa.SlotMbar:
		c.Illegal(".mbarrier")
		c.Gate(&gMbarrier)
		c.Errorf("Unknown modifier '.mbarrier'")
	case isa.SlotScope: // and once more behind the memory order
		c.illegalWord(row, w)
	case isa.SlotLevel, isa.SlotCop:
		if s == isa.SlotLevel && w != isa.WL2 && c.Row.Takes(isa.SlotEvict) && c.Row.Name == "ld" {
			c.illegalWord(row, w)
		}
		c.illegalWord(row, w)
		if s == isa.SlotLevel {
			c.WordGate(w, false)
		}
		c.illegalWord(row, w)
	default:
		c.illegalWord(row, w)
		if w == isa.WSpOrderedMetadata {
			c.illegalWord(row, w)
		}
	}
}

// mmioRefused says what is wrong with .mmio where the row does not take it.
func (c *Checker) mmioRefused() {
	scoped := c.Takes(isa.SlotScope)
	switch sp := c.In.Space(); {
	case !c.In.Has(isa.SlotSpace):
		if !scoped {
			c.Errorf("Modifier '.mmio' cannot be applied to '' space")
		}
	case sp != isa.SpaceGlobal && sp != isa.Generic:
		c.Errorf("Modifier '.mmio' cannot be applied to '%s' space", sp)
	}
	c.Illegal(".mmio")
	if scoped && !c.In.Has(isa.SlotScope) {
		c.Errorf("Modifier '.mmio' requires scope with '%s' instruction", c.Row.Name)
	}
}

func (c *Checker) illegalWord(row *slotRow, w isa.Word) {
	if row.illegal != "" {
		c.Illegal(row.illegal)
		return
	}
	c.Illegal("." + Spelled(w))
}

// Illegal complains about a modifier by its name.
func (c *Checker) Illegal(name string) {
	c.Errorf("Illegal modifier '%s' for instruction '%s'", name, c.Row.Name)
}

// slotNeed complains about a slot that is required and not set.
func (c *Checker) slotNeed(s isa.Slot) {
	if c.In.Has(s) {
		return
	}
	for _, n := range c.Row.Need {
		if n == s {
			c.Errorf("%s for instruction '%s'", slotRows[s].need, c.Row.Name)
		}
	}
	for _, n := range c.Form.Need {
		if n == s {
			c.Errorf("%s for instruction '%s'", slotRows[s].need, c.Row.Name)
		}
	}
}

// CmpType complains about a comparison that the type does not have.
func (c *Checker) CmpType() {
	in := c.In
	t := isa.TNone
	if in.NTypes > 0 {
		t = in.Types[in.NTypes-1]
	}
	w := in.val[isa.SlotCmp]
	ok := true
	switch w {
	case isa.WEq, isa.WNe:
	case isa.WLt, isa.WLe, isa.WGt, isa.WGe:
		ok = t.Class() != isa.Bits
	case isa.WLo, isa.WLs, isa.WHi, isa.WHs:
		ok = t.Class() == isa.Unsigned
	default:
		ok = t.IsFloat()
	}
	if !ok || t == isa.TNone {
		c.Errorf("Mismatch between instruction type and comparison qualifier")
	}
}

// slotValue complains about a word that its slot does not take here.
func (c *Checker) slotValue(s isa.Slot, w isa.Word) {
	in := c.In
	switch s {
	case isa.SlotRound:
		c.roundValue(w)
	case isa.SlotSat:
		if t := in.Types[0]; t != isa.S32 && (t.IsInt() || t.Class() == isa.PackedInt) && c.Row.Flags&FlagConvert == 0 {
			c.Errorf("Modifier '.sat' does not apply to '%s' type", t)
		}
	case isa.SlotCc:
		c.ccType()
	case isa.SlotXorsign, isa.SlotAbs:
		if c.Takes(isa.SlotXorsign) {
			c.xorsignAlone(s)
		}
	}
}

// ccType: the carry is that of 32 and 64-bit integer operations.
func (c *Checker) ccType() {
	in := c.In
	if t := in.Types[0]; !t.IsInt() || t.Bits() < 32 {
		c.Errorf("Modifier '.cc' applies only to %s integer types", c.Row.Name)
	}
	if in.Has(isa.SlotSat) {
		c.Errorf("Modifier '.cc' cannot be combined with modifier '.sat'")
	}
}

// roundValue complains about a rounding the form or the target lacks.
func (c *Checker) roundValue(w isa.Word) {
	in := c.In
	r := roundOf(w)
	t := in.Types[0]
	bad := r&c.Form.Rnd == 0
	if c.Row.Flags&FlagConvert == 0 {
		updown := r&(RM|RP) != 0
		bad = bad || c.Lacks(0, 13) && t == isa.F64 && updown || c.Lacks(0, 20) && t == isa.F32 && (updown || in.Op == isa.WMad)
	}
	switch {
	case w == isa.WRs && c.Form.Rnd == RoundFloat:
		c.Illegal(".rs")
	case bad:
		c.Errorf("Illegal rounding modifier for instruction '%s'", c.Row.Name)
	}
	if (t == isa.F16 || t == isa.F16x2) && r&(RZ|RM|RP|RS) != 0 && c.Row.Flags&FlagConvert == 0 {
		c.Errorf("Illegal rounding modifier for instruction '%s'", c.Row.Name)
	}
}

// quickGeneral runs the general checks, leaving out those of operands where
// all operands are plain.
func (c *Checker) quickGeneral() {
	in, row := c.In, c.Row
	if c.odd || in.Has(isa.SlotVec) || in.Has(isa.SlotOp) || in.Early&EarlyRelu != 0 || in.Has(isa.SlotNc) || in.Has(isa.SlotOob) || row.Ranges != nil || row.Flags&FlagPairMust != 0 {
		for _, s := range generalSlots {
			c.generalAt(s)
		}
		c.operandsLate()
		return
	}
	c.spaces()
	c.addressSpaces()
	if row.Flags&FlagSigned != 0 {
		c.generalAt(isa.SlotCc)
	}
	if in.Has(isa.SlotSem) || in.Has(isa.SlotScope) {
		c.generalAt(isa.SlotSem)
	}
	for i := range in.Args {
		if o := &in.Args[i]; o.Kind == isa.KAddr {
			if r := &argRows[c.Letter(i)]; r.kinds&kReg != 0 {
				c.operandsLate()
				return
			}
		}
	}
}

// evictions refuses the eviction priorities that an instruction does not take, and
// two of them together.
func (c *Checker) evictions() {
	in, refused := c.In, false
	_, two := in.TwoEvictions()
	for n, s := range [...]isa.Slot{isa.SlotEvict, isa.SlotEvict2} {
		if !in.Has(s) || c.Takes(s) || two && c.Takes(isa.SlotEvict2) {
			continue
		}
		refused = true
		if first := in.second[2-n]; first != isa.WNone {
			c.Illegal("." + Spelled(first))
		}
		c.Illegal("." + Spelled(in.val[s]))
	}
	if two && refused {
		c.Several()
	}
}

// Several refuses two eviction priorities.
func (c *Checker) Several() { c.Errorf("Multiple cache eviction priority modifiers specified") }

// generalSlots are those where generalAt has something to say.
var generalSlots = [...]isa.Slot{isa.SlotLevel, isa.SlotSpace, isa.SlotVec, isa.SlotScope, isa.SlotCmp, isa.SlotSem, isa.SlotMmio, isa.SlotCc, isa.SlotOob, isa.SlotNaN, isa.SlotPo}

// generalAt runs the checks that every instruction undergoes at a slot.
func (c *Checker) generalAt(s isa.Slot) {
	switch s {
	case isa.SlotSpace:
		c.spaces()
		c.evictions()
	case isa.SlotVec:
		c.vecSize()
		c.specialArgs()
		c.addressSpaces()
	case isa.SlotScope:
		c.pairs()
	case isa.SlotCmp:
		if c.twoOps {
			c.Errorf("%s", slotRows[isa.SlotOp].dup)
		}
		c.lateOp()
		c.constResult()
		c.vecResult()
	case isa.SlotSem:
		if w := c.In.Mod(isa.SlotSem); w != isa.WNone && w != isa.WWeak && c.Takes(isa.SlotSem) && c.In.Has(isa.SlotCop) {
			c.Errorf("Modifier '.%s' cannot be combined with modifier '.%s'", w, c.In.Mod(isa.SlotCop))
		}
		if w := c.In.Mod(isa.SlotSem); c.In.Has(isa.SlotNc) && w != isa.WNone {
			c.Errorf("Modifier '.%s' cannot be combined with modifier '.nc'", w)
		}
		if w := c.In.Mod(isa.SlotSem); w != isa.WNone && c.Takes(isa.SlotSem) {
			c.semGate(w)
		}
		if c.In.Mod(isa.SlotScope) == isa.WCluster && c.Takes(isa.SlotScope) {
			c.Gate(&gScopeCluster)
		}
	case isa.SlotCc:
		if c.Row.Flags&FlagSigned != 0 && c.In.Types[max(c.In.NTypes, 1)-1].Class() == isa.Unsigned {
			c.Errorf("Instruction '%s' applies only to signed numeric types", c.Row.Name)
		}
	case isa.SlotOob:
		if c.In.Has(isa.SlotFtz) && c.In.Has(isa.SlotOob) {
			c.Errorf("Modifier '.ftz' cannot be combined with modifier '.oob'")
		}
	case isa.SlotMmio:
		c.vecOperand()
		if w := c.In.Mod(isa.SlotScope); w != isa.WNone && !c.Takes(isa.SlotScope) {
			c.illegalWord(&slotRows[isa.SlotScope], w)
		}
	case isa.SlotPo:
		c.negations()
	case isa.SlotNaN:
		if c.In.Early&EarlyRelu != 0 {
			c.Gate(&gRelu)
		}
	case isa.SlotRound:
		if c.In.Has(isa.SlotNaN) && c.Takes(isa.SlotNaN) {
			c.WordGate(isa.WNaN, false)
		}
	}
}

var (
	gMbarrier     = Gate{Name: ".mbarrier", SM: 90}
	gRelu         = Gate{Name: ".relu", V: 70, SM: 80, Mod: true}
	gScopeCluster = Gate{Name: ".cluster scope", V: 78, SM: 90, TargetFirst: true}
	gSem          = Gate{V: 60, SM: 70}
	gVolatile     = Gate{Name: ".volatile", V: 11}
)

// semGate: memory orders came with PTX 6.0 and sm_70.
func (c *Checker) semGate(w isa.Word) {
	switch w {
	case isa.WVolatile:
		c.Gate(&gVolatile)
	default:
		if c.Lacks(60, 70) {
			g := gSem
			g.Name, g.Plain = "."+w.String(), true
			c.Gate(&g)
		}
	}
}

// lateOp: inc, dec and exch are operations of atomics only, and no early
// words.
func (c *Checker) lateOp() {
	if w := c.In.Mod(isa.SlotOp); w != isa.WNone && EarlyOf[w] == 0 && !c.Row.Takes(isa.SlotOp) {
		c.RedName()
	}
}

// gateFirst tells the slots whose words are gated before they are found
// illegal; of the others the gate comes after.
func gateFirst(s isa.Slot) bool {
	switch s {
	case isa.SlotWarpx, isa.SlotTask, isa.SlotPack, isa.SlotMask, isa.SlotInit, isa.SlotRestrict, isa.SlotKind, isa.SlotBlock, isa.SlotScale,
		isa.SlotAshift, isa.SlotCollA, isa.SlotCollB:
		return true
	}
	return false
}

// xorsignAlone: each of .xorsign and .abs wants the other.
func (c *Checker) xorsignAlone(s isa.Slot) {
	if s == isa.SlotAbs {
		if !c.In.Has(isa.SlotXorsign) {
			c.Errorf("Modifier '.abs' requires modifier '.xorsign'")
		}
		return
	}
	if !c.In.Has(isa.SlotAbs) {
		c.Errorf("Modifier '.xorsign' requires modifier '.abs'")
	}
	c.Gate(&gXorsignTarget)
}

// RedName complains about a reduction by name and types.
func (c *Checker) RedName() {
	name := c.Row.Name
	for i, t := range c.types() {
		if i < 2 {
			name += t.String()
		}
	}
	c.Errorf("Illegal reduction operation for instruction '%s'", name)
}

func NeedSync(c *Checker) {
	if c.In.Early&EarlySync == 0 {
		c.Errorf(".sync modifier required for instruction '%s'", c.Row.Name)
	}
}
