package elf

// Layout gives every section its offset and places the header tables
// behind them: contents in section order, each at its alignment, section
// headers at a multiple of 8, program headers right after. It returns the
// size of the file.
func (im *Image) Layout() uint64 {
	at := uint64(HeaderSize)
	for i := range im.Sections {
		s := &im.Sections[i]
		if s.Type == TypeNull {
			continue
		}
		if s.SameAs > 0 && s.SameAs < i {
			s.Off, s.Size = im.Sections[s.SameAs].Off, im.Sections[s.SameAs].Size
			continue
		}
		at = AlignUp(at, s.Align) + s.GapBefore
		s.Off = at
		if s.noBits() {
			continue
		}
		s.Size = uint64(len(s.Data))
		at += s.Size
	}
	im.ShOff = AlignUp(at, 8)
	at = im.ShOff + uint64(len(im.Sections))*SectionSize
	im.PhOff = 0
	if len(im.Progs) > 0 {
		im.PhOff = at
	}
	return at + uint64(len(im.Progs))*ProgSize
}

// Bytes writes an image whose Layout has been computed. Padding is zero.
func (im *Image) Bytes() []byte {
	size := im.ShOff + uint64(len(im.Sections))*SectionSize + uint64(len(im.Progs))*ProgSize
	b := make([]byte, size)
	h := &im.Header
	copy(b, h.Ident[:])
	le.PutUint16(b[16:], h.Type)
	le.PutUint16(b[18:], h.Machine)
	le.PutUint32(b[20:], h.Version)
	le.PutUint64(b[24:], h.Entry)
	le.PutUint64(b[32:], im.PhOff)
	le.PutUint64(b[40:], im.ShOff)
	le.PutUint32(b[48:], h.Flags)
	le.PutUint16(b[52:], HeaderSize)
	le.PutUint16(b[54:], h.PhEntSize)
	le.PutUint16(b[56:], uint16(len(im.Progs)))
	le.PutUint16(b[58:], SectionSize)
	if n := len(im.Sections); n < FirstSpecial {
		le.PutUint16(b[60:], uint16(n))
	} else {
		im.Sections[0].Size = uint64(n)
	}
	le.PutUint16(b[62:], h.ShStrNdx)
	for i := range im.Sections {
		s := &im.Sections[i]
		if s.SameAs == 0 {
			copy(b[min(s.Off, size):], s.Data)
		}
		putSection(b[im.ShOff+uint64(i)*SectionSize:], s)
	}
	for i := range im.Progs {
		putProg(b[im.PhOff+uint64(i)*ProgSize:], &im.Progs[i])
	}
	return b
}

func putSection(r []byte, s *Section) {
	le.PutUint32(r, s.NameOff)
	le.PutUint32(r[4:], s.Type)
	le.PutUint64(r[8:], s.Flags)
	le.PutUint64(r[16:], s.Addr)
	le.PutUint64(r[24:], s.Off)
	le.PutUint64(r[32:], s.Size)
	le.PutUint32(r[40:], s.Link)
	le.PutUint32(r[44:], s.Info)
	le.PutUint64(r[48:], s.Align)
	le.PutUint64(r[56:], s.EntSize)
}

func putProg(r []byte, p *Prog) {
	le.PutUint32(r, p.Type)
	le.PutUint32(r[4:], p.Flags)
	le.PutUint64(r[8:], p.Off)
	le.PutUint64(r[16:], p.Vaddr)
	le.PutUint64(r[24:], p.Paddr)
	le.PutUint64(r[32:], p.Filesz)
	le.PutUint64(r[40:], p.Memsz)
	le.PutUint64(r[48:], p.Align)
}

// AppendSym appends the record of a symbol.
func AppendSym(b []byte, s Sym) []byte {
	b = le.AppendUint32(b, s.Name)
	b = append(b, s.Info, s.Other)
	b = le.AppendUint16(b, s.Shndx)
	b = le.AppendUint64(b, s.Value)
	return le.AppendUint64(b, s.Size)
}

// AppendRel appends the record of a relocation, with its addend if asked.
func AppendRel(b []byte, r Rel, withAddend bool) []byte {
	b = le.AppendUint64(b, r.Off)
	b = le.AppendUint32(b, r.Type)
	b = le.AppendUint32(b, r.Sym)
	if withAddend {
		b = le.AppendUint64(b, uint64(r.Addend))
	}
	return b
}
