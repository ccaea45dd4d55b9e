package opt_test

import (
	"testing"

	"github.com/goptxas/goptxas/internal/opt"
)

func TestFold(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"IADD3 r0 = 0x5, 0x6, -0x1", "MOV r0 = 0xa"},
		{"IADD3 r0 = r1, rz, rz", "COPY r0 = r1"},
		{"IADD3 r0 = r1, 0x1, -0x1", "COPY r0 = r1"},
		{"IADD3 r0 = -r1, rz, rz", "IADD3 r0 = -r1, rz, rz"},
		{"IMAD r0 = rz, r1, r2", "COPY r0 = r2"},
		{"IMAD r0 = r1, 0x1, rz", "COPY r0 = r1"},
		{"IMAD r0 = 0x10001, 0x10001, 0x1", "MOV r0 = 0x20002"},
		{"IMAD.HI.U32 r0 = -0x1, -0x1, rz", "MOV r0 = -0x2"},
		{"IMAD.HI r0 = -0x1, 0x7fffffff, rz", "MOV r0 = -0x1"},
		{"LOP3.LUT r0 = 0xff, 0xf0f, rz, 0xc0", "MOV r0 = 0xf"},
		{"LOP3.LUT r0 = r1, rz, rz, 0xfc", "COPY r0 = r1"},
		{"LOP3.LUT r0 = r1, rz, rz, 0xc0", "MOV r0 = rz"},
		{"LOP3.LUT r0 = r1, -0x1, rz, 0xc0", "COPY r0 = r1"},
		{"LOP3.LUT r0 = r1, r2, rz, 0xc0", "LOP3.LUT r0 = r1, r2, rz, 0xc0"},
		{"SHF.L.U32 r0 = 0x3, 0x1e, rz", "MOV r0 = -0x40000000"},
		{"SHF.L.U32 r0 = r1, rz, rz", "COPY r0 = r1"},
		{"SHF.R.S32.HI r0 = rz, 0x28, -0x2", "MOV r0 = -0x1"},
		{"SHF.R.U32.HI r0 = rz, 0x28, -0x2", "MOV r0 = rz"},
		{"SEL r0 = r1, r2, pt", "COPY r0 = r1"},
		{"SEL r0 = r1, 0x4, ~pt", "MOV r0 = 0x4"},
		{"SEL r0 = r1, r1, p7", "COPY r0 = r1"},
	} {
		if got := run(t, regs+c.in, opt.Fold); got != c.want {
			t.Errorf("%s: %s, want %s", c.in, got, c.want)
		}
	}
}

func TestFoldHalves(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"SHF.L.U64.HI r0 = r1, 0x20, r2", "COPY r0 = r1"},
		{"SHF.L.U64.HI r0 = r1, 0x23, r2", "SHF.L.U32 r0 = r1, 0x3, rz"},
		{"SHF.L.U64.HI r0 = r1, 0x1f, r2", "SHF.L.U64.HI r0 = r1, 0x1f, r2"},
		{"SHF.L.U32 r0 = r1, 0x20, rz", "MOV r0 = rz"},
		{"SHF.R.U64 r0 = r1, 0x24, r2", "SHF.R.U32.HI r0 = rz, 0x4, r2"},
		{"SHF.R.S64 r0 = r1, 0x20, r2", "COPY r0 = r2"},
		{"SHF.R.S64 r0 = r1, 0x21, r2", "SHF.R.S32.HI r0 = rz, 0x1, r2"},
		{"SHF.R.S32.HI r0 = rz, 0x20, r2", "SHF.R.S32.HI r0 = rz, 0x1f, r2"},
		{"SHF.R.S64 r0 = r1, 0x40, r2", "SHF.R.S64 r0 = r1, 0x40, r2"},
	} {
		if got := run(t, regs+c.in, opt.Fold); got != c.want {
			t.Errorf("%s: %s, want %s", c.in, got, c.want)
		}
	}
}

// TestBoundAgain: a bound that holds already is not asked for once more.
func TestBoundAgain(t *testing.T) {
	const load = "LDS r0 = [0x0]\nLDS r1 = [0x4]\n"
	for _, c := range []struct{ in, want string }{
		{"FMNMX r2 = r0, r1, ~pt\nFMNMX r3 = r1, r2, ~pt\nSTS [0x8], r3", "FMNMX r2 = r0, r1, ~pt\nCOPY r3 = r2\nSTS [0x8], r3"},
		{"FMNMX r2 = r0, 0xff800000, ~pt\nFMNMX r3 = r2, 0xff800000, ~pt\nSTS [0x8], r3", "FMNMX r2 = r0, 0xff800000, ~pt\nCOPY r3 = r2\nSTS [0x8], r3"},
		{"VIMNMX.U32 r2 = r0, r1, pt\nVIMNMX r3 = r1, r2, pt\nSTS [0x8], r3", ""},
		{"FMNMX r2 = r0, r1, pt\nFMNMX r3 = r1, r2, ~pt\nSTS [0x8], r3", ""},
		{"FMNMX r2 = r0, r1, pt\nFMNMX r3 = r1, -r2, pt\nSTS [0x8], r3", ""},
	} {
		if c.want == "" {
			c.want = c.in
		}
		if got := run(t, regs+load+c.in, opt.Combine); got != load+c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.in, got, load+c.want)
		}
	}
}
