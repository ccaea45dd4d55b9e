package opt_test

import (
	"testing"

	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/ori"
)

func TestAccumulate64(t *testing.T) {
	const head = `reg r0 2/2
reg r1 2/2
reg r2 2/2
reg r3 1/1
reg r4 1/1
reg r5 2/2
reg p6 1/1
reg r7 2/2
b0:
LDS.64 r0 = [0x0]
LDS.64 r1 = [0x8]
LDS.64 r5 = [0x10]
`
	for _, c := range []phaseCase{
		{"a product of pairs", `IMAD.WIDE.U32 r2 = r0[0], r1[0], rz
IMAD r3 = r0[1], r1[0], r2[1]
IMAD r4 = r0[0], r1[1], r3
IADD3 r7[0], p6 = r2[0], r5[0], rz
IADD3.X r7[1] = r4, r5[1], rz, p6, ~pt
STS.64 [0x0], r7`, `LDS.64 r0 = [0x0]
LDS.64 r1 = [0x8]
LDS.64 r5 = [0x10]
IMAD.WIDE.U32 r8 = r0[0], r1[0], r5
COPY r7[0] = r8[0]
IMAD r9 = r0[1], r1[0], r8[1]
IMAD r7[1] = r0[0], r1[1], r9
STS.64 [0x0], r7`, []func(*ori.Func) bool{opt.Combine}},
		{"a product of words", `IMAD.WIDE r2 = r0[0], r1[0], rz
IADD3 r7[0], p6 = r2[0], r5[0], rz
IADD3.X r7[1] = r2[1], r5[1], rz, p6, ~pt
STS.64 [0x0], r7`, `LDS.64 r0 = [0x0]
LDS.64 r1 = [0x8]
LDS.64 r5 = [0x10]
IMAD.WIDE r7 = r0[0], r1[0], r5
STS.64 [0x0], r7`, []func(*ori.Func) bool{opt.Combine}},
		{"a carry that others read", `IMAD.WIDE r2 = r0[0], r1[0], rz
IADD3 r7[0], p6 = r2[0], r5[0], rz
IADD3.X r7[1] = r2[1], r5[1], rz, p6, ~pt
@p6 STS.64 [0x0], r7`, `LDS.64 r0 = [0x0]
LDS.64 r1 = [0x8]
LDS.64 r5 = [0x10]
IMAD.WIDE r2 = r0[0], r1[0], rz
IADD3 r7[0], p6 = r2[0], r5[0], rz
IADD3.X r7[1] = r2[1], r5[1], rz, p6, ~pt
@p6 STS.64 [0x0], r7`, []func(*ori.Func) bool{opt.Combine}},
	} {
		if got := run(t, head+c.in, c.phases...); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}
