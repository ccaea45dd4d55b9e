package isel

import (
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/ori"
)

func TestZeros(t *testing.T) {
	const head = "func f {\n  reg r0 1/1 phys=4\n  reg r1 1/1 phys=5\n  reg r2 1/1 phys=6\n  reg r3 2/2 phys=8\n  reg p4 1/1 phys=0\n  b0:\n"
	all := func(*ori.Instr) bool { return true }
	for _, c := range []struct {
		name     string
		in, want string
		fits     Fits
	}{
		{"neighbours", "MOV r0 = rz\nMOV r1 = rz", "CS2R", all},
		{"the other way round", "MOV r1 = rz\nMOV r0 = rz", "CS2R", all},
		{"of different pairs", "MOV r1 = rz\nMOV r2 = rz", "MOV MOV", all},
		{"a copy of zero", "MOV r0 = rz\nMOV r1 = r0", "CS2R", all},
		{"words of one register", "MOV r3[0] = rz\nLDS r2 = [r0+0x0]\nMOV r3[1] = rz", "LDS CS2R", all},
		{"the first is read between", "MOV r0 = rz\nSTS [r2+0x0], r0\nMOV r1 = rz", "CS2R STS", all},
		{"both are read between", "MOV r0 = rz\nSTS [r1+0x0], r0\nMOV r1 = rz", "MOV STS MOV", all},
		{"the first is written between", "MOV r0 = rz\nLDS r0 = [r2+0x0]\nMOV r1 = rz", "MOV LDS MOV", all},
		{"the second is written between", "MOV r0 = rz\nLDS r1 = [r0+0x0]\nMOV r1 = rz", "MOV LDS MOV", all},
		{"under a guard", "MOV r0 = rz\n@p4 MOV r1 = rz", "MOV MOV", all},
		{"a meeting between", "MOV r0 = rz\nBAR.SYNC 0x0\nMOV r1 = rz", "MOV BAR MOV", all},
		{"no such form", "MOV r0 = rz\nMOV r1 = rz", "MOV MOV", func(*ori.Instr) bool { return false }},
	} {
		m, err := ori.Parse(head + c.in + "\n}\n")
		if err != nil {
			t.Fatal(err)
		}
		f := m.Funcs[0]
		Zeros(f, c.fits)
		var got []string
		for i := range f.Blocks[0].Instrs {
			got = append(got, i.Op.String())
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s: %s, want %s", c.name, s, c.want)
		}
	}
}
