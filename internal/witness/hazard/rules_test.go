package hazard

import (
	"testing"

	"github.com/goptxas/goptxas/internal/engine/bits"
	"github.com/goptxas/goptxas/internal/sass"
	"github.com/goptxas/goptxas/internal/target"
)

// TestRules checks a few lines of code with one distance just long enough,
// and one cycle shorter.
func TestRules(t *testing.T) {
	tests := []struct {
		name  string
		code  []string
		stall []int // the shortest of each line, of which the one at cut decides
		cut   int
	}{
		{
			"a vote over the carry that a sum reads",
			[]string{"UIADD3.X UR31, URZ, 0x40000040, URZ, UP1, !UPT ;", "VOTEU.ANY UP1, P1 ;", "EXIT ;"},
			[]int{2, 1, 5},
			0,
		},
		{
			"a vote over a carry that nobody reads",
			[]string{"UIADD3 UR30, UP1, UR14, 0x80, URZ ;", "VOTEU.ANY UP1, P1 ;", "EXIT ;"},
			[]int{7, 1, 5},
			0,
		},
		{
			"a move over the mask of an election",
			[]string{"ELECT P3, UR18, PT ;", "UMOV UR18, UR4 ;", "EXIT ;"},
			[]int{2, 2, 5},
			0,
		},
		{
			"two arrivals of a warp group",
			[]string{"WARPGROUP.ARRIVE ;", "UMOV UR18, UR4 ;", "WARPGROUP.ARRIVE ;", "EXIT ;"},
			[]int{1, 5, 6, 5},
			1,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if f := found(t, tt.code, tt.stall); len(f) != 0 {
				t.Errorf("with the shortest distance: %v", f)
			}
			tt.stall[tt.cut]--
			if f := found(t, tt.code, tt.stall); len(f) != 1 {
				t.Errorf("with a cycle less: %d findings", len(f))
			}
		})
	}
}

// TestLowWord overwrites the low word of a product, which nobody reads, by an
// IMAD that issues next: an ALU's result is seen to come that soon.
func TestLowWord(t *testing.T) {
	code := []string{"IMAD.WIDE.U32 R4, R8, R9, RZ ;", "IMAD R4, R10, R11, R12 ;", "EXIT ;"}
	if f := found(t, code, []int{1, 1, 5}); len(f) != 0 {
		t.Error(f)
	}
}

func found(t *testing.T, code []string, stall []int) []Finding {
	t.Helper()
	a := target.Find("sm_90a")
	var words []bits.Word
	for n, text := range code {
		i, err := sass.Parse(a, text, uint64(16*n))
		if err != nil {
			t.Fatal(err)
		}
		i.SetCtrl(sass.Ctrl{Stall: uint8(stall[n]), Stay: true, WrBar: sass.NoBar, RdBar: sass.NoBar})
		w, err := i.Encode(a)
		if err != nil {
			t.Fatal(err)
		}
		words = append(words, w)
	}
	c, err := Decode(a, words)
	if err != nil {
		t.Fatal(err)
	}
	return c.Check(9)
}
