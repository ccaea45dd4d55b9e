package expand

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/target"
)

// Value is the words of a value, the low one first.
type Value []ori.Operand

// Placer puts instructions where code is being written.
type Placer interface {
	// Put appends an instruction.
	Put(i *ori.Instr) *ori.Instr
	// Moved hears that a word was copied.
	Moved(dst, src ori.Operand)
	// Unless returns v where p holds, elsewhere what rest computes: zeros are
	// common where masks are, and should not take the time of all other numbers.
	Unless(p ori.Operand, v Value, rest func() Value) Value
}

// Writer writes instructions of a function.
type Writer struct {
	F    *ori.Func
	Arch *target.Arch
	to   Placer
	room Value // for values to come
}

// NewWriter returns a Writer that leaves instructions to a Placer.
func NewWriter(arch *target.Arch, to Placer) Writer { return Writer{Arch: arch, to: to} }

// Emit writes an instruction.
func (l *Writer) Emit(o op.Op, m op.Mods, dsts Value, srcs ...ori.Operand) *ori.Instr {
	return l.to.Put(l.F.NewInstr(o, m, dsts, srcs))
}

// Tmp returns a new value of n words.
func (l *Writer) Tmp(n int) Value { return l.Words(l.F.NewReg(ori.R, n)) }

// Pred returns a new predicate.
func (l *Writer) Pred() ori.Operand { return l.F.Words(l.F.NewReg(ori.P, 1)) }

// Words splits a register into its words.
func (l *Writer) Words(r ori.Reg) Value {
	v := l.value(int(l.F.Regs[r].Width))
	for n := range v {
		v[n] = l.F.Word(r, n)
	}
	return v
}

// roomOf is how many words get their memory at once.
const roomOf = 64

// value returns a value of n words.
func (l *Writer) value(n int) Value {
	if n > roomOf/4 {
		return make(Value, n)
	}
	if n > len(l.room) {
		l.room = make(Value, roomOf)
	}
	v := l.room[:n:n]
	l.room = l.room[n:]
	return v
}

// Whole joins words that stand side by side in one register into one
// operand.
func Whole(v Value) ori.Operand {
	o := v[0]
	o.N = uint8(len(v))
	return o
}

// One computes a one-word result into a temporary.
func (l *Writer) One(o op.Op, m op.Mods, srcs ...ori.Operand) ori.Operand {
	d := l.Tmp(1)
	l.Emit(o, m, d, srcs...)
	return d[0]
}

// Test computes a predicate into a temporary.
func (l *Writer) Test(o op.Op, m op.Mods, srcs ...ori.Operand) ori.Operand {
	d := l.Pred()
	l.Emit(o, m, Value{d}, srcs...)
	return d
}

// Copy moves a value to another place.
func (l *Writer) Copy(dst, src Value) {
	for n := range dst {
		if src[n].Kind == ori.KReg && dst[n].Class == src[n].Class && src[n].Flags == 0 {
			l.Emit(op.COPY, op.Mods{}, dst[n:n+1], src[n])
		} else {
			l.Emit(op.MOV, op.Mods{}, dst[n:n+1], src[n])
		}
		l.to.Moved(dst[n], src[n])
	}
}

// RZ and pt are the zero register and the true predicate.
func RZ() ori.Operand { return ori.Zero(ori.R) }

func PT() ori.Operand { return ori.Zero(ori.P) }

// Reg makes sure that a word is in a register.
func (l *Writer) Reg(o ori.Operand) ori.Operand {
	if o.Kind == ori.KReg && o.Class == ori.R && o.Flags == 0 || o.Kind == ori.KZero && o.Class == ori.R {
		return o
	}
	return l.One(op.MOV, op.Mods{}, o)
}

// Pair makes sure that two words stand side by side in one register.
func (l *Writer) Pair(v Value) Value { return l.Group(v) }

// Group makes sure that the words of v are the words of one register, in
// order, as wide operands want them.
func (l *Writer) Group(v Value) Value {
	if len(v) == 1 {
		return Value{l.Reg(v[0])}
	}
	ok := v[0].Kind == ori.KReg && v[0].Sub%uint8(align(len(v))) == 0
	for n := range v {
		ok = ok && v[n].Kind == ori.KReg && v[n].Reg == v[0].Reg && v[n].Sub == v[0].Sub+uint8(n) && v[n].Flags == 0
	}
	if ok {
		return v
	}
	t := l.Tmp(len(v))
	for n := range v {
		l.Copy(t[n:n+1], v[n:n+1])
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

// Imm splits a constant into words.
func Imm(v uint64, n int) Value {
	w := make(Value, n)
	for k := range w {
		w[k] = Word(uint32(v))
		v >>= 32
	}
	return w
}

// Word is a constant word; zero is the zero register.
func Word(v uint32) ori.Operand {
	if v == 0 {
		return RZ()
	}
	return ori.Imm32(v)
}
