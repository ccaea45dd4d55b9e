package build

import (
	"slices"

	"github.com/goptxas/goptxas/internal/codegen/expand"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/target"
)

// Textures and surfaces before sm_90. One word names both header and sampler;
// an instruction finds it in bank 0 at a place it says, or in a register that
// may differ between threads. Where it is among the arguments it stands
// behind the coordinates, in TXD before them. Up to four arguments stand half
// in each of the two source registers (.SCR), more of them apart: coordinates
// and the rest.

// A handle's word: number of the header, and from samplerAt on that of the
// sampler.
const (
	HeaderMask  = 1<<SamplerAt - 1
	SamplerMask = 1<<(32-SamplerAt) - 1
	SamplerAt   = 20
)

// isAddress is set in the low word of the handle of something named in the
// program.
const isAddress = 1 << 31

// oldAddress turns the word of a reference into the low word of its handle.
func (l *Builder) oldAddress(v *sema.Var, w ori.Operand) ori.Operand {
	if refBit(v) == isSampler {
		w = l.Shr1(w, ori.Imm(SamplerAt))
	}
	return l.Lop(expand.LutOr, w, expand.Word(isAddress), expand.RZ())
}

// Textures, samplers and surfaces bound by name. The driver writes the number
// of each header into a word behind the kernel's parameters; a handle is that
// number with a bit in its upper word that tells what it is of.

// Bits of the upper word of handles.
const (
	isTexture = 1 << 29
	isSampler = 1 << 30
	isSurface = 1 << 31
)

// RefSlot returns the place of a reference's word in bank 0.
func (p *Plan) RefSlot(l *Builder, r Ref) int64 {
	if l.Layout.Refs != nil {
		p.Refs = l.Layout.Refs
	}
	return l.Arch.Bank0().Param + l.Layout.RefsAt(l.Arch, &p.Module.Funcs[p.Kernel]) + 4*int64(p.refWord(l, r))
}

// RefsAt returns where the words of references begin, counted from the
// parameters of a kernel.
func (l *Layout) RefsAt(a *target.Arch, kernel *sema.Func) int64 {
	return a.RefsAt(max(int64(kernel.ParamLen), l.RefParams))
}

// refWord is the number of a reference's word. One that stands alone may be
// read from a word that it shares, and before sm_90 a sampler goes into the
// word of a texture and the other way round, where nothing is there.
func (p *Plan) refWord(l *Builder, r Ref) int {
	n := slices.IndexFunc(p.Refs, func(x Ref) bool { return x == r || r.Sampler == "" && (x.Name == r.Name || x.Sampler == r.Name) })
	if n >= 0 {
		return n
	}
	if l.Module.TexMode == sema.TexIndependent && !l.Arch.Has(target.UniformHandles) {
		for n, x := range p.Refs {
			if y, ok := l.together(x, r); ok {
				p.Refs[n] = y
				return n
			}
		}
	}
	p.Refs = append(p.Refs, r)
	return len(p.Refs) - 1
}

// together joins two words of which each has what the other lacks.
func (l *Builder) together(x, y Ref) (Ref, bool) {
	kind := func(name string) uint32 {
		at := slices.IndexFunc(l.Module.Vars, func(v sema.Var) bool { return v.Name == name })
		return refBit(&l.Module.Vars[at])
	}
	switch {
	case x.Sampler != "" || y.Sampler != "" && y.Name != x.Name && y.Sampler != x.Name:
		return x, false
	case y.Sampler != "":
		return y, true
	case kind(x.Name) == isTexture && kind(y.Name) == isSampler:
		return Ref{x.Name, y.Name}, true
	case kind(x.Name) == isSampler && kind(y.Name) == isTexture:
		return Ref{y.Name, x.Name}, true
	}
	return x, false
}

// refBit returns the bit of the upper word that tells what variable v is a
// handle of, or zero if it is none.
func refBit(v *sema.Var) uint32 {
	switch v.Shape.Type {
	case isa.Texref:
		return isTexture
	case isa.Samplerref:
		return isSampler
	case isa.Surfref:
		return isSurface
	}
	return 0
}

// Named returns the texture, sampler or surface that an operand names, or nil
// if the symbol is none.
func (l *Builder) Named(a *sema.Operand) *sema.Var {
	if a.Kind == isa.KReg || a.Kind == isa.KAddr && a.Base == isa.KReg || a.Ref < 0 || l.Module.Syms[a.Ref].Var < 0 {
		return nil
	}
	if v := &l.Module.Vars[l.Module.Syms[a.Ref].Var]; refBit(v) != 0 {
		return v
	}
	return nil
}

// Reference returns the handle of a texture, sampler or surface named in the
// program, or false if the symbol is none.
func (l *Builder) Reference(a *sema.Operand) (Value, bool) {
	v := l.Named(a)
	if v == nil {
		return nil, false
	}
	w := l.RefWord(v)
	if !l.Arch.Has(target.UniformHandles) {
		w = l.oldAddress(v, w)
	}
	return Value{w, expand.Word(refBit(v))}, true
}

// OwnRefs reports whether the function has the words of the references it names
// itself. In an object the linker adds them to every kernel that comes to a
// name, but for kernels of a closed one, and where it knows no words of samplers.
func (l *Builder) OwnRefs() bool {
	return !l.Layout.Object || l.F.Kernel && (l.Layout.Closed || !l.Arch.Has(target.LinkedSamplers))
}

// RefWord reads the word of a reference.
func (l *Builder) RefWord(v *sema.Var) ori.Operand {
	switch {
	case l.OwnRefs():
		return l.bankWord(l.Plan.RefSlot(l, Ref{Name: v.Name}))
	case refBit(v) == isSampler && !l.Arch.Has(target.LinkedSamplers):
		l.Fail("The linker gives a sampler that a function of an object names no word of its own on %s", l.Arch.Name)
	}
	return l.One(op.LDC, op.Mods{}, l.SymbolPart(v.Name, ori.PartRef))
}
