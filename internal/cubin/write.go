package cubin

import (
	"errors"
	"fmt"

	"github.com/goptxas/goptxas/internal/cubin/elf"
	"github.com/goptxas/goptxas/internal/target"
)

// encoder resolves names to string table offsets while contents are
// encoded. Section and symbol numbers are kept in the objects themselves.
type encoder struct {
	offsets map[*Section]map[string]uint32
	strtab  *Section
}

// newEncoder numbers sections and symbols and indexes the string tables
// present.
func newEncoder(f *File) *encoder {
	e := &encoder{offsets: map[*Section]map[string]uint32{}}
	for i, s := range f.Sections {
		s.index = uint32(i + 1)
	}
	for _, s := range f.Sections {
		switch c := s.Content.(type) {
		case *Strings:
			e.addStrings(s, c)
		case *SymTab:
			for n, sym := range c.Symbols {
				sym.index = uint32(n + 1)
			}
			if s.Type == elf.TypeSymtab {
				e.strtab = s.Link
			}
		}
	}
	return e
}

func (e *encoder) addStrings(s *Section, c *Strings) { e.offsets[s] = c.List.Offsets() }

// stringAt returns the offset of a string in .strtab, 0 when absent.
func (e *encoder) stringAt(name string) uint32 { return e.offsets[e.strtab][name] }

func (t *SymTab) encode(*encoder) []byte { return nil }

// SymIndex has the section numbers of a table's symbols, of those that do not
// fit there.
type SymIndex struct{ Of *SymTab }

func (x *SymIndex) encode(*encoder) []byte {
	b := make([]byte, 4, 4+4*len(x.Of.Symbols))
	for _, s := range x.Of.Symbols {
		n := uint32(0)
		if s.Section != nil && s.Section.index >= elf.FirstSpecial {
			n = s.Section.index
		}
		b = le.AppendUint32(b, n)
	}
	return b
}

func (r *Relocs) encode(*encoder) []byte {
	size := elf.RelSize
	if r.Addends {
		size = elf.RelaSize
	}
	b := make([]byte, 0, len(r.List)*size)
	for _, x := range r.List {
		b = elf.AppendRel(b, elf.Rel{Off: x.Off, Type: uint32(x.Type), Sym: x.Sym.number(), Addend: x.Addend}, r.Addends)
	}
	return b
}

// Write lays the file out and returns its bytes.
func (f *File) Write() ([]byte, error) {
	im, err := f.image()
	if err != nil {
		return nil, fmt.Errorf("cubin: %w", err)
	}
	if f.Kind == KindExec {
		// The count decides no offset but the end of the file, so the headers
		// can be derived from a layout made without them.
		im.Layout()
		im.Progs = f.progs(im)
	}
	if o := f.Odd; o != nil {
		f.applyOdd(o, im)
	}
	im.Layout()
	b := im.Bytes()
	if f.Odd != nil {
		b = append(b, f.Odd.Trailing...)
	}
	return b, nil
}

func (f *File) applyOdd(o *Odd, im *elf.Image) {
	if o.Header != nil {
		im.Header = *o.Header
	}
	if o.HasProgs {
		im.Progs = o.Progs
	}
	for n, off := range o.NameOffs {
		if n < len(im.Sections) {
			im.Sections[n].NameOff = off
		}
	}
	for i, s := range f.Sections {
		t, ok := s.Content.(*SymTab)
		if !ok {
			continue
		}
		if v, has := o.SymInfo[s.Name]; has {
			im.Sections[i+1].Info = v
		}
		for n, sym := range t.Symbols {
			if off, has := o.SymOffs[sym]; has {
				le.PutUint32(im.Sections[i+1].Data[(n+1)*elf.SymSize:], off)
			}
		}
	}
}

// image makes the container without offsets and program headers.
func (f *File) image() (*elf.Image, error) {
	e := newEncoder(f)
	im := &elf.Image{Sections: make([]elf.Section, len(f.Sections)+1)}
	var names map[string]uint32
	shstr := uint16(0)
	for i, s := range f.Sections {
		if s.Name == ".shstrtab" {
			names, shstr = e.offsets[s], uint16(i+1)
		}
	}
	if shstr == 0 {
		return nil, errors.New("no .shstrtab section")
	}
	for i, s := range f.Sections {
		if err := f.putSection(e, &im.Sections[i+1], s, names); err != nil {
			return nil, fmt.Errorf("section %s: %w", s.Name, err)
		}
	}
	im.Header = f.header()
	im.Header.ShStrNdx = shstr
	return im, nil
}

func (f *File) putSection(e *encoder, x *elf.Section, s *Section, names map[string]uint32) error {
	*x = elf.Section{
		NameOff: names[s.Name], Type: s.Type, Flags: s.Flags, Addr: s.Addr,
		Align: s.Align, EntSize: s.EntSize, GapBefore: s.Gap,
	}
	if s.Link != nil {
		x.Link = s.Link.index
	}
	switch {
	case s.Info.Section != nil:
		x.Info = s.Info.Section.index
	case s.Info.Symbol != nil:
		x.Info = s.Info.Symbol.index | uint32(s.Info.Regs)<<regsShift
	default:
		x.Info = s.Info.Number
	}
	switch c := s.Content.(type) {
	case NoBits:
		x.Size = uint64(c)
	case Same:
		x.SameAs = int(c.As.index)
	case *SymTab:
		x.Data, x.Info = f.encodeSyms(e, s, c)
	case nil:
		return errors.New("no content")
	default:
		x.Data = c.encode(e)
	}
	if x.Data != nil {
		x.Size = uint64(len(x.Data))
	}
	return nil
}

// encodeSyms writes a symbol table and returns its sh_info: the number of
// the last LOCAL symbol plus one.
func (f *File) encodeSyms(e *encoder, s *Section, t *SymTab) ([]byte, uint32) {
	names := e.offsets[s.Link]
	b := make([]byte, elf.SymSize, (len(t.Symbols)+1)*elf.SymSize)
	info := uint32(1)
	for n, sym := range t.Symbols {
		x := elf.Sym{
			Name: names[sym.Name], Info: sym.Bind<<4 | sym.Type&15, Other: sym.Other,
			Shndx: sym.Special, Value: sym.Value, Size: sym.Size,
		}
		if sym.Section != nil {
			x.Shndx = uint16(sym.Section.index)
			if sym.Section.index >= elf.FirstSpecial {
				x.Shndx = elf.FarIndex
			}
		}
		if sym.Bind == BindLocal {
			info = uint32(n + 2)
		}
		b = elf.AppendSym(b, x)
	}
	return b, info
}

// ident is the identification of every cubin: 64-bit, little-endian,
// version 1, OS ABI 0x41 (CUDA), ABI version 8.
var ident = [16]byte{0x7f, 'E', 'L', 'F', 2, 1, 1, 0x41, 8}

// isNew reports whether the file is of the newer kind. A number that no chip
// has is that of an old one: the newer kind came with chips we know.
func (f *File) isNew() bool {
	c := target.FindSM(f.SM)
	return c != nil && c.Has(target.NewFiles)
}

// header computes the file header: bits 31-24 of the flags are the section
// number of .note.nv.cuinfo, bits 23-8 the SM.
func (f *File) header() elf.Header {
	h := elf.Header{
		Ident: ident, Type: uint16(f.Kind), Machine: machineCUDA, Version: 1,
		Flags: uint32(f.SM)<<8 | uint32(f.FlagsLow),
	}
	if f.Kind == KindExec || !f.isNew() {
		h.PhEntSize = elf.ProgSize
	}
	for _, s := range f.Sections {
		if _, ok := s.Content.(*CUInfo); ok {
			h.Flags |= s.index << 24
		}
	}
	return h
}
