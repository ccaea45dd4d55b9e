package sema

import (
	"strconv"
)

// Variables of global and constant memory that are declared in a body. They
// live as long as the module does, so once every body was checked they join
// its variables, under names that no program spells: the reference's, of the
// name and the line of the declaration.

// OwnVar is such a variable.
type OwnVar struct {
	Index int32 // Vars of the body
	Sym   int32 // Module.Syms, once all bodies were checked
	Line  int
	V     Var
}

// OwnVars makes the variables of the bodies ones of the module.
func (m *Module) OwnVars() {
	count := map[string]int{}
	name := func(o *OwnVar) string { return "$__" + o.V.Name + "__" + strconv.Itoa(o.Line) }
	for f := range m.Funcs {
		for n := range m.Funcs[f].Facts.Own {
			count[name(&m.Funcs[f].Facts.Own[n])]++
		}
	}
	seen := map[string]int{}
	for f := range m.Funcs {
		for n := range m.Funcs[f].Facts.Own {
			o := &m.Funcs[f].Facts.Own[n]
			v, base := o.V, name(o)
			v.Name, v.Linkage = base, Static
			if count[base] > 1 {
				seen[base]++
				v.Name += "$" + strconv.Itoa(seen[base])
			}
			o.Sym = int32(len(m.Syms))
			m.Syms = append(m.Syms, Symbol{Name: v.Name, Var: int32(len(m.Vars)), Func: -1})
			m.Vars = append(m.Vars, v)
		}
		m.nameOwn(int32(f))
	}
}

// OwnReloc is the symbol that the initial value of a variable of a body has
// for variable n of the same body, until that has one of its own.
func OwnReloc(n int32) int32 { return -2 - n }

// nameOwn replaces such symbols by those the variables of function fn got.
func (m *Module) nameOwn(fn int32) {
	for _, o := range m.Funcs[fn].Facts.Own {
		list := m.Vars[m.Syms[o.Sym].Var].Relocs
		for k := range list {
			if list[k].Sym < 0 {
				list[k].Sym = m.OwnSym(fn, OwnReloc(list[k].Sym))
			}
		}
	}
}

// OwnSym returns the symbol of variable n of the body of function fn, which
// lies in global or constant memory, or -1.
func (m *Module) OwnSym(fn, n int32) int32 {
	own := m.Funcs[fn].Facts.Own
	for k := range own {
		if own[k].Index == n {
			return own[k].Sym
		}
	}
	return NoRef
}
