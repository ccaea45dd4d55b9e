package branch

import (
	"slices"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// BranchSimplify simplifies control flow: jumps to jumps, jumps to the next
// block, guarded jumps over a jump or to blocks that only exit, blocks with one
// way in.
func BranchSimplify(f *ori.Func) bool {
	changed := false
	for again := true; again; {
		again = thread(f) || exits(f) || Merge(f) || invert(f)
		changed = changed || again
		Unreachable(f)
	}
	return changed
}

// thread makes a jump to a block that holds nothing but a jump lead to
// where that one leads.
func thread(f *ori.Func) bool {
	changed := false
	for _, b := range f.Blocks {
		last := b.Last()
		if last == nil || last.Op != op.BRA {
			continue
		}
		t := Target(b, last)
		if t == nil || t == b {
			continue
		}
		to := through(t)
		if to == nil || to == t || to == b || !bring(b, t, to) {
			continue
		}
		retarget(b, last, t, to)
		changed = true
	}
	return changed
}

// Target returns the block a jump at the end of b leads to.
func Target(b *ori.Block, i *ori.Instr) *ori.Block {
	for _, a := range i.Args {
		if a.Kind != ori.KLabel {
			continue
		}
		for _, s := range b.Succs {
			if s.ID == int32(a.Reg) {
				return s
			}
		}
	}
	return nil
}

// through returns where the blocks from b on that do nothing lead, or nil: b
// does something, or threads that come to it never leave such blocks again.
func through(b *ori.Block) *ori.Block {
	to := passes(b)
	for slow := b; to != nil; slow = passes(slow) {
		// to goes two steps where slow goes one: in a ring they meet
		for range 2 {
			next := passes(to)
			if next == nil {
				return to
			}
			if to = next; to == slow {
				return nil
			}
		}
	}
	return nil
}

// passes returns the block behind b, if b does nothing but lead there, and say
// what it brings to PHIs.
func passes(b *ori.Block) *ori.Block {
	if len(b.Succs) != 1 {
		return nil
	}
	i := b.First()
	for i != nil && i.Op == op.PHISRC {
		i = i.Next()
	}
	if i == nil || i == b.Last() && i.Op == op.BRA && i.Guard.Kind == ori.KNone {
		return b.Succs[0]
	}
	return nil
}

// retarget makes the jump i at the end of b, which led to old, lead to t.
func retarget(b *ori.Block, i *ori.Instr, old, t *ori.Block) {
	for n := range i.Args {
		if i.Args[n].Kind == ori.KLabel && i.Args[n].Reg == ori.Reg(old.ID) {
			i.Args[n].Reg = ori.Reg(t.ID)
		}
	}
	// a conditional jump and its fall-through may lead to the same block:
	// only the jump's edge moves, and it stands first
	for n, s := range b.Succs {
		if s == old {
			rest := append([]*ori.Block(nil), b.Succs...)
			rest[n] = t
			for len(b.Succs) > 0 {
				b.RemoveEdge(b.Succs[0])
			}
			for _, x := range rest {
				b.AddEdge(x)
			}
			return
		}
	}
}

// invert makes one jump of a guarded one over another, under the other guard.
//
//	@p BRA n; BRA t; n:         @!p BRA t; n:
func invert(f *ori.Func) bool {
	changed := false
	for k, b := range f.Blocks {
		i := b.Last()
		if k+2 >= len(f.Blocks) || i == nil || i.Op != op.BRA || i.Guard.Kind != ori.KReg || len(i.Srcs()) != 1 || len(b.Succs) != 2 {
			continue
		}
		x, n := f.Blocks[k+1], f.Blocks[k+2]
		if b.Succs[1] != x || Target(b, i) != n || x.Kept || len(x.Preds) != 1 || x.Len() != 1 || !isJump(x.Last()) || len(x.Succs) != 1 {
			continue
		}
		t := x.Succs[0]
		if t == n || t == x {
			continue
		}
		i.Guard = i.Guard.Not()
		i.Args[0] = ori.Label(t)
		b.RemoveEdge(n)
		b.RemoveEdge(x)
		b.AddEdge(t)
		b.AddEdge(n)
		changed = true
	}
	return changed
}

// exits turns a guarded jump to a block that only exits into a guarded
// exit.
func exits(f *ori.Func) bool {
	changed := false
	for _, b := range f.Blocks {
		i := b.Last()
		if i == nil || i.Op != op.BRA || i.Guard.Kind == ori.KNone || len(b.Succs) != 2 {
			continue
		}
		t := Target(b, i)
		if t == nil || t.First() == nil || t.First().Op != op.EXIT || t.First().Guard.Kind != ori.KNone {
			continue
		}
		next := b.Succs[len(b.Succs)-1]
		if next == t {
			continue
		}
		e := f.NewInstr(op.EXIT, op.Mods{}, nil, nil)
		e.Guard, e.Line, e.Loc = i.Guard, i.Line, i.Loc
		b.InsertBefore(e, i)
		i.Remove()
		b.RemoveEdge(t)
		changed = true
	}
	return changed
}

// Merge joins blocks with their only successors when those have no other
// way in, and drops jumps to the block that follows anyway.
func Merge(f *ori.Func) bool {
	changed := false
	gone := make([]bool, f.NumBlocks())
	for _, b := range f.Blocks {
		for !gone[b.ID] && joins(f, b) {
			t := b.Succs[0]
			if last := b.Last(); last != nil && last.Op == op.BRA {
				last.Remove()
			}
			met(b, t)
			absorb(b, t)
			gone[t.ID] = true
			changed = true
		}
	}
	if changed {
		f.SetBlocks(slices.DeleteFunc(f.Blocks, func(b *ori.Block) bool { return gone[b.ID] }))
	}
	return dropJumps(f) || changed
}

// isJump reports whether i is a jump that is always taken.
func isJump(i *ori.Instr) bool {
	return i != nil && i.Op == op.BRA && i.Guard.Kind == ori.KNone
}

// joins reports whether b and what follows it are one run of instructions.
func joins(f *ori.Func, b *ori.Block) bool {
	if len(b.Succs) != 1 {
		return false
	}
	t, last := b.Succs[0], b.Last()
	if last != nil && (last.Op == op.EXIT || last.Op.Has(op.Terminator) && last.Guard.Kind == ori.KNone && !isJump(last)) {
		return false
	}
	return len(t.Preds) == 1 && t != b && t != f.Blocks[0] && !t.Kept
}

// absorb moves the instructions and edges of t to the end of b.
func absorb(b, t *ori.Block) {
	for i := range t.Instrs {
		i.Remove()
		b.Append(i)
	}
	b.RemoveEdge(t)
	for _, s := range append([]*ori.Block(nil), t.Succs...) {
		t.RemoveEdge(s)
		b.AddEdge(s)
	}
}
