package opt

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// Inductions lets the values of a loop that grow by the same step share one
// register. Producers give every element of a tile its own index:
//
//	    LOP3.LUT y = x, 0x8, rz, 0xfc             L:
//	L:  ISETP.LT p = n, y                             IADD3 t = x, 0x8, rz
//	    IADD3 x = x, s, rz                            ISETP.LT p = n, t
//	    IADD3 y = y, s, rz                            IADD3 x = x, s, rz
//	    @q BRA L                                      @q BRA L
//
// The sum that y was advanced by is now the one that makes it, so the loop
// has no more instructions and holds a register less for each such value.
func Inductions(f *ori.Func) bool {
	d := flow.DomOf(f)
	loops := flow.LoopsOf(f, d)
	x := &inductions{f: f, v: valuesOf(f), loops: loops}
	x.find()
	changed := false
	for n := range x.list {
		changed = x.share(n) || changed
	}
	return f.Touched(changed)
}

// induction is a register that is written once before a loop and advanced
// once in it.
type induction struct {
	reg   ori.Reg
	first *ori.Instr // before the loop
	step  *ori.Instr // in it
	by    ori.Operand
	to    int    // the one it is a constant more than, or -1
	more  uint32 // by how much
}

type inductions struct {
	f     *ori.Func
	v     *values
	loops *flow.Loops
	know  *knowledge
	list  []induction
	index map[ori.Reg]int
	uses  map[ori.Reg][]*ori.Instr
	pos   map[*ori.Instr]int // in its block
}

// find lists the inductions of f, and who reads them.
func (x *inductions) find() {
	writers := make(map[ori.Reg][]*ori.Instr)
	for r := range x.f.Regs {
		if info := &x.f.Regs[r]; info.Class == ori.R && info.Width == 1 && !info.Fixed && x.v.Writes[x.v.Base[r]] == 2 {
			writers[ori.Reg(r)] = nil
		}
	}
	if len(writers) < 2 {
		return
	}
	x.index, x.uses, x.pos = make(map[ori.Reg]int), make(map[ori.Reg][]*ori.Instr), make(map[*ori.Instr]int)
	for _, b := range x.f.Blocks {
		n := 0
		for i := b.First(); i != nil; i = i.Next() {
			x.pos[i] = n
			n++
			for _, a := range i.Dsts() {
				if _, ok := writers[a.Reg]; ok && a.Kind == ori.KReg {
					writers[a.Reg] = append(writers[a.Reg], i)
				}
			}
		}
	}
	x.know = newKnowledge(x.f, x.v)
	for r := range x.f.Regs {
		w := writers[ori.Reg(r)]
		if len(w) != 2 || w[0].Guard.Kind != ori.KNone || w[1].Guard.Kind != ori.KNone {
			continue
		}
		if i, ok := x.induction(ori.Reg(r), w[0], w[1]); ok {
			x.index[i.reg] = len(x.list)
			x.list = append(x.list, i)
		}
	}
	x.readers()
	for n := range x.list {
		x.relate(n)
	}
}

// readers fills uses.
func (x *inductions) readers() {
	for _, b := range x.f.Blocks {
		for i := b.First(); i != nil; i = i.Next() {
			for _, a := range i.Srcs() {
				if !a.HasReg() {
					continue
				}
				if _, ok := x.index[a.Reg]; ok && a.Class == ori.R {
					if u := x.uses[a.Reg]; len(u) == 0 || u[len(u)-1] != i {
						x.uses[a.Reg] = append(u, i)
					}
				}
			}
		}
	}
}

// induction looks whether one of two writes of r advances it in a loop that
// the other stands before.
func (x *inductions) induction(r ori.Reg, a, b *ori.Instr) (induction, bool) {
	for range 2 {
		l := x.loops.Of(b.Block())
		if by, ok := stepOf(b, r); ok && l != nil && !x.within(a.Block(), l) && a.NDst == 1 {
			return induction{reg: r, first: a, step: b, by: by, to: -1}, true
		}
		a, b = b, a
	}
	return induction{}, false
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

// stepOf returns what i adds to r.
func stepOf(i *ori.Instr, r ori.Reg) (ori.Operand, bool) {
	if !isAdd(i) {
		return ori.Operand{}, false
	}
	for k := 1; k <= 2; k++ {
		if s := i.Args[k]; s.Kind == ori.KReg && s.Reg == r && s.Flags == 0 {
			by := i.Args[3-k]
			return by, !by.HasReg() || by.Kind == ori.KReg && by.Reg != r
		}
	}
	return ori.Operand{}, false
}

// relate finds another induction that n is a constant more than when both
// start, and whose step is the same in the same block.
func (x *inductions) relate(n int) {
	i := &x.list[n]
	s := i.first.Srcs()
	if len(s) < 2 || s[0].Kind != ori.KReg || s[0].Flags != 0 || s[0].N != 1 {
		return
	}
	k, ok := known(s[1])
	if !ok || k == 0 || len(s) > 2 && !isZero(s[2]) {
		return
	}
	to, ok := x.index[s[0].Reg]
	if !ok || to == n {
		return
	}
	o := &x.list[to]
	switch {
	case isAdd(i.first):
	case isOr(i.first) && k&x.know.result(o.first, x.v.Base[o.reg], maxDepth).may() == 0: // nothing carries
	default:
		return
	}
	if o.by != i.by || o.step.Block() != i.step.Block() || o.first.Block() != i.first.Block() || x.pos[o.first] > x.pos[i.first] || !x.same(o, i) {
		return
	}
	i.to, i.more = to, k
}

// isOr reports whether i is the disjunction of its first two sources.
func isOr(i *ori.Instr) bool {
	return i.Op == op.LOP3 && i.NDst == 1 && len(i.Args) == 5 && isZero(i.Args[3]) && i.Args[4].Kind == ori.KImm && i.Args[4].Imm == 0xfc
}

// same reports whether the step has one value in both advances, and nobody
// reads one of both values while only the other has advanced or begun.
func (x *inductions) same(o, i *induction) bool {
	from, to := min(x.pos[o.step], x.pos[i.step]), max(x.pos[o.step], x.pos[i.step])
	b := i.step.Block()
	for j := b.First(); j != nil; j = j.Next() {
		if p := x.pos[j]; p > from && p < to && i.by.HasReg() {
			for _, d := range j.Dsts() {
				if d.Kind == ori.KReg && d.Reg == i.by.Reg {
					return false
				}
			}
		}
	}
	for _, u := range x.uses[i.reg] {
		p := x.pos[u]
		if u.Block() == b && u != i.step && p > from && p < to || u.Block() == i.first.Block() && p <= x.pos[i.first] {
			return false
		}
		for _, a := range u.Srcs() {
			if a.Kind != ori.KReg && a.HasReg() && a.Reg == i.reg { // part of an address: left alone
				return false
			}
		}
	}
	return true
}

// maxSums is how many sums may make one value: one in the loop, in place of
// its advance, and some elsewhere.
const maxSums = 3

// share replaces what induction n is read for by sums.
func (x *inductions) share(n int) bool {
	i := &x.list[n]
	root, more := n, uint32(0)
	for x.list[root].to >= 0 {
		more += x.list[root].more
		root = x.list[root].to
	}
	if root == n || !x.same(&x.list[root], i) {
		return false
	}
	base := x.f.Words(x.list[root].reg)
	step := x.list[root].step
	type place struct {
		b      *ori.Block
		behind bool
	}
	groups := make(map[place][]*ori.Instr)
	var order []place
	inside := 0
	for _, u := range x.uses[i.reg] {
		if u == i.step || u.Block() == nil {
			continue
		}
		p := place{u.Block(), u.Block() == step.Block() && x.pos[u] > x.pos[step]}
		if groups[p] == nil {
			order = append(order, p)
			if x.within(p.b, x.loops.Of(step.Block())) {
				inside++
			}
		}
		groups[p] = append(groups[p], u)
	}
	if inside > 1 || len(order) > maxSums {
		return false
	}
	for _, p := range order {
		t := x.f.Words(x.f.NewReg(ori.R, 1))
		sum := x.f.NewInstr(op.IADD3, op.Mods{}, []ori.Operand{t}, []ori.Operand{base, word(more), ori.Zero(ori.R)})
		at := groups[p][0]
		sum.Line, sum.Loc = at.Line, at.Loc
		p.b.InsertBefore(sum, at)
		for _, u := range groups[p] {
			for k := int(u.NDst); k < len(u.Args); k++ {
				if a := &u.Args[k]; a.Kind == ori.KReg && a.Reg == i.reg {
					a.Reg = t.Reg
				}
			}
		}
	}
	i.step.Remove()
	i.first.Remove()
	return true
}
