package opt_test

import (
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/opt"
)

func TestCanonical(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"IADD3 r0, p3 = r1, r2, rz", "IADD3 r0 = r1, r2, rz"},
		{"IADD3 r0, p3 = r1, rz, rz\n@p3 STS [r0+0x0], r0", "COPY r0 = r1\nPLOP3.LUT p3 = pt, pt, pt, 0x0, 0x0\n@p3 STS [r0+0x0], r0"},
		{"IADD3 r0, p3 = r1, -rz, rz\n@p3 STS [r0+0x0], r0", "IADD3 r0, p3 = r1, -rz, rz\n@p3 STS [r0+0x0], r0"},
		{"IADD3.X r0 = r1, r2, rz, ~pt, ~pt", "IADD3 r0 = r1, r2, rz"},
		{"IADD3.X r0 = r1, ~r2, rz, ~pt, ~pt", "IADD3.X r0 = r1, ~r2, rz, ~pt, ~pt"},
		{"IADD3.X r0 = r1, r2, rz, pt, ~pt", "IADD3.X r0 = r1, r2, rz, pt, ~pt"},
		{"ISETP.LT.U32.AND.EX p3 = rz, rz, p5, p4", "PLOP3.LUT p3 = p5, p4, pt, 0xc0, 0x0"},
		{"ISETP.GT.AND.EX p3 = r0, r0, pt, p4", "PLOP3.LUT p3 = pt, p4, pt, 0xc0, 0x0"},
		{"ISETP.GT.AND.EX p3 = r0, -r0, pt, p4", "ISETP.GT.AND.EX p3 = r0, -r0, pt, p4"},
		{"ISETP.LT.U32.AND.EX p3 = rz, r0, pt, p4", "ISETP.LT.U32.AND.EX p3 = rz, r0, pt, p4"},
		{"ISETP.LT.AND p3 = -0x5, 0x1, p4", "PLOP3.LUT p3 = p4, pt, pt, 0xc0, 0x0"},
		{"ISETP.LT.U32.OR p3 = -0x5, 0x1, p4", "PLOP3.LUT p3 = p4, ~pt, pt, 0xfc, 0x0"},
		{"IABS r0 = r1\nISETP.LT.AND p3 = r0, rz, p4", "IABS r0 = r1\nPLOP3.LUT p3 = p4, ~pt, pt, 0xc0, 0x0"},
		{"IABS r0 = r1\nISETP.GE.OR p3 = r0, rz, p4", "IABS r0 = r1\nPLOP3.LUT p3 = p4, pt, pt, 0xfc, 0x0"},
		{"IABS r0 = r1\nISETP.LT.U32.AND p3 = r0, rz, p4", "IABS r0 = r1\nISETP.LT.U32.AND p3 = r0, rz, p4"},
		{"IABS r0 = r1\nISETP.LT.AND p3 = r0, r2, p4", "IABS r0 = r1\nISETP.LT.AND p3 = r0, r2, p4"},
		{"@p4 IABS r0 = r1\nISETP.LT.AND p3 = r0, rz, p4", "@p4 IABS r0 = r1\nISETP.LT.AND p3 = r0, rz, p4"},
		{"IABS r0 = r1\nIABS r2 = r0", "IABS r0 = r1\nCOPY r2 = r0"},
		{"MUFU.EX2 r1 = r2\nFADD r0 = r1, 0x3f800000\nFSETP.LT.AND p3 = |r0|, 0x800000, pt", "MUFU.EX2 r1 = r2\nFADD r0 = r1, 0x3f800000\nPLOP3.LUT p3 = pt, ~pt, pt, 0xc0, 0x0"},
		{"MUFU.EX2 r1 = r2\nFADD r0 = r1, 0x400000\nFSETP.LT.AND p3 = |r0|, 0x800000, pt", "MUFU.EX2 r1 = r2\nFADD r0 = r1, 0x400000\nFSETP.LT.AND p3 = |r0|, 0x800000, pt"},
		{"MUFU.LG2 r1 = r2\nFADD r0 = r1, 0x3f800000\nFSETP.LT.AND p3 = |r0|, 0x800000, pt", "MUFU.LG2 r1 = r2\nFADD r0 = r1, 0x3f800000\nFSETP.LT.AND p3 = |r0|, 0x800000, pt"},
		{"MUFU.EX2 r1 = r2\nFADD r0 = -r1, 0x3f800000\nFSETP.LT.AND p3 = |r0|, 0x800000, pt", "MUFU.EX2 r1 = r2\nFADD r0 = -r1, 0x3f800000\nFSETP.LT.AND p3 = |r0|, 0x800000, pt"},
		{"FADD r0 = |r1|, 0x3f800000\nFSETP.LT.AND p3 = |r0|, 0x800000, pt", "FADD r0 = |r1|, 0x3f800000\nPLOP3.LUT p3 = pt, ~pt, pt, 0xc0, 0x0"},
		{"FADD.SAT r0 = |r1|, 0x3f800000\nFSETP.LT.AND p3 = |r0|, 0x800000, pt", "FADD.SAT r0 = |r1|, 0x3f800000\nFSETP.LT.AND p3 = |r0|, 0x800000, pt"},
		{"FFMA r0 = r1, r1, 0x3f800000\nFSETP.LT.AND p3 = |r0|, 0x800000, pt", "FFMA r0 = r1, r1, 0x3f800000\nPLOP3.LUT p3 = pt, ~pt, pt, 0xc0, 0x0"},
		{"FFMA r0 = r1, r2, 0x3f800000\nFSETP.LT.AND p3 = |r0|, 0x800000, pt", "FFMA r0 = r1, r2, 0x3f800000\nFSETP.LT.AND p3 = |r0|, 0x800000, pt"},
		{"FFMA r0 = r1, r1, 0x3f800000\nFSETP.LTU.AND p3 = |r0|, 0x800000, pt", "FFMA r0 = r1, r1, 0x3f800000\nFSETP.LTU.AND p3 = |r0|, 0x800000, pt"},
		{"FSEL r0 = 0x40000000, 0x3f800000, p4\nFSETP.GT.AND p3 = |r0|, 0x7e800000, pt", "FSEL r0 = 0x40000000, 0x3f800000, p4\nPLOP3.LUT p3 = pt, ~pt, pt, 0xc0, 0x0"},
		{"FSEL r0 = 0x40000000, 0x3f800000, p4\nFSETP.LT.AND p3 = -r0, 0x800000, pt", "FSEL r0 = 0x40000000, 0x3f800000, p4\nPLOP3.LUT p3 = pt, pt, pt, 0xc0, 0x0"},
		{"FSEL r0 = 0x40000000, r1, p4\nFSETP.GT.AND p3 = |r0|, 0x7e800000, pt", "FSEL r0 = r1, 0x40000000, ~p4\nFSETP.GT.AND p3 = |r0|, 0x7e800000, pt"},
		{"FSEL r1 = 0x40000000, 0x3f800000, p4\nFADD r0 = r1, 0x3f800000\nFSETP.LE.AND p3 = r0, 0x40000000, pt", "FSEL r1 = 0x40000000, 0x3f800000, p4\nFADD r0 = r1, 0x3f800000\nFSETP.LE.AND p3 = r0, 0x40000000, pt"},
		{"FSEL r1 = 0x40000000, 0x3f800000, p4\nFADD r0 = r1, 0x3f800000\nFSETP.LT.AND p3 = r0, 0x40000000, pt", "FSEL r1 = 0x40000000, 0x3f800000, p4\nFADD r0 = r1, 0x3f800000\nPLOP3.LUT p3 = pt, ~pt, pt, 0xc0, 0x0"},
		{"FMNMX r0 = r1, 0x3f800000, ~pt\nFSETP.LT.AND p3 = |r0|, 0x800000, pt", "FMNMX r0 = r1, 0x3f800000, ~pt\nPLOP3.LUT p3 = pt, ~pt, pt, 0xc0, 0x0"},
		{"FMNMX r0 = r1, 0x3f800000, ~pt\nFSETP.GE.AND p3 = r0, 0x3f800000, pt", "FMNMX r0 = r1, 0x3f800000, ~pt\nPLOP3.LUT p3 = pt, pt, pt, 0xc0, 0x0"},
		{"FMNMX r0 = r1, 0x3f800000, pt\nFSETP.LT.AND p3 = |r0|, 0x800000, pt", "FMNMX r0 = r1, 0x3f800000, pt\nFSETP.LT.AND p3 = |r0|, 0x800000, pt"},
		{"FMNMX r0 = r1, 0x3f800000, pt\nFSETP.GTU.AND p3 = r0, 0x40000000, pt", "FMNMX r0 = r1, 0x3f800000, pt\nPLOP3.LUT p3 = pt, ~pt, pt, 0xc0, 0x0"},
		{"FMNMX.NAN r0 = r1, 0x3f800000, ~pt\nFSETP.GE.AND p3 = r0, 0x3f800000, pt", "FMNMX.NAN r0 = r1, 0x3f800000, ~pt\nFSETP.GE.AND p3 = r0, 0x3f800000, pt"},
		{"I2FP.F32.U32 r0 = r1\nFSETP.GT.AND p3 = |r0|, 0x7e800000, pt", "I2FP.F32.U32 r0 = r1\nPLOP3.LUT p3 = pt, ~pt, pt, 0xc0, 0x0"},
		{"I2FP.F32.U32 r0 = r1\nFSETP.LT.AND p3 = |r0|, 0x800000, pt", "I2FP.F32.U32 r0 = r1\nFSETP.LT.AND p3 = |r0|, 0x800000, pt"},
		{"FMUL r1 = r2, r2\nFMUL r0 = r1, r1\nFSETP.LT.AND p3 = r0, rz, pt", "FMUL r1 = r2, r2\nFMUL r0 = r1, r1\nPLOP3.LUT p3 = pt, ~pt, pt, 0xc0, 0x0"},
		{"FMUL r1 = r2, r2\nFMUL r0 = r1, r1\nFSETP.GE.AND p3 = r0, rz, pt", "FMUL r1 = r2, r2\nFMUL r0 = r1, r1\nFSETP.GE.AND p3 = r0, rz, pt"},
		{"FMUL r1 = r2, r2\nFMUL r0 = r1, r1\nFSETP.GEU.AND p3 = r0, rz, pt", "FMUL r1 = r2, r2\nFMUL r0 = r1, r1\nPLOP3.LUT p3 = pt, pt, pt, 0xc0, 0x0"},
		{"@p4 FADD r0 = |r1|, 0x3f800000\nFSETP.LT.AND p3 = |r0|, 0x800000, pt", "@p4 FADD r0 = |r1|, 0x3f800000\nFSETP.LT.AND p3 = |r0|, 0x800000, pt"},
		{"ISETP.LT.AND p3 = r1, 0x5, pt\nSEL r0 = rz, 0x3f800000, p3\nFSETP.NEU.AND p4 = r0, rz, pt", "ISETP.LT.AND p3 = r1, 0x5, pt\nSEL r0 = rz, 0x3f800000, p3\nPLOP3.LUT p4 = pt, ~p3, pt, 0xc0, 0x0"},
		{"ISETP.LT.AND p3 = r1, 0x5, pt\nSEL r0 = rz, -0x80000000, p3\nFSETP.EQ.AND p4 = r0, rz, pt", "ISETP.LT.AND p3 = r1, 0x5, pt\nSEL r0 = rz, -0x80000000, p3\nPLOP3.LUT p4 = pt, pt, pt, 0xc0, 0x0"},
		{"ISETP.LT.AND p3 = r1, 0x5, pt\nSEL r0 = rz, 0x1, p3\nFSETP.EQ.AND p4 = r0, rz, pt", "ISETP.LT.AND p3 = r1, 0x5, pt\nSEL r0 = rz, 0x1, p3\nFSETP.EQ.AND p4 = r0, rz, pt"},
		{"ISETP.LT.AND p3 = r1, 0x5, pt\nSEL r0 = rz, 0x7fc00000, p3\nFSETP.NEU.AND p4 = r0, rz, pt", "ISETP.LT.AND p3 = r1, 0x5, pt\nSEL r0 = rz, 0x7fc00000, p3\nFSETP.NEU.AND p4 = r0, rz, pt"},
		{"SEL r0 = 0x5, r1, p3", "SEL r0 = r1, 0x5, ~p3"},
		{"SEL r0 = 0x5, rz, p3", "SEL r0 = rz, 0x5, ~p3"},
		{"SEL r0 = 0x5, 0x6, p3", "SEL r0 = 0x5, 0x6, p3"},
		{"SEL r0 = rz, r1, p3", "SEL r0 = rz, r1, p3"},
		{"ISETP.LT.AND p3 = 0x5, r1, pt", "ISETP.GT.AND p3 = r1, 0x5, pt"},
		{"FSETP.GEU.AND p3 = 0x5, r1, pt", "FSETP.LEU.AND p3 = r1, 0x5, pt"},
		{"FSETP.NAN.AND p3 = 0x5, r1, pt", "FSETP.NAN.AND p3 = r1, 0x5, pt"},
		{"IMAD.WIDE.U32 r8 = r1, 0x4, r10\nSTL [r8[0]+0x0], r2", "IMAD r8[0] = r1, 0x4, r10[0]\nSTL [r8[0]+0x0], r2"},
		{"IMAD.WIDE r8 = r1, r2, rz\nSTL [r8[0]+0x0], r2", "IMAD r8[0] = r1, r2, rz\nSTL [r8[0]+0x0], r2"},
		{"IMAD.WIDE r8 = r1, r2, rz\nSTL [r8[0]+0x0], r8[1]", "IMAD.WIDE r8 = r1, r2, rz\nSTL [r8[0]+0x0], r8[1]"},
		{"@p3 IMAD.WIDE r8 = r1, r2, rz\nSTL [r8[0]+0x0], r2", "@p3 IMAD.WIDE r8 = r1, r2, rz\nSTL [r8[0]+0x0], r2"},
	} {
		if got := run(t, strings.Replace(predRegs, "b0:", "reg r10 2/2\nb0:", 1)+c.in, opt.Canonical); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.in, got, c.want)
		}
	}
}

// TestLowProduct: a product of which nobody reads the high word is one of words.
func TestLowProduct(t *testing.T) {
	const regs = "reg r0 2/2\nreg r1 2/2\nreg r2 1/1\nb0:\n"
	for _, c := range []struct{ in, want string }{
		{"IMAD.WIDE.U32 r0 = r2, 0x4, r1\nSTL [r0[0]+0x0], r2", "IMAD r0[0] = r2, 0x4, r1[0]\nSTL [r0[0]+0x0], r2"},
		{"IMAD.WIDE r0 = r2, r2, rz\nSTL [r0[0]+0x0], r2", "IMAD r0[0] = r2, r2, rz\nSTL [r0[0]+0x0], r2"},
		{"IMAD.WIDE.U32 r0 = r2, 0x4, r1\nSTL [r0[0]+0x0], r0[1]", "IMAD.WIDE.U32 r0 = r2, 0x4, r1\nSTL [r0[0]+0x0], r0[1]"},
		{"IMAD.WIDE.U32 r0 = r2, 0x4, r1\nSTG.E desc[urz], [r0.64+0x0], r2", "IMAD.WIDE.U32 r0 = r2, 0x4, r1\nSTG.E desc[urz], [r0.64+0x0], r2"},
	} {
		if got := run(t, regs+c.in, opt.Canonical); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.in, got, c.want)
		}
	}
}
