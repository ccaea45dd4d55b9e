// Package cubin is the file that the CUDA driver loads: an ELF container
// with kernels, variables, constant banks, relocations and the attribute
// records the driver reads. There are three layers.
//
//   - File is the typed file: sections with typed contents, symbols and
//     relocations that point at each other. Read and Write go between File
//     and bytes; offsets, indices, string tables, header fields and program
//     headers are computed by Write, never carried along.
//   - Module is what a compiler knows: kernels with code, parameters and
//     resources, variables with initialisers. Build makes a File of it,
//     with the section order, symbol order and attribute records that the
//     reference compiler writes.
//   - Kernels, Variables and their kin read a File back as such facts.
//
// docs/cubin.md describes the format.
package cubin

import "github.com/goptxas/goptxas/internal/cubin/elf"

// Kind is the ELF type of a cubin.
type Kind uint16

const (
	KindReloc        Kind = 1      // relocatable object, written by -c
	KindExec         Kind = 2      // ready to load
	KindWholeProgram Kind = 0xff00 // extensible whole program, written by -ewp
)

// File is one cubin. Sections are in file order without the null section
// of index 0. Write computes everything the format repeats.
type File struct {
	Kind     Kind
	SM       int   // 90 for sm_90 and sm_90a
	FlagsLow uint8 // low byte of e_flags: 2 in files with capsules, 4 in others
	Sections []*Section

	// Odd holds what a file says differently from the rules Write follows;
	// nil for files as the reference writes them.
	Odd *Odd
}

// Odd records departures from the rules, so that a strange file survives
// Read and Write. A field at its zero value means "by the rule".
type Odd struct {
	Header    *elf.Header // identification, version, entry or flags differ
	Progs     []elf.Prog  // program headers differ
	HasProgs  bool
	SymInfo   map[string]uint32 // sh_info of a symbol table, by section name
	Trailing  []byte            // bytes behind the last table
	NameOffs  map[int]uint32    // section number to sh_name
	SymOffs   map[*Symbol]uint32
	OpaqueWhy []string // sections whose content did not survive its typed form and was kept as bytes
}

// Section is one section. Exactly one of the contents is in use, chosen by
// the section's type.
type Section struct {
	Name    string
	Type    uint32
	Flags   uint64
	Addr    uint64
	Align   uint64
	EntSize uint64
	Link    *Section
	Info    Target
	Gap     uint64 // unused bytes in front, beyond alignment
	Content Content

	index uint32
}

// Target is what a section's sh_info names: another section, a symbol (with
// the register count of old .text sections in the top byte), or a number.
type Target struct {
	Section *Section
	Symbol  *Symbol
	Regs    uint8
	Number  uint32
}

// Content is what a section holds. The implementations are Bytes, NoBits,
// Same, *Strings, *SymTab, *SymIndex, *Relocs, *Info, *TKInfo, *CUInfo, *CallGraph and
// *Prototypes.
type Content interface {
	// encode gives the section's bytes once everything has its number.
	encode(e *encoder) []byte
}

// Bytes is content without structure for this package: code, data, debug
// sections, capsules.
type Bytes []byte

func (b Bytes) encode(*encoder) []byte { return b }

// NoBits is the size of a section that takes no room in the file.
type NoBits uint64

func (NoBits) encode(*encoder) []byte { return nil }

// Same is content that the file stores once for two sections: the capsule
// copy of a debug section, where it is equal to the original.
type Same struct{ As *Section }

func (Same) encode(*encoder) []byte { return nil }

// Strings is a string table: the names in the order in which they were
// made. Names that no section or symbol uses may stand among them.
type Strings struct{ List elf.Strings }

func (s *Strings) encode(*encoder) []byte { return s.List.Bytes() }

// Binding, type and special section numbers of symbols.
const (
	BindLocal  = 0
	BindGlobal = 1
	BindWeak   = 2

	SymNone       = 0
	SymObject     = 1
	SymFunc       = 2
	SymSection    = 3
	SymTexture    = 10
	SymSampler    = 11
	SymSurface    = 12
	SymCudaObject = 13

	ShCommon = 0xfff2
)

// Bits of a symbol's st_other.
const (
	OtherManaged  = 0x04
	OtherEntry    = 0x10
	OtherGlobal   = 0x20
	OtherShared   = 0x40
	OtherConstant = 0x80
	OtherReserved = 0xa0
)

// Symbol is one symbol. Section is nil for undefined symbols and for those
// with a special section number.
type Symbol struct {
	Name    string
	Bind    uint8
	Type    uint8
	Other   uint8
	Section *Section
	Special uint16 // section number from 0xff00 up, or 0
	Value   uint64
	Size    uint64

	index uint32
}

// SymTab is a symbol table without the null symbol.
type SymTab struct{ Symbols []*Symbol }

// Reloc is one relocation of the section that its table names.
type Reloc struct {
	Off    uint64
	Type   RelocType
	Sym    *Symbol // nil for symbol 0
	Addend int64
}

// Relocs is a relocation table; RELA tables keep addends, REL tables do not.
type Relocs struct {
	List    []Reloc
	Addends bool
}

// Find returns the first section of a name, or nil.
func (f *File) Find(name string) *Section {
	for _, s := range f.Sections {
		if s.Name == name {
			return s
		}
	}
	return nil
}

// Symtab returns the symbols of the file's own symbol table.
func (f *File) Symtab() []*Symbol {
	for _, s := range f.Sections {
		if t, ok := s.Content.(*SymTab); ok && s.Type == elf.TypeSymtab {
			return t.Symbols
		}
	}
	return nil
}

// Data returns the bytes of a section with plain content, else nil.
func (s *Section) Data() []byte {
	if s == nil {
		return nil
	}
	b, _ := s.Content.(Bytes)
	return b
}

// Size returns the length of plain content, or the size of a section
// without bytes.
func (s *Section) Size() uint64 {
	switch c := s.Content.(type) {
	case Bytes:
		return uint64(len(c))
	case NoBits:
		return uint64(c)
	}
	return 0
}
