package opt

import (
	"goptxas/internal/ori"
	"goptxas/internal/ori/flow"
	"goptxas/internal/ori/op"
)

// CSE replaces a computation by the result of an equal one that dominates
// it. It walks the dominator tree with a table of what is known so far.
func CSE(f *ori.Func) bool {
	c := &cse{f: f, v: valuesOf(f), known: map[key]*ori.Instr{}}
	dom := flow.DomOf(f)
	kids := make([][]*ori.Block, f.NumBlocks())
	for _, b := range dom.Order.Blocks {
		if p := dom.Idom[b.ID]; p >= 0 {
			kids[p] = append(kids[p], b)
		}
	}
	if len(dom.Order.Blocks) > 0 {
		c.walk(dom.Order.Blocks[0], kids)
	}
	if c.changed {
		f.Touch()
	}
	return c.changed
}

// maxKey is the largest number of sources a computation may have to be
// considered.
const maxKey = 6

// key identifies a computation: equal keys, equal results.
type key struct {
	op   op.Op
	mods op.Mods
	ndst uint8
	wide uint8 // words of the first result
	in   int32 // block of a uniform result, plus one
	args [maxKey]ori.Operand
}

type cse struct {
	f       *ori.Func
	v       *values
	known   map[key]*ori.Instr
	changed bool
}

// walk handles a block and what it dominates; entries made below are taken
// back on the way up. The stack is explicit: dominator trees can be deep.
func (c *cse) walk(root *ori.Block, kids [][]*ori.Block) {
	type frame struct {
		b    *ori.Block
		n    int
		made []key
	}
	stack := []frame{{b: root}}
	stack[0].made = c.block(root)
	for len(stack) > 0 {
		t := &stack[len(stack)-1]
		if t.n < len(kids[t.b.ID]) {
			k := kids[t.b.ID][t.n]
			t.n++
			stack = append(stack, frame{b: k})
			stack[len(stack)-1].made = c.block(k)
			continue
		}
		for _, k := range t.made {
			delete(c.known, k)
		}
		stack = stack[:len(stack)-1]
	}
}

func (c *cse) block(b *ori.Block) (made []key) {
	for i := range b.Instrs {
		k, ok := c.keyOf(i)
		if !ok {
			continue
		}
		old := c.known[k]
		if old == nil {
			c.known[k] = i
			made = append(made, k)
			continue
		}
		c.replace(i, old)
	}
	return made
}

// keyOf returns the key of a computation whose results and sources are
// written once.
func (c *cse) keyOf(i *ori.Instr) (key, bool) {
	k := key{op: i.Op, mods: i.Mods, ndst: i.NDst}
	if !isPure(i) || i.Op == op.COPY || len(i.Srcs()) > maxKey {
		return k, false
	}
	for n, d := range i.Dsts() {
		if d.Kind != ori.KReg && d.Kind != ori.KZero || d.HasReg() && !c.v.stable(d) {
			return k, false
		}
		if n == 0 {
			k.wide = d.N
		}
		// uniform registers are the warp's: other threads may have changed
		// them by the time these come to another block
		if d.Class == ori.UR || d.Class == ori.UP {
			k.in = i.Block().ID + 1
		}
	}
	for n, s := range i.Srcs() {
		if !c.v.stable(s) {
			return k, false
		}
		k.args[n] = s
	}
	return k, true
}

// replace turns i into copies of the results of old.
func (c *cse) replace(i, old *ori.Instr) {
	for n, d := range i.Dsts() {
		s := old.Args[n]
		if d.Kind == ori.KReg && (s.Kind != ori.KReg || s.Class != d.Class || s.N != d.N) {
			return
		}
	}
	b := i.Block()
	for n, d := range i.Dsts() {
		if d.Kind != ori.KReg {
			continue
		}
		m := c.f.NewInstr(op.COPY, op.Mods{}, []ori.Operand{d}, []ori.Operand{old.Args[n]})
		m.Line, m.Loc = i.Line, i.Loc
		b.InsertBefore(m, i)
		for w := range int32(d.N) {
			c.v.def[c.v.word(d)+w] = m
		}
	}
	i.Remove()
	c.changed = true
}
