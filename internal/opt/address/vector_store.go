package address

import (
	"cmp"
	"slices"

	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// VectorStores joins stores of neighbouring words into one wide store, where the
// address is known to be a multiple of its size:
//
//	STS [r0+0x0], r1         COPY r9[0] = r1
//	STS [r0+0x4], r2         COPY r9[1] = r2
//	                         STS.64 [r0+0x0], r9
//
// The wide store stands where the last of them stood, so nothing between may
// touch those bytes.
func VectorStores(f *ori.Func, spread int) bool {
	w := &storer{f: f, v: opt.ValuesOf(f), alias: flow.AliasOf(f)}
	w.align.v = w.v
	j := joiner{
		takes: isPlainStore, same: sameStore, disturbs: w.disturbs, at: place, words: words,
		zeros: func(i *ori.Instr) int { return max(w.align.zeros(*place(i)), w.proved(i)) }, spread: spread,
	}
	return j.widen(f, w.widen)
}

type storer struct {
	f     *ori.Func
	v     *opt.Values
	alias *flow.Alias
	align aligner
	known []aligned // by accesses of the function; nil until somebody asks
}

// isPlainStore reports whether i is a store of whole words that may be part of
// a larger one: nobody else sees how it writes.
func isPlainStore(i *ori.Instr) bool {
	if i.Op != op.STG && i.Op != op.STS || i.NDst != 0 || len(i.Args) < 2 || place(i).Kind != ori.KAddr {
		return false
	}
	for _, m := range i.Mods {
		switch m {
		case op.NoMod, op.ME, op.M64:
		default:
			return false
		}
	}
	v := value(i)
	return v.Flags == 0 && (v.Kind == ori.KReg && v.Class == ori.R || v.Kind == ori.KZero && !i.Mods.Has(op.M64))
}

// place and value are the address and what is stored there.
func place(i *ori.Instr) *ori.Operand { return &i.Args[len(i.Args)-2] }
func value(i *ori.Instr) *ori.Operand { return &i.Args[len(i.Args)-1] }

// words is how many words a store writes.
func words(i *ori.Instr) int64 { return int64(max(1, value(i).N)) }

// sameStore reports whether two stores differ only in width, offset and value.
func sameStore(a, b *ori.Instr) bool {
	x, y := *place(a), *place(b)
	x.Imm, y.Imm = 0, 0
	return a.Op == b.Op && len(a.Args) == len(b.Args) && x == y && a.Guard == b.Guard &&
		a.Mods.Without(op.M64) == b.Mods.Without(op.M64) && (len(a.Args) == 2 || a.Args[0] == b.Args[0])
}

// disturbs reports whether the stores cannot wait until behind i.
func (w *storer) disturbs(i *ori.Instr, list run) bool {
	if i.Op.Has(op.Effect|op.Terminator) || i.Op.Has(op.Convergent) && i.Op.Has(op.Reads|op.Writes) {
		return true
	}
	at, guard := place(list[0].Instr), &list[0].Guard
	for _, d := range i.Dsts() {
		if d.HasReg() && (at.Reg != ori.NoReg && d.Reg == at.Reg || guard.HasReg() && d.Reg == guard.Reg) {
			return true
		}
	}
	p := w.alias.Of(i)
	if p == nil {
		return i.Op.Has(op.Writes)
	}
	return slices.ContainsFunc(list, func(s access) bool {
		q := w.alias.Of(s.Instr)
		return q == nil || p.Space&q.Space != 0 && (p.Strict || !p.Disjoint(q))
	})
}

// aligned is an address that some access proves to be a multiple: PTX has no
// others for it.
type aligned struct {
	base  ori.Operand // without its offset
	block *ori.Block
	zeros int
}

// proved returns how many low bits of the address of i are zero because an access
// that always happens where it does is as wide.
func (w *storer) proved(i *ori.Instr) int {
	base := *place(i)
	base.Imm = 0
	if !base.HasReg() || !w.v.Stable(registerOf(base)) {
		return 0
	}
	if w.known == nil {
		w.known = w.evidence()
	}
	n := 0
	dom := flow.DomOf(w.f)
	for _, x := range w.known {
		if x.zeros > n && x.base == base && dom.Dominates(x.block, i.Block()) {
			n = x.zeros
		}
	}
	return n
}

// registerOf is the register of an address.
func registerOf(a ori.Operand) ori.Operand {
	return ori.Operand{Kind: ori.KReg, Class: a.Class, Reg: a.Reg, Sub: a.Sub, N: a.N}
}

// evidence lists what wide accesses prove.
func (w *storer) evidence() []aligned {
	list := []aligned{} // found, though perhaps nothing
	for _, b := range w.f.Blocks {
		for i := range b.Instrs {
			a, ok := flow.AccessOf(i)
			if !ok || !a.Plain || i.Guard.Kind != ori.KNone || a.Hi-a.Lo < 8 {
				continue
			}
			for _, o := range i.Srcs() {
				if o.Kind == ori.KAddr && o.HasReg() && o.Imm%(a.Hi-a.Lo) == 0 {
					o.Imm = 0
					list = append(list, aligned{o, b, log(a.Hi - a.Lo)})
				}
			}
		}
	}
	return list
}

// widen replaces stores by one of so many bytes.
func (w *storer) widen(list run, size int64) {
	f := w.f
	last := slices.MaxFunc(list, func(a, b access) int { return cmp.Compare(a.at, b.at) })
	r := f.NewReg(ori.R, int(size/4))
	srcs := append([]ori.Operand(nil), last.Srcs()...)
	srcs[len(srcs)-2].Imm = place(list[0].Instr).Imm
	srcs[len(srcs)-1] = f.Words(r)
	wide := f.NewInstr(last.Op, withWidth(last.Mods, size), nil, srcs)
	wide.Guard, wide.Line, wide.Loc = last.Guard, last.Line, last.Loc
	word := 0
	for _, i := range list {
		for k := range int(words(i.Instr)) {
			s := *value(i.Instr)
			if s.Kind == ori.KReg {
				s.Sub, s.N = s.Sub+uint8(k), 1
			}
			c := f.NewInstr(op.COPY, op.Mods{}, []ori.Operand{f.Word(r, word)}, []ori.Operand{s})
			c.Line, c.Loc = i.Line, i.Loc
			i.Block().InsertBefore(c, i.Instr)
			word++
		}
	}
	last.Block().InsertBefore(wide, last.Instr)
	for _, i := range list {
		i.Remove()
	}
}
