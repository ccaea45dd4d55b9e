// Package sass describes the machine: what every 128-bit instruction word
// means on every architecture from sm_75 to sm_121.
//
// One text description (the forms/*.sass files, compiled by go generate to
// static arrays) serves the encoder, the decoder, the printer, the parser
// and every question about operands, so they cannot disagree. The page
// docs/sass.md explains the description language.
package sass

import (
	"fmt"

	"github.com/goptxas/goptxas/internal/engine/bits"
	"github.com/goptxas/goptxas/internal/target"
)

// Inst is one machine instruction: a form and the values of its fields.
//
// The fields live in the instruction word itself and the form says where,
// so an Inst is a small comparable value, decoding is a table lookup, and
// bits that no field covers survive Decode and Encode untouched. The zero
// Inst is an unknown word of zeros.
type Inst struct {
	w    bits.Word
	form FormID
}

// FormID names one form: one operand shape of one operation in one
// encoding. Zero is the form of unknown words.
type FormID uint16

// Known reports whether the word of i means something.
func (i *Inst) Known() bool { return i.form != 0 }

// Op returns the operation of i, or OpUnknown.
func (i *Inst) Op() Op { return forms[i.form].op }

// Word returns the bits of i without checking them against an
// architecture.
func (i *Inst) Word() bits.Word { return i.w }

// Encode returns the instruction word of i for architecture a. It fails
// when a does not have the form of i; a value that does not fit its field
// was already refused when it was set. Unknown words encode to themselves.
func (i *Inst) Encode(a *target.Arch) (bits.Word, error) {
	if i.form != 0 && !forms[i.form].on(a) {
		return bits.Word{}, fmt.Errorf("%s: this form does not exist on %s", forms[i.form].op, a.Name)
	}
	return i.w, nil
}

// Guard is the predicate in front of an instruction.
type Guard struct {
	Pred uint8 // 0 to 6, or 7 for the always-true predicate
	Not  bool
}

// Always is the guard of an unconditional instruction. It is a constant in
// all but name, since Go has no constant structs.
var Always = Guard{Pred: 7}

// Guard returns the guard of i. Whether it names a uniform predicate is a
// property of the form: see GuardFile.
func (i *Inst) Guard() Guard {
	v := i.w.Field(guardBit, 4)
	return Guard{uint8(v & 7), v&8 != 0}
}

// SetGuard replaces the guard of i.
func (i *Inst) SetGuard(g Guard) {
	v := uint64(g.Pred & 7)
	if g.Not {
		v |= 8
	}
	i.w = i.w.With(guardBit, 4, v)
}

// guardBit is the place of the guard in every word: predicate 12..14,
// negation 15.
const guardBit = 12
