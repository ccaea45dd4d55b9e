package sched

import (
	"testing"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/target"
)

// crowd makes a function that loads n constants at its start, sums up as
// many loads in a second block and stores through the constants in a third.
func crowd(n int) *ori.Func {
	m := &ori.Module{}
	f := m.NewFunc("crowd")
	ops := func(o ...ori.Operand) []ori.Operand { return o }
	top, mid, end := f.NewBlock(), f.NewBlock(), f.NewBlock()
	top.AddEdge(mid)
	mid.AddEdge(end)
	var consts, vals []ori.Reg
	base := f.NewReg(ori.R, 1)
	top.Append(f.NewInstr(op.S2R, op.Mods{}, ops(f.Words(base)), ops(ori.Operand{Kind: ori.KSpecial})))
	for k := range n {
		r := f.NewReg(ori.R, 1)
		top.Append(f.NewInstr(op.MOV, op.Mods{}, ops(f.Words(r)), ops(ori.Imm(int64(16*k)))))
		consts = append(consts, r)
	}
	top.Append(f.NewInstr(op.BAR, op.M(op.MSYNC), nil, ops(ori.Imm(0))))
	for k := range n {
		r := f.NewReg(ori.R, 1)
		mid.Append(f.NewInstr(op.LDS, op.Mods{}, ops(f.Words(r)), ops(ori.Addr(f.Words(base), int64(4*k)))))
		vals = append(vals, r)
	}
	mid.Append(f.NewInstr(op.BAR, op.M(op.MSYNC), nil, ops(ori.Imm(0))))
	for k := range n {
		end.Append(f.NewInstr(op.STS, op.Mods{}, nil, ops(ori.Addr(f.Words(consts[k]), 0), f.Words(vals[k]))))
	}
	end.Append(f.NewInstr(op.EXIT, op.Mods{}, nil, nil))
	return f
}

// TestConstantsNearUses finds no constant alive in the crowded block, and
// leaves those of a function with room where they are.
func TestConstantsNearUses(t *testing.T) {
	for _, n := range []int{4, 24, 60} {
		f := crowd(n)
		Pre(f, target.Find("sm_90a"), Budget{Most: 255}, Usual(), nil)
		left, made := 0, 0
		for i := range f.Blocks[0].Instrs {
			if i.Op == op.MOV {
				left++
			}
		}
		for i := range f.Blocks[2].Instrs {
			if i.Op == op.MOV {
				made++
			}
		}
		t.Logf("%d constants: %d stay, %d are made at their use", n, left, made)
		if want := n; n == 4 && left != want || n > 4 && (left != 0 || made != want) {
			t.Errorf("%d constants: %d stay, %d are made at their use\n%s", n, left, made, f)
		}
		if err := f.Verify(0); err != nil {
			t.Error(err)
		}
	}
}
