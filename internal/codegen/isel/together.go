package isel

import (
	"goptxas/internal/ori"
	"goptxas/internal/ori/op"
)

// Gathers lists the instructions that bring all threads of a warp together
// for the warp operation behind them, in blocks that all threads run
// together anyway. partial tells which blocks run with some threads only.
// Where threads part in ways that partial does not know, the list is empty:
// at calls, and where a mask or a barrier of the source picks threads.
//
// One that stands for itself stays: it also orders memory.
func Gathers(f *ori.Func, partial func(*ori.Block) bool) []*ori.Instr {
	var list []*ori.Instr
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			switch i.Op {
			case op.CALL:
				if !f.CallsRoutine(i) {
					return nil
				}
			case op.BSSY, op.BREAK, op.BRX, op.BRXU, op.RET:
				return nil
			case op.WARPSYNC:
				if i.Mods != op.M(op.MALL) {
					return nil
				}
				if !partial(b) && i.Guard.Kind == ori.KNone && isGathered(i.Next()) {
					list = append(list, i)
				}
			}
		}
	}
	return list
}

// isGathered reports whether i, or what it prepares, is an operation of the
// whole warp that asks for its threads to be together, and touches no
// memory.
func isGathered(i *ori.Instr) bool {
	for i != nil && !i.Op.Has(op.Reads|op.Writes|op.Effect|op.Terminator|op.Convergent) {
		i = i.Next()
	}
	if i == nil {
		return false
	}
	switch i.Op {
	case op.SHFL, op.VOTE, op.VOTEU, op.MATCH, op.REDUX, op.ELECT, op.WARPGROUP, op.HGMMA, op.IGMMA, op.QGMMA, op.BGMMA:
		return true
	}
	return false
}
