package isa

import "github.com/goptxas/goptxas/internal/engine/diag"

// operandWords complains about what an operand says by itself, before the
// form is chosen. It returns false where nothing more can be told.
func (c *checker) operandWords() bool {
	in := c.in
	for i := range in.Args {
		o := &in.Args[i]
		switch o.Kind {
		case KReg:
			if o.Sel != "" && !validSelector(o.Sel) {
				c.errorf("Unknown video selector: '.%s'", o.Sel)
			}
			c.odd = c.odd || o.Neg || o.Not || o.HasPair || o.Sel != ""
			continue
		case KInt, KAddr:
			c.odd = c.odd || i == 0 && o.Kind == KInt || o.HasPair || o.Not
			c.vectorsOf(o)
			if !o.Not {
				continue
			}
		default:
			c.odd = true
		}
		switch o.Kind {
		case KSpecial:
			c.specialGate(o.Special)
		case KVector:
			c.vectorLength(len(o.Elems))
			if !sameWidth(o.Elems) {
				c.errorf("Incompatible elements of vector expression")
				return false
			}
		}
		if o.Not && o.Type != Pred {
			c.errorf("Illegal argument to predicate negation")
		}
	}
	if c.odd {
		for i := range in.Args {
			if o := &in.Args[i]; o.Kind == KReg && o.Not && o.Type != Pred {
				c.errorf("Illegal argument to predicate negation")
			}
		}
	}
	if len(in.Args) > 0 && in.Args[0].Kind == KSink && c.row.Flags&fSink == 0 && !(in.Args[0].HasPair && c.row.Flags&fPair != 0) {
		c.bad++
		c.ctx.Report(diag.Fatal, "Result discard mode is not allowed for instruction '"+c.row.Name+"'")
		return false
	}
	if len(in.Args) > 0 && in.Args[0].Neg {
		c.errorf("Operand negation limited to either (source A xor source B) or source C")
	}
	if in.Guarded && (in.Guard.Kind != KReg || in.Guard.Type != Pred) {
		c.errorf("Predicate expression expected")
		return false
	}
	return true
}

// validSelector reports whether s selects bytes or halves of a register:
// b or h with one to four digits.
func validSelector(s string) bool {
	if len(s) < 2 || len(s) > 5 || s[0] != 'b' && s[0] != 'h' {
		return false
	}
	for i := 1; i < len(s); i++ {
		if s[i] < '0' || s[i] > '7' {
			return false
		}
	}
	return true
}

// sameWidth reports whether the registers of a vector are equally wide.
func sameWidth(elems []Operand) bool {
	bits := 0
	for i := range elems {
		if elems[i].Kind != KReg {
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
func (c *checker) vectorsOf(o *Operand) {
	if o.Kind == KVector {
		c.vectorLength(len(o.Elems))
	}
	if o.Kind != KAddr {
		return
	}
	for i := range o.Elems {
		if e := &o.Elems[i]; e.Kind == KVector {
			c.vectorLength(len(e.Elems))
		}
	}
}

// vectorLength: vectors have one, two or four elements, those of memory
// operations and matrices eight too; tensors and the large matrix operations
// have their own rules.
func (c *checker) vectorLength(n int) {
	if c.row != nil && (c.in.Op == WWgmma || c.in.Op == WTcgen05 || c.in.Op == WCp && c.row.takes(SlotDim)) {
		return
	}
	switch c.in.Op {
	case WTex, WTld4, WLdu, WMov, WSuld, WSust:
		if n == 8 {
			c.errorf("Illegal vector size: 8")
		}
	}
	if n == 3 || n > 4 && n != 8 || n == 8 && c.row == nil {
		c.errorf("Illegal vector size: %d", n)
	}
}

func (c *checker) specialGate(r SpecialReg) {
	if c.ctx.Version >= r.Version() && c.ctx.SM >= r.SM() {
		return
	}
	c.gate(&Gate{Name: r.String(), V: r.Version(), SM: r.SM()})
}

// vecSize: a vector holds at most 128 bits, loads and stores 256, of elements
// of 64 and less.
func (c *checker) vecSize() {
	in := c.in
	if in.NTypes == 0 || !in.Has(SlotVec) {
		return
	}
	n := in.Vec() * in.Types[0].Bits()
	if n > 256 || n > 128 && (in.Types[0].Bits() > 64 || c.row.Name != "ld" && c.row.Name != "st") {
		c.errorf("Vector type too large, exceeds 128 bit limit")
	}
}

// specialArgs: special registers are read by mov and cvt only, as integers.
func (c *checker) specialArgs() {
	in := c.in
	for i := range in.Args {
		o := &in.Args[i]
		if o.Kind != KSpecial {
			continue
		}
		switch {
		case c.row.Flags&fSpecial == 0 || in.NTypes > 0 && c.typeOf(i).IsFloat():
			c.errorf("Special register argument not allowed for instruction '%s'", c.row.Name)
		case i == 0:
			c.errorf("Read-only special register cannot be destination argument")
		}
	}
}

// typeOf is the type an operand stands for: the first of the result, the
// last of sources.
func (c *checker) typeOf(i int) Type {
	if i == 0 {
		return c.in.Types[0]
	}
	return c.in.Types[min(c.in.NTypes, len(c.in.Types))-1]
}

// vectorLen is the number of values an operand holds.
func vectorLen(o *Operand) int {
	if o.Kind == KVector {
		return len(o.Elems)
	}
	if o.Kind == KSpecial && o.Special.Vector() && !o.Comp {
		return 4
	}
	return 1
}

// vecResult: what a vector modifier says is what the operands hold.
func (c *checker) vecResult() {
	in := c.in
	if len(in.Args) == 0 {
		return
	}
	n := in.Vec()
	d := &in.Args[0]
	if in.Has(SlotVec) && argRows[c.letter(0)].dst && d.Type != Pred {
		if d.IsConst() { // said before its length
			c.constResult()
		}
		if vectorLen(d) == 1 {
			c.errorf("Result vector expected")
		}
		if vectorLen(d) != n {
			c.errorf("Argument vector size mismatch for instruction '%s'", c.row.Name)
		}
	}
	if c.row.Flags&fVector == 0 && (c.row.Flags&fVectorIf == 0 || !in.Has(SlotVec)) {
		return
	}
	switch {
	case c.in.Op == WMma || c.in.Op == WWmma || c.in.Op == WWgmma:
	case c.row.Name == "mov":
		c.movSizes(n)
	case d.Kind == KAddr && len(in.Args) > 1:
		d = &in.Args[1]
		fallthrough
	default:
		if d.Kind != KAddr && vectorLen(d) != n {
			c.errorf("Argument vector size mismatch for instruction '%s'", c.row.Name)
		}
	}
}

// movSizes: without .v2 or .v4 a vector packs the parts of one bit value.
func (c *checker) movSizes(n int) {
	in := c.in
	a := &in.Args[1]
	if in.Has(SlotVec) {
		if k := vectorLen(a); k != 1 && k != n && vectorLen(&in.Args[0]) == n {
			c.errorf("Argument vector size mismatch for instruction 'mov'")
		}
		return
	}
	for i := range 2 {
		o := &in.Args[i]
		if o.Kind == KVector && in.Types[0].Class() != Bits || o.Kind == KSpecial && vectorLen(o) != 1 {
			c.errorf("Argument vector size mismatch for instruction 'mov'")
			return
		}
	}
}

// pairs: d|p is for the operations that give a predicate too.
func (c *checker) pairs() {
	in := c.in
	for i := range in.Args {
		if in.Args[i].HasPair && (i > 0 || c.row.Flags&(fPair|fPairMust) == 0) {
			c.errorf("Predicate output not allowed for instruction '%s'", c.row.Name)
		}
	}
	if len(in.Args) > 0 && in.Args[0].HasPair && in.Args[0].Pair == KReg && in.Args[0].PairType != Pred {
		c.errorf("Predicate output expected for instruction '%s'", c.row.Name)
	}
	if c.row.Flags&fPairMust != 0 && len(in.Args) > 0 && !in.Args[0].HasPair {
		c.errorf("Predicate output expected for instruction '%s'", c.row.Name)
	}
}

// constResult: a result goes to a register.
func (c *checker) constResult() {
	in := c.in
	if len(in.Args) == 0 || len(c.form.Args) == 0 || !argRows[c.form.Args[0]&127].dst {
		return
	}
	d := &in.Args[0]
	bad := d.IsConst() || d.Not
	if d.Kind == KVector {
		for i := range d.Elems {
			bad = bad || d.Elems[i].IsConst()
		}
	}
	if bad {
		c.errorf("Result register required for instruction '%s'", c.row.Name)
	}
}

// negations: a minus before a register is for vmad only.
func (c *checker) negations() {
	if c.row.Flags&fNeg != 0 {
		return
	}
	for i := range c.in.Args {
		if i > 0 && c.in.Args[i].Neg {
			c.errorf("Operand negation not allowed for instruction '%s'", c.row.Name)
		}
	}
}

// operandsLate complains about operands that fit the form's types and are
// still not allowed.
func (c *checker) operandsLate() {
	in, row := c.in, c.row
	for i := range in.Args {
		o := &in.Args[i]
		switch o.Kind {
		case KVector:
			if !c.vectorAllowed(i) {
				c.errorf("Vector operand is not allowed for instruction '%s'", row.Name)
			}
		case KSymbol:
			if row.Flags&fSymbol == 0 || i == 0 && row.Flags&fAnyArg == 0 {
				c.errorf("Argument %d of instruction '%s': must be register", c.argNumber(i), row.Name)
			}
		case KAddr:
			if r := &argRows[c.letter(i)]; r.kinds&kReg != 0 && r.kinds != 0xffff && !r.tmem {
				c.errorf("Argument %d of instruction '%s': must be register", c.argNumber(i), row.Name)
			}
		}
		if o.Sel != "" && row.Flags&fSel == 0 {
			if i == 0 {
				c.errorf("Video selector is not allowed on destination for instruction '%s'", row.Name)
			} else {
				c.errorf("Video selector is not allowed on source operand for instruction '%s'", row.Name)
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
func (c *checker) argNumber(i int) int {
	n := i
	for k := range i {
		if o := &c.in.Args[k]; o.Kind == KAddr {
			n += len(o.Elems)
		}
	}
	return n
}

func (c *checker) vectorAllowed(i int) bool {
	if c.row.Flags&(fVector|fTexture|fVector2) != 0 || c.row.Flags&fVectorIf != 0 && c.in.Has(SlotVec) {
		return true
	}
	k := c.letter(i)
	r := &argRows[k]
	if r.vec {
		return true
	}
	// The reference overlooks vectors of bf16 operands.
	return r.ref > 0 && (tBF | tBFx2).has(c.in.Types[r.ref-1])
}

// letter returns the form's letter of operand i.
func (c *checker) letter(i int) byte {
	n := 0
	for k := range len(c.form.Args) {
		if c.form.Args[k] == '?' {
			continue
		}
		if n == i {
			return c.form.Args[k] & 127
		}
		n++
	}
	return 0
}

func (c *checker) constRange(r *Range) {
	o := &c.in.Args[r.Arg]
	if o.Kind == KInt && (o.Value < r.Lo || o.Value > r.Hi) {
		c.errorf("Argument %d of instruction '%s': value '%d' out of range, expected to be in range [%d..%d]", r.Arg, c.row.Name, o.Value, r.Lo, r.Hi)
	}
}
