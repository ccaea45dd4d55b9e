package dead_test

import (
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/opt/dead"
	"github.com/goptxas/goptxas/internal/ori"
)

// TestUnreadExchange: what gathers threads for an exchange that nobody reads
// goes with it; a barrier of the source before it stays.
func TestUnreadExchange(t *testing.T) {
	for _, c := range []struct {
		line int32 // of the barrier; the exchange is at 10
		left int
	}{{10, 0}, {5, 1}} {
		m, err := ori.Parse("func f kernel {\nreg r0 1/1\nreg r1 1/1\nb0:\nLDS r0 = [0x10]\nWARPSYNC.ALL\nSHFL.BFLY pt, r1 = r0, 0x1, 0x1f\nSTS [0x20], r0\nEXIT\n}\n")
		if err != nil {
			t.Fatal(err)
		}
		f := m.Funcs[0]
		barrier := f.Blocks[0].First().Next()
		barrier.Line, barrier.Next().Line = c.line, 10
		dead.DeadCode(f)
		text := f.String()
		if n := strings.Count(text, "WARPSYNC"); n != c.left || strings.Contains(text, "SHFL") {
			t.Errorf("line %d: %d barriers left, want %d\n%s", c.line, n, c.left, text)
		}
	}
}
