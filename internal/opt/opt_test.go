package opt_test

import (
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/opt/address"
	"github.com/goptxas/goptxas/internal/opt/branch"
	"github.com/goptxas/goptxas/internal/opt/cse"
	"github.com/goptxas/goptxas/internal/opt/dead"
	"github.com/goptxas/goptxas/internal/opt/float"
	"github.com/goptxas/goptxas/internal/ori"
)

// run parses a body, applies phases and returns the instructions.
func run(t *testing.T, body string, phases ...func(*ori.Func) bool) string {
	t.Helper()
	m, err := ori.Parse("func f kernel {\n" + body + "\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	f := m.Funcs[0]
	for _, p := range phases {
		p(f)
	}
	var out []string
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			out = append(out, string(f.AppendInstr(nil, i)))
		}
	}
	return strings.Join(out, "\n")
}

const regs = `reg r0 1/1
reg r1 1/1
reg r2 1/1
reg r3 1/1
reg r4 2/2
reg r5 2/2
reg r6 2/2
reg p7 1/1
reg u8 2/2
b0:
`

// phaseCases are functions before and after some phases.
var phaseCases = []struct {
	name     string
	in, want string
	phases   []func(*ori.Func) bool
}{
	{
		"a copy vanishes", `S2R r0 = SR_TID.X
COPY r1 = r0
IADD3 r2 = r1, 0x5, rz
STS [r1+0x0], r2`, `S2R r0 = SR_TID.X
IADD3 r2 = r0, 0x5, rz
STS [r0+0x0], r2`, []func(*ori.Func) bool{opt.CopyProp, dead.DeadCode},
	},
	{
		"a register written twice is left alone", `S2R r0 = SR_TID.X
COPY r1 = r0
S2R r0 = SR_TID.Y
STS [r1+0x0], r0`, `S2R r0 = SR_TID.X
COPY r1 = r0
S2R r0 = SR_TID.Y
STS [r1+0x0], r0`, []func(*ori.Func) bool{opt.CopyProp, dead.DeadCode},
	},
	{
		"a constant goes where it is read, with its sign", `MOV r0 = 0x7
S2R r1 = SR_TID.X
IADD3 r2 = r1, -r0, rz
STS [r1+0x0], r2`, `S2R r1 = SR_TID.X
IADD3 r2 = r1, -0x7, rz
STS [r1+0x0], r2`, []func(*ori.Func) bool{opt.CopyProp, dead.DeadCode},
	},
	{
		"an equal computation is found", `S2R r0 = SR_TID.X
IMAD r1 = r0, 0x3, rz
IMAD r2 = r0, 0x3, rz
STS [r1+0x0], r2`, `S2R r0 = SR_TID.X
IMAD r1 = r0, 0x3, rz
STS [r1+0x0], r1`, []func(*ori.Func) bool{cse.CSE, opt.CopyProp, dead.DeadCode},
	},
	{
		"a product and a 64-bit sum are one", `LDC.64 r4 = c[0x0][0x210]
S2R r0 = SR_TID.X
IMAD.WIDE r5 = r0, 0x4, rz
IADD3 r6[0], p7 = r4[0], r5[0], rz
IADD3.X r6[1] = r4[1], r5[1], rz, p7, ~pt
STG.E desc[u8], [r6.64+0x0], r0`, `LDC.64 r4 = c[0x0][0x210]
S2R r0 = SR_TID.X
IMAD.WIDE r6 = r0, 0x4, r4
STG.E desc[u8], [r6.64+0x0], r0`, []func(*ori.Func) bool{opt.Combine},
	},
	{
		"a constant goes into the offset", `LDC.64 r4 = c[0x0][0x210]
S2R r0 = SR_TID.X
IADD3 r6[0], p7 = r4[0], 0x40, rz
IADD3.X r6[1] = r4[1], rz, rz, p7, ~pt
STG.E desc[u8], [r6.64+0x4], r0`, `LDC.64 r4 = c[0x0][0x210]
S2R r0 = SR_TID.X
STG.E desc[u8], [r4.64+0x44], r0`, []func(*ori.Func) bool{address.AddressFold, dead.DeadCode},
	},
	{
		"shift and add, product and add, three-way add", `S2R r0 = SR_TID.X
SHF.L.U32 r1 = r0, 0x2, rz
IADD3 r2 = r1, 0x9, rz
STS [r0+0x0], r2`, `S2R r0 = SR_TID.X
LEA r2 = r0, 0x9, 0x2
STS [r0+0x0], r2`, []func(*ori.Func) bool{opt.Combine},
	},
	{
		"fused where PTX allows it", `S2R r0 = SR_TID.X
FMUL.CONTRACT r1 = r0, r0
FADD.CONTRACT r2 = r1, -r0
STS [r0+0x0], r2`, `S2R r0 = SR_TID.X
FFMA r2 = r0, r0, -r0
STS [r0+0x0], r2`, []func(*ori.Func) bool{float.Contract},
	},
	{
		"a product of several sums is fused with each", `S2R r0 = SR_TID.X
FMUL.CONTRACT r1 = r0, r0
FADD.CONTRACT r2 = r1, -r0
FADD.CONTRACT r3 = r0, -r1
STS [r2+0x0], r3`, `S2R r0 = SR_TID.X
FFMA r2 = r0, r0, -r0
FFMA r3 = -r0, r0, r0
STS [r2+0x0], r3`, []func(*ori.Func) bool{float.Contract},
	},
	{
		"a product read twice by one sum, and one that others read, stay", `S2R r0 = SR_TID.X
FMUL.CONTRACT r1 = r0, r0
FADD.CONTRACT r2 = r1, r1
FMUL.CONTRACT r3 = r2, r0
FADD.CONTRACT r4 = r3, r0
STS [r3+0x0], r4`, `S2R r0 = SR_TID.X
FMUL.CONTRACT r1 = r0, r0
FADD.CONTRACT r2 = r1, r1
FMUL.CONTRACT r3 = r2, r0
FADD.CONTRACT r4 = r3, r0
STS [r3+0x0], r4`, []func(*ori.Func) bool{float.Contract},
	},
	{
		"bounded sums and signs between", `S2R r0 = SR_TID.X
FMUL.CONTRACT r1 = r0, 0x40490fdb
FADD r2 = -r1, -rz
FADD.SAT.CONTRACT r3 = r2, r0
STS [r0+0x0], r3`, `S2R r0 = SR_TID.X
FFMA.SAT r3 = -r0, 0x40490fdb, r0
STS [r0+0x0], r3`, []func(*ori.Func) bool{float.Signs, float.Contract},
	},
	{
		"a choice takes signs", `S2R r0 = SR_TID.X
ISETP.EQ.AND p7 = r0, rz, pt
FADD r1 = -r0, -rz
FSEL r2 = r1, r0, p7
FSEL r3 = r2, r0, p7
STS [r0+0x0], r3`, `S2R r0 = SR_TID.X
ISETP.EQ.AND p7 = r0, rz, pt
FSEL r2 = -r0, r0, p7
SEL r3 = r2, r0, p7
STS [r0+0x0], r3`, []func(*ori.Func) bool{float.Signs},
	},
	{
		"logic of logic", `S2R r0 = SR_TID.X
S2R r1 = SR_TID.Y
LOP3.LUT r2 = r0, r1, rz, 0xc0
LOP3.LUT r3 = r2, 0xff, rz, 0x3c
STS [r0+0x0], r3`, `S2R r0 = SR_TID.X
S2R r1 = SR_TID.Y
LOP3.LUT r3 = r0, 0xff, r1, 0x6c
STS [r0+0x0], r3`, []func(*ori.Func) bool{opt.Combine},
	},
}

func TestPhases(t *testing.T) {
	for _, c := range phaseCases {
		if got := run(t, regs+c.in, c.phases...); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

func TestBranches(t *testing.T) {
	got := run(t, `reg p0 1/1
b0: -> b3, b1
@p0 BRA b3
b1: -> b2
BRA b2
b2: -> b4
NOP
BRA b4
b3:
EXIT
b4:
EXIT`, branch.BranchSimplify)
	if want := "@p0 EXIT\nNOP\nEXIT"; got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// TestCopied: that no copy is read is known until the function changes.
func TestCopied(t *testing.T) {
	m, err := ori.Parse("func f kernel {\n" + regs + "S2R r0 = SR_TID.X\nCOPY r1 = r0\nCOPY r2 = r1\nSTS [r1+0x0], r2\nEXIT\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	f := m.Funcs[0]
	if !opt.CopyProp(f) || f.Recall(ori.FactCopied) != nil {
		t.Error("behind a change of a copy nothing is known")
	}
	if opt.CopyProp(f) || f.Recall(ori.FactCopied) == nil {
		t.Error("that nothing is left to do is not known")
	}
	store := f.Blocks[0].First().Next().Next().Next()
	store.Args[1].Reg = 1
	if f.Recall(ori.FactCopied).Holds(f) {
		t.Error("a copy is read, and it counts as true")
	}
	if f.Touch(); f.Recall(ori.FactCopied) != nil || !opt.CopyProp(f) || store.Args[1].Reg != 0 {
		t.Error("a change is not seen")
	}
	if f.Recall(ori.FactCopied) == nil {
		t.Error("that the one change leaves nothing to do is not known")
	}
}
