package elf

import (
	"encoding/binary"
	"errors"
	"fmt"
)

var le = binary.LittleEndian

// Errors that callers may want to tell apart.
var (
	ErrMagic     = errors.New("not a 64-bit little-endian ELF file")
	ErrTruncated = errors.New("file ends inside a table or section")
)

// Parse reads the container. Section contents alias b. Work and memory are
// bounded by the size of b: contents that overlap so that their sum passes
// the length of the file are refused.
func Parse(b []byte) (*Image, error) {
	if len(b) < HeaderSize || string(b[:6]) != "\x7fELF\x02\x01" {
		return nil, ErrMagic
	}
	im := &Image{}
	h := &im.Header
	copy(h.Ident[:], b)
	h.Type = le.Uint16(b[16:])
	h.Machine = le.Uint16(b[18:])
	h.Version = le.Uint32(b[20:])
	h.Entry = le.Uint64(b[24:])
	im.PhOff = le.Uint64(b[32:])
	im.ShOff = le.Uint64(b[40:])
	h.Flags = le.Uint32(b[48:])
	h.PhEntSize = le.Uint16(b[54:])
	phnum, shnum := le.Uint16(b[56:]), le.Uint16(b[60:])
	h.ShStrNdx = le.Uint16(b[62:])
	if n := le.Uint16(b[52:]); n != HeaderSize {
		return nil, fmt.Errorf("header size %d, want %d", n, HeaderSize)
	}
	if n := le.Uint16(b[58:]); shnum > 0 && n != SectionSize {
		return nil, fmt.Errorf("section header size %d, want %d", n, SectionSize)
	}
	if phnum > 0 && h.PhEntSize != ProgSize {
		return nil, fmt.Errorf("program header size %d, want %d", h.PhEntSize, ProgSize)
	}
	n := uint64(shnum)
	if n == 0 { // the first header has the number
		first, err := table(b, im.ShOff, SectionSize)
		if err != nil || im.ShOff < HeaderSize {
			return nil, errors.New("no section headers")
		}
		n = le.Uint64(first[32:])
		if n < FirstSpecial || n > uint64(len(b))/SectionSize {
			return nil, errors.New("no section headers")
		}
	}
	if err := im.parseSections(b, int(n)); err != nil {
		return nil, err
	}
	return im, im.parseProgs(b, int(phnum))
}

// table returns the n bytes of b at off, or an error when they are not all
// inside.
func table(b []byte, off, n uint64) ([]byte, error) {
	if off > uint64(len(b)) || n > uint64(len(b))-off {
		return nil, ErrTruncated
	}
	return b[off : off+n : off+n], nil
}

func (im *Image) parseSections(b []byte, n int) error {
	t, err := table(b, im.ShOff, uint64(n)*SectionSize)
	if err != nil {
		return fmt.Errorf("section headers: %w", err)
	}
	im.Sections = make([]Section, n)
	budget := uint64(len(b))
	end := uint64(HeaderSize)
	seen := make(map[[2]uint64]int, n)
	for i := range im.Sections {
		r, s := t[i*SectionSize:], &im.Sections[i]
		s.NameOff = le.Uint32(r)
		s.Type = le.Uint32(r[4:])
		s.Flags = le.Uint64(r[8:])
		s.Addr = le.Uint64(r[16:])
		s.Off = le.Uint64(r[24:])
		s.Size = le.Uint64(r[32:])
		s.Link = le.Uint32(r[40:])
		s.Info = le.Uint32(r[44:])
		s.Align = le.Uint64(r[48:])
		s.EntSize = le.Uint64(r[56:])
		if s.Type == TypeNull {
			continue
		}
		if j := seen[[2]uint64{s.Off, s.Size}]; j > 0 && s.Off < end && s.mayShare() {
			s.SameAs, s.Data = j, im.Sections[j].Data
			continue
		}
		// Contents in order and aligned: so a file that is written again is no
		// larger than it was.
		at := AlignUp(end, s.Align)
		if s.Off < at || s.Off > uint64(len(b)) || s.Align > 1 && s.Off%s.Align != 0 {
			return fmt.Errorf("section %d: contents out of order or not aligned", i)
		}
		s.GapBefore = s.Off - at
		end = s.Off
		if s.noBits() {
			continue
		}
		if s.Data, err = table(b, s.Off, s.Size); err != nil {
			return fmt.Errorf("section %d: %w", i, err)
		}
		if s.Size > budget {
			return fmt.Errorf("section %d: contents overlap", i)
		}
		budget -= s.Size
		seen[[2]uint64{s.Off, s.Size}] = i
		end = s.Off + s.Size
	}
	return nil
}

// FlagMercury marks the capsule sections of sm_100 and later.
const FlagMercury = 0x10000000

// structured lists the types whose contents are tables; they are never
// shared, which also bounds the memory a reader spends on them.
var structured = [...]uint32{TypeSymtab, TypeStrtab, TypeRela, TypeRel, TypeNote, 0x70000000, 0x70000082, 0x70000083, 0x70000085, 0x70000086}

// mayShare reports whether a section may stand for bytes stored before it:
// the capsule copies of debug and data sections do, when nothing in them
// changed.
func (s *Section) mayShare() bool {
	if s.Flags&FlagMercury == 0 {
		return false
	}
	for _, t := range structured {
		if s.Type == t {
			return false
		}
	}
	return true
}

func (im *Image) parseProgs(b []byte, n int) error {
	if n == 0 {
		return nil
	}
	t, err := table(b, im.PhOff, uint64(n)*ProgSize)
	if err != nil {
		return fmt.Errorf("program headers: %w", err)
	}
	im.Progs = make([]Prog, n)
	for i := range im.Progs {
		r, p := t[i*ProgSize:], &im.Progs[i]
		p.Type = le.Uint32(r)
		p.Flags = le.Uint32(r[4:])
		p.Off = le.Uint64(r[8:])
		p.Vaddr = le.Uint64(r[16:])
		p.Paddr = le.Uint64(r[24:])
		p.Filesz = le.Uint64(r[32:])
		p.Memsz = le.Uint64(r[40:])
		p.Align = le.Uint64(r[48:])
	}
	return nil
}

// cudaNobits lists the section types from CUDA's own range that take no
// room in the file: GLOBAL, LOCAL and SHARED of relocatable
// objects.
var cudaNobits = [...]uint32{0x70000007, 0x70000009, 0x7000000a}

// typeReservedShared takes no room as a section of its own and does as a
// capsule section.
const typeReservedShared = 0x70000015

// TakesNoRoom reports whether contents of a section type with these flags
// are absent from the file.
func TakesNoRoom(typ uint32, flags uint64) bool {
	if typ == TypeNobits || typ == typeReservedShared && flags&FlagMercury == 0 {
		return true
	}
	for _, t := range cudaNobits {
		if t == typ {
			return true
		}
	}
	return false
}

func (s *Section) noBits() bool { return TakesNoRoom(s.Type, s.Flags) }

// AlignUp rounds x up to a multiple of a; 0 and 1 ask for nothing, and a
// value that would overflow is left as it is.
func AlignUp(x, a uint64) uint64 {
	if a < 2 {
		return x
	}
	if r := x % a; r != 0 && x+(a-r) > x {
		return x + (a - r)
	}
	return x
}

// ParseSyms reads a symbol table.
func ParseSyms(b []byte) ([]Sym, error) {
	if len(b)%SymSize != 0 {
		return nil, fmt.Errorf("symbol table of %d bytes is no multiple of %d", len(b), SymSize)
	}
	syms := make([]Sym, len(b)/SymSize)
	for i := range syms {
		r := b[i*SymSize:]
		syms[i] = Sym{le.Uint32(r), r[4], r[5], le.Uint16(r[6:]), le.Uint64(r[8:]), le.Uint64(r[16:])}
	}
	return syms, nil
}

// ParseRels reads a relocation table; withAddend tells RELA from REL.
func ParseRels(b []byte, withAddend bool) ([]Rel, error) {
	size := RelSize
	if withAddend {
		size = RelaSize
	}
	if len(b)%size != 0 {
		return nil, fmt.Errorf("relocation table of %d bytes is no multiple of %d", len(b), size)
	}
	rels := make([]Rel, len(b)/size)
	for i := range rels {
		r := b[i*size:]
		rels[i] = Rel{Off: le.Uint64(r), Type: le.Uint32(r[8:]), Sym: le.Uint32(r[12:])}
		if withAddend {
			rels[i].Addend = int64(le.Uint64(r[16:]))
		}
	}
	return rels, nil
}
