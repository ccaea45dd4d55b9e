package sched

import (
	"fmt"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/target"
)

// rounded makes products whose factors are rounded first: of each word a test
// says whether it is a number, and a sum is guarded by it, while other tests
// wait for stores.
func rounded(n, masks int) string {
	mask := func(k int) int { return 3 + k }
	at := func(k, what int) int { return 3 + masks + 4*k + what } // sum, factor, two tests
	var b strings.Builder
	b.WriteString("func f kernel {\nreg r0 4/4\nreg r1 1/1\nreg r2 2/2\n")
	for k := range masks {
		fmt.Fprintf(&b, "reg p%d 1/1\n", mask(k))
	}
	for k := range n {
		fmt.Fprintf(&b, "reg r%d 4/4\nreg r%d 2/2\nreg p%d 1/1\nreg p%d 1/1\n", at(k, 0), at(k, 1), at(k, 2), at(k, 3))
	}
	b.WriteString("b0: -> b1\nLDS.128 r0 = [0x0]\nLDS r1 = [0x10]\nLDS.64 r2 = [0x18]\n")
	for k := range n {
		fmt.Fprintf(&b, "LDS.128 r%d = [%#x]\nLDS.64 r%d = [%#x]\n", at(k, 0), 64+16*k, at(k, 1), 4096+8*k)
	}
	b.WriteString("b1:\n")
	for k := range masks {
		fmt.Fprintf(&b, "ISETP.GT.AND p%d, pt = r1, %#x, pt\n", mask(k), k)
	}
	for k := range n {
		for w := range 2 {
			fmt.Fprintf(&b, "FSETP.GEU.AND p%[1]d, pt = |r%[2]d[%[3]d]|, 0x7f800000, pt\n@~p%[1]d IADD3 r%[2]d[%[3]d] = r%[2]d[%[3]d], 0x1000, rz\n", at(k, 2+w), at(k, 1), w)
		}
	}
	for k := range n {
		fmt.Fprintf(&b, "HMMA.1688.F32.TF32 r%[1]d = r0, r%[2]d, r%[1]d\n", at(k, 0), at(k, 1))
	}
	for k := range masks {
		fmt.Fprintf(&b, "@p%d STS [%#x], r1\n", mask(k), 8192+4*k)
	}
	for k := range n {
		fmt.Fprintf(&b, "STS.128 [%#x], r%d\n", 16384+16*k, at(k, 0))
	}
	b.WriteString("EXIT\n}\n")
	return b.String()
}

// TestTestsKeepPlaces: where only few predicates are left, tests whose readers wait for
// them do not follow each other in one.
func TestTestsKeepPlaces(t *testing.T) {
	m, err := ori.Parse(rounded(24, 4))
	if err != nil {
		t.Fatal(err)
	}
	f := m.Funcs[0]
	Pre(f, target.Find("sm_90a"), Budget{Most: 255}, Usual(), nil)
	tests, alone := 0, 0
	for i := range f.Blocks[1].Instrs {
		if i.Op == op.FSETP {
			tests++
			if next := i.Next(); next.Guard.Kind != ori.KNone && next.Guard.Reg == i.Args[0].Reg {
				alone++
			}
		}
	}
	t.Logf("%d of %d tests are read at once", alone, tests)
	if tests != 48 || alone > tests/4 {
		t.Errorf("%d of %d tests are read at once:\n%s", alone, tests, f)
	}
}
