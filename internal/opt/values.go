// Package opt improves Ori functions without knowing more about the machine
// than its operations mean. One phase is one file; each keeps the function
// well formed and changes nothing a program can see.
//
// This package has what phases ask about values, and the phases that rewrite
// one expression at a time; the packages below it stand on it and do not know
// each other.
//
// Between SSA and LeaveSSA a word of a general register or a predicate is one
// value: it has one definition, which dominates its uses. Remote registers
// may be written anywhere, but nearly all are written once: PTX producers
// number their values. Phases reason about words that have one unguarded
// write, which dominates all reads; such a word always holds the same value
// where it may be read, so it can be replaced by what it was made from.
package opt

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// Values are what a phase asks about words, with what it concludes from it.
type Values struct{ *flow.Values }

// ValuesOf returns the values of f as they are now.
func ValuesOf(f *ori.Func) *Values { return &Values{flow.ValuesOf(f)} }

// WordOf returns the number of the first word an operand names.
func (v *Values) WordOf(a ori.Operand) int32 { return v.Word(&a) }

// Change gives i a new operation and sources.
func (v *Values) Change(i *ori.Instr, o op.Op, m op.Mods, srcs ...ori.Operand) {
	v.Count(i, -1)
	i.Op, i.Mods = o, m
	v.Func.SetArgs(i, append([]ori.Operand(nil), i.Dsts()...), srcs)
	v.Count(i, 1)
}

// IsPure reports whether i does nothing but compute its results from its
// sources, the same each time.
func IsPure(i *ori.Instr) bool { return i.Guard.Kind == ori.KNone && computes(i) }

// IsUpdate reports whether i computes its results where its guard holds, and
// elsewhere says what they are instead.
func IsUpdate(i *ori.Instr) bool {
	return i.Guard.Kind == ori.KReg && len(i.Old) == int(i.NDst) && computes(i)
}

// computes reports whether i does nothing where it is done but compute its
// results.
func computes(i *ori.Instr) bool {
	if i.NDst == 0 || i.Op.Has(op.Effect|op.Writes|op.Terminator|op.Convergent) || i.Op.Has(op.Pseudo) && i.Op != op.COPY {
		return false
	}
	switch i.Op {
	case op.CS2R: // clocks and timers
		return false
	case op.S2R, op.S2UR:
		return isFixedSpecial(op.Special(i.Srcs()[0].Imm))
	}
	return !i.Op.Has(op.Reads) || i.Op.LoadsConstant()
}

// isFixedSpecial reports whether a special register keeps its value while a
// thread runs.
func isFixedSpecial(s op.Special) bool {
	switch s {
	case op.SRTidX, op.SRTidY, op.SRTidZ, op.SRCtaidX, op.SRCtaidY, op.SRCtaidZ, op.SRLaneID,
		op.SREqMask, op.SRLtMask, op.SRLeMask, op.SRGtMask, op.SRGeMask, op.SRClusterCtaID, op.SRSharedWindowHi, op.SRZero:
		return true
	}
	return false
}

// Overlaps reports whether two operands name common words.
func Overlaps(a, b ori.Operand) bool {
	if !a.HasReg() || !b.HasReg() || a.Reg != b.Reg {
		return false
	}
	return a.Kind == ori.KConst || b.Kind == ori.KConst || a.Sub < b.Sub+max(1, b.N) && b.Sub < a.Sub+max(1, a.N)
}

// GathersFor reports whether g brings the threads of the warp together for i
// alone: both come from one statement of the source. Another statement would be
// a barrier of the warp, which orders memory too.
func GathersFor(g, i *ori.Instr) bool {
	return i.Op.Has(op.Gathered) && g != nil && g.Line == i.Line && g.Op == op.WARPSYNC && g.Mods == op.M(op.MALL) && g.Guard.Kind == ori.KNone
}
