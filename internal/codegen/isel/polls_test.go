package isel

import (
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// TestYieldPolls: loops yield that threads leave by what others write.
func TestYieldPolls(t *testing.T) {
	for _, c := range [...]struct {
		name, loop string
		yields     bool
	}{
		{"a strong load", "LDG.E.STRONG.SYS r1 = [r2+0x0]\nISETP.EQ.AND p0 = r1, rz, pt", true},
		{"a plain one", "LDG.E r1 = [r2+0x0]\nISETP.EQ.AND p0 = r1, rz, pt", false},
		{"an atomic", "ATOMS.ADD r1 = [r2+0x0], r3\nISETP.EQ.AND p0 = r1, rz, pt", true},
		{"one of a counted loop", "ATOMS.ADD r1 = [r2+0x0], r3\nIADD3 r3 = r3, -0x1, rz\nISETP.EQ.AND p0 = r3, rz, pt", false},
		{"one place of shared memory", "LDS r1 = [r2+0x0]\nISETP.EQ.AND p0 = r1, rz, pt", true},
		{"several places", "LDS r1 = [r2+0x0]\nIADD3 r2 = r2, 0x4, rz\nISETP.EQ.AND p0 = r1, rz, pt", false},
		{"what was computed from it", "LDS r1 = [r2+0x0]\nIADD3 r3 = r1, 0x4, rz\nISETP.EQ.AND p0 = r3, rz, pt", true},
	} {
		m, err := ori.Parse("func f kernel {\nreg p0 1/1\nreg r1 1/1\nreg r2 1/1\nreg r3 1/1\nb0: -> b1\nNOP\nb1: -> b1, b2\n" + c.loop + "\n@p0 BRA b1\nb2:\nEXIT\n}\n")
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		f := m.Funcs[0]
		YieldPolls(f, f.Blocks[1:2])
		if strings.Contains(f.String(), "YIELD") {
			t.Errorf("%s: a loop that lowering made yields", c.name)
		}
		YieldPolls(f, nil)
		if got := f.Blocks[1].First().Op == op.YIELD; got != c.yields {
			t.Errorf("%s: yields %v, want %v", c.name, got, c.yields)
		}
		DropYields(f, func(*ori.Block) bool { return false })
		if strings.Contains(f.String(), "YIELD") {
			t.Errorf("%s: threads that are together yield", c.name)
		}
	}
}

// TestYieldWaits: loops that wait for an mbarrier yield where threads of the
// same warp that are elsewhere have something to do.
func TestYieldWaits(t *testing.T) {
	const wait = "SYNCS.PHASECHK.TRANS64.TRYWAIT p1 = [r5+0x0], +[urz], r6\n"
	for _, c := range [...]struct {
		name, parts, loop, other string
		yields                   bool
	}{
		{"the other arm arrives", "p0", wait, "SYNCS.ARRIVE.TRANS64.A1T0 rz = [r5+0x0], +[urz], rz", true},
		{"the other arm stores", "p0", wait, "STS [r5+0x0], r6", true},
		{"the other arm only computes", "p0", wait, "IADD3 r3 = r3, 0x1, rz", false},
		{"the loop sleeps", "p0", wait + "@~p1 NANOSLEEP.SYNCS 0x64\n", "STS [r5+0x0], r6", false},
		{"threads stay together", "p2", wait, "STS [r5+0x0], r6", false},
	} {
		m, err := ori.Parse("func f kernel {\nreg p0 1/1\nreg p1 1/1\nreg p2 1/1\nreg r3 1/1\nreg r4 1/1\nreg r5 1/1\nreg r6 1/1\nreg k7 1/1\nreg k8 1/1\n" +
			"b0: -> b4, b1\nS2R r3 = SR_TID.X\nS2R r4 = SR_CTAID.X\nMOV r5 = 0x400\nMOV r6 = rz\nISETP.LT.AND p0 = r3, 0x10, pt\nISETP.LT.AND p2 = r4, 0x10, pt\nBSSY k7 = b5\n@" + c.parts + " BRA b4\n" +
			"b1: -> b2\nBSSY k8 = b3\nb2: -> b2, b3\n" + c.loop + "@~p1 BRA b2\nb3: -> b5\nBSYNC k8\nBRA b5\nb4: -> b5\n" + c.other + "\nb5:\nBSYNC k7\nEXIT\n}\n")
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		f := m.Funcs[0]
		u := flow.UniformityOf(f)
		got := YieldWaits(f, u, flow.DivergenceOf(f, u))
		if got != c.yields || got != strings.Contains(f.String(), "YIELD") {
			t.Errorf("%s: yields %v, want %v\n%s", c.name, got, c.yields, f)
		}
	}
}
