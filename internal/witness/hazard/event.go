package hazard

import (
	"goptxas/internal/codegen/timing"
	"goptxas/internal/sass"
	"goptxas/internal/target"
)

// Event describes one instruction as timing sees it.
func Event(a *target.Arch, x sass.Inst) timing.Event {
	c := Code{Arch: a, Insts: []sass.Inst{x}}
	return c.event(0)
}
