package row

import (
	"github.com/goptxas/goptxas/internal/engine/diag"
	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// operandWords complains about what an operand says by itself, before the
// form is chosen. It returns false where nothing more can be told.
func (c *Checker) operandWords() bool {
	in := c.In
	for i := range in.Args {
		o := &in.Args[i]
		switch o.Kind {
		case isa.KReg:
			if o.Sel != "" && !ValidSelector(o.Sel) {
				c.Errorf("Unknown video selector: '.%s'", o.Sel)
			}
			c.odd = c.odd || o.Neg || o.Not || o.HasPair || o.Sel != ""
			continue
		case isa.KInt, isa.KAddr:
			c.odd = c.odd || i == 0 && o.Kind == isa.KInt || o.HasPair || o.Not
			c.vectorsOf(o)
			if !o.Not {
				continue
			}
		default:
			c.odd = true
		}
		switch o.Kind {
		case isa.KSpecial:
			c.specialGate(o.Special)
		case isa.KVector:
			c.vectorLength(len(o.Elems))
			if !sameWidth(o.Elems) {
				c.Errorf("Incompatible elements of vector expression")
				return false
			}
		}
		if o.Not && o.Type != isa.Pred {
			c.Errorf("Illegal argument to predicate negation")
		}
	}
	if c.odd {
		for i := range in.Args {
			if o := &in.Args[i]; o.Kind == isa.KReg && o.Not && o.Type != isa.Pred {
				c.Errorf("Illegal argument to predicate negation")
			}
		}
	}
	for i := range in.Args {
		if in.Args[i].Neg && c.negFar(i) {
			c.Errorf("Operand negation limited to either (source A xor source B) or source C")
		}
	}
	if in.Guarded && (in.Guard.Kind != isa.KReg || in.Guard.Type != isa.Pred) {
		c.Errorf("Predicate expression expected")
		return false
	}
	return true
}

// sinkResult refuses a result that is thrown away where none may be.
func (c *Checker) sinkResult() bool {
	in := c.In
	if len(in.Args) == 0 || in.Args[0].Kind != isa.KSink || c.Row.Flags&FlagSink != 0 || in.Args[0].HasPair && c.Row.Flags&FlagPair != 0 {
		return true
	}
	c.bad++
	c.Ctx.Report(diag.Fatal, "Result discard mode is not allowed for instruction '"+c.Row.Name+"'")
	return false
}

// ValidSelector reports whether s selects bytes or halves of a register:
// b with one to four digits below eight, h with digits below four.
func ValidSelector(s string) bool {
	if len(s) < 2 || len(s) > 5 || s[0] != 'b' && s[0] != 'h' {
		return false
	}
	last := byte('7')
	if s[0] == 'h' {
		last = '3'
	}
	for i := 1; i < len(s); i++ {
		if s[i] < '0' || s[i] > last {
			return false
		}
	}
	return true
}

// sameWidth reports whether the registers of a vector are equally wide.
func sameWidth(elems []isa.Operand) bool {
	bits := 0
	for i := range elems {
		if elems[i].Kind != isa.KReg {
			continue
		}
		n := elems[i].Type.Bits()
		if bits != 0 && n != bits {
			return false
		}
		bits = n
	}
	return true
}

// vectorsOf checks the lengths of the vectors of an operand: itself, or the
// coordinates in an address.
func (c *Checker) vectorsOf(o *isa.Operand) {
	if o.Kind == isa.KVector {
		c.vectorLength(len(o.Elems))
	}
	if o.Kind != isa.KAddr {
		return
	}
	for i := range o.Elems {
		if e := &o.Elems[i]; e.Kind == isa.KVector {
			c.vectorLength(len(e.Elems))
		}
	}
}

// vectorLength: vectors have one, two or four elements, those of memory
// operations and matrices eight too; tensors and the large matrix operations
// have their own rules.
func (c *Checker) vectorLength(n int) {
	if c.Row != nil && (c.In.Op == isa.WWgmma || c.In.Op == isa.WTcgen05 || c.In.Op == isa.WCp && c.Row.Takes(isa.SlotDim)) {
		return
	}
	switch c.In.Op {
	case isa.WTex, isa.WTld4, isa.WLdu, isa.WMov, isa.WSuld, isa.WSust:
		if n == 8 {
			c.Errorf("Illegal vector size: 8")
		}
	}
	if n == 3 || n > 4 && n != 8 || n == 8 && c.Row == nil {
		c.Errorf("Illegal vector size: %d", n)
	}
}

func (c *Checker) specialGate(r isa.SpecialReg) {
	if c.Ctx.Version >= r.Version() && c.Ctx.SM >= r.SM() {
		return
	}
	c.Gate(&Gate{Name: r.String(), V: r.Version(), SM: r.SM()})
}

// vecSize: a vector holds at most 128 bits, loads and stores 256, of elements
// of 64 and less.
func (c *Checker) vecSize() {
	in := c.In
	if in.NTypes == 0 || !in.Has(isa.SlotVec) || in.Types[0] == isa.B1024 {
		return
	}
	n := in.Vec() * in.Types[0].Bits()
	if n > 256 || n > 128 && (in.Types[0].Bits() > 64 || c.Row.Name != "ld" && c.Row.Name != "st") {
		c.Errorf("Vector type too large, exceeds 128 bit limit")
	}
}

// specialArgs: special registers are read by mov and cvt only, as integers.
func (c *Checker) specialArgs() {
	in := c.In
	for i := range in.Args {
		o := &in.Args[i]
		if o.Kind != isa.KSpecial {
			continue
		}
		switch {
		case c.Row.Flags&FlagSpecial == 0 || c.anyFloat():
			c.Errorf("Special register argument not allowed for instruction '%s'", c.Row.Name)
		case i == 0:
			c.Errorf("Read-only special register cannot be destination argument")
		}
	}
}

// anyFloat reports whether a type of the instruction is a float.
func (c *Checker) anyFloat() bool {
	for _, t := range c.types() {
		if t.IsFloat() {
			return true
		}
	}
	return false
}

// VectorLen is the number of values an operand holds.
func VectorLen(o *isa.Operand) int {
	if o.Kind == isa.KVector {
		return len(o.Elems)
	}
	if o.Kind == isa.KSpecial && o.Special.Vector() && !o.Comp {
		return 4
	}
	return 1
}

// vecResult: what a vector modifier says is what the operands hold.
func (c *Checker) vecResult() {
	in := c.In
	if len(in.Args) == 0 {
		return
	}
	n := in.Vec()
	d := &in.Args[0]
	if r := &argRows[c.Letter(0)]; in.Op == isa.WMma {
		c.mmaVec(n)
	} else if in.Has(isa.SlotVec) && r.dst && r.ref > 0 && c.resultVector(r) && d.Type != isa.Pred {
		if VectorLen(d) == 1 && d.Kind != isa.KVector {
			c.Errorf("Result vector expected")
		}
		if VectorLen(d) != n {
			c.Errorf("Argument vector size mismatch for instruction '%s'", c.Row.Name)
		}
	}
}

// vecOperand: and where an operation takes vectors, its operand is as long.
func (c *Checker) vecOperand() {
	in := c.In
	if len(in.Args) == 0 || c.Row.Flags&FlagVector == 0 && (c.Row.Flags&FlagVectorIf == 0 || !in.Has(isa.SlotVec)) {
		return
	}
	d, n := &in.Args[0], in.Vec()
	switch {
	case c.In.Op == isa.WMma || c.In.Op == isa.WWmma || c.In.Op == isa.WWgmma || c.In.Op == isa.WAtom:
	case c.Row.Name == "mov":
		c.movSizes(n)
	case argRows[c.Letter(0)].kinds&kReg == 0 && len(in.Args) > 1:
		d = &in.Args[1]
		fallthrough
	default:
		if VectorLen(d) != n && !(d.Kind == isa.KAddr && n == 1) {
			c.Errorf("Argument vector size mismatch for instruction '%s'", c.Row.Name)
		}
	}
}

// resultVector: of bf16, and of sums of products of bytes, the length of the
// result is not looked at.
func (c *Checker) resultVector(r *argRow) bool {
	return !(BF16 | BF16x2).Has(c.In.Types[r.ref-1]) && c.In.Op != isa.WDp4a && c.In.Op != isa.WDp2a
}

// mmaVec: a product whose vectors are of another length than .vN says.
func (c *Checker) mmaVec(n int) {
	if !c.In.Has(isa.SlotVec) {
		return
	}
	for i := range min(4, len(c.In.Args)) {
		if o := &c.In.Args[i]; o.Kind == isa.KVector && len(o.Elems) != n {
			c.Errorf("Argument vector size mismatch for instruction '%s'", c.Row.Name)
		}
	}
}

// movSizes: without .v2 or .v4 a vector packs the parts of one bit value.
func (c *Checker) movSizes(n int) {
	in := c.In
	a := &in.Args[1]
	if in.Has(isa.SlotVec) {
		if k := VectorLen(a); k != 1 && k != n && VectorLen(&in.Args[0]) == n {
			c.Errorf("Argument vector size mismatch for instruction 'mov'")
		}
		return
	}
	for i := range 2 {
		o := &in.Args[i]
		if o.Kind == isa.KVector && in.Types[0].Class() != isa.Bits || o.Kind == isa.KSpecial && VectorLen(o) != 1 {
			c.Errorf("Argument vector size mismatch for instruction 'mov'")
			return
		}
	}
}

// pairs: d|p is for the operations that give a predicate too.
func (c *Checker) pairs() {
	in := c.In
	for i := range in.Args {
		if in.Args[i].HasPair && (i > 0 || c.Row.Flags&(FlagPair|FlagPairMust) == 0) {
			c.Errorf("Predicate output not allowed for instruction '%s'", c.Row.Name)
		}
	}
	if len(in.Args) > 0 && in.Args[0].HasPair {
		// The reference complains of a name without a meaning twice.
		n := 0
		switch d := &in.Args[0]; {
		case d.Pair == isa.KBad:
			n = 2
		case d.Pair == isa.KReg && d.PairType != isa.Pred:
			n = 1
		}
		for range n {
			c.Errorf("Predicate output expected for instruction '%s'", c.Row.Name)
		}
	}
	if c.Row.Flags&FlagPairMust != 0 && len(in.Args) > 0 && !in.Args[0].HasPair {
		c.Errorf("Predicate output expected for instruction '%s'", c.Row.Name)
	}
}

// constResult: a result goes to a register.
func (c *Checker) constResult() {
	in := c.In
	if len(in.Args) == 0 || len(c.Form.Args) == 0 || !c.Form.Writes(0) {
		return
	}
	d := &in.Args[0]
	bad := d.IsConst() || d.Not
	if d.Kind == isa.KVector {
		for i := range d.Elems {
			bad = bad || d.Elems[i].IsConst()
		}
	}
	if bad {
		c.Errorf("Result register required for instruction '%s'", c.Row.Name)
	}
}

// negFar reports whether operand i is none of the three sources that may be
// negated at all.
func (c *Checker) negFar(i int) bool {
	n := c.argNumber(i)
	return n == 0 || n > 3
}

// negations: a minus before a register is for vmad only.
func (c *Checker) negations() {
	if c.Row.Flags&FlagNeg != 0 {
		return
	}
	for i := range c.In.Args {
		if c.In.Args[i].Neg && !c.negFar(i) {
			c.Errorf("Operand negation not allowed for instruction '%s'", c.Row.Name)
		}
	}
}

// operandsLate complains about operands that fit the form's types and are
// still not allowed.
func (c *Checker) operandsLate() {
	in, row := c.In, c.Row
	for i := range in.Args {
		o := &in.Args[i]
		switch o.Kind {
		case isa.KVector, isa.KSpecial:
			if VectorLen(o) > 1 && !c.vectorAllowed(i) || o.Kind == isa.KVector && !c.vectorAllowed(i) {
				c.Errorf("Vector operand is not allowed for instruction '%s'", row.Name)
			}
		case isa.KSymbol:
			if c.Letter(i) != '*' && (row.Flags&FlagSymbol == 0 || i == 0 && row.Flags&FlagAnyArg == 0) {
				c.Errorf("Argument %d of instruction '%s': must be register", c.argNumber(i), row.Name)
			}
		case isa.KAddr:
			if r := &argRows[c.Letter(i)]; r.kinds&kReg != 0 && r.kinds != 0xffff && !r.tmem {
				c.Errorf("Argument %d of instruction '%s': must be register", c.argNumber(i), row.Name)
			}
		}
		if o.Sel != "" && row.Flags&FlagSel == 0 {
			if i == 0 {
				c.Errorf("Video selector is not allowed on destination for instruction '%s'", row.Name)
			} else {
				c.Errorf("Video selector is not allowed on source operand for instruction '%s'", row.Name)
			}
		}
	}
	for _, r := range row.Ranges {
		if r.Arg < len(in.Args) {
			c.constRange(&r)
		}
	}
}

// argNumber is how the reference counts operands: what stands in brackets
// with an address counts by itself.
func (c *Checker) argNumber(i int) int {
	n := i
	for k := range i {
		if o := &c.In.Args[k]; o.Kind == isa.KAddr {
			n += len(o.Elems)
		}
	}
	return n
}

func (c *Checker) vectorAllowed(i int) bool {
	if c.Row.Flags&(FlagVector|FlagTexture|FlagVector2) != 0 || c.Row.Flags&FlagVectorIf != 0 && c.In.Has(isa.SlotVec) {
		return true
	}
	k := c.Letter(i)
	r := &argRows[k]
	if r.vec {
		return true
	}
	// The reference overlooks vectors of bf16 operands.
	loose := BF16 | BF16x2
	if c.In.Op == isa.WAtom || c.In.Op == isa.WRed {
		loose = Halves
	}
	return r.ref > 0 && loose.Has(c.In.Types[r.ref-1])
}

// Letter returns the form's letter of operand i.
func (c *Checker) Letter(i int) byte {
	n := 0
	for k := range len(c.Form.Args) {
		if c.Form.Args[k] == '?' {
			continue
		}
		if n == i {
			return c.Form.Args[k] & 127
		}
		n++
	}
	return 0
}

func (c *Checker) constRange(r *Range) {
	o := &c.In.Args[r.Arg]
	if o.Kind == isa.KInt && (o.Value < r.Lo || o.Value > r.Hi) {
		c.Errorf("Argument %d of instruction '%s': value '%d' out of range, expected to be in range [%d..%d]", r.Arg, c.Row.Name, o.Value, r.Lo, r.Hi)
	}
}
