package opt_test

import (
	"testing"

	"github.com/goptxas/goptxas/internal/opt"
)

// TestAddOfConstant64: steps of a pointer are one where nobody reads what lies between them.
func TestAddOfConstant64(t *testing.T) {
	const head = `reg r0 2/2
reg r1 2/2
reg r2 2/2
reg p3 1/1
reg p4 1/1
b0:
LDS.64 r0 = [0x0]
`
	const steps = `IADD3 r1[0], p3 = r0[0], 0x10, rz
IADD3.X r1[1] = r0[1], rz, rz, p3, ~pt
IADD3 r2[0], p4 = r1[0], -0x20, rz
IADD3.X r2[1] = r1[1], -0x1, rz, p4, ~pt
STS.64 [0x0], r2`
	for _, c := range []struct{ name, in, want string }{
		{"two steps", steps, `LDS.64 r0 = [0x0]
IADD3 r2[0], p4 = r0[0], -0x10, rz
IADD3.X r2[1] = r0[1], -0x1, rz, p4, ~pt
STS.64 [0x0], r2`},
		{"a pointer that is read between them", steps + "\nSTS.64 [0x8], r1", "LDS.64 r0 = [0x0]\n" + steps + "\nSTS.64 [0x8], r1"},
	} {
		if got := run(t, head+c.in, opt.Combine); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}
