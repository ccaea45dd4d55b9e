package hazard

import (
	"github.com/goptxas/goptxas/internal/sass"
	"github.com/goptxas/goptxas/internal/target"
)

// Model is what the tables say about the instructions of a program, for a
// witness that follows the paths a program takes instead of all that there
// are: the timed simulator.
type Model struct {
	table *table
	Ops   []Op
}

// Op is one instruction.
type Op struct {
	Ctrl          sass.Ctrl
	Reads, Writes []Access
	Guard         int // its cell, or -1
	inst          inst
}

// Clock returns the cycles from the issue of o to that of the next instruction
// of the warp, at least.
func (o *Op) Clock() int { return int(max(1, clock(&o.inst))) }

// Access is a register that an instruction reads or writes.
type Access struct {
	Cell uint16
	slot slot
}

// NumCells is the number of registers of all files, NumBarriers that of
// scoreboard barriers.
const (
	NumCells    = numCells
	NumBarriers = 6
	Lag         = 2 // cycles until a barrier that is set can be waited for
)

// NewModel describes instructions.
func NewModel(a *target.Arch, list []sass.Inst) (*Model, error) {
	t, err := tableOf(a.SM)
	if err != nil {
		return nil, err
	}
	m := &Model{table: t}
	for at, x := range list {
		o := Op{inst: t.describe(a, x, at), Guard: -1}
		o.Ctrl = o.inst.ctrl
		for _, c := range o.inst.reads {
			if c.slot == "g" {
				o.Guard = int(c.cell)
			}
			o.Reads = append(o.Reads, Access{c.cell, c.slot})
		}
		for _, c := range o.inst.writes {
			o.Writes = append(o.Writes, Access{c.cell, c.slot})
		}
		m.Ops = append(m.Ops, o)
	}
	return m, nil
}

// CellName names a cell as listings do.
func CellName(c uint16) string { return cellName(c) }

// General reports whether a cell is a general register, and which.
func General(c uint16) (reg int, ok bool) { return int(c), c < cellUR }

// Variable reports whether a barrier announces the results of o.
func (o *Op) Variable() bool { return o.inst.how == 'V' }

// Group reports whether o is a product of a warp group, whose registers have
// rules of their own.
func (o *Op) Group() bool { return o.inst.class == "gmma" }

// Class names the unit of o.
func (o *Op) Class() string { return string(o.inst.class) }

// Announces returns the barriers that tell when a result of o is there.
func (o *Op) Announces(a Access) uint8 {
	bars := mask(o.Ctrl.WrBar)
	if o.inst.is("ATOM") && fileOf(a.Cell) == fileP {
		bars |= mask(o.Ctrl.RdBar)
	}
	return bars
}

// Read is how many cycles lie between a result and its reader.
func (m *Model) Read(from *Op, a Access, to *Op, b Access) int {
	return m.table.read(fileOf(b.Cell), from.inst.class, a.slot, to.inst.class, b.slot)
}

// Write is how many cycles lie between two results in one register.
func (m *Model) Write(from *Op, a Access, to *Op) int {
	return m.table.write(fileOf(a.Cell), from.inst.class, a.slot, to.inst.class, to.Variable())
}

// Over is how many cycles lie between a read at issue and the next result.
func (m *Model) Over(from *Op, a Access, to *Op) int {
	return m.table.over(fileOf(a.Cell), from.inst.class, a.slot, to.inst.class, to.Variable())
}

// Late reports whether a register is read at a time that only a barrier tells.
func (m *Model) Late(o *Op, a Access) bool {
	return a.slot != "g" && m.table.readsLate(&o.inst, fileOf(a.Cell))
}

// InOrder reports whether a result of to that overwrites one of from, which
// a barrier announces, comes behind it anyway.
func InOrder(from, to *Op) bool {
	g := returns(&from.inst)
	return g != 0 && g == returns(&to.inst)
}

// Behind reports whether to overwrites what from reads late only when it has
// been read.
func Behind(from, to *Op) bool { return behind(&from.inst, &to.inst) }

// Speaks reports whether a barrier of o tells that from has read its registers.
func Speaks(o, from *Op) bool { return speaks(&o.inst, &from.inst) }

// Meets reports whether threads meet at o behind their stores to shared
// memory, which have then read what they store.
func (m *Model) Meets(o *Op) bool { return o.inst.is("BAR") && m.table.sm < 80 }

// Stores reports whether o stores to shared memory.
func (o *Op) Stores() bool { return o.inst.class == "sts" }
