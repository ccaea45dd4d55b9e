package async

import (
	"github.com/goptxas/goptxas/internal/codegen/expand"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/lower/memory"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/target"
)

// cpAsync lowers cp.async that copies up to 16 bytes, its groups and its
// arrival on an mbarrier.
func cpAsync(l *build.Builder) {
	l.Knows(isa.WAsync)
	if l.Has(isa.WBulk) {
		bulk(l)
		return
	}
	wait := func(n int64) {
		l.Emit(op.DEPBAR, op.M(op.MLE), nil, ori.Special(op.SRScoreboard0), ori.Imm(n))
	}
	switch {
	case !l.Has(isa.WAsync):
		l.Unsupported()
	case l.Has(isa.WCommitGroup):
		l.Emit(op.LDGDEPBAR, op.Mods{}, nil)
	case l.Has(isa.WWaitGroup):
		wait(groupsLeft(l))
	case l.Has(isa.WWaitAll):
		l.Emit(op.LDGDEPBAR, op.Mods{}, nil)
		wait(0)
	case l.Has(isa.WMbarrier):
		cpArrive(l)
	default:
		copyAsync(l)
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
func copyAsync(l *build.Builder) {
	size := int64(l.Args[2].Value)
	m := op.M(op.ME)
	hint := l.Has(isa.WL2CacheHint)
	l.Knows(isa.WCa)
	if l.Has(isa.WCg) {
		m = m.With(op.MBYPASS)
	}
	for _, w := range l.Body.ModsOf(l.In) {
		if p := build.OfWord(memory.Placements, w); p != op.NoMod {
			l.Knows(w)
			m = m.With(p)
		}
	}
	m = build.Join(m, build.Width(int(8*size), false))
	args := len(l.Args)
	desc := memory.Descriptor(l)
	if hint {
		args--
		desc = memory.PolicyDesc(l, l.Src(args, isa.B64))
	}
	to := memory.Near(l, memory.Address(l, &l.Args[0], isa.SpaceShared)[0], maxAsyncShared)
	from := memory.Address(l, &l.Args[1], isa.SpaceGlobal)[0]
	var rest build.Value
	if args > 3 {
		m, from, rest = partial(l, m, from, size, &l.Args[3])
	}
	from = memory.Near(l, from, maxAsyncGlobal)
	if l.Arch.Has(target.LeadingLoads) {
		padding(l)
	}
	l.Emit(op.LDGSTS, m, nil, append(build.Value{to, desc, from}, rest...)...)
}

// padding adds loads that never run.
func padding(l *build.Builder) {
	for range paddingLoads {
		i := l.Emit(op.LDS, op.Mods{}, build.Value{expand.RZ()}, ori.Addr(expand.RZ(), 0))
		i.Guard = expand.PT().Not()
	}
}

// partial makes a copy of fewer bytes than the destination takes, the rest
// zero: the machine takes the bytes to leave out from the low bits of the
// address. The last argument is a number of bytes, or a predicate that says
// to copy none. It returns the sources behind the address: the predicate,
// and the bytes left out as a mark that lasts until Settle, since the sum
// does not show them.
func partial(l *build.Builder, m op.Mods, from ori.Operand, size int64, a *sema.Operand) (op.Mods, ori.Operand, build.Value) {
	if a.Type == isa.Pred {
		return m, from, build.Value{l.AsPred(a).Not()}
	}
	if a.Kind == isa.KInt {
		n := int64(a.Value)
		switch {
		case n <= 0:
			return m, from, build.Value{expand.PT().Not()}
		case n >= size:
			return m, from, nil
		}
		from.Imm += size - n
		return m.With(op.MZFILL), from, nil
	}
	n := l.Read(a, isa.U32)[0]
	skip := l.And2(l.One(op.IADD3, op.Mods{}, n.Negate(), ori.Imm(size), expand.RZ()), ori.Imm(size-1))
	base := l.Add64(l.Words(from.Reg)[from.Sub:from.Sub+2], build.Value{skip, expand.RZ()}, false)
	return m.With(op.MZFILL), ori.Addr(expand.Whole(l.Group(base)), from.Imm), build.Value{l.Cmp1(op.MNE, false, n, expand.RZ()), skip}
}

// cpArrive makes an mbarrier wait for the copies of this thread.
func cpArrive(l *build.Builder) {
	l.Knows(isa.WArrive)
	noinc := l.Has(isa.WNoinc)
	if !l.Arch.Has(target.Mbarriers) {
		cpArriveOld(l, noinc)
		return
	}
	l.UseMbarrier(ori.MbarrierCopies)
	a := barrierAddress(l, &l.Args[0])
	l.Alone(func() {
		kind := op.MARVCNT
		if !noinc {
			kind = op.MTRANSCNT
			l.Emit(op.SYNCS, op.M(op.MARRIVE, op.MTRANS64, op.MRED, op.MA0T1), build.Value{expand.RZ()}, a, build.NoUniform(), expand.RZ())
		}
		// the address is uniform: threads with another one take turns
		l.EachValue(build.Value{l.F.Word(a.Reg, int(a.Sub))}, func(u, p ori.Operand) {
			l.EmitIf(p, op.ARRIVES, op.M(op.MLDGSTSBAR, op.M64, kind), nil, ori.Addr(ori.Operand{}, a.Imm), uaddr(u))
		})
	})
}

// stInst lowers st.
func stInst(l *build.Builder) {
	switch {
	case l.Has(isa.WAsync):
		stAsync(l)
	case l.Has(isa.WBulk):
		stBulk(l)
	default:
		memory.St(l)
	}
}

// redInst lowers red.
func redInst(l *build.Builder) {
	if l.Has(isa.WAsync) {
		redAsync(l)
		return
	}
	memory.Atom(l)
}

// stAsync lowers st.async: the address pair holds where to and whom to tell.
func stAsync(l *build.Builder) {
	t := l.Typ(0)
	for _, w := range [...]isa.Word{isa.WWeak, isa.WCluster, isa.WAsync, isa.WMbarrierCompleteTxBytes, isa.WV2, isa.WV4} {
		l.Knows(w)
	}
	if l.Has(isa.WMmio) {
		mmioAsync(l, build.Width(t.Bits(), false), op.USTGR, op.STG, l.Src(1, t))
		return
	}
	if l.In.NSpaces > 0 && !memory.Remote(l) || t.Bits() < 32 || len(l.Args) < 3 {
		l.Unsupported()
	}
	v := l.JoinedElements(1, t)
	l.Emit(op.STAS, build.Width(32*len(v), false), nil, asyncTarget(l, &l.Args[0], &l.Args[2]), expand.Whole(l.Group(v)))
}

// mmioAsync lowers stores and sums that release to a device: what was written
// before is there first. On sm_100 a uniform operation gives the order for
// each thread, elsewhere it is an ordinary one behind a fence.
func mmioAsync(l *build.Builder, size op.Mods, uniform, plain op.Op, v build.Value) {
	l.Knows(isa.WRelease)
	l.Knows(isa.WSys)
	l.Knows(isa.WGpu) // what holds for the system holds for the GPU
	scope := op.M(op.MMMIO, op.MSYS)
	fn := op.Mods{}
	if plain == op.REDG {
		fn = op.M(op.MADD)
	}
	if !l.Arch.Has(target.OrderedStores) {
		l.Alone(func() {
			memory.FenceBefore(l, op.MSYS)
			srcs := append(memory.Target(l, &l.Args[0], isa.SpaceGlobal, &memory.Ordering{}), expand.Whole(l.Group(v)))
			l.Emit(plain, build.Join(build.Join(build.Join(op.M(op.ME), fn), size), scope), nil, srcs...)
		})
		return
	}
	m := build.Join(build.Join(build.Join(build.Join(op.M(op.ME), fn), op.M(op.MNA)), size), scope)
	l.Issue(&build.Order{Blocks: []build.Value{flat(l, &l.Args[0]), v}, Do: func(u []ori.Operand) *ori.Instr {
		l.Emit(op.MEMBAR, op.M(op.MALL, op.MCTA), nil)
		u[0].Kind = ori.KAddr
		return l.Emit(uniform, m, nil, u...)
	}})
}

// asyncTarget pairs the destination with the mbarrier to complete on.
func asyncTarget(l *build.Builder, to, bar *sema.Operand) ori.Operand {
	word := func(o *sema.Operand) ori.Operand {
		a := memory.Address(l, o, isa.SpaceShared)[0]
		base := expand.RZ()
		if a.Reg != ori.NoReg {
			base = l.F.Word(a.Reg, int(a.Sub))
		}
		if a.Imm == 0 {
			return base
		}
		return l.Iadd(base, ori.Imm(a.Imm))
	}
	return ori.Addr(expand.Whole(l.Group(build.Value{word(to), word(bar)})), 0)
}

// redAsync lowers red.async.
func redAsync(l *build.Builder) {
	t := l.Typ(0)
	for _, w := range [...]isa.Word{isa.WRelaxed, isa.WCluster, isa.WMbarrierCompleteTxBytes} {
		l.Knows(w)
	}
	x := &memory.Atomic{T: t, N: 1}
	memory.AtomMods(l, x)
	if l.Has(isa.WMmio) {
		size := build.Width(t.Bits(), false)
		if t == isa.S32 {
			size = op.M(op.MS32)
		}
		mmioAsync(l, size, op.UREDGR, op.REDG, l.Src(1, t))
		return
	}
	if t == isa.S64 && x.Fn == op.MADD { // the sum has no sign
		x.T = isa.U64
	}
	kind, ok := x.Kind()
	if !ok || l.In.NSpaces > 0 && !memory.Remote(l) || t.Class() == isa.Float || len(l.Args) < 3 {
		l.Unsupported()
	}
	if t == isa.S32 && x.Fn != op.MMIN && x.Fn != op.MMAX {
		kind = op.Mods{}
	}
	l.Emit(op.REDAS, build.Join(op.M(x.Fn), kind), nil, asyncTarget(l, &l.Args[0], &l.Args[2]), expand.Whole(l.Group(l.Src(1, t))))
}
