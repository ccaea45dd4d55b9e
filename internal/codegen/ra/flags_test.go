package ra

import (
	"fmt"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/ori"
)

// rows makes a function whose loop reads n predicates together with one of its
// own, all of them written before it, or in it too.
func rows(n int, again bool) string {
	var b strings.Builder
	b.WriteString("func f kernel {\n  reg r0 1/1\n  reg p1 1/1\n")
	for k := range 2 * n {
		fmt.Fprintf(&b, "  reg p%d 1/1\n", 2+k)
	}
	write := func() {
		for k := range n {
			fmt.Fprintf(&b, "    ISETP.LT.AND p%d = r0, %#x, pt\n", 2+k, k+1)
		}
	}
	b.WriteString("  b0: -> b1\n    S2R r0 = SR_TID.X\n")
	write()
	b.WriteString("  b1: -> b1, b2\n    ISETP.NE.AND p1 = r0, 0x7, pt\n")
	for k := range n {
		fmt.Fprintf(&b, "    PLOP3.LUT p%d = p%d, p1, pt, 0xc0, 0x0\n    @p%d STS [%#x], r0\n", 2+n+k, 2+k, 2+n+k, 4*k)
	}
	if again {
		write()
	}
	b.WriteString("    IADD3 r0 = r0, 0x1, rz\n    @p1 BRA b1\n  b2:\n    EXIT\n}\n")
	return b.String()
}

// TestFlags: predicates that a loop only reads are bits of a word where they are
// too many, and what they are read with masks it once.
func TestFlags(t *testing.T) {
	for _, c := range []struct {
		name  string
		n     int
		again bool
		want  map[string]int
	}{
		{"twelve", 12, false, map[string]int{"b0 0xfc": 7, "b1 0xc0": 7, "b1 SEL": 1, "b1 PLOP3": 5}},
		{"twelve that the loop writes", 12, true, map[string]int{"b1 PLOP3": 12}},
		{"as many as there are", 6, false, map[string]int{"b1 PLOP3": 6}},
	} {
		m, err := ori.Parse(rows(c.n, c.again))
		if err != nil {
			t.Fatal(err)
		}
		f := m.Funcs[0]
		Flags(f, FlagCost{Few: 4, Reach: 12, Masked: 3})
		got := map[string]int{}
		for n, b := range f.Blocks {
			for i := range b.Instrs {
				for _, k := range []string{"0xfc", "0xc0", "SEL", "PLOP3"} {
					name := i.Op.String()
					if k == name || name == "LOP3" && len(i.Args) > 4 && strings.Contains(fmt.Sprintf("%#x", i.Args[len(i.Args)-1].Imm)+fmt.Sprintf("%#x", i.Args[len(i.Args)-2].Imm), k) {
						got[fmt.Sprintf("b%d %s", n, k)]++
					}
				}
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%s: %v, want %v\n%s", c.name, got, c.want, f)
		}
	}
}
