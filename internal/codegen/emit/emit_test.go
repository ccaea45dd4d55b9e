package emit

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/engine/bits"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/sass"
	"github.com/goptxas/goptxas/internal/target"
)

// TestSpelling emits one instruction of each shape and reads it back.
func TestSpelling(t *testing.T) {
	const head = "func f {\n  reg r0 1/1 phys=4\n  reg r1 2/2 phys=6\n  reg p2 1/1 phys=1\n  reg u3 2/2 phys=4\n  reg k4 1/1 phys=0\n  reg r5 4/4 phys=8\n  b0:\n    "
	a := target.Find("sm_90a")
	for _, c := range []struct{ ori, sass string }{
		{"IADD3 r0 = r0, 0x10, -r1[1]", "IADD3 R4, R4, 0x10, -R7"},
		{"IADD3 r0 = r0, r1[1], 0x10", ""}, // only the second source takes an immediate
		{"IADD3 r0, p2 = r0, r1[0], rz", "IADD3 R4, P1, R4, R6, RZ"},
		{"@~p2 ISETP.GE.AND p2 = r0, 0x5, pt", "@!P1 ISETP.GE.AND P1, PT, R4, 0x5, PT"},
		{"LOP3.LUT r0 = r0, r1[0], rz, 0xc0", "LOP3.LUT R4, R4, R6, RZ, 0xc0, !PT"},
		{"LDG.E.128.CONSTANT r5 = desc[u3], [r1.64+0x10]", "LDG.E.128.CONSTANT R8, desc[UR4][R6.64+0x10]"},
		{"STG.E desc[u3], [r1.64+-0x8], r0", "STG.E desc[UR4][R6.64+-0x8], R4"},
		{"LDS r0 = [r0+0x4], +[u3[0]]", "LDS R4, [R4+UR4+0x4]"},
		{"FADD.FTZ r0 = -r0, 0x3fc00000", "FADD.FTZ R4, -R4, 1.5"},
		{"LDC.64 r1 = c[0x0][0x210]", "LDC.64 R6, c[0x0][0x210]"},
		{"S2R r0 = SR_TID.X", "S2R R4, SR_TID.X"},
		{"BSSY k4 = b0", "BSSY B0, 0x0"},
		{"IMAD r0 = rz, r1[0], r0", "IMAD.MOV.U32 R4, RZ, R6, R4"},
		{"IMAD r0 = r0, 0x4, rz", "IMAD.SHL.U32 R4, R4, 0x4, RZ"},
		{"IMAD r0 = r0, 0x1, r1[0]", "IMAD.IADD R4, R4, 0x1, R6"},
		{"IMAD r0 = r0, 0x3, r1[0]", "IMAD R4, R4, 0x3, R6"},
		{"LDC.64 r1 = $var+0x0:lo", "LDC.64 R6, c[0x4][0x8]"},
	} {
		m, err := ori.Parse(head + c.ori + "\n}\n")
		if err != nil {
			t.Fatalf("%s: %v", c.ori, err)
		}
		slot := func(name string) (int64, bool) { return 8, name == "var" }
		code, err := Func(m.Funcs[0], a, Options{Slot: slot})
		if c.sass == "" {
			if err == nil {
				t.Errorf("%s was emitted", c.ori)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.ori, err)
			continue
		}
		i := sass.Decode(a, wordAt(code.Text, 0))
		if got := string(i.AppendText(nil, a, 0)); trim(got) != c.sass {
			t.Errorf("%s: %q, want %q", c.ori, got, c.sass)
		}
	}
}

// TestLegacySpelling: sm_75 leaves out descriptors, and what low words came to
// where that holds.
func TestLegacySpelling(t *testing.T) {
	const head = "func f {\n  reg r0 1/1 phys=4\n  reg r1 2/2 phys=6\n  reg p2 1/1 phys=1\n  b0:\n    "
	a := target.Find("sm_75")
	for _, c := range []struct{ ori, sass string }{
		{"ISETP.EQ.AND.EX p2 = r0, rz, pt, pt", "ISETP.EQ.AND.EX P1, PT, R4, RZ, PT"},
		{"ISETP.NE.AND.EX p2 = r0, rz, pt, ~pt", "ISETP.NE.AND.EX P1, PT, R4, RZ, PT, !PT"},
		{"ISETP.NE.AND.EX p2 = r0, rz, pt, p2", "ISETP.NE.AND.EX P1, PT, R4, RZ, PT, P1"},
		{"LDG.E r0 = desc[urz], [r1.64+0x10]", "LDG.E.SYS R4, [R6+0x10]"},
		{"STG.E.STRONG.SM desc[urz], [r1.64+0x0], r0", "STG.E.STRONG.CTA [R6], R4"},
	} {
		m, err := ori.Parse(head + c.ori + "\n}\n")
		if err != nil {
			t.Fatalf("%s: %v", c.ori, err)
		}
		code, err := Func(m.Funcs[0], a, Options{})
		if err != nil {
			t.Errorf("%s: %v", c.ori, err)
			continue
		}
		i := sass.Decode(a, wordAt(code.Text, 0))
		if got := string(i.AppendText(nil, a, 0)); trim(got) != c.sass {
			t.Errorf("%s: %q, want %q", c.ori, got, c.sass)
		}
	}
}

func wordAt(text []byte, n int) bits.Word {
	return bits.Word{Lo: binary.LittleEndian.Uint64(text[16*n:]), Hi: binary.LittleEndian.Uint64(text[16*n+8:])}
}

func trim(s string) string { return strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(s), ";")) }
