package sema

import (
	"strconv"

	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/syntax"
)

// section checks a .section block or an @@DWARF line and keeps its place.
func (f *fileState) section(s *syntax.Section) {
	first := !f.dwarf
	f.dwarf = true
	if s.Dwarf {
		if f.ver >= 20 && first { // behind functions the reference crashes
			f.error(s.Pos, "Deprecated feature: '@@DWARF directive' not supported as of PTX version 2.0")
		}
		return
	}
	f.gate(s.Pos, &featSection)
	gated := false
	f.tree.SectionItems(s, func(it *syntax.Item) bool {
		if it.Label != 0 {
			if !gated {
				f.gate(it.Pos, &featSectLabel)
			}
			gated = true
			f.sectionLabel(it)
			return true
		}
		f.sectionData(it)
		return true
	})
	name := ""
	if s.Name != 0 {
		name = f.name(s.Name)
	}
	f.m.Sections = append(f.m.Sections, DebugSection{Name: name, File: f.file, Pos: s.Pos, Body: s.Body, End: s.End})
}

func (f *fileState) sectionLabel(it *syntax.Item) {
	name := f.name(it.Label)
	for _, l := range f.m.labels {
		if l == name {
			f.error(it.Pos, "Duplicate definition of label '"+name+"'")
			return
		}
	}
	f.m.labels = append(f.m.labels, name)
}

func (f *fileState) sectionData(it *syntax.Item) {
	for _, v := range it.Vals {
		if int64(v) < 0 {
			f.gate(it.Pos, &featNegative)
		}
	}
	limit := uint64(0)
	switch it.Type.Type() {
	case isa.B8:
		limit = 1 << 8
	case isa.B16:
		limit = 1 << 16
	default:
		return
	}
	for _, v := range it.Vals {
		if v >= limit && -v > limit/2 {
			f.error(it.Pos, "Value out of range for type "+it.Type.Type().String()+" "+strconv.FormatUint(v, 10))
		}
	}
}
