package link

import (
	"cmp"
	"encoding/binary"
	"maps"
	"slices"
	"strconv"

	"github.com/goptxas/goptxas/internal/codegen/emit"
	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/cubin/dwarf"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/ptx/syntax"
)

// DebugFunc is what a debugger wants to know of one compiled function: where
// its labels and variables lie, and which machine registers hold its PTX
// registers when.
type DebugFunc struct {
	name    string
	entry   bool
	labels  []debugPlace // by position in the text
	locals  []debugPlace // by offset in the frame
	shared  []debugPlace
	regs    []dwarf.Register
	frame   int64
	At, End uint64 // its part of the kernel's code
}

type debugPlace struct {
	name string
	at   int64
}

// textEnd is the position of a label behind the last instruction.
const textEnd = 1 << 62

// Debugged is a function whose code is made, with what was alive in it before
// registers were allocated.
type Debugged struct {
	F       *ori.Func
	Code    *emit.Code
	Spilled bool
	Alive   map[*ori.Instr]Alive
}

// DebugOf collects what is known of a function while it is in memory.
func DebugOf(m *sema.Module, body *sema.Body, plan *build.Plan, x *Debugged) *DebugFunc {
	f := &m.Funcs[body.Func]
	d := &DebugFunc{name: f.Name, entry: f.Entry, frame: int64(x.F.Props.LocalBytes + x.F.Props.SpillBytes), End: uint64(x.Code.Size)}
	for _, l := range body.Labels {
		pos := int64(textEnd)
		if int(l.At) < len(body.Instrs) {
			pos = int64(body.Instrs[l.At].Pos)
		}
		d.labels = append(d.labels, debugPlace{body.Tree.Names.String(l.Name), pos})
	}
	locals, shared := plan.Places(body.Func)
	for n := range body.Vars {
		v := &body.Vars[n]
		switch v.Space.Base() {
		case isa.SpaceLocal:
			d.locals = append(d.locals, debugPlace{v.Name, locals[n]})
		case isa.SpaceShared:
			d.shared = append(d.shared, debugPlace{v.Name, shared[n]})
		}
	}
	d.registers(body, plan.Registers(body.Func), x)
	return d
}

// Alive is which words of PTX registers are alive before an instruction.
type Alive map[[2]int]bool

// AliveOf finds them for every instruction that lowering made, before
// registers are allocated and copies vanish.
func AliveOf(f *ori.Func, regs []ori.Reg) map[*ori.Instr]Alive {
	names := map[ori.Reg]int{}
	for n, r := range regs {
		names[r] = n
	}
	live := flow.LiveAmong(f, func(r ori.Reg) bool { _, ok := names[r]; return ok })
	out := map[*ori.Instr]Alive{}
	for _, b := range f.Blocks {
		aliveBefore(out, live, b, names)
	}
	return out
}

// registers follows the words of the PTX registers through the code: one is
// in its machine register wherever it is alive. A function that spills tells
// nothing: its registers move.
func (d *DebugFunc) registers(body *sema.Body, regs []ori.Reg, x *Debugged) {
	if x.Spilled {
		return
	}
	open := map[[2]int]*dwarf.Register{} // PTX register and word
	for _, b := range x.F.Blocks {
		at := uint32(x.Code.Starts[b.ID])
		for i := b.First(); i != nil; i = i.Next() {
			now, known := x.Alive[i]
			for w, r := range open {
				if !known && r.End == at { // an instruction made later moves nothing
					r.End += 16
				} else if known && !now[w] {
					d.regs = append(d.regs, *r)
					delete(open, w)
				}
			}
			for w := range now {
				if r := open[w]; r != nil && r.End == at {
					r.End += 16
					continue
				} else if r != nil {
					d.regs = append(d.regs, *r)
				}
				if r, ok := registerOf(body, x.F, regs[w[0]], w, at); ok {
					open[w] = r
				}
			}
			at += 16
		}
	}
	for _, r := range open {
		d.regs = append(d.regs, *r)
	}
	slices.SortFunc(d.regs, func(a, b dwarf.Register) int { // no order of a map stays
		return cmp.Or(cmp.Compare(a.Machine, b.Machine), cmp.Compare(a.Start, b.Start), cmp.Compare(a.Name, b.Name))
	})
}

// registerOf describes a word of a PTX register from a place on.
func registerOf(body *sema.Body, f *ori.Func, r ori.Reg, w [2]int, at uint32) (*dwarf.Register, bool) {
	x, info := &body.Regs[w[0]], &f.Regs[r]
	machine := dwarf.RegisterR
	switch info.Class {
	case ori.P:
		machine = dwarf.RegisterP
	case ori.R:
	default:
		return nil, false
	}
	if info.Phys < 0 {
		return nil, false
	}
	return &dwarf.Register{
		Name: registerName(body, x), Word: uint32(w[1]), Type: dwarf.TypeOf(x.Type.String()[1:]),
		Machine: machine + uint32(info.Phys) + uint32(w[1]), Start: at, End: at + 16,
	}, true
}

// registerName spells a PTX register.
func registerName(body *sema.Body, r *sema.Reg) string {
	name := body.Tree.Names.String(r.Name)
	if r.Num >= 0 {
		name += strconv.Itoa(int(r.Num))
	}
	return name
}

// aliveBefore notes the words that are alive before each instruction of a
// block.
func aliveBefore(out map[*ori.Instr]Alive, live *flow.Live, b *ori.Block, names map[ori.Reg]int) {
	now := Alive{}
	for n := range live.End(b).All() {
		r := live.Reg(n)
		word := 0
		for live.Number(r, word) != n {
			word++
		}
		now[[2]int{names[r], word}] = true
	}
	touch := func(a *ori.Operand, is bool) {
		n, ok := names[a.Reg]
		if !a.HasReg() || !ok {
			return
		}
		for w := range max(1, int(a.N)) {
			word := [2]int{n, w}
			if a.Kind != ori.KConst {
				word[1] += int(a.Sub)
			}
			if now[word] = true; !is {
				delete(now, word)
			}
		}
	}
	for i := b.Last(); i != nil; i = i.Prev() {
		if i.Guard.Kind == ori.KNone {
			for n := range i.NDst {
				touch(&i.Args[n], false)
			}
		}
		for n := int(i.NDst); n < len(i.Args); n++ {
			touch(&i.Args[n], true)
		}
		touch(&i.Guard, true)
		out[i] = maps.Clone(now)
	}
}

// debugger makes the debug sections of a file that was compiled with -g: the
// registers of its functions, and the sections of the text with its names
// replaced by what they mean.
type debugger struct {
	*Program
	labels map[string]place  // of code
	inside map[string]place  // labels of sections: the section and the offset
	sized  map[string]uint64 // bytes of each section so far
}

// place is a symbol and an offset from it.
type place struct {
	symbol string
	off    int64
}

// DebugSections adds them to the file.
func (p *Program) DebugSections() {
	m := p.m
	d := &debugger{Program: p, labels: map[string]place{}, inside: map[string]place{}, sized: map[string]uint64{}}
	var sass, types []byte
	for n := len(p.Kernels) - 1; n >= 0; n-- {
		k := p.Kernels[n]
		for _, f := range k.Debug {
			sass, types = dwarf.AppendRegisters(sass, types, f.name, f.regs)
			d.addLabels(m.Funcs[p.Funcs[n]].Name, k, f)
		}
	}
	regs := []cubin.DebugSection{{Name: ".nv_debug_info_reg_sass", Data: sass}, {Name: ".nv_debug_info_reg_type", Data: types}}
	if !slices.ContainsFunc(m.Sections, func(s sema.DebugSection) bool { return s.Name == ".debug_info" }) {
		p.File.Debug = append(p.File.Debug, regs...)
		return
	}
	for n := range m.Sections {
		d.measure(&m.Sections[n])
	}
	var list []cubin.DebugSection
	for n := range m.Sections {
		if !d.made(m.Sections[n].Name) { // a line table has its own, and perhaps the strings
			list = append(list, d.section(&m.Sections[n]))
		}
	}
	slices.SortStableFunc(list, func(a, b cubin.DebugSection) int { return sectionRank(a.Name) - sectionRank(b.Name) })
	at := 0
	for at < len(list) && list[at].Name == ".debug_str" {
		at++
	}
	p.File.Debug = append(p.File.Debug, slices.Insert(list, at, regs...)...)
}

// sectionRank orders sections so that those which others name stand first.
func sectionRank(name string) int {
	for k, s := range [...]string{".debug_str", ".debug_abbrev", ".debug_loc", ".debug_ranges", ".debug_info"} {
		if s == name {
			return k
		}
	}
	return 9
}

// addLabels finds the addresses of a function's labels: that of the first
// instruction of the function which stands behind the label in the text.
func (d *debugger) addLabels(kernel string, k *Kernel, f *DebugFunc) {
	end := f.End
	if len(k.Debug) == 1 {
		end = uint64(len(k.Code.Text))
	}
	for _, l := range f.labels {
		at := end
		for _, x := range k.Code.Lines {
			if o := uint64(x.Offset); o >= f.At && o < end && int64(x.Pos) >= l.at && o < at {
				at = o
			}
		}
		if l.at <= firstPos(k, f) {
			at = f.At
		}
		if _, known := d.labels[l.name]; !known {
			d.labels[l.name] = place{kernel, int64(at)}
		}
	}
}

// firstPos is the position in the text of a function's first instruction
// that has one.
func firstPos(k *Kernel, f *DebugFunc) int64 {
	first := int64(-1)
	for _, x := range k.Code.Lines {
		if o := uint64(x.Offset); o >= f.At && o < f.End && x.Pos > 0 && (first < 0 || int64(x.Pos) < first) {
			first = int64(x.Pos)
		}
	}
	return first
}

// tree returns the syntax of a section.
func (d *debugger) tree(s *sema.DebugSection) (*syntax.Tree, *syntax.Section) {
	return d.m.Files[s.File], &syntax.Section{Pos: s.Pos, Body: s.Body, End: s.End, Name: 1}
}

// measure notes where the labels of a section lie.
func (d *debugger) measure(s *sema.DebugSection) {
	t, x := d.tree(s)
	t.SectionItems(x, func(it *syntax.Item) bool {
		if it.Label != 0 {
			d.inside[t.Names.String(it.Label)] = place{s.Name, int64(d.sized[s.Name])}
			return true
		}
		d.sized[s.Name] += uint64(max(1, len(it.Vals)) * it.Type.Type().Bits() / 8)
		return true
	})
}

// section writes the contents of a section and its relocations.
func (d *debugger) section(s *sema.DebugSection) cubin.DebugSection {
	out := cubin.DebugSection{Name: s.Name}
	t, x := d.tree(s)
	t.SectionItems(x, func(it *syntax.Item) bool {
		if it.Label != 0 {
			return true
		}
		size := it.Type.Type().Bits() / 8
		if it.Base == 0 {
			for _, v := range it.Vals {
				out.Data = append(out.Data, binary.LittleEndian.AppendUint64(nil, v)[:size]...)
			}
			return true
		}
		minus := ""
		if it.Minus != 0 {
			minus = t.Names.String(it.Minus)
		}
		d.address(&out, t.Names.String(it.Base), minus, int64(it.Off), size)
		return true
	})
	return out
}

// address writes what a name in a section means.
func (d *debugger) address(out *cubin.DebugSection, name, minus string, off int64, size int) {
	at := uint64(len(out.Data))
	put := func(v int64) {
		out.Data = append(out.Data, binary.LittleEndian.AppendUint64(nil, uint64(v))[:size]...)
	}
	fix := func(symbol string, off int64) {
		typ := cubin.Rel64
		if size == 4 {
			typ = cubin.Rel32
		}
		if size >= 4 {
			out.Fixes = append(out.Fixes, cubin.Fix{Off: at, Type: typ, Symbol: symbol, Addend: off})
		}
		put(off)
	}
	switch {
	case minus != "":
		put(d.value(name) - d.value(minus))
	case d.local(out, name, off, size):
	case d.labels[name].symbol != "":
		fix(d.labels[name].symbol, d.labels[name].off+off)
	case d.inside[name].symbol != "" || name[0] == '.':
		s, v := name, off
		if x := d.inside[name]; x.symbol != "" {
			s, v = x.symbol, x.off+off
		}
		if d.File.Relocatable && d.known(s) {
			fix(s, v)
		} else {
			put(v)
		}
	default:
		d.variable(name, off, fix, put)
	}
}

// made reports whether a section stands in the file already.
func (d *debugger) made(name string) bool {
	return slices.ContainsFunc(d.File.Debug, func(s cubin.DebugSection) bool { return s.Name == name })
}

// known reports whether a section stands in the file.
func (d *debugger) known(name string) bool {
	return d.made(name) ||
		slices.ContainsFunc(d.m.Sections, func(s sema.DebugSection) bool { return s.Name == name })
}

// value is the offset of a label.
func (d *debugger) value(name string) int64 {
	if x, ok := d.inside[name]; ok {
		return x.off
	}
	return d.labels[name].off
}

// local writes the place of a local variable: relative to the frame, in the
// operation before the address, which meant an absolute one.
func (d *debugger) local(out *cubin.DebugSection, name string, off int64, size int) bool {
	const (
		opAddr, opFrame, opNone = 0x03, 0x91, 0x96 // of DWARF expressions
	)
	if n := len(out.Data); n == 0 || out.Data[n-1] != opAddr || size != 8 {
		return false
	}
	for _, k := range d.Kernels {
		for _, f := range k.Debug {
			for _, v := range f.locals {
				if v.name != name {
					continue
				}
				out.Data[len(out.Data)-1] = opFrame
				b := appendSigned(nil, v.at+off-f.frame)
				for len(b) < size {
					b = append(b, opNone)
				}
				out.Data = append(out.Data, b...)
				return true
			}
		}
	}
	return false
}

// appendSigned appends a number in the signed form of DWARF.
func appendSigned(b []byte, v int64) []byte {
	for {
		x := byte(v & 0x7f)
		v >>= 7
		if v == 0 && x&0x40 == 0 || v == -1 && x&0x40 != 0 {
			return append(b, x)
		}
		b = append(b, x|0x80)
	}
}

// variable writes the address of a variable or function of the module, of a
// kernel's parameter or of a shared variable; 0 for what has none.
func (d *debugger) variable(name string, off int64, fix func(string, int64), put func(int64)) {
	base := d.arch.SharedReserved
	for _, k := range d.Kernels {
		if at, ok := k.Shared[name]; ok && !d.File.Relocatable {
			put(at + base + off)
			return
		}
		for _, f := range k.Debug {
			for _, v := range f.shared {
				if v.name == name && !d.File.Relocatable {
					put(v.at + base + off)
					return
				}
			}
		}
	}
	for _, n := range d.Funcs {
		f := &d.m.Funcs[n]
		if f.Name == name {
			fix(name, off)
			return
		}
		for _, p := range f.Params {
			if f.Entry && p.Name == name {
				put(d.arch.Bank0().Param + int64(p.Offset) + off)
				return
			}
		}
	}
	for n := range d.File.Decls {
		if x := &d.File.Decls[n]; x.Name == name {
			fix(name, off)
			return
		}
	}
	put(0)
}
