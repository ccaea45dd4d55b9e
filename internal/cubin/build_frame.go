package cubin

import (
	"slices"

	"github.com/goptxas/goptxas/internal/cubin/dwarf"
	"github.com/goptxas/goptxas/internal/cubin/elf"
)

// frames writes .debug_frame, kernels in section order, and its
// relocations: the starts of a kernel's frames, last first, then the
// addresses inside their CIEs. Objects also relocate the reference to the
// CIE and mark the size, which the linker clears with a dropped function.
func (b *builder) frames(s *Section) {
	var data []byte
	var list, resolved []Reloc
	var table *Section
	for i := len(b.m.Kernels) - 1; i >= 0; i-- {
		k := &b.m.Kernels[i]
		if k.PointerTable && len(k.Const2) > 0 {
			bank := b.syms[".nv.constant2."+k.Name].Section
			b.relocs(bank, ".nv.constant.optimizer."+k.Name, k.Const2Fixes, k)
		}
		var starts []Reloc
		for _, f := range k.Frames {
			var at dwarf.Fixes
			data, at = dwarf.Append(data, f)
			starts = append(starts, b.frameFixes(&data, s, k, &f, &at)...)
			resolved = append(resolved, Reloc{Off: uint64(at.CIEPointer), Type: Rel64, Sym: b.syms[s.Name], Addend: int64(at.CIE)})
			if at.Address >= 0 {
				list = append(list, Reloc{Off: uint64(at.Address), Type: Rel64, Sym: b.syms[k.Name]})
			}
		}
		list = append(list, starts...)
		if table == nil && len(list) > 0 {
			table = b.frameTable(s)
		}
	}
	s.Content = Bytes(data)
	slices.Reverse(list)
	b.fillFrames(s, table, list)
	if b.preserves() && len(resolved) > 0 {
		b.name(resolvedFrames)
		slices.Reverse(resolved)
		b.table(resolvedFrames, TypeResolvedRela, s).Content.(*Relocs).List = resolved
	}
}

// resolvedFrames is the table of what was relocated in .debug_frame.
const resolvedFrames = resolvedTable + ".debug_frame"

// frameTable makes the table, with both names, at the first kernel.
func (b *builder) frameTable(s *Section) *Section {
	b.name(".rel.debug_frame")
	b.name(".rela.debug_frame")
	if b.oneKind() {
		return b.table(".rela.debug_frame", elf.TypeRela, s)
	}
	return b.table(".rel.debug_frame", elf.TypeRel, s)
}

// frameFixes are the relocations of one FDE.
func (b *builder) frameFixes(data *[]byte, s *Section, k *Kernel, f *dwarf.Frame, at *dwarf.Fixes) []Reloc {
	start := Reloc{Off: uint64(at.Start), Type: Rel64, Sym: b.syms[k.Name]}
	if b.isNew {
		start.Addend = int64(f.Start)
	}
	if !b.m.Relocatable {
		return []Reloc{start}
	}
	clear((*data)[at.CIEPointer : at.CIEPointer+8])
	return []Reloc{
		{Off: uint64(at.CIEPointer), Type: Rel64, Sym: b.syms[s.Name], Addend: int64(at.CIE)},
		start,
		{Off: uint64(at.Size), Type: RelUnusedClear64, Sym: b.syms[k.Name]},
	}
}

// oneKind reports whether all relocations stand with their addends.
func (b *builder) oneKind() bool { return b.isNew || b.m.ForceRela }

// fillFrames puts the relocations into their tables: new files have one
// kind, old ones keep those with an addend, and the marks, apart.
func (b *builder) fillFrames(s, table *Section, list []Reloc) {
	if len(list) == 0 {
		return
	}
	if b.oneKind() {
		table.Content.(*Relocs).List = list
		return
	}
	var plain, added []Reloc
	for _, r := range list {
		if r.Addend != 0 || r.Type == RelUnusedClear64 {
			added = append(added, r)
		} else {
			plain = append(plain, r)
		}
	}
	table.Content.(*Relocs).List = plain
	if len(added) > 0 {
		b.table(".rela.debug_frame", elf.TypeRela, s).Content.(*Relocs).List = added
	}
}
