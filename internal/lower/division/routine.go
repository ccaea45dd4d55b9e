package division

import (
	"github.com/goptxas/goptxas/internal/codegen/abi"
	"github.com/goptxas/goptxas/internal/codegen/expand"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/lower/routine"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
)

// routineOf returns the routine of an instruction's slow path, or -1.
func routineOf(b *sema.Body, in *sema.Inst) int {
	if in.NTypes == 0 {
		return -1
	}
	t := in.Types[0]
	switch in.Op {
	case isa.WDiv, isa.WRem:
		if t.Bits() == 64 && t.Class() != isa.Float {
			args := b.Of(in.Args)
			if len(args) < 3 || args[2].Kind != isa.KReg {
				return -1
			}
			w := routine.KindDivide
			if t.Class() == isa.Signed {
				w = routine.KindSigned
			}
			if in.Op == isa.WRem {
				w++
			}
			return routine.FindRoutine(w, op.NoMod, false)
		}
	case isa.WRcp, isa.WSqrt, isa.WRsqrt:
	default:
		return -1
	}
	round, ftz, approx := op.NoMod, false, false
	for _, w := range b.ModsOf(in) {
		for _, r := range build.Roundings {
			if r.Word == w {
				round = r.Mod
			}
		}
		ftz = ftz || w == isa.WFtz
		approx = approx || w == isa.WApprox || w == isa.WFull
	}
	switch {
	case t == isa.F64 && in.Op == isa.WRsqrt && !ftz:
		return routine.FindRoutine(routine.KindInverseRoot, op.NoMod, false)
	case approx:
	case t == isa.F64 && in.Op == isa.WSqrt:
		return routine.FindRoutine(routine.KindRoot64, round, false)
	case t == isa.F64:
		return routine.FindRoutine(routine.KindDiv64, round, false)
	case t == isa.F32 && in.Op == isa.WSqrt:
		return routine.FindRoutine(routine.KindRoot32, round, ftz)
	case t == isa.F32:
		return routine.FindRoutine(routine.KindDiv32, round, ftz)
	}
	return -1
}

// Sites counts the places of a body, and of the functions that stand in it
// in place of calls.
func Sites(p *build.Plan, b *sema.Body, n *routine.Sites) {
	for k := range b.Instrs {
		if r := routineOf(b, &b.Instrs[k]); r >= 0 && n[r] < routine.ManySites {
			n[r]++
		}
	}
	p.Active = append(p.Active, b.Func)
	for k := range b.Calls {
		fn := build.Callee(p.Module, b.Calls[k].Func)
		if b.Calls[k].Table < 0 && fn >= 0 && p.Module.Funcs[fn].HasBody && !p.Cyclic[fn] && len(p.Active) < 64 {
			Sites(p, p.Body(fn), n)
		}
	}
	p.Active = p.Active[:len(p.Active)-1]
}

// quickOr gives d the quick result, or where long holds that of the slow path.
func quickOr(l *build.Builder, d, quick build.Value, long ori.Operand, w routine.Kind, round op.Mod, ftz bool, args build.Value) {
	r := d
	for _, a := range args { // the slow path needs them as they are
		if l.Guard.Kind != ori.KNone || a.Kind == ori.KReg && a.Reg == d[0].Reg {
			r = l.Tmp(len(d))
			break
		}
	}
	retarget(l, quick, r)
	unlikely(l, long, func() { l.Copy(r, slowPath(l, w, round, ftz, args)) })
	if r[0] != d[0] {
		l.Copy(d, r)
	}
}

// retarget makes the instructions that compute a temporary value in the
// current block compute it in another place.
func retarget(l *build.Builder, from, to build.Value) {
	for i := l.Cur.Last(); i != nil; i = i.Prev() {
		made := false
		for k := range i.Args {
			if a := &i.Args[k]; a.Kind == ori.KReg && a.Reg == from[0].Reg {
				a.Reg, a.Sub = to[0].Reg, a.Sub+to[0].Sub
				made = made || k < int(i.NDst)
			}
		}
		if made {
			return
		}
	}
}

// slowPath computes in the routine of the current instruction if it has
// several places, else in its own.
func slowPath(l *build.Builder, w routine.Kind, round op.Mod, ftz bool, args build.Value) build.Value {
	n := routine.FindRoutine(w, round, ftz)
	if l.Sites[n] < routine.ManySites {
		w := make(build.Value, 0, len(args))
		for k := 0; k < len(args); k += routine.Routines[n].Kind.Words() {
			w = append(w, l.Group(args[k:k+routine.Routines[n].Kind.Words()])...)
		}
		return KindOf(l, n, w)
	}
	was := l.Guard // what it computes is not a result yet
	l.Guard = ori.Operand{}
	defer func() { l.Guard = was }()
	return CallRoutine(l, n, args)
}

// KindOf computes what routine n does.
func KindOf(l *build.Builder, n int, v build.Value) build.Value {
	r := &routine.Routines[n]
	switch r.Kind {
	case routine.KindDivide, routine.KindRemainder, routine.KindSigned, routine.KindSignedRem:
		return expand.DivideLong(&l.Writer, v[:2], v[2:], r.Kind >= routine.KindSigned, r.Kind == routine.KindRemainder || r.Kind == routine.KindSignedRem)
	case routine.KindDiv64:
		return expand.Div64Exact(&l.Writer, v[:2], v[2:], r.Round)
	case routine.KindRoot64:
		return expand.Sqrt64Exact(&l.Writer, v, r.Round)
	case routine.KindInverseRoot:
		return expand.Rsqrt64Exact(&l.Writer, v)
	case routine.KindDiv32:
		return build.Value{expand.Div32Exact(&l.Writer, v[0], v[1], r.Round, r.Ftz)}
	}
	return build.Value{expand.Sqrt32Exact(&l.Writer, v[0], r.Round, r.Ftz)}
}

// CallRoutine calls routine n.
func CallRoutine(l *build.Builder, n int, v build.Value) build.Value {
	in, nout := routine.Words(n)
	back := l.Fixed(routine.ReturnOf(n), 1)
	args, dsts := FixedWords(l, in), FixedWords(l, nout)
	l.Copy(Each(l, args), v)
	next := l.F.NewBlock()
	next.Kept = true
	l.Emit(op.MOV, op.Mods{}, l.Words(back), ori.Label(next))
	to := ori.Operand{Kind: ori.KSymbol, Reg: l.F.Module.RoutineSymbol(routine.Name(n), routine.KindOf(n))}
	l.Emit(op.CALL, op.M(op.MREL, op.MNOINC), dsts, append(build.Value{to, l.F.Words(back)}, args...)...)
	l.Follow(next)
	if nout == 0 {
		return nil
	}
	t := l.Tmp(nout)
	l.Copy(t, Each(l, dsts))
	return t
}

// FixedWords is n words from where operands and results of routines begin,
// as one operand; none if n is zero.
func FixedWords(l *build.Builder, n int) build.Value {
	if n == 0 {
		return nil
	}
	return build.Value{l.F.Words(l.Fixed(abi.FirstArgReg, n))}
}

// Each splits what fixedWords returns.
func Each(l *build.Builder, v build.Value) build.Value {
	if len(v) == 0 {
		return nil
	}
	return l.Words(v[0].Reg)
}
