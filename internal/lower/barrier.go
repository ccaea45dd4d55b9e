package lower

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/target"
)

// bar lowers bar and barrier.
func (l *lowerer) bar() {
	l.knows(isa.WAligned)
	l.knows(isa.WCta)
	switch {
	case l.has(isa.WWarp):
		l.knows(isa.WSync)
		if mask := l.src1(0, isa.B32); !l.meets(findSync(op.WARPSYNC, op.NoMod, op.NoMod, false), mask, func() value { return nil }) {
			l.gather(mask)
		}
	case l.has(isa.WCluster):
		l.alone(l.barCluster)
	case l.has(isa.WRed):
		l.barRed()
	case l.has(isa.WArrive):
		if l.together(op.MARV, op.NoMod, false) {
			return
		}
		l.emit(op.BAR, op.M(op.MARV), nil, l.barrierArgs(0, len(l.args))...)
	case l.has(isa.WSync):
		if l.together(op.MSYNC, op.NoMod, false) {
			return
		}
		l.emit(op.BAR, op.M(op.MSYNC, op.MDEFER_BLOCKING), nil, l.barrierArgs(0, len(l.args))...)
	default:
		l.unsupported()
	}
}

// together brings the threads of the warp together before a barrier that
// need not be aligned: to the machine each is one of whole warps. Aligned
// ones are seen to where it is known whether threads may be apart. The result
// is true if a routine does all that.
func (l *lowerer) together(mod, and op.Mod, pred bool) bool {
	if l.in.Op == isa.WBar || l.has(isa.WAligned) {
		return false
	}
	if l.meets(findSync(op.BAR, mod, and, pred), ori.Operand{}, func() value { return l.barrierWords(mod == op.MRED) }) {
		return true
	}
	l.emit(op.WARPSYNC, op.M(op.MALL), nil)
	return false
}

// barrierWords are the operands of a routine: barrier and number of threads
// in one word, and the predicate of a reduction.
func (l *lowerer) barrierWords(red bool) value {
	first, end := 0, len(l.args)
	var v value
	if red {
		first, end = 1, end-1
		v = value{l.bit(l.predicate(end))}
	}
	a := l.barrierArgs(first, end)
	if len(a) == 2 && a[0] == a[1] && a[0].Kind == ori.KReg { // packed
		return append(a[:1], v...)
	}
	n := rz()
	if len(a) == 2 {
		n = l.shl1(l.reg(a[1]), ori.Imm(16))
	}
	return append(value{l.lop(0xf8, n, ori.Imm(numBarriers-1), l.reg(a[0]))}, v...)
}

// numBarriers is how many named barriers a block has.
const numBarriers = 16

// barrierArgs returns the operands of arguments first to end: a barrier and
// perhaps a number of threads. When both are in registers they share one:
// the count in its upper half, the barrier in its lowest four bits.
func (l *lowerer) barrierArgs(first, end int) value {
	id := l.src1(first, isa.U32)
	used := int32(numBarriers)
	if l.args[first].Kind == isa.KInt {
		id = ori.Imm(int64(l.args[first].Value))
		used = int32(l.args[first].Value) + 1
	}
	l.f.Props.Barriers = max(l.f.Props.Barriers, used)
	if end-first < 2 {
		return value{id}
	}
	n := l.src1(first+1, isa.U32)
	if l.args[first+1].Kind == isa.KInt {
		n = ori.Imm(int64(l.args[first+1].Value))
	}
	if id.Kind == ori.KImm || n.Kind == ori.KImm {
		return value{id, n}
	}
	t := l.shl1(n, ori.Imm(16))
	t = l.lop(0xf8, t, ori.Imm(numBarriers-1), id)
	return value{t, t}
}

// barRed lowers bar.red: a barrier that also counts or joins predicates.
func (l *lowerer) barRed() {
	mod := op.MPOPC
	switch {
	case l.has(isa.WAnd):
		mod = op.MAND
	case l.has(isa.WOr):
		mod = op.MOR
	}
	if l.together(op.MRED, mod, mod != op.MPOPC) {
		l.knows(isa.WPopc)
		return
	}
	last := len(l.args) - 1
	args := append(l.barrierArgs(1, last), l.predicate(last))
	switch {
	case l.has(isa.WPopc):
		l.emit(op.BAR, op.M(op.MRED, op.MPOPC, op.MDEFER_BLOCKING), nil, args...)
		l.emit(op.B2R, op.M(op.MRESULT), l.dst(0)[:1])
		return
	case l.has(isa.WAnd):
		l.emit(op.BAR, op.M(op.MRED, op.MAND, op.MDEFER_BLOCKING), nil, args...)
	case l.has(isa.WOr):
		l.emit(op.BAR, op.M(op.MRED, op.MOR, op.MDEFER_BLOCKING), nil, args...)
	default:
		l.unsupported()
	}
	l.emit(op.B2R, op.M(op.MRESULT), value{rz(), l.dstPred(0)})
}

// clustered returns the predicate of a grid that was launched in clusters.
func (l *lowerer) clustered() ori.Operand {
	return l.cmp1(op.MEQ, false, l.bankPlace(target.BankInCluster, 0), ori.Imm(1))
}

// barCluster lowers barrier.cluster: a grid without clusters has clusters
// of one block, whose barrier is that of the block.
func (l *lowerer) barCluster() {
	relaxed := l.has(isa.WRelaxed)
	l.knows(isa.WRelease)
	l.knows(isa.WAcquire)
	p := l.clustered()
	if l.has(isa.WArrive) {
		l.either(p, func() {
			if !relaxed {
				l.fenceBefore(op.MGPU)
			}
			l.emit(op.UCGABAR_ARV, op.Mods{}, nil)
		}, nil)
		return
	}
	if !l.has(isa.WWait) {
		l.unsupported()
	}
	l.f.Props.Barriers = max(l.f.Props.Barriers, 1)
	l.either(p, func() {
		l.emit(op.UCGABAR_WAIT, op.Mods{}, nil)
		l.emit(op.CCTL, op.M(op.MIVALL), nil)
	}, func() { l.emit(op.BAR, op.M(op.MSYNC, op.MDEFER_BLOCKING), nil, ori.Imm(0)) })
}
