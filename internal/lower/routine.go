package lower

import (
	"slices"
	"strings"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/target"
)

// Long ways that a kernel takes in several places stand in it once, as
// routines that it calls: divisions of pairs, and what division and square
// root of floats do with operands that the quick steps are not good for.
// Operands come from R4 on and results go back there; the return address is,
// the low word, in R2: code is shorter than 4 GiB. All else is the caller's but what the routine writes, which
// the caller learns from its code. A routine has no branches: threads that
// enter it together leave it together.
const routineReturn = 2

// syncReturn is where routines in which threads gather have it: they leave
// FrameReg alone, since they cannot be avoided where the stack moves.
const syncReturn = 8

// returnOf is where routine n has its return address.
func returnOf(n int) int {
	if n < len(routines) {
		return routineReturn
	}
	return syncReturn
}

// way is what a routine computes.
type way uint8

const (
	wayDivide    way = iota // quotient of unsigned pairs
	wayRemainder            // remainder of unsigned pairs
	waySigned               // quotient of signed pairs
	waySignedRem            // remainder of signed pairs
	wayDiv64                // quotient of f64
	wayRoot64               // square root of f64
	wayInverseRoot
	wayDiv32
	wayRoot32
)

// ways say how many words of operands and results each has.
var ways = [...]struct{ in, out int }{
	wayDivide: {4, 2}, wayRemainder: {4, 2}, waySigned: {4, 2}, waySignedRem: {4, 2},
	wayDiv64: {4, 2}, wayRoot64: {2, 2}, wayInverseRoot: {2, 2}, wayDiv32: {2, 1}, wayRoot32: {1, 1},
}

// words is how many words an operand has.
func (w way) words() int {
	if w >= wayDiv32 {
		return 1
	}
	return 2
}

// routines are all there are. Their names end in a dot, which no name of a
// program does.
var routines = [...]struct {
	name  string
	way   way
	round op.Mod
	ftz   bool
}{
	{"div.u64.", wayDivide, op.NoMod, false},
	{"rem.u64.", wayRemainder, op.NoMod, false},
	{"div.s64.", waySigned, op.NoMod, false},
	{"rem.s64.", waySignedRem, op.NoMod, false},
	{"div.rn.f64.", wayDiv64, op.NoMod, false},
	{"div.rz.f64.", wayDiv64, op.MRZ, false},
	{"div.rm.f64.", wayDiv64, op.MRM, false},
	{"div.rp.f64.", wayDiv64, op.MRP, false},
	{"sqrt.rn.f64.", wayRoot64, op.NoMod, false},
	{"sqrt.rz.f64.", wayRoot64, op.MRZ, false},
	{"sqrt.rm.f64.", wayRoot64, op.MRM, false},
	{"sqrt.rp.f64.", wayRoot64, op.MRP, false},
	{"rsqrt.f64.", wayInverseRoot, op.NoMod, false},
	{"div.rn.f32.", wayDiv32, op.NoMod, false},
	{"div.rz.f32.", wayDiv32, op.MRZ, false},
	{"div.rm.f32.", wayDiv32, op.MRM, false},
	{"div.rp.f32.", wayDiv32, op.MRP, false},
	{"div.rn.ftz.f32.", wayDiv32, op.NoMod, true},
	{"div.rz.ftz.f32.", wayDiv32, op.MRZ, true},
	{"div.rm.ftz.f32.", wayDiv32, op.MRM, true},
	{"div.rp.ftz.f32.", wayDiv32, op.MRP, true},
	{"sqrt.rn.f32.", wayRoot32, op.NoMod, false},
	{"sqrt.rz.f32.", wayRoot32, op.MRZ, false},
	{"sqrt.rm.f32.", wayRoot32, op.MRM, false},
	{"sqrt.rp.f32.", wayRoot32, op.MRP, false},
	{"sqrt.rn.ftz.f32.", wayRoot32, op.NoMod, true},
	{"sqrt.rz.ftz.f32.", wayRoot32, op.MRZ, true},
	{"sqrt.rm.ftz.f32.", wayRoot32, op.MRM, true},
	{"sqrt.rp.ftz.f32.", wayRoot32, op.MRP, true},
}

// manySites is how many places take a long way that is worth a routine. One
// is shorter in its place.
const manySites = 2

// sites counts the places of each routine, up to manySites.
type sites [len(routines)]uint8

// find returns the number of a routine.
func findRoutine(w way, round op.Mod, ftz bool) int {
	for n := range routines {
		if r := &routines[n]; r.way == w && r.round == round && r.ftz == ftz {
			return n
		}
	}
	return -1
}

// roundings are the words that round otherwise than to nearest.
var roundings = []wordName{{isa.WRz, op.MRZ}, {isa.WRm, op.MRM}, {isa.WRp, op.MRP}}

// routineOf returns the routine of an instruction's long way, or -1.
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
			w := wayDivide
			if t.Class() == isa.Signed {
				w = waySigned
			}
			if in.Op == isa.WRem {
				w++
			}
			return findRoutine(w, op.NoMod, false)
		}
	case isa.WRcp, isa.WSqrt, isa.WRsqrt:
	default:
		return -1
	}
	round, ftz, approx := op.NoMod, false, false
	for _, w := range b.ModsOf(in) {
		for _, r := range roundings {
			if r.word == w {
				round = r.mod
			}
		}
		ftz = ftz || w == isa.WFtz
		approx = approx || w == isa.WApprox || w == isa.WFull
	}
	switch {
	case t == isa.F64 && in.Op == isa.WRsqrt && !ftz:
		return findRoutine(wayInverseRoot, op.NoMod, false)
	case approx:
	case t == isa.F64 && in.Op == isa.WSqrt:
		return findRoutine(wayRoot64, round, false)
	case t == isa.F64:
		return findRoutine(wayDiv64, round, false)
	case t == isa.F32 && in.Op == isa.WSqrt:
		return findRoutine(wayRoot32, round, ftz)
	case t == isa.F32:
		return findRoutine(wayDiv32, round, ftz)
	}
	return -1
}

// sites counts the places of a body, and of the functions that stand in it
// in place of calls.
func (p *Plan) sites(b *sema.Body, n *sites) {
	for k := range b.Instrs {
		if r := routineOf(b, &b.Instrs[k]); r >= 0 && n[r] < manySites {
			n[r]++
		}
	}
	p.active = append(p.active, b.Func)
	for k := range b.Calls {
		fn := callee(p.m, b.Calls[k].Func)
		if b.Calls[k].Table < 0 && fn >= 0 && p.m.Funcs[fn].HasBody && !p.cyclic[fn] && len(p.active) < 64 {
			p.sites(p.body(fn), n)
		}
	}
	p.active = p.active[:len(p.active)-1]
}

// quickOr gives d the quick result, or where long holds that of the long way.
func (l *lowerer) quickOr(d, quick value, long ori.Operand, w way, round op.Mod, ftz bool, args value) {
	r := d
	for _, a := range args { // the long way needs them as they are
		if l.guard.Kind != ori.KNone || a.Kind == ori.KReg && a.Reg == d[0].Reg {
			r = l.tmp(len(d))
			break
		}
	}
	l.retarget(quick, r)
	l.unlikely(long, func() { l.copy(r, l.longWay(w, round, ftz, args)) })
	if r[0] != d[0] {
		l.copy(d, r)
	}
}

// retarget makes the instructions that compute a temporary value in the
// current block compute it in another place.
func (l *lowerer) retarget(from, to value) {
	for i := l.cur.Last(); i != nil; i = i.Prev() {
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

// longWay computes in the routine of the current instruction if it has
// several places, else in its own.
func (l *lowerer) longWay(w way, round op.Mod, ftz bool, args value) value {
	n := findRoutine(w, round, ftz)
	if l.sites[n] < manySites {
		w := make(value, 0, len(args))
		for k := 0; k < len(args); k += routines[n].way.words() {
			w = append(w, l.group(args[k:k+routines[n].way.words()])...)
		}
		return l.wayOf(n, w)
	}
	was := l.guard // what it computes is not a result yet
	l.guard = ori.Operand{}
	defer func() { l.guard = was }()
	return l.callRoutine(n, args)
}

// wayOf computes what routine n does.
func (l *lowerer) wayOf(n int, v value) value {
	r := &routines[n]
	switch r.way {
	case wayDivide, wayRemainder, waySigned, waySignedRem:
		return l.divideLong(v[:2], v[2:], r.way >= waySigned, r.way == wayRemainder || r.way == waySignedRem)
	case wayDiv64:
		return l.div64Exact(v[:2], v[2:], r.round)
	case wayRoot64:
		return l.sqrt64Exact(v, r.round)
	case wayInverseRoot:
		return l.rsqrt64Exact(v)
	case wayDiv32:
		return value{l.div32Exact(v[0], v[1], r.round, r.ftz)}
	}
	return value{l.sqrt32Exact(v[0], r.round, r.ftz)}
}

// callRoutine calls routine n.
func (l *lowerer) callRoutine(n int, v value) value {
	in, nout := routineWords(n)
	back := l.fixed(returnOf(n), 1)
	args, dsts := l.fixedWords(in), l.fixedWords(nout)
	l.copy(l.each(args), v)
	next := l.f.NewBlock()
	next.Kept = true
	l.emit(op.MOV, op.Mods{}, l.words(back), ori.Label(next))
	to := ori.Operand{Kind: ori.KSymbol, Reg: l.f.Module.Symbol(routineName(n))}
	l.emit(op.CALL, op.M(op.MREL, op.MNOINC), dsts, append(value{to, l.f.Words(back)}, args...)...)
	l.follow(next)
	if nout == 0 {
		return nil
	}
	t := l.tmp(nout)
	l.copy(t, l.each(dsts))
	return t
}

// fixedWords is n words from where operands and results of routines begin,
// as one operand; none if n is zero.
func (l *lowerer) fixedWords(n int) value {
	if n == 0 {
		return nil
	}
	return value{l.f.Words(l.fixed(firstArgReg, n))}
}

// each splits what fixedWords returns.
func (l *lowerer) each(v value) value {
	if len(v) == 0 {
		return nil
	}
	return l.words(v[0].Reg)
}

// IsRoutine reports whether a function is one that the compiler made.
func IsRoutine(name string) bool { return strings.HasSuffix(name, ".") }

// Routines lists the routines that a function calls, by number.
func Routines(f *ori.Func) []int {
	var list []int
	for k := range f.Module.Symbols {
		if !IsRoutine(f.Module.Symbols[k].Name) {
			continue
		}
		for n := range len(routines) + 2*len(syncs) {
			if f.Module.Symbols[k].Name == routineName(n) {
				list = append(list, n)
			}
		}
	}
	slices.Sort(list)
	return list
}

// Routine makes routine n.
func Routine(mod *ori.Module, arch *target.Arch, n int) *ori.Func {
	l := newLowerer(arch)
	nin, nout := routineWords(n)
	l.f = mod.NewFunc(routineName(n))
	l.enter(l.f.NewBlock())
	back, in := l.fixed(returnOf(n), 1), l.fixedWords(nin)
	l.emit(op.UNDEF, op.Mods{}, append(value{l.f.Words(back)}, in...))
	words := 1
	if n < len(routines) {
		words = routines[n].way.words()
	}
	var args value
	for k := 0; k < nin; k += words {
		args = append(args, l.tmp(words)...)
	}
	to := l.tmp(1)
	l.copy(to, l.words(back))
	l.copy(args, l.each(in))
	var r value
	if n < len(routines) {
		r = l.wayOf(n, args)
	} else {
		s, full := syncRoutine(n)
		r = l.syncOf(s, full, args)
	}
	out, exit := l.fixedWords(nout), l.fixed(returnOf(n), 2)
	l.copy(l.each(out), r)
	l.copy(l.words(exit), append(to, rz()))
	l.emit(op.RET, op.M(op.MREL, op.MNODEC), nil, append(value{l.f.Words(exit)}, out...)...)
	l.arrange()
	return l.f
}
