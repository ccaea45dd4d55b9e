package lower

import (
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// wordName is the machine's name for a word of PTX.
type wordName = struct {
	word isa.Word
	mod  op.Mod
}

// typeName is the machine's name for a type.
type typeName = struct {
	typ isa.Type
	mod op.Mod
}

// which returns the name of the first word of a list that the current
// instruction has.
func (l *lowerer) which(list []wordName) op.Mod {
	for _, n := range list {
		if l.has(n.word) {
			return n.mod
		}
	}
	return op.NoMod
}

// ofWord returns the name of a word.
func ofWord(list []wordName, w isa.Word) op.Mod {
	for _, n := range list {
		if n.word == w {
			return n.mod
		}
	}
	return op.NoMod
}

// ofType returns the name of a type.
func ofType(list []typeName, t isa.Type) op.Mod {
	for _, n := range list {
		if n.typ == t {
			return n.mod
		}
	}
	return op.NoMod
}
