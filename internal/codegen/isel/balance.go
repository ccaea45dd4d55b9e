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
		srcs, ok := product(i)
		if !ok {
			continue
		}
		// spread evenly over the block
		if n*move/candidates != (n+1)*move/candidates {
			replace(f, i, srcs, fits)
		}
		n++
	}
	return true
}

// product returns the factors and the addend that compute what i does.
func product(i *ori.Instr) ([3]ori.Operand, bool) {
	rz := ori.Zero(ori.R)
	none := [3]ori.Operand{}
	if i.NDst != 1 || i.Args[0].Class != ori.R || i.Args[0].N > 1 {
		return none, false
	}
	s := i.Srcs()
	switch i.Op {
	case op.MOV:
		if i.Mods == (op.Mods{}) && len(s) == 1 && s[0].Flags == 0 && (isWord(s[0]) || s[0].Kind == ori.KImm || s[0].Kind == ori.KConst) {
			return [3]ori.Operand{rz, rz, s[0]}, true
		}
	case op.IADD3:
		if i.Mods != (op.Mods{}) || len(s) != 3 || s[2].Kind != ori.KZero || s[2].Flags != 0 || !isWord(s[1]) || s[1].Flags&^ori.Neg != 0 || s[0].Flags != 0 {
			break
		}
		if isWord(s[0]) {
			return [3]ori.Operand{s[0], ori.Imm(1), s[1]}, true
		}
		if s[0].Kind == ori.KZero {
			return [3]ori.Operand{rz, rz, s[1]}, true
		}
	case op.LEA:
		if i.Mods == (op.Mods{}) && len(s) == 3 && isWord(s[0]) && s[0].Flags == 0 && isWord(s[1]) && s[1].Flags == 0 && isShift(s[2]) {
			return [3]ori.Operand{s[0], ori.Imm32(1 << s[2].Imm), s[1]}, true
		}
	case op.SHF:
		if i.Mods == op.M(op.ML, op.MU32) && len(s) == 3 && s[2].Kind == ori.KZero && isWord(s[0]) && s[0].Flags == 0 &&
			isShift(s[1]) {
			return [3]ori.Operand{s[0], ori.Imm32(1 << s[1].Imm), rz}, true
		}
	}
	return none, false
}

// isWord reports whether o is a general register.
func isWord(o ori.Operand) bool { return o.Kind == ori.KReg && o.Class == ori.R && o.N <= 1 }

// isShift reports whether o is a distance that a factor can stand for.
func isShift(o ori.Operand) bool { return o.Kind == ori.KImm && o.Imm >= 0 && o.Imm < 32 }

// replace makes i a multiply-add, if the machine has that form.
func replace(f *ori.Func, i *ori.Instr, srcs [3]ori.Operand, fits Fits) {
	o, m := i.Op, i.Mods
	dst, old := i.Args[0], append([]ori.Operand(nil), i.Srcs()...)
	i.Op, i.Mods = op.IMAD, op.Mods{}
	if srcs[0].Kind == ori.KZero && srcs[2].Flags != 0 { // the reference's spelling of a negation
		i.Mods = op.M(op.MMOV)
	}
	f.SetArgs(i, []ori.Operand{dst}, srcs[:])
	if !fits(i) {
		i.Op, i.Mods = o, m
		f.SetArgs(i, []ori.Operand{dst}, old)
	}
}
