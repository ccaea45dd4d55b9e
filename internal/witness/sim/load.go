package sim

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/cubin/elf"
	ebits "github.com/goptxas/goptxas/internal/engine/bits"
	"github.com/goptxas/goptxas/internal/sass"
	"github.com/goptxas/goptxas/internal/target"
)

// Module is a cubin made ready to run: its code decoded once, its variables
// placed, its relocations applied.
type Module struct {
	Arch   *target.Arch
	File   *cubin.File
	funcs  []cubin.Function
	base   map[*cubin.Section]uint64 // code address or memory address
	data   map[*cubin.Section][]byte // initial contents of placed sections
	insts  []inst
	texts  []codeRange
	pool   pool
	poison [numRows][32]uint32 // what registers hold at first
	regs   uint16              // vector and uniform registers that the code names
	uregs  uint16
	refs   []texRef
}

// codeRange is one code section in the module's code.
type codeRange struct {
	name  string
	first uint32
	n     uint32
}

// Program is a kernel of a module.
type Program struct {
	*Module
	module *Module
	kernel *cubin.Function
	entry  uint32
}

// Where things lie. The windows are 4 GB wide, as on the machine. Before
// sm_90 that of shared memory begins inside of such a piece: code may take it
// for granted only that it is one of 16 MB.
const (
	bufferBase = 0x7200_0000_0000
	constBase  = 0x7100_0000_0000
	paramBase  = 0x7110_0000_0000
	localBase  = 0x7fe0_0000_0000
	sharedBase = 0x7ff0_0000_0000
	oldShared  = 0x0a00_0000
)

// maxSection bounds what a file may ask for: a section without contents
// costs the file nothing.
const maxSection = 1 << 30

// Load reads a cubin.
func Load(b []byte) (*Module, error) {
	f, err := cubin.Read(b)
	if err != nil {
		return nil, err
	}
	a := target.Find(fmt.Sprintf("sm_%d", f.SM))
	if a == nil {
		return nil, fmt.Errorf("sm_%d is unknown", f.SM)
	}
	m := &Module{
		Arch: a, File: f, funcs: f.Functions(),
		base: map[*cubin.Section]uint64{}, data: map[*cubin.Section][]byte{}, pool: pool{imms: map[uint32]uint16{}},
	}
	for n := range m.poison {
		for l := range m.poison[n] {
			m.poison[n][l] = poisonReg | uint32(n)
		}
	}
	for _, s := range f.Sections {
		if s.Size() > maxSection {
			return nil, fmt.Errorf("%s: %d bytes are too many to simulate", s.Name, s.Size())
		}
	}
	m.place()
	if err := m.relocate(); err != nil {
		return nil, err
	}
	return m, m.decode()
}

// place gives every section with code or data its address.
func (m *Module) place() {
	code, mem := uint64(0), uint64(constBase)
	for _, s := range m.File.Sections { // as near behind the constants as the driver may put variables
		if s.Name == ".nv.constant3" {
			mem += s.Size()
		}
	}
	for _, s := range m.File.Sections {
		switch {
		case strings.HasPrefix(s.Name, ".text.") && s.Data() != nil:
			m.base[s] = code
			m.data[s] = slices.Clone(s.Data())
			m.texts = append(m.texts, codeRange{s.Name[len(".text."):], uint32(code / 16), uint32(len(s.Data()) / 16)})
			code += uint64(len(s.Data()) &^ 15)
		case strings.HasPrefix(s.Name, ".nv.global"):
			align := max(s.Align, 256)
			mem = (mem + align - 1) &^ (align - 1)
			m.base[s] = mem
			m.data[s] = make([]byte, s.Size())
			copy(m.data[s], s.Data())
			mem += s.Size() + 4096
		case strings.HasPrefix(s.Name, ".nv.constant"):
			m.data[s] = slices.Clone(s.Data())
			if s.Name == ".nv.constant3" {
				m.base[s] = constBase
			}
		}
	}
}

// relocate applies the relocations of placed sections.
func (m *Module) relocate() error {
	for _, s := range m.File.Sections {
		r, ok := s.Content.(*cubin.Relocs)
		if !ok || (s.Type != elf.TypeRela && s.Type != elf.TypeRel) {
			continue
		}
		of := s.Info.Section
		if of == nil { // the linker says it by the name alone
			of = m.File.Find(strings.TrimPrefix(strings.TrimPrefix(s.Name, ".rela"), ".rel"))
		}
		to := m.data[of]
		if to == nil {
			continue
		}
		for _, x := range r.List {
			if x.Sym != nil && (x.Type == cubin.RelTexHeader || x.Type == cubin.RelSurfHeader) {
				m.refs = append(m.refs, texRef{of.Name, x.Off, x.Sym.Name})
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

func (m *Module) patch(to []byte, x *cubin.Reloc, addends bool) error {
	v := uint64(x.Addend)
	if x.Sym != nil {
		v += x.Sym.Value
		if x.Sym.Section != nil {
			v += m.base[x.Sym.Section]
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
func (m *Module) patchCall(at []byte, x *cubin.Reloc, v uint64) error {
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

func (m *Module) decode() error {
	d := decoder{arch: m.Arch, pool: &m.pool}
	for _, s := range m.File.Sections {
		if !strings.HasPrefix(s.Name, ".text.") {
			continue
		}
		code := m.data[s]
		for off := 0; off+16 <= len(code); off += 16 {
			w := ebits.Word{Lo: binary.LittleEndian.Uint64(code[off:]), Hi: binary.LittleEndian.Uint64(code[off+8:])}
			in := sass.Decode(m.Arch, w)
			i, err := d.decode(in, uint64(off))
			if err != nil {
				why := err.Error()
				i.in, i.fn = in, func(w *warp, _ *inst, mask uint32) { w.fail(lane(mask), "%s", why) }
				i.mn, i.missing = why, true
				i.full, i.guard, i.gneg = false, predTrue, 0
			}
			m.insts = append(m.insts, i)
			m.names(&in)
		}
	}
	return nil
}

// Kernels lists the entry points.
func (m *Module) Kernels() []cubin.Function {
	var list []cubin.Function
	for _, f := range m.funcs {
		if f.Entry {
			list = append(list, f)
		}
	}
	return list
}

// Kernel finds an entry point; an empty name takes the only one.
func (m *Module) Kernel(name string) (*Program, error) {
	list := m.Kernels()
	for n := range list {
		if list[n].Name == name || name == "" && len(list) == 1 {
			return &Program{Module: m, module: m, kernel: &list[n], entry: uint32(m.base[list[n].Text] / 16)}, nil
		}
	}
	return nil, fmt.Errorf("no kernel %q in the file", name)
}

// Function returns what the file says about the kernel.
func (p *Program) Function() *cubin.Function { return p.kernel }

// offset is the place of an instruction in its section.
func (m *Module) offset(pc uint32) uint64 {
	if r := m.rangeOf(pc); r != nil {
		return uint64(pc-r.first) * 16
	}
	return uint64(pc) * 16
}

func (m *Module) rangeOf(pc uint32) *codeRange {
	for n := range m.texts {
		if r := &m.texts[n]; pc >= r.first && pc < r.first+r.n {
			return r
		}
	}
	return nil
}

// text prints an instruction.
func (m *Module) text(pc uint32) string {
	if int(pc) >= len(m.insts) {
		return "(outside the code)"
	}
	return m.insts[pc].in.Text(m.Arch, m.offset(pc))
}

// Missing lists the instructions of the kernel that have no meaning here.
func (p *Program) Missing() []string {
	var list []string
	for _, r := range p.texts {
		if p.entry < r.first || p.entry >= r.first+r.n {
			continue
		}
		for _, i := range p.insts[r.first : r.first+r.n] {
			if i.missing {
				list = append(list, i.mn)
			}
		}
	}
	return list
}

// names notes the registers of an instruction.
func (m *Module) names(in *sass.Inst) {
	for n := range in.NArg() {
		o := in.Arg(n)
		if o.Zero {
			continue
		}
		last := uint16(o.Reg) + uint16(max(o.Width, 2))
		switch o.File {
		case sass.FileR:
			m.regs = max(m.regs, min(last, rowZero))
		case sass.FileU:
			m.uregs = max(m.uregs, min(last, numRows-rowUni))
		}
	}
}
