package flow

import (
	"slices"

	"github.com/goptxas/goptxas/internal/engine/pool"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// Uniformity tells which registers may differ between the threads of a
// warp, and at which branches the threads may part. Both are "may": what is
// not marked is certainly the same for all threads that run the code
// together.
type Uniformity struct {
	f      *ori.Func
	regs   []uint64       // words that may differ, by register; the last bit stands for all further ones
	blocks []bool         // runs with some threads only, by block ID
	parts  []bool         // threads may part at its end, by block ID
	alone  []bool         // one thread comes there at most, by block ID; nil: nowhere
	masks  bool           // threads may run on under masks of the source, or come back from calls apart
	whole  bool           // asked of the threads of a block, not of a warp
	phis   map[int64]*phi // by their key
	same   []int32
	walk   int32 // what same holds for registers written last, on this walk through a block, with what all threads share

	// While it is made.
	pass  int32   // passes over the function begun
	asked []int32 // by register: the last pass that took it for the same
	done  []int32 // by block ID: the last pass that went through it
	again bool    // what a pass took for the same, or for whole, is not
}

// Differs reports whether the threads of a warp may see different values in
// r.
func (u *Uniformity) Differs(r ori.Reg) bool { return u.regs[r] != 0 }

// words is the set of words that an operand names.
func words(a *ori.Operand) uint64 {
	if a.Kind != ori.KReg && a.Kind != ori.KAddr {
		return ^uint64(0)
	}
	first, n := min(int(a.Sub), 63), max(1, int(a.N))
	if first+n > 63 {
		return ^uint64(0) << first
	}
	return (1<<n - 1) << first
}

// Partial reports whether b may run with some threads of a warp while others
// are elsewhere.
func (u *Uniformity) Partial(b *ori.Block) bool { return u.blocks[b.ID] }

// Knows reports whether b was there when the function was looked at.
func (u *Uniformity) Knows(b *ori.Block) bool { return int(b.ID) < len(u.blocks) }

// Parts reports whether threads may part at the end of b.
func (u *Uniformity) Parts(b *ori.Block) bool { return u.parts[b.ID] }

// UniformityOf analyses f. Differences start at thread numbers, memory and
// what other threads of the warp contribute; they spread through operands,
// guards and control: a branch on a differing predicate makes everything
// between it and the place where the paths reconverge run with some threads only,
// and whatever is written there may differ afterwards.
func UniformityOf(f *ori.Func) *Uniformity {
	return kept(f, ori.FactUniform, func() *Uniformity { return differences(f, false) })
}

// UniformityOfBlock analyses a kernel for all threads of a block: warps are in no step, so
// what one reads others may change meanwhile, only what is in constant banks is the same for all, and
// only all that ever run the code together come to a place together. Uniform registers are a warp's.
func UniformityOfBlock(f *ori.Func) *Uniformity { return differences(f, true) }

// Holds compares with the differences of f as it is.
func (u *Uniformity) Holds(f *ori.Func) bool {
	x := differences(f, u.whole)
	return slices.Equal(u.regs, x.regs) && slices.Equal(u.blocks, x.blocks) && slices.Equal(u.parts, x.parts)
}

func differences(f *ori.Func, whole bool) *Uniformity {
	u := &Uniformity{f: f, whole: whole, regs: make([]uint64, len(f.Regs)), blocks: make([]bool, f.NumBlocks()), parts: make([]bool, f.NumBlocks()), same: make([]int32, len(f.Regs))}
	if !whole {
		u.alone = aloneIn(f)
	}
	pd := PostDomOf(f)
	for _, b := range f.Blocks {
		u.masks = u.masks || loosens(f, b)
	}
	if f.Props.SSA {
		u.phis = phisOf(f)
	}
	for r := range f.Regs { // what a caller or callee left there
		if f.Regs[r].Fixed && (whole || f.Regs[r].Class != ori.UR && f.Regs[r].Class != ori.UP) {
			u.regs[r] = ^uint64(0)
		}
	}
	u.asked, u.done = pool.Make[int32](f.Scratch(), len(f.Regs)), pool.Make[int32](f.Scratch(), f.NumBlocks())
	for u.again = true; u.again; {
		u.again = false
		u.pass++
		for _, b := range f.Blocks {
			u.walk++
			partial := u.blocks[b.ID]
			for i := b.First(); i != nil; i = i.Next() {
				partial = partial && !u.unites(i)
				u.instr(i, partial)
			}
			u.done[b.ID] = u.pass
			if !u.parts[b.ID] && u.splits(b) {
				u.parts[b.ID] = true
				u.again = u.again || u.phis != nil
				u.spread(b, pd.Ipdom[b.ID])
			}
		}
	}
	u.asked, u.done = nil, nil
	return u
}

// instr marks the results of i. Another pass is needed if one is new that this
// pass has taken for the same before.
func (u *Uniformity) instr(i *ori.Instr, partial bool) {
	differs := partial || u.isSource(i) && !u.f.CallsRoutine(i) || u.reads(&i.Guard)
	for k := int(i.NDst); k < len(i.Args) && !differs; k++ {
		differs = u.reads(&i.Args[k])
	}
	differs = differs && (partial || !u.agreed(i))
	if i.Op == op.CALL {
		u.walk++ // it writes more than it says
	}
	if i.Op == op.PHISRC {
		x := u.phis[i.Args[1].Imm]
		d := x.to
		differs = u.reads(&i.Args[2]) || u.mixes(x)
		if new := words(&d) &^ u.regs[d.Reg]; differs && new != 0 {
			u.regs[d.Reg] |= new
			u.again = u.again || u.asked[d.Reg] == u.pass
		}
		return
	}
	if i.Op == op.PHI {
		return
	}
	for k := range i.NDst {
		d := &i.Args[k]
		if !d.HasReg() || !u.whole && (d.Class == ori.UR || d.Class == ori.UP) {
			continue
		}
		u.same[d.Reg] = 0
		switch {
		case differs && words(d)&^u.regs[d.Reg] != 0:
			u.regs[d.Reg] |= words(d)
			u.again = u.again || u.asked[d.Reg] == u.pass
		case !differs && i.Guard.Kind == ori.KNone && u.f.Regs[d.Reg].Width == 1:
			u.same[d.Reg] = u.walk
		}
	}
}

// reads reports whether threads may read different values of s. A register
// that differs elsewhere is the same for all behind a write of this block
// that is.
func (u *Uniformity) reads(s *ori.Operand) bool {
	if s.Kind != ori.KReg && !s.HasReg() {
		return false
	}
	if u.regs[s.Reg]&words(s) != 0 && u.same[s.Reg] != u.walk {
		return true
	}
	u.asked[s.Reg] = u.pass
	return false
}

// Agrees reports whether i gives the same to all threads that run it together,
// by what is known of all it reads.
func (u *Uniformity) Agrees(i *ori.Instr) bool {
	if u.isSource(i) && !u.f.CallsRoutine(i) || i.Op == op.CALL {
		return false
	}
	for k := int(i.NDst); k < len(i.Args); k++ {
		if a := &i.Args[k]; a.HasReg() && int(a.Reg) < len(u.regs) && u.regs[a.Reg]&words(a) != 0 {
			return false
		}
	}
	return !i.Guard.HasReg() || u.regs[i.Guard.Reg] == 0
}

// agreed reports whether i gives the same to all threads that run it
// together, whatever they bring to it: a lane that all name, and what they
// vote. A mask of the source may let some of them run it without the others.
func (u *Uniformity) agreed(i *ori.Instr) bool {
	if u.masks || u.whole || u.reads(&i.Guard) {
		return false
	}
	switch {
	case i.Op == op.VOTE:
		return true
	case i.Op == op.SHFL && i.Mods.Has(op.MIDX):
		s := i.Srcs()
		return !u.reads(&s[1]) && s[2].Kind == ori.KImm && s[2].Imm == wholeWarp
	}
	return false
}

// wholeWarp is the bound of a shuffle whose lanes are those of the warp.
const wholeWarp = 0x1f

// isSource reports whether i makes values that differ between threads, or
// may for all that is known here. What an UNDEF leaves nobody looks at, but for
// what a caller brings, which stands in fixed registers.
func (u *Uniformity) isSource(i *ori.Instr) bool {
	if u.whole && i.Op.Has(op.Reads) && !i.Op.LoadsConstant() {
		return true
	}
	return i.Op.Has(op.Convergent|op.Own) || i.Op.Has(op.Reads) && !readsOne(i) ||
		i.Op.Has(op.ReadsSpecial) && !IsUniformSpecial(op.Special(i.Srcs()[0].Imm))
}

// readsOne reports whether all threads that name one place in memory find the
// same there: in constant banks, and in memory that they share, unless the
// access is one that may see what others write meanwhile, or the address may
// be one of memory that each thread has for itself. The phase of an mbarrier
// is looked at once for all threads that name the same one.
func readsOne(i *ori.Instr) bool {
	if i.Op == op.SYNCS {
		return i.Mods.Has(op.MPHASECHK)
	}
	switch i.Op.Space() {
	case op.SpaceConstant:
		return true
	case op.SpaceGlobal, op.SpaceShared:
		return i.Op.Has(op.Plain) && !i.IsVolatile()
	}
	return false
}

// IsUniformSpecial reports whether a special register is the same for all
// threads of a warp.
func IsUniformSpecial(s op.Special) bool {
	switch s {
	case op.SRCtaidX, op.SRCtaidY, op.SRCtaidZ, op.SRClusterCtaID, op.SRClusterSize, op.SRSharedWindowHi, op.SRSMemSize:
		return true
	}
	return false
}

// splits reports whether threads may part at the end of b: some instruction
// there jumps under a differing guard or to a differing place.
func (u *Uniformity) splits(b *ori.Block) bool {
	if u.alone != nil && u.alone[b.ID] {
		return false
	}
	stay := 0
	for _, t := range b.Succs {
		if u.whole || !exits(t) {
			stay++
		}
	}
	if stay < 2 { // those that exit leave no threads elsewhere
		return false
	}
	for i := b.Last(); i != nil && i.Op.Has(op.Terminator); i = i.Prev() {
		if i.Guard.HasReg() && u.differs(&i.Guard) {
			return true
		}
		for k := int(i.NDst); k < len(i.Args); k++ {
			if i.Args[k].HasReg() && u.differs(&i.Args[k]) {
				return true
			}
		}
	}
	return false
}

// differs reports whether some write of the register of s differs.
func (u *Uniformity) differs(s *ori.Operand) bool {
	if u.regs[s.Reg]&words(s) != 0 {
		return true
	}
	u.asked[s.Reg] = u.pass
	return false
}

// exits reports whether threads that come to b are gone.
func exits(b *ori.Block) bool {
	i := b.First()
	return i != nil && i.Op == op.EXIT && i.Guard.Kind == ori.KNone
}

// spread marks the blocks between b and the block where its paths reconverge.
// Without such a block everything that can be reached is marked.
func (u *Uniformity) spread(b *ori.Block, reconv int32) {
	work := append([]*ori.Block(nil), b.Succs...)
	for len(work) > 0 {
		x := work[len(work)-1]
		work = work[:len(work)-1]
		if x.ID == reconv || u.blocks[x.ID] {
			continue
		}
		u.blocks[x.ID] = true
		u.again = u.again || u.done[x.ID] == u.pass
		if u.masks || u.whole || !allWait(x) {
			work = append(work, x.Succs...)
		}
	}
}

// unites reports whether no thread of the warp goes on behind i before all
// have come there. That all come to the same place is proved by Gatherings:
// where threads that part may wait for one instruction at several places, calls
// are made of it. Those who wait for another never meet.
func (u *Uniformity) unites(i *ori.Instr) bool { return !u.masks && !u.whole && WaitsForAll(i) }

// phi is what a PHI writes, and what comes to it.
type phi struct {
	in      *ori.Block
	to      ori.Operand
	sources []*ori.Instr
}

func phisOf(f *ori.Func) map[int64]*phi {
	m := map[int64]*phi{}
	for _, b := range f.Blocks {
		for i := b.First(); i != nil && i.Op == op.PHI; i = i.Next() {
			m[i.Args[1].Imm] = &phi{in: b, to: i.Args[0]}
		}
	}
	for _, b := range f.Blocks {
		for i := b.First(); i != nil; i = i.Next() {
			if i.Op == op.PHISRC {
				x := m[i.Args[1].Imm]
				x.sources = append(x.sources, i)
			}
		}
	}
	return m
}

// mixes reports whether threads that parted may bring different values to a
// PHI: those in blocks that run with some threads only, or that part at the end
// of one. From all others they come together. Where the PHI itself runs with some
// threads only they may be there at different times, as in a loop that they
// leave one after the other.
func (u *Uniformity) mixes(x *phi) bool {
	var first *ori.Operand
	for _, i := range x.sources {
		if b := i.Block(); !u.blocks[x.in.ID] && !u.blocks[b.ID] && !u.parts[b.ID] {
			continue
		}
		if first == nil {
			first = &i.Args[2]
		} else if *first != i.Args[2] {
			return true
		}
	}
	return false
}
