package float

import (
	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// PackHalves does two operations on halves as one, where their results are put
// together:
//
//	HFMA2 a = x.H0_H0, y.H0_H0, z.H0_H0         HFMA2 d = x, y.H0_H0, z.H0_H0
//	HFMA2 b = x.H1_H1, y.H0_H0, z.H0_H0
//	PRMT d = a, 0x5410, b
//
// Every operand must be a half that both read, or the low and the high half of one word,
// which may be one that was put together before, or the results of two such operations that
// are done as one in their turn; else its halves are put together, if there are fewer of those
// than of operations that are saved.
// Where the results are put together in another block, as behind a loop that waits, the
// operation stays where it was: one word lives that long instead of two.
// fits tells whether an instruction has a form. far is how many instructions
// may stand between two that are done as one in another block than that of their reader.
func PackHalves(f *ori.Func, fits func(*ori.Instr) bool, far int) bool {
	p := &packing{v: opt.ValuesOf(f), fits: fits, far: far, joins: map[[2]half]int{}}
	changed := false
	var next *ori.Instr
	for _, b := range f.Blocks {
		for i := b.First(); i != nil; i = next {
			next = i.Next() // i may move
			if joinsHalves(i) {
				changed = p.pack(i) || changed
			}
		}
	}
	return f.Touched(changed)
}

// joinsHalves reports whether i may put halves of two words together.
func joinsHalves(i *ori.Instr) bool {
	return i.Op == op.PRMT && i.Guard.Kind == ori.KNone && i.NDst == 1 && len(i.Args) == 4 &&
		i.Args[2].Kind == ori.KImm && opt.Plain(i.Args[1]) && opt.Plain(i.Args[3])
}

// half is one half of a word.
type half struct {
	word ori.Operand // without a mark for a half
	high bool
}

// joined returns the half that i, which joins halves, puts in a half of its result.
func joined(i *ori.Instr, high bool) (half, bool) {
	pick := i.Args[2].Imm
	if high {
		pick >>= 8
	}
	switch pick & 0xff {
	case 0x10:
		return half{i.Args[1], false}, true
	case 0x32:
		return half{i.Args[1], true}, true
	case 0x54:
		return half{i.Args[3], false}, true
	case 0x76:
		return half{i.Args[3], true}, true
	}
	return half{}, false
}

// lane returns the half that an operation on halves reads of x for a half of
// its result.
func lane(x ori.Operand, high bool) half {
	if x.Flags&(ori.H0|ori.H1) != 0 {
		high = x.Flags&ori.H1 != 0
	}
	x.Flags &^= ori.H0 | ori.H1
	return half{x, high}
}

// mostJoins is how often a half is followed through words that were put
// together.
const mostJoins = 4

// origin follows a half to where it was first. Signs stay with the reader.
func (h half) origin(v *opt.Values) half {
	for range mostJoins {
		if h.word.Kind != ori.KReg || h.word.N > 1 {
			return h
		}
		flags, bare := h.word.Flags, h.word
		bare.Flags = 0
		i := v.Once(bare)
		if i == nil || !joinsHalves(i) {
			return h
		}
		from, ok := joined(i, h.high)
		if !ok || from.word.Kind != ori.KReg || !v.Stable(from.word) {
			return h
		}
		from.word.Flags |= flags
		h = from
	}
	return h
}

// pack makes i the operation whose two results it puts together.
func (p *packing) pack(i *ori.Instr) bool {
	l, ok := joined(i, false)
	h, also := joined(i, true)
	if !ok || !also {
		return false
	}
	low, high := p.ops(l, h)
	if low == nil {
		return false
	}
	behind, ok := p.place(i, low, high)
	if !ok {
		return false
	}
	p.block, p.steps, p.gain = low.Block(), p.steps[:0], 2
	clear(p.joins)
	at := behind
	if at == nil {
		at = i
	}
	srcs, ok := p.sources(at, low, high, l.high, h.high, 0)
	if !ok || p.gain <= 0 || len(p.steps) > 0 && !i.Block().Func().Should("halves", i) {
		return false
	}
	v := p.v
	was, wasOp, wasMods := i.Args, i.Op, i.Mods
	v.Count(i, -1)
	i.Op, i.Mods = low.Op, packed(low)
	v.Func.SetArgs(i, append([]ori.Operand(nil), i.Dsts()...), srcs)
	if ok = p.fits(i); !ok {
		i.Op, i.Mods, i.Args = wasOp, wasMods, was
	}
	if ok {
		v.Grow()
		for _, s := range p.steps {
			if s.low == nil {
				p.block.InsertBefore(s.i, s.at)
			} else {
				p.block.InsertAfter(s.i, s.at)
			}
			v.Count(s.i, 1)
		}
	}
	v.Count(i, 1)
	if ok {
		if behind != nil {
			i.Remove()
			behind.Block().InsertAfter(i, behind)
		}
		v.Remove(low)
		v.Remove(high)
		for n := len(p.steps) - 1; n >= 0; n-- { // readers first
			if s := p.steps[n]; s.low != nil {
				v.Remove(s.low)
				v.Remove(s.high)
			}
		}
	}
	return ok
}

// packed are the modifiers of an operation on both halves: what stands in a
// pair is fused with nothing.
func packed(i *ori.Instr) op.Mods { return i.Mods.Without(op.MCONTRACT) }

// place returns behind which of low and high, if they stand in one other block,
// i is to stand as their operation; nil where it is.
func (p *packing) place(i, low, high *ori.Instr) (behind *ori.Instr, ok bool) {
	if low.Block() != high.Block() {
		return nil, false
	}
	if low.Block() == i.Block() {
		return nil, true
	}
	if d := i.Args[0]; !opt.Plain(d) || p.v.Once(d) != i {
		return nil, false
	}
	for x, y, n := low.Next(), high.Next(), 0; n < p.far && (x != nil || y != nil); n++ {
		if x == high {
			return high, true
		}
		if y == low {
			return low, true
		}
		if x != nil {
			x = x.Next()
		}
		if y != nil {
			y = y.Next()
		}
	}
	return nil, false
}

// halfOp returns the operation on halves whose result nobody but the reader of
// a looks at, or nil.
func halfOp(v *opt.Values, a ori.Operand) *ori.Instr {
	i := v.Once(a)
	if i == nil || i.Guard.Kind != ori.KNone || i.NDst != 1 || v.ReadsOf(a) != 1 || i.Mods.Has(op.MF32) {
		return nil
	}
	switch i.Op {
	case op.HFMA2, op.HADD2, op.HMUL2:
		return i
	}
	return nil
}

// lanes returns the operand whose halves are x and y.
func lanes(v *opt.Values, x, y half) (ori.Operand, bool) {
	if x.word.Kind == ori.KZero && x.word == y.word {
		return x.word, true
	}
	for _, p := range [...][2]half{{x, y}, {x.origin(v), y.origin(v)}} {
		a := p[0].word
		switch {
		case a != p[1].word || a.Kind != ori.KReg || a.N > 1:
			continue
		case p[0].high && p[1].high:
			a.Flags |= ori.H1
		case p[0].high: // the machine cannot cross them
			continue
		case !p[1].high:
			a.Flags |= ori.H0
		}
		return a, true
	}
	other := func(h half) half { return half{h.word, !h.high}.origin(v) }
	switch {
	case x.word.Kind != ori.KReg || y.word.Kind != ori.KReg || x.word.N > 1 || y.word.N > 1:
		return x.word, false
	case !x.high && other(x) == y.origin(v):
		return x.word, true
	case y.high && other(y) == x.origin(v):
		return y.word, true
	}
	return x.word, false
}
