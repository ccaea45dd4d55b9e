package opt_test

import (
	"testing"

	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/opt/dead"
	"github.com/goptxas/goptxas/internal/ori"
)

func TestExtended(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"a signed index", `S2R r0 = SR_TID.X
SHF.R.S32.HI r1 = rz, 0x1f, r0
SHF.L.U64.HI r2 = r0, 0x2, r1
SHF.L.U32 r3 = r0, 0x2, rz
LDC.64 r4 = c[0x0][0x210]
IADD3 r5[0], p7 = r4[0], r3, rz
IADD3.X r5[1] = r4[1], r2, rz, p7, ~pt
STG.E desc[u8], [r5.64+0x0], r0`, `S2R r0 = SR_TID.X
LDC.64 r4 = c[0x0][0x210]
IMAD.WIDE r5 = r0, 0x4, r4
STG.E desc[u8], [r5.64+0x0], r0`},
		{"an unsigned word", `S2R r0 = SR_TID.X
LDC.64 r4 = c[0x0][0x210]
IADD3 r5[0], p7 = r4[0], r0, rz
IADD3.X r5[1] = r4[1], rz, rz, p7, ~pt
STG.E desc[u8], [r5.64+0x0], r0`, `S2R r0 = SR_TID.X
LDC.64 r4 = c[0x0][0x210]
IMAD.WIDE.U32 r5 = r0, 0x1, r4
STG.E desc[u8], [r5.64+0x0], r0`},
		{"any pair", `LDC.64 r6 = c[0x0][0x218]
SHF.L.U64.HI r2 = r6[0], 0x2, r6[1]
SHF.L.U32 r3 = r6[0], 0x2, rz
LDC.64 r4 = c[0x0][0x210]
IADD3 r5[0], p7 = r3, r4[0], rz
IADD3.X r5[1] = r2, r4[1], rz, p7, ~pt
STG.E desc[u8], [r5.64+0x0], r0`, `LDC.64 r6 = c[0x0][0x218]
LDC.64 r4 = c[0x0][0x210]
LEA r5[0], p7 = r6[0], r4[0], 0x2
LEA.HI.X r5[1] = r6[0], r4[1], r6[1], 0x2, p7
STG.E desc[u8], [r5.64+0x0], r0`},
		{"a constant stays for the offset", `LDC.64 r4 = c[0x0][0x210]
IADD3 r5[0], p7 = r4[0], 0x7, rz
IADD3.X r5[1] = r4[1], rz, rz, p7, ~pt
STG.E desc[u8], [r5.64+0x0], r0`, `LDC.64 r4 = c[0x0][0x210]
IADD3 r5[0], p7 = r4[0], 0x7, rz
IADD3.X r5[1] = r4[1], rz, rz, p7, ~pt
STG.E desc[u8], [r5.64+0x0], r0`},
	} {
		if got := run(t, regs+c.in, func(f *ori.Func) bool { return opt.Combine(f) && dead.DeadCode(f) }); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}
