package lower

import (
	"github.com/goptxas/goptxas/internal/lower/arith"
	"github.com/goptxas/goptxas/internal/lower/async"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/lower/call"
	"github.com/goptxas/goptxas/internal/lower/division"
	"github.com/goptxas/goptxas/internal/lower/matrix"
	"github.com/goptxas/goptxas/internal/lower/memory"
	"github.com/goptxas/goptxas/internal/lower/texture"
	"github.com/goptxas/goptxas/internal/lower/warp"
	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// buildHandlers lower what ends a thread.
var buildHandlers = build.Table{
	isa.WExit:  (*build.Builder).Exit,
	isa.WTrap:  (*build.Builder).Trap,
	isa.WBrkpt: (*build.Builder).Trap,
}

// tables are asked in this order how an instruction is lowered. One that none of
// them knows cannot be compiled.
var tables = [...]*build.Table{&arith.Handlers, &division.Handlers, &memory.Handlers, &warp.Handlers, &texture.Handlers, &matrix.Handlers, &async.Handlers, &call.Handlers, &buildHandlers}
