package ra

import (
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/ori"
)

// TestJoinAccumulators: copies between accumulators, and from and to single
// registers, are gone where no two values are alive at once.
func TestJoinAccumulators(t *testing.T) {
	const mma = "HGMMA.64x8x16.F16 "
	const head = "func f kernel {\nreg r0 1/1\nreg r1 1/1\nreg r2 2/8\nreg r3 2/8\nreg r4 1/1\nreg u5 4/4\nreg p6 1/1\n"
	for _, c := range []struct {
		name, in string
		copies   int
	}{
		{"a chain", "b0:\nMOV r0 = rz\nMOV r1 = rz\nCOPY r2[0] = r0\nCOPY r2[1] = r1\n" + mma + "r2 = gdesc[u5]+0x0, r2\n" +
			"COPY r0 = r2[0]\nCOPY r1 = r2[1]\nCOPY r3[0] = r0\nCOPY r3[1] = r1\n" + mma + "r3 = gdesc[u5]+0x0, r3, gsb0\n" +
			"COPY r0 = r3[0]\nCOPY r1 = r3[1]\nWARPGROUP.DEPBAR.LE gsb0, 0x0\nIADD3 r4 = r0, r1, rz\nSTL [0x0], r4\nEXIT", 0},
		{"a loop", "b0: -> b1\nMOV r0 = rz\nMOV r1 = rz\nb1: -> b1, b2\nCOPY r2[0] = r0\nCOPY r2[1] = r1\n" + mma + "r2 = gdesc[u5]+0x0, r2, gsb0\n" +
			"COPY r0 = r2[0]\nCOPY r1 = r2[1]\nWARPGROUP.DEPBAR.LE gsb0, 0x1\nISETP.EQ.AND p6 = r4, 0x1, pt\n@p6 BRA b1\nb2:\nWARPGROUP.DEPBAR.LE gsb0, 0x0\n" +
			"STL [0x0], r0\nSTL [0x4], r1\nEXIT", 0},
		{"both are wanted", "b0:\nMOV r0 = rz\nMOV r1 = 0x1\nCOPY r2[0] = r0\nCOPY r2[1] = r1\n" + mma + "r2 = gdesc[u5]+0x0, r2, gsb0\n" +
			"WARPGROUP.DEPBAR.LE gsb0, 0x0\nSTL [0x0], r2\nSTL [0x8], r0\nEXIT", 1},
		{"in each other's place", "b0:\nMOV r0 = rz\nMOV r1 = 0x1\nCOPY r2[0] = r0\nCOPY r2[1] = r1\n" + mma + "r2 = gdesc[u5]+0x0, r2, gsb0\n" +
			"COPY r3[0] = r2[1]\nCOPY r3[1] = r2[0]\n" + mma + "r3 = gdesc[u5]+0x0, r3, gsb0\nWARPGROUP.DEPBAR.LE gsb0, 0x0\nSTL [0x0], r3\nEXIT", 2},
	} {
		m, err := ori.Parse(head + strings.ReplaceAll(c.in, "STL [0x0], r2\n", "STL [0x0], r2[0]\n") + "\n}\n")
		if err != nil {
			t.Fatal(c.name, err)
		}
		f := m.Funcs[0]
		JoinAccumulators(f)
		if n := strings.Count(string(f.Append(nil)), "COPY "); n != c.copies {
			t.Errorf("%s: %d copies, want %d\n%s", c.name, n, c.copies, f.Append(nil))
		}
		if err := f.Verify(ori.Built); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
