// Package isel makes Ori instructions ones the machine has: operands go
// where a form allows them, the rest into registers.
package isel

import (
	"fmt"
	mbits "math/bits"

	"goptxas/internal/ori"
	"goptxas/internal/ori/op"
	"goptxas/internal/target"
)

// Fits reports whether the machine has a form for an instruction as it
// stands. The answer comes from the machine's own description.
type Fits func(i *ori.Instr) bool

// Legalize rewrites every instruction of f that has no form: sources change
// places where the operation allows it, and those that fit nowhere are
// computed into registers first, as few as possible.
func Legalize(f *ori.Func, a *target.Arch, fits Fits) error {
	l := &legalizer{f: f, a: a, fits: fits}
	for _, b := range f.Blocks {
		l.consts = l.consts[:0]
		for i := range b.Instrs {
			l.at++
			if i.Op.Has(op.Pseudo) || fits(i) {
				continue
			}
			if err := l.instr(i); err != nil {
				return err
			}
		}
	}
	return nil
}

type legalizer struct {
	f    *ori.Func
	a    *target.Arch
	fits Fits

	consts []constant // in registers of the block
	at     int        // instructions seen
}

// constant is one that was put into a register.
type constant struct {
	value int64
	reg   ori.Operand
	at    int // when
}

// maxShared is how far apart, in instructions, two readers of a constant
// share its register: further apart the register is worth more than the
// move.
const maxShared = 48

// shared returns the register that already holds constant s, if any.
func (l *legalizer) shared(s ori.Operand) (ori.Operand, bool) {
	if s.Kind != ori.KImm || s.Flags != 0 || s.N > 1 {
		return s, false
	}
	for n := range l.consts {
		if c := &l.consts[n]; c.value == s.Imm && l.at-c.at <= maxShared {
			c.at = l.at
			return c.reg, true
		}
	}
	return s, false
}

// instr tries ever more sources in registers, in both orders.
func (l *legalizer) instr(i *ori.Instr) error {
	srcs := append([]ori.Operand(nil), i.Srcs()...)
	movable := uint(0)
	for k, s := range srcs {
		if l.movable(s) {
			movable |= 1 << k
		}
	}
	orders := [][]ori.Operand{srcs}
	mods := i.Mods
	if s, ok := swapped(i, srcs); ok {
		orders = append(orders, s)
	}
	for n := 0; n <= mbits.OnesCount(movable); n++ {
		for _, order := range orders {
			for mask := range uint(1) << len(order) {
				if mbits.OnesCount(mask) != n || mask&^l.mask(order) != 0 {
					continue
				}
				if l.try(i, order, mask) {
					return nil
				}
			}
		}
	}
	i.Mods = mods
	copy(i.Srcs(), srcs)
	return fmt.Errorf("%s: no form of %s on %s", l.f.Name, l.f.AppendInstr(nil, i), l.a.Name)
}

func (l *legalizer) mask(srcs []ori.Operand) uint {
	m := uint(0)
	for k, s := range srcs {
		if l.movable(s) {
			m |= 1 << k
		}
	}
	return m
}

// movable reports whether a source can be computed into a register.
func (l *legalizer) movable(o ori.Operand) bool {
	switch o.Kind {
	case ori.KImm, ori.KConst, ori.KSymbol:
		return true
	case ori.KReg:
		return o.Class == ori.UR || o.Class == ori.R && o.Flags&(ori.Neg|ori.Inv|ori.Abs) != 0 && o.N == 1
	case ori.KZero:
		return o.Class == ori.UR || o.Class == ori.R && o.Flags != 0
	}
	return false
}

// try puts the sources in mask into registers and looks whether a form
// fits; if none does, nothing is changed.
func (l *legalizer) try(i *ori.Instr, order []ori.Operand, mask uint) bool {
	save := append([]ori.Operand(nil), i.Srcs()...)
	copy(i.Srcs(), order)
	n := len(l.f.Regs)
	for k := range order {
		if mask>>k&1 != 0 {
			w := max(1, int(order[k].N))
			if isDouble(i, order[k]) {
				w = 2
			}
			i.Srcs()[k] = l.f.Words(l.f.NewReg(ori.R, w))
		}
	}
	if !l.fits(i) {
		l.f.Regs = l.f.Regs[:n]
		copy(i.Srcs(), save)
		return false
	}
	for k := range order {
		if mask>>k&1 == 0 {
			continue
		}
		if isDouble(i, order[k]) {
			l.double(i, i.Srcs()[k], order[k])
			continue
		}
		if r, ok := l.shared(order[k]); ok {
			i.Srcs()[k] = r
			continue
		}
		d := i.Srcs()[k]
		l.compute(i, d, order[k])
		if order[k].Kind == ori.KImm && order[k].Flags == 0 && order[k].N <= 1 {
			l.consts = append(l.consts, constant{order[k].Imm, d, l.at})
		}
	}
	l.f.Touch()
	return true
}

// compute adds the instruction that puts source s into register d before i.
func (l *legalizer) compute(i *ori.Instr, d, s ori.Operand) {
	dst := []ori.Operand{d}
	var made *ori.Instr
	plain := s
	plain.Flags = 0
	switch {
	case s.Kind == ori.KConst && l.a.SM >= 90 || s.Kind == ori.KSymbol:
		made = l.f.NewInstr(op.LDC, width(d.N), dst, []ori.Operand{plain})
	case s.Flags&ori.Abs != 0 || s.Flags&ori.Neg != 0 && isFloat(i.Op):
		made = l.f.NewInstr(op.FADD, op.Mods{}, dst, []ori.Operand{s, ori.Zero(ori.R).Negate()})
	case s.Flags&ori.Neg != 0:
		made = l.f.NewInstr(op.IADD3, op.Mods{}, dst, []ori.Operand{ori.Zero(ori.R), s, ori.Zero(ori.R)})
	case s.Flags&ori.Inv != 0:
		made = l.f.NewInstr(op.LOP3, op.M(op.MLUT), dst, []ori.Operand{plain, ori.Zero(ori.R), ori.Zero(ori.R), ori.Imm(0x0f)})
	default:
		made = l.f.NewInstr(op.MOV, op.Mods{}, dst, []ori.Operand{s})
	}
	made.Line, made.Loc = i.Line, i.Loc
	i.Block().InsertBefore(made, i)
}

// isDouble reports whether source s of i is an f64 constant.
func isDouble(i *ori.Instr, s ori.Operand) bool { return s.Kind == ori.KImm && i.Op.IsDouble() }

// double puts the f64 constant with high word s into register d before i.
func (l *legalizer) double(i *ori.Instr, d, s ori.Operand) {
	lo, hi := d, d
	lo.N, hi.N = 1, 1
	hi.Sub++
	l.compute(i, lo, ori.Zero(ori.R))
	l.compute(i, hi, s)
}

func width(n uint8) op.Mods {
	if n == 2 {
		return op.M(op.M64)
	}
	return op.Mods{}
}

func isFloat(o op.Op) bool {
	switch o {
	case op.FADD, op.FMUL, op.FFMA, op.FSETP, op.FMNMX, op.FSEL, op.FSET, op.MUFU:
		return true
	}
	return false
}

// swapped returns the sources with the first two exchanged, when that means
// the same. The table of LOP3 is permuted with them.
func swapped(i *ori.Instr, srcs []ori.Operand) ([]ori.Operand, bool) {
	if !i.Op.Has(op.Commutes) || len(srcs) < 2 {
		return nil, false
	}
	s := append([]ori.Operand(nil), srcs...)
	s[0], s[1] = s[1], s[0]
	if i.Op == op.LOP3 {
		if len(s) < 4 || s[3].Kind != ori.KImm {
			return nil, false
		}
		s[3].Imm = swapLut(s[3].Imm)
	}
	return s, true
}

// swapLut exchanges the first two inputs of a three-input truth table: the
// inputs' patterns are 0xf0, 0xcc and 0xaa, so bit abc becomes bit bac.
func swapLut(t int64) int64 {
	return t&0xc3 | t&0x0c<<2 | t&0x30>>2
}
