package cli

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/cubin/dwarf"
	"github.com/goptxas/goptxas/internal/witness/sim"
)

// lineTable says which source line an instruction comes from.
type lineTable struct {
	kernel string
	rows   []lineRow
}

type lineRow struct {
	addr uint64
	file string
	line int
}

// readLines reads .debug_line, which a file has when it was compiled with
// line information.
func readLines(m *sim.Module, kernel string) *lineTable {
	s := m.File.Find(".debug_line")
	if s == nil {
		return nil
	}
	t, err := dwarf.ParseLines(s.Data())
	if err != nil || t == nil {
		return nil
	}
	lt := &lineTable{kernel: kernel}
	k := slices.IndexFunc(m.File.LineSections(s), func(x *cubin.Section) bool { return x.Name == ".text."+kernel })
	if k < 0 || k >= len(t.Sequences) {
		return nil
	}
	for _, r := range t.Sequences[k].Rows {
		name := ""
		if n := int(r.File) - 1; n >= 0 && n < len(t.Files) {
			name = path(t, &t.Files[n])
		}
		lt.rows = append(lt.rows, lineRow{r.Addr, name, int(r.Line)})
	}
	return lt
}

func path(t *dwarf.LineTable, f *dwarf.SourceFile) string {
	if n := int(f.Dir) - 1; n >= 0 && n < len(t.Dirs) {
		return t.Dirs[n] + "/" + f.Name
	}
	return f.Name
}

// at prints the line of an instruction, with its text when the file is there.
func (t *lineTable) at(section string, pc uint64) string {
	if t == nil || section != t.kernel {
		return ""
	}
	var best *lineRow
	for n := range t.rows {
		if t.rows[n].addr <= pc {
			best = &t.rows[n]
		}
	}
	if best == nil || best.line == 0 {
		return ""
	}
	s := fmt.Sprintf("%s:%d", best.file, best.line)
	if b, err := os.ReadFile(best.file); err == nil {
		if l := strings.Split(string(b), "\n"); best.line <= len(l) {
			s += ": " + strings.TrimSpace(l[best.line-1])
		}
	}
	return s
}
