package isel

import (
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// convergeCases are branches and loops, with what they become.
var convergeCases = []struct{ name, in, want string }{
	{"diamond", `b0: -> b2, b1
@p0 BRA b2
b1: -> b3
BRA b3
b2: -> b3
b3:
RET`, `b0: BSSY k1 = b3 / @p0 BRA b2
b1: BRA b3
b2:
b3: BSYNC k1 / RET`},
	{"loop", `b0: -> b1
MOV r1 = rz
b1: -> b1, b2
@p0 BRA b1
b2:
RET`, `b0: MOV r1 = rz / BSSY k2 = b2
b1: @p0 BRA b1
b2: BSYNC k2 / RET`},
	{"loop with several ways in at its top", `b0: -> b2, b1
@p0 BRA b2
b1: -> b2
NOP
b2: -> b2, b3
@p0 BRA b2
b3:
RET`, `b0: BSSY k1 = b4 / @p0 BRA b4
b1: NOP
b4: BSYNC k1 / BSSY k2 = b3
b2: @p0 BRA b2
b3: BSYNC k2 / RET`},
	{"in a loop that is left by guarded exits alone", `b0: -> b1
NOP
b1: -> b3, b2
@p0 BRA b3
b2: -> b3
NOP
b3: -> b1
@p0 EXIT
BRA b1`, `b0: NOP
b1: BSSY k1 = b3 / @p0 BRA b3
b2: NOP
b3: BSYNC k1 / @p0 EXIT / BRA b1`},
	{"in a loop that nothing leaves, beside an exit", `b0: -> b4, b1
@p0 BRA b4
b1: -> b3, b2
@p0 BRA b3
b2: -> b3
NOP
b3: -> b1
BRA b1
b4:
RET`, `b0: @p0 BRA b4
b1: BSSY k1 = b3 / @p0 BRA b3
b2: NOP
b3: BSYNC k1 / BRA b1
b4: RET`},
	{"nested ifs with one end", `b0: -> b3, b1
@p0 BRA b3
b1: -> b3, b2
@p0 BRA b3
b2: -> b3
NOP
b3:
RET`, `b0: BSSY k1 = b3 / @p0 BRA b3
b1: @p0 BRA b3
b2: NOP
b3: BSYNC k1 / RET`},
	{"nothing left to do", `b0: -> b2, b1
@p0 BRA b2
b1: -> b2
NOP
b2:
EXIT`, `b0: @p0 BRA b2
b1: NOP
b2: EXIT`},
	{"exit inside", `b0: -> b2, b1
@p0 BRA b2
b1:
EXIT
b2:
EXIT`, `b0: @p0 BRA b2
b1: EXIT
b2: EXIT`},
	{"reconvergence point with another way in", `b0: -> b4, b1
@p0 BRA b4
b1: -> b3, b2
@p0 BRA b3
b2: -> b4
BRA b4
b3: -> b4
b4:
RET`, `b0: BSSY k1 = b4 / @p0 BRA b4
b1: @p0 BRA b3
b2: BRA b4
b3:
b4: BSYNC k1 / RET`},
	{"break out of two loops", `b0: -> b1
NOP
b1: -> b2
NOP
b2: -> b6, b3
@p0 BRA b6
b3: -> b5, b4
@p0 BRA b5
b4: -> b2, b5
@p0 BRA b2
b5: -> b1, b6
@p0 BRA b1
b6:
RET`, `b0: NOP / BSSY k1 = b6
b1: NOP / BSSY k2 = b5
b2: @p0 BREAK k2 / @p0 BRA b6
b3: @p0 BRA b5
b4: @p0 BRA b2
b5: BSYNC k2 / @p0 BRA b1
b6: BSYNC k1 / RET`},
	{"break in one arm", `b0: -> b1
NOP
b1: -> b4, b2
@p0 BRA b4
b2: -> b3, b5
@p0 BRA b3
b5: -> b6
BRA b6
b3: -> b4
NOP
b4: -> b1, b6
@p0 BRA b1
b6:
RET`, `b0: NOP / BSSY k1 = b6
b1: BSSY k2 = b4 / @p0 BRA b4
b2: @~p0 BREAK k2 / @p0 BRA b3
b5: BRA b6
b3: NOP
b4: BSYNC k2 / @p0 BRA b1
b6: BSYNC k1 / RET`},
	{"loop with two ways in", `b0: -> b2, b1
@p0 BRA b2
b1: -> b2
NOP
b2: -> b1, b3
@p0 BRA b1
b3:
RET`, `b0: BSSY k1 = b3 / @p0 BRA b2
b1: NOP
b2: @p0 BRA b1
b3: BSYNC k1 / RET`},
	{"two loops with one head", `b0: -> b1
NOP
b1: -> b1, b2
@p0 BRA b1
b2: -> b1, b3
@p0 BRA b1
b3:
RET`, `b0: NOP / BSSY k1 = b3
b1: @p0 BRA b1
b2: @p0 BRA b1
b3: BSYNC k1 / RET`},
	{"turns that end in two places", `b0: -> b1
NOP
b1: -> b4, b2
@p0 BRA b4
b2: -> b3, b5
@p0 BRA b3
b5: -> b6
BRA b6
b3: -> b1
BRA b1
b4: -> b1, b6
@p0 BRA b1
b6:
RET`, `b0: NOP / BSSY k1 = b6
b9: BSYNC k2
b1: BSSY k2 = b9 / @p0 BRA b4
b2: @~p0 BREAK k2 / @p0 BRA b3
b5: BRA b6
b3: BRA b9
b4: @~p0 BREAK k2 / @p0 BRA b9
b6: BSYNC k1 / RET`},
}

// TestConverge checks where threads are noted and where they meet.
func TestConverge(t *testing.T) {
	always := func(*ori.Block) bool { return true }
	for _, c := range convergeCases {
		m, err := ori.Parse("func f {\nreg p0 1/1\n" + needs(c.in) + c.in + "\n}\n")
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		f := m.Funcs[0]
		Converge(f, always)
		var got []string
		for _, b := range f.Blocks {
			var list []string
			for i := range b.Instrs {
				list = append(list, string(f.AppendInstr(nil, i)))
			}
			got = append(got, strings.TrimSpace("b"+string('0'+byte(b.ID))+": "+strings.Join(list, " / ")))
		}
		if s := strings.Join(got, "\n"); s != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, s, c.want)
		}
	}
}

func needs(text string) string {
	if strings.Contains(text, "r1") {
		return "reg r1 1/1\n"
	}
	return ""
}

// TestConvergeCalls: a function gathers no threads behind its own calls; a
// kernel does.
func TestConvergeCalls(t *testing.T) {
	for _, kernel := range []bool{false, true} {
		m, err := ori.Parse(`func f {
reg p0 1/1
reg r1 2/2
b0: -> b2, b1
@p0 BRA b2
b1: -> b2
CALL.REL.NOINC &f, r1
b2:
RET
}
`)
		if err != nil {
			t.Fatal(err)
		}
		f := m.Funcs[0]
		f.Kernel, f.Props.HasCalls = kernel, true
		Converge(f, func(*ori.Block) bool { return true })
		if got := strings.Contains(string(f.Append(nil)), "BSYNC"); got != kernel {
			t.Errorf("kernel %v: gathers %v\n%s", kernel, got, f.Append(nil))
		}
	}
}

// TestConvergeLoopsInRow: of two loops that are left to one place, the second
// of which not only threads of the first come to, both are noted before the
// branch that leads to them.
func TestConvergeLoopsInRow(t *testing.T) {
	m, err := ori.Parse(`func f kernel {
reg p0 1/1
b0: -> b2, b1
@p0 BRA b2
b1: -> b4, b3
@p0 BRA b4
b3: -> b1, b2
@p0 BRA b1
b2: -> b2, b4
@p0 BRA b2
b4:
NOP
EXIT
}
`)
	if err != nil {
		t.Fatal(err)
	}
	f := m.Funcs[0]
	if !Converge(f, func(b *ori.Block) bool { return b.ID == 1 || b.ID == 3 }) {
		t.Errorf("threads stay apart:\n%s", f.Append(nil))
	}
	if i := f.Blocks[0].First(); i == nil || i.Op != op.BSSY {
		t.Errorf("nobody notes the threads:\n%s", f.Append(nil))
	}
}

// TestConvergeTurns: threads that part before a loop and threads that part in
// its turns gather at its head, each for themselves.
func TestConvergeTurns(t *testing.T) {
	m, err := ori.Parse(`func f kernel {
reg p0 1/1
b0: -> b2, b1
@p0 BRA b2
b1: -> b2
NOP
b2: -> b6, b3
@p0 BRA b6
b3: -> b5, b4
@p0 BRA b5
b4: -> b2
BRA b2
b5: -> b2
NOP
BRA b2
b6:
RET
}
`)
	if err != nil {
		t.Fatal(err)
	}
	f := m.Funcs[0]
	if !Converge(f, func(b *ori.Block) bool { return b.ID == 0 || b.ID == 3 }) {
		t.Errorf("threads stay apart:\n%s", f.Append(nil))
	}
	for _, b := range f.Blocks {
		if i := b.First(); (b.ID == 0 || b.ID == 3) && (i == nil || i.Op != op.BSSY) {
			t.Errorf("nobody notes the threads of b%d:\n%s", b.ID, f.Append(nil))
		}
	}
}
