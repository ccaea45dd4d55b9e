package isel

import (
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// TestYieldPolls: loops yield that threads leave by what others write.
func TestYieldPolls(t *testing.T) {
	for _, c := range [...]struct {
		name, loop string
		yields     bool
	}{
		{"a strong load", "LDG.E.STRONG.SYS r1 = [r2+0x0]\nISETP.EQ.AND p0 = r1, rz, pt", true},
		{"a plain one", "LDG.E r1 = [r2+0x0]\nISETP.EQ.AND p0 = r1, rz, pt", false},
		{"an atomic", "ATOMS.ADD r1 = [r2+0x0], r3\nISETP.EQ.AND p0 = r1, rz, pt", true},
		{"one of a counted loop", "ATOMS.ADD r1 = [r2+0x0], r3\nIADD3 r3 = r3, -0x1, rz\nISETP.EQ.AND p0 = r3, rz, pt", false},
		{"one place of shared memory", "LDS r1 = [r2+0x0]\nISETP.EQ.AND p0 = r1, rz, pt", true},
		{"several places", "LDS r1 = [r2+0x0]\nIADD3 r2 = r2, 0x4, rz\nISETP.EQ.AND p0 = r1, rz, pt", false},
		{"what was computed from it", "LDS r1 = [r2+0x0]\nIADD3 r3 = r1, 0x4, rz\nISETP.EQ.AND p0 = r3, rz, pt", true},
	} {
		m, err := ori.Parse("func f kernel {\nreg p0 1/1\nreg r1 1/1\nreg r2 1/1\nreg r3 1/1\nb0: -> b1\nNOP\nb1: -> b1, b2\n" + c.loop + "\n@p0 BRA b1\nb2:\nEXIT\n}\n")
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		f := m.Funcs[0]
		YieldPolls(f, f.Blocks[1:2])
		if strings.Contains(f.String(), "YIELD") {
			t.Errorf("%s: a loop that lowering made yields", c.name)
		}
		YieldPolls(f, nil)
		if got := f.Blocks[1].First().Op == op.YIELD; got != c.yields {
			t.Errorf("%s: yields %v, want %v", c.name, got, c.yields)
		}
		DropYields(f, func(*ori.Block) bool { return false })
		if strings.Contains(f.String(), "YIELD") {
			t.Errorf("%s: threads that are together yield", c.name)
		}
	}
}
