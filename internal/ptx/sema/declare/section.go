package declare

import (
	"strconv"

	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/ptx/sema/setting"
	"github.com/goptxas/goptxas/internal/ptx/syntax"
)

// section checks a .section block or an @@DWARF line and keeps its place.
func (f *fileState) section(s *syntax.Section) {
	first := !f.dwarf
	f.dwarf = true
	if s.Dwarf {
		if f.Version >= 20 && first { // behind functions the reference crashes
			f.Error(s.Pos, "Deprecated feature: '@@DWARF directive' not supported as of PTX version 2.0")
		}
		return
	}
	f.Gate(s.Pos, &setting.FeatSection)
	gated := false
	f.Tree.SectionItems(s, func(it *syntax.Item) bool {
		if it.Label != 0 {
			if !gated {
				f.Gate(it.Pos, &setting.FeatSectLabel)
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
		name = f.Name(s.Name)
	}
	f.Module.Sections = append(f.Module.Sections, sema.DebugSection{Name: name, File: f.File, Pos: s.Pos, Body: s.Body, End: s.End})
}

func (f *fileState) sectionLabel(it *syntax.Item) {
	name := f.Name(it.Label)
	for _, l := range f.Module.Labels {
		if l == name {
			f.Error(it.Pos, "Duplicate definition of label '"+name+"'")
			return
		}
	}
	f.Module.Labels = append(f.Module.Labels, name)
}

func (f *fileState) sectionData(it *syntax.Item) {
	for _, v := range it.Vals {
		if int64(v) < 0 {
			f.Gate(it.Pos, &setting.FeatNegative)
		}
	}
	limit, name := uint64(0), it.Type.Type().String()
	switch it.Type.Type() {
	case isa.B8:
		limit = 1 << 8
	case isa.B16:
		limit = 1 << 16
	case isa.B32, isa.B64:
		return
	default:
		f.Error(it.End, badData)
		limit, name = 1, ".b0"
	}
	switch {
	case it.Base == 0 || limit == 1:
	case it.Minus != 0:
		f.Error(it.Pos, badData)
	default: // the next token might have been a sign
		f.Error(it.End, badData)
	}
	for _, v := range it.Vals {
		if v >= limit && (-v > limit/2 || limit == 1) {
			f.Error(it.End, "Value out of range for type "+name+" "+strconv.FormatUint(v, 10))
		}
	}
}

// badData is said of what no debug section can hold.
const badData = "Illegal type for dwarf data"
