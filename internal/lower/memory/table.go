// Package memory lowers loads, stores, atomics, address arithmetic and cache
// hints: mem.go, load.go and mem256.go for loads and stores, atom.go and
// multimem.go for atomics, param.go, vecparam.go and object.go for parameters,
// space.go for addresses of other spaces, stack.go for alloca, cache.go and
// policy.go for hints, all on access.go. table.go says which function lowers
// which instruction.
package memory

import (
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// Handlers lower loads, stores, atomics and addresses.
var Handlers = build.Table{
	isa.WLd:            ld,
	isa.WCvta:          cvta,
	isa.WAtom:          Atom,
	isa.WCreatepolicy:  createpolicy,
	isa.WPrefetch:      prefetch,
	isa.WPrefetchu:     prefetch,
	isa.WApplypriority: prefetch,
	isa.WDiscard:       prefetch,
	isa.WIsspacep:      isspacep,
	isa.WIstypep:       istypep,
	isa.WMapa:          mapa,
	isa.WGetctarank:    getctarank,
	isa.WLdu:           ld,
	isa.WMultimem:      multimem,
	isa.WAlloca:        alloca,
	isa.WStacksave:     stacksave,
	isa.WStackrestore:  stackrestore,
}
