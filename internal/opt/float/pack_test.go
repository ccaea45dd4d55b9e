package float

import (
	"fmt"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// packCases are products of halves, of which two are put together.
var packCases = []struct {
	name, in string
	products int // that are left
	block    string
}{
	{"halves of one word", `b0:
HMUL2.BF16_V2 r2 = r0.H0, r1.H0
HMUL2.BF16_V2 r3 = r0.H1, r1.H0
PRMT r4 = r2, 0x5410, r3
STS [0x0], r4
EXIT`, 1, "b0"},
	{"a word that was put together before", `b0:
PRMT r5 = r0, 0x5410, r1
HMUL2.BF16_V2 r2 = r5, r6
HMUL2.BF16_V2 r3 = r1.H0, r6.H0
PRMT r4 = r2, 0x5410, r3
STS [0x0], r4
EXIT`, 1, "b0"},
	{"its high half", `b0:
PRMT r5 = r0, 0x5410, r1
HMUL2.BF16_V2 r2 = r0.H0, r6.H1
HMUL2.BF16_V2 r3 = r5, r6
PRMT r4 = r2, 0x7610, r3
STS [0x0], r4
EXIT`, 1, "b0"},
	{"behind a loop that waits", `b0: -> b1
HMUL2.BF16_V2 r2 = r0.H0, r1.H0
HMUL2.BF16_V2 r3 = r0.H1, r1.H0
b1: -> b1, b2
LDS r5 = [0x8]
ISETP.NE.AND p6 = r5, rz, pt
@p6 BRA b1
b2:
PRMT r4 = r2, 0x5410, r3
STS [0x0], r4
EXIT`, 1, "b0"},
	{"another word", `b0:
PRMT r5 = r0, 0x5410, r1
HMUL2.BF16_V2 r2 = r5, r6
HMUL2.BF16_V2 r3 = r1.H1, r6.H0
PRMT r4 = r2, 0x5410, r3
STS [0x0], r4
EXIT`, 1, "b0"},
	{"two words that are not one", `b0:
HMUL2.BF16_V2 r2 = r0.H0, r1.H1
HMUL2.BF16_V2 r3 = r6.H0, r0.H0
PRMT r4 = r2, 0x5410, r3
STS [0x0], r4
EXIT`, 2, ""},
	{"a row of them", `b0:
HMUL2.BF16_V2 r2 = r0.H0, r1.H0
HMUL2.BF16_V2 r3 = r6.H0, r1.H0
HMUL2.BF16_V2 r5 = -r2.H0, r0.H0
HMUL2.BF16_V2 r7 = -r3.H0, r6.H0
HMUL2.BF16_V2 r8 = r5.H0, r1.H1
HMUL2.BF16_V2 r9 = r7.H0, r1.H1
PRMT r4 = r8, 0x5410, r9
STS [0x0], r4
EXIT`, 3, "b0"},
	{"other signs", `b0:
HMUL2.BF16_V2 r2 = r0.H0, r1.H0
HMUL2.BF16_V2 r3 = r0.H1, r1.H0
HMUL2.BF16_V2 r5 = -r2.H0, r1.H0
HMUL2.BF16_V2 r7 = r3.H0, r1.H0
PRMT r4 = r5, 0x5410, r7
STS [0x0], r4
EXIT`, 4, ""},
	{"both lanes equal", `b0:
PRMT r5 = r0, 0x5410, r1
HMUL2.BF16_V2 r2 = r5, r6
HMUL2.BF16_V2 r3 = r0.H0, r6.H0
PRMT r4 = r2, 0x5410, r3
STS [0x0], r4
EXIT`, 1, "b0"},
	{"crossed", `b0:
HMUL2.BF16_V2 r2 = r0.H1, r1.H0
HMUL2.BF16_V2 r3 = r0.H0, r1.H0
PRMT r4 = r2, 0x5410, r3
STS [0x0], r4
EXIT`, 1, "b0"},
	{"the high half of what has the low one", `b0:
PRMT r5 = r0, 0x5410, r1
HMUL2.BF16_V2 r2 = r0.H0, r6.H0
HMUL2.BF16_V2 r3 = r5, r6
PRMT r4 = r2, 0x7610, r3
STS [0x0], r4
EXIT`, 1, "b0"},
	{"a product that others read", `b0:
HMUL2.BF16_V2 r2 = r0.H0, r1.H0
HMUL2.BF16_V2 r3 = r0.H1, r1.H0
PRMT r4 = r2, 0x5410, r3
STS [0x0], r4
STS [0x4], r3
EXIT`, 2, ""},
}

// TestPackHalves: two products are one where the halves they read are those of
// one word, however that came to be, and it stands where they did.
func TestPackHalves(t *testing.T) {
	for _, c := range packCases {
		var s strings.Builder
		s.WriteString("func k kernel {\n")
		for r := range 10 {
			if r == 6 && strings.Contains(c.in, "p6") {
				s.WriteString("reg p6 1/1\n")
				continue
			}
			s.WriteString("reg r" + string(rune('0'+r)) + " 1/1\n")
		}
		in := c.in
		for _, r := range []string{"r0", "r1", "r6"} { // what nobody writes has no value
			if strings.Contains(in, r) {
				head, rest, _ := strings.Cut(in, "\n")
				in = head + "\nLDS " + r + " = [0x40]\n" + rest
			}
		}
		s.WriteString(in + "\n}\n")
		m, err := ori.Parse(s.String())
		if err != nil {
			t.Fatalf("%s: %v\n%s", c.name, err, s.String())
		}
		f := m.Funcs[0]
		PackHalves(f, func(*ori.Instr) bool { return true }, 1000)
		n, at := 0, ""
		for _, b := range f.Blocks {
			for i := range b.Instrs {
				if i.Op == op.HMUL2 {
					n++
					at = fmt.Sprint("b", b.ID)
				}
			}
		}
		if n != c.products || c.block != "" && at != c.block {
			t.Errorf("%s: %d products, want %d\n%s", c.name, n, c.products, f)
		}
		if !opt.ValuesOf(f).Holds(f) {
			t.Errorf("%s: counts are wrong", c.name)
		}
	}
}
