package lower

import (
	"math"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
)

// has reports whether the current instruction has a modifier. Asking also
// tells that the modifier is understood: see check.
func (l *lowerer) has(w isa.Word) bool {
	l.knows(w)
	for _, x := range l.body.ModsOf(l.in) {
		if x == w {
			return true
		}
	}
	return false
}

// knows tells that a modifier of the current instruction is understood.
func (l *lowerer) knows(w isa.Word) { l.asked[w] = l.turn }

// check fails if the current instruction has a modifier that nobody asked
// about: code made without looking at it could mean something else.
func (l *lowerer) check() {
	for _, w := range l.body.ModsOf(l.in) {
		if !w.IsType() && !w.IsSpace() && l.asked[w] != l.turn {
			l.unsupported()
		}
	}
}

// typ returns the n-th type of the current instruction.
func (l *lowerer) typ(n int) isa.Type {
	if n >= int(l.in.NTypes) {
		return isa.TNone
	}
	return l.in.Types[n]
}

// dst returns the words the current instruction's argument n is written
// to. A sink gets temporaries nobody reads.
func (l *lowerer) dst(n int) value {
	a := &l.args[n]
	switch a.Kind {
	case isa.KReg:
		return l.words(l.regs[a.Ref])
	case isa.KSink:
		return l.tmp(2)
	}
	l.fail("destination is no register")
	return nil
}

// dstPred returns the predicate of argument n; nil for a sink.
func (l *lowerer) dstPred(n int) ori.Operand {
	if a := &l.args[n]; a.Kind == isa.KReg {
		return l.f.Words(l.regs[a.Ref])
	}
	return l.pred()
}

// src returns the words of argument n read as type t.
func (l *lowerer) src(n int, t isa.Type) value { return l.read(&l.args[n], t) }

// src1 returns argument n read as one word.
func (l *lowerer) src1(n int, t isa.Type) ori.Operand { return l.src(n, t)[0] }

// read returns the words of an operand read as type t.
func (l *lowerer) read(a *sema.Operand, t isa.Type) value {
	n := words(t)
	switch a.Kind {
	case isa.KReg:
		if isSum(a) {
			return l.readSum(a, n)
		}
		if k := l.known[a.Ref]; k != nil && a.Flags == 0 {
			return l.read(k, t)
		}
		v := l.words(l.regs[a.Ref])
		if a.Flags&sema.Neg != 0 {
			l.fail("negated operand")
		}
		if len(v) < n {
			v = append(v, rz())
		}
		return v[:n]
	case isa.KVector:
		if e := l.body.Of(a.Elems); len(e) == 1 {
			return l.read(&e[0], t)
		}
	case isa.KInt:
		return imm(truncate(a.Value, t.Bits()), n)
	case isa.KSingle:
		return imm(a.Value, n)
	case isa.KDouble:
		return l.float(a.Value, t)
	case isa.KSpecial:
		return l.special(isa.SpecialReg(a.Ref), int(a.Comp), n)
	case isa.KSymbol:
		return l.symbol(a, n)
	case isa.KFunc: // a function's address is a place in bank 2
		if l.layout.Object {
			return l.symbolPair(l.m.Funcs[a.Ref].Name)[:n]
		}
		fn := l.callee(a.Ref)
		if fn >= 0 && l.m.Funcs[fn].Entry {
			return l.slot(l.m.Funcs[fn].Name)[:n]
		}
		return imm(uint64(PointerSlot(l.m, fn)), n)
	}
	l.fail("operand of a kind that has no value")
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
func (l *lowerer) readSum(a *sema.Operand, n int) value {
	for k := range l.args {
		if l.args[k] == *a {
			l.sums &^= 1 << k
		}
	}
	t := l.body.Regs[a.Ref].Type
	if t == isa.Pred || t.Class() == isa.Float || t.Bits() > 64 {
		l.fail("a constant is added to a register that holds no integer")
	}
	v := l.words(l.regs[a.Ref])
	c := truncate(a.Value, t.Bits())
	if len(v) == 1 {
		v = value{l.iadd(v[0], word(uint32(c)))}
	} else {
		v = l.add64(v, imm(c, 2), false)
	}
	if len(v) < n {
		v = append(v, rz())
	}
	return v[:n]
}

// noteSums notes the sums among the operands of the current instruction;
// whoever lowers it must read them all.
func (l *lowerer) noteSums() {
	l.sums = 0
	for k := range l.args {
		if isSum(&l.args[k]) {
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
func (l *lowerer) float(bits uint64, t isa.Type) value {
	if t == isa.F32 || t.Bits() == 32 {
		f := math.Float64frombits(bits)
		if f != f {
			return imm(0x7fc00000, 1)
		}
		return imm(uint64(math.Float32bits(float32(f))), 1)
	}
	return imm(bits, 2)
}

// predicate returns argument n as a predicate.
func (l *lowerer) predicate(n int) ori.Operand { return l.asPred(&l.args[n]) }

func (l *lowerer) asPred(a *sema.Operand) ori.Operand {
	switch a.Kind {
	case isa.KReg:
		o := l.f.Words(l.regs[a.Ref])
		if a.Flags&sema.Not != 0 {
			o = o.Not()
		}
		return o
	case isa.KInt:
		if (a.Value != 0) != (a.Flags&sema.Not != 0) {
			return pt()
		}
		return pt().Not()
	case isa.KSpecial:
		return l.cmp1(op.MNE, false, l.special(isa.SpecialReg(a.Ref), int(a.Comp), 1)[0], rz())
	}
	l.fail("operand is no predicate")
	return ori.Operand{}
}

// extend returns a value of type t as a full 32-bit word: narrower ones are
// sign- or zero-extended.
func (l *lowerer) extend(o ori.Operand, t isa.Type) ori.Operand {
	if t.Bits() >= 32 || t.Bits() < 8 {
		return o
	}
	if o.Kind == ori.KImm {
		if t.Class() == isa.Signed {
			sh := 32 - t.Bits()
			return word(uint32(int32(o.Imm) << sh >> sh))
		}
		return word(uint32(o.Imm) & (1<<t.Bits() - 1))
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
	return l.one(op.PRMT, op.Mods{}, l.reg(o), ori.Imm32(sel), rz())
}

// extended returns argument n extended to 32 bits, or its words if wider.
func (l *lowerer) extended(n int, t isa.Type) value {
	v := l.src(n, t)
	if len(v) == 1 {
		v = value{l.extend(v[0], t)}
	}
	return v
}

// constants finds the PTX registers that hold one constant: their only
// write is an unguarded mov of it. Reads of them become the constant, so
// that instructions which treat constants specially see them.
func (l *lowerer) constants() {
	l.known = make([]*sema.Operand, len(l.body.Regs))
	writes := make([]int, len(l.body.Regs))
	for _, m := range l.body.Module { // other bodies write them, too
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
			for k := range l.body.Of(a.Elems) {
				if e := &l.body.Of(a.Elems)[k]; e.Kind == isa.KReg {
					writes[e.Ref]++
				}
			}
		}
	}
	for n := range l.body.Instrs {
		in := &l.body.Instrs[n]
		if args := l.body.Of(in.Args); len(args) > 0 {
			touch(&args[0])
		}
		if in.Call >= 0 {
			rets := l.body.Of(l.body.Calls[in.Call].Rets)
			for k := range rets {
				touch(&rets[k])
			}
		}
	}
	for n := range l.body.Instrs {
		in := &l.body.Instrs[n]
		args := l.body.Of(in.Args)
		if in.Op != isa.WMov || in.Guard >= 0 || len(args) != 2 || args[0].Kind != isa.KReg || in.Types[0] == isa.Pred {
			continue
		}
		s := &args[1]
		if r := args[0].Ref; writes[r] == 1 && s.Flags == 0 && (s.Kind == isa.KInt || s.Kind == isa.KSingle || s.Kind == isa.KDouble) && in.Types[0].Bits() == l.body.Regs[r].Type.Bits() {
			l.known[r] = s
		}
	}
}
