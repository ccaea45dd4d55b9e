package timing

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/target"
)

var files = [ori.NumClasses]target.File{
	ori.R: target.FileR, ori.UR: target.FileUR, ori.P: target.FileP, ori.UP: target.FileUP, ori.B: target.FileB,
}

// Describer makes events of Ori instructions with physical registers.
type Describer struct {
	builder
	f      *ori.Func
	Timing *target.Timing
	uses   []Use
}

// NewDescriber returns a describer for the instructions of f.
func NewDescriber(f *ori.Func, a *target.Arch) *Describer {
	return &Describer{f: f, Timing: target.TimingOf(a)}
}

// Class returns the timing class of i.
func (d *Describer) Class(i *ori.Instr) target.Class {
	if i.Op == op.BMOV && i.NDst > 0 && i.Args[0].Class == ori.R {
		return target.ClassBmovR
	}
	if i.Op == op.IMMA && d.Timing.IntegersLate() {
		return target.ClassDmma
	}
	return i.Op.ClassOf(&i.Mods)
}

// Instr returns the event of i.
func (d *Describer) Instr(i *ori.Instr) Event {
	d.uses = d.uses[:0]
	if i.Guard.Kind == ori.KReg {
		d.add(i.Guard, Guard, 0)
	}
	for _, o := range i.Dsts() {
		if o.Kind == ori.KReg {
			d.add(o, Result, 0)
		}
	}
	for n, o := range i.Srcs() {
		d.source(o, uint8(n))
	}
	d.implied(i)
	e := d.event(d.Class(i), d.uses)
	e.Fences = e.Class == target.ClassFence || e.Class == target.ClassMembar && d.Timing.BlockFence() && i.Mods.Has(op.MCTA)
	e.Passes = !i.Op.Has(op.Effect|op.Convergent|op.Terminator|op.ReadsSpecial) && (i.Op.LoadsConstant() || !i.Op.Has(op.Reads|op.Writes))
	d.unseen(i, &e)
	s := i.Sched
	e.Ctrl = Ctrl{Stall: s.Stall, WrBar: s.WrBar, RdBar: s.RdBar, Wait: s.Wait}
	return e
}

// unseen adds what no register tells: work that goes on behind i and what
// must be over before it.
func (d *Describer) unseen(i *ori.Instr, e *Event) {
	e.Leaves, e.Awaits = i.Op.Work(&i.Mods)
	switch {
	case i.Sched.Pad:
		e.Awaits = 0
	case i.Op == op.USETMAXREG && i.Mods.Has(op.MDEALLOC): // no result may arrive while registers go
		e.Drains = true
	case i.Op == op.DEPBAR && !i.Mods.Has(op.MLE): // waits for all
		e.Drains = true
	case i.Op == op.ENDCOLLECTIVE, i.Op == op.WARPSYNC && i.Mods.Has(op.MCOLLECTIVE): // threads come from elsewhere, and go back
		e.Drains = true
	case i.CopiesMap():
		e.Leaves |= op.Stored
	}
}

// implied adds what an instruction touches without naming it: the predicates
// that R2P and its like move, and the registers of a group's products.
func (d *Describer) implied(i *ori.Instr) {
	if i.Op == op.WARPGROUP && i.Mods.Has(op.MARRIVE) {
		d.arrival(i)
	}
	if !i.Op.Has(op.ReadsPreds | op.WritesPreds) {
		return
	}
	all := Use{File: target.FileP, Role: Data, N: 7}
	if i.Op.Has(op.Uniform) {
		all.File = target.FileUP
	}
	if i.Op.Has(op.WritesPreds) {
		all.Role = Result
	}
	d.uses = append(d.uses, all)
}

// arrival adds the general registers of the matrix operations behind a
// WARPGROUP.ARRIVE: these take no waits themselves, and from the arrival on
// the registers are theirs. What is read must be there; what is written
// nobody may still read, as a store does, or write.
func (d *Describer) arrival(i *ori.Instr) {
	for j := i.Next(); j != nil && (j.Op != op.WARPGROUP || !j.Mods.Has(op.MARRIVE)); j = j.Next() {
		if !j.IsGroupMMA() {
			continue
		}
		for n, o := range j.Srcs() {
			if o.Kind == ori.KReg && o.Class == ori.R {
				d.add(o, Data, uint8(n))
			}
		}
		for _, o := range j.Dsts() {
			if o.Kind == ori.KReg && o.Class == ori.R {
				d.add(o, Cleared, 0)
			}
		}
	}
}

// Cells are the registers that o names.
func (d *Describer) Cells(o ori.Operand) Access {
	if !o.HasReg() {
		return Access{}
	}
	info := &d.f.Regs[o.Reg]
	return Access{Cell: FirstCell[files[info.Class]] + uint16(info.Phys+int16(o.Sub)), N: max(1, o.N)}
}

func (d *Describer) source(o ori.Operand, n uint8) {
	if !o.HasReg() {
		return
	}
	switch o.Kind {
	case ori.KReg:
		d.add(o, Data, n)
	case ori.KConst:
		o.Sub, o.N = 0, 1
		d.add(o, Index, n)
	case ori.KAddr, ori.KUAddr:
		d.add(o, Address, n)
	case ori.KDesc, ori.KGdesc, ori.KTmem:
		d.add(o, Desc, n)
	}
}

func (d *Describer) add(o ori.Operand, r Role, n uint8) {
	info := &d.f.Regs[o.Reg]
	d.uses = append(d.uses, Use{
		File: files[info.Class], Role: r, Reg: uint8(info.Phys + int16(o.Sub)), N: max(1, o.N), Arg: n,
		Negated: r == Guard && o.Flags&ori.Inv != 0,
	})
}
