package link

import (
	"encoding/binary"

	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
)

// relG8 is the first of eight relocations that take one byte of a generic
// address.
const relG8 cubin.RelocType = 0x54

// relocate makes the addresses in the initial bytes of a variable: the
// driver knows those of global memory and generic ones, offsets in the
// constant bank and of functions in their table are known already.
func relocate(m *sema.Module, l *build.Layout, d *cubin.Decl) {
	at := 0
	for at < len(m.Vars) && m.Vars[at].Name != d.Name { // variables are large: they stay where they are
		at++
	}
	if at == len(m.Vars) {
		return
	}
	for _, r := range m.Vars[at].Relocs {
		sym := &m.Syms[r.Sym]
		put := func(v uint64) {
			var b [8]byte
			binary.LittleEndian.PutUint64(b[:], v>>(8*r.Shift))
			if end := r.Offset + uint64(r.Width); end <= uint64(len(d.Init)) {
				copy(d.Init[r.Offset:end], b[:])
			}
		}
		switch {
		case sym.Func >= 0 && m.Funcs[sym.Func].Entry:
			d.Fixes = append(d.Fixes, kernelFix(&r, sym.Name))
		case sym.Func >= 0:
			put(uint64(build.PointerSlot(m, sym.Func)) + r.Addend)
		case sym.Var >= 0 && m.Vars[sym.Var].Space == isa.SpaceConst && !r.Generic:
			put(uint64(l.Const[sym.Name]) + r.Addend)
		case sym.Var >= 0 && m.Vars[sym.Var].Space == isa.SpaceShared && !r.Generic:
			put(uint64(l.Shared[sym.Name]) + build.SharedReserved + r.Addend)
		case r.Width == 1:
			d.Fixes = append(d.Fixes, cubin.Fix{Off: r.Offset, Type: relG8 + cubin.RelocType(r.Shift), Symbol: sym.Name, Addend: int64(r.Addend)})
		default:
			d.Fixes = append(d.Fixes, cubin.Fix{Off: r.Offset, Type: cubin.RelG64, Symbol: sym.Name, Addend: int64(r.Addend)})
		}
	}
}

// kernelFix makes the relocation of a word, or one byte of it, that names a
// kernel to who launches it.
func kernelFix(r *sema.Reloc, name string) cubin.Fix {
	f := cubin.Fix{Off: r.Offset, Type: cubin.RelFuncDesc64, Symbol: name, Addend: int64(r.Addend)}
	switch r.Width {
	case 1:
		f.Type = funcDesc8 + cubin.RelocType(r.Shift)
	case 4:
		f.Type = funcDesc32
	}
	return f
}

// Relocations of one byte of a kernel's name, the first of eight, and of a
// 32-bit word.
const (
	funcDesc8  cubin.RelocType = 0x5c
	funcDesc32 cubin.RelocType = 0x22
)
