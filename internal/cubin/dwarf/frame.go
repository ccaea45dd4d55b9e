// Package dwarf writes and reads the debug sections of a cubin that the
// compiler makes itself: the call frame table .debug_frame and the line
// programs .debug_line and .nv_debug_line_sass.
package dwarf

import (
	"encoding/binary"
	"errors"
)

var le = binary.LittleEndian

// regBase is the DWARF number of R0: the register class in the top byte,
// the register number below.
const regBase = 0x05000000

// Numbers of registers that frame rules name.
const (
	R1 = regBase + 1
	RZ = regBase + 0xff

	// NoReturn is the return address register of a kernel, which has none.
	NoReturn = 0xffffffff

	// ReturnAddress is the pseudo register whose rule computes where a
	// device function returns to.
	ReturnAddress = regBase + 0x100
)

// Call frame instructions that occur.
const (
	cfaAdvance4      = 0x04
	cfaOffset        = 0x05
	cfaUndefined     = 0x07
	cfaSameValue     = 0x08
	cfaRegister      = 0x09
	cfaDefCFA        = 0x0c
	cfaValExpression = 0x16

	opAddr  = 0x03
	opBregx = 0x92
	opPlus  = 0x22
)

// Program is a sequence of call frame instructions.
type Program []byte

// AdvanceRaw moves the location by n units, whatever they mean.
func (p Program) AdvanceRaw(n uint32) Program {
	p = append(p, cfaAdvance4)
	return le.AppendUint32(p, n)
}

// DefCFA says that the frame address is reg plus off.
func (p Program) DefCFA(reg, off uint64) Program {
	p = append(p, cfaDefCFA)
	p = binary.AppendUvarint(p, reg)
	return binary.AppendUvarint(p, off)
}

// SameValue says that reg is unchanged by the function.
func (p Program) SameValue(reg uint64) Program {
	p = append(p, cfaSameValue)
	return binary.AppendUvarint(p, reg)
}

// Place is where a function has what a register held when it began: the zero
// Place is the register itself.
type Place struct {
	Kind uint8
	At   int64 // distance from the frame address, a multiple of 4 below it, or number of a register
}

// Kinds of places.
const (
	InItself = iota
	OnStack
	InRegister
	Nowhere
)

// Number returns the DWARF number of register Rn.
func Number(n int) uint64 { return regBase + uint64(n) }

// Keep says where the value of reg is.
func (p Program) Keep(reg uint64, at Place) Program {
	const factor = -4
	switch at.Kind {
	case OnStack:
		p = binary.AppendUvarint(append(p, cfaOffset), reg)
		return binary.AppendUvarint(p, uint64(at.At/factor))
	case InRegister:
		p = binary.AppendUvarint(append(p, cfaRegister), reg)
		return binary.AppendUvarint(p, uint64(at.At))
	case Nowhere:
		return binary.AppendUvarint(append(p, cfaUndefined), reg)
	}
	return p.SameValue(reg)
}

// ReturnAt says that the return address is the value of reg plus the start
// of the function, which a relocation fills in.
func (p Program) ReturnAt(reg uint64) Program {
	p = append(p, cfaValExpression)
	p = binary.AppendUvarint(p, ReturnAddress)
	e := le.AppendUint64([]byte{opAddr}, 0)
	e = append(e, opBregx)
	e = binary.AppendUvarint(e, reg)
	e = append(e, 0, opPlus)
	p = binary.AppendUvarint(p, uint64(len(e)))
	return append(p, e...)
}

const codeAlign = 4

// noEnd is the last advance that files up to sm_89 close a frame with: the
// largest distance that the field holds.
const noEnd = 0x3ffffffc

// Plain returns the frame program of a kernel that keeps the stack pointer
// where it found it. exit is the offset of the last EXIT. Up to sm_89 the
// program starts at the second instruction and closes with an advance past
// everything; later ones have neither.
func Plain(exit uint32, frame uint64, isNew bool) Program {
	var p Program
	if isNew {
		p = p.AdvanceRaw(exit / codeAlign)
		return p.AdvanceRaw(codeAlign).DefCFA(R1, frame)
	}
	p = p.AdvanceRaw(codeAlign).AdvanceRaw(exit / codeAlign)
	return p.DefCFA(R1, frame).AdvanceRaw(noEnd / codeAlign)
}

// Made returns the frame program of a kernel whose frame is there from the
// instruction at an offset on, with the same ends as Plain's.
func Made(at, exit uint32, frame uint64, isNew bool) Program {
	var p Program
	if isNew {
		return p.AdvanceRaw(at/codeAlign).DefCFA(R1, frame).AdvanceRaw((exit - at) / codeAlign)
	}
	p = p.AdvanceRaw(codeAlign).AdvanceRaw(at/codeAlign - codeAlign)
	return p.DefCFA(R1, frame).AdvanceRaw(noEnd / codeAlign)
}

// Frame is one CIE with its FDE: the rules of one function.
type Frame struct {
	CodeAlign uint64 // 4; 1 in capsule copies
	Return    uint64 // return address register
	Initial   Program
	Start     uint64 // offset of the function in its section
	Size      uint64
	Rules     Program
}

// KernelFrame returns the frame of a kernel with its usual initial rules.
func KernelFrame(size uint64, rules Program) Frame {
	var init Program
	return Frame{
		CodeAlign: codeAlign, Return: NoReturn, Size: size, Rules: rules,
		Initial: init.DefCFA(R1, 0).SameValue(RZ).SameValue(R1),
	}
}

// CalleeFrame returns the frame of a function in the section of a kernel: the
// pair of registers from reg on says where it returns to, from the kernel's
// start.
func CalleeFrame(start, size, reg uint64, rules Program) Frame {
	var init Program
	return Frame{
		CodeAlign: codeAlign, Return: ReturnAddress, Start: start, Size: size, Rules: rules,
		Initial: init.DefCFA(R1, 0).SameValue(RZ).SameValue(R1).SameValue(reg).ReturnAt(reg),
	}
}

// Fixes are the places of a frame, as offsets in the table, that
// relocations fill: the FDE's CIE pointer, start and size, and the function
// address inside the CIE, -1 when it has none.
type Fixes struct {
	CIEPointer, Start, Size int
	Address                 int
	CIE                     uint64 // offset of the CIE that CIEPointer means
}

const cieMark = ^uint64(0)

// Append adds the CIE and FDE of a frame to a table. The start is written
// into the place too, as files that relocate without addends need.
func Append(b []byte, f Frame) ([]byte, Fixes) {
	fix := Fixes{Address: -1, CIE: uint64(len(b))}
	body := le.AppendUint64(nil, cieMark)
	body = append(body, 3, 0)
	body = binary.AppendUvarint(body, f.CodeAlign)
	body = append(body, 0x7c) // data alignment factor -4
	body = binary.AppendUvarint(body, f.Return)
	if at := addressAt(f.Initial); at >= 0 {
		fix.Address = len(b) + entryHead + len(body) + at
	}
	body = append(body, f.Initial...)
	b = appendEntry(b, body)
	fix.CIEPointer = len(b) + entryHead
	fix.Start, fix.Size = fix.CIEPointer+8, fix.CIEPointer+16
	body = le.AppendUint64(nil, fix.CIE)
	body = le.AppendUint64(body, f.Start)
	body = le.AppendUint64(body, f.Size)
	body = append(body, f.Rules...)
	return appendEntry(b, body), fix
}

// entryHead is the length of an entry's head: the 64-bit DWARF escape and
// the length.
const entryHead = 12

func appendEntry(b, body []byte) []byte {
	for (entryHead+len(body))%8 != 0 {
		body = append(body, 0)
	}
	b = le.AppendUint32(b, ^uint32(0))
	b = le.AppendUint64(b, uint64(len(body)))
	return append(b, body...)
}

// addressAt finds the operand of the address operation inside the
// val_expression rule of a CIE.
func addressAt(p Program) int {
	for i := 0; i < len(p); {
		op := p[i]
		i++
		switch op {
		case 0:
		case cfaSameValue:
			_, n := binary.Uvarint(p[i:])
			if n <= 0 {
				return -1
			}
			i += n
		case cfaDefCFA:
			for range 2 {
				_, n := binary.Uvarint(p[i:])
				if n <= 0 {
					return -1
				}
				i += n
			}
		case cfaValExpression:
			_, n := binary.Uvarint(p[i:])
			if n <= 0 || i+n+2 > len(p) || p[i+n+1] != opAddr || i+n+2+8 > len(p) {
				return -1
			}
			return i + n + 2
		default:
			return -1
		}
	}
	return -1
}

var errFrame = errors.New("call frame table is malformed")

// Parse reads a table of CIE and FDE pairs, each FDE behind its CIE.
// Trailing padding of programs is cut off; Append puts it back.
func Parse(b []byte) ([]Frame, error) {
	var list []Frame
	for len(b) > 0 {
		cie, rest, ok := cutEntry(b)
		if !ok || len(cie) < 12 || le.Uint64(cie) != cieMark || cie[8] != 3 || cie[9] != 0 {
			return nil, errFrame
		}
		fde, rest, ok := cutEntry(rest)
		if !ok || len(fde) < 24 {
			return nil, errFrame
		}
		b = rest
		f := Frame{Start: le.Uint64(fde[8:]), Size: le.Uint64(fde[16:]), Rules: trim(fde[24:])}
		p := cie[10:]
		var n int
		if f.CodeAlign, n = binary.Uvarint(p); n <= 0 || n >= len(p) {
			return nil, errFrame
		}
		p = p[n+1:]
		if f.Return, n = binary.Uvarint(p); n <= 0 {
			return nil, errFrame
		}
		f.Initial = trim(p[n:])
		list = append(list, f)
	}
	return list, nil
}

func cutEntry(b []byte) (entry, rest []byte, ok bool) {
	if len(b) < entryHead || le.Uint32(b) != ^uint32(0) {
		return nil, nil, false
	}
	n := le.Uint64(b[4:])
	if n > uint64(len(b)-entryHead) {
		return nil, nil, false
	}
	return b[entryHead : entryHead+n], b[entryHead+n:], true
}

// trim cuts the zero padding of a program. A DefCFA may end in a zero
// offset of its own, which the padding would hide, so one zero is given
// back when the program would end inside it.
func trim(p []byte) Program {
	n := len(p)
	for n > 0 && p[n-1] == 0 {
		n--
	}
	for n < len(p) && !whole(p[:n]) {
		n++
	}
	return Program(p[:n:n])
}

// whole reports whether a program does not end inside an instruction, as
// far as the instructions are known.
func whole(p []byte) bool {
	for i := 0; i < len(p); {
		n := insLen(p[i:])
		if n == 0 {
			return false
		}
		i += n
	}
	return true
}

// insLen returns the length of the first instruction, 0 when it is cut off.
func insLen(p []byte) int {
	uleb := func(at, count int) int {
		for range count {
			_, n := binary.Uvarint(p[min(at, len(p)):])
			if n <= 0 {
				return 0
			}
			at += n
		}
		return at
	}
	op := p[0]
	switch {
	case op>>6 == 1 || op>>6 == 3: // advance_loc, restore
		return 1
	case op>>6 == 2: // offset
		return uleb(1, 1)
	}
	switch op {
	case 0:
		return 1
	case cfaAdvance4:
		if len(p) < 5 {
			return 0
		}
		return 5
	case 0x02:
		return min(2, len(p)/2*2)
	case 0x03:
		if len(p) < 3 {
			return 0
		}
		return 3
	case 0x06, 0x07, cfaSameValue, 0x0d, 0x0e: // restore_extended, undefined, same_value, def_cfa_register, def_cfa_offset
		return uleb(1, 1)
	case 0x05, 0x09, cfaDefCFA, 0x14: // offset_extended, register, def_cfa, val_offset
		return uleb(1, 2)
	case 0x0a, 0x0b: // remember_state, restore_state
		return 1
	case 0x10, cfaValExpression: // expression, val_expression
		at := uleb(1, 1)
		if at == 0 {
			return 0
		}
		size, n := binary.Uvarint(p[min(at, len(p)):])
		if n <= 0 || size > uint64(len(p)-at-n) {
			return 0
		}
		return at + n + int(size)
	}
	return len(p)
}
