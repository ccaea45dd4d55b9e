package sema

import (
	"strconv"

	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/syntax"
)

// declareModule enters the variables of a module-level declaration. It
// returns false after a fatal fault.
func (c *context) declareModule(d *syntax.Decl) bool {
	h := c.head(d)
	for i := d.Vars.First; i < d.Vars.First+d.Vars.Len; i++ {
		v := &c.tree.Vars[i]
		if v.Name == 0 {
			continue // a declaration without a name is let pass
		}
		s := c.shape(&h, v)
		init, ok := c.initVar(&h, v, &s)
		if !ok {
			return false
		}
		c.legal(&h, v, &s)
		c.oldScope(&h, v)
		if v.Range != syntax.None {
			if !c.family(&h, v, &init) {
				return false
			}
			continue
		}
		c.moduleVar(&h, v, &init, c.name(v.Name))
	}
	return true
}

// family enters the count variables that name<count> stands for.
func (c *context) family(h *declHead, v *syntax.Var, init *Var) bool {
	n := c.word32(v.Range)
	if n > maxFamily {
		c.fatal(noPos, "Memory allocation failure")
		return false
	}
	base := c.name(v.Name)
	for _, f := range c.m.families {
		if f == base {
			c.error(c.after(v.Pos), "Duplicate definition of variable '"+base+"<'")
			return true
		}
	}
	c.m.families = append(c.m.families, base)
	for i := uint32(0); i < n; i++ {
		c.moduleVar(h, v, init, base+strconv.FormatUint(uint64(i), 10))
	}
	return true
}

// oldScope: only the first versions have registers and local memory at
// module level.
func (c *context) oldScope(h *declHead, v *syntax.Var) {
	switch {
	case h.space != isa.SpaceReg && h.space != isa.SpaceLocal:
	case c.ver >= 30:
		c.error(c.after(v.Pos), "Module-scoped variables in "+h.space.String()+" state space are not allowed with ABI")
	default:
		c.m.oldABI("Use of module scoped .local or .reg variable '", c.name(v.Name), "' found, disabling ABI")
	}
}

// moduleVar enters one variable, or merges it with an earlier declaration.
// init is what initVar made of its initial value.
func (c *context) moduleVar(h *declHead, d *syntax.Var, init *Var, name string) {
	nv := *init
	nv.Name, nv.File, nv.Pos = name, c.file, d.Pos
	nv.Managed, nv.Unified, nv.UnifiedA, nv.UnifiedB = h.managed, h.unified, h.uniA, h.uniB
	nv.Defined = h.linkage != Extern
	if h.unified {
		c.m.unified = true
	}
	if sym := c.m.declared(c.file, name, nv.Linkage); sym >= 0 {
		c.redeclare(sym, &nv, d)
		return
	}
	if _, special := isa.LookupString(name).Special(); special {
		// Special registers are variables of every module.
		c.error(c.after(d.Pos), "Inconsistent redefinition of variable '"+name+"'")
		if nv.Linkage == Static {
			c.error(c.after(d.Pos), "'.extern' variable '"+name+"' cannot be resolved by a '.static'")
		}
	}
	c.m.addVar(name, nv)
}

// initVar reads the initial value of a declared name, if it has one, into a
// variable without a name, and sets the bound it gives to an open array. It
// returns false after a fatal fault.
func (c *context) initVar(h *declHead, d *syntax.Var, s *Shape) (v Var, ok bool) {
	v = Var{Space: h.space, Linkage: h.linkage, Shape: *s}
	if d.Init == syntax.None {
		return v, c.stored(h, d)
	}
	o := &c.tree.Operands[d.Init]
	switch h.space {
	case isa.SpaceGlobal, isa.SpaceConst, isa.SpaceTex, isa.Generic:
	default:
		c.error(c.operandEnd(o), "No initial value is allowed for '"+c.name(d.Name)+"' in this state space")
	}
	if ok = c.initialise(&v, d); ok && h.linkage == Extern {
		c.error(c.operandEnd(o), "No initial value is allowed for external symbol '"+c.name(d.Name)+"'")
	}
	*s = v.Shape
	return v, ok && c.stored(h, d)
}

// stored: a declaration must name a state space.
func (c *context) stored(h *declHead, d *syntax.Var) bool {
	if h.space == isa.Generic {
		c.fatal(c.after(d.Pos), "No variable storage specified")
		return false
	}
	return true
}

func (m *Module) addVar(name string, v Var) {
	sym := int32(len(m.Syms))
	m.Syms = append(m.Syms, Symbol{Name: name, Var: int32(len(m.Vars)), Func: -1})
	m.Vars = append(m.Vars, v)
	m.bind(v.File, name, sym, v.Linkage)
}

// redeclare merges a declaration with what the name already means: an
// .extern may be repeated or followed by the definition, if they agree.
func (c *context) redeclare(sym int32, nv *Var, d *syntax.Var) {
	at := c.after(d.Pos)
	s := &c.m.Syms[sym]
	if s.Func >= 0 {
		c.error(at, "Inconsistent redefinition of variable '"+nv.Name+"'")
		c.error(at, "Duplicate definition of variable '"+nv.Name+"'")
		return
	}
	old := &c.m.Vars[s.Var]
	if !agree(&old.Shape, &nv.Shape) {
		c.error(at, "Inconsistent redefinition of variable '"+nv.Name+"'")
	}
	switch {
	case nv.Linkage == Extern:
		return
	case old.Defined:
		c.error(at, "Duplicate definition of variable '"+nv.Name+"'")
		return
	case nv.Linkage == Static:
		c.error(at, "'.extern' variable '"+nv.Name+"' cannot be resolved by a '.static'")
		return
	}
	wasExtern := old.Linkage == Extern
	*old = *nv
	old.WasExtern = wasExtern
	c.m.bind(c.file, nv.Name, sym, nv.Linkage)
}

// agree reports whether two declarations of one variable have the same
// type; an open array goes with any bound.
func agree(a, b *Shape) bool {
	if a.Type != b.Type || a.Vec != b.Vec || a.Array != b.Array {
		return false
	}
	return a.Open || b.Open || a.dims == b.dims
}
