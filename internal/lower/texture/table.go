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
