package isel

import (
	"fmt"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/ori"
)

// TestUniformRoots looks at what is moved to the uniform datapath where only
// the general one can make it, and where.
func TestUniformRoots(t *testing.T) {
	const head = "func f kernel {\nreg r0 1/1\nreg r1 1/1\nreg r2 1/1\nreg r3 1/1\nreg p4 1/1\nreg u5 4/4\n"
	const chain = "SHF.L.U32 r2 = r1, 0x7, rz\nR2UR u5[0] = r2\nIADD3 r3 = r2, 0x2, rz\nR2UR u5[1] = r3\n"
	const after = "SHF.L.U32 r2 = r7, 0x7, rz\nR2UR u5[0] = r2\nIADD3 r3 = r2, 0x2, rz\nR2UR u5[1] = r3\n"
	const use = "STL [0x0], r3\n"
	for _, c := range []struct{ name, in, want string }{
		{
			"before the loop",
			"b0: -> b1\nS2R r0 = SR_TID.X\nb1: -> b1, b2\nSHFL.IDX pt, r1 = r0, rz, 0x1f\n" + chain + "ISETP.LT.AND p4 = r3, 0x5, pt\n@p4 BRA b1\nb2:\nEXIT",
			"S2R r0 = SR_TID.X\nSHFL.IDX pt, r1 = r0, rz, 0x1f\nR2UR u6 = r1\nCOPY r7 = u6\n" + after + "ISETP.LT.AND p4 = r3, 0x5, pt\n@p4 BRA b1\nEXIT\n",
		},
		{
			"what changes in the loop stays there",
			"b0: -> b1\nS2R r0 = SR_TID.X\nb1: -> b1, b2\nIADD3 r0 = r0, 0x1, rz\nSHFL.IDX pt, r1 = r0, rz, 0x1f\n" + chain + "ISETP.LT.AND p4 = r3, 0x5, pt\n@p4 BRA b1\nb2:\nEXIT",
			"S2R r0 = SR_TID.X\nIADD3 r0 = r0, 0x1, rz\nSHFL.IDX pt, r1 = r0, rz, 0x1f\nR2UR u6 = r1\nCOPY r7 = u6\n" + after + "ISETP.LT.AND p4 = r3, 0x5, pt\n@p4 BRA b1\nEXIT\n",
		},
		{
			"the high word of a product",
			"b0:\nLDC r0 = c[0x0][0x210]\nIMAD.HI.U32 r1 = r0, 0x5, rz\n" + chain + use + "EXIT",
			"LDC r0 = c[0x0][0x210]\nIMAD.WIDE.U32 r6 = r0, 0x5, rz\nCOPY r1 = r6[1]\n" + chain + use + "EXIT\n",
		},
		{
			"a division in a loop whose result one thread wants",
			"reg p6 1/1\nreg r7 1/1\nb0: -> b1\nS2R r7 = SR_TID.X\nISETP.LT.AND p4 = r7, 0x1, pt\nLDC r0 = c[0x0][0x210]\nb1: -> b1, b2\nIABS r1 = r0\nSHF.L.U32 r2 = r1, 0x7, rz\n@p4 R2UR u5[0] = r2\nIADD3 r3 = r2, 0x2, rz\n@p4 R2UR u5[1] = r3\nISETP.LT.AND p6 = r3, 0x5, pt\n@p6 BRA b1\nb2:\nEXIT",
			"S2R r7 = SR_TID.X\nISETP.LT.AND p4 = r7, 0x1, pt\nLDC r0 = c[0x0][0x210]\nIABS r1 = r0\nR2UR u8 = r1\nCOPY r9 = u8\nSHF.L.U32 r2 = r9, 0x7, rz\n@p4 R2UR u5[0] = r2\nIADD3 r3 = r2, 0x2, rz\n@p4 R2UR u5[1] = r3\nISETP.LT.AND p6 = r3, 0x5, pt\n@p6 BRA b1\nEXIT\n",
		},
		{
			"a division that all threads want",
			"b0:\nLDC r0 = c[0x0][0x210]\nIABS r1 = r0\n" + chain + use + "EXIT",
			"LDC r0 = c[0x0][0x210]\nIABS r1 = r0\n" + chain + use + "EXIT\n",
		},
		{
			"a predicate that nobody reads",
			"b0:\nS2R r0 = SR_TID.X\nSHFL.IDX p4, r1 = r0, rz, 0x1f\n" + chain + use + "EXIT",
			"S2R r0 = SR_TID.X\nSHFL.IDX p4, r1 = r0, rz, 0x1f\nR2UR u6 = r1\nCOPY r7 = u6\n" + after + use + "EXIT\n",
		},
		{
			"a predicate that somebody reads",
			"b0:\nS2R r0 = SR_TID.X\nSHFL.IDX p4, r1 = r0, rz, 0x1f\n" + chain + "@p4 STL [0x0], r3\nEXIT",
			"S2R r0 = SR_TID.X\nSHFL.IDX p4, r1 = r0, rz, 0x1f\n" + chain + "@p4 STL [0x0], r3\nEXIT\n",
		},
		{
			"lanes that differ",
			"b0:\nS2R r0 = SR_TID.X\nSHFL.BFLY pt, r1 = r0, 0x1, 0x1f\n" + chain + use + "EXIT",
			"S2R r0 = SR_TID.X\nSHFL.BFLY pt, r1 = r0, 0x1, 0x1f\n" + chain + use + "EXIT\n",
		},
		{
			"one move is no more than another",
			"b0:\nS2R r0 = SR_TID.X\nSHFL.IDX pt, r1 = r0, rz, 0x1f\nR2UR u5[0] = r1\nEXIT",
			"S2R r0 = SR_TID.X\nSHFL.IDX pt, r1 = r0, rz, 0x1f\nR2UR u5[0] = r1\nEXIT\n",
		},
		{
			"what all threads have anyway",
			"b0:\nLDC r0 = c[0x0][0x210]\nSHFL.IDX p4, r1 = r0, rz, 0x1f\nSTL [0x0], r1\nEXIT",
			"LDC r0 = c[0x0][0x210]\nCOPY r1 = r0\nSTL [0x0], r1\nEXIT\n",
		},
		{
			"addresses that a loop makes of it",
			"b0: -> b1\nS2R r0 = SR_TID.X\nSHFL.IDX pt, r1 = r0, rz, 0x1f\nb1: -> b1, b2\nIADD3 r2 = r1, r0, rz\nLDS r3 = [r2+0x0]\nISETP.LT.AND p4 = r3, 0x5, pt\n@p4 BRA b1\nb2:\nEXIT",
			"S2R r0 = SR_TID.X\nSHFL.IDX pt, r1 = r0, rz, 0x1f\nR2UR u6 = r1\nCOPY r7 = u6\nIADD3 r2 = r7, r0, rz\nLDS r3 = [r2+0x0]\nISETP.LT.AND p4 = r3, 0x5, pt\n@p4 BRA b1\nEXIT\n",
		},
		{
			"read before it is written",
			"b0: -> b1\nS2R r0 = SR_TID.X\nb1: -> b1, b2\n" + chain + "SHFL.IDX pt, r1 = r0, rz, 0x1f\nISETP.LT.AND p4 = r3, 0x5, pt\n@p4 BRA b1\nb2:\nEXIT",
			"S2R r0 = SR_TID.X\n" + chain + "SHFL.IDX pt, r1 = r0, rz, 0x1f\nISETP.LT.AND p4 = r3, 0x5, pt\n@p4 BRA b1\nEXIT\n",
		},
	} {
		m, err := ori.Parse(head + c.in + "\n}\n")
		if err != nil {
			t.Fatal(err)
		}
		UniformRoots(m.Funcs[0])
		if got := body(m.Funcs[0]); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

// TestUniformChains: a root is moved for what is computed from it in many steps, too, however
// long other chains from it are.
func TestUniformChains(t *testing.T) {
	var b strings.Builder
	b.WriteString("func f kernel {\nreg r0 1/1\nreg r1 1/1\nreg u2 4/4\n")
	const steps = 40
	for k := range steps + 1 {
		fmt.Fprintf(&b, "reg r%d 1/1\n", 3+k)
	}
	b.WriteString("b0:\nS2R r0 = SR_TID.X\nSHFL.IDX pt, r1 = r0, rz, 0x1f\nIADD3 r3 = r1, 0x1, rz\n")
	for k := range steps {
		fmt.Fprintf(&b, "IADD3 r%d = r%d, 0x1, rz\n", 4+k, 3+k)
	}
	fmt.Fprintf(&b, "R2UR u2[0] = r%d\nR2UR u2[1] = r%d\nEXIT\n}\n", 3+steps, 2+steps)
	m, err := ori.Parse(b.String())
	if err != nil {
		t.Fatal(err)
	}
	if UniformRoots(m.Funcs[0]); !strings.Contains(body(m.Funcs[0]), "= r1\nCOPY") {
		t.Errorf("the root stays:\n%s", body(m.Funcs[0]))
	}
}

// TestUniformWords: a loaded word that all threads share comes from a uniform
// register where general ones are scarce and others that live long are computed
// from it, whoever else writes its register.
func TestUniformWords(t *testing.T) {
	for _, c := range []struct {
		words int
		want  bool
	}{{8, false}, {manyWords + 8, true}} {
		var b strings.Builder
		b.WriteString("func f kernel {\nreg u0 2/2\nreg r1 2/2\nreg r2 1/1\nreg p3 1/1\nreg r4 1/1\n")
		for k := range c.words {
			fmt.Fprintf(&b, "reg r%d 1/1\n", 5+k)
		}
		b.WriteString("b0: -> b2, b1\nULDC.64 u0 = c[0x0][0x208]\nLDC.64 r1 = c[0x0][0x210]\nCOPY r2 = rz\nISETP.EQ.AND p3 = r1[0], rz, pt\n@p3 BRA b2\n")
		b.WriteString("b1: -> b2\nLDG.E r2 = desc[u0], [r1.64+0x0]\nb2: -> b3\nIADD3 r4 = r2, 0x5, rz\n")
		for k := range c.words {
			fmt.Fprintf(&b, "LDS r%d = [0x%x]\n", 5+k, 4*k)
		}
		b.WriteString("b3:\nSTS [0x0], r4\n")
		for k := range c.words {
			fmt.Fprintf(&b, "STS [0x%x], r%d\n", 4*k, 5+k)
		}
		b.WriteString("EXIT\n}\n")
		m, err := ori.Parse(b.String())
		if err != nil {
			t.Fatal(err)
		}
		UniformRoots(m.Funcs[0])
		if got := strings.Contains(body(m.Funcs[0]), "R2UR"); got != c.want {
			t.Errorf("%d words: moved: %v", c.words, got)
		}
	}
}
