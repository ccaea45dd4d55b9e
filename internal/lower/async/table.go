// Package async lowers what goes on by itself: copies by thread (async.go), in
// bulk (bulk.go, bulkop.go) and of tensors (tma.go, tensormap.go), the
// mbarriers that tell their end (mbarrier.go, and mbarrier_old.go before
// sm_90), tensor memory (tcgen05.go, tcgen05_mma.go, tcgen05_alloc.go), work
// of clusters that were not launched (cancel.go), and copies that are routines
// of the driver (routine.go). table.go says which function lowers which
// instruction.
package async

import (
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// Handlers lower work that goes on by itself: copies, barriers in memory, tensor memory.
var Handlers = build.Table{
	isa.WSt:                   stInst,
	isa.WRed:                  redInst,
	isa.WCp:                   cpAsync,
	isa.WMbarrier:             mbarrier,
	isa.WTcgen05:              tcgen05,
	isa.WClusterlaunchcontrol: clusterlaunchcontrol,
	isa.WTensormap:            tensormap,
}
