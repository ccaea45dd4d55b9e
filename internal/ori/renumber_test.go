package ori

import (
	"testing"

	"github.com/goptxas/goptxas/internal/ori/op"
)

// TestRenumber removes every other instruction of a function, and what only
// those name: the rest keeps its order and its operands, with numbers that
// have no gaps.
func TestRenumber(t *testing.T) {
	m := &Module{}
	f := m.NewFunc("f")
	b := f.NewBlock()
	var kept []*Instr
	for n := range 10 {
		r := f.NewReg(R, 1+n%2)
		i := b.Append(f.NewInstr(op.MOV, op.Mods{}, []Operand{f.Word(r, 0)}, []Operand{Imm(int64(n))}))
		if n%2 == 0 {
			i.Remove()
			continue
		}
		p := f.NewReg(P, 1)
		i.Guard = f.Word(p, 0)
		kept = append(kept, i)
	}
	load := b.Append(f.NewInstr(op.LDG, op.Mods{}, []Operand{f.Word(kept[1].Args[0].Reg, 1)}, []Operand{{Kind: KAddr, Class: R, Reg: kept[3].Args[0].Reg, N: 2}, {Kind: KUAddr, Class: UR, Reg: NoReg}, Label(b)}))
	version := f.CodeVersion()
	if !f.Renumber() || f.CodeVersion() == version {
		t.Error("nothing changed, or nobody was told")
	}
	if len(f.Regs) != 10 || f.NumInstrs() != 6 {
		t.Errorf("%d registers, %d instructions", len(f.Regs), f.NumInstrs())
	}
	for n, i := range kept {
		if i.ID != int32(n) || i.Args[0].Reg != Reg(2*n) || i.Guard.Reg != Reg(2*n+1) || i.Args[1].Imm != int64(2*n+1) {
			t.Errorf("instruction %d has number %d and reads %v", n, i.ID, i.Args)
		}
		if f.Regs[2*n].Class != R || f.Regs[2*n].Width != 2 || f.Regs[2*n+1].Class != P {
			t.Errorf("registers of %d: %+v", n, f.Regs[2*n:2*n+2])
		}
	}
	if load.Args[0].Reg != 2 || load.Args[1].Reg != 6 || load.Args[2].Reg != NoReg || load.Args[3].Reg != Reg(b.ID) {
		t.Errorf("the load names %v", load.Args)
	}
	if f.Renumber() {
		t.Error("a second time something changed")
	}
}
