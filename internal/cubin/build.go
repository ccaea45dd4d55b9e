package cubin

import (
	"errors"
	"fmt"
	"slices"
	"sort"

	"github.com/goptxas/goptxas/internal/cubin/elf"
	"github.com/goptxas/goptxas/internal/target"
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
	rankHost
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
		m: m, isNew: m.Arch.Has(target.NewFiles), syms: map[string]*Symbol{},
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
	if !m.hasEntry() && !m.Patch {
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
	if len(b.secs)+1 >= elf.FirstSpecial {
		b.section(rankSymtab, &Section{Name: ".symtab_shndx", Type: elf.TypeSymIndex, Align: 4, EntSize: 4, Link: b.symtab, Content: &SymIndex{b.symtab.Content.(*SymTab)}})
	}
	sort.SliceStable(b.secs, func(i, j int) bool { return b.secs[i].rank < b.secs[j].rank })
	f := &File{Kind: KindExec, SM: b.m.Arch.SM, FlagsLow: 4} // 2 would say that there are capsules
	if b.m.Relocatable {
		f.Kind = KindReloc
	}
	if b.m.Extensible {
		f.Kind = KindWholeProgram
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
