package sema

import (
	"strconv"

	"goptxas/internal/ptx/isa"
	"goptxas/internal/ptx/syntax"
)

// declareModule enters the variables of a module-level declaration. It
// returns false after a fatal fault.
func (c *context) declareModule(d *syntax.Decl) bool {
	h, ok := c.head(d)
	if !ok {
		return false
	}
	for i := d.Vars.First; i < d.Vars.First+d.Vars.Len; i++ {
		v := &c.tree.Vars[i]
		if v.Name == 0 {
			continue // a declaration without a name is let pass
		}
		s := c.shape(&h, v)
		c.legal(&h, v, &s)
		if v.Range != syntax.None {
			if !c.family(&h, v, &s) {
				return false
			}
			continue
		}
		if !c.moduleVar(&h, v, &s, c.name(v.Name)) {
			return false
		}
	}
	return true
}

// family enters the count variables that name<count> stands for.
func (c *context) family(h *declHead, v *syntax.Var, s *Shape) bool {
	n := c.word32(v.Range)
	if n > maxFamily {
		c.fatal(noPos, "Memory allocation failure")
		return false
	}
	base := c.name(v.Name)
	for i := uint32(0); i < n; i++ {
		if !c.moduleVar(h, v, s, base+strconv.FormatUint(uint64(i), 10)) {
			return false
		}
	}
	return true
}

// moduleVar enters one variable, or merges it with an earlier declaration.
func (c *context) moduleVar(h *declHead, d *syntax.Var, s *Shape, name string) bool {
	at := c.after(d.Pos)
	nv := Var{
		Name: name, File: c.file, Pos: d.Pos, Space: h.space, Linkage: h.linkage, Managed: h.managed,
		Unified: h.unified, UnifiedA: h.uniA, UnifiedB: h.uniB, Defined: h.linkage != Extern, Shape: *s,
	}
	switch h.space {
	case isa.SpaceReg, isa.SpaceLocal:
		if c.ver >= 30 {
			c.error(at, "Module-scoped variables in "+h.space.String()+" state space are not allowed with ABI")
		} else {
			c.m.NoABI = append(c.m.NoABI, "Use of module scoped .local or .reg variable '"+name+"' found, disabling ABI")
		}
	}
	if h.unified {
		c.m.unified = true
	}
	if sym := c.m.lookup([]byte(name)); sym >= 0 {
		return c.redeclare(sym, &nv, d)
	}
	ok := true
	if d.Init != syntax.None {
		ok = c.initVar(&nv, d)
	}
	c.m.addVar(name, nv)
	return ok
}

// initVar reads an initial value where one may stand.
func (c *context) initVar(v *Var, d *syntax.Var) bool {
	switch {
	case v.Linkage == Extern:
		c.error(c.operandEnd(&c.tree.Operands[d.Init]), "No initial value is allowed for external symbol '"+v.Name+"'")
		return true
	case v.Space != isa.SpaceGlobal && v.Space != isa.SpaceConst:
		c.error(c.operandEnd(&c.tree.Operands[d.Init]), "No initial value is allowed for '"+v.Name+"' in this state space")
		return true
	}
	return c.initialise(v, d)
}

func (m *Module) addVar(name string, v Var) {
	sym := int32(len(m.Syms))
	m.Syms = append(m.Syms, Symbol{Name: name, Var: int32(len(m.Vars)), Func: -1})
	m.Vars = append(m.Vars, v)
	m.index[name] = sym
}

// redeclare merges a declaration with what the name already means: an
// .extern may be repeated or followed by the definition, if they agree.
func (c *context) redeclare(sym int32, nv *Var, d *syntax.Var) bool {
	at := c.after(d.Pos)
	s := &c.m.Syms[sym]
	if s.Func >= 0 {
		c.error(at, "Inconsistent redefinition of variable '"+nv.Name+"'")
		c.error(at, "Duplicate definition of variable '"+nv.Name+"'")
		return true
	}
	old := &c.m.Vars[s.Var]
	if !agree(&old.Shape, &nv.Shape) {
		c.error(at, "Inconsistent redefinition of variable '"+nv.Name+"'")
	}
	switch {
	case nv.Linkage == Extern:
		return true
	case old.Defined:
		c.error(at, "Duplicate definition of variable '"+nv.Name+"'")
		return true
	case nv.Linkage == Static:
		c.error(at, "'.extern' variable '"+nv.Name+"' cannot be resolved by a '.static'")
		return true
	}
	ok := true
	if d.Init != syntax.None {
		ok = c.initVar(nv, d)
	}
	wasExtern := old.Linkage == Extern
	*old = *nv
	old.WasExtern = wasExtern
	return ok
}

// agree reports whether two declarations of one variable have the same
// type; an open array goes with any bound.
func agree(a, b *Shape) bool {
	if a.Type != b.Type || a.Vec != b.Vec || a.Array != b.Array {
		return false
	}
	return a.Open || b.Open || a.dims == b.dims
}
