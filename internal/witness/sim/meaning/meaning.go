package meaning

import (
	"github.com/goptxas/goptxas/internal/sass"
	"github.com/goptxas/goptxas/internal/witness/sim/machine"
)

// row is one row: see machine.Meaning.
type row struct {
	class   machine.Class
	fn      func(*machine.Warp, *machine.Inst, uint32)
	prepare func(i *machine.Inst, parts []string) error
}

// Of is what an operation does, or nil.
func Of(op sass.Op) *machine.Meaning {
	if int(op) >= len(meanings) || meanings[op].fn == nil && meanings[op].prepare == nil {
		return nil
	}
	r := &meanings[op]
	return &machine.Meaning{Class: r.class, Run: r.fn, Prepare: r.prepare}
}
