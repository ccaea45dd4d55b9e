package isa

// Moves, loads, stores and address arithmetic.

var opMov = Op{Rows: []Row{{
	Name:  "mov",
	Forms: []Form{{Types: []TypeSet{tInt | tBits | tF32 | tF64 | tPred | tB128}, Args: "MO"}},
	Mods:  []Slot{SlotVec},
	Gates: []Gate{{Name: "Instruction type .b128 for instruction mov", SM: 70, T: tB128}},
	Rules: []Rule{{SlotRead, movVector}, {SlotRead, movHandle}},
	Flags: fSpecial | fSymbol | fVector,
}}}

const ldTypes = tMem | tB128

// loadMods are the slots loads and stores share.
var loadMods = []Slot{SlotSpace, SlotVec, SlotCop, SlotSem, SlotScope, SlotEvict, SlotEvict2, SlotMmio}

var opLd = Op{Rows: []Row{{
	Name: "ld",
	Forms: []Form{
		{Types: []TypeSet{ldTypes}, Args: "xm", May: ePref},
		{Types: []TypeSet{ldTypes}, Args: "xmk", May: ePref, Must: eHint},
	},
	Mods:   []Slot{SlotSpace, SlotVec, SlotCop, SlotSem, SlotScope, SlotEvict, SlotEvict2, SlotMmio, SlotNc},
	Spaces: Spaces{sConst | sGlobal | sLocal | sParamAll | sSharedAll, 0, 1},
	Gates: []Gate{
		{Name: "Instruction type .b128 for instruction ld", SM: 70, T: tB128},
		gPref, gPref256, gHint,
		{At: SlotNc, Name: ".nc", V: 31, W: WNc},
		{At: SlotNc, Name: "ld.nc", SM: 32, W: WNc, Inst: true},
		gCop20, gWide256,
	},
	Rules: []Rule{
		{SlotLevel, prefSpace},
		{SlotEvict, evictRules},
		{SlotEvict2, hintSpace},
		{SlotVec, wideSpace},
		{SlotSem, semOfLoad},
		{SlotSem, orderAndScope},
		{SlotSem, mmioAlone},
		{SlotNc, ncRules},
		{SlotCop, copRules},
	},
	Flags: fVector | fGeneric,
}}}

var opLdu = Op{Rows: []Row{{
	Name:   "ldu",
	Forms:  []Form{{Types: []TypeSet{ldTypes}, Args: "xm"}},
	Mods:   []Slot{SlotSpace, SlotVec},
	Spaces: Spaces{sGlobal, 0, 1},
	Gates:  []Gate{{V: 20, SM: 20, Inst: true}},
	Flags:  fVector | fGeneric,
}}}

var opSt = Op{Rows: []Row{
	{
		Name: "st",
		Forms: []Form{
			{Types: []TypeSet{ldTypes}, Args: "mz"},
			{Types: []TypeSet{ldTypes}, Args: "mzk", Must: eHint},
		},
		Mods:   loadMods,
		Spaces: Spaces{sGlobal | sLocal | sParam | sFunc | sSharedAll, 0, 1},
		Gates: []Gate{
			{Name: "Instruction type .b128 for instruction st", SM: 70, T: tB128},
			gHint, gCop20, gWide256,
		},
		Rules: []Rule{
			{SlotEvict, evictRules},
			{SlotEvict2, hintSpace},
			{SlotVec, wideSpace},
			{SlotSem, semOfStore},
			{SlotSem, orderAndScope},
			{SlotSem, mmioAlone},
			{SlotCop, copRules},
		},
		Flags: fVector | fGeneric,
	},
	{
		Words: []Word{WAsync}, Name: "st.async",
		Forms: []Form{
			{Types: []TypeSet{tInt32 | tInt64 | tB32 | tB64 | tF32 | tF64}, Args: "mam"},
			{Types: []TypeSet{tMem}, Args: "ma"},
		},
		Mods:   []Slot{SlotSpace, SlotVec, SlotDone, SlotSem, SlotScope, SlotMmio},
		Spaces: Spaces{sCluster | sGlobal, 0, 1},
		Gates:  asyncGates,
		Rules:  asyncRules,
		Flags:  fVector2 | fVectorIf,
	},
	{
		Words: []Word{WBulk}, Name: "st.bulk",
		Forms:  []Form{{Args: "mki"}},
		Mods:   []Slot{SlotSpace, SlotSem},
		Spaces: Spaces{sCTA, 0, 1},
		Gates:  []Gate{{V: 86, SM: 100}},
		Rules:  []Rule{{SlotSem, weakOnly}},
	},
}}

var asyncGates = []Gate{
	{V: 81, SM: 90, TargetFirst: true},
	{Name: "st.async/red.async with .mmio modifier", V: 87, SM: 100, TargetFirst: true, W: WMmio},
	{Name: "st.async/red.async with .global state space", At: SlotSpace, V: 87, SM: 100, TargetFirst: true, W: WGlobal},
	{Name: "st.async/red.async with .release modifier", At: SlotSem, V: 87, SM: 100, TargetFirst: true, W: WRelease},
}

var asyncRules = []Rule{
	{SlotSpace, asyncOldSpace},
	{SlotDone, asyncDone},
	{SlotSem, asyncSem},
	{SlotScope, asyncScope},
}

var (
	gHint    = Gate{At: SlotEvict2, Name: ".L2::cache_hint", V: 74, SM: 80, TargetFirst: true, W: WL2CacheHint, Mod: true, ModV: true}
	gPref    = Gate{At: SlotLevel, Name: "cache prefetching", V: 74, SM: 75, If: hasPref, TargetFirst: true}
	gPref256 = Gate{At: SlotLevel, Name: "256B cache prefetching", V: 74, W: WL2256B}
	gCop20   = Gate{At: SlotCop, SM: 20, Inst: true, If: hasCop}
	gWide256 = Gate{At: SlotVec, Name: "256 bit wide load/store", V: 88, SM: 100, If: wide256}
)

var opPrefetch = Op{Rows: []Row{{
	Name:   "prefetch",
	Forms:  []Form{{Args: "m"}},
	Mods:   []Slot{SlotSpace, SlotLevel, SlotEvict2, SlotEvict},
	Spaces: Spaces{sGlobal | sLocal | sConst | sParam, 0, 1},
	Gates: []Gate{
		{V: 20, SM: 20, Inst: true},
		{Name: "cache eviction priority' on 'prefetch", V: 74, SM: 80, Mod: true, ModV: true, If: hasEvict2},
	},
	Rules: []Rule{{SlotLevel, prefetchLevel}, {SlotEvict, prefetchEvict}, {SlotSpace, prefetchSpace}},
	Flags: fGeneric,
}}}

var opPrefetchu = Op{Rows: []Row{{
	Name:  "prefetchu",
	Forms: []Form{{Args: "m"}},
	Mods:  []Slot{SlotLevel}, Need: []Slot{SlotLevel},
	Gates: []Gate{{V: 20, SM: 20, Inst: true}},
	Rules: []Rule{{SlotLevel, onlyL1}},
	Flags: fGeneric,
}}}

var opApplypriority = Op{Rows: []Row{{
	Name:  "applypriority",
	Forms: []Form{{Args: "mi"}},
	Mods:  []Slot{SlotSpace, SlotEvict2}, Need: []Slot{SlotEvict2},
	Spaces: Spaces{sGlobal, 0, 1},
	Gates:  []Gate{{V: 74, SM: 80, TargetFirst: true}, {At: SlotEvict, Name: ".evict_normal' on 'applypriority", V: 74, SM: 80, Mod: true, ModV: true, If: hasEvict2}},
	Rules:  []Rule{{SlotEvict, onlyNormal}, {SlotRead, bytes128}},
}}}

var opDiscard = Op{Rows: []Row{{
	Name:  "discard",
	Forms: []Form{{Args: "mi"}},
	Mods:  []Slot{SlotSpace, SlotLevel}, Need: []Slot{SlotLevel},
	Spaces: Spaces{sGlobal, 0, 1},
	Gates:  []Gate{{V: 74, SM: 80, TargetFirst: true}},
	Rules:  []Rule{{SlotLevel, onlyL2}, {SlotRead, bytes128}},
}}}

var policyMods = []Slot{SlotSpace, SlotEvict2, SlotEvict}

var opCreatepolicy = Op{Rows: []Row{
	{
		Words: []Word{WFractional}, Name: "createpolicy.fractional",
		Forms: []Form{{Types: []TypeSet{tB64}, Args: "K?f"}},
		Mods:  []Slot{SlotEvict2, SlotEvict}, Need: []Slot{SlotEvict2},
		Gates: []Gate{{V: 74, SM: 80, TargetFirst: true}},
		Rules: []Rule{{SlotEvict, policyEvict}, {SlotRead, policyFraction}},
	},
	{
		Words: []Word{WRange}, Name: "createpolicy.range",
		Forms: []Form{{Types: []TypeSet{tB64}, Args: "Kmuu"}},
		Mods:  policyMods, Need: []Slot{SlotEvict2},
		Spaces: Spaces{sGlobal, 0, 1},
		Gates:  []Gate{{V: 74, SM: 80, TargetFirst: true}},
		Rules:  []Rule{{SlotEvict, policyEvict}},
	},
	{
		Words: []Word{WCvt}, Name: "createpolicy.cvt",
		Forms: []Form{{Types: []TypeSet{tB64}, Args: "da"}},
		Mods:  []Slot{SlotLevel}, Need: []Slot{SlotLevel},
		Gates: []Gate{{V: 74, SM: 80, TargetFirst: true}},
	},
}}

var cvtaGates = []Gate{
	{V: 20, SM: 20, Inst: true},
	{At: SlotSpace, Name: "cvta/isspacep with .const state space", V: 31, W: WConst},
	{At: SlotSpace, Name: "cvta/isspacep with .param state space", V: 77, SM: 70, TargetFirst: true, If: paramSpace},
}

const cvtaSpaces = sConst | sGlobal | sLocal | sSharedAll | sParam | sEntry

var opCvta = Op{Rows: []Row{
	{
		Name: "cvta", Forms: []Form{{Types: []TypeSet{tU32 | tU64}, Args: "dA"}},
		Mods: []Slot{SlotSpace}, Spaces: Spaces{cvtaSpaces, 1, 1}, Gates: cvtaGates,
		Rules: []Rule{{SlotSpace, oldSpaces}, {SlotRead, symbolSpace}}, Flags: fSymbol,
	},
	{
		Words: []Word{WTo}, Name: "cvta.to", Forms: []Form{{Types: []TypeSet{tU32 | tU64}, Args: "da"}},
		Mods: []Slot{SlotSpace}, Spaces: Spaces{cvtaSpaces, 1, 1}, Gates: cvtaGates,
		Rules: []Rule{{SlotSpace, oldSpaces}},
	},
}}

var opIsspacep = Op{Rows: []Row{{
	Name: "isspacep", Forms: []Form{{Args: "qk"}, {Args: "qu"}},
	Mods: []Slot{SlotSpace}, Spaces: Spaces{cvtaSpaces, 1, 1}, Gates: cvtaGates,
	Rules: []Rule{{SlotSpace, oldSpaces}},
}}}

var opIstypep = Op{Rows: []Row{{
	Name: "istypep", Forms: []Form{{Types: []TypeSet{1<<Texref | 1<<Samplerref | 1<<Surfref}, Args: "qk"}},
	Gates: []Gate{{V: 40, SM: 30, Inst: true}},
}}}

var opMapa = Op{Rows: []Row{{
	Name: "mapa", Forms: []Form{{Types: []TypeSet{tU32 | tU64}, Args: "dAu"}},
	Mods: []Slot{SlotSpace}, Spaces: Spaces{sCluster, 0, 1}, Gates: []Gate{{V: 78, SM: 90, TargetFirst: true}}, Flags: fSymbol | fClusterOnly,
	Rules: []Rule{{SlotRead, sharedSymbol}},
}}}

var opGetctarank = Op{Rows: []Row{{
	Name: "getctarank", Forms: []Form{{Types: []TypeSet{tU32 | tU64}, Args: "nA"}},
	Mods: []Slot{SlotSpace}, Spaces: Spaces{sCluster, 0, 1}, Gates: []Gate{{V: 78, SM: 90, TargetFirst: true}}, Flags: fSymbol | fClusterOnly,
	Rules: []Rule{{SlotRead, sharedSymbol}},
}}}

var opAlloca = Op{Rows: []Row{{
	Name: "alloca", Forms: []Form{{Types: []TypeSet{tU32 | tU64}, Args: "da?i"}}, Gates: []Gate{{V: 73, SM: 52, TargetFirst: true}},
}}}

var opStacksave = Op{Rows: []Row{{
	Name: "stacksave", Forms: []Form{{Types: []TypeSet{tU32 | tU64}, Args: "d"}}, Gates: []Gate{{V: 73, SM: 52, TargetFirst: true}},
}}}

var opStackrestore = Op{Rows: []Row{{
	Name: "stackrestore", Forms: []Form{{Types: []TypeSet{tU32 | tU64}, Args: "a"}}, Gates: []Gate{{V: 73, SM: 52, TargetFirst: true}},
}}}
