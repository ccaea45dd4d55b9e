package lower

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// oldSharedMask tells the place in shared memory in a generic address of
// sm_75 to sm_89, where the window begins at a multiple of its 16 MB.
const oldSharedMask = 1<<24 - 1

// constantsWindow reads the start of the window of constants.
func (l *lowerer) constantsWindow() value { return l.bank64(l.arch.Bank0().ConstWindow) }

// paramsWindow reads the start of the window of parameters.
func (l *lowerer) paramsWindow() value {
	b := l.arch.Bank0()
	if b.BankWindow >= 0 {
		return l.add64(l.bank64(b.BankWindow), imm(uint64(b.Param), 2), false)
	}
	return l.bank64(b.ParamWindow)
}

// paramsEnd reads the end of the window of parameters.
func (l *lowerer) paramsEnd() value {
	b := l.arch.Bank0()
	if b.BankWindow >= 0 {
		n := l.one(op.LDC, op.Mods{}, ori.Const(0, b.ParamEnd))
		return l.add64(l.bank64(b.BankWindow), value{n, rz()}, false)
	}
	return l.bank64(b.ParamEnd)
}

// bank64 reads 64 bits of bank 0.
func (l *lowerer) bank64(at int64) value {
	t := l.tmp(2)
	l.emit(op.LDC, op.M(op.M64), value{whole(t)}, ori.Const(0, at))
	return t
}

// cvta lowers conversions between generic addresses and state spaces.
func (l *lowerer) cvta() {
	t := l.typ(0)
	to := l.has(isa.WTo)
	if t.Bits() != 64 {
		l.unsupported()
	}
	l.copy(l.dst(0), l.convert(l.src(1, t), l.in.Spaces[0].Base(), to))
}

// convert turns an address in a state space into a generic one, or back.
func (l *lowerer) convert(a value, s isa.Space, back bool) value {
	switch {
	case s == isa.SpaceGlobal:
		return a
	case s == isa.SpaceShared && l.arch.Bank0().SharedWindow >= 0:
		return l.add64(a, l.bank64(l.arch.Bank0().SharedWindow), back)
	case s == isa.SpaceShared && back:
		return value{a[0], rz()}
	case s == isa.SpaceShared:
		return value{a[0], l.sharedHigh()}
	case s == isa.SpaceLocal:
		return l.add64(a, l.bank64(l.arch.Bank0().LocalLo), back)
	case s == isa.SpaceConst:
		return l.add64(a, l.constantsWindow(), back)
	case s == isa.SpaceParam && l.fn.Entry:
		return l.add64(a, l.paramsWindow(), back)
	case s == isa.SpaceParam: // what a call passes lies in the frame
		return l.add64(a, l.bank64(l.arch.Bank0().LocalLo), back)
	}
	l.unsupported()
	return nil
}

// isspacep lowers isspacep.
func (l *lowerer) isspacep() {
	a := l.src(1, isa.B64)
	d := l.dstPred(0)
	set := func(p ori.Operand) {
		l.emit(op.PLOP3, op.M(op.MLUT), value{d}, p, pt(), pt(), ori.Imm(0xf0), ori.Imm(0))
	}
	s := l.in.Spaces[0]
	switch {
	case s == isa.SpaceSharedCluster:
		set(l.inSpace(op.MD, a))
	case s.Base() == isa.SpaceShared:
		set(l.inSpace(op.MS, a))
	case s == isa.SpaceLocal:
		set(l.inSpace(op.ML, a))
	case s == isa.SpaceConst:
		set(l.inConst(a))
	case s == isa.SpaceGlobal: // the constant window lies in global memory
		c := l.inConst(a)
		p := l.inSpace(op.MG, a)
		l.emit(op.PLOP3, op.M(op.MLUT), value{d}, p, c, pt(), ori.Imm(0x30), ori.Imm(0))
	case s.Base() == isa.SpaceParam:
		from := l.cmp(op.MGE, false, a, l.paramsWindow())
		to := l.cmp(op.MLE, false, a, l.paramsEnd())
		l.emit(op.PLOP3, op.M(op.MLUT), value{d}, from, to, pt(), ori.Imm(0xc0), ori.Imm(0))
	default:
		l.unsupported()
	}
}

// inSpace asks the machine whether a generic address lies in a space.
func (l *lowerer) inSpace(space op.Mod, a value) ori.Operand {
	p := l.pred()
	x := ori.Addr(whole(l.group(a)), 0)
	x.Flags &^= ori.Wide
	l.emit(op.QSPC, op.M(op.ME, space), value{p, rz()}, x)
	return p
}

// constSize is the symbol that stands for the bytes of the constants of all
// objects linked together.
const constSize = ".nv.ptx.const0.size"

// inConst tells whether a generic address lies among the constants. They lie
// in global memory, and what the driver puts behind them is none: the bank
// is as long as the module's constants, not as long as it could be.
func (l *lowerer) inConst(a value) ori.Operand {
	size := imm(uint64(l.layout.ConstBytes), 2)
	if l.layout.Object {
		size = value{l.symbolWord(constSize), rz()}
	}
	return l.cmp(op.MLT, false, l.diff(a, l.constantsWindow()), size)
}

// mapa lowers mapa: the rank goes to the top byte of the address.
func (l *lowerer) mapa() {
	t := l.typ(0)
	a := l.src(1, t)
	d := l.dst(0)
	r := l.one(op.PRMT, op.Mods{}, l.reg(l.src1(2, isa.U32)), ori.Imm(0x654), l.reg(a[0]))
	l.copy(d, append(value{r}, a[1:]...))
}

// getctarank lowers getctarank: the top byte of the address.
func (l *lowerer) getctarank() {
	l.copy(l.dst(0)[:1], value{l.shr1(l.src1(1, l.typ(0)), ori.Imm(24))})
}
