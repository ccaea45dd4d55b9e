package emit

import (
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/sass"
)

// The tables of bridge_gen.go are made from the description of the machine:
// for every operation of Ori the forms that it can become, the modifiers
// that each asks for, and the fields that its operands go to. No text lies
// between: an instruction becomes a list of units, and the first form whose
// modifiers and slots take it is the one.

// family is an operation: its groups of shapes, n from first on.
type family struct{ first, n uint16 }

// group are shapes of an operation that all begin with a modifier, or with
// any.
type group struct {
	mod   op.Mod
	first uint16
	n     uint16
}

// shape is one form as Ori's instructions fill it.
type shape struct {
	sig     uint64 // the kinds of its slots, four bits each
	form    sass.FormID
	chips   uint16 // bit n: column n of the architectures has it
	step    uint16 // of the mnemonic
	slot    uint16
	nstep   uint8
	nslot   uint8
	fixed   bool // no slot may stay empty
	uniform bool // its guard is a uniform predicate
}

// step is a part of a mnemonic: a modifier, or a field with values that stand
// for modifiers.
type step struct {
	mod    op.Mod
	choice uint16
	n      uint8
	field  sass.Field
}

// choice is a value of a field in a mnemonic; those of one field are in the
// order in which they are tried, more modifiers first.
type choice struct {
	value uint16
	n     uint8
	def   bool // the field holds it anyway
	mods  [4]op.Mod
}

// slotKind is the kind of an operand; the generator has the same numbers.
type slotKind uint8

const (
	slotR slotKind = iota + 1
	slotU
	slotP
	slotUP
	slotB
	slotNumber  // an integer, a code address or what the linker fills in
	slotFloat   // the bits of one
	slotConst   // constant bank
	slotAddr    // address
	slotGlobal  // address with a descriptor before it
	slotDesc    // descriptor alone
	slotGdesc   // descriptors of matrices
	slotTmem    // tensor memory
	slotSpecial // special register, or another word
)

// Facts about a slot.
const (
	slotImplied    = 1 << iota // Ori may leave the operand out: it is true
	slotImpliedNot             // or false
	slotWrite                  // a result
	slotReuse                  // has a bit for the operand cache
	slotValue                  // the number of a register is the value of an enumeration
	slotZero                   // the number is always zero and has no field
	slotAbsent                 // the word may be missing
	slotNeedsBase              // the parts of an address that must be there
	slotNeedsUniform
	slotNeedsOffset
)

// slot is one operand of a shape and the fields it goes to.
type slot struct {
	kind    slotKind
	flags   uint16
	field   sass.Field // register, number or the base of an address
	uni     sass.Field // uniform part of an address
	off     sass.Field // its offset
	desc    sass.Field // its descriptor, or the bank of a constant
	opt     sass.Field // the part of the form that is absent without it
	marks   mark       // that must stand behind it
	suffix  uint16     // fields behind it
	nsuffix uint8
	nname   uint8
	name    uint16 // words that it can be
}

// mark is a set of what can stand behind an operand.
type mark uint32

// suffix is a value of a field behind an operand: it stands for marks, of all
// that the field can stand for.
type suffix struct {
	field      sass.Field
	value      uint8
	marks, all mark
}

// special is a word that an operand can be and the value that names it.
type special struct {
	word  op.Special
	value uint16
}
