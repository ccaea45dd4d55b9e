package flow

import (
	"fmt"
	"testing"

	"github.com/goptxas/goptxas/internal/ori"
)

func TestUniformity(t *testing.T) {
	m, err := ori.Parse(`func f kernel {
reg r0 1/1
reg r1 1/1
reg p2 1/1
reg p3 1/1
reg r4 1/1
reg r5 1/1
reg r6 1/1
b0: -> b2, b1
S2R r0 = SR_CTAID.X
S2R r1 = SR_TID.X
ISETP.GE.AND p2 = r0, 0x4, pt
ISETP.GE.AND p3 = r1, 0x4, pt
@p2 BRA b2
b1: -> b2
MOV r4 = 0x1
b2: -> b4, b3
@p3 BRA b4
b3: -> b4
MOV r5 = 0x2
b4: -> b5, b4
IADD3 r6 = r0, 0x1, rz
@p3 BRA b4
b5: -> b6
NOP
b6: -> b7, b6
@p3 BRA b7
b7:
EXIT
}
`)
	if err != nil {
		t.Fatal(err)
	}
	f := m.Funcs[0]
	u := UniformityOf(f)
	for r, want := range []bool{false, true, false, true, false, true, true} {
		if u.Differs(ori.Reg(r)) != want {
			t.Errorf("register %d differs: %v", r, !want)
		}
	}
	for b, want := range []bool{false, false, false, true, true, false, false, false} {
		if u.Partial(f.Blocks[b]) != want {
			t.Errorf("block %d partial: %v", b, !want)
		}
	}
	for b, want := range []bool{false, false, true, false, true, false, false, false} {
		if u.Parts(f.Blocks[b]) != want {
			t.Errorf("threads part at block %d: %v", b, !want)
		}
	}
}

// TestUniformityOfReuse: what a register holds later says nothing about a
// value taken from it before.
func TestUniformityOfReuse(t *testing.T) {
	m, err := ori.Parse(`func f kernel {
reg r0 1/1
reg r1 1/1
reg r2 1/1
reg p3 1/1
b0: -> b1
MOV r0 = rz
COPY r1 = r0
b1: -> b1, b2
S2R r0 = SR_TID.X
COPY r2 = r0
IADD3 r1 = r1, 0x1, rz
ISETP.NE.AND p3 = r1, 0x4, pt
@p3 BRA b1
b2:
EXIT
}
`)
	if err != nil {
		t.Fatal(err)
	}
	f := m.Funcs[0]
	u := UniformityOf(f)
	for r, want := range []bool{true, false, true, false} {
		if u.Differs(ori.Reg(r)) != want {
			t.Errorf("register %d differs: %v", r, !want)
		}
	}
	if u.Parts(f.Blocks[1]) {
		t.Error("the threads part at a loop that all run equally often")
	}
}

// TestUniformityOfWords: a word of a tuple does not differ because its
// neighbour does.
func TestUniformityOfWords(t *testing.T) {
	m, err := ori.Parse(`func f kernel {
reg r0 2/2
reg p1 1/1
reg p2 1/1
reg r3 1/1
b0: -> b2, b1
S2R r0[0] = SR_TID.X
S2R r0[1] = SR_CTAID.X
ISETP.GE.AND p1 = r0[1], 0x4, pt
ISETP.GE.AND p2 = r0[0], 0x4, pt
@p1 BRA b2
b1: -> b2
MOV r3 = 0x1
b2: -> b4, b3
@p2 BRA b4
b3: -> b4
MOV r3 = 0x2
b4: -> b5
NOP
b5:
EXIT
}
`)
	if err != nil {
		t.Fatal(err)
	}
	f := m.Funcs[0]
	u := UniformityOf(f)
	for r, want := range []bool{true, false, true, true} {
		if u.Differs(ori.Reg(r)) != want {
			t.Errorf("register %d differs: %v", r, !want)
		}
	}
	if u.Parts(f.Blocks[0]) || !u.Parts(f.Blocks[2]) {
		t.Error("threads part at a branch on the number of their block, or do not at one on their own")
	}
}

// TestApart checks where threads may be apart once the code says where they
// meet: behind a BSYNC they are together, without one nowhere again.
func TestApart(t *testing.T) {
	const text = `func f kernel {
reg r0 1/1
reg p1 1/1
reg k2 1/1
b0: -> b2, b1
S2R r0 = SR_TID.X
ISETP.GE.AND p1 = r0, 0x4, pt
%s
@p1 BRA b2
b1: -> b2
%s
b2: -> b3
%s
b3:
EXIT
}
`
	for _, c := range []struct {
		before, in, at string
		want           []bool
	}{
		{"BSSY k2 = b2", "NOP", "BSYNC k2", []bool{false, true, false, false}},
		{"NOP", "NOP", "BSYNC k2", []bool{false, true, true, true}}, // nobody was noted there
		{"NOP", "NOP", "NOP", []bool{false, true, true, true}},
		{"BSSY k2 = b2", "NOP", "BSYNC k2\nWARPSYNC r0", []bool{false, true, true, true}},
		{"BSSY k2 = b2", "NANOSLEEP 0x5", "BSYNC k2", []bool{false, true, true, true}}, // who sleeps is not waited for
		{"BSSY k2 = b2", "NOP", "BSYNC k2\nNANOSLEEP 0x5", []bool{false, true, false, false}},
	} {
		m, err := ori.Parse(fmt.Sprintf(text, c.before, c.in, c.at))
		if err != nil {
			t.Fatal(err)
		}
		f := m.Funcs[0]
		a := DivergenceOf(f, UniformityOf(f))
		for n, want := range c.want {
			if a.Is(f.Blocks[n]) != want {
				t.Errorf("%s, %s: block %d apart: %v", c.in, c.at, n, !want)
			}
		}
	}
}

// TestUniformResults asks which results are the same for all threads that run
// an instruction together.
func TestUniformResults(t *testing.T) {
	for _, c := range []struct {
		text    string
		differs bool
	}{
		{"LDS r1 = [0x10]", false},
		{"LDS r1 = [r0+0x10]", true},
		{"LDG.E r1 = desc[u4], [r2.64+0x0]", false},
		{"LDG.E.STRONG.GPU r1 = desc[u4], [r2.64+0x0]", true}, // others may write meanwhile
		{"LD.E r1 = desc[u4], [r2.64+0x0]", true},             // perhaps a variable of each thread
		{"LDL r1 = [0x10]", true},
		{"SHFL.IDX pt, r1 = r0, 0x0, 0x1f", false},
		{"SHFL.IDX pt, r1 = r0, r0, 0x1f", true},
		{"SHFL.IDX pt, r1 = r0, 0x0, 0x101f", true}, // one lane of each half
		{"SHFL.BFLY pt, r1 = r0, 0x1, 0x1f", true},
		{"VOTE.ANY r1, pt = p5", false},
		{"WARPSYNC r0\nVOTE.ANY r1, pt = p5", true}, // some threads may be elsewhere
	} {
		m, err := ori.Parse("func f kernel {\nreg r0 1/1\nreg r1 1/1\nreg r2 2/2\nreg p3 1/1\nreg u4 2/2\nreg p5 1/1\nb0:\nS2R r0 = SR_TID.X\nISETP.GE.AND p5 = r0, 0x4, pt\n" +
			"LDC.64 r2 = c[0x0][0x210]\n" + c.text + "\nEXIT\n}\n")
		if err != nil {
			t.Fatal(c.text, err)
		}
		if got := UniformityOf(m.Funcs[0]).Differs(1); got != c.differs {
			t.Errorf("%s: differs %v", c.text, got)
		}
	}
}

// TestUnited: behind the place where all threads of the warp wait for each
// other they are together, whatever parted them, unless masks name some.
func TestUnited(t *testing.T) {
	const text = `func f kernel {
reg r0 1/1
reg p1 1/1
reg r2 1/1
reg r3 1/1
reg p4 1/1
reg r5 1/1
b0: -> b3, b1
S2R r0 = SR_TID.X
ISETP.GE.AND p1 = r0, 0x4, pt
%s
@p1 BRA b3
b1: -> b2
MOV r2 = 0x1
b2: -> b3
WARPSYNC.ALL
MOV r3 = 0x2
VOTE.ANY r5, pt = p1
b3: -> b4
NOP
b4:
EXIT
}
`
	for _, c := range []struct {
		before  string
		differs []bool // r2, r3, r5
	}{
		{"NOP", []bool{true, false, false}},
		{"WARPSYNC r0", []bool{true, true, true}},
	} {
		m, err := ori.Parse(fmt.Sprintf(text, c.before))
		if err != nil {
			t.Fatal(err)
		}
		u := UniformityOf(m.Funcs[0])
		for n, r := range []ori.Reg{2, 3, 5} {
			if u.Differs(r) != c.differs[n] {
				t.Errorf("behind %s: register %d differs: %v", c.before, r, !c.differs[n])
			}
		}
	}
}

// TestUniformityOfPhis: a PHI differs where one of its sources does, or where
// threads come to it on several paths.
func TestUniformityOfPhis(t *testing.T) {
	for _, c := range []struct {
		test, source string
		differs      bool
	}{
		{"SR_CTAID.X", "r5", false},
		{"SR_CTAID.X", "r1", true},
		{"SR_TID.X", "r5", true},
		{"SR_TID.X", "r2", false}, // whatever path, it is the same
	} {
		m, err := ori.Parse(fmt.Sprintf(`func f kernel {
props ssa
reg r0 1/1
reg r1 1/1
reg r2 1/1
reg r3 1/1
reg p4 1/1
reg r5 1/1
b0: -> b2, b1
S2R r0 = %s
S2R r1 = SR_TID.X
MOV r2 = 0x5
MOV r5 = 0x6
ISETP.GE.AND p4 = r0, 0x4, pt
PHISRC b2, 0x0, r2
@p4 BRA b2
b1: -> b2
PHISRC b2, 0x0, %s
b2: -> b3
PHI r3 = 0x0
b3:
EXIT
}
`, c.test, c.source))
		if err != nil {
			t.Fatal(err)
		}
		if got := UniformityOf(m.Funcs[0]).Differs(3); got != c.differs {
			t.Errorf("%s of paths by %s: differs %v", c.source, c.test, got)
		}
	}
}

// TestUniformityOfTurns: threads that leave a loop one after the other take
// what different turns left.
func TestUniformityOfTurns(t *testing.T) {
	m, err := ori.Parse(`func f kernel {
props ssa
reg r0 1/1
reg r1 1/1
reg r2 1/1
reg r3 1/1
reg p4 1/1
reg r5 1/1
b0: -> b1
S2R r0 = SR_TID.X
MOV r1 = 0x1
MOV r2 = 0x0
PHISRC b1, 0x0, r1
b1: -> b1, b2
PHI r3 = 0x0
LDS r5 = [r0+0x0]
ISETP.GE.AND p4 = r5, 0x4, pt
PHISRC b1, 0x0, r2
@p4 BRA b1
b2: -> b3
STS [0x0], r3
b3:
EXIT
}
`)
	if err != nil {
		t.Fatal(err)
	}
	if !UniformityOf(m.Funcs[0]).Differs(3) {
		t.Error("what the first turn left and what others did is the same")
	}
}

// TestUniformityOfBlock: what is one value for a warp may be another for the next.
func TestUniformityOfBlock(t *testing.T) {
	m, err := ori.Parse(`func f kernel {
reg r0 1/1
reg r1 1/1
reg r2 1/1
reg p3 1/1
reg r4 1/1
reg p5 1/1
reg u6 1/1
b0: -> b1
S2R r0 = SR_TID.X
LDC r1 = c[0x0][0x210]
WARPSYNC.ALL
SHFL.IDX pt, r2 = r0, 0x0, 0x1f
R2UR u6 = r2
ISETP.GE.AND p3 = r2, 0x4, pt
LDG.E r4 = [r1+0x0]
ISETP.GE.AND p5 = r1, 0x4, pt
b1: -> b2, b1
@p5 BRA b1
b2: -> b4, b3
@p3 BRA b4
b3: -> b4
WARPSYNC.ALL
b4:
EXIT
}
`)
	if err != nil {
		t.Fatal(err)
	}
	f := m.Funcs[0]
	u := UniformityOfBlock(f)
	for r, want := range []bool{true, false, true, true, true, false, true} {
		if u.Differs(ori.Reg(r)) != want {
			t.Errorf("register %d differs: %v", r, !want)
		}
	}
	for b, want := range []bool{false, false, false, true, false} {
		if u.Partial(f.Blocks[b]) != want {
			t.Errorf("block %d partial: %v", b, !want)
		}
	}
	if w := UniformityOf(f); w.Partial(f.Blocks[3]) {
		t.Error("threads of a warp part")
	}
}
