package sched

import (
	"testing"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/target"
)

// streams makes a loop whose body loads n pairs from memory, one beside the
// other in the source, and stores the sum of each to shared memory.
func streams(n int) (*ori.Func, *ori.Block) {
	m := &ori.Module{}
	f := m.NewFunc("streams")
	f.Kernel = true
	ops := func(o ...ori.Operand) []ori.Operand { return o }
	top, body, end := f.NewBlock(), f.NewBlock(), f.NewBlock()
	top.AddEdge(body)
	body.AddEdge(body)
	body.AddEdge(end)
	desc, base, at, p := f.NewReg(ori.UR, 2), f.NewReg(ori.R, 2), f.NewReg(ori.R, 1), f.NewReg(ori.P, 1)
	top.Append(f.NewInstr(op.ULDC, op.M(op.M64), ops(f.Words(desc)), ops(ori.Const(0, 0x208))))
	top.Append(f.NewInstr(op.LDC, op.M(op.M64), ops(f.Words(base)), ops(ori.Const(0, 0x210))))
	top.Append(f.NewInstr(op.S2R, op.Mods{}, ops(f.Words(at)), ops(ori.Special(op.SRTidX))))
	d := ori.Operand{Kind: ori.KDesc, Class: ori.UR, Reg: desc, N: 2}
	for k := range n {
		x, y, z := f.NewReg(ori.R, 1), f.NewReg(ori.R, 1), f.NewReg(ori.R, 1)
		for j, r := range []ori.Reg{x, y} {
			body.Append(f.NewInstr(op.LDG, op.M(op.ME), ops(f.Words(r)), ops(d, ori.Addr(f.Words(base), int64(64*k+32*j)))))
		}
		body.Append(f.NewInstr(op.FADD, op.Mods{}, ops(f.Words(z)), ops(f.Words(x), f.Words(y))))
		body.Append(f.NewInstr(op.STS, op.Mods{}, nil, ops(ori.Addr(f.Words(at), int64(4*k)), f.Words(z))))
	}
	body.Append(f.NewInstr(op.ISETP, op.M(op.MNE, op.MAND), ops(f.Words(p)), ops(f.Words(at), ori.Zero(ori.R), ori.Zero(ori.P))))
	i := f.NewInstr(op.BRA, op.Mods{}, nil, ops(ori.Label(body)))
	i.Guard = f.Words(p)
	body.Append(i)
	end.Append(f.NewInstr(op.EXIT, op.Mods{}, nil, nil))
	return f, body
}

// TestLoadsTogether: loads of a loop are in flight together as far as
// registers go that cost no warp, with more where there are few warps anyway,
// and never with more than the budget has.
func TestLoadsTogether(t *testing.T) {
	for _, c := range []struct {
		pairs, budget, least, most int
		shared                     int32
	}{
		{8, 255, 16, 16, 0},
		{20, 255, 30, 40, 0},
		{20, 255, 30, 40, 100 << 10},
		{20, 32, 2, 28, 100 << 10},
	} {
		f, body := streams(c.pairs)
		f.Props.SharedBytes = c.shared
		Pre(f, target.Find("sm_90a"), Budget{Most: c.budget}, Usual(), nil)
		first := 0
		for i := range body.Instrs {
			if i.Op == op.FADD {
				break
			}
			if i.Op == op.LDG {
				first++
			}
		}
		t.Logf("%+v: %d loads before the first sum", c, first)
		if first < c.least || first > c.most {
			t.Errorf("want %d to %d", c.least, c.most)
		}
	}
}
