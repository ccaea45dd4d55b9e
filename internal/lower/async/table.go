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
