package cubin

import "strconv"

// AttrID is the number of an attribute of .nv.info.
type AttrID uint8

// Attributes that this package makes or interprets.
const (
	AttrCtaIDZUsed        AttrID = 0x04
	AttrMaxThreads        AttrID = 0x05
	AttrSamplerInit       AttrID = 0x09
	AttrParamCBank        AttrID = 0x0a
	AttrExterns           AttrID = 0x0f
	AttrReqNTid           AttrID = 0x10
	AttrFrameSize         AttrID = 0x11
	AttrMinStackSize      AttrID = 0x12
	AttrSamplerForce      AttrID = 0x13
	AttrTextureBank       AttrID = 0x15
	AttrSurfaceBank       AttrID = 0x16
	AttrKParamInfo        AttrID = 0x17
	AttrCBankParamSize    AttrID = 0x19
	AttrMaxRegCount       AttrID = 0x1b
	AttrExitOffsets       AttrID = 0x1c
	AttrCRSStackSize      AttrID = 0x1e
	AttrMaxStackSize      AttrID = 0x23
	AttrCoopOffsets       AttrID = 0x28
	AttrCoopMasks         AttrID = 0x29
	AttrWmmaUsed          AttrID = 0x2b
	AttrAtom16RegMap      AttrID = 0x2e
	AttrRegCount          AttrID = 0x2f
	AttrWarpWideOffsets   AttrID = 0x31
	AttrBranchTargets     AttrID = 0x34
	AttrSW2861232War      AttrID = 0x35
	AttrToolsPatch        AttrID = 0x4b
	AttrSWWar             AttrID = 0x36
	AttrAPIVersion        AttrID = 0x37
	AttrNumMbarriers      AttrID = 0x38
	AttrMbarrierOffsets   AttrID = 0x39
	AttrCtaPerCluster     AttrID = 0x3d
	AttrExplicitCluster   AttrID = 0x3e
	AttrMaxClusterRank    AttrID = 0x3f
	AttrInstrRegMap       AttrID = 0x40
	AttrReservedSmemUsed  AttrID = 0x41
	AttrUnusedLoadBytes   AttrID = 0x44
	AttrKParamInfoV2      AttrID = 0x45
	AttrSyscallOffsets    AttrID = 0x46
	AttrVrcCtaInitCount   AttrID = 0x4a
	AttrNumBarriers       AttrID = 0x4c
	AttrTexmodeIndep      AttrID = 0x4d
	AttrAtEntryFragments  AttrID = 0x4f
	AttrSparseMMAMask     AttrID = 0x50
	AttrTcgen05OneCta     AttrID = 0x51
	AttrTcgen05TwoCta     AttrID = 0x52
	AttrErrbarAtExit      AttrID = 0x53
	AttrRegReconfig       AttrID = 0x54
	AttrAnnotations       AttrID = 0x55
	AttrFinalizerOptions  AttrID = 0x5a
	AttrBlocksAreClusters AttrID = 0x5b
	AttrMercuryISAVersion AttrID = 0x5f
)

// Records of .nv.compat.
const (
	CompatISAClass      AttrID = 0x02
	CompatTensormap     AttrID = 0x03
	CompatTcgen05       AttrID = 0x05
	CompatOpportunistic AttrID = 0x06
	CompatISAVersion    AttrID = 0x07
	CompatAccelerator   AttrID = 0x09
	CompatFastpath      AttrID = 0x0b
)

// allSyms marks attributes whose whole payload is symbol numbers.
const allSyms = 1 << 30

type attrDef struct {
	name string
	syms int // leading symbol numbers of the payload
}

// attrDefs is indexed by attribute number.
var attrDefs = [...]attrDef{
	0x01: {"PAD", 0}, 0x02: {"IMAGE_SLOT", 0}, 0x03: {"JUMPTABLE_RELOCS", 0}, 0x04: {"CTAIDZ_USED", 0},
	0x05: {"MAX_THREADS", 0}, 0x06: {"IMAGE_OFFSET", 0}, 0x07: {"IMAGE_SIZE", 0}, 0x08: {"TEXTURE_NORMALIZED", 0},
	0x09: {"SAMPLER_INIT", 1}, 0x0a: {"PARAM_CBANK", 1}, 0x0b: {"SMEM_PARAM_OFFSETS", 0}, 0x0c: {"CBANK_PARAM_OFFSETS", 0},
	0x0d: {"SYNC_STACK", 0}, 0x0e: {"TEXID_SAMPID_MAP", 0}, 0x0f: {"EXTERNS", allSyms}, 0x10: {"REQNTID", 0},
	0x11: {"FRAME_SIZE", 1}, 0x12: {"MIN_STACK_SIZE", 1}, 0x13: {"SAMPLER_FORCE_UNNORMALIZED", 1},
	0x14: {"BINDLESS_IMAGE_OFFSETS", 0}, 0x15: {"BINDLESS_TEXTURE_BANK", 0}, 0x16: {"BINDLESS_SURFACE_BANK", 0},
	0x17: {"KPARAM_INFO", 1}, 0x18: {"SMEM_PARAM_SIZE", 0}, 0x19: {"CBANK_PARAM_SIZE", 0}, 0x1a: {"QUERY_NUMATTRIB", 0},
	0x1b: {"MAXREG_COUNT", 0}, 0x1c: {"EXIT_INSTR_OFFSETS", 0}, 0x1d: {"S2RCTAID_INSTR_OFFSETS", 0},
	0x1e: {"CRS_STACK_SIZE", 0}, 0x1f: {"NEED_CNP_WRAPPER", 0}, 0x20: {"NEED_CNP_PATCH", 0}, 0x21: {"EXPLICIT_CACHING", 0},
	0x22: {"ISTYPEP_USED", 0}, 0x23: {"MAX_STACK_SIZE", 1}, 0x24: {"SUQ_USED", 0}, 0x25: {"LD_CACHEMOD_INSTR_OFFSETS", 0},
	0x26: {"LOAD_CACHE_REQUEST", 0}, 0x27: {"ATOM_SYS_INSTR_OFFSETS", 0}, 0x28: {"COOP_GROUP_INSTR_OFFSETS", 0},
	0x29: {"COOP_GROUP_MASK_REGIDS", 0}, 0x2a: {"SW1850030_WAR", 0}, 0x2b: {"WMMA_USED", 0}, 0x2c: {"HAS_PRE_V10_OBJECT", 0},
	0x2d: {"ATOMF16_EMUL_INSTR_OFFSETS", 0}, 0x2e: {"ATOM16_EMUL_INSTR_REG_MAP", 0}, 0x2f: {"REGCOUNT", 1},
	0x30: {"SW2393858_WAR", 0}, 0x31: {"INT_WARP_WIDE_INSTR_OFFSETS", 0}, 0x32: {"SHARED_SCRATCH", 0}, 0x33: {"STATISTICS", 0},
	0x34: {"INDIRECT_BRANCH_TARGETS", 0}, 0x35: {"SW2861232_WAR", 0}, 0x36: {"SW_WAR", 0}, 0x37: {"CUDA_API_VERSION", 0},
	0x38: {"NUM_MBARRIERS", 0}, 0x39: {"MBARRIER_INSTR_OFFSETS", 0}, 0x3a: {"COROUTINE_RESUME_ID_OFFSETS", 0},
	0x3b: {"SAM_REGION_STACK_SIZE", 0}, 0x3c: {"PER_REG_TARGET_PERF_STATS", 0}, 0x3d: {"CTA_PER_CLUSTER", 0},
	0x3e: {"EXPLICIT_CLUSTER", 0}, 0x3f: {"MAX_CLUSTER_RANK", 0}, 0x40: {"INSTR_REG_MAP", 0}, 0x41: {"RESERVED_SMEM_USED", 0},
	0x42: {"RESERVED_SMEM_0_SIZE", 0}, 0x43: {"UCODE_SECTION_DATA", 0}, 0x44: {"UNUSED_LOAD_BYTE_OFFSET", 0},
	0x45: {"KPARAM_INFO_V2", 1}, 0x46: {"SYSCALL_OFFSETS", 0}, 0x47: {"SW_WAR_MEMBAR_SYS_INSTR_OFFSETS", 0},
	0x48: {"GRAPHICS_GLOBAL_CBANK", 0}, 0x49: {"SHADER_TYPE", 0}, 0x4a: {"VRC_CTA_INIT_COUNT", 0}, 0x4b: {"TOOLS_PATCH_FUNC", 0},
	0x4c: {"NUM_BARRIERS", 0}, 0x4d: {"TEXMODE_INDEPENDENT", 0}, 0x4e: {"PERF_STATISTICS", 0}, 0x4f: {"AT_ENTRY_FRAGMENTS", 0},
	0x50: {"SPARSE_MMA_MASK", 0}, 0x51: {"TCGEN05_1CTA_USED", 0}, 0x52: {"TCGEN05_2CTA_USED", 0}, 0x53: {"GEN_ERRBAR_AT_EXIT", 0},
	0x54: {"REG_RECONFIG", 0}, 0x55: {"ANNOTATIONS", 0}, 0x57: {"STACK_CANARY_TRAP_OFFSETS", 0}, 0x58: {"STUB_FUNCTION_KIND", 0},
	0x59: {"LOCAL_CTA_ASYNC_STORE_OFFSETS", 0}, 0x5a: {"MERCURY_FINALIZER_OPTIONS", 0}, 0x5b: {"BLOCKS_ARE_CLUSTERS", 0},
	0x5c: {"SANITIZE", 0}, 0x5d: {"SYSCALLS_FALLBACK", 0}, 0x5e: {"CUDA_REQ", 0}, 0x5f: {"MERCURY_ISA_VERSION", 0},
	0x61: {"RTCORE_ENTRY", 0}, 0x62: {"CLUSTER_LAUNCH_CONTROL_USED", 0}, 0x64: {"MIN_PER_CTA_MEMORY_SIZE", 0},
	0x65: {"IGNOREOOB_CP_ASYNC_BULK_INSTR_OFFSETS", 0}, 0x66: {"LANGUAGE", 0},
}

var compatNames = [...]string{
	0x02: "ISA_CLASS", 0x03: "INST_TENSORMAP_V1", 0x04: "INST_TCGEN05_MMA_DEPRECATED", 0x05: "INST_TCGEN05_MMA",
	0x06: "ENABLE_OPPORTUNISTIC_FINALIZATION", 0x07: "MERCURY_ISA_MAJOR_MINOR_VERSION", 0x08: "MERCURY_ISA_PATCH_VERSION",
	0x09: "CUDA_ACCELERATOR_TARGET", 0x0a: "CUDA_DRIVER_VERSION", 0x0b: "CAN_FASTPATH_FINALIZE",
}

// symbols returns how many leading words of the payload are symbol numbers.
func (id AttrID) symbols() int {
	if int(id) < len(attrDefs) {
		return attrDefs[id].syms
	}
	return 0
}

// Name returns the attribute's name without the EIATTR_ prefix, ATTR_n for
// a number without a name. compat chooses the numbering of .nv.compat.
func (id AttrID) Name(compat bool) string {
	var name string
	if compat {
		if int(id) < len(compatNames) {
			name = compatNames[id]
		}
	} else if int(id) < len(attrDefs) {
		name = attrDefs[id].name
	}
	if name == "" {
		return "ATTR_" + strconv.Itoa(int(id))
	}
	return name
}

// AttrByName is the inverse of Name.
func AttrByName(name string, compat bool) (AttrID, bool) {
	if n, ok := cutNumber(name, "ATTR_"); ok && n < 256 {
		return AttrID(n), true
	}
	if compat {
		for id, s := range compatNames {
			if s == name && s != "" {
				return AttrID(id), true
			}
		}
		return 0, false
	}
	for id, d := range attrDefs {
		if d.name == name && name != "" {
			return AttrID(id), true
		}
	}
	return 0, false
}
