// Package warp lowers what threads of a warp or block do together: shuffles,
// votes and reductions (warp.go), barriers and fences (barrier.go), and
// instructions for which threads gather from several places (gather.go).
// table.go says which function lowers which instruction.
package warp

import (
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// Handlers lower threads of a warp that act together, barriers and fences.
var Handlers = build.Table{
	isa.WBar:        bar,
	isa.WShfl:       shfl,
	isa.WVote:       vote,
	isa.WActivemask: activemask,
	isa.WMatch:      match,
	isa.WRedux:      redux,
	isa.WElect:      elect,
	isa.WNanosleep:  nanosleep,
	isa.WMembar:     membar,
	isa.WFence:      membar,
	isa.WBarrier:    bar,
}
