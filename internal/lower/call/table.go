package call

import (
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// Handlers lower calls and branches.
var Handlers = build.Table{
	isa.WBra:            bra,
	isa.WRet:            retInst,
	isa.WBrx:            brx,
	isa.WCall:           call,
	isa.WPmevent:        pmevent,
	isa.WGriddepcontrol: griddepcontrol,
	isa.WSetmaxnreg:     setmaxnreg,
}
