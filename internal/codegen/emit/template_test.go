package emit

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/target"
)

// shapes are instructions with holes for a number; numbers go through sizes
// at which another form, another spelling or no form at all takes over.
var (
	shapes = []string{
		"IADD3 r0 = r0, %#x, -r1[1]", "IMAD r0 = r0, %#x, rz", "IMAD r0 = r0, %#x, r1[0]", "IMAD.WIDE r1 = r0, %#x, r5[0:2]", "MOV r0 = %#x",
		"LOP3.LUT r0 = r0, %#x, rz, 0xc0", "SHF.L.U32 r0 = r0, %#x, rz", "@~p2 ISETP.GE.AND p2 = r0, %#x, pt", "FADD.FTZ r0 = -r0, %#x", "FFMA r0 = r0, %#x, |r1[1]|",
		"HFMA2 r0 = r0, %#x, 0x3c00, r1[0]", "LDG.E r0 = desc[u3], [r1.64+%#x]", "LDS r0 = [r0+%#x], +[u3[0]]", "LDS r0 = [%#x]", "STS.64 [r0+%#x], r1", "IMAD r0 = r0, c[0x0][%#x], r1[0]",
		"LDC.64 r1 = c[0x0][%#x]", "PRMT r0 = r0, %#x, r1[0]", "SEL r0 = r0, %#x, p2", "UIADD3 u3[0] = u3[0], %#x, u3[1]", "DFMA r1 = r1, %#x, r5[0:2]", "LEA r0 = r0, r1[0], %#x",
	}
	sizes = []int64{0, 1, 2, 3, 4, 5, 8, 12, 31, 32, 0x10, 0x7f, 0x80, 0xff, 0x100, 0x210, 0x7ffc, 0x8000, 0xfffc, 0x10000, 0x7fffff, 0x800000, 0x3c003c00, 0x3fc00000, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff, -1, -2, -3, -4, -8, -0x800000, -0x80000000}
)

// TestTemplates holds what is known from instructions seen before against
// the text of each: the same words, and errors for the same ones, whatever
// was seen first and in whatever registers.
func TestTemplates(t *testing.T) {
	for _, name := range []string{"sm_75", "sm_80", "sm_90a", "sm_100a", "sm_120"} {
		a := target.Find(name)
		forms := NewForms(a)
		done, known := 0, 0
		for turn, places := range [][6]int{{4, 6, 1, 4, 0, 8}, {17, 20, 3, 8, 1, 24}, {0, 250, 6, 60, 5, 244}} {
			for k := range shapes {
				for n := range sizes {
					line := fmt.Sprintf(shapes[k], sizes[(n*7+turn*3)%len(sizes)])
					want, wantErr := emitLine(t, a, line, places, NewForms(a))
					got, err := emitLine(t, a, line, places, forms)
					if (err == nil) != (wantErr == nil) || !bytes.Equal(got, want) {
						t.Fatalf("%s: %s: %x, %v; from its text %x, %v", name, line, got, err, want, wantErr)
					}
					if err == nil {
						done++
					}
				}
			}
		}
		for _, x := range forms.templates {
			if !x.broken {
				known++
			}
		}
		if done < 1000 || 10*known < 9*len(forms.templates) {
			t.Errorf("%s: %d instructions emitted, %d templates of %d", name, done, known, len(forms.templates))
		}
	}
}

func emitLine(t *testing.T, a *target.Arch, line string, places [6]int, forms *Forms) ([]byte, error) {
	t.Helper()
	text := fmt.Sprintf("func f {\n  reg r0 1/1 phys=%d\n  reg r1 2/2 phys=%d\n  reg p2 1/1 phys=%d\n  reg u3 2/2 phys=%d\n  reg k4 1/1 phys=%d\n  reg r5 4/4 phys=%d\n  b0:\n    %s\n}\n",
		places[0], places[1], places[2], places[3], places[4], places[5], line)
	m, err := ori.Parse(text)
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	c, err := Func(m.Funcs[0], a, Options{Forms: forms})
	if err != nil {
		return nil, err
	}
	return c.Text, nil
}
