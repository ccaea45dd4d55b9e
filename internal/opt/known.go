package opt

import (
	"math/bits"

	"github.com/goptxas/goptxas/internal/engine/pool"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// bitSet is what is known of a word's bits: those that are certainly zero and certainly one.
type bitSet struct{ Zero, one uint32 }

// constantBits is the word v.
func constantBits(v uint32) bitSet { return bitSet{^v, v} }

// below is a word whose bits are in mask.
func below(mask uint32) bitSet { return bitSet{Zero: ^mask} }

// May returns the bits that may be one, the largest value the word can have.
func (b bitSet) May() uint32 { return ^b.Zero }

// either is what is known of a word that is one of two.
func (b bitSet) either(c bitSet) bitSet { return bitSet{b.Zero & c.Zero, b.one & c.one} }

// shl, shr and sar shift by a constant below 32.
func (b bitSet) shl(n uint32) bitSet { return bitSet{b.Zero<<n | (1<<n - 1), b.one << n} }
func (b bitSet) shr(n uint32) bitSet { return bitSet{^(^b.Zero >> n), b.one >> n} }
func (b bitSet) sar(n uint32) bitSet {
	return bitSet{uint32(int32(b.Zero) >> n), uint32(int32(b.one) >> n)}
}

// Knowledge finds what is known about the bits of words. A word that is
// written in several places is one of what they write.
type Knowledge struct {
	v      *Values
	head   []int32 // by word with several writers: the last, -1 = none
	writer []writer
	state  []uint8
	bits   []bitSet

	sources map[int64][]*ori.Instr // of each PHI, by its key
	log     []int32                // words answered, in their order
	nested  int                    // PHIs that something is assumed of
}

type writer struct {
	i    *ori.Instr
	next int32
}

// States of a word.
const (
	asked uint8 = 1 + iota // being computed: a word of a cycle is not known
	answered
)

// MaxDepth bounds how far back the bits of a word are followed.
const MaxDepth = 24

func NewKnowledge(f *ori.Func, v *Values) *Knowledge {
	n := len(v.Words)
	k := &Knowledge{v: v, head: pool.Make[int32](f.Scratch(), n), state: pool.Make[uint8](f.Scratch(), n), bits: pool.Make[bitSet](f.Scratch(), n)}
	for w := range k.head {
		k.head[w] = -1
	}
	for _, b := range f.Blocks {
		for i := b.First(); i != nil; i = i.Next() {
			if i.Op == op.PHISRC {
				if k.sources == nil {
					k.sources = map[int64][]*ori.Instr{}
				}
				k.sources[i.Args[1].Imm] = append(k.sources[i.Args[1].Imm], i)
			}
			for d := range i.NDst {
				if a := &i.Args[d]; a.Kind == ori.KReg && a.Class == ori.R {
					k.note(i, a)
				}
			}
		}
	}
	return k
}

func (k *Knowledge) note(i *ori.Instr, a *ori.Operand) {
	w := k.v.Word(a)
	for n := range int32(a.N) {
		if k.v.Words[w+n].Writes == 1 {
			continue // it is the word's Def
		}
		k.writer = append(k.writer, writer{i, k.head[w+n]})
		k.head[w+n] = int32(len(k.writer) - 1)
	}
}

// Of returns what is known of an operand's word.
func (k *Knowledge) Of(a *ori.Operand, depth int) bitSet {
	switch {
	case a.Flags == ori.Neg && a.Kind == ori.KReg: // zeros at the bottom stay
		b := *a
		b.Flags = 0
		return bitSet{Zero: 1<<bits.TrailingZeros32(^k.Of(&b, depth).Zero) - 1}
	case a.Flags&^ori.Inv != 0:
		return bitSet{}
	case a.Kind == ori.KReg && a.Class == ori.R && a.N == 1:
		b := k.word(k.v.Word(a), a.Reg, depth)
		if a.Flags != 0 {
			b.Zero, b.one = b.one, b.Zero
		}
		return b
	}
	if v, ok := Known(*a); ok {
		return constantBits(v)
	}
	return bitSet{}
}

func (k *Knowledge) word(w int32, r ori.Reg, depth int) bitSet {
	switch {
	case k.state[w] == answered:
		return k.bits[w]
	case k.state[w] == asked:
		return k.bits[w] // what a PHI is assumed to be
	case depth == 0 || k.v.Func.Regs[r].Fixed || k.head[w] < 0 && k.v.Words[w].Writes != 1:
		return bitSet{}
	}
	k.state[w] = asked
	b := bitSet{^uint32(0), ^uint32(0)}
	if k.head[w] < 0 {
		i := k.v.Words[w].Def
		b = b.either(k.result(i, w, depth-1)).either(k.left(i, w, depth-1))
	}
	for n := k.head[w]; n >= 0 && b != (bitSet{}); n = k.writer[n].next {
		i := k.writer[n].i
		b = b.either(k.result(i, w, depth-1))
		b = b.either(k.left(i, w, depth-1))
	}
	k.state[w], k.bits[w] = answered, b
	k.log = append(k.log, w)
	return b
}

// left returns what is known of word w where guarded i leaves it as it was.
func (k *Knowledge) left(i *ori.Instr, w int32, depth int) bitSet {
	for n, o := range i.Old {
		d := &i.Args[n]
		if d.Kind != ori.KReg || w < k.v.Word(d) || w >= k.v.Word(d)+int32(d.N) {
			continue
		}
		if o.Kind != ori.KReg { // anything
			return bitSet{}
		}
		o.Sub += uint8(w - k.v.Word(d))
		o.N = 1
		return k.Of(&o, depth)
	}
	return bitSet{^uint32(0), ^uint32(0)}
}

// Bounds on PHIs: how often something is assumed, and how many assumptions may
// hold at once.
const (
	maxAssumed = 4
	maxNesting = 2
)

// phi returns what is known of word w of a PHI: it is one of what comes. What
// comes around a loop depends on the PHI itself, so something is assumed, all
// at first, until what follows from it is not less. A counter has ever more
// bits, so from the second time on only zeros at the bottom are.
func (k *Knowledge) phi(i *ori.Instr, w int32, depth int) bitSet {
	if k.nested == maxNesting || k.state[w] != asked {
		return bitSet{}
	}
	k.nested++
	defer func() { k.nested-- }()
	all := bitSet{^uint32(0), ^uint32(0)}
	a := all
	for n := range maxAssumed {
		k.bits[w] = a
		mark := len(k.log)
		b := k.comes(i, w, depth)
		proved := b.Zero&a.Zero == a.Zero && b.one&a.one == a.one
		if proved && a != all {
			return a
		}
		for _, x := range k.log[mark:] {
			k.state[x], k.bits[x] = 0, bitSet{}
		}
		k.log = k.log[:mark]
		if proved { // nothing comes at all
			break
		}
		a = a.either(b)
		if n > 0 {
			a = bitSet{Zero: 1<<bits.TrailingZeros32(^a.Zero) - 1}
		}
	}
	k.bits[w] = bitSet{}
	return bitSet{}
}

// comes returns what is known of all that word w of a PHI may be.
func (k *Knowledge) comes(i *ori.Instr, w int32, depth int) bitSet {
	b := bitSet{^uint32(0), ^uint32(0)}
	for _, s := range k.sources[i.Args[1].Imm] {
		if s.Args[2].Kind != ori.KReg { // anything, and nobody decides what
			return bitSet{}
		}
		a := s.Args[2]
		a.Sub += uint8(w - k.v.Word(&i.Args[0]))
		a.N = 1
		b = b.either(k.Of(&a, depth))
	}
	return b
}

// result returns what is known of word w, a result of i.
func (k *Knowledge) result(i *ori.Instr, w int32, depth int) bitSet {
	d := &i.Args[0]
	if i.Op.Has(op.Reads) {
		return bitsOfLoad(i)
	}
	if i.Op == op.PHI {
		return k.phi(i, w, depth)
	}
	if i.Op == op.IADD3 && i.NDst == 2 && d.N == 1 && w == k.v.Word(d) { // with a carry
		return k.sum(i, depth)
	}
	if i.NDst != 1 || d.N != 1 {
		if (i.Op == op.COPY || i.Op == op.MOV) && i.NDst == 1 && i.Args[1].Kind == ori.KReg && i.Args[1].N == d.N && i.Args[1].Flags == 0 && i.Args[1].Class == ori.R {
			s := i.Args[1]
			s.Sub += uint8(w - k.v.Word(d))
			s.N = 1
			return k.Of(&s, depth)
		}
		if i.Op == op.IMAD && i.Mods.Has(op.MWIDE) && i.Mods.Has(op.MU32) && i.NDst == 1 && d.N == 2 {
			return k.wideProduct(i, w-k.v.Word(d), depth)
		}
		return bitSet{}
	}
	switch i.Op {
	case op.MOV, op.COPY:
		return k.move(i, depth)
	case op.LOP3:
		return k.logic(i, depth)
	case op.SHF:
		return k.shift(i, depth)
	case op.PRMT:
		return k.permute(i, depth)
	case op.SEL:
		return k.choice(i, depth)
	case op.IADD3:
		return k.sum(i, depth)
	case op.IMAD:
		return k.product(i, depth)
	case op.LEA:
		return k.scaledSum(i, depth)
	case op.S2R:
		return bitsOfSpecial(k.v.Func, i)
	case op.POPC:
		return below(63)
	case op.SGXT:
		return k.extension(i)
	case op.F2FP:
		return bitsOfPack(i)
	}
	return bitSet{}
}

// bitsOfLoad: loads of bytes and halves without sign fill with zeros.
func bitsOfLoad(i *ori.Instr) bitSet {
	switch {
	case i.NDst != 1 || i.Args[0].N != 1:
	case i.Mods.Has(op.MU8):
		return below(0xff)
	case i.Mods.Has(op.MU16):
		return below(0xffff)
	}
	return bitSet{}
}

func (k *Knowledge) move(i *ori.Instr, depth int) bitSet {
	if len(i.Args) != 2 {
		return bitSet{}
	}
	return k.Of(&i.Args[1], depth)
}

// logic looks at every entry of the table: a bit may be one if the
// inputs may be those of an entry that is one.
func (k *Knowledge) logic(i *ori.Instr, depth int) bitSet {
	if !IsLogic(i) {
		return bitSet{}
	}
	in := [3]bitSet{k.Of(&i.Args[1], depth), k.Of(&i.Args[2], depth), k.Of(&i.Args[3], depth)}
	var may [2]uint32
	for e := range 8 {
		may[i.Args[4].Imm>>e&1] |= feasible(in, e)
	}
	return bitSet{^may[1], ^may[0]}
}

// feasible returns the bits at which three inputs may be those of entry e of
// a truth table.
func feasible(in [3]bitSet, e int) uint32 {
	ok := ^uint32(0)
	for n := range in {
		if e>>(2-n)&1 != 0 {
			ok &^= in[n].Zero
		} else {
			ok &^= in[n].one
		}
	}
	return ok
}

func (k *Knowledge) shift(i *ori.Instr, depth int) bitSet {
	if len(i.Args) != 4 {
		return bitSet{}
	}
	n, ok := Known(i.Args[2])
	if !ok || n > 31 {
		return bitSet{}
	}
	switch {
	case i.Mods == op.M(op.ML, op.MU32) && IsZero(i.Args[3]):
		return k.Of(&i.Args[1], depth).shl(n)
	case i.Mods == op.M(op.MR, op.MU32, op.MHI) && IsZero(i.Args[1]):
		return k.Of(&i.Args[3], depth).shr(n)
	case i.Mods == op.M(op.MR, op.MS32, op.MHI) && IsZero(i.Args[1]):
		return k.Of(&i.Args[3], depth).sar(n)
	}
	return bitSet{}
}

// permute puts the bytes together.
func (k *Knowledge) permute(i *ori.Instr, depth int) bitSet {
	sel, ok := selector(i)
	if !ok {
		return bitSet{}
	}
	in := [2]bitSet{k.Of(&i.Args[1], depth), k.Of(&i.Args[3], depth)}
	var out bitSet
	for n := range 4 {
		s := sel >> (4 * n) & 15
		b := in[s>>2&1].shr(8 * (s & 3))
		zero, one := b.Zero&0xff, b.one&0xff
		if s&8 != 0 {
			zero, one = 0xff*(zero>>7), 0xff*(one>>7)
		}
		out.Zero |= zero << (8 * n)
		out.one |= one << (8 * n)
	}
	return out
}

// selector returns the constant selector of a plain PRMT.
func selector(i *ori.Instr) (uint32, bool) {
	if i.Op != op.PRMT || i.Mods != (op.Mods{}) || i.NDst != 1 || len(i.Args) != 4 {
		return 0, false
	}
	return Known(i.Args[2])
}

func (k *Knowledge) choice(i *ori.Instr, depth int) bitSet {
	if len(i.Args) != 4 || i.Mods != (op.Mods{}) {
		return bitSet{}
	}
	return k.Of(&i.Args[1], depth).either(k.Of(&i.Args[2], depth))
}

// extension: bits above those that are kept are zero.
func (k *Knowledge) extension(i *ori.Instr) bitSet {
	if !i.Mods.Has(op.MU32) || len(i.Args) != 3 || i.Args[2].Kind != ori.KImm || i.Args[2].Imm < 0 || i.Args[2].Imm > 31 {
		return bitSet{}
	}
	return below(1<<i.Args[2].Imm - 1)
}

// upTo is a word not above n, if n fits.
func upTo(n uint64) bitSet {
	if n > 1<<32-1 {
		return bitSet{}
	}
	return below(uint32(1<<bits.Len64(n) - 1))
}

// sum: words of which no two may have the same bit are put together; of
// others the size is known, and zeros at the bottom.
func (k *Knowledge) sum(i *ori.Instr, depth int) bitSet {
	s := i.Srcs()
	if i.Mods != (op.Mods{}) || len(s) != 3 {
		return bitSet{}
	}
	sum, low, one, apart := uint64(0), ^uint32(0), uint32(0), true
	for n := range s {
		b := k.Of(&s[n], depth)
		apart = apart && ^low&b.May() == 0
		sum += uint64(b.May())
		low &= b.Zero
		one |= b.one
	}
	if apart {
		return bitSet{Zero: low, one: one}
	}
	out := upTo(sum)
	out.Zero |= 1<<bits.TrailingZeros32(^low) - 1 // zeros at the bottom of all stay
	return out
}

// plus: what is known of a sum of two words, as of sum.
func (b bitSet) plus(c bitSet) bitSet {
	if b.Zero|c.Zero == ^uint32(0) {
		return bitSet{b.Zero & c.Zero, b.one | c.one}
	}
	out := upTo(uint64(b.May()) + uint64(c.May()))
	out.Zero |= 1<<bits.TrailingZeros32(^(b.Zero&c.Zero)) - 1
	return out
}

// scaledSum: a shifted left plus b.
func (k *Knowledge) scaledSum(i *ori.Instr, depth int) bitSet {
	if i.Mods != (op.Mods{}) || len(i.Args) != 4 || i.Args[3].Kind != ori.KImm || i.Args[3].Imm < 0 || i.Args[3].Imm > 31 {
		return bitSet{}
	}
	a, b := k.Of(&i.Args[1], depth), k.Of(&i.Args[2], depth)
	return a.shl(uint32(i.Args[3].Imm)).plus(b)
}

// product: a power of two shifts; of other factors the size is known.
func (k *Knowledge) product(i *ori.Instr, depth int) bitSet {
	if i.Mods != (op.Mods{}) || len(i.Args) != 4 {
		return bitSet{}
	}
	a, b, c := k.Of(&i.Args[1], depth), k.Of(&i.Args[2], depth), k.Of(&i.Args[3], depth)
	if f, ok := Known(i.Args[2]); ok && f != 0 && f&(f-1) == 0 {
		return a.shl(uint32(bits.TrailingZeros32(f))).plus(c)
	}
	even := bitSet{Zero: 1<<min(bits.TrailingZeros32(^a.Zero)+bits.TrailingZeros32(^b.Zero), bits.TrailingZeros32(^c.Zero)) - 1}
	hi, lo := bits.Mul64(uint64(a.May()), uint64(b.May()))
	sum, carry := bits.Add64(lo, uint64(c.May()), 0)
	if hi != 0 || carry != 0 {
		return even
	}
	x := upTo(sum)
	x.Zero |= even.Zero
	return x
}

// wideProduct knows the high word of products that fit the low one.
func (k *Knowledge) wideProduct(i *ori.Instr, word int32, depth int) bitSet {
	if len(i.Args) != 4 || !IsZero(i.Args[3]) {
		return bitSet{}
	}
	a, b := k.Of(&i.Args[1], depth), k.Of(&i.Args[2], depth)
	most := uint64(a.May()) * uint64(b.May())
	if word == 1 {
		return upTo(most >> 32)
	}
	return upTo(most)
}

// bitsOfSpecial: how large special registers can be. A block has at most
// 1024 threads in x and y and 64 in z, a grid 2^31-1 blocks in x.
func bitsOfSpecial(f *ori.Func, i *ori.Instr) bitSet {
	if len(i.Args) != 2 || i.Args[1].Kind != ori.KSpecial {
		return bitSet{}
	}
	s := op.Special(i.Args[1].Imm)
	for n, tid := range [...]op.Special{op.SRTidX, op.SRTidY, op.SRTidZ} {
		if size := f.Props.ReqNTid; s == tid && size[0] > 0 {
			return upTo(uint64(max(1, size[n]) - 1))
		}
	}
	switch s {
	case op.SRTidX, op.SRTidY:
		return below(1023)
	case op.SRTidZ:
		return below(63)
	case op.SRLaneID:
		return below(31)
	case op.SRCtaidX:
		return below(1<<31 - 1)
	case op.SRCtaidY, op.SRCtaidZ:
		return below(1<<16 - 1)
	}
	return bitSet{}
}

// bitsOfPack: two floats become halves of a word; the first is the high one.
func bitsOfPack(i *ori.Instr) bitSet {
	if i.Mods.Has(op.MPACK_AB) && (i.Mods.Has(op.MBF16) || i.Mods.Has(op.MF16)) && len(i.Args) == 3 && i.Args[1].Kind == ori.KZero && i.Args[1].Flags == 0 {
		return below(0xffff)
	}
	return bitSet{}
}

// Grow makes room for words made since; nothing is known of them.
func (k *Knowledge) Grow() {
	for len(k.head) < len(k.v.Words) {
		k.head = append(k.head, -1)
		k.state = append(k.state, answered)
		k.bits = append(k.bits, bitSet{})
	}
}
