// Package scoreboard decides when instructions may issue: stall counts for
// results that arrive after a known time, the six barriers for the others.
package scoreboard

import (
	"goptxas/internal/ori"
	"goptxas/internal/ori/op"
)

// Serial makes every instruction wait for all before it. It is slow and
// needs no analysis, which makes it a witness against the real scheduler.
func Serial(f *ori.Func) {
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			i.Sched = ori.Sched{Stall: 15, Yield: true, WrBar: -1, RdBar: -1, Wait: 0x3f}
			if isVariable(i.Op) {
				if i.NDst > 0 {
					i.Sched.WrBar = 0
				}
				i.Sched.RdBar = 1
			}
		}
	}
}

// isVariable reports whether results or reads of an operation take a time
// that is not known, on some architecture.
func isVariable(o op.Op) bool {
	if o.Has(op.Reads | op.Writes) {
		return o != op.ULDC
	}
	switch o {
	case op.S2R, op.S2UR, op.SHFL, op.MOVM, op.MUFU, op.F2F, op.F2I, op.I2F, op.FRND, op.POPC, op.FLO, op.BREV, op.FCHK, op.MATCH,
		op.REDUX, op.CREDUX, op.DMMA, op.BMOV, op.B2R, op.I2I, op.DADD, op.DMUL, op.DFMA, op.DSETP, op.R2UR:
		return true
	}
	return false
}
