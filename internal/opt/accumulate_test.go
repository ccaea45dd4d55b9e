package opt_test

import (
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/opt/machine"
	"github.com/goptxas/goptxas/internal/ori"
)

// TestAccumulators checks which predicates and accumulators of warp-group
// matrix operations go away.
func TestAccumulators(t *testing.T) {
	const head = "func f kernel {\nreg r0 2/2\nreg p1 1/1\nreg q2 1/1\nreg u3 4/4\nreg r4 1/1\nb0:\n"
	const (
		vote = "VOTEU.ANY q2 = p1\n"
		mma  = "HGMMA.64x8x16.F16 r0 = gdesc[u3]+0x0, r0, q2, gsb0\n"
		bare = "HGMMA.64x8x16.F16 r0 = gdesc[u3]+0x0, r0, gsb0\n"
		none = "HGMMA.64x8x16.F16 r0 = gdesc[u3]+0x0, rz, ~upt, gsb0\n"
	)
	for _, c := range []struct{ name, in, want string }{
		{"true", "PLOP3.LUT p1 = pt, pt, pt, 0xf0, 0x0\n" + vote + mma, bare},
		{"false", "PLOP3.LUT p1 = pt, pt, pt, 0x0, 0x0\n" + vote + mma, none},
		{"the true predicate", "VOTEU.ANY q2 = ~pt\n" + mma, none},
		{"not known", "ISETP.EQ.AND p1 = r4, 0x1, pt\n" + vote + mma, mma},
		{"zeros", "MOV r0[0] = rz\nMOV r0[1] = 0x0\n" + bare, none},
		{"a copy of zero", "MOV r4 = rz\nCOPY r0[0] = r4\nMOV r0[1] = rz\n" + bare, none},
		{"one is not", "MOV r0[0] = rz\nMOV r0[1] = 0x1\n" + bare, bare},
		{"read between", "MOV r0[0] = rz\nMOV r0[1] = rz\nIADD3 r4 = r0[0], 0x1, rz\n" + bare, bare},
	} {
		m, err := ori.Parse(head + c.in + "EXIT\n}\n")
		if err != nil {
			t.Fatal(c.name, err)
		}
		f := m.Funcs[0]
		machine.Accumulators(f)
		text := string(f.Append(nil))
		if !strings.Contains(text, strings.TrimSpace(c.want)) {
			t.Errorf("%s:\n%swant %s", c.name, text, c.want)
		}
		if c.want == none && strings.Contains(text, "r0[") {
			t.Errorf("%s: zeros are left\n%s", c.name, text)
		}
	}
}
