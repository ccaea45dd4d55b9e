package matrix

import (
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// Handlers lower matrix products and fragments.
var Handlers = build.Table{
	isa.WLdmatrix:  ldmatrix,
	isa.WStmatrix:  stmatrix,
	isa.WMovmatrix: movmatrix,
	isa.WMma:       mma,
	isa.WWgmma:     wgmma,
	isa.WWmma:      wmma,
}
