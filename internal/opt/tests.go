package opt

import (
	"math"

	"github.com/goptxas/goptxas/internal/engine/pool"
	"github.com/goptxas/goptxas/internal/opt/span"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// TestBits lets logic operations say themselves whether their result is zero:
//
//	LOP3.LUT  r = a, 0x1, rz, 0xc0      LOP3.LUT p, rz = a, 0x1, rz, 0xc0, !pt
//	ISETP.NE.AND p = r, rz, pt
//
// A test for zero gives the opposite predicate; its readers are turned
// around. The same bits of two words that are compared are one operation:
//
//	PRMT r = a, 0x7771, rz              LOP3.LUT p, rz = a, 0xff00, b, 0x48, !pt
//	PRMT s = b, 0x7771, rz
//	ISETP.NE.AND p = r, s, pt
//
// It runs when no phase is left that looks into logic operations.
func TestBits(f *ori.Func) bool {
	c := &Combiner{F: f, V: ValuesOf(f)}
	flip, kept := pool.Make[bool](f.Scratch(), len(f.Regs)), readAsIs(f)
	changed, flips := false, false
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			t, equal, ok := c.bitTest(i)
			if !ok || equal && (!c.V.Stable(i.Args[0]) || kept[i.Args[0].Reg]) || !f.Should("test", i) {
				continue
			}
			c.test(i, t)
			if equal {
				flip[i.Args[0].Reg], flips = true, true
			}
			changed = true
		}
	}
	if flips {
		turn(f, flip)
	}
	return f.Touched(changed)
}

// readAsIs marks the predicates that some instruction reads that takes no opposite:
// what is brought to a PHI, or left.
func readAsIs(f *ori.Func) []bool {
	kept := pool.Make[bool](f.Scratch(), len(f.Regs))
	mark := func(a *ori.Operand) {
		if a.Kind == ori.KReg && a.Class == ori.P {
			kept[a.Reg] = true
		}
	}
	for _, b := range f.Blocks {
		for i := b.First(); i != nil; i = i.Next() {
			if i.Op.Has(op.Pseudo) {
				for k := int(i.NDst); k < len(i.Args); k++ {
					mark(&i.Args[k])
				}
			}
			for k := range i.Old {
				mark(&i.Old[k])
			}
		}
	}
	return kept
}

// bitTest reads i as a test of bits, and says whether it holds where they are
// zero.
func (c *Combiner) bitTest(i *ori.Instr) (t bitTest, equal, ok bool) {
	equal, ok = comparesEqual(i)
	if !ok {
		return t, equal, false
	}
	if IsZero(i.Args[2]) {
		t, ok = c.tested(i)
	} else {
		t, ok = c.fieldsCompared(i)
	}
	return t, equal, ok
}

// comparesEqual reports whether i compares a word with another or zero by
// being equal or not, and whether for being equal.
func comparesEqual(i *ori.Instr) (equal, ok bool) {
	if i.Op != op.ISETP || i.NDst != 1 || i.Args[0].Kind != ori.KReg || i.Guard.Kind != ori.KNone || len(i.Args) != 4 || i.Mods.Has(op.MEX) || !i.Mods.Has(op.MAND) {
		return false, false
	}
	if p := i.Args[3]; !Plain(i.Args[1]) || p.Kind != ori.KZero || p.Flags != 0 {
		return false, false
	}
	if i.Mods.Has(op.MEQ) || i.Mods.Has(op.MNE) {
		return i.Mods.Has(op.MEQ), true
	}
	equal = i.Mods.Has(op.MLE)
	return equal, IsZero(i.Args[2]) && i.Mods.Has(op.MU32) && (equal || i.Mods.Has(op.MGT))
}

// bitTest is a logic operation that says whether its result is zero.
type bitTest struct {
	mods op.Mods
	srcs []ori.Operand
	gone []*ori.Instr // whose results nobody wants any more
}

// tested returns the logic operation whose result only i reads. What it looks
// at, and its result, may be shifted by a constant: other bits are tested then.
func (c *Combiner) tested(i *ori.Instr) (bitTest, bool) {
	if j := c.inner(i, i.Args[1], op.LOP3); j != nil && IsLogic(j) {
		if t, ok := c.ofShifted(i, j); ok {
			return t, true
		}
		return bitTest{j.Mods, j.Srcs(), []*ori.Instr{j}}, true
	}
	return c.shifted(i)
}

// shifted reads what i compares with zero as the upper bits of a word:
//
//	LOP3.LUT r = a, 0x2, rz, 0xc0       LOP3.LUT p, rz = a, 0x2, rz, 0xc0, !pt
//	SHF.R.U32.HI s = rz, 0x1, r
//	ISETP.NE.AND p = s, rz, pt
func (c *Combiner) shifted(i *ori.Instr) (t bitTest, ok bool) {
	s := c.inner(i, i.Args[1], op.SHF)
	if s == nil || s.Mods != op.M(op.MR, op.MU32, op.MHI) || len(s.Args) != 4 || !IsZero(s.Args[1]) || !Plain(s.Args[3]) {
		return t, false
	}
	n, ok := Known(s.Args[2])
	if !ok || n > 31 {
		return t, false
	}
	a, mask := s.Args[3], ^uint32(0)<<n
	t.gone = append(t.gone, s)
	if j := c.inner(s, a, op.LOP3); j != nil {
		if x, bits, ok := masked(j); ok && bits&mask != 0 && c.V.Stable(x) {
			a, mask = x, bits&mask
			t.gone = append(t.gone, j)
		}
	}
	t.srcs = []ori.Operand{a, Word(mask), ori.Zero(ori.R), ori.Imm(lutAnd)}
	t.mods = op.M(op.MLUT)
	return t, true
}

// fieldsCompared reads what i compares as the same bits of two words.
func (c *Combiner) fieldsCompared(i *ori.Instr) (t bitTest, ok bool) {
	j, a, bits := c.field(i, i.Args[1])
	if j == nil {
		return t, false
	}
	k, b, _ := c.field(i, i.Args[2])
	if k == nil || k.Op != j.Op || k.Mods != j.Mods || k.Args[2] != j.Args[2] {
		return t, false
	}
	return bitTest{op.M(op.MLUT), []ori.Operand{a, Word(bits), b, ori.Imm(lutDiffer)}, []*ori.Instr{j, k}}, true
}

// field returns the instruction that takes a, which i compares, out of a word by
// a constant, the word, and those of its bits that a consists of.
func (c *Combiner) field(i *ori.Instr, a ori.Operand) (j *ori.Instr, of ori.Operand, bits uint32) {
	if j = c.inner(i, a, op.LOP3); j != nil {
		of, bits, ok := masked(j)
		if !ok {
			return nil, of, 0
		}
		return j, of, bits
	}
	if j = c.inner(i, a, op.PRMT); j == nil || j.Mods != (op.Mods{}) || !Plain(j.Args[1]) || !IsZero(j.Args[3]) {
		return nil, of, 0
	}
	selector, ok := Known(j.Args[2])
	if !ok {
		return nil, of, 0
	}
	for k := range 4 {
		switch n := selector >> (4 * k) & 15; {
		case n&4 != 0: // of zero
		case n&8 != 0: // its sign alone
			bits |= 0x80 << (8 * (n & 3))
		default:
			bits |= 0xff << (8 * (n & 3))
		}
	}
	return j, j.Args[1], bits
}

// ofShifted reads logic operation j, whose result only i reads, as one that
// looks at bits of a word before it is shifted left.
func (c *Combiner) ofShifted(i, j *ori.Instr) (t bitTest, ok bool) {
	a, mask, ok := masked(j)
	if !ok {
		return t, false
	}
	s := c.inner(j, a, op.SHF)
	if s == nil || s.Mods != op.M(op.ML, op.MU32) || len(s.Args) != 4 || !IsZero(s.Args[3]) || !Plain(s.Args[1]) || !c.V.Stable(s.Args[1]) {
		return t, false
	}
	n, ok := Known(s.Args[2])
	if !ok || n > 31 || mask>>n == 0 {
		return t, false
	}
	return bitTest{j.Mods, []ori.Operand{s.Args[1], Word(mask >> n), ori.Zero(ori.R), ori.Imm(lutAnd)}, []*ori.Instr{j, s}}, true
}

// lutAnd is the table of a conjunction of the first two sources.
const lutAnd = 0xc0

// lutDiffer is the table of the bits of the second source in which the others
// differ.
const lutDiffer = (0xf0 ^ 0xaa) & 0xcc

// masked reads j as some bits of a word.
func masked(j *ori.Instr) (a ori.Operand, bits uint32, ok bool) {
	if !IsLogic(j) || j.Args[4].Imm != lutAnd || !Plain(j.Args[1]) || !IsZero(j.Args[3]) {
		return a, 0, false
	}
	bits, ok = Known(j.Args[2])
	return j.Args[1], bits, ok
}

// test makes i a logic operation of which nobody wants the word.
func (c *Combiner) test(i *ori.Instr, t bitTest) {
	p := i.Args[0]
	c.V.Count(i, -1)
	i.Op, i.Mods = op.LOP3, t.mods
	c.F.SetArgs(i, []ori.Operand{p, ori.Zero(ori.R)}, append(append([]ori.Operand(nil), t.srcs...), ori.Zero(ori.P).Not()))
	c.V.Count(i, 1)
	for _, j := range t.gone {
		c.V.Remove(j)
	}
}

// turn inverts every read of the marked predicates.
func turn(f *ori.Func, flip []bool) {
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			for k := int(i.NDst); k < len(i.Args); k++ {
				if a := &i.Args[k]; a.Kind == ori.KReg && flip[a.Reg] {
					a.Flags ^= ori.Inv
				}
			}
			if g := &i.Guard; g.Kind == ori.KReg && flip[g.Reg] {
				g.Flags ^= ori.Inv
			}
		}
	}
}

// chosen: a comparison of a choice between constants with a constant is the
// condition of the choice, its opposite, or known.
func (c *Combiner) chosen(i *ori.Instr) bool {
	srcs := i.Srcs()
	if i.Mods.Has(op.MEX) || i.NDst != 1 || len(srcs) != 3 {
		return false
	}
	with, ok := Known(srcs[1])
	if !ok {
		return false
	}
	outcome := Outcome
	if i.Op == op.FSETP {
		outcome = outcomeOfFloatBits
		if srcs[1].Flags != 0 {
			return false
		}
	}
	x, ok := c.condition(srcs[0], i.Mods, with, outcome)
	return ok && c.accumulate(i, x)
}

// condition returns what says of a, a choice between constants, how it compares
// with a constant.
func (c *Combiner) condition(a ori.Operand, m op.Mods, with uint32, outcome func(m op.Mods, a, b uint32) (holds, ok bool)) (x ori.Operand, ok bool) {
	if !Plain(a) {
		return x, false
	}
	j := c.V.Once(a)
	if j == nil || j.Op != op.SEL || j.Mods != (op.Mods{}) || len(j.Args) != 4 || j.Guard.Kind != ori.KNone || !c.V.Stable(j.Args[3]) {
		return x, false
	}
	first, okA := Known(j.Args[1])
	second, okB := Known(j.Args[2])
	if !okA || !okB {
		return x, false
	}
	p, ok := outcome(m, first, with)
	q, ok2 := outcome(m, second, with)
	if !ok || !ok2 {
		return x, false
	}
	x = ori.Zero(ori.P)
	switch {
	case p && !q:
		x = j.Args[3]
	case q && !p:
		x = j.Args[3].Not()
	case !p:
		x = x.Not()
	}
	return x, true
}

// chosenPart: of a comparison of a choice with a constant the condition
// decides where one side is a constant, and the other side is compared itself:
//
//	SEL t = x, rz, p                  ISETP.NE.AND q = x, rz, p
//	ISETP.NE.AND q = t, rz, pt
//
// The sizes of guarded copies are chosen so, once for the turn and once for
// each. Where the comparison has a predicate to combine with already, the other
// side must be a predicate too.
func (c *Combiner) chosenPart(i *ori.Instr) bool {
	srcs := i.Srcs()
	if i.Mods.Has(op.MEX) || i.NDst != 1 || len(srcs) != 3 || !Plain(srcs[0]) || !i.Mods.Has(op.MAND) || srcs[2].Class != ori.P {
		return false
	}
	with, ok := Known(srcs[1])
	j := c.inner(i, srcs[0], op.SEL)
	if !ok || j == nil || j.Mods != (op.Mods{}) || len(j.Args) != 4 || j.Block() != i.Block() || j.Args[3].Class != ori.P {
		return false
	}
	x, p := j.Args[1], j.Args[3]
	side, ok := Known(j.Args[2])
	if !ok {
		x, p = j.Args[2], p.Not()
		side, ok = Known(j.Args[1])
	}
	holds, known := Outcome(i.Mods, side, with)
	if !ok || !known || x.Kind != ori.KReg || !Plain(x) {
		return false
	}
	if srcs[2] != ori.Zero(ori.P) {
		q, ok := c.condition(x, i.Mods, with, Outcome)
		if !ok || holds || q.Class != ori.P {
			return false
		}
		c.Rewrite(i, op.PLOP3, op.M(op.MLUT), []ori.Operand{srcs[2], p, q, ori.Imm(allThree), ori.Imm(0)}, j)
		return true
	}
	m := i.Mods
	if holds {
		m, p = m.Without(op.MAND).With(op.MOR), p.Not()
	}
	c.Rewrite(i, op.ISETP, m, []ori.Operand{x, srcs[1], p}, j)
	return true
}

// allThree is the table of a conjunction of three predicates.
const allThree = 0x80

// Combining returns how a comparison combines its outcome with a predicate,
// as a table of two inputs.
func Combining(m op.Mods) (lut int64, ok bool) {
	for _, r := range accumulators {
		if m.Has(r.mod) {
			return r.lut, true
		}
	}
	return 0, false
}

// Outcome compares two constants as modifiers say.
func Outcome(m op.Mods, a, b uint32) (holds, ok bool) {
	x, y := int64(int32(a)), int64(int32(b))
	if m.Has(op.MU32) {
		x, y = int64(a), int64(b)
	}
	for _, r := range compared {
		if m.Has(r.mod) {
			return x < y && r.less || x == y && r.same || x > y && r.more, true
		}
	}
	return false, false
}

// OutcomeOfFloats compares two numbers as modifiers say.
func OutcomeOfFloats(m op.Mods, a, b float32) (holds, ok bool) {
	x := float64(a)
	return span.Span{Lo: x, Hi: x}.Compare(m, float64(b))
}

// outcomeOfFloatBits compares the bits of two numbers that are none of those
// which are flushed to zero.
func outcomeOfFloatBits(m op.Mods, a, b uint32) (holds, ok bool) {
	for _, x := range [...]uint32{a, b} {
		if exp := x >> 23 & 0xff; exp == 0xff && x<<9 != 0 || exp == 0 && x<<9 != 0 {
			return false, false
		}
	}
	return OutcomeOfFloats(m, math.Float32frombits(a), math.Float32frombits(b))
}

// logicOfTests joins two operations on predicates that together look at no
// more than three.
func (c *Combiner) logicOfTests(i *ori.Instr) bool {
	if !isPredicateLogic(i) {
		return false
	}
	for n := 1; n <= 3; n++ {
		in := i.Args[n]
		in.Flags = 0
		j := c.inner(i, in, op.PLOP3)
		if j == nil || !isPredicateLogic(j) {
			continue
		}
		ins, ok := predicateInputs(i, j, n)
		if !ok {
			continue
		}
		lut := int64(0)
		for e := range 8 {
			value := func(a ori.Operand) int {
				v := 1
				if a.Kind == ori.KReg {
					for k, x := range ins {
						if x.Reg == a.Reg {
							v = e >> (2 - k) & 1
						}
					}
				}
				if a.Flags&ori.Inv != 0 {
					v ^= 1
				}
				return v
			}
			var at [3]int
			for k := range at {
				at[k] = value(i.Args[1+k])
				if k+1 == n {
					at[k] = pick(j.Args[4].Imm, value(j.Args[1]), value(j.Args[2]), value(j.Args[3]))
					if i.Args[n].Flags&ori.Inv != 0 {
						at[k] ^= 1
					}
				}
			}
			lut |= int64(pick(i.Args[4].Imm, at[0], at[1], at[2])) << e
		}
		for len(ins) < 3 {
			ins = append(ins, ori.Zero(ori.P))
		}
		c.Rewrite(i, op.PLOP3, i.Mods, append(ins, ori.Imm(lut), ori.Imm(0)), j)
		return true
	}
	return false
}

// isPredicateLogic reports whether i is a function of three predicates with
// one result.
func isPredicateLogic(i *ori.Instr) bool {
	return i.Op == op.PLOP3 && i.NDst == 1 && i.Guard.Kind == ori.KNone && len(i.Args) == 6 && i.Args[4].Kind == ori.KImm && i.Args[5].Is(0)
}

// predicateInputs lists the predicates that i and j look at, j standing for
// source n of i, without their marks.
func predicateInputs(i, j *ori.Instr, n int) ([]ori.Operand, bool) {
	var list []ori.Operand
	for k := 1; k <= 3; k++ {
		for _, a := range [...]ori.Operand{i.Args[k], j.Args[k]} {
			if a == i.Args[k] && k == n || a.Kind == ori.KZero {
				continue
			}
			if a.Kind != ori.KReg || a.Class != ori.P {
				return nil, false
			}
			a.Flags = 0
			seen := false
			for _, x := range list {
				seen = seen || x.Reg == a.Reg
			}
			if !seen {
				list = append(list, a)
			}
		}
	}
	return list, len(list) <= 3
}
