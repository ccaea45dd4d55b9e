package row

import (
	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// Lacks reports whether the module's version or target is older than the
// first ones with a feature; zero is no bound.
func (c *Checker) Lacks(v isa.Version, sm int) bool { return c.Ctx.Version < v || c.Ctx.SM < sm }

// Gate reports a feature that the version or the target lacks.
func (c *Checker) Gate(g *Gate) {
	oldVersion := c.Ctx.Version < g.V
	noTarget := c.Ctx.SM < g.SM || g.Only != 0 && c.Bit&g.Only == 0
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
		c.Errorf("%s '%s' requires PTX ISA .version %s or later", what, c.gateName(g), g.V)
	}
	if !first && noTarget {
		c.gateTarget(g)
	}
}

func (c *Checker) gateTarget(g *Gate) {
	what := "Feature"
	switch {
	case g.Inst:
		what = "Instruction"
	case g.Mod:
		what = "Modifier"
	}
	if g.Arch {
		c.Errorf("Illegal modifier '%s' for instruction '%s', for arch '%s'", c.gateName(g), c.Row.Name, c.Ctx.Target)
		return
	}
	if g.Only != 0 {
		c.Errorf("%s '%s' not supported on .target '%s'", what, c.gateName(g), c.Ctx.Target)
		return
	}
	c.Errorf("%s '%s' requires .target sm_%d or higher", what, c.gateName(g), g.SM)
}

// gateName is the feature's name; a $ in it stands for the operation's name
// and an & for the name with its types.
func (c *Checker) gateName(g *Gate) string {
	if g.Name == "" {
		return c.Row.Name
	}
	if g.Plain {
		return g.Name
	}
	out := make([]byte, 0, 64)
	for i := range len(g.Name) {
		switch g.Name[i] {
		case '$':
			out = append(out, c.Row.Name...)
		case '&':
			out = append(out, c.Row.Name...)
			for _, t := range c.types() {
				out = append(out, t.String()...)
			}
		default:
			out = append(out, g.Name[i])
		}
	}
	return string(out)
}

func (c *Checker) gateApplies(g *Gate) bool {
	if g.T != 0 {
		found := false
		for _, t := range c.types() {
			found = found || g.T.Has(t)
		}
		if !found {
			return false
		}
	}
	if g.W != isa.WNone && !c.HasWord(g.W) {
		return false
	}
	return g.If == nil || g.If(c)
}

// types returns the instruction's types.
func (c *Checker) types() []isa.Type {
	return c.In.Types[:min(c.In.NTypes, len(c.In.Types))]
}

// HasWord reports whether w is among the modifiers.
func (c *Checker) HasWord(w isa.Word) bool {
	for _, m := range c.In.Mods {
		if m == w {
			return true
		}
	}
	return false
}

// typeGates are the types that a version or target must know before any
// instruction may name them.
var typeGates = [isa.NumTypes]Gate{
	isa.BF16:   {V: 70, SM: 80, TargetFirst: true},
	isa.BF16x2: {V: 70, SM: 80, TargetFirst: true},
	isa.TF32:   {V: 70, SM: 80, TargetFirst: true},
	isa.S4:     {V: 63, SM: 75, TargetFirst: true},
	isa.U4:     {V: 63, SM: 75, TargetFirst: true},
	isa.B1:     {V: 63, SM: 75, TargetFirst: true},
	isa.S2:     {V: 65, SM: 75, TargetFirst: true},
	isa.U2:     {V: 65, SM: 75, TargetFirst: true},
}

func (c *Checker) typeGate(t isa.Type) {
	g := &typeGates[t]
	if c.Lacks(g.V, g.SM) {
		if t == isa.BF16x2 && c.Lacks(0, 75) {
			c.Errorf("Feature '.bf16x2' requires .target sm_75 or higher")
		}
		named := *g
		named.Name, named.Plain = t.String(), true
		c.Gate(&named)
	}
}

func (c *Checker) OneFeature(name string, v isa.Version, sm int) {
	if c.Lacks(v, sm) {
		c.Gate(&Gate{Name: name, Plain: true, V: v, SM: sm})
	}
}

// TargetFeature is oneFeature with the target first.
func (c *Checker) TargetFeature(name string, v isa.Version, sm int) {
	if c.Lacks(v, sm) {
		c.Gate(&Gate{Name: name, Plain: true, V: v, SM: sm, TargetFirst: true})
	}
}

// HasPair tells whether the result is d|p.
func HasPair(c *Checker) bool { return len(c.In.Args) > 0 && c.In.Args[0].HasPair }
