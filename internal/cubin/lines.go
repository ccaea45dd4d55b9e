package cubin

import (
	"cmp"
	"slices"

	"github.com/goptxas/goptxas/internal/cubin/elf"
)

// LineSections returns the code section of each sequence of a line program: a
// sequence begins with a relocated address, so the order of the relocations
// is theirs.
func (f *File) LineSections(lines *Section) (list []*Section) {
	for _, s := range f.Sections {
		r, ok := s.Content.(*Relocs)
		if !ok || s.Info.Section != lines {
			continue
		}
		relocs := slices.Clone(r.List)
		slices.SortFunc(relocs, func(a, b Reloc) int { return cmp.Compare(a.Off, b.Off) })
		for _, x := range relocs {
			if x.Sym != nil && x.Sym.Section != nil && x.Sym.Section.Flags&elf.FlagExec != 0 {
				list = append(list, x.Sym.Section)
			}
		}
	}
	return list
}
