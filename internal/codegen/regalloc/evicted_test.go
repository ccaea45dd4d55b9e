package regalloc_test

import (
	"math/rand/v2"
	"testing"

	"github.com/goptxas/goptxas/internal/codegen/regalloc"
)

// TestSecondChance: of those that were evicted some find another place, none a
// register that another has, or that an instruction destroys.
func TestSecondChance(t *testing.T) {
	fewer := 0
	for seed := range uint64(400) {
		p := randomProblem(rand.New(rand.NewPCG(seed, 11)), 12)
		for class := range p.Files {
			once, again, shared := regalloc.Evict(p, uint8(class))
			if shared {
				t.Fatalf("seed %d: two in one register", seed)
			}
			if again < once {
				fewer++
			}
		}
	}
	if fewer == 0 {
		t.Error("nobody finds another place")
	}
	t.Logf("%d evictions cost less", fewer)
}

// TestMoved: what finds no place costs by the words that move, and twice where
// they are read and written; what is made again costs less, what is only held
// nothing.
func TestMoved(t *testing.T) {
	p := &regalloc.Problem{VRegs: []regalloc.VReg{{Width: 8, Remat: -1}, {Width: 1, Remat: 0}}}
	for _, c := range []struct {
		o    regalloc.Operand
		want float64
	}{
		{regalloc.Operand{V: 0, N: 1, Role: regalloc.Use}, 1},
		{regalloc.Operand{V: 0, N: 4, Role: regalloc.Def}, 2.5},
		{regalloc.Operand{V: 0, N: 8, Role: regalloc.UseDef}, 10},
		{regalloc.Operand{V: 0, N: 8, Role: regalloc.Hold}, 0},
		{regalloc.Operand{V: 1, N: 1, Role: regalloc.Use}, 0.25},
	} {
		if got := regalloc.Moved(p, c.o); got != c.want {
			t.Errorf("%+v costs %v, want %v", c.o, got, c.want)
		}
	}
}
