package isel

import (
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/ori"
)

func TestBalance(t *testing.T) {
	const head = "func f {\n  reg r0 1/1\n  reg r1 1/1\n  reg r2 1/1\n  reg p3 1/1\n  b0:\n"
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
		{"an upper word and its carry", "IADD3.X r0 = r1, r2, rz, p3, ~pt\nLOP3.LUT r1 = r0, r2, rz, 0x3c", "IMAD LOP3", all},
		{"a carry alone", "IADD3.X r0 = rz, rz, 0x5, p3, ~pt\nLOP3.LUT r1 = r0, r2, rz, 0x3c", "IMAD LOP3", all},
		{"two carries stay", "IADD3.X r0 = r1, r2, rz, p3, p3\nLOP3.LUT r1 = r0, r2, rz, 0x3c", "IADD3 LOP3", all},
		{"three words stay", "IADD3.X r0 = r1, r2, r2, p3, ~pt\nLOP3.LUT r1 = r0, r2, rz, 0x3c", "IADD3 LOP3", all},
		{"a predicate as a number", "SEL r0 = 0x1, rz, p3\nLOP3.LUT r1 = r0, r2, rz, 0x3c", "IMAD LOP3", all},
		{"other choices stay", "SEL r0 = 0x2, rz, p3\nLOP3.LUT r1 = r0, r2, rz, 0x3c", "SEL LOP3", all},
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

// TestAsProduct holds a choice between neighbours against the sum that stands
// for it, whichever of the two is larger.
func TestAsProduct(t *testing.T) {
	for _, c := range []struct{ choice, want string }{
		{"SEL r0 = 0x1, rz, p3", "IMAD.X r0 = rz, rz, rz, p3"},
		{"SEL r0 = rz, 0x1, p3", "IMAD.X r0 = rz, rz, rz, ~p3"},
		{"SEL r0 = 0x7, 0x8, ~p3", "IMAD.X r0 = rz, rz, 0x7, p3"},
		{"SEL r0 = rz, -0x1, p3", "IMAD.X r0 = rz, rz, -0x1, p3"},
		{"SEL r0 = 0x7fffffff, -0x80000000, p3", "IMAD.X r0 = rz, rz, 0x7fffffff, ~p3"},
		{"IADD3.X r0 = r1, ~r2, rz, p3, ~pt", "IMAD.X r0 = r1, 0x1, ~r2, p3"},
		{"IADD3.X r0 = ~r1, r2, rz, p3, ~pt", "IMAD.X r0 = r2, 0x1, ~r1, p3"},
	} {
		m, err := ori.Parse("func f {\n  reg r0 1/1\n  reg r1 1/1\n  reg r2 1/1\n  reg p3 1/1\n  b0:\n" + c.choice + "\n}\n")
		if err != nil {
			t.Fatal(err)
		}
		f := m.Funcs[0]
		i := f.Blocks[0].First()
		p, ok := product(i)
		if !ok || !replace(f, i, p, func(*ori.Instr) bool { return true }) {
			t.Errorf("%s is no product", c.choice)
		} else if got := string(f.AppendInstr(nil, i)); got != c.want {
			t.Errorf("%s: %s, want %s", c.choice, got, c.want)
		}
	}
}
