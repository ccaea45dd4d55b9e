package opt_test

import (
	"testing"

	"github.com/goptxas/goptxas/internal/opt/machine"
	"github.com/goptxas/goptxas/internal/ori"
)

// TestHighTests: comparisons of pairs share what is known of an upper word.
func TestHighTests(t *testing.T) {
	const (
		head = "reg r0 1/1\nreg r1 1/1\nreg r2 1/1\nreg p3 1/1\nreg p4 1/1\nreg p5 1/1\nreg p6 1/1\nreg p7 1/1\nreg p8 1/1\nb0:\n" + start
		low  = "ISETP.GT.U32.AND p3 = r0, r2, pt\n"
		use  = "@p4 STS [0x0], r0\n@p6 STS [0x4], r0\n@p8 STS [0x8], r0"
		rest = "ISETP.LT.U32.AND p5 = r0, r2, pt\nISETP.LT.U32.AND.EX p6 = r1, rz, pt, p5\nISETP.LE.U32.AND p7 = r2, 0x5, pt\nISETP.LE.U32.AND.EX p8 = rz, r1, pt, p7\n"
	)
	for _, c := range [][2]string{
		{low + "ISETP.GT.U32.AND.EX p4 = r1, rz, pt, p3\n" + rest + use, "ISETP.NE.U32.AND p9 = r1, rz, pt\nISETP.GT.U32.OR p4 = r0, r2, p9\n" +
			"ISETP.LT.U32.AND p6 = r0, r2, ~p9\nISETP.LE.U32.OR p8 = r2, 0x5, p9\n" + use},
		{low + "ISETP.NE.U32.AND.EX p4 = r1, rz, pt, p3\n" + rest + use, "ISETP.NE.U32.AND p9 = r1, rz, pt\nISETP.GT.U32.OR p4 = r0, r2, p9\n" +
			"ISETP.LT.U32.AND p6 = r0, r2, ~p9\nISETP.LE.U32.OR p8 = r2, 0x5, p9\n" + use},
		{low + "ISETP.GT.AND.EX p4 = r1, rz, pt, p3\n" + rest + use, ""},                                                                                                       // signed: below zero is no outcome
		{low + "ISETP.GT.U32.AND.EX p4 = r2, rz, pt, p3\n" + rest + use, ""},                                                                                                   // another word
		{low + "ISETP.GT.U32.AND.EX p4 = r1, rz, pt, p3\n" + rest + use + "\n@p3 STS [0xc], r0", ""},                                                                           // the lower words are of interest
		{low + "ISETP.GT.U32.AND.EX p4 = r1, r2, pt, p3\n" + rest + use, ""},                                                                                                   // not with zero
		{low + "ISETP.GT.U32.AND.EX p4 = r1, rz, pt, p3\n@p4 STS [0x0], r0\nISETP.GT.U32.AND p5 = r0, r2, pt\nISETP.GT.U32.AND.EX p6 = r1, rz, pt, p5\n@p6 STS [0x0], r0", ""}, // too few
	} {
		want := c[1]
		if want == "" {
			want = c[0]
		}
		if got := run(t, head+c[0], func(f *ori.Func) bool { return machine.HighTests(f, 3) }); got != start+want {
			t.Errorf("%s\nwant\n%s", got, start+want)
		}
	}
}

const start = "S2R r0 = SR_TID.X\nLDS r1 = [0x0]\nLDS r2 = [0x4]\n"
