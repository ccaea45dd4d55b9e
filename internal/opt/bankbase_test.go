package opt_test

import (
	"testing"

	"github.com/goptxas/goptxas/internal/opt/address"
	"github.com/goptxas/goptxas/internal/opt/dead"
	"github.com/goptxas/goptxas/internal/ori"
)

func TestBankBase(t *testing.T) {
	clean := []func(*ori.Func) bool{address.AddressFold, dead.DeadCode}
	runCases(t, []phaseCase{
		{"a known index", `MOV r0 = 0x70
LDC r1 = c[0x0][r0+0x218]
STS [0x0], r1`, `LDC r1 = c[0x0][0x288]
STS [0x0], r1`, clean},
		{"the lower half of a sum with a carry", `COPY r4[0] = 0x40
IADD3 r5[0], p7 = r4[0], 0x10, rz
COPY r0 = r5[0]
LDC.64 r6 = c[0x0][r0+0x210]
STS.64 [0x0], r6`, `LDC.64 r6 = c[0x0][0x260]
STS.64 [0x0], r6`, clean},
		{"an index of which a part is known", `LDS r0 = [0x0]
IADD3 r1 = r0, 0x8, rz
LDC r2 = c[0x0][r1+0x210]
STS [0x0], r2`, `LDS r0 = [0x0]
LDC r2 = c[0x0][r0+0x218]
STS [0x0], r2`, clean},
		{"an offset out of reach", `LDS r0 = [0x0]
IADD3 r1 = r0, 0x8000, rz
LDC r2 = c[0x0][r1+0x210]
STS [0x0], r2`, `LDS r0 = [0x0]
IADD3 r1 = r0, 0x8000, rz
LDC r2 = c[0x0][r1+0x210]
STS [0x0], r2`, clean},
		{"an index written twice", `MOV r0 = 0x70
LDC r1 = c[0x0][r0+0x218]
MOV r0 = 0x80
LDC r2 = c[0x0][r0+0x218]
STS [0x0], r1
STS [0x4], r2`, `MOV r0 = 0x70
LDC r1 = c[0x0][r0+0x218]
MOV r0 = 0x80
LDC r2 = c[0x0][r0+0x218]
STS [0x0], r1
STS [0x4], r2`, clean},
	})
}
