package isel

import (
	"fmt"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// nested writes n branches inside each other, each with a region of its own,
// and what stands inside of all.
func nested(t *testing.T, n int, inside string) *ori.Func {
	t.Helper()
	var b strings.Builder
	b.WriteString("func f {\nreg r0 2/2\nreg p1 1/1\n")
	for k := range n {
		fmt.Fprintf(&b, "b%d: -> b%d, b%d\n@p1 BRA b%d\n", k, 2*n-k, k+1, 2*n-k)
	}
	fmt.Fprintf(&b, "b%d: -> b%d\n%s\n", n, n+1, inside)
	for k := n + 1; k < 2*n; k++ {
		fmt.Fprintf(&b, "b%d: -> b%d\nNOP\n", k, k+1)
	}
	fmt.Fprintf(&b, "b%d:\nRET\n}\n", 2*n)
	m, err := ori.Parse(b.String())
	if err != nil {
		t.Fatalf("%v in\n%s", err, b.String())
	}
	f := m.Funcs[0]
	f.Kernel = true
	if !Converge(f, func(*ori.Block) bool { return true }) || numBarriers(f) != n {
		t.Fatalf("%d barriers, want %d:\n%s", numBarriers(f), n, f.Append(nil))
	}
	return f
}

// TestSpareBarriers: of regions that enclose each other as many stay as there
// is room for, the outer ones; all of a region goes.
func TestSpareBarriers(t *testing.T) {
	limit := BarrierLimit{All: 7, Kept: 3}
	for _, c := range []struct {
		name   string
		n      int
		inside string
		want   int
	}{
		{"room for all", 7, "NOP", 7},
		{"not for two", 9, "NOP", 7},
		{"a call inside", 9, "CALL.ABS.NOINC r0", 3},
	} {
		f := nested(t, c.n, c.inside)
		if took := SpareBarriers(f, limit); took != (c.want < c.n) {
			t.Errorf("%s: took some away: %v", c.name, took)
		}
		notes, waits := map[ori.Reg]bool{}, map[ori.Reg]bool{}
		for _, b := range f.Blocks {
			for i := range b.Instrs {
				switch i.Op {
				case op.BSSY:
					notes[i.Dsts()[0].Reg] = true
				case op.BSYNC:
					waits[i.Srcs()[0].Reg] = true
				}
			}
		}
		if len(notes) != c.want || len(waits) != c.want {
			t.Errorf("%s: %d regions, want %d:\n%s", c.name, len(notes), c.want, f.Append(nil))
		}
		for k := range notes {
			if !waits[k] {
				t.Errorf("%s: nobody waits at k%d", c.name, k)
			}
		}
		if first := f.Blocks[0].First(); first == nil || first.Op != op.BSSY {
			t.Errorf("%s: the outermost region is gone", c.name)
		}
	}
}

// TestSpareLeft: a region that threads leave goes before others do.
func TestSpareLeft(t *testing.T) {
	m, err := ori.Parse(`func f {
reg p0 1/1
b0: -> b1
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
RET
}
`)
	if err != nil {
		t.Fatal(err)
	}
	f := m.Funcs[0]
	f.Kernel = true
	Converge(f, func(*ori.Block) bool { return true })
	if numBarriers(f) != 2 {
		t.Fatalf("%d barriers:\n%s", numBarriers(f), f.Append(nil))
	}
	if !SpareBarriers(f, BarrierLimit{1, 1}) || numBarriers(f) != 1 || strings.Contains(string(f.Append(nil)), "BREAK") {
		t.Errorf("the region that threads leave is still there:\n%s", f.Append(nil))
	}
}
