package sinking

import (
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/ori"
)

// sinkCases are blocks before and after.
var sinkCases = []struct{ name, in, want string }{
	{"addresses behind a meeting", `b0:
IMAD.WIDE r2 = r0, 0x4, r1
IMAD.WIDE r3 = r0, 0x8, r1
LDG.E r4 = desc[u6], [r2.64+0x0]
BAR.SYNC 0x0
STG.E desc[u6], [r3.64+0x0], r4
STG.E desc[u6], [r1.64+0x0], r0
EXIT`, `IMAD.WIDE r2 = r0, 0x4, r1
LDG.E r4 = desc[u6], [r2.64+0x0]
BAR.SYNC 0x0
IMAD.WIDE r3 = r0, 0x8, r1
STG.E desc[u6], [r3.64+0x0], r4
STG.E desc[u6], [r1.64+0x0], r0
EXIT`},
	{"a chain goes as a whole", `b0:
IADD3 r4 = r0, 0x3, rz
ISETP.LT.AND p5 = r4, u6, pt
BAR.SYNC 0x0
@p5 STG.E desc[u6], [r1.64+0x0], r0
EXIT`, `BAR.SYNC 0x0
IADD3 r4 = r0, 0x3, rz
ISETP.LT.AND p5 = r4, u6, pt
@p5 STG.E desc[u6], [r1.64+0x0], r0
EXIT`},
	{"what two of them read", `b0:
IADD3 r4 = r0, 0x3, rz
IMAD.WIDE r2 = r4, 0x4, r1
IMAD.WIDE r3 = r4, 0x8, r1
BAR.SYNC 0x0
STG.E desc[u6], [r2.64+0x0], r3[0]
STG.E desc[u6], [r1.64+0x0], r0
EXIT`, `BAR.SYNC 0x0
IADD3 r4 = r0, 0x3, rz
IMAD.WIDE r2 = r4, 0x4, r1
IMAD.WIDE r3 = r4, 0x8, r1
STG.E desc[u6], [r2.64+0x0], r3[0]
STG.E desc[u6], [r1.64+0x0], r0
EXIT`},
	{"words of a tuple, each with its reader", `b0:
LDS.64 r3 = [0x0]
FADD r0 = r3[0], r3[0]
FADD r4 = r3[1], r3[1]
BAR.SYNC 0x0
STS [0x0], r0
STS [0x4], r4
EXIT`, ""},
	{"the index of a constant, of the last register", `b0:
LDC r0 = c[0x3][r8+0x0]
BAR.SYNC 0x0
STS [0x0], r0
EXIT`, ""},
	{"sources that end before it", `b0:
IADD3 r4 = r0, r1[0], r1[1]
BAR.SYNC 0x0
STS [0x0], r4
EXIT`, ""},
	{"sums, of which all that is added would live on", `b0:
LDS.64 r3 = [0x0]
FADD r0 = r3[0], r3[1]
FADD r4 = r0, 0x3f800000
BAR.SYNC 0x0
STS [0x0], r4
EXIT`, ""},
	{"sources that are written on the way", `b0:
IMAD.WIDE r3 = r0, 0x8, r1
IADD3 r0 = r0, 0x1, rz
BAR.SYNC 0x0
STG.E desc[u6], [r3.64+0x0], r0
STG.E desc[u6], [r1.64+0x0], r0
EXIT`, ""},
	{"loads", `b0:
LDS r4 = [r0+0x0]
BAR.SYNC 0x0
STS [r0+0x0], r4
EXIT`, ""},
	{"behind a loop that waits", `b0: -> b1
IMAD.WIDE r3 = r0, 0x8, r1
b1: -> b1, b2
SYNCS.PHASECHK.TRANS64.TRYWAIT p7 = [r0+0x0], +[urz], r4
@~p7 BRA b1
b2:
STG.E desc[u6], [r3.64+0x0], r4
STG.E desc[u6], [r1.64+0x0], r0
EXIT`, `SYNCS.PHASECHK.TRANS64.TRYWAIT p7 = [r0+0x0], +[urz], r4
@~p7 BRA b1
IMAD.WIDE r3 = r0, 0x8, r1
STG.E desc[u6], [r3.64+0x0], r4
STG.E desc[u6], [r1.64+0x0], r0
EXIT`},
	{"a loop that reads it", `b0: -> b1
IADD3 r4 = r0, 0x8, rz
b1: -> b1, b2
SYNCS.PHASECHK.TRANS64.TRYWAIT p7 = [r4+0x0], +[urz], r0
@~p7 BRA b1
b2:
STS [r4+0x0], r0
EXIT`, ""},
}

// TestSink checks what moves behind a meeting of the block's threads or a
// loop that waits, and what stays.
func TestSink(t *testing.T) {
	const head = "func f kernel {\nreg r0 1/1\nreg r1 2/2\nreg r2 2/2\nreg r3 2/2\nreg r4 1/1\nreg p5 1/1\nreg u6 1/1\nreg p7 1/1\nreg r8 1/1\n"
	for _, c := range sinkCases {
		m, err := ori.Parse(head + c.in + "\n}\n")
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		f := m.Funcs[0]
		if moved := Move(f); moved != (c.want != "") {
			t.Errorf("%s: moved: %v", c.name, moved)
		}
		var got []string
		for _, b := range f.Blocks {
			for i := range b.Instrs {
				got = append(got, string(f.AppendInstr(nil, i)))
			}
		}
		if s := strings.Join(got, "\n"); c.want != "" && s != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, s, c.want)
		}
	}
}
