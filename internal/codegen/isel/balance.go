package isel

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/target"
)

// Balance gives simple integer instructions of each block to the multiplier
// where the arithmetic unit has more to do. A warp's instruction keeps each
// of the two busy for two cycles; floats spread over two units of which the
// multiplier is one.
func Balance(f *ori.Func, fits Fits) bool {
	changed := false
	for _, b := range f.Blocks {
		changed = balance(f, b, fits) || changed
	}
	return f.Touched(changed)
}

// load is how many instructions of a block each unit executes.
type load struct{ arithmetic, products, floats int }

func (l *load) add(o op.Op) {
	switch o.Pipe() {
	case target.PipeAlu:
		l.arithmetic++
	case target.PipeMultiply:
		l.products++
	case target.PipeFloat:
		l.floats++
	}
}

// surplus returns how many instructions should change sides.
func (l *load) surplus() int {
	other := max(l.products, (l.products+l.floats)/2)
	return (l.arithmetic - other) / 2
}

func balance(f *ori.Func, b *ori.Block, fits Fits) bool {
	var l load
	candidates := 0
	for i := range b.Instrs {
		l.add(i.Op)
		if _, ok := product(i); ok {
			candidates++
		}
	}
	move := min(l.surplus(), candidates)
	if move <= 0 {
		return false
	}
	n := 0
	for i := range b.Instrs {
		p, ok := product(i)
		if !ok {
			continue
		}
		// spread evenly over the block
		if n*move/candidates != (n+1)*move/candidates {
			replace(f, i, p, fits)
		}
		n++
	}
	return true
}

// asProduct is a multiply-add: its factors, its addend and, with MX, a predicate
// that is added.
type asProduct struct {
	mods op.Mods
	srcs [4]ori.Operand
}

// operands returns the sources.
func (p *asProduct) operands() []ori.Operand {
	if p.mods.Has(op.MX) {
		return p.srcs[:]
	}
	return p.srcs[:3]
}

// product returns the multiply-add that computes what i does.
func product(i *ori.Instr) (p asProduct, ok bool) {
	rz := ori.Zero(ori.R)
	if i.NDst != 1 || i.Args[0].Class != ori.R || i.Args[0].N > 1 {
		return p, false
	}
	plain := func(a, b, c ori.Operand) (asProduct, bool) {
		return asProduct{srcs: [4]ori.Operand{a, b, c}}, true
	}
	s := i.Srcs()
	switch i.Op {
	case op.MOV:
		if i.Mods == (op.Mods{}) && len(s) == 1 && s[0].Flags == 0 && (isWord(s[0]) || s[0].Kind == ori.KImm || s[0].Kind == ori.KConst) {
			return plain(rz, rz, s[0])
		}
	case op.IADD3:
		if i.Mods == op.M(op.MX) {
			return carried(s)
		}
		if i.Mods != (op.Mods{}) || len(s) != 3 || s[2].Kind != ori.KZero || s[2].Flags != 0 || !isWord(s[1]) || s[1].Flags&^ori.Neg != 0 || s[0].Flags != 0 {
			break
		}
		if isWord(s[0]) {
			return plain(s[0], ori.Imm(1), s[1])
		}
		if s[0].Kind == ori.KZero {
			return plain(rz, rz, s[1])
		}
	case op.LEA:
		if i.Mods == (op.Mods{}) && len(s) == 3 && isWord(s[0]) && s[0].Flags == 0 && isWord(s[1]) && s[1].Flags == 0 && isShift(s[2]) {
			return plain(s[0], ori.Imm32(1<<s[2].Imm), s[1])
		}
	case op.SHF:
		if i.Mods == op.M(op.ML, op.MU32) && len(s) == 3 && s[2].Kind == ori.KZero && isWord(s[0]) && s[0].Flags == 0 &&
			isShift(s[1]) {
			return plain(s[0], ori.Imm32(1<<s[1].Imm), rz)
		}
	case op.SEL:
		if i.Mods == (op.Mods{}) && len(s) == 3 {
			return chosen(s)
		}
	}
	return p, false
}

// carried is the upper word of a sum of at most two: its words, a carry, and
// no second carry.
func carried(s []ori.Operand) (p asProduct, ok bool) {
	if len(s) != 5 || s[3].Kind != ori.KReg || s[3].Class != ori.P || s[4] != ori.Zero(ori.P).Not() {
		return p, false
	}
	rz := ori.Zero(ori.R)
	p = asProduct{op.M(op.MX), [4]ori.Operand{rz, rz, rz, s[3]}}
	for _, a := range s[:3] {
		switch {
		case a.Kind == ori.KZero && a.Flags == 0:
		case p.srcs[2] == rz:
			p.srcs[2] = a
		case p.srcs[0] == rz && isWord(a) && a.Flags == 0 && isWord(p.srcs[2]):
			p.srcs[0], p.srcs[1] = a, ori.Imm(1)
		case p.srcs[0] == rz && isWord(a) && isWord(p.srcs[2]) && p.srcs[2].Flags == 0:
			p.srcs[0], p.srcs[1], p.srcs[2] = p.srcs[2], ori.Imm(1), a
		default:
			return p, false
		}
	}
	return p, true
}

// chosen is a choice between a constant and the next, as the lesser plus the
// predicate.
func chosen(s []ori.Operand) (p asProduct, ok bool) {
	a, okA := constant(s[0])
	b, okB := constant(s[1])
	if !okA || !okB || s[2].Kind != ori.KReg || s[2].Class != ori.P {
		return p, false
	}
	with, least := s[2], b
	switch {
	case a == b+1:
	case b == a+1:
		with, least = with.Not(), a
	default:
		return p, false
	}
	rz := ori.Zero(ori.R)
	p = asProduct{op.M(op.MX), [4]ori.Operand{rz, rz, rz, with}}
	if least != 0 {
		p.srcs[2] = ori.Imm32(least)
	}
	return p, true
}

// constant returns the word that o stands for.
func constant(o ori.Operand) (uint32, bool) {
	switch {
	case o.Flags != 0:
	case o.Kind == ori.KZero:
		return 0, true
	case o.Kind == ori.KImm:
		return uint32(o.Imm), true
	}
	return 0, false
}

// isWord reports whether o is a general register.
func isWord(o ori.Operand) bool { return o.Kind == ori.KReg && o.Class == ori.R && o.N <= 1 }

// isShift reports whether o is a distance that a factor can stand for.
func isShift(o ori.Operand) bool { return o.Kind == ori.KImm && o.Imm >= 0 && o.Imm < 32 }

// replace makes i a multiply-add, if the machine has that form.
func replace(f *ori.Func, i *ori.Instr, p asProduct, fits Fits) bool {
	o, m := i.Op, i.Mods
	dst, old := i.Args[0], append([]ori.Operand(nil), i.Srcs()...)
	i.Op, i.Mods = op.IMAD, p.mods
	if p.srcs[0].Kind == ori.KZero && p.srcs[2].Flags != 0 && !p.mods.Has(op.MX) { // the reference's spelling of a negation
		i.Mods = op.M(op.MMOV)
	}
	f.SetArgs(i, []ori.Operand{dst}, p.operands())
	if !fits(i) {
		i.Op, i.Mods = o, m
		f.SetArgs(i, []ori.Operand{dst}, old)
		return false
	}
	return true
}
