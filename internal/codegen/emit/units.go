package emit

import (
	"errors"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/sass"
)

// unit is an operand as forms take it: an address with all its parts is one.
type unit struct {
	kind   slotKind
	result bool
	bank   uint8
	signs  sass.Marks
	marks  mark
	num    int64 // register, integer, bits of a float, offset of a constant, special register
	off    int64 // offset of an address, an integer without its sign
	base   int32 // registers of an address
	uni    int32
	desc   int32
}

// Registers of an address that are none, and the uniform one that is zero.
const (
	noPart   = -1
	zeroPart = -2
)

var errTooMany = errors.New("more operands than any form has")

// collect makes units of the operands of i.
func (e *emitter) collect(i *ori.Instr) error {
	e.n, e.negative = 0, false
	switch i.Op {
	case op.CALL, op.RET, op.BRX:
		e.transfer(i)
		return nil
	}
	for k := range i.Args {
		o := &i.Args[k]
		if o.Kind == ori.KUAddr || o.Kind == ori.KAddr && k > 0 && i.Args[k-1].Kind == ori.KDesc {
			continue // a part of the unit before
		}
		if e.n == len(e.units) {
			return errTooMany
		}
		u := &e.units[e.n]
		e.n++
		*u = unit{result: k < int(i.NDst), base: noPart, uni: noPart, desc: noPart}
		if err := e.unit(u, i, k); err != nil {
			return err
		}
	}
	return nil
}

var regKinds = [...]slotKind{ori.R: slotR, ori.UR: slotU, ori.P: slotP, ori.UP: slotUP, ori.B: slotB}

var errOperand = errors.New("an operand that no form has")

// unit describes operand k of i.
func (e *emitter) unit(u *unit, i *ori.Instr, k int) error {
	o := &i.Args[k]
	u.signs, u.marks = signsOf(o), marksOf(i, o)
	switch o.Kind {
	case ori.KReg:
		u.kind, u.num = regKinds[o.Class], e.number(*o)
	case ori.KZero:
		u.kind, u.num = regKinds[o.Class], lastBarrier
		if o.Class != ori.B {
			u.signs |= sass.MarkZero
		}
	case ori.KImm:
		return e.immediate(u, i, o)
	case ori.KConst:
		u.kind, u.bank, u.num = slotConst, o.Sub, o.Imm
		if o.Reg == ori.NoReg {
			u.num = bankOffset(i.Op, o.Imm)
		} else {
			x := *o
			x.Sub = 0
			e.part(u, &x)
		}
	case ori.KLiteral: // its place is not known yet, in an object not even its bank
		u.kind = slotConst
		if e.opts.Literal == nil {
			u.bank = ori.LiteralBank
		}
	case ori.KSpecial:
		u.kind, u.num = slotSpecial, o.Imm
	case ori.KLabel:
		u.number(e.label(i, o))
	case ori.KSymbol:
		return e.symbol(u, i, o)
	case ori.KDesc:
		u.kind, u.desc = slotDesc, int32(e.number(*o))
		if k+1 < len(i.Args) && i.Args[k+1].Kind == ori.KAddr {
			u.kind = slotGlobal
			e.address(u, i, k+1)
		}
	case ori.KAddr:
		u.kind = slotAddr
		e.address(u, i, k)
	case ori.KGdesc:
		u.kind, u.uni = slotGdesc, zeroPart
		if o.Reg != ori.NoReg {
			u.uni = int32(e.number(*o))
		}
		u.marks = matrixMarks(o.Imm)
	case ori.KTmem:
		u.kind, u.uni = slotTmem, int32(e.number(*o))
		switch {
		case !i.IsTensorMMA():
			u.off = o.Imm
		case i.Args[0] == *o:
			u.marks = matrixMarks(o.Imm)
		}
	default:
		return errOperand
	}
	return nil
}

// number makes u an integer.
func (u *unit) number(v int64) { u.kind, u.num, u.off = slotNumber, v, v }

// lastBarrier is the convergence barrier that stands for none.
const lastBarrier = 15

// signsOf are the signs around an operand.
func signsOf(o *ori.Operand) (m sass.Marks) {
	if o.Flags == 0 {
		return 0
	}
	if o.Flags&ori.Neg != 0 {
		m |= sass.MarkMinus
	}
	if o.Flags&ori.Inv != 0 {
		if o.Class == ori.P || o.Class == ori.UP {
			m |= sass.MarkNot
		} else {
			m |= sass.MarkTilde
		}
	}
	if o.Flags&ori.Abs != 0 {
		m |= sass.MarkAbs
	}
	if o.Flags&ori.Reuse != 0 && o.Kind == ori.KReg && o.Class == ori.R {
		m |= sass.MarkReuse
	}
	return m
}

// marksOf are the marks behind an operand.
func marksOf(i *ori.Instr, o *ori.Operand) mark {
	mixed := i.Op == op.FHADD || i.Op == op.FHFMA
	switch {
	case i.Op.Has(op.Pairs) && o.N < 2 && o.Kind != ori.KImm:
		return markBoth // a word for both of a pair
	case o.Flags&ori.H0 != 0 && mixed:
		return 0
	case o.Flags&ori.H0 != 0:
		return markH0
	case i.Op == op.F2FP && i.Mods.Has(op.ME2M1) && i.Mods.Has(op.MUNPACK_B):
		return byteMark(o.Flags)
	case o.Flags&ori.H1 != 0 && (i.Op == op.F2FP || i.Op == op.F2F || i.Op == op.F2I || mixed):
		return markTop
	case o.Flags&ori.H1 != 0:
		return markH1
	}
	return 0
}

// byteMark names the byte of a word.
func byteMark(f ori.Flags) mark {
	switch f & (ori.H1 | ori.B1) {
	case ori.B1:
		return markB1
	case ori.H1:
		return markB2
	case ori.H1 | ori.B1:
		return markB3
	}
	return 0
}

// immediate describes a number: bits of a float where the operation
// computes with floats, else an integer, which is written without its sign
// on a second attempt.
func (e *emitter) immediate(u *unit, i *ori.Instr, o *ori.Operand) error {
	if i.Op.Has(op.Floats) {
		u.kind, u.num = slotFloat, o.Imm&0xffffffff
	} else {
		u.number(o.Imm)
		u.off &= 0xffffffff
		e.negative = e.negative || o.Imm < 0
	}
	if u.signs != 0 {
		return errOperand
	}
	return nil
}

// bankOffset returns the offset of a constant as its instruction spells it:
// the loads of constants have 16 bits for it, which count as signed, so that
// the upper half of a bank has negative ones.
func bankOffset(x op.Op, off int64) int64 {
	if (x == op.LDC || x == op.ULDC) && off>>15 == 1 {
		return off - 1<<16
	}
	return off
}

// label is the address that a label stands for.
func (e *emitter) label(i *ori.Instr, o *ori.Operand) int64 {
	switch {
	case o.Sub != 0 || e.loose: // part of an absolute address, which the linker knows
		return 0
	case i.Op == op.BSSY:
		return e.reconvergence(i, o.Reg)
	}
	return e.start[o.Reg]
}

// part adds a register to an address.
func (e *emitter) part(u *unit, o *ori.Operand) {
	switch {
	case o.Reg == ori.NoReg:
	case o.Class == ori.UR:
		u.uni = int32(e.number(*o))
	default:
		u.base = int32(e.number(*o))
	}
}

// address describes the address at operand k, with the uniform register that
// may follow it.
func (e *emitter) address(u *unit, i *ori.Instr, k int) {
	o := &i.Args[k]
	e.part(u, o)
	if o.Flags&ori.Wide != 0 && o.Reg != ori.NoReg {
		u.marks |= markWide
	}
	if k+1 < len(i.Args) && i.Args[k+1].Kind == ori.KUAddr {
		if u.uni = zeroPart; i.Args[k+1].Reg != ori.NoReg {
			u.uni = int32(e.number(i.Args[k+1]))
		}
		if i.Args[k+1].N == 2 && o.Reg == ori.NoReg { // the form counts the general register that is none as a pair
			u.marks |= markWide
		}
	}
	u.off = o.Imm
}

// matrixMarks are the marks on the descriptors of matrices.
func matrixMarks(m int64) (out mark) {
	for _, x := range [...]struct {
		ori  int64
		mark mark
	}{
		{ori.NegA, markNegA},
		{ori.NegB, markNegB},
		{ori.TnspA, markTnspA},
		{ori.TnspB, markTnspB},
		{ori.ReuseA, markReuseA},
		{ori.KeepA, markKeepA},
		{ori.ReuseB, markReuseB},
		{ori.KeepB, markKeepB},
		{ori.Buffer1, markBuffer1},
		{ori.Buffer2, markBuffer2},
	} {
		if m&x.ori != 0 {
			out |= x.mark
		}
	}
	return out
}

// number is that of the first physical register an operand names.
func (e *emitter) number(o ori.Operand) int64 {
	if e.loose {
		return int64(o.Sub)
	}
	return int64(e.f.Regs[o.Reg].Phys) + int64(o.Sub)
}
