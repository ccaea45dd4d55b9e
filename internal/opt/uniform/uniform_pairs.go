package uniform

import (
	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// UniformPairs adds constants to 64-bit values of the uniform datapath in one
// instruction. Descriptors of matrices are pairs whose high word is the same
// for all, so what is left of a sum is often only its low word, and a copy:
//
//	COPY   a[0] = x                       COPY      a[0] = x
//	UMOV   a[1] = 0x40000040              UMOV      a[1] = 0x40000040
//	UIADD3 t = x, 0x2, urz                UIADD3.64 b[0:2] = a[0:2], 0x2, urz
//	COPY   b[0] = t
//	COPY   b[1] = a[1]
//
// The sum must not carry, or carry to the high word as well. fits tells
// whether the machine has a form for an instruction.
func UniformPairs(f *ori.Func, fits func(*ori.Instr) bool) bool {
	u := &uniformPairs{f: f, fits: fits}
	for _, b := range f.Blocks {
		for i := b.First(); i != nil; i = i.Next() {
			if i.IsGroupMMA() {
				u.block(b)
				break
			}
		}
	}
	if f.Touched(u.changed) {
		u.v.Keep()
	}
	return u.changed
}

type uniformPairs struct {
	f       *ori.Func
	fits    func(*ori.Instr) bool
	v       *opt.Values
	know    *opt.Knowledge
	pos     map[*ori.Instr]int
	bases   map[pairBase]ori.Operand
	highs   map[int32]int64 // high words that are constants
	changed bool
}

// pairBase is a pair of which the high word is a constant.
type pairBase struct {
	low  int32 // word
	high int64
}

// pairSum is a pair that is such a pair and a constant more.
type pairSum struct {
	base   pairBase
	more   int64
	lo, hi *ori.Instr   // that write it
	gone   []*ori.Instr // that nobody needs without them
}

// block looks at the pairs of a block in their order.
func (u *uniformPairs) block(b *ori.Block) {
	if u.v == nil {
		u.v = opt.ValuesOf(u.f)
		u.know = opt.NewKnowledge(u.f, u.v)
	}
	u.pos, u.bases = map[*ori.Instr]int{}, map[pairBase]ori.Operand{}
	n := 0
	for i := b.First(); i != nil; i = i.Next() {
		n++
		u.pos[i] = n
	}
	u.highs = map[int32]int64{}
	var list []ori.Operand
	for i := b.First(); i != nil; i = i.Next() {
		for k := range i.Args {
			a := i.Args[k]
			if a.Kind != ori.KGdesc || a.Reg == ori.NoReg {
				continue
			}
			for n := uint8(0); n+1 < a.N; n += 2 {
				x := ori.Operand{Kind: ori.KReg, Class: a.Class, Reg: a.Reg, Sub: a.Sub + n, N: 2}
				hi := x
				hi.Sub, hi.N = x.Sub+1, 1
				if c, ok := u.constant(hi); ok {
					u.highs[u.v.Word(&hi)] = c
				}
				list = append(list, x)
			}
		}
	}
	for _, x := range list {
		u.pair(b, x)
	}
}

// pair makes a pair one sum, or remembers it as one to add to.
func (u *uniformPairs) pair(b *ori.Block, a ori.Operand) {
	lo, hi := a, a
	lo.N, hi.N = 1, 1
	hi.Sub++
	d, e := u.v.Once(lo), u.v.Once(hi)
	if d == nil || e == nil || d.Block() != b || e.Block() != b || d.NDst != 1 || e.NDst != 1 || d.Args[0] != lo || e.Args[0] != hi {
		return
	}
	s, ok := u.sum(d, e)
	if !ok {
		u.remember(a, lo, hi)
		return
	}
	from := u.bases[s.base]
	if from.Kind == ori.KNone || from == a || !u.apart(d, e) {
		return
	}
	at := d
	if u.pos[e] > u.pos[d] {
		at = e
	}
	i := u.f.NewInstr(op.UIADD3, op.M(op.M64), []ori.Operand{a}, []ori.Operand{from, ori.Imm(s.more), ori.Zero(ori.UR)})
	i.Line, i.Loc = at.Line, at.Loc
	if !u.fits(i) || !u.f.Should("pair", at) {
		return
	}
	b.InsertBefore(i, at)
	u.pos[i] = u.pos[at]
	for _, x := range append(s.gone, d, e) {
		u.v.Remove(x)
	}
	u.v.Count(i, 1)
	u.changed = true
}

// remember notes pair a as one that others are sums of, under the words that
// they may count from.
func (u *uniformPairs) remember(a, lo, hi ori.Operand) {
	high, ok := u.highs[u.v.Word(&hi)]
	if !ok {
		return
	}
	key := pairBase{u.v.Word(&lo), high}
	for range opt.MaxChain {
		if u.bases[key].Kind == ori.KNone {
			u.bases[key] = a
		}
		if key.low, ok = u.source(lo); !ok {
			return
		}
		lo = u.v.Once(lo).Args[1]
	}
}

// apart reports whether nothing reads what d and e write between them.
func (u *uniformPairs) apart(d, e *ori.Instr) bool {
	if u.pos[d] > u.pos[e] {
		d, e = e, d
	}
	for j := d.Next(); j != e; j = j.Next() {
		if j == nil {
			return false
		}
		for _, a := range j.Srcs() {
			if a.HasReg() && a.Reg == d.Args[0].Reg {
				return false
			}
		}
	}
	return true
}

// source returns the word that a word is a copy of.
func (u *uniformPairs) source(a ori.Operand) (int32, bool) {
	i := u.v.Once(a)
	if i == nil || i.Op != op.COPY && i.Op != op.UMOV || len(i.Args) != 2 || !isWordOf(i.Args[1], ori.UR) || !u.v.Stable(i.Args[1]) {
		return 0, false
	}
	return u.v.Word(&i.Args[1]), true
}

// isWordOf reports whether o is a word of a file, without marks.
func isWordOf(o ori.Operand, c ori.Class) bool {
	return o.Kind == ori.KReg && o.Class == c && o.N == 1 && o.Flags == 0
}

// constant returns the constant that a word is.
func (u *uniformPairs) constant(a ori.Operand) (int64, bool) {
	for range opt.MaxChain {
		i := u.v.Once(a)
		if i == nil || i.Op != op.COPY && i.Op != op.UMOV || len(i.Args) != 2 || i.Args[0] != a {
			return 0, false
		}
		switch a = i.Args[1]; {
		case a.Kind == ori.KImm && a.Flags == 0:
			return int64(uint32(a.Imm)), true
		case !isWordOf(a, ori.UR):
			return 0, false
		}
	}
	return 0, false
}

// sum reads the two words of a pair that d and e write as a sum.
func (u *uniformPairs) sum(d, e *ori.Instr) (s pairSum, ok bool) {
	s.lo, s.hi = d, e
	low := u.through(d, &s)
	if low == nil || low.Op != op.UIADD3 || low.Mods != (op.Mods{}) || !opt.IsZero(low.Args[len(low.Args)-1]) {
		return s, false
	}
	n := int(low.NDst)
	if n > 2 || len(low.Args) != n+3 || !isWordOf(low.Args[n], ori.UR) || !u.v.Stable(low.Args[n]) || low.Args[n+1].Kind != ori.KImm || low.Args[n+1].Imm <= 0 {
		return s, false
	}
	s.base.low, s.more = u.v.Word(&low.Args[n]), low.Args[n+1].Imm
	if n == 1 {
		s.base.high, ok = u.highs[u.v.Word(&e.Args[0])]
		return s, ok && u.upper(low.Args[n], opt.MaxChain)+uint64(s.more) < 1<<32
	}
	high := u.through(e, &s)
	if high == nil || high.Op != op.UIADD3 || high.Mods != op.M(op.MX) || high.NDst != 1 || len(high.Args) != 6 || !opt.IsZero(high.Args[3]) ||
		high.Args[4] != low.Args[1] || u.v.ReadsOf(low.Args[1]) != 1 || high.Args[5].Kind != ori.KZero || high.Args[5].Flags != ori.Inv {
		return s, false
	}
	a, b := high.Args[1], high.Args[2]
	if opt.IsZero(b) {
		a, b = b, a
	}
	s.base.high = int64(uint32(b.Imm))
	return s, opt.IsZero(a) && b.Kind == ori.KImm && b.Flags == 0
}

// through returns the instruction that makes what i writes, behind a copy that
// is the only one to read it.
func (u *uniformPairs) through(i *ori.Instr, s *pairSum) *ori.Instr {
	if i.Op != op.COPY || !isWordOf(i.Args[1], ori.UR) {
		return i
	}
	j := u.v.Once(i.Args[1])
	if j == nil || j.Block() != i.Block() || u.v.ReadsOf(i.Args[1]) != 1 || j.Args[0] != i.Args[1] {
		return nil
	}
	s.gone = append(s.gone, j)
	return j
}

// upper returns the largest value that a uniform word can have.
func (u *uniformPairs) upper(a ori.Operand, depth int) uint64 {
	const all = 1<<32 - 1
	if v, ok := opt.ConstantOf(a); ok {
		return uint64(v)
	}
	i := u.v.Once(a)
	if i == nil || depth == 0 || !isWordOf(a, ori.UR) || i.Args[0] != a || i.NDst != 1 {
		return all
	}
	s := i.Srcs()
	switch i.Op {
	case op.COPY, op.UMOV:
		return u.upper(s[0], depth-1)
	case op.R2UR:
		if len(s) == 1 {
			return uint64(u.know.Of(&s[0], opt.MaxDepth).May())
		}
	case op.ULOP3:
		if len(s) >= 4 && s[3].Kind == ori.KImm && s[3].Imm == 0xc0 && s[0].Flags == 0 && s[1].Flags == 0 {
			return min(u.upper(s[0], depth-1), u.upper(s[1], depth-1))
		}
	case op.USGXT:
		if i.Mods == op.M(op.MU32) && len(s) == 2 && s[1].Kind == ori.KImm && s[1].Imm > 0 && s[1].Imm < 32 {
			return 1<<s[1].Imm - 1
		}
	case op.USHF:
		if i.Mods == op.M(op.MR, op.MU32, op.MHI) && len(s) == 3 && opt.IsZero(s[0]) && s[1].Kind == ori.KImm && s[1].Imm >= 0 && s[1].Imm < 32 {
			return all >> s[1].Imm
		}
	case op.UIADD3:
		if i.Mods == (op.Mods{}) && len(s) == 3 && s[0].Flags|s[1].Flags|s[2].Flags == 0 {
			if sum := u.upper(s[0], depth-1) + u.upper(s[1], depth-1) + u.upper(s[2], depth-1); sum <= all {
				return sum
			}
		}
	}
	return all
}
