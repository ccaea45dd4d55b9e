package loop

import (
	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// SharedPointers lets the 64-bit values of a loop that start at a product and grow
// by the same step share one value that grows. Producers give each row of a
// tile a pointer, and advance all of them:
//
//	    IMAD.WIDE x0 = i, 0x2, c               b0 = c + z
//	L:  x = PHI x0, x1                     L:  b = PHI b0, b1
//	    y = x + z                              IMAD.WIDE y = i, 0x2, b
//	    LDG … [y.64]                           LDG … [y.64]
//	    x1 = x + 0x40                          b1 = b + 0x40
//
// i needs one register where x needs two, and one instruction does what four
// did; the value that grows is there once for all of them. Where the readers
// of x do not all add the same z there is none, and x itself is made anew. It
// works on SSA form.
func SharedPointers(f *ori.Func) bool {
	if !f.Props.SSA {
		return false
	}
	p := &pointers{c: &opt.Combiner{F: f, V: opt.ValuesOf(f)}, f: f}
	p.find()
	changed := false
	for n := range p.list {
		changed = p.share(n) || changed
	}
	return f.Touched(changed)
}

// pointer is a 64-bit value of a loop.
type pointer struct {
	header  *ori.Block
	from    *ori.Block   // the block before the loop
	phis    []*ori.Instr // one, or one for each word
	sources []*ori.Instr
	at      ori.Operand // its words
	first   *ori.Instr  // the product that it starts at
	by      [2]ori.Operand
	step    [2]*ori.Instr
	add     ori.Operand     // what all readers add, if they do
	sums    [][2]*ori.Instr // the sums that do
	done    bool
}

type pointers struct {
	c    *opt.Combiner
	f    *ori.Func
	list []pointer
	uses map[ori.Reg][]*ori.Instr
}

// find lists the pointers of the loops of f.
func (p *pointers) find() {
	sources := map[int64][]*ori.Instr{}
	for _, b := range p.f.Blocks {
		for i := b.Last(); i != nil; i = i.Prev() {
			if i.Op == op.PHISRC {
				sources[i.Args[1].Imm] = append(sources[i.Args[1].Imm], i)
			}
		}
	}
	for _, b := range p.f.Blocks {
		for i := b.First(); i != nil && i.Op == op.PHI; i = i.Next() {
			if x, ok := p.pointer(b, i, sources); ok {
				p.list = append(p.list, x)
			}
		}
	}
	if len(p.list) < 2 {
		p.list = nil
		return
	}
	p.readers()
	for n := range p.list {
		p.sums(&p.list[n])
	}
}

// pointer looks whether PHI i is the low word of a pointer, or all of it.
func (p *pointers) pointer(b *ori.Block, i *ori.Instr, sources map[int64][]*ori.Instr) (x pointer, ok bool) {
	d := i.Args[0]
	if d.Class != ori.R || d.Sub%2 != 0 || d.N > 2 || p.f.Regs[d.Reg].Width != 2 {
		return x, false
	}
	x = pointer{header: b, phis: []*ori.Instr{i}, at: opt.Join(d), sources: sources[i.Args[1].Imm]}
	if d.N == 1 {
		j := p.c.V.Words[p.c.V.Word(&d)+1].Def
		if j == nil || j.Op != op.PHI || j.Block() != b || j.Args[0].N != 1 {
			return x, false
		}
		x.phis = append(x.phis, j)
		x.sources = append(x.sources[:len(x.sources):len(x.sources)], sources[j.Args[1].Imm]...)
	}
	dom := flow.DomOf(p.f)
	var start, next ori.Operand
	for k := range x.sources {
		s := x.sources[k]
		at := &start
		if from := s.Block(); dom.Dominates(b, from) {
			at = &next
		} else if x.from != nil && x.from != from {
			return x, false
		} else {
			x.from = from
		}
		if s.Args[2].Kind != ori.KReg {
			return x, false
		}
		a := s.Args[2]
		if s.Args[1] != i.Args[1] { // the high word
			a.Sub--
		}
		a.N = 2
		if at.Kind != ori.KNone && *at != a || a.Sub%2 != 0 {
			return x, false
		}
		*at = a
	}
	if len(b.Preds) != 2 || x.from == nil || next.Kind == ori.KNone {
		return x, false
	}
	return x, p.product(&x, start) && p.advance(&x, next)
}

// product looks for the product that x starts at.
func (p *pointers) product(x *pointer, start ori.Operand) bool {
	i := p.c.V.Once(start)
	if i == nil || i.Op != op.IMAD || !i.Mods.Has(op.MWIDE) || i.NDst != 1 || i.Args[0] != start || len(i.Args) != 4 || i.Args[1].Kind != ori.KReg ||
		!opt.IsZero(i.Args[3]) && (i.Args[3].Kind != ori.KReg || i.Args[3].Flags != 0) {
		return false
	}
	for _, s := range i.Srcs() {
		if !p.c.V.Stable(s) {
			return false
		}
	}
	x.first = i
	return true
}

// advance looks for the sum of x and a step that is its next value.
func (p *pointers) advance(x *pointer, next ori.Operand) bool {
	hi := next
	hi.Sub, hi.N = next.Sub+1, 1
	i := p.c.V.Once(hi)
	if i == nil {
		return false
	}
	lo, up, ok := p.c.Sum64(i)
	if !ok || lo.Args[0].Reg != next.Reg || lo.Args[0].Sub != next.Sub {
		return false
	}
	by, ok := otherOf(lo, up, x.at)
	if !ok || p.c.V.ReadsOf(next) != 1 || by[0].HasReg() && (!p.c.V.Stable(by[0]) || p.within(by[0], x.header)) || by[1].HasReg() && (!p.c.V.Stable(by[1]) || p.within(by[1], x.header)) {
		return false
	}
	x.by, x.step = by, [2]*ori.Instr{lo, up}
	return true
}

// within reports whether an operand is defined where header dominates, so
// that it may change in the loop.
func (p *pointers) within(a ori.Operand, header *ori.Block) bool {
	d := p.c.V.Words[p.c.V.Word(&a)].Def
	return d == nil || flow.DomOf(p.f).Dominates(header, d.Block())
}

// otherOf returns what the sum of lo and up adds to the pair x.
func otherOf(lo, up *ori.Instr, x ori.Operand) (by [2]ori.Operand, ok bool) {
	for k := range 2 {
		a, b := lo.Args[2+k], up.Args[1+k]
		if opt.IsPair(a, b) && opt.Join(a) == x {
			return [2]ori.Operand{lo.Args[3-k], up.Args[2-k]}, true
		}
	}
	return by, false
}

// readers fills uses.
func (p *pointers) readers() {
	p.uses = map[ori.Reg][]*ori.Instr{}
	for n := range p.list {
		p.uses[p.list[n].at.Reg] = []*ori.Instr{}
	}
	for _, b := range p.f.Blocks {
		for i := b.First(); i != nil; i = i.Next() {
			for k := int(i.NDst); k < len(i.Args)+len(i.Old); k++ {
				a := operandAt(i, k)
				if !a.HasReg() {
					continue
				}
				if u, ok := p.uses[a.Reg]; ok && (len(u) == 0 || u[len(u)-1] != i) {
					p.uses[a.Reg] = append(u, i)
				}
			}
		}
	}
}

// sums finds out whether all readers of x add the same to it.
func (p *pointers) sums(x *pointer) {
	for _, u := range p.uses[x.at.Reg] {
		if u == x.step[0] || u == x.step[1] {
			continue
		}
		up := u
		if u.NDst == 2 { // the low word of a sum: the high one reads its carry
			continue
		}
		lo, hi, ok := p.c.Sum64(up)
		if !ok {
			x.sums = nil
			return
		}
		by, ok := otherOf(lo, hi, x.at)
		if !ok || !opt.IsPair(by[0], by[1]) || !p.c.V.Stable(opt.Join(by[0])) || p.within(by[0], x.header) || p.within(by[1], x.header) ||
			x.add.Kind != ori.KNone && x.add != opt.Join(by[0]) || !p.c.Undisturbed(lo, hi) {
			x.sums = nil
			return
		}
		x.add = opt.Join(by[0])
		x.sums = append(x.sums, [2]*ori.Instr{lo, hi})
	}
	low := 0
	for _, u := range p.uses[x.at.Reg] {
		if u.NDst == 2 && u != x.step[0] {
			low++
		}
	}
	if low != len(x.sums) {
		x.sums = nil
	}
}

// sharable reports whether two pointers can share what grows.
func (p *pointers) sharable(x, y *pointer) bool {
	return !y.done && x.header == y.header && x.by == y.by && x.first.Mods == y.first.Mods && x.first.Args[3] == y.first.Args[3] &&
		(len(x.sums) > 0) == (len(y.sums) > 0) && (len(x.sums) == 0 || x.add == y.add)
}

// share joins all pointers that are like n.
func (p *pointers) share(n int) bool {
	x := &p.list[n]
	if x.done {
		return false
	}
	var group []*pointer
	for k := n; k < len(p.list); k++ {
		if p.sharable(x, &p.list[k]) {
			group = append(group, &p.list[k])
		}
	}
	if len(group) < 2 || !p.f.Should("share", x.first) {
		return false
	}
	base := p.grow(x)
	for _, y := range group {
		y.done = true
		p.replace(y, base)
	}
	return true
}

// grow makes the value that grows: what the products of x and its like are
// added to.
func (p *pointers) grow(x *pointer) ori.Operand {
	f := p.f
	start := p.start(x)
	base, next := f.Words(f.NewReg(ori.R, 2)), f.Words(f.NewReg(ori.R, 2))
	phi := f.NewPhi(base)
	x.header.Prepend(phi)
	at := x.step[1]
	lo, hi := base, base
	lo.N, hi.Sub, hi.N = 1, 1, 1
	p.sum(at, next, [2]ori.Operand{lo, hi}, x.by)
	for _, s := range x.sources[:2] {
		from := start
		if s.Block() != x.from {
			from = next
		}
		s.Block().InsertBefore(f.NewInstr(op.PHISRC, op.Mods{}, nil, []ori.Operand{s.Args[0], phi.Args[1], from}), s)
	}
	return base
}

// start makes, before the loop, what the value that grows starts at.
func (p *pointers) start(x *pointer) ori.Operand {
	f := p.f
	var at *ori.Instr
	for _, s := range x.sources {
		if s.Block() == x.from {
			at = s
		}
	}
	for at.Prev() != nil && at.Prev().Op == op.PHISRC {
		at = at.Prev()
	}
	c := x.first.Args[3]
	switch {
	case len(x.sums) == 0 && c.Kind == ori.KReg:
		return c
	case len(x.sums) > 0 && c.Kind != ori.KReg:
		return x.add
	}
	d := f.Words(f.NewReg(ori.R, 2))
	if len(x.sums) == 0 {
		for n := range 2 {
			x.from.InsertBefore(f.NewInstr(op.MOV, op.Mods{}, []ori.Operand{f.Word(d.Reg, n)}, []ori.Operand{ori.Zero(ori.R)}), at)
		}
		return d
	}
	a, b := c, x.add
	a.N, b.N = 1, 1
	a1, b1 := a, b
	a1.Sub++
	b1.Sub++
	p.sum(at, d, [2]ori.Operand{a, a1}, [2]ori.Operand{b, b1})
	return d
}

// sum adds two 64-bit values before an instruction.
func (p *pointers) sum(at *ori.Instr, d ori.Operand, a, b [2]ori.Operand) {
	f := p.f
	carry := f.Words(f.NewReg(ori.P, 1))
	rz := ori.Zero(ori.R)
	lo := f.NewInstr(op.IADD3, op.Mods{}, []ori.Operand{f.Word(d.Reg, 0), carry}, []ori.Operand{a[0], b[0], rz})
	hi := f.NewInstr(op.IADD3, op.M(op.MX), []ori.Operand{f.Word(d.Reg, 1)}, []ori.Operand{a[1], b[1], rz, carry, ori.Zero(ori.P).Not()})
	for _, i := range [...]*ori.Instr{lo, hi} {
		i.Line, i.Loc = at.Line, at.Loc
		at.Block().InsertBefore(i, at)
	}
}

// replace makes x, or what its readers made of it, from what grows.
func (p *pointers) replace(x *pointer, base ori.Operand) {
	f := p.f
	product := func(d ori.Operand, at *ori.Instr) {
		i := f.NewInstr(op.IMAD, x.first.Mods, []ori.Operand{d}, []ori.Operand{x.first.Args[1], x.first.Args[2], base})
		i.Line, i.Loc = at.Line, at.Loc
		at.Block().InsertBefore(i, at)
	}
	if len(x.sums) == 0 {
		at := x.phis[0]
		for at.Op == op.PHI {
			at = at.Next()
		}
		product(x.at, at)
	}
	for _, s := range x.sums {
		product(opt.Join(s[0].Args[0]), s[0])
		s[0].Remove()
		s[1].Remove()
	}
	for _, i := range append(append(x.phis, x.sources...), x.step[0], x.step[1]) {
		i.Remove()
	}
}
