package declare

import (
	"strconv"

	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/ptx/sema/setting"
	"github.com/goptxas/goptxas/internal/ptx/syntax"
)

// declareModule enters the variables of a module-level declaration. It
// returns false after a fatal fault.
func declareModule(c *setting.Context, d *syntax.Decl) bool {
	h := Head(c, d)
	for i := d.Vars.First; i < d.Vars.First+d.Vars.Len; i++ {
		v := &c.Tree.Vars[i]
		if v.Name == 0 {
			continue // a declaration without a name is let pass
		}
		s := Shape(c, &h, v)
		init, ok := InitVar(c, &h, v, &s)
		if !ok {
			return false
		}
		Legal(c, &h, v, &s)
		oldScope(c, &h, v)
		if v.Range != syntax.None {
			if !family(c, &h, v, &init) {
				return false
			}
			continue
		}
		moduleVar(c, &h, v, &init, c.Name(v.Name))
	}
	return true
}

// family enters the count variables that name<count> stands for.
func family(c *setting.Context, h *DeclHead, v *syntax.Var, init *sema.Var) bool {
	n := c.Word32(v.Range)
	if n > MaxFamily {
		c.Fatal(setting.NoPos, "Memory allocation failure")
		return false
	}
	base := c.Name(v.Name)
	for _, f := range c.Module.Families {
		if f == base {
			c.Error(c.After(v.Pos), "Duplicate definition of variable '"+base+"<'")
			return true
		}
	}
	c.Module.Families = append(c.Module.Families, base)
	for i := uint32(0); i < n; i++ {
		moduleVar(c, h, v, init, base+strconv.FormatUint(uint64(i), 10))
	}
	return true
}

// oldScope: only the first versions have registers and local memory at
// module level.
func oldScope(c *setting.Context, h *DeclHead, v *syntax.Var) {
	switch {
	case h.Space != isa.SpaceReg && h.Space != isa.SpaceLocal:
	case c.Version >= 30:
		c.Error(c.After(v.Pos), "Module-scoped variables in "+h.Space.String()+" state space are not allowed with ABI")
	default:
		oldABI(c.Module, "Use of module scoped .local or .reg variable '", c.Name(v.Name), "' found, disabling ABI")
	}
}

// moduleVar enters one variable, or merges it with an earlier declaration.
// init is what initVar made of its initial value.
func moduleVar(c *setting.Context, h *DeclHead, d *syntax.Var, init *sema.Var, name string) {
	nv := *init
	nv.Name, nv.File, nv.Pos = name, c.File, d.Pos
	nv.Managed, nv.Unified, nv.UnifiedA, nv.UnifiedB = h.Managed, h.Unified, h.UniA, h.UniB
	nv.Defined = h.linkage != sema.Extern
	if h.Unified {
		c.Module.Unified = true
	}
	if sym := c.Module.Lookup(c.File, []byte(name)); sym >= 0 {
		redeclare(c, sym, &nv, d)
		return
	}
	if _, special := isa.LookupString(name).Special(); special {
		// Special registers are variables of every module.
		c.Error(c.After(d.Pos), "Inconsistent redefinition of variable '"+name+"'")
		if nv.Linkage == sema.Static {
			c.Error(c.After(d.Pos), "'.extern' variable '"+name+"' cannot be resolved by a '.static'")
		}
	}
	addVar(c.Module, name, nv)
}

// InitVar reads the initial value of a declared name, if it has one, into a
// variable without a name, and sets the bound it gives to an open array. It
// returns false after a fatal fault.
func InitVar(c *setting.Context, h *DeclHead, d *syntax.Var, s *sema.Shape) (v sema.Var, ok bool) {
	v = sema.Var{Space: h.Space, Linkage: h.linkage, Shape: *s}
	if d.Init == syntax.None {
		return v, stored(c, h, d)
	}
	o := &c.Tree.Operands[d.Init]
	switch h.Space {
	case isa.SpaceGlobal, isa.SpaceConst, isa.SpaceTex, isa.Generic:
	default:
		c.Error(operandEnd(c, o), "No initial value is allowed for '"+c.Name(d.Name)+"' in this state space")
	}
	if ok = initialise(c, &v, d); ok && h.linkage == sema.Extern {
		c.Error(operandEnd(c, o), "No initial value is allowed for external symbol '"+c.Name(d.Name)+"'")
	}
	*s = v.Shape
	return v, ok && stored(c, h, d)
}

// stored: a declaration must name a state space.
func stored(c *setting.Context, h *DeclHead, d *syntax.Var) bool {
	if h.Space == isa.Generic {
		c.Fatal(c.After(d.Pos), "No variable storage specified")
		return false
	}
	return true
}

func addVar(m *sema.Module, name string, v sema.Var) {
	sym := int32(len(m.Syms))
	m.Syms = append(m.Syms, sema.Symbol{Name: name, Var: int32(len(m.Vars)), Func: -1})
	m.Vars = append(m.Vars, v)
	m.Bind(v.File, name, sym, v.Linkage)
}

// redeclare merges a declaration with what the name already means: an
// .extern may be repeated or followed by the definition, if they agree.
func redeclare(c *setting.Context, sym int32, nv *sema.Var, d *syntax.Var) {
	at := c.After(d.Pos)
	s := &c.Module.Syms[sym]
	if s.Func >= 0 {
		c.Error(at, "Inconsistent redefinition of variable '"+nv.Name+"'")
		c.Error(at, "Duplicate definition of variable '"+nv.Name+"'")
		return
	}
	old := &c.Module.Vars[s.Var]
	if !agree(&old.Shape, &nv.Shape) {
		c.Error(at, "Inconsistent redefinition of variable '"+nv.Name+"'")
	}
	switch {
	case nv.Linkage == sema.Extern:
		return
	case old.Defined:
		c.Error(at, "Duplicate definition of variable '"+nv.Name+"'")
		return
	case nv.Linkage == sema.Static:
		c.Error(at, "'.extern' variable '"+nv.Name+"' cannot be resolved by a '.static'")
		return
	}
	wasExtern := old.Linkage == sema.Extern
	*old = *nv
	old.WasExtern = wasExtern
	c.Module.Bind(c.File, nv.Name, sym, nv.Linkage)
}

// agree reports whether two declarations of one variable have the same
// type; an open array goes with any bound.
func agree(a, b *sema.Shape) bool {
	if a.Type != b.Type || a.Vec != b.Vec || a.Array != b.Array {
		return false
	}
	return a.Open || b.Open || a.Dims == b.Dims
}
