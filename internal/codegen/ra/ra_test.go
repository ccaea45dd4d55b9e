package ra

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// TestSpillText allocates a function that holds eight values at once in
// six registers: two must go to memory and come back.
func TestSpillText(t *testing.T) {
	var b strings.Builder
	b.WriteString("func f kernel {\n")
	for n := range 10 {
		b.WriteString("  reg r" + string('0'+byte(n)) + " 1/1\n")
	}
	b.WriteString("  b0:\n")
	for n := range 8 {
		b.WriteString("    S2R r" + string('0'+byte(n)) + " = SR_TID.X\n")
	}
	for n := range 7 {
		b.WriteString("    IADD3 r7 = r7, r" + string('0'+byte(n)) + ", rz\n")
	}
	b.WriteString("    STS [r7+0x0], r7\n    EXIT\n}\n")
	m, err := ori.Parse(b.String())
	if err != nil {
		t.Fatal(err)
	}
	f := m.Funcs[0]
	r, err := Run(f, Options{Registers: 6, Uniforms: 63, Barriers: 16, StackReg: 1, Check: true})
	if err != nil {
		t.Fatal(err)
	}
	text := f.String()
	if r.SpillBytes == 0 || !strings.Contains(text, "STL") || !strings.Contains(text, "LDL") {
		t.Errorf("no spills:\n%s", text)
	}
	if r.Registers > 6 {
		t.Errorf("%d registers", r.Registers)
	}
}

// TestRandomFunctions allocates random straight-line and looping code of
// all register files with few registers; the replay must agree.
func TestRandomFunctions(t *testing.T) {
	spilled, n := 0, 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 4))
		f := random(r)
		res, err := Run(f, Options{Registers: 8 + r.IntN(24), Uniforms: 4 + r.IntN(8), Barriers: 2, StackReg: 1, Check: true})
		if err != nil {
			if strings.Contains(err.Error(), "wrong") {
				t.Fatalf("seed %d: %v", seed, err)
			}
			continue
		}
		n++
		if res.SpillBytes > 0 {
			spilled++
		}
		ExpandCopies(f)
		for _, b := range f.Blocks {
			for i := range b.Instrs {
				if i.Op == op.COPY {
					t.Fatalf("seed %d: a copy is left", seed)
				}
			}
		}
	}
	t.Logf("%d functions allocated, %d with spills", n, spilled)
	if n < 250 {
		t.Errorf("only %d functions fit", n)
	}
}

func random(r *rand.Rand) *ori.Func {
	f := (&ori.Module{}).NewFunc("f")
	for _, c := range []ori.Class{ori.P, ori.UR, ori.R} {
		f.NewReg(c, 1)
	}
	for range 30 {
		switch r.IntN(8) {
		case 0:
			f.NewReg(ori.P, 1)
		case 1:
			f.NewReg(ori.UR, 1)
		case 2:
			f.NewReg(ori.R, 2)
		default:
			f.NewReg(ori.R, 1)
		}
	}
	pick := func(c ori.Class) ori.Operand {
		for {
			if x := ori.Reg(r.IntN(len(f.Regs))); f.Regs[x].Class == c {
				return f.Word(x, r.IntN(int(f.Regs[x].Width)))
			}
		}
	}
	n := 1 + r.IntN(4)
	for range n {
		f.NewBlock()
	}
	for k, b := range f.Blocks {
		for range r.IntN(20) {
			var i *ori.Instr
			switch r.IntN(5) {
			case 0:
				i = f.NewInstr(op.ISETP, op.M(op.MGE, op.MAND), []ori.Operand{pick(ori.P)}, []ori.Operand{pick(ori.R), pick(ori.R), pick(ori.P)})
			case 1:
				i = f.NewInstr(op.R2UR, op.Mods{}, []ori.Operand{pick(ori.UR)}, []ori.Operand{pick(ori.R)})
			case 2:
				i = f.NewInstr(op.COPY, op.Mods{}, []ori.Operand{pick(ori.R)}, []ori.Operand{pick(ori.R)})
			default:
				i = f.NewInstr(op.IADD3, op.Mods{}, []ori.Operand{pick(ori.R)}, []ori.Operand{pick(ori.R), pick(ori.UR), pick(ori.R)})
			}
			if r.IntN(4) == 0 {
				i.Guard = pick(ori.P)
			}
			b.Append(i)
		}
		if k+1 < n {
			b.AddEdge(f.Blocks[k+1])
		}
		if r.IntN(2) == 0 {
			b.AddEdge(f.Blocks[r.IntN(n)])
		}
	}
	return f
}

// TestHolds checks that a uniform value read on one side of a divergent
// branch survives the other side, which may run first.
func TestHolds(t *testing.T) {
	m, err := ori.Parse(`func f kernel {
reg r0 1/1
reg p1 1/1
reg u2 1/1
reg u3 1/1
reg r4 1/1
reg k5 1/1
b0: -> b2, b1
S2R r0 = SR_TID.X
ULDC u2 = c[0x0][0x210]
ISETP.GE.AND p1 = r0, 0x4, pt
BSSY k5 = b3
@p1 BRA b2
b1: -> b3
IADD3 r4 = r0, u2, rz
BRA b3
b2: -> b3
UMOV u3 = 0x7
IADD3 r4 = r0, u3, rz
b3:
BSYNC k5
STL [r0+0x0], r4
EXIT
}
`)
	if err != nil {
		t.Fatal(err)
	}
	f := m.Funcs[0]
	if _, err := Run(f, Options{Registers: 32, Uniforms: 63, Barriers: 16, StackReg: 1, Check: true}); err != nil {
		t.Fatal(err)
	}
	if f.Regs[2].Phys == f.Regs[3].Phys {
		t.Errorf("both values are in UR%d", f.Regs[2].Phys)
	}
}

// TestUniformAgain allocates a function whose uniform values do not all have
// registers: sums of one that lives anyway are made again, none goes through
// the general file.
func TestUniformAgain(t *testing.T) {
	const sums = 12
	var b strings.Builder
	b.WriteString("func f kernel {\n  reg r0 1/1\n")
	for n := range sums + 1 {
		fmt.Fprintf(&b, "  reg u%d 1/1\n", n+1)
	}
	b.WriteString("  b0:\n    S2R r0 = SR_TID.X\n    S2UR u1 = SR_CTAID.X\n")
	for n := range sums {
		fmt.Fprintf(&b, "    UIADD3 u%d = u1, %#x, urz\n", n+2, 2*n+2)
	}
	for n := range sums + 1 {
		fmt.Fprintf(&b, "    LOP3.LUT r0 = r0, u%d, rz, 0x3c\n", sums+1-n)
	}
	b.WriteString("    STS [r0+0x0], r0\n    EXIT\n}\n")
	m, err := ori.Parse(b.String())
	if err != nil {
		t.Fatal(err)
	}
	f := m.Funcs[0]
	r, err := Run(f, Options{Registers: 8, Uniforms: 6, Barriers: 2, StackReg: 1, Check: true})
	if err != nil {
		t.Fatal(err)
	}
	text := f.String()
	if strings.Contains(text, "R2UR") || r.SpillBytes != 0 || r.Moves == 0 {
		t.Errorf("%d bytes of memory, %d values made again:\n%s", r.SpillBytes, r.Moves, text)
	}
	if n := strings.Count(text, "UIADD3"); n != sums {
		t.Errorf("%d sums, want %d", n, sums)
	}
}
