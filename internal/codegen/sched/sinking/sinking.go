// Package sinking moves computations behind the barriers that their readers
// stand behind.
package sinking

import (
	"slices"

	"github.com/goptxas/goptxas/internal/engine/bits"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// What is computed before a barrier of the block and read only behind it
// lives across it for nothing. Orders are found for each side by
// itself, so none of them can put it right: front ends compute the addresses
// of all loads together, and those behind the barrier take registers just
// where the loads before it need theirs.

// Move moves computations whose readers all stand behind a barrier of the
// block, or behind a loop that waits, down to the first reader, if
// their sources live that long anyway. It reports whether something moved.
func Move(f *ori.Func) bool {
	var live *flow.Live
	var known *registers
	changed := false
	seen := make([]bool, f.NumBlocks())
	for _, b := range f.Blocks {
		if seen[b.ID] {
			continue
		}
		d := sinker{f: f}
		d.chain(b)
		for _, x := range d.blocks {
			seen[x.ID] = true
		}
		if len(d.barriers) == 0 {
			continue
		}
		if live == nil {
			live, known = flow.LiveOf(f), newRegisters(f)
		}
		d.registers = known
		d.live = live.End(d.blocks[len(d.blocks)-1])
		d.number = live.Number
		changed = d.run() || changed
	}
	return changed
}

// Keeps reports whether all instructions of a block surely keep their places: it has no
// barrier, and no loop that waits stands before or behind it.
func Keeps(b *ori.Block) bool {
	waits := func(x *ori.Block) bool { return leaves(x) != nil }
	if waits(b) || slices.ContainsFunc(b.Succs, waits) || slices.ContainsFunc(b.Preds, waits) {
		return false
	}
	for i := range b.Instrs {
		if flow.Meets(i) {
			return false
		}
	}
	return true
}

// sinker moves instructions of a chain of blocks down. Places are counted
// from its start; what moved counts as standing where its first reader does.
type sinker struct {
	f        *ori.Func
	blocks   []*ori.Block
	instrs   []*ori.Instr
	barriers []int // places of barriers and of instructions of loops
	waits    []bool
	live     bits.Set // at the end
	number   func(r ori.Reg, n int) int
	*registers
	head []*ori.Instr // by place: the first instruction that stands there
}

// registers are what is known of those that a chain names.
type registers struct {
	base   []int32  // of each register, the number of its first word
	pure   []int32  // of each word, computations that read it: the words of a tuple die one by one
	all    []int32  // of each register, instructions that read it
	reads  []reader // of each register, behind what is looked at
	last   []int32  // of each register, the number of its last write in the list, plus one
	writes []write
}

// write is the place of a write of a register, and the one before it.
type write struct{ at, before int32 }

func newRegisters(f *ori.Func) *registers {
	n, words := len(f.Regs), int32(0)
	k := &registers{base: make([]int32, n), all: make([]int32, n), reads: make([]reader, n), last: make([]int32, n)}
	for r := range f.Regs {
		k.base[r] = words
		words += max(1, int32(f.Regs[r].Width))
	}
	k.pure = make([]int32, words)
	return k
}

// forget makes what is known of the registers of an instruction unknown.
func (k *registers) forget(i *ori.Instr) {
	for n := range i.Args {
		k.drop(&i.Args[n])
	}
	k.drop(&i.Guard)
}

func (k *registers) drop(a *ori.Operand) {
	if !a.HasReg() {
		return
	}
	k.all[a.Reg], k.reads[a.Reg], k.last[a.Reg] = 0, reader{}, 0
	first, n := a.Part()
	for w := range n {
		k.pure[k.word(a, first+w)] = 0
	}
}

// word is the number of a word of an operand's register.
func (k *registers) word(a *ori.Operand, w uint8) int32 { return k.base[a.Reg] + int32(w) }

// once is the place of the only write of a register, -1 if there is none or are several.
func (k *registers) once(r ori.Reg) int {
	if n := k.last[r]; n > 0 && k.writes[n-1].before == 0 {
		return int(k.writes[n-1].at)
	}
	return -1
}

// writtenIn reports whether a register is written behind a place and up to another.
func (k *registers) writtenIn(r ori.Reg, from, to int) bool {
	for n := k.last[r]; n > 0; n = k.writes[n-1].before {
		if at := int(k.writes[n-1].at); at > from && at <= to {
			return true
		}
	}
	return false
}

// reader tells where in the rest of a block a register is read.
type reader struct {
	first *ori.Instr
	from  int // where first stands
	to    int // where the last one does
}

// chain lists b and the blocks that always follow it, each behind a loop of
// one block that does nothing but wait for something.
func (d *sinker) chain(b *ori.Block) {
	for {
		d.add(b, false)
		if len(b.Succs) != 1 {
			return
		}
		w := b.Succs[0]
		next := leaves(w)
		if next == nil || len(w.Preds) != 2 || len(next.Preds) != 1 {
			return
		}
		d.add(w, true)
		b = next
	}
}

// waitSize is how many instructions a loop has at most that only waits.
const waitSize = 6

// leaves returns the block behind w if that is a loop by itself which waits.
func leaves(w *ori.Block) *ori.Block {
	n := 0
	for i := w.First(); i != nil && n <= waitSize; i = i.Next() {
		n++
	}
	if len(w.Succs) != 2 || n > waitSize {
		return nil
	}
	switch {
	case w.Succs[0] == w && w.Succs[1] != w:
		return w.Succs[1]
	case w.Succs[1] == w && w.Succs[0] != w:
		return w.Succs[0]
	}
	return nil
}

// add gives the instructions of b their places.
func (d *sinker) add(b *ori.Block, waits bool) {
	d.blocks = append(d.blocks, b)
	for i := b.First(); i != nil; i = i.Next() {
		if waits || flow.Meets(i) {
			d.barriers = append(d.barriers, len(d.instrs))
		}
		d.instrs, d.waits = append(d.instrs, i), append(d.waits, waits)
	}
}

// index notes who writes and reads what.
func (d *sinker) index() {
	d.writes = d.writes[:0]
	for _, i := range d.instrs {
		d.forget(i)
	}
	for n, i := range d.instrs {
		for k := range i.NDst {
			if a := &i.Args[k]; a.HasReg() {
				d.writes = append(d.writes, write{int32(n), d.last[a.Reg]})
				d.last[a.Reg] = int32(len(d.writes))
			}
		}
		computed := computes(i)
		d.eachRead(i, func(a *ori.Operand) {
			d.all[a.Reg]++
			first, n := a.Part()
			for w := uint8(0); computed && w < n; w++ {
				d.pure[d.word(a, first+w)]++
			}
		})
	}
}

// eachRead calls do with the registers that i reads.
func (d *sinker) eachRead(i *ori.Instr, do func(a *ori.Operand)) {
	for k := int(i.NDst); k < len(i.Args); k++ {
		if i.Args[k].HasReg() {
			do(&i.Args[k])
		}
	}
	if i.Guard.HasReg() {
		do(&i.Guard)
	}
}

// run goes up through the block.
func (d *sinker) run() bool {
	d.index()
	d.head = slices.Clone(d.instrs)
	changed := false
	for n, i := range slices.Backward(d.instrs) {
		at := n
		if to := d.target(i, n); to != nil {
			at = to.from
			i.Remove()
			d.head[at].Block().InsertBefore(i, d.head[at])
			d.head[at] = i // those that moved to one place keep their order
			changed = true
		}
		d.eachRead(i, func(a *ori.Operand) {
			r := &d.reads[a.Reg]
			if r.first == nil {
				*r = reader{first: i, from: at, to: at}
				return
			}
			if at <= r.from {
				r.first, r.from = i, at
			}
			r.to = max(r.to, at)
		})
	}
	return changed
}

// share is what a word counts; several readers share what a source costs.
const share = 16

// target returns the reader that i, at place n, should stand before; nil
// where it is.
func (d *sinker) target(i *ori.Instr, n int) *reader {
	if d.waits[n] || !computes(i) {
		return nil
	}
	a := result(i)
	if a == nil || d.f.Regs[a.Reg].Fixed || d.once(a.Reg) < 0 {
		return nil
	}
	to := &d.reads[a.Reg]
	if to.first == nil || d.waits[to.from] {
		return nil
	}
	// threads may come out of a loop one by one
	if to.first.Block() != i.Block() && (a.Class != ori.R && a.Class != ori.P || to.first.Op == op.BSYNC) {
		return nil
	}
	if k, _ := slices.BinarySearch(d.barriers, n); k == len(d.barriers) || d.barriers[k] > to.from {
		return nil
	}
	gain := share * int(max(1, a.N))
	for k := range i.Srcs() {
		s := &i.Srcs()[k]
		if !s.HasReg() {
			continue
		}
		if s.Reg == a.Reg || d.f.Regs[s.Reg].Fixed || d.writtenIn(s.Reg, n, to.from) {
			return nil
		}
		gain -= d.longer(s, to.from, following)
	}
	if gain <= 0 {
		return nil
	}
	return to
}

// result returns the one register that i writes, or nil.
func result(i *ori.Instr) (a *ori.Operand) {
	for k := range i.NDst {
		if x := &i.Args[k]; x.HasReg() {
			if a != nil || x.Kind != ori.KReg || x.Class == ori.B {
				return nil
			}
			a = x
		}
	}
	return a
}

// longer tells what it costs that source s lives until it is read at a
// place. A computation that nobody else reads may follow the reader instead, so
// that its sources live longer, which costs less if they live anyway.
func (d *sinker) longer(s *ori.Operand, at, deep int) (n int) {
	if r := &d.reads[s.Reg]; r.first != nil && r.to >= at {
		return 0
	}
	first, words := s.Part()
	for w := first; w < first+words; w++ {
		if k := d.number(s.Reg, int(w)); k < 0 || !d.live.Has(k) {
			n += share / max(1, int(d.pure[d.word(s, w)]))
		}
	}
	if n == 0 || deep == 0 || d.all[s.Reg] != 1 || d.once(s.Reg) < 0 {
		return n
	}
	i := d.instrs[d.once(s.Reg)]
	if !computes(i) || result(i) == nil {
		return n
	}
	all := 0
	for k := range i.Srcs() {
		if x := &i.Srcs()[k]; x.HasReg() && all < n {
			all += d.longer(x, at, deep-1)
		}
	}
	return min(n, all)
}

// following is how many computations may follow each other.
const following = 8

// computes reports whether i makes its results from its operands alone.
func computes(i *ori.Instr) bool {
	return i.Guard.Kind == ori.KNone && !i.Op.Has(op.Effect|op.Writes|op.Reads|op.Terminator|op.Convergent|op.Pseudo) &&
		!slices.ContainsFunc(i.Srcs(), func(o ori.Operand) bool { return o.Kind == ori.KSpecial }) // which may tell the time
}
