package ori

import (
	"fmt"
	"strconv"

	"github.com/goptxas/goptxas/internal/engine/src"
)

// The text form. It is what dumps contain and what Parse reads:
//
//	func saxpy kernel {
//	  props param=28@528 shared=0
//	  reg r0 R2/2
//	  b0: -> b2, b1
//	    @!p4 IADD3 r5, p6 = r7, -r8[1], 0x10      ; line=12 pos=340 loc=3 B--1---:R-:W2:Y:S04
//	    LDG.E r9 = desc[u2], [r0.64+0x10]
//	}
//
// A register is written with its file's letter and its number: r, u, p, q
// (uniform predicate), k (convergence barrier). A block that must stay one is
// kept. r8[1] is word 1, r8[2:4]
// words 2 and 3; without brackets all words are meant. Behind else stand the
// values that the results have if the guard does not hold. pos is where the
// instruction comes from, in bytes of the source text; line is the same for
// readers, written where the module knows its text, and not read back.

var classLetters = [...]byte{R: 'r', UR: 'u', P: 'p', UP: 'q', B: 'k'}

var zeroNames = [...]string{R: "rz", UR: "urz", P: "pt", UP: "upt", B: "kz"}

var partNames = [...]string{PartLo: "lo", PartHi: "hi", PartAbs: "abs", PartRef: "ref"}

// Append appends the text of f.
func (f *Func) Append(dst []byte) []byte {
	dst = append(dst, "func "...)
	dst = append(dst, f.Name...)
	if f.Kernel {
		dst = append(dst, " kernel"...)
	}
	dst = append(dst, " {\n"...)
	dst = f.Props.append(dst)
	for r := range f.Regs {
		dst = f.appendReg(dst, Reg(r))
	}
	for _, b := range f.Blocks {
		dst = fmt.Appendf(dst, "  b%d:", b.ID)
		if b.Kept {
			dst = append(dst, " kept"...)
		}
		if b.Rolled {
			dst = append(dst, " rolled"...)
		}
		for n, s := range b.Succs {
			if n == 0 {
				dst = append(dst, " ->"...)
			} else {
				dst = append(dst, ',')
			}
			dst = fmt.Appendf(dst, " b%d", s.ID)
		}
		dst = append(dst, '\n')
		for i := b.first; i != nil; i = i.next {
			dst = append(dst, "    "...)
			dst = f.AppendInstr(dst, i)
			dst = append(dst, '\n')
		}
	}
	return append(dst, "}\n"...)
}

// String returns the text of f.
func (f *Func) String() string { return string(f.Append(nil)) }

// appendReg appends the declaration of r.
func (f *Func) appendReg(dst []byte, r Reg) []byte {
	i := &f.Regs[r]
	dst = fmt.Appendf(dst, "  reg %c%d %d/%d", classLetters[i.Class], r, i.Width, i.Align)
	if i.Phys >= 0 {
		dst = fmt.Appendf(dst, " phys=%d", i.Phys)
	}
	if i.Fixed {
		dst = append(dst, " fixed"...)
	}
	if i.Var {
		dst = append(dst, " var"...)
	}
	if i.Lo != 0 || i.Hi != 0 {
		dst = fmt.Appendf(dst, " in=%d:%d", i.Lo, i.Hi)
	}
	return append(dst, '\n')
}

// AppendInstr appends the text of one instruction of f.
func (f *Func) AppendInstr(dst []byte, i *Instr) []byte {
	if i.Guard.Kind != KNone {
		dst = append(dst, '@')
		dst = f.AppendOperand(dst, i.Guard)
		dst = append(dst, ' ')
	}
	dst = append(dst, i.Op.String()...)
	dst = i.Mods.Append(dst)
	for n, o := range i.Args {
		switch {
		case n == int(i.NDst) && n > 0:
			dst = append(dst, " = "...)
		case n == 0:
			dst = append(dst, ' ')
		default:
			dst = append(dst, ", "...)
		}
		dst = f.AppendOperand(dst, o)
	}
	if i.NDst > 0 && int(i.NDst) == len(i.Args) {
		dst = append(dst, " ="...)
	}
	for n, o := range i.Old {
		if n == 0 {
			dst = append(dst, " else "...)
		} else {
			dst = append(dst, ", "...)
		}
		dst = f.AppendOperand(dst, o)
	}
	if i.Line != 0 || i.Loc >= 0 || i.Sched != NoSched {
		dst = append(dst, " ;"...)
		if i.Line != 0 {
			if f.Module != nil && f.Module.Source != nil {
				_, line := f.Module.Source.Line(src.Pos(i.Line))
				dst = fmt.Appendf(dst, " line=%d", line)
			}
			dst = fmt.Appendf(dst, " pos=%d", i.Line)
		}
		if i.Loc >= 0 {
			dst = fmt.Appendf(dst, " loc=%d", i.Loc)
		}
		if i.Sched != NoSched {
			dst = append(append(dst, ' '), i.Sched.String()...)
		}
	}
	return dst
}

// String returns the control column: barriers waited for, read and write
// barrier, yield, stall. A P in front of the stall says that nothing else is
// wanted of the instruction.
func (s Sched) String() string {
	b := []byte("B------:R-:W-:-:S")
	for n := range 6 {
		if s.Wait>>n&1 != 0 {
			b[1+n] = '0' + byte(n)
		}
	}
	if s.RdBar >= 0 {
		b[9] = '0' + byte(s.RdBar)
	}
	if s.WrBar >= 0 {
		b[12] = '0' + byte(s.WrBar)
	}
	if s.Yield {
		b[14] = 'Y'
	}
	if s.Pad {
		b[16] = 'P'
	}
	return string(fmt.Appendf(b, "%02d", s.Stall))
}

// AppendOperand appends the text of an operand.
func (f *Func) AppendOperand(dst []byte, o Operand) []byte {
	for _, m := range [...]struct {
		flag Flags
		text byte
	}{{Neg, '-'}, {Inv, '~'}, {Abs, '|'}} {
		if o.Flags&m.flag != 0 {
			dst = append(dst, m.text)
		}
	}
	dst = f.appendBare(dst, o)
	for _, m := range [...]struct {
		flag Flags
		text string
	}{{Abs, "|"}, {H0, ".H0"}, {H1, ".H1"}, {B1, ".B1"}, {Reuse, ".reuse"}} {
		if o.Flags&m.flag != 0 {
			dst = append(dst, m.text...)
		}
	}
	return dst
}

func (f *Func) appendBare(dst []byte, o Operand) []byte {
	switch o.Kind {
	case KReg:
		return f.appendWords(dst, o)
	case KZero:
		return append(dst, zeroNames[o.Class]...)
	case KImm:
		return appendHex(dst, o.Imm)
	case KConst:
		dst = fmt.Appendf(dst, "c[%#x][", o.Sub)
		if o.Reg != NoReg {
			dst = fmt.Appendf(dst, "%c%d+", classLetters[o.Class], o.Reg)
		}
		return append(appendHex(dst, o.Imm), ']')
	case KLiteral:
		return fmt.Appendf(dst, "l[%#x]", uint64(o.Imm))
	case KSpecial:
		return append(dst, specialName(o.Imm)...)
	case KLabel:
		return fmt.Appendf(dst, "b%d", o.Reg)
	case KSymbol:
		dst = append(append(dst, '$'), f.Module.Symbols[o.Reg].Name...)
		dst = append(appendHex(append(dst, '+'), o.Imm), ':')
		return append(dst, partNames[o.Sub]...)
	case KTarget:
		return append(append(dst, '&'), f.Module.Funcs[o.Reg].Name...)
	case KAddr:
		dst = append(dst, '[')
		if o.Reg != NoReg {
			dst = f.appendWords(dst, o)
			if o.Flags&Wide != 0 {
				dst = append(dst, ".64"...)
			}
			dst = append(dst, '+')
		}
		return append(appendHex(dst, o.Imm), ']')
	case KUAddr:
		if o.Reg == NoReg {
			return append(append(append(dst, "+["...), zeroNames[UR]...), ']')
		}
		return append(f.appendWords(append(dst, "+["...), o), ']')
	case KDesc:
		if o.Reg == NoReg {
			return append(append(append(dst, "desc["...), zeroNames[UR]...), ']')
		}
		return append(f.appendWords(append(dst, "desc["...), o), ']')
	case KGdesc:
		if o.Reg == NoReg {
			return append(append(append(dst, "gdesc["...), zeroNames[UR]...), ']')
		}
		dst = append(f.appendWords(append(dst, "gdesc["...), o), "]+"...)
		return appendHex(dst, o.Imm)
	case KTmem:
		dst = append(f.appendWords(append(dst, "tmem["...), o), "]+"...)
		return appendHex(dst, o.Imm)
	}
	return append(dst, '_')
}

// appendWords appends the register of o and which of its words are meant.
func (f *Func) appendWords(dst []byte, o Operand) []byte {
	dst = append(dst, classLetters[o.Class])
	dst = strconv.AppendInt(dst, int64(o.Reg), 10)
	switch {
	case o.Sub == 0 && o.N == f.Regs[o.Reg].Width:
	case o.N == 1:
		dst = fmt.Appendf(dst, "[%d]", o.Sub)
	default:
		dst = fmt.Appendf(dst, "[%d:%d]", o.Sub, o.Sub+o.N)
	}
	return dst
}

func appendHex(dst []byte, v int64) []byte {
	if v < 0 {
		dst = append(dst, '-')
		return strconv.AppendUint(append(dst, "0x"...), -uint64(v), 16)
	}
	return strconv.AppendInt(append(dst, "0x"...), v, 16)
}
