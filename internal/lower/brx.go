package lower

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// brx lowers brx.idx: the table of code offsets lies in constant bank 2.
func (l *lowerer) brx() {
	l.knows(isa.WIdx)
	l.knows(isa.WUni)
	a := &l.args[1]
	if a.Kind != isa.KTable {
		l.unsupported()
	}
	t := &l.body.Tables[a.Ref]
	labels := l.body.Targets[t.List.First : t.List.First+t.List.Len]
	if l.layout.Object {
		l.alone(func() { l.jumpTree(l.src1(0, isa.U32), labels, 0) })
		return
	}
	l.alone(func() { l.jumpTable(l.src1(0, isa.U32), labels) })
}

func (l *lowerer) jumpTable(index ori.Operand, labels []int32) {
	const entry = 4
	at := alignUp(l.plan.Bank2, entry)
	l.plan.Bank2 = at + entry*int64(len(labels))
	x := ori.Const(bank2, at)
	x.Reg, x.Class = l.shl1(index, ori.Imm(2)).Reg, ori.R
	pair := l.tmp(2)
	l.emit(op.LDC, op.Mods{}, pair[:1], x)
	l.emit(op.SHF, op.M(op.MR, op.MS32, op.MHI), pair[1:], rz(), ori.Imm(31), pair[0])
	srcs := value{whole(pair), ori.Imm(at)}
	var to []*ori.Block
	seen := map[*ori.Block]bool{}
	for _, n := range labels {
		b := l.at[l.body.Labels[n].At]
		srcs = append(srcs, ori.Label(b))
		if !seen[b] {
			seen[b] = true
			to = append(to, b)
		}
	}
	l.emit(op.BRX, op.Mods{}, nil, srcs...)
	for _, b := range to {
		l.cur.AddEdge(b)
	}
}
