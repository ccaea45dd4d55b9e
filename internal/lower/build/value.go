package build

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// Emit appends an instruction. It takes the current guard if it writes a
// PTX register or does something that must not happen otherwise.
func (l *Builder) Emit(o op.Op, m op.Mods, dsts Value, srcs ...ori.Operand) *ori.Instr {
	i := l.F.NewInstr(o, m, dsts, srcs)
	l.wrote(dsts)
	if l.In != nil {
		i.Line = int32(l.In.Pos)
	}
	i.Loc = l.Loc
	if l.Guard.Kind != ori.KNone && l.needsGuard(i) {
		i.Guard = l.Guard
	}
	return l.Cur.Append(i)
}

func (l *Builder) needsGuard(i *ori.Instr) bool {
	if i.Op.Has(op.Reads | op.Writes | op.Effect | op.Terminator | op.Convergent) {
		return i.Op != op.LDC && i.Op != op.ULDC
	}
	for _, d := range i.Dsts() {
		if d.Kind == ori.KReg && (d.Reg >= l.first && d.Reg < l.ptx || d.Reg == l.Carry) {
			return true
		}
	}
	return false
}

// Tmp returns a new value of n words.
func (l *Builder) Tmp(n int) Value { return l.Words(l.F.NewReg(ori.R, n)) }

// Pred returns a new predicate.
func (l *Builder) Pred() ori.Operand { return l.F.Words(l.F.NewReg(ori.P, 1)) }

// Words splits a register into its words.
func (l *Builder) Words(r ori.Reg) Value {
	v := make(Value, l.F.Regs[r].Width)
	for n := range v {
		v[n] = l.F.Word(r, n)
	}
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
func (l *Builder) One(o op.Op, m op.Mods, srcs ...ori.Operand) ori.Operand {
	d := l.Tmp(1)
	l.Emit(o, m, d, srcs...)
	return d[0]
}

// Test computes a predicate into a temporary.
func (l *Builder) Test(o op.Op, m op.Mods, srcs ...ori.Operand) ori.Operand {
	d := l.Pred()
	l.Emit(o, m, Value{d}, srcs...)
	return d
}

// Copy moves a value to where the PTX result lives.
func (l *Builder) Copy(dst, src Value) {
	for n := range dst {
		if src[n].Kind == ori.KReg && dst[n].Class == src[n].Class && src[n].Flags == 0 {
			l.Emit(op.COPY, op.Mods{}, dst[n:n+1], src[n])
		} else {
			l.Emit(op.MOV, op.Mods{}, dst[n:n+1], src[n])
		}
		l.moves(dst[n], src[n])
	}
}

// RZ and pt are the zero register and the true predicate.
func RZ() ori.Operand { return ori.Zero(ori.R) }

func PT() ori.Operand { return ori.Zero(ori.P) }

// Reg makes sure that a word is in a register.
func (l *Builder) Reg(o ori.Operand) ori.Operand {
	if o.Kind == ori.KReg && o.Class == ori.R && o.Flags == 0 || o.Kind == ori.KZero && o.Class == ori.R {
		return o
	}
	return l.One(op.MOV, op.Mods{}, o)
}

// Pair makes sure that two words stand side by side in one register.
func (l *Builder) Pair(v Value) Value { return l.Group(v) }

// Group makes sure that the words of v are the words of one register, in
// order, as wide operands want them.
func (l *Builder) Group(v Value) Value {
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

// Words is how many registers a value of type t takes.
func Words(t isa.Type) int { return max(1, (t.Bits()+31)/32) }

// UseMbarrier notes what the current instruction does with an mbarrier.
func (l *Builder) UseMbarrier(u ori.MbarrierUse) { l.F.UseMbarrier(int32(l.In.Pos), u) }

// CopyRun copies the words of a new run to where PTX names them, and
// remembers that they are the same.
func (l *Builder) CopyRun(dst, run Value) {
	l.Copy(dst, run)
	for n := range dst {
		l.Holds(dst[n], run[n])
	}
}

// SymbolPart returns an operand that stands for part of a symbol's address.
func (l *Builder) SymbolPart(name string, p ori.Part) ori.Operand {
	return ori.Operand{Kind: ori.KSymbol, Reg: l.F.Module.Symbol(name), Sub: uint8(p)}
}
