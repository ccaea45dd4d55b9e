package opt_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/opt/loop"
	"github.com/goptxas/goptxas/internal/opt/ssa"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
)

func TestInductions(t *testing.T) {
	for _, c := range []struct {
		name, head, body string
		shared           bool
	}{
		{"a sum", "S2R r0 = SR_TID.X\nIADD3 r1 = r0, 0x8, rz", "STS [0x0], r0\nSTS [0x4], r1\nIADD3 r0 = r0, 0x4, rz\nIADD3 r1 = r1, 0x4, rz", true},
		{"bits that are zero", "S2R r2 = SR_TID.X\nLOP3.LUT r0 = r2, 0x7, rz, 0xc0\nLOP3.LUT r1 = r0, 0x8, rz, 0xfc", "STS [0x0], r0\nSTS [0x4], r1\nIADD3 r0 = r0, 0x4, rz\nIADD3 r1 = r1, 0x4, rz", true},
		{"bits that may be one", "S2R r2 = SR_TID.X\nLOP3.LUT r0 = r2, 0xf, rz, 0xc0\nLOP3.LUT r1 = r0, 0x8, rz, 0xfc", "STS [0x0], r0\nSTS [0x4], r1\nIADD3 r0 = r0, 0x4, rz\nIADD3 r1 = r1, 0x4, rz", false},
		{"another step", "S2R r0 = SR_TID.X\nIADD3 r1 = r0, 0x8, rz", "STS [0x0], r0\nSTS [0x4], r1\nIADD3 r0 = r0, 0x4, rz\nIADD3 r1 = r1, 0x8, rz", false},
		{"a read between the advances", "S2R r0 = SR_TID.X\nIADD3 r1 = r0, 0x8, rz", "STS [0x0], r0\nIADD3 r0 = r0, 0x4, rz\nSTS [0x4], r1\nIADD3 r1 = r1, 0x4, rz", false},
		{"a read behind both", "S2R r0 = SR_TID.X\nIADD3 r1 = r0, 0x8, rz", "STS [0x0], r0\nIADD3 r0 = r0, 0x4, rz\nIADD3 r1 = r1, 0x4, rz\nSTS [0x4], r1", true},
		{"a step that changes between them", "S2R r0 = SR_TID.X\nIADD3 r1 = r0, 0x8, rz\nMOV r2 = 0x4", "STS [0x0], r0\nSTS [0x4], r1\nIADD3 r0 = r0, r2, rz\nLDS r2 = [0x8]\nIADD3 r1 = r1, r2, rz", false},
	} {
		m, err := ori.Parse("func f kernel {\n" + regs[:strings.Index(regs, "b0:")] + "b0: -> b1\n" + c.head + "\nCOPY r3 = 0x0\nb1: -> b1, b2\n" + c.body +
			"\nIADD3 r3 = r3, 0x1, rz\nISETP.LT.AND p7 = r3, 0x10, pt\n@p7 BRA b1\nb2:\nEXIT\n}\n")
		if err != nil {
			t.Fatal(c.name, err)
		}
		f := m.Funcs[0]
		ssa.SSA(f)
		if got := loop.SharedInductions(f); got != c.shared {
			t.Errorf("%s: shared %v, want %v:\n%s", c.name, got, c.shared, f.Append(nil))
		}
		if err := errors.Join(f.Verify(0), flow.CheckSSA(f)); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
