package machine

import (
	"slices"

	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// tf32Bits are the bits of a word that a product of tf32 looks at.
const tf32Bits = 0xffffe000

// IgnoredBits takes masks away, in SSA form, whose results only products of
// tf32 read: those look at the high 19 bits of their factors, whatever the
// others are. Programs that round to tf32 themselves leave such masks; the
// reference has none either.
//
//	LOP3 d = x & 0xffffe000; HMMA.1688.F32.TF32 … d        HMMA.1688.F32.TF32 … x
func IgnoredBits(f *ori.Func) bool {
	if !f.Props.SSA {
		return false
	}
	v := opt.ValuesOf(f)
	g := &ignorer{v: v}
	g.factors(f)
	if g.high == nil {
		return false
	}
	changed := false
	for _, b := range slices.Backward(flow.DomOf(f).Order.Blocks) {
		for i := b.Last(); i != nil; i = i.Prev() {
			if !g.passes(i) || !g.only(i.Args[0]) {
				continue
			}
			if i.Op == op.LOP3 {
				if !f.Should("ignored bits", i) {
					continue
				}
				x := i.Args[1]
				i.Op, i.Mods = op.COPY, op.Mods{}
				f.SetArgs(i, []ori.Operand{i.Args[0]}, []ori.Operand{x})
				changed = true
			}
			for _, s := range i.Srcs() {
				g.read(s)
			}
		}
	}
	return f.Touched(changed)
}

// ignorer counts who looks at the high bits of words only.
type ignorer struct {
	v    *opt.Values
	high []int32 // by word: readers of its high bits alone
}

// factors counts the products of tf32.
func (g *ignorer) factors(f *ori.Func) {
	for _, b := range f.Blocks {
		for i := b.First(); i != nil; i = i.Next() {
			if i.Op != op.HMMA || !i.Mods.Has(op.MTF32) {
				continue
			}
			if g.high == nil {
				g.high = make([]int32, len(g.v.Def))
			}
			g.read(i.Srcs()[0])
			g.read(i.Srcs()[1])
		}
	}
}

// read counts a reader of the high bits of a.
func (g *ignorer) read(a ori.Operand) {
	if a.Kind != ori.KReg || a.Class != ori.R {
		return
	}
	w := g.v.Word(&a)
	for n := range int32(max(1, a.N)) {
		g.high[w+n]++
	}
}

// only reports whether nobody looks at the low bits of a result.
func (g *ignorer) only(d ori.Operand) bool {
	w := g.v.Word(&d)
	return g.high[w] > 0 && g.high[w] == g.v.Reads[w] && g.v.IsValue(w)
}

// passes reports whether the high bits of i's result are those of its sources.
func (g *ignorer) passes(i *ori.Instr) bool {
	if i.Guard.Kind != ori.KNone || i.NDst != 1 || i.Args[0].Kind != ori.KReg || i.Args[0].Class != ori.R || i.Args[0].N > 1 {
		return false
	}
	for _, s := range i.Srcs() {
		if s.Class == ori.R && s.Flags != 0 {
			return false
		}
	}
	switch i.Op {
	case op.COPY, op.SEL:
		return i.Mods == op.Mods{}
	case op.LOP3:
		return len(i.Args) == 5 && i.Args[1].Kind == ori.KReg && i.Args[1].Class == ori.R && i.Args[2].Kind == ori.KImm &&
			uint32(i.Args[2].Imm)&tf32Bits == tf32Bits && i.Args[3].Kind == ori.KZero && i.Args[4].Is(0xc0)
	}
	return false
}
