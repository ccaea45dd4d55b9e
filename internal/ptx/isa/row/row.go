// Package row says what a row of the instruction table is made of, and holds
// an instruction against the rows of its opcode. It knows no instruction by
// itself: the tables are in package rows, and the rules that only some
// operations have are functions in their rows.
package row

import (
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/target"
)

// TypeSet is a set of types.
type TypeSet uint64

func (s TypeSet) Has(t isa.Type) bool { return s>>t&1 != 0 }

// The type sets that rows speak of.
const (
	U16 TypeSet = 1 << isa.U16
	S16 TypeSet = 1 << isa.S16
	B16 TypeSet = 1 << isa.B16
	U32 TypeSet = 1 << isa.U32
	S32 TypeSet = 1 << isa.S32
	B32 TypeSet = 1 << isa.B32
	U64 TypeSet = 1 << isa.U64
	S64 TypeSet = 1 << isa.S64
	B64 TypeSet = 1 << isa.B64
	U8  TypeSet = 1 << isa.U8
	S8  TypeSet = 1 << isa.S8
	B8  TypeSet = 1 << isa.B8
	U4  TypeSet = 1 << isa.U4
	S4  TypeSet = 1 << isa.S4
	U2  TypeSet = 1 << isa.U2
	S2  TypeSet = 1 << isa.S2
	B1  TypeSet = 1 << isa.B1

	B128   TypeSet = 1 << isa.B128
	B1024  TypeSet = 1 << isa.B1024
	Pred   TypeSet = 1 << isa.Pred
	F16    TypeSet = 1 << isa.F16
	F16x2  TypeSet = 1 << isa.F16x2
	BF16   TypeSet = 1 << isa.BF16
	BF16x2 TypeSet = 1 << isa.BF16x2
	TF32   TypeSet = 1 << isa.TF32
	F32    TypeSet = 1 << isa.F32
	F32x2  TypeSet = 1 << isa.F32x2
	F64    TypeSet = 1 << isa.F64
	S16x2  TypeSet = 1 << isa.S16x2
	U16x2  TypeSet = 1 << isa.U16x2
	E4M3   TypeSet = 1 << isa.E4M3
	E5M2   TypeSet = 1 << isa.E5M2
	E3M2   TypeSet = 1 << isa.E3M2
	E2M3   TypeSet = 1 << isa.E2M3
	E2M1   TypeSet = 1 << isa.E2M1
	UE8M0  TypeSet = 1 << isa.UE8M0
	UE4M3  TypeSet = 1 << isa.UE4M3

	E4M3x2  TypeSet = 1 << isa.E4M3x2
	E5M2x2  TypeSet = 1 << isa.E5M2x2
	E2M3x2  TypeSet = 1 << isa.E2M3x2
	E3M2x2  TypeSet = 1 << isa.E3M2x2
	E2M1x2  TypeSet = 1 << isa.E2M1x2
	UE8M0x2 TypeSet = 1 << isa.UE8M0x2
	E4M3x4  TypeSet = 1 << isa.E4M3x4
	E5M2x4  TypeSet = 1 << isa.E5M2x4
	E2M3x4  TypeSet = 1 << isa.E2M3x4
	E3M2x4  TypeSet = 1 << isa.E3M2x4
	E2M1x4  TypeSet = 1 << isa.E2M1x4

	Int16  = U16 | S16
	Int32  = U32 | S32
	Int64  = U64 | S64
	Int    = Int16 | Int32 | Int64 // 16 to 64 bits
	Int8   = U8 | S8
	Int4   = U4 | S4
	Bits   = B16 | B32 | B64
	Mem    = Int8 | Int | B8 | Bits | F32 | F64
	Half   = F16 | BF16
	Halfx2 = F16x2 | BF16x2
	Halves = Half | Halfx2
	F8     = E4M3 | E5M2
	F8F6F4 = F8 | E3M2 | E2M3 | E2M1
)

// Op is the table of one opcode.
type Op struct {
	Rows []Row
}

// Row is one operation: the opcode with the words that belong to its name.
type Row struct {
	Words  []isa.Word // of the name, after the opcode
	Name   string     // as messages spell it
	Forms  []Form
	Mods   []isa.Slot // slots that may be set, besides those the form takes
	Need   []isa.Slot // slots that must be set
	Spaces Spaces     // state spaces that may be named
	Gates  []Gate
	Rules  []Rule
	Ranges []Range
	Flags  Flags
}

// Form is one list of types with one list of operands.
type Form struct {
	Types []TypeSet
	// Args has one letter for each operand, explained at argRows. What
	// follows a question mark may be left out.
	Args string
	May  Early      // early words the form takes
	Must Early      // early words without which the form is not meant
	Mods []isa.Slot // slots that may be set
	Need []isa.Slot // slots that must be set
	Rnd  Rounds     // rounding words, when SlotRound is among Mods
}

// Rounds is a set of rounding words.
type Rounds uint16

// The rounding words, and those of floating point arithmetic together.
const (
	RN Rounds = 1 << iota
	RZ
	RM
	RP
	RNA
	RS
	RNI
	RZI
	RMI
	RPI

	RoundFloat = RN | RZ | RM | RP
	RoundInt   = RNI | RZI | RMI | RPI
)

// roundOf returns the set of one rounding word.
func roundOf(w isa.Word) Rounds {
	switch w {
	case isa.WRn:
		return RN
	case isa.WRz:
		return RZ
	case isa.WRm:
		return RM
	case isa.WRp:
		return RP
	case isa.WRna:
		return RNA
	case isa.WRs:
		return RS
	case isa.WRni:
		return RNI
	case isa.WRzi:
		return RZI
	case isa.WRmi:
		return RMI
	case isa.WRpi:
		return RPI
	}
	return 0
}

// Flags are properties of an operation that change how it is checked.
type Flags uint32

const (
	// FlagSigned: unsigned types are refused by a message of their own.
	FlagSigned Flags = 1 << iota
	// FlagSpecial: special registers may be sources.
	FlagSpecial
	// FlagSymbol: addresses of variables may be sources.
	FlagSymbol
	// FlagVector: operands may be vectors.
	FlagVector
	// FlagPair: the result is d|p.
	FlagPair
	// FlagPairMust: the result must be d|p.
	FlagPairMust
	// FlagSink: the result may be _.
	FlagSink
	// FlagNeg: operands may be negated.
	FlagNeg
	// FlagSel: operands may have video selectors.
	FlagSel
	// FlagConvert: the types are those of a conversion, which has its own rules
	// for rounding and saturation.
	FlagConvert
	// FlagGeneric: without a state space the addresses are generic.
	FlagGeneric
	// FlagClusterOnly: .shared must be .shared::cluster.
	FlagClusterOnly
	// FlagManySpaces: several operands are addresses, each with its own space.
	FlagManySpaces
	// FlagTexture: .1d to .3d are geometries.
	FlagTexture
	// FlagTwoOps: .xor.popc and .and.popc are both meant.
	FlagTwoOps
	// FlagVector2: vectors whose size the operation's own rules look at.
	FlagVector2
	// FlagSharedCTA: of shared memory only .shared::cta is meant.
	FlagSharedCTA
	// FlagVectorIf: vectors only with .v2, .v4 or .v8.
	FlagVectorIf
	// FlagAnyArg: the operation's own rules say what its operands must be.
	FlagAnyArg
	// FlagPredVoid: .pred among the types means nothing, as the reference has
	// it.
	FlagPredVoid
)

// Spaces says which state spaces an operation may name, and how many of
// them it must and may name.
type Spaces struct {
	Set      SpaceSet
	Min, Max uint8
}

// SpaceSet is a set of state spaces.
type SpaceSet uint16

// The sets that rows speak of.
const (
	Const         SpaceSet = 1 << isa.SpaceConst
	Global        SpaceSet = 1 << isa.SpaceGlobal
	Local         SpaceSet = 1 << isa.SpaceLocal
	Param         SpaceSet = 1 << isa.SpaceParam
	ParamEntry    SpaceSet = 1 << isa.SpaceParamEntry
	ParamFunc     SpaceSet = 1 << isa.SpaceParamFunc
	Shared        SpaceSet = 1 << isa.SpaceShared
	SharedCTA     SpaceSet = 1 << isa.SpaceSharedCTA
	SharedCluster SpaceSet = 1 << isa.SpaceSharedCluster
	Tex           SpaceSet = 1 << isa.SpaceTex

	SharedAll = Shared | SharedCTA | SharedCluster
	ParamAll  = Param | ParamEntry | ParamFunc
)

// Range bounds an integer constant operand.
type Range struct {
	Arg    int
	Lo, Hi int64
}

// Rule is a check that belongs to some operations only. It runs when the
// order of slots reaches At.
type Rule struct {
	At isa.Slot
	Do func(c *Checker)
}

// Gate says from where on a feature exists. When tells whether an
// instruction uses it: T one of its types, W one of its words, If anything
// else; all that are given must hold.
type Gate struct {
	At   isa.Slot
	Name string // as messages spell it; "" is the operation's name
	V    isa.Version
	SM   int
	Only target.Names // when set, no other target has it
	T    TypeSet
	W    isa.Word
	If   func(c *Checker) bool
	Inst bool // the target message begins with Instruction, not Feature
	Mod  bool // the target message begins with Modifier
	ModV bool // the version message begins with Modifier
	Arch bool // the target message is "Illegal modifier …, for arch"
	// Plain: Name has no $ or & to replace.
	Plain bool
	// TargetFirst: the target is complained about before the version. With
	// Inst that is so unless VersionFirst is set.
	TargetFirst  bool
	VersionFirst bool
}
