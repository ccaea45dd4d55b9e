package cse

import (
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/ori"
)

// TestArrange puts sources that commute into one order: what they compute
// must stay.
func TestArrange(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"a sum", "IADD3 r3 = r2, r1, r0", "IADD3 r3 = r1, r2, r0"},
		{"a difference of bits", "LOP3.LUT r3 = r2, r1, rz, 0x30", "LOP3.LUT r3 = r1, r2, rz, 0xc"},
		{"the same on the uniform datapath", "ULOP3.LUT u7 = u6, u5, urz, 0x30", "ULOP3.LUT u7 = u5, u6, urz, 0xc"},
		{"f64 keeps the order of its NaNs", "DADD r8 = r10, r9", "DADD r8 = r10, r9"},
		{"comparisons do not commute", "ISETP.LT.AND p4 = r2, r1, pt", "ISETP.LT.AND p4 = r2, r1, pt"},
	} {
		head := "func f {\n  reg r0 1/1\n  reg r1 1/1\n  reg r2 1/1\n  reg r3 1/1\n  reg p4 1/1\n  reg u5 1/1\n  reg u6 1/1\n  reg u7 1/1\n  reg r8 2/2\n  reg r9 2/2\n  reg r10 2/2\n  b0:\n"
		m, err := ori.Parse(head + c.in + "\n}\n")
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		f := m.Funcs[0]
		new(cse).arrange(f.Blocks[0].First())
		if got := f.String(); !strings.Contains(got, c.want+"\n") {
			t.Errorf("%s: want %s in\n%s", c.name, c.want, got)
		}
	}
}

// TestCSE computes equal sums once.
func TestCSE(t *testing.T) {
	m, err := ori.Parse("func f {\n  reg r0 1/1\n  reg r1 1/1\n  reg r2 1/1\n  reg r3 1/1\n  b0:\n  S2R r0 = SR_TID.X\n  S2R r1 = SR_CTAID.X\n" +
		"IADD3 r2 = r0, r1, rz\nIADD3 r3 = r1, r0, rz\nSTS [r2+0x0], r3\nEXIT\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	f := m.Funcs[0]
	if !CSE(f) || strings.Count(f.String(), "IADD3") != 1 {
		t.Errorf("two sums:\n%s", f)
	}
}
