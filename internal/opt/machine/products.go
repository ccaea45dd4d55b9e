package machine

import (
	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// WholeProducts makes one product, in SSA form, of the two halves that a block
// computes apart: generators of random numbers and hashes multiply so.
//
//	IMAD.HI.U32 h = a, b, rz        IMAD.WIDE.U32 w = a, b, rz
//	IMAD        l = a, b, rz        COPY h = w[1]
//	                                COPY l = w[0]
//
// The multiplier is as long at the whole as at the high word.
func WholeProducts(f *ori.Func) bool {
	if !f.Props.SSA {
		return false
	}
	var halves map[factors]*ori.Instr
	changed := false
	for _, b := range f.Blocks {
		if !hasHigh(b) {
			continue
		}
		if halves == nil {
			halves = map[factors]*ori.Instr{}
		}
		clear(halves)
		v := flow.ValuesOf(f)
		for i := range b.Instrs {
			at, ok := factorsOf(v, i)
			if !ok {
				continue
			}
			j := halves[at]
			switch {
			case j == nil:
				halves[at] = i
			case j.Mods.Has(op.MHI) != i.Mods.Has(op.MHI) && f.Should("product", i):
				whole(f, j, i)
				changed = true
				delete(halves, at)
			}
		}
	}
	return f.Touched(changed)
}

// factors are those of a product, in the order of the instruction that came first.
type factors [2]ori.Operand

// hasHigh reports whether b computes the high word of a product.
func hasHigh(b *ori.Block) bool {
	for i := range b.Instrs {
		if i.Op == op.IMAD && i.Mods.Has(op.MHI) {
			return true
		}
	}
	return false
}

// factorsOf returns those of i, if it is half of a product that nothing is added to.
func factorsOf(v *flow.Values, i *ori.Instr) (at factors, ok bool) {
	if i.Op != op.IMAD || i.NDst != 1 || len(i.Args) != 4 || i.Guard.Kind != ori.KNone || !opt.Plain(i.Args[0]) || !opt.IsZero(i.Args[3]) || i.Args[3].Flags != 0 ||
		i.Mods != (op.Mods{}) && i.Mods != op.M(op.MHI) && i.Mods != op.M(op.MHI, op.MU32) {
		return at, false
	}
	at = factors{i.Args[1], i.Args[2]}
	for _, a := range at {
		if a.Kind != ori.KImm && (!opt.Plain(a) || !v.Stable(a)) {
			return at, false
		}
	}
	if swaps(at) {
		at[0], at[1] = at[1], at[0]
	}
	return at, true
}

// swaps gives equal factors one order: constants behind registers, registers by their numbers.
func swaps(at factors) bool {
	x, y := at[0], at[1]
	switch {
	case x.Kind != y.Kind:
		return x.Kind == ori.KImm
	case x.Kind == ori.KImm:
		return x.Imm > y.Imm
	}
	return x.Reg > y.Reg || x.Reg == y.Reg && x.Sub > y.Sub
}

// whole makes the product of which i and j are the halves, where the first of them, i, stands.
func whole(f *ori.Func, i, j *ori.Instr) {
	m := i.Mods
	if !m.Has(op.MHI) {
		m = j.Mods
	}
	w := f.NewReg(ori.R, 2)
	half := func(k *ori.Instr) ori.Operand {
		o := f.Words(w)
		o.N = 1
		if k.Mods.Has(op.MHI) {
			o.Sub = 1
		}
		return o
	}
	first, second := half(i), half(j)
	copied := f.NewInstr(op.COPY, op.Mods{}, []ori.Operand{i.Args[0]}, []ori.Operand{first})
	copied.Line, copied.Loc = i.Line, i.Loc
	i.Block().InsertAfter(copied, i)
	dst := j.Args[0]
	j.Op, j.Mods = op.COPY, op.Mods{}
	f.SetArgs(j, []ori.Operand{dst}, []ori.Operand{second})
	i.Mods = op.M(op.MWIDE)
	if m.Has(op.MU32) {
		i.Mods = op.M(op.MWIDE, op.MU32)
	}
	f.SetArgs(i, []ori.Operand{f.Words(w)}, append([]ori.Operand(nil), i.Srcs()...))
}
