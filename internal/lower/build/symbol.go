package build

import (
	"strconv"
	"strings"

	"github.com/goptxas/goptxas/internal/codegen/expand"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/target"
)

// PointerSlot returns the place of a function's offset in bank 2: behind one
// word that no function has, in the order of the module.
func PointerSlot(m *sema.Module, fn int32) int64 {
	at := int64(pointerSize)
	for n := range m.Funcs[:fn] {
		if m.Funcs[n].HasBody && !m.Funcs[n].Entry {
			at += pointerSize
		}
	}
	return at
}

// pointerSize is the size of a function's offset in bank 2.
const pointerSize = 8

// Callee follows aliases to the function that has the body.
func Callee(m *sema.Module, fn int32) int32 {
	for n := 0; fn >= 0 && m.Funcs[fn].Alias >= 0 && n < len(m.Funcs); n++ {
		fn = m.Funcs[fn].Alias
	}
	return fn
}

func (l *Builder) Callee(fn int32) int32 { return Callee(l.Module, fn) }

// AtEntry adds an instruction at the start of the function, after those
// added before it.
func (l *Builder) AtEntry(i *ori.Instr) {
	b := l.order[0]
	if l.entry == nil {
		b.Prepend(i)
	} else {
		b.InsertAfter(i, l.entry)
	}
	l.entry = i
}

// Place returns where a variable lies: the words of a base and an offset.
func (l *Builder) Place(a *sema.Operand) (base Value, off int64) {
	off = int64(a.Value)
	if v := l.Variable(a); v != nil {
		switch {
		case v.Bank:
			return Value{expand.RZ()}, off + v.param
		case v.Words == nil:
			return Value{l.Stack()}, off + v.Off
		}
	}
	if n := a.Local(); n >= 0 && a.Formal() < 0 {
		switch l.Body.Vars[n].Space {
		case isa.SpaceLocal:
			return Value{l.Stack()}, off + l.locals[n]
		case isa.SpaceShared, isa.SpaceSharedCTA:
			if l.Layout.Object {
				return Value{l.sharedAt(SharedSymbol(l.Module, l.Body, n))}, off
			}
			if l.Layout.Keep {
				return Value{l.placed(SharedSymbol(l.Module, l.Body, n), l.shared[n])}, off
			}
			return Value{l.Window()}, off + l.shared[n]
		}
	}
	sym := l.ModuleSym(a)
	if sym < 0 {
		l.Unsupported()
	}
	name := l.Module.Syms[sym].Name
	if l.Layout.Object {
		return l.placeObject(name, a.Space.Base()), off
	}
	switch a.Space.Base() {
	case isa.SpaceShared:
		if a, ok := l.Layout.Dynamic[name]; ok { // behind all static variables
			return Value{l.Window()}, off + (int64(l.F.Props.SharedBytes)+a-1)/a*a
		}
		if l.Layout.Keep {
			return Value{l.placed(name, l.sharedVariable(name))}, off
		}
		return Value{l.Window()}, off + l.sharedVariable(name)
	case isa.SpaceConst:
		if l.Layout.Keep {
			return Value{l.placed(name, l.Layout.Const[name])}, off
		}
		return Value{expand.RZ()}, off + l.Layout.Const[name]
	case isa.SpaceLocal:
		top := l.Tmp(1)
		l.Emit(op.LDC, op.Mods{}, top, ori.Const(0, l.Arch.Bank0().Stack))
		return top, off - l.Layout.Local[name]
	case isa.SpaceGlobal:
		if l.Layout.Direct {
			return l.symbolPair(name), off
		}
		return l.slot(name), off
	}
	l.Unsupported()
	return nil, 0
}

// ModuleSym returns the symbol of the module that an operand names, also
// where the body declares it, or -1.
func (l *Builder) ModuleSym(a *sema.Operand) int32 {
	if a.Formal() >= 0 {
		return -1
	}
	if n := a.Local(); n >= 0 {
		return l.Module.OwnSym(l.Body.Func, n)
	}
	return a.Ref
}

// slot reads an address that the driver leaves in a bank of constants.
func (l *Builder) slot(name string) Value {
	t := l.Tmp(2)
	l.Emit(op.LDC, op.M(op.M64), Value{expand.Whole(t)}, ori.Operand{Kind: ori.KSymbol, Reg: l.F.Module.Symbol(name)})
	return t
}

// Symbol returns the address of a variable as a value.
func (l *Builder) Symbol(a *sema.Operand, n int) Value {
	if h, ok := l.Reference(a); ok {
		return h[:n]
	}
	base, off := l.Place(a)
	if len(base) == 2 {
		if off != 0 {
			base = l.Add64(base, expand.Imm(uint64(off), 2), false)
		}
	} else {
		base = Value{l.One(op.IADD3, op.Mods{}, base[0], expand.Word(uint32(off)), expand.RZ()), expand.RZ()}
	}
	return base[:n]
}

// Window returns the address of this block's shared memory: on sm_90 and
// later the block's rank in its cluster stands in the top byte.
func (l *Builder) Window() ori.Operand {
	if !l.Arch.Has(target.Clusters) {
		return expand.RZ()
	}
	if l.rank == ori.NoReg {
		id := l.F.NewReg(ori.R, 1)
		l.rank = l.F.NewReg(ori.R, 1)
		l.AtEntry(l.F.NewInstr(op.S2R, op.Mods{}, Value{l.F.Words(id)}, Value{ori.Special(op.SRClusterCtaID)}))
		t := l.F.NewReg(ori.R, 1)
		l.AtEntry(l.F.NewInstr(op.SHF, op.M(op.ML, op.MU32), Value{l.F.Words(t)}, Value{l.F.Words(id), ori.Imm(24), expand.RZ()}))
		l.AtEntry(l.F.NewInstr(op.IADD3, op.Mods{}, Value{l.F.Words(l.rank)}, Value{l.F.Words(t), ori.Imm(SharedReserved), expand.RZ()}))
	}
	return l.F.Words(l.rank)
}

// In an object (-c) only the linker knows where variables and functions lie,
// so that code names them by symbols: addresses are moves of two halves that
// are relocated, constants are read through relocated operands, calls go to
// symbols and leave an absolute return address.

// symbolPair returns the 64-bit address of a symbol.
func (l *Builder) symbolPair(name string) Value {
	t := l.Tmp(2)
	l.Emit(op.MOV, op.Mods{}, t[:1], l.SymbolPart(name, ori.PartLo))
	l.Emit(op.MOV, op.Mods{}, t[1:], l.SymbolPart(name, ori.PartHi))
	return t
}

// SymbolWord returns the address of a symbol in a 32-bit space.
func (l *Builder) SymbolWord(name string) ori.Operand {
	return l.One(op.MOV, op.Mods{}, l.SymbolPart(name, ori.PartAbs))
}

// PlacedPart names a variable of a 32-bit space whose place is known, for a
// file that says where code names variables.
func (l *Builder) PlacedPart(name string, place int64) ori.Operand {
	o := l.SymbolPart(name, ori.PartAbs)
	s := &l.F.Module.Symbols[o.Reg]
	s.Placed, s.Place = true, place
	return o
}

// placed returns the address of such a variable.
func (l *Builder) placed(name string, place int64) ori.Operand {
	return l.One(op.MOV, op.Mods{}, l.PlacedPart(name, place))
}

// sharedAt returns the address of a shared variable: the linker says where
// it lies behind what the system keeps.
func (l *Builder) sharedAt(name string) ori.Operand {
	return l.One(op.IADD3, op.Mods{}, l.SymbolWord(name), l.Window(), expand.RZ())
}

// placeObject returns where a variable of the module lies.
func (l *Builder) placeObject(name string, s isa.Space) Value {
	switch s {
	case isa.SpaceShared:
		return Value{l.sharedAt(name)}
	case isa.SpaceConst:
		return Value{l.SymbolWord(name)}
	case isa.SpaceGlobal:
		return l.symbolPair(name)
	}
	l.Unsupported()
	return nil
}

// SharedSymbol names a shared variable that a function declares, as objects
// do: with the line of its declaration, behind which no other function's
// can stand.
func SharedSymbol(m *sema.Module, b *sema.Body, n int32) string {
	v := &b.Vars[n]
	_, line := m.Files[m.Funcs[b.Func].File].File.Line(v.Pos)
	s := "$__" + v.Name + "__" + strconv.Itoa(line)
	for k := range n { // of one line
		if w := &b.Vars[k]; w.Name == v.Name && w.Pos != v.Pos {
			if _, other := m.Files[m.Funcs[b.Func].File].File.Line(w.Pos); other == line {
				s += "_"
			}
		}
	}
	if f := m.Funcs[b.Func].File; f > 0 { // lines of several files are alike
		s += "_" + strconv.Itoa(int(f))
	}
	return s
}

// Prototype spells a signature as objects do, so that the linker knows which
// functions a call through a pointer may reach.
func Prototype(rets, params []sema.Param) string {
	var s strings.Builder
	s.WriteByte('#')
	if len(rets) == 0 {
		s.WriteByte('v')
	}
	for _, list := range [...][]sema.Param{rets, params} {
		for n := range list {
			p := &list[n]
			size := int(p.Shape.Size())
			each := max(1, p.Shape.Type.Bits()/8)
			s.WriteByte(letter(p.Shape.Type))
			if count := size / each; count != 1 || each == 1 {
				s.WriteString(strconv.Itoa(count))
			}
		}
	}
	return s.String()
}

func letter(t isa.Type) byte {
	switch {
	case t == isa.F32:
		return 'f'
	case t == isa.F64:
		return 'd'
	}
	switch t.Bits() {
	case 8:
		return 'b'
	case 16:
		return 'h'
	case 32:
		return 'i'
	case 64:
		return 'l'
	}
	return 'x'
}

// sharedVariable returns the offset of a shared variable of the module.
func (l *Builder) sharedVariable(name string) int64 {
	at, ok := l.Plan.Shared[name]
	if !ok {
		l.Fail("Shared variable '%s' has no place", name)
	}
	return at
}
