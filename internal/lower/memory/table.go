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
