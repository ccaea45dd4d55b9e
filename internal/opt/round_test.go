package opt_test

import (
	"testing"

	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/opt/dead"
	"github.com/goptxas/goptxas/internal/ori"
)

// TestRoundedOnce: a conversion to an integer rounds as what rounded its source
// did, and treats subnormal numbers so.
func TestRoundedOnce(t *testing.T) {
	const head = "reg r0 2/2\nreg r1 1/1\nreg r2 1/1\nreg r3 2/2\nreg r4 2/2\nb0:\nLDS.64 r0 = [0x0]\n"
	combine := []func(*ori.Func) bool{func(f *ori.Func) bool { return opt.Combine(f) && dead.DeadCode(f) }}
	for _, c := range []phaseCase{
		{"down", "FRND.FLOOR r1 = r0[0]\nF2I.U32.TRUNC.NTZ r2 = r1\nSTS [0x0], r2", "F2I.U32.FLOOR.NTZ r2 = r0[0]\nSTS [0x0], r2", combine},
		{"to the nearest, and a byte", "FRND r1 = r0[0]\nF2I.FTZ.S8.TRUNC.NTZ r2 = r1\nSTS [0x0], r2", "F2I.S8.NTZ r2 = r0[0]\nSTS [0x0], r2", combine},
		{"the first flushes", "FRND.FTZ.CEIL r1 = r0[0]\nF2I.TRUNC.NTZ r2 = r1\nSTS [0x0], r2", "F2I.FTZ.CEIL.NTZ r2 = r0[0]\nSTS [0x0], r2", combine},
		{"a half", "FRND.F16.FLOOR r1 = r0[0]\nF2I.F16.NTZ r2 = r1\nSTS [0x0], r2", "F2I.F16.FLOOR.NTZ r2 = r0[0]\nSTS [0x0], r2", combine},
		{"a double", "FRND.F64.CEIL r3 = r0\nF2I.S64.F64.TRUNC r4 = r3\nSTS.64 [0x0], r4", "F2I.S64.F64.CEIL r4 = r0\nSTS.64 [0x0], r4", combine},
		{"64 bits flush nothing: what is rounded to the nearest needs none", "FRND.FTZ r1 = r0[0]\nF2I.S64.TRUNC r4 = r1\nSTS.64 [0x0], r4", "F2I.S64 r4 = r0[0]\nSTS.64 [0x0], r4", combine},
		{"64 bits flush nothing: the least number above zero becomes one", "FRND.FTZ.CEIL r1 = r0[0]\nF2I.S64.TRUNC r4 = r1\nSTS.64 [0x0], r4", "FRND.FTZ.CEIL r1 = r0[0]\nF2I.S64.TRUNC r4 = r1\nSTS.64 [0x0], r4", combine},
		{"another format", "FRND.F16 r1 = r0[0]\nF2I.TRUNC.NTZ r2 = r1\nSTS [0x0], r2", "FRND.F16 r1 = r0[0]\nF2I.TRUNC.NTZ r2 = r1\nSTS [0x0], r2", combine},
		{"others read it too", "FRND.FLOOR r1 = r0[0]\nF2I.TRUNC.NTZ r2 = r1\nSTS [0x0], r2\nSTS [0x4], r1", "FRND.FLOOR r1 = r0[0]\nF2I.FLOOR.NTZ r2 = r0[0]\nSTS [0x0], r2\nSTS [0x4], r1", combine},
	} {
		if got, want := run(t, head+c.in, c.phases...), "LDS.64 r0 = [0x0]\n"+c.want; got != want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, want)
		}
	}
}
