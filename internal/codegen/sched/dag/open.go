package dag

import (
	"slices"

	"github.com/goptxas/goptxas/internal/codegen/sched/words"
	"github.com/goptxas/goptxas/internal/engine/bits"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// openOrder keeps what touches the registers of open operations, which go on
// when a block begins, behind the instruction that waits for the operations
// of this block anyway. Registers are given out so that nothing needs to wait
// sooner, and who did would keep the next operations from starting while the
// last ones run.
type openOrder struct {
	names *words.Numbering
	in    []pending // by block ID, when it begins; nil if f has no such operations
	now   pending   // where a block is being looked at
	over  int32     // of the region: the first instruction that waits; -1 = none yet
	freed bits.Set  // the words it waits for
}

// pending is what operations have that nobody has waited for.
type pending struct {
	words bits.Set // registers of those that are open
	sums  bits.Set // results of all
}

func newPending(size int) pending { return pending{bits.NewSet(size), bits.NewSet(size)} }

// NewOpenOrder finds where operations go on, if f has any that are open.
func NewOpenOrder(names *words.Numbering) openOrder {
	o := openOrder{names: names}
	f := names.F
	if !slices.ContainsFunc(f.Blocks, func(b *ori.Block) bool {
		for i := range b.Instrs {
			if i.Mods.Has(op.MOPEN) {
				return true
			}
		}
		return false
	}) {
		return o
	}
	o.in = make([]pending, f.NumBlocks())
	for n := range o.in {
		o.in[n] = newPending(names.Size)
	}
	o.now, o.freed = newPending(names.Size), bits.NewSet(names.Size)
	for range openRounds {
		for _, b := range f.Blocks {
			o.Enter(b)
			for i := range b.Instrs {
				o.step(i)
			}
			for _, t := range b.Succs {
				o.in[t.ID].words.Or(o.now.words)
				o.in[t.ID].sums.Or(o.now.sums)
			}
		}
	}
	return o
}

// openRounds is how often the blocks are gone through: operations go on into
// few blocks, and orders are right without them.
const openRounds = 3

// Enter begins with a block.
func (o *openOrder) Enter(b *ori.Block) {
	if o.in != nil {
		copy(o.now.words, o.in[b.ID].words)
		copy(o.now.sums, o.in[b.ID].sums)
	}
}

// begin starts a region of the block.
func (o *openOrder) begin() {
	o.over = -1
	o.freed.Clear()
}

// add adds the edges of instruction k of a region, which makes some accesses.
func (o *openOrder) add(g *Graph, k int32, i *ori.Instr, list []words.Access) {
	if o.in == nil {
		return
	}
	if o.over >= 0 && touches(o.freed, list) {
		g.edge(o.over, k, 1)
	}
	if o.step(i) {
		o.over = k
	}
}

// step goes on behind i: it starts an operation, or waits for all before it.
// It reports whether i waits.
func (o *openOrder) step(i *ori.Instr) bool {
	if i.Mods.Has(op.MLOOSE) {
		for k, a := range i.Args {
			if a.Kind != ori.KReg || a.Class != ori.R {
				continue
			}
			for w := o.names.Word(a); w < o.names.Word(a)+int32(a.N); w++ {
				if k == 0 {
					o.now.sums.Add(int(w))
				}
				if i.Mods.Has(op.MOPEN) {
					o.now.words.Add(int(w))
				}
			}
		}
		return false
	}
	if !touches(o.now.sums, o.names.Accesses(i)) {
		return false
	}
	copy(o.freed, o.now.words)
	o.now.words.Clear()
	o.now.sums.Clear()
	return true
}

// touches reports whether one of some accesses is to a word of a set.
func touches(s bits.Set, list []words.Access) bool {
	for _, a := range list {
		for w := a.Word; w < a.Word+int32(a.N); w++ {
			if s.Has(int(w)) {
				return true
			}
		}
	}
	return false
}
