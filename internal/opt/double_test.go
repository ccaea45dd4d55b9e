package opt_test

import (
	"testing"

	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/opt/float"
)

func TestDoubles(t *testing.T) {
	const in = `reg r0 2/2
reg r1 2/2
reg r2 2/2
reg r3 2/2
reg r4 2/2
reg r5 2/2
reg r6 2/2
b0:
LDC.64 r4 = c[0x0][0x210]
MOV r1[0] = rz
MOV r1[1] = 0x3fe00000
MOV r2[0] = 0x1
MOV r2[1] = 0x3ff00000
MOV r3[0] = 0x1
MOV r3[1] = 0x3ff00000
DFMA r5 = r4, r1, r2
DMUL r5 = r5, -r3
DADD r6 = r5, -r1
STS.64 [r4[0]+0x0], r6`
	const want = `LDC.64 r4 = c[0x0][0x210]
MOV r1[0] = rz
MOV r1[1] = 0x3fe00000
MOV r2[0] = 0x1
MOV r2[1] = 0x3ff00000
DFMA r5 = r4, r1, r2
DMUL r5 = r5, -r2
DADD r6 = r5, -0x40200000
STS.64 [r4[0]+0x0], r6`
	if got := run(t, in, float.DoubleConstants, opt.DeadCode); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
