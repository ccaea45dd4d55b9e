package memory

import (
	"github.com/goptxas/goptxas/internal/codegen/expand"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
)

// piece reads bits of a variable at a constant offset.
func piece(l *build.Builder, v *build.Variable, at int64, bits int, signed bool) build.Value {
	n := max(1, bits/32)
	switch {
	case v.Bank:
		if place := v.Off + at; place < 0 || place+int64(bits/8) > bankBytes {
			l.Fail("access outside of the constant bank that holds the parameters")
		}
		return bank(l, ori.Const(0, v.Off+at), bits, signed)
	case at < 0 || at+int64(bits/8) > build.AlignUp(v.Size, 4):
		return outside(l, v, at, bits)
	case v.Elems != nil:
		return elemPiece(l, v, at)
	case v.Words == nil:
		r := l.Tmp(n)
		l.Emit(op.LDL, build.Width(bits, signed), build.Value{expand.Whole(r)}, ori.Addr(baseOf(l, v), v.Off+at))
		return r
	case bits >= 32:
		return v.Words[at/4 : at/4+int64(n)]
	}
	return build.Value{narrow(l, v.Words[at/4], at%4, bits, signed)}
}

// baseOf is the register that a variable in memory is addressed from.
func baseOf(l *build.Builder, v *build.Variable) ori.Operand {
	switch {
	case v.Base.Kind == ori.KReg:
		return v.Base
	case v.Out:
		return l.StackPointer()
	}
	return l.Stack()
}

// narrow takes 8 or 16 bits of a word from byte at on.
func narrow(l *build.Builder, w ori.Operand, at int64, bits int, signed bool) ori.Operand {
	top := int64(7) // a byte of the zero register
	last := at + int64(bits/8) - 1
	if signed {
		top = 8 | last // repeats the sign of a byte
	}
	sel := top<<12 | top<<8 | top<<4 | at
	if bits == 16 {
		sel = top<<12 | top<<8 | (at+1)<<4 | at
	}
	return l.One(op.PRMT, op.Mods{}, l.Reg(w), ori.Imm(sel), expand.RZ())
}

// bankBytes is how much a constant bank holds.
const bankBytes = 1 << 16

// outside reads bits of a parameter of a function, or of an argument, of
// which some lie outside of it. What is there is open; it is zero here.
func outside(l *build.Builder, v *build.Variable, at int64, bits int) build.Value {
	if bits <= 32 {
		return build.Value{expand.RZ()}
	}
	var r build.Value
	for k := range int64(bits / 32) {
		r = append(r, piece(l, v, at+4*k, 32, false)...)
	}
	return r
}

// setPiece writes bits of a variable at a constant offset; what lies outside
// of it is dropped.
func setPiece(l *build.Builder, v *build.Variable, at int64, bits int, x build.Value) {
	switch {
	case v.Bank:
		l.Fail("a parameter of a kernel cannot be written")
	case at < 0 || at+int64(bits/8) > build.AlignUp(v.Size, 4):
		for k := range int64(len(x)) {
			if bits > 32 {
				setPiece(l, v, at+4*k, 32, x[k:k+1])
			}
		}
	case v.Elems != nil:
		setElemPiece(l, v, at, x)
	case v.Words == nil:
		l.Emit(op.STL, build.Width(bits, false), nil, ori.Addr(baseOf(l, v), v.Off+at), expand.Whole(l.Group(x)))
	case bits >= 32:
		l.Copy(v.Words[at/4:at/4+int64(len(x))], x)
	default:
		w := v.Words[at/4]
		sel := int64(0x3210)
		for k := range int64(bits / 8) { // bytes 4 and up are those of the second source
			at := at%4 + k
			sel = sel&^(0xf<<(4*at)) | (4+k)<<(4*at)
		}
		if v.Size == int64(bits/8) { // nothing else is in the word
			l.Copy(build.Value{w}, x[:1])
			return
		}
		l.Emit(op.PRMT, op.Mods{}, build.Value{w}, w, ori.Imm(sel), l.Reg(x[0]))
	}
}

// Assign copies a variable word by word, as far as both go.
func Assign(l *build.Builder, d, s *build.Variable) {
	n := min(build.AlignUp(d.Size, 4), build.AlignUp(s.Size, 4))
	for at := int64(0); at < n; at += 4 {
		setPiece(l, d, at, 32, piece(l, s, at, 32, false))
	}
}

// ldParam reads a parameter.
func ldParam(l *build.Builder, t isa.Type, a *sema.Operand) {
	ordering(l)
	bits := t.Bits()
	signed := t.Class() == isa.Signed
	es := l.Elements(0)
	v := l.Variable(a)
	if a.Base != isa.KSymbol || v == nil || a.Index >= 0 || v.Words == nil && !v.Bank {
		ldParamAt(l, t, a)
		return
	}
	for k := range es {
		if es[k].Kind == isa.KSink {
			continue
		}
		r := piece(l, v, int64(a.Value)+int64(k*bits/8), bits, signed)
		l.Spread(l.Words(l.Regs[es[k].Ref]), r, t)
	}
}

// ldParamAt reads a parameter at an address in a register, or one that lies
// in the frame, as the large results of a kernel's calls do.
func ldParamAt(l *build.Builder, t isa.Type, a *sema.Operand) {
	if v := l.Variable(a); !l.Fn.Entry || a.Base == isa.KSymbol && v != nil && !v.Bank {
		load(l, t, isa.SpaceLocal, a)
		return
	}
	if a.Base == isa.KSymbol || a.Index >= 0 {
		l.Unsupported()
	}
	src := ori.Const(0, 0)
	src.Reg, src.Class = Index(l, a), ori.R
	es := l.Elements(0)
	base := l.Arch.Bank0().Param + int64(a.Value)
	if base < minBankOffset || base > maxBankOffset {
		src.Reg = l.Iadd(l.F.Words(src.Reg), expand.Word(uint32(base))).Reg
		base = 0
	}
	for k := range es {
		src.Imm = base + int64(k*t.Bits()/8)
		if es[k].Kind != isa.KSink {
			l.Spread(l.Words(l.Regs[es[k].Ref]), bank(l, src, t.Bits(), t.Class() == isa.Signed), t)
		}
	}
}

// Index returns the register of an address as a constant operand indexes
// with it: one word.
func Index(l *build.Builder, a *sema.Operand) ori.Reg {
	r := l.Regs[a.Ref]
	if l.F.Regs[r].Width == 1 {
		return r
	}
	t := l.Tmp(1)
	l.Copy(t, l.Words(r)[:1])
	return t[0].Reg
}

// stParam writes an argument of a call, or a result.
func stParam(l *build.Builder, t isa.Type, a *sema.Operand) {
	ordering(l)
	v := l.Variable(a)
	if a.Base != isa.KSymbol || v == nil || a.Index >= 0 || v.Bank {
		l.Unsupported()
	}
	for k, e := range l.Elements(1) {
		setPiece(l, v, int64(a.Value)+int64(k*t.Bits()/8), t.Bits(), l.Read(&e, t))
	}
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
			parts = append(parts, expand.RZ())
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
		l.Emit(op.PRMT, op.Mods{}, v.Elems[n][:1], l.Reg(x[0]), ori.Imm(sel), expand.RZ())
	}
}
