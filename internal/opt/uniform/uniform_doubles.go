package uniform

import (
	"cmp"
	"slices"

	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// UniformDoubles keeps f64 constants in pairs of uniform registers that all
// readers share. The coefficients of a polynomial are made once for all its
// copies, and before a loop if they are read in it:
//
//	b1: MOV  r0[0] = 0x555502a1          b0: UMOV u0[0] = 0x555502a1
//	    MOV  r0[1] = 0x3fa55555              UMOV u0[1] = 0x3fa55555
//	    DFMA r4 = r2, r4, r0             b1: DFMA r4 = r2, r4, u0
//
// fits tells whether the machine has a form for an instruction, most bounds
// the uniform registers that are taken.
func UniformDoubles(f *ori.Func, fits func(*ori.Instr) bool, most int) bool {
	d := &sharedDoubles{f: f, fits: fits}
	if !d.find() {
		return false
	}
	d.loops = flow.LoopsOf(f, flow.DomOf(f))
	d.apart = flow.DivergenceOf(f, flow.UniformityOf(f))
	var list []*sharedDouble
	for _, x := range d.list {
		if d.weigh(x) {
			list = append(list, x)
		}
	}
	slices.SortStableFunc(list, func(a, b *sharedDouble) int { return cmp.Compare(b.gain, a.gain) })
	changed := false
	for _, x := range list {
		if most -= 2; most < 0 {
			break
		}
		if f.Should("double", x.pairs[0].lo) {
			d.move(x)
			changed = true
		}
	}
	return f.Touched(changed)
}

type sharedDoubles struct {
	f     *ori.Func
	fits  func(*ori.Instr) bool
	v     *opt.Values
	loops *flow.Loops
	apart *flow.Divergence
	pairs map[ori.Reg]*constPair
	list  []*sharedDouble
	byID  []*ori.Block
}

// constPair is a register that holds a constant, and who reads it.
type constPair struct {
	lo, hi *ori.Instr
	value  uint64
	users  []*ori.Instr
	lost   bool // some reader needs it where it is
}

// sharedDouble is a constant with all registers that hold it.
type sharedDouble struct {
	value uint64
	pairs []*constPair
	at    *ori.Block
	gain  int
}

// find lists the constants that f64 operations read from registers and can
// read from uniform ones.
func (d *sharedDoubles) find() bool {
	for _, b := range d.f.Blocks {
		for i := b.First(); i != nil; i = i.Next() {
			for k := int(i.NDst); k < len(i.Args); k++ {
				if a := &i.Args[k]; a.Kind == ori.KReg && a.Class == ori.R && d.f.Regs[a.Reg].Width == 2 && (i.Op.IsDouble() || d.pairs[a.Reg] != nil) {
					d.look(i, k)
				}
			}
		}
	}
	if d.pairs == nil {
		return false
	}
	groups := map[uint64]*sharedDouble{}
	for _, b := range d.f.Blocks {
		for i := b.First(); i != nil; i = i.Next() {
			if i.NDst != 1 || i.Args[0].Kind != ori.KReg {
				continue
			}
			p := d.pairs[i.Args[0].Reg]
			if p == nil || p.lost || p.lo != i || len(p.users) != int(d.v.ReadsOf(i.Args[0])) {
				continue
			}
			x := groups[p.value]
			if x == nil {
				x = &sharedDouble{value: p.value}
				groups[p.value] = x
				d.list = append(d.list, x)
			}
			x.pairs = append(x.pairs, p)
		}
	}
	return len(d.list) > 0
}

// look notes that i reads operand k, if that is a constant.
func (d *sharedDoubles) look(i *ori.Instr, k int) {
	a := i.Args[k]
	p := d.pairs[a.Reg]
	if p == nil {
		if d.v == nil {
			d.v, d.pairs = opt.ValuesOf(d.f), map[ori.Reg]*constPair{}
		}
		p = d.constant(a)
		d.pairs[a.Reg] = p
	}
	p.lost = p.lost || a.N != 2 || !d.takes(i, k)
	p.users = append(p.users, i)
}

// constant describes the register of a.
func (d *sharedDoubles) constant(a ori.Operand) *constPair {
	p := &constPair{lost: true}
	lo := ori.Operand{Kind: ori.KReg, Class: ori.R, Reg: a.Reg, N: 1}
	hi := lo
	hi.Sub = 1
	p.lo, p.hi = d.v.Once(lo), d.v.Once(hi)
	low, ok0 := constantOf(p.lo, lo)
	high, ok1 := constantOf(p.hi, hi)
	p.value, p.lost = uint64(high)<<32|uint64(low), !ok0 || !ok1 || a.N != 2
	return p
}

// constantOf returns the constant that i moves to word a.
func constantOf(i *ori.Instr, a ori.Operand) (uint32, bool) {
	if i == nil || i.Op != op.MOV && i.Op != op.COPY || i.NDst != 1 || len(i.Args) != 2 || i.Args[0] != a || i.Guard.Kind != ori.KNone {
		return 0, false
	}
	if opt.IsZero(i.Args[1]) && i.Args[1].Flags == 0 {
		return 0, true
	}
	return opt.ConstantOf(i.Args[1])
}

// takes reports whether i can read operand k from the uniform file.
func (d *sharedDoubles) takes(i *ori.Instr, k int) bool {
	if !i.Op.IsDouble() {
		return false
	}
	for n, a := range i.Args { // one uniform operand at most, and no immediate beside it
		if n != k && n >= int(i.NDst) && (a.Kind == ori.KImm || a.Class == ori.UR && a.HasReg() || a.Kind == ori.KReg && a.Class == ori.R && d.pairs[a.Reg] != nil && !d.pairs[a.Reg].lost) {
			return false
		}
	}
	i.Args[k].Class = ori.UR
	ok := d.fits(i)
	if !ok && k == int(i.NDst) && i.Op.Has(op.Commutes) {
		i.Args[k], i.Args[k+1] = i.Args[k+1], i.Args[k]
		ok = d.fits(i)
		i.Args[k], i.Args[k+1] = i.Args[k+1], i.Args[k]
	}
	i.Args[k].Class = ori.R
	return ok
}

// weigh finds where a constant would be made, and reports whether that is
// cheaper.
func (d *sharedDoubles) weigh(x *sharedDouble) bool {
	dom := flow.DomOf(d.f)
	at := x.pairs[0].lo.Block()
	covers := func(b *ori.Block) bool {
		for _, p := range x.pairs {
			if !dom.Dominates(b, p.lo.Block()) || !dom.Dominates(b, p.hi.Block()) {
				return false
			}
		}
		return true
	}
	for at != nil && (d.loops.Depth(at) > 0 || d.apart.Is(at) || !covers(at)) {
		at = d.above(dom, at)
	}
	if at == nil {
		return false
	}
	x.at, x.gain = at, -2
	for _, p := range x.pairs {
		x.gain += 2 << (2 * min(d.loops.Depth(p.lo.Block()), weighDepth))
	}
	return x.gain > 0
}

// above returns the block that dominates b next.
func (d *sharedDoubles) above(dom *flow.Dom, b *ori.Block) *ori.Block {
	id := dom.Idom[b.ID]
	if id < 0 {
		return nil
	}
	if d.byID == nil {
		d.byID = make([]*ori.Block, d.f.NumBlocks())
		for _, x := range d.f.Blocks {
			d.byID[x.ID] = x
		}
	}
	return d.byID[id]
}

// move makes the constant of x once and lets all read it there.
func (d *sharedDoubles) move(x *sharedDouble) {
	u := d.f.NewReg(ori.UR, 2)
	before := x.at.Tail()
	gone := map[*ori.Instr]bool{}
	for _, p := range x.pairs {
		gone[p.lo], gone[p.hi] = true, true
	}
	for i := x.at.First(); i != nil; i = i.Next() {
		if gone[i] {
			before = i
			break
		}
	}
	for n := range 2 {
		m := d.f.NewInstr(op.UMOV, op.Mods{}, []ori.Operand{d.f.Word(u, n)}, []ori.Operand{ori.Imm32(uint32(x.value >> (32 * n)))})
		m.Line, m.Loc = x.pairs[0].lo.Line, x.pairs[0].lo.Loc
		if before == nil {
			x.at.Append(m)
		} else {
			x.at.InsertBefore(m, before)
		}
	}
	for _, p := range x.pairs {
		r := p.lo.Args[0].Reg
		for _, i := range p.users {
			for k := int(i.NDst); k < len(i.Args); k++ {
				if a := &i.Args[k]; a.Kind == ori.KReg && a.Class == ori.R && a.Reg == r {
					a.Class, a.Reg = ori.UR, u
					if !d.fits(i) {
						i.Args[k], i.Args[k+1] = i.Args[k+1], i.Args[k]
					}
				}
			}
		}
		p.lo.Remove()
		p.hi.Remove()
	}
}
