package remat

import (
	"fmt"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/ori"
)

// guarded has a test of a load and two stores (p1), one of a store alone (p2),
// one whose source changes before its store (p3), and one that another test
// reads (p4, which makes p5).
const guarded = `func f kernel {
reg r0 1/1
reg p1 1/1
reg p2 1/1
reg p3 1/1
reg p4 1/1
reg p5 1/1
reg r6 1/1
reg r7 1/1
b0:
S2R r0 = SR_TID.X
ISETP.LT.AND p1 = r0, 0x5, pt
ISETP.LT.AND p2 = r0, 0x6, pt
LDS r6 = [r0+0x0]
ISETP.LT.AND p3 = r6, 0x7, pt
ISETP.LT.AND p4 = r0, 0x8, pt
ISETP.LT.AND p5 = r0, 0x9, p4
MOV r7 = rz
@p1 LDS r7 = [r0+0x4]
@p3 LDS r7 = [r0+0x8]
@p5 LDS r7 = [r0+0xc]
IADD3 r6 = r6, r7, rz
@p1 STS [r0+0x10], r6
@~p2 STS [r0+0x14], r6
@p3 STS [r0+0x18], r6
@~p1 STS [r0+0x1c], r6
@p5 STS [r0+0x20], r6
EXIT
}
`

// TestTestsAgain: only what is tested for loads and for stores alike, and can
// be compared once more before these, is; taking it back leaves nothing.
func TestTestsAgain(t *testing.T) {
	m, err := ori.Parse(guarded)
	if err != nil {
		t.Fatal(err)
	}
	f := m.Funcs[0]
	code := func() string { return f.String()[strings.Index(f.String(), "b0:"):] }
	before := code()
	list := Tests(f, f.Blocks[0])
	if len(list) != 1 || list[0].def.Args[0].Reg != 1 {
		t.Fatalf("%d tests to be made again\n%s", len(list), f)
	}
	list[0].Repeat(f)
	if err := f.Verify(0); err != nil {
		t.Error(err)
	}
	want := strings.NewReplacer("    @p1 STS", "    ISETP.LT.AND p8 = r0, 0x5, pt\n    @p8 STS", "@~p1 STS", "@~p8 STS").Replace(before)
	if got := code(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	list[0].Undo()
	if got := code(); got != before {
		t.Errorf("taken back:\n%s", got)
	}
}

// TestColumns: what a test compares is made again as well where nobody else
// reads it and enough are made from one register that is the same before the
// stores; taking it back leaves nothing.
func TestColumns(t *testing.T) {
	var b strings.Builder
	const n = sharing + 2 // one that is read elsewhere, one whose base changes
	b.WriteString("func f kernel {\nreg r0 1/1\nreg r1 1/1\n")
	for k := range n {
		fmt.Fprintf(&b, "reg r%d 1/1\nreg p%d 1/1\nreg r%d 1/1\n", 3*k+2, 3*k+3, 3*k+4)
	}
	b.WriteString("b0:\nS2R r0 = SR_TID.X\nS2R r1 = SR_CTAID.X\n")
	for k := range n {
		base := "r0"
		if k == n-1 {
			base = "r1"
		}
		fmt.Fprintf(&b, "IADD3 r%d = %s, 0x%x, rz\nISETP.LT.AND p%d = r%d, 0x5, pt\nMOV r%d = rz\n@p%d LDS r%d = [r0+0x%x]\n", 3*k+2, base, 16*k+16, 3*k+3, 3*k+2, 3*k+4, 3*k+3, 3*k+4, 4*k)
	}
	fmt.Fprintf(&b, "IADD3 r1 = r1, r%d, rz\n", 3*(n-2)+2)
	for k := range n {
		fmt.Fprintf(&b, "@p%d STS [r1+0x%x], r%d\n", 3*k+3, 4*k, 3*k+4)
	}
	b.WriteString("EXIT\n}\n")
	m, err := ori.Parse(b.String())
	if err != nil {
		t.Fatal(err)
	}
	f := m.Funcs[0]
	code := func() string { return f.String()[strings.Index(f.String(), "b0:"):] }
	before := code()
	list := Tests(f, f.Blocks[0])
	if len(list) != n || !Columns(f, list) {
		t.Fatalf("%d tests to be made again with no columns\n%s", len(list), f)
	}
	for _, x := range list {
		x.Repeat(f)
	}
	for _, x := range list {
		x.Column(f)
	}
	if err := f.Verify(0); err != nil {
		t.Error(err)
	}
	_, behind, _ := strings.Cut(code(), "IADD3 r1 = r1")
	for k := range n {
		if want := fmt.Sprintf("= r0, 0x%x, rz", 16*k+16); strings.Contains(behind, want) != (k < sharing) {
			t.Errorf("%q among\n%s", want, behind)
		}
	}
	if got := strings.Count(behind, "ISETP"); got != n {
		t.Errorf("%d tests, want %d", got, n)
	}
	for _, x := range list {
		x.UndoColumn()
		x.Undo()
	}
	if got := code(); got != before {
		t.Errorf("taken back:\n%s", got)
	}
}
