package matrix

import (
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// mma lowers mma: a product of matrices spread over the warp, and a sum.
func mma(l *build.Builder) {
	if l.Has(isa.WBlockScale) {
		mmaScaled(l)
		return
	}
	m := multiplication(l)
	writeFragment(l, 0, multiplyOut(l, m), m.d)
}
