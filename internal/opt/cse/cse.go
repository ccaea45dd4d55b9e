package cse

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/goptxas/goptxas/internal/engine/pool"
	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// CSE replaces a computation by the result of an equal one that dominates
// it. It walks the dominator tree with a table of what is known so far.
func CSE(f *ori.Func) bool {
	c := newCSE(f)
	flow.DomOf(f).Walk(c.block, func() int { return len(c.entries) }, c.forget)
	if f.Touched(c.changed) {
		c.v.Keep() // what is read instead is one value, and was written before
	}
	return c.changed
}

// maxKey is the largest number of sources a computation may have to be
// considered.
const maxKey = 6

// cse is a hash table of computations. Entries stand in the order they were
// made, each with the one that was first in its chain before it, so that
// leaving a block is cutting the list.
type cse struct {
	f       *ori.Func
	v       *opt.Values
	heads   []int32 // entry that is first in each chain, -1 = none
	entries []entry
	first   int32 // number of the first instruction that this walk makes
	changed bool
}

type entry struct {
	i    *ori.Instr
	slot uint32
	next int32
}

func newCSE(f *ori.Func) *cse {
	n := 0
	for _, b := range f.Blocks {
		n += b.Len()
	}
	c := &cse{f: f, v: opt.ValuesOf(f), first: int32(f.NumInstrs()), heads: pool.Make[int32](f.Scratch(), 1<<bits.Len(uint(n)))}
	for k := range c.heads {
		c.heads[k] = -1
	}
	return c
}

// forget takes back the entries from the n-th on.
func (c *cse) forget(n int) {
	for len(c.entries) > n {
		e := &c.entries[len(c.entries)-1]
		c.heads[e.slot] = e.next
		c.entries = c.entries[:len(c.entries)-1]
	}
}

func (c *cse) block(b *ori.Block) {
	for i := range b.Instrs {
		if c.changed {
			c.through(i)
		}
		if !c.known(i) {
			continue
		}
		c.arrange(i)
		slot := hash(i) & uint32(len(c.heads)-1)
		if old := c.find(i, slot); old != nil {
			if c.f.Should("equal", i) {
				c.replace(i, old)
			}
			continue
		}
		if c.f.Should("opposite", i) && c.opposite(i) {
			continue
		}
		if !c.lasts(i) {
			continue
		}
		c.entries = append(c.entries, entry{i, slot, c.heads[slot]})
		c.heads[slot] = int32(len(c.entries) - 1)
	}
}

// through has a computation of floats read what was copied to its sources:
// those from equal results are equal, too. Integers wait for the next walk:
// addresses that are shared sooner live longer.
func (c *cse) through(i *ori.Instr) {
	if !c.f.Props.SSA || !i.Op.Has(op.Floats) {
		return
	}
	see := func(a *ori.Operand) {
		if a.Kind != ori.KReg || a.N > 1 || a.Class != ori.R && a.Class != ori.P {
			return
		}
		if d := c.v.Once(*a); d != nil && d.Op == op.COPY && d.ID >= c.first && d.Args[0].N <= 1 && d.Args[1].Class == a.Class {
			c.v.CountRead(a, -1)
			a.Reg, a.Sub = d.Args[1].Reg, d.Args[1].Sub
			c.v.CountRead(a, 1)
		}
	}
	for k := int(i.NDst); k < len(i.Args); k++ {
		see(&i.Args[k])
	}
	for k := range i.Old {
		see(&i.Old[k])
	}
	see(&i.Guard)
}

// arrange gives sources that may change places one order, so that equal
// sums are found whichever way they are written.
func (c *cse) arrange(i *ori.Instr) {
	n := int(i.NDst)
	if !i.Op.Has(op.Commutes) || len(i.Args) < n+2 || n > 1 || i.Mods.Has(op.MX) { // sums with carries come in pairs
		return
	}
	if i.Op.IsDouble() { // which of two NaNs is kept depends on the order
		return
	}
	a, b := &i.Args[n], &i.Args[n+1]
	if a.Kind != ori.KReg || b.Kind != ori.KReg || a.N != b.N || a.Class != b.Class || cmp.Or(cmp.Compare(a.Reg, b.Reg), cmp.Compare(a.Sub, b.Sub)) <= 0 {
		return
	}
	if i.Op.Has(op.Lut) {
		if len(i.Args) != 5 || i.Args[4].Kind != ori.KImm || i.Args[0].Class != a.Class {
			return
		}
		t := i.Args[4].Imm
		i.Args[4].Imm = t&0xc3 | t&0x0c<<2 | t&0x30>>2
	}
	*a, *b = *b, *a
	c.changed = true
}

// known reports whether i is a computation whose results are written once.
func (c *cse) known(i *ori.Instr) bool {
	if !opt.IsPure(i) && !opt.IsUpdate(i) || i.Op == op.COPY || len(i.Srcs()) > maxKey {
		return false
	}
	for _, d := range i.Dsts() {
		if d.Kind != ori.KReg && d.Kind != ori.KZero || d.HasReg() && !c.v.Stable(d) {
			return false
		}
	}
	return true
}

// lasts reports whether the sources of i stay what they are wherever i
// dominates.
func (c *cse) lasts(i *ori.Instr) bool {
	for _, s := range i.Srcs() {
		if !c.v.Stable(s) {
			return false
		}
	}
	for _, o := range i.Old {
		if !c.v.Stable(o) {
			return false
		}
	}
	return i.Guard.Kind == ori.KNone || c.v.Stable(i.Guard)
}

// hash mixes what equal computations have in common.
func hash(i *ori.Instr) uint32 {
	h := uint64(i.Op)<<8 | uint64(i.NDst)
	mix := func(v uint64) { h = (h ^ v) * 0x9e3779b97f4a7c15; h ^= h >> 29 }
	for _, m := range i.Mods {
		if m == 0 {
			break
		}
		mix(uint64(m))
	}
	for _, s := range i.Srcs() {
		mix(uint64(uint32(s.Reg))<<32 | uint64(s.Kind)<<24 | uint64(s.Flags)<<16 | uint64(s.Sub)<<8 | uint64(s.Class)<<4 | uint64(s.N))
		mix(uint64(s.Imm))
	}
	if i.Guard.Kind != ori.KNone {
		mix(uint64(uint32(i.Guard.Reg))<<8 | uint64(i.Guard.Flags))
	}
	return uint32(h >> 20)
}

// find returns the entry that computes the same as i, or nil.
func (c *cse) find(i *ori.Instr, slot uint32) *ori.Instr {
	for k := c.heads[slot]; k >= 0; k = c.entries[k].next {
		x := c.entries[k].i
		// uniform registers are the warp's: other threads may have changed
		// them by the time these come to another block
		if isUniform(i) && x.Block() != i.Block() {
			continue
		}
		if x.Op == i.Op && x.Mods == i.Mods && x.NDst == i.NDst && x.Args[0].N == i.Args[0].N && slices.Equal(x.Srcs(), i.Srcs()) && x.Guard == i.Guard && slices.Equal(x.Old, i.Old) {
			return x
		}
	}
	return nil
}

// opposite replaces a comparison by the opposite of one that is known.
func (c *cse) opposite(i *ori.Instr) bool {
	m, ok := opt.Opposite(i)
	if !ok || i.Guard.Kind != ori.KNone {
		return false
	}
	was := i.Mods
	i.Mods = m
	old := c.find(i, hash(i)&uint32(len(c.heads)-1))
	i.Mods = was
	if old == nil || old.Args[0].Kind != ori.KReg {
		return false
	}
	pt := ori.Zero(ori.P)
	c.v.Count(i, -1)
	i.Op, i.Mods = op.PLOP3, op.M(op.MLUT)
	c.f.SetArgs(i, []ori.Operand{i.Args[0]}, []ori.Operand{old.Args[0], pt, pt, ori.Imm(0x0f), ori.Imm(0)})
	c.v.Count(i, 1)
	c.changed = true
	return true
}

// isUniform reports whether i writes a uniform register.
func isUniform(i *ori.Instr) bool {
	return slices.ContainsFunc(i.Dsts(), func(d ori.Operand) bool { return d.Class == ori.UR || d.Class == ori.UP })
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
	c.v.Count(i, -1)
	for n, d := range i.Dsts() {
		if d.Kind != ori.KReg {
			continue
		}
		m := c.f.NewInstr(op.COPY, op.Mods{}, []ori.Operand{d}, []ori.Operand{old.Args[n]})
		m.Line, m.Loc = i.Line, i.Loc
		b.InsertBefore(m, i)
		c.v.Count(m, 1)
	}
	i.Remove()
	c.changed = true
}
