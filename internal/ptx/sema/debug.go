package sema

import (
	"strconv"

	"github.com/goptxas/goptxas/internal/ptx/syntax"
)

// sourceFile adds a row to the table of source files.
func (f *fileState) sourceFile(a *syntax.Attr) {
	at := f.after(a.End)
	row := SourceFile{Index: f.word32(a.Vals.First)}
	if a.Vals.Len > 1 {
		f.gate(a.End, &featFileTime)
		row.Time = f.word64(a.Vals.First + 1)
	}
	if a.Vals.Len > 2 {
		row.Size = f.word64(a.Vals.First + 2)
	}
	if a.Strs.Len > 0 {
		row.Name = string(f.tree.StrText(f.tree.Strs[a.Strs.First]))
	}
	for i := range f.m.Sources {
		if f.m.Sources[i].Index == row.Index {
			f.error(at, "Duplicate file index #"+strconv.Itoa(int(row.Index)))
			return
		}
	}
	f.m.Sources = append(f.m.Sources, row)
}
