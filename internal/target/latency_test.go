package target

import "testing"

func TestClassesAreNamed(t *testing.T) {
	for c := range NumClasses {
		if classes[c].name == "" {
			t.Errorf("class %d has no name", c)
		}
		if c.Pipe() == noPipe {
			t.Errorf("class %s has no pipe", c)
		}
	}
}

// TestTablesComplete looks for holes: every fixed-latency producer of general
// registers has a full row on every architecture, and rows agree with what
// Any says.
func TestTablesComplete(t *testing.T) {
	producers := []Class{
		ClassAlu, ClassFma, ClassImad, ClassImadHi, ClassWide, ClassWideHi, ClassHalf, ClassHalf32, ClassHalfCmp, ClassHmmaFma,
		ClassFp64, ClassImma88, ClassMma1, ClassMma2, ClassQmma, ClassVote, ClassP2r, ClassCs2r32, ClassCs2r64,
	}
	cells := 0
	for n := range Chips {
		x := &struct {
			SM int
			*Timing
		}{Chips[n].SM, Chips[n].timing}
		for _, c := range producers {
			for s := range SinkArriveA {
				if x.gpr[c][s] == 0 {
					t.Errorf("sm_%d: %s has no number for reader %d", x.SM, c, s)
				}
				cells++
			}
			if x.Any(FileR, c) > 40 {
				t.Errorf("sm_%d: %s takes %d", x.SM, c, x.Any(FileR, c))
			}
		}
		for c := range NumClasses {
			for d := range NumClasses {
				for f := range NumFiles {
					if x.WAW(f, c, d) < 1 || x.WAR(f, c, d) < 1 || x.WAR(f, c, d) > 8 {
						t.Errorf("sm_%d: order of %s and %s in file %d: %d, %d", x.SM, c, d, f, x.WAW(f, c, d), x.WAR(f, c, d))
					}
				}
				if x.Gap(c, d) > MaxGap || x.Gap(c, d) > 0 && !HasGap(c) {
					t.Errorf("sm_%d: gap from %s to %s is %d", x.SM, c, d, x.Gap(c, d))
				}
				if x.Busy(c, d) < 1 {
					t.Errorf("sm_%d: busy %s %s", x.SM, c, d)
				}
			}
		}
	}
	t.Logf("%d cells on %d architectures", cells, len(Chips))
}

// TestQueued compares the two statements about queues: what Assign uses must
// be what Check accepts.
func TestQueued(t *testing.T) {
	for _, q := range queued {
		if g := ReadGroup(q[0]); g == 0 || g != ReadGroup(q[1]) || !Queued(q[0], q[1]) {
			t.Errorf("%s and %s read in different queues", q[0], q[1])
		}
	}
	if Queued(ClassLdg, ClassAlu) || Queued(ClassAlu, ClassAlu) {
		t.Error("ALU operations in a queue")
	}
}

// TestNearest gives every architecture the tables of the nearest measured.
func TestNearest(t *testing.T) {
	want := []struct {
		name string
		t    *Timing
	}{
		{"sm_75", &timingSM75},
		{"sm_80", &timingSM80},
		{"sm_86", &timingSM86},
		{"sm_88", &timingSM86},
		{"sm_89", &timingSM86},
		{"sm_90", &timingSM90},
		{"sm_90a", &timingSM90},
		{"sm_100f", &timingSM100},
		{"sm_103a", &timingSM103},
		{"sm_110", &timingSM110},
		{"sm_120", &timingSM120},
		{"sm_121f", &timingSM120},
	}
	for _, w := range want {
		if TimingOf(Find(w.name)) != w.t {
			t.Errorf("%s uses other tables", w.name)
		}
	}
}

// TestKnownNumbers pins numbers that were measured on hardware.
func TestKnownNumbers(t *testing.T) {
	x := TimingOf(Find("sm_90a"))
	tests := []struct {
		name string
		got  int
		want int
	}{
		{"alu to alu", x.RAW(FileR, ClassAlu, SinkAlu), 4},
		{"alu to fma", x.RAW(FileR, ClassAlu, SinkFma), 5},
		{"imad to imad", x.RAW(FileR, ClassImad, SinkImad), 4},
		{"alu to address", x.RAW(FileR, ClassAlu, SinkAddress), 5},
		{"fp64 to fp64", x.RAW(FileR, ClassFp64, SinkFp64), 8},
		{"wide low to alu", x.RAW(FileR, ClassWide, SinkAlu), 3},
		{"wide high to alu", x.RAW(FileR, ClassWideHi, SinkAlu), 5},
		{"matrix to alu", x.RAW(FileR, ClassMma2, SinkAlu), 24},
		{"predicate to guard", x.RAW(FileP, ClassAlu, SinkPredSlow), 13},
		{"uniform to uniform", x.RAW(FileUR, ClassUdp, SinkUniUdp), 4},
		{"a barrier to arithmetic", x.Gap(ClassBar, ClassAlu), 0},
		{"a barrier to a constant", x.Gap(ClassBar, ClassUldc), 6},
		{"a barrier to a double", x.Gap(ClassBar, ClassFp64), 6},
		{"R2UR to vector", x.RAW(FileUR, ClassR2ur, SinkUniVector), 13},
		{"load over alu", x.WAW(FileR, ClassAlu, ClassLdg), 6},
		{"elect over what the uniform datapath reads", x.WAR(FileUR, ClassUdp, ClassElect), 3},
		{"vote over what the uniform datapath reads", x.WAR(FileUR, ClassUdp, ClassVoteu), 3},
		{"elect over a uniform result", x.WAW(FileUR, ClassUdp, ClassElect), 7},
		{"vote over a carry that is read", x.WAR(FileUP, ClassUdp, ClassVoteu), 2},
		{"vote over a carry", x.WAW(FileUP, ClassUdp, ClassVoteu), 7},
		{"a move over the mask of an election", x.WAW(FileUR, ClassElect, ClassUmov), 4},
		{"uniform over what it reads", x.WAR(FileUR, ClassUdp, ClassUdp), 1},
		{"any over matrix", x.WAW(FileR, ClassMma2, ClassAlu), 24},
		{"alu over matrix sources", x.WAR(FileR, ClassMma2, ClassAlu), 7},
	}
	for _, c := range tests {
		if c.got != c.want {
			t.Errorf("%s: %d, want %d", c.name, c.got, c.want)
		}
	}
	if x.Variable(ClassFp64) || !TimingOf(Find("sm_80")).Variable(ClassFp64) || x.Variable(ClassMma2) || !TimingOf(Find("sm_75")).Variable(ClassMma2) {
		t.Error("wrong units announce their results by barriers")
	}
}
