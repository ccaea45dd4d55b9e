package cubin

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/goptxas/goptxas/internal/cubin/elf"
)

// machineCUDA is the ELF machine number of all cubins.
const machineCUDA = 190

// reader carries the tables that several steps of Read need.
type reader struct {
	im      *elf.Image
	f       *File
	names   []byte // .shstrtab
	strs    map[uint32][]byte
	encoder *encoder
	tables  map[*Section][]*Symbol
}

// Read parses a cubin. It never panics and its memory is bounded by a small
// multiple of len(b). Contents of the returned file alias b. A section whose
// bytes its typed form would not reproduce stays Bytes, and Odd says so.
func Read(b []byte) (*File, error) {
	im, err := elf.Parse(b)
	if err != nil {
		return nil, fmt.Errorf("cubin: %w", err)
	}
	if im.Header.Machine != machineCUDA {
		return nil, fmt.Errorf("cubin: machine %d is not CUDA", im.Header.Machine)
	}
	if im.Header.ShStrNdx == 0 || int(im.Header.ShStrNdx) >= len(im.Sections) {
		return nil, errors.New("cubin: no section name table")
	}
	r := &reader{
		im:     im,
		f:      &File{Kind: Kind(im.Header.Type)},
		names:  im.Sections[im.Header.ShStrNdx].Data,
		strs:   map[uint32][]byte{},
		tables: map[*Section][]*Symbol{},
	}
	for _, step := range [...]func() error{r.sections, r.symbols, r.links, r.contents} {
		if err := step(); err != nil {
			return nil, fmt.Errorf("cubin: %w", err)
		}
	}
	r.header()
	r.f.oddities(im, b)
	return r.f, nil
}

// sections makes the sections without links and contents.
func (r *reader) sections() error {
	secs := make([]Section, len(r.im.Sections)-1)
	r.f.Sections = make([]*Section, len(secs))
	for i := range secs {
		e, s := &r.im.Sections[i+1], &secs[i]
		name, ok := elf.StringAt(r.names, e.NameOff)
		if !ok {
			return fmt.Errorf("section %d: name out of range", i+1)
		}
		*s = Section{
			Name: name, Type: e.Type, Flags: e.Flags, Addr: e.Addr,
			Align: e.Align, EntSize: e.EntSize, Gap: e.GapBefore, index: uint32(i + 1),
		}
		switch {
		case elf.TakesNoRoom(e.Type, e.Flags):
			s.Content = NoBits(e.Size)
		case e.SameAs > 0:
			s.Content = Same{r.f.Sections[e.SameAs-1]}
		default:
			s.Content = Bytes(e.Data)
		}
		r.f.Sections[i] = s
	}
	return nil
}

func (r *reader) section(n uint32) *Section {
	if n == 0 || uint64(n) > uint64(len(r.f.Sections)) {
		return nil
	}
	return r.f.Sections[n-1]
}

// symbols reads every symbol table.
func (r *reader) symbols() error {
	for i, s := range r.f.Sections {
		if s.Type != elf.TypeSymtab && s.Type != TypeMercSymtab {
			continue
		}
		e := &r.im.Sections[i+1]
		var str []byte
		if t := r.section(e.Link); t != nil && t.Type == elf.TypeStrtab {
			str = r.im.Sections[e.Link].Data
		}
		raw, err := elf.ParseSyms(e.Data)
		if err != nil {
			return err
		}
		if len(raw) == 0 {
			continue
		}
		far := r.far(e)
		syms := make([]Symbol, len(raw)-1)
		list := make([]*Symbol, len(syms))
		for n := range syms {
			if err := r.symbol(&syms[n], raw[n+1], str, number(far, n+1)); err != nil {
				return fmt.Errorf("symbol %d: %w", n+1, err)
			}
			syms[n].index = uint32(n + 1)
			list[n] = &syms[n]
		}
		r.tables[s] = list
		r.strs[s.index] = str
		s.Content = &SymTab{list}
	}
	return nil
}

// far returns the numbers of sections that do not fit into a symbol table.
func (r *reader) far(table *elf.Section) []byte {
	for i := range r.im.Sections {
		x := &r.im.Sections[i]
		if x.Type == elf.TypeSymIndex && int(x.Link) < len(r.im.Sections) && table == &r.im.Sections[x.Link] {
			return x.Data
		}
	}
	return nil
}

// number is the one of symbol n among those; 0 if there is none.
func number(far []byte, n int) uint32 {
	if len(far) < 4*(n+1) {
		return 0
	}
	return le.Uint32(far[4*n:])
}

func (r *reader) symbol(s *Symbol, e elf.Sym, str []byte, far uint32) error {
	name, ok := elf.StringAt(str, e.Name)
	if !ok {
		return errors.New("name out of range")
	}
	*s = Symbol{
		Name: name, Bind: e.Info >> 4, Type: e.Info & 15, Other: e.Other,
		Value: e.Value, Size: e.Size,
	}
	number := uint32(e.Shndx)
	switch {
	case e.Shndx == elf.FarIndex && far != 0:
		number = far
	case e.Shndx >= elf.FirstSpecial:
		s.Special = e.Shndx
		return nil
	case number == 0:
		return nil
	}
	if s.Section = r.section(number); s.Section == nil {
		return errors.New("section number out of range")
	}
	return nil
}

// links resolves sh_link and sh_info.
func (r *reader) links() error {
	for i, s := range r.f.Sections {
		e := &r.im.Sections[i+1]
		if e.Link != 0 {
			if s.Link = r.section(e.Link); s.Link == nil {
				return fmt.Errorf("section %s: link out of range", s.Name)
			}
		}
		s.Info = r.target(s, e)
	}
	return nil
}

// regsShift is where old .text sections keep the register count in sh_info.
const regsShift = 24

func (r *reader) target(s *Section, e *elf.Section) Target {
	switch {
	case s.Type == elf.TypeSymtab || s.Type == TypeMercSymtab:
		return Target{}
	case e.Flags&elf.FlagInfoLink != 0:
		if t := r.section(e.Info); t != nil {
			return Target{Section: t}
		}
	case e.Flags&elf.FlagExec != 0 || s.Type == TypeCapMerc:
		t := Target{Regs: uint8(e.Info >> regsShift)}
		if sym, err := symbolAt(r.tables[s.Link], e.Info&(1<<regsShift-1)); err == nil && sym != nil {
			t.Symbol = sym
			return t
		}
	}
	return Target{Number: e.Info}
}

// contents gives sections their typed contents, where the typed form
// writes the same bytes again.
func (r *reader) contents() error {
	r.encoder = newEncoder(r.f)
	for _, s := range r.f.Sections {
		raw, ok := s.Content.(Bytes)
		if !ok {
			continue
		}
		c, err := r.decode(s, raw)
		if c == nil && err == nil {
			continue
		}
		if err == nil && !bytes.Equal(c.encode(r.encoder), raw) {
			err = errors.New("typed form writes other bytes")
		}
		if err != nil {
			r.f.odd().OpaqueWhy = append(r.f.odd().OpaqueWhy, s.Name+": "+err.Error())
			continue
		}
		s.Content = c
		if st, ok := c.(*Strings); ok {
			r.encoder.addStrings(s, st)
		}
	}
	return nil
}

// decode returns the typed content of a section, or nil for plain bytes.
func (r *reader) decode(s *Section, raw []byte) (Content, error) {
	syms := r.tables[s.Link]
	str := func(off uint32) (string, bool) {
		if s.Link == nil {
			return "", false
		}
		return elf.StringAt(r.strs[s.Link.index], off)
	}
	switch s.Type {
	case elf.TypeStrtab:
		list, err := elf.SplitStrings(raw)
		return &Strings{list}, err
	case elf.TypeRel, elf.TypeRela, TypeMercRela, TypeResolvedRela:
		return decodeRelocs(raw, s.Type != elf.TypeRel, syms)
	case TypeInfo, TypeMercInfo, TypeCompat:
		return decodeInfo(raw, s.Type == TypeCompat, syms)
	case elf.TypeNote:
		return decodeNote(raw)
	case TypeCallGraph:
		return decodeCallGraph(raw, syms, str)
	case TypePrototype:
		return decodePrototypes(raw, syms, str)
	}
	return nil, nil
}

func decodeRelocs(b []byte, withAddend bool, syms []*Symbol) (Content, error) {
	raw, err := elf.ParseRels(b, withAddend)
	if err != nil {
		return nil, err
	}
	c := &Relocs{List: make([]Reloc, len(raw)), Addends: withAddend}
	for i, x := range raw {
		s, err := symbolAt(syms, x.Sym)
		if err != nil {
			return nil, err
		}
		c.List[i] = Reloc{Off: x.Off, Type: RelocType(x.Type), Sym: s, Addend: x.Addend}
	}
	return c, nil
}

// header reads the facts of e_flags: section number of .note.nv.cuinfo, SM,
// low byte.
func (r *reader) header() {
	h := &r.im.Header
	r.f.SM = int(h.Flags >> 8 & 0xffff)
	r.f.FlagsLow = uint8(h.Flags)
}

func (f *File) odd() *Odd {
	if f.Odd == nil {
		f.Odd = &Odd{}
	}
	return f.Odd
}

// oddities compares what the rules give with what the image says and keeps
// the differences.
func (f *File) oddities(im *elf.Image, b []byte) {
	w, err := f.image()
	if err != nil {
		f.odd().OpaqueWhy = append(f.odd().OpaqueWhy, err.Error())
		return
	}
	w.Layout()
	if w.Header != im.Header {
		h := im.Header
		f.odd().Header = &h
	}
	w.Progs = f.progs(w)
	if !equalProgs(w.Progs, im.Progs) {
		f.odd().Progs, f.odd().HasProgs = im.Progs, true
	}
	for i := range w.Sections {
		f.oddSection(i, &w.Sections[i], &im.Sections[i])
	}
	f.oddSymbols(im, w)
	w.Progs = im.Progs
	if size := w.Layout(); uint64(len(b)) > size {
		f.odd().Trailing = b[size:]
	}
}

func (f *File) oddSection(i int, want, got *elf.Section) {
	if want.NameOff != got.NameOff {
		if f.odd().NameOffs == nil {
			f.odd().NameOffs = map[int]uint32{}
		}
		f.odd().NameOffs[i] = got.NameOff
	}
	if want.Info != got.Info && i > 0 {
		if _, isTab := f.Sections[i-1].Content.(*SymTab); isTab {
			if f.odd().SymInfo == nil {
				f.odd().SymInfo = map[string]uint32{}
			}
			f.odd().SymInfo[f.Sections[i-1].Name] = got.Info
		}
	}
}

func (f *File) oddSymbols(im, w *elf.Image) {
	for i, s := range f.Sections {
		t, ok := s.Content.(*SymTab)
		if !ok {
			continue
		}
		got, want := im.Sections[i+1].Data, w.Sections[i+1].Data
		if bytes.Equal(got, want) || len(got) != len(want) {
			continue
		}
		for n, sym := range t.Symbols {
			at := (n + 1) * elf.SymSize
			if g := le.Uint32(got[at:]); g != le.Uint32(want[at:]) {
				if f.odd().SymOffs == nil {
					f.odd().SymOffs = map[*Symbol]uint32{}
				}
				f.odd().SymOffs[sym] = g
			}
		}
	}
}

func equalProgs(a, b []elf.Prog) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}
