package lower

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// value is the words of a value, low word first.
type value []ori.Operand

// emit appends an instruction. It takes the current guard if it writes a
// PTX register or does something that must not happen otherwise.
func (l *lowerer) emit(o op.Op, m op.Mods, dsts value, srcs ...ori.Operand) *ori.Instr {
	i := l.f.NewInstr(o, m, dsts, srcs)
	l.wrote(dsts)
	if l.in != nil {
		i.Line = int32(l.in.Pos)
	}
	i.Loc = l.loc
	if l.guard.Kind != ori.KNone && l.needsGuard(i) {
		i.Guard = l.guard
	}
	return l.cur.Append(i)
}

func (l *lowerer) needsGuard(i *ori.Instr) bool {
	if i.Op.Has(op.Reads | op.Writes | op.Effect | op.Terminator | op.Convergent) {
		return i.Op != op.LDC && i.Op != op.ULDC
	}
	for _, d := range i.Dsts() {
		if d.Kind == ori.KReg && (d.Reg >= l.first && d.Reg < l.ptx || d.Reg == l.carry) {
			return true
		}
	}
	return false
}

// tmp returns a new value of n words.
func (l *lowerer) tmp(n int) value { return l.words(l.f.NewReg(ori.R, n)) }

// pred returns a new predicate.
func (l *lowerer) pred() ori.Operand { return l.f.Words(l.f.NewReg(ori.P, 1)) }

// words splits a register into its words.
func (l *lowerer) words(r ori.Reg) value {
	v := make(value, l.f.Regs[r].Width)
	for n := range v {
		v[n] = l.f.Word(r, n)
	}
	return v
}

// whole joins words that stand side by side in one register into one
// operand.
func whole(v value) ori.Operand {
	o := v[0]
	o.N = uint8(len(v))
	return o
}

// one computes a one-word result into a temporary.
func (l *lowerer) one(o op.Op, m op.Mods, srcs ...ori.Operand) ori.Operand {
	d := l.tmp(1)
	l.emit(o, m, d, srcs...)
	return d[0]
}

// test computes a predicate into a temporary.
func (l *lowerer) test(o op.Op, m op.Mods, srcs ...ori.Operand) ori.Operand {
	d := l.pred()
	l.emit(o, m, value{d}, srcs...)
	return d
}

// copy moves a value to where the PTX result lives.
func (l *lowerer) copy(dst, src value) {
	for n := range dst {
		if src[n].Kind == ori.KReg && dst[n].Class == src[n].Class && src[n].Flags == 0 {
			l.emit(op.COPY, op.Mods{}, dst[n:n+1], src[n])
		} else {
			l.emit(op.MOV, op.Mods{}, dst[n:n+1], src[n])
		}
		l.moves(dst[n], src[n])
	}
}

// rz and pt are the zero register and the true predicate.
func rz() ori.Operand { return ori.Zero(ori.R) }
func pt() ori.Operand { return ori.Zero(ori.P) }

// reg makes sure that a word is in a register.
func (l *lowerer) reg(o ori.Operand) ori.Operand {
	if o.Kind == ori.KReg && o.Class == ori.R && o.Flags == 0 || o.Kind == ori.KZero && o.Class == ori.R {
		return o
	}
	return l.one(op.MOV, op.Mods{}, o)
}

// pair makes sure that two words stand side by side in one register.
func (l *lowerer) pair(v value) value { return l.group(v) }

// group makes sure that the words of v are the words of one register, in
// order, as wide operands want them.
func (l *lowerer) group(v value) value {
	if len(v) == 1 {
		return value{l.reg(v[0])}
	}
	ok := v[0].Kind == ori.KReg && v[0].Sub%uint8(align(len(v))) == 0
	for n := range v {
		ok = ok && v[n].Kind == ori.KReg && v[n].Reg == v[0].Reg && v[n].Sub == v[0].Sub+uint8(n) && v[n].Flags == 0
	}
	if ok {
		return v
	}
	t := l.tmp(len(v))
	for n := range v {
		l.copy(t[n:n+1], v[n:n+1])
	}
	return t
}

func align(n int) int {
	a := 1
	for a < n && a < 4 {
		a *= 2
	}
	return a
}

// imm splits a constant into words.
func imm(v uint64, n int) value {
	w := make(value, n)
	for k := range w {
		w[k] = word(uint32(v))
		v >>= 32
	}
	return w
}

// word is a constant word; zero is the zero register.
func word(v uint32) ori.Operand {
	if v == 0 {
		return rz()
	}
	return ori.Imm32(v)
}
