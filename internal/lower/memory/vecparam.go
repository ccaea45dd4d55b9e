package memory

import (
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
)

// VectorArgument returns a vector operand of a call as a variable.
func VectorArgument(l *build.Builder, a *sema.Operand) *build.Variable {
	es := l.Body.Of(a.Elems)
	t := es[0].Type
	list := make([]build.Value, len(es))
	for k := range es {
		list[k] = l.Read(&es[k], t)
	}
	return build.VectorVariable(list, t.Bits())
}

// VectorResult copies a result to the elements of a vector operand.
func VectorResult(l *build.Builder, a *sema.Operand, v *build.Variable) {
	es := l.Body.Of(a.Elems)
	t := isa.TNone
	list := make([]build.Value, len(es))
	for k := range es {
		if es[k].Kind == isa.KReg {
			t = es[k].Type
			list[k] = l.Words(l.Regs[es[k].Ref])
		}
	}
	if t == isa.TNone {
		return
	}
	for k := range list {
		if list[k] == nil {
			list[k] = l.Tmp(build.Words(t))
		}
	}
	Assign(l, build.VectorVariable(list, t.Bits()), v)
}

// elemPiece reads the word at a constant offset.
func elemPiece(l *build.Builder, v *build.Variable, at int64) build.Value {
	if v.Bits >= 32 {
		per := int64(v.Bits / 32)
		return build.Value{v.Elems[at/4/per][at/4%per]}
	}
	per := int64(32 / v.Bits)
	var parts build.Value
	for k := at / 4 * per; k < at/4*per+per; k++ {
		if int(k) < len(v.Elems) {
			parts = append(parts, v.Elems[k][0])
		} else {
			parts = append(parts, build.RZ())
		}
	}
	return l.Packed(parts, v.Bits)
}

// setElemPiece writes the word at a constant offset.
func setElemPiece(l *build.Builder, v *build.Variable, at int64, x build.Value) {
	if v.Bits >= 32 {
		per := int64(v.Bits / 32)
		l.Copy(v.Elems[at/4/per][at/4%per:at/4%per+1], x[:1])
		return
	}
	per := int64(32 / v.Bits)
	for k := range per {
		n := at/4*per + k
		if int(n) >= len(v.Elems) {
			return
		}
		sel := 0x7770 + k
		if v.Bits == 16 {
			sel = 0x7710 + 0x22*k
		}
		l.Emit(op.PRMT, op.Mods{}, v.Elems[n][:1], l.Reg(x[0]), ori.Imm(sel), build.RZ())
	}
}
