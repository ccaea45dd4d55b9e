package image

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/cubin/elf"
	ebits "github.com/goptxas/goptxas/internal/engine/bits"
)

// Image is a cubin in memory: its sections have addresses, and its relocations
// are applied.
type Image struct {
	File  *cubin.File
	Base  map[*cubin.Section]uint64 // code address or memory address
	Data  map[*cubin.Section][]byte // initial contents of placed sections
	Texts []codeRange
	Refs  []texRef
	// Driver names the driver's routines that the code calls; see RoutineAt.
	Driver []string
}

// codeRange is one code section in the module's code.
type codeRange struct {
	Name  string
	First uint32
	N     uint32
}

// Where things lie. The windows are 4 GB wide, as on the machine. Before
// sm_90 that of shared memory begins inside of such a piece: code may take it
// for granted only that it is one of 16 MB.
const (
	BufferBase = 0x7200_0000_0000
	ConstBase  = 0x7100_0000_0000
	ParamBase  = 0x7110_0000_0000
	LocalBase  = 0x7fe0_0000_0000
	SharedBase = 0x7ff0_0000_0000
	OldShared  = 0x0a00_0000
)

// maxSection bounds what a file may ask for: a section without contents
// costs the file nothing.
const maxSection = 1 << 30

// New places a file.
func New(f *cubin.File) (*Image, error) {
	m := &Image{File: f, Base: map[*cubin.Section]uint64{}, Data: map[*cubin.Section][]byte{}}
	for _, s := range f.Sections {
		if s.Size() > maxSection {
			return nil, fmt.Errorf("%s: %d bytes are too many to simulate", s.Name, s.Size())
		}
	}
	m.place()
	return m, m.relocate()
}

// place gives every section with code or data its address.
func (m *Image) place() {
	code, mem := uint64(0), uint64(ConstBase)
	for _, s := range m.File.Sections { // as near behind the constants as the driver may put variables
		if s.Name == ".nv.constant3" {
			mem += s.Size()
		}
	}
	for _, s := range m.File.Sections {
		switch {
		case strings.HasPrefix(s.Name, ".text.") && s.Data() != nil:
			m.Base[s] = code
			m.Data[s] = slices.Clone(s.Data())
			m.Texts = append(m.Texts, codeRange{s.Name[len(".text."):], uint32(code / 16), uint32(len(s.Data()) / 16)})
			code += uint64(len(s.Data()) &^ 15)
		case strings.HasPrefix(s.Name, ".nv.global"):
			align := max(s.Align, 256)
			mem = (mem + align - 1) &^ (align - 1)
			m.Base[s] = mem
			m.Data[s] = make([]byte, s.Size())
			copy(m.Data[s], s.Data())
			mem += s.Size() + 4096
		case strings.HasPrefix(s.Name, ".nv.constant"):
			m.Data[s] = slices.Clone(s.Data())
			if s.Name == ".nv.constant3" {
				m.Base[s] = ConstBase
			}
		}
	}
}

// relocate applies the relocations of placed sections.
func (m *Image) relocate() error {
	for _, s := range m.File.Sections {
		r, ok := s.Content.(*cubin.Relocs)
		if !ok || (s.Type != elf.TypeRela && s.Type != elf.TypeRel) {
			continue
		}
		of := s.Info.Section
		if of == nil { // the linker says it by the name alone
			of = m.File.Find(strings.TrimPrefix(strings.TrimPrefix(s.Name, ".rela"), ".rel"))
		}
		to := m.Data[of]
		if to == nil {
			continue
		}
		for _, x := range r.List {
			if x.Sym != nil && (x.Type == cubin.RelTexHeader || x.Type == cubin.RelSurfHeader) {
				m.Refs = append(m.Refs, texRef{of.Name, x.Off, x.Sym.Name})
				continue
			}
			if x.Type == cubin.RelSampHeader || x.Type == cubin.RelSampHeader0 { // a launch says with the texture how it is sampled
				continue
			}
			if err := m.patch(to, &x, r.Addends); err != nil {
				return fmt.Errorf("%s: %w", s.Name, err)
			}
		}
	}
	return nil
}

// driverBase is where the driver's routines lie, of which there is no code.
const driverBase = 1 << 32

// routine is where a routine of the driver lies.
func (m *Image) routine(name string) uint64 {
	n := slices.Index(m.Driver, name)
	if n < 0 {
		n = len(m.Driver)
		m.Driver = append(m.Driver, name)
	}
	return driverBase + 16*uint64(n)
}

// RoutineAt is the name of the driver's routine at an address, or "".
func (m *Image) RoutineAt(addr uint64) string {
	if n := (addr - driverBase) / 16; addr >= driverBase && n < uint64(len(m.Driver)) {
		return m.Driver[n]
	}
	return ""
}

func (m *Image) patch(to []byte, x *cubin.Reloc, addends bool) error {
	v := uint64(x.Addend)
	if x.Sym != nil {
		v += x.Sym.Value
		if x.Sym.Section != nil {
			v += m.Base[x.Sym.Section]
		} else if x.Sym.Type == cubin.SymFunc {
			v += m.routine(x.Sym.Name)
		}
	}
	if x.Off+8 > uint64(len(to)) {
		return fmt.Errorf("relocation at %#x is outside", x.Off)
	}
	at := to[x.Off:]
	switch x.Type {
	case cubin.Rel64, cubin.RelG64:
		if !addends {
			v += binary.LittleEndian.Uint64(at)
		}
		binary.LittleEndian.PutUint64(at, v)
	case cubin.RelAbs32Lo, cubin.RelAbs32at32:
		binary.LittleEndian.PutUint32(at[4:], uint32(v))
	case cubin.RelAbs32Hi:
		binary.LittleEndian.PutUint32(at[4:], uint32(v>>32))
	case cubin.RelAbs47at34, cubin.RelAbs55:
		return m.patchCall(at, x, v)
	case cubin.RelYieldOpcode, cubin.RelYieldClearPred, cubin.RelUnusedClear64:
		// what the driver does to a YIELD or an unused table entry
	default:
		if x.Type < cubin.RelMercuryBase {
			return fmt.Errorf("relocation %v at %#x has no meaning here", x.Type, x.Off)
		}
	}
	return nil
}

// patchCall writes the target of an absolute call: address / 4, from bit 34
// or split over bits 16 and 34.
func (m *Image) patchCall(at []byte, x *cubin.Reloc, v uint64) error {
	if len(at) < 16 {
		return fmt.Errorf("relocation at %#x is outside", x.Off)
	}
	w := ebits.Word{Lo: binary.LittleEndian.Uint64(at), Hi: binary.LittleEndian.Uint64(at[8:])}
	if v /= 4; x.Type == cubin.RelAbs55 {
		w = w.With(16, 8, v&0xff).With(34, 47, v>>8)
	} else {
		w = w.With(34, 47, v)
	}
	binary.LittleEndian.PutUint64(at, w.Lo)
	binary.LittleEndian.PutUint64(at[8:], w.Hi)
	return nil
}

// Offset is the place of an instruction in its section.
func (m *Image) Offset(pc uint32) uint64 {
	if r := m.RangeOf(pc); r != nil {
		return uint64(pc-r.First) * 16
	}
	return uint64(pc) * 16
}

// RangeOf is the code section of an instruction, or nil.
func (m *Image) RangeOf(pc uint32) *codeRange {
	for n := range m.Texts {
		if r := &m.Texts[n]; pc >= r.First && pc < r.First+r.N {
			return r
		}
	}
	return nil
}

// texRef is a word of constant bank 0 that takes the handle of a texture
// bound by name.
type texRef struct {
	Section string
	Off     uint64
	Name    string
}
