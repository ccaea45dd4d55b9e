package opt_test

import (
	"testing"

	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/ori"
)

// TestConstantsOfSums: constants that are added one after the other are added
// once, if nobody else reads what is between them.
func TestConstantsOfSums(t *testing.T) {
	const head = `reg r0 1/1
reg r1 1/1
reg r2 1/1
reg r3 1/1
reg r4 1/1
b0:
LDS r0 = [0x0]
LDS r1 = [0x4]
`
	const loads = `LDS r0 = [0x0]
LDS r1 = [0x4]
`
	combine := []func(*ori.Func) bool{opt.Combine}
	for _, c := range []phaseCase{
		{"of sums", `IADD3 r2 = r0, 0x1, rz
IADD3 r3 = r2, 0x1, rz
IADD3 r4 = 0x5, r3, rz
STS [0x0], r4`, loads + `IADD3 r4 = r0, 0x7, rz
STS [0x0], r4`, combine},
		{"to nothing", `IADD3 r2 = r0, r1, 0x10
IADD3 r3 = r2, -0x10, rz
STS [0x0], r3`, loads + `IADD3 r3 = r0, r1, rz
STS [0x0], r3`, combine},
		{"over the end of a word", `IADD3 r2 = r0, 0x7fffffff, rz
IADD3 r3 = r2, 0x7fffffff, rz
STS [0x0], r3`, loads + `IADD3 r3 = r0, -0x2, rz
STS [0x0], r3`, combine},
		{"of a product", `IMAD r2 = r0, r1, 0x3
IADD3 r3 = r2, 0x4, rz
STS [0x0], r3`, loads + `IMAD r3 = r0, r1, 0x7
STS [0x0], r3`, combine},
		{"of a shift", `LEA r2 = r0, 0x3, 0x2
IADD3 r3 = r2, 0x4, rz
STS [0x0], r3`, loads + `LEA r3 = r0, 0x7, 0x2
STS [0x0], r3`, combine},
		{"that others read", `IADD3 r2 = r0, 0x1, rz
IADD3 r3 = r2, 0x1, rz
STS [0x0], r2
STS [0x4], r3`, loads + `IADD3 r2 = r0, 0x1, rz
IADD3 r3 = r2, 0x1, rz
STS [0x0], r2
STS [0x4], r3`, combine},
		{"factors are no sums", `IMAD r2 = r0, 0x3, r1
IADD3 r3 = r2, 0x4, rz
STS [0x0], r3`, loads + `IMAD r2 = r0, 0x3, r1
IADD3 r3 = r2, 0x4, rz
STS [0x0], r3`, combine},
	} {
		if got := run(t, head+c.in, c.phases...); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}
