package opt_test

import (
	"testing"

	"github.com/goptxas/goptxas/internal/opt/dead"
	"github.com/goptxas/goptxas/internal/opt/machine"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// TestGroups shares vectors made of the same words while those stay.
func TestGroups(t *testing.T) {
	all := func(f *ori.Func) bool { return machine.ShareGroups(f, func(*ori.Instr) bool { return true }) }
	none := func(f *ori.Func) bool {
		return machine.ShareGroups(f, func(i *ori.Instr) bool { return i.Op != op.HMMA })
	}
	const (
		load  = "LDS r0 = [0x0]\nLDS r1 = [0x4]\n"
		first = "COPY r4[0] = r0\nCOPY r4[1] = r1\nSTS.64 [0x8], r4\n"
		again = "COPY r5[0] = r0\nCOPY r5[1] = r1\nSTS.64 [0x10], r5"
	)
	same := func(text string) phaseCase {
		return phaseCase{"stays", text, text, []func(*ori.Func) bool{all}}
	}
	runCases(t, []phaseCase{
		{"the same words", load + first + again, load + first + "STS.64 [0x10], r4", []func(*ori.Func) bool{all}},
		same(load + first + "COPY r5[0] = r1\nCOPY r5[1] = r0\nSTS.64 [0x10], r5"),
		same(load + first + "LDS r0 = [0x20]\n" + again),
		same(load + first + again + "\nLDS r5[0] = [0x20]\nSTS.64 [0x10], r5"),
		{
			"read elsewhere", load + first + again + "\nBRA b1\nb1:\nSTS.64 [0x10], r5", load + first + again + "\nBRA b1\nSTS.64 [0x10], r5",
			[]func(*ori.Func) bool{all},
		},
		{
			"zeros", "LDS.64 r4 = [0x0]\nCOPY r5[0] = rz\nCOPY r5[1] = rz\nHMMA.16816.F16 r6 = r4, r4, r5\nSTS.64 [0x10], r6",
			"LDS.64 r4 = [0x0]\nHMMA.16816.F16 r6 = r4, r4, rz\nSTS.64 [0x10], r6",
			[]func(*ori.Func) bool{all, dead.DeadCode},
		},
		{
			"no form", "LDS.64 r4 = [0x0]\nCOPY r5[0] = rz\nCOPY r5[1] = rz\nHMMA.16816.F16 r6 = r4, r4, r5\nSTS.64 [0x10], r6",
			"LDS.64 r4 = [0x0]\nCOPY r5[0] = rz\nCOPY r5[1] = rz\nHMMA.16816.F16 r6 = r4, r4, r5\nSTS.64 [0x10], r6",
			[]func(*ori.Func) bool{none, dead.DeadCode},
		},
	})
}
