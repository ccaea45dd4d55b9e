package dis

import (
	"slices"
	"strconv"

	"github.com/goptxas/goptxas/internal/cubin/dwarf"
)

// lineInfo reads .debug_line and notes for each code section what is printed
// above which instruction, as nvdisasm -g does. With inlined it is what -gi
// prints: the places that functions were inlined at stand below.
func (p *program) lineInfo(inlined bool) error {
	sec := p.file.Find(".debug_line")
	if sec == nil {
		return nil
	}
	table, err := dwarf.ParseLines(sec.Data())
	if err != nil || table == nil {
		return err
	}
	for n, s := range p.file.LineSections(sec) {
		at := slices.IndexFunc(p.sections, func(t *textSection) bool { return t.sec == s })
		if at < 0 || n >= len(table.Sequences) {
			continue
		}
		x := &lineText{t: table, inlined: inlined}
		p.sections[at].lines = x.sequence(&table.Sequences[n])
	}
	return nil
}

// lineText spells rows of a line table.
type lineText struct {
	t       *dwarf.LineTable
	inlined bool
}

// sequence returns the text of each address where another line begins: the
// last row of an address counts.
func (x *lineText) sequence(s *dwarf.Sequence) map[uint64]string {
	out := make(map[uint64]string, len(s.Rows))
	last := ""
	for n := range s.Rows {
		r := &s.Rows[n]
		if n+1 < len(s.Rows) && s.Rows[n+1].Addr == r.Addr {
			continue
		}
		text := "\t//## File " + x.place(r)
		if x.inlined {
			text += x.calls(s, r)
		}
		if text != last {
			out[r.Addr] = text + "\n"
		}
		last = text
	}
	return out
}

// calls returns where the code of a row was inlined, from the inside out.
func (x *lineText) calls(s *dwarf.Sequence, r *dwarf.Row) (text string) {
	for depth := 0; r.Call > 0 && int(r.Call) <= len(s.Rows) && depth < len(s.Rows); depth++ {
		r = &s.Rows[r.Call-1]
		text += " inlined at " + x.place(r) + "\n\t//## File " + x.place(r)
	}
	return text
}

// place spells a file and a line.
func (x *lineText) place(r *dwarf.Row) string {
	name := ""
	if n := int(r.File) - 1; n >= 0 && n < len(x.t.Files) {
		f := &x.t.Files[n]
		if name = f.Name; f.Dir > 0 && int(f.Dir) <= len(x.t.Dirs) {
			name = x.t.Dirs[f.Dir-1] + "/" + name
		}
	}
	return "\"" + name + "\", line " + strconv.Itoa(int(r.Line))
}
