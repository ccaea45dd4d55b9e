package sass

import (
	mathbits "math/bits"

	"github.com/goptxas/goptxas/internal/engine/bits"
)

// Kind is the kind of an operand.
type Kind uint8

// Operand kinds.
const (
	KindNone  Kind = iota
	KindReg        // a register of some File
	KindImm        // integer immediate
	KindFloat      // float immediate, as the bits of its format
	KindConst      // constant bank operand
	KindLabel      // code address relative to the next instruction
)

// File is a register file.
type File uint8

// Register files.
const (
	FileNone File = iota
	FileR         // R0 to R254, RZ = 255
	FileU         // UR0 …, URZ = 63 before sm_100 and 255 after
	FileP         // P0 to P6, PT = 7
	FileUP        // UP0 to UP6, UPT = 7
	FileB         // convergence barriers
	FileSB        // scoreboards
)

// Role says how an instruction uses an operand.
type Role uint8

// Operand roles.
const (
	Read Role = iota
	Write
	Both
	Address // read to form an address
)

// Operand is one operand of an instruction, as Arg returns it.
type Operand struct {
	Kind  Kind
	File  File
	Role  Role
	Reg   uint8 // register, predicate or barrier number
	Zero  bool  // the register is RZ, URZ, PT or UPT
	Neg   bool  // -x, or !p
	Inv   bool  // ~x
	Abs   bool  // |x|
	Reuse bool
	Bank  uint8 // constant bank
	Width uint8 // consecutive registers
	Imm   int64 // immediate, constant offset or relative address
}

// Align returns the alignment of the register number that the hardware
// asks for: the width rounded up to a power of two, four at most.
func (o *Operand) Align() int {
	switch {
	case o.Width >= 3:
		return 4
	case o.Width == 2:
		return 2
	}
	return 1
}

// NArg returns the number of operands of i. The parts of an address are
// operands of their own.
func (i *Inst) NArg() int { return int(forms[i.form].narg) }

// Arg returns operand n of i in the order of the text.
func (i *Inst) Arg(n int) Operand {
	f := &forms[i.form]
	if uint(n) >= uint(f.narg) {
		return Operand{}
	}
	a := &args[f.arg+uint32(n)]
	it := &items[f.item+uint32(a.item)]
	o := Operand{File: a.file, Role: a.role, Width: i.argWidth(f, a)}
	i.fill(&o, it)
	return o
}

// argWidth returns the registers that an operand spans: a constant of the
// form, or what one of its modifiers says.
func (i *Inst) argWidth(f *form, a *argInfo) uint8 {
	switch a.wmod {
	case wNone:
		return a.width
	case wLow:
		low, _ := i.texWidths()
		return low
	case wHigh:
		_, high := i.texWidths()
		return high
	case wCoord:
		v, _ := items[f.item+uint32(a.width)].value(&i.w)
		return i.texCoords(max(v.width[0], 1))
	}
	v, ok := items[f.item+uint32(a.wmod)].value(&i.w)
	if !ok || v.width[a.wcol] == 0 {
		return 1
	}
	return v.width[a.wcol]
}

// Fields of a texture fetch: component mask, half-float results, .SCR, and
// what needs a value of its own: offset, depth or sample, level of detail
// from two on.
const (
	texMaskBit   = 72
	texHalfBit   = 79
	texScalarBit = 60
	texOffsetBit = 76
	texDepthBit  = 78
	texLodBit    = 87

	texNewOffsetBit = 56 // from sm_100 on
)

// texHandleShape is the operand shape of a texture fetch that finds its
// handle in a register.
const texHandleShape = 1

// texCoords returns the registers of the first source of a texture fetch
// with n coordinates: all of them or, in .SCR mode, the first half of all
// its values, two at most. A handle in a register is one of the values; TXD
// has it before the coordinates, and offsets behind them where no layer is.
func (i *Inst) texCoords(n uint8) uint8 {
	handle := uint8(0)
	if i.w.Field(0, 12)>>9 == texHandleShape {
		handle = 1
	}
	switch {
	case i.Op() == OpTXD:
		if n <= 2 && i.w.Field(texOffsetBit, 1)+i.w.Field(texNewOffsetBit, 2) != 0 {
			n = 3
		}
		return n + handle
	case !i.w.Bit(texScalarBit):
		return n
	}
	n += handle + uint8(i.w.Field(texOffsetBit, 1)+i.w.Field(texDepthBit, 1))
	if i.Op() != OpTLD4 && i.w.Field(texLodBit, 3) >= 2 { // there TLD4 has its component
		n++
	}
	return min((n+1)/2, 2)
}

// texWidths returns the registers that the two destinations of a texture
// fetch receive.
func (i *Inst) texWidths() (low, high uint8) {
	n := uint8(mathbits.OnesCount64(i.w.Field(texMaskBit, 4)))
	if i.w.Field(texHalfBit, 2) != 0 {
		n = (n + 1) / 2
		return min(n, 1), max(n, 1) - 1
	}
	return min(n, 2), max(n, 2) - 2
}

func (i *Inst) fill(o *Operand, it *item) {
	v := it.get(&i.w)
	if it.neg != 0 && i.w.Bit(uint(it.neg)) {
		o.Neg, o.Inv = it.flags&fInv == 0, it.flags&fInv != 0
	}
	o.Abs = it.abs != 0 && i.w.Bit(uint(it.abs))
	switch it.kind {
	case kReg, kUReg, kPred, kUPred, kBar, kSB, kHidden:
		o.Kind = KindReg
		if it.flags&fRev != 0 {
			v = 7 - v&7
		}
		o.Reg = uint8(v)
		o.Zero = (it.kind <= kUPred || it.kind == kHidden) && v == 1<<it.width()-1
		o.Reuse = it.kind == kReg && i.reused(it)
	case kUImm:
		o.Kind, o.Imm = KindImm, int64(v)<<it.shift
	case kSImm:
		o.Kind, o.Imm = KindImm, signed(v, it.width())<<it.shift
	case kRel:
		o.Kind, o.Imm = KindLabel, signed(v, it.width())<<it.shift
	case kConst:
		o.Kind, o.Imm = KindConst, signed(v, it.width())<<2
		o.Bank = uint8(i.w.Field(bankBit, 5))
	default:
		o.Kind, o.Imm = KindFloat, int64(v)
	}
}

// bankBit is the place of the constant bank in a constant operand.
const bankBit = 54

// reused reports whether the operand cache flag of a register source is
// set and means something: bit 109 must be set too (golden data, control
// field).
func (i *Inst) reused(it *item) bool {
	return it.reuse != 0 && i.w.Bit(uint(it.reuse)) && i.w.Bit(109)
}

func signed(v uint64, n uint) int64 { return int64(v<<(64-n)) >> (64 - n) }

// unit is the shift between a field and the value it stands for.
func (it *item) unit() uint {
	if it.kind == kConst {
		return 2
	}
	return uint(it.shift)
}

func (it *item) signedField() bool { return it.kind == kSImm || it.kind == kRel || it.kind == kConst }

func (it *item) immRange() (lo, hi int64) {
	n := it.width()
	if n == 64 {
		return -1 << 63, 1<<63 - 1
	}
	if it.signedField() {
		return -1 << (n - 1) << it.unit(), (1<<(n-1) - 1) << it.unit()
	}
	return 0, (1<<n - 1) << it.unit()
}

// setImm stores v when it fits. A 32-bit field takes both readings of its
// bits, so that -1 and 0xffffffff are the same immediate.
func (it *item) setImm(w bits.Word, v int64) (bits.Word, bool) {
	u := it.unit()
	if v&(1<<u-1) != 0 {
		return w, false
	}
	if it.width() == 64 {
		return it.set(w, uint64(v)), true
	}
	lo, hi := it.immRange()
	if it.width() == 32 && u == 0 {
		lo, hi = -1<<31, 1<<32-1
	}
	if v < lo || v > hi {
		return w, false
	}
	return it.set(w, uint64(v>>u)), true
}

// Sign says which of the marks -x, ~x, !p and |x| an operand carries.
type Sign uint8

// Marks of an operand.
const (
	SignNeg Sign = 1 << iota // -x, ~x or !p, whichever the form has
	SignAbs                  // |x|
)
