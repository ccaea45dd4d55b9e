package sema

import (
	"strconv"

	"github.com/goptxas/goptxas/internal/engine/diag"
	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// Variables of global and constant memory that are declared in a body. They
// live as long as the module does, so once every body was checked they join
// its variables, under names that no program spells: the reference's, of the
// name and the line of the declaration.

// ownVar is such a variable.
type ownVar struct {
	index int32 // Vars of the body
	sym   int32 // Module.Syms, once all bodies were checked
	line  int
	v     Var
}

// noteOwn notes a variable of the body that becomes one of the module.
func (k *checker) noteOwn(index int32, v *Var) {
	if v.Space != isa.SpaceGlobal && v.Space != isa.SpaceConst || v.Shape.Type.IsOpaque() {
		return
	}
	_, line := k.tree.File.Line(v.Pos)
	k.facts.own = append(k.facts.own, ownVar{index: index, sym: noRef, line: line, v: *v})
}

// ownVars makes the variables of the bodies ones of the module.
func (m *Module) ownVars(*diag.Unit) {
	count := map[string]int{}
	name := func(o *ownVar) string { return "$__" + o.v.Name + "__" + strconv.Itoa(o.line) }
	for f := range m.Funcs {
		for n := range m.Funcs[f].done.own {
			count[name(&m.Funcs[f].done.own[n])]++
		}
	}
	seen := map[string]int{}
	for f := range m.Funcs {
		for n := range m.Funcs[f].done.own {
			o := &m.Funcs[f].done.own[n]
			v, base := o.v, name(o)
			v.Name, v.Linkage = base, Static
			if count[base] > 1 {
				seen[base]++
				v.Name += "$" + strconv.Itoa(seen[base])
			}
			o.sym = int32(len(m.Syms))
			m.Syms = append(m.Syms, Symbol{Name: v.Name, Var: int32(len(m.Vars)), Func: -1})
			m.Vars = append(m.Vars, v)
		}
	}
}

// OwnSym returns the symbol of variable n of the body of function fn, which
// lies in global or constant memory, or -1.
func (m *Module) OwnSym(fn, n int32) int32 {
	own := m.Funcs[fn].done.own
	for k := range own {
		if own[k].index == n {
			return own[k].sym
		}
	}
	return noRef
}
