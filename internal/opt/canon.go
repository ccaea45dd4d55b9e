package opt

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// Canonical writes computations the short way: without results nobody
// reads, without carries that cannot happen, with constants where the
// machine takes them.
func Canonical(f *ori.Func) bool {
	c := &Combiner{F: f, V: ValuesOf(f)}
	changed := false
	var any [op.Count]bool // whether there is a rule for the operation
	for k := range shorter {
		any[shorter[k].op] = true
	}
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			if !any[i.Op] {
				continue
			}
			for _, r := range &shorter {
				if r.op == i.Op && f.Should("shorter", i) && r.apply(c, i) {
					changed = true
				}
			}
		}
	}
	if f.Touched(changed) {
		c.V.Keep()
	}
	return changed
}

var shorter = [...]struct {
	op    op.Op
	apply func(c *Combiner, i *ori.Instr) bool
}{
	{op.IADD3, (*Combiner).dropCarry},
	{op.IADD3, (*Combiner).noCarryIn},
	{op.IADD3, (*Combiner).addNothing},
	{op.IMAD, (*Combiner).lowProduct},
	{op.ISETP, (*Combiner).equalHigh},
	{op.ISETP, (*Combiner).knownCompare},
	{op.ISETP, (*Combiner).signOfMagnitude},
	{op.IABS, (*Combiner).magnitudeTwice},
	{op.ISETP, (*Combiner).chosenPart},
	{op.ISETP, (*Combiner).chosen},
	{op.FSETP, (*Combiner).chosen},
	{op.SEL, (*Combiner).constantLast},
	{op.FSEL, (*Combiner).constantLast},
	{op.ISETP, (*Combiner).turnAround},
	{op.FSETP, (*Combiner).turnAround},
	{op.FSETP, (*Combiner).knownOrder},
}

// dropCarry: a carry out that nobody reads is not computed.
func (c *Combiner) dropCarry(i *ori.Instr) bool {
	if i.NDst != 2 || i.Guard.Kind != ori.KNone {
		return false
	}
	p := i.Args[1]
	if p.Class != ori.P || p.Kind == ori.KReg && c.V.ReadsOf(p) != 0 || p.Kind != ori.KReg && p.Kind != ori.KZero {
		return false
	}
	c.V.Count(i, -1)
	c.F.SetArgs(i, []ori.Operand{i.Args[0]}, append([]ori.Operand(nil), i.Srcs()...))
	c.V.Count(i, 1)
	return true
}

// lowProduct: of a wide product whose upper word nobody reads only the lower
// one is computed, as of an offset that local memory is addressed with:
//
//	IMAD.WIDE.U32 d = a, 4, x        IMAD d[0] = a, 4, x[0]
func (c *Combiner) lowProduct(i *ori.Instr) bool {
	if i.Mods != op.M(op.MWIDE) && i.Mods != op.M(op.MWIDE, op.MU32) || i.NDst != 1 || len(i.Args) != 4 || i.Guard.Kind != ori.KNone {
		return false
	}
	d, x := i.Args[0], i.Args[3]
	if d.Kind != ori.KReg || d.Class != ori.R || d.N != 2 || c.F.Regs[d.Reg].Fixed || c.F.Regs[d.Reg].Var || x.Kind != ori.KZero && (x.Kind != ori.KReg || x.N != 2 || x.Flags != 0) {
		return false
	}
	d.N, d.Sub = 1, d.Sub+1
	if c.V.ReadsOf(d) != 0 {
		return false
	}
	d.Sub--
	if x.Kind == ori.KReg {
		x.N = 1
	}
	c.V.Count(i, -1)
	i.Mods = op.Mods{}
	c.F.SetArgs(i, []ori.Operand{d}, []ori.Operand{i.Args[1], i.Args[2], x})
	c.V.Count(i, 1)
	return true
}

// noCarryIn: an addition whose carries in are known to be none is a plain
// one.
func (c *Combiner) noCarryIn(i *ori.Instr) bool {
	if i.Mods != op.M(op.MX) || len(i.Srcs()) != 5 {
		return false
	}
	for _, s := range i.Srcs() {
		// with carries ~x is x inverted, without them there is only -x
		if s.Class == ori.R && s.Flags != 0 {
			return false
		}
	}
	for _, p := range i.Srcs()[3:] {
		if p.Kind != ori.KZero || p.Class != ori.P || p.Flags != ori.Inv {
			return false
		}
	}
	i.Mods = op.Mods{}
	c.F.SetArgs(i, append([]ori.Operand(nil), i.Dsts()...), append([]ori.Operand(nil), i.Srcs()[:3]...))
	return true
}

// addNothing: x + 0 is x and carries nothing.
func (c *Combiner) addNothing(i *ori.Instr) bool {
	if i.Mods != (op.Mods{}) || i.NDst != 2 || len(i.Args) != 5 || i.Guard.Kind != ori.KNone || i.Args[1].Kind != ori.KReg {
		return false
	}
	var x ori.Operand
	for _, s := range i.Srcs() {
		switch {
		case s.Kind == ori.KZero && s.Flags == 0:
		case x.Kind == ori.KNone && Plain(s):
			x = s
		default:
			return false
		}
	}
	if x.Kind == ori.KNone {
		x = ori.Zero(ori.R)
	}
	pt := ori.Zero(ori.P)
	no := c.F.NewInstr(op.PLOP3, op.M(op.MLUT), []ori.Operand{i.Args[1]}, []ori.Operand{pt, pt, pt, ori.Imm(0), ori.Imm(0)})
	no.Line, no.Loc = i.Line, i.Loc
	c.V.Count(i, -1)
	i.Op = op.COPY
	if x.Kind != ori.KReg {
		i.Op = op.MOV
	}
	c.F.SetArgs(i, []ori.Operand{i.Args[0]}, []ori.Operand{x})
	c.V.Count(i, 1)
	i.Block().InsertAfter(no, i)
	c.V.Count(no, 1)
	return true
}

// equalHigh: a comparison of pairs whose high words are equal is that of
// the low words.
func (c *Combiner) equalHigh(i *ori.Instr) bool {
	srcs := i.Srcs()
	if !i.Mods.Has(op.MEX) || i.NDst != 1 || len(srcs) != 4 || srcs[0] != srcs[1] && (!IsZero(srcs[0]) || !IsZero(srcs[1])) {
		return false
	}
	for _, r := range accumulators {
		if i.Mods.Has(r.mod) {
			c.V.Count(i, -1)
			i.Op, i.Mods = op.PLOP3, op.M(op.MLUT)
			c.F.SetArgs(i, append([]ori.Operand(nil), i.Dsts()...), []ori.Operand{srcs[2], srcs[3], ori.Zero(ori.P), ori.Imm(r.lut), ori.Imm(0)})
			c.V.Count(i, 1)
			return true
		}
	}
	return false
}

// compared are the outcomes of comparisons of integers.
var compared = [...]struct {
	mod              op.Mod
	less, same, more bool
}{
	{op.MLT, true, false, false},
	{op.MLE, true, true, false},
	{op.MEQ, false, true, false},
	{op.MNE, true, false, true},
	{op.MGE, false, true, true},
	{op.MGT, false, false, true},
}

// knownCompare: a comparison of constants is known.
func (c *Combiner) knownCompare(i *ori.Instr) bool {
	srcs := i.Srcs()
	if i.Mods.Has(op.MEX) || i.NDst != 1 || len(srcs) != 3 {
		return false
	}
	a, okA := Known(srcs[0])
	b, okB := Known(srcs[1])
	if !okA || !okB {
		return false
	}
	holds, ok := Outcome(i.Mods, a, b)
	if !ok {
		return false
	}
	p := ori.Zero(ori.P)
	if !holds {
		p = p.Not()
	}
	return c.accumulate(i, p)
}

// signOfMagnitude: |x| is not below zero. Of the least integer, whose
// magnitude is no signed word, PTX does not say what abs gives; the reference
// takes it for positive here and nowhere else, and programs rest on it: the
// remainder of |x| is an index.
func (c *Combiner) signOfMagnitude(i *ori.Instr) bool {
	srcs := i.Srcs()
	if i.Mods.Has(op.MEX) || i.Mods.Has(op.MU32) || i.NDst != 1 || len(srcs) != 3 || !Plain(srcs[0]) || !IsZero(srcs[1]) {
		return false
	}
	less := i.Mods.Has(op.MLT)
	if j := c.V.Once(srcs[0]); !less && !i.Mods.Has(op.MGE) || j == nil || j.Op != op.IABS || j.Guard.Kind != ori.KNone {
		return false
	}
	p := ori.Zero(ori.P)
	if less {
		p = p.Not()
	}
	return c.accumulate(i, p)
}

// magnitudeTwice: ||x|| is |x|.
func (c *Combiner) magnitudeTwice(i *ori.Instr) bool {
	if len(i.Args) != 2 || !Plain(i.Args[1]) || i.Guard.Kind != ori.KNone {
		return false
	}
	if j := c.V.Once(i.Args[1]); j == nil || j.Op != op.IABS || j.Guard.Kind != ori.KNone {
		return false
	}
	i.Op = op.COPY
	return true
}

// accumulate makes comparison i, whose outcome is p, say so.
func (c *Combiner) accumulate(i *ori.Instr, p ori.Operand) bool {
	for _, acc := range accumulators {
		if i.Mods.Has(acc.mod) {
			with := i.Srcs()[2]
			c.V.Count(i, -1)
			i.Op, i.Mods = op.PLOP3, op.M(op.MLUT)
			c.F.SetArgs(i, append([]ori.Operand(nil), i.Dsts()...), []ori.Operand{with, p, ori.Zero(ori.P), ori.Imm(acc.lut), ori.Imm(0)})
			c.V.Count(i, 1)
			return true
		}
	}
	return false
}

// accumulators are the ways in which a comparison combines its outcome with
// a predicate, as tables of two inputs.
var accumulators = [...]struct {
	lut int64
	mod op.Mod
}{{0xc0, op.MAND}, {0xfc, op.MOR}, {0x3c, op.MXOR}}

// constantLast: of two values to choose from the machine takes a constant as
// the second.
func (c *Combiner) constantLast(i *ori.Instr) bool {
	if i.NDst != 1 || len(i.Args) != 4 || i.Args[1].Kind == ori.KReg || i.Args[1].Kind == ori.KZero || i.Args[3].Class != ori.P {
		return false
	}
	if i.Args[2].Kind != ori.KReg && i.Args[2].Kind != ori.KZero {
		return false
	}
	i.Args[1], i.Args[2] = i.Args[2], i.Args[1]
	i.Args[3].Flags ^= ori.Inv
	return true
}

// turned are the comparisons that become others when their sides change
// places; the rest stay what they are.
var turned = [...][2]op.Mod{{op.MLT, op.MGT}, {op.MLE, op.MGE}, {op.MLTU, op.MGTU}, {op.MLEU, op.MGEU}}

// turnAround: a constant is compared with, not compared.
func (c *Combiner) turnAround(i *ori.Instr) bool {
	n := int(i.NDst)
	if len(i.Args) < n+3 || i.Args[n].Kind != ori.KImm || i.Args[n+1].Kind != ori.KReg {
		return false
	}
	for k, m := range i.Mods {
		for _, t := range turned {
			switch m {
			case t[0]:
				i.Mods[k] = t[1]
			case t[1]:
				i.Mods[k] = t[0]
			}
		}
	}
	i.Args[n], i.Args[n+1] = i.Args[n+1], i.Args[n]
	return true
}
