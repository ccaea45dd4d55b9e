package emit

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/target"
)

// transfer writes the operands of calls, returns and indirect jumps. The
// first source says where to; the others are registers the callee or caller
// reads. Offsets are relative to the section, so that what a register holds
// is an offset from its start.
func (e *emitter) transfer(t []byte, i *ori.Instr) []byte {
	to := i.Srcs()[0]
	if to.Kind == ori.KSymbol {
		at := int64(0)
		if e.opts.Target != nil {
			if v, ok := e.opts.Target(e.f.Module.Symbols[to.Reg].Name); ok {
				at = v
			}
		}
		return appendHex(t, at)
	}
	t = e.register(t, to)
	switch {
	case i.Op == op.BRX:
		return appendHex(append(t, ' '), -(e.pc() + InstSize))
	case i.Mods.Has(op.MREL), i.Op == op.RET:
		return append(t, " 0x0"...)
	}
	return t
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
		c.Mbarriers = append(c.Mbarriers, p.Mbarriers...)
		c.Tables = append(c.Tables, p.Tables...)
		c.Relocs = append(c.Relocs, p.Relocs...)
	}
	return e.finish()
}
