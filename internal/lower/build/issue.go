package build

import (
	"github.com/goptxas/goptxas/internal/codegen/expand"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// The engines that copy whole blocks of memory are given their orders by the
// uniform datapath: an instruction there is one order for the warp, while the
// source means one for each thread. Where one thread at most can get there
// the instruction is the order; elsewhere the threads take turns.

// Order is an instruction of such an engine: its operands as blocks of words
// that go to uniform registers of their own.
type Order struct {
	Blocks []Value
	Same   bool                             // done twice it is done once: threads with equal operands share it
	First  func(u []ori.Operand) *ori.Instr // what stands before it and is no order, or nil
	Do     func(u []ori.Operand) *ori.Instr
}

// Issue gives an order for every thread.
func (l *Builder) Issue(x *Order) {
	guard := l.Guard
	alone := l.SingleThread() || x.Same && l.Agreed(x.Blocks)
	switch {
	case alone && guard.Kind == ori.KNone:
		u := l.uniforms(x.Blocks, ori.Operand{})
		x.first(u, ori.Operand{})
		x.Do(u)
	case alone:
		l.Guard = ori.Operand{}
		u := l.uniforms(x.Blocks, guard)
		x.first(u, guard)
		any := l.F.Words(l.F.NewReg(ori.UP, 1))
		l.Emit(op.VOTEU, op.M(op.MANY), Value{any}, guard)
		x.Do(u).Guard = any
		l.Guard = guard
	default:
		l.Alone(func() { l.inTurns(x) })
	}
}

// first emits what stands before an order, for threads whose guard holds.
func (x *Order) first(u []ori.Operand, guard ori.Operand) {
	if x.First != nil {
		x.First(u).Guard = guard
	}
}

// uniforms puts blocks into uniform registers, each block aligned to its
// length: from the thread whose guard holds.
func (l *Builder) uniforms(blocks []Value, guard ori.Operand) []ori.Operand {
	u := make([]ori.Operand, len(blocks))
	for n, b := range blocks {
		r := l.F.NewReg(ori.UR, len(b))
		for int(l.F.Regs[r].Align) < len(b) {
			l.F.Regs[r].Align *= 2
		}
		u[n] = l.F.Words(r)
		if guard.Kind != ori.KNone { // the threads whose guard does not hold leave it alone
			l.Emit(op.UNDEF, op.Mods{}, Value{u[n]})
		}
		for k, w := range b {
			l.ToUniform(l.F.Word(r, k), w, guard)
		}
	}
	return u
}

// ToUniform moves a word to a uniform register.
func (l *Builder) ToUniform(u, w, guard ori.Operand) {
	switch w.Kind {
	case ori.KZero:
		l.Emit(op.UMOV, op.Mods{}, Value{u}, ori.Zero(ori.UR))
	case ori.KImm:
		l.Emit(op.UMOV, op.Mods{}, Value{u}, w)
	default:
		l.Emit(op.R2UR, op.Mods{}, Value{u}, l.Reg(w)).Guard = guard
	}
}

// inTurns gives an order for every thread, one after the other, or for every
// different one.
func (l *Builder) inTurns(x *Order) {
	blocks := make([]Value, len(x.Blocks))
	for n, b := range x.Blocks {
		for _, w := range b {
			if w.Kind != ori.KZero && w.Kind != ori.KImm {
				w = l.Reg(w)
			}
			blocks[n] = append(blocks[n], w)
		}
	}
	lane := ori.Operand{}
	if !x.Same {
		lane = l.One(op.S2R, op.Mods{}, ori.Special(op.SRLaneID))
	}
	l.Repeat(func() ori.Operand {
		u := l.uniforms(blocks, ori.Operand{})
		done := expand.PT()
		match := func(w, u ori.Operand) {
			p := l.Pred()
			l.Emit(op.ISETP, op.M(op.MEQ, op.MU32, op.MAND), Value{p}, w, u, done)
			done = p
		}
		if !x.Same {
			turn := l.F.Words(l.F.NewReg(ori.UR, 1))
			l.Emit(op.R2UR, op.Mods{}, Value{turn}, lane)
			match(lane, turn)
		} else {
			for n, b := range blocks {
				for k, w := range b {
					if w.Kind == ori.KReg {
						match(w, l.F.Word(u[n].Reg, k))
					}
				}
			}
		}
		x.first(u, ori.Operand{})
		x.Do(u)
		return done
	})
}
