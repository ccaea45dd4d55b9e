// Package sched orders instructions inside blocks: before registers are
// allocated for short critical paths within a number of registers, and
// after it to hide latencies.
package sched

import "github.com/goptxas/goptxas/internal/codegen/sched/words"

// Words of registers, and what touches them; see package words.
type (
	access    = words.Access
	numbering = words.Numbering
)
