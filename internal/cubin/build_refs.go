package cubin

import (
	"strings"

	"github.com/goptxas/goptxas/internal/cubin/elf"
)

// Ref is a texture, sampler or surface that the driver binds by name: it has
// a symbol, and words of bank 0 that receive the number of its header.
type Ref struct {
	Name string
	Type uint8 // SymTexture, SymSampler or SymSurface

	// Of a sampler: three addressing modes and the filter, a byte each, 0xff
	// where the program says nothing; whether it says how coordinates count.
	Init     uint32
	HasForce bool
	Force    uint32
}

// RefWord says what a word of bank 0 receives: the number of a reference and,
// before sm_90, that of the sampler beside a texture, if one is named.
type RefWord struct{ Name, Sampler string }

// reloc is the relocation that puts the reference's header number into a
// word.
func (r *Ref) reloc(isNew bool) RelocType {
	switch r.Type {
	case SymSampler:
		if !isNew {
			return RelSampHeader
		}
		return RelSampHeader0
	case SymSurface:
		return RelSurfHeader
	}
	return RelTexHeader
}

// refs makes the symbols of references, and those of the sizes of the
// driver's tables that code multiplies with.
func (b *builder) refs() {
	for i := range b.m.Refs {
		r := &b.m.Refs[i]
		b.symbol(&Symbol{Name: r.Name, Bind: BindGlobal, Type: r.Type})
	}
	for i := range b.m.Kernels {
		for _, x := range b.m.Kernels[i].Fixes {
			if x.Type != RelAbs32at32 || x.State != Live || b.syms[x.Symbol] != nil {
				continue
			}
			switch {
			case x.Symbol == ConstSize:
				b.symbol(&Symbol{Name: x.Symbol, Type: SymObject, Other: 1, Value: b.constBytes(), Size: 4})
			case !b.m.Relocatable || strings.HasSuffix(x.Symbol, "DescSize"):
				b.symbol(&Symbol{Name: x.Symbol, Bind: BindWeak, Type: SymObject, Size: 4})
			}
		}
	}
}

// ConstSize is the symbol of the bytes that the constants of all linked
// objects take; an object gives it its own.
const ConstSize = ".nv.ptx.const0.size"

// constBytes is what the module's own constants take, in whole words.
func (b *builder) constBytes() uint64 {
	size := uint64(0)
	for i := range b.m.Decls {
		if d := &b.m.Decls[i]; d.Space == SpaceConst && !d.Extern {
			size = max(size, d.Offset+d.Size)
		}
	}
	return elf.AlignUp(size, 4)
}

// slotFixes returns the relocations of the words behind a kernel's
// parameters.
func (b *builder) slotFixes(k *Kernel) []Fix {
	var list []Fix
	size := k.paramSize()
	at := uint64(ParamBase(b.m.Arch, size)+size+k.Slots) - uint64(4*len(k.Refs))
	for n, w := range k.Refs {
		for _, name := range [...]string{w.Name, w.Sampler} {
			for i := range b.m.Refs {
				if r := &b.m.Refs[i]; r.Name == name {
					list = append(list, Fix{Off: at + uint64(4*n), Type: r.reloc(b.isNew), Symbol: name})
				}
			}
		}
	}
	return list
}

// samplerInfo says how the program initialises its samplers, last first.
func (b *builder) samplerInfo(in *Info) {
	for i := len(b.m.Refs) - 1; i >= 0; i-- {
		r := &b.m.Refs[i]
		if r.Type != SymSampler {
			continue
		}
		if r.HasForce {
			in.Attrs = append(in.Attrs, SymWord(AttrSamplerForce, b.syms[r.Name], r.Force))
		}
		in.Attrs = append(in.Attrs, SymWord(AttrSamplerInit, b.syms[r.Name], r.Init))
	}
}
