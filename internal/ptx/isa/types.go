package isa

// Type is a PTX type as instructions and declarations name it. TNone is no
// type; the others follow the order of the type words.
type Type uint8

// The types. Names are those of PTX in capitals.
const (
	TNone Type = iota
	B1
	S2
	U2
	S4
	U4
	B8
	S8
	U8
	B16
	S16
	U16
	B32
	S32
	U32
	B64
	S64
	U64
	B128
	B1024
	F16
	F16x2
	BF16
	BF16x2
	TF32
	F32
	F32x2
	F64
	S16x2
	U16x2
	E4M3
	E5M2
	E3M2
	E2M3
	E2M1
	UE8M0
	UE4M3
	E4M3x2
	E5M2x2
	E2M3x2
	E3M2x2
	E2M1x2
	UE8M0x2
	E4M3x4
	E5M2x4
	E2M3x4
	E3M2x4
	E2M1x4
	B6x16P32
	B4x16P64
	B8x16
	Pred
	Texref
	Samplerref
	Surfref

	// NumTypes bounds side tables indexed by Type.
	NumTypes
)

// Class groups types by what registers they go with.
type Class uint8

// The classes.
const (
	NoClass     Class = iota
	Bits              // .bN
	Signed            // .sN
	Unsigned          // .uN
	Float             // .f16 .bf16 .tf32 .f32 .f64 and the narrow floats
	PackedInt         // .s16x2 .u16x2
	PackedFloat       // .f16x2 .bf16x2 .f32x2 .e4m3x2 and the like
	Predicate         // .pred
	Opaque            // .texref .samplerref .surfref
)

type typeRow struct {
	bits  uint16
	class Class
}

// typeRows gives width in bits and class. An opaque reference is a 64-bit
// handle; a predicate counts as one bit.
var typeRows = [NumTypes]typeRow{
	B1: {1, Bits}, S2: {2, Signed}, U2: {2, Unsigned}, S4: {4, Signed}, U4: {4, Unsigned},
	B8: {8, Bits}, S8: {8, Signed}, U8: {8, Unsigned},
	B16: {16, Bits}, S16: {16, Signed}, U16: {16, Unsigned},
	B32: {32, Bits}, S32: {32, Signed}, U32: {32, Unsigned},
	B64: {64, Bits}, S64: {64, Signed}, U64: {64, Unsigned},
	B128: {128, Bits}, B1024: {1024, Bits},
	F16: {16, Float}, F16x2: {32, PackedFloat}, BF16: {16, Float}, BF16x2: {32, PackedFloat},
	TF32: {32, Float}, F32: {32, Float}, F32x2: {64, PackedFloat}, F64: {64, Float},
	S16x2: {32, PackedInt}, U16x2: {32, PackedInt},
	E4M3: {8, Float}, E5M2: {8, Float}, E3M2: {8, Float}, E2M3: {8, Float}, E2M1: {4, Float},
	UE8M0: {8, Float}, UE4M3: {8, Float},
	E4M3x2: {16, PackedFloat}, E5M2x2: {16, PackedFloat}, E2M3x2: {16, PackedFloat},
	E3M2x2: {16, PackedFloat}, E2M1x2: {8, PackedFloat}, UE8M0x2: {16, PackedFloat},
	E4M3x4: {32, PackedFloat}, E5M2x4: {32, PackedFloat}, E2M3x4: {32, PackedFloat},
	E3M2x4: {32, PackedFloat}, E2M1x4: {16, PackedFloat},
	B6x16P32: {128, Bits}, B4x16P64: {128, Bits}, B8x16: {128, Bits},
	Pred:   {1, Predicate},
	Texref: {64, Opaque}, Samplerref: {64, Opaque}, Surfref: {64, Opaque},
}

// Type returns the type a word names, or TNone.
func (w Word) Type() Type {
	if !w.IsType() {
		return TNone
	}
	return Type(w-firstType) + 1
}

// Word returns the word that names t.
func (t Type) Word() Word {
	if t == TNone || t >= NumTypes {
		return WNone
	}
	return firstType + Word(t) - 1
}

// String returns the type as PTX writes it, with its dot.
func (t Type) String() string {
	if t == TNone || t >= NumTypes {
		return ""
	}
	return "." + t.Word().String()
}

// Bits returns the width of one element in bits.
func (t Type) Bits() int {
	if t >= NumTypes {
		return 0
	}
	return int(typeRows[t].bits)
}

// Size returns the width of one element in bytes, at least one.
func (t Type) Size() int { return (t.Bits() + 7) / 8 }

// Class returns the type's class.
func (t Type) Class() Class {
	if t >= NumTypes {
		return NoClass
	}
	return typeRows[t].class
}

// IsInt reports whether t is a signed or unsigned integer.
func (t Type) IsInt() bool { c := t.Class(); return c == Signed || c == Unsigned }

// IsFloat reports whether t is a float or a pack of floats.
func (t Type) IsFloat() bool { c := t.Class(); return c == Float || c == PackedFloat }

// IsOpaque reports whether t is a texture, sampler or surface reference.
func (t Type) IsOpaque() bool { return t.Class() == Opaque }

// Space is a state space.
type Space uint8

// The state spaces. Generic is the absence of one.
const (
	Generic Space = iota
	SpaceReg
	SpaceSreg
	SpaceConst
	SpaceGlobal
	SpaceLocal
	SpaceParam
	SpaceParamEntry
	SpaceParamFunc
	SpaceShared
	SpaceSharedCTA
	SpaceSharedCluster
	SpaceSurf
	SpaceTex

	// NumSpaces bounds side tables indexed by Space.
	NumSpaces
)

// Space returns the state space a word names, or Generic.
func (w Word) Space() Space {
	switch {
	case w.IsSpace():
		return Space(w-firstSpace) + 1
	case w == WTex:
		return SpaceTex
	}
	return Generic
}

// Word returns the word that names s, or WNone for Generic.
func (s Space) Word() Word {
	switch {
	case s == SpaceTex:
		return WTex
	case s == Generic || s >= NumSpaces:
		return WNone
	}
	return firstSpace + Word(s) - 1
}

// String returns the space as PTX writes it, with its dot.
func (s Space) String() string {
	if w := s.Word(); w != WNone {
		return "." + w.String()
	}
	return ""
}

// Base returns the space without its ::cta, ::cluster, ::entry or ::func.
func (s Space) Base() Space {
	switch s {
	case SpaceParamEntry, SpaceParamFunc:
		return SpaceParam
	case SpaceSharedCTA, SpaceSharedCluster:
		return SpaceShared
	}
	return s
}
