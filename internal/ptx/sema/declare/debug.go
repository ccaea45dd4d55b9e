package declare

import (
	"strconv"

	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/ptx/sema/setting"
	"github.com/goptxas/goptxas/internal/ptx/syntax"
)

// sourceFile adds a row to the table of source files.
func (f *fileState) sourceFile(a *syntax.Attr) {
	at := f.After(a.End)
	row := sema.SourceFile{Index: f.Word32(a.Vals.First)}
	if a.Vals.Len > 1 {
		f.Gate(a.End, &setting.FeatFileTime)
		row.Time = f.Word64(a.Vals.First + 1)
	}
	if a.Vals.Len > 2 {
		row.Size = f.Word64(a.Vals.First + 2)
	}
	if a.Strs.Len > 0 {
		row.Name = string(f.Tree.StrText(f.Tree.Strs[a.Strs.First]))
	}
	for i := range f.Module.Sources {
		if f.Module.Sources[i].Index == row.Index {
			f.Error(at, "Duplicate file index #"+strconv.Itoa(int(row.Index)))
			return
		}
	}
	f.Module.Sources = append(f.Module.Sources, row)
}
