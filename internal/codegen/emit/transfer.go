package emit

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/target"
)

// transfer describes the operands of calls, returns and indirect jumps. The
// first source says where to; the others are registers the callee or caller
// reads. Offsets are relative to the section, so that what a register holds
// is an offset from its start.
func (e *emitter) transfer(i *ori.Instr) {
	none := unit{base: noPart, uni: noPart, desc: noPart}
	to, at := none, none
	at.kind = slotNumber
	o := i.Srcs()[0]
	if o.Kind == ori.KSymbol {
		if e.opts.Target != nil {
			at.num, _ = e.opts.Target(e.f.Module.Symbols[o.Reg].Name)
		}
		e.units[0], e.n = at, 1
		return
	}
	to.kind, to.num = regKinds[o.Class], e.number(o)
	e.units[0], e.units[1], e.n = to, at, 2
	switch {
	case i.Op == op.BRX:
		e.units[1].num = -(e.pc() + InstSize)
	case i.Mods.Has(op.MREL), i.Op == op.RET:
	default:
		e.n = 1
	}
}

// table collects the targets of an indirect jump: the second source is where
// the table stands in constant bank 2, the rest are its labels.
func (e *emitter) table(i *ori.Instr) Table {
	srcs := i.Srcs()
	x := Table{Offset: srcs[1].Imm}
	for _, s := range srcs[2:] {
		x.Entries = append(x.Entries, uint32(e.start[s.Reg]))
	}
	return x
}

// Join makes one section of the code of several functions, each emitted at
// its place behind the one before.
func Join(a *target.Arch, parts []*Code) (*Code, error) {
	e := &emitter{a: a}
	c := &e.code
	for _, p := range parts {
		c.Text = append(c.Text, p.Text...)
		c.Lines = append(c.Lines, p.Lines...)
		c.Exits = append(c.Exits, p.Exits...)
		c.Calls = append(c.Calls, p.Calls...)
		c.Coops = append(c.Coops, p.Coops...)
		c.WarpWide = append(c.WarpWide, p.WarpWide...)
		c.Mbarriers = append(c.Mbarriers, p.Mbarriers...)
		c.Unused = append(c.Unused, p.Unused...)
		c.Converges = c.Converges || p.Converges
		c.Tables = append(c.Tables, p.Tables...)
		c.Relocs = append(c.Relocs, p.Relocs...)
		c.Resolved = append(c.Resolved, p.Resolved...)
	}
	return e.finish()
}
