package row

import (
	"github.com/goptxas/goptxas/internal/engine/diag"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/target"
)

// Inst is one instruction with its names resolved, as the parser hands it
// to Check. The caller owns it and may use it again for the next one.
type Inst struct {
	Op      isa.Word   // opcode word, WNone when unknown
	OpText  string     // opcode as written, needed only when Op is WNone
	Mods    []isa.Word // modifiers in written order, WNone for unknown ones
	Unknown []string
	Guarded bool
	Guard   isa.Operand // predicate of @p, valid when Guarded
	Args    []isa.Operand

	// Filled by Check.
	Row    *Row  // matched operation, nil when the name is unknown
	Form   *Form // matched form, nil when none fits
	NTypes int
	Types  [6]isa.Type // types in written order
	NSpace int
	Spaces [4]isa.Space // state spaces in written order
	have   [2]uint64
	val    [isa.NumSlots]isa.Word
	second [3]isa.Word // second layout, first of two eviction priorities of the second level and of the first
	Early  Early
	chk    Checker // scratch of Check, here so that it is not allocated
}

// Has reports whether a modifier of slot s was written.
func (in *Inst) Has(s isa.Slot) bool { return in.have[s>>6]>>(s&63)&1 != 0 }

// Mod returns the word that was written for slot s, or WNone.
func (in *Inst) Mod(s isa.Slot) isa.Word {
	if !in.Has(s) {
		return isa.WNone
	}
	return in.val[s]
}

// Layouts returns the words of the two matrix layouts, .row or .col.
func (in *Inst) Layouts() (a, b isa.Word) { return in.Mod(isa.SlotLayout), in.second[0] }

// Evictions returns the words of the two eviction priorities of the second
// level as they were written; the first is WNone where one alone was.
func (in *Inst) Evictions() (a, b isa.Word) { return in.second[1], in.Mod(isa.SlotEvict2) }

// TwoEvictions reports whether there are two eviction priorities, and of which level
// of the caches both are, if it is one.
func (in *Inst) TwoEvictions() (level string, two bool) {
	switch {
	case in.priorities() < 2:
		return "", false
	case in.second[1] != isa.WNone:
		return "L2", true
	case in.second[2] != isa.WNone:
		return "L1", true
	}
	return "", true
}

// priorities counts the eviction priorities that were written, two at most.
func (in *Inst) priorities() (n int) {
	for _, w := range [...]isa.Word{in.second[1], in.second[2], in.Mod(isa.SlotEvict), in.Mod(isa.SlotEvict2)} {
		if w != isa.WNone {
			n++
		}
	}
	return n
}

// Vec returns the vector size, 1 without .v2, .v4 or .v8.
func (in *Inst) Vec() int { return in.Mod(isa.SlotVec).VecLen() }

// Space returns the first state space, Generic without one.
func (in *Inst) Space() isa.Space {
	if in.NSpace == 0 {
		return isa.Generic
	}
	return in.Spaces[0]
}

// Context is what instructions are checked against.
type Context struct {
	Version isa.Version
	SM      int            // 90 for sm_90a
	Variant target.Variant // a, f or plain
	Target  string         // as .target spells it
	Unified bool           // texmode_unified: textures carry their samplers
	Torn    bool           // both modes were asked for: each reading is a fault
	Arch    string         // what code is generated for; "" is the virtual one of the target
	ArchSM  int            // its number
	// Report receives the messages.
	Report func(sev diag.Severity, text string)
}
