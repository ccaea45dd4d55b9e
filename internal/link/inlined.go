package link

import (
	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/cubin/dwarf"
	"github.com/goptxas/goptxas/internal/ptx/sema"
)

// Code that the source compiler inlined bears the line of the callee and the
// place of the call: a row of the table itself, which the row of the callee
// names by its number in the sequence. The reference makes one such row for
// each .loc directive that is named as a call, where it is first needed.

const debugStr = ".debug_str"

// debugStrings finds the names of inlined functions.
type debugStrings struct {
	section cubin.DebugSection
	labels  map[string]place
	used    bool // some row names a function
}

func newDebugStrings(m *sema.Module) *debugStrings {
	d := &debugger{Program: &Program{m: m}, labels: map[string]place{}, inside: map[string]place{}, sized: map[string]uint64{}}
	s := &debugStrings{section: cubin.DebugSection{Name: debugStr}, labels: d.inside}
	for n := range m.Sections {
		if x := &m.Sections[n]; x.Name == debugStr {
			d.measure(x)
			s.section.Data = append(s.section.Data, d.section(x).Data...)
		}
	}
	return s
}

// rowMaker makes the rows of one function.
type rowMaker struct {
	k      *Kernel
	number map[uint32]uint32 // in the table, by .file index
	strs   *debugStrings
	rows   []dwarf.Row
	calls  map[int32]uint32 // number of the row that stands for a call, by directive
}

// sourceRows are the rows of one function; its first instructions, which no
// directive may stand before, belong to its first line.
func (k *Kernel) sourceRows(number map[uint32]uint32, strs *debugStrings) []dwarf.Row {
	r := &rowMaker{k: k, number: number, strs: strs, calls: map[int32]uint32{}}
	lineless := false // code of no line, .loc 1 0, stands before the first row
	for _, l := range k.Code.Lines {
		if l.Loc < 0 || int(l.Loc) >= len(k.Locs) || number[k.Locs[l.Loc].File] == 0 {
			continue
		}
		if k.Locs[l.Loc].Line == 0 { // it belongs to the row before it
			lineless = true
			continue
		}
		at := uint64(l.Offset)
		if len(r.rows) == 0 && !lineless {
			at = 0
		}
		r.add(at, l.Loc)
	}
	return r.rows
}

// add appends the row of a directive at an address, unless the last one says
// the same.
func (r *rowMaker) add(at uint64, loc int32) {
	row := r.row(at, loc)
	if n := len(r.rows); n > 0 {
		last := r.rows[n-1]
		if last.File == row.File && last.Line == row.Line && last.Call == row.Call && last.Func == row.Func {
			return
		}
	}
	r.rows = append(r.rows, row)
}

// row makes the row of a directive, after those of the calls around it.
func (r *rowMaker) row(at uint64, loc int32) dwarf.Row {
	x := &r.k.Locs[loc]
	row := dwarf.Row{Addr: at, File: r.number[x.File], Line: x.Line}
	name, ok := r.strs.labels[x.Func]
	if x.Of < 0 || !ok || r.number[r.k.Locs[x.Of].File] == 0 {
		return row
	}
	if r.calls[x.Of] == 0 {
		r.rows = append(r.rows, r.row(at, x.Of))
		r.calls[x.Of] = uint32(len(r.rows))
	}
	r.strs.used = true
	row.Call, row.Func = r.calls[x.Of], uint64(name.off)+x.Off
	return row
}
