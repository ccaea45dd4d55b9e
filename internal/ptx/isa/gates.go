package isa

// gate reports a feature that the version or the target lacks.
func (c *checker) gate(g *Gate) {
	oldVersion := c.ctx.Version < g.V
	noTarget := c.ctx.SM < g.SM || g.Only != 0 && c.bit&g.Only == 0
	if !oldVersion && !noTarget || !c.gateApplies(g) {
		return
	}
	if g.TargetFirst && noTarget {
		c.gateTarget(g)
	}
	if oldVersion {
		c.errorf("Feature '%s' requires PTX ISA .version %s or later", c.gateName(g), g.V)
	}
	if !g.TargetFirst && noTarget {
		c.gateTarget(g)
	}
}

func (c *checker) gateTarget(g *Gate) {
	what := "Feature"
	if g.Inst {
		what = "Instruction"
	}
	if g.Only != 0 {
		c.errorf("%s '%s' not supported on .target '%s'", what, c.gateName(g), c.ctx.Target)
		return
	}
	c.errorf("%s '%s' requires .target sm_%d or higher", what, c.gateName(g), g.SM)
}

// gateName is the feature's name; a $ in it stands for the operation's name
// and an & for the name with the first type.
func (c *checker) gateName(g *Gate) string {
	if g.Name == "" {
		return c.row.Name
	}
	out := make([]byte, 0, 64)
	for i := range len(g.Name) {
		switch g.Name[i] {
		case '$':
			out = append(out, c.row.Name...)
		case '&':
			out = append(out, c.row.Name...)
			out = append(out, c.in.Types[0].String()...)
		default:
			out = append(out, g.Name[i])
		}
	}
	return string(out)
}

func (c *checker) gateApplies(g *Gate) bool {
	if g.T != 0 {
		found := false
		for _, t := range c.types() {
			found = found || g.T.has(t)
		}
		if !found {
			return false
		}
	}
	if g.W != WNone && !c.hasWord(g.W) {
		return false
	}
	return g.If == nil || g.If(c)
}

// types returns the instruction's types.
func (c *checker) types() []Type {
	return c.in.Types[:min(c.in.NTypes, len(c.in.Types))]
}

// hasWord reports whether w is among the modifiers.
func (c *checker) hasWord(w Word) bool {
	for _, m := range c.in.Mods {
		if m == w {
			return true
		}
	}
	return false
}

// typeGates are the types that a version or target must know before any
// instruction may name them.
var typeGates = [NumTypes]Gate{
	BF16:   {V: 70, SM: 80, TargetFirst: true},
	BF16x2: {V: 70, SM: 75, TargetFirst: true},
	TF32:   {V: 70, SM: 80, TargetFirst: true},
	S4:     {V: 63, SM: 75},
	U4:     {V: 63, SM: 75},
	B1:     {V: 63, SM: 75},
	S2:     {V: 65, SM: 75},
	U2:     {V: 65, SM: 75},
}

func (c *checker) typeGate(t Type) {
	g := &typeGates[t]
	if c.ctx.Version < g.V || c.ctx.SM < g.SM {
		named := *g
		named.Name = t.String()
		c.gate(&named)
	}
}

// wordGates are the features that one word calls for, whatever the
// instruction. Early ones are complained about as the word is read.
type wordGate struct {
	w     Word
	early bool
	mod   bool // "Modifier 'x' requires", not "Feature 'x' requires"
	g     Gate
}

var wordGates = [...]wordGate{}

// wordGate complains about a word that the version or target lacks.
func (c *checker) wordGate(w Word, early bool) {
	for i := range wordGates {
		if g := &wordGates[i]; g.w == w && g.early == early {
			c.gate(&g.g)
		}
	}
}
