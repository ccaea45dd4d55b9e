package loop

import (
	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/opt/branch"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// What a turn of a loop makes of the values it begins with.

// cell is a word of a register.
type cell struct {
	reg ori.Reg
	sub uint8
}

func cellOf(a ori.Operand) cell { return cell{a.Reg, a.Sub} }

// inside returns the instruction of the loop that makes word a, which is no
// PHI and has no guard.
func (u *unroller) inside(a ori.Operand) *ori.Instr {
	if a.Kind != ori.KReg || a.N > 1 {
		return nil
	}
	i := u.v.Once(a)
	if i == nil || i.Op == op.PHI || !u.has(i.Block()) {
		return nil
	}
	return i
}

// starts returns the PHI of the loop's header that word a is of.
func (u *unroller) starts(a ori.Operand) *ori.Instr {
	if a.Kind != ori.KReg || a.N > 1 {
		return nil
	}
	if i := u.v.Once(a); i != nil && i.Op == op.PHI && i.Block() == u.loop.Header {
		return i
	}
	return nil
}

// brings returns what blocks bring to the word a of a PHI of the header: false if
// they do not agree, or bring nothing defined.
func (u *unroller) brings(from []*ori.Block, phi *ori.Instr, a ori.Operand) (x ori.Operand, ok bool) {
	for n, b := range from {
		s := branch.SourceOf(b, u.loop.Header, phi)
		if s == nil || s.Args[2].Kind != ori.KReg {
			return x, false
		}
		y := s.Args[2]
		y.Sub, y.N = y.Sub+a.Sub-phi.Args[0].Sub, 1
		if n > 0 && y != x {
			return x, false
		}
		x = y
	}
	return x, len(from) > 0
}

// first returns what word a of a PHI of the header is in the first turn.
func (u *unroller) first(phi *ori.Instr, a ori.Operand) (ori.Operand, bool) {
	return u.brings(u.entries(), phi, a)
}

// next returns what word a of a PHI of the header is in the next turn.
func (u *unroller) next(phi *ori.Instr, a ori.Operand) (ori.Operand, bool) {
	return u.brings([]*ori.Block{u.latch}, phi, a)
}

// setTo returns the constant that a word is everywhere.
func (u *unroller) setTo(a ori.Operand) (int32, bool) {
	if a.Kind != ori.KReg {
		return constWord(a)
	}
	i := u.v.Once(a)
	if i == nil || a.Flags != 0 || i.Args[0] != a {
		return 0, false
	}
	return setOf(i)
}

// stays reports whether no turn changes a.
func (u *unroller) stays(a ori.Operand) bool {
	if a.Flags != 0 {
		return false
	}
	switch a.Kind {
	case ori.KImm, ori.KZero:
		return true
	case ori.KConst:
		return a.Reg == ori.NoReg
	case ori.KReg:
		if a.Class != ori.R || a.N != 1 {
			return false
		}
		i := u.v.Writer(a)
		return i != nil && !u.has(i.Block())
	}
	return false
}

// start follows what a is to what it was at the start of the turn: a word of a
// PHI of the header, and what was added to it since.
func (u *unroller) start(a ori.Operand) (at ori.Operand, phi *ori.Instr, added int64) {
	for range opt.MaxChain {
		if !opt.Plain(a) {
			return a, nil, 0
		}
		if phi = u.starts(a); phi != nil {
			return a, phi, added
		}
		w := u.inside(a)
		if w == nil || w.Args[0] != a {
			return a, nil, 0
		}
		b, n, ok := grown(w)
		if !ok {
			return a, nil, 0
		}
		a, added = b, added+n
	}
	return a, nil, 0
}

// grown reads a word that i copies, or adds a constant to.
func grown(i *ori.Instr) (from ori.Operand, by int64, ok bool) {
	if i.Guard.Kind != ori.KNone || i.NDst != 1 || i.Mods != (op.Mods{}) {
		return from, 0, false
	}
	srcs := i.Srcs()
	switch {
	case (i.Op == op.COPY || i.Op == op.MOV) && len(srcs) == 1:
		return srcs[0], 0, opt.Plain(srcs[0])
	case i.Op == op.IADD3 && len(srcs) == 3:
		var regs int
		for _, s := range srcs {
			if v, known := opt.Known(s); known {
				by += int64(int32(v))
				continue
			}
			from = s
			regs++
		}
		return from, by, regs == 1 && opt.Plain(from)
	}
	return from, 0, false
}
