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
	}{{6, true}, {24, true}, {40, false}} {
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

// TestTuplesOfLoop: words that are computed before a loop are computed in the
// tuples they go to, unless the blocks of the loop read more tuples than the
// file holds: there one word would keep the place of four all around it.
func TestTuplesOfLoop(t *testing.T) {
	for _, c := range []struct {
		tuples int
		placed bool
	}{{3, true}, {10, false}} {
		var s strings.Builder
		s.WriteString("func f kernel {\nreg u0 1/1\nreg r1 4/4\nreg p2 1/1\n")
		n := 2 * c.tuples
		for k := range n {
			fmt.Fprintf(&s, "reg u%d 1/1\nreg u%d 4/4\n", 3+2*k, 4+2*k)
		}
		s.WriteString("b0: -> b1\nULDC u0 = c[0x0][0x210]\nUNDEF r1 =\nISETP.EQ.AND p2 = r1[0], 0x1, pt\n")
		for k := range n {
			fmt.Fprintf(&s, "UIADD3 u%d = u0, %#x, urz\n", 3+2*k, 2*k+2)
		}
		for k := range n {
			if k == 0 {
				s.WriteString("b1: -> b2, b3\n")
			} else if k == c.tuples {
				s.WriteString("@p2 BRA b3\nb2: -> b1, b3\n")
			}
			r := 4 + 2*k
			fmt.Fprintf(&s, "COPY u%d[0] = u%d\nUMOV u%d[1] = 0x40\nUMOV u%d[2] = 0x10\nUMOV u%d[3] = 0x20\nHGMMA.64x8x16.F32 r1 = gdesc[u%d]+0x0, r1\n", r, r-1, r, r, r, r)
		}
		s.WriteString("@p2 BRA b1\nb3:\nSTS [0x0], r1[0]\nEXIT\n}\n")
		m, err := ori.Parse(s.String())
		if err != nil {
			t.Fatal(err)
		}
		f := m.Funcs[0]
		uniform.UniformTuples(f, 0)
		placed := true
		for _, b := range f.Blocks[1:] {
			for i := range b.Instrs {
				placed = placed && i.Op != op.COPY
			}
		}
		if placed != c.placed {
			t.Errorf("%d tuples in each of two blocks of a loop: placed %v\n%s", c.tuples, placed, f)
		}
	}
}
