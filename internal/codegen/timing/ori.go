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
	known  []opFacts // by operation, as far as they were asked for
	uses   []Use
}

// NewDescriber returns a describer for the instructions of f.
func NewDescriber(f *ori.Func, a *target.Arch) *Describer {
	return &Describer{f: f, Timing: target.TimingOf(a), known: make([]opFacts, op.Count)}
}

// opFacts is what the name of an operation says. A function has few of all
// operations, so they are looked up when they come.
type opFacts struct {
	seen, kinds bool // looked up; leaves or awaits something
}

func (d *Describer) facts(o op.Op) *opFacts {
	k := &d.known[o]
	if !k.seen {
		*k = opFacts{seen: true, kinds: InKinds(o.String())}
	}
	return k
}

// Class returns the timing class of i.
func (d *Describer) Class(i *ori.Instr) target.Class {
	if i.Op == op.BMOV && i.NDst > 0 && i.Args[0].Class == ori.R {
		return target.ClassBmovR
	}
	return i.Op.ClassOf(&i.Mods)
}

// modifiers returns the question whether i has a modifier.
func modifiers(i *ori.Instr) func(string) bool {
	return func(mod string) bool {
		for _, m := range i.Mods {
			if m != op.NoMod && m.String() == mod {
				return true
			}
		}
		return false
	}
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
	d.unseen(i, &e)
	s := i.Sched
	e.Ctrl = Ctrl{Stall: s.Stall, WrBar: s.WrBar, RdBar: s.RdBar, Wait: s.Wait}
	return e
}

// unseen adds what no register tells: work that goes on behind i and what
// must be over before it.
func (d *Describer) unseen(i *ori.Instr, e *Event) {
	if d.facts(i.Op).kinds {
		e.Leaves, e.Awaits = KindsOf(i.Op.String(), modifiers(i))
	}
	switch {
	case i.Op == op.USETMAXREG && i.Mods.Has(op.MDEALLOC): // no result may arrive while registers go
		e.Drains = true
	case i.Op == op.DEPBAR && !i.Mods.Has(op.MLE): // waits for all
		e.Drains = true
	case i.Op == op.NOP: // tcgen05.wait::ld, or an acquire inside the block
		e.Awaits |= Copied
	case e.Class == target.ClassLdg:
		e.Leaves |= Loaded
		if i.CopiesMap() {
			e.Leaves |= Stored
		}
	}
}

// implied adds the predicates that R2P and its like move without naming.
func (d *Describer) implied(i *ori.Instr) {
	switch i.Op {
	case op.WARPGROUP:
		if i.Mods.Has(op.MARRIVE) {
			d.arrival(i)
		}
	case op.P2R:
		d.uses = append(d.uses, Use{File: target.FileP, Role: Data, N: 7})
	case op.R2P:
		d.uses = append(d.uses, Use{File: target.FileP, Role: Result, N: 7})
	case op.UP2UR:
		d.uses = append(d.uses, Use{File: target.FileUP, Role: Data, N: 7})
	case op.UR2UP:
		d.uses = append(d.uses, Use{File: target.FileUP, Role: Result, N: 7})
	}
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
