package isel

import (
	"slices"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/target"
)

// GroupWaits puts an arrival before and a wait behind the loose operations
// of f, whose registers and order are final. An operation is over when a
// later instruction needs its result or its registers. One that is not open
// is also over when memory that it may read may change, and at the end of
// its block.
func GroupWaits(f *ori.Func, a *target.Arch) {
	if !flow.HasGroups(f) {
		return
	}
	g := &groupWaits{
		warpGroups: warpGroups{f: f}, open: map[*ori.Instr]bool{}, in: make([][]*ori.Instr, f.NumBlocks()),
		written: make([]bool, generalRegisters), read: make([]bool, generalRegisters), result: make([]bool, generalRegisters),
	}
	any := false
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			if i.Mods.Has(op.MLOOSE) {
				any = true
				g.open[i] = i.Mods.Has(op.MOPEN)
			}
		}
	}
	if !any {
		return
	}
	g.dry = true
	for changed := true; changed; {
		changed = false
		for _, b := range f.Blocks {
			changed = g.block(b) || changed
		}
	}
	g.dry = false
	for _, b := range f.Blocks {
		g.block(b)
	}
	g.fill()
}

type groupWaits struct {
	warpGroups
	dry     bool // nothing is placed: which operations go on into which blocks is found out
	open    map[*ori.Instr]bool
	in      [][]*ori.Instr // operations that go on when a block begins, by ID
	flying  []*ori.Instr   // operations that are not known to be over, older ones first
	came    int            // so many of them came from other blocks: they are waited for together
	arrived bool           // an arrival stands before in the block, and no wait behind it
	written []bool         // registers written since
	read    []bool         // registers read since
	result  []bool         // registers that operations write since
}

// block walks through b and reports whether an operation goes on into a
// block of which that was not known.
func (g *groupWaits) block(b *ori.Block) bool {
	g.flying, g.came = append(g.flying[:0], g.in[b.ID]...), len(g.in[b.ID])
	g.arrived = false
	for i := b.First(); i != nil; i = i.Next() {
		if isGroupWait(i) { // of the source, and for all: see waitsForAll
			g.flying, g.came, g.arrived = g.flying[:0], 0, false
			continue
		}
		loose, known := g.open[i]
		loose = loose || known
		if n := g.needs(i, loose); n > 0 {
			g.await(i, n)
		}
		switch {
		case loose:
			g.start(i)
		case !g.dry:
			g.mark(i.Dsts(), g.written)
			g.mark(i.Srcs(), g.read)
		}
	}
	if n := g.closed(); n > 0 {
		g.await(nil, n)
	}
	if len(g.flying) == 0 {
		return false
	}
	if last := g.flying[len(g.flying)-1]; !g.dry && last.Block() == b {
		g.commit(last)
	}
	return g.goesOn(b)
}

// start issues a loose operation.
func (g *groupWaits) start(i *ori.Instr) {
	g.flying = append(g.flying, i)
	if g.dry {
		return
	}
	i.Mods = i.Mods.Without(op.MLOOSE).Without(op.MOPEN)
	if !g.arrived || g.marked(i.Args, g.written) || g.marked(i.Dsts(), g.read) || g.readsResult(i) {
		g.add(i, false, op.M(op.MARRIVE))
		g.arrived = true
		clear(g.written)
		clear(g.read)
		clear(g.result)
	}
	g.mark(i.Dsts(), g.result)
}

// readsResult reports whether i reads as a matrix what an operation has
// computed since the last arrival.
func (g *groupWaits) readsResult(i *ori.Instr) bool {
	for k := int(i.NDst); k < len(i.Args); k++ {
		if a := i.Args[k]; a.Kind == ori.KReg && a.Class == ori.R && !g.accumulator(i, k) && g.marked(i.Args[k:k+1], g.result) {
			return true
		}
	}
	return false
}

// goesOn notes that what is flying at the end of b goes on behind it.
func (g *groupWaits) goesOn(b *ori.Block) (changed bool) {
	for _, t := range b.Succs {
		for _, o := range g.flying {
			if !slices.Contains(g.in[t.ID], o) {
				g.in[t.ID] = append(g.in[t.ID], o)
				changed = true
			}
		}
	}
	return changed
}

// closed returns how many of the oldest operations there are up to the last
// one that is not open.
func (g *groupWaits) closed() int {
	for n := len(g.flying) - 1; n >= 0; n-- {
		if !g.open[g.flying[n]] {
			return n + 1
		}
	}
	return 0
}

// changesShared reports whether i may change shared memory, or lets others.
func changesShared(i *ori.Instr) bool {
	if i.Op.Has(op.Effect) {
		return true
	}
	a, ok := flow.AccessOf(i)
	return ok && a.Write && a.Space&op.SpaceShared != 0
}

// needs returns how many of the oldest operations must be over before i.
func (g *groupWaits) needs(i *ori.Instr, loose bool) int {
	n := g.disturbed(i, loose)
	switch {
	case len(g.flying) == 0:
		return 0
	case i.Op == op.EXIT, i.Op == op.CALL, i.Op == op.RET:
		return len(g.flying)
	case i.Op.Has(op.Terminator) || !loose && changesShared(i):
		n = max(n, g.closed())
	case loose && g.groups() >= maxFlying:
		n = max(n, 1)
	}
	if n > 0 {
		n = max(n, g.came)
	}
	return n
}

// disturbed returns how many of the oldest operations there are up to the
// last whose registers i touches.
func (g *groupWaits) disturbed(i *ori.Instr, loose bool) int {
	for n := len(g.flying) - 1; n >= 0; n-- {
		if g.disturbs(i, g.flying[n], loose) {
			return n + 1
		}
	}
	return 0
}

// maxFlying is how many groups a wait can tell apart.
const maxFlying = 7

// groups counts the groups of what is flying.
func (g *groupWaits) groups() (n int) {
	for _, o := range g.flying {
		if o.Commits() {
			n++
		}
	}
	return n
}

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
	if !g.dry {
		g.place(i, n)
	}
	g.flying = append(g.flying[:0], g.flying[n:]...)
	g.came = max(0, g.came-n)
	g.arrived = false
}

// place puts the wait where it belongs. What came from other blocks ended a
// group there.
func (g *groupWaits) place(i *ori.Instr, n int) {
	if n > g.came {
		g.commit(g.flying[n-1])
	}
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
		g.add(i, false, op.M(op.MDEPBAR, op.MLE), ori.Special(op.SRGroup0), ori.Imm(min(left, maxFlying)))
	} else {
		g.add(g.flying[len(g.flying)-1], true, op.M(op.MDEPBAR, op.MLE), ori.Special(op.SRGroup0), ori.Imm(min(left, maxFlying)))
	}
}
