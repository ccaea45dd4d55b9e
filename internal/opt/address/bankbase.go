package address

import (
	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// What a constant operand adds to its index: 16 bits, signed; a bank without
// an index has 64 KB.
const (
	minBankOffset = -1 << 15
	maxBankOffset = 1<<15 - 1 - 16
	bankBytes     = 1 << 16
)

// bankBase returns an indexed constant operand with as much of its index as
// is known in its offset: without the index where all of it is. Producers
// take the address of a structure of parameters, add to it and load from
// there, so most indices are constants, and what has no index can be an
// operand of any instruction, be loaded early and be made again.
func bankBase(c *opt.Combiner, a ori.Operand) (ori.Operand, bool) {
	best, found := a, false
	at := ori.Operand{Kind: ori.KReg, Class: a.Class, Reg: a.Reg, N: 1}
	sum := int32(a.Imm)
	for range maxBankSteps {
		j := c.V.Once(at)
		if j == nil || j.Guard.Kind != ori.KNone {
			break
		}
		x, k, ok := addend(j, at)
		if !ok {
			break
		}
		sum += k
		if x.Kind != ori.KReg {
			if sum < 0 || sum >= bankBytes {
				break
			}
			a.Reg, a.Class, a.Imm = ori.NoReg, 0, int64(sum)
			return a, true
		}
		if !c.V.Stable(x) {
			break
		}
		at = x
		// an index names a whole register
		if c.F.Regs[x.Reg].Width == 1 && sum >= minBankOffset && sum <= maxBankOffset {
			best, found = a, true
			best.Reg, best.Imm = x.Reg, int64(sum)
		}
	}
	return best, found
}

// maxBankSteps bounds the additions that one index is followed through.
const maxBankSteps = 16

// addend splits what j writes to the word d into a register and a constant;
// the register is no register where all is constant.
func addend(j *ori.Instr, d ori.Operand) (x ori.Operand, k int32, ok bool) {
	if j.Mods != (op.Mods{}) || j.NDst == 0 || j.Args[0].Reg != d.Reg || j.Args[0].Sub != d.Sub || j.Args[0].N != 1 {
		return x, 0, false
	}
	s := j.Srcs()
	switch {
	case (j.Op == op.MOV || j.Op == op.COPY) && len(s) == 1:
		return part(s[0], 0)
	case j.Op == op.IADD3 && len(s) == 3 && opt.IsZero(s[2]): // a carry beside it does not matter
		y, z := s[0], s[1]
		w, isConst := opt.Known(z)
		if !isConst {
			y, z = z, y
			w, isConst = opt.Known(z)
		}
		if isConst {
			return part(y, int32(w))
		}
	}
	return x, 0, false
}

// part is a source of a sum with what is added to it.
func part(s ori.Operand, k int32) (ori.Operand, int32, bool) {
	if w, ok := opt.Known(s); ok {
		return ori.Operand{}, k + int32(w), true
	}
	return s, k, s.Kind == ori.KReg && s.Class == ori.R && s.Flags == 0 && s.N == 1
}
