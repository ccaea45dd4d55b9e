package ra

import (
	"testing"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/target"
)

// TestSteps checks the first count at which a warp fewer fits, and that
// every further one is really one: 512 registers of a thread for each warp of
// a quarter.
func TestSteps(t *testing.T) {
	for name, want := range map[string]int{"sm_75": 64, "sm_80": 32, "sm_86": 40, "sm_90": 32, "sm_100": 32, "sm_120": 40} {
		if got := freeRegisters(target.Find(name)); got != want {
			t.Errorf("%s: %d registers are free, want %d", name, got, want)
		}
	}
	for k := range steps[:len(steps)-1] {
		if now, next := 512/steps[k], 512/(steps[k]/8*8+8); now <= next {
			t.Errorf("%d registers: %d warps, and %d with more", steps[k], now, next)
		}
	}
}

// TestNoWait gives a sum a register of its own where a store has yet to read
// the one that is free, if the architecture is known.
func TestNoWait(t *testing.T) {
	m, err := ori.Parse(`func f kernel {
reg r0 1/1
reg r1 1/1
reg r2 1/1
reg r3 1/1
reg r4 1/1
b0:
S2R r0 = SR_TID.X
S2R r1 = SR_TID.Y
LDS r2 = [r0+0x0]
STS [r0+0x4], r1
IADD3 r3 = r1, 0x1, rz
IADD3 r4 = r3, r2, r1
STS [r4+0x0], r4
EXIT
}
`)
	if err != nil {
		t.Fatal(err)
	}
	f := m.Funcs[0]
	if _, err := Run(f, Options{Registers: 253, Uniforms: 63, Barriers: 16, StackReg: 1, Check: true, Arch: target.Find("sm_90"), Hidden: 2}); err != nil {
		t.Fatal(err)
	}
	if a := f.Regs[3].Phys; a == f.Regs[0].Phys {
		t.Errorf("R%d is overwritten behind a store that has yet to read it", a)
	}
}
