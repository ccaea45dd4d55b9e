package texture

import (
	"github.com/goptxas/goptxas/internal/codegen/expand"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/lower/memory"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/target"
)

// handleOf returns the handle of a texture or surface, and that of the sampler
// beside it: none where textures have their own.
func handleOf(l *build.Builder, a *sema.Operand) handle {
	notRaw(l)
	var s *sema.Operand
	if es := l.Body.Of(a.Elems); len(es) > 1 {
		if l.Module.TexMode != sema.TexIndependent {
			l.Fail("Sampler beside a texture needs .target texmode_independent")
		}
		s = &es[0]
	}
	if !l.Arch.Has(target.UniformHandles) {
		return oldHandle(l, a, s)
	}
	h := handle{words: build.Value{handleWord(l, a), {}}, sampler: s != nil}
	if s != nil {
		h.words[1] = handleWord(l, s)
	}
	return h
}

// eachTexture runs do for each handle that threads have, with the operands
// that say it: a pair of uniform registers, the texture and its sampler.
func eachTexture(l *build.Builder, h handle, do func(at build.Value, p ori.Operand)) {
	eachHandle(l, h.words, func(u, p ori.Operand) {
		if !h.sampler {
			l.Emit(op.UMOV, op.Mods{}, build.Value{l.F.Word(u.Reg, 1)}, ori.Zero(ori.UR))
		}
		do(uniformHandle(l, u), p)
	})
}

// eachSurface is eachTexture for surfaces, which have no sampler.
func eachSurface(l *build.Builder, h handle, do func(at build.Value, p ori.Operand)) {
	if !l.Arch.Has(target.UniformHandles) {
		do(h.old(), ori.Operand{})
		return
	}
	eachHandle(l, h.words[:1], func(u, p ori.Operand) { do(uniformHandle(l, u), p) })
}

// eachHandle is eachValue for handles, which most often are the same in all
// threads.
func eachHandle(l *build.Builder, v build.Value, do func(u, p ori.Operand)) {
	own := make(build.Value, 0, len(v))
	for _, w := range v {
		if w.Kind != ori.KNone {
			own = append(own, w)
		}
	}
	if !l.Agreed([]build.Value{own}) {
		l.EachValue(append(build.Value{}, v...), do)
		return
	}
	u := l.F.NewReg(ori.UR, len(v))
	for n := range own {
		l.Emit(op.R2UR, op.Mods{}, build.Value{l.F.Word(u, n)}, l.Reg(own[n]))
	}
	do(l.F.Words(u), ori.Operand{})
}

// uniformHandle are the operands of a handle in uniform registers; sm_90 can
// add to its number.
func uniformHandle(l *build.Builder, u ori.Operand) build.Value {
	if !l.Arch.Has(target.HandleOffsets) {
		return build.Value{u}
	}
	return build.Value{u, ori.Imm(0)}
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
func tableQuery(l *build.Builder) {
	notRaw(l)
	for _, x := range properties {
		if !l.Has(x.word) {
			continue
		}
		table, row, at := textureTable, unifiedRow, x.unified
		switch {
		case l.In.Op == isa.WSuq:
			table, row, at = surfaceTable, surfaceRow, x.surf
		case l.Module.TexMode != sema.TexIndependent:
		case x.sampler >= 0:
			table, row, at = samplerTable, samplerRow, x.sampler
		default:
			row, at = textureRow, x.independent
		}
		if at < 0 {
			break
		}
		h := handleWord(l, &l.Args[1])
		if !l.Arch.Has(target.UniformHandles) {
			h = oldNumber(l, &l.Args[1], h, row == samplerRow)
		}
		size := l.One(op.MOV, op.Mods{}, ori.Operand{Kind: ori.KSymbol, Reg: l.F.Module.Symbol(row), Sub: uint8(ori.PartAbs)})
		off := l.Imad(h, size, ori.Imm(at))
		base := l.Pair(l.Add64(memory.Bank64(l, l.Arch.Bank0().Tables+8*int64(table)), build.Value{off, expand.RZ()}, false))
		r := l.Tmp(1)
		l.Emit(op.LDG, op.M(op.ME, op.MCONSTANT), r, memory.Descriptor(l), ori.Addr(expand.Whole(base), 0))
		l.Copy(l.Dst(0)[:1], r)
		return
	}
	l.Unsupported()
}
