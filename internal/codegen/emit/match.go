package emit

import (
	"fmt"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/sass"
	"github.com/goptxas/goptxas/internal/target"
)

// noForm is the error of an instruction that no form of an architecture
// takes. Most who meet it only ask whether there is a form.
type noForm struct{ a *target.Arch }

func (e *noForm) Error() string {
	return fmt.Sprintf("no form on %s has these operands and modifiers", e.a.Name)
}

// disguises are the modifiers of a multiply-add whose operands make it a
// move, an addition or a shift: the machine has forms of their own for
// these words.
var disguises = [...]op.Mods{
	{},
	{op.MMOV, op.MU32},
	{op.MIADD},
	{op.MSHL, op.MU32},
	{op.MU32},
	{op.MMOV},
	{op.MIADD, op.MU32},
	{op.MSHL},
}

// assemble finds the machine instruction of i. Whether a word is signed
// depends on the operation, so both are tried, and for multiply-adds every
// disguise.
func (e *emitter) assemble(i *ori.Instr) (x sass.Inst, err error) {
	i = legacyForm(e.a, i)
	if err := e.collect(i); err != nil {
		return x, err
	}
	e.sign()
	own := &i.Mods
	if i.Op.Space() == op.SpaceShared && i.Mods.Has(op.MVOLATILE) { // the machine keeps the order of all of them
		m := i.Mods.Without(op.MVOLATILE)
		own = &m
	}
	names := disguises[:1]
	if (i.Op == op.IMAD || i.Op == op.UIMAD) && i.Mods == (op.Mods{}) {
		names = disguises[:]
	}
	for n := range names {
		mods := &names[n]
		if n == 0 {
			mods = own
		}
		if e.find(&x, i, mods) {
			return x, nil
		}
		if !e.negative {
			continue
		}
		e.flip()
		ok := e.find(&x, i, mods)
		e.flip()
		if ok {
			return x, nil
		}
	}
	return x, &noForm{e.a}
}

// sign packs the kinds of the units.
func (e *emitter) sign() {
	e.sig = 0
	for n := range e.units[:min(e.n, 16)] {
		e.sig |= uint64(e.units[n].kind) << (4 * n)
	}
}

// flip makes integers below zero the same bits without a sign, and back.
func (e *emitter) flip() {
	for n := range e.units[:e.n] {
		if u := &e.units[n]; u.kind == slotNumber {
			u.num, u.off = u.off, u.num
		}
	}
}

// find tries the shapes of an operation.
func (e *emitter) find(x *sass.Inst, i *ori.Instr, mods *op.Mods) bool {
	if int(i.Op) >= len(families) {
		return false
	}
	l := &families[i.Op]
	for _, g := range groups[l.first : l.first+l.n] {
		if g.mod != op.NoMod && g.mod != mods[0] {
			continue
		}
		for n := range g.n {
			if s := &shapes[g.first+n]; e.looksLike(s) && e.try(x, s, i, mods) {
				return true
			}
		}
	}
	return false
}

// looksLike reports whether the kinds of the operands are those of shape s, as far as that
// is soon told: most shapes are others.
func (e *emitter) looksLike(s *shape) bool {
	if s.fixed {
		return s.sig == e.sig && int(s.nslot) == e.n && s.chips>>e.a.Column&1 != 0
	}
	return int(s.nslot) >= e.n && s.chips>>e.a.Column&1 != 0
}

// try makes x an instruction of shape s, if it takes i.
func (e *emitter) try(x *sass.Inst, s *shape, i *ori.Instr, mods *op.Mods) bool {
	guard := sass.Always
	if i.Guard.Kind != ori.KNone {
		if (i.Guard.Class == ori.UP) != s.uniform {
			return false
		}
		guard.Not = i.Guard.Flags&ori.Inv != 0
		if i.Guard.Kind == ori.KReg {
			guard.Pred = uint8(e.number(i.Guard))
		}
	}
	*x = sass.New(s.form)
	if !words(x, steps[s.step:s.step+uint16(s.nstep)], mods[:]) {
		return false
	}
	if !e.take(x, slots[s.slot:s.slot+uint16(s.nslot)], e.units[:e.n]) {
		return false
	}
	x.SetGuard(guard)
	return x.Own(e.a)
}

// words sets the fields of a mnemonic to what the modifiers say. All of them
// must be taken.
func words(x *sass.Inst, l []step, mods []op.Mod) bool {
	for n := range l {
		s := &l[n]
		if s.n == 0 {
			if len(mods) == 0 || mods[0] != s.mod {
				return false
			}
			mods = mods[1:]
			continue
		}
		list := choices[s.choice : s.choice+uint16(s.n)]
		if len(mods) > 0 && mods[0] != op.NoMod {
			for k := range list {
				c := &list[k]
				if c.n == 0 || !c.begins(mods) {
					continue
				}
				before := *x
				x.FillValue(s.field, uint64(c.value))
				if words(x, l[n+1:], mods[c.n:]) {
					return true
				}
				*x = before
			}
		}
		c := &list[len(list)-1] // what it is without a modifier
		if c.n != 0 {
			return false
		}
		if !c.def {
			x.FillValue(s.field, uint64(c.value))
		}
	}
	return len(mods) == 0 || mods[0] == op.NoMod
}

// begins reports whether the modifiers begin with those of c.
func (c *choice) begins(mods []op.Mod) bool {
	if int(c.n) > len(mods) {
		return false
	}
	for n := range c.n {
		if c.mods[n] != mods[n] {
			return false
		}
	}
	return true
}

// take puts the units into the slots, in order; some slots may stay empty.
func (e *emitter) take(x *sass.Inst, l []slot, units []unit) bool {
	for len(l) > 0 {
		s := &l[0]
		l = l[1:]
		if s.opt == sass.NoField && s.flags&(slotImplied|slotAbsent) == 0 {
			if len(units) == 0 || !e.fill(x, s, &units[0]) {
				return false
			}
			units = units[1:]
			continue
		}
		if len(units) > 0 && s.takes(&units[0]) {
			before := *x
			if e.fill(x, s, &units[0]) && (s.opt == sass.NoField || !x.Absent(s.opt)) && e.take(x, l, units[1:]) {
				return true
			}
			*x = before
		}
		if s.flags&slotImplied != 0 {
			m := sass.MarkZero
			if s.flags&slotImpliedNot != 0 {
				m |= sass.MarkNot
			}
			x.FillReg(s.field, 0, m)
		}
	}
	return len(units) == 0
}

// takes reports whether an operand may stand in a slot that may stay empty:
// what Ori leaves out is a result or a source as the others of the unit.
func (s *slot) takes(u *unit) bool {
	return s.kind == u.kind && (s.flags&slotImplied == 0 || u.result == (s.flags&slotWrite != 0))
}

// fill puts a unit into a slot.
func (e *emitter) fill(x *sass.Inst, s *slot, u *unit) bool {
	if s.kind != u.kind {
		return false
	}
	marks := u.marks
	switch s.kind {
	case slotR, slotU, slotP, slotUP, slotB:
		if s.flags&slotValue != 0 {
			return u.signs == 0 && x.FillValue(s.field, uint64(u.num))
		}
		signs := u.signs
		if signs&sass.MarkReuse != 0 && s.flags&slotReuse == 0 {
			signs &^= sass.MarkReuse
			marks |= markReuse
		}
		if !x.FillReg(s.field, u.num, signs) {
			return false
		}
	case slotNumber:
		if s.flags&slotZero != 0 {
			return u.num == 0
		}
		return x.FillNumber(s.field, u.num, e.pc())
	case slotFloat:
		return x.FillFloat(s.field, u.num)
	case slotSpecial:
		return s.special(x, op.Special(u.num))
	case slotConst:
		if s.desc == sass.NoField {
			if u.base != noPart || u.uni != noPart || !x.FillConst(s.field, u.bank, u.num, u.signs) {
				return false
			}
			break
		}
		if u.signs != 0 || !x.FillNumber(s.desc, int64(u.bank), 0) || !s.indexed(x, u) {
			return false
		}
	case slotDesc:
		return x.FillReg(s.desc, int64(u.desc), 0)
	case slotGlobal:
		if !x.FillReg(s.desc, int64(u.desc), 0) || !s.address(x, u) {
			return false
		}
	default:
		if !s.address(x, u) {
			return false
		}
	}
	return s.suffixes(x, marks)
}

// special sets the field of a word.
func (s *slot) special(x *sass.Inst, w op.Special) bool {
	for _, n := range specials[s.name : s.name+uint16(s.nname)] {
		if n.word == w {
			return s.field == sass.NoField || x.FillValue(s.field, uint64(n.value))
		}
	}
	return false
}

// parts sets the registers of an address.
func (s *slot) parts(x *sass.Inst, u *unit) bool {
	if u.base != noPart {
		if s.field == sass.NoField || !x.FillReg(s.field, int64(u.base), 0) {
			return false
		}
	} else if s.flags&slotNeedsBase != 0 {
		return false
	}
	switch {
	case u.uni == noPart:
		return s.flags&slotNeedsUniform == 0
	case s.uni == sass.NoField:
		return false
	case u.uni == zeroPart:
		return x.FillReg(s.uni, 0, sass.MarkZero)
	}
	return x.FillReg(s.uni, int64(u.uni), 0)
}

// indexed sets the place in a constant bank. Its start has a form of its own
// where the register is not optional: that form has no offset.
func (s *slot) indexed(x *sass.Inst, u *unit) bool {
	if s.off != sass.NoField {
		return s.parts(x, u) && x.FillNumber(s.off, u.num, 0)
	}
	if u.num != 0 {
		return false
	}
	if u.base == noPart && u.uni == noPart {
		return x.FillReg(s.uni, 0, sass.MarkZero)
	}
	return s.parts(x, u)
}

// address sets the registers and the offset of an address. An offset that is
// the whole address has no sign.
func (s *slot) address(x *sass.Inst, u *unit) bool {
	if u.signs != 0 || !s.parts(x, u) {
		return false
	}
	alone := u.base == noPart && u.uni == noPart
	if s.off == sass.NoField {
		return u.off == 0 && !alone
	}
	if alone {
		return x.FillAddress(s.off, u.off)
	}
	if u.off == 0 {
		return s.flags&slotNeedsOffset == 0
	}
	return x.FillNumber(s.off, u.off, 0)
}

// suffixes sets the fields behind an operand to what its marks say. All of
// them must be taken.
func (s *slot) suffixes(x *sass.Inst, marks mark) bool {
	if marks&s.marks != s.marks {
		return false
	}
	marks &^= s.marks
	l := suffixes[s.suffix : s.suffix+uint16(s.nsuffix)]
	for len(l) > 0 {
		f, all, found := l[0].field, l[0].all, false
		for len(l) > 0 && l[0].field == f {
			if !found && l[0].marks == marks&all {
				found = x.FillValue(f, uint64(l[0].value))
			}
			l = l[1:]
		}
		if !found {
			return false
		}
		marks &^= all
	}
	return marks == 0
}
