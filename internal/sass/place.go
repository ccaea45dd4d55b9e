package sass

import (
	"strings"

	"github.com/goptxas/goptxas/internal/target"
)

// Code is made of few shapes of instructions: the same operation, modifiers
// and kinds of operands come again with other registers and numbers. Who
// assembles many of them reads the first of each shape from its text,
// together with the fields that its operands went to, and puts the operands
// of the others straight into these fields.

// Place is a field that a part of a text was read into.
type Place struct {
	Left int32 // bytes from the start of that part to the end of the text
	item uint16
	lone bool // a number that is a whole address
}

// ParsePlaces is Parse for a text that is spaced as AppendText does it. It
// adds the fields that registers, numbers and constants were read into to
// places, in the order of the text; none if the text was spaced otherwise.
// The guard has no place.
func ParsePlaces(a *target.Arch, text string, pc uint64, places []Place) (Inst, []Place, error) {
	guard, s, err := parseGuard(text)
	if err != nil {
		return Inst{}, places, err
	}
	m := matcher{a: a, pc: pc, keep: true, places: places[:0]}
	i, err := m.parse(text, s, guard)
	return i, m.places, err
}

// note remembers that an item was read where s starts.
func (m *matcher) note(it *item, s string, lone bool) {
	if !m.keep {
		return
	}
	for n := range m.f.nitem {
		if &items[m.f.item+uint32(n)] == it {
			m.places = append(m.places, Place{int32(len(s)), uint16(n), lone})
			return
		}
	}
}

// IsFloat reports whether the place of i holds a float.
func (p Place) IsFloat(i *Inst) bool {
	switch items[forms[i.form].item+uint32(p.item)].kind {
	case kF32, kF64, kF16, kBF16:
		return true
	}
	return false
}

// Put makes a field of i what its text would make it: the number of a
// register, an immediate, the offset of a constant or the bits of a float. It
// returns false where no such text would be read into this field.
func (i *Inst) Put(p Place, v int64) bool {
	it := &items[forms[i.form].item+uint32(p.item)]
	switch it.kind {
	case kReg, kUReg, kPred, kUPred, kBar, kSB:
		return i.putRegister(it, uint64(v))
	case kUImm, kSImm:
		if p.lone {
			if v < 0 || uint64(v)>>it.shift>>it.width() != 0 {
				return false
			}
			i.w = it.set(i.w, uint64(v)>>it.shift)
			return true
		}
		if it.kind == kUImm && v < 0 && it.width() < 64 {
			return false
		}
	case kConst, kF32, kF64, kF16, kBF16:
	default:
		return false
	}
	w, ok := it.setImm(i.w, v)
	i.w = w
	return ok
}

func (i *Inst) putRegister(it *item, v uint64) bool {
	top := uint64(1)<<it.width() - 1
	if v > top || it.kind <= kUPred && v == top {
		return false
	}
	if it.flags&fRev != 0 {
		v = 7 - v
	}
	if it.flags&fEcho != 0 {
		if v -= uint64(it.count); v != it.get(&i.w) {
			return false
		}
	}
	i.w = it.set(i.w, v)
	return true
}

// Own reports whether the word of i still means its form on a, and not that
// of a form with the same fields for special values.
func (i *Inst) Own(a *target.Arch) bool {
	back := Decode(a, i.w)
	return back.form == i.form
}

// HasEchoes reports whether a form of the operation of i, or of one whose
// name is a part of its name, repeats registers: which form a text means
// depends there on its registers.
func (i *Inst) HasEchoes() bool {
	name, _, _ := strings.Cut(i.Op().String(), ".")
	for op := FindOp(name); int(op) < len(opNames) && strings.HasPrefix(opNames[op], name); op++ {
		for id := opForms[op]; id < opForms[op+1]; id++ {
			f := &forms[id]
			for _, it := range items[f.item : f.item+uint32(f.nitem)] {
				if it.flags&fEcho != 0 {
					return true
				}
			}
		}
	}
	return false
}
