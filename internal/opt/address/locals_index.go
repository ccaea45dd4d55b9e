package address

import (
	"slices"

	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// Accesses of a small frame at places that registers say become comparisons of
// the place with that of every word which matters:
//
//	IADD3 r4 = r1, r2, rz          ISETP.EQ.AND p0 = r2, 0x4, pt
//	STL [r4], r3                   @p0 COPY r8 = r3
//	LDL r6 = [r1+0x4]              COPY r6 = r8
//
// A store writes the words that some load reads, a load chooses among those that
// some store writes. The place may be any of the frame.

// anywhere reads an access of one word or an aligned pair as one at a place
// that the program computes.
func (l *locals) anywhere(x *localAccess, a *flow.Access) bool {
	size := a.Hi - a.Lo
	if size != wordBytes && size != 2*wordBytes {
		return false
	}
	x.any, x.lo, x.n, x.whole = true, a.Lo, int(size)/wordBytes, true
	x.base = a.Base
	l.anys++
	return true
}

// The reference does so where the comparisons are few beside the rest of the
// function: each access at a computed place counts as many times as the frame
// has words, and instructions of the source count by what they take. The numbers
// are from the largest arrays that leave memory beside up to 400 instructions of
// one kind; one that computes is 40.
const (
	comparisonWeight = 43
	elsewhereWeight  = 23 // beside accesses that are not of the frame, of what alloca took
	plainWeight      = 40
	globalWeight     = 50 // atomics and reductions too
	constantWeight   = 60 // at computed places; others are operands
	localWeight      = 80
	nearWeight       = 100  // shared memory where blocks run in clusters
	waitWeight       = 80   // barriers and fences where they do not
	gatherWeight     = 120  // a routine gathers the threads of a warp
	exchangeWeight   = 160  // and exchanges words between them
	routineWeight    = 160  // the routine itself
	exchangerWeight  = 120  // and what more it is where words are exchanged
	libraryWeight    = 2800 // a routine of arithmetic
	guardedWeight    = 80
	windowWeight     = -80 // where shared memory begins: what follows does not count
	fixedWeight      = -13
	wideWeight       = 140 // where the place is computed in 64 bits
	callWeight       = 120
	copyWeight       = 120 // a body that stands in place of calls, and each of them
)

// simple is how many instructions one of the source becomes that counts as one;
// where it becomes more, each counts somewhat more, because the reference's are
// more.
const (
	simple     = 3
	longWeight = 45
)

// Beside stores at computed places an instruction of a loop counts as often as
// this, those of inner loops thrice as often; beside loads the reference counts
// it once.
const (
	loopTurns  = 10
	innerTurns = 30
)

// turns is how often an instruction counts that stands in so many loops.
func turns(depth int, stores bool) int {
	switch {
	case depth == 0 || !stores:
		return 1
	case depth == 1:
		return loopTurns
	}
	return innerTurns
}

// worth reports whether comparisons are few enough, and nowhere in a loop. A
// frame that is accessed nowhere but at computed places stays.
func (l *locals) worth() bool {
	if l.anys == 0 {
		return true
	}
	stores := !slices.ContainsFunc(l.accesses, func(x localAccess) bool { return x.any && x.i.Op != op.STL })
	if l.blind() || !stores && l.frameWords() > l.mostLoaded() {
		return false
	}
	loops := flow.LoopsOf(l.f, flow.DomOf(l.f))
	score := fixedWeight + copyWeight*int(l.f.Props.Copies+l.f.Props.Copied)
	c := counter{locals: l, seen: map[int32]bool{}}
	for _, b := range l.f.Blocks {
		score += turns(loops.Depth(b), stores) * c.block(b)
	}
	for _, x := range l.accesses {
		switch {
		case !x.any:
			continue
		case loops.Depth(x.i.Block()) > 0:
			return false
		case l.wide(x.base):
			score += wideWeight
		}
	}
	return l.frameWords()*(l.anys*comparisonWeight+l.strange*elsewhereWeight) <= score
}

// mostLoaded is how many words a frame has at most that is loaded from at
// computed places.
func (l *locals) mostLoaded() int {
	if l.Clusters {
		return 41
	}
	return 100
}

// blind reports whether the variables of the function or those of bodies that
// stand in place of calls are accessed nowhere but at computed places.
func (l *locals) blind() bool {
	var computed, named [2]bool
	for _, x := range l.accesses {
		if x.any {
			computed[l.copied(l.root(x.base, maxLocalTrace))] = true
		} else {
			named[l.copied(x.at[0]*wordBytes)] = true
		}
	}
	return computed[0] && !named[0] || computed[1] && !named[1]
}

// copied is 1 if a place of the frame is of a variable of a copied body.
func (l *locals) copied(at int64) int {
	if own := int64(l.f.Props.Own); l.f.Props.Copies > 0 && at >= own {
		return 1
	}
	return 0
}

// root is the constant part of a place that the program computes.
func (l *locals) root(a ori.Operand, steps int) int64 {
	if k, ok := l.offset(a, steps); ok {
		return k
	}
	i := l.v.Once(a)
	if i == nil || steps == 0 {
		return 0
	}
	sum := int64(0)
	for _, s := range i.Srcs() {
		if l.isDerived(&s) {
			s.N = 1
			sum += l.root(s, steps-1)
		} else if k, ok := opt.ConstantOf(s); ok && i.Op == op.IADD3 {
			sum += int64(int32(k))
		}
	}
	return sum
}

// frameWords counts the words of the frame's variables.
func (l *locals) frameWords() int {
	bytes := l.f.Props.Variables
	if bytes == 0 {
		bytes = l.f.Props.LocalBytes
	}
	return int(bytes+wordBytes-1) / wordBytes
}

// counter counts what the instructions of a function are beside comparisons.
// What one instruction of the source becomes counts together, and once where
// bodies of functions were copied.
type counter struct {
	*locals
	seen          map[int32]bool // lines, and the routines below
	line          int32
	plain, memory int
	gathers       bool
}

// What stands among the lines for routines.
const (
	gathered = -1 - iota
	exchanged
	computed
)

// first reports whether something is seen for the first time.
func (c *counter) first(what int32) bool {
	was := c.seen[what]
	c.seen[what] = true
	return !was
}

// block counts the instructions of a block.
func (c *counter) block(b *ori.Block) int {
	sum, again := 0, false
	for i := range b.Instrs {
		if i.Line != c.line || c.line == 0 {
			sum += c.flush(again)
			again = i.Line != 0 && !c.first(i.Line) && c.f.Props.Copies > 0
			c.line = i.Line
		}
		c.gathers = c.gathers || i.Op == op.WARPSYNC && !c.Clusters
		if i.Op == op.CALL && routine(c.f, i) && c.first(computed) {
			c.memory += libraryWeight
		}
		switch w := c.weight(i); {
		case w == plainWeight && i.Op.Space() != op.SpaceShared:
			c.plain++
		default:
			c.memory += w
		}
	}
	return sum + c.flush(again)
}

// routine reports whether i calls a routine of arithmetic.
func routine(f *ori.Func, i *ori.Instr) bool {
	return slices.ContainsFunc(i.Srcs(), func(s ori.Operand) bool {
		return s.Kind == ori.KSymbol && f.Module.Symbols[s.Reg].Routine != ori.NoRoutine
	})
}

// flush ends the instructions of one place, which were there before or not.
func (c *counter) flush(again bool) int {
	plain, sum := c.plain, c.memory
	if c.gathers {
		if c.first(gathered) {
			sum += routineWeight
		}
		if plain > 0 {
			sum += exchangeWeight
			if c.first(exchanged) {
				sum += exchangerWeight
			}
		}
	}
	c.plain, c.memory, c.gathers = 0, 0, false
	switch {
	case again:
		return 0
	case sum != 0:
		return sum
	case plain <= simple:
		return min(plain, 1) * plainWeight
	}
	return plain * longWeight
}

// wide reports whether an address is the low word of two.
func (l *locals) wide(a ori.Operand) bool {
	i := l.v.Once(a)
	return l.f.Regs[a.Reg].Width > 1 || i != nil && i.Mods.Has(op.MWIDE)
}

// weight is what an instruction counts. Copies go away, and parameters are
// operands.
func (l *locals) weight(i *ori.Instr) int {
	w := plainWeight
	a, _ := flow.AccessOf(i)
	switch o := i.Op; {
	case o.LoadsConstant() && slices.ContainsFunc(i.Srcs(), func(s ori.Operand) bool { return s.HasReg() && s.Class == ori.R }):
		return constantWeight
	case o == op.COPY || o == op.MOV || o == op.LDC || o.Has(op.Pseudo):
		return 0
	case o == op.CALL:
		return callWeight
	case o == op.WARPSYNC && !l.Clusters:
		return gatherWeight
	case o == op.S2R && i.Args[i.NDst] == ori.Special(op.SRClusterCtaID):
		return windowWeight
	case o == op.BAR || o == op.MEMBAR:
		if !l.Clusters {
			return waitWeight
		}
		return plainWeight
	case o == op.ERRBAR || o == op.CGAERRBAR || o == op.CCTL:
		return 0
	case !o.Has(op.Reads|op.Writes|op.Updates) || o.Has(op.Texture) || o.LoadsConstant():
		return plainWeight
	case o.Space() == op.SpaceLocal:
		w = localWeight
	case o.Space() == op.SpaceShared && !l.Clusters:
		return plainWeight
	case o.Space() == op.SpaceShared:
		w = nearWeight
	default:
		w = globalWeight
	}
	if a.Base.Kind == ori.KReg && a.Lo != 0 {
		w += plainWeight
	}
	if i.Guard.Kind != ori.KNone {
		w += guardedWeight
	}
	return w
}

// spread gives every access at a computed place the words that it may mean.
func (l *locals) spread() {
	if l.anys == 0 {
		return
	}
	read, written := l.touched(op.LDL), l.touched(op.STL)
	for k := range l.accesses {
		x := &l.accesses[k]
		switch {
		case !x.any:
		case x.i.Op == op.STL:
			x.among = starts(read, x.n)
		default:
			x.among = starts(written, x.n)
		}
	}
}

// touched lists the words that loads or stores touch, in order.
func (l *locals) touched(o op.Op) []int64 {
	var list []int64
	add := func(w int64) {
		if !slices.Contains(list, w) {
			list = append(list, w)
		}
	}
	for _, x := range l.accesses {
		switch {
		case x.i.Op != o:
		case x.any:
			for w := range int64(l.f.Props.LocalBytes / wordBytes) {
				add(w)
			}
		default:
			for n := range int64(x.n) {
				add(x.at[0] + n)
				add(x.at[1] + n)
			}
		}
	}
	slices.Sort(list)
	return list
}

// starts lists where accesses of n words begin that touch one of some words.
func starts(words []int64, n int) []int64 {
	var list []int64
	for _, w := range words {
		if at := w - w&int64(n-1); len(list) == 0 || list[len(list)-1] != at {
			list = append(list, at)
		}
	}
	return list
}

// choices replaces an access at a computed place by comparisons.
func (l *locals) choices(x *localAccess) {
	i := x.i
	put := func(o op.Op, m op.Mods, guard, d ori.Operand, srcs ...ori.Operand) ori.Operand {
		c := l.f.NewInstr(o, m, []ori.Operand{d}, srcs)
		c.Guard, c.Line, c.Loc = guard, i.Line, i.Loc
		i.Block().InsertBefore(c, i)
		return d
	}
	always := ori.Operand{}
	compute := func(o op.Op, srcs ...ori.Operand) ori.Operand {
		return put(o, op.Mods{}, always, l.f.Words(l.f.NewReg(ori.R, 1)), srcs...)
	}
	place := l.place(x.base, compute, maxLocalTrace)
	runs := ori.Zero(ori.P)
	if i.Guard.Kind != ori.KNone {
		runs = i.Guard
	}
	data := i.Args[len(i.Args)-1]
	if i.Op == op.LDL {
		data = i.Args[0]
	}
	part := func(n int64) ori.Operand {
		d := data
		if d.Kind == ori.KReg {
			d.Sub, d.N = data.Sub+uint8(n), 1
		}
		return d
	}
	l.before(i)
	for k, at := range x.among {
		is := i.Guard // the first word, where no other is meant
		if k > 0 || i.Op == op.STL {
			is = put(op.ISETP, op.M(op.MEQ, op.MAND), always, l.f.Words(l.f.NewReg(ori.P, 1)), place, ori.Imm(at*wordBytes-x.lo), runs)
		}
		for n := range int64(x.n) {
			w, ok := l.words[at+n]
			switch {
			case i.Op == op.STL && ok:
				put(op.COPY, op.Mods{}, is, l.f.Words(w), part(n))
			case i.Op == op.LDL && part(n).Kind == ori.KReg:
				from := ori.Zero(ori.R)
				if ok {
					from = l.f.Words(w)
				}
				put(op.COPY, op.Mods{}, is, part(n), from)
			}
		}
	}
	i.Remove()
}

// place computes how far an address is from the start of the frame: as the
// address was computed, with zero for the frame, or else by subtraction.
func (l *locals) place(a ori.Operand, compute func(op.Op, ...ori.Operand) ori.Operand, steps int) ori.Operand {
	if k, ok := l.offset(a, steps); ok {
		if k == 0 {
			return ori.Zero(ori.R)
		}
		return ori.Imm(k)
	}
	if i := l.v.Once(a); steps > 0 && i != nil {
		switch {
		case (i.Op == op.COPY || i.Op == op.MOV) && len(i.Args) == 2 && i.Args[0] == a && opt.Plain(i.Args[1]):
			return l.place(i.Args[1], compute, steps-1)
		case l.sumOf(i, a):
			return l.sum(i, compute, steps)
		}
	}
	frame := l.frame
	frame.Flags ^= ori.Neg
	return compute(op.IADD3, a, frame, ori.Zero(ori.R))
}

// sumOf reports whether word a is what i adds to, or the low word of it, and
// nothing changes what is added.
func (l *locals) sumOf(i *ori.Instr, a ori.Operand) bool {
	d := i.Args[0]
	wide := i.Op == op.IMAD && i.Mods.Has(op.MWIDE)
	if len(i.Srcs()) != 3 || d.Reg != a.Reg || d.Sub != a.Sub || a.N != 1 || !wide && (d.N != 1 || i.Mods != (op.Mods{})) {
		return false
	}
	return i.Op == op.IADD3 && l.steady(i, 0) || i.Op == op.IMAD && l.steady(i, 2)
}

// sum computes what i adds to the frame.
func (l *locals) sum(i *ori.Instr, compute func(op.Op, ...ori.Operand) ori.Operand, steps int) ori.Operand {
	var srcs []ori.Operand
	offset := ori.Zero(ori.R)
	for _, s := range i.Srcs() {
		if s.Kind == ori.KReg && s.Class == ori.R && l.isDerived(&s) {
			s.N = 1
			if s = l.place(s, compute, steps-1); s.Kind == ori.KImm {
				offset, s = s, ori.Zero(ori.R)
			}
		}
		srcs = append(srcs, s)
	}
	t := compute(i.Op, srcs...)
	if offset.Kind == ori.KImm {
		t = compute(op.IADD3, t, offset, ori.Zero(ori.R))
	}
	return t
}

// steady reports whether one source of i from the given one on is an address of
// the frame, and the others are words that nothing changes.
func (l *locals) steady(i *ori.Instr, from int) bool {
	addresses := 0
	for n, s := range i.Srcs() {
		switch {
		case s.Kind == ori.KReg && s.Class == ori.R && l.isDerived(&s):
			if n < from || s.Flags != 0 {
				return false
			}
			addresses++
		case s.Kind == ori.KReg && (s.N != 1 || !l.v.Stable(s)):
			return false
		case s.Kind != ori.KReg && s.Kind != ori.KZero && s.Kind != ori.KConst && s.Kind != ori.KImm:
			return false
		}
	}
	return addresses == 1
}
