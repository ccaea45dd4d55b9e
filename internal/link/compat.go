package link

import (
	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// Classes of instructions and uses of tensor maps in .nv.compat.
const (
	classBase   = 1
	classFamily = 2 // of a family of architectures
	classGroup  = 4 // warp-group matrix operations
	mapsRead    = 1
	mapsWritten = 3 // by the kernel itself
)

// tensorUse translates how a function uses tensor memory.
func tensorUse(use int32) cubin.TensorUse {
	return cubin.TensorUse{
		Touched: use&ori.TensorTouched != 0, One: use&ori.TensorOne != 0, Two: use&ori.TensorTwo != 0,
		Account: use&ori.TensorAccount != 0, Account2: use&ori.TensorAccount2 != 0,
	}
}

// Compat returns what .nv.compat says about the instructions of f.
func Compat(f *ori.Func) (class, maps uint8) {
	if class = classBase; f.Props.Tensor != 0 {
		class = classFamily
	}
	for _, b := range f.Blocks {
		for i := b.First(); i != nil; i = i.Next() {
			switch {
			case i.Op.Has(op.TensorMap):
				class, maps = max(class, classFamily), max(maps, mapsRead)
			case i.Op == op.UTMACCTL:
				class = max(class, classFamily)
				if i.Mods.Has(op.MIV) {
					maps = mapsWritten
				}
			case i.Op.Has(op.Texture), i.Op == op.QMMA, i.Op == op.F2FP && eight(i):
				class = max(class, classFamily)
			case i.Op.Has(op.Group):
				class = classGroup
			}
		}
	}
	return class, maps
}

// eight reports whether a conversion knows a type of eight bits.
func eight(i *ori.Instr) bool { return i.Mods.Has(op.ME4M3) || i.Mods.Has(op.ME5M2) }
