package isel

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// Loosen frees the warp-group matrix operations of blocks whose source waits
// for all of them in the middle of the block: it takes away the arrivals,
// groups and waits of the source, so that the schedulers may move the
// operations, and what their results do not concern past them, like any
// other instruction. GroupWaits puts arrivals and waits where they are
// needed when the order and the registers are known.
//
// Where a loop keeps groups pending over its waits, the source has made a
// pipeline of its own: such blocks stay as they are.
func Loosen(f *ori.Func) bool {
	if !flow.HasGroups(f) {
		return false
	}
	changed := false
	for _, b := range f.Blocks {
		if loosens(b) {
			loosen(f, b)
			changed = true
		}
	}
	return f.Touched(changed)
}

// loosens reports whether a block waits for all operations before it, all
// its waits are such, and operations with a matrix in registers, which
// something in the block must have computed, stand behind one.
func loosens(b *ori.Block) bool {
	waits, behind := false, false
	for i := b.First(); i != nil; i = i.Next() {
		switch {
		case i.Op == op.WARPGROUP && i.Mods.Has(op.MDEPBAR):
			if i.Args[len(i.Args)-1].Imm != 0 {
				return false
			}
			waits = true
		case i.IsGroupMMA() && i.Guard.Kind != ori.KNone:
			return false
		case i.IsGroupMMA() && waits && readsMatrix(i):
			behind = true
		}
	}
	return behind
}

// readsMatrix reports whether i reads a matrix from general registers.
func readsMatrix(i *ori.Instr) bool {
	for _, s := range i.Srcs() {
		if s.Kind == ori.KReg && s.Class == ori.R && s.Reg != i.Args[0].Reg {
			return true
		}
	}
	return false
}

// loosen takes away what orders the operations of b. Those of other blocks
// are over before it begins.
func loosen(f *ori.Func, b *ori.Block) {
	w := &warpGroups{f: f}
	for i := b.First(); i != nil; {
		next := i.Next()
		switch {
		case i.Op == op.WARPGROUP, i.IsGroupMMA() && i.Args[0].Kind != ori.KReg: // the latter only ends a group
			i.Remove()
		case i.IsGroupMMA():
			if i.Commits() {
				f.SetArgs(i, i.Dsts(), i.Srcs()[:len(i.Srcs())-1])
			}
			i.Mods = i.Mods.With(op.MLOOSE)
		}
		i = next
	}
	w.add(b.First(), false, op.M(op.MDEPBAR, op.MLE), ori.Special(op.SRGroup0), ori.Imm(0))
}

// GroupWaits puts an arrival before and a wait behind the loose operations
// of f, whose registers and order are final. An operation is over when a
// later instruction needs its result or its registers, when memory that it
// may read may change, and at the end of its block.
func GroupWaits(f *ori.Func) {
	g := &groupWaits{warpGroups{f: f}, nil, false}
	for _, b := range f.Blocks {
		g.block(b)
	}
}

type groupWaits struct {
	warpGroups
	flying  []*ori.Instr // operations that are not known to be over
	arrived bool         // registers are as they were at the last arrival
}

func (g *groupWaits) block(b *ori.Block) {
	for i := b.First(); i != nil; i = i.Next() {
		loose := i.IsGroupMMA() && i.Mods.Has(op.MLOOSE)
		if n := g.needs(i, loose); n > 0 {
			g.await(i, n)
		}
		switch {
		case loose:
			i.Mods = i.Mods.Without(op.MLOOSE)
			if !g.arrived {
				g.add(i, false, op.M(op.MARRIVE))
				g.arrived = true
			}
			g.flying = append(g.flying, i)
		case i.Op.Has(op.Reads|op.Writes|op.Effect) && i.Op != op.WARPGROUP || writesGeneral(i):
			g.arrived = false
		}
	}
	if len(g.flying) > 0 {
		g.await(nil, len(g.flying))
	}
	g.arrived = false
}

// writesGeneral reports whether i has a result in a general register.
func writesGeneral(i *ori.Instr) bool {
	for _, d := range i.Dsts() {
		if d.Kind == ori.KReg && d.Class == ori.R {
			return true
		}
	}
	return false
}

// changesShared reports whether i may change shared memory, or lets others.
func changesShared(i *ori.Instr) bool {
	if i.Op.Has(op.Effect) {
		return true
	}
	a, ok := flow.AccessOf(i)
	return ok && a.Write && a.Space&flow.Shared != 0
}

// needs returns how many of the oldest operations must be over before i.
func (g *groupWaits) needs(i *ori.Instr, loose bool) int {
	if len(g.flying) == 0 {
		return 0
	}
	if i.Op.Has(op.Terminator) || !loose && changesShared(i) {
		return len(g.flying)
	}
	for n := len(g.flying) - 1; n >= 0; n-- {
		if g.disturbs(i, g.flying[n], loose) {
			return n + 1
		}
	}
	if loose && len(g.flying) == maxFlying {
		return 1
	}
	return 0
}

// maxFlying is how many operations, each a group of its own at worst, a wait
// can tell apart.
const maxFlying = 7

// disturbs reports whether i reads or writes what a flying operation writes,
// or writes what it reads. Operations that accumulate in the same registers
// follow each other.
func (g *groupWaits) disturbs(i, o *ori.Instr, loose bool) bool {
	for k, a := range i.Args {
		if !a.HasReg() || a.Class != ori.R {
			continue
		}
		if a.Kind == ori.KConst {
			a.Sub, a.N = 0, 1
		}
		at, n := g.cells(a)
		for m, c := range o.Args {
			if c.Kind != ori.KReg || c.Class != ori.R || k >= int(i.NDst) && m >= int(o.NDst) {
				continue
			}
			to, w := g.cells(c)
			if at >= to+w || to >= at+n {
				continue
			}
			if same := at == to && n == w; !loose || !same || !g.accumulator(i, k) || !g.accumulator(o, m) {
				return true
			}
		}
	}
	return false
}

// accumulator reports whether argument k of an operation is the register it
// accumulates in.
func (g *groupWaits) accumulator(i *ori.Instr, k int) bool {
	first, n := g.cells(i.Args[0])
	at, w := g.cells(i.Args[k])
	return at == first && w == n
}

// await waits for the n oldest operations, before i or at the end of their
// block: the last of them ends a group, and those behind it are groups that
// may stay.
func (g *groupWaits) await(i *ori.Instr, n int) {
	g.commit(g.flying[n-1])
	left := int64(0)
	for _, o := range g.flying[n:] {
		if o.Commits() {
			left++
		}
	}
	if last := g.flying[len(g.flying)-1]; n < len(g.flying) && !last.Commits() {
		g.commit(last)
		left++
	}
	if i != nil {
		g.add(i, false, op.M(op.MDEPBAR, op.MLE), ori.Special(op.SRGroup0), ori.Imm(left))
	} else {
		g.add(g.flying[len(g.flying)-1], true, op.M(op.MDEPBAR, op.MLE), ori.Special(op.SRGroup0), ori.Imm(left))
	}
	g.flying = append(g.flying[:0], g.flying[n:]...)
}
