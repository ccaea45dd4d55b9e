package opt_test

import (
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/opt/machine"
	"github.com/goptxas/goptxas/internal/ori"
)

// TestHighPairs: comparisons of pairs share what is known of both upper words.
func TestHighPairs(t *testing.T) {
	const (
		head = "reg r0 1/1\nreg r1 1/1\nreg r2 1/1\nreg r3 1/1\nreg r4 1/1\nreg p5 1/1\nreg p6 1/1\nreg p7 1/1\nreg p8 1/1\nreg p9 1/1\nreg p10 1/1\nreg p11 1/1\nreg p12 1/1\nb0:\n" + start
		more = "LDS r3 = [0x8]\nLDS r4 = [0xc]\n"
		use  = "@p6 STS [0x0], r0\n@p8 STS [0x4], r0\n@p10 STS [0x8], r0\n@p12 STS [0xc], r0"
	)
	test := func(how, high string) string {
		return "ISETP.LT.U32.AND p5 = r0, r1, pt\nISETP." + high + ".AND.EX p6 = r3, r4, pt, p5\n" +
			"ISETP.GT.U32.AND p7 = r0, r2, pt\nISETP.GT.AND.EX p8 = r3, r4, pt, p7\n" +
			"ISETP." + how + ".U32.AND p9 = r2, r0, pt\nISETP.LE.AND.EX p10 = r3, r4, pt, p9\n" +
			"ISETP.LT.U32.AND p11 = r0, r1, pt\nISETP.GE.AND.EX p12 = r3, r4, pt, p11\n"
	}
	for _, c := range []struct {
		in, want string
		few      int
	}{
		{test("GT", "LT"), "ISETP.LT.AND p13 = r3, r4, pt\nISETP.EQ.AND p14 = r3, r4, pt\nSEL r15 = r0, -0x1, p14\nISETP.LT.U32.OR p6 = r15, r1, p13\n" +
			"ISETP.GT.AND p16 = r3, r4, pt\nSEL r17 = r0, rz, p14\nISETP.GT.U32.OR p8 = r17, r2, p16\n" +
			"ISETP.GT.U32.OR p10 = r2, r15, p13\nISETP.LT.U32.OR p12 = r15, r1, p16\n", -1},
		{strings.ReplaceAll(test("GT", "LT"), ".AND.EX", ".U32.AND.EX"), "ISETP.LT.U32.AND p13 = r3, r4, pt\nISETP.EQ.U32.AND p14 = r3, r4, pt\nSEL r15 = r0, -0x1, p14\nISETP.LT.U32.OR p6 = r15, r1, p13\n" +
			"ISETP.GT.U32.AND p16 = r3, r4, pt\nSEL r17 = r0, rz, p14\nISETP.GT.U32.OR p8 = r17, r2, p16\n" +
			"ISETP.GT.U32.OR p10 = r2, r15, p13\nISETP.LT.U32.OR p12 = r15, r1, p16\n", -1},
		{test("GT", "LT"), "", 0}, // spares nothing
		{test("GE", "NE"), "", 3}, // too few that fit
	} {
		want := more + c.want
		if c.want == "" {
			want = more + c.in
		}
		if got := run(t, head+more+c.in+use, func(f *ori.Func) bool { return machine.HighPairs(f, c.few) }); got != start+want+use {
			t.Errorf("%s\nwant\n%s", got, start+want+use)
		}
	}
}
