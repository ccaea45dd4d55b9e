package opt_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/opt/loop"
	"github.com/goptxas/goptxas/internal/opt/ssa"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// TestUnroll counts the bodies that loops become, and the branches left.
func TestUnroll(t *testing.T) {
	long := strings.Repeat("FADD r3 = r3, r3\n", 60)
	// Of each turn a constant is left, and what is done with it: a quarter.
	counted := "COPY r1 = r0\n" + strings.Repeat("WARPSYNC.ALL\nSHFL.BFLY pt, r1 = r1, 0x1, 0x1f\nIMAD r1 = r1, 0x3, r0\nIADD3 r1 = r1, r0, rz\n", 20) + strings.Repeat("FADD r3 = r3, r1\n", 18)
	for _, c := range []struct {
		name, set, body, end string
		bodies, branches     int
	}{
		{"up to a bound", "MOV r0 = rz", "IADD3 r0 = r0, 0x1, rz", "ISETP.LT.AND p2 = r0, 0x5, pt\n@p2 BRA b1", 5, 0},
		{"down to zero", "MOV r0 = 0x8", "IADD3 r0 = r0, -0x1, rz", "ISETP.NE.U32.AND p2 = r0, rz, pt\n@p2 BRA b1", 8, 0},
		{"compared before it grows", "MOV r0 = rz", "ISETP.LT.AND p2 = r0, 0x5, pt\nIADD3 r0 = r0, 0x1, rz", "@p2 BRA b1", 6, 0},
		{"the bound first", "MOV r0 = rz", "IADD3 r0 = r0, 0x2, rz", "ISETP.GT.U32.AND p2 = 0x6, r0, pt\n@p2 BRA b1", 3, 0},
		{"through a copy", "MOV r0 = rz", "IADD3 r1 = r0, 0x1, rz\nCOPY r0 = r1", "ISETP.LT.AND p2 = r1, 0x4, pt\n@p2 BRA b1", 4, 0},
		{"once", "MOV r0 = rz", "IADD3 r0 = r0, 0x1, rz", "ISETP.LT.AND p2 = r0, 0x1, pt\n@p2 BRA b1", 1, 0},
		{"below zero without sign", "MOV r0 = 0x1", "IADD3 r0 = r0, -0x1, rz", "ISETP.GE.U32.AND p2 = r0, rz, pt\n@p2 BRA b1", 1, 1},
		{"a long body, in parts", "MOV r0 = rz", long + "IADD3 r0 = r0, 0x1, rz", "ISETP.LT.AND p2 = r0, 0x64, pt\n@p2 BRA b1", 4, 1},
		{"long, of constants for the most part", "MOV r0 = rz", counted + "IADD3 r0 = r0, 0x1, rz", "ISETP.LT.AND p2 = r0, 0x20, pt\n@p2 BRA b1", 32, 0},
		{"too long for what is left", "MOV r0 = rz", counted + "IADD3 r0 = r0, 0x1, rz", "ISETP.LT.AND p2 = r0, 0x200, pt\n@p2 BRA b1", 1, 1},
		{"two words", "MOV r4[0] = rz\nMOV r4[1] = rz", "IADD3 r5[0], p6 = r4[0], 0x1, rz\nIADD3.X r5[1] = r4[1], rz, rz, p6, ~pt\nCOPY r4[0] = r5[0]\nCOPY r4[1] = r5[1]", "ISETP.NE.U32.AND p7 = r4[0], 0x6, pt\nISETP.NE.U32.AND.EX p2 = r4[1], rz, pt, p7\n@p2 BRA b1", 6, 0},
		{"halved", "MOV r0 = 0x10", "SHF.R.U32.HI r0 = rz, 0x1, r0", "ISETP.NE.U32.AND p2 = r0, rz, pt\n@p2 BRA b1", 5, 0},
		{"undefined at first", "MOV r3 = rz", "IADD3 r0 = r0, 0x1, rz", "ISETP.LT.AND p2 = r0, 0x4, pt\n@p2 BRA b1", 1, 1},
		{"asynchronous copies", "MOV r0 = rz", "LDGDEPBAR\nDEPBAR.LE SB0, 0x4\nIADD3 r0 = r0, 0x1, rz", "ISETP.LT.AND p2 = r0, 0x4, pt\n@p2 BRA b1", 4, 0},
		{"an unknown bound", "MOV r0 = rz", "IADD3 r0 = r0, 0x1, rz", "ISETP.LT.AND p2 = r0, r3, pt\n@p2 BRA b1", 1, 1},
		{"a guarded step", "MOV r0 = rz", "@p2 IADD3 r0 = r0, 0x1, rz", "ISETP.LT.AND p2 = r0, 0x4, pt\n@p2 BRA b1", 1, 1},
		{"set twice before", "MOV r0 = rz\nMOV r0 = 0x1", "IADD3 r0 = r0, 0x1, rz", "ISETP.LT.AND p2 = r0, 0x4, pt\n@p2 BRA b1", 3, 0},
		{"a clock", "MOV r0 = rz", "NANOSLEEP r3\nIADD3 r0 = r0, 0x1, rz", "ISETP.LT.AND p2 = r0, 0x4, pt\n@p2 BRA b1", 1, 1},
	} {
		m, err := ori.Parse("func f kernel {\nreg r0 1/1\nreg r1 1/1\nreg p2 1/1\nreg r3 1/1\nreg r4 2/2\nreg r5 2/2\nreg p6 1/1\nreg p7 1/1\nb0: -> b1\n" + c.set + "\nb1: -> b1, b2\nMUFU.RCP r3 = r3\n" +
			c.body + "\n" + c.end + "\nb2:\nEXIT\n}\n")
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		f := m.Funcs[0]
		ssa.SSA(f)
		loop.Unroll(f, usualBounds())
		bodies, branches := 0, 0
		for _, b := range f.Blocks {
			for i := range b.Instrs {
				switch i.Op {
				case op.MUFU:
					bodies++
				case op.BRA:
					branches++
				}
			}
		}
		if bodies != c.bodies || branches != c.branches {
			t.Errorf("%s: %d bodies and %d branches, want %d and %d\n%s", c.name, bodies, branches, c.bodies, c.branches, f)
		}
		if err := errors.Join(f.Verify(0), flow.CheckSSA(f)); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestUnrollAround writes out a loop around one that is written out first: what
// the turns inside hand on is known in it too, so little is left of its own.
func TestUnrollAround(t *testing.T) {
	m, err := ori.Parse(`func f kernel {
reg r0 1/1
reg r1 1/1
reg p2 1/1
reg r3 1/1
reg r4 1/1
reg r5 1/1
reg p6 1/1
b0: -> b1
MOV r0 = rz
S2R r1 = SR_TID.X
b1: -> b2
MOV r4 = rz
b2: -> b2, b3
MUFU.RCP r3 = r3
IADD3 r5 = r1, r4, rz
LOP3.LUT r5 = r5, 0xf, rz, 0xc0
IMAD r5 = r5, 0x10, r1
IMAD r5 = r5, r5, r1
IADD3 r4 = r4, 0x1, rz
ISETP.LT.AND p2 = r4, 0x10, pt
@p2 BRA b2
b3: -> b1, b4
IADD3 r0 = r0, 0x1, rz
ISETP.LT.AND p6 = r0, 0x5, pt
@p6 BRA b1
b4:
EXIT
}
`)
	if err != nil {
		t.Fatal(err)
	}
	f := m.Funcs[0]
	ssa.SSA(f)
	loop.Unroll(f, usualBounds())
	bodies := 0
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			if i.Op == op.MUFU {
				bodies++
			}
		}
	}
	if bodies != 5*16 {
		t.Errorf("%d bodies, want %d\n%s", bodies, 5*16, f)
	}
	if err := errors.Join(f.Verify(0), flow.CheckSSA(f)); err != nil {
		t.Error(err)
	}
}

// usualBounds are what was measured. Of loops of matrix products the
// reference writes out those whose turns come to 1,184 and leaves those of 1,344.
func usualBounds() loop.Bounds {
	return loop.Bounds{Whole: 1600, Left: 1200, Body: 80, Part: 256, Copies: 8, Forked: 40, Forks: 420, Growth: 4000}
}
