package build

import (
	"github.com/goptxas/goptxas/internal/codegen/abi"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
)

// Fixed returns a new register that stands for physical ones.
func (l *Builder) Fixed(at, n int) ori.Reg {
	r := l.F.NewReg(ori.R, n)
	i := &l.F.Regs[r]
	i.Phys, i.Fixed, i.Align = int16(at), true, 1
	return r
}

// maxRegVariable is the largest variable kept in registers, in bytes.
const maxRegVariable = 128

// parameters makes the parameter variables of the body: its own, and for a
// kernel the formal ones.
func (l *Builder) parameters() {
	inMemory, formals := l.addressed()
	for n := range l.Body.Vars {
		v := &l.Body.Vars[n]
		if v.Space == isa.SpaceParam {
			l.params[n] = l.newVariable(&v.Shape, inMemory[n])
		}
	}
	fn := l.Fn
	l.Formals = make([]*Variable, len(fn.Rets)+len(fn.Params))
	for n := range l.Formals {
		p := formal(fn, n)
		switch {
		case fn.Entry:
			l.Formals[n] = &Variable{Size: int64(p.Shape.Size()), Off: l.Arch.Bank0().Param + int64(p.Offset), Bank: true, param: int64(p.Offset)}
		case p.Space == isa.SpaceReg:
			l.Formals[n] = l.regFormal(p)
		default:
			l.Formals[n] = l.newVariable(&p.Shape, formals[n])
		}
	}
}

// formal returns a function's formal parameter n, results first.
func formal(f *sema.Func, n int) *sema.Param {
	if n < len(f.Rets) {
		return &f.Rets[n]
	}
	return &f.Params[n-len(f.Rets)]
}

// regFormal is a formal parameter that is a register of the body; one that
// the body never names has room nobody reads.
func (l *Builder) regFormal(p *sema.Param) *Variable {
	for n := range l.Body.Regs {
		if r := &l.Body.Regs[n]; r.Num < 0 && l.Body.Name(r.Name) == p.Name {
			if p.Shape.Vec > 1 {
				list := make([]Value, p.Shape.Vec)
				for k := range list {
					list[k] = l.Words(l.Regs[n+k])
				}
				return VectorVariable(list, r.Type.Bits())
			}
			w := l.Words(l.Regs[n])
			return &Variable{Size: int64(4 * len(w)), Words: w}
		}
	}
	return l.newVariable(&p.Shape, false)
}

// newVariable makes a variable in registers, or in the frame if its address
// is needed or it is large.
func (l *Builder) newVariable(s *sema.Shape, inMemory bool) *Variable {
	v := &Variable{Size: int64(s.Size())}
	if inMemory || v.Size > maxRegVariable {
		l.Top = AlignUp(l.Top, max(4, int64(s.Align)))
		v.Off = l.Top
		l.FrameAlign(int64(s.Align))
		l.Top += AlignUp(v.Size, 4)
		return v
	}
	for range (v.Size + 3) / 4 {
		v.Words = append(v.Words, l.F.Word(l.F.NewReg(ori.R, 1), 0))
	}
	return v
}

// addressed finds the parameter variables of the body and the formals that
// are used otherwise than by loads and stores at constant offsets.
func (l *Builder) addressed() (vars, formals []bool) {
	b := l.Body
	vars = make([]bool, len(b.Vars))
	formals = make([]bool, len(l.Fn.Rets)+len(l.Fn.Params))
	mark := func(o *sema.Operand) {
		if n := o.Formal(); n >= 0 && int(n) < len(formals) {
			formals[n] = true
		} else if n := o.Local(); n >= 0 && int(n) < len(vars) {
			vars[n] = true
		}
	}
	for k := range b.Instrs {
		in := &b.Instrs[k]
		plain := in.Op == isa.WLd || in.Op == isa.WSt
		args := b.Of(in.Args)
		for n := range args {
			a := &args[n]
			switch {
			case a.Kind == isa.KVector:
				for _, e := range b.Of(a.Elems) {
					if e.Kind == isa.KSymbol {
						mark(&e)
					}
				}
			case a.Kind == isa.KSymbol && a.Space.Base() == isa.SpaceParam:
				mark(a)
			case a.Kind == isa.KAddr && a.Base == isa.KSymbol && a.Space.Base() == isa.SpaceParam && (!plain || a.Index >= 0):
				mark(a)
			}
		}
	}
	return vars, formals
}

// Variable returns the parameter variable a symbol names, or nil.
func (l *Builder) Variable(a *sema.Operand) *Variable {
	if n := a.Formal(); n >= 0 && int(n) < len(l.Formals) {
		return l.Formals[n]
	}
	if n := a.Local(); n >= 0 && int(n) < len(l.params) {
		return l.params[n]
	}
	return nil
}

// Stack returns the register locals and spills are addressed from: the
// stack pointer, lowered by the size of the frame, or a copy of it when the
// stack pointer moves. Spills lie above what the source asks for, so that
// the frame's own offsets stay what they are.
func (l *Builder) Stack() ori.Operand {
	if l.frame == ori.NoReg {
		if l.F.Props.MovesStack {
			l.frame = l.Fixed(abi.FrameReg, 1)
		} else {
			l.StackPointer()
			l.frame = l.SP
		}
	}
	return l.F.Words(l.frame)
}

// StackPointer returns the stack pointer.
func (l *Builder) StackPointer() ori.Operand {
	if l.SP == ori.NoReg {
		l.SP = l.Fixed(abi.StackReg, 1)
	}
	return l.F.Words(l.SP)
}

// Vector registers as arguments and results of calls. Each element is a
// register by itself; between functions they stand side by side, as in
// memory. A variable with elems is read and written a word at a time.

// VectorVariable makes a variable of elements of so many bits.
func VectorVariable(elems []Value, bits int) *Variable {
	return &Variable{Size: int64(len(elems) * bits / 8), Elems: elems, Bits: bits}
}

// FrameAlign notes what something in the frame asks of its address.
func (l *Builder) FrameAlign(align int64) {
	const given = 8 // by every stack pointer
	if align > given {
		l.F.Props.LocalAlign = max(l.F.Props.LocalAlign, int32(align))
	}
}
