package scoreboard

import (
	"fmt"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/target"
)

// TestAddressesDoNotWaitForLoads: many loads through one pair of address
// registers leave a barrier to those who write the address again, so that
// these do not wait for what is loaded.
func TestAddressesDoNotWaitForLoads(t *testing.T) {
	const loads = 24
	var s strings.Builder
	s.WriteString("func f kernel {\nreg r0 2/2 phys=2\nreg r1 1/1 phys=4\nreg r2 2/2 phys=6\n")
	for k := range loads {
		fmt.Fprintf(&s, "reg r%d 1/1 phys=%d\n", 3+k, 10+k)
	}
	s.WriteString("b0:\n")
	for k := range loads {
		fmt.Fprintf(&s, "IMAD.WIDE.U32 r2 = r1, %#x, r0\nLDG.E r%d = [r2.64+0x0]\n", 4*k+4, 3+k)
	}
	for k := range loads {
		fmt.Fprintf(&s, "STS [%#x], r%d\n", 4*k, 3+k)
	}
	s.WriteString("EXIT\n}\n")
	m, err := ori.Parse(s.String())
	if err != nil {
		t.Fatal(err)
	}
	f := m.Funcs[0]
	Assign(f, target.Find("sm_90"))
	var results uint8 // barriers of loads that nobody has waited for
	for i := range f.Blocks[0].Instrs {
		if i.Op == op.IMAD && i.Sched.Wait&results != 0 {
			t.Fatalf("the address of the next load waits for one before:\n%s", f)
		}
		results &^= i.Sched.Wait
		if i.Op == op.LDG && i.Sched.WrBar >= 0 {
			results |= 1 << i.Sched.WrBar
		}
	}
}
