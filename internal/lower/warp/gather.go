package warp

import (
	"github.com/goptxas/goptxas/internal/codegen/abi"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/lower/expand"
	"github.com/goptxas/goptxas/internal/lower/memory"
	"github.com/goptxas/goptxas/internal/lower/routine"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// findSync returns the number of a kind.
func findSync(o op.Op, mod, and op.Mod, pred bool) int {
	for n := range routine.Syncs {
		if s := &routine.Syncs[n]; s.Op == o && s.Mod == mod && s.And == and && s.Pred == pred {
			return n
		}
	}
	panic("no such kind of " + o.String())
}

// findRedux returns the number of a reduction.
func findRedux(m op.Mods) int {
	for n := range routine.Syncs {
		if s := &routine.Syncs[n]; s.Op == op.REDUX && m == build.Mods(s.Mod, s.And, s.Then) {
			return n
		}
	}
	panic("no such reduction")
}

// gathers notes the current instruction as one for which threads gather. If
// they may do so from several places it is lowered as a call, and the result
// is true.
func gathers(l *build.Builder, kind int, mask ori.Operand, args func() build.Value) bool {
	pos := int32(l.In.Pos)
	full := isFull(mask) || routine.Syncs[kind].Unaligned
	l.F.Syncs = append(l.F.Syncs, ori.Sync{Pos: pos, Kind: uint8(kind), Full: full})
	linked := l.Opts.Meet != nil && l.Opts.Meet.Linked
	if !linked && !l.Opts.Meet.Has(pos, kind) {
		return false
	}
	l.Alone(func() {
		v := args()
		if linked {
			callLinked(l, &routine.Syncs[kind], v, mask)
			return
		}
		n := l.Opts.Meet.RoutineOf(kind)
		s, all := routine.SyncRoutine(n)
		if !all {
			v = append(v, mask)
		}
		syncResults(l, s, expand.CallRoutine(l, n, v))
	})
	return true
}

// callLinked calls the function that all objects share for a kind.
func callLinked(l *build.Builder, s *routine.Sync, v build.Value, mask ori.Operand) {
	if !s.Unaligned {
		v = append(v, mask)
	}
	l.F.Props.HasCalls = true
	back, next := l.Fixed(abi.ReturnReg, 2), l.F.NewBlock()
	next.Kept = true
	srcs, dsts := expand.FixedWords(l, len(v)), expand.FixedWords(l, s.Out)
	l.Copy(expand.Each(l, srcs), v)
	memory.ReturnAbs(l, l.Words(back), next)
	srcs = append(build.Value{l.SymbolPart(s.Linked, ori.PartLo), l.F.Words(back)}, srcs...)
	l.Emit(op.CALL, op.M(op.MABS, op.MNOINC), dsts, srcs...)
	l.Fall(next)
	if s.Out > 0 {
		r := l.Tmp(s.Out)
		l.Copy(r, expand.Each(l, dsts))
		syncResults(l, s, r)
	}
}

// syncResults puts the results of a kind where the current instruction wants
// them.
func syncResults(l *build.Builder, s *routine.Sync, r build.Value) {
	set := func(p, w ori.Operand) {
		l.Emit(op.ISETP, op.M(op.MNE, op.MU32, op.MAND), build.Value{p}, w, build.RZ(), build.PT())
	}
	switch {
	case s.Out == 0:
		return
	case s.Pred:
		set(l.DstPred(0), r[0])
		return
	case l.Args[0].Kind == isa.KReg:
		l.Copy(l.Dst(0)[:1], r[:1])
	}
	if s.Out == 2 && l.Args[0].Pair >= 0 {
		set(l.F.Words(l.Regs[l.Args[0].Pair]), r[1])
	}
}

// Bit is a predicate as a word.
func Bit(l *build.Builder, p ori.Operand) ori.Operand {
	return l.One(op.SEL, op.Mods{}, ori.Imm(1), build.RZ(), p)
}

// SyncOf does in a routine what a kind does, with the mask behind the
// operands unless all threads gather.
func SyncOf(l *build.Builder, s *routine.Sync, full bool, v build.Value) build.Value {
	mask := ori.Imm32(0xffffffff)
	if !full {
		mask = v[s.In]
	}
	var r build.Value
	do := func() { r = syncOp(l, s, v) }
	switch s.Op {
	case op.SHFL, op.WARPSYNC, op.BAR:
		Gather(l, mask)
		do()
	default:
		among(l, mask, do)
	}
	return r
}

// syncOp is the operation itself.
func syncOp(l *build.Builder, s *routine.Sync, v build.Value) build.Value {
	m := build.Mods(s.Mod, s.And, s.Then)
	d, p := l.Tmp(1), l.Pred()
	truth := func(w ori.Operand) ori.Operand { return l.Cmp1(op.MNE, false, w, build.RZ()) }
	switch {
	case s.Op == op.WARPSYNC:
		return nil
	case s.Op == op.SHFL:
		l.Emit(op.SHFL, m, build.Value{p, d[0]}, v[0], v[1], v[2])
	case s.Op == op.VOTE && s.Pred:
		l.Emit(op.VOTE, m, build.Value{p}, truth(v[0]))
		return build.Value{Bit(l, p)}
	case s.Op == op.VOTE:
		l.Emit(op.VOTE, m, build.Value{d[0], build.PT()}, truth(v[0]))
		return d
	case s.Op == op.MATCH && s.Out == 1:
		l.Emit(op.MATCH, m, d, build.Whole(l.Group(v[:s.In])))
		return d
	case s.Op == op.MATCH:
		l.Emit(op.MATCH, m, build.Value{p, d[0]}, build.Whole(l.Group(v[:s.In])))
	case s.Op == op.REDUX:
		u := l.F.Words(l.F.NewReg(ori.UR, 1))
		l.Emit(reduction(l, m), m, build.Value{u}, v[0])
		l.Emit(op.MOV, op.Mods{}, d, u)
		return d
	case s.Op == op.ELECT:
		u := l.F.Words(l.F.NewReg(ori.UR, 1))
		l.Emit(op.ELECT, op.Mods{}, build.Value{p, u}, build.PT())
		l.Emit(op.MOV, op.Mods{}, d, u)
	case s.Mod == op.MARV:
		l.Emit(op.BAR, m, nil, v[0], v[0])
		return nil
	case s.Mod == op.MSYNC:
		l.Emit(op.BAR, op.M(op.MSYNC, op.MDEFER_BLOCKING), nil, v[0], v[0])
		return nil
	case s.Pred: // a barrier's reduction
		l.Emit(op.BAR, m.With(op.MDEFER_BLOCKING), nil, v[0], v[0], truth(v[1]))
		l.Emit(op.B2R, op.M(op.MRESULT), build.Value{build.RZ(), p})
		return build.Value{Bit(l, p)}
	default:
		l.Emit(op.BAR, m.With(op.MDEFER_BLOCKING), nil, v[0], v[0], truth(v[1]))
		l.Emit(op.B2R, op.M(op.MRESULT), d)
		return d
	}
	return build.Value{d[0], Bit(l, p)}
}
