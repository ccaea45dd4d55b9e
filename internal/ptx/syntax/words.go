package syntax

import "github.com/goptxas/goptxas/internal/ptx/isa"

// Word is the identity of a static word: an opcode, a modifier, a type or a
// directive, without its dot.
type Word = isa.Word

// Sets of words that the grammar tells apart.
type wordSet [isa.NumWords]bool

func (s *wordSet) has(w Word) bool { return s[w] }

// declTypes are the types that a declaration or a cast can name; others,
// such as .bf16, are only modifiers of instructions.
var declTypes = wordSet{
	isa.WB8: true, isa.WS8: true, isa.WU8: true, isa.WB16: true, isa.WS16: true, isa.WU16: true, isa.WB32: true,
	isa.WS32: true, isa.WU32: true, isa.WB64: true, isa.WS64: true, isa.WU64: true, isa.WB128: true, isa.WF16: true,
	isa.WF16x2: true, isa.WF32: true, isa.WF32x2: true, isa.WF64: true, isa.WS16x2: true, isa.WU16x2: true,
	isa.WE4m3: true, isa.WE5m2: true, isa.WE4m3x2: true, isa.WE5m2x2: true, isa.WE2m3x2: true, isa.WE3m2x2: true,
	isa.WE2m1x2: true, isa.WUe8m0x2: true, isa.WE4m3x4: true, isa.WE5m2x4: true, isa.WE2m3x4: true, isa.WE3m2x4: true,
	isa.WE2m1x4: true, isa.WPred: true, isa.WTexref: true, isa.WSamplerref: true, isa.WSurfref: true,
}

// declSpaces are the state spaces a declaration can name.
var declSpaces = wordSet{
	isa.WReg: true, isa.WConst: true, isa.WGlobal: true, isa.WLocal: true, isa.WParam: true, isa.WShared: true,
	isa.WTex: true,
}

// ptrSpaces are the state spaces that may follow .ptr.
var ptrSpaces = wordSet{
	isa.WConst: true, isa.WGlobal: true, isa.WLocal: true, isa.WShared: true,
}

// startsDecl reports whether a word begins a variable declaration.
func startsDecl(w Word) bool {
	return declTypes.has(w) || declSpaces.has(w) || w == isa.WAlign || w == isa.WAttribute || w == isa.WV2 || w == isa.WV4
}

// linkages are the words that say who sees a symbol.
var linkages = wordSet{
	isa.WExtern: true, isa.WVisible: true, isa.WWeak: true, isa.WCommon: true,
}

// directives are the words that can be no modifier of an instruction.
var directives = wordSet{
	isa.WReg: true, isa.WTarget: true, isa.WAddressSize: true, isa.WEntry: true, isa.WFunc: true, isa.WVisible: true,
	isa.WExtern: true, isa.WCommon: true, isa.WAlign: true, isa.WPtr: true, isa.WMaxnreg: true, isa.WMaxntid: true,
	isa.WReqntid: true, isa.WMinnctapersm: true, isa.WMaxnctapersm: true, isa.WLocalMaxnreg: true,
	isa.WNoreturn: true, isa.WPragma: true, isa.WFile: true, isa.WLoc: true, isa.WSection: true,
	isa.WBranchtargets: true, isa.WCalltargets: true, isa.WCallprototype: true, isa.WAttribute: true,
	isa.WManaged: true, isa.WUnified: true, isa.WReqnctapercluster: true, isa.WExplicitcluster: true,
	isa.WMaxclusterrank: true, isa.WBlocksareclusters: true, isa.WAbiPreserve: true, isa.WAbiPreserveControl: true,
}

// isSelector reports whether a word, or WNone for an unknown one, can follow
// the name of a register as a selector.
func isSelector(w Word) bool { return w == isa.WNone || plainWords.has(w) || declTypes.has(w) }
