package control

import (
	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// GuardedLoads lets guarded loads leave what is wanted where they do not run.
// Producers load under a guard to registers of their own, and take the words
// to where they want them under the same guard:
//
//	@p LDG.64 t = … else _               COPY o[0] = r0; COPY o[1] = r1
//	@p COPY d0 = t[0] else r0            @p LDG.64 t = … else o
//	@p COPY d1 = t[1] else r1            COPY d0 = t[0]; COPY d1 = t[1]
//
// What t is where the guard does not hold nobody said. It works on SSA form.
func GuardedLoads(f *ori.Func) bool {
	if !f.Props.SSA {
		return false
	}
	g := &guarded{f: f, v: opt.ValuesOf(f), dom: flow.DomOf(f)}
	g.find()
	changed := false
	for _, i := range g.loads {
		changed = g.load(i, g.copies[i]) || changed
	}
	return f.Touched(changed)
}

type guarded struct {
	f      *ori.Func
	v      *opt.Values
	dom    *flow.Dom
	loads  []*ori.Instr
	copies map[*ori.Instr][]*ori.Instr
}

// find lists the guarded loads, with the copies of their results under the
// same guard.
func (g *guarded) find() {
	for _, b := range g.dom.Order.Blocks {
		for i := b.First(); i != nil; i = i.Next() {
			if i.Op != op.COPY && i.Op != op.MOV || i.Guard.Kind != ori.KReg || len(i.Args) != 2 || len(i.Old) != 1 {
				continue
			}
			d, s := i.Args[0], i.Args[1]
			if s.Kind != ori.KReg || s.Class != ori.R || s.Flags != 0 || s.N != 1 || d.N != 1 || d.Class != ori.R {
				continue
			}
			j := g.v.Writer(s)
			if j == nil || j.Guard != i.Guard || j.NDst != 1 || len(j.Old) != 1 || !j.Op.Has(op.Reads) || j.Op.Has(op.Writes|op.Effect) {
				continue
			}
			if g.copies == nil {
				g.copies = map[*ori.Instr][]*ori.Instr{}
			}
			if g.copies[j] == nil {
				g.loads = append(g.loads, j)
			}
			g.copies[j] = append(g.copies[j], i)
		}
	}
}

// load lets load i leave what the copies of its words leave, where all of that
// is known before it.
func (g *guarded) load(i *ori.Instr, copies []*ori.Instr) bool {
	t := i.Args[0]
	wants := make([]ori.Operand, t.N)
	if o := i.Old[0]; o.Kind == ori.KReg {
		for n := range wants {
			wants[n] = o
			wants[n].Sub, wants[n].N = o.Sub+uint8(n), 1
		}
	}
	var done []*ori.Instr
	for _, c := range copies {
		w := &wants[c.Args[1].Sub-t.Sub]
		switch o := c.Old[0]; {
		case o.Kind == ori.KNone || *w == o:
		case w.Kind != ori.KNone && *w != g.constant(o):
			continue
		case g.constant(o).Kind != ori.KNone:
			*w = g.constant(o)
		case g.reaches(o, i):
			*w = o
		default:
			continue
		}
		if g.f.Should("load", c) {
			done = append(done, c)
		}
	}
	if len(done) == 0 {
		return false
	}
	if i.Old[0].Kind == ori.KNone {
		i.Old[0] = g.together(i, wants)
	}
	for _, c := range done {
		c.Guard, c.Old = ori.Operand{}, nil
	}
	return true
}

// reaches reports whether value o is defined before i.
func (g *guarded) reaches(o ori.Operand, i *ori.Instr) bool {
	d := g.v.Writer(o)
	if d == nil {
		return false
	}
	if d.Block() != i.Block() {
		return g.dom.Dominates(d.Block(), i.Block())
	}
	for j := d; j != nil; j = j.Next() {
		if j == i {
			return true
		}
	}
	return false
}

// constant returns the constant that value o is, none if it is another.
func (g *guarded) constant(o ori.Operand) ori.Operand {
	d := g.v.Once(o)
	if d == nil || d.Op != op.MOV && d.Op != op.COPY || len(d.Args) != 2 || d.Args[0] != o {
		return ori.Operand{}
	}
	if k := d.Args[1]; (k.Kind == ori.KImm || k.Kind == ori.KZero) && k.Flags == 0 {
		return k
	}
	return ori.Operand{}
}

// together returns one operand of the words, none if there are none.
func (g *guarded) together(i *ori.Instr, words []ori.Operand) ori.Operand {
	none := true
	for _, w := range words {
		none = none && w.Kind == ori.KNone
	}
	if none {
		return ori.Operand{}
	}
	if len(words) == 1 && words[0].Kind == ori.KReg {
		return words[0]
	}
	g.f.Regs = append(g.f.Regs, g.f.Regs[i.Args[0].Reg])
	r := ori.Reg(len(g.f.Regs) - 1)
	for n, w := range words {
		d := g.f.Word(r, int(i.Args[0].Sub)+n)
		c := g.f.NewInstr(op.UNDEF, op.Mods{}, []ori.Operand{d}, nil)
		switch w.Kind {
		case ori.KNone:
		case ori.KReg:
			c = g.f.NewInstr(op.COPY, op.Mods{}, []ori.Operand{d}, []ori.Operand{w})
		default:
			c = g.f.NewInstr(op.MOV, op.Mods{}, []ori.Operand{d}, []ori.Operand{w})
		}
		c.Line, c.Loc = i.Line, i.Loc
		i.Block().InsertBefore(c, i)
	}
	o := i.Args[0]
	o.Reg = r
	return o
}
