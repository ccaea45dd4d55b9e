package syntax

import "github.com/goptxas/goptxas/internal/ptx/isa"

// Word is the identity of a static word: an opcode, a modifier, a type or a
// directive, without its dot.
type Word = isa.Word

// Sets of words that the grammar tells apart, as bit sets over all words.
type wordSet [(int(isa.NumWords) + 63) / 64]uint64

func (s *wordSet) has(w Word) bool { return s[w>>6]>>(w&63)&1 != 0 }

func makeSet(words ...Word) (s wordSet) {
	for _, w := range words {
		s[w>>6] |= 1 << (w & 63)
	}
	return s
}

// declTypes are the types that a declaration or a cast can name; others,
// such as .bf16, are only modifiers of instructions.
var declTypes = makeSet(isa.WB8, isa.WS8, isa.WU8, isa.WB16, isa.WS16, isa.WU16, isa.WB32, isa.WS32, isa.WU32,
	isa.WB64, isa.WS64, isa.WU64, isa.WB128, isa.WF16, isa.WF16x2, isa.WF32, isa.WF32x2, isa.WF64, isa.WS16x2,
	isa.WU16x2, isa.WE4m3, isa.WE5m2, isa.WE4m3x2, isa.WE5m2x2, isa.WE2m3x2, isa.WE3m2x2, isa.WE2m1x2,
	isa.WUe8m0x2, isa.WE4m3x4, isa.WE5m2x4, isa.WE2m3x4, isa.WE3m2x4, isa.WE2m1x4, isa.WPred, isa.WTexref,
	isa.WSamplerref, isa.WSurfref)

// declSpaces are the state spaces a declaration can name.
var declSpaces = makeSet(isa.WReg, isa.WConst, isa.WGlobal, isa.WLocal, isa.WParam, isa.WShared, isa.WTex)

// ptrSpaces are the state spaces that may follow .ptr.
var ptrSpaces = makeSet(isa.WConst, isa.WGlobal, isa.WLocal, isa.WShared)

// declStart are the words that begin a variable declaration.
var declStart = union(declTypes, declSpaces, makeSet(isa.WAlign, isa.WAttribute, isa.WV2, isa.WV4))

// linkages are the words that say who sees a symbol.
var linkages = makeSet(isa.WExtern, isa.WVisible, isa.WWeak, isa.WCommon)

func union(sets ...wordSet) (u wordSet) {
	for _, s := range sets {
		for i, b := range s {
			u[i] |= b
		}
	}
	return u
}

// directives are the words that can be no modifier of an instruction.
var directives = makeSet(isa.WReg, isa.WTarget, isa.WAddressSize, isa.WEntry, isa.WFunc, isa.WVisible, isa.WExtern,
	isa.WCommon, isa.WAlign, isa.WPtr, isa.WMaxnreg, isa.WMaxntid, isa.WReqntid, isa.WMinnctapersm,
	isa.WMaxnctapersm, isa.WLocalMaxnreg, isa.WNoreturn, isa.WPragma, isa.WFile, isa.WLoc, isa.WSection, isa.WBranchtargets,
	isa.WCalltargets, isa.WCallprototype, isa.WAttribute, isa.WManaged, isa.WUnified, isa.WReqnctapercluster,
	isa.WExplicitcluster, isa.WMaxclusterrank, isa.WBlocksareclusters, isa.WAbiPreserve, isa.WAbiPreserveControl)

// isSelector reports whether a word, or WNone for an unknown one, can follow
// the name of a register as a selector.
func isSelector(w Word) bool { return w == isa.WNone || plainWords.has(w) || declTypes.has(w) }
