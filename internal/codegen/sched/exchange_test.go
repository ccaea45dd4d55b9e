package sched

import (
	"testing"

	"github.com/goptxas/goptxas/internal/codegen/sched/places"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/target"
)

// twoRows is a block with two rows of exchanges, a barrier between them.
const twoRows = `
    LDS r1 = [0x0]
    SHFL.UP pt, r2 = r1, 0x1, rz
    FADD r2 = r1, r2
    SHFL.UP pt, r3 = r2, 0x2, rz
    FADD r3 = r2, r3
    STS [0x10], r3
    BAR.SYNC 0x0
    LDS r5 = [0x10]
    SHFL.BFLY pt, r4 = r1, 0x1, 0x1f
    FADD r4 = r1, r4
    STS [0x20], r4
    STS [0x30], r5
    EXIT
}
`

// TestExchanges: a row of exchanges does not wait behind the barrier that
// another row is read behind, but where threads may be apart before the barrier
// they keep to their side of it.
func TestExchanges(t *testing.T) {
	for _, c := range []struct {
		name, head string
		passes     bool
	}{
		{"together", "func f kernel {\nreg r0 1/1\nreg r1 1/1\nreg r2 1/1\nreg r3 1/1\nreg r4 1/1\nreg r5 1/1\nb0:\n", true},
		{"apart", "func f {\nreg r0 1/1\nreg r1 1/1\nreg r2 1/1\nreg r3 1/1\nreg r4 1/1\nreg r5 1/1\nb0:\n", false}, // threads may call one after the other
	} {
		for name, order := range map[string]func(*ori.Func, *target.Arch){
			"before allocation": func(f *ori.Func, a *target.Arch) { Pre(f, a, Budget{Most: 255}, Usual(), nil) },
			"after it": func(f *ori.Func, a *target.Arch) {
				for n := range f.Regs {
					f.Regs[n].Phys = int16(n)
				}
				Post(f, a, Usual())
			},
		} {
			m, err := ori.Parse(c.head + twoRows)
			if err != nil {
				t.Fatal(err)
			}
			f := m.Funcs[0]
			order(f, target.Find("sm_90a"))
			before, met := 0, false
			for i := range f.Blocks[0].Instrs {
				switch {
				case places.IsBarrier(i):
					met = true
				case i.Op == op.SHFL && !met:
					before++
				case i.Op == op.LDS && i.Args[0].Reg == 5 && !met:
					t.Errorf("%s, %s: %v has passed", c.name, name, i)
				}
			}
			if want := map[bool]int{true: 3, false: 2}[c.passes]; before != want {
				t.Errorf("%s, %s: %d exchanges before the barrier, want %d:\n%v", c.name, name, before, want, f)
			}
		}
	}
}
