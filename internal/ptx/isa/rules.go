package isa

// Rules and conditions that rows name. A rule complains; a condition tells
// whether a gate applies.

func oneType(c *checker) bool    { return c.in.NTypes == 1 }
func twoTypes(c *checker) bool   { return c.in.NTypes == 2 }
func fourArgs(c *checker) bool   { return len(c.in.Args) == 4 }
func hasRound(c *checker) bool   { return c.in.Has(SlotRound) }
func hasOp(c *checker) bool      { return c.in.Has(SlotOp) }
func noOp(c *checker) bool       { return !c.in.Has(SlotOp) }
func not64(c *checker) bool      { return c.in.Types[0].Bits() != 64 }
func notBF(c *checker) bool      { return c.in.Types[0] != BF16 && c.in.Types[0] != BF16x2 }
func roundNotRn(c *checker) bool { return c.in.Has(SlotRound) && c.in.Mod(SlotRound) != WRn }

// halfIntResult: a set of f16 operands that gives an integer.
func halfIntResult(c *checker) bool {
	return c.in.Types[0].IsInt() && (tF16 | tF16x2).has(c.in.Types[1])
}

func halfResult(c *checker) bool { return !c.in.Types[0].IsInt() }

// needRoundMad: mad.f32 needs a rounding on sm_20, mad.f64 since PTX 1.4.
func needRoundMad(c *checker) {
	if c.in.Has(SlotRound) {
		return
	}
	if c.in.Types[0] == F32 && !c.lacks(0, 20) || c.in.Types[0] == F64 && c.ctx.Version >= 14 {
		c.errorf("Rounding modifier required for instruction '%s'", c.row.Name)
	}
}

// needRoundApprox: from PTX 1.4 on a float division or root says how exact
// it is.
func needRoundApprox(c *checker) {
	in := c.in
	if !in.Types[0].IsFloat() {
		return
	}
	round, approx := in.Has(SlotRound), in.Has(SlotApprox)
	switch {
	case c.takes(SlotApprox):
		old := c.ctx.Version < 14
		if old && round || !old && round == approx {
			c.errorf("Rounding modifier or '.approx' modifier required for instruction '%s'", c.row.Name)
		}
		if in.Op == WRcp && in.Types[0] == F64 && !round && !approx && !old {
			c.errorf("Rounding modifier required for instruction 'rcp'")
		}
	case !round && !approx && c.ctx.Version >= 14:
		c.errorf("Rounding modifier required for instruction '%s'", c.row.Name)
	}
}

// rcpApprox64: rcp.f64 without a rounding is the approximate one, which
// flushes subnormals.
func rcpApprox64(c *checker) {
	in := c.in
	if in.Types[0] == F64 && !in.Has(SlotFtz) && (in.Has(SlotApprox) || c.ctx.Version < 14) {
		c.errorf("'.ftz' modifier required for instruction 'rcp.approx.f64'")
	}
}

// rcpApprox: whether rcp.f64 is the approximate one.
func rcpApprox(c *checker) bool { return c.in.Has(SlotApprox) || c.ctx.Version < 14 }

func needApprox(c *checker) {
	if !c.in.Has(SlotApprox) && c.ctx.Version >= 14 {
		c.errorf(".approx modifier required for instruction '%s'", c.row.Name)
	}
}

// needApproxTwice: the reference says it twice for ex2 and tanh.
func needApproxTwice(c *checker) {
	needApprox(c)
	needApprox(c)
}

// ex2Ftz: ex2.bf16 exists only with .ftz.
func ex2Ftz(c *checker) {
	if t := c.in.Types[0]; (t == BF16 || t == BF16x2) && !c.in.Has(SlotFtz) {
		c.errorf(".ftz modifier required for instruction 'ex2%s'", t)
	}
}

// cmpType is the rule form of the comparison check.
func cmpType(c *checker) {
	if c.in.Has(SlotCmp) {
		c.cmpType()
	}
}

// needBool: a predicate operand is combined by a boolean operation.
func needBool(c *checker) {
	if c.in.early&eBool == 0 && len(c.in.Args) == 4 {
		c.errorf("Boolean operation is required for instruction '%s'", c.row.Name)
	}
}

// lop3Bool: lop3 combines its predicate by and or or, and then gives one.
func lop3Bool(c *checker) {
	in := c.in
	if len(in.Args) != 6 {
		return
	}
	if !in.Args[0].HasPair {
		c.errorf("Predicate output expected for instruction 'lop3'")
	}
	if in.early&eXor != 0 {
		c.errorf("Illegal operation '.xor' for instruction 'lop3'")
	}
	if in.early&eBool == 0 {
		c.errorf("Boolean operation is required for instruction '%s'", c.row.Name)
	}
}

// reluNoSat: .relu and .sat exclude each other.
func reluNoSat(c *checker) {
	if c.in.Has(SlotRelu) && c.in.Has(SlotSat) {
		c.errorf("Modifier '.relu' cannot be combined with modifier '.sat'")
	}
}

// xorsignAbs: .xorsign and .abs go together, except where three operands
// are compared.
func xorsignAbs(c *checker) {
	if c.takes(SlotXorsign) {
		xorsignAlone(c)
	}
}

// reluTypes: of the integer types only .s32 and .s16x2 take .relu.
func reluTypes(c *checker) {
	if t := c.in.Types[0]; c.in.Has(SlotRelu) && t != S32 && t != S16x2 {
		c.errorf("Illegal modifier '.relu' for instruction '%s' with type '%s'", c.row.Name, t)
	}
}

// halfPair: a comparison of single halves has one result.
func halfPair(c *checker) {
	if hasPair(c) && tHalf.has(c.in.Types[0]) {
		c.errorf("Predicate output not allowed for instruction 'setp'")
	}
}
