package tables

import (
	"github.com/goptxas/goptxas/internal/codegen/timing"
	"github.com/goptxas/goptxas/internal/sass"
	"github.com/goptxas/goptxas/internal/target"
)

// Event describes one instruction as timing sees it.
func Event(a *target.Arch, x sass.Inst) timing.Event {
	c := Code{Arch: a, Insts: []sass.Inst{x}}
	return c.event(0)
}
