package row

import (
	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// This file chooses the form: stage two of Check.

// argRow explains one letter of Form.Args.
type argRow struct {
	ref    int8     // 1 to 5: the type in that place of the form's types
	fixed  isa.Type // the type when ref is 0
	dst    bool
	made   bool // a result that is looked at like a source
	kinds  kinds
	wide   bool // twice as wide as the type
	grow   bool // a register wider than the type will do
	loose  bool // an integer register will do
	vec    bool // a vector is meant
	tex    bool // an address of a texture or surface
	tmem   bool // an address in tensor memory will do
	tensor bool // an address of a tensor map
	desc   bool // a 64-bit descriptor, or else registers of a matrix
	frag   bool // registers of a matrix: small elements are packed
}

// kinds is a set of operand kinds.
type kinds uint16

const (
	kReg  kinds = 1 << isa.KReg
	kInt  kinds = 1 << isa.KInt
	kImm  kinds = 1<<isa.KInt | 1<<isa.KDouble | 1<<isa.KSingle
	kSpec kinds = 1 << isa.KSpecial
	kSym  kinds = 1 << isa.KSymbol
	kAddr kinds = 1 << isa.KAddr
	kVec  kinds = 1 << isa.KVector
	kSink kinds = 1 << isa.KSink
	// kVal is any scalar: whether this one is fit is told later.
	kVal = kReg | kImm | kSpec | kSym | kVec | kAddr
	kDst = kVal | kSink
)

// argRows gives the meaning of the letters.
var argRows = [128]argRow{
	'd': {ref: 1, dst: true, kinds: kDst},                        // result of the first type
	'D': {ref: 2, dst: true, kinds: kDst},                        // result of the second type
	'a': {ref: 1, kinds: kVal},                                   // source of the first type
	'b': {ref: 2, kinds: kVal},                                   // source of the second type
	'c': {ref: 3, kinds: kVal},                                   // source of the third type
	'w': {ref: 1, dst: true, kinds: kDst, wide: true},            // result twice as wide
	'W': {ref: 1, kinds: kVal, wide: true},                       // source twice as wide
	'x': {ref: 1, dst: true, kinds: kDst, grow: true},            // result that may be wider
	'y': {ref: 2, kinds: kVal, grow: true},                       // source of the second type that may be wider
	'z': {ref: 1, kinds: kVal, grow: true},                       // source that may be wider
	'C': {ref: 3, kinds: kVal, grow: true},                       // source of the third type that may be wider
	'h': {ref: 1, dst: true, kinds: kDst, loose: true},           // result in a register of bits or integers
	'U': {fixed: isa.U32, dst: true, kinds: kDst, grow: true},    // .u32 result that may be wider
	'n': {fixed: isa.U32, dst: true, kinds: kDst},                // .u32 result
	'N': {fixed: isa.B32, dst: true, kinds: kDst},                // .b32 result
	'u': {fixed: isa.U32, kinds: kVal},                           // .u32 source
	'v': {fixed: isa.B32, kinds: kVal},                           // .b32 source
	'k': {fixed: isa.U64, kinds: kVal},                           // .b64 source
	'K': {fixed: isa.U64, dst: true, kinds: kDst},                // .b64 result
	'j': {fixed: isa.U16, kinds: kVal},                           // .u16 source
	'Q': {fixed: isa.B128, kinds: kVal},                          // .b128 source
	'r': {fixed: isa.S32, kinds: kVal},                           // .s32 source
	'f': {fixed: isa.F32, kinds: kVal},                           // .f32 source
	'q': {fixed: isa.Pred, dst: true, kinds: kDst},               // predicate result
	'p': {fixed: isa.Pred, kinds: kVal},                          // predicate source
	'A': {ref: 1, kinds: kVal},                                   // source of the first type, variables too
	'M': {ref: 1, dst: true, kinds: kDst},                        // result of mov: scalar or unpacked vector
	'O': {ref: 1, kinds: kVal | 1<<isa.KFunc},                    // source of mov: scalar, packed vector, address
	'i': {fixed: isa.U32, kinds: kInt},                           // integer constant
	't': {ref: 2, kinds: kAddr, tex: true},                       // texture with coordinates of the second type
	's': {fixed: isa.S32, kinds: kAddr, tex: true},               // surface with integer coordinates
	'L': {ref: 2, kinds: kVal},                                   // mipmap level
	'G': {ref: 2, kinds: kVal | kVec, vec: true},                 // gradient
	'R': {ref: 1, dst: true, kinds: kDst, vec: true, frag: true}, // matrix fragment D
	'X': {ref: 2, kinds: kVal, vec: true, frag: true},            // matrix fragment A
	'Y': {ref: 3, kinds: kVal, vec: true, frag: true},            // matrix fragment B
	'Z': {ref: 4, kinds: kVal, vec: true, frag: true},            // matrix fragment C
	'F': {fixed: isa.B32, kinds: kVal, vec: true},                // registers of packed matrices
	'2': {fixed: isa.B32, kinds: kVal, vec: true, made: true},    // those, loaded
	'I': {fixed: isa.U16, kinds: kVal, vec: true},                // byte and thread of a scale
	'H': {fixed: isa.F16x2, kinds: kVal, vec: true},              // matrix fragment of halves
	'S': {ref: 1, kinds: kVal, vec: true, frag: true},            // matrix fragment to store
	'g': {ref: 2, kinds: kVal, vec: true, desc: true},            // matrix A: descriptor or registers
	'o': {fixed: isa.B32, kinds: kAddr, tensor: true},            // tensor map with coordinates
	'J': {fixed: isa.B16, kinds: kVal, vec: true},                // offsets of a convolution
	'e': {fixed: isa.B64, kinds: kVal, desc: true, tmem: true},   // matrix A: descriptor or tensor memory
	'E': {ref: 1, dst: true, kinds: kDst, vec: true},             // registers of the first type
	'P': {fixed: isa.B32, kinds: kVal, vec: true},                // offset or depth of a texture
	'3': {fixed: isa.B32, dst: true, kinds: kDst, vec: true},     // .b32 result, in braces or not
	'B': {fixed: isa.B32, kinds: kReg},                           // .b32 register
	'1': {fixed: isa.B32, kinds: kReg | kVec, vec: true},         // .b32 register, in braces or not
	'm': {kinds: kAddr},                                          // address
	'4': {kinds: kAddr, tmem: true},                              // address in tensor memory
	'l': {kinds: 1 << isa.KLabel},                                // label
	'T': {kinds: 1 << isa.KTable},                                // table of labels
	'!': {},                                                      // nothing fits
	'V': {ref: 2, kinds: kVec, vec: true},                        // vector of the second type
	'*': {kinds: 0xffff},                                         // anything: a rule looks at it
}

// match chooses the form, or complains and returns false.
func (c *Checker) match() bool {
	in, row := c.In, c.Row
	var known Early
	for i := range row.Forms {
		known |= row.Forms[i].May | row.Forms[i].Must
	}
	if bad := in.Early &^ known; bad != 0 {
		c.earlyIllegal(bad)
		return false
	}
	typed := false
	for i := range row.Forms {
		f := &row.Forms[i]
		if in.Early&^(f.May|f.Must) != 0 || !c.typesFit(f) {
			continue
		}
		typed = true
		if in.Early&f.Must == f.Must && c.argsFit(f) {
			c.Form = f
			return true
		}
	}
	if !typed {
		c.Errorf("Unexpected instruction types specified for '%s'", row.Name)
		if in.Op == isa.WWmma && in.NTypes == 4 && Int4.Has(in.Types[1]) && Int4.Has(in.Types[2]) {
			// The reference says it twice of two kinds of 4-bit integers.
			c.Errorf("Unexpected instruction types specified for '%s'", row.Name)
		}
		return false
	}
	c.hintMissing()
	for range max(1, c.singles()) {
		c.Errorf("Arguments mismatch for instruction '%s'", row.Name)
	}
	return false
}

// singles counts the f32 registers in an operation on pairs of bf16: each is
// complained about.
func (c *Checker) singles() (n int) {
	if c.In.NTypes != 1 || c.In.Types[0] != isa.BF16x2 {
		return 0
	}
	for i := range c.In.Args {
		if o := &c.In.Args[i]; o.Kind == isa.KReg && o.Type == isa.F32 {
			n++
		}
	}
	return n
}

// hintMissing: the operands would fit with a cache hint.
func (c *Checker) hintMissing() {
	in := c.In
	switch c.Row.Name {
	case "ld", "st", "atom", "red":
	default:
		return
	}
	if in.Early&EarlyHint != 0 {
		return
	}
	for i := range c.Row.Forms {
		f := &c.Row.Forms[i]
		if f.Must&EarlyHint != 0 && in.Early&^(f.May|f.Must) == 0 && (in.Early|EarlyHint)&f.Must == f.Must && c.typesFit(f) && c.argsFit(f) && in.Args[len(in.Args)-1].Kind != isa.KVector {
			if in.Args[len(in.Args)-1].Kind == isa.KSpecial {
				c.Errorf("Special register argument not allowed for instruction '%s'", c.Row.Name)
			}
			c.Errorf(".L2::cache_hint modifier required for instruction '%s' with %d arguments", c.Row.Name, len(in.Args))
			return
		}
	}
}

// earlyIllegal complains about the early words no form has.
func (c *Checker) earlyIllegal(bad Early) {
	for _, w := range c.In.Mods {
		if EarlyOf[w]&bad != 0 {
			c.Illegal("." + w.String())
			return
		}
	}
}

func (c *Checker) typesFit(f *Form) bool {
	in := c.In
	if in.NTypes != len(f.Types) {
		return false
	}
	for i, s := range f.Types {
		if !s.Has(in.Types[i]) {
			return false
		}
	}
	return true
}

// argsFit reports whether the operands have the kinds and types the form's
// letters ask for.
func (c *Checker) argsFit(f *Form) bool {
	args := c.In.Args
	n := 0
	optional := false
	for i := range len(f.Args) {
		letter := f.Args[i]
		if letter == '?' {
			optional = true
			continue
		}
		if n == len(args) {
			return optional
		}
		if !c.LetterFits(letter, &args[n]) {
			return false
		}
		n++
	}
	return n == len(args)
}

// LetterFits reports whether an operand is what a letter of Form.Args says.
func (c *Checker) LetterFits(letter byte, o *isa.Operand) bool {
	return c.argFits(&argRows[letter&127], o)
}

// Writes reports whether operand i is a result.
func (f *Form) Writes(i int) bool {
	c := Checker{Form: f}
	r := &argRows[c.Letter(i)]
	return r.dst || r.made
}

// TakesAddress reports whether operand i of the form found is an address.
func (in *Inst) TakesAddress(i int) bool {
	if in.Form == nil {
		return true
	}
	c := Checker{Form: in.Form}
	return argRows[c.Letter(i)].kinds&kReg == 0
}

// IsTexture reports whether operand i of the form is a texture, a surface or
// a sampler.
func (c *Checker) IsTexture(i int) bool { return argRows[c.Letter(i)].tex }

func (c *Checker) argFits(r *argRow, o *isa.Operand) bool {
	if r == &argRows['1'] && c.In.Op == isa.WMma {
		return wordFits(o)
	}
	if r.kinds>>o.Kind&1 == 0 {
		return false
	}
	if r == &argRows['I'] && o.Kind == isa.KVector && len(o.Elems) > 1 { // the thread may be any integer
		t := o.Elems[1].Type
		return c.valueFits(&o.Elems[0], r.fixed, false) && (o.Elems[1].Kind == isa.KInt || o.Elems[1].Kind == isa.KReg && (t.IsInt() || t.Class() == isa.Bits))
	}
	if c.onlyRegisters(r) && (o.IsConst() && r != &argRows['1'] || o.Kind == isa.KVector && len(o.Elems) > 0 && o.Elems[0].IsConst()) {
		return false
	}
	t := r.fixed
	if r.ref > 0 {
		t = c.In.Types[r.ref-1]
	}
	if c.anyWord(r, t) {
		return wordFits(o)
	}
	if c.In.Op == isa.WMultimem && t.Class() == isa.PackedFloat && t != isa.F16x2 && t.Bits() == 32 && (o.Kind != isa.KVector || !o.Elems[0].IsConst()) {
		t = isa.B32 // any register of this width
	}
	if r.frag && o.Kind != isa.KVector && (t == isa.F16 || t == isa.F64 || t == isa.F32) && c.In.Op == isa.WMma {
		return (o.Kind != isa.KSymbol || t == isa.F64) && c.valueFits(o, fragType(t), false)
	}
	if o.Kind == isa.KVector && r.ref == 0 && !r.vec && r.kinds != 0xffff {
		return false
	}
	if (o.Kind == isa.KAddr || o.Kind == isa.KSymbol) && r.kinds&kReg != 0 && (r.ref == 0 || r.vec) && !r.tmem && r.kinds != 0xffff {
		return false
	}
	if o.Kind == isa.KAddr && (r.kinds&kReg == 0 || t == isa.TNone || r.tmem) {
		return c.addrFits(r, o, t)
	}
	if t == isa.TNone {
		return true
	}
	if r.wide {
		t = widen(t)
	}
	if r.frag {
		t = fragType(t)
	}
	if r.desc {
		if o.Kind == isa.KVector {
			t = fragType(t)
		} else {
			t = isa.B64
		}
	}
	if o.Kind == isa.KVector && (r == &argRows['M'] || r == &argRows['O']) && !c.In.Has(isa.SlotVec) {
		return packFits(o, t)
	}
	if o.Kind == isa.KVector && r.ref > 0 && !r.vec && !c.In.Has(isa.SlotVec) && t.Class() == isa.Bits && (c.Row.Flags&(FlagTexture|FlagVector) == 0 || c.In.Op == isa.WMultimem) {
		return packFits(o, t) && (len(o.Elems) == 1 || !regFits(o.Elems[0].Type, t, false))
	}
	if o.Type == isa.F16x2 && o.Kind == isa.KReg && t.IsInt() && (r.frag || r.ref == 0) {
		return false
	}
	if (o.Kind == isa.KSingle || o.Kind == isa.KDouble) && r.ref == 0 && !t.IsFloat() {
		return false
	}
	return c.valueFits(o, t, r.grow) || r.loose && o.Kind == isa.KReg && !o.Not && o.Type.IsInt() && o.Type.Bits() == t.Bits()
}

// onlyRegisters reports whether a letter asks for registers of a matrix that
// no constant can stand for.
func (c *Checker) onlyRegisters(r *argRow) bool {
	switch r {
	case &argRows['1'], &argRows['2']:
		return true
	case &argRows['F']:
		return c.In.Op == isa.WTcgen05 || c.In.Op == isa.WStmatrix
	}
	return false
}

// anyWord reports whether a letter takes 32 bits of whatever type: metadata,
// and registers of matrices whose elements have no registers of their own, or
// with which such ones are multiplied.
func (c *Checker) anyWord(r *argRow, t isa.Type) bool {
	if c.In.Op != isa.WMma {
		return false
	}
	if !r.frag {
		return false
	}
	switch f := fragType(t); f {
	case isa.B32, isa.BF16x2, isa.TF32:
		return true
	case isa.F32:
		return !F8F6F4.Has(c.In.Types[1])
	}
	return false
}

// wordFits reports whether an operand holds 32 bits. Predicates count as such.
func wordFits(o *isa.Operand) bool {
	switch o.Kind {
	case isa.KReg, isa.KSpecial:
		return o.Type.Bits() == 32 || o.Type == isa.Pred
	case isa.KSingle, isa.KSink:
		return true
	case isa.KAddr:
		return len(o.Elems) == 0 && (o.Base == isa.KSymbol || o.Base == isa.KReg && o.Type.Bits() == 32)
	case isa.KVector:
		for i := range o.Elems {
			if e := &o.Elems[i]; e.Kind != isa.KInt && !wordFits(e) {
				return false
			}
		}
		return true
	}
	return false
}

// addrFits reports whether an address is of the wanted kind: plain ones have
// nothing after the base, textures have a 64-bit handle or a reference, and
// coordinates of type t.
func (c *Checker) addrFits(r *argRow, o *isa.Operand, t isa.Type) bool {
	if r.tmem && (o.Base == isa.KReg && (o.Type.Bits() != 32 || o.Type.IsFloat()) || o.Base == isa.KSymbol && c.Row.Takes(isa.SlotKind)) {
		return false
	}
	if r.tensor {
		return len(o.Elems) == 1 && c.valueFits(&o.Elems[0], t, false)
	}
	if !r.tex {
		return len(o.Elems) == 0
	}
	switch o.Base {
	case isa.KReg:
		if o.Type.Bits() != 64 || o.Type.IsFloat() {
			return false
		}
	case isa.KSymbol:
		if !o.Type.IsOpaque() {
			return false
		}
	default:
		return false
	}
	n := len(o.Elems)
	if c.Row.Mods[0] == isa.SlotQuery {
		return n == 0
	}
	if n == 2 && !samplerFits(&o.Elems[0]) {
		return false
	}
	return (n == 1 || n == 2) && (o.Elems[n-1].Kind != isa.KSymbol || !o.Elems[n-1].Type.IsOpaque()) && c.coordsFit(&o.Elems[n-1], t)
}

// samplerFits: what stands between a texture and coordinates is a reference or
// holds a handle; whether it is a sampler's, a rule of the texture mode asks.
func samplerFits(o *isa.Operand) bool {
	switch o.Kind {
	case isa.KReg:
		return o.Type.Bits() == 64 && !o.Type.IsFloat()
	case isa.KSymbol:
		return o.Type.IsOpaque()
	}
	return false
}

// coordsFit: coordinates are of one type, but the first of an array of
// textures, which is the number of a layer: texIndex looks at that.
func (c *Checker) coordsFit(o *isa.Operand, t isa.Type) bool {
	if o.Kind != isa.KVector || !c.IsArray() || len(o.Elems) == 0 {
		return c.valueFits(o, t, false)
	}
	if e := &o.Elems[0]; e.Kind != isa.KInt && !c.valueFits(e, isa.B32, false) {
		return false
	}
	first := isa.TNone // plain bits where one register is, else the first one's type
	for i := range o.Elems[1:] {
		e := &o.Elems[1+i]
		if e.Kind == isa.KReg && e.Type == isa.Pred {
			return false
		}
		if e.Kind == isa.KReg && (first == isa.TNone || e.Own.Class() == isa.Bits) {
			first = e.Own
		} else if e.Kind != isa.KReg && e.Kind != isa.KSink && !c.valueFits(e, t, false) {
			return false
		}
	}
	return first == isa.TNone || regFits(first, t, false)
}

// valueFits reports whether a scalar operand goes with type t.
func (c *Checker) valueFits(o *isa.Operand, t isa.Type, grow bool) bool {
	switch o.Kind {
	case isa.KReg:
		if o.Not { // what is negated counts as a predicate
			return t == isa.Pred
		}
		return regFits(o.Type, t, grow)
	case isa.KInt:
		return intFits(t)
	case isa.KDouble:
		return t == isa.F32 || t == isa.F64 || t == isa.B64
	case isa.KSingle:
		return t == isa.F32 || t == isa.F64 || t == isa.B32
	case isa.KSpecial:
		return specialFits(o, t, grow)
	case isa.KSymbol:
		return symbolFits(o, t, grow) && (c.In.Op != isa.WMov || !t.IsFloat())
	case isa.KAddr:
		switch o.Base {
		case isa.KReg:
			return len(o.Elems) == 0 && regFits(o.Type, t, grow)
		case isa.KInt: // a number of 64 bits
			return (t.Bits() == 64 || grow && t.Bits() < 64) && !t.IsFloat() && t != isa.Pred
		}
		return len(o.Elems) == 0 && !t.IsFloat() && symbolFits(o, t, grow)
	case isa.KVector:
		for i := range o.Elems {
			if e := &o.Elems[i]; e.Kind != isa.KSink && !c.valueFits(e, t, grow) && !c.elementFits(e, t) {
				return false
			}
		}
		return true
	case isa.KSink:
		return true
	case isa.KFunc:
		return t.Bits() >= 32 && !t.IsFloat()
	}
	return false
}

// elementFits: vectors of floats in memory go with integer registers too.
func (c *Checker) elementFits(e *isa.Operand, t isa.Type) bool {
	switch c.In.Op {
	case isa.WLd, isa.WLdu, isa.WSt:
	default:
		return false
	}
	return e.Kind == isa.KReg && (t == isa.F32 || t == isa.F64) && e.Type.IsInt() && e.Type.Bits() == t.Bits()
}

// symbolFits: the address of a variable passes as a number of 64 or 32 bits,
// that of a variable outside global memory as one of 32.
func symbolFits(o *isa.Operand, t isa.Type, grow bool) bool {
	if t == isa.Pred || t.IsOpaque() || o.Kind == isa.KSymbol && t.Bits() <= 64 && o.Space == isa.SpaceGlobal {
		return t != isa.Pred && !t.IsOpaque()
	}
	if t.Bits() == 64 {
		return o.Kind == isa.KSymbol
	}
	return t.Bits() == 32 || grow && t.Bits() < 32 || o.Kind == isa.KSymbol
}

func intFits(t isa.Type) bool {
	switch t.Class() {
	case isa.Bits, isa.Signed, isa.Unsigned, isa.Predicate:
		return t.Bits() <= 64
	}
	return false
}

func specialFits(o *isa.Operand, t isa.Type, grow bool) bool {
	if o.Type == isa.Pred || t == isa.Pred {
		return o.Type == t
	}
	if grow && o.Type.Bits() > t.Bits() {
		return true
	}
	if o.Special.Vector() && !o.Comp && t.Class() == isa.Bits {
		return false
	}
	return o.Type.Bits() == t.Bits() || o.Special.Vector() && t.Bits() == 16 || o.Special.Word() == isa.WSrGridid && t.Bits() == 32
}

// fragType is the type of a register that holds elements of type t of a
// matrix.
func fragType(t isa.Type) isa.Type {
	switch t {
	case isa.F16:
		return isa.F16x2
	case isa.BF16:
		return isa.BF16x2
	case isa.F32, isa.F64, isa.TF32, isa.S32, isa.U32:
		return t
	}
	return isa.B32
}

// widen returns the type twice as wide.
func widen(t isa.Type) isa.Type {
	switch t {
	case isa.U8:
		return isa.U16
	case isa.S8:
		return isa.S16
	case isa.U16:
		return isa.U32
	case isa.S16:
		return isa.S32
	case isa.U32:
		return isa.U64
	case isa.S32:
		return isa.S64
	}
	return t
}

// regFits reports whether a register of type r serves an operand of type t:
// same width, and the same class unless one side is plain bits. Floats that
// have no registers of their own, and packs, go with plain bits only. With
// grow a wider integer or bit register will do.
func regFits(r, t isa.Type, grow bool) bool {
	if r == isa.Pred || t == isa.Pred {
		return r == t
	}
	rc, tc := r.Class(), t.Class()
	if rc == isa.Opaque || rc == isa.NoClass {
		return false
	}
	same := r.Bits() == t.Bits()
	switch tc {
	case isa.PackedInt:
		return same && (rc == isa.Bits || r == isa.F16x2)
	case isa.Bits:
		return same || grow && r.Bits() > t.Bits()
	case isa.Float, isa.PackedFloat:
		if t != isa.F16 && t != isa.F16x2 && t != isa.F32 && t != isa.F64 {
			return same && rc == isa.Bits
		}
		return same && (rc == isa.Bits || r == t) || grow && rc == isa.Bits && r.Bits() > t.Bits()
	}
	return (same || grow && r.Bits() > t.Bits()) && (rc != isa.Float && rc != isa.PackedFloat || r == isa.F16x2)
}

// packFits reports whether the elements of a vector together make up a value
// of the bit type t, as mov packs and unpacks it. A vector of whole values
// is told apart later.
func packFits(o *isa.Operand, t isa.Type) bool {
	bits := 0
	same := true
	for i := range o.Elems {
		e := &o.Elems[i]
		switch e.Kind {
		case isa.KReg:
			bits += e.Type.Bits()
			same = same && regFits(e.Type, t, false)
		case isa.KSink, isa.KInt, isa.KDouble, isa.KSingle:
		default:
			return false
		}
	}
	n := len(o.Elems)
	if n == 0 {
		return false
	}
	if t.Class() == isa.Bits {
		each := t.Bits() / n
		ok := each*n == t.Bits()
		for i := range o.Elems {
			if e := &o.Elems[i]; e.Kind == isa.KReg {
				ok = ok && e.Type.Bits() == each
			}
		}
		return ok
	}
	return same
}

// IsArray reports whether the geometry is an array of textures.
func (c *Checker) IsArray() bool {
	switch c.In.Mod(isa.SlotGeom) {
	case isa.WA1d, isa.WA2d, isa.WAcube, isa.WA2dms:
		return true
	}
	return false
}
