package remat

import (
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/ori"
)

// derivedCases are functions of which block 1 has words too many, before and
// after. An empty text says that nothing changes.
var derivedCases = []struct{ name, in, want string }{
	{"a pointer of which the index lives on instead", `b0: -> b1
LDC.64 r1 = c[0x0][0x210]
S2R r0 = SR_TID.X
LDG.E r3 = desc[u5], [r1.64+0x0]
IMAD.WIDE r2 = r3, 0x4, r1
b1: -> b1, b2
IADD3 r4 = r4, r0, rz
ISETP.NE.AND p6 = r4, 0x7, pt
@p6 BRA b1
b2:
LDG.E r4 = desc[u5], [r2.64+0x0]
STG.E desc[u5], [r1.64+0x0], r4
EXIT`, `LDC.64 r1 = c[0x0][0x210]
S2R r0 = SR_TID.X
LDG.E r3 = desc[u5], [r1.64+0x0]
IADD3 r4 = r4, r0, rz
ISETP.NE.AND p6 = r4, 0x7, pt
@p6 BRA b1
IMAD.WIDE r9 = r3, 0x4, r1
LDG.E r4 = desc[u5], [r9.64+0x0]
STG.E desc[u5], [r1.64+0x0], r4
EXIT`},
	{"two instructions from what lives anyway", `b0: -> b1
S2R r0 = SR_TID.X
LOP3.LUT r3 = r0, 0x7, rz, 0xc0
SHF.L.U32 r7 = r3, 0x2, rz
b1: -> b1, b2
IADD3 r4 = r4, r0, rz
ISETP.NE.AND p6 = r4, 0x7, pt
@p6 BRA b1
b2:
STS [r7+0x0], r0
EXIT`, `S2R r0 = SR_TID.X
IADD3 r4 = r4, r0, rz
ISETP.NE.AND p6 = r4, 0x7, pt
@p6 BRA b1
LOP3.LUT r9 = r0, 0x7, rz, 0xc0
SHF.L.U32 r10 = r9, 0x2, rz
STS [r10+0x0], r0
EXIT`},
	{"as many words live on", `b0: -> b1
S2R r0 = SR_TID.X
LDS r3 = [r0+0x0]
SHF.L.U32 r7 = r3, 0x2, rz
b1: -> b1, b2
IADD3 r4 = r4, r0, rz
ISETP.NE.AND p6 = r4, 0x7, pt
@p6 BRA b1
b2:
STS [r7+0x0], r0
EXIT`, ""},
	{"made from what is written again", `b0: -> b1
S2R r4 = SR_TID.X
LOP3.LUT r7 = r4, 0x7, rz, 0xc0
b1: -> b1, b2
IADD3 r4 = r4, 0x1, rz
ISETP.NE.AND p6 = r4, 0x7, pt
@p6 BRA b1
b2:
STS [r7+0x0], r4
EXIT`, ""},
	{"a sum of two words, by its carry", `b0: -> b1
S2R r0 = SR_TID.X
LDS r1[0] = [r0+0x0]
LDS r1[1] = [r0+0x4]
IADD3 r3, p8 = r1[0], 0x8, rz
IADD3.X r7 = r1[1], rz, rz, p8, ~pt
b1: -> b1, b2
IADD3 r4 = r4, r0, rz
ISETP.NE.AND p6 = r4, 0x7, pt
@p6 BRA b1
b2:
STS.64 [r0+0x0], r1
STS [r0+0x8], r3
STS [r0+0xc], r7
EXIT`, `S2R r0 = SR_TID.X
LDS r1[0] = [r0+0x0]
LDS r1[1] = [r0+0x4]
IADD3 r4 = r4, r0, rz
ISETP.NE.AND p6 = r4, 0x7, pt
@p6 BRA b1
STS.64 [r0+0x0], r1
IADD3 r9, p10 = r1[0], 0x8, rz
STS [r0+0x8], r9
IADD3.X r11 = r1[1], rz, rz, p10, ~pt
STS [r0+0xc], r11
EXIT`},
}

// TestDerived checks what is made again, and that all of it can be taken back.
func TestDerived(t *testing.T) {
	const head = "func f kernel {\nreg r0 1/1\nreg r1 2/2\nreg r2 2/2\nreg r3 1/1\nreg r4 1/1\nreg u5 2/2\nreg p6 1/1\nreg r7 1/1\nreg p8 1/1\n"
	body := func(f *ori.Func) string {
		var got []string
		for _, b := range f.Blocks {
			for i := range b.Instrs {
				got = append(got, string(f.AppendInstr(nil, i)))
			}
		}
		return strings.Join(got, "\n")
	}
	for _, c := range derivedCases {
		m, err := ori.Parse(head + c.in + "\n}\n")
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		f := m.Funcs[0]
		over := make([]int32, f.NumBlocks())
		over[f.Blocks[1].ID] = 9
		before, order := body(f), f.Order()
		undo := Derived(f, over)
		if (undo == nil) != (c.want == "") {
			t.Errorf("%s:\n%s", c.name, body(f))
		}
		if undo == nil {
			continue
		}
		if s := body(f); s != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, s, c.want)
		}
		undo()
		f.Reorder(order)
		if s := body(f); s != before {
			t.Errorf("%s, taken back:\n%s", c.name, s)
		}
	}
}
