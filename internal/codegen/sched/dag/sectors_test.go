package dag

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/ori/op"
)

// TestSectors: narrow stores to one sector follow each other, also where the first could
// go long before; those to several sectors, and what is computed from memory behind the
// first, do not wait.
func TestSectors(t *testing.T) {
	const head = "func f kernel {\nreg r0 2/2 phys=0\nreg r1 1/1 phys=2\nreg r2 1/1 phys=3\nreg r3 1/1 phys=4\nreg u4 2/2 phys=4\nb0:\n"
	for _, c := range []struct {
		name, in string
		together bool
	}{
		{"one sector", "MUFU.EX2 r2 = r2\nMUFU.EX2 r3 = r3\nMUFU.RCP r3 = r3\nSTG.E.U16 desc[u4], [r0.64+0x0], r1\nSTG.E.U16 desc[u4], [r0.64+0x2], r2\nSTG.E.U16 desc[u4], [r0.64+0x4], r3\n", true},
		{"several", "MUFU.EX2 r2 = r2\nMUFU.EX2 r3 = r3\nMUFU.RCP r3 = r3\nSTG.E.U16 desc[u4], [r0.64+0x0], r1\nSTG.E.U16 desc[u4], [r0.64+0x20], r2\nSTG.E.U16 desc[u4], [r0.64+0x40], r3\n", false},
		{"computed behind it", "STG.E.U16 desc[u4], [r0.64+0x0], r1\nMUFU.EX2 r2 = r2\nMUFU.EX2 r3 = r3\nMUFU.RCP r3 = r3\nSTG.E.U16 desc[u4], [r0.64+0x2], r2\nSTG.E.U16 desc[u4], [r0.64+0x4], r3\n", false},
	} {
		g, order := listed(t, head+c.in+"EXIT\n}\n", 0)
		var stores []int
		for at, k := range order {
			if g.Instrs[k].Op == op.STG {
				stores = append(stores, at)
			}
		}
		if got := slices.Max(stores)-slices.Min(stores) == len(stores)-1; got != c.together {
			t.Errorf("%s: stores at %v", c.name, stores)
		}
	}
}

// TestSectorLoads: of four narrow loads from each of two sectors the first of both
// come before the others, which wait for them, where as narrow stores follow; three stand
// as they did.
func TestSectorLoads(t *testing.T) {
	const head = "func f kernel {\nreg r0 2/2 phys=0\nreg r1 2/2 phys=2\nreg r2 1/1 phys=4\nreg r3 1/1 phys=5\nreg r4 1/1 phys=6\nreg r5 1/1 phys=7\nreg r6 1/1 phys=8\nreg r7 1/1 phys=9\nreg r8 1/1 phys=10\nreg r9 1/1 phys=11\nreg u10 2/2 phys=4\nb0:\n"
	for _, c := range []struct {
		name   string
		loads  int // of each sector
		apart  int64
		stores bool
		after  bool
	}{{"four", 4, 4, true, true}, {"three", 3, 4, true, false}, {"four sectors", 4, 32, true, false}, {"no stores", 4, 4, false, false}} {
		var s strings.Builder
		s.WriteString(head)
		for base := range 2 {
			for n := range c.loads {
				fmt.Fprintf(&s, "LDG.E r%d = desc[u10], [r%d.64+%#x]\n", 2+4*base+n, base, c.apart*int64(n))
			}
		}
		if c.stores {
			s.WriteString("STG.E desc[u10], [r0.64+0x0], r2\nSTG.E desc[u10], [r0.64+0x4], r3\nSTG.E desc[u10], [r0.64+0x8], r4\n")
		}
		g, order := listed(t, s.String()+"EXIT\n}\n", 0)
		first := slices.Index(order, int32(c.loads)) // of the second sector
		if got := first < slices.Index(order, 1); got != c.after {
			t.Errorf("%s: %v", c.name, order)
		}
		if waits := g.Preds[1] > 0; waits != c.after {
			t.Errorf("%s: the second load waits: %v", c.name, waits)
		}
	}
}
