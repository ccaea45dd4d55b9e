package memory

import (
	"github.com/goptxas/goptxas/internal/codegen/expand"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// StackAlign is what every frame is aligned to.
const StackAlign = 16

// alloca lowers alloca.
func alloca(l *build.Builder) {
	align := int64(8)
	if len(l.Args) > 2 {
		align = int64(l.Args[2].Value)
	}
	sp := l.StackPointer()
	t := l.Iadd(sp, expand.Negate(l.Src(1, l.Typ(0))[0]))
	emitFixed(l, op.LOP3, op.M(op.MLUT), sp, t, ori.Imm(-align), expand.RZ(), ori.Imm(expand.LutAnd))
	if l.Opts.Guards.Stack {
		end := l.One(op.S2R, op.Mods{}, ori.Special(op.SRLocalHighOffset))
		below := l.Test(op.ISETP, op.M(op.MLT, op.MU32, op.MAND), sp, end, expand.PT())
		l.EmitIf(below, op.BPT, op.M(op.MTRAP), nil, ori.Imm(1))
	}
	pointerResult(l, sp)
}

// stacksave and stackrestore.
func stacksave(l *build.Builder) {
	pointerResult(l, l.StackPointer())
}

func stackrestore(l *build.Builder) {
	emitFixed(l, op.MOV, op.Mods{}, l.StackPointer(), l.Src(0, l.Typ(0))[0])
}

// emitFixed emits an instruction that writes a fixed register, under the
// current guard.
func emitFixed(l *build.Builder, o op.Op, m op.Mods, d ori.Operand, srcs ...ori.Operand) {
	i := l.Emit(o, m, build.Value{d}, srcs...)
	i.Guard = l.Guard
}

func pointerResult(l *build.Builder, sp ori.Operand) {
	d := l.Dst(0)
	v := build.Value{sp, expand.RZ()}
	l.Copy(d, v[:len(d)])
}

// SaveStack keeps the stack pointer while a body stands in place of a call,
// which releases what it took.
func SaveStack(l *build.Builder) ori.Operand {
	for n := range l.Body.Instrs {
		if l.Body.Instrs[n].Op == isa.WAlloca {
			t := l.Tmp(1)
			l.Copy(t, build.Value{l.StackPointer()})
			return t[0]
		}
	}
	return ori.Operand{}
}

func RestoreStack(l *build.Builder, t ori.Operand) {
	if t.Kind == ori.KReg {
		emitFixed(l, op.MOV, op.Mods{}, l.StackPointer(), t)
	}
}
