package isa

// This file chooses the form: stage two of Check.

// argRow explains one letter of Form.Args.
type argRow struct {
	ref    int8 // 1 to 5: the type in that place of the form's types
	fixed  Type // the type when ref is 0
	dst    bool
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
	kReg  kinds = 1 << KReg
	kInt  kinds = 1 << KInt
	kImm  kinds = 1<<KInt | 1<<KDouble | 1<<KSingle
	kSpec kinds = 1 << KSpecial
	kSym  kinds = 1 << KSymbol
	kAddr kinds = 1 << KAddr
	kVec  kinds = 1 << KVector
	kSink kinds = 1 << KSink
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
	'U': {fixed: U32, dst: true, kinds: kDst, grow: true},        // .u32 result that may be wider
	'n': {fixed: U32, dst: true, kinds: kDst},                    // .u32 result
	'N': {fixed: B32, dst: true, kinds: kDst},                    // .b32 result
	'u': {fixed: U32, kinds: kVal},                               // .u32 source
	'v': {fixed: B32, kinds: kVal},                               // .b32 source
	'k': {fixed: U64, kinds: kVal},                               // .b64 source
	'K': {fixed: U64, dst: true, kinds: kDst},                    // .b64 result
	'j': {fixed: U16, kinds: kVal},                               // .u16 source
	'Q': {fixed: B128, kinds: kVal},                              // .b128 source
	'r': {fixed: S32, kinds: kVal},                               // .s32 source
	'f': {fixed: F32, kinds: kVal},                               // .f32 source
	'q': {fixed: Pred, dst: true, kinds: kDst},                   // predicate result
	'p': {fixed: Pred, kinds: kVal},                              // predicate source
	'A': {ref: 1, kinds: kVal},                                   // source of the first type, variables too
	'M': {ref: 1, dst: true, kinds: kDst},                        // result of mov: scalar or unpacked vector
	'O': {ref: 1, kinds: kVal | 1<<KFunc},                        // source of mov: scalar, packed vector, address
	'i': {fixed: U32, kinds: kInt},                               // integer constant
	't': {ref: 2, kinds: kAddr, tex: true},                       // texture with coordinates of the second type
	's': {fixed: S32, kinds: kAddr, tex: true},                   // surface with integer coordinates
	'L': {ref: 2, kinds: kVal},                                   // mipmap level
	'G': {ref: 2, kinds: kVal | kVec, vec: true},                 // gradient
	'R': {ref: 1, dst: true, kinds: kDst, vec: true, frag: true}, // matrix fragment D
	'X': {ref: 2, kinds: kVal, vec: true, frag: true},            // matrix fragment A
	'Y': {ref: 3, kinds: kVal, vec: true, frag: true},            // matrix fragment B
	'Z': {ref: 4, kinds: kVal, vec: true, frag: true},            // matrix fragment C
	'F': {fixed: B32, kinds: kVal, vec: true},                    // registers of packed matrices
	'I': {fixed: U16, kinds: kVal, vec: true},                    // byte and thread of a scale
	'H': {fixed: F16x2, kinds: kVal, vec: true},                  // matrix fragment of halves
	'S': {ref: 1, kinds: kVal, vec: true, frag: true},            // matrix fragment to store
	'g': {ref: 2, kinds: kVal, vec: true, desc: true},            // matrix A: descriptor or registers
	'o': {fixed: B32, kinds: kAddr, tensor: true},                // tensor map with coordinates
	'J': {fixed: B16, kinds: kVal, vec: true},                    // offsets of a convolution
	'e': {fixed: B64, kinds: kVal, desc: true, tmem: true},       // matrix A: descriptor or tensor memory
	'E': {ref: 1, dst: true, kinds: kDst, vec: true},             // registers of the first type
	'P': {fixed: B32, kinds: kVal, vec: true},                    // offset or depth of a texture
	'B': {fixed: B32, kinds: kReg},                               // .b32 register
	'1': {fixed: B32, kinds: kReg | kVec, vec: true},             // .b32 register, in braces or not
	'm': {kinds: kAddr},                                          // address
	'l': {kinds: 1 << KLabel},                                    // label
	'T': {kinds: 1 << KTable},                                    // table of labels
	'!': {},                                                      // nothing fits
	'V': {ref: 2, kinds: kVec, vec: true},                        // vector of the second type
	'*': {kinds: 0xffff},                                         // anything: a rule looks at it
}

// match chooses the form, or complains and returns false.
func (c *checker) match() bool {
	in, row := c.in, c.row
	var known Early
	for i := range row.Forms {
		known |= row.Forms[i].May | row.Forms[i].Must
	}
	if bad := in.early &^ known; bad != 0 {
		c.earlyIllegal(bad)
		return false
	}
	typed := false
	for i := range row.Forms {
		f := &row.Forms[i]
		if in.early&^(f.May|f.Must) != 0 || !c.typesFit(f) {
			continue
		}
		typed = true
		if in.early&f.Must == f.Must && c.argsFit(f) {
			c.form = f
			return true
		}
	}
	if !typed {
		c.errorf("Unexpected instruction types specified for '%s'", row.Name)
		if in.Op == WWmma && in.NTypes == 4 && tInt4.has(in.Types[1]) && tInt4.has(in.Types[2]) {
			// The reference says it twice of two kinds of 4-bit integers.
			c.errorf("Unexpected instruction types specified for '%s'", row.Name)
		}
		return false
	}
	c.hintMissing()
	c.errorf("Arguments mismatch for instruction '%s'", row.Name)
	return false
}

// hintMissing: the operands would fit with a cache hint.
func (c *checker) hintMissing() {
	in := c.in
	switch c.row.Name {
	case "ld", "st", "atom", "red":
	default:
		return
	}
	if in.early&eHint != 0 {
		return
	}
	for i := range c.row.Forms {
		f := &c.row.Forms[i]
		if f.Must&eHint != 0 && in.early&^(f.May|f.Must) == 0 && (in.early|eHint)&f.Must == f.Must && c.typesFit(f) && c.argsFit(f) && in.Args[len(in.Args)-1].Kind != KVector {
			c.errorf(".L2::cache_hint modifier required for instruction '%s' with %d arguments", c.row.Name, len(in.Args))
			return
		}
	}
}

// earlyIllegal complains about the early words no form has.
func (c *checker) earlyIllegal(bad Early) {
	for _, w := range c.in.Mods {
		if earlyOf[w]&bad != 0 {
			c.illegal("." + w.String())
			return
		}
	}
}

func (c *checker) typesFit(f *Form) bool {
	in := c.in
	if in.NTypes != len(f.Types) {
		return false
	}
	for i, s := range f.Types {
		if !s.has(in.Types[i]) {
			return false
		}
	}
	return true
}

// argsFit reports whether the operands have the kinds and types the form's
// letters ask for.
func (c *checker) argsFit(f *Form) bool {
	args := c.in.Args
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
		if !c.letterFits(letter, &args[n]) {
			return false
		}
		n++
	}
	return n == len(args)
}

// letterFits reports whether an operand is what a letter of Form.Args says.
func (c *checker) letterFits(letter byte, o *Operand) bool {
	return c.argFits(&argRows[letter&127], o)
}

// isTexture reports whether operand i of the form is a texture, a surface or
// a sampler.
func (c *checker) isTexture(i int) bool { return argRows[c.letter(i)].tex }

func (c *checker) argFits(r *argRow, o *Operand) bool {
	if r.kinds>>o.Kind&1 == 0 {
		return false
	}
	if r == &argRows['1'] && o.Kind == KVector && len(o.Elems) > 0 && o.Elems[0].IsConst() {
		return false
	}
	t := r.fixed
	if r.ref > 0 {
		t = c.in.Types[r.ref-1]
	}
	if (o.Kind == KAddr || o.Kind == KSymbol) && r.kinds&kReg != 0 && (r.ref == 0 || r.vec) && !r.tmem && r.kinds != 0xffff {
		return false
	}
	if o.Kind == KAddr && (r.kinds&kReg == 0 || t == TNone || r.tmem) {
		return c.addrFits(r, o, t)
	}
	if t == TNone {
		return true
	}
	if r.wide {
		t = widen(t)
	}
	if r.frag {
		t = fragType(t)
	}
	if r.desc {
		if o.Kind == KVector {
			t = fragType(t)
		} else {
			t = B64
		}
	}
	if o.Kind == KVector && (r == &argRows['M'] || r == &argRows['O']) && !c.in.Has(SlotVec) {
		return packFits(o, t)
	}
	if o.Type == F16x2 && o.Kind == KReg && t.IsInt() && (r.frag || r.ref == 0) {
		return false
	}
	if (o.Kind == KSingle || o.Kind == KDouble) && r.ref == 0 && !t.IsFloat() {
		return false
	}
	return c.valueFits(o, t, r.grow) || r.loose && o.Kind == KReg && o.Type.IsInt() && o.Type.Bits() == t.Bits()
}

// addrFits reports whether an address is of the wanted kind: plain ones have
// nothing after the base, textures have a 64-bit handle or a reference, and
// coordinates of type t.
func (c *checker) addrFits(r *argRow, o *Operand, t Type) bool {
	if r.tensor {
		return len(o.Elems) == 1 && c.valueFits(&o.Elems[0], t, false)
	}
	if !r.tex {
		return len(o.Elems) == 0
	}
	switch o.Base {
	case KReg:
		if o.Type.Bits() != 64 || o.Type.IsFloat() {
			return false
		}
	case KSymbol:
		if !o.Type.IsOpaque() {
			return false
		}
	default:
		return false
	}
	n := len(o.Elems)
	if c.row.Mods[0] == SlotQuery {
		return n == 0
	}
	return (n == 1 || n == 2) && c.coordsFit(&o.Elems[n-1], t)
}

// coordsFit: coordinates are of one type, but the first of an array of
// textures, which is the number of a layer: texIndex looks at that.
func (c *checker) coordsFit(o *Operand, t Type) bool {
	if o.Kind != KVector || !c.isArray() || len(o.Elems) == 0 {
		return c.valueFits(o, t, false)
	}
	if e := &o.Elems[0]; e.Kind != KInt && !c.valueFits(e, B32, false) {
		return false
	}
	first := TNone // plain bits where one register is, else the first one's type
	for i := range o.Elems[1:] {
		e := &o.Elems[1+i]
		if e.Kind == KReg && e.Type == Pred {
			return false
		}
		if e.Kind == KReg && (first == TNone || e.Own.Class() == Bits) {
			first = e.Own
		} else if e.Kind != KReg && e.Kind != KSink && !c.valueFits(e, t, false) {
			return false
		}
	}
	return first == TNone || regFits(first, t, false)
}

// valueFits reports whether a scalar operand goes with type t.
func (c *checker) valueFits(o *Operand, t Type, grow bool) bool {
	switch o.Kind {
	case KReg:
		return regFits(o.Type, t, grow)
	case KInt:
		return intFits(t)
	case KDouble:
		return t == F32 || t == F64 || t == B64
	case KSingle:
		return t == F32 || t == F64 || t == B32
	case KSpecial:
		return specialFits(o, t, grow)
	case KSymbol:
		return symbolFits(o, t, grow) && (c.in.Op != WMov || !t.IsFloat())
	case KAddr:
		if o.Base == KReg {
			return len(o.Elems) == 0 && regFits(o.Type, t, grow)
		}
		return len(o.Elems) == 0 && !t.IsFloat() && symbolFits(o, t, grow)
	case KVector:
		for i := range o.Elems {
			if e := &o.Elems[i]; e.Kind != KSink && !c.valueFits(e, t, grow) && !c.elementFits(e, t) {
				return false
			}
		}
		return true
	case KSink:
		return true
	case KFunc:
		return t.Bits() >= 32 && !t.IsFloat()
	}
	return false
}

// elementFits: vectors of floats in memory go with integer registers too.
func (c *checker) elementFits(e *Operand, t Type) bool {
	switch c.in.Op {
	case WLd, WLdu, WSt:
	default:
		return false
	}
	return e.Kind == KReg && (t == F32 || t == F64) && e.Type.IsInt() && e.Type.Bits() == t.Bits()
}

// symbolFits: the address of a variable passes as a number of 64 or 32 bits,
// that of a variable outside global memory as one of 32.
func symbolFits(o *Operand, t Type, grow bool) bool {
	if t == Pred || t.IsOpaque() || o.Kind == KSymbol && t.Bits() <= 64 && o.Space == SpaceGlobal {
		return t != Pred && !t.IsOpaque()
	}
	if t.Bits() == 64 {
		return o.Space == SpaceGlobal || o.Kind == KSymbol
	}
	return t.Bits() == 32 || grow && t.Bits() < 32 || o.Kind == KSymbol
}

func intFits(t Type) bool {
	switch t.Class() {
	case Bits, Signed, Unsigned, Predicate:
		return t.Bits() <= 64
	}
	return false
}

func specialFits(o *Operand, t Type, grow bool) bool {
	if o.Type == Pred || t == Pred {
		return o.Type == t
	}
	if grow && o.Type.Bits() > t.Bits() {
		return true
	}
	return o.Type.Bits() == t.Bits() || o.Special.Vector() && t.Bits() == 16 || o.Special.Word() == WSrGridid && t.Bits() == 32
}

// fragType is the type of a register that holds elements of type t of a
// matrix.
func fragType(t Type) Type {
	switch t {
	case F16:
		return F16x2
	case BF16:
		return BF16x2
	case F32, F64, TF32, S32, U32:
		return t
	}
	return B32
}

// widen returns the type twice as wide.
func widen(t Type) Type {
	switch t {
	case U8:
		return U16
	case S8:
		return S16
	case U16:
		return U32
	case S16:
		return S32
	case U32:
		return U64
	case S32:
		return S64
	}
	return t
}

// regFits reports whether a register of type r serves an operand of type t:
// same width, and the same class unless one side is plain bits. Floats that
// have no registers of their own, and packs, go with plain bits only. With
// grow a wider integer or bit register will do.
func regFits(r, t Type, grow bool) bool {
	if r == Pred || t == Pred {
		return r == t
	}
	rc, tc := r.Class(), t.Class()
	if rc == Opaque || rc == NoClass {
		return false
	}
	same := r.Bits() == t.Bits()
	switch tc {
	case PackedInt:
		return same && (rc == Bits || r == F16x2)
	case Bits:
		return same || grow && r.Bits() > t.Bits()
	case Float, PackedFloat:
		if t != F16 && t != F16x2 && t != F32 && t != F64 {
			return same && rc == Bits
		}
		return same && (rc == Bits || r == t) || grow && rc == Bits && r.Bits() > t.Bits()
	}
	return (same || grow && r.Bits() > t.Bits()) && (rc != Float && rc != PackedFloat || r == F16x2)
}

// packFits reports whether the elements of a vector together make up a value
// of the bit type t, as mov packs and unpacks it. A vector of whole values
// is told apart later.
func packFits(o *Operand, t Type) bool {
	bits := 0
	same := true
	for i := range o.Elems {
		e := &o.Elems[i]
		switch e.Kind {
		case KReg:
			bits += e.Type.Bits()
			same = same && regFits(e.Type, t, false)
		case KSink, KInt, KDouble, KSingle:
		default:
			return false
		}
	}
	n := len(o.Elems)
	if n == 0 {
		return false
	}
	if t.Class() == Bits {
		each := t.Bits() / n
		ok := each*n == t.Bits()
		for i := range o.Elems {
			if e := &o.Elems[i]; e.Kind == KReg {
				ok = ok && e.Type.Bits() == each
			}
		}
		if ok {
			return true
		}
	}
	return same
}

// isArray reports whether the geometry is an array of textures.
func (c *checker) isArray() bool {
	switch c.in.Mod(SlotGeom) {
	case WA1d, WA2d, WAcube, WA2dms:
		return true
	}
	return false
}
