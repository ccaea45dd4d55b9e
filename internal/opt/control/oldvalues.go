package control

import (
	"github.com/goptxas/goptxas/internal/engine/pool"
	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// OldValues lets guarded instructions leave nothing where nobody looks at what
// they leave: who reads their results has the same guard, or one that holds only
// where that does. A register that producers load in every turn of a loop under a
// guard would else carry what it held from turn to turn.
//
//	b1: r0 = PHI 0x1                        b1:
//	    @p LDG.E r1 = … else r0                 @p LDG.E r1 = … else _
//	    @p FADD r2 = r1, r1 else r3             @p FADD r2 = r1, r1 else r3
//	    PHISRC b1, 0x1, r1
//
// It works on SSA form.
func OldValues(f *ori.Func) bool {
	if !f.Props.SSA {
		return false
	}
	o := &oldValues{f: f, v: opt.ValuesOf(f)}
	if !o.find() {
		return false
	}
	o.wanted()
	changed := false
	for _, i := range o.guarded {
		for k := range i.Old {
			if i.Old[k].Kind == ori.KReg && !o.v.IsVariable(i.Args[k]) && !o.reads(&i.Args[k]) && f.Should("old", i) {
				i.Old[k] = ori.Operand{}
				changed = true
			}
		}
	}
	return f.Touched(changed)
}

type oldValues struct {
	f       *ori.Func
	v       *opt.Values
	guarded []*ori.Instr // those that leave something
	phis    []*ori.Instr // by key
	open    []bool       // by word: it is what a guarded instruction or a PHI makes
	want    []bool       // by word: who reads it looks at what its instruction leaves
	work    []int32
	from    map[int32][]int32 // the words whose being wanted makes others wanted
}

// find lists the guarded instructions that leave something, and the words that
// may be wanted only where guards hold.
func (o *oldValues) find() bool {
	o.open = pool.Make[bool](o.f.Scratch(), len(o.v.Def))
	o.phis = make([]*ori.Instr, o.f.NumPhis())
	for _, b := range o.f.Blocks {
		for i := b.First(); i != nil; i = i.Next() {
			leaves := false
			for k := range i.Old {
				leaves = leaves || i.Old[k].Kind == ori.KReg
			}
			if leaves {
				o.guarded = append(o.guarded, i)
			}
			if i.Op == op.PHI {
				o.phis[i.Args[1].Imm] = i
			}
			if leaves || i.Op == op.PHI {
				o.each(i.Dsts(), func(w int32) { o.open[w] = true })
			}
		}
	}
	return len(o.guarded) > 0
}

// each calls do with every word of the operands.
func (o *oldValues) each(list []ori.Operand, do func(w int32)) {
	for k := range list {
		a := &list[k]
		if !a.HasReg() {
			continue
		}
		w := o.v.Word(a)
		for n := w; n < w+int32(max(1, a.N)); n++ {
			do(n)
		}
	}
}

// wanted marks the words that somebody reads where their instruction may not
// have run.
func (o *oldValues) wanted() {
	o.want, o.from = pool.Make[bool](o.f.Scratch(), len(o.v.Def)), map[int32][]int32{}
	for _, b := range o.f.Blocks {
		for i := b.First(); i != nil; i = i.Next() {
			o.read(i)
		}
	}
	for len(o.work) > 0 {
		w := o.work[len(o.work)-1]
		o.work = o.work[:len(o.work)-1]
		for _, x := range o.from[w] {
			o.mark(x)
		}
	}
}

func (o *oldValues) mark(w int32) {
	if o.open[w] && !o.want[w] {
		o.want[w] = true
		o.work = append(o.work, w)
	}
}

// read notes what i reads.
func (o *oldValues) read(i *ori.Instr) {
	if i.Op == op.PHISRC {
		if phi := o.phis[i.Args[1].Imm]; phi != nil && i.Args[2].Kind == ori.KReg {
			o.passes(&i.Args[2], &phi.Args[0])
		}
		return
	}
	for k := int(i.NDst); k < len(i.Args); k++ {
		a := &i.Args[k]
		if a.HasReg() && !o.blind(i, k, a) {
			o.each(i.Args[k:k+1], o.mark)
		}
	}
	if i.Guard.HasReg() {
		o.each([]ori.Operand{i.Guard}, o.mark)
	}
	for k := range i.Old {
		if i.Old[k].Kind == ori.KReg {
			o.passes(&i.Old[k], &i.Args[k])
		}
	}
}

// passes notes that words a are wanted if words d are.
func (o *oldValues) passes(a, d *ori.Operand) {
	x, y := o.v.Word(a), o.v.Word(d)
	for n := range int32(max(1, a.N)) {
		if !o.open[y+n] {
			o.mark(x + n)
		} else if o.open[x+n] {
			o.from[y+n] = append(o.from[y+n], x+n)
		}
	}
}

// blind reports whether source k of i says nothing where what makes it did not
// run.
func (o *oldValues) blind(i *ori.Instr, k int, a *ori.Operand) bool {
	d := o.v.Def[o.v.Word(a)]
	for n := range int32(max(1, a.N)) {
		if o.v.Def[o.v.Word(a)+n] != d {
			return false
		}
	}
	if d == nil || d.Guard.Kind != ori.KReg || d.Op == op.PHI {
		return false
	}
	last := len(i.Args) - 1
	return o.implies(i.Guard, d.Guard, opt.MaxChain) || isAndTest(i) && k != last && o.implies(i.Args[last], d.Guard, opt.MaxChain)
}

// implies reports whether predicate p holds only where g does.
func (o *oldValues) implies(p, g ori.Operand, steps int) bool {
	if p.Kind != ori.KReg || steps == 0 {
		return false
	}
	if p == g {
		return true
	}
	d := o.v.Once(p)
	if d == nil || p.Flags != 0 || !isAndTest(d) {
		return false
	}
	return o.implies(d.Args[len(d.Args)-1], g, steps-1)
}

// reads reports whether some word of a is wanted.
func (o *oldValues) reads(a *ori.Operand) bool {
	w := o.v.Word(a)
	for n := range int32(max(1, a.N)) {
		if o.want[w+n] {
			return true
		}
	}
	return false
}
