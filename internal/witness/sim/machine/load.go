package machine

import (
	"encoding/binary"
	"fmt"
	"strings"
	"sync"

	"github.com/goptxas/goptxas/internal/cubin"
	ebits "github.com/goptxas/goptxas/internal/engine/bits"
	"github.com/goptxas/goptxas/internal/sass"
	"github.com/goptxas/goptxas/internal/target"
	"github.com/goptxas/goptxas/internal/witness/hazard"
	"github.com/goptxas/goptxas/internal/witness/sim/code"
	"github.com/goptxas/goptxas/internal/witness/sim/image"
)

// Module is a cubin made ready to run: its code decoded once, its variables
// placed, its relocations applied.
type Module struct {
	*image.Image
	Arch   *target.Arch
	funcs  []cubin.Function
	insts  []Inst
	pool   code.Pool
	poison [code.NumRows][32]uint32 // what registers hold at first
	driver Routines
	regs   uint16 // vector and uniform registers that the code names
	uregs  uint16

	described func() (*hazard.Model, error) // once
}

// Program is a kernel of a module.
type Program struct {
	*Module
	module *Module
	kernel *cubin.Function
	entry  uint32
}

// Load reads a cubin whose instructions mean what of says, and the routines
// of the driver what the other does.
func Load(b []byte, of Meanings, driver Routines) (*Module, error) {
	f, err := cubin.Read(b)
	if err != nil {
		return nil, err
	}
	a := target.Find(fmt.Sprintf("sm_%d", f.SM))
	if a == nil {
		return nil, fmt.Errorf("sm_%d is unknown", f.SM)
	}
	im, err := image.New(f)
	if err != nil {
		return nil, err
	}
	m := &Module{Image: im, Arch: a, funcs: f.Functions(), driver: driver, pool: code.NewPool()}
	m.described = sync.OnceValues(m.describe)
	for n := range m.poison {
		for l := range m.poison[n] {
			m.poison[n][l] = poisonReg | uint32(n)
		}
	}
	return m, m.decode(of)
}

func (m *Module) decode(of Meanings) error {
	d := code.Decoder{Arch: m.Arch, Pool: &m.pool}
	for _, s := range m.File.Sections {
		if !strings.HasPrefix(s.Name, ".text.") {
			continue
		}
		words := m.Data[s]
		for off := 0; off+16 <= len(words); off += 16 {
			w := ebits.Word{Lo: binary.LittleEndian.Uint64(words[off:]), Hi: binary.LittleEndian.Uint64(words[off+8:])}
			in := sass.Decode(m.Arch, w)
			i, err := instOf(&d, of, in, uint64(off))
			if err != nil {
				why := err.Error()
				i.In, i.Run = in, func(w *Warp, _ *Inst, mask uint32) { w.Fail(Lane(mask), "%s", why) }
				i.Mnemonic, i.missing = why, true
				i.Full, i.Guard, i.GuardNot = false, code.PredTrue, 0
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
			return &Program{Module: m, module: m, kernel: &list[n], entry: uint32(m.Base[list[n].Text] / 16)}, nil
		}
	}
	return nil, fmt.Errorf("no kernel %q in the file", name)
}

// Function returns what the file says about the kernel.
func (p *Program) Function() *cubin.Function { return p.kernel }

// text prints an instruction.
func (m *Module) text(pc uint32) string {
	if int(pc) >= len(m.insts) {
		return "(outside the code)"
	}
	return m.insts[pc].In.Text(m.Arch, m.Offset(pc))
}

// Len is how many instructions the program has.
func (p *Program) Len() int { return len(p.insts) }

// Missing lists the instructions of the kernel that have no meaning here.
func (p *Program) Missing() []string {
	var list []string
	for _, r := range p.Texts {
		if p.entry < r.First || p.entry >= r.First+r.N {
			continue
		}
		for _, i := range p.insts[r.First : r.First+r.N] {
			if i.missing {
				list = append(list, i.Mnemonic)
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
			m.regs = max(m.regs, min(last, code.RowZero))
		case sass.FileU:
			m.uregs = max(m.uregs, min(last, code.NumRows-code.RowUni))
		}
	}
}

// bindNames writes the handles of named textures to bank 0.
func (m *machine) bindNames(b []byte) {
	for _, r := range m.prog.Refs {
		if r.Section != ".nv.constant0."+m.prog.kernel.Name || r.Off+4 > uint64(len(b)) {
			continue
		}
		h := uint64(0)
		if m.l.Textures != nil {
			h = m.l.Textures.Named(r.Name)
		}
		binary.LittleEndian.PutUint32(b[r.Off:], uint32(h))
	}
}
