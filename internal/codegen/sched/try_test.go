package sched

import (
	"fmt"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/target"
)

// sums is a kernel that loads numbers, stores a product of each pair and sums
// all of them up at the end, as softmax does: more are alive than registers.
func sums(n int) string {
	var s strings.Builder
	s.WriteString("func f kernel {\n")
	for r := range 3*n + 2 {
		fmt.Fprintf(&s, "reg r%d 1/1\n", r)
	}
	s.WriteString("b0:\n")
	for k := range n {
		fmt.Fprintf(&s, "LDS r%d = [%#x]\nMUFU.EX2 r%d = r%d\n", k, 4*k, n+k, k)
	}
	fmt.Fprintf(&s, "MOV r%d = rz\n", 3*n)
	for k := range n {
		fmt.Fprintf(&s, "FADD r%d = r%d, r%d\n", 3*n, 3*n, n+k)
	}
	for k := 0; k < n; k += 2 {
		fmt.Fprintf(&s, "FMUL r%d = r%d, r%d\nSTG [%#x], r%d\n", 2*n+k, n+k, n+k+1, 4*k, 2*n+k)
	}
	fmt.Fprintf(&s, "STG [0x8000], r%d\nEXIT\n}\n", 3*n)
	return s.String()
}

// TestTry: where registers run out, the order that costs the least is taken,
// and no other is looked for once one costs nothing.
func TestTry(t *testing.T) {
	for _, prices := range [][]float64{{5, 4, 1, 3, 2}, {0}, {3, 0}, {1, 2, 2, 2, 2}} {
		m, err := ori.Parse(sums(60))
		if err != nil {
			t.Fatal(err)
		}
		f := m.Funcs[0]
		var orders []string
		cheapest := 0
		Pre(f, target.Find("sm_90a"), 24, func() float64 {
			n := len(orders)
			if n == len(prices) {
				t.Fatalf("prices %v: asked once more", prices)
			}
			orders = append(orders, f.String())
			if prices[n] < prices[cheapest] {
				cheapest = n
			}
			return prices[n]
		})
		if len(orders) != len(prices) {
			t.Errorf("prices %v: %d orders tried", prices, len(orders))
		}
		if len(orders) > 0 && f.String() != orders[cheapest] {
			t.Errorf("prices %v: not the order of the cheapest", prices)
		}
	}
}

// TestShy: a number that is multiplied and summed up ends sooner if both stand
// near each other.
func TestShy(t *testing.T) {
	m, err := ori.Parse(sums(60))
	if err != nil {
		t.Fatal(err)
	}
	f := m.Funcs[0]
	a := target.Find("sm_90a")
	peak := func(shy []int32) int32 { return newPresser(f, a, 24, manner{shy: shy}).peak }
	plain, shy := peak(nil), peak([]int32{4})
	if shy >= plain {
		t.Errorf("%d words at once, %d without", shy, plain)
	}
}
