package loop

import (
	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// SharedInductions lets the values of a loop that grow by the same step share one
// register. Producers give every element of a tile its own index:
//
//	    LOP3.LUT y0 = x0, 0x8, rz, 0xfc           L:
//	L:  x = PHI x0, x1                                x = PHI x0, x1
//	    y = PHI y0, y1                                IADD3 t = x, 0x8, rz
//	    ISETP.LT p = n, y                             ISETP.LT p = n, t
//	    IADD3 x1 = x, s, rz                           IADD3 x1 = x, s, rz
//	    IADD3 y1 = y, s, rz                           @q BRA L
//	    @q BRA L
//
// The sum that y was advanced by is now the one that makes it, so the loop
// has no more instructions and holds a register less for each such value. It
// works on SSA form.
func SharedInductions(f *ori.Func) bool {
	if !f.Props.SSA {
		return false
	}
	x := &inductions{f: f, v: opt.ValuesOf(f)}
	x.find()
	changed := false
	if len(x.list) > 1 {
		x.loops = flow.LoopsOf(f, flow.DomOf(f))
		x.know = opt.NewKnowledge(f, x.v)
		for n := range x.list {
			x.relate(n)
		}
		x.readers()
		for n := range x.list {
			changed = x.share(n) || changed
		}
	}
	return f.Touched(changed)
}

// induction is a PHI of a loop's header that is advanced once in the loop.
type induction struct {
	phi     *ori.Instr
	sources []*ori.Instr
	first   ori.Operand // its value in the first turn
	step    *ori.Instr  // the sum that is its value in the next
	by      ori.Operand
	to      int    // the one it is a constant more than, or -1
	more    uint32 // by how much
}

type inductions struct {
	f     *ori.Func
	v     *opt.Values
	loops *flow.Loops
	know  *opt.Knowledge
	list  []induction
	uses  map[int32][]*ori.Instr // of the words of list and their next values
}

// find lists the inductions of f.
func (x *inductions) find() {
	sources := map[int64][]*ori.Instr{}
	for _, b := range x.f.Blocks {
		for i := b.Last(); i != nil; i = i.Prev() {
			if i.Op == op.PHISRC {
				sources[i.Args[1].Imm] = append(sources[i.Args[1].Imm], i)
			}
		}
	}
	dom := flow.DomOf(x.f)
	for _, b := range x.f.Blocks {
		for i := b.First(); i != nil && i.Op == op.PHI; i = i.Next() {
			s := sources[i.Args[1].Imm]
			d := i.Args[0]
			if len(s) != 2 || d.Class != ori.R || d.N != 1 || s[0].Args[2].Kind != ori.KReg || s[1].Args[2].Kind != ori.KReg {
				continue
			}
			in, out := s[0], s[1]
			if dom.Dominates(b, out.Block()) {
				in, out = out, in
			}
			if !dom.Dominates(b, in.Block()) || dom.Dominates(b, out.Block()) {
				continue
			}
			step := x.v.Once(in.Args[2])
			if step == nil || step.Args[0] != in.Args[2] {
				continue
			}
			if by, ok := stepOf(step, d); ok {
				x.list = append(x.list, induction{phi: i, sources: s, first: out.Args[2], step: step, by: by, to: -1})
			}
		}
	}
}

// stepOf returns what i adds to a word.
func stepOf(i *ori.Instr, d ori.Operand) (ori.Operand, bool) {
	if !opt.IsAdd(i) {
		return ori.Operand{}, false
	}
	for k := 1; k <= 2; k++ {
		if i.Args[k] == d {
			by := i.Args[3-k]
			return by, by != d
		}
	}
	return ori.Operand{}, false
}

// relate finds another induction of the loop that n is a constant more than
// when both start, and that is advanced by the same step.
func (x *inductions) relate(n int) {
	i := &x.list[n]
	for k := range x.list {
		o := &x.list[k]
		if k == n || o.by != i.by || o.phi.Block() != i.phi.Block() {
			continue
		}
		more, ok := x.more(i.first, o.first)
		if !ok || more == 0 || x.reaches(k, n) {
			continue
		}
		i.to, i.more = k, more
		return
	}
}

// reaches reports whether induction k is counted from n.
func (x *inductions) reaches(k, n int) bool {
	for ; k >= 0; k = x.list[k].to {
		if k == n {
			return true
		}
	}
	return false
}

// more returns the constant by which word a is more than b.
func (x *inductions) more(a, b ori.Operand) (uint32, bool) {
	i := x.v.Once(a)
	if i == nil || i.Args[0] != a {
		return 0, false
	}
	if k, ok := x.constant(i); ok {
		j := x.v.Once(b)
		if j == nil || j.Args[0] != b {
			return 0, false
		}
		m, ok := x.constant(j)
		return k - m, ok && k > m
	}
	if !opt.IsAdd(i) && !isOr(i) || i.Args[1] != b {
		return 0, false
	}
	k, ok := opt.Known(i.Args[2])
	if ok && isOr(i) {
		ok = k&x.know.Of(&b, opt.MaxDepth).May() == 0 // nothing carries
	}
	return k, ok
}

// constant returns the constant that i moves to its result.
func (x *inductions) constant(i *ori.Instr) (uint32, bool) {
	if i.Op != op.MOV && i.Op != op.COPY || len(i.Args) != 2 || i.Args[0].N != 1 {
		return 0, false
	}
	return opt.Known(i.Args[1])
}

// isOr reports whether i is the disjunction of its first two sources.
func isOr(i *ori.Instr) bool {
	return i.Op == op.LOP3 && i.NDst == 1 && len(i.Args) == 5 && opt.IsZero(i.Args[3]) && i.Args[4].Kind == ori.KImm && i.Args[4].Imm == 0xfc
}

// readers fills uses.
func (x *inductions) readers() {
	x.uses = map[int32][]*ori.Instr{}
	for n := range x.list {
		i := &x.list[n]
		x.uses[x.v.Word(&i.phi.Args[0])], x.uses[x.v.Word(&i.step.Args[0])] = []*ori.Instr{}, []*ori.Instr{}
	}
	for _, b := range x.f.Blocks {
		for i := b.First(); i != nil; i = i.Next() {
			for k := int(i.NDst); k < len(i.Args)+len(i.Old); k++ {
				a := operandAt(i, k)
				if !a.HasReg() || a.Class != ori.R {
					continue
				}
				for w := x.v.Word(a); w < x.v.Word(a)+int32(max(1, a.N)); w++ {
					if u, ok := x.uses[w]; ok && (len(u) == 0 || u[len(u)-1] != i) {
						x.uses[w] = append(u, i)
					}
				}
			}
		}
	}
}

// operandAt returns operand k of i; what it leaves comes behind its sources.
func operandAt(i *ori.Instr, k int) *ori.Operand {
	if k < len(i.Args) {
		return &i.Args[k]
	}
	return &i.Old[k-len(i.Args)]
}

// maxSums is how many sums may make one value: one in the loop, in place of
// its advance, and some elsewhere.
const maxSums = 3

// sumGroup are the readers of a value in one block.
type sumGroup struct {
	of   ori.Operand // read so far
	from ori.Operand // what it is a constant more than
	list []*ori.Instr
}

// share replaces what induction n is read for by sums.
func (x *inductions) share(n int) bool {
	i := &x.list[n]
	root, more := n, uint32(0)
	for x.list[root].to >= 0 {
		more += x.list[root].more
		root = x.list[root].to
	}
	if root == n {
		return false
	}
	o := &x.list[root]
	groups, ok := x.groups(i, o, i.phi.Args[0], o.phi.Args[0], nil)
	if ok {
		groups, ok = x.groups(i, o, i.step.Args[0], o.step.Args[0], groups)
	}
	inside := 0
	for _, g := range groups {
		if x.within(g.list[0].Block(), x.loops.Of(i.phi.Block())) {
			inside++
		}
	}
	if !ok || inside > 1 || len(groups) > maxSums || !x.f.Should("share", i.step) {
		return false
	}
	for _, g := range groups {
		x.sum(g, more)
	}
	for _, s := range i.sources {
		s.Remove()
	}
	i.phi.Remove()
	i.step.Remove()
	return true
}

// groups adds the readers of word a of induction i, which is a constant more
// than b of o, by their blocks.
func (x *inductions) groups(i, o *induction, a, b ori.Operand, list []sumGroup) ([]sumGroup, bool) {
	start := len(list)
	def := x.v.Words[x.v.Word(&b)].Def
	for _, u := range x.uses[x.v.Word(&a)] {
		if u == i.step || u == i.sources[0] || u == i.sources[1] || u.Block() == nil {
			continue
		}
		if def.Op == op.PHI && x.behind(u, o.step) || def.Op != op.PHI && !x.behind(u, def) {
			return list, false // two values of the other would be alive at once
		}
		for k := int(u.NDst); k < len(u.Args)+len(u.Old); k++ {
			if s := operandAt(u, k); s.HasReg() && s.Reg == a.Reg && (s.N != 1 || s.Kind != ori.KReg && s.Kind != ori.KAddr) {
				return list, false
			}
		}
		at := start
		for at < len(list) && list[at].list[0].Block() != u.Block() {
			at++
		}
		if at == len(list) {
			list = append(list, sumGroup{of: a, from: b})
		}
		list[at].list = append(list[at].list, u)
	}
	return list, true
}

// behind reports whether u stands where the result of def is known.
func (x *inductions) behind(u, def *ori.Instr) bool {
	if u.Block() != def.Block() {
		return flow.DomOf(x.f).Dominates(def.Block(), u.Block())
	}
	for j := def; j != nil; j = j.Next() {
		if j == u {
			return true
		}
	}
	return false
}

// sum makes the value that the readers of a group want before the first.
func (x *inductions) sum(g sumGroup, more uint32) {
	t := x.f.Words(x.f.NewReg(ori.R, 1))
	sum := x.f.NewInstr(op.IADD3, op.Mods{}, []ori.Operand{t}, []ori.Operand{g.from, opt.Word(more), ori.Zero(ori.R)})
	at := g.list[0]
	sum.Line, sum.Loc = at.Line, at.Loc
	at.Block().InsertBefore(sum, at)
	for _, u := range g.list {
		for k := int(u.NDst); k < len(u.Args)+len(u.Old); k++ {
			if a := operandAt(u, k); a.HasReg() && a.Reg == g.of.Reg && a.Sub == g.of.Sub {
				a.Reg, a.Sub = t.Reg, t.Sub
			}
		}
	}
}

// within reports whether b is in loop l or in one inside it.
func (x *inductions) within(b *ori.Block, l *flow.Loop) bool {
	for m := x.loops.Of(b); m != nil; m = m.Parent {
		if m == l {
			return true
		}
	}
	return false
}
