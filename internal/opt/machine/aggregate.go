package machine

import (
	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// Reducers are the instructions that reduce a word over a warp: one for sums
// and logic, one for the least and the greatest. op.None: there is none.
type Reducers struct{ Sum, Least op.Op }

// Aggregate lets one thread of a warp do an atomic at an address that all
// threads share for all that run it: the memory works on one address one
// thread after the other, so that this is up to 32 times less work there.
//
//	REDG.MAX [a], x                     u = REDUX.MAX x; @first REDG.MAX [a], u
//	REDG.ADD [a], c                     @first REDG.ADD [a], c * threads
//	ATOMG.ADD d = [a], c                @first ATOMG.ADD b = [a], c * threads
//	                                    d = (b of the first) + c * (threads before)
//
// first is the highest thread of those that run it. A guard only takes
// threads out of that set. What is read back is a possible result: threads of
// a warp come in any order. All of it stands in one block, in which the set of
// threads does not change.
//
// An atomic that one thread alone runs stays what it is. It works on SSA form.
func Aggregate(f *ori.Func, fits func(*ori.Instr) bool, r Reducers) bool {
	if !f.Props.SSA || f.Routine != ori.NoRoutine || !anyAtomic(f) {
		return false
	}
	g := aggregator{opt.ValuesOf(f), flow.UniformityOf(f), fits, r}
	changed := false
	for _, b := range f.Blocks {
		var who *crew // of the atomic before, while the threads that run the block stay the same
		for i := range b.Instrs {
			if i.Op.Has(op.Convergent) || i.Op == op.CALL {
				who = nil
			}
			a, ok := g.find(i)
			if !ok || g.oneThread(i) || !f.Should("aggregate", i) {
				continue
			}
			if who == nil || who.guard != i.Guard || !g.v.Stable(i.Guard) {
				who = a.ask()
			}
			a.rewrite(who)
			changed = true
		}
	}
	return f.Touched(changed)
}

// anyAtomic reports whether f has one.
func anyAtomic(f *ori.Func) bool {
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			if i.Op.Has(op.Updates) {
				return true
			}
		}
	}
	return false
}

// crew is the threads that run an atomic.
type crew struct {
	guard ori.Operand
	mask  ori.Operand
	first ori.Operand // the number of the one that does it
	is    ori.Operand // a thread is that one
}

type aggregator struct {
	v    *opt.Values
	u    *flow.Uniformity
	fits func(*ori.Instr) bool
	r    Reducers
}

// atomic is an atomic that is to be aggregated.
type atomic struct {
	f     *ori.Func
	i     *ori.Instr
	kind  *atomicKind
	to    ori.Operand // its result, KNone if nobody reads it
	value ori.Operand // what it brings
	wide  bool        // 64 bits
	count ori.Operand // with what the number of threads is multiplied: a register, an immediate; KNone if it is not counted
	redux op.Op       // what brings the values together; op.None: they are the same
}

// atomicKind is how operations of atomics come together.
type atomicKind struct {
	mod      op.Mod
	redux    op.Mod // of the reduction
	least    bool
	same     bool   // once is as good as many times
	identity uint32 // changes nothing
	signed   uint32 // the same for signed words
}

var atomicKinds = [...]atomicKind{
	{mod: op.MADD, redux: op.MSUM},
	{mod: op.MMIN, redux: op.MMIN, least: true, same: true, identity: 0xffffffff, signed: 0x7fffffff},
	{mod: op.MMAX, redux: op.MMAX, least: true, same: true, identity: 0, signed: 0x80000000},
	{mod: op.MAND, same: true, identity: 0xffffffff},
	{mod: op.MOR, redux: op.MOR, same: true},
	{mod: op.MXOR, redux: op.MXOR},
}

// kindOf returns how the operation of modifiers comes together, nil if it does
// not, and whether it is one on 64 bits. Whatever is no scope and no word of
// an integer operation says that it is another kind of operation.
func kindOf(m op.Mods) (kind *atomicKind, wide bool) {
	for _, x := range m {
		switch x {
		case op.NoMod, op.ME, op.MSTRONG, op.MSYS, op.MGPU, op.MSM, op.MS32:
			continue
		case op.M64:
			wide = true
			continue
		}
		if kind != nil {
			return nil, false
		}
		for k := range atomicKinds {
			if atomicKinds[k].mod == x {
				kind = &atomicKinds[k]
			}
		}
		if kind == nil {
			return nil, false
		}
	}
	return kind, wide
}

// find tells how an instruction can be aggregated, if it can.
func (g *aggregator) find(i *ori.Instr) (atomic, bool) {
	a := atomic{f: g.v.Func, i: i}
	if !i.Op.Has(op.Updates) {
		return a, false
	}
	if a.kind, a.wide = kindOf(i.Mods); a.kind == nil || !g.sharedAddress(i) || i.Guard.Kind == ori.KReg && i.Guard.Class != ori.P {
		return a, false
	}
	for k, d := range i.Dsts() {
		switch {
		case d.Kind == ori.KZero:
		case k == int(i.NDst)-1 && d.Kind == ori.KReg && d.Class == ori.R:
			a.to = d
		default:
			return a, false
		}
	}
	a.value = i.Args[len(i.Args)-1]
	if a.value.Kind != ori.KReg || a.value.Class != ori.R || a.value.Flags != 0 {
		return a, false
	}
	return a, g.count(&a) || g.reduce(&a)
}

// count tells whether the number of threads gives what all bring.
func (g *aggregator) count(a *atomic) bool {
	if a.kind.mod != op.MADD {
		return false
	}
	if c, ok := g.constant(a.value); ok {
		a.count = ori.Imm32(c)
		return true
	}
	a.count = a.value
	return !a.wide && g.v.Shared(g.u, a.i.Block(), a.value)
}

// reduce tells whether a reduction does, or the value of any thread.
func (g *aggregator) reduce(a *atomic) bool {
	a.count = ori.Operand{}
	if a.wide || a.to.Kind != ori.KNone {
		return false
	}
	if a.kind.same && g.v.Shared(g.u, a.i.Block(), a.value) {
		return true
	}
	a.redux = g.r.Sum
	if a.kind.least {
		a.redux = g.r.Least
	}
	return a.redux != op.None && g.fits(a.reduction(a.value, ori.Zero(ori.UR)))
}

// constant returns what a register holds, if that is known and fits in a word
// without sign.
func (g *aggregator) constant(s ori.Operand) (uint32, bool) {
	c := uint32(0)
	for n := range max(1, s.N) {
		w := s
		w.Sub, w.N = s.Sub+n, 1
		i := g.v.Once(w)
		if i == nil || i.Op != op.MOV && i.Op != op.COPY || i.Mods != (op.Mods{}) || i.NDst != 1 || len(i.Args) != 2 || i.Args[0].N > 1 {
			return 0, false
		}
		x, ok := opt.Known(i.Args[1])
		if !ok || n > 0 && x != 0 {
			return 0, false
		}
		if n == 0 {
			c = x
		}
	}
	return c, true
}

// sharedAddress reports whether all threads that run i have the same address.
func (g *aggregator) sharedAddress(i *ori.Instr) bool {
	for _, s := range i.Srcs() {
		if s.Kind == ori.KAddr && !g.v.Shared(g.u, i.Block(), s) {
			return false
		}
	}
	return true
}

// oneThread reports whether i is likely to run for one thread of a warp: its
// guard, or a branch that leads to it alone, asks for the number of one.
func (g *aggregator) oneThread(i *ori.Instr) bool {
	if i.Guard.Kind == ori.KReg && g.namesThread(i.Guard, 0) {
		return true
	}
	b := i.Block()
	for n := 0; n < 8 && len(b.Preds) == 1; n++ {
		b = b.Preds[0]
		for j := b.Last(); j != nil && j.Op.Has(op.Terminator); j = j.Prev() {
			if j.Guard.Kind == ori.KReg && g.namesThread(j.Guard, 0) {
				return true
			}
		}
	}
	return false
}

// namesThread reports whether a predicate compares the number of the thread,
// or comes from an election.
func (g *aggregator) namesThread(p ori.Operand, depth int) bool {
	i := g.v.Once(p)
	if i == nil || depth > 4 {
		return false
	}
	switch i.Op {
	case op.ELECT:
		return true
	case op.ISETP:
		if !i.Mods.Has(op.MEQ) && !i.Mods.Has(op.MNE) {
			break
		}
		for _, s := range i.Srcs() {
			if s.Kind == ori.KReg && s.Class == ori.R && g.isThread(s, 0) {
				return true
			}
		}
	case op.PLOP3:
	default:
		return false
	}
	for _, s := range i.Srcs() {
		if s.Kind == ori.KReg && s.Class == ori.P && g.namesThread(s, depth+1) {
			return true
		}
	}
	return false
}

// isThread reports whether a word is the number of a thread, or at least its
// lane.
func (g *aggregator) isThread(s ori.Operand, depth int) bool {
	i := g.v.Once(s)
	if i == nil || depth > 3 {
		return false
	}
	switch i.Op {
	case op.S2R, op.S2UR:
		x := op.Special(i.Args[len(i.Args)-1].Imm)
		return x == op.SRLaneID || x == op.SRTidX
	case op.LOP3, op.COPY, op.MOV, op.IADD3, op.IMAD:
		for _, x := range i.Srcs() {
			if x.Kind == ori.KReg && x.Class == ori.R && g.isThread(x, depth+1) {
				return true
			}
		}
	}
	return false
}

// put puts an instruction before the atomic.
func (a *atomic) put(o op.Op, m op.Mods, d ori.Operand, srcs ...ori.Operand) ori.Operand {
	a.place(a.f.NewInstr(o, m, []ori.Operand{d}, srcs), a.i)
	return d
}

// place puts an instruction before another.
func (a *atomic) place(n, at *ori.Instr) {
	n.Line, n.Loc = a.i.Line, a.i.Loc
	if at == nil {
		a.i.Block().Append(n)
		return
	}
	a.i.Block().InsertBefore(n, at)
}

// word returns a new register.
func (a *atomic) word(width int) ori.Operand { return a.f.Words(a.f.NewReg(ori.R, width)) }

// reduction makes the reduction of values.
func (a *atomic) reduction(value, d ori.Operand) *ori.Instr {
	m := op.M(a.kind.redux)
	if a.kind.least && a.i.Mods.Has(op.MS32) {
		m = m.With(op.MS32)
	}
	return a.f.NewInstr(a.redux, m, []ori.Operand{d}, []ori.Operand{value})
}

// ask finds out which threads run the atomic.
func (a *atomic) ask() *crew {
	pt := ori.Zero(ori.P)
	w := &crew{guard: a.i.Guard, mask: a.word(1)}
	runs := pt
	if w.guard.Kind == ori.KReg {
		runs = w.guard
	}
	a.place(a.f.NewInstr(op.VOTE, op.M(op.MANY), []ori.Operand{w.mask, pt}, []ori.Operand{runs}), a.i)
	w.first = a.put(op.FLO, op.M(op.MU32), a.word(1), w.mask)
	lane := a.put(op.S2R, op.Mods{}, a.word(1), ori.Special(op.SRLaneID))
	w.is = a.put(op.ISETP, op.M(op.MEQ, op.MAND), a.f.Words(a.f.NewReg(ori.P, 1)), lane, w.first, pt)
	return w
}

// rewrite lets the first thread do it for all.
func (a *atomic) rewrite(w *crew) {
	behind, old := a.i.Next(), a.i.Old
	a.i.Args[len(a.i.Args)-1] = a.sum(w)
	a.i.Guard, a.i.Old = w.is, nil
	if a.i.NDst > 0 {
		a.i.Old = make([]ori.Operand, a.i.NDst)
	}
	if a.to.Kind == ori.KNone {
		return
	}
	back := a.word(int(max(1, a.to.N)))
	a.i.Args[a.i.NDst-1] = back
	d := a.share(w, back, behind)
	if len(old) > 0 {
		d.Old = old[a.i.NDst-1:]
	}
}

// sum returns what all threads bring.
func (a *atomic) sum(w *crew) ori.Operand {
	rz := ori.Zero(ori.R)
	switch {
	case a.count.Kind != ori.KNone:
		n := a.put(op.POPC, op.Mods{}, a.word(1), w.mask)
		if a.count.Is(1) && !a.wide {
			return n
		}
		d := a.word(int(max(1, a.value.N)))
		a.times(n, rz, d, a.i, ori.Operand{})
		return d
	case a.redux == op.None:
		return a.value
	}
	s := a.value
	if w.guard.Kind == ori.KReg {
		none := a.kind.identity
		if a.i.Mods.Has(op.MS32) {
			none = a.kind.signed
		}
		s = a.put(op.SEL, op.Mods{}, a.word(1), s, opt.Word(none), w.guard)
	}
	u := a.f.Words(a.f.NewReg(ori.UR, 1))
	a.place(a.reduction(s, u), a.i)
	return a.put(op.MOV, op.Mods{}, a.word(1), u)
}

// times makes n times what each thread brings, plus base, into d, before at.
func (a *atomic) times(n, base, d ori.Operand, at *ori.Instr, guard ori.Operand) *ori.Instr {
	o, m, srcs := op.IMAD, op.Mods{}, []ori.Operand{n, a.count, base}
	switch {
	case a.wide:
		m = op.M(op.MWIDE, op.MU32)
	case a.count.Is(1):
		o, srcs = op.IADD3, []ori.Operand{n, base, ori.Zero(ori.R)}
	}
	i := a.f.NewInstr(o, m, []ori.Operand{d}, srcs)
	i.Guard = guard
	a.place(i, at)
	return i
}

// share gives every thread its result: what the first one got, and what those
// before it brought. It returns what makes that.
func (a *atomic) share(w *crew, back ori.Operand, at *ori.Instr) *ori.Instr {
	base := a.word(int(max(1, back.N)))
	for n := range max(1, back.N) {
		from, to := back, base
		from.Sub, from.N, to.Sub, to.N = n, 1, n, 1
		a.place(a.f.NewInstr(op.SHFL, op.M(op.MIDX), []ori.Operand{ori.Zero(ori.P), to}, []ori.Operand{from, w.first, ori.Imm(0x1f)}), at)
	}
	below, before, rank := a.word(1), a.word(1), a.word(1)
	a.place(a.f.NewInstr(op.S2R, op.Mods{}, []ori.Operand{below}, []ori.Operand{ori.Special(op.SRLtMask)}), at)
	a.place(a.f.NewInstr(op.LOP3, op.M(op.MLUT), []ori.Operand{before}, []ori.Operand{below, w.mask, ori.Zero(ori.R), ori.Imm(0xc0)}), at)
	a.place(a.f.NewInstr(op.POPC, op.Mods{}, []ori.Operand{rank}, []ori.Operand{before}), at)
	return a.times(rank, base, a.to, at, w.guard)
}
