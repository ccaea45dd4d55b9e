package address

import (
	"math/bits"

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
// may write those bytes, nor may they be further apart than spread.
func VectorLoads(f *ori.Func, spread int) bool {
	w := &widener{f: f, v: opt.ValuesOf(f), alias: flow.AliasOf(f)}
	w.align.v = w.v
	j := joiner{
		takes: func(i *ori.Instr) bool { return isJoinable(i) && w.v.Stable(i.Args[0]) }, same: sameAddress, disturbs: w.disturbs,
		at: address, words: func(i *ori.Instr) int64 { return int64(i.Args[0].N) },
		zeros: func(i *ori.Instr) int { return w.align.zeros(*address(i)) }, spread: spread,
	}
	return j.widen(f, w.widen)
}

type widener struct {
	f     *ori.Func
	v     *opt.Values
	alias *flow.Alias
	align aligner
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

// disturbs reports whether the loads cannot move over i.
func (w *widener) disturbs(i *ori.Instr, list run) bool {
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

// widen replaces loads by one of so many bytes.
func (w *widener) widen(list run, size int64) {
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
