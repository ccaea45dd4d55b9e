package estimate

import (
	"slices"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/codegen/sched/tuning"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/target"
)

// scheduledText is a block, a loop of two instructions that reads what a load
// brings, and an end.
const scheduledText = `func f kernel {
reg r0 1/1
reg r1 1/1
reg p2 1/1
b0: -> b1
MOV r0 = rz
b1: -> b1, b2
LDG.E r1 = [r0+0x0]
IADD3 r0 = r1, r0, rz
@p2 BRA b1
b2:
EXIT
}
`

// TestEstimate: waiting for a load costs its time, in a loop again and again;
// a stall costs its cycles; with many warps only issuing counts.
func TestEstimate(t *testing.T) {
	a := target.Find("sm_90a")
	cost := func(wait uint8, stall uint8) Cost {
		m, err := ori.Parse(scheduledText)
		if err != nil {
			t.Fatal(err)
		}
		f := m.Funcs[0]
		for _, b := range f.Blocks {
			for i := range b.Instrs {
				i.Sched = ori.Sched{Stall: 1, WrBar: -1, RdBar: -1}
			}
		}
		load := f.Blocks[1].First()
		load.Sched.WrBar, load.Sched.Stall = 0, stall
		load.Next().Sched.Wait = wait
		return Of(f, a, 32)
	}
	free, waits, stalls := cost(0, 1), cost(1, 1), cost(0, 11)
	if d := waits.Latency - free.Latency; d < Turns*float64(Typical[target.ClassLdg])-Turns*8 {
		t.Errorf("waiting for a load in a loop costs %v cycles more", d)
	}
	if d := stalls.Latency - free.Latency; d != Turns*10 {
		t.Errorf("ten cycles in a loop cost %v", d)
	}
	if free.Issue != waits.Issue || free.Issue != 2+3*Turns {
		t.Errorf("issues in %v and %v cycles", free.Issue, waits.Issue)
	}
	if !(free.Price() < stalls.Price() && stalls.Price() < waits.Price()) {
		t.Errorf("prices %v, %v, %v", free.Price(), stalls.Price(), waits.Price())
	}
}

// TestWarps counts the warps that fit.
func TestWarps(t *testing.T) {
	f := (&ori.Module{}).NewFunc("f")
	for _, c := range []struct {
		threads, shared, registers int32
		want                       float64
	}{
		{32, 0, 40, 8}, {32, 0, 72, 7}, {0, 0, 32, 16}, {0, 0, 33, 12}, {0, 0, 40, 12}, {64, 0, 40, 12}, {0, 0, 255, 2}, {1024, 0, 32, 16}, {1024, 0, 40, 8}, {96, 0, 128, 3.75}, {256, 100 << 10, 32, 4}, {1024, 200 << 10, 255, 8},
	} {
		f.Props.MaxNTid, f.Props.SharedBytes = [3]int32{c.threads, 1, 1}, c.shared
		if got := Warps(f, c.registers); got != c.want {
			t.Errorf("%+v: %v warps", c, got)
		}
	}
}

// TestCliffs: only registers that cost a block count, and those that leave room for runs.
func TestCliffs(t *testing.T) {
	f := (&ori.Module{}).NewFunc("f")
	for _, c := range []struct {
		threads int32
		want    Cliffs
	}{
		{0, usual},
		{32, Cliffs{64, 72, 80, 96, 128, 168, 255}},
		{64, usual},
		{128, usual},
		{256, Cliffs{32, 40, 48, 64, 80, 128, 208, 255}},
		{512, Cliffs{32, 40, 64, 104, 128, 255}},
		{1024, Cliffs{32, 48, 64, 255}},
		{4096, usual}, // which no multiprocessor holds
		{-1, usual},   // in 32 bits
	} {
		f.Props.ReqNTid = [3]int32{c.threads}
		got := CliffsOf(f, target.Find("sm_90a"))
		if !slices.Equal(got, c.want) {
			t.Errorf("blocks of %d threads: %v", c.threads, got)
		}
		for n, x := range got[1:] {
			if got.Of(x-Tight) != x || got.Of(x-Tight+1) == x || got.Below(x) != got[n]-Tight || got.StepBelow(x-Tight) != got[n] {
				t.Errorf("blocks of %d threads: %d registers are a step on %v", c.threads, x, got)
			}
		}
	}
}

// TestCompany: instructions issue the earlier the fewer warps share a scheduler, and rows
// of a warp that meets none of its block there need more turns.
func TestCompany(t *testing.T) {
	s := tuning.Usual().Slacks
	f := (&ori.Module{}).NewFunc("f")
	for _, c := range []struct {
		threads, registers int32
		slack, turns       int
	}{{256, 148, s.Alone, 2}, {256, 128, s.Product, 2}, {384, 168, s.Product, 2}, {128, 176, s.Pair, 3}, {128, 168, s.Product, 3}, {128, 255, s.Pair, 3}} {
		f.Props.ReqNTid = [3]int32{c.threads, 1, 1}
		if slack, turns := Slack(f, c.registers, &s), LeastTurns(f); slack != c.slack || turns != c.turns {
			t.Errorf("%+v: slack %d, %d turns", c, slack, turns)
		}
	}
}

// TestReach: the farthest constant in an address of shared memory bounds the blocks, that of
// another memory does not.
func TestReach(t *testing.T) {
	for _, c := range []struct {
		text string
		want int32
	}{
		{"STS [r0+0x1c00], r0", 8},
		{"STS [r0+0x1d000], r0", 1},
		{"LDS r0 = [r0+0xe000]", 4},
		{"STL [r0+0x1c000], r0", 8},
		{"LDGSTS.E.BYPASS.128 [r0+0x11000], desc[u2], [r1.64+0x0]", 3},
		{"LDGSTS.E.BYPASS.128 [r0+0x0], desc[u2], [r1.64+0x12000]", 8},
		// 256 threads write 4,096 bytes with each
		{"STS.128 [r0+0x18000], r3\nSTS.128 [r0+0x18800], r3\nSTS.128 [r0+0x19000], r3\nSTS.128 [r0+0x19800], r3", 2},
		{"STS.128 [r0+0x18000], r3\nSTS.128 [r0+0x18800], r3\nSTS.128 [r0+0x19000], r3\nSTS.128 [r0+0x19800], r3\nSTS.128 [r0+0x1a000], r3", 1},
		{"STS.128 [r0+0x18000], r3\nSTS.128 [r0+0x18008], r3\nSTS.128 [r0+0x18008], r3\nSTS.128 [r0+0x18000], r3\nSTS.128 [r0+0x18000], r3", 2},
	} {
		m, err := ori.Parse("func f kernel {\nreg r0 1/1\nreg r1 2/2\nreg u2 2/2\nreg r3 4/4\nb0:\n" + c.text + "\nEXIT\n}\n")
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := Blocks(m.Funcs[0], 32); got != c.want {
			t.Errorf("%s: %d blocks", c.text, got)
		}
	}
}

// TestRing: copies that a wait leaves running, the next ones and what is read meanwhile bound the
// blocks, and registers that would cost more of them cost nothing.
func TestRing(t *testing.T) {
	const copies = "LDGSTS.E.BYPASS.128 [r0+0x0], desc[u2], [r1.64+0x0]\n"
	for _, c := range []struct {
		threads         int32
		text            string
		blocks, sharing int32 // and how many threads these have
		cliff           bool  // at 128 registers
	}{
		{0, "LDS r0 = [r0+0x0]\n" + strings.Repeat(copies, 8) + "LDGDEPBAR\nDEPBAR.LE SB0, 0x2\nBAR.SYNC 0x0\n", 3, 128, false},
		{128, "LDS r0 = [r0+0x0]\n" + strings.Repeat(copies, 8) + "LDGDEPBAR\nDEPBAR.LE SB0, 0x2\nBAR.SYNC 0x0\n", 3, 128, false},
		{128, "LDS r0 = [r0+0x0]\n" + strings.Repeat(copies+"LDGDEPBAR\n", 8) + "DEPBAR.LE SB0, 0x10\nBAR.SYNC 0x0\n", 3, 128, false},
		{128, "LDS r0 = [r0+0x0]\nBAR.SYNC 0x0\n" + strings.Repeat(copies, 8) + "LDGDEPBAR\nDEPBAR.LE SB0, 0x2\nBAR.SYNC 0x0\n", 4, 128, true},
		{128, "LDS r0 = [r0+0x0]\n" + strings.Repeat(copies, 8) + "LDGDEPBAR\nDEPBAR.LE SB0, 0x0\nBAR.SYNC 0x0\n", 7, 128, true},
		{0, strings.Repeat(copies, 8) + "LDGDEPBAR\n", 8, 256, true},
	} {
		m, err := ori.Parse("func f kernel {\nreg r0 1/1\nreg r1 2/2\nreg u2 2/2\nb0:\n" + c.text + "EXIT\n}\n")
		if err != nil {
			t.Fatal(err)
		}
		f := m.Funcs[0]
		f.Props.ReqNTid = [3]int32{c.threads, 1, 1}
		blocks, threads := Blocks(f, 32)
		if cliff := slices.Contains(CliffsOf(f, target.Find("sm_90a")), 128); blocks != c.blocks || threads != c.sharing || cliff != c.cliff {
			t.Errorf("%d threads, %s: %d blocks of %d, a step at 128 registers: %v", c.threads, c.text, blocks, threads, cliff)
		}
		if !slices.Contains(CliffsOf(f, target.Find("sm_100a")), 128) {
			t.Errorf("%d threads, %s: no step at 128 registers on sm_100a", c.threads, c.text)
		}
		if got := Guessed(f); got != (c.threads == 0 && c.sharing == 128) {
			t.Errorf("%d threads, %s: guessed %v", c.threads, c.text, got)
		}
	}
}
