package lower

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
)

// variable is a variable of parameter space: a kernel's parameter in the
// constant bank, or what a call passes, in registers or in the frame.
type variable struct {
	size  int64
	words value   // its words, if it lies in registers
	elems []value // or its elements, each of so many bits, if it is a vector register
	bits  int
	off   int64       // in the frame or the constant bank
	bank  bool        // of a kernel
	out   bool        // on the stack, where a call passes it
	base  ori.Operand // what off counts from, if not the stack
	param int64       // address in the parameter space of a kernel
}

// maxRegVariable is the largest variable kept in registers, in bytes.
const maxRegVariable = 128

// parameters makes the parameter variables of the body: its own, and for a
// kernel the formal ones.
func (l *lowerer) parameters() {
	inMemory, formals := l.addressed()
	for n := range l.body.Vars {
		v := &l.body.Vars[n]
		if v.Space == isa.SpaceParam {
			l.params[n] = l.newVariable(&v.Shape, inMemory[n])
		}
	}
	fn := l.fn
	l.formals = make([]*variable, len(fn.Rets)+len(fn.Params))
	for n := range l.formals {
		p := formal(fn, n)
		switch {
		case fn.Entry:
			l.formals[n] = &variable{size: int64(p.Shape.Size()), off: l.arch.Bank0().Param + int64(p.Offset), bank: true, param: int64(p.Offset)}
		case p.Space == isa.SpaceReg:
			l.formals[n] = l.regFormal(p)
		default:
			l.formals[n] = l.newVariable(&p.Shape, formals[n])
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
func (l *lowerer) regFormal(p *sema.Param) *variable {
	for n := range l.body.Regs {
		if r := &l.body.Regs[n]; r.Num < 0 && l.body.Name(r.Name) == p.Name {
			if p.Shape.Vec > 1 {
				list := make([]value, p.Shape.Vec)
				for k := range list {
					list[k] = l.words(l.regs[n+k])
				}
				return vectorVariable(list, r.Type.Bits())
			}
			w := l.words(l.regs[n])
			return &variable{size: int64(4 * len(w)), words: w}
		}
	}
	return l.newVariable(&p.Shape, false)
}

// newVariable makes a variable in registers, or in the frame if its address
// is needed or it is large.
func (l *lowerer) newVariable(s *sema.Shape, inMemory bool) *variable {
	v := &variable{size: int64(s.Size())}
	if inMemory || v.size > maxRegVariable {
		l.top = alignUp(l.top, max(4, int64(s.Align)))
		v.off = l.top
		l.top += alignUp(v.size, 4)
		return v
	}
	for range (v.size + 3) / 4 {
		v.words = append(v.words, l.f.Word(l.f.NewReg(ori.R, 1), 0))
	}
	return v
}

// addressed finds the parameter variables of the body and the formals that
// are used otherwise than by loads and stores at constant offsets.
func (l *lowerer) addressed() (vars, formals []bool) {
	b := l.body
	vars = make([]bool, len(b.Vars))
	formals = make([]bool, len(l.fn.Rets)+len(l.fn.Params))
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

// variable returns the parameter variable a symbol names, or nil.
func (l *lowerer) variable(a *sema.Operand) *variable {
	if n := a.Formal(); n >= 0 && int(n) < len(l.formals) {
		return l.formals[n]
	}
	if n := a.Local(); n >= 0 && int(n) < len(l.params) {
		return l.params[n]
	}
	return nil
}

// piece reads bits of a variable at a constant offset.
func (l *lowerer) piece(v *variable, at int64, bits int, signed bool) value {
	n := max(1, bits/32)
	switch {
	case v.bank:
		if place := v.off + at; place < 0 || place+int64(bits/8) > bankBytes {
			l.fail("access outside of the constant bank that holds the parameters")
		}
		return l.bank(ori.Const(0, v.off+at), bits, signed)
	case at < 0 || at+int64(bits/8) > alignUp(v.size, 4):
		return l.outside(v, at, bits)
	case v.elems != nil:
		return l.elemPiece(v, at)
	case v.words == nil:
		r := l.tmp(n)
		l.emit(op.LDL, width(bits, signed), value{whole(r)}, ori.Addr(l.baseOf(v), v.off+at))
		return r
	case bits >= 32:
		return v.words[at/4 : at/4+int64(n)]
	}
	return value{l.narrow(v.words[at/4], at%4, bits, signed)}
}

// baseOf is the register that a variable in memory is addressed from.
func (l *lowerer) baseOf(v *variable) ori.Operand {
	switch {
	case v.base.Kind == ori.KReg:
		return v.base
	case v.out:
		return l.stackPointer()
	}
	return l.stack()
}

// narrow takes 8 or 16 bits of a word from byte at on.
func (l *lowerer) narrow(w ori.Operand, at int64, bits int, signed bool) ori.Operand {
	top := int64(7) // a byte of the zero register
	last := at + int64(bits/8) - 1
	if signed {
		top = 8 | last // repeats the sign of a byte
	}
	sel := top<<12 | top<<8 | top<<4 | at
	if bits == 16 {
		sel = top<<12 | top<<8 | (at+1)<<4 | at
	}
	return l.one(op.PRMT, op.Mods{}, l.reg(w), ori.Imm(sel), rz())
}

// bankBytes is how much a constant bank holds.
const bankBytes = 1 << 16

// outside reads bits of a parameter of a function, or of an argument, of
// which some lie outside of it. What is there is open; it is zero here.
func (l *lowerer) outside(v *variable, at int64, bits int) value {
	if bits <= 32 {
		return value{rz()}
	}
	var r value
	for k := range int64(bits / 32) {
		r = append(r, l.piece(v, at+4*k, 32, false)...)
	}
	return r
}

// setPiece writes bits of a variable at a constant offset; what lies outside
// of it is dropped.
func (l *lowerer) setPiece(v *variable, at int64, bits int, x value) {
	switch {
	case v.bank:
		l.fail("a parameter of a kernel cannot be written")
	case at < 0 || at+int64(bits/8) > alignUp(v.size, 4):
		for k := range int64(len(x)) {
			if bits > 32 {
				l.setPiece(v, at+4*k, 32, x[k:k+1])
			}
		}
	case v.elems != nil:
		l.setElemPiece(v, at, x)
	case v.words == nil:
		l.emit(op.STL, width(bits, false), nil, ori.Addr(l.baseOf(v), v.off+at), whole(l.group(x)))
	case bits >= 32:
		l.copy(v.words[at/4:at/4+int64(len(x))], x)
	default:
		w := v.words[at/4]
		sel := int64(0x3210)
		for k := range int64(bits / 8) { // bytes 4 and up are those of the second source
			at := at%4 + k
			sel = sel&^(0xf<<(4*at)) | (4+k)<<(4*at)
		}
		if v.size == int64(bits/8) { // nothing else is in the word
			l.copy(value{w}, x[:1])
			return
		}
		l.emit(op.PRMT, op.Mods{}, value{w}, w, ori.Imm(sel), l.reg(x[0]))
	}
}

// assign copies a variable word by word, as far as both go.
func (l *lowerer) assign(d, s *variable) {
	n := min(alignUp(d.size, 4), alignUp(s.size, 4))
	for at := int64(0); at < n; at += 4 {
		l.setPiece(d, at, 32, l.piece(s, at, 32, false))
	}
}

// ldParam reads a parameter.
func (l *lowerer) ldParam(t isa.Type, a *sema.Operand) {
	l.ordering()
	bits := t.Bits()
	signed := t.Class() == isa.Signed
	es := l.elements(0)
	v := l.variable(a)
	if a.Base != isa.KSymbol || v == nil || a.Index >= 0 || v.words == nil && !v.bank {
		l.ldParamAt(t, a)
		return
	}
	for k := range es {
		if es[k].Kind == isa.KSink {
			continue
		}
		r := l.piece(v, int64(a.Value)+int64(k*bits/8), bits, signed)
		l.spread(l.words(l.regs[es[k].Ref]), r, t)
	}
}

// ldParamAt reads a parameter at an address in a register, or one that lies
// in the frame, as the large results of a kernel's calls do.
func (l *lowerer) ldParamAt(t isa.Type, a *sema.Operand) {
	if v := l.variable(a); !l.fn.Entry || a.Base == isa.KSymbol && v != nil && !v.bank {
		l.load(t, isa.SpaceLocal, a)
		return
	}
	if a.Base == isa.KSymbol || a.Index >= 0 {
		l.unsupported()
	}
	src := ori.Const(0, 0)
	src.Reg, src.Class = l.index(a), ori.R
	es := l.elements(0)
	base := l.arch.Bank0().Param + int64(a.Value)
	if base < minBankOffset || base > maxBankOffset {
		src.Reg = l.iadd(l.f.Words(src.Reg), word(uint32(base))).Reg
		base = 0
	}
	for k := range es {
		src.Imm = base + int64(k*t.Bits()/8)
		if es[k].Kind != isa.KSink {
			l.spread(l.words(l.regs[es[k].Ref]), l.bank(src, t.Bits(), t.Class() == isa.Signed), t)
		}
	}
}

// index returns the register of an address as a constant operand indexes
// with it: one word.
func (l *lowerer) index(a *sema.Operand) ori.Reg {
	r := l.regs[a.Ref]
	if l.f.Regs[r].Width == 1 {
		return r
	}
	t := l.tmp(1)
	l.copy(t, l.words(r)[:1])
	return t[0].Reg
}

// stParam writes an argument of a call, or a result.
func (l *lowerer) stParam(t isa.Type, a *sema.Operand) {
	l.ordering()
	v := l.variable(a)
	if a.Base != isa.KSymbol || v == nil || a.Index >= 0 || v.bank {
		l.unsupported()
	}
	for k, e := range l.elements(1) {
		l.setPiece(v, int64(a.Value)+int64(k*t.Bits()/8), t.Bits(), l.read(&e, t))
	}
}
