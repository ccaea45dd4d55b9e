package float

import (
	"slices"

	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// PackFloats does what PTX asks for on both words of a pair at once:
//
//	FADD.PAIRED d[0] = a[0], -b        FADD2 d[0:2] = a[0:2], -b
//	FADD.PAIRED d[1] = a[1], -b
//
// Until here the words went their own ways, so that constants, signs and fused
// products were found. Words that do not lie side by side are copied to where
// they do; the allocator puts most of them there to begin with. A word that
// both halves read stands for both.
func PackFloats(f *ori.Func) bool {
	p := &packer{f: f}
	changed := false
	for _, b := range f.Blocks {
		p.made = p.made[:0]
		for j := range b.Instrs {
			if j.Mods.Has(op.MPAIRED) && f.Should("pairs", j) {
				if i := partnerOf(j); i != nil && p.pack(i, j) {
					changed = true
				}
			}
			p.forget(j)
		}
	}
	return f.Touched(changed)
}

// packer packs the pairs of a function.
type packer struct {
	f    *ori.Func
	made []madePair // in the block, whose words still hold what they were made of
}

// madePair is a pair of registers that two words were copied to.
type madePair struct{ low, high, pair ori.Operand }

// pairs are the operations that work on two words.
var pairs = [...]struct{ one, two op.Op }{{op.FADD, op.FADD2}, {op.FMUL, op.FMUL2}, {op.FFMA, op.FFMA2}}

// maxBetween is how many instructions may stand between two of a pair.
const maxBetween = 12

// partnerOf returns the other of the pair before j, if it may be done in the place of j, or
// nil.
func partnerOf(j *ori.Instr) *ori.Instr {
	n := 0
	for i := j.Prev(); i != nil && n < maxBetween; i = i.Prev() {
		n++
		if i.Op != j.Op || i.Mods != j.Mods || i.Line != j.Line || i.Guard != j.Guard || len(i.Args) != len(j.Args) || i.NDst != 1 {
			continue
		}
		if touches(j, i.Args[0]) {
			return nil
		}
		for k := i.Next(); k != j; k = k.Next() {
			if touches(k, i.Args[0]) || writesSource(k, i) {
				return nil
			}
		}
		return i
	}
	return nil
}

// overlap reports whether two operands name a common word of a register.
func overlap(a, b ori.Operand) bool {
	if !a.HasReg() || !b.HasReg() || a.Class != b.Class || a.Reg != b.Reg {
		return false
	}
	x, n := a.Part()
	y, m := b.Part()
	return x < y+m && y < x+n
}

// touches reports whether i reads, leaves or writes d.
func touches(i *ori.Instr, d ori.Operand) bool {
	if overlap(i.Guard, d) {
		return true
	}
	for _, a := range i.Old {
		if overlap(a, d) {
			return true
		}
	}
	for _, a := range i.Args {
		if overlap(a, d) {
			return true
		}
	}
	return false
}

// writesSource reports whether j writes what i reads or leaves.
func writesSource(j, i *ori.Instr) bool {
	for _, d := range j.Dsts() {
		if overlap(d, i.Guard) {
			return true
		}
		for _, s := range slices.Concat(i.Srcs(), i.Old) {
			if overlap(d, s) {
				return true
			}
		}
	}
	return false
}

// pack does j and i, the other of the pair before it, in the place of j.
func (p *packer) pack(i, j *ori.Instr) bool {
	o := op.None
	for _, k := range &pairs {
		if k.one == i.Op {
			o = k.two
		}
	}
	if o == op.None {
		return false
	}
	for n, s := range i.Srcs() {
		if s.Flags != j.Srcs()[n].Flags || !packable(s) || !packable(j.Srcs()[n]) {
			return false
		}
	}
	if len(i.Old) != len(j.Old) || len(i.Old) > 0 && i.Old[0].Kind != j.Old[0].Kind {
		return false
	}
	srcs := make([]ori.Operand, 0, 3)
	for n, s := range i.Srcs() {
		srcs = append(srcs, p.source(j, s, j.Srcs()[n]))
	}
	low, high := i.Args[0], j.Args[0]
	pair := opt.Join(low)
	direct := opt.IsPair(low, high)
	if !direct {
		pair = p.f.Words(p.f.NewReg(ori.R, 2))
	}
	x := p.f.NewInstr(o, i.Mods.Without(op.MPAIRED).Without(op.MCONTRACT), []ori.Operand{pair}, srcs)
	x.Line, x.Guard = j.Line, j.Guard
	guard := j.Guard
	if len(j.Old) > 0 { // the pair is whole whether the guard holds or not
		x.Old, guard = []ori.Operand{p.old(j, i.Old[0], j.Old[0])}, ori.Operand{}
	}
	j.Block().InsertBefore(x, j)
	if !direct {
		p.copy(j, low, word(pair, 0)).Guard = guard
		p.copy(j, high, word(pair, 1)).Guard = guard
	}
	p.forget(i)
	i.Remove()
	j.Remove()
	return true
}

// old returns the pair of two words that j leaves where its guard does not hold.
func (p *packer) old(j *ori.Instr, low, high ori.Operand) ori.Operand {
	if low.Kind == ori.KNone {
		return low
	}
	return p.pair(j, low, high)
}

// packable reports whether a source is a word of a register or a number.
func packable(s ori.Operand) bool {
	switch s.Kind {
	case ori.KReg:
		return s.Class == ori.R && s.N == 1
	case ori.KImm, ori.KZero:
		return true
	}
	return false
}

// source returns the pair of two words that j reads.
func (p *packer) source(j *ori.Instr, low, high ori.Operand) ori.Operand {
	if low == high {
		return low
	}
	flags := low.Flags
	low.Flags, high.Flags = 0, 0
	pair := p.pair(j, low, high)
	pair.Flags = flags
	return pair
}

// pair returns a register, or a part of one, with two words side by side before j.
func (p *packer) pair(j *ori.Instr, low, high ori.Operand) ori.Operand {
	if opt.IsPair(low, high) {
		return opt.Join(low)
	}
	for n := range p.made {
		if m := &p.made[n]; m.low == low && m.high == high {
			return m.pair
		}
	}
	pair := p.f.Words(p.f.NewReg(ori.R, 2))
	p.copy(j, word(pair, 0), low)
	p.copy(j, word(pair, 1), high)
	p.made = append(p.made, madePair{low, high, pair})
	return pair
}

// word is one of the words of a pair.
func word(pair ori.Operand, n uint8) ori.Operand {
	pair.Sub, pair.N = pair.Sub+n, 1
	return pair
}

// copy puts a word elsewhere, before at.
func (p *packer) copy(at *ori.Instr, to, from ori.Operand) *ori.Instr {
	x := p.f.NewInstr(op.COPY, op.Mods{}, []ori.Operand{to}, []ori.Operand{from})
	x.Line = at.Line
	return at.Block().InsertBefore(x, at)
}

// forget drops the pairs made of words that i writes.
func (p *packer) forget(i *ori.Instr) {
	if len(p.made) == 0 {
		return
	}
	keep := p.made[:0]
	for _, m := range p.made {
		stays := true
		for _, d := range i.Dsts() {
			stays = stays && !overlap(d, m.low) && !overlap(d, m.high)
		}
		if stays {
			keep = append(keep, m)
		}
	}
	p.made = keep
}
