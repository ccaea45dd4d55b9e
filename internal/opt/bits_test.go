package opt_test

import (
	"testing"

	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/opt/dead"
	"github.com/goptxas/goptxas/internal/ori"
)

// phaseCase is code before and after phases.
type phaseCase struct {
	name     string
	in, want string
	phases   []func(*ori.Func) bool
}

func runCases(t *testing.T, cases []phaseCase) {
	t.Helper()
	for _, c := range cases {
		if got := run(t, regs+c.in, c.phases...); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
	t.Logf("%d cases", len(cases))
}

func TestBits(t *testing.T) {
	clean := []func(*ori.Func) bool{opt.KnownBits, opt.CopyProp, dead.DeadCode}
	runCases(t, []phaseCase{
		{"an extension of a byte that was one", `LDS.U8 r0 = [0x10]
PRMT r1 = r0, 0x7710, rz
LOP3.LUT r2 = r1, 0xff, rz, 0xc0
STS [0x20], r2`, "LDS.U8 r0 = [0x10]\nSTS [0x20], r0", clean},
		{"a mask that matters stays", `LDS.U16 r0 = [0x10]
LOP3.LUT r2 = r0, 0xff, rz, 0xc0
STS [0x20], r2`, "LDS.U16 r0 = [0x10]\nLOP3.LUT r2 = r0, 0xff, rz, 0xc0\nSTS [0x20], r2", clean},
		{"a guarded byte over zero", `MOV r0 = rz
@p7 LDS.U8 r2 = [0x10] else r0
PRMT r1 = r2, 0x7710, rz
STS [0x20], r1`, "MOV r0 = rz\n@p7 LDS.U8 r2 = [0x10] else r0\nSTS [0x20], r2", clean},
		{"a store of a byte looks at no more", `LDS r0 = [0x10]
LOP3.LUT r2 = r0, 0xffff, rz, 0xc0
STS.U8 [0x20], r2`, "LDS r0 = [0x10]\nSTS.U8 [0x20], r0", clean},
		{"halves are read from where they are", `LDS r0 = [0x10]
PRMT r1 = r0, 0x7632, rz
HADD2 r2 = r1.H0, r0.H0
STS [0x20], r2`, "LDS r0 = [0x10]\nHADD2 r2 = r0.H1, r0.H0\nSTS [0x20], r2", clean},
		{"a sign that is none", `S2R r0 = SR_TID.X
SHF.R.S32.HI r1 = rz, 0x1f, r0
IADD3 r2 = r0, r1, rz
STS [0x20], r2`, "S2R r0 = SR_TID.X\nSTS [0x20], r0", []func(*ori.Func) bool{opt.KnownBits, opt.Simplify, dead.DeadCode}},
		{"words too small for a carry", `LDS r0 = [0x10]
LOP3.LUT r1 = r0, 0x3fff, rz, 0xc0
IADD3 r2, p7 = r1, 0x402, rz
IADD3.X r3 = rz, 0x40000040, rz, p7, ~pt
STS [0x20], r2
STS [0x24], r3`, "LDS r0 = [0x10]\nLOP3.LUT r1 = r0, 0x3fff, rz, 0xc0\nIADD3 r2 = r1, 0x402, rz\nMOV r3 = 0x40000040\nSTS [0x20], r2\nSTS [0x24], r3", []func(*ori.Func) bool{opt.KnownBits, opt.Combine, opt.Simplify, dead.DeadCode}},
		{"an extension too small for a carry", `LDS r0 = [0x10]
SGXT.U32 r1 = r0, 0xe
IADD3 r2, p7 = r1, 0x402, rz
IADD3.X r3 = rz, r0, rz, p7, ~pt
STS [0x20], r2
STS [0x24], r3`, "LDS r0 = [0x10]\nSGXT.U32 r1 = r0, 0xe\nIADD3 r2 = r1, 0x402, rz\nSTS [0x20], r2\nSTS [0x24], r0", []func(*ori.Func) bool{opt.KnownBits, opt.Combine, opt.Simplify, opt.CopyProp, dead.DeadCode}},
		{"words that carry", `LDS r0 = [0x10]
LOP3.LUT r1 = r0, 0x3fff, rz, 0xc0
IADD3 r2, p7 = r1, 0xffffc001, rz
IADD3.X r3 = rz, r0, rz, p7, ~pt
STS [0x20], r2
STS [0x24], r3`, "LDS r0 = [0x10]\nLOP3.LUT r1 = r0, 0x3fff, rz, 0xc0\nIADD3 r2, p7 = r1, 0xffffc001, rz\nIADD3.X r3 = rz, r0, rz, p7, ~pt\nSTS [0x20], r2\nSTS [0x24], r3", []func(*ori.Func) bool{opt.KnownBits, opt.Combine, opt.Simplify, dead.DeadCode}},
		{"bits shifted into zeros", `S2R r0 = SR_TID.X
S2R r1 = SR_CTAID.X
SHF.L.U32 r2 = r1, 0xa, rz
LOP3.LUT r3 = r0, r2, rz, 0xfc
STS [0x20], r3`, "S2R r0 = SR_TID.X\nS2R r1 = SR_CTAID.X\nLEA r3 = r1, r0, 0xa\nSTS [0x20], r3", clean},
		{"bits shifted over others", `S2R r0 = SR_TID.X
S2R r1 = SR_CTAID.X
SHF.L.U32 r2 = r1, 0x9, rz
LOP3.LUT r3 = r0, r2, rz, 0xfc
STS [0x20], r3`, "S2R r0 = SR_TID.X\nS2R r1 = SR_CTAID.X\nSHF.L.U32 r2 = r1, 0x9, rz\nLOP3.LUT r3 = r0, r2, rz, 0xfc\nSTS [0x20], r3", clean},
		{"halves taken apart and put together", `LDS r0 = [0x10]
PRMT r1 = r0, 0x7710, rz
PRMT r2 = r0, 0x7732, rz
PRMT r3 = r1, 0x5410, r2
STS [0x20], r3`, "LDS r0 = [0x10]\nSTS [0x20], r0", clean},
		{"bytes of bytes", `LDS r0 = [0x10]
PRMT r1 = r0, 0x7632, rz
PRMT r2 = r1, 0x5410, r0
STS [0x20], r2`, "LDS r0 = [0x10]\nPRMT r2 = r0, 0x1032, rz\nSTS [0x20], r2", clean},
	})
}
