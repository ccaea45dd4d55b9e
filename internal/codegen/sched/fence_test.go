package sched

import (
	"fmt"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/codegen/sched/places"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/target"
)

// fenced is a kernel that loads matrices, tells others that it has them, and
// multiplies them then.
func fenced(n int) string {
	var s strings.Builder
	s.WriteString("func f kernel {\nreg r0 4/4\n")
	for k := range n {
		fmt.Fprintf(&s, "reg r%d 4/4\nreg r%d 2/2\n", 2*k+1, 2*k+2)
	}
	fmt.Fprintf(&s, "reg r%d 1/1\nb0:\nCS2R r0[0:2] = SRZ\nCS2R r0[2:4] = SRZ\n", 2*n+1)
	for k := range n {
		fmt.Fprintf(&s, "LDSM.16.M88.4 r%d = [%#x]\nLDSM.16.M88.2 r%d = [%#x]\n", 2*k+1, 64*k, 2*k+2, 64*k+16)
	}
	s.WriteString("MEMBAR.ALL.CTA\nFENCE.VIEW.ASYNC.S\nBAR.SYNC 0x0\n")
	fmt.Fprintf(&s, "LDS r%d = [0x4000]\n", 2*n+1)
	for k := range n {
		fmt.Fprintf(&s, "HMMA.16816.F32 r0 = r%d, r%d, r0\n", 2*k+1, 2*k+2)
	}
	fmt.Fprintf(&s, "STS.128 [0x0], r0\nSTS [0x4000], r%d\nEXIT\n}\n", 2*n+1)
	return s.String()
}

// TestFences: where registers are short products pass fences and barriers, and
// accesses to memory never do.
func TestFences(t *testing.T) {
	for _, c := range []struct {
		registers int
		passes    bool
	}{{255, false}, {48, true}} {
		m, err := ori.Parse(fenced(16))
		if err != nil {
			t.Fatal(err)
		}
		f := m.Funcs[0]
		Pre(f, target.Find("sm_120a"), Budget{Most: c.registers}, Usual(), nil)
		behind, before := 0, 0
		for i := range f.Blocks[0].Instrs {
			switch {
			case places.IsFence(i) || places.IsBarrier(i):
				behind++
			case i.Op == op.HMMA && behind == 0:
				before++
			case i.Op == op.LDSM && behind > 0, (i.Op == op.STS || i.Op == op.LDS) && behind < 3:
				t.Errorf("%d registers: %v has passed", c.registers, i)
			}
		}
		if (before > 0) != c.passes || behind != 3 {
			t.Errorf("%d registers: %d products stand before %d fences", c.registers, before, behind)
		}
	}
}

// loadedWords is a kernel that loads words from tensor memory, waits for all of
// them, makes half words of them and stores these.
func loadedWords(n int) string {
	var s strings.Builder
	s.WriteString("func f kernel {\nreg u0 1/1\n")
	for k := range n {
		fmt.Fprintf(&s, "reg r%d 16/1\nreg r%d 8/4\n", 2*k+1, 2*k+2)
	}
	s.WriteString("b0:\nS2UR u0 = SR_CTAID.X\n")
	for k := range n {
		fmt.Fprintf(&s, "LDTM.x16 r%d = tmem[u0]+%#x\n", 2*k+1, 16*k)
	}
	s.WriteString("NOP\n")
	for k := range n {
		for w := range 8 {
			fmt.Fprintf(&s, "F2FP.F16.F32.PACK_AB r%d[%d] = r%d[%d], r%d[%d]\n", 2*k+2, w, 2*k+1, 2*w, 2*k+1, 2*w+1)
		}
	}
	for k := range n {
		fmt.Fprintf(&s, "STS.128 [%#x], r%d[0:4]\nSTS.128 [%#x], r%d[4:8]\n", 32*k, 2*k+2, 32*k+16, 2*k+2)
	}
	s.WriteString("EXIT\n}\n")
	return s.String()
}

// TestTensorWait: where the results that a thread waits for fill all registers,
// what is made of them passes the wait. Loads and stores do not.
func TestTensorWait(t *testing.T) {
	for _, c := range []struct {
		registers int
		passes    bool
	}{{255, false}, {120, true}} {
		m, err := ori.Parse(loadedWords(8))
		if err != nil {
			t.Fatal(err)
		}
		f := m.Funcs[0]
		Pre(f, target.Find("sm_100a"), Budget{Most: c.registers}, Usual(), nil)
		waited, before := false, 0
		for i := range f.Blocks[0].Instrs {
			switch {
			case i.Op == op.NOP:
				waited = true
			case i.Op == op.F2FP && !waited:
				before++
			case i.Op == op.LDTM && waited, i.Op == op.STS && !waited:
				t.Errorf("%d registers: %v has passed", c.registers, i)
			}
		}
		if (before > 0) != c.passes {
			t.Errorf("%d registers: %d words are made before the wait", c.registers, before)
		}
	}
}

// TestUniformPredicates: tests of the uniform datapath are not all made before
// the first is read.
func TestUniformPredicates(t *testing.T) {
	const n = 20
	var s strings.Builder
	s.WriteString("func f kernel {\nreg u0 1/1\n")
	for k := range n {
		fmt.Fprintf(&s, "reg q%d 1/1\nreg r%d 1/1\n", 2*k+1, 2*k+2)
	}
	s.WriteString("b0:\nS2UR u0 = SR_CTAID.X\n")
	for k := range n {
		fmt.Fprintf(&s, "UISETP.GT.AND q%d = u0, %#x, upt\nSEL r%d = %#x, rz, q%d\nSTS [%#x], r%d\n", 2*k+1, k, 2*k+2, k+1, 2*k+1, 4*k, 2*k+2)
	}
	s.WriteString("EXIT\n}\n")
	m, err := ori.Parse(s.String())
	if err != nil {
		t.Fatalf("%v\n%s", err, s.String())
	}
	f := m.Funcs[0]
	Pre(f, target.Find("sm_100a"), Budget{Most: 128}, Usual(), nil)
	alive, most := 0, 0
	for i := range f.Blocks[0].Instrs {
		switch i.Op {
		case op.UISETP:
			alive++
		case op.SEL:
			alive--
		}
		most = max(most, alive)
	}
	if most > predicateRoom+1 {
		t.Errorf("%d uniform predicates live at once\n%s", most, f)
	}
}

// betweenProducts is a kernel that takes exponentials of the sums of one product
// of a warp group, and multiplies behind a fence what these are added to.
func betweenProducts() string {
	var s strings.Builder
	s.WriteString("func f kernel {\nreg r0 32/8\nreg r1 32/8\n")
	for k := range 32 {
		fmt.Fprintf(&s, "reg r%d 1/1\n", k+2)
	}
	s.WriteString("reg u34 4/4\nb0:\nHGMMA.64x64x16.F32.LOOSE r0 = gdesc[u34]+0x0, rz, ~upt\n")
	for k := range 32 {
		fmt.Fprintf(&s, "MUFU.EX2 r%d = r0[%d]\n", k+2, k)
	}
	s.WriteString("MEMBAR.ALL.CTA\nFENCE.VIEW.ASYNC.S\nHGMMA.64x64x16.F32.LOOSE r1 = gdesc[u34]+0x0, rz, ~upt\n")
	for k := range 32 {
		fmt.Fprintf(&s, "FADD r%d = r%d, r1[%d]\n", k+2, k+2, k)
	}
	for k := range 32 {
		fmt.Fprintf(&s, "STS [%#x], r%d\n", 4*k, k+2)
	}
	s.WriteString("EXIT\n}\n")
	return s.String()
}

// TestFencesBetweenProducts: the second product begins before the exponentials if
// arithmetic may pass the fence, and never before the fence.
func TestFencesBetweenProducts(t *testing.T) {
	for _, percent := range []int{0, 97} {
		m, err := ori.Parse(betweenProducts())
		if err != nil {
			t.Fatal(err)
		}
		f, tune := m.Funcs[0], Usual()
		tune.Fences = percent
		Pre(f, target.Find("sm_90a"), Budget{Most: 255}, tune, nil)
		products, fences, early := 0, 0, 0
		for i := range f.Blocks[0].Instrs {
			switch {
			case i.Op == op.HGMMA:
				if products++; products == 2 && fences != 2 {
					t.Errorf("%d: the second product stands behind %d of 2 fences", percent, fences)
				}
			case places.IsFence(i):
				fences++
			case i.Op == op.MUFU && products < 2:
				early++
			}
		}
		if products != 2 || (early == 32) != (percent == 0) {
			t.Errorf("%d: %d of 32 exponentials stand before the second product", percent, early)
		}
	}
}
