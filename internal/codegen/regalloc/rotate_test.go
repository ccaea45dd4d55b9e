package regalloc_test

import (
	"testing"

	"github.com/goptxas/goptxas/internal/codegen/regalloc"
)

// TestReloadsInTurn: words that come back from memory one after the other come into
// registers in turn, so that one can be on its way while another is used.
func TestReloadsInTurn(t *testing.T) {
	const budget, words = 24, 20
	s := newScene(budget, 2*words)
	s.block(0)
	for v := range int32(2 * words) {
		s.inst(v)
	}
	for v := range int32(words) { // the first live on over the second
		s.inst(-1, words+v)
	}
	for v := range int32(words) {
		s.inst(-1, v)
	}
	s.end(-1)
	_, _, sol := s.solve(t, regalloc.Options{})
	into := map[int16]bool{}
	loads := 0
	for n := range sol.Problem.Insts {
		if i := &sol.Problem.Insts[n]; i.Kind == regalloc.Reload && i.Slot >= 0 {
			into[sol.Phys[sol.Problem.Operands(n)[0].V]] = true
			loads++
		}
	}
	if loads < 2*words-budget || len(into) < loads/2 {
		t.Errorf("%d loads come into %d registers", loads, len(into))
	}
	t.Logf("%d loads come into %d registers", loads, len(into))
	if sol.Used[0] > budget {
		t.Errorf("%d registers of %d", sol.Used[0], budget)
	}
}
