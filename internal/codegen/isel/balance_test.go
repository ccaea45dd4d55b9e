package isel

import (
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/ori"
)

func TestBalance(t *testing.T) {
	const head = "func f {\n  reg r0 1/1\n  reg r1 1/1\n  reg r2 1/1\n  b0:\n"
	all := func(*ori.Instr) bool { return true }
	for _, c := range []struct {
		name     string
		in, want string
		fits     Fits
	}{
		{"half of them", "MOV r0 = r1\nMOV r1 = 0x5\nMOV r2 = rz\nMOV r0 = c[0x0][0x10]", "MOV IMAD MOV IMAD", all},
		{"a product already there counts", "IMAD r0 = r1, r2, rz\nIADD3 r1 = r0, -r2, rz", "IMAD IADD3", all},
		{"two sides of a load", "SHF.L.U32 r0 = r1, 0x3, rz\nLOP3.LUT r1 = r0, r2, rz, 0x3c", "IMAD LOP3", all},
		{"an index", "LEA r0 = r1, r2, 0x4\nLOP3.LUT r1 = r0, r2, rz, 0x3c", "IMAD LOP3", all},
		{"a negation", "IADD3 r0 = rz, -r1, rz\nLOP3.LUT r1 = r0, r2, rz, 0x3c", "IMAD LOP3", all},
		{"sums of three stay", "IADD3 r0 = r1, r2, r2\nIADD3 r0 = r1, r2, r0", "IADD3 IADD3", all},
		{"no such form", "MOV r0 = r1\nMOV r1 = r2", "MOV MOV", func(*ori.Instr) bool { return false }},
	} {
		m, err := ori.Parse(head + c.in + "\n}\n")
		if err != nil {
			t.Fatal(err)
		}
		f := m.Funcs[0]
		Balance(f, c.fits)
		var got []string
		for i := range f.Blocks[0].Instrs {
			got = append(got, i.Op.String())
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s: %s, want %s", c.name, s, c.want)
		}
	}
}
