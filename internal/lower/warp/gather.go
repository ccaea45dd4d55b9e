package warp

import (
	"github.com/goptxas/goptxas/internal/codegen/abi"
	"github.com/goptxas/goptxas/internal/codegen/expand"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/lower/division"
	"github.com/goptxas/goptxas/internal/lower/memory"
	"github.com/goptxas/goptxas/internal/lower/routine"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/target"
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

// gathers lowers the current instruction, one of a kind for which threads
// gather, as do does; or, if they may do so from several places, as a
// collective one or a call that takes args and choice, a predicate, if there
// is one.
func gathers(l *build.Builder, kind int, mask ori.Operand, args func() build.Value, choice func() ori.Operand, do func()) {
	k := &routine.Syncs[kind]
	l.Sync(kind, isFull(mask) || k.Unaligned, do, func(n int) {
		l.Alone(func() {
			v := args()
			if n >= 0 && l.Arch.Has(target.WarpSyncAll) {
				collects(l, kind, k.Op == op.BAR, mask, v, choice)
				return
			}
			if choice != nil {
				v = append(v, Bit(l, choice()))
			}
			if n < 0 {
				callLinked(l, k, v, mask)
				return
			}
			s, all := routine.SyncRoutine(n)
			if !all {
				v = append(v, mask)
			}
			syncResults(l, s, division.CallRoutine(l, n, v))
		})
	})
}

// callLinked calls the function that all objects share for a kind.
func callLinked(l *build.Builder, s *routine.Sync, v build.Value, mask ori.Operand) {
	if !s.Unaligned {
		v = append(v, mask)
	}
	l.F.Props.HasCalls = true
	back, next := l.Fixed(abi.ReturnReg, 2), l.F.NewBlock()
	next.Kept = true
	srcs, dsts := division.FixedWords(l, len(v)), division.FixedWords(l, s.Out)
	l.Copy(division.Each(l, srcs), v)
	memory.ReturnAbs(l, l.Words(back), next)
	srcs = append(build.Value{l.SymbolPart(s.Linked, ori.PartLo), l.F.Words(back)}, srcs...)
	l.Emit(op.CALL, op.M(op.MABS, op.MNOINC), dsts, srcs...)
	l.Fall(next)
	if s.Out > 0 {
		r := l.Tmp(s.Out)
		l.Copy(r, division.Each(l, dsts))
		syncResults(l, s, r)
	}
}

// syncResults puts the results of a kind where the current instruction wants
// them.
func syncResults(l *build.Builder, s *routine.Sync, r build.Value) {
	set := func(p, w ori.Operand) {
		l.Emit(op.ISETP, op.M(op.MNE, op.MU32, op.MAND), build.Value{p}, w, expand.RZ(), expand.PT())
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
	return l.One(op.SEL, op.Mods{}, ori.Imm(1), expand.RZ(), p)
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
	truth := func(w ori.Operand) ori.Operand { return l.Cmp1(op.MNE, false, w, expand.RZ()) }
	switch {
	case s.Op == op.WARPSYNC:
		return nil
	case s.Op == op.SHFL:
		l.Emit(op.SHFL, m, build.Value{p, d[0]}, v[0], v[1], v[2])
	case s.Op == op.VOTE && s.Pred:
		l.Emit(op.VOTE, m, build.Value{p}, truth(v[0]))
		return build.Value{Bit(l, p)}
	case s.Op == op.VOTE:
		l.Emit(op.VOTE, m, build.Value{d[0], expand.PT()}, truth(v[0]))
		return d
	case s.Op == op.MATCH && s.Out == 1:
		l.Emit(op.MATCH, m, d, expand.Whole(l.Group(v[:s.In])))
		return d
	case s.Op == op.MATCH:
		l.Emit(op.MATCH, m, build.Value{p, d[0]}, expand.Whole(l.Group(v[:s.In])))
	case s.Op == op.REDUX:
		u := l.F.Words(l.F.NewReg(ori.UR, 1))
		l.Emit(reduction(l, m), m, build.Value{u}, v[0])
		l.Emit(op.MOV, op.Mods{}, d, u)
		return d
	case s.Op == op.ELECT:
		u := l.F.Words(l.F.NewReg(ori.UR, 1))
		l.Emit(op.ELECT, op.Mods{}, build.Value{p, u}, expand.PT())
		l.Emit(op.MOV, op.Mods{}, d, u)
	case s.Mod == op.MARV:
		l.Emit(op.BAR, m, nil, v[0], v[0])
		return nil
	case s.Mod == op.MSYNC:
		l.Emit(op.BAR, op.M(op.MSYNC, op.MDEFER_BLOCKING), nil, v[0], v[0])
		return nil
	case s.Pred: // a barrier's reduction
		l.Emit(op.BAR, m.With(op.MDEFER_BLOCKING), nil, v[0], v[0], truth(v[1]))
		l.Emit(op.B2R, op.M(op.MRESULT), build.Value{expand.RZ(), p})
		return build.Value{Bit(l, p)}
	default:
		l.Emit(op.BAR, m.With(op.MDEFER_BLOCKING), nil, v[0], v[0], truth(v[1]))
		l.Emit(op.B2R, op.M(op.MRESULT), d)
		return d
	}
	return build.Value{d[0], Bit(l, p)}
}

// isFull reports whether a mask names all threads.
func isFull(mask ori.Operand) bool { return mask.Kind == ori.KImm && uint32(mask.Imm) == 0xffffffff }

// Gather brings the threads that a mask names together.
func Gather(l *build.Builder, mask ori.Operand) {
	if isFull(mask) {
		l.Emit(op.WARPSYNC, op.M(op.MALL), nil)
		return
	}
	l.Emit(op.WARPSYNC, op.Mods{}, nil, l.Reg(mask))
}

// among runs an operation of the whole warp for the threads that a mask
// names. Threads with different masks take turns, so that each group sees
// its own members only; of a constant there is one group, since who is here is in it.
func among(l *build.Builder, mask ori.Operand, do func()) {
	if mask.Kind == ori.KImm {
		Gather(l, mask)
		do()
		return
	}
	if !l.Arch.Has(target.WarpSyncAll) {
		l.Alone(func() { inTurn(l, mask, do) })
		return
	}
	l.Alone(func() {
		join := l.F.NewBlock()
		join.Kept = true
		k := l.F.Words(l.F.NewReg(ori.B, 1))
		l.Emit(op.BSSY, op.Mods{}, build.Value{k}, ori.Label(join))
		l.Emit(op.WARPSYNC, op.M(op.MEXCLUSIVE), nil, l.Reg(mask))
		do()
		l.Fall(join)
		l.Emit(op.BSYNC, op.Mods{}, nil, k)
	})
}

// inTurn runs an operation for each mask that threads have, one after the
// other: those that have it gather and do it alone.
func inTurn(l *build.Builder, mask ori.Operand, do func()) {
	m := l.Reg(mask)
	l.Emit(op.WARPSYNC, op.Mods{}, nil, m)
	l.EachValue(build.Value{m}, func(_, p ori.Operand) {
		l.Either(p, do, nil)
	})
}

// reductions maps the operations of redux.sync; and prints nothing.
var reductions = [...]struct {
	word isa.Word
	mod  op.Mod
}{
	{isa.WAdd, op.MSUM}, {isa.WMin, op.MMIN}, {isa.WMax, op.MMAX}, {isa.WAnd, op.NoMod}, {isa.WOr, op.MOR}, {isa.WXor, op.MXOR},
}

// reduction is the instruction of a reduction: some machines have another
// one for the least and the greatest.
func reduction(l *build.Builder, m op.Mods) op.Op { return reductionOf(l.Arch, m) }
