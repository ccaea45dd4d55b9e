package control

import (
	"github.com/goptxas/goptxas/internal/engine/pool"
	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// GuardedLoads makes guarded loads write where their results are wanted. Loads
// of several words under a guard go to a register of their own first, and
// copies under the same guard take the words to registers that hold
// something else when the guard is false:
//
//	MOV d = rz              MOV t[1] = rz
//	@p LDG.64 t = …         @p LDG.64 t = …
//	@p COPY d = t[1]
//
// Where nobody looks at d between the load and the copy, d can live in t.
func GuardedLoads(f *ori.Func) bool {
	if f.Props.SSA {
		return GuardedValues(f)
	}
	changed := false
	for range opt.MaxChain {
		g := &guarded{f: f, v: opt.ValuesOf(f), to: pool.Make[place](f.Scratch(), len(f.Regs)), taken: pool.Make[bool](f.Scratch(), len(f.Regs))}
		g.indices()
		for _, b := range f.Blocks {
			for i := b.First(); i != nil; i = i.Next() { // the copies behind it go away
				g.load(i)
			}
		}
		if !g.changed {
			break
		}
		g.rename()
		changed = true
	}
	return changed
}

// place is where a register's words go: words of another from base on.
type place struct {
	in   ori.Reg
	base uint8
	ok   bool
}

type guarded struct {
	f       *ori.Func
	v       *opt.Values
	to      []place
	taken   []bool // register is part of a change of this round
	changed bool
}

// indices takes out the registers that index constant banks: such an operand
// names no word of a wider register.
func (g *guarded) indices() {
	for _, b := range g.f.Blocks {
		for i := range b.Instrs {
			for _, a := range i.Args {
				if a.Kind == ori.KConst && a.Reg != ori.NoReg {
					g.taken[a.Reg] = true
				}
			}
		}
	}
}

// window is how far behind a load its copies are looked for.
const window = 64

// load looks for the copies of a guarded load's results.
func (g *guarded) load(i *ori.Instr) {
	if i.Guard.Kind != ori.KReg || i.NDst != 1 || !i.Op.Has(op.Reads) || i.Op.Has(op.Writes|op.Effect) {
		return
	}
	t := i.Args[0]
	if t.Kind != ori.KReg || t.Class != ori.R || t.Sub != 0 || t.N != g.f.Regs[t.Reg].Width || g.f.Regs[t.Reg].Fixed || g.taken[t.Reg] {
		return
	}
	w := g.v.WordOf(t)
	for n := range int32(t.N) {
		if g.v.Def[w+n] != i || g.v.Writes[w+n] != 2 || g.v.Reads[w+n] > 1 {
			return
		}
	}
	for _, d := range g.copies(i) {
		if !g.fits(d, t) || !g.f.Should("load", i) {
			continue
		}
		g.to[d.reg] = place{t.Reg, d.base, true}
		g.taken[d.reg], g.taken[t.Reg] = true, true
		for _, c := range d.copies {
			c.Remove()
		}
		g.changed = true
	}
}

// copied is a target of copies: a register and the copies that fill its words.
type copied struct {
	reg    ori.Reg
	base   uint8 // word of the load's result that its first word comes from
	words  uint8 // words copied
	odd    bool  // cannot be merged
	copies []*ori.Instr
}

// copies lists the registers that the results of load i are copied to under
// its guard, before the guard changes, and that nobody else touches between.
func (g *guarded) copies(i *ori.Instr) []copied {
	t := i.Args[0].Reg
	var list []copied
	var touched []ori.Reg
	n := 0
	for j := i.Next(); j != nil && n < window; j = j.Next() {
		n++
		if c, ok := g.copyOf(i, j, t); ok {
			list = addCopy(list, c, touched)
		}
		for _, a := range j.Args {
			if a.HasReg() {
				touched = append(touched, a.Reg)
			}
		}
		for _, d := range j.Dsts() {
			if d.HasReg() && d.Reg == i.Guard.Reg {
				return list
			}
		}
	}
	return list
}

// copyOf reports whether j copies words of t under the guard of i.
func (g *guarded) copyOf(i, j *ori.Instr, t ori.Reg) (*ori.Instr, bool) {
	if j.Op != op.COPY && j.Op != op.MOV || j.Guard != i.Guard || j.NDst != 1 || len(j.Args) != 2 {
		return nil, false
	}
	d, s := j.Args[0], j.Args[1]
	return j, s.Kind == ori.KReg && s.Reg == t && s.Flags == 0 && d.Kind == ori.KReg && d.Class == ori.R && d.N == s.N && d.Reg != t
}

// addCopy notes copy c. The copies to one register follow each other
// without anything else that touches it.
func addCopy(list []copied, c *ori.Instr, touched []ori.Reg) []copied {
	d, s := c.Args[0], c.Args[1]
	seen := 0
	for _, r := range touched {
		if r == d.Reg {
			seen++
		}
	}
	odd := s.Sub < d.Sub
	for k := range list {
		x := &list[k]
		if x.reg != d.Reg {
			continue
		}
		x.odd = x.odd || odd || seen != len(x.copies) || x.base != s.Sub-d.Sub
		x.words += d.N
		x.copies = append(x.copies, c)
		return list
	}
	return append(list, copied{reg: d.Reg, base: s.Sub - d.Sub, words: d.N, odd: odd || seen != 0, copies: []*ori.Instr{c}})
}

// fits reports whether register d.reg can be words of t from d.base on.
func (g *guarded) fits(d copied, t ori.Operand) bool {
	info := &g.f.Regs[d.reg]
	return !d.odd && !info.Fixed && !g.taken[d.reg] && d.words == info.Width && d.base%opt.AlignOf(info.Width) == 0 &&
		d.base+info.Width <= t.N && info.Lo == 0 && info.Hi == 0
}

// rename puts the merged registers in their places.
func (g *guarded) rename() {
	for _, b := range g.f.Blocks {
		for i := range b.Instrs {
			for k := range i.Args {
				a := &i.Args[k]
				if !a.HasReg() || a.Kind == ori.KConst || !g.to[a.Reg].ok {
					continue
				}
				p := g.to[a.Reg]
				a.Reg, a.Sub = p.in, a.Sub+p.base
			}
		}
	}
	g.f.Touch()
}
