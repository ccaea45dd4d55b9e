package cubin

import (
	"fmt"
	"slices"
	"strings"

	"github.com/goptxas/goptxas/internal/cubin/dwarf"
	"github.com/goptxas/goptxas/internal/cubin/elf"
	"github.com/goptxas/goptxas/internal/target"
)

// lift reads back, from a file of the reference, the facts a compiler would
// hand to Build: code, resources, parameters, variables. It takes no layout,
// order of sections or symbols, string table or number from the file, so
// equal bytes mean that Build knows these rules.
func lift(f *File) (*Module, error) {
	m := &Module{}
	if err := liftHead(f, m); err != nil {
		return nil, err
	}
	liftDecls(f, m)
	var texts []*Section
	for _, s := range f.Sections {
		if strings.HasPrefix(s.Name, ".text.") {
			texts = append(texts, s)
		}
		if strings.HasPrefix(s.Name, ".nv.shared.") && s.Name != ".nv.shared.reserved.0" {
			m.SharedAlign = max(m.SharedAlign, s.Align)
		}
	}
	frames, err := dwarf.Parse(f.Find(".debug_frame").Data())
	if err != nil {
		return nil, err
	}
	for _, t := range texts {
		k, rest, err := liftKernel(f, m, t, frames)
		if err != nil {
			return nil, err
		}
		frames = rest
		m.Kernels = append([]Kernel{k}, m.Kernels...)
	}
	for i := range m.Kernels {
		k := &m.Kernels[i]
		in := f.Find(".nv.info." + k.Name).Content.(*Info)
		if a := in.Get(AttrExterns); a != nil {
			for _, s := range a.Syms {
				k.Calls = append(k.Calls, s.Name)
			}
		}
	}
	liftBase(f, m)
	return m, nil
}

func liftHead(f *File, m *Module) error {
	name := fmt.Sprintf("sm_%d", f.SM)
	if c := f.Find(".nv.compat"); c != nil {
		in := c.Content.(*Info)
		if in.Get(CompatAccelerator).Value == 1 {
			name += "a"
		}
		m.ISAClass = uint8(in.Get(CompatISAClass).Value)
		m.Tensormap = uint8(in.Get(CompatTensormap).Value)
	}
	m.Arch = target.Find(name)
	m.Relocatable = f.Kind == KindReloc
	liftObject(f, m)
	m.Tool = *f.Find(".note.nv.tkinfo").Content.(*TKInfo)
	m.PTXSM = int(f.Find(".note.nv.cuinfo").Content.(*CUInfo).SM)
	m.NoCallGraph = f.Find(".nv.callgraph") == nil
	in := f.Find(".nv.info").Content.(*Info)
	m.FullDebug = in.Get(AttrErrbarAtExit) != nil
	m.TexIndep = in.Get(AttrTexmodeIndep) != nil
	for _, s := range f.Sections {
		if s.Name != ".debug_frame" && (strings.HasPrefix(s.Name, ".debug_") || strings.HasPrefix(s.Name, ".nv_debug_")) {
			m.Debug = append(m.Debug, DebugSection{Name: s.Name, Data: s.Data(), Fixes: liftFixes(f, s, s.Name)})
		}
	}
	return nil
}

// liftObject reads what only objects have.
func liftObject(f *File, m *Module) {
	if !m.Relocatable {
		return
	}
	for _, n := range f.Find(".strtab").Content.(*Strings).List {
		if strings.HasPrefix(n, "#") {
			m.Prototypes = append(m.Prototypes, n)
		}
	}
	g := f.Find(".nv.callgraph")
	if g == nil {
		return
	}
	c := g.Content.(*CallGraph)
	for _, x := range c.Calls {
		m.Edges = append(m.Edges, Edge{From: x.From.Name, To: x.To.Name})
	}
	for _, x := range c.AddressTaken {
		m.Edges = append(m.Edges, Edge{From: x.From.Name, To: x.To.Name, Taken: true})
	}
}

// prototypeOf finds the prototype of a function in a list.
func prototypeOf(list []Call, s *Symbol) string {
	for _, x := range list {
		if x.From == s {
			return x.Prototype
		}
	}
	return ""
}

// liftFixes collects the relocations of a section, in the order of their
// making: tables are written last first. Names without a table tell of
// relocations that were resolved or dropped.
func liftFixes(f *File, s *Section, first string) []Fix {
	var list []Fix
	tables := 0
	if s == nil {
		return nil
	}
	for _, t := range f.Sections {
		c, ok := t.Content.(*Relocs)
		if !ok || t.Info.Section != s || t.Type == TypeMercRela {
			continue
		}
		tables++
		for _, r := range c.List {
			x := Fix{Off: r.Off, Type: r.Type, Addend: r.Addend}
			if r.Sym != nil {
				x.Symbol = r.Sym.Name
			}
			list = append([]Fix{x}, list...)
		}
	}
	// One table is in the order of its making; two tables of data interleave
	// by offset.
	for i := 1; tables > 1 && i < len(list); i++ {
		for j := i; j > 0 && list[j].Off < list[j-1].Off; j-- {
			list[j], list[j-1] = list[j-1], list[j]
		}
	}
	names := f.Find(".strtab").Content.(*Strings).List
	rel, rela := -1, -1
	for i, n := range names {
		if n == ".rel"+first {
			rel = i
		}
		if n == ".rela"+first {
			rela = i
		}
	}
	state := Dropped
	if f.Find(".rela"+s.Name) != nil {
		state = Resolved
	}
	if len(list) > 0 {
		if f.isNew() && rela >= 0 && rela < rel && list[0].Addend == 0 {
			list = append([]Fix{{State: state, Addend: 1}}, list...)
		}
		return list
	}
	if rela >= 0 && (rel < 0 || rela < rel) {
		list = append(list, Fix{State: state, Addend: 1})
	}
	if rel >= 0 {
		list = append(list, Fix{State: state})
	}
	return list
}

func liftDecls(f *File, m *Module) {
	isNew := f.isNew()
	firsts := [...]string{".nv.constant3", ".nv.global.init", ".nv.global"}
	if isNew {
		firsts[0] = ".nv.constant.user"
	}
	var fixes [4][]Fix
	for n := range firsts {
		fixes[n] = liftFixes(f, f.Find(dataKinds[n].name), firsts[n])
	}
	add := func(s *Symbol) {
		d := Decl{Name: s.Name, Bind: s.Bind, Size: s.Size, Offset: s.Value, Align: 1, Managed: s.Other == OtherManaged}
		switch {
		case s.Type == SymFunc:
			d.Space = SpaceFunc
			if g := f.Find(".nv.callgraph"); g != nil {
				d.Prototype = prototypeOf(g.Content.(*CallGraph).Prototypes, s)
			}
			if p := f.Find(".nv.prototype"); p != nil && d.Prototype == "" {
				d.Prototype = prototypeOf(p.Content.(*Prototypes).List, s)
				d.Listed = d.Prototype != ""
			}
		case s.Other&0xe0 == OtherConstant || s.Section != nil && s.Section.Name == ".nv.constant3":
			d.Space = SpaceConst
		case s.Other&0xe0 == OtherShared:
			d.Space = SpaceShared
		case s.Section != nil && s.Section.Name == ".nv.global.init":
			d.Init = []byte{}
		}
		d.Managed = s.Other&OtherManaged != 0
		d.Common, d.Extern = s.Special == ShCommon, s.Section == nil
		if d.Common {
			d.Align, d.Offset = s.Value, 0
		}
		if d.Space == SpaceShared {
			d.Align, d.Offset = s.Value, 0
		}
		if d.Space != SpaceFunc && d.Space != SpaceShared && s.Section != nil {
			if data := s.Section.Data(); data != nil {
				d.Init = data[s.Value : s.Value+s.Size]
			}
			d.Align = s.Section.Align // the sections' own alignment is the largest of its variables
			for _, x := range fixes[d.storage()] {
				if x.State != Live && s.Value == 0 || x.State == Live && x.Off >= s.Value && x.Off < s.Value+s.Size {
					x.Off -= s.Value
					d.Fixes = append(d.Fixes, x)
				}
			}
		}
		m.Decls = append(m.Decls, d)
	}
	// Creation order: slots of bank 4 know it for globals and functions;
	// for constants the symbol order does.
	for _, s := range f.Symtab() {
		isVar := s.Type == SymObject && s.Section != nil || s.Type == SymCudaObject && s.Name != paramSymbol && s.Name != systemSymbol
		isFunc := s.Type == SymFunc && s.Section == nil
		if s.Section != nil && s.Section.Info.Section != nil {
			continue // a variable of one function
		}
		if isVar || isFunc {
			add(s)
		}
	}
	orderBySlots(f, m)
	if m.Relocatable {
		// Objects have no slots: WEAK ones may stand behind the others.
		slices.SortStableFunc(m.Decls, func(a, b Decl) int { return rankOf(a.Bind) - rankOf(b.Bind) })
	}
}

func rankOf(bind uint8) int { return [...]int{BindGlobal: 0, BindWeak: 1, BindLocal: 2}[bind] }

// orderBySlots restores the PTX order among declarations with address
// slots: WEAK symbols stand with the local ones in the symbol table.
func orderBySlots(f *File, m *Module) {
	s := f.Find(".nv.constant4")
	if s == nil {
		return
	}
	pos := map[string]int{}
	for _, x := range liftFixes(f, s, "") {
		if x.State == Live {
			pos[x.Symbol] = int(x.Off)
		}
	}
	var idx []int
	for i, d := range m.Decls {
		if _, ok := pos[d.Name]; ok {
			idx = append(idx, i)
		}
	}
	for i := range idx {
		for j := i + 1; j < len(idx); j++ {
			a, b := &m.Decls[idx[i]], &m.Decls[idx[j]]
			if pos[b.Name] < pos[a.Name] {
				*a, *b = *b, *a
			}
		}
	}
}

func liftKernel(f *File, m *Module, t *Section, frames []dwarf.Frame) (Kernel, []dwarf.Frame, error) {
	entry := t.Info.Symbol
	if entry == nil || t.Name != ".text."+entry.Name {
		return Kernel{}, nil, fmt.Errorf("%s has no kernel", t.Name)
	}
	k := Kernel{Name: entry.Name, Bind: entry.Bind, Code: t.Data(), Device: entry.Other&OtherEntry == 0}
	if p := f.Find(".nv.prototype"); p != nil {
		k.Prototype = prototypeOf(p.Content.(*Prototypes).List, entry)
	}
	for _, s := range f.Symtab() {
		if s.Section == t && s.Type == SymFunc && s != entry {
			k.Subs = append(k.Subs, Sub{Name: s.Name, Bind: s.Bind, Off: s.Value, Size: s.Size})
		}
	}
	file := f.Find(".nv.info").Content.(*Info)
	for i := range file.Attrs {
		a := &file.Attrs[i]
		if len(a.Syms) != 1 || len(a.Words) != 1 {
			continue
		}
		switch {
		case a.Syms[0] == entry && a.ID == AttrRegCount:
			k.Regs = uint16(a.Words[0])
		case a.Syms[0] == entry && a.ID == AttrFrameSize:
			k.Frame = a.Words[0]
		case a.Syms[0] == entry && (a.ID == AttrMinStackSize || a.ID == AttrMaxStackSize):
			k.MinStack = a.Words[0]
		case a.ID == AttrFrameSize:
			for j := range k.Subs {
				if x := k.Subs[j]; x.Name == a.Syms[0].Name {
					// These records stand last function first: move it to the front.
					x.Frame = a.Words[0]
					copy(k.Subs[1:], k.Subs[:j])
					k.Subs[0] = x
				}
			}
		}
	}
	if s := f.Find(".nv.shared." + k.Name); s != nil {
		k.Shared = Shared{Size: s.Size(), Align: s.Align}
		for _, sym := range f.Symtab() {
			k.Shared.Used = k.Shared.Used || sym.Section == s
		}
		if !k.Shared.Used {
			m.DynamicShared = true
		}
	}
	if s := f.Find(".nv.constant2." + k.Name); s != nil {
		k.Const2 = s.Data()
		first := s.Name
		if f.isNew() {
			first = ".nv.constant.optimizer." + k.Name
		}
		k.Const2Fixes = liftFixes(f, s, first)
		names := f.Find(".strtab").Content.(*Strings).List
		k.PointerTable = slices.Index(names, ".rela"+first) > slices.Index(names, ".debug_frame")
	}
	for _, s := range f.Symtab() {
		if s.Type != SymCudaObject || s.Section == nil || s.Section.Info.Section != t {
			continue
		}
		d := Decl{Name: s.Name, Space: SpaceShared, Size: s.Size, Align: s.Value}
		if s.Section.Name == ".nv.constant2."+k.Name {
			d.Space, d.Offset = SpaceConst, s.Value
		}
		k.Locals = append(k.Locals, d)
	}
	k.Fixes = liftFixes(f, t, t.Name)
	n := 1
	for _, s := range k.Subs {
		if s.Size > 0 { // an alias has no frame of its own
			n++
		}
	}
	if n > len(frames) {
		return k, nil, fmt.Errorf("%s: %d frames for %d functions", k.Name, len(frames), n)
	}
	k.Frames = frames[:n]
	liftAttrs(f, &k)
	if s := f.Find(".nv.constant0." + k.Name); s != nil {
		size := k.paramSize()
		k.Slots = uint32(s.Size()) - ParamBase(m.Arch, size) - size
	}
	return k, frames[n:], nil
}

// liftBase marks the kernel that depends on the start of shared memory
// without naming a variable.
func liftBase(f *File, m *Module) {
	if !hasNameless(f) {
		return
	}
	for i := range m.Kernels {
		if m.Kernels[i].Shared.Used && !m.Relocatable {
			return
		}
	}
	for i := range m.Kernels {
		k := &m.Kernels[i]
		if k.Shared.Size > 0 && len(k.Fixes) > 0 {
			k.Shared.Base = true
		}
		for _, x := range k.Fixes {
			k.Shared.Base = k.Shared.Base || x.Type == RelAbs32at32 && x.State == Live
		}
	}
}

// hasNameless tells whether the symbol of the shared memory limit was taken
// back, which only kernels that depend on the start of shared memory cause.
func hasNameless(f *File) bool {
	for _, s := range f.Symtab() {
		if s.Name == "" || s.Name == ".nv.reservedSmem.cap" {
			return true
		}
	}
	return false
}

// derived lists the records Build makes itself.
var derived = [...]AttrID{
	AttrAPIVersion, AttrMercuryISAVersion, AttrSWWar, AttrSW2861232War, AttrParamCBank, AttrCBankParamSize, AttrExterns, AttrVrcCtaInitCount,
}

func liftAttrs(f *File, k *Kernel) {
	in := f.Find(".nv.info." + k.Name).Content.(*Info)
next:
	for i := range in.Attrs {
		a := in.Attrs[i]
		for _, id := range derived {
			if a.ID == id {
				continue next
			}
		}
		switch a.ID {
		case AttrExitOffsets:
			k.Exits = a.Words
		case AttrMaxRegCount:
			k.MaxRegs = a.Value
		case AttrSparseMMAMask:
			k.Sparse = a.Value
		case AttrKParamInfo:
			w := a.Words[1]
			p := Param{Offset: uint16(a.Words[0] >> 16), Size: w >> 18, Space: uint8(w >> 8 & 15), LogAlign: uint8(w)}
			k.Params = append([]Param{p}, k.Params...)
		case AttrKParamInfoV2:
			k.Params = append([]Param{{Offset: uint16(a.Words[0] >> 16), Size: a.Words[1]}}, k.Params...)
		default:
			k.Attrs = append(k.Attrs, a)
		}
	}
}

// firstDifference names the section in which two files part.
func firstDifference(a, b []byte) string {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	im, err := elf.Parse(b)
	if err != nil {
		return fmt.Sprintf("%#x", n)
	}
	names := im.Sections[im.Header.ShStrNdx].Data
	for i := range im.Sections {
		s := &im.Sections[i]
		if s.Data != nil && uint64(n) >= s.Off && uint64(n) < s.Off+s.Size {
			name, _ := elf.StringAt(names, s.NameOff)
			return fmt.Sprintf("%s+%#x (%#x of %#x, got %#x bytes)", name, uint64(n)-s.Off, n, len(b), len(a))
		}
	}
	return fmt.Sprintf("%#x of %#x, got %#x bytes", n, len(b), len(a))
}
