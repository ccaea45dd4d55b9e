package build

import (
	"math"

	"github.com/goptxas/goptxas/internal/codegen/expand"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
)

// Has reports whether the current instruction has a modifier. Asking also
// tells that the modifier is understood: see check.
func (l *Builder) Has(w isa.Word) bool {
	l.Knows(w)
	for _, x := range l.Body.ModsOf(l.In) {
		if x == w {
			return true
		}
	}
	return false
}

// Knows tells that a modifier of the current instruction is understood.
func (l *Builder) Knows(w isa.Word) { l.asked[w] = l.turn }

// check fails if the current instruction has a modifier that nobody asked
// about: code made without looking at it could mean something else.
func (l *Builder) check() {
	for _, w := range l.Body.ModsOf(l.In) {
		if !w.IsType() && !w.IsSpace() && l.asked[w] != l.turn {
			l.Unsupported()
		}
	}
}

// Typ returns the n-th type of the current instruction.
func (l *Builder) Typ(n int) isa.Type {
	if n >= int(l.In.NTypes) {
		return isa.TNone
	}
	return l.In.Types[n]
}

// Dst returns the words the current instruction's argument n is written
// to. A sink gets temporaries nobody reads.
func (l *Builder) Dst(n int) Value {
	a := &l.Args[n]
	switch a.Kind {
	case isa.KReg:
		return l.Words(l.Regs[a.Ref])
	case isa.KSink:
		return l.Tmp(2)
	}
	l.Fail("destination is no register")
	return nil
}

// DstPred returns the predicate of argument n; nil for a sink.
func (l *Builder) DstPred(n int) ori.Operand {
	if a := &l.Args[n]; a.Kind == isa.KReg {
		return l.F.Words(l.Regs[a.Ref])
	}
	return l.Pred()
}

// Src returns the words of argument n read as type t.
func (l *Builder) Src(n int, t isa.Type) Value { return l.Read(&l.Args[n], t) }

// Src1 returns argument n read as one word.
func (l *Builder) Src1(n int, t isa.Type) ori.Operand { return l.Src(n, t)[0] }

// Read returns the words of an operand read as type t.
func (l *Builder) Read(a *sema.Operand, t isa.Type) Value {
	n := Words(t)
	switch a.Kind {
	case isa.KReg:
		if isSum(a) {
			return l.readSum(a, n)
		}
		if k := l.known[a.Ref]; k != nil && a.Flags == 0 {
			return l.Read(k, t)
		}
		v := l.Words(l.Regs[a.Ref])
		if a.Flags&sema.Neg != 0 {
			l.Fail("negated operand")
		}
		if len(v) < n {
			v = append(v, expand.RZ())
		}
		return v[:n]
	case isa.KVector:
		if e := l.Body.Of(a.Elems); len(e) == 1 {
			return l.Read(&e[0], t)
		}
	case isa.KInt:
		return expand.Imm(truncate(a.Value, t.Bits()), n)
	case isa.KSingle:
		return expand.Imm(a.Value, n)
	case isa.KDouble:
		return l.float(a.Value, t)
	case isa.KSpecial:
		return l.Special(isa.SpecialReg(a.Ref), int(a.Comp), n)
	case isa.KSymbol:
		return l.Symbol(a, n)
	case isa.KFunc: // a function's address is a place in bank 2
		if l.Layout.Object {
			return l.symbolPair(l.Module.Funcs[a.Ref].Name)[:n]
		}
		fn := l.Callee(a.Ref)
		if fn >= 0 && l.Module.Funcs[fn].Entry {
			return l.slot(l.Module.Funcs[fn].Name)[:n]
		}
		return expand.Imm(uint64(PointerSlot(l.Module, fn)), n)
	}
	l.Fail("operand of a kind that has no value")
	return nil
}

// isSum reports whether an operand is a register plus a constant outside of
// brackets.
func isSum(a *sema.Operand) bool {
	return a.Kind == isa.KReg && a.Sel == isa.WNone && a.Flags&sema.Selected == 0 && a.Value != 0
}

// readSum returns the low n words of a register plus a constant. The sum is
// one of integers, as wide as the register, whatever reads it. To registers
// of floats and predicates the reference adds nothing: it fails, or drops
// what reads them.
func (l *Builder) readSum(a *sema.Operand, n int) Value {
	for k := range l.Args {
		if l.Args[k] == *a {
			l.sums &^= 1 << k
		}
	}
	t := l.Body.Regs[a.Ref].Type
	if t == isa.Pred || t.Class() == isa.Float || t.Bits() > 64 {
		l.Fail("a constant is added to a register that holds no integer")
	}
	v := l.Words(l.Regs[a.Ref])
	c := truncate(a.Value, t.Bits())
	if len(v) == 1 {
		v = Value{l.Iadd(v[0], expand.Word(uint32(c)))}
	} else {
		v = l.Add64(v, expand.Imm(c, 2), false)
	}
	if len(v) < n {
		v = append(v, expand.RZ())
	}
	return v[:n]
}

// noteSums notes the sums among the operands of the current instruction;
// whoever lowers it must read them all.
func (l *Builder) noteSums() {
	l.sums = 0
	for k := range l.Args {
		if isSum(&l.Args[k]) {
			l.sums |= 1 << k
		}
	}
}

func truncate(v uint64, bits int) uint64 {
	if bits < 64 {
		return v & (1<<bits - 1)
	}
	return v
}

// float makes the bits of a float constant of type t. A decimal constant is
// rounded to f64 first and then again (PTX semantics of the reference).
func (l *Builder) float(bits uint64, t isa.Type) Value {
	if t == isa.F32 || t.Bits() == 32 {
		f := math.Float64frombits(bits)
		if f != f {
			return expand.Imm(0x7fc00000, 1)
		}
		return expand.Imm(uint64(math.Float32bits(float32(f))), 1)
	}
	return expand.Imm(bits, 2)
}

// Predicate returns argument n as a predicate.
func (l *Builder) Predicate(n int) ori.Operand { return l.AsPred(&l.Args[n]) }

func (l *Builder) AsPred(a *sema.Operand) ori.Operand {
	switch a.Kind {
	case isa.KReg:
		o := l.F.Words(l.Regs[a.Ref])
		if a.Flags&sema.Not != 0 {
			o = o.Not()
		}
		return o
	case isa.KInt:
		if (a.Value != 0) != (a.Flags&sema.Not != 0) {
			return expand.PT()
		}
		return expand.PT().Not()
	case isa.KSpecial:
		return l.Cmp1(op.MNE, false, l.Special(isa.SpecialReg(a.Ref), int(a.Comp), 1)[0], expand.RZ())
	}
	l.Fail("operand is no predicate")
	return ori.Operand{}
}

// Extend returns a value of type t as a full 32-bit word: narrower ones are
// sign- or zero-extended.
func (l *Builder) Extend(o ori.Operand, t isa.Type) ori.Operand {
	if t.Bits() >= 32 || t.Bits() < 8 {
		return o
	}
	if o.Kind == ori.KImm {
		if t.Class() == isa.Signed {
			sh := 32 - t.Bits()
			return expand.Word(uint32(int32(o.Imm) << sh >> sh))
		}
		return expand.Word(uint32(o.Imm) & (1<<t.Bits() - 1))
	}
	if o.Kind == ori.KZero {
		return o
	}
	// PRMT selectors: bytes of the source, 8 plus a byte number repeats its
	// sign, 7 is a byte of the zero register.
	sel := uint32(0x7710)
	switch {
	case t.Bits() == 8 && t.Class() == isa.Signed:
		sel = 0x8880
	case t.Bits() == 8:
		sel = 0x7770
	case t.Class() == isa.Signed:
		sel = 0x9910
	}
	return l.One(op.PRMT, op.Mods{}, l.Reg(o), ori.Imm32(sel), expand.RZ())
}

// Extended returns argument n extended to 32 bits, or its words if wider.
func (l *Builder) Extended(n int, t isa.Type) Value {
	v := l.Src(n, t)
	if len(v) == 1 {
		v = Value{l.Extend(v[0], t)}
	}
	return v
}

// constants finds the PTX registers that hold one constant: their only
// write is an unguarded mov of it. Reads of them become the constant, so
// that instructions which treat constants specially see them.
func (l *Builder) constants() {
	l.known = make([]*sema.Operand, len(l.Body.Regs))
	writes := make([]int, len(l.Body.Regs))
	for _, m := range l.Body.Module { // other bodies write them, too
		writes[m.Reg]++
	}
	touch := func(a *sema.Operand) {
		if a.Kind == isa.KReg {
			writes[a.Ref]++
		}
		if a.Pair >= 0 {
			writes[a.Pair]++
		}
		if a.Kind == isa.KVector {
			for k := range l.Body.Of(a.Elems) {
				if e := &l.Body.Of(a.Elems)[k]; e.Kind == isa.KReg {
					writes[e.Ref]++
				}
			}
		}
	}
	for n := range l.Body.Instrs {
		in := &l.Body.Instrs[n]
		args := l.Body.Of(in.Args)
		for k := range args {
			if in.Form == nil || in.Form.Writes(k) {
				touch(&args[k])
			}
		}
		if in.Call >= 0 {
			rets := l.Body.Of(l.Body.Calls[in.Call].Rets)
			for k := range rets {
				touch(&rets[k])
			}
		}
	}
	for n := range l.Body.Instrs {
		in := &l.Body.Instrs[n]
		args := l.Body.Of(in.Args)
		if in.Op != isa.WMov || in.Guard >= 0 || len(args) != 2 || args[0].Kind != isa.KReg || in.Types[0] == isa.Pred {
			continue
		}
		s := &args[1]
		if r := args[0].Ref; writes[r] == 1 && s.Flags == 0 && (s.Kind == isa.KInt || s.Kind == isa.KSingle || s.Kind == isa.KDouble) && in.Types[0].Bits() == l.Body.Regs[r].Type.Bits() {
			l.known[r] = s
		}
	}
}
