package address

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// VectorLoads joins loads of neighbouring words into one wide load, where the
// address is known to be a multiple of its size:
//
//	LDS r1 = [r0+0x0]        LDS.64 r9 = [r0+0x0]
//	LDS r2 = [r0+0x4]        COPY r1 = r9[0]
//	                         COPY r2 = r9[1]
//
// The wide load stands where the first of them stood, so nothing between
// may write those bytes.
func VectorLoads(f *ori.Func) bool {
	w := &widener{f: f, v: opt.ValuesOf(f), alias: flow.AliasOf(f)}
	w.align.v = w.v
	for _, b := range f.Blocks {
		w.block(b)
	}
	for _, j := range w.joins {
		if f.Should("widen", j.list[0].Instr) {
			w.widen(j.list, j.size)
		}
	}
	if len(w.joins) > 0 {
		f.Touch()
	}
	return len(w.joins) > 0
}

// maxSpread is how many instructions apart two loads are still joined:
// further apart the register waiting for its reader costs more than the
// load.
const maxSpread = 48

type widener struct {
	f      *ori.Func
	v      *opt.Values
	alias  *flow.Alias
	align  aligner
	groups []loads
	joins  []wideLoad // found, to be made when nothing is asked any more
}

// wideLoad is a run of loads that becomes one of so many bytes.
type wideLoad struct {
	list loads
	size int64
}

// loads are loads of one block from one base, with nothing between the
// first and the last that could write what they read.
type loads []load

// load is one of them with its position in the block.
type load struct {
	*ori.Instr
	at int
}

// block finds loads to join in a block.
func (w *widener) block(b *ori.Block) {
	w.groups = w.groups[:0]
	n := 0
	for i := range b.Instrs {
		n++
		w.close(i)
		if isJoinable(i) && w.v.Stable(i.Args[0]) {
			w.add(i, n)
		}
	}
	w.close(nil)
}

// isJoinable reports whether i is a load of whole words that may be part of
// a larger one.
func isJoinable(i *ori.Instr) bool { return isPlainLoad(i) && !i.Mods.Has(op.M128) }

// isPlainLoad reports whether i is a load of whole words that may be made
// wider or narrower: nobody else sees how it reads.
func isPlainLoad(i *ori.Instr) bool {
	if !i.Op.Has(op.Plain) || i.Op.Space() == op.SpaceGeneric || i.Op.Has(op.Writes) {
		return false
	}
	if i.NDst != 1 || i.Guard.Kind != ori.KNone || i.Args[0].Kind != ori.KReg {
		return false
	}
	for _, m := range i.Mods {
		switch m {
		case op.NoMod, op.ME, op.M64, op.M128, op.MCONSTANT:
		default:
			return false
		}
	}
	return i.Args[len(i.Args)-1].Kind == ori.KAddr
}

// address returns the address operand of a load.
func address(i *ori.Instr) *ori.Operand { return &i.Args[len(i.Args)-1] }

// sameAddress reports whether two loads differ only in width and offset.
func sameAddress(a, b *ori.Instr) bool {
	x, y := *address(a), *address(b)
	x.Imm, y.Imm = 0, 0
	return a.Op == b.Op && len(a.Args) == len(b.Args) && x == y && a.Mods.Without(op.M64) == b.Mods.Without(op.M64) &&
		(len(a.Args) == 2 || a.Args[1] == b.Args[1])
}

// add puts i into the group of its like.
func (w *widener) add(i *ori.Instr, n int) {
	for k := range w.groups {
		if g := &w.groups[k]; sameAddress((*g)[0].Instr, i) {
			*g = append(*g, load{i, n})
			return
		}
	}
	w.groups = append(w.groups, loads{{i, n}})
}

// close ends the groups that cannot grow beyond i, all if it is nil.
func (w *widener) close(i *ori.Instr) {
	keep := w.groups[:0]
	for _, g := range w.groups {
		if i != nil && !w.disturbs(i, g) {
			keep = append(keep, g)
			continue
		}
		w.join(g)
	}
	w.groups = keep
}

// disturbs reports whether the loads cannot move over i.
func (w *widener) disturbs(i *ori.Instr, list loads) bool {
	if i.Op.Has(op.Effect|op.Terminator) || i.Op.Has(op.Convergent) && i.Op.Has(op.Reads|op.Writes) {
		return true
	}
	base := address(list[0].Instr)
	for _, d := range i.Dsts() {
		if d.HasReg() && base.Reg != ori.NoReg && d.Reg == base.Reg {
			return true
		}
	}
	p, q := w.alias.Of(i), w.alias.Of(list[0].Instr)
	if p == nil || q == nil {
		return i.Op.Has(op.Writes)
	}
	return p.Space&q.Space != 0 && (p.Strict || p.Write && !q.Frozen)
}

// join looks for neighbours.
func (w *widener) join(list loads) {
	if len(list) < 2 {
		return
	}
	zeros := w.align.zeros(*address(list[0].Instr))
	if zeros < 3 {
		return
	}
	slices.SortStableFunc(list, func(a, b load) int { return cmp.Compare(address(a.Instr).Imm, address(b.Instr).Imm) })
	for n := 0; n < len(list); {
		taken := 1
		for _, size := range [...]int64{16, 8} {
			if k := w.run(list[n:], size); k > 1 && zeros >= log(size) && address(list[n].Instr).Imm%size == 0 {
				w.joins = append(w.joins, wideLoad{list[n : n+k], size})
				taken = k
				break
			}
		}
		n += taken
	}
}

// log and width are the low zero bits of a multiple of size, and its
// modifier.
func log(size int64) int { return bits.TrailingZeros64(uint64(size)) }

func width(size int64) op.Mod {
	switch size {
	case 16:
		return op.M128
	case 8:
		return op.M64
	}
	return op.NoMod
}

// withWidth returns the modifiers of a plain load, at its width in bytes.
func withWidth(m op.Mods, size int64) op.Mods {
	frozen := m.Has(op.MCONSTANT)
	m = m.Without(op.M64).Without(op.M128).Without(op.MCONSTANT)
	if w := width(size); w != op.NoMod {
		m = m.With(w)
	}
	if frozen {
		m = m.With(op.MCONSTANT)
	}
	return m
}

// run returns how many loads at the beginning of the list read size bytes
// without a gap and stand near each other, or 0.
func (w *widener) run(list loads, size int64) int {
	at := address(list[0].Instr).Imm
	end := at + size
	first, last := list[0].at, list[0].at
	for n, i := range list {
		first, last = min(first, i.at), max(last, i.at)
		if address(i.Instr).Imm != at || last-first > maxSpread {
			return 0
		}
		if at += 4 * int64(i.Args[0].N); at == end {
			return n + 1
		} else if at > end {
			return 0
		}
	}
	return 0
}

// widen replaces loads by one of so many bytes.
func (w *widener) widen(list loads, size int64) {
	first := list[0]
	for _, i := range list {
		if i.at < first.at {
			first = i
		}
	}
	f := w.f
	mods := withWidth(first.Mods, size)
	r := f.NewReg(ori.R, int(size/4))
	srcs := append([]ori.Operand(nil), first.Srcs()...)
	srcs[len(srcs)-1].Imm = address(list[0].Instr).Imm
	wide := f.NewInstr(first.Op, mods, []ori.Operand{f.Words(r)}, srcs)
	wide.Line, wide.Loc = first.Line, first.Loc
	first.Block().InsertBefore(wide, first.Instr)
	word := 0
	for _, i := range list {
		for k := range int(i.Args[0].N) {
			d := i.Args[0]
			d.Sub, d.N = d.Sub+uint8(k), 1
			c := f.NewInstr(op.COPY, op.Mods{}, []ori.Operand{d}, []ori.Operand{f.Word(r, word)})
			c.Line, c.Loc = i.Line, i.Loc
			i.Block().InsertBefore(c, i.Instr)
			word++
		}
		i.Remove()
	}
}
