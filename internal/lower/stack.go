package lower

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// StackReg is the register of the stack pointer, FrameReg that of the frame
// where the stack pointer moves (calling convention of the reference,
// abi.md).
const (
	StackReg = 1
	FrameReg = 2
)

// stackAlign is what every frame is aligned to.
const stackAlign = 16

// stack returns the register locals and spills are addressed from: the
// stack pointer, lowered by the size of the frame, or a copy of it when the
// stack pointer moves. Spills lie above what the source asks for, so that
// the frame's own offsets stay what they are.
func (l *lowerer) stack() ori.Operand {
	if l.frame == ori.NoReg {
		if l.plan.moves {
			l.frame = l.fixed(FrameReg, 1)
		} else {
			l.stackPointer()
			l.frame = l.sp
		}
	}
	return l.f.Words(l.frame)
}

// stackPointer returns the stack pointer.
func (l *lowerer) stackPointer() ori.Operand {
	if l.sp == ori.NoReg {
		l.sp = l.fixed(StackReg, 1)
	}
	return l.f.Words(l.sp)
}

// alloca lowers alloca.
func (l *lowerer) alloca() {
	align := int64(8)
	if len(l.args) > 2 {
		align = int64(l.args[2].Value)
	}
	sp := l.stackPointer()
	t := l.iadd(sp, negate(l.src(1, l.typ(0))[0]))
	l.emitFixed(op.LOP3, op.M(op.MLUT), sp, t, ori.Imm(-align), rz(), ori.Imm(lutAnd))
	l.pointerResult(sp)
}

// stacksave and stackrestore.
func (l *lowerer) stacksave() {
	l.pointerResult(l.stackPointer())
}

func (l *lowerer) stackrestore() {
	l.emitFixed(op.MOV, op.Mods{}, l.stackPointer(), l.src(0, l.typ(0))[0])
}

// emitFixed emits an instruction that writes a fixed register, under the
// current guard.
func (l *lowerer) emitFixed(o op.Op, m op.Mods, d ori.Operand, srcs ...ori.Operand) {
	i := l.emit(o, m, value{d}, srcs...)
	i.Guard = l.guard
}

func (l *lowerer) pointerResult(sp ori.Operand) {
	d := l.dst(0)
	v := value{sp, rz()}
	l.copy(d, v[:len(d)])
}

// saveStack keeps the stack pointer while a body stands in place of a call,
// which releases what it took.
func (l *lowerer) saveStack() ori.Operand {
	for n := range l.body.Instrs {
		if l.body.Instrs[n].Op == isa.WAlloca {
			t := l.tmp(1)
			l.copy(t, value{l.stackPointer()})
			return t[0]
		}
	}
	return ori.Operand{}
}

func (l *lowerer) restoreStack(t ori.Operand) {
	if t.Kind == ori.KReg {
		l.emitFixed(op.MOV, op.Mods{}, l.stackPointer(), t)
	}
}
