package control

import (
	"github.com/goptxas/goptxas/internal/engine/pool"
	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// Unguard lets guarded instructions leave nothing where nobody looks at what
// they leave: who reads their results has the same guard, or one that holds only
// where that does. A register that producers load in every turn of a loop under a
// guard would else carry what it held from turn to turn. Computations that leave
// nothing lose their guard.
//
//	b1: r0 = PHI 0x1                        b1:
//	    @p LDG.E r1 = … else r0                 @p LDG.E r1 = … else _
//	    @p FADD r2 = r1, 1 else r3              FADD r2 = r1, 1
//	    ISETP.LT.AND q = r2, 0x5, p             ISETP.LT.AND q = r2, 0x5, p
//	    PHISRC b1, 0x1, r1
//
// It works on SSA form.
func Unguard(f *ori.Func) bool {
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
		some := false
		for k := range i.Old {
			if i.Old[k].Kind == ori.KReg && !o.v.IsVariable(i.Args[k]) && !o.leaves(i, &i.Args[k]) && f.Should("old", i) {
				o.v.CountRead(&i.Old[k], -1)
				i.Old[k] = ori.Operand{}
				changed = true
			}
			some = some || i.Old[k].Kind == ori.KReg
		}
		if !some && computes(i) && f.Should("unguard", i) {
			o.v.Count(i, -1)
			i.Guard, i.Old = ori.Operand{}, nil
			o.v.Count(i, 1)
			changed = true
		}
	}
	if f.Touched(changed) {
		o.v.Keep()
	}
	return changed
}

// computes reports whether i does nothing that its guard could be there for.
func computes(i *ori.Instr) bool {
	guard := i.Guard
	i.Guard = ori.Operand{}
	pure := opt.IsPure(i) && !i.Op.LoadsConstant()
	i.Guard = guard
	return pure
}

type oldValues struct {
	f       *ori.Func
	v       *opt.Values
	guarded []*ori.Instr  // those with results
	phis    []*ori.Instr  // by key
	open    []bool        // by word: it is what a guarded instruction or a PHI makes
	want    []ori.Operand // by word: the predicate under which somebody wants it; none: nobody does
	work    []int32
	from    map[int32][]int32 // the words whose being wanted makes others wanted
}

// always is a predicate that always holds.
var always = ori.Zero(ori.P)

// find lists the guarded instructions with results, and the words that
// may be wanted only where guards hold.
func (o *oldValues) find() bool {
	o.open = pool.Make[bool](o.f.Scratch(), len(o.v.Words))
	o.phis = make([]*ori.Instr, o.f.NumPhis())
	for _, b := range o.f.Blocks {
		for i := b.First(); i != nil; i = i.Next() {
			leaves := len(i.Old) > 0
			if leaves {
				o.guarded = append(o.guarded, i)
			}
			if i.Op == op.PHI {
				o.phis[i.Args[1].Imm] = i
			}
			if leaves || i.Op == op.PHI || o.carries(i) {
				o.each(i.Dsts(), func(w int32) { o.open[w] = true })
			}
		}
	}
	return len(o.guarded) > 0
}

// carries reports whether i only carries a value on: who wants what it makes wants
// that, and unrolling leaves such copies that nobody reads.
func (o *oldValues) carries(i *ori.Instr) bool {
	if i.Op != op.COPY || i.Guard.Kind != ori.KNone || len(i.Args) != 2 {
		return false
	}
	d, s := &i.Args[0], &i.Args[1]
	return d.Kind == ori.KReg && s.Kind == ori.KReg && s.Flags == 0 && d.N == s.N && !o.v.IsVariable(*d) && !o.v.IsVariable(*s)
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

// wanted marks the words that somebody reads. Who wants what a guarded
// instruction makes wants what it leaves too, unless its guard holds then.
func (o *oldValues) wanted() {
	o.want, o.from = pool.Make[ori.Operand](o.f.Scratch(), len(o.v.Words)), map[int32][]int32{}
	for _, b := range o.f.Blocks {
		for i := b.First(); i != nil; i = i.Next() {
			o.read(i)
		}
	}
	for len(o.work) > 0 {
		w := o.work[len(o.work)-1]
		o.work = o.work[:len(o.work)-1]
		d, under := o.v.Words[w].Def, o.want[w]
		if d.Op == op.PHI {
			under = always // what was so in another block may not be so in this one
		} else if d.Guard.Kind == ori.KReg && o.implies(under, d.Guard, opt.MaxChain) {
			continue
		}
		for _, x := range o.from[w] {
			o.mark(x, o.leftUnder(d, x, under))
		}
	}
}

// leftUnder returns a predicate under which word x is wanted, which d leaves
// where its guard does not hold, if what d makes is wanted under another.
func (o *oldValues) leftUnder(d *ori.Instr, x int32, under ori.Operand) ori.Operand {
	if d.Guard.Kind != ori.KReg { // a PHI, or a copy
		return under
	}
	not := d.Guard.Not()
	if e := o.v.Words[x].Def; under == always || e != nil && e.Guard.Kind == ori.KReg && o.implies(not, e.Guard, opt.MaxChain) {
		return not
	}
	return under
}

// mark notes that a word is wanted under a predicate.
func (o *oldValues) mark(w int32, under ori.Operand) {
	was := o.want[w]
	switch {
	case !o.open[w] || was == always || was == under || was.Kind != ori.KNone && o.implies(under, was, opt.MaxChain):
		return
	case was.Kind != ori.KNone && !o.implies(was, under, opt.MaxChain):
		under = always
	}
	o.want[w] = under
	o.work = append(o.work, w)
}

// read notes what i reads.
func (o *oldValues) read(i *ori.Instr) {
	if i.Op == op.PHISRC {
		if phi := o.phis[i.Args[1].Imm]; phi != nil && i.Args[2].Kind == ori.KReg {
			o.passes(&i.Args[2], &phi.Args[0])
		}
		return
	}
	if o.carries(i) {
		o.passes(&i.Args[1], &i.Args[0])
		return
	}
	for k := int(i.NDst); k < len(i.Args); k++ {
		if a := &i.Args[k]; a.HasReg() {
			o.each(i.Args[k:k+1], func(w int32) { o.mark(w, o.under(i, k, w)) })
		}
	}
	if i.Guard.HasReg() {
		o.each([]ori.Operand{i.Guard}, func(w int32) { o.mark(w, always) })
	}
	for k := range i.Old {
		if i.Old[k].Kind == ori.KReg {
			o.passes(&i.Old[k], &i.Args[k])
		}
	}
}

// under returns a predicate without which source k of i, of which w is a word,
// says nothing.
func (o *oldValues) under(i *ori.Instr, k int, w int32) ori.Operand {
	last := len(i.Args) - 1
	tests := isAndTest(i) && k != last && i.Args[last].Kind == ori.KReg
	d := o.v.Words[w].Def
	switch {
	case tests && d != nil && d.Guard.Kind == ori.KReg && o.implies(i.Args[last], d.Guard, opt.MaxChain):
		return i.Args[last]
	case i.Guard.Kind == ori.KReg:
		return i.Guard
	case tests:
		return i.Args[last]
	}
	return always
}

// passes notes that words a are wanted if words d are.
func (o *oldValues) passes(a, d *ori.Operand) {
	x, y := o.v.Word(a), o.v.Word(d)
	for n := range int32(max(1, a.N)) {
		if !o.open[y+n] {
			o.mark(x+n, always)
		} else if o.open[x+n] {
			o.from[y+n] = append(o.from[y+n], x+n)
		}
	}
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

// leaves reports whether somebody may look at what i leaves for result a.
func (o *oldValues) leaves(i *ori.Instr, a *ori.Operand) bool {
	w := o.v.Word(a)
	for n := w; n < w+int32(max(1, a.N)); n++ {
		if under := o.want[n]; under.Kind != ori.KNone && !o.implies(under, i.Guard, opt.MaxChain) {
			return true
		}
	}
	return false
}

// isAndTest reports whether j compares and has one result, which holds only if
// its last source does.
func isAndTest(j *ori.Instr) bool {
	switch j.Op {
	case op.ISETP, op.FSETP, op.DSETP:
		return j.NDst == 1 && j.Args[0].Kind == ori.KReg && j.Mods.Has(op.MAND) && !j.Mods.Has(op.MEX) && len(j.Srcs()) == 3
	}
	return false
}
