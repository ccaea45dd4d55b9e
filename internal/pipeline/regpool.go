package pipeline

import (
	"errors"

	"github.com/goptxas/goptxas/internal/codegen/abi"
	"github.com/goptxas/goptxas/internal/codegen/frame"
	"github.com/goptxas/goptxas/internal/codegen/ra"
)

// allocateShared allocates registers. A function whose warps trade them is
// allocated with what there is at each place, or, if that cannot be, without
// the trade.
func allocateShared(u *unit, o ra.Options) (*ra.Result, error) {
	p := frame.PoolOf(u.f, o.Registers)
	if p == nil {
		o.Known = u.judge
		return ra.Run(u.f, o)
	}
	wide := o
	wide.Registers = min(p.Restrict(), abi.MaxRegisters-abi.HiddenRegisters)
	if r, err := ra.Run(u.f, wide); err == nil {
		if p.Holds() {
			u.f.Props.Pool = true
			u.f.Props.Registers = int32(o.Registers)
			return r, nil
		}
		if int(u.f.Props.Registers) <= o.Registers {
			p.Drop()
			return r, nil
		}
		return nil, errPool
	}
	p.Release()
	p.Drop()
	return ra.Run(u.f, o)
}

var errPool = errors.New("registers that setmaxnreg gives were used where it has not given them yet")
