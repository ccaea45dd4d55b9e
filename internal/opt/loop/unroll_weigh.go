package loop

import (
	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/opt/branch"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// What a turn of a loop comes to once no loop is left: results that depend on
// the number of the turn alone are constants, sums of them with what does not
// change are offsets of addresses, and other functions of both are often the
// same in several turns.

// steady says what a word is in each turn.
type steady int8

const (
	changing steady = iota
	numbered        // a function of what does not change and of the number of the turn
	counted         // of the number of the turn alone
)

// thirds of an instruction that an instruction with such a result costs.
var thirds = [...]int{changing: 3, numbered: 1, counted: 0}

// weigh returns how many instructions a turn has left when all are written
// out.
func (u *unroller) weigh() int {
	kinds := map[cell]steady{}
	known := func(at cell) steady {
		if k, ok := kinds[at]; ok {
			return k
		}
		k := u.outside(at)
		kinds[at] = k
		return k
	}
	for again := true; again; {
		again = false
		for _, b := range u.loop.Blocks {
			for i := range b.Instrs {
				k := u.steadiness(i, known)
				for _, d := range i.Dsts() {
					for n := range max(1, d.N) {
						at := d
						at.Sub, at.N = d.Sub+n, 1
						if i.Op == op.PHI {
							k = u.around(i, at, known)
						}
						if d.HasReg() && known(cellOf(at)) > k {
							kinds[cellOf(at)], again = k, true
						}
					}
				}
			}
		}
	}
	sum := 0
	for _, b := range u.loop.Blocks {
		for i := range b.Instrs {
			switch k := u.steadiness(i, known); {
			case i.Op.Has(op.Pseudo) || i.Op == op.WARPSYNC:
			case k == numbered && i.Op == op.IADD3: // becomes an offset
			default:
				sum += thirds[k]
			}
		}
	}
	return max(1, sum/3)
}

// steadiness is the least steady of the sources of i.
func (u *unroller) steadiness(i *ori.Instr, known func(cell) steady) steady {
	if i.Op == op.SHFL && i.Guard.Kind == ori.KNone && i.NDst == 2 && !i.Args[0].HasReg() { // of a constant it is one
		if s := i.Args[2]; s.Kind == ori.KImm || s.Kind == ori.KZero || s.HasReg() && known(cellOf(s)) == counted {
			return counted
		}
	}
	if !opt.IsPure(i) || i.Guard.Kind != ori.KNone || i.NDst == 0 {
		return changing
	}
	k := counted
	for _, s := range i.Srcs() {
		switch {
		case s.HasReg():
			for n := range max(1, s.N) {
				k = min(k, known(cell{s.Reg, s.Sub + n}))
			}
		case s.Kind != ori.KImm && s.Kind != ori.KZero:
			k = min(k, numbered)
		}
	}
	return k
}

// around is what a word of a PHI is in the turns behind the first. Behind loops
// inside that were written out stand PHIs with one way to them.
func (u *unroller) around(phi *ori.Instr, at ori.Operand, known func(cell) steady) steady {
	if b := phi.Block(); b != u.loop.Header {
		if s := branch.SourceOf(b.Preds[0], b, phi); len(b.Preds) == 1 && s != nil && s.Args[2].Kind == ori.KReg {
			return known(cell{s.Args[2].Reg, s.Args[2].Sub + at.Sub - phi.Args[0].Sub})
		}
		return changing
	}
	if next, ok := u.next(phi, at); ok {
		return known(cellOf(next))
	}
	return changing
}

// outside is the most that a word can be, from who makes it.
func (u *unroller) outside(at cell) steady {
	i := u.v.Words[u.v.Base[at.reg]+int32(at.sub)].Def
	if i == nil || i.Block() == nil || u.f.Regs[at.reg].Var {
		return changing
	}
	if i.Op == op.PHI && i.Block() == u.loop.Header {
		first, ok := u.first(i, u.f.Word(at.reg, int(at.sub)))
		if !ok {
			return numbered
		}
		i = u.v.Words[u.v.Word(&first)].Def
	}
	if u.has(i.Block()) {
		return counted
	}
	if _, ok := setOf(i); ok {
		return counted
	}
	return numbered
}
