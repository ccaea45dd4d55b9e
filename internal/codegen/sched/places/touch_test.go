package places

import (
	"testing"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// TestConflicts: accesses keep their order unless they only read, are in
// different memory, or are known to lie beside each other.
func TestConflicts(t *testing.T) {
	at := func(space op.Space, write bool, base int32, version, lo int64) Touch {
		return Touch{Space: space, Write: write, Base: base, Version: version, Lo: lo, Hi: lo + 4}
	}
	copied := Touch{Space: op.SpaceGlobal | op.SpaceShared, Reads: op.SpaceGlobal, Write: true, Strict: true, Base: -1}
	for _, c := range []struct {
		what string
		a, b Touch
		want bool
	}{
		{"a copy and a load of what it reads", copied, at(op.SpaceGlobal, false, -1, 0, 0), false},
		{"a copy and a store there", copied, at(op.SpaceGlobal, true, -1, 0, 0), true},
		{"a copy and a load of what it writes", copied, at(op.SpaceShared, false, -1, 0, 0), true},
		{"a copy and the frame", copied, at(op.SpaceLocal, true, -1, 0, 0), false},
		{"two copies", copied, copied, true},
		{"two reads", at(op.SpaceGlobal, false, -1, 0, 0), at(op.SpaceGlobal, false, -1, 0, 0), false},
		{"a write and a read anywhere", at(op.SpaceGlobal, true, -1, 0, 0), at(op.SpaceGlobal, false, -1, 0, 0), true},
		{"other memory", at(op.SpaceGlobal, true, -1, 0, 0), at(op.SpaceShared, false, -1, 0, 0), false},
		{"the same bytes", at(op.SpaceShared, true, 3, 1, 0), at(op.SpaceShared, false, 3, 1, 2), true},
		{"bytes beside", at(op.SpaceShared, true, 3, 1, 0), at(op.SpaceShared, false, 3, 1, 4), false},
		{"a base that was written again", at(op.SpaceShared, true, 3, 1, 0), at(op.SpaceShared, false, 3, 2, 4), true},
	} {
		if c.a.Conflicts(&c.b) != c.want || c.b.Conflicts(&c.a) != c.want {
			t.Errorf("%s: conflict %v", c.what, !c.want)
		}
	}
}

// TestCovers: a copy speaks for those before it, but not for what touches more.
func TestCovers(t *testing.T) {
	copied := Touch{Space: op.SpaceGlobal | op.SpaceShared, Reads: op.SpaceGlobal, Write: true, Strict: true, Base: -1}
	stored := Touch{Space: op.SpaceGlobal, Write: true, Strict: true, Base: -1}
	atomic := Touch{Space: flow.Anything, Write: true, Strict: true, Base: -1}
	plain := Touch{Space: op.SpaceShared, Write: true, Base: -1}
	for n, c := range []struct {
		a, b *Touch
		want bool
	}{{&copied, &copied, true}, {&copied, &stored, false}, {&atomic, &copied, true}, {&atomic, &stored, true}, {&copied, &plain, false}, {&plain, &copied, false}} {
		if c.a.Covers(c.b) != c.want {
			t.Errorf("%d: covers %v", n, !c.want)
		}
	}
}

// TestHolds: which instructions no access to memory passes.
func TestHolds(t *testing.T) {
	m, err := ori.Parse("func f kernel {\nreg r0 1/1\nb0:\nBAR.SYNC 0x0\nWARPGROUP.ARRIVE\nIADD3 r0 = r0, 0x1, rz\nEXIT\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	want := []bool{true, true, false, false}
	n := 0
	for i := range m.Funcs[0].Blocks[0].Instrs {
		if HoldsMemory(i) != want[n] {
			t.Errorf("%s holds memory: %v", m.Funcs[0].AppendInstr(nil, i), !want[n])
		}
		n++
	}
}
