package uniform

import (
	"cmp"
	"slices"

	"github.com/goptxas/goptxas/internal/engine/bits"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// Keep is what UniformKeeps goes by: Words of general registers alive between
// blocks are no crowd yet, and Room words of the uniform file may live there.
type Keep struct{ Words, Room int }

// UniformKeeps keeps in uniform registers what the general datapath makes and
// all threads of a warp share, where general ones are scarce: maxima and sums
// that warps exchanged through shared memory, and what comes of them.
//
//	LDS  r1 = [0x0]            LDS  r1 = [0x0]
//	MUFU.RCP r2 = r1           MUFU.RCP r3 = r1
//	...                        R2UR u2 = r3
//	FMUL r9 = r8, r2           ...
//	                           FMUL r9 = r8, u2
//
// A value moves when each of its writes is executed by all threads of the warp
// together. Those move first that free the most crowded borders of blocks for
// the fewest moves, until there is no crowd or no room. fits tells whether the
// machine has a form for an instruction; f has its convergence instructions.
func UniformKeeps(f *ori.Func, fits func(*ori.Instr) bool, k Keep) bool {
	if flow.NoMore(f, k.Words, func(r ori.Reg) bool { return f.Regs[r].Class == ori.R }) {
		return false
	}
	live := flow.LiveAmong(f, func(r ori.Reg) bool { return f.Regs[r].Class == ori.R || f.Regs[r].Class == ori.UR })
	c := &keeper{f: f, fits: fits, live: live}
	if !c.count(k.Words) {
		return false
	}
	list := c.find()
	c.weigh(list)
	slices.SortStableFunc(list, func(a, b *kept) int {
		return cmp.Compare(a.cost*b.spares, b.cost*a.spares)
	})
	changed := false
	for _, x := range list {
		if x.spares > 0 && c.helps(x, k) && f.Should("keep", x.defs[0]) {
			c.take(x)
			c.move(x)
			changed = true
		}
	}
	return f.Touched(changed)
}

type keeper struct {
	f       *ori.Func
	fits    func(*ori.Instr) bool
	live    *flow.Live
	borders []border
}

// border is the start or the end of a block: what lives there.
type border struct {
	words    bits.Set
	general  int // words of general registers
	uniforms int
	crowded  bool
}

// kept is a value that may move.
type kept struct {
	reg    ori.Reg
	defs   []*ori.Instr
	uses   []*ori.Instr
	cost   int // moves, weighted by loops
	spares int // crowded borders where it lives
}

// count looks at the borders of all blocks, and reports whether one of them
// has more than so many general words.
func (c *keeper) count(most int) (crowd bool) {
	for _, b := range c.f.Blocks {
		for _, words := range [...]bits.Set{c.live.Start(b), c.live.End(b)} {
			x := border{words: words}
			for w := range words.All() {
				if c.f.Regs[c.live.Reg(w)].Class == ori.UR {
					x.uniforms++
				} else {
					x.general++
				}
			}
			x.crowded = x.general > most
			crowd = crowd || x.crowded
			c.borders = append(c.borders, x)
		}
	}
	return crowd
}

// find lists the values that may move, each a register of one word.
func (c *keeper) find() (list []*kept) {
	f := c.f
	differ := flow.UniformityOf(f)
	apart := flow.DivergenceOf(f, differ)
	x := flow.IndexOf(f)
	bound := make([]bool, len(f.Regs)) // read or written in a tuple or an address
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			for n := range i.Args {
				if a := &i.Args[n]; a.HasReg() && (a.Kind != ori.KReg || a.N > 1) {
					bound[a.Reg] = true
				}
			}
		}
	}
	for n := range f.Regs {
		r, reg := ori.Reg(n), &f.Regs[n]
		if reg.Class != ori.R || reg.Width != 1 || reg.Fixed || reg.Var || bound[r] || differ.Differs(r) || len(x.Uses[r]) == 0 {
			continue
		}
		made := false // takes an instruction of the general datapath
		ok := len(x.Defs[r]) > 0
		for _, i := range x.Defs[r] {
			ok = ok && i.Guard.Kind == ori.KNone && !apart.Is(i.Block()) && !i.Op.Has(op.Terminator)
			made = made || !again(i)
		}
		if ok && made {
			list = append(list, &kept{reg: r, defs: x.Defs[r], uses: x.Uses[r]})
		}
	}
	return list
}

// again reports whether i makes its result of nothing that must be kept.
func again(i *ori.Instr) bool {
	if i.Op != op.MOV && i.Op != op.COPY && i.Op != op.LDC && i.Op != op.S2R && i.Op != op.UNDEF {
		return false
	}
	return !slices.ContainsFunc(i.Srcs(), func(s ori.Operand) bool { return s.HasReg() })
}

// weigh says what values cost and spare.
func (c *keeper) weigh(list []*kept) {
	loops := flow.LoopsOf(c.f, flow.DomOf(c.f))
	price := func(i *ori.Instr) int { return 1 << (2 * min(loops.Depth(i.Block()), weighDepth)) }
	for _, x := range list {
		for _, i := range x.defs {
			if !again(i) {
				x.cost += price(i)
			}
		}
		for _, i := range x.uses {
			if !c.reads(i, x.reg) {
				x.cost += price(i)
			}
		}
		for n := range c.borders {
			if c.borders[n].crowded && c.lives(x, n) {
				x.spares++
			}
		}
	}
}

// reads reports whether i can read a uniform register in place of r.
func (c *keeper) reads(i *ori.Instr, r ori.Reg) bool {
	srcs := i.Srcs()
	swap := func(from, to ori.Class) {
		for k := range srcs {
			if s := &srcs[k]; s.Kind == ori.KReg && s.Reg == r && s.Class == from {
				s.Class = to
			}
		}
	}
	if i.Op.Has(op.Pseudo) {
		return i.Op == op.COPY
	}
	swap(ori.R, ori.UR)
	ok := c.fits(i)
	swap(ori.UR, ori.R)
	return ok
}

func (c *keeper) lives(x *kept, n int) bool {
	w := c.live.Number(x.reg, 0)
	return w >= 0 && c.borders[n].words.Has(w)
}

// helps reports whether there is a crowd that x is in, and room for it.
func (c *keeper) helps(x *kept, k Keep) bool {
	crowd := false
	for n := range c.borders {
		if b := &c.borders[n]; c.lives(x, n) {
			if b.uniforms >= k.Room {
				return false
			}
			crowd = crowd || b.general > k.Words
		}
	}
	return crowd
}

// take counts x as one of the uniform file.
func (c *keeper) take(x *kept) {
	for n := range c.borders {
		if c.lives(x, n) {
			c.borders[n].general--
			c.borders[n].uniforms++
		}
	}
}

// move gives x a uniform register, which its writers fill and its readers read.
func (c *keeper) move(x *kept) {
	f := c.f
	u := f.NewReg(ori.UR, 1)
	for _, i := range x.uses {
		if c.reads(i, x.reg) {
			for k := range i.Srcs() {
				if s := &i.Srcs()[k]; s.HasReg() && s.Reg == x.reg {
					s.Reg, s.Class = u, ori.UR
				}
			}
			continue
		}
		t := f.NewReg(ori.R, 1)
		again := f.NewInstr(op.MOV, op.Mods{}, []ori.Operand{f.Words(t)}, []ori.Operand{f.Words(u)})
		again.Line, again.Loc = i.Line, i.Loc
		read := false // an instruction that reads it twice comes twice
		for k := range i.Srcs() {
			if s := &i.Srcs()[k]; s.HasReg() && s.Reg == x.reg {
				s.Reg, read = t, true
			}
		}
		if read {
			i.Block().InsertBefore(again, i)
		}
	}
	for _, i := range x.defs {
		c.fill(i, x.reg, u)
	}
}

// fill makes i, which writes r, leave it in u.
func (c *keeper) fill(i *ori.Instr, r, u ori.Reg) {
	f := c.f
	if i.Op == op.UNDEF {
		i.Args[0] = f.Words(u)
		return
	}
	if (i.Op == op.MOV || i.Op == op.COPY) && i.Mods == (op.Mods{}) && i.NDst == 1 && len(i.Args) == 2 {
		switch s := &i.Args[1]; {
		case s.Flags != 0:
		case s.Kind == ori.KReg && s.Class == ori.R:
			i.Op, i.Args[0] = op.R2UR, f.Words(u)
			return
		case s.Kind == ori.KReg && s.Class == ori.UR:
			i.Op, i.Args[0] = op.COPY, f.Words(u)
			return
		case s.Kind == ori.KImm, s.Kind == ori.KZero:
			i.Op, i.Args[0] = op.UMOV, f.Words(u)
			if s.Kind == ori.KZero {
				s.Class = ori.UR
			}
			return
		}
	}
	t := f.NewReg(ori.R, 1)
	for k := range i.Dsts() {
		if d := &i.Dsts()[k]; d.HasReg() && d.Reg == r {
			d.Reg = t
		}
	}
	m := f.NewInstr(op.R2UR, op.Mods{}, []ori.Operand{f.Words(u)}, []ori.Operand{f.Words(t)})
	m.Line, m.Loc = i.Line, i.Loc
	i.Block().InsertAfter(m, i)
}
