// Package places knows which instructions keep their places, and what may pass
// those that only some others do.
package places

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// Pinned reports whether an instruction keeps its place: everything before
// it stays before, everything behind it behind.
func Pinned(i *ori.Instr) bool {
	if i.Mods.Has(op.MLOOSE) || MarksCopies(i) || i.Op == op.UTMACCTL && i.Mods.Has(op.MPF) { // that fetches ahead, which changes nothing
		return false
	}
	if i.Op.Has(op.Effect | op.Terminator | op.Pseudo) {
		return i.Op != op.COPY && (i.Op != op.UNDEF || arrives(i)) && !IsBarrier(i) && !OfGroups(i)
	}
	return i.Op.Has(op.ReadsPreds|op.WritesPreds) || i.Op.Has(op.ReadsSpecial) && readsClock(i)
}

// arrives reports whether i stands for what a caller left in registers that
// are given: before it nothing may use those.
func arrives(i *ori.Instr) bool {
	f := i.Block().Func()
	for _, d := range i.Dsts() {
		if d.HasReg() && f.Regs[d.Reg].Fixed {
			return true
		}
	}
	return false
}

// MarksCopies reports whether i ends a group of asynchronous copies or waits
// for such groups: no access to memory passes it, but arithmetic may.
func MarksCopies(i *ori.Instr) bool {
	return i.Guard.Kind == ori.KNone && (i.Op == op.LDGDEPBAR || i.Op == op.DEPBAR && i.Mods.Has(op.MLE))
}

// IsBarrier: see flow.Meets.
func IsBarrier(i *ori.Instr) bool { return flow.Meets(i) }

// ExchangesBehind reports whether threads of a warp exchange words behind a
// barrier of b.
func ExchangesBehind(b *ori.Block) bool {
	behind := false
	for i := range b.Instrs {
		if behind && i.Op.Has(op.Exchange) {
			return true
		}
		behind = behind || IsBarrier(i)
	}
	return false
}

// PutsFlag reports whether i puts a predicate into a bit of a word (see ra.Flags),
// which is done where predicates are short.
func PutsFlag(i *ori.Instr) bool {
	switch i.Op {
	case op.SEL:
		return i.Guard.Kind == ori.KNone && len(i.Args) == 4 && i.Args[1] == ori.Zero(ori.R) && i.Args[2].Kind == ori.KImm
	case op.LOP3:
		return i.Guard.Kind == ori.KReg && i.NDst == 1 && i.Args[0] == i.Args[1] && i.Args[2].Kind == ori.KImm
	}
	return false
}

// IsFence reports whether i orders accesses to memory of its own thread and
// does nothing else: they keep to their side of it, but arithmetic may pass. A
// NOP waits for loads from tensor memory: who reads their results waits for
// these himself.
func IsFence(i *ori.Instr) bool {
	return i.Guard.Kind == ori.KNone && (i.Op == op.MEMBAR || i.Op == op.NOP || i.Op == op.FENCE && !i.Mods.Has(op.MT))
}

// IsProduct reports whether i multiplies matrices in registers: threads of
// the warp do it together, but it touches nothing else.
func IsProduct(i *ori.Instr) bool { return i.Op.Has(op.Matrix) && !i.Op.Has(op.Effect) }

// OfGroups reports whether i is a warp-group matrix operation that keeps its
// place among such, or what starts them or waits for them. Memory accesses
// and what touches the registers of such operations keep to their side of it.
func OfGroups(i *ori.Instr) bool {
	return i.Op == op.WARPGROUP || i.IsGroupMMA() && !i.Mods.Has(op.MLOOSE)
}

// readsClock reports whether i reads something that changes as time goes
// by: where it stands matters.
func readsClock(i *ori.Instr) bool {
	for _, o := range i.Srcs() {
		if o.Kind == ori.KSpecial && steady(op.Special(o.Imm)) {
			return false
		}
	}
	return true
}

// steadyNames begin the names of special registers that never change while
// a thread runs.
var steadyNames = [...]string{"SR_TID", "SR_CTAID", "SR_LANEID", "SR_NTID", "SR_NCTAID", "SRZ", "SR_CgaCtaId", "SR_EQMASK", "SR_LEMASK", "SR_LTMASK", "SR_GEMASK", "SR_GTMASK"}

func steady(s op.Special) bool {
	name := s.String()
	for _, p := range steadyNames {
		if len(name) >= len(p) && name[:len(p)] == p {
			return true
		}
	}
	return false
}

// HasProducts reports whether f has products of matrices.
func HasProducts(f *ori.Func) bool {
	return some(f, func(i *ori.Instr) bool { return i.IsGroupMMA() || i.Op == op.HMMA || i.Op == op.IMMA })
}

// Meets reports whether threads of a block of f wait for each other.
func Meets(f *ori.Func) bool { return some(f, IsBarrier) }

// PassesFences reports whether f has products of matrices in registers, or loads
// from tensor memory whose results are words for many: what is made of them may
// pass fences.
func PassesFences(f *ori.Func) bool {
	return some(f, func(i *ori.Instr) bool { return IsProduct(i) || i.Op == op.LDTM })
}

func some(f *ori.Func, is func(*ori.Instr) bool) bool {
	for _, b := range f.Blocks {
		for i := b.First(); i != nil; i = i.Next() {
			if is(i) {
				return true
			}
		}
	}
	return false
}
