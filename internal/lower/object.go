package lower

import (
	"strconv"
	"strings"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
)

// In an object (-c) only the linker knows where variables and functions lie,
// so that code names them by symbols: addresses are moves of two halves that
// are relocated, constants are read through relocated operands, calls go to
// symbols and leave an absolute return address.

// symbolPart returns an operand that stands for part of a symbol's address.
func (l *lowerer) symbolPart(name string, p ori.Part) ori.Operand {
	return ori.Operand{Kind: ori.KSymbol, Reg: l.f.Module.Symbol(name), Sub: uint8(p)}
}

// symbolPair returns the 64-bit address of a symbol.
func (l *lowerer) symbolPair(name string) value {
	t := l.tmp(2)
	l.emit(op.MOV, op.Mods{}, t[:1], l.symbolPart(name, ori.PartLo))
	l.emit(op.MOV, op.Mods{}, t[1:], l.symbolPart(name, ori.PartHi))
	return t
}

// symbolWord returns the address of a symbol in a 32-bit space.
func (l *lowerer) symbolWord(name string) ori.Operand {
	return l.one(op.MOV, op.Mods{}, l.symbolPart(name, ori.PartAbs))
}

// sharedAt returns the address of a shared variable: the linker says where
// it lies behind what the system keeps.
func (l *lowerer) sharedAt(name string) ori.Operand {
	return l.one(op.IADD3, op.Mods{}, l.symbolWord(name), l.window(), rz())
}

// returnAbs sets the return address: an absolute one, relocated.
func (l *lowerer) returnAbs(back value, next *ori.Block) {
	for n, p := range [...]ori.Part{ori.PartLo, ori.PartHi} {
		at := ori.Label(next)
		at.Sub = 1 + uint8(p)
		l.emit(op.MOV, op.Mods{}, back[n:n+1], at)
	}
}

// placeObject returns where a variable of the module lies.
func (l *lowerer) placeObject(name string, s isa.Space) value {
	switch s {
	case isa.SpaceShared:
		return value{l.sharedAt(name)}
	case isa.SpaceConst:
		return value{l.symbolWord(name)}
	case isa.SpaceGlobal:
		return l.symbolPair(name)
	}
	l.unsupported()
	return nil
}

// ldConstObject reads a constant by name.
func (l *lowerer) ldConstObject(t isa.Type, name string, off int64) {
	for k, e := range l.elements(0) {
		if e.Kind == isa.KSink {
			continue
		}
		src := l.symbolPart(name, ori.PartAbs)
		src.Imm = off + int64(k*t.Bits()/8)
		l.spread(l.words(l.regs[e.Ref]), l.bank(src, t.Bits(), t.Class() == isa.Signed), t)
	}
}

// jumpTree lowers brx.idx without a table, which would be one more thing to
// link: comparisons halve the labels that begin with number first.
func (l *lowerer) jumpTree(index ori.Operand, labels []int32, first int) {
	to := l.at[l.body.Labels[labels[0]].At]
	same := true
	for _, n := range labels {
		same = same && l.at[l.body.Labels[n].At] == to
	}
	if same {
		l.emit(op.BRA, op.Mods{}, nil, ori.Label(to))
		l.cur.AddEdge(to)
		return
	}
	mid := len(labels) / 2
	upper := l.f.NewBlock()
	l.branch(l.cmp1(op.MGE, false, index, ori.Imm(int64(first+mid))), upper)
	l.jumpTree(index, labels[:mid], first)
	l.enter(upper)
	l.jumpTree(index, labels[mid:], first+mid)
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
