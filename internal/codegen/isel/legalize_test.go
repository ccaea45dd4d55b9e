package isel

import (
	"fmt"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/target"
)

// toy is a machine whose operations take registers everywhere, fused
// products negated ones too, and one immediate or constant as second source.
func toy(i *ori.Instr) bool {
	for k, s := range i.Srcs() {
		plain := s.Kind == ori.KReg && (s.Flags == 0 || i.Op == op.FFMA) || s.Kind == ori.KZero && s.Flags == 0
		if !plain && k != 1 && i.Op != op.MOV && i.Op != op.LDC && !(i.Op == op.LOP3 && k == 3) {
			return false
		}
	}
	return true
}

func TestLegalize(t *testing.T) {
	const head = "func f {\n  reg r0 1/1\n  reg r1 1/1\n  reg r2 1/1\n  reg p3 1/1\n  b0:\n"
	for _, c := range []struct{ in, want string }{
		{"IADD3 r0 = 0x5, r1, rz", "IADD3 r0 = r1, 0x5, rz"},
		{"IADD3 r0 = r1, r2, 0x5", "IADD3 r0 = r1, 0x5, r2"},
		{"IADD3 r0 = 0x5, 0x6, rz", "MOV r4 = 0x5 / IADD3 r0 = r4, 0x6, rz"},
		{"SHF.L.U32 r0 = 0x5, r1, rz", "MOV r4 = 0x5 / SHF.L.U32 r0 = r4, r1, rz"},
		{"IMAD r0 = r1, r2, c[0x0][0x10]", "LDC r4 = c[0x0][0x10] / IMAD r0 = r1, r2, r4"},
		{"FFMA r0 = r1, r2, -c[0x0][0x10]", "LDC r4 = c[0x0][0x10] / FFMA r0 = r1, r2, -r4"},
		{"LOP3.LUT r0 = 0x7, r1, r2, 0xe2", "LOP3.LUT r0 = r1, 0x7, r2, 0xca"},
		{"ISETP.LE.U32.AND p3 = 0x5, r1, pt", "ISETP.GE.U32.AND p3 = r1, 0x5, pt"},
		{"FSETP.GTU.AND p3 = 0x5, r1, pt", "FSETP.LTU.AND p3 = r1, 0x5, pt"},
		{"IADD3 r0 = r1, -r2, -r1", "IADD3 r4 = rz, -r1, rz / IADD3 r0 = r1, -r2, r4"},
		{"IADD3 r0 = r1, r2, -r1", "IADD3 r0 = r1, -r1, r2"},
	} {
		m, err := ori.Parse(head + "    " + c.in + "\n}\n")
		if err != nil {
			t.Fatal(err)
		}
		f := m.Funcs[0]
		if err := Legalize(f, target.Find("sm_90a"), toy, usualWaiting); err != nil {
			t.Errorf("%s: %v", c.in, err)
			continue
		}
		var got []string
		for i := range f.Blocks[0].Instrs {
			got = append(got, string(f.AppendInstr(nil, i)))
		}
		if s := strings.Join(got, " / "); s != c.want {
			t.Errorf("%s: %s, want %s", c.in, s, c.want)
		}
	}
}

// TestLegalizeMarks: a constant with a mark is the number it stands for.
func TestLegalizeMarks(t *testing.T) {
	for _, c := range []struct {
		mark ori.Flags
		want int64
	}{{ori.Neg, -16}, {ori.Inv, ^16}} {
		m, err := ori.Parse("func f {\n  reg r0 1/1\n  b0:\n    IADD3 r0 = 0x10, 0x6, rz\n}\n")
		if err != nil {
			t.Fatal(err)
		}
		f := m.Funcs[0]
		f.Blocks[0].First().Srcs()[0].Flags = c.mark
		if err := Legalize(f, target.Find("sm_90a"), toy, usualWaiting); err != nil {
			t.Fatal(err)
		}
		if s := f.Blocks[0].First().Srcs()[0]; s.Imm != c.want || s.Flags != 0 {
			t.Errorf("mark %v: %s", c.mark, f.AppendInstr(nil, f.Blocks[0].First()))
		}
	}
}

// TestLegalizeShares: where many products have a uniform register and the
// same immediate, they share a register with the immediate.
func TestLegalizeShares(t *testing.T) {
	// one place for an immediate or a uniform register, as on the machine
	fits := func(i *ori.Instr) bool {
		for k, s := range i.Srcs() {
			if k != 1 && i.Op == op.IMAD && (s.Kind == ori.KImm || s.Kind == ori.KReg && s.Class == ori.UR) {
				return false
			}
		}
		return true
	}
	for n := 1; n <= 4; n += 3 {
		text := "func f {\n  reg r0 1/1\n  reg r1 1/1\n  reg u2 1/1\n  reg u3 1/1\n  reg u4 1/1\n  reg u5 1/1\n  b0:\n"
		for k := range n {
			text += fmt.Sprintf("    IMAD r0 = u%d, 0x2, r1\n", 2+k)
		}
		m, err := ori.Parse(text + "}\n")
		if err != nil {
			t.Fatal(err)
		}
		f := m.Funcs[0]
		if err := Legalize(f, target.Find("sm_90a"), fits, usualWaiting); err != nil {
			t.Fatal(err)
		}
		got := map[op.Op]int{}
		for i := range f.Blocks[0].Instrs {
			got[i.Op]++
		}
		if got[op.IMAD] != n || got[op.MOV] != 1 {
			t.Errorf("%d products: %d products and %d moves", n, got[op.IMAD], got[op.MOV])
		}
	}
}

func TestSwapLut(t *testing.T) {
	for lut := range int64(256) {
		s := swapLut(lut)
		for n := range 8 {
			m := n&1 | n&2<<1 | n&4>>1
			if lut>>n&1 != s>>m&1 {
				t.Fatalf("lut %#x: bit %d", lut, n)
			}
		}
	}
}

// TestHoist checks that a constant without a place in a loop waits before
// it, once.
func TestHoist(t *testing.T) {
	m, err := ori.Parse(`func f kernel {
reg r0 1/1
reg r1 1/1
reg p2 1/1
b0: -> b1
MOV r1 = rz
b1: -> b1, b2
SHF.L.U32 r0 = 0x5, r1, rz
SHF.R.U32 r1 = 0x5, r0, rz
@p2 BRA b1
b2:
EXIT
}
`)
	if err != nil {
		t.Fatal(err)
	}
	f := m.Funcs[0]
	fits := func(i *ori.Instr) bool { return i.Op == op.BRA || toy(i) }
	if err := Legalize(f, target.Find("sm_90a"), fits, usualWaiting); err != nil {
		t.Fatal(err)
	}
	want := []string{"MOV r1 = rz", "MOV r4 = 0x5"}
	var got []string
	for i := range f.Blocks[0].Instrs {
		got = append(got, string(f.AppendInstr(nil, i)))
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") || f.Blocks[1].Len() != 3 {
		t.Errorf("%s, and %d instructions in the loop", got, f.Blocks[1].Len())
	}
}

// TestHoistBeside checks that of a constant and a uniform register that have
// one place in an instruction of a loop the constant waits before it.
func TestHoistBeside(t *testing.T) {
	m, err := ori.Parse(`func f kernel {
reg r0 1/1
reg p1 1/1
reg u2 1/1
b0: -> b1
MOV r0 = rz
b1: -> b1, b2
UIADD3 u2 = u2, 0x1, urz
IMAD r0 = u2, 0x20, r0
ISETP.LT.U32.AND p1 = u2, 0x8, pt
@p1 BRA b1
b2:
EXIT
}
`)
	if err != nil {
		t.Fatal(err)
	}
	f := m.Funcs[0]
	fits := func(i *ori.Instr) bool {
		if i.Op.Has(op.Uniform) || i.Op == op.BRA || i.Op == op.MOV {
			return true
		}
		for k, s := range i.Srcs() {
			if k != 1 && (s.Kind == ori.KImm || s.Kind == ori.KReg && s.Class == ori.UR) {
				return false
			}
		}
		return true
	}
	if err := Legalize(f, target.Find("sm_90a"), fits, usualWaiting); err != nil {
		t.Fatal(err)
	}
	want := "MOV r0 = rz\nMOV r4 = 0x20\nMOV r6 = 0x8\nUIADD3 u2 = u2, 0x1, urz\nIMAD r0 = r4, u2, r0\nISETP.GT.U32.AND p1 = r6, u2, pt\n@p1 BRA b1"
	var got []string
	for _, b := range f.Blocks[:2] {
		for i := range b.Instrs {
			got = append(got, string(f.AppendInstr(nil, i)))
		}
	}
	if strings.Join(got, "\n") != want {
		t.Errorf("%s", strings.Join(got, "\n"))
	}
}

// usualWaiting is what the knobs say.
var usualWaiting = Waiting{Constants: 3, Alive: 40, Shared: 48}
