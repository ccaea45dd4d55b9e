// Package call lowers calls, branches and the entry and exit of functions, and
// plans what becomes of the calls of a kernel: plan.go and inline.go decide
// which functions stand in place of their calls, shared.go places shared
// variables, call.go, abi.go and actuals.go pass values, control.go and brx.go
// lower branches. table.go says which function lowers which instruction.
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
