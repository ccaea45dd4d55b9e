package isa

import (
	"github.com/goptxas/goptxas/internal/engine/diag"
	"github.com/goptxas/goptxas/internal/target"
)

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

// Evictions returns the words of the two eviction priorities of the second
// level as they were written; the first is WNone where one alone was.
func (in *Inst) Evictions() (a, b Word) { return in.second[1], in.Mod(SlotEvict2) }

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
