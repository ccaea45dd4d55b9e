package ra

import (
	"math/rand/v2"
	"strings"
	"testing"

	"goptxas/internal/ori"
	"goptxas/internal/ori/op"
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
