package isa

import "github.com/goptxas/goptxas/internal/target"

// TypeSet is a set of types.
type TypeSet uint64

func (s TypeSet) has(t Type) bool { return s>>t&1 != 0 }

// The type sets that rows speak of.
const (
	tU16 TypeSet = 1 << U16
	tS16 TypeSet = 1 << S16
	tB16 TypeSet = 1 << B16
	tU32 TypeSet = 1 << U32
	tS32 TypeSet = 1 << S32
	tB32 TypeSet = 1 << B32
	tU64 TypeSet = 1 << U64
	tS64 TypeSet = 1 << S64
	tB64 TypeSet = 1 << B64
	tU8  TypeSet = 1 << U8
	tS8  TypeSet = 1 << S8
	tB8  TypeSet = 1 << B8
	tU4  TypeSet = 1 << U4
	tS4  TypeSet = 1 << S4
	tU2  TypeSet = 1 << U2
	tS2  TypeSet = 1 << S2
	tB1  TypeSet = 1 << B1

	tB128  TypeSet = 1 << B128
	tB1024 TypeSet = 1 << B1024
	tPred  TypeSet = 1 << Pred
	tF16   TypeSet = 1 << F16
	tF16x2 TypeSet = 1 << F16x2
	tBF    TypeSet = 1 << BF16
	tBFx2  TypeSet = 1 << BF16x2
	tTF32  TypeSet = 1 << TF32
	tF32   TypeSet = 1 << F32
	tF32x2 TypeSet = 1 << F32x2
	tF64   TypeSet = 1 << F64
	tS16x2 TypeSet = 1 << S16x2
	tU16x2 TypeSet = 1 << U16x2
	tE4M3  TypeSet = 1 << E4M3
	tE5M2  TypeSet = 1 << E5M2
	tE3M2  TypeSet = 1 << E3M2
	tE2M3  TypeSet = 1 << E2M3
	tE2M1  TypeSet = 1 << E2M1
	tUE8M0 TypeSet = 1 << UE8M0
	tUE4M3 TypeSet = 1 << UE4M3

	tE4M3x2  TypeSet = 1 << E4M3x2
	tE5M2x2  TypeSet = 1 << E5M2x2
	tE2M3x2  TypeSet = 1 << E2M3x2
	tE3M2x2  TypeSet = 1 << E3M2x2
	tE2M1x2  TypeSet = 1 << E2M1x2
	tUE8M0x2 TypeSet = 1 << UE8M0x2
	tE4M3x4  TypeSet = 1 << E4M3x4
	tE5M2x4  TypeSet = 1 << E5M2x4
	tE2M3x4  TypeSet = 1 << E2M3x4
	tE3M2x4  TypeSet = 1 << E3M2x4
	tE2M1x4  TypeSet = 1 << E2M1x4

	tInt16  = tU16 | tS16
	tInt32  = tU32 | tS32
	tInt64  = tU64 | tS64
	tInt    = tInt16 | tInt32 | tInt64 // 16 to 64 bits
	tInt8   = tU8 | tS8
	tInt4   = tU4 | tS4
	tBits   = tB16 | tB32 | tB64
	tMem    = tInt8 | tInt | tB8 | tBits | tF32 | tF64
	tHalf   = tF16 | tBF
	tHalfx2 = tF16x2 | tBFx2
	tHalves = tHalf | tHalfx2
	tF8     = tE4M3 | tE5M2
	tF8F6F4 = tF8 | tE3M2 | tE2M3 | tE2M1
)

// Op is the table of one opcode.
type Op struct {
	Rows []Row
}

// Row is one operation: the opcode with the words that belong to its name.
type Row struct {
	Words  []Word // of the name, after the opcode
	Name   string // as messages spell it
	Forms  []Form
	Mods   []Slot // slots that may be set, besides those the form takes
	Need   []Slot // slots that must be set
	Spaces Spaces // state spaces that may be named
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
	May  Early  // early words the form takes
	Must Early  // early words without which the form is not meant
	Mods []Slot // slots that may be set
	Need []Slot // slots that must be set
	Rnd  Rounds // rounding words, when SlotRound is among Mods
}

// Rounds is a set of rounding words.
type Rounds uint16

// The rounding words, and those of floating point arithmetic together.
const (
	rRN Rounds = 1 << iota
	rRZ
	rRM
	rRP
	rRNA
	rRS
	rRNI
	rRZI
	rRMI
	rRPI

	rFloat = rRN | rRZ | rRM | rRP
	rInt   = rRNI | rRZI | rRMI | rRPI
)

// roundOf returns the set of one rounding word.
func roundOf(w Word) Rounds {
	switch w {
	case WRn:
		return rRN
	case WRz:
		return rRZ
	case WRm:
		return rRM
	case WRp:
		return rRP
	case WRna:
		return rRNA
	case WRs:
		return rRS
	case WRni:
		return rRNI
	case WRzi:
		return rRZI
	case WRmi:
		return rRMI
	case WRpi:
		return rRPI
	}
	return 0
}

// Flags are properties of an operation that change how it is checked.
type Flags uint32

const (
	// fSigned: unsigned types are refused by a message of their own.
	fSigned Flags = 1 << iota
	// fSpecial: special registers may be sources.
	fSpecial
	// fSymbol: addresses of variables may be sources.
	fSymbol
	// fVector: operands may be vectors.
	fVector
	// fPair: the result is d|p.
	fPair
	// fPairMust: the result must be d|p.
	fPairMust
	// fSink: the result may be _.
	fSink
	// fNeg: operands may be negated.
	fNeg
	// fSel: operands may have video selectors.
	fSel
	// fConvert: the types are those of a conversion, which has its own rules
	// for rounding and saturation.
	fConvert
	// fGeneric: without a state space the addresses are generic.
	fGeneric
	// fClusterOnly: .shared must be .shared::cluster.
	fClusterOnly
	// fManySpaces: several operands are addresses, each with its own space.
	fManySpaces
	// fTexture: .1d to .3d are geometries.
	fTexture
	// fTwoOps: .xor.popc and .and.popc are both meant.
	fTwoOps
	// fVector2: vectors whose size the operation's own rules look at.
	fVector2
	// fSharedCTA: of shared memory only .shared::cta is meant.
	fSharedCTA
	// fVectorIf: vectors only with .v2, .v4 or .v8.
	fVectorIf
	// fAnyArg: the operation's own rules say what its operands must be.
	fAnyArg
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
	sConst   SpaceSet = 1 << SpaceConst
	sGlobal  SpaceSet = 1 << SpaceGlobal
	sLocal   SpaceSet = 1 << SpaceLocal
	sParam   SpaceSet = 1 << SpaceParam
	sEntry   SpaceSet = 1 << SpaceParamEntry
	sFunc    SpaceSet = 1 << SpaceParamFunc
	sShared  SpaceSet = 1 << SpaceShared
	sCTA     SpaceSet = 1 << SpaceSharedCTA
	sCluster SpaceSet = 1 << SpaceSharedCluster
	sTex     SpaceSet = 1 << SpaceTex

	sSharedAll = sShared | sCTA | sCluster
	sParamAll  = sParam | sEntry | sFunc
)

// Range bounds an integer constant operand.
type Range struct {
	Arg    int
	Lo, Hi int64
}

// Rule is a check that belongs to some operations only. It runs when the
// order of slots reaches At.
type Rule struct {
	At Slot
	Do func(c *checker)
}

// Gate says from where on a feature exists. When tells whether an
// instruction uses it: T one of its types, W one of its words, If anything
// else; all that are given must hold.
type Gate struct {
	At   Slot
	Name string // as messages spell it; "" is the operation's name
	V    Version
	SM   int
	Only target.Names // when set, no other target has it
	T    TypeSet
	W    Word
	If   func(c *checker) bool
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
