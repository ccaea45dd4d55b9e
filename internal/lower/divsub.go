package lower

import (
	"goptxas/internal/ori"
	"goptxas/internal/ori/op"
	"goptxas/internal/ptx/isa"
	"goptxas/internal/target"
)

// A kernel that divides pairs in several places has the long way once, as a
// routine that it calls: dividend and divisor come in the first four argument
// registers, quotient and remainder go back in them, the return address is
// where the full convention has it. All else is the caller's but what the
// routine writes, which the caller learns from its code.

// DivideRoutine is the routine's name. No name of a program has a dot.
const DivideRoutine = "udivmod64."

// minDivisions is how many divisions a body has to call the routine. One is
// shorter in its place.
const minDivisions = 2

// divides reports whether the body divides pairs by values in several
// places.
func (l *lowerer) divides() bool {
	n := 0
	for k := range l.body.Instrs {
		in := &l.body.Instrs[k]
		if in.Op != isa.WDiv && in.Op != isa.WRem || in.NTypes == 0 || in.Types[0].Bits() != 64 || in.Types[0].Class() == isa.Float {
			continue
		}
		if args := l.body.Of(in.Args); len(args) > 2 && args[2].Kind == isa.KReg {
			n++
		}
	}
	return n >= minDivisions
}

// callDivide divides unsigned pairs in the routine.
func (l *lowerer) callDivide(a, b value) (q, r value) {
	l.f.Props.Routines = true
	args, back, out := l.fixed(firstArgReg, 4), l.fixed(returnReg, 2), l.fixed(firstArgReg, 4)
	l.copy(l.words(args), append(append(value(nil), a...), b...))
	next := l.f.NewBlock()
	next.Kept = true
	l.returnTo(l.words(back), next)
	to := ori.Operand{Kind: ori.KSymbol, Reg: l.f.Module.Symbol(DivideRoutine)}
	l.emit(op.CALL, op.M(op.MREL, op.MNOINC), value{l.f.Words(out)}, to, l.f.Words(back), l.f.Words(args))
	l.cur.AddEdge(next)
	l.cur = next
	t := l.tmp(4)
	l.copy(t, l.words(out))
	return t[:2], t[2:]
}

// Routine makes the routine that divides pairs.
func Routine(mod *ori.Module, arch *target.Arch) *ori.Func {
	l := &lowerer{arch: arch, desc: ori.NoReg, carry: ori.NoReg, rank: ori.NoReg, frame: ori.NoReg, sp: ori.NoReg, loc: -1}
	l.f = mod.NewFunc(DivideRoutine)
	l.cur = l.f.NewBlock()
	in, back := l.fixed(firstArgReg, 4), l.fixed(returnReg, 2)
	l.emit(op.UNDEF, op.Mods{}, value{l.f.Words(back), l.f.Words(in)})
	a, b, to := l.tmp(2), l.tmp(2), l.tmp(2)
	l.copy(to, l.words(back))
	l.copy(a, l.words(in)[:2])
	l.copy(b, l.words(in)[2:])
	q, r := l.divmod(a, b, true, true)
	out, exit := l.fixed(firstArgReg, 4), l.fixed(returnReg, 2)
	l.copy(l.words(out), append(append(value(nil), q...), r...))
	l.copy(l.words(exit), to)
	l.emit(op.RET, op.M(op.MREL, op.MNODEC), nil, l.f.Words(exit), l.f.Words(out))
	return l.f
}
