// Package memory has the rows of loads, stores, atomics, textures, barriers,
// fences and copies that go on by themselves. Each exported variable is the
// table of the opcode it is named after.
package memory

import (
	"math/bits"

	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/isa/row"
)

// Moves, loads, stores and address arithmetic.

var Mov = row.Op{Rows: []row.Row{{
	Name:  "mov",
	Forms: []row.Form{{Types: []row.TypeSet{row.Int | row.Bits | row.F32 | row.F64 | row.Pred | row.B128}, Args: "MO"}},
	Mods:  []isa.Slot{isa.SlotVec},
	Gates: []row.Gate{{Name: "Instruction type .b128 for instruction mov", SM: 70, T: row.B128}},
	Rules: []row.Rule{{At: isa.SlotRead, Do: movVector}, {At: isa.SlotRead, Do: movHandle}},
	Flags: row.FlagSpecial | row.FlagSymbol | row.FlagVector,
}}}

const ldTypes = row.Mem | row.B128

// loadMods are the slots loads and stores share.
var loadMods = []isa.Slot{isa.SlotSpace, isa.SlotVec, isa.SlotCop, isa.SlotSem, isa.SlotScope, isa.SlotEvict, isa.SlotEvict2, isa.SlotMmio}

var Ld = row.Op{Rows: []row.Row{{
	Name: "ld",
	Forms: []row.Form{
		{Types: []row.TypeSet{ldTypes}, Args: "xm", May: row.EarlyPref},
		{Types: []row.TypeSet{ldTypes}, Args: "xmk", May: row.EarlyPref, Must: row.EarlyHint},
	},
	Mods:   []isa.Slot{isa.SlotSpace, isa.SlotVec, isa.SlotCop, isa.SlotSem, isa.SlotScope, isa.SlotEvict, isa.SlotEvict2, isa.SlotMmio, isa.SlotNc},
	Spaces: row.Spaces{Set: row.Const | row.Global | row.Local | row.ParamAll | row.SharedAll, Min: 0, Max: 1},
	Gates: []row.Gate{
		{Name: "Instruction type .b128 for instruction ld", SM: 70, T: row.B128},
		gPref, gHint,
		{At: isa.SlotNc, Name: ".nc", V: 31, W: isa.WNc},
		{At: isa.SlotNc, Name: "ld.nc", SM: 32, W: isa.WNc, Inst: true},
		gCop20, gWide256,
	},
	Rules: []row.Rule{
		{At: isa.SlotLevel, Do: prefSpace},
		{At: isa.SlotEvict, Do: evictRules},
		{At: isa.SlotEvict2, Do: hintSpace},
		{At: isa.SlotEvict2, Do: wideSpace},
		{At: isa.SlotSem, Do: semOfLoad},
		{At: isa.SlotSem, Do: orderAndScope},
		{At: isa.SlotCmp, Do: mmioAlone},
		{At: isa.SlotCmp, Do: mmioVec},
		{At: isa.SlotNc, Do: ncRules},
		{At: isa.SlotCop, Do: copRules},
	},
	Flags: row.FlagVector | row.FlagGeneric,
}}}

var Ldu = row.Op{Rows: []row.Row{{
	Name:   "ldu",
	Forms:  []row.Form{{Types: []row.TypeSet{ldTypes}, Args: "xm"}},
	Mods:   []isa.Slot{isa.SlotSpace, isa.SlotVec},
	Spaces: row.Spaces{Set: row.Global, Min: 0, Max: 1},
	Gates:  []row.Gate{{V: 20, SM: 20, Inst: true}},
	Flags:  row.FlagVector | row.FlagGeneric,
}}}

var St = row.Op{Rows: []row.Row{
	{
		Name: "st",
		Forms: []row.Form{
			{Types: []row.TypeSet{ldTypes}, Args: "mz"},
			{Types: []row.TypeSet{ldTypes}, Args: "mzk", Must: row.EarlyHint},
		},
		Mods:   loadMods,
		Spaces: row.Spaces{Set: row.Global | row.Local | row.Param | row.ParamFunc | row.SharedAll, Min: 0, Max: 1},
		Gates: []row.Gate{
			{Name: "Instruction type .b128 for instruction st", SM: 70, T: row.B128},
			gHint, gCop20, gWide256,
		},
		Rules: []row.Rule{
			{At: isa.SlotEvict, Do: evictRules},
			{At: isa.SlotEvict2, Do: hintSpace},
			{At: isa.SlotEvict2, Do: wideSpace},
			{At: isa.SlotSem, Do: semOfStore},
			{At: isa.SlotSem, Do: orderAndScope},
			{At: isa.SlotCmp, Do: mmioAlone},
			{At: isa.SlotCmp, Do: mmioVec},
			{At: isa.SlotCop, Do: copRules},
		},
		Flags: row.FlagVector | row.FlagGeneric,
	},
	{
		Words: []isa.Word{isa.WAsync}, Name: "st.async",
		Forms: []row.Form{
			{Types: []row.TypeSet{row.Int32 | row.Int64 | row.B32 | row.B64 | row.F32 | row.F64}, Args: "mam"},
			{Types: []row.TypeSet{row.Mem}, Args: "ma"},
		},
		Mods:   []isa.Slot{isa.SlotSpace, isa.SlotVec, isa.SlotDone, isa.SlotSem, isa.SlotScope, isa.SlotMmio},
		Spaces: row.Spaces{Set: row.SharedCluster | row.Global, Min: 0, Max: 1},
		Gates:  asyncGates,
		Rules:  asyncRules,
		Flags:  row.FlagVector2 | row.FlagVectorIf,
	},
	{
		Words: []isa.Word{isa.WBulk}, Name: "st.bulk",
		Forms:  []row.Form{{Args: "mki"}},
		Mods:   []isa.Slot{isa.SlotSpace, isa.SlotSem},
		Spaces: row.Spaces{Set: row.SharedCTA, Min: 0, Max: 1},
		Gates:  []row.Gate{{V: 86, SM: 100}},
		Rules:  []row.Rule{{At: isa.SlotSem, Do: weakOnly}, {At: isa.SlotRead, Do: bulkZeros}},
	},
}}

var asyncGates = []row.Gate{
	{V: 81, SM: 90, TargetFirst: true},
	{Name: "st.async/red.async with .mmio modifier", V: 87, SM: 100, TargetFirst: true, W: isa.WMmio},
	{Name: "st.async/red.async with .global state space", At: isa.SlotSpace, V: 87, SM: 100, TargetFirst: true, W: isa.WGlobal},
	{Name: "st.async/red.async with .release modifier", At: isa.SlotSem, V: 87, SM: 100, TargetFirst: true, W: isa.WRelease},
}

var asyncRules = []row.Rule{
	{At: isa.SlotSpace, Do: asyncOldSpace},
	{At: isa.NoSlot, Do: asyncDone},
	{At: isa.SlotSem, Do: asyncSem},
	{At: isa.SlotScope, Do: asyncScope},
}

var (
	gHint    = row.Gate{At: isa.SlotAsync, Name: ".L2::cache_hint", V: 74, SM: 80, TargetFirst: true, W: isa.WL2CacheHint, Mod: true, ModV: true}
	gPref    = row.Gate{At: isa.SlotLevel, Name: "cache prefetching", V: 74, SM: 75, If: hasPref, TargetFirst: true}
	gCop20   = row.Gate{At: isa.SlotCop, SM: 20, Inst: true, If: hasCop}
	gWide256 = row.Gate{At: isa.SlotEvict2, Name: "256 bit wide load/store", V: 88, SM: 100, If: wide256}
)

var Prefetch = row.Op{Rows: []row.Row{{
	Name:   "prefetch",
	Forms:  []row.Form{{Args: "m"}},
	Mods:   []isa.Slot{isa.SlotSpace, isa.SlotLevel, isa.SlotEvict2, isa.SlotEvict},
	Spaces: row.Spaces{Set: row.Global | row.Local | row.Const | row.Param, Min: 0, Max: 1},
	Gates: []row.Gate{
		{V: 20, SM: 20, Inst: true},
		{Name: "cache eviction priority' on 'prefetch", V: 74, SM: 80, Mod: true, ModV: true, If: hasEvict2},
	},
	Rules: []row.Rule{{At: isa.SlotRead, Do: prefetchLevel}, {At: isa.SlotEvict, Do: prefetchEvict}, {At: isa.SlotSpace, Do: prefetchSpace}},
	Flags: row.FlagGeneric,
}}}

var Prefetchu = row.Op{Rows: []row.Row{{
	Name:  "prefetchu",
	Forms: []row.Form{{Args: "m"}},
	Mods:  []isa.Slot{isa.SlotLevel}, Need: []isa.Slot{isa.SlotLevel},
	Gates: []row.Gate{{V: 20, SM: 20, Inst: true}},
	Rules: []row.Rule{{At: isa.SlotLevel, Do: onlyL1}},
	Flags: row.FlagGeneric,
}}}

var Applypriority = row.Op{Rows: []row.Row{{
	Name:  "applypriority",
	Forms: []row.Form{{Args: "mi"}},
	Mods:  []isa.Slot{isa.SlotSpace, isa.SlotEvict2}, Need: []isa.Slot{isa.SlotEvict2},
	Spaces: row.Spaces{Set: row.Global, Min: 0, Max: 1},
	Gates:  []row.Gate{{V: 74, SM: 80, TargetFirst: true}, {At: isa.SlotEvict, Name: ".evict_normal' on 'applypriority", V: 74, SM: 80, Mod: true, ModV: true, If: hasEvict2}},
	Rules:  []row.Rule{{At: isa.SlotEvict, Do: onlyNormal}, {At: isa.SlotEvict, Do: oneEvict}, {At: isa.SlotRead, Do: bytes128}},
}}}

var Discard = row.Op{Rows: []row.Row{{
	Name:  "discard",
	Forms: []row.Form{{Args: "mi"}},
	Mods:  []isa.Slot{isa.SlotSpace, isa.SlotLevel}, Need: []isa.Slot{isa.SlotLevel},
	Spaces: row.Spaces{Set: row.Global, Min: 0, Max: 1},
	Gates:  []row.Gate{{V: 74, SM: 80, TargetFirst: true}},
	Rules:  []row.Rule{{At: isa.SlotLevel, Do: onlyL2}, {At: isa.SlotRead, Do: bytes128}},
}}}

var policyMods = []isa.Slot{isa.SlotSpace, isa.SlotEvict2, isa.SlotEvict}

var Createpolicy = row.Op{Rows: []row.Row{
	{
		Words: []isa.Word{isa.WFractional}, Name: "createpolicy.fractional",
		Forms: []row.Form{{Types: []row.TypeSet{row.B64}, Args: "K?f"}},
		Mods:  []isa.Slot{isa.SlotEvict2, isa.SlotEvict},
		Gates: []row.Gate{{V: 74, SM: 80, TargetFirst: true}},
		Rules: []row.Rule{{At: isa.SlotEvict, Do: policyEvict}, {At: isa.SlotEvict, Do: policyLevel}, {At: isa.SlotRead, Do: policyFraction}},
	},
	{
		Words: []isa.Word{isa.WRange}, Name: "createpolicy.range",
		Forms:  []row.Form{{Types: []row.TypeSet{row.B64}, Args: "Kmuu"}},
		Mods:   policyMods,
		Spaces: row.Spaces{Set: row.Global, Min: 0, Max: 1},
		Gates:  []row.Gate{{V: 74, SM: 80, TargetFirst: true}},
		Rules:  []row.Rule{{At: isa.SlotEvict, Do: policyEvict}, {At: isa.SlotEvict, Do: policyLevel}},
	},
	{
		Words: []isa.Word{isa.WCvt}, Name: "createpolicy.cvt",
		Forms: []row.Form{{Types: []row.TypeSet{row.B64}, Args: "Kk"}},
		Mods:  []isa.Slot{isa.SlotLevel},
		Gates: []row.Gate{{V: 74, SM: 80, TargetFirst: true}},
		Rules: []row.Rule{{At: isa.SlotLevel, Do: policyL2}},
	},
}}

var cvtaGates = []row.Gate{
	{V: 20, SM: 20, Inst: true},
	{At: isa.SlotSpace, Name: "cvta/isspacep with .const state space", V: 31, W: isa.WConst},
	{At: isa.SlotSpace, Name: "cvta/isspacep with .param state space", V: 77, SM: 70, TargetFirst: true, If: paramSpace},
}

const cvtaSpaces = row.Const | row.Global | row.Local | row.SharedAll | row.Param | row.ParamEntry

var Cvta = row.Op{Rows: []row.Row{
	{
		Name: "cvta", Forms: []row.Form{{Types: []row.TypeSet{row.U32 | row.U64}, Args: "dA"}},
		Mods: []isa.Slot{isa.SlotSpace}, Spaces: row.Spaces{Set: cvtaSpaces, Min: 1, Max: 1}, Gates: cvtaGates,
		Rules: []row.Rule{{At: isa.SlotSpace, Do: oldSpaces}, {At: isa.SlotRead, Do: symbolSpace}}, Flags: row.FlagSymbol,
	},
	{
		Words: []isa.Word{isa.WTo}, Name: "cvta.to", Forms: []row.Form{{Types: []row.TypeSet{row.U32 | row.U64}, Args: "da"}},
		Mods: []isa.Slot{isa.SlotSpace}, Spaces: row.Spaces{Set: cvtaSpaces, Min: 1, Max: 1}, Gates: cvtaGates,
		Rules: []row.Rule{{At: isa.SlotSpace, Do: oldSpaces}},
	},
}}

var Isspacep = row.Op{Rows: []row.Row{{
	Name: "isspacep", Forms: []row.Form{{Args: "qk"}, {Args: "qu"}},
	Mods: []isa.Slot{isa.SlotSpace}, Spaces: row.Spaces{Set: cvtaSpaces, Min: 1, Max: 1}, Gates: cvtaGates,
	Rules: []row.Rule{{At: isa.SlotSpace, Do: oldSpaces}},
}}}

var Istypep = row.Op{Rows: []row.Row{{
	Name: "istypep", Forms: []row.Form{{Types: []row.TypeSet{1<<isa.Texref | 1<<isa.Samplerref | 1<<isa.Surfref}, Args: "qk"}},
	Gates: []row.Gate{{V: 40, SM: 30, Inst: true}},
}}}

var Mapa = row.Op{Rows: []row.Row{{
	Name: "mapa", Forms: []row.Form{{Types: []row.TypeSet{row.U32 | row.U64}, Args: "dAu"}},
	Mods: []isa.Slot{isa.SlotSpace}, Spaces: row.Spaces{Set: row.SharedCluster, Min: 0, Max: 1}, Gates: []row.Gate{{V: 78, SM: 90, TargetFirst: true}}, Flags: row.FlagSymbol | row.FlagClusterOnly,
	Rules: []row.Rule{{At: isa.SlotRead, Do: sharedSymbol}},
}}}

var Getctarank = row.Op{Rows: []row.Row{{
	Name: "getctarank", Forms: []row.Form{{Types: []row.TypeSet{row.U32 | row.U64}, Args: "nA"}},
	Mods: []isa.Slot{isa.SlotSpace}, Spaces: row.Spaces{Set: row.SharedCluster, Min: 0, Max: 1}, Gates: []row.Gate{{V: 78, SM: 90, TargetFirst: true}}, Flags: row.FlagSymbol | row.FlagClusterOnly,
	Rules: []row.Rule{{At: isa.SlotRead, Do: sharedSymbol}},
}}}

var Alloca = row.Op{Rows: []row.Row{{
	Name: "alloca", Forms: []row.Form{{Types: []row.TypeSet{row.U32 | row.U64}, Args: "da?i"}}, Gates: []row.Gate{{V: 73, SM: 52, TargetFirst: true}},
	Rules: []row.Rule{{At: isa.SlotRead, Do: allocaAlign}},
}}}

// maxAllocaAlign bounds the alignment of what alloca gives.
const maxAllocaAlign = 1 << 23

// allocaAlign: alignments are powers of two.
func allocaAlign(c *row.Checker) {
	if len(c.In.Args) < 3 {
		return
	}
	n := uint64(c.In.Args[2].Value)
	if bits.OnesCount64(n) != 1 {
		c.Errorf("Alignment must be a power of two")
	}
	if n > maxAllocaAlign {
		c.Errorf("Alignment value too large, exceeds 2^23")
	}
}

var Stacksave = row.Op{Rows: []row.Row{{
	Name: "stacksave", Forms: []row.Form{{Types: []row.TypeSet{row.U32 | row.U64}, Args: "d"}}, Gates: []row.Gate{{V: 73, SM: 52, TargetFirst: true}},
}}}

var Stackrestore = row.Op{Rows: []row.Row{{
	Name: "stackrestore", Forms: []row.Form{{Types: []row.TypeSet{row.U32 | row.U64}, Args: "a"}}, Gates: []row.Gate{{V: 73, SM: 52, TargetFirst: true}},
}}}
