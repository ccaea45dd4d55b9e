package isel

import (
	"testing"

	"github.com/goptxas/goptxas/internal/ori"
)

// TestArrivals: an arrival passes what has nothing to do with its products, and nothing that
// writes a factor, reads where a result goes, touches memory or lets threads meet.
func TestArrivals(t *testing.T) {
	const head = `func f kernel {
reg r0 4/4 phys=24
reg r1 4/4 phys=28
reg r2 1/1 phys=4
reg u3 4/4 phys=0
`
	const (
		arrive  = "WARPGROUP.ARRIVE\n"
		product = "HGMMA.64x8x16.F32 r0 = r1, gdesc[u3]+0x0, r0, gsb0\n"
		wait    = "WARPGROUP.DEPBAR.LE gsb0, 0x0\n"
		other   = "FADD r2 = r2, r2\n"
		factor  = "MOV r1[2] = r2\n"
		result  = "FADD r2 = r0[3], r2\n"
		store   = "STS [r2+0x0], r2\n"
		meet    = "BAR.SYNC.DEFER_BLOCKING 0x0\n"
	)
	for _, c := range []struct{ name, in, want string }{
		{"nothing to do with it", factor + other + other + arrive, factor + arrive + other + other},
		{"no further than it takes", factor + other + other + other + other + other + other + other + arrive, factor + other + arrive + other + other + other + other + other + other},
		{"a factor", other + factor + arrive, other + factor + arrive},
		{"where a result goes", other + result + arrive, other + result + arrive},
		{"memory", other + store + other + arrive, other + store + arrive + other},
		{"threads meet", other + meet + other + arrive, other + meet + arrive + other},
	} {
		m, err := ori.Parse(head + "b0:\n" + c.in + product + wait + "EXIT\n}\n")
		if err != nil {
			t.Fatal(err)
		}
		f := m.Funcs[0]
		g := &groupWaits{warpGroups: warpGroups{f: f}, written: make([]bool, generalRegisters)}
		g.fill()
		if got, want := body(f), c.want+product+wait+"EXIT\n"; got != want {
			t.Errorf("%s:\n%swant\n%s", c.name, got, want)
		}
	}
}
