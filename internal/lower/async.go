package lower

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/target"
)

// cpAsync lowers cp.async that copies up to 16 bytes, its groups and its
// arrival on an mbarrier.
func (l *lowerer) cpAsync() {
	l.knows(isa.WAsync)
	if l.has(isa.WBulk) {
		l.bulk()
		return
	}
	wait := func(n int64) {
		l.emit(op.DEPBAR, op.M(op.MLE), nil, ori.Special(op.SRScoreboard0), ori.Imm(n))
	}
	switch {
	case !l.has(isa.WAsync):
		l.unsupported()
	case l.has(isa.WCommitGroup):
		l.emit(op.LDGDEPBAR, op.Mods{}, nil)
	case l.has(isa.WWaitGroup):
		wait(int64(l.args[0].Value))
	case l.has(isa.WWaitAll):
		l.emit(op.LDGDEPBAR, op.Mods{}, nil)
		wait(0)
	case l.has(isa.WMbarrier):
		l.cpArrive()
	default:
		l.copyAsync()
	}
}

// Limits of the offsets of LDGSTS: 20 and 12 bits, signed.
const (
	maxAsyncShared = 1<<19 - 1
	maxAsyncGlobal = 1<<11 - 1
)

// paddingLoads precede an asynchronous copy on newer machines: the
// reference puts three loads that never run before it.
const paddingLoads = 3

// copyAsync lowers the copy itself.
func (l *lowerer) copyAsync() {
	size := int64(l.args[2].Value)
	m := op.M(op.ME)
	hint := l.has(isa.WL2CacheHint)
	l.knows(isa.WCa)
	if l.has(isa.WCg) {
		m = m.With(op.MBYPASS)
	}
	for _, w := range l.body.ModsOf(l.in) {
		if p := ofWord(placements, w); p != op.NoMod {
			l.knows(w)
			m = m.With(p)
		}
	}
	m = join(m, width(int(8*size), false))
	args := len(l.args)
	desc := l.descriptor()
	if hint {
		args--
		desc = l.policyDesc(l.src(args, isa.B64))
	}
	to := l.near(l.address(&l.args[0], isa.SpaceShared)[0], maxAsyncShared)
	from := l.address(&l.args[1], isa.SpaceGlobal)[0]
	pred := ori.Operand{}
	if args > 3 {
		m, from, pred = l.partial(m, from, size, &l.args[3])
	}
	from = l.near(from, maxAsyncGlobal)
	if l.arch.Has(target.LeadingLoads) {
		l.padding()
	}
	srcs := value{to, desc, from}
	if pred.Kind != ori.KNone {
		srcs = append(srcs, pred)
	}
	l.emit(op.LDGSTS, m, nil, srcs...)
}

// padding adds loads that never run.
func (l *lowerer) padding() {
	for range paddingLoads {
		i := l.emit(op.LDS, op.Mods{}, value{rz()}, ori.Addr(rz(), 0))
		i.Guard = pt().Not()
	}
}

// partial makes a copy of fewer bytes than the destination takes, the rest
// zero: the machine takes the bytes to leave out from the low bits of the
// address. The last argument is a number of bytes, or a predicate that says
// to copy none.
func (l *lowerer) partial(m op.Mods, from ori.Operand, size int64, a *sema.Operand) (op.Mods, ori.Operand, ori.Operand) {
	if a.Type == isa.Pred {
		return m, from, l.asPred(a).Not()
	}
	if a.Kind == isa.KInt {
		n := int64(a.Value)
		switch {
		case n <= 0:
			return m, from, pt().Not()
		case n >= size:
			return m, from, ori.Operand{}
		}
		from.Imm += size - n
		return m.With(op.MZFILL), from, ori.Operand{}
	}
	n := l.read(a, isa.U32)[0]
	skip := l.and2(l.one(op.IADD3, op.Mods{}, n.Negate(), ori.Imm(size), rz()), ori.Imm(size-1))
	base := l.add64(l.words(from.Reg)[from.Sub:from.Sub+2], value{skip, rz()}, false)
	return m.With(op.MZFILL), ori.Addr(whole(l.group(base)), from.Imm), l.cmp1(op.MNE, false, n, rz())
}

// near brings the offset of an address within a limit.
func (l *lowerer) near(a ori.Operand, limit int64) ori.Operand {
	if a.Imm <= limit && a.Imm >= -limit-1 || a.Reg == ori.NoReg {
		return a
	}
	if a.N == 2 {
		base := l.add64(l.words(a.Reg)[a.Sub:a.Sub+2], imm(uint64(a.Imm), 2), false)
		return ori.Addr(whole(l.group(base)), 0)
	}
	return ori.Addr(l.iadd(l.f.Word(a.Reg, int(a.Sub)), word(uint32(a.Imm))), 0)
}

// cpArrive makes an mbarrier wait for the copies of this thread.
func (l *lowerer) cpArrive() {
	l.knows(isa.WArrive)
	noinc := l.has(isa.WNoinc)
	if !l.arch.Has(target.Mbarriers) {
		l.cpArriveOld(noinc)
		return
	}
	a := l.barrierAddress(&l.args[0])
	l.alone(func() {
		kind := op.MARVCNT
		if !noinc {
			kind = op.MTRANSCNT
			l.emit(op.SYNCS, op.M(op.MARRIVE, op.MTRANS64, op.MRED, op.MA0T1), value{rz()}, a, noUniform(), rz())
		}
		// the address is uniform: threads with another one take turns
		l.eachValue(value{l.f.Word(a.Reg, int(a.Sub))}, func(u, p ori.Operand) {
			l.emitIf(p, op.ARRIVES, op.M(op.MLDGSTSBAR, op.M64, kind), nil, ori.Addr(ori.Operand{}, a.Imm), uaddr(u))
		})
	})
}

// uaddr is a uniform register as part of an address; noUniform none.
func uaddr(u ori.Operand) ori.Operand {
	u.Kind = ori.KUAddr
	return u
}

func noUniform() ori.Operand { return ori.Operand{Kind: ori.KUAddr, Class: ori.UR, Reg: ori.NoReg} }

// stInst lowers st.
func (l *lowerer) stInst() {
	switch {
	case l.has(isa.WAsync):
		l.stAsync()
	case l.has(isa.WBulk):
		l.stBulk()
	default:
		l.st()
	}
}

// redInst lowers red.
func (l *lowerer) redInst() {
	if l.has(isa.WAsync) {
		l.redAsync()
		return
	}
	l.atom()
}

// stAsync lowers st.async: the address pair holds where to and whom to tell.
func (l *lowerer) stAsync() {
	t := l.typ(0)
	for _, w := range [...]isa.Word{isa.WWeak, isa.WAsync, isa.WMbarrierCompleteTxBytes, isa.WV2, isa.WV4} {
		l.knows(w)
	}
	if l.has(isa.WMmio) {
		l.mmioAsync(width(t.Bits(), false), op.USTGR, op.STG, l.src(1, t))
		return
	}
	if l.in.NSpaces > 0 && !l.remote() || t.Bits() < 32 || len(l.args) < 3 {
		l.unsupported()
	}
	v := l.joinedElements(1, t)
	l.emit(op.STAS, width(32*len(v), false), nil, l.asyncTarget(&l.args[0], &l.args[2]), whole(l.group(v)))
}

// mmioAsync lowers stores and sums that release to a device: what was written
// before is there first. On sm_100 a uniform operation gives the order for
// each thread, elsewhere it is an ordinary one behind a fence.
func (l *lowerer) mmioAsync(size op.Mods, uniform, plain op.Op, v value) {
	l.knows(isa.WRelease)
	if !l.has(isa.WSys) {
		l.fail("the reference has no code for .mmio in a scope other than .sys")
	}
	scope := op.M(op.MMMIO, op.MSYS)
	fn := op.Mods{}
	if plain == op.REDG {
		fn = op.M(op.MADD)
	}
	if !l.arch.Has(target.OrderedStores) {
		l.alone(func() {
			l.fenceBefore(op.MSYS)
			srcs := append(l.target(&l.args[0], isa.SpaceGlobal, &ordering{}), whole(l.group(v)))
			l.emit(plain, join(join(join(op.M(op.ME), fn), size), scope), nil, srcs...)
		})
		return
	}
	m := join(join(join(join(op.M(op.ME), fn), op.M(op.MNA)), size), scope)
	l.issue(&order{blocks: []value{l.flat(&l.args[0]), v}, do: func(u []ori.Operand) *ori.Instr {
		l.emit(op.MEMBAR, op.M(op.MALL, op.MCTA), nil)
		u[0].Kind = ori.KAddr
		return l.emit(uniform, m, nil, u...)
	}})
}

// asyncTarget pairs the destination with the mbarrier to complete on.
func (l *lowerer) asyncTarget(to, bar *sema.Operand) ori.Operand {
	word := func(o *sema.Operand) ori.Operand {
		a := l.address(o, isa.SpaceShared)[0]
		base := rz()
		if a.Reg != ori.NoReg {
			base = l.f.Word(a.Reg, int(a.Sub))
		}
		if a.Imm == 0 {
			return base
		}
		return l.iadd(base, ori.Imm(a.Imm))
	}
	return ori.Addr(whole(l.group(value{word(to), word(bar)})), 0)
}

// redAsync lowers red.async.
func (l *lowerer) redAsync() {
	t := l.typ(0)
	for _, w := range [...]isa.Word{isa.WRelaxed, isa.WCluster, isa.WMbarrierCompleteTxBytes} {
		l.knows(w)
	}
	x := &atomic{t: t, n: 1}
	l.atomMods(x)
	if l.has(isa.WMmio) {
		l.mmioAsync(op.M(op.M64), op.UREDGR, op.REDG, l.src(1, t))
		return
	}
	if t == isa.S64 && x.fn == op.MADD { // the sum has no sign
		x.t = isa.U64
	}
	kind, ok := x.kind()
	if !ok || l.in.NSpaces > 0 && !l.remote() || t.Class() == isa.Float || len(l.args) < 3 {
		l.unsupported()
	}
	if t == isa.S32 && x.fn != op.MMIN && x.fn != op.MMAX {
		kind = op.Mods{}
	}
	l.emit(op.REDAS, join(op.M(x.fn), kind), nil, l.asyncTarget(&l.args[0], &l.args[2]), whole(l.group(l.src(1, t))))
}
