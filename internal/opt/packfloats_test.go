package opt_test

import (
	"testing"

	"github.com/goptxas/goptxas/internal/opt/float"
	"github.com/goptxas/goptxas/internal/opt/machine"
	"github.com/goptxas/goptxas/internal/ori"
)

// TestPackFloats: what PTX asks for on both words of a pair is one operation, whose
// sources lie side by side, are one word for both, or are copied.
func TestPackFloats(t *testing.T) {
	const load = "LDS.64 r4 = [0x0]\nLDS.64 r5 = [0x8]\nLDS r0 = [0x10]\nLDS r1 = [0x14]\n"
	const out = "\nSTS.64 [0x0], r6"
	run := []func(*ori.Func) bool{float.PackFloats}
	runCases(t, []phaseCase{
		{
			"side by side, with a sign", load + "FADD.PAIRED r6[0] = r4[0], -r5[0]\nFADD.PAIRED r6[1] = r4[1], -r5[1]" + out,
			load + "FADD2 r6 = r4, -r5" + out, run,
		},
		{
			"one word for both, and a number", load + "FFMA.RZ.PAIRED r6[0] = r4[0], r0, 0x3f800000\nFFMA.RZ.PAIRED r6[1] = r4[1], r0, 0x3f800000" + out,
			load + "FFMA2.RZ r6 = r4, r0, 0x3f800000" + out, run,
		},
		{
			"words of two registers, twice", load + "FMUL.PAIRED r6[0] = r0, r4[0]\nFMUL.PAIRED r6[1] = r1, r4[1]\nFMUL.PAIRED r5[0] = r0, r6[0]\nFMUL.PAIRED r5[1] = r1, r6[1]\nSTS.64 [0x0], r5",
			load + "COPY r9[0] = r0\nCOPY r9[1] = r1\nFMUL2 r6 = r9, r4\nFMUL2 r5 = r9, r6\nSTS.64 [0x0], r5", run,
		},
		{
			"a word that changes in between is copied again", load + "FMUL.PAIRED r6[0] = r0, r4[0]\nFMUL.PAIRED r6[1] = r1, r4[1]\nLDS r1 = [0x18]\nFMUL.PAIRED r5[0] = r0, r6[0]\nFMUL.PAIRED r5[1] = r1, r6[1]\nSTS.64 [0x0], r5",
			load + "COPY r9[0] = r0\nCOPY r9[1] = r1\nFMUL2 r6 = r9, r4\nLDS r1 = [0x18]\nCOPY r10[0] = r0\nCOPY r10[1] = r1\nFMUL2 r5 = r10, r6\nSTS.64 [0x0], r5", run,
		},
		{
			"results that go on alone, under a guard", load + "@p7 FADD.PAIRED r0 = r4[0], r5[0]\n@p7 FADD.PAIRED r1 = r4[1], r5[1]\nSTS [0x0], r0\nSTS [0x4], r1",
			load + "@p7 FADD2 r9 = r4, r5\n@p7 COPY r0 = r9[0]\n@p7 COPY r1 = r9[1]\nSTS [0x0], r0\nSTS [0x4], r1", run,
		},
		{
			"the second reads what the first makes", load + "FADD.PAIRED r6[0] = r4[0], r5[0]\nFADD.PAIRED r6[1] = r6[0], r5[1]" + out,
			load + "FADD.PAIRED r6[0] = r4[0], r5[0]\nFADD.PAIRED r6[1] = r6[0], r5[1]" + out, run,
		},
		{
			"a source of the first changes in between", load + "FADD.PAIRED r6[0] = r0, r5[0]\nLDS r0 = [0x18]\nFADD.PAIRED r6[1] = r0, r5[1]" + out,
			load + "FADD.PAIRED r6[0] = r0, r5[0]\nLDS r0 = [0x18]\nFADD.PAIRED r6[1] = r0, r5[1]" + out, run,
		},
		{
			"two signs", load + "FADD.PAIRED r6[0] = r4[0], -r5[0]\nFADD.PAIRED r6[1] = r4[1], r5[1]" + out,
			load + "FADD.PAIRED r6[0] = r4[0], -r5[0]\nFADD.PAIRED r6[1] = r4[1], r5[1]" + out, run,
		},
	})
}

// TestGuardedPairs: a pair leaves both words that its halves leave where their
// guard does not hold.
func TestGuardedPairs(t *testing.T) {
	const load = "LDS.64 r4 = [0x0]\nLDS.64 r5 = [0x8]\nLDS r0 = [0x10]\nLDS r1 = [0x14]\n"
	for _, c := range []struct{ name, in, want string }{
		{
			"side by side", "@p7 FADD.PAIRED r6[0] = r4[0], r5[0] else r4[0]\n@p7 FADD.PAIRED r6[1] = r4[1], r5[1] else r4[1]\nSTS.64 [0x0], r6",
			"@p7 FADD2 r6 = r4, r5 else r4\nSTS.64 [0x0], r6",
		},
		{
			"words of two registers", "@p7 FADD.PAIRED r2 = r4[0], r5[0] else r0\n@p7 FADD.PAIRED r3 = r4[1], r5[1] else r1\nSTS [0x0], r2\nSTS [0x4], r3",
			"COPY r10[0] = r0\nCOPY r10[1] = r1\n@p7 FADD2 r9 = r4, r5 else r10\nCOPY r2 = r9[0]\nCOPY r3 = r9[1]\nSTS [0x0], r2\nSTS [0x4], r3",
		},
		{
			"anything", "@p7 FADD.PAIRED r6[0] = r4[0], r5[0] else _\n@p7 FADD.PAIRED r6[1] = r4[1], r5[1] else _\n@p7 STS.64 [0x0], r6",
			"@p7 FADD2 r6 = r4, r5 else _\n@p7 STS.64 [0x0], r6",
		},
		{
			"one leaves anything", "@p7 FADD.PAIRED r6[0] = r4[0], r5[0] else r4[0]\n@p7 FADD.PAIRED r6[1] = r4[1], r5[1] else _\nSTS.64 [0x0], r6",
			"@p7 FADD.PAIRED r6[0] = r4[0], r5[0] else r4[0]\n@p7 FADD.PAIRED r6[1] = r4[1], r5[1] else _\nSTS.64 [0x0], r6",
		},
	} {
		if got := run(t, "props ssa\n"+regs+load+c.in, float.PackFloats); got != load+c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, load+c.want)
		}
	}
}

// TestExtremes: the greatest or least of three is one operation.
func TestExtremes(t *testing.T) {
	const load = "LDS r0 = [0x0]\nLDS r1 = [0x4]\nLDS r2 = [0x8]\n"
	all := func(f *ori.Func) bool { return machine.Extremes(f, func(*ori.Instr) bool { return true }) }
	none := func(f *ori.Func) bool { return machine.Extremes(f, func(*ori.Instr) bool { return false }) }
	same := func(name, text string, run func(*ori.Func) bool) phaseCase {
		return phaseCase{name, load + text, load + text, []func(*ori.Func) bool{run}}
	}
	runCases(t, []phaseCase{
		{
			"three", load + "FMNMX.NAN r3 = r0, |r1|, ~pt\nFMNMX.NAN r4[0] = r2, r3, ~pt\nSTS [0x0], r4[0]",
			load + "FMNMX3.NAN r4[0] = r0, |r1|, r2, ~pt\nSTS [0x0], r4[0]",
			[]func(*ori.Func) bool{all},
		},
		same("the least and the greatest", "FMNMX r3 = r0, r1, pt\nFMNMX r4[0] = r2, r3, ~pt\nSTS [0x0], r4[0]", all),
		same("what is between is read", "FMNMX r3 = r0, r1, pt\nFMNMX r4[0] = r2, r3, pt\nSTS [0x0], r4[0]\nSTS [0x4], r3", all),
		same("with a sign", "FMNMX r3 = r0, r1, pt\nFMNMX r4[0] = r2, -r3, pt\nSTS [0x0], r4[0]", all),
		same("no form", "FMNMX r3 = r0, r1, pt\nFMNMX r4[0] = r2, r3, pt\nSTS [0x0], r4[0]", none),
	})
}
