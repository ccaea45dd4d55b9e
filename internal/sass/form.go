package sass

import (
	"github.com/goptxas/goptxas/internal/engine/bits"
	"github.com/goptxas/goptxas/internal/target"
)

//go:generate go run ./_gen

// Op is an operation: the fixed part of the mnemonic, such as FADD or
// IMAD.WIDE.
type Op uint16

// String returns the mnemonic of o.
func (o Op) String() string {
	if int(o) < len(opNames) {
		return opNames[o]
	}
	return ""
}

// FindOp returns the operation with the given mnemonic, or OpUnknown.
func FindOp(name string) Op {
	lo, hi := 1, len(opNames)
	for lo < hi {
		mid := (lo + hi) / 2
		if opNames[mid] < name {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < len(opNames) && opNames[lo] == name {
		return Op(lo)
	}
	return OpUnknown
}

// Mod names a modifier field, such as the rounding of FADD.
type Mod uint16

// String returns the name of m as the description spells it.
func (m Mod) String() string { return modNames[m] }

// Value is the value of a modifier: the text it prints, which means the
// same on every architecture even where the bits differ.
type Value uint16

// String returns the text of v.
func (v Value) String() string { return texts[v] }

// opRow is what all forms of an operation share.
type opRow struct {
	bars    uint64 // barrier fields that it can set
	class   target.Class
	refine  uint8 // modifiers that bring another class
	nrefine uint8
}

// refine is the class that a modifier brings.
type refine struct {
	mod   string // without its dot
	class target.Class
}

// form is one operand shape of one operation in one encoding. The slices
// item, arg and mod index the static arrays of the same names.
type form struct {
	mask, match bits.Word // which bits are fixed, and to what
	def         bits.Word // the word with every optional part absent
	item        uint32
	arg         uint32
	mod         uint32
	op          Op
	sms         uint16 // bit n: column n of smColumns has the form
	nitem       uint8
	narg        uint8
	nmod        uint8
	uguard      bool // the guard is a uniform predicate
	pow2        bool // bits 32 to 63 hold a power of two from 2 to 2^30, not 2^16
}

// on reports whether the form exists on a chip. Variants of one chip share
// their encoding.
func (f *form) on(a *target.Arch) bool { return f.sms>>a.Column&1 != 0 }

// kind says what an item of a form prints and parses.
type kind uint8

const (
	kLit    kind = iota // fixed text
	kMod                // one text of an enumeration
	kReg                // R0 to R254, RZ
	kUReg               // UR0 …, URZ
	kPred               // P0 to P6, PT
	kUPred              // UP0 to UP6, UPT
	kBar                // B0 to B15
	kSB                 // SB0 to SB7
	kUImm               // unsigned, hexadecimal
	kSImm               // signed, hexadecimal
	kF32                // float
	kF64                // upper half of a double
	kF16                // half float
	kBF16               // bfloat
	kRel                // code address, relative to the next instruction
	kConst              // c[bank][offset]
	kClose              // closing bar of an absolute constant
	kOpt                // the next count items, unless the field has its default
	kSum                // the next count items are terms joined by +
	kTerm               // the next count items are one term
	kOpen               // sign and opening bar of a bindless constant
	kHidden             // a uniform register that the text does not show
)

// Flags of an item.
const (
	fInv   = 1 << iota // negation is bitwise, printed ~
	fRev               // predicate number stored as 7 minus itself
	fOpt               // term printed only when not zero
	fWrite             // destination
	fSpace             // constant printed with a space between its brackets
	fOpen              // the closing bar of |x| is an item of its own
	fAddr              // sum: a lone immediate prints unsigned
	fEcho              // repeats another operand's register, count further on
)

// item is one step of printing a form. A field may lie in two pieces: n
// bits at lo and, above them, n2 bits at lo2.
type item struct {
	kind  kind
	flags uint8
	lo, n uint8
	lo2   uint8
	n2    uint8
	neg   uint8 // bit of the sign, 0 for none
	abs   uint8 // bit of the absolute value, 0 for none
	shift uint8 // the value counts units of 1<<shift
	count uint8
	reuse uint8  // bit of the operand cache flag, 0 for none
	aux   uint16 // text or enumeration
	def   uint16 // value of an absent optional part
}

func (it *item) get(w *bits.Word) uint64 {
	v := w.Field(uint(it.lo), uint(it.n))
	if it.n2 != 0 {
		v |= w.Field(uint(it.lo2), uint(it.n2)) << it.n
	}
	return v
}

func (it *item) set(w bits.Word, v uint64) bits.Word {
	w = w.With(uint(it.lo), uint(it.n), v)
	if it.n2 != 0 {
		w = w.With(uint(it.lo2), uint(it.n2), v>>it.n)
	}
	return w
}

func (it *item) width() uint { return uint(it.n) + uint(it.n2) }

// absent reports whether an optional group or term has its default value.
// A predicate's negation counts as its top bit.
func (it *item) absent(w *bits.Word) bool {
	v := it.get(w)
	if it.neg != 0 {
		v |= w.Field(uint(it.neg), 1) << it.width()
	}
	return v == uint64(it.def)
}

// argInfo says which item an operand is and how it is used.
type argInfo struct {
	item  uint8
	width uint8 // registers
	wmod  uint8 // item of the modifier that gives the width, or wNone …
	wcol  uint8 // which of its widths
	role  Role
	file  File
	addr  bool
}

// Special values of argInfo.wmod. A texture fetch writes the components its
// mask names: two to its second destination, then two to its first, and
// half as many registers when they are half floats. Its coordinates are as
// many as the dimension says (width is the item), two at most in .SCR mode,
// where the others lie in the next operand.
const (
	wNone  = 255
	wLow   = 254
	wHigh  = 253
	wCoord = 252
)

type modRef struct {
	mod  Mod
	item uint8
}

// enumInfo is a run of values; whole means that there is a power of two of
// them and no hole.
type enumInfo struct {
	start uint16
	n     uint16
	whole bool
}

type enumValue struct {
	text  Value
	width [3]uint8
}

// hole marks a value that no instruction uses.
const hole Value = 0xffff

func (it *item) value(w *bits.Word) (enumValue, bool) {
	e := &enums[it.aux]
	v := it.get(w)
	if v >= uint64(e.n) {
		return enumValue{}, false
	}
	x := values[uint64(e.start)+v]
	return x, x.text != hole
}
