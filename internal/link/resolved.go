package link

import (
	"cmp"
	"slices"

	"github.com/goptxas/goptxas/internal/codegen/emit"
	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// resolved tells the file which words of the code name variables, though they
// have their numbers (--preserve-relocs).
func (p *Program) resolved(c *cubin.Kernel, k *Kernel) {
	for _, r := range k.Code.Resolved {
		x := cubin.Fix{Off: uint64(r.Offset), Type: cubin.RelAbs32at32, Symbol: r.Symbol, Addend: r.Addend}
		named := func(d cubin.Decl) bool { return d.Name == r.Symbol }
		switch at := slices.IndexFunc(p.File.Decls, named); {
		case r.Kind == emit.RelocSlot:
			x.Type, x.Symbol = cubin.RelConst21at38, cubin.SlotSymbol(r.Symbol)
		case r.Kind == emit.RelocBank:
			x.Type = cubin.RelConst21at38
		case at >= 0 && p.File.Decls[at].Space == cubin.SpaceConst:
			x.Type = cubin.RelAbs16at32
		case !slices.ContainsFunc(c.Locals, named):
			c.Locals = append(c.Locals, cubin.Decl{Name: r.Symbol, Space: cubin.SpaceShared, Offset: uint64(r.Place), Size: p.sharedSize(r.Symbol)})
		}
		c.Resolved = append(c.Resolved, x)
	}
	slices.SortStableFunc(c.Locals, func(a, b cubin.Decl) int { return cmp.Compare(a.Offset, b.Offset) })
}

// sharedSize returns the bytes of a shared variable, of the module or of a
// function.
func (p *Program) sharedSize(name string) uint64 {
	for n := range p.m.Vars {
		if v := &p.m.Vars[n]; v.Name == name && v.Space == isa.SpaceShared {
			return v.Shape.Size()
		}
	}
	load := Bodies(p.m)
	for n := range p.m.Funcs {
		f := &p.m.Funcs[n]
		if !f.HasBody || len(f.Facts.Shared) == 0 {
			continue
		}
		list := sharedOf(p.m, load(int32(n)))
		if at := slices.IndexFunc(list, func(d cubin.Decl) bool { return d.Name == name }); at >= 0 {
			return list[at].Size
		}
	}
	return 0
}
