package opt_test

import (
	"testing"

	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/opt/cse"
	"github.com/goptxas/goptxas/internal/opt/dead"
	"github.com/goptxas/goptxas/internal/opt/float"
	"github.com/goptxas/goptxas/internal/ori"
)

const predicates = `reg r0 1/1
reg r1 1/1
reg r2 1/1
reg p3 1/1
reg p4 1/1
reg p5 1/1
reg p6 1/1
reg p7 1/1
reg r8 1/1
b0:
`

func TestTests(t *testing.T) {
	for _, c := range []phaseCase{
		{"a logic operation tests itself", `S2R r0 = SR_TID.X
LOP3.LUT r1 = r0, 0x1, rz, 0xc0
ISETP.NE.AND p3 = r1, rz, pt
@p3 STS [0x0], r0`, `S2R r0 = SR_TID.X
LOP3.LUT p3, rz = r0, 0x1, rz, 0xc0, ~pt
@p3 STS [0x0], r0`, []func(*ori.Func) bool{opt.TestBits}},
		{"for zero, with its readers turned", `S2R r0 = SR_TID.X
LOP3.LUT r1 = r0, 0x1, rz, 0xc0
ISETP.EQ.AND p3 = r1, rz, pt
@p3 STS [0x0], r0
SEL r2 = r0, rz, ~p3
STS [0x4], r2`, `S2R r0 = SR_TID.X
LOP3.LUT p3, rz = r0, 0x1, rz, 0xc0, ~pt
@~p3 STS [0x0], r0
SEL r2 = r0, rz, p3
STS [0x4], r2`, []func(*ori.Func) bool{opt.TestBits}},
		{"the same byte of two words", `S2R r0 = SR_TID.X
S2R r1 = SR_LANEID
PRMT r2 = r0, 0x7771, rz
PRMT r8 = r1, 0x7771, rz
ISETP.EQ.AND p3 = r2, r8, pt
@p3 STS [0x0], r0`, `S2R r0 = SR_TID.X
S2R r1 = SR_LANEID
LOP3.LUT p3, rz = r0, 0xff00, r1, 0x48, ~pt
@~p3 STS [0x0], r0`, []func(*ori.Func) bool{opt.TestBits}},
		{"the sign of a byte with its other bits", `S2R r0 = SR_TID.X
S2R r1 = SR_LANEID
PRMT r2 = r0, 0xbb32, rz
PRMT r8 = r1, 0xbb32, rz
ISETP.NE.AND p3 = r2, r8, pt
@p3 STS [0x0], r0`, `S2R r0 = SR_TID.X
S2R r1 = SR_LANEID
LOP3.LUT p3, rz = r0, -0x10000, r1, 0x48, ~pt
@p3 STS [0x0], r0`, []func(*ori.Func) bool{opt.TestBits}},
		{"other bytes stay", `S2R r0 = SR_TID.X
S2R r1 = SR_LANEID
PRMT r2 = r0, 0x7771, rz
PRMT r8 = r1, 0x7772, rz
ISETP.EQ.AND p3 = r2, r8, pt
@p3 STS [0x0], r0`, `S2R r0 = SR_TID.X
S2R r1 = SR_LANEID
PRMT r2 = r0, 0x7771, rz
PRMT r8 = r1, 0x7772, rz
ISETP.EQ.AND p3 = r2, r8, pt
@p3 STS [0x0], r0`, []func(*ori.Func) bool{opt.TestBits}},
		{"an order of bytes stays", `S2R r0 = SR_TID.X
S2R r1 = SR_LANEID
LOP3.LUT r2 = r0, 0xff, rz, 0xc0
LOP3.LUT r8 = r1, 0xff, rz, 0xc0
ISETP.LE.U32.AND p3 = r2, r8, pt
@p3 STS [0x0], r0`, `S2R r0 = SR_TID.X
S2R r1 = SR_LANEID
LOP3.LUT r2 = r0, 0xff, rz, 0xc0
LOP3.LUT r8 = r1, 0xff, rz, 0xc0
ISETP.LE.U32.AND p3 = r2, r8, pt
@p3 STS [0x0], r0`, []func(*ori.Func) bool{opt.TestBits}},
		{"a bit that was shifted down", `S2R r0 = SR_TID.X
LOP3.LUT r1 = r0, 0x6, rz, 0xc0
SHF.R.U32.HI r2 = rz, 0x2, r1
ISETP.NE.U32.AND p3 = r2, rz, pt
@p3 STS [0x0], r0`, `S2R r0 = SR_TID.X
LOP3.LUT p3, rz = r0, 0x4, rz, 0xc0, ~pt
@p3 STS [0x0], r0`, []func(*ori.Func) bool{opt.TestBits}},
		{"the upper bits of a word", `S2R r0 = SR_TID.X
SHF.R.U32.HI r2 = rz, 0x8, r0
ISETP.EQ.U32.AND p3 = r2, rz, pt
@p3 STS [0x0], r0`, `S2R r0 = SR_TID.X
LOP3.LUT p3, rz = r0, -0x100, rz, 0xc0, ~pt
@~p3 STS [0x0], r0`, []func(*ori.Func) bool{opt.TestBits}},
		{"a bit that was shifted up", `S2R r0 = SR_TID.X
SHF.L.U32 r1 = r0, 0x3, rz
LOP3.LUT r2 = r1, 0x10, rz, 0xc0
ISETP.NE.U32.AND p3 = r2, rz, pt
@p3 STS [0x0], r0`, `S2R r0 = SR_TID.X
LOP3.LUT p3, rz = r0, 0x2, rz, 0xc0, ~pt
@p3 STS [0x0], r0`, []func(*ori.Func) bool{opt.TestBits}},
		{"a shift that others read stays", `S2R r0 = SR_TID.X
SHF.L.U32 r1 = r0, 0x3, rz
LOP3.LUT r2 = r1, 0x10, rz, 0xc0
ISETP.NE.U32.AND p3 = r2, rz, pt
@p3 STS [0x0], r1`, `S2R r0 = SR_TID.X
SHF.L.U32 r1 = r0, 0x3, rz
LOP3.LUT p3, rz = r1, 0x10, rz, 0xc0, ~pt
@p3 STS [0x0], r1`, []func(*ori.Func) bool{opt.TestBits}},
		{"a predicate that became a word and back", `S2R r0 = SR_TID.X
ISETP.LT.U32.AND p3 = r0, 0x5, pt
SEL r1 = rz, 0x1, p3
ISETP.EQ.U32.AND p4 = r1, rz, pt
@p4 STS [0x0], r0`, `S2R r0 = SR_TID.X
ISETP.LT.U32.AND p3 = r0, 0x5, pt
@p3 STS [0x0], r0`, []func(*ori.Func) bool{opt.Simplify, dead.DeadCode}},
		{"a size that the condition of the turn and one more choose", `S2R r0 = SR_TID.X
ISETP.LT.U32.AND p3 = r0, 0x5, pt
ISETP.GT.U32.AND p4 = r0, 0x2, pt
SEL r1 = rz, 0x10, ~p3
SEL r2 = r1, rz, p4
ISETP.NE.U32.AND p5 = r2, rz, pt
@p5 STS [0x0], r0`, `S2R r0 = SR_TID.X
ISETP.LT.U32.AND p3 = r0, 0x5, pt
ISETP.GT.U32.AND p4 = r0, 0x2, pt
PLOP3.LUT p5 = p4, p3, pt, 0xc0, 0x0
@p5 STS [0x0], r0`, []func(*ori.Func) bool{opt.Simplify, dead.DeadCode}},
		{"a size that three conditions choose", `S2R r0 = SR_TID.X
ISETP.LT.U32.AND p3 = r0, 0x5, pt
ISETP.GT.U32.AND p4 = r0, 0x2, pt
ISETP.NE.U32.AND p6 = r0, 0x3, pt
SEL r1 = rz, 0x10, ~p3
SEL r2 = r1, rz, p4
ISETP.NE.U32.AND p5 = r2, rz, ~p6
@p5 STS [0x0], r0`, `S2R r0 = SR_TID.X
ISETP.LT.U32.AND p3 = r0, 0x5, pt
ISETP.GT.U32.AND p4 = r0, 0x2, pt
ISETP.NE.U32.AND p6 = r0, 0x3, pt
PLOP3.LUT p5 = ~p6, p4, p3, 0x80, 0x0
@p5 STS [0x0], r0`, []func(*ori.Func) bool{opt.Simplify, dead.DeadCode}},
		{"a word or a constant that is below the bound", `S2R r0 = SR_TID.X
S2R r1 = SR_CTAID.X
ISETP.LT.U32.AND p3 = r0, 0x5, pt
SEL r2 = r1, 0x7, p3
ISETP.LT.U32.AND p5 = r2, 0x9, pt
@p5 STS [0x0], r0`, `S2R r0 = SR_TID.X
S2R r1 = SR_CTAID.X
ISETP.LT.U32.AND p3 = r0, 0x5, pt
ISETP.LT.U32.OR p5 = r1, 0x9, ~p3
@p5 STS [0x0], r0`, []func(*ori.Func) bool{opt.Simplify, dead.DeadCode}},
		{"a constant or a word", `S2R r0 = SR_TID.X
S2R r1 = SR_CTAID.X
ISETP.LT.U32.AND p3 = r0, 0x5, pt
SEL r2 = rz, r1, p3
ISETP.NE.AND p5 = r2, rz, pt
@p5 STS [0x0], r0`, `S2R r0 = SR_TID.X
S2R r1 = SR_CTAID.X
ISETP.LT.U32.AND p3 = r0, 0x5, pt
ISETP.NE.AND p5 = r1, rz, ~p3
@p5 STS [0x0], r0`, []func(*ori.Func) bool{opt.Simplify, dead.DeadCode}},
		{"a choice that others read stays", `S2R r0 = SR_TID.X
S2R r1 = SR_CTAID.X
ISETP.LT.U32.AND p3 = r0, 0x5, pt
SEL r2 = r1, rz, p3
ISETP.NE.AND p5 = r2, rz, pt
@p5 STS [0x0], r2`, `S2R r0 = SR_TID.X
S2R r1 = SR_CTAID.X
ISETP.LT.U32.AND p3 = r0, 0x5, pt
SEL r2 = r1, rz, p3
ISETP.NE.AND p5 = r2, rz, pt
@p5 STS [0x0], r2`, []func(*ori.Func) bool{opt.Simplify, dead.DeadCode}},
		{"opposite comparisons are one", `S2R r0 = SR_TID.X
ISETP.LT.U32.AND p3 = r0, 0x5, pt
ISETP.GE.U32.AND p4 = r0, 0x5, pt
@p3 STS [0x0], r0
@p4 STS [0x4], r0`, `S2R r0 = SR_TID.X
ISETP.LT.U32.AND p3 = r0, 0x5, pt
@p3 STS [0x0], r0
@~p3 STS [0x4], r0`, []func(*ori.Func) bool{cse.CSE, opt.Simplify, dead.DeadCode}},
		{"floats have four outcomes", `S2R r0 = SR_TID.X
FSETP.LT.AND p3 = r0, r0, pt
FSETP.GE.AND p4 = r0, r0, pt
@p3 STS [0x0], r0
@p4 STS [0x4], r0`, `S2R r0 = SR_TID.X
FSETP.LT.AND p3 = r0, r0, pt
FSETP.GE.AND p4 = r0, r0, pt
@p3 STS [0x0], r0
@p4 STS [0x4], r0`, []func(*ori.Func) bool{cse.CSE, opt.Simplify, dead.DeadCode}},
		{"three predicates at once", `S2R r0 = SR_TID.X
LOP3.LUT p3, rz = r0, 0x1, rz, 0xc0, ~pt
LOP3.LUT p4, rz = r0, 0x2, rz, 0xc0, ~pt
LOP3.LUT p5, rz = r0, 0x4, rz, 0xc0, ~pt
PLOP3.LUT p6 = p3, ~p4, pt, 0xc0, 0x0
PLOP3.LUT p7 = ~p6, p5, pt, 0xc0, 0x0
@p7 STS [0x0], r0`, `S2R r0 = SR_TID.X
LOP3.LUT p3, rz = r0, 0x1, rz, 0xc0, ~pt
LOP3.LUT p4, rz = r0, 0x2, rz, 0xc0, ~pt
LOP3.LUT p5, rz = r0, 0x4, rz, 0xc0, ~pt
PLOP3.LUT p7 = p3, p5, p4, 0x8c, 0x0
@p7 STS [0x0], r0`, []func(*ori.Func) bool{opt.Combine}},
	} {
		if got := run(t, predicates+c.in, c.phases...); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

func TestSigns(t *testing.T) {
	runCases(t, []phaseCase{
		{"a sum takes the sign", `S2R r0 = SR_TID.X
FADD r1 = |r0|, -rz
FADD r2 = -r1, r0
STS [0x0], r2`, "S2R r0 = SR_TID.X\nFADD r2 = -|r0|, r0\nSTS [0x0], r2", []func(*ori.Func) bool{float.Signs, dead.DeadCode}},
		{"the absolute value hides a sign", `S2R r0 = SR_TID.X
FADD r1 = -r0, -rz
FMUL r2 = |r1|, r0
STS [0x0], r2`, "S2R r0 = SR_TID.X\nFMUL r2 = |r0|, r0\nSTS [0x0], r2", []func(*ori.Func) bool{float.Signs, dead.DeadCode}},
		{"a multiply-add takes an absolute value", `S2R r0 = SR_TID.X
FADD r1 = |r0|, -rz
FFMA r2 = r1, r0, r0
STS [0x0], r2`, "S2R r0 = SR_TID.X\nFFMA r2 = |r0|, r0, r0\nSTS [0x0], r2", []func(*ori.Func) bool{float.Signs, dead.DeadCode}},
		{"flushing is more than a sign", `S2R r0 = SR_TID.X
FADD.FTZ r1 = |r0|, -rz
FADD r2 = r1, r0
STS [0x0], r2`, "S2R r0 = SR_TID.X\nFADD.FTZ r1 = |r0|, -rz\nFADD r2 = r1, r0\nSTS [0x0], r2", []func(*ori.Func) bool{float.Signs, dead.DeadCode}},
	})
}
