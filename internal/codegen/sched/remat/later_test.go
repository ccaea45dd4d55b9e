package remat

import (
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/ori"
)

// laterCases are functions with a run from an instruction that reads r9 to the
// next one with so many words too many, before and after. An empty text says that
// nothing changes.
var laterCases = []struct {
	name     string
	over     int32
	in, want string
}{
	{"the number of a thread and a mask of it", 1, `b0:
S2R r0 = SR_TID.X
LOP3.LUT r3 = r0, 0x7, rz, 0xc0
STS [r3+0x0], r0
FADD r9 = r9, 0x1
FADD r9 = r9, 0x2
STS [r3+0x0], r9
EXIT`, `S2R r0 = SR_TID.X
LOP3.LUT r3 = r0, 0x7, rz, 0xc0
STS [r3+0x0], r0
FADD r9 = r9, 0x1
FADD r9 = r9, 0x2
S2R r10 = SR_TID.X
LOP3.LUT r11 = r10, 0x7, rz, 0xc0
STS [r11+0x0], r9
EXIT`},
	{"a parameter that nothing reads before", 1, `b0:
LDC.64 r1 = c[0x0][0x210]
FADD r9 = r9, 0x1
FADD r9 = r9, 0x2
STG.E desc[u5], [r1.64+0x0], r9
STG.E desc[u5], [r1.64+0x4], r9
EXIT`, `FADD r9 = r9, 0x1
FADD r9 = r9, 0x2
LDC.64 r10 = c[0x0][0x210]
STG.E desc[u5], [r10.64+0x0], r9
STG.E desc[u5], [r10.64+0x4], r9
EXIT`},
	{"behind a loop that a way leaves out", 2, `b0: -> b2, b1
S2R r0 = SR_TID.X
SHF.L.U32 r7 = r0, 0x2, rz
STS [r7+0x0], r0
@p6 BRA b2
b1: -> b1, b2
FADD r9 = r9, 0x1
FADD r9 = r9, 0x2
ISETP.NE.AND p6 = r9, 0x7, pt
@p6 BRA b1
b2:
STS [r7+0x4], r0
EXIT`, `S2R r0 = SR_TID.X
SHF.L.U32 r7 = r0, 0x2, rz
STS [r7+0x0], r0
@p6 BRA b2
FADD r9 = r9, 0x1
FADD r9 = r9, 0x2
ISETP.NE.AND p6 = r9, 0x7, pt
@p6 BRA b1
S2R r10 = SR_TID.X
SHF.L.U32 r11 = r10, 0x2, rz
STS [r11+0x4], r10
EXIT`},
	{"behind a loop", 2, `b0: -> b1
S2R r0 = SR_TID.X
SHF.L.U32 r7 = r0, 0x2, rz
STS [r7+0x0], r0
b1: -> b1, b2
FADD r9 = r9, 0x1
FADD r9 = r9, 0x2
ISETP.NE.AND p6 = r9, 0x7, pt
@p6 BRA b1
b2:
STS [r7+0x4], r0
EXIT`, `S2R r0 = SR_TID.X
SHF.L.U32 r7 = r0, 0x2, rz
STS [r7+0x0], r0
FADD r9 = r9, 0x1
FADD r9 = r9, 0x2
ISETP.NE.AND p6 = r9, 0x7, pt
@p6 BRA b1
S2R r10 = SR_TID.X
SHF.L.U32 r11 = r10, 0x2, rz
STS [r11+0x4], r10
EXIT`},
	{"read in each turn of the loop", 1, `b0: -> b1
S2R r0 = SR_TID.X
LDS r3 = [r0+0x0]
SHF.L.U32 r7 = r3, 0x2, rz
b1: -> b1, b2
FADD r9 = r9, 0x1
FADD r9 = r9, 0x2
STS [r7+0x0], r0
ISETP.NE.AND p6 = r9, 0x7, pt
@p6 BRA b1
b2:
STS [r7+0x4], r9
EXIT`, ""},
	{"made from what no longer lives", 1, `b0:
S2R r0 = SR_TID.X
LDS r3 = [r0+0x0]
SHF.L.U32 r7 = r3, 0x2, rz
FADD r9 = r9, 0x1
FADD r9 = r9, 0x2
STS [r7+0x0], r9
EXIT`, ""},
	{"made from what is written again", 1, `b0:
S2R r4 = SR_TID.X
LOP3.LUT r7 = r4, 0x7, rz, 0xc0
FADD r9 = r9, 0x1
FADD r9 = r9, 0x2
IADD3 r4 = r4, 0x1, rz
STS [r7+0x0], r4
EXIT`, ""},
}

// TestLater checks what is made again behind a run, and that all of it can be
// taken back.
func TestLater(t *testing.T) {
	const head = "func f kernel {\nreg r0 1/1\nreg r1 2/2\nreg r2 2/2\nreg r3 1/1\nreg r4 1/1\nreg u5 2/2\nreg p6 1/1\nreg r7 1/1\nreg r8 1/1\nreg r9 1/1\n"
	for _, c := range laterCases {
		m, err := ori.Parse(head + c.in + "\n}\n")
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		f := m.Funcs[0]
		text := func() (list []string) {
			for _, b := range f.Blocks {
				for i := range b.Instrs {
					list = append(list, string(f.AppendInstr(nil, i)))
				}
			}
			return list
		}
		var x Run
		for _, b := range f.Blocks {
			for i := range b.Instrs {
				if string(f.AppendInstr(nil, i)) == "FADD r9 = r9, 0x1" {
					x = Run{First: i, Last: i.Next(), Over: c.over}
				}
			}
		}
		before, order := strings.Join(text(), "\n"), f.Order()
		told := ""
		undo := Later(f, []Run{x}, func() { told = strings.Join(text(), "\n") })
		if undo != nil && told != before || undo == nil && told != "" {
			t.Errorf("%s: told of a change when there was\n%s", c.name, told)
		}
		if (undo == nil) != (c.want == "") {
			t.Errorf("%s:\n%s", c.name, strings.Join(text(), "\n"))
		}
		if undo == nil {
			continue
		}
		if s := strings.Join(text(), "\n"); s != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, s, c.want)
		}
		undo()
		f.Reorder(order)
		if s := strings.Join(text(), "\n"); s != before {
			t.Errorf("%s, taken back:\n%s", c.name, s)
		}
	}
}
