package warp

import (
	"github.com/goptxas/goptxas/internal/codegen/expand"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/lower/memory"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// bar lowers bar and barrier.
func bar(l *build.Builder) {
	l.Knows(isa.WAligned)
	l.Knows(isa.WCta)
	switch {
	case l.Has(isa.WWarp):
		l.Knows(isa.WSync)
		mask := l.Near(0)
		gathers(l, findSync(op.WARPSYNC, op.NoMod, op.NoMod, false), mask, func() build.Value { return nil }, nil, func() { Gather(l, mask) })
	case l.Has(isa.WCluster):
		l.Alone(func() { barCluster(l) })
	case l.Has(isa.WRed):
		barRed(l)
	case l.Has(isa.WArrive):
		together(l, op.MARV, op.NoMod, false, func() {
			l.Emit(op.BAR, op.M(op.MARV), nil, barrierArgs(l, 0, len(l.Args))...)
		})
	case l.Has(isa.WSync):
		together(l, op.MSYNC, op.NoMod, false, func() {
			l.Emit(op.BAR, op.M(op.MSYNC, op.MDEFER_BLOCKING), nil, barrierArgs(l, 0, len(l.Args))...)
		})
	default:
		l.Unsupported()
	}
}

// together lowers a barrier as do does. To the machine each is one of whole
// warps: before one that need not be aligned the threads of the warp are
// brought together. Aligned ones are seen to where it is known whether threads
// may be apart.
func together(l *build.Builder, mod, and op.Mod, pred bool, do func()) {
	if l.In.Op == isa.WBar || l.Has(isa.WAligned) {
		do()
		return
	}
	first, end := 0, len(l.Args)
	var choice func() ori.Operand
	if mod == op.MRED {
		first, end = 1, end-1
		choice = func() ori.Operand { return l.Predicate(end) }
	}
	gathers(l, findSync(op.BAR, mod, and, pred), ori.Operand{}, func() build.Value { return build.Value{barrierWord(l, first, end)} }, choice, func() {
		l.Emit(op.WARPSYNC, op.M(op.MALL), nil)
		do()
	})
}

// barrierWord is barrier and number of threads of arguments first to end in
// one word.
func barrierWord(l *build.Builder, first, end int) ori.Operand {
	a := barrierArgs(l, first, end)
	if len(a) == 2 && a[0] == a[1] && a[0].Kind == ori.KReg { // packed
		return a[0]
	}
	n := expand.RZ()
	if len(a) == 2 {
		n = l.Shl1(l.Reg(a[1]), ori.Imm(16))
	}
	return l.Lop(0xf8, n, ori.Imm(numBarriers-1), l.Reg(a[0]))
}

// numBarriers is how many named barriers a block has.
const numBarriers = 16

// barrierArgs returns the operands of arguments first to end: a barrier and
// perhaps a number of threads. When both are in registers they share one:
// the count in its upper half, the barrier in its lowest four bits.
func barrierArgs(l *build.Builder, first, end int) build.Value {
	id := l.Src1(first, isa.U32)
	used := int32(numBarriers)
	if l.Args[first].Kind == isa.KInt {
		id = ori.Imm(int64(l.Args[first].Value))
	}
	if id.Kind == ori.KImm || id.Kind == ori.KZero { // of a register that holds a constant the machine looks at the low bits
		id = ori.Imm(id.Imm & (numBarriers - 1))
		used = int32(id.Imm) + 1
	}
	l.F.Props.Barriers = max(l.F.Props.Barriers, used)
	if end-first < 2 || l.Args[first+1].Kind == isa.KInt && l.Args[first+1].Value == 0 { // none is all
		return build.Value{id}
	}
	n := l.Src1(first+1, isa.U32)
	if l.Args[first+1].Kind == isa.KInt {
		n = ori.Imm(int64(l.Args[first+1].Value))
	}
	if id.Kind == ori.KImm || n.Kind == ori.KImm {
		return build.Value{id, n}
	}
	t := l.Shl1(n, ori.Imm(16))
	t = l.Lop(0xf8, t, ori.Imm(numBarriers-1), id)
	return build.Value{t, t}
}

// barRed lowers bar.red: a barrier that also counts or joins predicates.
func barRed(l *build.Builder) {
	mod := op.MPOPC
	switch {
	case l.Has(isa.WAnd):
		mod = op.MAND
	case l.Has(isa.WOr):
		mod = op.MOR
	}
	l.Knows(isa.WPopc)
	together(l, op.MRED, mod, mod != op.MPOPC, func() { barRedOp(l, mod) })
}

func barRedOp(l *build.Builder, mod op.Mod) {
	last := len(l.Args) - 1
	l.Emit(op.BAR, op.M(op.MRED, mod, op.MDEFER_BLOCKING), nil, append(barrierArgs(l, 1, last), l.Predicate(last))...)
	if mod == op.MPOPC {
		l.Emit(op.B2R, op.M(op.MRESULT), l.Dst(0)[:1])
		return
	}
	l.Emit(op.B2R, op.M(op.MRESULT), build.Value{expand.RZ(), l.DstPred(0)})
}

// barCluster lowers barrier.cluster: a grid without clusters has clusters
// of one block, whose barrier is that of the block.
func barCluster(l *build.Builder) {
	relaxed := l.Has(isa.WRelaxed)
	l.Knows(isa.WRelease)
	l.Knows(isa.WAcquire)
	p := l.Clustered()
	if l.Has(isa.WArrive) {
		l.Either(p, func() {
			if !relaxed {
				memory.FenceBefore(l, op.MGPU)
			}
			l.Emit(op.UCGABAR_ARV, op.Mods{}, nil)
		}, nil)
		return
	}
	if !l.Has(isa.WWait) {
		l.Unsupported()
	}
	l.F.Props.Barriers = max(l.F.Props.Barriers, 1)
	l.Either(p, func() {
		l.Emit(op.UCGABAR_WAIT, op.Mods{}, nil)
		l.Emit(op.CCTL, op.M(op.MIVALL), nil)
	}, func() { l.Emit(op.BAR, op.M(op.MSYNC, op.MDEFER_BLOCKING), nil, ori.Imm(0)) })
}
