package opt

import (
	"slices"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// KnownBits uses what is known about single bits: masks and extensions that
// change nothing vanish, words whose bits are all known become constants,
// and a reader that looks at some bits of a word reads them from where they
// came. Producers extend bytes and halves at every step.
func KnownBits(f *ori.Func) bool {
	v := ValuesOf(f)
	t := &bitRewriter{f: f, v: v, k: NewKnowledge(f, v)}
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			if !f.Should("bits", i) {
				continue
			}
			t.result(i)
			t.carry(i)
			t.copiesAll(i)
			for n := int(i.NDst); n < len(i.Args); n++ {
				if a := &i.Args[n]; a.Kind == ori.KReg && a.Class == ori.R && a.N == 1 {
					t.source(i, n)
				}
			}
		}
	}
	if f.Touched(t.changed) {
		t.recount()
	}
	return t.changed
}

// edit is an instruction and what it was.
type edit struct {
	i   *ori.Instr
	was ori.Instr
}

// edits notes what i is before it changes for the first time.
func (t *bitRewriter) edits(i *ori.Instr) {
	t.changed = true
	if n := len(t.list); n == 0 || t.list[n-1].i != i {
		was := *i
		was.Args = slices.Clone(i.Args)
		t.list = append(t.list, edit{i, was})
	}
}

// recount keeps values true, now that nobody asks how often something was read: what is read
// instead is one value.
func (t *bitRewriter) recount() {
	for k := range t.list {
		x := &t.list[k]
		t.v.Count(&x.was, -1)
		t.v.Count(x.i, 1)
	}
	t.v.Keep()
}

// copyRest is where the sources of an asynchronous copy behind its addresses
// begin: a predicate without which all bytes are zero, and leftOut.
const copyRest = 3

// leftOut returns how many bytes an asynchronous copy leaves out, which is a
// part of its address, too; nil if that is not told.
func leftOut(i *ori.Instr) *ori.Operand {
	if n := len(i.Args) - 1; i.Op == op.LDGSTS && n >= copyRest && i.Args[n].Class != ori.P {
		return &i.Args[n]
	}
	return nil
}

// copiesAll: an asynchronous copy that leaves out no bytes has no need to
// fill.
func (t *bitRewriter) copiesAll(i *ori.Instr) {
	if a := leftOut(i); a != nil && (IsZero(*a) || Plain(*a) && t.k.Of(a, MaxDepth).Zero == ^uint32(0)) {
		t.edits(i)
		i.Mods = i.Mods.Without(op.MZFILL)
		t.f.SetArgs(i, nil, slices.Clone(i.Args[:len(i.Args)-1]))
	}
}

type bitRewriter struct {
	f       *ori.Func
	v       *Values
	k       *Knowledge
	changed bool
	list    []edit
}

// result replaces i by a constant or by one of its sources, if that is what
// it computes.
func (t *bitRewriter) result(i *ori.Instr) {
	if i.NDst != 1 || i.Args[0].Kind != ori.KReg || i.Args[0].Class != ori.R || i.Args[0].N != 1 || i.Op.Has(op.Reads|op.Pseudo) || i.Op == op.MOV {
		return
	}
	b := t.k.result(i, t.v.Word(&i.Args[0]), MaxDepth)
	if b.Zero|b.one == ^uint32(0) {
		t.become(i, op.MOV, Word(b.one))
		return
	}
	for n := 1; n < len(i.Args); n++ {
		if s := i.Args[n]; Plain(s) && t.passes(i, n, ^uint32(0)) {
			t.become(i, op.COPY, s)
			return
		}
	}
	if i.Op == op.PRMT {
		t.compose(i)
	}
	if IsLogic(i) && i.Args[4].Imm&0xff == 0xfc && IsZero(i.Args[3]) && i.Mods == op.M(op.MLUT) {
		t.insert(i)
	}
}

// insert makes bits that are shifted into zeros of another word one sum:
//
//	SHF.L.U32 y = x, 0x7, rz        LEA r = x, z, 0x7
//	LOP3.LUT  r = y, z, rz, 0xfc
func (t *bitRewriter) insert(i *ori.Instr) {
	for n := 1; n <= 2; n++ {
		y, z := i.Args[n], i.Args[3-n]
		if !Plain(y) || !Plain(z) || t.v.ReadsOf(y) != 1 {
			continue
		}
		j := t.v.Once(y)
		if j == nil || j.Op != op.SHF || j.Mods != op.M(op.ML, op.MU32) || len(j.Args) != 4 || j.Guard.Kind != ori.KNone || !IsZero(j.Args[3]) || j.Args[2].Kind != ori.KImm ||
			j.Args[2].Imm < 1 || j.Args[2].Imm > 31 || !Plain(j.Args[1]) || !t.v.Stable(j.Args[1]) {
			continue
		}
		if t.k.Of(&y, MaxDepth).Zero|t.k.Of(&z, MaxDepth).Zero != ^uint32(0) {
			continue
		}
		t.edits(i)
		i.Op, i.Mods = op.LEA, op.Mods{}
		t.f.SetArgs(i, append([]ori.Operand(nil), i.Dsts()...), []ori.Operand{j.Args[1], z, j.Args[2]})
		return
	}
}

func (t *bitRewriter) become(i *ori.Instr, o op.Op, s ori.Operand) {
	t.edits(i)
	i.Op, i.Mods = o, op.Mods{}
	t.f.SetArgs(i, append([]ori.Operand(nil), i.Dsts()...), []ori.Operand{s})
}

// passes reports whether the result of i has the bits of its source n, as
// far as the bits in mask go.
func (t *bitRewriter) passes(i *ori.Instr, n int, mask uint32) bool {
	switch {
	case i.Op == op.COPY && len(i.Args) == 2:
		return true
	case IsLogic(i) && n <= 3:
		in := [3]bitSet{t.k.Of(&i.Args[1], MaxDepth), t.k.Of(&i.Args[2], MaxDepth), t.k.Of(&i.Args[3], MaxDepth)}
		for e := range 8 {
			if int(i.Args[4].Imm>>e&1) != e>>(3-n)&1 && feasible(in, e)&mask != 0 {
				return false
			}
		}
		return true
	}
	sel, ok := selector(i)
	if !ok || n == 2 {
		return false
	}
	here := t.k.Of(&i.Args[n], MaxDepth)
	all := t.k.result(i, t.v.Word(&i.Args[0]), MaxDepth)
	for b := range uint32(4) {
		want := b | uint32(n-1)<<1&4 // source 1 is bytes 0 to 3, source 3 bytes 4 to 7
		zero := uint32(0xff) << (8 * b) & mask
		if sel>>(4*b)&15 != want && (here.Zero&all.Zero)&zero != zero {
			return false
		}
	}
	return true
}

// source lets operand n of i read what its word was made from, where i looks
// only at bits that are the same there.
func (t *bitRewriter) source(i *ori.Instr, n int) {
	mask := t.demand(i, n)
	if mask == ^uint32(0) {
		return
	}
	for range MaxChain {
		a := &i.Args[n]
		j := t.v.Once(*a)
		if j == nil || j.NDst != 1 || j.Args[0].N != 1 || j.Guard.Kind != ori.KNone {
			return
		}
		if (a.Flags&ori.H0 != 0 || unpacks(i)) && t.upperHalf(i, a, j) {
			return
		}
		found := false
		for s := 1; s < len(j.Args) && !found; s++ {
			if x := j.Args[s]; Plain(x) && t.v.Stable(x) && t.passes(j, s, mask) {
				t.edits(i)
				a.Reg, a.Sub = x.Reg, x.Sub
				found = true
			}
		}
		if !found {
			return
		}
	}
}

// unpacks reports whether i makes two halves of the low half of its source,
// or of the high one if that is marked.
func unpacks(i *ori.Instr) bool { return i.Op == op.F2FP && i.Mods.Has(op.MUNPACK_B) }

// upperHalf lets a read of the low half, for both lanes, of what was the
// high half of a word read that.
func (t *bitRewriter) upperHalf(i *ori.Instr, a *ori.Operand, j *ori.Instr) bool {
	sel, ok := selector(j)
	shift := j.Op == op.SHF && j.Mods == op.M(op.MR, op.MU32, op.MHI) && len(j.Args) == 4 && j.Args[2].Is(16)
	from := 0
	switch {
	case ok && sel&0xff == 0x32:
		from = 1
	case ok && sel&0xff == 0x76 || shift:
		from = 3
	default:
		return false
	}
	x := j.Args[from]
	if !Plain(x) || !t.v.Stable(x) {
		return false
	}
	t.edits(i)
	a.Reg, a.Sub = x.Reg, x.Sub
	a.Flags = a.Flags&^ori.H0 | ori.H1
	return true
}

// demand returns the bits of operand n that matter to i.
func (t *bitRewriter) demand(i *ori.Instr, n int) uint32 {
	all := ^uint32(0)
	a := &i.Args[n]
	switch {
	case a.Flags&ori.H0 != 0:
		return 0xffff
	case a.Flags != 0:
		return all
	}
	if i.Op.Has(op.Plain) {
		return storeDemand(i)
	}
	switch i.Op {
	case op.F2FP:
		switch {
		case unpacks(i) && i.Mods.Has(op.ME2M1):
			return 0xff
		case unpacks(i):
			return 0xffff
		}
	case op.SHF:
		c, ok := Known(i.Args[2])
		switch {
		case !ok || c > 31 || len(i.Args) != 4:
		case n == 1 && i.Mods == op.M(op.ML, op.MU32) && IsZero(i.Args[3]):
			return all >> c
		case n == 3 && i.Mods[0] == op.MR && i.Mods[2] == op.MHI && IsZero(i.Args[1]):
			return all << c
		}
	case op.LOP3:
		return t.logicDemand(i, n)
	case op.PRMT:
		sel, ok := selector(i)
		if !ok || n == 2 {
			return all
		}
		mask := uint32(0)
		for b := range 4 {
			if s := sel >> (4 * b) & 15; s>>2&1 == uint32(n-1)>>1 {
				mask |= 0xff << (8 * (s & 3))
			}
		}
		return mask
	}
	return all
}

// storeDemand returns the bits of its data that a store writes.
func storeDemand(i *ori.Instr) uint32 {
	switch {
	case !i.Op.Has(op.Writes):
	case i.Mods.Has(op.MU8) || i.Mods.Has(op.MS8):
		return 0xff
	case i.Mods.Has(op.MU16) || i.Mods.Has(op.MS16):
		return 0xffff
	}
	return ^uint32(0)
}

// logicDemand returns the bits at which the result of a logic operation
// depends on input n, whatever the other two may be.
func (t *bitRewriter) logicDemand(i *ori.Instr, n int) uint32 {
	if !IsLogic(i) || n > 3 {
		return ^uint32(0)
	}
	in := [3]bitSet{t.k.Of(&i.Args[1], MaxDepth), t.k.Of(&i.Args[2], MaxDepth), t.k.Of(&i.Args[3], MaxDepth)}
	in[n-1] = bitSet{}
	mask := uint32(0)
	for e := range 8 {
		if lut := i.Args[4].Imm; lut>>e&1 != lut>>(e^1<<(3-n))&1 {
			mask |= feasible(in, e)
		}
	}
	return mask
}

// compose reads through the PRMTs that make sources of PRMT i, as far as the
// bytes taken come from one of their sources. One that puts a word together
// as it was is a copy.
func (t *bitRewriter) compose(i *ori.Instr) {
	for n := 0; n < MaxDepth && t.through(i); n++ {
	}
	sel, ok := selector(i)
	if !ok || !Plain(i.Args[1]) || i.Args[3] != i.Args[1] {
		return
	}
	t.edits(i)
	i.Args[2] = ori.Imm(int64(sel &^ 0x4444))
	i.Args[3] = ori.Zero(ori.R)
	if t.passes(i, 1, ^uint32(0)) {
		t.become(i, op.COPY, i.Args[1])
	}
}

// through reads through one PRMT that makes a source of PRMT i.
func (t *bitRewriter) through(i *ori.Instr) bool {
	sel, ok := selector(i)
	if !ok {
		return false
	}
	for _, n := range [...]int{1, 3} {
		if !Plain(i.Args[n]) {
			continue
		}
		j := t.v.Once(i.Args[n])
		if j == nil || j.Guard.Kind != ori.KNone {
			continue
		}
		inner, ok := selector(j)
		if !ok {
			continue
		}
		for _, from := range [...]int{1, 3} {
			x := j.Args[from]
			if !Plain(x) || !t.v.Stable(x) {
				continue
			}
			if s, ok := through2(sel, inner, uint32(n-1)<<1&4, uint32(from-1)<<1&4); ok {
				t.edits(i)
				i.Args[n] = x
				i.Args[2] = ori.Imm(int64(s))
				return true
			}
		}
	}
	return false
}

// through2 joins two selectors: bytes of sel that come from source at, which
// inner makes, must come from its source from.
func through2(sel, inner, at, from uint32) (out uint32, ok bool) {
	for b := range 4 {
		s := sel >> (4 * b) & 15
		if s&4 == at {
			x := inner >> (4 * (s & 3)) & 15
			if x&4 != from {
				return 0, false
			}
			s = (s|x)&8 | at | x&3 // the sign of a sign is that sign
		}
		out |= s << (4 * b)
	}
	return out, true
}
