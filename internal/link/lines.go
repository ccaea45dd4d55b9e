package link

import (
	"path"
	"slices"
	"strconv"

	"github.com/goptxas/goptxas/internal/codegen/emit"
	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/cubin/dwarf"
	"github.com/goptxas/goptxas/internal/engine/src"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/target"
)

// AddLocs appends the directives of another function and makes its code
// count from there.
func (k *Kernel) AddLocs(list []build.Line, c *emit.Code) {
	base := int32(len(k.Locs))
	for n := range c.Lines {
		if c.Lines[n].Loc >= 0 {
			c.Lines[n].Loc += base
		}
	}
	for _, x := range list {
		if x.Of >= 0 {
			x.Of += base
		}
		k.Locs = append(k.Locs, x)
	}
}

// LineTables makes the sections that map code to source lines and to lines
// of the PTX text, and that text, as the reference does for every program
// with .file and .loc, and for every program whose lines are wanted. Functions
// stand in the order of the file.
func (p *Program) LineTables(debug, wanted bool) {
	m, file := p.m, p.File
	if !wanted && (len(m.Sources) == 0 || !slices.ContainsFunc(p.Kernels, func(k *Kernel) bool { return len(k.Locs) > 0 })) {
		return
	}
	sources := &dwarf.LineTable{}
	number := sourceFiles(m, sources)
	text := &dwarf.LineTable{}
	names, texts, strs := []string(nil), []string(nil), newDebugStrings(m)
	for n := len(p.Kernels) - 1; n >= 0; n-- {
		k, f := p.Kernels[n], &m.Funcs[p.Funcs[n]]
		end := uint64(len(k.Code.Text))
		rows := k.sourceRows(number, strs)
		if len(rows) > 0 {
			sources.Sequences = append(sources.Sequences, dwarf.Sequence{Rows: rows, End: end})
			names = append(names, f.Name)
		}
		if lines := k.textRows(m.Files[f.File].File); len(rows) > 0 || wanted && len(lines) > 0 {
			text.Sequences = append(text.Sequences, dwarf.Sequence{Rows: lines, End: end})
			texts = append(texts, f.Name)
		}
	}
	sources.Names = strs.used
	ptx := ".nv_debug_ptx_txt"
	content := dwarf.PTXText(m.Files[0].File.Text)
	if file.Relocatable { // texts of several objects stay apart when linked
		ptx += "." + strconv.FormatUint(uint64(checksum(content)), 10)
	}
	lines := lineSection(".debug_line", sources, names)
	if at := dwarf.NamesAt(lines.Data); strs.used && file.Relocatable && !file.Arch.Has(target.NewFiles) { // newer objects have but one place where names begin
		lines.Fixes = slices.Insert(lines.Fixes, 0, cubin.Fix{Off: uint64(at), Type: cubin.Rel32, Symbol: debugStr, Beside: true})
	}
	file.Debug = append(file.Debug, lines)
	if strs.used {
		file.Debug = append(file.Debug, strs.section)
	}
	file.Debug = append(file.Debug, lineSection(".nv_debug_line_sass", text, texts), cubin.DebugSection{Name: ptx, Data: content})
	if !strs.used && !debug && len(strs.section.Data) > 0 {
		file.Debug = append(file.Debug, strs.section)
	}
}

func lineSection(name string, t *dwarf.LineTable, funcs []string) cubin.DebugSection {
	data, at := dwarf.AppendLines(nil, t)
	d := cubin.DebugSection{Name: name, Data: data}
	for n := len(at) - 1; n >= 0; n-- { // tables are written last first
		d.Fixes = append(d.Fixes, cubin.Fix{Off: uint64(at[n]), Type: cubin.Rel64, Symbol: funcs[n]})
	}
	return d
}

// sourceFiles fills the tables of folders and files and returns the number
// in the table of each .file index.
func sourceFiles(m *sema.Module, t *dwarf.LineTable) map[uint32]uint32 {
	number := map[uint32]uint32{}
	for _, s := range m.Sources {
		f := dwarf.SourceFile{Name: s.Name, Time: s.Time, Size: s.Size}
		if dir, base := path.Split(s.Name); dir != "" && base != "" {
			if len(dir) > 1 {
				dir = dir[:len(dir)-1]
			}
			at := slices.Index(t.Dirs, dir)
			if at < 0 {
				at = len(t.Dirs)
				t.Dirs = append(t.Dirs, dir)
			}
			f.Name, f.Dir = base, uint64(at+1)
		}
		t.Files = append(t.Files, f)
		number[s.Index] = uint32(len(t.Files))
	}
	return number
}

// textRows are the rows of one function in the PTX text.
func (k *Kernel) textRows(f *src.File) []dwarf.Row {
	var rows []dwarf.Row
	for _, l := range k.Code.Lines {
		if l.Pos > 0 && int(l.Pos) < len(f.Text) {
			_, line := f.Line(src.Pos(l.Pos))
			rows = addRow(rows, dwarf.Row{Addr: uint64(l.Offset), Line: uint32(line)})
		}
	}
	return rows
}

func addRow(rows []dwarf.Row, r dwarf.Row) []dwarf.Row {
	if len(rows) == 0 {
		r.Addr = 0
		return append(rows, r)
	}
	if last := rows[len(rows)-1]; last.File == r.File && last.Line == r.Line {
		return rows
	}
	return append(rows, r)
}

// checksum is the CRC-32 of IEEE 802.3. The standard library's package fills
// tables at every start of the program, which takes a hundredth of a small
// compilation.
func checksum(data []byte) uint32 {
	const polynomial = 0xedb88320
	var table [256]uint32
	for n := range table {
		x := uint32(n)
		for range 8 {
			x = x>>1 ^ x&1*polynomial
		}
		table[n] = x
	}
	sum := ^uint32(0)
	for _, b := range data {
		sum = table[byte(sum)^b] ^ sum>>8
	}
	return ^sum
}
