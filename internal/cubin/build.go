package cubin

import (
	"errors"
	"fmt"
	"slices"
	"sort"

	"goptxas/internal/cubin/elf"
)

// The reference makes sections and symbols one after the other as it walks
// the module, entering each name into the string tables at that moment, and
// sorts the sections by kind at the end. Build does the same: the methods of
// builder below run in that order of creation, and rank sorts.

// rank is the place of a section's kind in the file; within one rank
// sections keep the order of their creation.
type rank uint8

const (
	rankShstrtab rank = iota
	rankStrtab
	rankSymtab
	rankDebug
	rankTKInfo
	rankCUInfo
	rankInfo
	rankCompat
	rankKernelInfo
	rankCallGraph
	rankPrototype
	rankRelAction
	rankRelocs
	rankConst
	rankText
	rankInit
	rankZero
	rankParams
)

type ranked struct {
	*Section
	rank rank
}

// builder holds the tables under construction.
type builder struct {
	m       *Module
	isNew   bool
	secs    []ranked
	sh, str elf.Strings
	locals  []*Symbol // in creation order; WEAK ones stand here too
	globals []*Symbol
	late    []*Symbol
	syms    map[string]*Symbol
	symtab  *Section
	texts   []*Section // by kernel
	params  []*Symbol  // section symbols of bank 0, by kernel
	data    [4]*Section
	slots   *Section
	slotFix []Fix
	capSeen bool
}

// Build makes the file of a module.
func Build(m *Module) (*File, error) {
	if m.Arch == nil {
		return nil, errors.New("cubin: module without architecture")
	}
	b := &builder{
		m: m, isNew: m.Arch.SM >= firstNewSM, syms: map[string]*Symbol{},
		texts: make([]*Section, len(m.Kernels)), params: make([]*Symbol, len(m.Kernels)),
	}
	for i := range m.Kernels {
		// Made first, because relocations of one function may name a later one.
		k := &m.Kernels[i]
		s := &Symbol{Name: k.Name, Bind: k.Bind, Type: SymFunc, Size: uint64(len(k.Code))}
		if !k.Device {
			s.Other = OtherEntry
		}
		b.syms[k.Name] = s
	}
	b.fixed()
	b.refs()
	if !m.hasEntry() {
		b.reserved()
		b.decls()
	}
	for i := len(m.Kernels) - 1; i >= 0; i-- {
		b.kernel(i)
	}
	b.debug()
	if err := b.infos(); err != nil {
		return nil, fmt.Errorf("cubin: %w", err)
	}
	return b.finish()
}

// name enters a name into both string tables.
func (b *builder) name(s string) {
	b.sh = append(b.sh, s)
	b.str = append(b.str, s)
}

// blank leaves n zero bytes in a table, as renaming in place does.
func blank(l elf.Strings, n int) elf.Strings {
	for range n {
		l = append(l, "")
	}
	return l
}

func (b *builder) section(r rank, s *Section) *Section {
	b.secs = append(b.secs, ranked{s, r})
	return s
}

// sectionSymbol adds the symbol of a section.
func (b *builder) sectionSymbol(s *Section) *Symbol {
	sym := &Symbol{Name: s.Name, Type: SymSection, Section: s}
	b.locals = append(b.locals, sym)
	b.syms[s.Name] = sym
	return sym
}

// symbol adds a symbol; global ones wait until all local ones are known.
func (b *builder) symbol(s *Symbol) *Symbol {
	b.syms[s.Name] = s
	if s.Bind == BindGlobal {
		b.globals = append(b.globals, s)
		return s
	}
	if s.Name != paramSymbol && s.Name != systemSymbol || !slices.Contains(b.str, s.Name) {
		b.str = append(b.str, s.Name)
	}
	b.locals = append(b.locals, s)
	return s
}

// Names that several symbols of an object share: of the parameters, and of
// what the system keeps in bank 0 of a kernel without.
const (
	paramSymbol  = "_param"
	systemSymbol = "_SREG"
)

// fixed makes what every file begins with.
func (b *builder) fixed() {
	b.sh, b.str = append(b.sh, ""), append(b.str, "")
	b.str = append(b.str, b.m.Prototypes...)
	for _, s := range [...]string{".shstrtab", ".strtab", ".symtab", ".symtab_shndx", ".note.nv.tkinfo", ".note.nv.cuinfo", ".nv.info"} {
		b.name(s)
	}
	b.symtab = b.section(rankSymtab, &Section{Name: ".symtab", Type: elf.TypeSymtab, Align: 8, EntSize: elf.SymSize})
	tool := b.m.Tool
	tk := b.section(rankTKInfo, &Section{Name: ".note.nv.tkinfo", Type: elf.TypeNote, Flags: flagTKInfo, Align: 4, Content: &tool})
	cu := b.section(rankCUInfo, &Section{
		Name: ".note.nv.cuinfo", Type: elf.TypeNote, Flags: flagCUInfo, Align: 4, Link: tk,
		Content: &CUInfo{Version: 2, SM: uint16(b.m.PTXSM), Toolkit: toolkit},
	})
	b.sectionSymbol(tk)
	b.sectionSymbol(cu)
	if b.isNew {
		b.name(".nv.compat")
		c := b.section(rankCompat, &Section{Name: ".nv.compat", Type: TypeCompat, Align: 4, Content: b.compat()})
		cu.Flags |= elf.FlagInfoLink
		cu.Info.Section = c
	}
}

const (
	flagTKInfo = 0x02000000
	flagCUInfo = 0x01000000

	// toolkit is the version of the toolkit whose files we write, times ten.
	toolkit = 130
)

// kernel makes the sections and symbols of one kernel.
func (b *builder) kernel(i int) {
	k := &b.m.Kernels[i]
	entry := b.symbol(b.syms[k.Name])
	text := b.section(rankText, &Section{
		Name: ".text." + k.Name, Type: elf.TypeProgbits, Flags: elf.FlagAlloc | elf.FlagExec,
		Align: 128, Link: b.symtab, Info: Target{Symbol: entry}, Content: Bytes(k.Code),
	})
	if !b.isNew {
		text.Info.Regs = uint8(k.Regs)
	}
	entry.Section, b.texts[i] = text, text
	b.name(text.Name)
	b.sectionSymbol(text)
	if !k.Device {
		b.name(".nv.info." + k.Name)
		b.shared(k, text)
	}
	first := i == len(b.m.Kernels)-1 && b.m.hasEntry()
	if first {
		b.reserved()
	}
	if !b.m.Relocatable {
		b.m.callees(i, b.decl)
	}
	if first {
		b.decls()
	}
	if b.m.Relocatable {
		b.m.callees(i, b.decl)
	}
	if k.Shared.Used || k.Shared.Base {
		b.sharedLimit()
	}
	if k.Device {
		b.name(".nv.info." + k.Name)
	}
	bank2 := b.const2(k, text)
	for _, s := range k.Subs {
		b.symbol(&Symbol{Name: s.Name, Bind: s.Bind, Type: SymFunc, Section: text, Value: s.Off, Size: s.Size})
	}
	b.relocs(text, text.Name, k.Fixes, k)
	if bank2 != nil && !k.PointerTable {
		b.relocs(bank2, ".nv.constant.optimizer."+k.Name, k.Const2Fixes, k)
	}
	if !b.isNew && !k.Device {
		b.oldBank0(i, text)
	}
}

// oldBank0 makes the parameter bank of an old file. In an object a symbol
// stands for the parameters, or for what the system keeps when there are
// none.
func (b *builder) oldBank0(i int, text *Section) {
	k := &b.m.Kernels[i]
	bank := b.bank0(k, text, rankConst)
	if !b.m.Relocatable {
		b.sh = append(b.sh, bank.Name, ".rel"+bank.Name)
		b.str = append(b.str, ".rel"+bank.Name, bank.Name)
		b.params[i] = b.sectionSymbol(bank)
		b.relocs(bank, bank.Name, b.slotFixes(k), nil)
		return
	}
	b.name(bank.Name)
	b.params[i] = b.sectionSymbol(bank)
	size := k.paramSize()
	base := ParamBase(b.m.Arch, size)
	s := &Symbol{Name: paramSymbol, Type: SymCudaObject, Other: OtherConstant | 1, Section: bank, Value: uint64(base), Size: uint64(size)}
	if size == 0 {
		s.Name, s.Value, s.Size = systemSymbol, 0, uint64(base)
	}
	b.symbol(s)
}

// typ is the type of a section with data: objects have types of their own
// for each kind.
func (b *builder) typ(plain, typed uint32) uint32 {
	if b.m.Relocatable {
		return typed
	}
	return plain
}

// bank0 makes the section of the kernel's parameter bank.
func (b *builder) bank0(k *Kernel, text *Section, r rank) *Section {
	size := k.paramSize()
	n := ParamBase(b.m.Arch, size) + size + k.Slots
	return b.section(r, &Section{
		Name: ".nv.constant0." + k.Name, Type: b.typ(elf.TypeProgbits, TypeConstant0), Flags: elf.FlagAlloc | elf.FlagInfoLink,
		Align: 4, Info: Target{Section: text}, Content: Bytes(make([]byte, n)),
	})
}

func (b *builder) shared(k *Kernel, text *Section) {
	s := ".nv.shared." + k.Name
	b.name(s)
	if !k.Shared.Used && k.Shared.Size == 0 && !b.m.DynamicShared {
		return
	}
	sec := b.section(rankZero, &Section{
		Name: s, Type: b.typ(elf.TypeNobits, TypeShared), Flags: elf.FlagAlloc | elf.FlagWrite | elf.FlagInfoLink,
		Align: max(k.Shared.Align, 1), Info: Target{Section: text}, Content: NoBits(k.Shared.Size),
	})
	if k.Shared.Used {
		b.sectionSymbol(sec)
	}
}

// reserved makes the symbols of the shared memory that the system keeps.
func (b *builder) reserved() {
	if !b.isNew {
		return
	}
	size := uint64(0)
	if b.m.Arch.SM >= firstMercSM {
		size = 0x40
	}
	if b.m.Relocatable {
		for _, n := range unifiedTables {
			b.symbol(&Symbol{Name: n, Bind: BindWeak, Type: SymObject, Size: 8})
		}
	}
	b.symbol(&Symbol{Name: ".nv.reservedSmem.offset0", Bind: BindWeak, Type: SymObject, Value: size, Size: 4})
	if b.m.FullDebug || b.m.Relocatable {
		return
	}
	b.name(".nv.shared.reserved.0")
	s := b.section(rankZero, &Section{Name: ".nv.shared.reserved.0", Type: elf.TypeNobits, Flags: elf.FlagAlloc | elf.FlagWrite, Align: 1, Content: NoBits(size)})
	b.symbol(&Symbol{Name: "__nv_reservedSMEM_offset_0_alias", Bind: BindWeak, Other: OtherReserved, Section: s, Value: size})
}

// unifiedTables are symbols that the linker fills in for unified function
// and data tables; every new object names them.
var unifiedTables = [...]string{
	"__UDT_OFFSET", "__UFT_OFFSET", "__UFT_CANONICAL", "__UDT_CANONICAL", "__UFT", "__UDT", "__UFT_END", "__UDT_END",
}

// sharedLimit makes, once, the symbol of the room kept at the start of shared
// memory. On sm_90 it was taken back: a nameless symbol and a blanked name
// stay behind.
func (b *builder) sharedLimit() {
	if !b.isNew || b.capSeen {
		return
	}
	b.capSeen = true
	s := &Symbol{Name: ".nv.reservedSmem.cap", Bind: BindWeak, Type: SymObject, Value: 0x400, Size: 4}
	if b.m.Arch.SM >= firstMercSM {
		b.symbol(s)
		return
	}
	b.str = blank(b.str, len(s.Name)+1)
	b.locals = append(b.locals, &Symbol{Other: 1})
}

// const2 makes the compiler's own constant bank.
func (b *builder) const2(k *Kernel, text *Section) *Section {
	if len(k.Const2) == 0 {
		return nil
	}
	s := b.section(rankConst, &Section{
		Name: ".nv.constant2." + k.Name, Type: b.typ(elf.TypeProgbits, TypeConstant0+2), Flags: elf.FlagAlloc | elf.FlagInfoLink,
		Align: 4, Info: Target{Section: text}, Content: Bytes(k.Const2),
	})
	b.renamed(s.Name, ".nv.constant.optimizer."+k.Name)
	b.sectionSymbol(s)
	return s
}

// renamed enters a section's name; from sm_90 on it was first another,
// longer one and the rest of that stays blank.
func (b *builder) renamed(name, first string) {
	b.name(name)
	if b.isNew && len(first) > len(name) {
		b.sh = blank(b.sh, len(first)-len(name))
		b.str = blank(b.str, len(first)-len(name))
	}
}

// relocs makes the relocation tables of a section. first is the section's
// name at the time its tables are named. Variables of the function k are
// made when they are first named.
func (b *builder) relocs(of *Section, first string, fixes []Fix, k *Kernel) {
	if !b.isNew {
		first = of.Name
	}
	var rel, rela *Section
	named := [2]bool{}
	for _, x := range fixes {
		// Where shared memory lies the linker finds out in two steps, which
		// an addend in the place itself does not survive.
		withAddend := x.Addend != 0 || !b.isNew && x.Type == RelAbs32at32
		b.local(k, x.Symbol)
		if !withAddend && !named[0] {
			named[0] = true
			b.name(".rel" + first)
			if !b.isNew && x.State == Live {
				rel = b.table(".rel"+of.Name, elf.TypeRel, of)
			}
		}
		if (withAddend || b.isNew) && !named[1] {
			named[1] = true
			b.relaName(of, first, x.State)
		}
		if (withAddend || b.isNew) && rela == nil && x.State != Dropped && (b.isNew || x.State == Live) {
			rela = b.table(".rela"+of.Name, elf.TypeRela, of)
		}
		if x.State != Live {
			continue
		}
		r := Reloc{Off: x.Off, Type: x.Type, Sym: b.syms[x.Symbol], Addend: x.Addend}
		t := rela
		if !b.isNew && !withAddend {
			t = rel
		}
		c := t.Content.(*Relocs)
		c.List = append(c.List, r)
	}
	for _, t := range [...]*Section{rel, rela} {
		if t != nil {
			slices.Reverse(t.Content.(*Relocs).List)
		}
	}
}

// local makes a variable of a function when it is first named.
func (b *builder) local(k *Kernel, name string) {
	if b.syms[name] != nil {
		return
	}
	for i := range b.m.Decls { // an external function that nobody calls
		if d := &b.m.Decls[i]; b.m.Relocatable && d.Space == SpaceFunc && d.Name == name {
			b.decl(d)
			return
		}
	}
	if k == nil {
		return
	}
	for i := range k.Locals {
		d := &k.Locals[i]
		if d.Name != name {
			continue
		}
		sym := &Symbol{Name: name, Type: SymCudaObject, Other: otherOf[d.Space], Size: d.Size, Value: d.Align}
		bank := ".nv.shared." + k.Name
		if d.Space == SpaceConst {
			bank, sym.Value, sym.Other = ".nv.constant2."+k.Name, d.Offset, OtherConstant|1
		}
		if s := b.syms[bank]; s != nil {
			sym.Section = s.Section
		}
		b.symbol(sym)
	}
}

// relaName enters the name of a table with addends: the section's final
// name among the section names, when the table stays.
func (b *builder) relaName(of *Section, first string, st FixState) {
	final := ".rela" + of.Name
	if st == Dropped {
		final = ".rela" + first
	}
	b.str = append(b.str, ".rela"+first)
	b.sh = append(b.sh, final)
	b.sh = blank(b.sh, len(".rela"+first)-len(final))
}

func (b *builder) table(name string, typ uint32, of *Section) *Section {
	ent := uint64(elf.RelSize)
	if typ == elf.TypeRela {
		ent = elf.RelaSize
	}
	return b.section(rankRelocs, &Section{
		Name: name, Type: typ, Flags: elf.FlagInfoLink, Align: 8, EntSize: ent,
		Link: b.symtab, Info: Target{Section: of}, Content: &Relocs{Addends: typ == elf.TypeRela},
	})
}

// debug makes the debug sections, then the relocations of data, which come
// behind them.
func (b *builder) debug() {
	b.name(".debug_frame")
	frames := b.section(rankDebug, &Section{Name: ".debug_frame", Type: elf.TypeProgbits, Align: 1})
	if len(b.m.Kernels) > 0 {
		b.sectionSymbol(frames)
	}
	b.debugSections()
	b.dataRelocs()
	b.frames(frames)
	if !b.m.NoCallGraph {
		b.name(".nv.callgraph")
		b.sectionSymbol(b.section(rankCallGraph, &Section{
			Name: ".nv.callgraph", Type: TypeCallGraph, Align: 4, EntSize: 8,
			Link: b.symtab, Content: b.callGraph(),
		}))
		b.name(".nv.prototype")
		b.prototypes()
	}
	if !b.isNew && !b.m.Relocatable {
		b.name(".nv.rel.action")
		b.sectionSymbol(b.section(rankRelAction, &Section{Name: ".nv.rel.action", Type: TypeRelocInfo, Align: 8, EntSize: 8, Content: Bytes(relAction)}))
	}
}

// debugSections makes the sections that a debugger reads. The strings of a
// line table are made before its relocations.
func (b *builder) debugSections() {
	var waiting *Section
	var fixes []Fix
	flush := func() {
		if waiting != nil {
			b.relocs(waiting, waiting.Name, fixes, nil)
			waiting = nil
		}
	}
	for _, d := range b.m.Debug {
		if d.Name != ".debug_str" {
			flush()
		}
		s := b.section(rankDebug, &Section{Name: d.Name, Type: elf.TypeProgbits, Align: 1, Content: Bytes(d.Data)})
		b.name(s.Name)
		b.sectionSymbol(s)
		if d.Name != ".debug_str" {
			waiting, fixes = s, d.Fixes
		}
	}
	flush()
}

// prototypes makes the table of functions that other objects may call.
func (b *builder) prototypes() {
	p := &Prototypes{}
	for i := len(b.m.Kernels) - 1; i >= 0; i-- {
		if k := &b.m.Kernels[i]; k.Prototype != "" {
			p.List = append(p.List, Call{From: b.syms[k.Name], Prototype: k.Prototype})
		}
	}
	for i := range b.m.Decls {
		if d := &b.m.Decls[i]; d.Listed && d.Prototype != "" && b.syms[d.Name] != nil {
			p.List = append(p.List, Call{From: b.syms[d.Name], Prototype: d.Prototype})
		}
	}
	for _, x := range b.m.Aliases {
		p.List = append(p.List, Call{From: b.syms[x.From], Prototype: x.Prototype})
	}
	if len(p.List) > 0 {
		b.sectionSymbol(b.section(rankPrototype, &Section{Name: ".nv.prototype", Type: TypePrototype, Align: 4, EntSize: 8, Link: b.symtab, Content: p}))
	}
}

// relAction is the content of .nv.rel.action, the same in every file.
const relAction = "\x73\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x11\x25\x00\x05\x36"

// callGraph lists the calls of external functions, last first, or the edges
// of an object as they are given.
func (b *builder) callGraph() *CallGraph {
	c := &CallGraph{}
	if b.m.Relocatable {
		for _, e := range b.m.Edges {
			x := Call{From: b.syms[e.From], To: b.syms[e.To]}
			if e.Taken {
				c.AddressTaken = append(c.AddressTaken, x)
			} else {
				c.Calls = append(c.Calls, x)
			}
		}
		for i := range b.m.Decls {
			if d := &b.m.Decls[i]; d.Prototype != "" && !d.Listed && b.syms[d.Name] != nil {
				c.Prototypes = append(c.Prototypes, Call{From: b.syms[d.Name], Prototype: d.Prototype})
			}
		}
		for _, x := range b.m.Taken {
			c.Prototypes = append(c.Prototypes, Call{From: b.syms[x.From], Prototype: x.Prototype})
		}
		for _, x := range b.m.Indirect {
			c.Indirect = append(c.Indirect, Call{From: b.syms[x.From], Prototype: x.Prototype})
		}
		return c
	}
	for i := len(b.m.Kernels) - 1; i >= 0; i-- {
		k := &b.m.Kernels[i]
		for j := len(k.Calls) - 1; j >= 0; j-- {
			x := Call{From: b.syms[k.Name], To: b.syms[k.Calls[j]]}
			if !b.isKernel(k.Calls[j]) {
				c.Calls = append(c.Calls, x)
				continue
			}
			c.AddressTaken = append(c.AddressTaken, x)
			if p := (Call{From: x.To}); !slices.Contains(c.Prototypes, p) {
				c.Prototypes = append(c.Prototypes, p)
			}
		}
	}
	return c
}

// isKernel reports whether a name is a kernel of this file.
func (b *builder) isKernel(name string) bool {
	return slices.ContainsFunc(b.m.Kernels, func(k Kernel) bool { return k.Name == name && !k.Device })
}

// finish joins the tables.
func (b *builder) finish() (*File, error) {
	for _, s := range b.globals {
		b.str = append(b.str, s.Name)
	}
	if b.isNew {
		for i := len(b.m.Kernels) - 1; i >= 0; i-- {
			if b.m.Kernels[i].Device {
				continue
			}
			s := b.bank0(&b.m.Kernels[i], b.texts[i], rankParams)
			b.name(s.Name)
			b.relocs(s, s.Name, b.slotFixes(&b.m.Kernels[i]), nil)
			*b.params[i] = Symbol{Name: s.Name, Type: SymSection, Section: s}
			b.late = append(b.late, b.params[i])
		}
	}
	strtab := b.section(rankStrtab, &Section{Name: ".strtab", Type: elf.TypeStrtab, Align: 1, Content: &Strings{b.str}})
	b.section(rankShstrtab, &Section{Name: ".shstrtab", Type: elf.TypeStrtab, Align: 1, Content: &Strings{b.sh}})
	if b.isNew {
		strtab.Gap = b.nameSlack()
	}
	b.symtab.Link = strtab
	b.symtab.Content = &SymTab{append(append(b.locals, b.globals...), b.late...)}
	sort.SliceStable(b.secs, func(i, j int) bool { return b.secs[i].rank < b.secs[j].rank })
	f := &File{Kind: KindExec, SM: b.m.Arch.SM, FlagsLow: 4}
	if b.m.Relocatable {
		f.Kind = KindReloc
	}
	if b.m.Arch.SM >= firstMercSM && !b.m.Relocatable {
		f.FlagsLow = 2 // the linker wants capsules in objects that say so
	}
	for _, s := range b.secs {
		f.Sections = append(f.Sections, s.Section)
	}
	return f, nil
}

// nameSlack is the room between the two string tables: the reference leaves
// place for the name of a capsule section for each .text section, and for
// one name of 14 bytes.
func (b *builder) nameSlack() uint64 {
	n := len(".nv.prototype") + 1
	for i := range b.m.Kernels {
		n += len(".nv.capmerc.text.") + len(b.m.Kernels[i].Name) + 1
	}
	return uint64(n)
}
