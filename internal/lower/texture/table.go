// Package texture lowers textures (tex.go, gradient.go, texel.go; oldtex.go
// before sm_90) and surfaces (surface.go), by handles (handle.go) or names
// (refs.go). table.go says which function lowers which instruction.
package texture

import (
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// Handlers lower textures and surfaces.
var Handlers = build.Table{
	isa.WTex:   tex,
	isa.WTld4:  tex,
	isa.WTxq:   query,
	isa.WSuq:   query,
	isa.WSuld:  suld,
	isa.WSust:  sust,
	isa.WSured: sured,
}
