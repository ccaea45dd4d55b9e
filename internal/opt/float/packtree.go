package float

import (
	"maps"

	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// packing is what PackHalves knows of a function, and of the operations that
// it is about to do two at a time.
type packing struct {
	v    *opt.Values
	fits func(*ori.Instr) bool
	far  int // see PackHalves

	block *ori.Block      // of all operations
	steps []step          // in an order in which each has its sources
	joins map[[2]half]int // steps that put words together
	gain  int             // instructions less

	at   map[*ori.Instr]int32 // where instructions of a block stand
	atIn *ori.Block
}

// step is an instruction that comes into being: an operation behind the later of the two
// whose place it takes, or a word that is put together before the first who reads it.
type step struct {
	i, at     *ori.Instr
	low, high *ori.Instr // nil where it puts halves together
}

// deepest is how many operations one behind the other are followed.
const deepest = 2000

// ops returns the operations on halves of the same kind that make two halves for one
// reader each, or nil.
func (p *packing) ops(x, y half) (low, high *ori.Instr) {
	low, high = halfOp(p.v, x.word), halfOp(p.v, y.word)
	if low == nil || high == nil || low == high || low.Op != high.Op || low.Mods != high.Mods || len(low.Args) != len(high.Args) {
		return nil, nil
	}
	return low, high
}

// sources returns what two operations read, as one that is to stand at an instruction: low
// for the low half of a result, of which it gave its high half if lowHigh.
func (p *packing) sources(at, low, high *ori.Instr, lowHigh, highHigh bool, depth int) ([]ori.Operand, bool) {
	srcs := make([]ori.Operand, 0, len(low.Args)-1)
	for n, x := range low.Srcs() {
		a, ok := p.both(at, lane(x, lowHigh), lane(high.Srcs()[n], highHigh), depth)
		if !ok {
			return nil, false
		}
		srcs = append(srcs, a)
	}
	return srcs, true
}

// both returns the operand whose halves are x and y, read at an instruction; it may be that of a step.
func (p *packing) both(at *ori.Instr, x, y half, depth int) (ori.Operand, bool) {
	if a, ok := lanes(p.v, x, y); ok && p.v.Stable(a) {
		return a, true
	}
	signs := x.word.Flags
	if y.word.Flags != signs || depth > deepest {
		return x.word, false
	}
	x.word.Flags, y.word.Flags = 0, 0
	if !opt.Plain(x.word) || !opt.Plain(y.word) || !p.v.Stable(x.word) || !p.v.Stable(y.word) {
		return x.word, false
	}
	d, ok := p.operation(x, y, depth)
	if !ok {
		d, ok = p.join(at, x, y)
	}
	d.Flags = signs
	return d, ok
}

// operation returns the result of two operations that are done as one.
func (p *packing) operation(x, y half, depth int) (d ori.Operand, ok bool) {
	low, high := p.ops(x, y)
	if low == nil || low.Block() != p.block || high.Block() != p.block {
		return d, false
	}
	at := p.later(low, high)
	if at == nil {
		return d, false
	}
	steps, gain := len(p.steps), p.gain
	if srcs, ok := p.sources(at, low, high, x.high, y.high, depth+1); ok {
		f := p.v.Func
		d = f.Word(f.NewReg(ori.R, 1), 0)
		i := f.NewInstr(low.Op, packed(low), []ori.Operand{d}, srcs)
		i.Line, i.Loc = low.Line, low.Loc
		if p.fits(i) {
			p.steps, p.gain = append(p.steps, step{i, at, low, high}), p.gain+1
			return d, true
		}
	}
	p.steps, p.gain = p.steps[:steps], gain
	maps.DeleteFunc(p.joins, func(_ [2]half, n int) bool { return n >= steps })
	return d, false
}

// join returns a word with two halves of others.
func (p *packing) join(at *ori.Instr, x, y half) (ori.Operand, bool) {
	k := [2]half{x, y}
	if n, ok := p.joins[k]; ok {
		s := &p.steps[n]
		if p.later(s.at, at) == s.at {
			s.at = at
		}
		return s.i.Args[0], true
	}
	f := p.v.Func
	d, pick := f.Word(f.NewReg(ori.R, 1), 0), uint32(0x5410)
	if x.high {
		pick += 0x22
	}
	if y.high {
		pick += 0x2200
	}
	s := f.NewInstr(op.PRMT, op.Mods{}, []ori.Operand{d}, []ori.Operand{x.word, ori.Imm32(pick), y.word})
	s.Line, s.Loc = at.Line, at.Loc
	p.joins[k] = len(p.steps)
	p.steps, p.gain = append(p.steps, step{i: s, at: at}), p.gain-1
	return d, true
}

// later returns the one of two instructions of a block that stands behind the
// other, or nil where that is not known.
func (p *packing) later(i, j *ori.Instr) *ori.Instr {
	if i == j {
		return i
	}
	if p.atIn != i.Block() {
		p.atIn, p.at = i.Block(), map[*ori.Instr]int32{}
		n := int32(0)
		for k := range p.atIn.Instrs {
			p.at[k], n = n, n+1
		}
	}
	a, ok := p.at[i]
	b, also := p.at[j]
	switch {
	case !ok || !also:
		return nil
	case a < b:
		return j
	}
	return i
}
