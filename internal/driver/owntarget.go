package driver

import (
	"slices"
	"strings"

	"github.com/goptxas/goptxas/internal/driver/cli"
	"github.com/goptxas/goptxas/internal/engine/src"
	"github.com/goptxas/goptxas/internal/ptx/syntax"
)

// takeTarget makes a run that only checks, and names no GPU, check for the
// one that the first text names: what a file says about itself is the best
// question to ask of it. Texts for GPUs that are gone are checked for the
// oldest there is, as without this.
func takeTarget(line *cli.Line, files []Source) {
	if !line.Has(cli.ParseOnly) || line.Has(cli.GPUName) || len(files) == 0 {
		return
	}
	if name := ownTarget(files[0]); slices.Contains(cli.Table[cli.GPUName].Choices(), name) {
		*line.Value(cli.GPUName) = cli.Value{Set: true, Text: name}
	}
}

// OwnTarget returns the GPU that a text names first, "" if it names none.
func OwnTarget(text []byte) string { return ownTarget(Source{File: &src.File{Text: text}}) }

// ownTarget returns the GPU of a text's first .target, "" if there is none.
func ownTarget(f Source) string {
	if f.File == nil || f.Err != "" {
		return ""
	}
	t := syntax.Scan(&src.File{Name: f.File.Name, Text: f.File.Text}) // scanning marks lines in its file
	for i := range t.Stmts {
		s := &t.Stmts[i]
		if s.Kind != syntax.StmtTarget {
			continue
		}
		a := &t.Attrs[s.Index]
		for _, o := range t.Operands[a.Args.First:][:a.Args.Len] {
			if name := t.Names.String(o.Name); strings.HasPrefix(name, "sm_") || strings.HasPrefix(name, "compute_") {
				return name
			}
		}
		return ""
	}
	return ""
}
