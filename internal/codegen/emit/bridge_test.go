package emit

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/engine/bits"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/sass"
	"github.com/goptxas/goptxas/internal/target"
)

// lines are instructions with holes for a number; numbers go through sizes at
// which another form or no form at all takes over.
var (
	lines = []string{
		"IADD3 r0 = r0, %#x, -r1[1]", "IMAD r0 = r0, %#x, rz", "IMAD r0 = r0, %#x, r1[0]", "IMAD.WIDE r1 = r0, %#x, r5[0:2]", "MOV r0 = %#x",
		"LOP3.LUT r0 = r0, %#x, rz, 0xc0", "SHF.L.U32 r0 = r0, %#x, rz", "@~p2 ISETP.GE.AND p2 = r0, %#x, pt", "FADD.FTZ r0 = -r0, %#x", "FFMA r0 = r0, %#x, |r1[1]|",
		"HFMA2 r0 = r0, %#x, 0x3c00, r1[0]", "LDG.E r0 = desc[u3], [r1.64+%#x]", "LDS r0 = [r0+%#x], +[u3[0]]", "LDS r0 = [%#x]", "STS.64 [r0+%#x], r1", "IMAD r0 = r0, c[0x0][%#x], r1[0]",
		"LDC.64 r1 = c[0x0][%#x]", "LDCU.64 u3 = c[0x3][%#x]", "PRMT r0 = r0, %#x, r1[0]", "SEL r0 = r0, %#x, p2", "UIADD3 u3[0] = u3[0], %#x, u3[1]", "DFMA r1 = r1, %#x, r5[0:2]", "LEA r0 = r0, r1[0], %#x",
	}
	sizes = []int64{0, 1, 2, 3, 4, 5, 8, 12, 31, 32, 0x10, 0x7f, 0x80, 0xff, 0x100, 0x210, 0x7ffc, 0x8000, 0xfffc, 0x10000, 0x7fffff, 0x800000, 0x3c003c00, 0x3fc00000, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff, -1, -2, -3, -4, -8, -0x800000, -0x80000000}
)

// TestBridge holds the words that the bridge makes against the parser of
// texts: the text of each, read back, is the same word, whatever its
// registers and numbers.
func TestBridge(t *testing.T) {
	for _, name := range []string{"sm_75", "sm_80", "sm_90a", "sm_100a", "sm_120"} {
		a := target.Find(name)
		done := 0
		for _, places := range [][6]int{{4, 6, 1, 4, 0, 8}, {17, 20, 3, 8, 1, 24}, {0, 250, 6, 60, 5, 244}} {
			for _, line := range lines {
				for _, n := range sizes {
					text := fmt.Sprintf(line, n)
					w, err := emitLine(t, a, text, places)
					if err != nil {
						continue
					}
					done++
					x := sass.Decode(a, w)
					if strings.Contains(x.Text(a, 0), "NAN") {
						continue // its bits do not show
					}
					y, err := sass.Parse(a, x.Text(a, 0), 0)
					if err != nil {
						t.Fatalf("%s: %s: %v", name, text, err)
					}
					y.SetCtrl(x.Ctrl())
					if y != x {
						t.Fatalf("%s: %s: %x, its text %s is %x", name, text, w, x.Text(a, 0), y.Word())
					}
				}
			}
		}
		if done < 1000 {
			t.Errorf("%s: %d instructions emitted", name, done)
		}
	}
}

func emitLine(t *testing.T, a *target.Arch, line string, places [6]int) (bits.Word, error) {
	t.Helper()
	text := fmt.Sprintf("func f {\n  reg r0 1/1 phys=%d\n  reg r1 2/2 phys=%d\n  reg p2 1/1 phys=%d\n  reg u3 2/2 phys=%d\n  reg k4 1/1 phys=%d\n  reg r5 4/4 phys=%d\n  b0:\n    %s\n}\n",
		places[0], places[1], places[2], places[3], places[4], places[5], line)
	m, err := ori.Parse(text)
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	c, err := Func(m.Funcs[0], a, Options{})
	if err != nil {
		return bits.Word{}, err
	}
	return wordAt(c.Text, 0), nil
}

// TestEveryOperation: what Ori can write has a form. The operations that have
// none name all predicates or a special register that Ori does not know as
// one operand.
func TestEveryOperation(t *testing.T) {
	silent := []op.Op{op.FSWZADD, op.P2R, op.R2P, op.RPCMOV, op.UP2UR, op.UR2UP}
	for o := op.None + 1; int(o) < op.Count; o++ {
		if o.Has(op.Pseudo) {
			continue
		}
		if has := int(o) < len(families) && families[o].n > 0; has == slices.Contains(silent, o) {
			t.Errorf("%s: has forms: %v", o, has)
		}
	}
}

// TestStartOfBank: the first bytes of a constant bank are loaded by a form
// whose register is written out.
func TestStartOfBank(t *testing.T) {
	for _, name := range []string{"sm_100a", "sm_120"} {
		a := target.Find(name)
		w, err := emitLine(t, a, "LDCU.64 u3 = c[0x3][0x0]", [6]int{4, 6, 1, 4, 0, 8})
		x := sass.Decode(a, w)
		if got := trim(x.Text(a, 0)); err != nil || got != "LDCU.64 UR4, c[0x3][URZ]" {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
}

// TestNoSlot: a variable whose address has no place is refused, not loaded
// from anywhere.
func TestNoSlot(t *testing.T) {
	m, err := ori.Parse("func f {\n  reg r0 2/2 phys=6\n  b0:\n    LDC.64 r0 = $var+0x0:lo\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Func(m.Funcs[0], target.Find("sm_90a"), Options{}); err == nil {
		t.Error("it was emitted")
	}
}
