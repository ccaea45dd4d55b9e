package lower

import (
	"slices"

	"goptxas/internal/ori"
	"goptxas/internal/ori/op"
	"goptxas/internal/ptx/isa"
	"goptxas/internal/ptx/sema"
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

// refSlot returns the place of a reference's word in bank 0.
func (p *Plan) refSlot(l *lowerer, name string) int64 {
	n := slices.Index(p.Refs, name)
	if n < 0 {
		n = len(p.Refs)
		p.Refs = append(p.Refs, name)
	}
	return l.arch.Bank0().Param + alignUp(int64(p.m.Funcs[p.kernel].ParamLen), 4) + 4*int64(n)
}

// reference returns the handle of a texture, sampler or surface named in the
// program, or false if the symbol is none.
func (l *lowerer) reference(a *sema.Operand) (value, bool) {
	if a.Ref < 0 || l.m.Syms[a.Ref].Var < 0 {
		return nil, false
	}
	bit := uint32(0)
	v := &l.m.Vars[l.m.Syms[a.Ref].Var]
	switch v.Shape.Type {
	case isa.Texref:
		bit = isTexture
	case isa.Samplerref:
		bit = isSampler
	case isa.Surfref:
		bit = isSurface
	default:
		return nil, false
	}
	if l.layout.Object { // the linker adds the word to every kernel that comes here
		return value{l.one(op.LDC, op.Mods{}, l.symbolPart(v.Name, ori.PartAbs)), word(bit)}, true
	}
	return value{l.bankWord(l.plan.refSlot(l, v.Name)), word(bit)}, true
}

// handle returns the handle of a texture or surface, and that of the sampler
// beside it: zero where textures have their own.
func (l *lowerer) handle(a *sema.Operand) value {
	if l.arch.SM < 90 || l.arch.SM >= 120 {
		l.unsupported()
	}
	h := value{l.handleWord(a), {}}
	if es := l.body.Of(a.Elems); len(es) > 1 {
		if l.m.TexMode != sema.TexIndependent {
			l.fail("Sampler beside a texture needs .target texmode_independent")
		}
		h[1] = l.handleWord(&es[0])
	}
	return h
}

func (l *lowerer) handleWord(a *sema.Operand) ori.Operand {
	if a.Kind == isa.KReg || a.Kind == isa.KAddr && a.Base == isa.KReg {
		return l.words(l.regs[a.Ref])[0]
	}
	v, ok := l.reference(a)
	if !ok || l.arch.SM >= 100 {
		l.unsupported()
	}
	return v[0]
}

// handled returns a handle as operands: up to sm_90 the machine wants a place
// beside it.
func (l *lowerer) handled(u ori.Operand) value {
	if l.arch.SM >= 100 {
		return value{u}
	}
	return value{u, ori.Imm(0)}
}

// eachHandle runs do for each handle that threads have, in a pair of uniform
// registers: the texture and its sampler.
func (l *lowerer) eachHandle(h value, do func(u, p ori.Operand)) {
	own := h[1].Kind == ori.KNone
	l.eachValue(append(value{}, h...), func(u, p ori.Operand) {
		if own {
			l.emit(op.UMOV, op.Mods{}, value{l.f.Word(u.Reg, 1)}, ori.Zero(ori.UR))
		}
		do(u, p)
	})
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

// Where bank 0 keeps the addresses of the driver's tables on sm_90, and the
// symbols that stand for the size of a row.
const (
	textureTable = 0xf0
	samplerTable = 0xf8
	surfaceTable = 0x100

	unifiedRow = ".nv.unified.texrefDescSize"
	textureRow = ".nv.independent.texrefDescSize"
	samplerRow = ".nv.independent.samplerrefDescSize"
	surfaceRow = ".nv.surfrefDescSize"
)

// tableQuery lowers a query of what only the driver's tables tell: row
// number of the handle.
func (l *lowerer) tableQuery() {
	for _, x := range properties {
		if !l.has(x.word) {
			continue
		}
		table, row, at := int64(textureTable), unifiedRow, x.unified
		switch {
		case l.in.Op == isa.WSuq:
			table, row, at = surfaceTable, surfaceRow, x.surf
		case l.m.TexMode != sema.TexIndependent:
		case x.sampler >= 0:
			table, row, at = samplerTable, samplerRow, x.sampler
		default:
			row, at = textureRow, x.independent
		}
		if at < 0 || l.arch.SM >= 100 {
			break
		}
		h := l.handle(&l.args[1])[0]
		size := l.one(op.MOV, op.Mods{}, ori.Operand{Kind: ori.KSymbol, Reg: l.f.Module.Symbol(row), Sub: uint8(ori.PartAbs)})
		off := l.imad(h, size, ori.Imm(at))
		base := l.pair(l.add64(l.window64(table), value{off, rz()}, false))
		r := l.tmp(1)
		l.emit(op.LDG, op.M(op.ME, op.MCONSTANT), r, l.descriptor(), ori.Addr(whole(base), 0))
		l.copy(l.dst(0)[:1], r)
		return
	}
	l.unsupported()
}
