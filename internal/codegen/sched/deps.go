// Package sched orders instructions inside blocks: before registers are
// allocated for short critical paths within a number of registers, and
// after it to hide latencies.
package sched

import (
	"github.com/goptxas/goptxas/internal/codegen/timing"
	"github.com/goptxas/goptxas/internal/engine/pool"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/target"
)

var files = [ori.NumClasses]target.File{
	ori.R: target.FileR, ori.UR: target.FileUR, ori.P: target.FileP, ori.UP: target.FileUP, ori.B: target.FileB,
}

// access is a run of words that an instruction reads or writes. Words are
// numbered: physical registers after allocation, words of virtual ones
// before it.
type access struct {
	word  int32
	n     uint8
	write bool
	file  target.File
	use   timing.Use
}

// numbering says which numbers the words of registers have.
type numbering struct {
	f    *ori.Func
	base []int32 // of virtual registers; nil after allocation
	size int

	from []int32  // of each instruction, by ID: where its accesses begin in list, plus one; 0 if they are not known
	list []access // of all instructions that were asked for, one behind the other
}

// usualAccesses is about how many entries the accesses of an instruction take.
const usualAccesses = 4

// physical numbers the words of allocated registers.
func physical(f *ori.Func) *numbering { return &numbering{f: f, size: timing.NumCells} }

// virtual numbers the words of virtual registers. Those with a place given
// share the number of that place.
func virtual(f *ori.Func) *numbering {
	m := &numbering{f: f, base: pool.Make[int32](f.Scratch(), len(f.Regs)), size: timing.NumCells}
	for r := range f.Regs {
		if info := &f.Regs[r]; info.Fixed && info.Phys >= 0 {
			m.base[r] = int32(timing.FirstCell[files[info.Class]]) + int32(info.Phys)
			continue
		}
		m.base[r] = int32(m.size)
		m.size += int(f.Regs[r].Width)
	}
	return m
}

func (m *numbering) word(o ori.Operand) int32 {
	sub := int32(o.Sub)
	if o.Kind == ori.KConst {
		sub = 0
	}
	if m.base != nil {
		return m.base[o.Reg] + sub
	}
	info := &m.f.Regs[o.Reg]
	return int32(timing.FirstCell[files[info.Class]]) + int32(info.Phys) + sub
}

// accesses returns what i reads and writes, as it was when that was asked
// first; the list is for reading only.
func (m *numbering) accesses(i *ori.Instr) []access {
	if int(i.ID) >= len(m.from) {
		from := pool.Make[int32](m.f.Scratch(), m.f.NumInstrs())
		copy(from, m.from)
		m.from = from
		if m.list == nil {
			m.list = pool.Room[access](m.f.Scratch(), usualAccesses*m.f.Size())
		}
	}
	from := m.from[i.ID]
	if from == 0 {
		from = int32(len(m.list)) + 1
		m.from[i.ID] = from
		m.list = append(m.list, access{}) // says how many follow
		m.list = m.appendAccesses(m.list, i)
		m.list[from-1].word = int32(len(m.list))
	}
	return m.list[from:m.list[from-1].word]
}

// appendAccesses adds what i reads and writes to a list.
func (m *numbering) appendAccesses(list []access, i *ori.Instr) []access {
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

func (m *numbering) add(list []access, o ori.Operand, r timing.Role, arg uint8) []access {
	f := files[m.f.Regs[o.Reg].Class]
	return append(list, access{
		word: m.word(o), n: max(1, o.N), write: r == timing.Result, file: f,
		use: timing.Use{File: f, Role: r, N: max(1, o.N), Arg: arg},
	})
}
