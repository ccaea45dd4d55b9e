package sched

import "github.com/goptxas/goptxas/internal/codegen/sched/words"

// Words of registers, and what touches them; see package words.
type (
	access    = words.Access
	numbering = words.Numbering
)
