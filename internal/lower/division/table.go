package division

import (
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// Handlers lower division and roots.
var Handlers = build.Table{
	isa.WDiv: div,
	isa.WRem: div,
}
