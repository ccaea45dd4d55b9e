package sched

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/target"
)

// softmax is a kernel with two rows of exponentials, whose maxima are
// exchanged between threads, one element of each row after the other.
func softmax(n int) string {
	var s strings.Builder
	s.WriteString("func f kernel {\n")
	for r := range 4*n + 8 {
		fmt.Fprintf(&s, "reg r%d 1/1\n", r)
	}
	s.WriteString("b0:\n")
	for k := range 2 * n {
		fmt.Fprintf(&s, "LDS r%d = [%#x]\n", k, 4*k)
	}
	for row := range 2 {
		m := 4*n + row
		fmt.Fprintf(&s, "MOV r%d = r%d\n", m, row)
		for k := 1; k < n; k++ {
			fmt.Fprintf(&s, "FMNMX r%d = r%d, r%d, ~pt\n", m, m, 2*k+row)
		}
	}
	for row := range 2 {
		fmt.Fprintf(&s, "SHFL.BFLY pt, r%d = r%d, 0x1, 0x1f\n", 4*n+2+row, 4*n+row)
	}
	for k := range 2 * n {
		fmt.Fprintf(&s, "FADD r%d = r%d, -r%d\nMUFU.EX2 r%d = r%d\n", 2*n+k, k, 4*n+2+k%2, 2*n+k, 2*n+k)
	}
	for k := range 2 * n {
		fmt.Fprintf(&s, "STS [%#x], r%d\n", 0x1000+4*k, 2*n+k)
	}
	s.WriteString("EXIT\n}\n")
	return s.String()
}

// TestTurns: the exponentials of the first row come before those of the
// second, and begin before its maximum is known.
func TestTurns(t *testing.T) {
	m, err := ori.Parse(softmax(16))
	if err != nil {
		t.Fatal(err)
	}
	f := m.Funcs[0]
	Pre(f, target.Find("sm_90a"), Budget{Most: 200}, Usual(), nil)
	var rows []int
	shuffles, first := 0, -1
	for i := range f.Blocks[0].Instrs {
		switch i.Op {
		case op.SHFL:
			shuffles++
		case op.MUFU:
			if first < 0 {
				first = shuffles
			}
			rows = append(rows, int(i.Args[0].Reg)%2)
		}
	}
	if first != 1 {
		t.Errorf("the first exponential stands behind %d of 2 exchanges", first)
	}
	for k, r := range rows {
		if want := k / 16; r != want {
			t.Fatalf("exponential %d is of row %d: %v", k, r, rows)
		}
	}
}

// TestInStep: two rows take turns in blocks of two warp groups, whose warps are in
// step, and not in those of one.
func TestInStep(t *testing.T) {
	for threads, want := range map[int32]bool{0: true, 256: true, 128: false, 64: false} {
		m, err := ori.Parse(softmax(16))
		if err != nil {
			t.Fatal(err)
		}
		f, tune := m.Funcs[0], Usual()
		f.Props.ReqNTid = [3]int32{threads, 1, 1}
		p := analyse(f, target.Find("sm_90a"), &tune).preScheduler(Budget{Most: 200}, strategy{})
		got := slices.ContainsFunc(p.regions, func(r region) bool { return p.b.TakeTurns(p.graph(r.stretch)) })
		if got != want || !slices.ContainsFunc(p.regions, p.hasExponentials) {
			t.Errorf("blocks of %d threads: rows take turns: %v", threads, got)
		}
	}
}
