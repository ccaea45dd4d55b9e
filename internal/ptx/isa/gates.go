package isa

// lacks reports whether the module's version or target is older than the
// first ones with a feature; zero is no bound.
func (c *checker) lacks(v Version, sm int) bool { return c.ctx.Version < v || c.ctx.SM < sm }

// gate reports a feature that the version or the target lacks.
func (c *checker) gate(g *Gate) {
	oldVersion := c.ctx.Version < g.V
	noTarget := c.ctx.SM < g.SM || g.Only != 0 && c.bit&g.Only == 0
	if !oldVersion && !noTarget || !c.gateApplies(g) {
		return
	}
	first := g.TargetFirst || g.Inst && g.Only == 0 && !g.VersionFirst
	if first && noTarget {
		c.gateTarget(g)
	}
	if oldVersion {
		what := "Feature"
		if g.ModV {
			what = "Modifier"
		}
		c.errorf("%s '%s' requires PTX ISA .version %s or later", what, c.gateName(g), g.V)
	}
	if !first && noTarget {
		c.gateTarget(g)
	}
}

func (c *checker) gateTarget(g *Gate) {
	what := "Feature"
	switch {
	case g.Inst:
		what = "Instruction"
	case g.Mod:
		what = "Modifier"
	}
	if g.Arch {
		c.errorf("Illegal modifier '%s' for instruction '%s', for arch '%s'", c.gateName(g), c.row.Name, c.ctx.Target)
		return
	}
	if g.Only != 0 {
		c.errorf("%s '%s' not supported on .target '%s'", what, c.gateName(g), c.ctx.Target)
		return
	}
	c.errorf("%s '%s' requires .target sm_%d or higher", what, c.gateName(g), g.SM)
}

// gateName is the feature's name; a $ in it stands for the operation's name
// and an & for the name with its types.
func (c *checker) gateName(g *Gate) string {
	if g.Name == "" {
		return c.row.Name
	}
	if g.Plain {
		return g.Name
	}
	out := make([]byte, 0, 64)
	for i := range len(g.Name) {
		switch g.Name[i] {
		case '$':
			out = append(out, c.row.Name...)
		case '&':
			out = append(out, c.row.Name...)
			for _, t := range c.types() {
				out = append(out, t.String()...)
			}
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
	BF16x2: {V: 70, SM: 80, TargetFirst: true},
	TF32:   {V: 70, SM: 80, TargetFirst: true},
	S4:     {V: 63, SM: 75, TargetFirst: true},
	U4:     {V: 63, SM: 75, TargetFirst: true},
	B1:     {V: 63, SM: 75, TargetFirst: true},
	S2:     {V: 65, SM: 75, TargetFirst: true},
	U2:     {V: 65, SM: 75, TargetFirst: true},
}

func (c *checker) typeGate(t Type) {
	g := &typeGates[t]
	if c.lacks(g.V, g.SM) {
		if t == BF16x2 && c.lacks(0, 75) {
			c.errorf("Feature '.bf16x2' requires .target sm_75 or higher")
		}
		named := *g
		named.Name, named.Plain = t.String(), true
		c.gate(&named)
	}
}

func (c *checker) oneFeature(name string, v Version, sm int) {
	if c.lacks(v, sm) {
		c.gate(&Gate{Name: name, Plain: true, V: v, SM: sm})
	}
}

// targetFeature is oneFeature with the target first.
func (c *checker) targetFeature(name string, v Version, sm int) {
	if c.lacks(v, sm) {
		c.gate(&Gate{Name: name, Plain: true, V: v, SM: sm, TargetFirst: true})
	}
}

// hasPair tells whether the result is d|p.
func hasPair(c *checker) bool { return len(c.in.Args) > 0 && c.in.Args[0].HasPair }
