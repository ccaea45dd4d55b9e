// Package words numbers the words of registers, and knows which of them
// instructions read and write.
package words

import (
	"github.com/goptxas/goptxas/internal/codegen/timing"
	"github.com/goptxas/goptxas/internal/engine/pool"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/target"
)

// Files are those of the classes of registers.
var Files = [ori.NumClasses]target.File{
	ori.R: target.FileR, ori.UR: target.FileUR, ori.P: target.FileP, ori.UP: target.FileUP, ori.B: target.FileB,
}

// Access is a run of words that an instruction reads or writes. Words are
// numbered: physical registers after allocation, words of virtual ones
// before it.
type Access struct {
	Word  int32
	N     uint8
	Write bool
	File  target.File
	Use   timing.Use
}

// Numbering says which numbers the words of registers have.
type Numbering struct {
	F    *ori.Func
	Base []int32 // of virtual registers; nil after allocation
	Size int

	from []int32  // of each instruction, by ID: where its accesses begin in list, plus one; 0 if they are not known
	list []Access // of all instructions that were asked for, one behind the other
}

// usualAccesses is about how many entries the accesses of an instruction take.
const usualAccesses = 4

// Physical numbers the words of allocated registers.
func Physical(f *ori.Func) *Numbering { return &Numbering{F: f, Size: timing.NumCells} }

// Virtual numbers the words of virtual registers. Those with a place given
// share the number of that place.
func Virtual(f *ori.Func) *Numbering {
	m := &Numbering{F: f, Base: pool.Make[int32](f.Scratch(), len(f.Regs)), Size: timing.NumCells}
	for r := range f.Regs {
		if info := &f.Regs[r]; info.Fixed && info.Phys >= 0 {
			m.Base[r] = int32(timing.FirstCell[Files[info.Class]]) + int32(info.Phys)
			continue
		}
		m.Base[r] = int32(m.Size)
		m.Size += int(f.Regs[r].Width)
	}
	return m
}

// Word is the number of the first word of an operand.
func (m *Numbering) Word(o ori.Operand) int32 {
	sub := int32(o.Sub)
	if o.Kind == ori.KConst {
		sub = 0
	}
	if m.Base != nil {
		return m.Base[o.Reg] + sub
	}
	info := &m.F.Regs[o.Reg]
	return int32(timing.FirstCell[Files[info.Class]]) + int32(info.Phys) + sub
}

// Accesses returns what i reads and writes, as it was when that was asked
// first; the list is for reading only.
func (m *Numbering) Accesses(i *ori.Instr) []Access {
	if int(i.ID) >= len(m.from) {
		from := pool.Make[int32](m.F.Scratch(), m.F.NumInstrs())
		copy(from, m.from)
		m.from = from
		if m.list == nil {
			m.list = pool.Room[Access](m.F.Scratch(), usualAccesses*m.F.Size())
		}
	}
	from := m.from[i.ID]
	if from == 0 {
		from = int32(len(m.list)) + 1
		m.from[i.ID] = from
		m.list = append(m.list, Access{}) // says how many follow
		m.list = m.appendAccesses(m.list, i)
		m.list[from-1].Word = int32(len(m.list))
	}
	return m.list[from:m.list[from-1].Word]
}

// appendAccesses adds what i reads and writes to a list.
func (m *Numbering) appendAccesses(list []Access, i *ori.Instr) []Access {
	if i.Guard.Kind == ori.KReg {
		list = m.add(list, i.Guard, timing.Guard, 0)
	}
	for n, o := range i.Srcs() {
		if !o.HasReg() {
			continue
		}
		role := timing.Data
		switch o.Kind {
		case ori.KConst:
			role, o.N = timing.Index, 1
		case ori.KAddr, ori.KUAddr:
			role = timing.Address
		case ori.KDesc, ori.KGdesc, ori.KTmem:
			role = timing.Desc
		}
		list = m.add(list, o, role, uint8(n))
	}
	for _, o := range i.Dsts() {
		if o.Kind == ori.KReg {
			list = m.add(list, o, timing.Result, 0)
		}
	}
	return list
}

func (m *Numbering) add(list []Access, o ori.Operand, r timing.Role, arg uint8) []Access {
	f := Files[m.F.Regs[o.Reg].Class]
	return append(list, Access{
		Word: m.Word(o), N: max(1, o.N), Write: r == timing.Result, File: f,
		Use: timing.Use{File: f, Role: r, N: max(1, o.N), Arg: arg},
	})
}
