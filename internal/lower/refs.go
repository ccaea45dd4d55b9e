package lower

import (
	"slices"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/target"
)

// Textures, samplers and surfaces bound by name. The driver writes the number
// of each header into a word behind the kernel's parameters; a handle is that
// number with a bit in its upper word that tells what it is of.

// Bits of the upper word of handles.
const (
	isTexture = 1 << 29
	isSampler = 1 << 30
	isSurface = 1 << 31
)

// Ref is a word of bank 0 that the driver fills: the number of a texture,
// sampler or surface and, before sm_90, that of the sampler beside a texture.
type Ref struct{ Name, Sampler string }

// refSlot returns the place of a reference's word in bank 0. One that stands
// alone may be read from a word that it shares.
func (p *Plan) refSlot(l *lowerer, r Ref) int64 {
	n := slices.IndexFunc(p.Refs, func(x Ref) bool { return x == r || r.Sampler == "" && (x.Name == r.Name || x.Sampler == r.Name) })
	if n < 0 {
		n = len(p.Refs)
		p.Refs = append(p.Refs, r)
	}
	return l.arch.Bank0().Param + l.arch.RefsAt(int64(p.m.Funcs[p.kernel].ParamLen)) + 4*int64(n)
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

// named returns the texture, sampler or surface that an operand names, or nil
// if the symbol is none.
func (l *lowerer) named(a *sema.Operand) *sema.Var {
	if a.Kind == isa.KReg || a.Kind == isa.KAddr && a.Base == isa.KReg || a.Ref < 0 || l.m.Syms[a.Ref].Var < 0 {
		return nil
	}
	if v := &l.m.Vars[l.m.Syms[a.Ref].Var]; refBit(v) != 0 {
		return v
	}
	return nil
}

// reference returns the handle of a texture, sampler or surface named in the
// program, or false if the symbol is none.
func (l *lowerer) reference(a *sema.Operand) (value, bool) {
	v := l.named(a)
	if v == nil {
		return nil, false
	}
	w := l.refWord(v)
	if !l.arch.Has(target.UniformHandles) {
		w = l.oldAddress(v, w)
	}
	return value{w, word(refBit(v))}, true
}

// refWord reads the word of a reference.
func (l *lowerer) refWord(v *sema.Var) ori.Operand {
	if l.layout.Object && !l.arch.Has(target.LinkedSamplers) && refBit(v) == isSampler {
		l.fail("The linker gives a sampler named in an object no word of its own on %s", l.arch.Name)
	}
	if l.layout.Object { // the linker adds the word to every kernel that comes here
		return l.one(op.LDC, op.Mods{}, l.symbolPart(v.Name, ori.PartRef))
	}
	return l.bankWord(l.plan.refSlot(l, Ref{Name: v.Name}))
}

// handle is what names a texture or surface to the machine.
type handle struct {
	words   value // of the texture and its sampler, if it has one; before sm_90 one word for both
	bound   value // before sm_90: bank and word that hold the handle, if the program says where
	sampler bool  // the program names a sampler
}

// notRaw refuses what a handle means under --set-texmode-raw: it is no pair
// of a texture and a sampler then, and nobody has told what it is.
func (l *lowerer) notRaw() {
	if l.m.TexMode == sema.TexRaw {
		l.fail("Textures by raw handles (--set-texmode-raw) are not supported")
	}
}

// handle returns the handle of a texture or surface, and that of the sampler
// beside it: none where textures have their own.
func (l *lowerer) handle(a *sema.Operand) handle {
	l.notRaw()
	var s *sema.Operand
	if es := l.body.Of(a.Elems); len(es) > 1 {
		if l.m.TexMode != sema.TexIndependent {
			l.fail("Sampler beside a texture needs .target texmode_independent")
		}
		s = &es[0]
	}
	if !l.arch.Has(target.UniformHandles) {
		return l.oldHandle(a, s)
	}
	h := handle{words: value{l.handleWord(a), {}}, sampler: s != nil}
	if s != nil {
		h.words[1] = l.handleWord(s)
	}
	return h
}

func (l *lowerer) handleWord(a *sema.Operand) ori.Operand {
	l.notRaw()
	if a.Kind == isa.KReg || a.Kind == isa.KAddr && a.Base == isa.KReg {
		return l.words(l.regs[a.Ref])[0]
	}
	v := l.named(a)
	if v == nil {
		l.unsupported()
	}
	return l.refWord(v)
}

// eachTexture runs do for each handle that threads have, with the operands
// that say it: a pair of uniform registers, the texture and its sampler.
func (l *lowerer) eachTexture(h handle, do func(at value, p ori.Operand)) {
	l.eachHandle(h.words, func(u, p ori.Operand) {
		if !h.sampler {
			l.emit(op.UMOV, op.Mods{}, value{l.f.Word(u.Reg, 1)}, ori.Zero(ori.UR))
		}
		do(l.uniformHandle(u), p)
	})
}

// eachSurface is eachTexture for surfaces, which have no sampler.
func (l *lowerer) eachSurface(h handle, do func(at value, p ori.Operand)) {
	if !l.arch.Has(target.UniformHandles) {
		do(h.old(), ori.Operand{})
		return
	}
	l.eachHandle(h.words[:1], func(u, p ori.Operand) { do(l.uniformHandle(u), p) })
}

// eachHandle is eachValue for handles, which most often are the same in all
// threads.
func (l *lowerer) eachHandle(v value, do func(u, p ori.Operand)) {
	own := make(value, 0, len(v))
	for _, w := range v {
		if w.Kind != ori.KNone {
			own = append(own, w)
		}
	}
	if !l.agreed([]value{own}) {
		l.eachValue(append(value{}, v...), do)
		return
	}
	u := l.f.NewReg(ori.UR, len(v))
	for n := range own {
		l.emit(op.R2UR, op.Mods{}, value{l.f.Word(u, n)}, l.reg(own[n]))
	}
	do(l.f.Words(u), ori.Operand{})
}

// uniformHandle are the operands of a handle in uniform registers; sm_90 can
// add to its number.
func (l *lowerer) uniformHandle(u ori.Operand) value {
	if !l.arch.Has(target.HandleOffsets) {
		return value{u}
	}
	return value{u, ori.Imm(0)}
}

// property is where the driver's tables keep what a query asks for, with and
// without samplers of their own; below zero it has no place there.
type property struct {
	word          isa.Word
	unified       int64
	independent   int64
	sampler, surf int64
}

var properties = [...]property{
	{isa.WChannelDataType, 0x20, 0x10, -1, 0xc},
	{isa.WChannelOrder, 0x24, 0x14, -1, 0x10},
	{isa.WNormalizedCoords, 0x1c, 0xc, -1, -1},
	{isa.WArraySize, 0x28, 0x18, -1, 0x1c},
	{isa.WNumMipmapLevels, 0x2c, 0x1c, -1, -1},
	{isa.WNumSamples, 0x30, 0x20, -1, -1},
	{isa.WForceUnnormalizedCoords, 0, -1, 0x10, -1},
	{isa.WFilterMode, 0x18, -1, 0xc, -1},
	{isa.WAddrMode0, 0xc, -1, 0, -1},
	{isa.WAddrMode1, 0x10, -1, 4, -1},
	{isa.WAddrMode2, 0x14, -1, 8, -1},
	{isa.WMemoryLayout, -1, -1, -1, 0x14},
}

// The driver's tables, in the order in which bank 0 keeps their addresses,
// and the symbols that stand for the size of a row.
const (
	textureTable = iota
	samplerTable
	surfaceTable

	unifiedRow = ".nv.unified.texrefDescSize"
	textureRow = ".nv.independent.texrefDescSize"
	samplerRow = ".nv.independent.samplerrefDescSize"
	surfaceRow = ".nv.surfrefDescSize"
)

// tableQuery lowers a query of what only the driver's tables tell: row
// number of the handle.
func (l *lowerer) tableQuery() {
	l.notRaw()
	for _, x := range properties {
		if !l.has(x.word) {
			continue
		}
		table, row, at := textureTable, unifiedRow, x.unified
		switch {
		case l.in.Op == isa.WSuq:
			table, row, at = surfaceTable, surfaceRow, x.surf
		case l.m.TexMode != sema.TexIndependent:
		case x.sampler >= 0:
			table, row, at = samplerTable, samplerRow, x.sampler
		default:
			row, at = textureRow, x.independent
		}
		if at < 0 {
			break
		}
		h := l.handleWord(&l.args[1])
		if !l.arch.Has(target.UniformHandles) {
			h = l.oldNumber(&l.args[1], h, row == samplerRow)
		}
		size := l.one(op.MOV, op.Mods{}, ori.Operand{Kind: ori.KSymbol, Reg: l.f.Module.Symbol(row), Sub: uint8(ori.PartAbs)})
		off := l.imad(h, size, ori.Imm(at))
		base := l.pair(l.add64(l.bank64(l.arch.Bank0().Tables+8*int64(table)), value{off, rz()}, false))
		r := l.tmp(1)
		l.emit(op.LDG, op.M(op.ME, op.MCONSTANT), r, l.descriptor(), ori.Addr(whole(base), 0))
		l.copy(l.dst(0)[:1], r)
		return
	}
	l.unsupported()
}
