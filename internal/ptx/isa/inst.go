package isa

import (
	"github.com/goptxas/goptxas/internal/engine/diag"
	"github.com/goptxas/goptxas/internal/target"
)

// Kind says what an operand is.
type Kind uint8

// The operand kinds.
const (
	KBad     Kind = iota // unknown symbol or otherwise unusable
	KReg                 // register variable
	KInt                 // integer constant
	KDouble              // decimal or 0d floating constant
	KSingle              // 0f floating constant: 32 raw bits
	KSpecial             // special register
	KSymbol              // address of a variable, var+expr or var[i]
	KAddr                // [base+offset], possibly with coordinates
	KVector              // {a, b, …}
	KLabel               // label
	KFunc                // function
	KTable               // .branchtargets, .calltargets or .callprototype label
	KSink                // _
)

// Operand is one operand of an Inst.
type Operand struct {
	Kind Kind
	// Base is what stands before the offset of an address: KReg, KSymbol,
	// KInt for an absolute address, KBad when unresolved.
	Base Kind
	// Type is that of the register, of the variable behind a symbol or an
	// address, or of a special register.
	Type Type
	// Own is the type of a register in a vector by itself, where Type is that
	// of all of them.
	Own Type
	// Space is that of the variable behind a symbol or an address; Generic
	// for addresses in registers.
	Space Space
	// Neg and Not are a minus or a bang before the operand.
	Neg, Not bool
	// Sel holds a suffix that is no component of a special register, such as
	// b0 or h10, without its dot.
	Sel string
	// Pair is the kind after the bar of d|p, KBad when there is no bar;
	// PairType is the type of that register.
	HasPair  bool
	Pair     Kind
	PairType Type
	// Special is the register when Kind is KSpecial; Comp tells that a
	// component of it was named.
	Special SpecialReg
	Comp    bool
	// Name is spelled in messages about addresses.
	Name string
	// Value is an integer constant, the bits of a float64 (KDouble) or float32
	// (KSingle), or the offset of an address.
	Value int64
	// Elems are the elements of a vector, or what follows the base inside
	// the brackets of an address: a second handle, coordinates.
	Elems []Operand
}

// IsConst reports whether the operand is a constant.
func (o *Operand) IsConst() bool { return o.Kind == KInt || o.Kind == KDouble || o.Kind == KSingle }

// Inst is one instruction with its names resolved, as the parser hands it
// to Check. The caller owns it and may use it again for the next one.
type Inst struct {
	Op      Word   // opcode word, WNone when unknown
	OpText  string // opcode as written, needed only when Op is WNone
	Mods    []Word // modifiers in written order, WNone for unknown ones
	Unknown []string
	Guarded bool
	Guard   Operand // predicate of @p, valid when Guarded
	Args    []Operand

	// Filled by Check.
	Row    *Row  // matched operation, nil when the name is unknown
	Form   *Form // matched form, nil when none fits
	NTypes int
	Types  [6]Type // types in written order
	NSpace int
	Spaces [4]Space // state spaces in written order
	have   [2]uint64
	val    [NumSlots]Word
	second [2]Word // second layout, second rounding
	early  Early
	chk    checker // scratch of Check, here so that it is not allocated
}

// Has reports whether a modifier of slot s was written.
func (in *Inst) Has(s Slot) bool { return in.have[s>>6]>>(s&63)&1 != 0 }

// Mod returns the word that was written for slot s, or WNone.
func (in *Inst) Mod(s Slot) Word {
	if !in.Has(s) {
		return WNone
	}
	return in.val[s]
}

// Layouts returns the words of the two matrix layouts, .row or .col.
func (in *Inst) Layouts() (a, b Word) { return in.Mod(SlotLayout), in.second[0] }

// Vec returns the vector size, 1 without .v2, .v4 or .v8.
func (in *Inst) Vec() int {
	switch in.Mod(SlotVec) {
	case WV2:
		return 2
	case WV4:
		return 4
	case WV8:
		return 8
	}
	return 1
}

// Space returns the first state space, Generic without one.
func (in *Inst) Space() Space {
	if in.NSpace == 0 {
		return Generic
	}
	return in.Spaces[0]
}

// Context is what instructions are checked against.
type Context struct {
	Version Version
	SM      int            // 90 for sm_90a
	Variant target.Variant // a, f or plain
	Target  string         // as .target spells it
	Unified bool           // texmode_unified: textures carry their samplers
	Arch    string         // what code is generated for; "" is the virtual one of the target
	ArchSM  int            // its number
	// Report receives the messages.
	Report func(sev diag.Severity, text string)
}
