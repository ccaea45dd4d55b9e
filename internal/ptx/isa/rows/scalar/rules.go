package scalar

import (
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/isa/row"
)

// Rules and conditions that rows name. A rule complains; a condition tells
// whether a gate applies.

func oneType(c *row.Checker) bool  { return c.In.NTypes == 1 }
func twoTypes(c *row.Checker) bool { return c.In.NTypes == 2 }
func fourArgs(c *row.Checker) bool { return len(c.In.Args) == 4 }
func hasRound(c *row.Checker) bool { return c.In.Has(isa.SlotRound) }
func hasOp(c *row.Checker) bool    { return c.In.Has(isa.SlotOp) }
func noOp(c *row.Checker) bool     { return !c.In.Has(isa.SlotOp) }
func not64(c *row.Checker) bool    { return c.In.Types[0].Bits() != 64 }
func notBF(c *row.Checker) bool    { return c.In.Types[0] != isa.BF16 && c.In.Types[0] != isa.BF16x2 }

func roundNotRn(c *row.Checker) bool {
	return c.In.Has(isa.SlotRound) && c.In.Mod(isa.SlotRound) != isa.WRn
}

// halfIntResult: a set of f16 operands that gives an integer.
func halfIntResult(c *row.Checker) bool {
	return c.In.Types[0].IsInt() && (row.F16 | row.F16x2).Has(c.In.Types[1])
}

func halfResult(c *row.Checker) bool { return !c.In.Types[0].IsInt() }

// needRoundMad: mad.f32 needs a rounding on sm_20, mad.f64 since PTX 1.4.
func needRoundMad(c *row.Checker) {
	if c.In.Has(isa.SlotRound) {
		return
	}
	if c.In.Types[0] == isa.F32 && !c.Lacks(0, 20) || c.In.Types[0] == isa.F64 && c.Ctx.Version >= 14 {
		c.Errorf("Rounding modifier required for instruction '%s'", c.Row.Name)
	}
}

// needRoundApprox: from PTX 1.4 on a float division or root says how exact
// it is.
func needRoundApprox(c *row.Checker) {
	in := c.In
	if !in.Types[0].IsFloat() {
		return
	}
	round, approx := in.Has(isa.SlotRound), in.Has(isa.SlotApprox)
	switch {
	case c.Takes(isa.SlotApprox):
		old := c.Ctx.Version < 14
		if old && round || !old && round == approx {
			c.Errorf("Rounding modifier or '.approx' modifier required for instruction '%s'", c.Row.Name)
		}
		if in.Op == isa.WRcp && in.Types[0] == isa.F64 && !round && !approx && !old {
			c.Errorf("Rounding modifier required for instruction 'rcp'")
		}
	case !round && !approx && c.Ctx.Version >= 14:
		c.Errorf("Rounding modifier required for instruction '%s'", c.Row.Name)
	}
}

// rcpApprox64: rcp.f64 without a rounding is the approximate one, which
// flushes subnormals.
func rcpApprox64(c *row.Checker) {
	in := c.In
	if in.Types[0] == isa.F64 && !in.Has(isa.SlotFtz) && (in.Has(isa.SlotApprox) || c.Ctx.Version < 14) {
		c.Errorf("'.ftz' modifier required for instruction 'rcp.approx.f64'")
	}
}

// rcpApprox: whether rcp.f64 is the approximate one.
func rcpApprox(c *row.Checker) bool { return c.In.Has(isa.SlotApprox) || c.Ctx.Version < 14 }

func needApprox(c *row.Checker) {
	if !c.In.Has(isa.SlotApprox) && c.Ctx.Version >= 14 {
		c.Errorf(".approx modifier required for instruction '%s'", c.Row.Name)
	}
}

// needApproxTwice: the reference says it twice for ex2 and tanh.
func needApproxTwice(c *row.Checker) {
	needApprox(c)
	needApprox(c)
}

// ex2Ftz: ex2.bf16 exists only with .ftz.
func ex2Ftz(c *row.Checker) {
	if t := c.In.Types[0]; (t == isa.BF16 || t == isa.BF16x2) && !c.In.Has(isa.SlotFtz) {
		c.Errorf(".ftz modifier required for instruction 'ex2%s'", t)
	}
}

// cmpType is the rule form of the comparison check.
func cmpType(c *row.Checker) {
	if c.In.Has(isa.SlotCmp) {
		c.CmpType()
	}
}

// needBool: a predicate operand is combined by a boolean operation.
func needBool(c *row.Checker) {
	if c.In.Early&row.EarlyBool == 0 && len(c.In.Args) == 4 {
		c.Errorf("Boolean operation is required for instruction '%s'", c.Row.Name)
	}
}

// lop3Bool: lop3 combines its predicate by and or or, and then gives one.
func lop3Bool(c *row.Checker) {
	in := c.In
	if len(in.Args) != 6 {
		return
	}
	if !in.Args[0].HasPair {
		c.Errorf("Predicate output expected for instruction 'lop3'")
	}
	if in.Early&row.EarlyXor != 0 {
		c.Errorf("Illegal operation '.xor' for instruction 'lop3'")
	}
	if in.Early&row.EarlyBool == 0 {
		c.Errorf("Boolean operation is required for instruction '%s'", c.Row.Name)
	}
}

// reluNoSat: .relu and .sat exclude each other.
func reluNoSat(c *row.Checker) {
	if c.In.Has(isa.SlotRelu) && c.In.Has(isa.SlotSat) {
		c.Errorf("Modifier '.relu' cannot be combined with modifier '.sat'")
	}
}

// reluTypes: of the integer types only .s32 and .s16x2 take .relu.
func reluTypes(c *row.Checker) {
	if t := c.In.Types[0]; c.In.Has(isa.SlotRelu) && t != isa.S32 && t != isa.S16x2 {
		c.Errorf("Illegal modifier '.relu' for instruction '%s' with type '%s'", c.Row.Name, t)
	}
}

// halfPair: a comparison of single halves has one result.
func halfPair(c *row.Checker) {
	if row.HasPair(c) && row.Half.Has(c.In.Types[0]) {
		c.Errorf("Predicate output not allowed for instruction 'setp'")
	}
}
