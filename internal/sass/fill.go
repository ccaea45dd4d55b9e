package sass

import "github.com/goptxas/goptxas/internal/target"

// Who makes instructions and not texts fills the fields of a form one by
// one. Each of these methods refuses what the form has no place for.

// Field is a field of a form, by its place among what the form prints.
type Field uint8

// NoField is no field.
const NoField Field = 255

// Marks are the signs around an operand.
type Marks uint8

// Signs of an operand.
const (
	MarkMinus Marks = 1 << iota // -x
	MarkTilde                   // ~x
	MarkNot                     // !p
	MarkAbs                     // |x|
	MarkReuse                   // kept in the operand cache
	MarkZero                    // RZ, URZ, PT or UPT, whatever the number
)

func (i *Inst) item(f Field) *item { return &items[forms[i.form].item+uint32(f)] }

// setMarks sets the sign and the bars of an operand and clears those that it
// could have.
func (i *Inst) setMarks(it *item, m Marks) bool {
	sign, bar := uint64(0), uint64(0)
	switch m & (MarkMinus | MarkTilde | MarkNot) {
	case 0:
	case MarkMinus, MarkTilde, MarkNot:
		if it.neg == 0 || markOf(it)&m == 0 {
			return false
		}
		sign = 1
	default:
		return false
	}
	if m&MarkAbs != 0 {
		if bar = 1; it.abs == 0 {
			return false
		}
	}
	if it.neg != 0 {
		i.w = i.w.With(uint(it.neg), 1, sign)
	}
	if it.abs != 0 {
		i.w = i.w.With(uint(it.abs), 1, bar)
	}
	return true
}

// markOf is the sign that an operand can have.
func markOf(it *item) Marks {
	switch {
	case it.kind == kPred || it.kind == kUPred:
		return MarkNot
	case it.flags&fInv != 0:
		return MarkTilde
	}
	return MarkMinus
}

// FillReg makes register n of its file the operand of field f.
func (i *Inst) FillReg(f Field, n int64, m Marks) bool {
	it := i.item(f)
	if !i.setMarks(it, m) {
		return false
	}
	v, top := uint64(n), uint64(1)<<it.width()-1
	switch {
	case m&MarkZero != 0:
		v = top
	case v > top || it.kind <= kUPred && v == top:
		return false
	}
	if it.flags&fRev != 0 {
		v = 7 - v
	}
	if it.flags&fEcho != 0 {
		if v != top {
			v -= uint64(it.count)
		}
		if v != it.get(&i.w) {
			return false
		}
	}
	i.w = it.set(i.w, v)
	if m&MarkReuse != 0 {
		if it.reuse == 0 {
			return false
		}
		i.w = i.w.With(uint(it.reuse), 1, 1).With(109, 1, 1)
	}
	return true
}

// FillNumber makes v the integer or, for an instruction at pc, the code
// address of field f.
func (i *Inst) FillNumber(f Field, v, pc int64) bool {
	it := i.item(f)
	switch it.kind {
	case kRel:
		v -= pc + WordBytes
	case kUImm:
		if v < 0 && it.width() < 64 {
			return false
		}
	case kSImm:
	default:
		return false
	}
	w, ok := it.setImm(i.w, v)
	i.w = w
	return ok
}

// FillAddress makes v, which has no sign, the whole address of field f.
func (i *Inst) FillAddress(f Field, v int64) bool {
	it := i.item(f)
	if it.kind != kSImm {
		return i.FillNumber(f, v, 0)
	}
	if v < 0 || uint64(v)>>it.shift>>it.width() != 0 {
		return false
	}
	i.w = it.set(i.w, uint64(v)>>it.shift)
	return true
}

// FillFloat makes v the bits of the float of field f.
func (i *Inst) FillFloat(f Field, v int64) bool {
	it := i.item(f)
	switch it.kind {
	case kF32, kF64, kF16, kBF16:
	default:
		return false
	}
	w, ok := it.setImm(i.w, v)
	i.w = w
	return ok
}

// FillConst makes a byte of a constant bank the operand of field f.
func (i *Inst) FillConst(f Field, bank uint8, off int64, m Marks) bool {
	it := i.item(f)
	if it.kind != kConst || bank > 31 || !i.setMarks(it, m) {
		return false
	}
	w, ok := it.setImm(i.w.With(bankBit, 5, uint64(bank)), off)
	i.w = w
	return ok
}

// FillValue makes v the value of the enumeration or barrier of field f.
func (i *Inst) FillValue(f Field, v uint64) bool {
	it := i.item(f)
	if v>>it.width() != 0 {
		return false
	}
	i.w = it.set(i.w, v)
	return true
}

// Absent reports whether the part of i that begins at field f has its
// default and so is not there.
func (i *Inst) Absent(f Field) bool { return i.item(f).absent(&i.w) }

// Own reports whether the word of i still means its form on a, and not that
// of a form with the same fields for special values.
func (i *Inst) Own(a *target.Arch) bool {
	back := Decode(a, i.w)
	return back.form == i.form
}
