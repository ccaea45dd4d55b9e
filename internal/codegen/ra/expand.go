package ra

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// ExpandCopies replaces what is left of COPY by moves of single words, and
// drops what only told the allocator what is defined. It runs after
// allocation.
func ExpandCopies(f *ori.Func) {
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			switch i.Op {
			case op.COPY:
				expand(f, b, i)
			case op.UNDEF:
				i.Remove()
			}
		}
	}
}

func expand(f *ori.Func, b *ori.Block, i *ori.Instr) {
	d, s := i.Args[0], i.Args[1]
	n := int(d.N)
	// words move in the order in which none is overwritten before it is read
	down := f.Regs[d.Reg].Phys+int16(d.Sub) > f.Regs[s.Reg].Phys+int16(s.Sub)
	for k := range n {
		if down {
			k = n - 1 - k
		}
		dk, sk := d, s
		dk.Sub, dk.N = d.Sub+uint8(k), 1
		sk.Sub, sk.N = s.Sub+uint8(k), 1
		m := f.NewInstr(op.MOV, op.Mods{}, []ori.Operand{dk}, []ori.Operand{sk})
		if d.Class == ori.P {
			m = f.NewInstr(op.PLOP3, op.M(op.MLUT), []ori.Operand{dk},
				[]ori.Operand{sk, ori.Zero(ori.P), ori.Zero(ori.P), ori.Imm(0xf0), ori.Imm(0)})
		} else if d.Class == ori.UR {
			m.Op = op.UMOV
		}
		m.Guard, m.Line, m.Loc = i.Guard, i.Line, i.Loc
		b.InsertBefore(m, i)
	}
	i.Remove()
}
