package isa

// operandWords complains about what an operand says by itself, before the
// form is chosen. It returns false where nothing more can be told.
func (c *checker) operandWords() bool {
	in := c.in
	for i := range in.Args {
		o := &in.Args[i]
		switch o.Kind {
		case KSpecial:
			c.specialGate(o.Special)
		case KVector:
			if n := len(o.Elems); n == 3 || n > 4 && n != 8 && n > 128 {
				c.errorf("Illegal vector size: %d", n)
			}
		}
		if o.Not && o.Type != Pred {
			c.errorf("Illegal argument to predicate negation")
		}
	}
	if in.Guarded && (in.Guard.Kind != KReg || in.Guard.Type != Pred) {
		c.errorf("Predicate expression expected")
		return false
	}
	return true
}

func (c *checker) specialGate(r SpecialReg) {
	if c.ctx.Version >= r.Version() && c.ctx.SM >= r.SM() {
		return
	}
	c.gate(&Gate{Name: r.String(), V: r.Version(), SM: r.SM()})
}

// operandsLate complains about operands that fit the form's types and are
// still not allowed.
func (c *checker) operandsLate() {
}
