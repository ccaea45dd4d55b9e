package opt

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// sharedDepth is how many computations are looked through for what threads
// share.
const sharedDepth = 8

// Shared reports whether all threads that run b together have the same in r:
// it does not differ in the warp, or they computed it together from such in b,
// or on the one way that leads to b. What a block makes that runs with some
// threads only counts as different for the warp, and is the same for those.
func (v *Values) Shared(u *flow.Uniformity, b *ori.Block, r ori.Operand) bool {
	return v.shared(u, b, r, sharedDepth)
}

func (v *Values) shared(u *flow.Uniformity, b *ori.Block, r ori.Operand, depth int) bool {
	if !r.HasReg() || !u.Differs(r.Reg) {
		return true
	}
	d := v.Once(r)
	if d == nil || depth == 0 || !IsPure(d) || d.Op.Has(op.Convergent|op.Reads) || d.Guard.Kind != ori.KNone || d.Op == op.S2R || d.Op == op.UNDEF || !comesFrom(b, d.Block()) {
		return false
	}
	for _, s := range d.Srcs() {
		if !v.shared(u, b, s, depth-1) {
			return false
		}
	}
	return true
}

// comesFrom reports whether x is b or a block from which all ways lead
// straight to b: threads that are together in b were together in x.
func comesFrom(b, x *ori.Block) bool {
	for range sharedDepth {
		if b == x {
			return true
		}
		var only *ori.Block
		for _, p := range b.Preds {
			if p == b {
				continue
			}
			if only != nil {
				return false
			}
			only = p
		}
		if only == nil {
			return false
		}
		b = only
	}
	return false
}
