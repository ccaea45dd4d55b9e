package flow

import (
	"fmt"
	"testing"

	"github.com/goptxas/goptxas/internal/ori"
)

// heldCases are functions with their convergence instructions, with the
// barriers that are held where no path leads to their BSYNC.
var heldCases = []struct{ name, in, want string }{
	{"threads that leave a loop run beside those that gather in it", `b0: -> b1
S2R r0 = SR_TID.X
ISETP.LT.AND p1 = r0, 0x5, pt
BSSY k2 = b6
b1: -> b4, b2
BSSY k3 = b4
@p1 BRA b4
b2: -> b3, b5
@~p1 BREAK k3
@p1 BRA b3
b5: -> b6
BRA b6
b3: -> b4
NOP
b4: -> b1, b6
BSYNC k3
@p1 BRA b1
b6:
BSYNC k2
EXIT`, "b1[3] b2[3] b5[3] b3[3] b4[3]"},
	{"threads that wait for others while those are anywhere", `b0: -> b2, b1
S2R r0 = SR_TID.X
ISETP.LT.AND p1 = r0, 0x5, pt
@p1 BRA b2
b1: -> b2
NOP
b2: -> b4, b3
BSSY k2 = b4
@p1 BRA b4
b3: -> b4
YIELD
b4: -> b6, b5
BSYNC k2
BSSY k3 = b6
@p1 BRA b6
b5: -> b6
NOP
b6:
BSYNC k3
EXIT`, "b1[2] b2[2] b3[2] b4[2] b5[2] b6[2]"},
	{"all of the warp are inside", `b0: -> b2, b1
S2R r0 = SR_TID.X
ISETP.LT.AND p1 = r0, 0x5, pt
BSSY k2 = b2
@p1 BRA b2
b1: -> b2
WARPSYNC r0
b2: -> b4, b3
BSYNC k2
BSSY k3 = b4
@p1 BRA b4
b3: -> b4
NOP
b4:
BSYNC k3
EXIT`, ""},
}

// TestHeldBarriers compares what is held.
func TestHeldBarriers(t *testing.T) {
	for _, c := range heldCases {
		m, err := ori.Parse("func f {\nreg r0 1/1\nreg p1 1/1\nreg k2 1/1\nreg k3 1/1\n" + c.in + "\n}\n")
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		f := m.Funcs[0]
		f.Kernel = true
		held := HeldBarriers(f, DivergenceOf(f, UniformityOf(f)))
		got := ""
		for _, b := range f.Blocks {
			if held != nil && len(held[b.ID]) > 0 {
				got += fmt.Sprintf(" b%d%v", b.ID, held[b.ID])
			}
		}
		if got != "" {
			got = got[1:]
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
