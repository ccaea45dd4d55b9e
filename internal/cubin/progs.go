package cubin

import "github.com/goptxas/goptxas/internal/cubin/elf"

// Permission bits of program headers.
const (
	permX = 1
	permW = 2
	permR = 4
)

const progAlign = 8

// progs derives the program headers of an executable file whose sections
// have their offsets. Consecutive loaded sections with equal permissions
// share a segment; before sm_90 constants and code count as equal.
func (f *File) progs(im *elf.Image) []elf.Prog {
	if f.Kind != KindExec {
		return nil
	}
	isNew := f.isNew()
	self := elf.Prog{Type: elf.ProgLoad, Flags: permR | permX, Align: progAlign}
	if isNew {
		self.Flags = permR
	}
	head := self
	head.Type = elf.ProgPhdr
	list := []elf.Prog{head}
	if isNew {
		list = append(list, self)
	}
	list = appendSegments(list, im, isNew)
	if !isNew {
		list = append(list, self)
	}
	at := im.ShOff + uint64(len(im.Sections))*elf.SectionSize
	size := uint64(len(list)) * elf.ProgSize
	for i := range list {
		p := &list[i]
		if p.Type == elf.ProgPhdr || p.Off == 0 {
			p.Off, p.Filesz, p.Memsz = at, size, size
		}
	}
	return list
}

func perms(s *elf.Section, isNew bool) uint32 {
	switch {
	case s.Flags&elf.FlagWrite != 0:
		return permR | permW
	case s.Flags&elf.FlagExec != 0 || !isNew:
		return permR | permX
	}
	return permR
}

// appendSegments adds the segments of all loaded sections but the capsules,
// which no segment covers.
func appendSegments(list []elf.Prog, im *elf.Image, isNew bool) []elf.Prog {
	open := false
	for i := range im.Sections {
		s := &im.Sections[i]
		if s.Flags&elf.FlagAlloc == 0 || s.Flags&elf.FlagMercury != 0 {
			continue
		}
		perm := perms(s, isNew)
		if !open || list[len(list)-1].Flags != perm {
			list = append(list, elf.Prog{Type: elf.ProgLoad, Flags: perm, Off: s.Off, Align: progAlign})
			open = true
		}
		p := &list[len(list)-1]
		bss := p.Memsz - p.Filesz
		p.Filesz = s.Off - p.Off
		if elf.TakesNoRoom(s.Type, s.Flags) {
			bss = elf.AlignUp(bss, s.Align) + s.Size
		} else {
			p.Filesz += s.Size
		}
		p.Memsz = p.Filesz + bss
	}
	return list
}
