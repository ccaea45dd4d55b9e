package flow

import (
	"math/rand/v2"
	"testing"

	"github.com/goptxas/goptxas/internal/ori"
)

// TestSingle holds what Values takes for one value against liveness: a word
// with one write is one value exactly if it is not alive where the function
// starts.
func TestSingle(t *testing.T) {
	single, open := 0, 0
	for seed := range uint64(3000) {
		f := randomFunc(rand.New(rand.NewPCG(seed, 7)))
		v, entry := ValuesOf(f), LiveOf(f).Start(f.Blocks[0])
		for r := range f.Regs {
			for n := range int(f.Regs[r].Width) {
				if v.Words[v.Base[r]+int32(n)].Writes != 1 {
					continue
				}
				number := LiveOf(f).Number(ori.Reg(r), n)
				want := number < 0 || !entry.Has(number)
				if got := v.Stable(f.Word(ori.Reg(r), n)); got != want {
					t.Fatalf("seed %d: word %d of r%d is one value: %v, want %v\n%s", seed, n, r, got, want, f)
				}
				if want {
					single++
				} else {
					open++
				}
			}
		}
	}
	if single < 500 || open < 500 {
		t.Errorf("%d words are one value, %d are not", single, open)
	}
}
