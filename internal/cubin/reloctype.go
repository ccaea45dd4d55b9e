package cubin

import "strconv"

// RelocType is the kind of a relocation: which bits of the place it patches
// with what.
type RelocType uint32

// Relocation types that the compiler makes. The comment says which bits of
// the 128-bit instruction or of the data word receive the value.
const (
	Rel32              RelocType = 0x01 // 32-bit word
	Rel64              RelocType = 0x02 // 64-bit word
	RelG64             RelocType = 0x04 // 64-bit word, generic address
	RelTexHeader       RelocType = 0x06 // texture header index, low 20 bits of a word of bank 0
	RelSampHeader      RelocType = 0x07 // sampler header index, high 12 bits of the same word
	RelFuncDesc64      RelocType = 0x23 // 64-bit word, what launches name a kernel by
	RelSurfHeader      RelocType = 0x34
	RelAbs32at32       RelocType = 0x37 // bits 32-63
	RelAbs32Lo         RelocType = 0x38 // bits 32-63, low half
	RelAbs32Hi         RelocType = 0x39 // bits 32-63, high half
	RelAbs47at34       RelocType = 0x3a // bits 34-80, address / 4
	RelAbs16at32       RelocType = 0x3b
	RelFuncDesc32Lo    RelocType = 0x3e // bits 32-63, low half of what names a kernel
	RelConst19at40     RelocType = 0x40 // c[bank][offset], up to sm_89
	RelBindless14at40  RelocType = 0x41
	RelConst21at38     RelocType = 0x42 // c[bank][offset] of LDC, ULDC
	RelYieldOpcode     RelocType = 0x44
	RelYieldClearPred  RelocType = 0x45
	RelUnusedClear64   RelocType = 0x49
	RelAbs24at40       RelocType = 0x4a
	RelAbs55           RelocType = 0x4b // address / 4: low 8 bits at 16, next 47 at 34
	RelSampHeader0     RelocType = 0x65
	RelUnified         RelocType = 0x66
	RelUnified32Lo     RelocType = 0x70
	RelUnified32Hi     RelocType = 0x71
	RelAbs56           RelocType = 0x72
	RelConst22at37     RelocType = 0x73 // c[bank][offset] from sm_100
	RelMercuryBase     RelocType = 0x10000
	relPrefix                    = "R_CUDA_"
	relMercPrefix                = "R_MERCURY_"
	firstRelocWithName           = 1
)

// relocNames[t] is the name of type t without its prefix; the tools print
// these. Empty entries have no known name.
var relocNames = [...]string{
	0x01: "32", 0x02: "64", 0x03: "G32", 0x04: "G64", 0x05: "ABS32_26", 0x06: "TEX_HEADER_INDEX",
	0x07: "SAMP_HEADER_INDEX", 0x08: "SURF_HW_DESC", 0x09: "SURF_HW_SW_DESC",
	0x13: "TEX_SLOT", 0x14: "SAMP_SLOT", 0x15: "SURF_SLOT",
	0x22: "FUNC_DESC_32", 0x23: "FUNC_DESC_64", 0x34: "SURF_HEADER_INDEX",
	0x37: "ABS32_32", 0x38: "ABS32_LO_32", 0x39: "ABS32_HI_32", 0x3a: "ABS47_34", 0x3b: "ABS16_32", 0x3c: "ABS24_32",
	0x3d: "FUNC_DESC32_32", 0x3e: "FUNC_DESC32_LO_32", 0x3f: "FUNC_DESC32_HI_32",
	0x40: "CONST_FIELD19_40", 0x41: "BINDLESSOFF14_40", 0x42: "CONST_FIELD21_38", 0x43: "INSTRUCTION128",
	0x44: "YIELD_OPCODE9_0", 0x45: "YIELD_CLEAR_PRED4_87", 0x46: "32_LO", 0x47: "32_HI",
	0x48: "UNUSED_CLEAR32", 0x49: "UNUSED_CLEAR64", 0x4a: "ABS24_40", 0x4b: "ABS55_16_34",
	0x4c: "8_0", 0x4d: "8_8", 0x4e: "8_16", 0x4f: "8_24", 0x50: "8_32", 0x51: "8_40", 0x52: "8_48", 0x53: "8_56",
	0x54: "G8_0", 0x55: "G8_8", 0x56: "G8_16", 0x57: "G8_24", 0x58: "G8_32", 0x59: "G8_40", 0x5a: "G8_48", 0x5b: "G8_56",
	0x5c: "FUNC_DESC_8_0", 0x5d: "FUNC_DESC_8_8", 0x5e: "FUNC_DESC_8_16", 0x5f: "FUNC_DESC_8_24",
	0x60: "FUNC_DESC_8_32", 0x61: "FUNC_DESC_8_40", 0x62: "FUNC_DESC_8_48", 0x63: "FUNC_DESC_8_56",
	0x64: "ABS20_44", 0x65: "SAMP_HEADER_INDEX_0", 0x66: "UNIFIED", 0x67: "UNIFIED_32",
	0x68: "UNIFIED_8_0", 0x69: "UNIFIED_8_8", 0x6a: "UNIFIED_8_16", 0x6b: "UNIFIED_8_24",
	0x6c: "UNIFIED_8_32", 0x6d: "UNIFIED_8_40", 0x6e: "UNIFIED_8_48", 0x6f: "UNIFIED_8_56",
	0x70: "UNIFIED32_LO_32", 0x71: "UNIFIED32_HI_32", 0x72: "ABS56_16_34", 0x73: "CONST_FIELD22_37",
}

// String names a relocation type: R_CUDA_64; R_MERCURY_3 for those of the
// capsule sections, whose names nobody published; R_CUDA_T19 for a number
// without a name.
func (t RelocType) String() string {
	if t >= RelMercuryBase {
		return relMercPrefix + strconv.FormatUint(uint64(t-RelMercuryBase), 10)
	}
	if int(t) < len(relocNames) && relocNames[t] != "" {
		return relPrefix + relocNames[t]
	}
	return relPrefix + "T" + strconv.FormatUint(uint64(t), 10)
}

// ParseRelocType is the inverse of String.
func ParseRelocType(s string) (RelocType, bool) {
	if n, ok := cutNumber(s, relMercPrefix); ok {
		return RelMercuryBase + RelocType(n), true
	}
	if n, ok := cutNumber(s, relPrefix+"T"); ok {
		return RelocType(n), true
	}
	for t := firstRelocWithName; t < len(relocNames); t++ {
		if relocNames[t] != "" && s == relPrefix+relocNames[t] {
			return RelocType(t), true
		}
	}
	return 0, false
}

func cutNumber(s, prefix string) (uint32, bool) {
	if len(s) <= len(prefix) || s[:len(prefix)] != prefix {
		return 0, false
	}
	n, err := strconv.ParseUint(s[len(prefix):], 10, 32)
	return uint32(n), err == nil
}
