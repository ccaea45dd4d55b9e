package loop

import (
	"math"
	"slices"

	"github.com/goptxas/goptxas/internal/opt"
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
// other: theirs stay, unless they only leave one that has a number of turns.
//
//	b1: …                           if r + 3 < n do not follow: to b1
//	    IADD3 r = r, 0x1        b4: … four times
//	    ISETP.LT p = r, n           if r + 3 < n: to b4
//	    @p BRA b1                   @p BRA b1; BRA b2
//	b2:                         b1: as before
//	                            b2:
func UnrollRest(f *ori.Func, rest Rest) bool {
	if rest.Turns < 2 {
		return false
	}
	u := &unroller{f: f, room: rest.Growth, dom: flow.DomOf(f), in: make([]int32, f.NumBlocks())}
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
	return f.Touched(changed)
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
	test        *ori.Instr
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
	u.index()
	i := u.inside(u.latch.Last().Guard)
	if i == nil || i.Op != op.ISETP || i.NDst != 1 || len(i.Args) != 4 || i.Mods.Has(op.MEX) || !i.Mods.Has(op.MAND) || i.Guard.Kind != ori.KNone || !u.everyTurn(i) {
		return c, false
	}
	if p := i.Args[3]; p.Kind != ori.KZero || p.Flags != 0 {
		return c, false
	}
	c = counter{test: i, unsigned: i.Mods.Has(op.MU32), turns: int64(turns), cmp: op.NoMod}
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
	if c.cmp == op.NoMod || !u.stays(b) || !opt.Plain(a) {
		return c, false
	}
	c.bound = b
	at, d, ok := u.start(a, i, 0)
	if !ok {
		return c, false
	}
	w := u.inside(at)
	if w == nil || !u.everyTurn(w) {
		return c, false
	}
	from, step, ok := u.grown(w)
	if !ok {
		return c, false
	}
	back, step, ok := u.start(from, w, step)
	if !ok || back != at || step == 0 {
		return c, false
	}
	c.at, c.first, c.step = at, d, step
	_, ok = c.ahead()
	return c, ok && !u.few(at, turns)
}

// inside returns the only instruction of the loop that writes a, which is one
// word, if all of its writes there are of that word alone.
func (u *unroller) inside(a ori.Operand) *ori.Instr {
	var found *ori.Instr
	if a.Kind != ori.KReg || u.f.Regs[a.Reg].Fixed {
		return nil
	}
	for _, w := range u.writers[a.Reg] {
		does, one := wordOf(w, cell{a.Reg, a.Sub})
		if !does || !u.has(w.Block()) {
			continue
		}
		if found != nil || !one || w.Guard.Kind != ori.KNone {
			return nil
		}
		found = w
	}
	return found
}

// stays reports whether no turn changes a.
func (u *unroller) stays(a ori.Operand) bool {
	if a.Flags != 0 {
		return false
	}
	switch a.Kind {
	case ori.KImm, ori.KZero:
		return true
	case ori.KConst:
		return a.Reg == ori.NoReg
	case ori.KReg:
		if a.Class != ori.R || a.N != 1 || u.f.Regs[a.Reg].Fixed {
			return false
		}
		return !slices.ContainsFunc(u.writers[a.Reg], func(w *ori.Instr) bool {
			does, _ := wordOf(w, cell{a.Reg, a.Sub})
			return does && u.has(w.Block())
		})
	}
	return false
}

// start follows what a is where i reads it to what it was at the start of the
// turn: a word, and what was added to it since.
func (u *unroller) start(a ori.Operand, i *ori.Instr, sum int64) (at ori.Operand, added int64, ok bool) {
	for range opt.MaxChain {
		w := u.inside(a)
		if w == nil || !opt.Plain(a) {
			return a, 0, false
		}
		if !u.everyTurn(w) {
			return a, 0, false
		}
		if w == i || !u.before(w, i) {
			return a, sum, true
		}
		b, n, ok := u.grown(w)
		if !ok {
			return a, 0, false
		}
		a, i, sum = b, w, sum+n
	}
	return a, 0, false
}

// grown reads a word that i copies, or adds a constant to.
func (u *unroller) grown(i *ori.Instr) (from ori.Operand, by int64, ok bool) {
	if i.Guard.Kind != ori.KNone || i.NDst != 1 || i.Mods != (op.Mods{}) {
		return from, 0, false
	}
	srcs := i.Srcs()
	switch {
	case (i.Op == op.COPY || i.Op == op.MOV) && len(srcs) == 1:
		return srcs[0], 0, opt.Plain(srcs[0])
	case i.Op == op.IADD3 && len(srcs) == 3:
		var regs int
		for _, s := range srcs {
			if v, known := opt.Known(s); known {
				by += int64(int32(v))
				continue
			}
			from = s
			regs++
		}
		return from, by, regs == 1 && opt.Plain(from)
	}
	return from, 0, false
}

// few reports whether the loop is known to have few turns: it counts what is
// left of a number that was masked, as the rest of an unrolled loop does.
func (u *unroller) few(at ori.Operand, turns int) bool {
	for range opt.MaxChain {
		var set *ori.Instr
		for _, w := range u.writers[at.Reg] {
			if does, _ := wordOf(w, cell{at.Reg, at.Sub}); does && !u.has(w.Block()) {
				if set != nil {
					return false
				}
				set = w
			}
		}
		if set == nil || set.NDst != 1 {
			return false
		}
		if set.Op == op.LOP3 {
			return slices.ContainsFunc(set.Srcs()[:3], func(s ori.Operand) bool {
				return s.Kind == ori.KImm && s.Imm >= 0 && s.Imm < int64(4*turns)
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

// ask sets the predicate at the end of b. Behind a turn it must follow that
// there is another one at all: a word that was compared after it grew is the
// one that is looked at here, others may have passed the bound, or the end of
// their numbers.
func (e *enough) ask(b *ori.Block, first bool) {
	c, goOn := e.c, e.goOn
	if first || c.cmp != op.MNE && c.first == c.step {
		goOn = ori.Zero(ori.P)
	}
	if c.cmp != op.MNE {
		e.u.emit(b, op.ISETP, e.mods(strict(c.step)), e.holds, c.at, e.limit, goOn)
		return
	}
	x, y := e.limit, c.at
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

// jump ends b with a guarded jump to t, and with next where it is not taken.
func (u *unroller) jump(b *ori.Block, guard ori.Operand, t, next *ori.Block) {
	i := u.f.NewInstr(op.BRA, op.Mods{}, nil, []ori.Operand{ori.Label(t)})
	i.Guard = guard
	i.Line, i.Loc = u.line()
	b.Append(i)
	b.AddEdge(t)
	b.AddEdge(next)
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
	guard := f.NewBlock()
	u.enter(guard)
	var latches, headers []*ori.Block
	for range u.copies {
		to := u.clone(body)
		latches = append(latches, to[ori.Reg(u.latch.ID)])
		headers = append(headers, to[ori.Reg(header.ID)])
	}
	rest := f.NewBlock()
	e.prepare(guard)
	e.ask(guard, true)
	u.jump(guard, e.holds.Not(), header, headers[0])
	for n, l := range latches {
		l.Last().Remove()
		l.RemoveEdge(headers[n])
		l.RemoveEdge(u.exit)
		if n+1 < len(latches) {
			l.AddEdge(headers[n+1])
			continue
		}
		e.ask(l, false)
		u.jump(l, e.holds, headers[0], rest)
	}
	u.jump(rest, e.goOn.Not(), u.exit, header)
	at := slices.Index(f.Blocks, body[0])
	made := slices.Clone(f.Blocks[old:])
	f.Blocks = slices.Insert(f.Blocks[:old], at, made...)
}
