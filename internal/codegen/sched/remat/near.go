package remat

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
)

// Hot tells, by the numbers of blocks, where more words live than should, and
// whether one lives from a block to the next.
type Hot struct {
	General, Uniform []bool
	Out              func(r ori.Reg, b *ori.Block) bool
}

// near moves the making of constants to their uses where too much lives.
type near struct {
	f     *ori.Func
	hot   Hot
	dom   *flow.Dom
	loops *flow.Loops
	byID  []*ori.Block
	apart *flow.Divergence
}

// Near gives every block that uses a constant its own copy, if the
// constant would otherwise live where too many words do. Into a loop it
// brings the copy only if that is such a place itself. It reports whether
// anything changed.
func Near(f *ori.Func, hot Hot) bool {
	n := &near{f: f, hot: hot, dom: flow.DomOf(f), byID: make([]*ori.Block, f.NumBlocks())}
	for _, b := range f.Blocks {
		n.byID[b.ID] = b
	}
	n.loops = flow.LoopsOf(f, n.dom)
	n.apart = flow.DivergenceOf(f, flow.UniformityOf(f))
	all := Constants(f)
	uses := make([][]*ori.Instr, len(f.Regs))
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			Reads(i, func(o *ori.Operand) {
				if c := &all[o.Reg]; !c.No && len(c.Defs) > 0 {
					if l := uses[o.Reg]; len(l) == 0 || l[len(l)-1] != i {
						uses[o.Reg] = append(l, i)
					}
				}
			})
		}
	}
	changed := false
	for r := range all {
		if len(uses[r]) > 0 && n.crowded(ori.Reg(r)) {
			changed = n.split(ori.Reg(r), &all[r], uses[r]) || changed
		}
	}
	return changed
}

// crowded reports whether r lives at a border of a hot block.
func (n *near) crowded(r ori.Reg) bool {
	hot := n.hot.General
	switch n.f.Regs[r].Class {
	case ori.R:
	case ori.UR:
		hot = n.hot.Uniform
	default:
		return false
	}
	for _, b := range n.f.Blocks {
		if !n.hot.Out(r, b) {
			continue
		}
		if hot[b.ID] {
			return true
		}
		for _, s := range b.Succs {
			if hot[s.ID] {
				return true
			}
		}
	}
	return false
}

// home returns the block whose copy of a constant made in block def a use
// in block b takes.
func (n *near) home(b, def *ori.Block) *ori.Block {
	depth := n.loops.Depth(def)
	for b != def && n.loops.Depth(b) > depth && !n.hot.General[b.ID] && !n.hot.Uniform[b.ID] {
		up := n.dom.Idom[b.ID]
		if up < 0 {
			return nil
		}
		b = n.byID[up]
	}
	return b
}

// split makes the copies of one constant and renames its uses.
func (n *near) split(r ori.Reg, c *Constant, uses []*ori.Instr) bool {
	def := c.Defs[0].Block()
	copies := map[*ori.Block]ori.Reg{}
	kept, changed := false, false
	for _, i := range uses {
		home := n.home(i.Block(), def)
		// unreachable, nothing to gain, or written by some threads for all
		if home == nil || home == def || n.f.Regs[r].Class == ori.UR && n.apart.Is(home) {
			kept = true
			continue
		}
		to, ok := copies[home]
		if !ok {
			to = n.clone(r, c, home, i)
			copies[home] = to
		}
		Reads(i, func(o *ori.Operand) {
			if o.Reg == r {
				o.Reg = to
			}
		})
		changed = true
	}
	if !kept {
		for _, d := range c.Defs {
			d.Remove()
		}
	}
	return changed
}

// clone makes the constant again in block b: before instruction at, if that
// stands there, or before the block's end.
func (n *near) clone(r ori.Reg, c *Constant, b *ori.Block, at *ori.Instr) ori.Reg {
	if at.Block() != b {
		at = b.Tail()
	}
	info := n.f.Regs[r]
	to := n.f.NewReg(info.Class, int(info.Width))
	n.f.Regs[to] = info
	for _, d := range c.Defs {
		dst := d.Args[0]
		dst.Reg = to
		m := n.f.NewInstr(d.Op, d.Mods, []ori.Operand{dst}, d.Srcs())
		m.Line, m.Loc = d.Line, d.Loc
		if at != nil {
			b.InsertBefore(m, at)
		} else {
			b.Append(m)
		}
	}
	return to
}
