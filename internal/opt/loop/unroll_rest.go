package loop

import (
	"math"
	"slices"

	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/opt/branch"
	"github.com/goptxas/goptxas/internal/opt/ssa"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// Rest says how loops are unrolled whose number of turns is not known.
type Rest struct {
	Turns  int // turns that are written out; less than two: none
	Body   int // instructions that a turn has at most; loads count twice
	Growth int // instructions that are added to a function
}

// UnrollRest writes several turns of innermost loops behind each other where
// only the program's data say how many there are. As long as that many are
// left they run without a test; the loop that was there does the rest. Threads
// of a warp that have turns of their own would do both loops one after the
// other: theirs stay, unless they only leave one that has a number of turns. It
// works on SSA form.
//
//	b1: …                           if r + 3 < n do not follow: to b1
//	    IADD3 r = r, 0x1        b4: … four times
//	    ISETP.LT p = r, n           if r + 3 < n: to b4
//	    @p BRA b1                   @p BRA b1; BRA b2
//	b2:                         b1: as before
//	                            b2:
func UnrollRest(f *ori.Func, rest Rest) bool {
	if rest.Turns < 2 || !f.Props.SSA {
		return false
	}
	u := &unroller{f: f, room: rest.Growth, dom: flow.DomOf(f), v: opt.ValuesOf(f), in: make([]int32, f.NumBlocks())}
	all := flow.LoopsOf(f, u.dom).All
	outer := map[*flow.Loop]bool{}
	for _, l := range all {
		outer[l.Parent] = true
	}
	changed := false
	var x *flow.Uniformity // of f as it was
	for n, l := range all {
		if outer[l] || l.Header.Rolled {
			continue
		}
		u.loop, u.number = l, int32(n)+1
		if !u.shape() || u.size+u.reads() > rest.Body || rest.Turns*u.size > u.room || !u.together() {
			continue
		}
		if x == nil {
			x = flow.UniformityOf(f)
		}
		if x.Parts(u.latch) && u.turns() == 0 {
			continue
		}
		c, ok := u.countedBy(rest.Turns)
		if !ok || !f.Should("unroll", u.latch.Last()) {
			continue
		}
		u.room -= rest.Turns * u.size
		u.copies, u.whole = rest.Turns, true
		u.unrollRest(c)
		changed = true
	}
	if changed {
		ssa.Mend(f)
	}
	return changed
}

// reads counts the loads of a turn.
func (u *unroller) reads() (n int) {
	for _, b := range u.loop.Blocks {
		for i := range b.Instrs {
			if i.Op.Has(op.Reads) && i.NDst > 0 {
				n++
			}
		}
	}
	return n
}

// together reports whether nothing in the loop asks which threads run it: they
// have turns of their own.
func (u *unroller) together() bool {
	for _, b := range u.loop.Blocks {
		for i := range b.Instrs {
			if i.Op.Has(op.Convergent|op.Uniform) || i.Op.Has(op.Effect) {
				return false
			}
		}
	}
	return true
}

// counter says what decides about another turn: the test at its end compares
// a word that was at at the start of the turn, and grows by step in each, plus
// first with a bound that stays.
type counter struct {
	phi         *ori.Instr // of at
	at, bound   ori.Operand
	first, step int64
	cmp         op.Mod // another turn follows if this holds
	unsigned    bool
	turns       int64
}

// comparisons lists each comparison with what it becomes with its sources
// exchanged, and with the one that holds where it does not.
var comparisons = [...]comparison{
	{op.MLT, op.MGT, op.MGE},
	{op.MLE, op.MGE, op.MGT},
	{op.MGT, op.MLT, op.MLE},
	{op.MGE, op.MLE, op.MLT},
	{op.MEQ, op.MEQ, op.MNE},
	{op.MNE, op.MNE, op.MEQ},
}

type comparison struct{ cmp, swapped, opposite op.Mod }

// of returns the comparison with its sources exchanged or not, and of where it
// holds or does not.
func (m comparison) of(swapped, not bool) op.Mod {
	switch {
	case swapped && not:
		for _, s := range comparisons {
			if s.cmp == m.swapped {
				return s.opposite
			}
		}
	case swapped:
		return m.swapped
	case not:
		return m.opposite
	}
	return m.cmp
}

// countedBy recognises what decides about another turn.
func (u *unroller) countedBy(turns int) (c counter, ok bool) {
	guard := u.latch.Last().Guard
	guard.Flags = 0
	i := u.inside(guard)
	if i == nil || i.Op != op.ISETP || i.NDst != 1 || len(i.Args) != 4 || i.Mods.Has(op.MEX) || !i.Mods.Has(op.MAND) {
		return c, false
	}
	if p := i.Args[3]; p.Kind != ori.KZero || p.Flags != 0 {
		return c, false
	}
	c = counter{unsigned: i.Mods.Has(op.MU32), turns: int64(turns), cmp: op.NoMod}
	a, b := i.Args[1], i.Args[2]
	other := u.stays(a)
	if other {
		a, b = b, a
	}
	for _, m := range comparisons {
		if i.Mods.Has(m.cmp) {
			c.cmp = m.of(other, !u.goOn)
		}
	}
	if c.cmp == op.NoMod || !u.stays(b) {
		return c, false
	}
	c.bound = b
	if c.at, c.phi, c.first = u.start(a); c.phi == nil {
		return c, false
	}
	next, ok := u.next(c.phi, c.at)
	if !ok {
		return c, false
	}
	back, _, step := u.start(next)
	if back != c.at || step == 0 {
		return c, false
	}
	c.step = step
	_, ok = c.ahead()
	return c, ok && !u.few(&c)
}

// few reports whether the loop is known to have few turns: it counts what is
// left of a number that was masked, as the rest of an unrolled loop does.
func (u *unroller) few(c *counter) bool {
	at, ok := u.first(c.phi, c.at)
	for range opt.MaxChain {
		set := u.v.Once(at)
		if !ok || set == nil || set.NDst != 1 {
			return false
		}
		if set.Op == op.LOP3 {
			return slices.ContainsFunc(set.Srcs()[:3], func(s ori.Operand) bool {
				return s.Kind == ori.KImm && s.Imm >= 0 && s.Imm < 4*c.turns
			})
		}
		var next ori.Operand
		for _, s := range set.Srcs() {
			if s.Kind == ori.KReg && s.Class == ori.R {
				if next.Kind != ori.KNone {
					return false
				}
				next = s
			}
		}
		if next.Kind == ori.KNone || set.Op != op.COPY && set.Op != op.MOV && set.Op != op.IADD3 {
			return false
		}
		at = next
	}
	return false
}

// limits of the numbers that are compared.
func (c *counter) limits() (least, most int64) {
	if c.unsigned {
		return 0, math.MaxUint32
	}
	return math.MinInt32, math.MaxInt32
}

// ahead returns how far the word that is compared with the bound is ahead of
// the start of a group of turns when the last but one of them ends, so that
// a strict comparison with the bound says whether all of them run. It fails
// where the words may have passed the end of their numbers before.
func (c *counter) ahead() (k int64, ok bool) {
	const far = 1 << 20
	if c.first > far || c.first < -far || c.step > far || c.step < -far {
		return 0, false
	}
	k = c.first + (c.turns-2)*c.step
	switch {
	case c.step > 0 && c.first >= 0 && c.cmp == op.MLT:
	case c.step > 0 && c.first >= 0 && c.cmp == op.MLE:
		k--
	case c.step < 0 && c.first <= 0 && c.cmp == op.MGT:
	case c.step < 0 && c.first <= 0 && c.cmp == op.MGE:
		k++
	case c.cmp == op.MNE:
		return 0, true
	default:
		return 0, false
	}
	return k, (k > 0) == (c.step > 0) && k != 0
}

// enough is the test whether a whole group of turns follows.
type enough struct {
	c     *counter
	u     *unroller
	limit ori.Operand // what the word at the start is compared with
	holds ori.Operand // predicate
	goOn  ori.Operand // another turn follows
}

// prepare computes in b what tests compare with.
func (e *enough) prepare(b *ori.Block) {
	c, f := e.c, e.u.f
	k, _ := c.ahead()
	if c.bound.Kind == ori.KConst {
		c.bound = e.word(b, op.MOV, op.Mods{}, c.bound)
	}
	if c.cmp == op.MNE {
		e.limit = e.word(b, op.IADD3, op.Mods{}, c.bound, ori.Imm(-c.first), ori.Zero(ori.R))
		return
	}
	least, most := c.limits()
	end, cmp := least+k, op.MGE
	if c.step < 0 {
		end, cmp = most+k, op.MLE
	}
	near := f.Words(f.NewReg(ori.P, 1))
	e.u.emit(b, op.ISETP, e.mods(cmp), near, c.bound, ori.Imm32(uint32(end)), ori.Zero(ori.P))
	bound := e.word(b, op.SEL, op.Mods{}, c.bound, ori.Imm32(uint32(end)), near)
	e.limit = e.word(b, op.IADD3, op.Mods{}, bound, ori.Imm(-k), ori.Zero(ori.R))
}

// mods are the modifiers of a comparison of the counter's numbers.
func (e *enough) mods(cmp op.Mod) op.Mods {
	if e.c.unsigned {
		return op.M(cmp, op.MU32, op.MAND)
	}
	return op.M(cmp, op.MAND)
}

// word emits an instruction with a result of one word.
func (e *enough) word(b *ori.Block, o op.Op, m op.Mods, srcs ...ori.Operand) ori.Operand {
	d := e.u.f.Words(e.u.f.NewReg(ori.R, 1))
	e.u.emit(b, o, m, d, srcs...)
	return d
}

// ask sets the predicate at the end of b, where what is counted is at. Behind a
// turn it must follow that there is another one at all: a word that was compared after it grew is the
// one that is looked at here, others may have passed the bound, or the end of
// their numbers.
func (e *enough) ask(b *ori.Block, at ori.Operand, first bool) {
	c, goOn := e.c, e.goOn
	if first || c.cmp != op.MNE && c.first == c.step {
		goOn = ori.Zero(ori.P)
	}
	if c.cmp != op.MNE {
		e.u.emit(b, op.ISETP, e.mods(strict(c.step)), e.holds, at, e.limit, goOn)
		return
	}
	x, y := e.limit, at
	if c.step < 0 {
		x, y = y, x
	}
	left := e.word(b, op.IADD3, op.Mods{}, x, y.Negate(), ori.Zero(ori.R))
	least := (c.turns-2)*max(c.step, -c.step) + 1 // no turn before the last meets the bound
	e.u.emit(b, op.ISETP, op.M(op.MGE, op.MU32, op.MAND), e.holds, left, ori.Imm(least), goOn)
}

// strict is the comparison with the limit of a word that grows by step.
func strict(step int64) op.Mod {
	if step < 0 {
		return op.MGT
	}
	return op.MLT
}

// emit appends an instruction with one result to b.
func (u *unroller) emit(b *ori.Block, o op.Op, m op.Mods, d ori.Operand, srcs ...ori.Operand) {
	i := u.f.NewInstr(o, m, []ori.Operand{d}, srcs)
	i.Line, i.Loc = u.line()
	b.Append(i)
}

// line is where the branch back stands in the text.
func (u *unroller) line() (line, loc int32) {
	i := u.latch.Last()
	return i.Line, i.Loc
}

// jump ends b with a guarded jump to t, which it leads to already.
func (u *unroller) jump(b *ori.Block, guard ori.Operand, t *ori.Block) {
	i := u.f.NewInstr(op.BRA, op.Mods{}, nil, []ori.Operand{ori.Label(t)})
	i.Guard = guard
	i.Line, i.Loc = u.line()
	b.Append(i)
}

// unrollRest writes the turns before the loop, which keeps its place.
func (u *unroller) unrollRest(c counter) {
	f, header := u.f, u.loop.Header
	body := u.body()
	old := len(f.Blocks)
	e := &enough{c: &c, u: u, holds: f.Words(f.NewReg(ori.P, 1)), goOn: u.latch.Last().Guard}
	e.goOn.Flags = 0
	if !u.goOn {
		e.goOn = e.goOn.Not()
	}
	next, _ := u.next(c.phi, c.at)
	ends := u.carried()
	guard := f.NewBlock()
	first := u.enter(guard)
	var turns []*cloned
	for range u.copies {
		turns = append(turns, clone(f, body))
	}
	rest := f.NewBlock()
	start := first[c.phi.Args[1].Imm]
	start.Sub, start.N = start.Sub+c.at.Sub-c.phi.Args[0].Sub, 1
	e.prepare(guard)
	e.ask(guard, start, true)
	u.lead(guard, header, first, asIs)
	u.lead(guard, turns[0].of(header), first, turns[0].there)
	u.jump(guard, e.holds.Not(), header)
	for n, t := range turns {
		l, h := t.of(u.latch), t.of(header)
		l.Last().Remove()
		if n+1 < len(turns) {
			branch.CutEdge(l, u.exit)
			redirect(l, h, turns[n+1].of(header), func(k int64) int64 { return turns[n+1].key[t.back(k)] })
			continue
		}
		left := u.leaves(l)
		e.ask(l, next, false)
		branch.CutEdge(l, u.exit)
		redirect(l, h, turns[0].of(header), func(k int64) int64 { return turns[0].key[t.back(k)] })
		l.AddEdge(rest)
		u.jump(l, e.holds, turns[0].of(header))
		for _, s := range left {
			rest.Append(s)
		}
	}
	rest.AddEdge(u.exit)
	u.lead(rest, header, ends, asIs)
	u.jump(rest, e.goOn.Not(), u.exit)
	at := slices.Index(f.Blocks, body[0])
	made := slices.Clone(f.Blocks[old:])
	f.Blocks = slices.Insert(f.Blocks[:old], at, made...)
}

// carried returns what the latch brings to the PHIs of the header, by their keys.
func (u *unroller) carried() map[int64]ori.Operand {
	m := map[int64]ori.Operand{}
	for s := range flow.PhiSources(u.latch, u.loop.Header) {
		m[s.Args[1].Imm] = s.Args[2]
	}
	return m
}

// leaves copies what l, a copy of the latch, brings to the PHIs of the exit.
func (u *unroller) leaves(l *ori.Block) (list []*ori.Instr) {
	for s := range flow.PhiSources(l, u.exit) {
		list = append(list, copyOf(u.f, s))
	}
	return list
}
