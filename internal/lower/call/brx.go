package call

import (
	"github.com/goptxas/goptxas/internal/codegen/expand"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/lower/memory"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// brx lowers brx.idx: the table of code offsets lies in constant bank 2.
func brx(l *build.Builder) {
	l.Knows(isa.WIdx)
	l.Knows(isa.WUni)
	a := &l.Args[1]
	if a.Kind != isa.KTable {
		l.Unsupported()
	}
	t := &l.Body.Tables[a.Ref]
	labels := l.Body.Targets[t.List.First : t.List.First+t.List.Len]
	if l.Layout.Object {
		l.Alone(func() { memory.JumpTree(l, l.Src1(0, isa.U32), labels, 0) })
		return
	}
	l.Alone(func() { jumpTable(l, l.Src1(0, isa.U32), labels) })
}

func jumpTable(l *build.Builder, index ori.Operand, labels []int32) {
	const entry = 4
	at := build.AlignUp(l.Plan.Bank2, entry)
	l.Plan.Bank2 = at + entry*int64(len(labels))
	x := ori.Const(bank2, at)
	x.Reg, x.Class = l.Shl1(index, ori.Imm(2)).Reg, ori.R
	pair := l.Tmp(2)
	l.Emit(op.LDC, op.Mods{}, pair[:1], x)
	l.Emit(op.SHF, op.M(op.MR, op.MS32, op.MHI), pair[1:], expand.RZ(), ori.Imm(31), pair[0])
	srcs := build.Value{expand.Whole(pair), ori.Imm(at)}
	var to []*ori.Block
	seen := map[*ori.Block]bool{}
	for _, n := range labels {
		b := l.At[l.Body.Labels[n].At]
		srcs = append(srcs, ori.Label(b))
		if !seen[b] {
			seen[b] = true
			to = append(to, b)
		}
	}
	l.Emit(op.BRX, op.Mods{}, nil, srcs...)
	for _, b := range to {
		l.Cur.AddEdge(b)
	}
}
