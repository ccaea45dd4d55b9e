package flow

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// Space is a set of memories.
type Space = op.Space

// Anything is every memory that can be written while a kernel runs.
const Anything = op.SpaceGeneric | op.SpaceTensor

// Access is what an instruction does to memory: bytes Lo to Hi from the
// address in Base, or from the sum of Base and Uni.
type Access struct {
	Space  Space
	Write  bool
	Strict bool        // keeps its order among its like, and happens
	Frozen bool        // reads what nobody writes while the kernel runs
	Plain  bool        // a load or store of the bytes Lo to Hi
	Base   ori.Operand // register of the address, KZero = none, KNone = unknown
	Uni    ori.Operand // uniform register that is added to it, KNone = none
	Lo, Hi int64
}

// sizeRows are the bytes of an access by its modifiers; without one it is a
// word.
var sizeRows = [...]struct {
	mod  op.Mod
	size int64
}{{op.MU8, 1}, {op.MS8, 1}, {op.MU16, 2}, {op.MS16, 2}, {op.M64, 8}, {op.M128, 16}, {op.M256, 32}}

// far bounds the bytes of an access of unknown size.
const far = 1 << 62

// AccessOf describes what i does to memory; ok is false if that is nothing:
// constant banks do not change. What keeps its place among all accesses, or
// reaches memory by another way than loads and stores, is taken to touch
// anything.
func AccessOf(i *ori.Instr) (a Access, ok bool) {
	if !i.Op.Has(op.Reads|op.Writes) || i.Op.LoadsConstant() {
		return a, false
	}
	a = Access{Space: Anything, Write: true, Strict: true, Lo: -far, Hi: far}
	if i.Op.Has(op.Ordered) || i.Op.Proxy() != op.ProxyGeneric {
		return a, true
	}
	a.Space, a.Write = i.Op.Space(), i.Op.Has(op.Writes)
	a.Strict = i.IsVolatile()
	a.Frozen = i.Op == op.LDG && i.Mods.Has(op.MCONSTANT)
	if i.Op.Has(op.Plain) {
		a.extent(i)
	}
	return a, true
}

// extent finds the bytes that a load or store touches.
func (a *Access) extent(i *ori.Instr) {
	size := int64(4)
	for _, m := range i.Mods {
		for _, r := range &sizeRows {
			if r.mod == m {
				size = r.size
			}
		}
	}
	srcs := i.Srcs()
	for k := range srcs {
		o := &srcs[k]
		if o.Kind != ori.KAddr {
			continue
		}
		a.Lo, a.Hi, a.Plain = o.Imm, o.Imm+size, true
		a.Base = ori.Zero(ori.R)
		if o.Reg != ori.NoReg {
			a.Base = ori.Operand{Kind: ori.KReg, Class: o.Class, Reg: o.Reg, Sub: o.Sub, N: o.N}
		}
		if k+1 < len(srcs) && srcs[k+1].Kind == ori.KUAddr && srcs[k+1].Reg != ori.NoReg {
			a.Uni = srcs[k+1]
		}
		return
	}
}
