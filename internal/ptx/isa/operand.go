package isa

// Kind says what an operand is.
type Kind uint8

// The operand kinds.
const (
	KBad     Kind = iota // unknown symbol or otherwise unusable
	KReg                 // register variable
	KInt                 // integer constant
	KDouble              // decimal or 0d floating constant
	KSingle              // 0f floating constant: 32 raw bits
	KSpecial             // special register
	KSymbol              // address of a variable, var+expr or var[i]
	KAddr                // [base+offset], possibly with coordinates
	KVector              // {a, b, …}
	KLabel               // label
	KFunc                // function
	KTable               // .branchtargets, .calltargets or .callprototype label
	KSink                // _
)

// Operand is one operand of an Inst.
type Operand struct {
	Kind Kind
	// Base is what stands before the offset of an address: KReg, KSymbol,
	// KInt for an absolute address, KBad when unresolved.
	Base Kind
	// Type is that of the register, of the variable behind a symbol or an
	// address, or of a special register.
	Type Type
	// Own is the type of a register in a vector by itself, where Type is that
	// of all of them.
	Own Type
	// Space is that of the variable behind a symbol or an address; Generic
	// for addresses in registers.
	Space Space
	// Neg and Not are a minus or a bang before the operand.
	Neg, Not bool
	// Sel holds a suffix that is no component of a special register, such as
	// b0 or h10, without its dot.
	Sel string
	// Pair is the kind after the bar of d|p, KBad when there is no bar;
	// PairType is the type of that register.
	HasPair  bool
	Pair     Kind
	PairType Type
	// Special is the register when Kind is KSpecial; Comp tells that a
	// component of it was named.
	Special SpecialReg
	Comp    bool
	// Name is spelled in messages about addresses.
	Name string
	// Value is an integer constant, the bits of a float64 (KDouble) or float32
	// (KSingle), or the offset of an address.
	Value int64
	// Elems are the elements of a vector, or what follows the base inside
	// the brackets of an address: a second handle, coordinates.
	Elems []Operand
}

// IsConst reports whether the operand is a constant.
func (o *Operand) IsConst() bool { return o.Kind == KInt || o.Kind == KDouble || o.Kind == KSingle }
