package address

import (
	mbits "math/bits"

	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// aligner knows how many low bits of words are zero.
//
// A word that is written several times has the fewest zeros of all its
// writers. While those are looked at, the word itself counts as all zeros:
// every rule gives at most what its sources have plus a constant, so what
// holds for the other writers holds for the loop.
type aligner struct {
	v     *opt.Values
	defs  map[int32][]*ori.Instr // writers of words with several
	open  []int32                // words being looked at
	steps int
}

// maxSteps bounds the work for one question.
const maxSteps = 64

// zeros returns how many low bits of an address are zero.
func (x *aligner) zeros(a ori.Operand) int {
	if a.Reg == ori.NoReg {
		return 32
	}
	a.Kind, a.N, a.Flags, a.Imm = ori.KReg, 1, 0, 0
	x.steps, x.open = 0, x.open[:0]
	return x.operand(a)
}

func (x *aligner) operand(a ori.Operand) int {
	switch {
	case a.Kind == ori.KZero:
		return 32
	case a.Kind == ori.KImm:
		return min(32, mbits.TrailingZeros64(uint64(a.Imm)|1<<32))
	case a.Kind != ori.KReg || a.Flags&^ori.Neg != 0 || a.Class != ori.R && a.Class != ori.UR || x.v.Func.Regs[a.Reg].Fixed:
		return 0
	}
	w := x.v.Word(&a)
	if x.v.Words[w].Writes == 1 {
		return x.result(x.v.Words[w].Def, w)
	}
	for _, o := range x.open {
		if o == w {
			return 32
		}
	}
	x.open = append(x.open, w)
	n := 32
	for _, i := range x.writers(w) {
		n = min(n, x.result(i, w))
	}
	x.open = x.open[:len(x.open)-1]
	return n
}

// writers returns the instructions that write word w.
func (x *aligner) writers(w int32) []*ori.Instr {
	if x.defs == nil {
		x.defs = map[int32][]*ori.Instr{}
		for _, b := range x.v.Func.Blocks {
			for i := range b.Instrs {
				for _, d := range i.Dsts() {
					if d.Kind != ori.KReg {
						continue
					}
					for k := range int32(max(1, d.N)) {
						if n := x.v.Word(&d) + k; x.v.Words[n].Writes != 1 {
							x.defs[n] = append(x.defs[n], i)
						}
					}
				}
			}
		}
	}
	if len(x.defs[w]) == 0 {
		return []*ori.Instr{nil}
	}
	return x.defs[w]
}

// result returns how many low bits of the word w that i writes are zero.
func (x *aligner) result(i *ori.Instr, w int32) int {
	if x.steps++; x.steps > maxSteps || i == nil || x.v.Word(&i.Args[0]) != w {
		return 0
	}
	s := i.Srcs()
	// a shift of a constant distance
	shift := func(o ori.Operand) int {
		if o.Kind != ori.KImm || o.Imm < 0 || o.Imm > 31 {
			return 0
		}
		return int(o.Imm)
	}
	switch i.Op {
	case op.MOV, op.COPY, op.UMOV, op.R2UR:
		if len(s) == 1 {
			return x.operand(s[0])
		}
	case op.IADD3, op.UIADD3:
		n := 32
		for _, o := range s[:min(3, len(s))] {
			if o.Flags&ori.Inv != 0 {
				return 0
			}
			n = min(n, x.operand(o))
		}
		if i.Mods.Has(op.MX) {
			return 0
		}
		return n
	case op.IMAD, op.UIMAD:
		if len(s) >= 3 && !i.Mods.Has(op.MHI) && !i.Mods.Has(op.MX) {
			addend := s[2]
			if addend.N == 2 {
				addend.N = 1
			}
			return min(32, x.operand(s[0])+x.operand(s[1]), x.operand(addend))
		}
	case op.LEA, op.ULEA:
		if len(s) == 3 && !i.Mods.Has(op.MHI) {
			return min(32, x.operand(s[0])+shift(s[2]), x.operand(s[1]))
		}
	case op.SHF, op.USHF:
		if len(s) == 3 && i.Mods == op.M(op.ML, op.MU32) {
			return min(32, x.operand(s[0])+shift(s[1]))
		}
	case op.LOP3, op.ULOP3:
		// a mask of the second source
		if len(s) >= 4 && s[3].Kind == ori.KImm && s[3].Imm&^0xc0 == 0 && s[2].Kind == ori.KZero {
			return max(x.operand(s[0]), x.operand(s[1]))
		}
	case op.SEL, op.USEL:
		return min(x.operand(s[0]), x.operand(s[1]))
	}
	return 0
}
