package opt_test

import (
	"testing"

	"github.com/goptxas/goptxas/internal/opt/float"
	"github.com/goptxas/goptxas/internal/ori"
)

// TestContractReaders: of two products the one with fewer readers becomes
// part of a sum, and one that is needed as it is becomes part of none. The
// results are the reference's.
func TestContractReaders(t *testing.T) {
	const (
		load  = "LDS r0 = [0x0]\nLDS r1 = [0x4]\nLDS r2 = [0x8]\n"
		first = "FMUL.CONTRACT r3 = r0, r1\n"
		other = "FMUL.CONTRACT r4[0] = r1, r2\n"
		both  = "FADD.CONTRACT r5[0] = r3, r4[0]\n"
		rest  = "FADD.CONTRACT r5[1] = r3, r0\n"
		more  = "FADD.CONTRACT r6[0] = r4[0], r0\n"
		out   = "STS [0x0], r5[0]\nSTS [0x4], r5[1]"
		outs  = out + "\nSTS [0x8], r6[0]"
	)
	run := []func(*ori.Func) bool{float.Contract}
	runCases(t, []phaseCase{
		{
			"equal", load + first + other + both + "STS [0x0], r5[0]",
			load + "FMUL.CONTRACT r4[0] = r1, r2\nFFMA r5[0] = r0, r1, r4[0]\nSTS [0x0], r5[0]", run,
		},
		{
			"the second has one reader", load + first + other + both + rest + out,
			load + first + "FFMA r5[0] = r1, r2, r3\n" + rest + out, run,
		},
		{
			"and comes later", load + first + other + rest + both + out,
			load + first + rest + "FFMA r5[0] = r1, r2, r3\n" + out, run,
		},
		{
			"two readers each", load + first + other + both + rest + more + outs,
			load + other + "FFMA r5[0] = r0, r1, r4[0]\nFFMA r5[1] = r0, r1, r0\n" + more + outs, run,
		},
		{
			"two readers each, those before the sum of both", load + first + other + rest + more + both + outs,
			load + other + "FFMA r5[1] = r0, r1, r0\nFFMA r6[0] = r1, r2, r0\nFFMA r5[0] = r0, r1, r4[0]\n" + outs, run,
		},
	})
}
