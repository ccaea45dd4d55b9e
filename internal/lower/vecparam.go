package lower

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
)

// Vector registers as arguments and results of calls. Each element is a
// register by itself; between functions they stand side by side, as in
// memory. A variable with elems is read and written a word at a time.

// vectorVariable makes a variable of elements of so many bits.
func vectorVariable(elems []value, bits int) *variable {
	return &variable{size: int64(len(elems) * bits / 8), elems: elems, bits: bits}
}

// vectorArgument returns a vector operand of a call as a variable.
func (l *lowerer) vectorArgument(a *sema.Operand) *variable {
	es := l.body.Of(a.Elems)
	t := es[0].Type
	list := make([]value, len(es))
	for k := range es {
		list[k] = l.read(&es[k], t)
	}
	return vectorVariable(list, t.Bits())
}

// vectorResult copies a result to the elements of a vector operand.
func (l *lowerer) vectorResult(a *sema.Operand, v *variable) {
	es := l.body.Of(a.Elems)
	t := isa.TNone
	list := make([]value, len(es))
	for k := range es {
		if es[k].Kind == isa.KReg {
			t = es[k].Type
			list[k] = l.words(l.regs[es[k].Ref])
		}
	}
	if t == isa.TNone {
		return
	}
	for k := range list {
		if list[k] == nil {
			list[k] = l.tmp(words(t))
		}
	}
	l.assign(vectorVariable(list, t.Bits()), v)
}

// elemPiece reads the word at a constant offset.
func (l *lowerer) elemPiece(v *variable, at int64) value {
	if v.bits >= 32 {
		per := int64(v.bits / 32)
		return value{v.elems[at/4/per][at/4%per]}
	}
	per := int64(32 / v.bits)
	var parts value
	for k := at / 4 * per; k < at/4*per+per; k++ {
		if int(k) < len(v.elems) {
			parts = append(parts, v.elems[k][0])
		} else {
			parts = append(parts, rz())
		}
	}
	return l.packed(parts, v.bits)
}

// setElemPiece writes the word at a constant offset.
func (l *lowerer) setElemPiece(v *variable, at int64, x value) {
	if v.bits >= 32 {
		per := int64(v.bits / 32)
		l.copy(v.elems[at/4/per][at/4%per:at/4%per+1], x[:1])
		return
	}
	per := int64(32 / v.bits)
	for k := range per {
		n := at/4*per + k
		if int(n) >= len(v.elems) {
			return
		}
		sel := 0x7770 + k
		if v.bits == 16 {
			sel = 0x7710 + 0x22*k
		}
		l.emit(op.PRMT, op.Mods{}, v.elems[n][:1], l.reg(x[0]), ori.Imm(sel), rz())
	}
}
