package loop

import (
	"slices"

	"github.com/goptxas/goptxas/internal/opt/branch"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// Phases that copy code let the copies write what it writes, and lead edges
// elsewhere with what they bring to PHIs. Where several copies write a value
// ssa.Mend makes one of each.

// cloned is a copy of blocks.
type cloned struct {
	block map[ori.Reg]*ori.Block // by the label of what each is a copy of
	key   map[int64]int64        // of PHIs, by the key of what each is a copy of
}

// of returns the copy of b.
func (t *cloned) of(b *ori.Block) *ori.Block { return t.block[ori.Reg(b.ID)] }

// copyOf returns a copy of i that is in no block yet. Of a PHI it is another
// one, which says so itself.
func copyOf(f *ori.Func, i *ori.Instr) *ori.Instr {
	var c *ori.Instr
	if i.Op == op.PHI {
		c = f.NewPhi(i.Args[0])
	} else {
		c = f.NewInstr(i.Op, i.Mods, i.Dsts(), i.Srcs())
	}
	c.Guard, c.Old, c.Line, c.Loc = i.Guard, slices.Clone(i.Old), i.Line, i.Loc
	return c
}

// clone copies blocks, behind all others. Ways out of them lead where they did.
func clone(f *ori.Func, body []*ori.Block) *cloned {
	t := &cloned{block: make(map[ori.Reg]*ori.Block, len(body)), key: map[int64]int64{}}
	for _, b := range body {
		t.block[ori.Reg(b.ID)] = f.NewBlock()
	}
	for _, b := range body {
		made := t.of(b)
		made.Rolled = b.Rolled
		for i := range b.Instrs {
			c := made.Append(copyOf(f, i))
			if i.Op == op.PHI {
				t.key[i.Args[1].Imm] = c.Args[1].Imm
			}
		}
		for _, s := range b.Succs {
			if x := t.of(s); x != nil {
				s = x
			}
			made.AddEdge(s)
		}
	}
	for _, b := range body {
		for c := range t.of(b).Instrs {
			t.name(c)
		}
	}
	return t
}

// name lets a copy name copies of blocks, and of their PHIs.
func (t *cloned) name(c *ori.Instr) {
	for k := range c.Args {
		if a := &c.Args[k]; a.Kind == ori.KLabel && t.block[a.Reg] != nil {
			a.Reg = ori.Reg(t.block[a.Reg].ID)
			if c.Op == op.PHISRC {
				c.Args[1].Imm = t.key[c.Args[1].Imm]
			}
		}
	}
}

// redirect makes the branch at the end of b lead to t instead of old, a copy
// of it or what it is a copy of: key tells the PHIs there by those of old.
func redirect(b, old, t *ori.Block, key func(int64) int64) {
	for s := range flow.PhiSources(b, old) {
		s.Args[0], s.Args[1].Imm = ori.Label(t), key(s.Args[1].Imm)
	}
	if last := b.Last(); last != nil && last.Op != op.PHISRC {
		for k := range last.Args {
			if a := &last.Args[k]; a.Kind == ori.KLabel && a.Reg == ori.Reg(old.ID) {
				a.Reg = ori.Reg(t.ID)
			}
		}
	}
	b.ReplaceSucc(old, t)
}

// there tells the PHIs of the copy of a block by those of the block.
func (t *cloned) there(key int64) int64 { return t.key[key] }

// back tells the PHIs of a block by those of its copy.
func (t *cloned) back(key int64) int64 {
	for k, c := range t.key {
		if c == key {
			return k
		}
	}
	return key
}

// decide lets the branch at the end of b no longer lead to not.
func decide(b, not *ori.Block) {
	b.Last().Remove()
	branch.CutEdge(b, not)
}

// body lists the blocks of the loop in the order of the text.
func (u *unroller) body() (body []*ori.Block) {
	for _, b := range u.f.Blocks {
		if u.has(b) {
			body = append(body, b)
		}
	}
	return body
}

// entries lists the blocks from which ways lead into the loop.
func (u *unroller) entries() (list []*ori.Block) {
	for _, p := range u.loop.Header.Preds {
		if !u.has(p) && !slices.Contains(list, p) {
			list = append(list, p)
		}
	}
	return list
}

// enter lets what led to the header from outside of the loop lead to b, which
// has no way to the header yet, and returns what the PHIs of the header are there, by their keys.
func (u *unroller) enter(b *ori.Block) map[int64]ori.Operand {
	f, header := u.f, u.loop.Header
	first, key := map[int64]ori.Operand{}, map[int64]int64{}
	for i := header.First(); i != nil && i.Op == op.PHI; i = i.Next() {
		d := &i.Args[0]
		f.Regs = append(f.Regs, f.Regs[d.Reg])
		x := *d
		x.Reg = ori.Reg(len(f.Regs) - 1)
		phi := b.Append(f.NewPhi(x))
		first[i.Args[1].Imm], key[i.Args[1].Imm] = x, phi.Args[1].Imm
	}
	for _, p := range u.entries() {
		redirect(p, header, b, func(k int64) int64 { return key[k] })
	}
	return first
}

// lead makes t a successor of b, whose PHIs are copies of those of the loop's
// header by key, with what b brings to them.
func (u *unroller) lead(b, t *ori.Block, first map[int64]ori.Operand, key func(int64) int64) {
	for i := u.loop.Header.First(); i != nil && i.Op == op.PHI; i = i.Next() {
		k := i.Args[1].Imm
		branch.AtEnd(b, u.f.NewInstr(op.PHISRC, op.Mods{}, nil, []ori.Operand{ori.Label(t), ori.Imm(key(k)), first[k]}))
	}
	b.AddEdge(t)
}

// asIs tells the PHIs of the header themselves.
func asIs(key int64) int64 { return key }
