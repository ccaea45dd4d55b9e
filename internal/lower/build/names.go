package build

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
)

func NoUniform() ori.Operand { return ori.Operand{Kind: ori.KUAddr, Class: ori.UR, Reg: ori.NoReg} }

func Mods(list ...op.Mod) op.Mods {
	var m op.Mods
	for _, x := range list {
		if x != op.NoMod {
			m = m.With(x)
		}
	}
	return m
}

// Rounding returns the machine's rounding modifier; rn is silent.
func (l *Builder) Rounding() op.Mod {
	l.Knows(isa.WRn)
	return l.Which(Roundings)
}

// WordName is the machine's name for a word of PTX.
type WordName = struct {
	Word isa.Word
	Mod  op.Mod
}

// TypeName is the machine's name for a type.
type TypeName = struct {
	Typ isa.Type
	Mod op.Mod
}

// Which returns the name of the first word of a list that the current
// instruction has.
func (l *Builder) Which(list []WordName) op.Mod {
	for _, n := range list {
		if l.Has(n.Word) {
			return n.Mod
		}
	}
	return op.NoMod
}

// OfWord returns the name of a word.
func OfWord(list []WordName, w isa.Word) op.Mod {
	for _, n := range list {
		if n.Word == w {
			return n.Mod
		}
	}
	return op.NoMod
}

// OfType returns the name of a type.
func OfType(list []TypeName, t isa.Type) op.Mod {
	for _, n := range list {
		if n.Typ == t {
			return n.Mod
		}
	}
	return op.NoMod
}

// Roundings are the words that round otherwise than to nearest.
var Roundings = []WordName{{isa.WRz, op.MRZ}, {isa.WRm, op.MRM}, {isa.WRp, op.MRP}}
