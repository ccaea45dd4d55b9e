package target

// Features is a set of what some machines have and others lack. A feature is
// named for what it means to the code that asks for it; where machines spell
// one thing in two ways, one of the spellings is the feature.
type Features uint64

const (
	// Instructions and their forms.

	Descriptors      Features = 1 << iota // accesses of global memory name a memory descriptor
	DeferredBars                          // BAR says .DEFER_BLOCKING
	SMScope                               // the narrowest scope of surfaces is .SM, not .CTA
	PackHalves                            // F2FP packs two f32 to a pair of halves
	PackFormats                           // F2FP names the format it packs from, and knows formats of eight bits
	IntToFloat                            // I2FP
	PlaceAddress                          // LEPC of a place in the code
	NamedRed                              // reductions on global memory are REDG, not RED
	WarpSyncAll                           // WARPSYNC has names for the whole warp and for groups in turn
	UniformHandles                        // textures and surfaces are named by handles in uniform registers
	HandleOffsets                         // something can be added to such a handle
	ImplicitLevel                         // TEX finds the level of detail by itself
	PackedInts                            // VIADD and VIMNMX: pairs of 16 bits, minima not below zero
	MinTellsSource                        // VIMNMX has two predicates more, which tell the source
	MinNamesType                          // VIMNMX names signed words
	AbsDiff                               // VABSDIFF
	ConvergedRedux                        // CREDUX: minima, maxima and floats
	SpinPredicate                         // ATOMS.CAST.SPIN tells by a predicate whether it stored
	ConstantLoads                         // a constant comes to a general register by LDC, not by MOV
	ConstantOperands                      // arithmetic reads constants in place of a register
	UniformLoads                          // a constant comes to a uniform register by LDCU, not by ULDC
	Wide256                               // loads and stores of 256 bits
	OrderedStores                         // uniform stores and sums to devices keep their order by themselves
	PairedFloats                          // FADD2, FMUL2, FFMA2: two f32 at once
	PairedExponents                       // MUFU.EX2 of a pair of halves
	WideHalfSums                          // multimem sums of halves in f32 are .HPADD, not .F32ADD

	// Matrix products.

	MatrixM16     // bf16, tf32 and sparse factors, shapes from m16n8k16 on
	MatrixDMMA884 // DMMA.884
	MatrixDMMA8x8 // DMMA.8x8x4
	MatrixDMMA16  // DMMA with sixteen rows
	MatrixIMMA8   // IMMA.8816
	MatrixNibbles // factors of four bits
	MatrixBits    // factors of one bit, joined by and
	MatrixXor     // the same, joined by xor
	MatrixFP8     // QMMA of f8
	MatrixFP4     // QMMA of f6 and f4, and scaled factors
	MatrixOrder   // QMMA says how its factors lie
	MatrixSecond  // products keep the second factor only
	MatrixSorted  // sparse factors come with ordered metadata only
	TensorMemory  // tcgen05, for names that end in a or f
	TensorBlock16 // scales for every sixteen elements are .BLOCK16, not .4X

	// The system around the code.

	Clusters       // blocks run in clusters, whose shared memory is one window of generic addresses
	Mbarriers      // the machine counts the phases of mbarriers
	BulkCopies     // bulk and tensor copies
	Multicast      // one of which goes to several blocks of a cluster
	CachedMaps     // the cache of uniform constants holds tensor maps too
	PaddedCopies   // asynchronous copies and fences keep away from other work by loads that do nothing
	PaddedStart    // and from the start of the kernel
	LeadingLoads   // an asynchronous copy stands behind loads that do nothing
	NewFiles       // files of the newer kind: order of sections, .nv.compat, RELA only, one relocation for functions
	Capsules       // files carry capsule sections
	GuardedShared  // the system keeps room in shared memory for a workaround
	LinkedSamplers // the linker gives words of their own to samplers that objects name
	BanksReported  // the reference's -v report counts constant banks and textures
	RefsOnce       // and a texture once, however many of its words a kernel has
	Literals       // constants of two words stand in the kernel's own bank
	MaskReport     // the reference can print member masks that may overlap
	War2861232     // kernels carry the attribute SW2861232_WAR
	ControlSpace   // nvdisasm puts a space behind code with bits 102 and 103 set
)

// Has reports whether the machine has all the features of x.
func (f Features) Has(x Features) bool { return f&x == x }

// What the chips of a family have; a chip's row adds what sets it apart.
const (
	turing = AbsDiff | ConstantOperands | MatrixIMMA8 | MatrixNibbles | MatrixBits | MatrixXor | PaddedCopies | LinkedSamplers | BanksReported | Literals

	ampere = turing | Descriptors | DeferredBars | SMScope | PackHalves | MatrixM16 | MatrixDMMA884

	hopper = Descriptors | DeferredBars | SMScope | PackHalves | PackFormats | IntToFloat | PlaceAddress | NamedRed | WarpSyncAll |
		UniformHandles | HandleOffsets | PackedInts | AbsDiff | ConstantLoads | ConstantOperands |
		MatrixM16 | MatrixDMMA8x8 | MatrixDMMA16 | MatrixIMMA8 | MatrixBits |
		Clusters | Mbarriers | BulkCopies | Multicast | PaddedCopies | PaddedStart | LeadingLoads | NewFiles | LinkedSamplers | ControlSpace

	blackwell = Descriptors | DeferredBars | SMScope | PackHalves | PackFormats | IntToFloat | PlaceAddress | NamedRed | WarpSyncAll |
		UniformHandles | SpinPredicate | ConstantLoads | UniformLoads | Wide256 | WideHalfSums |
		MatrixM16 | MatrixDMMA8x8 | MatrixSorted |
		Clusters | Mbarriers | BulkCopies | CachedMaps | PaddedCopies | PaddedStart | LeadingLoads | NewFiles | Capsules | ControlSpace

	// those with tensor memory, and those for desks
	blackwellTensor = blackwell | AbsDiff | OrderedStores | TensorMemory | Multicast
	blackwellDesk   = blackwell | PackedInts | MinNamesType | ImplicitLevel | MatrixFP8 | MatrixFP4 | MatrixSecond
)
