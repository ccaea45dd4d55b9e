package link

import (
	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
)

// localAlign is what variables of the module in local memory are aligned to.
const localAlign = 16

// Crowded reports whether bank 4 has no room for the addresses of all global
// variables and functions that a module declares: its code has them itself, and
// the driver puts them there.
func Crowded(m *sema.Module) bool {
	n := 0
	for i := range m.Vars {
		if m.Vars[i].Space == isa.SpaceGlobal {
			n++
		}
	}
	for i := range m.Funcs {
		if f := &m.Funcs[i]; !f.HasBody && f.Alias < 0 {
			n++
		}
	}
	return n >= bankSlots
}

// bankSlots is how many addresses a bank of constants holds.
const bankSlots = 1 << 16 / 8

// variables declares the module's variables in the file and returns how
// much shared memory they take.
func variables(m *sema.Module, l *build.Layout, file *cubin.Module) cubin.Shared {
	var sh cubin.Shared
	for n := range m.Vars {
		v := &m.Vars[n]
		align := max(1, v.Shape.Align)
		switch v.Space {
		case isa.SpaceShared:
			if v.Shape.Open {
				file.DynamicShared = true
				file.SharedAlign = max(file.SharedAlign, align)
				l.Dynamic[v.Name] = int64(align)
				continue
			}
			at := (sh.Size + align - 1) / align * align
			l.Shared[v.Name] = int64(at)
			sh.Size, sh.Align = at+v.Shape.Size(), max(sh.Align, align)
		case isa.SpaceLocal:
			l.LocalBytes = (l.LocalBytes + int64(v.Shape.Size()) + localAlign - 1) / localAlign * localAlign
			l.Local[v.Name] = l.LocalBytes
		case isa.SpaceGlobal, isa.SpaceConst:
			if v.Shape.Type >= isa.Texref && v.Shape.Type <= isa.Surfref {
				file.Refs = append(file.Refs, reference(v))
				continue
			}
			file.Decls = append(file.Decls, decl(v, align))
		}
	}
	cubin.Place(file.Decls, false)
	for _, d := range file.Decls {
		if d.Space == cubin.SpaceConst {
			l.Const[d.Name] = int64(d.Offset)
			l.ConstBytes = max(l.ConstBytes, int64(d.Offset+d.Size+3)&^3)
		}
	}
	if anyRelocs(m) {
		for n := range file.Decls {
			relocate(m, l, &file.Decls[n])
		}
	}
	l.SharedBytes, l.Fixed = int64(sh.Size), sharedNamed(m)
	return sh
}

// anyRelocs reports whether an initial value holds an address.
func anyRelocs(m *sema.Module) bool {
	for n := range m.Vars {
		if len(m.Vars[n].Relocs) > 0 {
			return true
		}
	}
	return false
}

// sharedNamed reports whether an initial value holds the offset of a shared
// variable.
func sharedNamed(m *sema.Module) bool {
	for n := range m.Vars {
		for _, r := range m.Vars[n].Relocs {
			if v := m.Syms[r.Sym].Var; v >= 0 && m.Vars[v].Space == isa.SpaceShared {
				return true
			}
		}
	}
	return false
}

func decl(v *sema.Var, align uint64) cubin.Decl {
	d := cubin.Decl{Name: v.Name, Space: cubin.SpaceGlobal, Bind: bind(v.Linkage), Size: v.Shape.Size(), Align: align, Managed: v.Managed}
	if v.Space == isa.SpaceConst {
		d.Space = cubin.SpaceConst
	}
	if v.Init != nil {
		d.Init = make([]byte, d.Size)
		copy(d.Init, v.Init)
	}
	return d
}

func bind(l sema.Linkage) uint8 {
	switch l {
	case sema.Static:
		return cubin.BindLocal
	case sema.Weak, sema.Common:
		return cubin.BindWeak
	}
	return cubin.BindGlobal
}
