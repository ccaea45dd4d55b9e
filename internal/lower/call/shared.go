package call

import (
	"cmp"
	"slices"

	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
)

// names notes the module's shared variables that a body names. They lie behind
// its own, in the order of the text.
func names(p *build.Plan, b *sema.Body) {
	var list []int32
	for n := range b.Operands {
		o := &b.Operands[n]
		if o.Ref < 0 || o.Kind != isa.KSymbol && (o.Kind != isa.KAddr || o.Base != isa.KSymbol) {
			continue
		}
		if v := p.Module.Syms[o.Ref].Var; v >= 0 && p.Module.Vars[v].Space.Base() == isa.SpaceShared && !p.Named[v] {
			p.Named[v] = true
			list = append(list, v)
		}
	}
	slices.Sort(list)
	for _, n := range list {
		if v := &p.Module.Vars[n]; !v.Shape.Open {
			p.Own = append(p.Own, build.OwnShared{Name: v.Name, Align: max(1, int64(v.Shape.Align)), Size: int64(v.Shape.Size())})
		}
	}
}

// placeShared gives the variables their offsets. Those of the module have them
// already, or get them from the linker, where they are the same in all kernels.
// As the reference does it, variables of functions that others may call lie in
// front of the kernel's, those of a kernel that nobody sees behind all others, and for a debugger or in a hurry all lie by alignment
// and size.
func placeShared(p *build.Plan, layout *build.Layout) {
	if layout.Fixed && !p.Object {
		p.Shared, p.Bytes = layout.Shared, layout.SharedBytes
	}
	switch {
	case layout.Sorted:
		slices.SortStableFunc(p.Own, func(a, b build.OwnShared) int {
			return cmp.Or(cmp.Compare(b.Align, a.Align), cmp.Compare(a.Size, b.Size))
		})
	case !p.Object:
		slices.SortStableFunc(p.Own, func(a, b build.OwnShared) int {
			return cmp.Or(cmp.Compare(min(b.Shown, 1), min(a.Shown, 1)), cmp.Compare(a.Shown, b.Shown))
		})
	}
	for _, v := range p.Own {
		if v.At == nil && (p.Object || layout.Fixed) {
			continue
		}
		p.Bytes = build.AlignUp(p.Bytes, v.Align)
		if v.At != nil {
			*v.At = p.Bytes
		} else {
			p.Shared[v.Name] = p.Bytes
		}
		p.Bytes += v.Size
	}
	if !p.Object && p.Bytes > 0 {
		p.Bytes = build.AlignUp(p.Bytes, openAlign(p, layout))
	}
}

// openAlign is what memory whose size the launch says asks of its address. It
// lies behind the rest, and the driver adds the two sizes: what lies between
// them counts with the first. As the reference does it, a variable of the module
// counts in every kernel, but for a debugger or in a hurry in those that name it,
// as one of sixteen bytes at least.
func openAlign(p *build.Plan, layout *build.Layout) int64 {
	align, least := int64(1), int64(1)
	if layout.Sorted {
		least = openLeast
	}
	for n := range p.Module.Vars {
		v := &p.Module.Vars[n]
		if v.Space.Base() == isa.SpaceShared && v.Shape.Open && (p.Named[int32(n)] || !layout.Sorted) {
			align = max(align, int64(v.Shape.Align), least)
		}
	}
	return align
}

const openLeast = 16
