package lower

import (
	"goptxas/internal/ori"
	"goptxas/internal/ori/op"
	"goptxas/internal/ptx/isa"
	"goptxas/internal/ptx/sema"
)

// descriptor returns the memory descriptor that global accesses name.
func (l *lowerer) descriptor() ori.Operand {
	if l.desc == ori.NoReg {
		l.desc = l.f.NewReg(ori.UR, 2)
		o := op.ULDC
		if l.arch.SM >= 100 {
			o = op.LDCU
		}
		l.atEntry(l.f.NewInstr(o, op.M(op.M64), value{l.f.Words(l.desc)}, value{ori.Const(0, l.arch.Bank0().Desc)}))
	}
	d := l.f.Words(l.desc)
	d.Kind = ori.KDesc
	return d
}

// atEntry adds an instruction at the start of the function, after those
// added before it.
func (l *lowerer) atEntry(i *ori.Instr) {
	b := l.f.Blocks[0]
	if l.entry == nil {
		b.Prepend(i)
	} else {
		b.InsertAfter(i, l.entry)
	}
	l.entry = i
}

// prologue sets the stack pointer up when the function has a frame.
func (l *lowerer) prologue() {}

// width returns the modifiers that say how much a memory access moves.
func width(bits int, signed bool) op.Mods {
	switch {
	case bits == 8 && signed:
		return op.M(op.MS8)
	case bits == 8:
		return op.M(op.MU8)
	case bits == 16 && signed:
		return op.M(op.MS16)
	case bits == 16:
		return op.M(op.MU16)
	case bits == 64:
		return op.M(op.M64)
	case bits == 128:
		return op.M(op.M128)
	}
	return op.Mods{}
}

// join appends the modifiers of b to a.
func join(a, b op.Mods) op.Mods {
	for _, m := range b {
		if m != op.NoMod {
			a = a.With(m)
		}
	}
	return a
}

// space returns the state space an access goes to.
func (l *lowerer) space(a *sema.Operand) isa.Space {
	s := isa.Generic
	if l.in.NSpaces > 0 {
		s = l.in.Spaces[0]
	} else if a.Base == isa.KSymbol {
		s = a.Space
	}
	return s.Base()
}

// ld lowers ld.
func (l *lowerer) ld() {
	t := l.typ(0)
	a := &l.args[1]
	switch s := l.space(a); s {
	case isa.SpaceParam:
		l.ldParam(t, a)
	case isa.SpaceGlobal, isa.Generic, isa.SpaceShared, isa.SpaceLocal:
		l.load(t, s, a)
	default:
		l.unsupported()
	}
}

// elements returns the operands of a vector argument, or the argument
// itself.
func (l *lowerer) elements(n int) []sema.Operand {
	a := &l.args[n]
	if a.Kind == isa.KVector {
		return l.body.Of(a.Elems)
	}
	return l.args[n : n+1]
}

// ldParam reads kernel parameters from constant bank 0.
func (l *lowerer) ldParam(t isa.Type, a *sema.Operand) {
	n := a.Formal()
	if !l.fn.Entry || n < 0 || a.Index >= 0 {
		l.unsupported()
	}
	off := l.arch.Bank0().Param + int64(l.fn.Params[n].Offset) + int64(a.Value)
	for k := range l.elements(0) {
		e := &l.elements(0)[k]
		bits := t.Bits()
		if e.Kind == isa.KSink {
			off += int64(bits / 8)
			continue
		}
		m := width(bits, t.Class() == isa.Signed)
		r := l.tmp(words(t))
		l.emit(op.LDC, m, value{whole(r)}, ori.Const(0, off))
		l.spread(l.words(l.regs[e.Ref]), r, t)
		off += int64(bits / 8)
	}
}

// spread copies a loaded value to its register, which may be wider.
func (l *lowerer) spread(d, r value, t isa.Type) {
	l.copy(d[:min(len(d), len(r))], r)
	for n := len(r); n < len(d); n++ {
		if t.Class() == isa.Signed {
			l.emit(op.SHF, op.M(op.MR, op.MS32, op.MHI), d[n:n+1], rz(), ori.Imm(31), r[len(r)-1])
		} else {
			l.emit(op.MOV, op.Mods{}, d[n:n+1], rz())
		}
	}
}

// access describes a memory operation of each space.
type access struct {
	load, store op.Op
	global      bool // carries .E and a descriptor
}

func accessOf(s isa.Space) access {
	switch s {
	case isa.SpaceShared:
		return access{op.LDS, op.STS, false}
	case isa.SpaceLocal:
		return access{op.LDL, op.STL, false}
	case isa.SpaceGlobal:
		return access{op.LDG, op.STG, true}
	}
	return access{op.LD, op.ST, true}
}

// ordering returns the modifiers of a global access that come from cache
// operators, consistency and scope; the widths follow them.
func (l *lowerer) ordering() (before, after op.Mods) {
	for _, w := range l.body.ModsOf(l.in) {
		switch w {
		case isa.WWeak, isa.WV2, isa.WV4:
		case isa.WNc:
			after = after.With(op.MCONSTANT)
		case isa.WVolatile:
			after = after.With(op.MSTRONG).With(op.MSYS)
		default:
			if !w.IsType() && !w.IsSpace() {
				l.unsupported()
			}
		}
	}
	return before, after
}

// load lowers a load from a space with addresses in registers.
func (l *lowerer) load(t isa.Type, s isa.Space, a *sema.Operand) {
	es := l.elements(0)
	bits := t.Bits() * len(es)
	if t.Bits() < 32 && len(es) > 1 || bits > 128 {
		l.unsupported()
	}
	x := accessOf(s)
	before, after := l.ordering()
	var m op.Mods
	var srcs value
	if x.global {
		m = m.With(op.ME)
		srcs = value{l.descriptor()}
	} else {
		before, after = op.Mods{}, op.Mods{}
	}
	m = join(join(join(m, before), width(bits, t.Class() == isa.Signed)), after)
	srcs = append(srcs, l.address(a, s)...)
	r := l.tmp(max(1, bits/32))
	l.emit(x.load, m, value{whole(r)}, srcs...)
	n := words(t)
	for k := range es {
		if es[k].Kind != isa.KSink {
			l.spread(l.words(l.regs[es[k].Ref]), r[k*n:k*n+n], t)
		}
	}
}

// st lowers st.
func (l *lowerer) st() {
	t := l.typ(0)
	a := &l.args[0]
	s := l.space(a)
	if s != isa.SpaceGlobal && s != isa.Generic && s != isa.SpaceShared && s != isa.SpaceLocal {
		l.unsupported()
	}
	es := l.elements(1)
	bits := t.Bits() * len(es)
	if t.Bits() < 32 && len(es) > 1 || bits > 128 {
		l.unsupported()
	}
	x := accessOf(s)
	before, after := l.ordering()
	var m op.Mods
	var srcs value
	if x.global {
		m = m.With(op.ME)
		srcs = value{l.descriptor()}
	} else {
		before, after = op.Mods{}, op.Mods{}
	}
	m = join(join(join(m, before), width(bits, false)), after)
	srcs = append(srcs, l.address(a, s)...)
	var v value
	for k := range es {
		v = append(v, l.read(&es[k], t)...)
	}
	srcs = append(srcs, whole(l.group(v)))
	l.emit(x.store, m, nil, srcs...)
}

// maxOffset is the largest offset an address field holds: 24 bits, signed.
const maxOffset = 1<<23 - 1

// address returns the operands that name the memory of an address.
func (l *lowerer) address(a *sema.Operand, s isa.Space) value {
	if a.Kind != isa.KAddr || a.Index >= 0 {
		l.unsupported()
	}
	off := int64(a.Value)
	wide := s == isa.SpaceGlobal || s == isa.Generic
	var base value
	switch a.Base {
	case isa.KReg:
		base = l.words(l.regs[a.Ref])
	case isa.KSymbol:
		base, off = l.place(a)
	default:
		base = value{rz()}
	}
	if wide && len(base) < 2 {
		l.fail("32-bit address in a 64-bit space")
	}
	if !wide {
		base = base[:1]
	}
	if off > maxOffset || off < -maxOffset-1 {
		if wide {
			base = l.add64(base, imm(uint64(off), 2), false)
		} else {
			base = value{l.one(op.IADD3, op.Mods{}, base[0], word(uint32(off)), rz())}
		}
		off = 0
	}
	if base[0].Kind == ori.KZero {
		return value{ori.Addr(ori.Operand{}, off)}
	}
	if wide {
		return value{ori.Addr(whole(l.pair(base)), off)}
	}
	return value{ori.Addr(l.reg(base[0]), off)}
}

// place returns where a variable lies: the words of a base and an offset.
func (l *lowerer) place(a *sema.Operand) (base value, off int64) {
	off = int64(a.Value)
	if n := a.Local(); n >= 0 && a.Formal() < 0 {
		switch l.body.Vars[n].Space {
		case isa.SpaceLocal:
			return value{l.stack()}, off + l.locals[n]
		case isa.SpaceShared, isa.SpaceSharedCTA:
			return value{l.window()}, off + l.shared[n]
		}
		l.unsupported()
	}
	if a.Formal() >= 0 || a.Ref < 0 {
		l.unsupported()
	}
	name := l.m.Syms[a.Ref].Name
	switch a.Space.Base() {
	case isa.SpaceShared:
		return value{l.window()}, off + l.layout.Shared[name]
	case isa.SpaceGlobal:
		t := l.tmp(2)
		sym := ori.Operand{Kind: ori.KSymbol, Reg: l.f.Module.Symbol(name)}
		hi := sym
		hi.Sub = uint8(ori.PartHi)
		l.emit(op.MOV, op.Mods{}, t[:1], sym)
		l.emit(op.MOV, op.Mods{}, t[1:], hi)
		return t, off
	}
	l.unsupported()
	return nil, 0
}

// symbol returns the address of a variable as a value.
func (l *lowerer) symbol(a *sema.Operand, n int) value {
	base, off := l.place(a)
	if len(base) == 2 {
		if off != 0 {
			base = l.add64(base, imm(uint64(off), 2), false)
		}
	} else {
		base = value{l.one(op.IADD3, op.Mods{}, base[0], word(uint32(off)), rz()), rz()}
	}
	return base[:n]
}

// stack returns the stack pointer.
func (l *lowerer) stack() ori.Operand {
	l.unsupported()
	return ori.Operand{}
}

// sharedReserved is what the system keeps at the start of shared memory on
// sm_90 and later.
const sharedReserved = 0x400

// window returns the address of this block's shared memory: on sm_90 and
// later the block's rank in its cluster stands in the top byte.
func (l *lowerer) window() ori.Operand {
	if l.arch.SM < 90 {
		return rz()
	}
	if l.rank == ori.NoReg {
		id := l.f.NewReg(ori.R, 1)
		l.rank = l.f.NewReg(ori.R, 1)
		l.atEntry(l.f.NewInstr(op.S2R, op.Mods{}, value{l.f.Words(id)}, value{ori.Special(op.SRClusterCtaID)}))
		t := l.f.NewReg(ori.R, 1)
		l.atEntry(l.f.NewInstr(op.SHF, op.M(op.ML, op.MU32), value{l.f.Words(t)}, value{l.f.Words(id), ori.Imm(24), rz()}))
		l.atEntry(l.f.NewInstr(op.IADD3, op.Mods{}, value{l.f.Words(l.rank)}, value{l.f.Words(t), ori.Imm(sharedReserved), rz()}))
	}
	return l.f.Words(l.rank)
}

// cvta lowers conversions between generic addresses and state spaces.
func (l *lowerer) cvta() {
	t := l.typ(0)
	switch s := l.in.Spaces[0].Base(); {
	case s == isa.SpaceGlobal:
		l.copy(l.dst(0), l.src(1, t))
	default:
		l.unsupported()
	}
}
