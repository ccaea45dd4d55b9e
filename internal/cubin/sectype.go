package cubin

import "github.com/goptxas/goptxas/internal/cubin/elf"

// Section types of CUDA's own range.
const (
	TypeInfo           = 0x70000000
	TypeCallGraph      = 0x70000001
	TypePrototype      = 0x70000002
	TypeResolvedRela   = 0x70000003
	TypeGlobal         = 0x70000007
	TypeGlobalInit     = 0x70000008
	TypeShared         = 0x7000000a
	TypeRelocInfo      = 0x7000000b
	TypeReservedShared = 0x70000015
	TypeCapMerc        = 0x70000016
	TypeConstant0      = 0x70000064
	TypeMercRela       = 0x70000082
	TypeMercInfo       = 0x70000083
	TypeMercSymtab     = 0x70000085
	TypeCompat         = 0x70000086
	TypeHost           = 0x70000087
)

type typeName struct {
	typ  uint32
	name string
}

// typeNames are the names by which the reference tools print section types.
var typeNames = [...]typeName{
	{elf.TypeNull, "NULL"},
	{elf.TypeProgbits, "PROGBITS"},
	{elf.TypeSymtab, "SYMTAB"},
	{elf.TypeStrtab, "STRTAB"},
	{elf.TypeRela, "RELA"},
	{elf.TypeNote, "NOTE"},
	{elf.TypeNobits, "NOBITS"},
	{elf.TypeRel, "REL"},
	{TypeInfo, "CUDA_INFO"},
	{TypeCallGraph, "CUDA_CALLGRAPH"},
	{TypePrototype, "CUDA_PROTOTYPE"},
	{TypeResolvedRela, "CUDA_RESOLVED_RELA"},
	{0x70000004, "CUDA_METADATA"},
	{0x70000006, "CUDA_CONSTANT"},
	{TypeGlobal, "CUDA_GLOBAL"},
	{TypeGlobalInit, "CUDA_GLOBAL_INIT"},
	{0x70000009, "CUDA_LOCAL"},
	{TypeShared, "CUDA_SHARED"},
	{TypeRelocInfo, "CUDA_RELOCINFO"},
	{0x7000000c, "MERCURY"},
	{0x7000000d, "MERCURY_SASS_MAP"},
	{0x7000000e, "CUDA_UFT"},
	{0x70000010, "CUDA_UIDX"},
	{0x70000011, "CUDA_UFT_ENTRY"},
	{0x70000012, "CUDA_UDT"},
	{0x70000014, "CUDA_UDT_ENTRY"},
	{TypeReservedShared, "CUDA_RESERVED_SHARED"},
	{TypeCapMerc, "CUDA_CAPMERC"},
	{TypeConstant0, "CUDA_CONSTANT_B0"},
	{0x70000065, "CUDA_CONSTANT_B1"},
	{0x70000066, "CUDA_CONSTANT_B2"},
	{0x70000067, "CUDA_CONSTANT_B3"},
	{0x70000068, "CUDA_CONSTANT_B4"},
	{0x70000069, "CUDA_CONSTANT_B5"},
	{0x7000006a, "CUDA_CONSTANT_B6"},
	{0x7000006b, "CUDA_CONSTANT_B7"},
	{TypeMercRela, "MERC_RELA"},
	{TypeMercInfo, "MERC_INFO"},
	{0x70000084, "MERC_CONSTANT_OPT"},
	{TypeMercSymtab, "MERC_SYMTAB"},
	{TypeCompat, "CUDA_COMPAT"},
	{TypeHost, "CUDA_EMBEDDED_HOST"},
	{0x70000088, "MERC_RESOLVED_RELA"},
}

// TypeName returns the name of a section type, or "" for one without.
func TypeName(typ uint32) string {
	for _, t := range typeNames {
		if t.typ == typ {
			return t.name
		}
	}
	return ""
}

// TypeByName is the inverse of TypeName.
func TypeByName(name string) (uint32, bool) {
	for _, t := range typeNames {
		if t.name == name {
			return t.typ, true
		}
	}
	return 0, false
}
