// Package elf reads and writes the 64-bit little-endian ELF container that
// cubins use: one header, section contents in section order, the section
// headers, then the program headers. It knows nothing about what the
// sections mean; package cubin does.
//
// debug/elf of the standard library is not used because it only reads,
// keeps no padding and refuses some of the section types found here.
package elf

// Sizes of the fixed records of ELF64.
const (
	HeaderSize  = 64
	SectionSize = 64
	ProgSize    = 56
	SymSize     = 24
	RelSize     = 16
	RelaSize    = 24
)

// Section types of the generic ABI that cubins use.
const (
	TypeNull     = 0
	TypeProgbits = 1
	TypeSymtab   = 2
	TypeSymIndex = 18 // the section numbers of symbols that are FarIndex
	TypeStrtab   = 3
	TypeRela     = 4
	TypeNote     = 7
	TypeNobits   = 8
	TypeRel      = 9
)

// Section flags of the generic ABI that cubins use.
const (
	FlagWrite    = 1
	FlagAlloc    = 2
	FlagExec     = 4
	FlagInfoLink = 0x40
)

// Program header types.
const (
	ProgLoad = 1
	ProgPhdr = 6
)

// Header is the file header without the fields that layout decides.
type Header struct {
	Ident     [16]byte
	Type      uint16
	Machine   uint16
	Version   uint32
	Entry     uint64
	Flags     uint32
	PhEntSize uint16 // kept apart because files without program headers differ in it
	ShStrNdx  uint16
}

// Section is one section header with its content. Data is nil for
// sections of type Nobits, whose length is Size.
type Section struct {
	NameOff   uint32
	Type      uint32
	Flags     uint64
	Addr      uint64
	Off       uint64
	Size      uint64
	Link      uint32
	Info      uint32
	Align     uint64
	EntSize   uint64
	Data      []byte
	SameAs    int    // number of the earlier section whose bytes this one shares in the file, or 0
	GapBefore uint64 // bytes between the end of the previous content and this one beyond what alignment asks for
}

// Prog is one program header.
type Prog struct {
	Type   uint32
	Flags  uint32
	Off    uint64
	Vaddr  uint64
	Paddr  uint64
	Filesz uint64
	Memsz  uint64
	Align  uint64
}

// Section numbers from FirstSpecial on have other meanings in 16 bits. FarIndex
// says that the number stands in a table of type TypeSymIndex.
const (
	FirstSpecial = 0xff00
	FarIndex     = 0xffff
)

// Sym is one symbol table record.
type Sym struct {
	Name  uint32
	Info  uint8
	Other uint8
	Shndx uint16
	Value uint64
	Size  uint64
}

// Rel is one relocation record; Addend is unused in tables of type Rel.
type Rel struct {
	Off    uint64
	Type   uint32
	Sym    uint32
	Addend int64
}

// Image is a whole file: the header, the sections including the null
// section at index 0, and the program headers.
type Image struct {
	Header   Header
	Sections []Section
	Progs    []Prog
	ShOff    uint64
	PhOff    uint64
}
