package words

import (
	"testing"

	"github.com/goptxas/goptxas/internal/ori"
)

// TestLives: a word lives at the end of a block if it is read behind it and was
// written on some path; words that their block alone reads are in no set.
func TestLives(t *testing.T) {
	m, err := ori.Parse(`func f kernel {
reg r0 1/1 phys=4
reg r1 1/1
reg r2 1/1
reg p3 1/1
b0: -> b1, b2
S2R r0 = SR_TID.X
MOV r2 = r0
ISETP.LT.AND p3 = r2, 0x5, pt
@p3 BRA b2
b1: -> b2
MOV r1 = 0x1
b2:
STS [r0+0x0], r1
EXIT
}
`)
	if err != nil {
		t.Fatal(err)
	}
	f := m.Funcs[0]
	l := LivesOf(f, Virtual(f))
	if len(l.Words) != 2 {
		t.Errorf("%d words live between blocks, want 2", len(l.Words))
	}
	for k, want := range []int{1, 2, 0} {
		n := 0
		l.Out[f.Blocks[k].ID].Each(func(int32) { n++ })
		if n != want {
			t.Errorf("%d words live at the end of b%d, want %d", n, k, want)
		}
	}
	if n := Highest(f); n != 4 {
		t.Errorf("R%d is the highest, want R4", n)
	}
}
