package opt_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/opt/uniform"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// TestTuplesFit: equal tuples are one if all that a block reads fit into the
// uniform file, else each is made when its turn comes.
func TestTuplesFit(t *testing.T) {
	for _, c := range []struct {
		tuples int
		shared bool
	}{{6, true}, {24, false}} {
		var s strings.Builder
		s.WriteString("func f kernel {\nreg u0 1/1\nreg r1 4/4\n")
		for k := range c.tuples {
			fmt.Fprintf(&s, "reg u%d 4/4\n", 2+k)
		}
		s.WriteString("b0:\nULDC u0 = c[0x0][0x210]\nUNDEF r1 =\n")
		for k := range c.tuples {
			r := 2 + k
			fmt.Fprintf(&s, "UNDEF u%d =\nCOPY u%d[0] = u0\nUMOV u%d[1] = 0x40\nUMOV u%d[2] = %#x\nUMOV u%d[3] = 0x20\nHGMMA.64x8x16.F32 r1 = gdesc[u%d]+0x0, r1\n", r, r, r, r, k/2, r, r)
		}
		s.WriteString("STS [0x0], r1[0]\nEXIT\n}\n")
		m, err := ori.Parse(s.String())
		if err != nil {
			t.Fatal(err)
		}
		f := m.Funcs[0]
		uniform.UniformTuples(f, 40)
		read := map[ori.Reg]bool{}
		for i := range f.Blocks[0].Instrs {
			if i.Op == op.HGMMA {
				read[i.Srcs()[0].Reg] = true
			}
		}
		if shared := len(read) < c.tuples; shared != c.shared {
			t.Errorf("%d tuples: %d are left\n%s", c.tuples, len(read), f)
		}
	}
}
