package remat

import (
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/ori"
)

// masks has tests that live through a loop of masked loads: of a word that
// stays (p2), of one that is written behind the loop before the test is used (p3), of one that
// the loop changes (p4), of one that is dead behind it (p5), and one that the loop reads (p6).
const masks = `func f kernel {
reg r0 1/1
reg r1 1/1
reg p2 1/1
reg p3 1/1
reg p4 1/1
reg p5 1/1
reg p6 1/1
reg p7 1/1
reg r8 1/1
reg r9 1/1
reg r10 1/1
reg r11 2/2
b0: -> b1
S2R r0 = SR_TID.X
LDS r1 = [r0+0x0]
LDS r8 = [r0+0x4]
LDS r9 = [r0+0x8]
LDS r11 = [r0+0x10]
ISETP.LT.AND p2 = r0, 0x5, pt
ISETP.LT.AND p3 = r1, 0x6, pt
ISETP.LT.AND p4 = r8, 0x7, pt
ISETP.LT.AND p5 = r9, 0x8, pt
ISETP.LT.AND p6 = r0, 0x9, pt
@p2 STS [r0+0x20], r1
b1: -> b1, b2
ISETP.LT.AND p7 = r8, 0x40, pt
MOV r10 = rz
@p7 LDG.E r10 = [r11.64+0x0]
@p6 LDG.E r10 = [r11.64+0x4]
IADD3 r8 = r8, r10, rz
@p7 BRA b1
b2:
IADD3 r1 = r1, 0x1, rz
@p2 STS [r0+0x24], r1
@~p2 STS [r0+0x28], r8
@p3 STS [r0+0x2c], r1
@p4 STS [r0+0x30], r1
@p5 STS [r0+0x34], r1
EXIT
}
`

// TestBehind: a test is made again behind the loop where what it compares is
// there and the same, before it is changed, and nowhere else.
func TestBehind(t *testing.T) {
	m, err := ori.Parse(masks)
	if err != nil {
		t.Fatal(err)
	}
	f := m.Funcs[0]
	if !Behind(f) {
		t.Fatal("nothing is tested again")
	}
	if err := f.Verify(0); err != nil {
		t.Error(err)
	}
	text := f.String()
	got := text[strings.Index(text, "b2:"):]
	want := []string{
		"ISETP.LT.AND p", "= r1, 0x6, pt", "IADD3 r1 = r1, 0x1, rz", "= r0, 0x5, pt",
		"STS [r0+0x24], r1", "STS [r0+0x28], r8", "STS [r0+0x2c], r1", "@p4 STS [r0+0x30], r1", "@p5 STS [r0+0x34], r1",
	}
	rest := got
	for _, w := range want {
		k := strings.Index(rest, w)
		if k < 0 {
			t.Fatalf("no %q where it should be in\n%s", w, got)
		}
		rest = rest[k:]
	}
	if n := strings.Count(got, "ISETP"); n != 2 || strings.Contains(got, "p2 STS") || strings.Contains(got, "p3 STS") {
		t.Errorf("%d tests behind the loop\n%s", n, got)
	}
	if Behind(f) {
		t.Errorf("tested once more\n%s", f)
	}
}
