// Package matrix lowers matrix products and the loads and stores of their
// fragments, and makes products that the machine lacks from those it has.
//
//   - Products of a warp: mma.go, multiply.go and native.go; block-scaled
//     ones: mma_scaled.go; those made from others: mma_emulate.go,
//     mma_quads.go, mma_lanes.go.
//   - Products of a warp group: wgmma.go.
//   - Fragments: matrix.go (ldmatrix, stmatrix), wmma.go, wmma_memory.go,
//     wmma_map.go.
//
// table.go says which function lowers which instruction.
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
