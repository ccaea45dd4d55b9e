package sched

import (
	"testing"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/target"
)

// TestColumnsAgain: a row of masked loads and of stores under the same masks
// needs registers for what is loaded alone, and for a few more: neither tests
// nor the columns that they compare live on from the loads to the stores.
func TestColumnsAgain(t *testing.T) {
	const n = 32
	ops := func(o ...ori.Operand) []ori.Operand { return o }
	f := (&ori.Module{}).NewFunc("row")
	f.Kernel = true
	b := f.NewBlock()
	reg := func(c ori.Class, words int) ori.Operand { return f.Words(f.NewReg(c, words)) }
	base, row := reg(ori.R, 1), reg(ori.R, 2)
	b.Append(f.NewInstr(op.S2R, op.Mods{}, ops(base), ops(ori.Special(op.SRTidX))))
	b.Append(f.NewInstr(op.IMAD, op.M(op.MWIDE), ops(row), ops(base, ori.Imm(4), ori.Zero(ori.R))))
	var masks, vals [n]ori.Operand
	for k := range n {
		column := reg(ori.R, 1)
		masks[k], vals[k] = reg(ori.P, 1), reg(ori.R, 1)
		b.Append(f.NewInstr(op.IADD3, op.Mods{}, ops(column), ops(base, ori.Imm(int64(128*k+128)), ori.Zero(ori.R))))
		b.Append(f.NewInstr(op.ISETP, op.M(op.MLT, op.MAND), ops(masks[k]), ops(column, ori.Imm(1000), ori.Zero(ori.P))))
		b.Append(f.NewInstr(op.MOV, op.Mods{}, ops(vals[k]), ops(ori.Zero(ori.R))))
		load := f.NewInstr(op.LDG, op.M(op.ME), ops(vals[k]), ops(ori.Addr(row, int64(512*k))))
		load.Guard = masks[k]
		b.Append(load)
	}
	for k := range n {
		store := f.NewInstr(op.STG, op.M(op.ME), nil, ops(ori.Addr(row, int64(512*k)), vals[k]))
		store.Guard = masks[k]
		b.Append(store)
	}
	b.Append(f.NewInstr(op.EXIT, op.Mods{}, nil, nil))
	const most = n + 8 + reserve
	Pre(f, target.Find("sm_90a"), Budget{Most: most}, Usual(), nil)
	if err := f.Verify(0); err != nil {
		t.Error(err)
	}
	usual := Usual()
	if words := analyse(f, target.Find("sm_90a"), &usual).preScheduler(Budget{Most: most}, strategy{}).crowd(); words > most-reserve {
		t.Errorf("%d words alive, there is room for %d\n%s", words, most-reserve, f)
	}
}
