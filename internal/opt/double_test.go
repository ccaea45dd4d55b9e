package opt_test

import (
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/opt/dead"
	"github.com/goptxas/goptxas/internal/opt/float"
	"github.com/goptxas/goptxas/internal/ori"
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
	if got := run(t, in, float.DoubleConstants, dead.DeadCode); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestLiterals: an addend comes before a factor, signs go into the constant,
// and nothing stands beside an immediate. Without optimisation a constant in a
// register of the program stays there.
func TestLiterals(t *testing.T) {
	const in = `reg r0 2/2
reg r1 2/2
reg r2 2/2
reg r3 2/2
reg r4 2/2
reg r5 2/2
reg p6 1/1
b0:
LDC.64 r4 = c[0x0][0x160]
MOV r1[0] = 0x2 ; pos=1
MOV r1[1] = 0x3fe00000 ; pos=1
MOV r2[0] = 0x1 ; pos=2
MOV r2[1] = 0x3ff00000 ; pos=2
DFMA r5 = r4, r1, r2 ; pos=2
DMUL r5 = r5, -r1 ; pos=3
DFMA r5 = r5, r2, 0x40000000 ; pos=3
DSETP.LT.AND p6 = |r1|, r5, pt ; pos=4
@p6 DADD r5 = r5, r2 ; pos=2
STS.64 [r4[0]+0x0], r5`
	const all = `DFMA r5 = r4, r1, l[0x3ff0000000000001]
DMUL r5 = r5, l[0xbfe0000000000002]
DFMA r5 = r5, r2, 0x40000000
DSETP.LT.AND p6 = l[0x3fe0000000000002], r5, pt
@p6 DADD r5 = r5, l[0x3ff0000000000001]`
	const own = `DFMA r5 = r4, r1, l[0x3ff0000000000001]
DMUL r5 = r5, -r1
DFMA r5 = r5, r2, 0x40000000
DSETP.LT.AND p6 = |r1|, r5, pt
@p6 DADD r5 = r5, l[0x3ff0000000000001]`
	for k, want := range []string{all, own} {
		got := run(t, in, func(f *ori.Func) bool { return float.Literals(f, k == 1) })
		var lines []string
		for _, l := range strings.Split(got, "\n") {
			if l, _, _ = strings.Cut(l, " ;"); strings.Contains(l, "D") && !strings.HasPrefix(l, "LDC") {
				lines = append(lines, l)
			}
		}
		if got := strings.Join(lines, "\n"); got != want {
			t.Errorf("%d: got\n%s\nwant\n%s", k, got, want)
		}
	}
}
