package isel

import (
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

func TestGathers(t *testing.T) {
	const head = "func f kernel {\nreg r0 1/1\nreg r1 1/1\nreg p2 1/1\n"
	for _, c := range []struct {
		name, in string
		want     int
	}{
		{"together", "b0:\nWARPSYNC.ALL\nSHFL.BFLY p2, r1 = r0, 0x1, 0x1f\nEXIT", 1},
		{"for its own sake", "b0:\nWARPSYNC.ALL\nLDS r1 = [r0+0x0]\nEXIT", 0},
		{"threads that parted", `b0: -> b2, b1
S2R r0 = SR_TID.X
ISETP.LT.AND p2 = r0, 0x5, pt
@p2 BRA b2
b1: -> b2
WARPSYNC.ALL
SHFL.BFLY p2, r1 = r0, 0x1, 0x1f
b2:
WARPSYNC.ALL
SHFL.BFLY p2, r1 = r0, 0x1, 0x1f
EXIT`, 1},
		{"a mask", "b0:\nWARPSYNC r0\nWARPSYNC.ALL\nSHFL.BFLY p2, r1 = r0, 0x1, 0x1f\nEXIT", 0},
		{"behind those that never come back", `b0: -> b2, b1
S2R r0 = SR_TID.X
ISETP.LT.AND p2 = r0, 0x5, pt
@p2 BRA b2
b1: -> b3
CALL.ABS.NOINC r0
b3:
BPT.TRAP 0x1
EXIT
b2: -> b4
WARPSYNC.ALL
BAR.SYNC.DEFER_BLOCKING 0x0
b4:
WARPSYNC.ALL
SHFL.BFLY p2, r1 = r0, 0x1, 0x1f
WARPSYNC.ALL
SHFL.BFLY p2, r1 = r0, 0x2, 0x1f
EXIT`, 2},
	} {
		m, err := ori.Parse(head + c.in + "\n}\n")
		if err != nil {
			t.Fatal(err)
		}
		f := m.Funcs[0]
		Converge(f, flow.UniformityOf(f).Parts)
		got := Gathers(f, flow.DivergenceOf(f, flow.UniformityOf(f)).Is)
		if len(got) != c.want {
			t.Errorf("%s: %d, want %d", c.name, len(got), c.want)
		}
		for _, i := range got {
			if i.Op != op.WARPSYNC {
				t.Errorf("%s: %s", c.name, i.Op)
			}
		}
	}
}

func TestGatherBarriers(t *testing.T) {
	m, err := ori.Parse(`func f kernel {
reg r0 1/1
reg p1 1/1
b0: -> b2, b1
BAR.SYNC.DEFER_BLOCKING 0x0
S2R r0 = SR_TID.X
ISETP.LT.AND p1 = r0, 0x5, pt
@p1 BRA b2
b1: -> b2
WARPSYNC.ALL
BAR.SYNC.DEFER_BLOCKING 0x1
b2:
BAR.SYNC.DEFER_BLOCKING 0x2
@p1 BAR.ARV 0x3, 0x40
UCGABAR_ARV
EXIT
}
`)
	if err != nil {
		t.Fatal(err)
	}
	f := m.Funcs[0]
	apart := flow.DivergenceOf(f, flow.UniformityOf(f))
	GatherBarriers(f, apart.Is)
	var got []string
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			if i.Op == op.BAR || i.Op == op.WARPSYNC || i.Op == op.UCGABAR_ARV {
				got = append(got, string(f.AppendInstr(nil, i)))
			}
		}
	}
	want := "BAR.SYNC.DEFER_BLOCKING 0x0 / WARPSYNC.ALL / BAR.SYNC.DEFER_BLOCKING 0x1 / WARPSYNC.ALL / BAR.SYNC.DEFER_BLOCKING 0x2 / @p1 WARPSYNC.ALL / @p1 BAR.ARV 0x3, 0x40 / WARPSYNC.ALL / UCGABAR_ARV"
	if s := strings.Join(got, " / "); s != want {
		t.Errorf("%s\nwant %s", s, want)
	}
}

// TestSplitGathered: what stands behind a place where all threads wait is in a
// block in which they are together.
func TestSplitGathered(t *testing.T) {
	m, err := ori.Parse(`func f kernel {
reg r0 1/1
reg r1 1/1
reg p2 1/1
b0: -> b1, b2
S2R r0 = SR_TID.X
ISETP.LT.AND p2 = r0, 0x5, pt
@p2 BRA b2
b1: -> b2
IADD3 r0 = r0, 0x1, rz
b2: -> b2, b3
MOV r1 = 0x1
WARPSYNC.ALL
MOV r1 = 0x2
ISETP.LT.AND p2 = r1, 0x5, pt
@p2 BRA b2
b3:
EXIT
}
`)
	if err != nil {
		t.Fatal(err)
	}
	f := m.Funcs[0]
	apart := func() *flow.Divergence { return flow.DivergenceOf(f, flow.UniformityOf(f)) }
	if !SplitGathered(f, apart().Is) {
		t.Fatal("no block was split")
	}
	if err := f.Verify(ori.Built); err != nil {
		t.Fatal(err)
	}
	a, together := apart(), 0
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			if i.Op == op.MOV && !a.Is(b) {
				together++
				if i.Args[1].Imm != 2 {
					t.Errorf("%s runs with all threads", f.AppendInstr(nil, i))
				}
			}
		}
	}
	if together != 1 {
		t.Errorf("%d moves run with all threads, want 1", together)
	}
}

// TestUngather: of places where threads were made to wait those go that only
// threads come to which waited before, and their blocks are one again.
func TestUngather(t *testing.T) {
	m, err := ori.Parse(`func f kernel {
reg r0 1/1
reg r1 4/4
reg p2 1/1
b0: -> b2, b1
S2R r0 = SR_TID.X
ISETP.LT.AND p2 = r0, 0x5, pt
@p2 BRA b2
b1: -> b2
IADD3 r0 = r0, 0x1, rz
b2: -> b3
BAR.SYNC 0x0
b3:
BAR.SYNC 0x1
EXIT
}
`)
	if err != nil {
		t.Fatal(err)
	}
	f := m.Funcs[0]
	apart := func() *flow.Divergence { return flow.DivergenceOf(f, flow.UniformityOf(f)) }
	added := GatherBarriers(f, apart().Is)
	SplitGathered(f, apart().Is)
	Ungather(f, added, apart().Is)
	if err := f.Verify(ori.Built); err != nil {
		t.Fatal(err)
	}
	if len(added) != 2 || strings.Count(f.String(), "WARPSYNC") != 1 || len(f.Blocks) != 5 {
		t.Errorf("%d added:\n%s", len(added), f)
	}
}
