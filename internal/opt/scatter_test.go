package opt_test

import (
	"testing"

	"github.com/goptxas/goptxas/internal/opt/address"
	"github.com/goptxas/goptxas/internal/opt/dead"
	"github.com/goptxas/goptxas/internal/ori"
)

func TestScattered(t *testing.T) {
	clean := []func(*ori.Func) bool{address.AddressFold, dead.DeadCode}
	const head = `LDC.64 r4 = c[0x0][0x210]
S2R r0 = SR_TID.X
`
	runCases(t, []phaseCase{
		{"a bit above the index", head + `LOP3.LUT r1 = r0, 0x400, rz, 0xfc
IMAD.WIDE.U32 r5 = r1, 0x4, r4
LDG.E r2 = desc[u8], [r5.64+0x8]
STS [0x0], r2`, head + `IMAD.WIDE.U32 r9 = r0, 0x4, r4
LDG.E r2 = desc[u8], [r9.64+0x1008]
STS [0x0], r2`, clean},
		{"a bit that may be set", head + `LOP3.LUT r1 = r0, 0x200, rz, 0xfc
IMAD.WIDE.U32 r5 = r1, 0x4, r4
LDG.E r2 = desc[u8], [r5.64+0x8]
STS [0x0], r2`, head + `LOP3.LUT r1 = r0, 0x200, rz, 0xfc
IMAD.WIDE.U32 r5 = r1, 0x4, r4
LDG.E r2 = desc[u8], [r5.64+0x8]
STS [0x0], r2`, clean},
		{"a sum that cannot overflow", head + `IADD3 r1 = r0, 0x5, rz
IMAD.WIDE r5 = r1, 0x8, r4
LDG.E r2 = desc[u8], [r5.64+0x0]
STS [0x0], r2`, head + `IMAD.WIDE r9 = r0, 0x8, r4
LDG.E r2 = desc[u8], [r9.64+0x28]
STS [0x0], r2`, clean},
		{"a sum that may", `LDC.64 r4 = c[0x0][0x210]
LDS r0 = [0x0]
IADD3 r1 = r0, 0x5, rz
IMAD.WIDE r5 = r1, 0x8, r4
LDG.E r2 = desc[u8], [r5.64+0x0]
STS [0x0], r2`, `LDC.64 r4 = c[0x0][0x210]
LDS r0 = [0x0]
IADD3 r1 = r0, 0x5, rz
IMAD.WIDE r5 = r1, 0x8, r4
LDG.E r2 = desc[u8], [r5.64+0x0]
STS [0x0], r2`, clean},
		{"a bit between the column and the row", `LDC.64 r4 = c[0x0][0x210]
S2R r0 = SR_TID.X
LOP3.LUT r1 = r0, 0x7f, rz, 0xc0
S2R r2 = SR_CTAID.X
LEA r3 = r2, r1, 0xa
LOP3.LUT r6[0] = r3, 0x80, rz, 0xfc
IMAD.WIDE r5 = r6[0], 0x4, r4
LDG.E r6[1] = desc[u8], [r5.64+0x0]
STS [0x0], r6[1]`, `LDC.64 r4 = c[0x0][0x210]
S2R r0 = SR_TID.X
LOP3.LUT r1 = r0, 0x7f, rz, 0xc0
S2R r2 = SR_CTAID.X
LEA r3 = r2, r1, 0xa
IMAD.WIDE r9 = r3, 0x4, r4
LDG.E r6[1] = desc[u8], [r9.64+0x200]
STS [0x0], r6[1]`, clean},
		{"shared memory", `S2R r0 = SR_TID.X
LOP3.LUT r1 = r0, 0x400, rz, 0xfc
LEA r2 = r1, 0x800, 0x2
LDS r3 = [r2+0x4]
STS [0x0], r3`, `S2R r0 = SR_TID.X
LEA r9 = r0, 0x800, 0x2
LDS r3 = [r9+0x1004]
STS [0x0], r3`, clean},
	})
}
