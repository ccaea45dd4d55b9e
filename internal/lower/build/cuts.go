package build

import (
	"slices"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
)

// Where the text falls apart for the contraction of a product and a sum: the
// reference fuses them only if nothing between them splits or joins the flow
// of control. Found by trying: conditional branches and the labels they lead
// to do, guarded instructions that touch memory or other threads too,
// fences, calls, and what it expands with a branch (64-bit division and
// remainder, the square root of doubles). A label that only falling through
// reaches does not, nor a guarded move.

// cuts adds the places of the current body.
func (l *Builder) cuts() {
	b := l.Body
	targets := l.branchTargets()
	cut := false
	for n := range b.Instrs {
		in := &b.Instrs[n]
		if cut || targets[n] {
			l.F.Cuts = append(l.F.Cuts, int32(in.Pos))
		}
		cut = cutsAfter(in) && !l.overNothing(n)
	}
}

// SortCuts puts the places into order once all bodies are lowered.
func SortCuts(f *ori.Func) {
	slices.Sort(f.Cuts)
	f.Cuts = slices.Compact(f.Cuts)
}

// branchTargets marks the instructions that a branch leads to, but for a
// jump over nothing.
func (l *Builder) branchTargets() []bool {
	b := l.Body
	to := make([]bool, len(b.Instrs)+1)
	for n := range b.Instrs {
		in := &b.Instrs[n]
		args := b.Of(in.Args)
		switch {
		case in.Op == isa.WBra && len(args) > 0:
			to[b.Labels[args[0].Ref].At] = to[b.Labels[args[0].Ref].At] || !l.overNothing(n)
		case in.Op == isa.WBrx && len(args) > 1 && args[1].Kind == isa.KTable:
			t := &b.Tables[args[1].Ref]
			for _, k := range b.Targets[t.List.First : t.List.First+t.List.Len] {
				to[b.Labels[k].At] = true
			}
		}
	}
	return to
}

// overNothing reports whether instruction n is a branch to the next one.
func (l *Builder) overNothing(n int) bool {
	in := &l.Body.Instrs[n]
	args := l.Body.Of(in.Args)
	return in.Op == isa.WBra && len(args) > 0 && int(l.Body.Labels[args[0].Ref].At) == n+1
}

// cutsAfter reports whether the flow is split by or behind an instruction.
func cutsAfter(in *sema.Inst) bool {
	guarded := in.Guard >= 0
	switch in.Op {
	case isa.WBrx, isa.WCall, isa.WMembar, isa.WFence:
		return true
	case isa.WBra, isa.WRet, isa.WExit, isa.WTrap,
		isa.WLd, isa.WSt, isa.WAtom, isa.WRed, isa.WBar, isa.WBarrier, isa.WShfl, isa.WVote, isa.WMatch, isa.WTex, isa.WSuld, isa.WSust:
		return guarded
	case isa.WDiv, isa.WRem:
		return in.NTypes > 0 && in.Types[0].Bits() == 64 && in.Types[0].Class() != isa.Float
	case isa.WSqrt:
		return in.NTypes > 0 && in.Types[0] == isa.F64
	}
	return false
}
