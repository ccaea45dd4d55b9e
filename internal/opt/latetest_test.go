package opt_test

import (
	"testing"

	"github.com/goptxas/goptxas/internal/opt/control"
)

func TestLateTests(t *testing.T) {
	const head = "reg r0 1/1\nreg r1 1/1\nreg p2 1/1\nreg p3 1/1\nb0:\nS2R r0 = SR_TID.X\nLDS r1 = [0x0]\n"
	const pair = "ISETP.GT.U32.AND p2 = r1, 0x5, pt\n"
	for _, c := range [][2]string{
		{pair + "ISETP.EQ.XOR p3 = r0, rz, p2\n@p3 STS [0x0], r0", "ISETP.EQ.AND p2 = r0, rz, pt\nISETP.GT.U32.XOR p3 = r1, 0x5, p2\n@p3 STS [0x0], r0"},
		{pair + "ISETP.EQ.XOR p3 = r0, rz, ~p2\n@p3 STS [0x0], r0", "ISETP.EQ.AND p2 = r0, rz, pt\nISETP.GT.U32.XOR p3 = r1, 0x5, ~p2\n@p3 STS [0x0], r0"},
		{pair + "ISETP.EQ.OR p3 = r0, rz, p2\n@p3 STS [0x0], r0", "ISETP.EQ.AND p2 = r0, rz, pt\nISETP.GT.U32.OR p3 = r1, 0x5, p2\n@p3 STS [0x0], r0"},
		{pair + "ISETP.EQ.AND p3 = r0, rz, ~p2\n@p3 STS [0x0], r0", ""}, // not what the machine can say
		{pair + "ISETP.EQ.AND p3 = r1, rz, p2\n@p3 STS [0x0], r0", ""},  // both wait
		{pair + "ISETP.EQ.AND p3 = r0, rz, p2\n@p3 STS [0x0], r0\n@p2 STS [0x4], r0", ""},
	} {
		want := c[1]
		if want == "" {
			want = c[0]
		}
		want = "S2R r0 = SR_TID.X\nLDS r1 = [0x0]\n" + want
		if got := run(t, head+c[0], control.LateTests); got != want {
			t.Errorf("%s\nwant\n%s", got, want)
		}
	}
}
