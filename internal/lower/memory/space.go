package memory

import (
	"github.com/goptxas/goptxas/internal/codegen/expand"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// oldSharedMask tells the place in shared memory in a generic address of
// sm_75 to sm_89, where the window begins at a multiple of its 16 MB.
const oldSharedMask = 1<<24 - 1

// constantsWindow reads the start of the window of constants.
func constantsWindow(l *build.Builder) build.Value { return Bank64(l, l.Arch.Bank0().ConstWindow) }

// paramsWindow reads the start of the window of parameters.
func paramsWindow(l *build.Builder) build.Value {
	b := l.Arch.Bank0()
	if b.BankWindow >= 0 {
		return l.Add64(Bank64(l, b.BankWindow), expand.Imm(uint64(b.Param), 2), false)
	}
	return Bank64(l, b.ParamWindow)
}

// paramsEnd reads the end of the window of parameters.
func paramsEnd(l *build.Builder) build.Value {
	b := l.Arch.Bank0()
	if b.BankWindow >= 0 {
		n := l.One(op.LDC, op.Mods{}, ori.Const(0, b.ParamEnd))
		return l.Add64(Bank64(l, b.BankWindow), build.Value{n, expand.RZ()}, false)
	}
	return Bank64(l, b.ParamEnd)
}

// Bank64 reads 64 bits of bank 0.
func Bank64(l *build.Builder, at int64) build.Value {
	t := l.Tmp(2)
	l.Emit(op.LDC, op.M(op.M64), build.Value{expand.Whole(t)}, ori.Const(0, at))
	return t
}

// cvta lowers conversions between generic addresses and state spaces.
func cvta(l *build.Builder) {
	t := l.Typ(0)
	to := l.Has(isa.WTo)
	if t.Bits() != 64 {
		l.Unsupported()
	}
	l.Copy(l.Dst(0), convert(l, l.Src(1, t), l.In.Spaces[0].Base(), to))
}

// convert turns an address in a state space into a generic one, or back.
func convert(l *build.Builder, a build.Value, s isa.Space, back bool) build.Value {
	switch {
	case s == isa.SpaceGlobal:
		return a
	case s == isa.SpaceShared && l.Arch.Bank0().SharedWindow >= 0:
		return l.Add64(a, Bank64(l, l.Arch.Bank0().SharedWindow), back)
	case s == isa.SpaceShared && back:
		return build.Value{a[0], expand.RZ()}
	case s == isa.SpaceShared:
		return build.Value{a[0], sharedHigh(l)}
	case s == isa.SpaceLocal:
		return l.Add64(a, Bank64(l, l.Arch.Bank0().LocalLo), back)
	case s == isa.SpaceConst:
		return l.Add64(a, constantsWindow(l), back)
	case s == isa.SpaceParam && l.Fn.Entry:
		return l.Add64(a, paramsWindow(l), back)
	case s == isa.SpaceParam: // what a call passes lies in the frame
		return l.Add64(a, Bank64(l, l.Arch.Bank0().LocalLo), back)
	}
	l.Unsupported()
	return nil
}

// isspacep lowers isspacep.
func isspacep(l *build.Builder) {
	a := l.Src(1, isa.B64)
	d := l.DstPred(0)
	set := func(p ori.Operand) {
		l.Emit(op.PLOP3, op.M(op.MLUT), build.Value{d}, p, expand.PT(), expand.PT(), ori.Imm(0xf0), ori.Imm(0))
	}
	s := l.In.Spaces[0]
	switch {
	case s == isa.SpaceSharedCluster:
		set(inSpace(l, op.MD, a))
	case s.Base() == isa.SpaceShared:
		set(inSpace(l, op.MS, a))
	case s == isa.SpaceLocal:
		set(inSpace(l, op.ML, a))
	case s == isa.SpaceConst:
		set(inConst(l, a))
	case s == isa.SpaceGlobal: // the constant window lies in global memory
		c := inConst(l, a)
		p := inSpace(l, op.MG, a)
		l.Emit(op.PLOP3, op.M(op.MLUT), build.Value{d}, p, c, expand.PT(), ori.Imm(0x30), ori.Imm(0))
	case s.Base() == isa.SpaceParam:
		from := l.Cmp(op.MGE, false, a, paramsWindow(l))
		to := l.Cmp(op.MLE, false, a, paramsEnd(l))
		l.Emit(op.PLOP3, op.M(op.MLUT), build.Value{d}, from, to, expand.PT(), ori.Imm(0xc0), ori.Imm(0))
	default:
		l.Unsupported()
	}
}

// inSpace asks the machine whether a generic address lies in a space.
func inSpace(l *build.Builder, space op.Mod, a build.Value) ori.Operand {
	p := l.Pred()
	x := ori.Addr(expand.Whole(l.Group(a)), 0)
	x.Flags &^= ori.Wide
	l.Emit(op.QSPC, op.M(op.ME, space), build.Value{p, expand.RZ()}, x)
	return p
}

// constSize is the symbol that stands for the bytes of the constants of all
// objects linked together.
const constSize = ".nv.ptx.const0.size"

// inConst tells whether a generic address lies among the constants. They lie
// in global memory, and what the driver puts behind them is none: the bank
// is as long as the module's constants, not as long as it could be.
func inConst(l *build.Builder, a build.Value) ori.Operand {
	size := expand.Imm(uint64(l.Layout.ConstBytes), 2)
	if l.Layout.Object {
		size = build.Value{l.SymbolWord(constSize), expand.RZ()}
	}
	return l.Cmp(op.MLT, false, l.Diff(a, constantsWindow(l)), size)
}

// mapa lowers mapa: the rank goes to the top byte of the address.
func mapa(l *build.Builder) {
	t := l.Typ(0)
	a := l.Src(1, t)
	d := l.Dst(0)
	r := l.One(op.PRMT, op.Mods{}, l.Reg(l.Src1(2, isa.U32)), ori.Imm(0x654), l.Reg(a[0]))
	l.Copy(d, append(build.Value{r}, a[1:]...))
}

// getctarank lowers getctarank: the top byte of the address.
func getctarank(l *build.Builder) {
	l.Copy(l.Dst(0)[:1], build.Value{l.Shr1(l.Src1(1, l.Typ(0)), ori.Imm(24))})
}
