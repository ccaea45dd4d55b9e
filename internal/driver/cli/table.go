package cli

import (
	"slices"
	"strconv"
	"strings"

	"github.com/goptxas/goptxas/internal/target"
)

// ID names a row of the option table.
type ID uint8

// The options, in the order of the table.
const (
	OutputFile ID = iota
	InputAsString
	OptionsFile
	GPUName
	Machine
	OptLevel
	FastCompileLevel
	AllowExpensive
	Fmad
	OptFloatAtomics
	RegisterUsageLevel
	DefLoadCache
	DefStoreCache
	ForceLoadCache
	ForceStoreCache
	DisableOptimizerConsts
	DontMergeBlocks
	ReturnAtEnd
	SplitCompile
	MaxRegCount
	FuncMaxRegCount
	MaxNTid
	MinNCTAPerSM
	OverrideDirectives
	CompileOnly
	ExtensibleWholeProgram
	ToolsPatch
	Entry
	PositionIndependent
	PreserveRelocs
	DeviceDebug
	LineInfo
	SuppressDebugInfo
	SPBoundsCheck
	StackProtector
	TMemCheck
	NoTMemCheck
	MakeErrorsVisible
	Sanitize
	Annotations
	Verbose
	DisableWarnings
	WarningAsError
	WarnDouble
	WarnLocal
	WarnSpills
	SuppressMulticast
	SuppressDoubleDemote
	SuppressSparse
	SuppressStackSize
	CompilerStats
	CompilerStatsFile
	TimeTrace
	ToolName
	Help
	Version
	ListVersion
	FastCompile
	LegacyBar
	Jobserver
	DisableSmemReservation
	BlocksAreClusters
	ApplyControls
	QueryControls
	CUDAAPIVersion
	ABICompile
	ProfileOptions
	Cloning
	Uumn
	OptPointers
	NoMemberMask
	VerboseTKInfo
	DebugInfo
	LinkInfo
	Key
	OKey
	PTXLength
	RegAllocLevel
	NoFastReg
	NoExternSync
	PrintMemberMasks
	TracePID
	TraceAfter
	ForceRela
	NVHost
	ExtendedShared
	RawTextures
	NoUniforms
	Bug1729687
	Bug200387803
	Bug200764156
	Bug4575628
	Bug4936628
	DescFile
	DescString
	ParseOnly
	PrintPTX
	Diagnostics
	Knob
	ListKnobs
	Phase
	StartAt
	CacheFolder
	CacheSize
	View
	Server
	Progress
	TimeLimit
	MemoryLimit
	Search
	SearchCandidates
	SearchSeed
	SearchWith
	numOptions
)

// Table has one row for every option, indexed by ID.
var Table = [numOptions]Option{
	OutputFile:    {Long: "output-file", Short: "o", Kind: Text, Group: GroupFiles, Arg: "file", Default: "elf.o", Help: "Write the cubin to this file."},
	InputAsString: {Long: "input-as-string", Short: "ias", Kind: Strings, Group: GroupFiles, Arg: "ptx", Help: "Take the PTX text itself from the command line; may be repeated and mixed with files."},
	OptionsFile:   {Long: "options-file", Short: "optf", Kind: Word, Group: GroupFiles, Arg: "file,...", Help: "Read more options from these files, as if they stood here."},

	GPUName: {Long: "gpu-name", Short: "arch", Kind: Choice, Group: GroupTarget, Arg: "name", From: archNames, Is: isArchName, Default: target.Default, Help: "The GPU to generate code for. compute_* and lto_* check the PTX and write nothing."},
	Machine: {Long: "machine", Short: "m", Kind: Choice, Group: GroupTarget, Arg: "bits", Values: []string{"64"}, Default: "64", Glued: true, Help: "Pointer size of the host; only 64 exists."},

	OptLevel:               {Long: "opt-level", Short: "O", Kind: Number, Group: GroupOptimise, Arg: "N", Default: "3", Glued: true, Optional: true, Help: "Optimisation level, 0 to 3. -O alone means 0."},
	FastCompileLevel:       {Long: "Ofast-compile", Short: "Ofc", Kind: Text, Group: GroupOptimise, Arg: "0|min|mid|max", Default: "0", Help: "Give up code quality for compile time: a little, some, or all of it."},
	AllowExpensive:         {Long: "allow-expensive-optimizations", Short: "allow-expensive-optimizations", Kind: Bool, Group: GroupOptimise, Arg: "true|false", Default: "true from -O2", Help: "Let costly optimisations use the time and memory they want."},
	Fmad:                   {Long: "fmad", Short: "fmad", Kind: Bool, Group: GroupOptimise, Arg: "true|false", Default: "true", Help: "Fuse a multiplication and an addition into one instruction with one rounding."},
	OptFloatAtomics:        {Long: "optimize-float-atomics", Short: "opt-fp-atomics", Group: GroupOptimise, Help: "Combine floating-point atomics even where that changes the rounding."},
	RegisterUsageLevel:     {Long: "register-usage-level", Short: "regUsageLevel", Kind: Number, Group: GroupOptimise, Arg: "0..10", Default: "5", Help: "How freely optimisations may spend registers."},
	DefLoadCache:           {Long: "def-load-cache", Short: "dlcm", Kind: Text, Group: GroupOptimise, Arg: "ca|cg|cs|cv|lu", Help: "Cache operator of global and generic loads that name none."},
	DefStoreCache:          {Long: "def-store-cache", Short: "dscm", Kind: Text, Group: GroupOptimise, Arg: "wb|cg|cs|wt", Help: "Cache operator of global and generic stores that name none."},
	ForceLoadCache:         {Long: "force-load-cache", Short: "flcm", Kind: Text, Group: GroupOptimise, Arg: "ca|cg|cs|cv|lu", Help: "Cache operator of all global and generic loads."},
	ForceStoreCache:        {Long: "force-store-cache", Short: "fscm", Kind: Text, Group: GroupOptimise, Arg: "wb|cg|cs|wt", Help: "Cache operator of all global and generic stores."},
	DisableOptimizerConsts: {Long: "disable-optimizer-constants", Short: "disable-optimizer-consts", Group: GroupOptimise, Help: "Keep the optimiser's own constants out of the constant bank."},
	DontMergeBlocks:        {Long: "dont-merge-basicblocks", Short: "no-bb-merge", Group: GroupOptimise, Help: "Leave consecutive basic blocks apart, which is easier to debug."},
	ReturnAtEnd:            {Long: "return-at-end", Short: "ret-end", Group: GroupOptimise, Help: "Keep the last return where it is, so that a breakpoint can sit there."},
	SplitCompile:           {Long: "split-compile", Short: "split-compile", Kind: Number, Group: GroupOptimise, Arg: "N", Default: "1", Help: "Compile kernels on this many threads; 0 is one for each CPU. The output does not depend on it."},

	MaxRegCount:        {Long: "maxrregcount", Short: "maxrregcount", Kind: Text, Group: GroupResources, Arg: "archmax|archmin|N", Help: "Most registers a kernel without .maxnreg may use."},
	FuncMaxRegCount:    {Long: "device-function-maxrregcount", Short: "func-maxrregcount", Kind: Text, Group: GroupResources, Arg: "archmax|archmin|N", Help: "Most registers a device function may use; with -c only."},
	MaxNTid:            {Long: "maxntid", Short: "maxntid", Kind: Word, Group: GroupResources, Arg: "x,y,z", Help: "Block size of kernels without the directive; -maxrregcount switches it off."},
	MinNCTAPerSM:       {Long: "minnctapersm", Short: "minnctapersm", Kind: Number, Group: GroupResources, Arg: "N", Help: "Blocks that must fit on one multiprocessor, for kernels without the directive."},
	OverrideDirectives: {Long: "override-directive-values", Short: "override-directive-values", Group: GroupResources, Help: "Let -maxrregcount, -maxntid and -minnctapersm win over the PTX directives."},

	CompileOnly:            {Long: "compile-only", Short: "c", Group: GroupLink, Help: "Write a relocatable object: external names stay open."},
	ExtensibleWholeProgram: {Long: "extensible-whole-program", Short: "ewp", Group: GroupLink, Help: "Compile as a whole program that may still call external functions."},
	ToolsPatch:             {Long: "compile-as-tools-patch", Short: "astoolspatch", Group: GroupLink, Help: "Compile functions that instrumentation tools patch in; no kernels allowed."},
	Entry:                  {Long: "entry", Short: "e", Kind: Word, Group: GroupLink, Arg: "name,...", Help: "Compile these kernels only."},
	PositionIndependent:    {Long: "position-independent-code", Short: "pic", Kind: Bool, Group: GroupLink, Arg: "true|false", Default: "false", Help: "Generate code that runs at any address."},
	PreserveRelocs:         {Long: "preserve-relocs", Short: "preserve-relocs", Group: GroupLink, Help: "Keep relocations for variables in the linked file."},

	DeviceDebug:       {Long: "device-debug", Short: "g", Group: GroupDebug, Help: "Generate debug information; implies -O0."},
	LineInfo:          {Long: "generate-line-info", Short: "lineinfo", Group: GroupDebug, Help: "Generate line tables."},
	SuppressDebugInfo: {Long: "suppress-debug-info", Short: "suppress-debug-info", Group: GroupDebug, Help: "Leave the debug sections out of the file; with -g or -lineinfo only."},
	SPBoundsCheck:     {Long: "sp-bounds-check", Short: "sp-bounds-check", Group: GroupDebug, Help: "Check the stack pointer; on with -g and -O0."},
	StackProtector:    {Long: "device-stack-protector", Short: "device-stack-protector", Kind: Bool, Group: GroupDebug, Arg: "true|false", Default: "false", Help: "Guard functions at risk with stack canaries."},
	TMemCheck:         {Long: "g-tensor-memory-access-check", Short: "g-tmem-access-check", Group: GroupDebug, Help: "Check tensor memory accesses of tcgen05; on with -g."},
	NoTMemCheck:       {Long: "gno-tensor-memory-access-check", Short: "gno-tmem-access-check", Group: GroupDebug, Help: "Do not check them, whatever else is said."},
	MakeErrorsVisible: {Long: "make-errors-visible-at-exit", Short: "make-errors-visible-at-exit", Group: GroupDebug, Help: "Wait at exit for late memory faults."},
	Sanitize:          {Long: "sanitize", Short: "sanitize", Kind: Choice, Group: GroupDebug, Arg: "tool", Values: []string{"memcheck", "threadsteer"}, Help: "Instrument the code for this tool."},
	Annotations:       {Long: "compiler-annotations", Short: "annotate", Group: GroupDebug, Help: "Leave notes of the compiler in the file."},

	Verbose:              {Long: "verbose", Short: "v", Group: GroupMessages, Help: "Report registers, memory and spills of every kernel."},
	DisableWarnings:      {Long: "disable-warnings", Short: "w", Group: GroupMessages, Help: "Print no warnings."},
	WarningAsError:       {Long: "warning-as-error", Short: "Werror", Group: GroupMessages, Help: "Treat warnings as errors."},
	WarnDouble:           {Long: "warn-on-double-precision-use", Short: "warn-double-usage", Group: GroupMessages, Help: "Warn about instructions on 64-bit floats."},
	WarnLocal:            {Long: "warn-on-local-memory-usage", Short: "warn-lmem-usage", Group: GroupMessages, Help: "Warn about local memory."},
	WarnSpills:           {Long: "warn-on-spills", Short: "warn-spills", Group: GroupMessages, Help: "Warn about registers spilled to local memory."},
	SuppressMulticast:    {Long: "suppress-async-bulk-multicast-advisory-warning", Short: "suppress-async-bulk-multicast-advisory-warning", Group: GroupMessages, Help: "No advice about .multicast::cluster."},
	SuppressDoubleDemote: {Long: "suppress-double-demote-warning", Short: "suppress-double-demote-warning", Group: GroupMessages, Help: "No warning about 64-bit floats on GPUs without them."},
	SuppressSparse:       {Long: "suppress-sparse-mma-advisory-info", Short: "suppress-sparse-mma-advisory-info", Group: GroupMessages, Help: "No advice about mma.sp."},
	SuppressStackSize:    {Long: "suppress-stack-size-warning", Short: "suppress-stack-size-warning", Group: GroupMessages, Help: "No warning where the stack size cannot be known."},
	CompilerStats:        {Long: "compiler-stats", Kind: Choices, Group: GroupMessages, Arg: "what,...", Values: []string{"time", "t", "memory", "m", "phase-wise", "p", "detailed", "d"}, Help: "Print the compiler's own time and memory."},
	CompilerStatsFile:    {Long: "compiler-stats-file", Kind: Text, Group: GroupMessages, Arg: "file", Help: "Append those figures to this file instead."},
	TimeTrace:            {Long: "fdevice-time-trace", Kind: Text, Group: GroupMessages, Arg: "file", Help: "Add this compilation to an existing Chrome trace file."},
	ToolName:             {Long: "tool-name", Short: "tool-name", Kind: Text, Group: GroupMessages, Arg: "name", Default: "ptxas", Help: "Begin messages with this name."},

	Help:        {Long: "help", Short: "h", Group: GroupQueries, Help: "Print this text."},
	Version:     {Long: "version", Short: "V", Group: GroupQueries, Help: "Print the version."},
	ListVersion: {Long: "list-version", Short: "version-ls", Group: GroupQueries, Help: "Print the PTX versions that are understood."},

	FastCompile:            {Long: "fast-compile", Short: "fc", Group: GroupCompat, Help: "Older spelling of fast compilation."},
	LegacyBar:              {Long: "legacy-bar-warp-wide-behavior", Short: "legacy-bar-warp-wide-behavior", Group: GroupCompat, Help: "Meant GPUs before sm_70; ignored."},
	Jobserver:              {Long: "jobserver", Short: "jobserver", Group: GroupCompat, Help: "Share threads with GNU make; with -split-compile."},
	DisableSmemReservation: {Long: "disable-smem-reservation", Short: "disable-smem-reservation", Kind: Bool, Group: GroupCompat, Arg: "true|false", Help: "Do not reserve shared memory for the system; from sm_90."},
	BlocksAreClusters:      {Long: "blocks-are-clusters", Short: "blocks-are-clusters", Kind: Bool, Group: GroupCompat, Arg: "true|false", Help: "Launch grids are counted in clusters; from sm_90."},
	ApplyControls:          {Long: "apply-controls", Short: "apply-controls", Kind: Text, Group: GroupCompat, Arg: "file", Help: "The reference's private control files cannot be read."},
	QueryControls:          {Long: "query-controls", Short: "query-controls", Kind: Text, Group: GroupCompat, Arg: "file", Help: "Write the list of tuning knobs to this file."},
	CUDAAPIVersion:         {Long: "cuda-api-version", Short: "cuda-api-version", Kind: Text, Group: GroupCompat, Arg: "13.0", Help: "Version of the CUDA interface."},
	ABICompile:             {Long: "abi-compile", Short: "abi", Kind: Text, Group: GroupCompat, Arg: "yes", Help: "Compile for the ABI; nothing else exists."},
	ProfileOptions:         {Long: "profile-options", Short: "po", Kind: Pairs, Group: GroupCompat, Arg: "key=value,...", Help: "No profile option exists."},
	Cloning:                {Long: "cloning", Short: "cloning", Kind: Text, Group: GroupCompat, Arg: "value", Help: "Ignored."},
	Uumn:                   {Long: "uumn", Short: "uumn", Group: GroupCompat, Help: "Ignored."},
	OptPointers:            {Long: "opt-pointers", Group: GroupCompat, Help: "Ignored."},
	NoMemberMask:           {Long: "no-membermask-overlap", Short: "no-membermask-overlap", Kind: Bool, Group: GroupCompat, Arg: "true|false", Help: "Ignored."},
	VerboseTKInfo:          {Long: "verbose-tkinfo", Short: "verbose-tkinfo", Kind: Bool, Group: GroupCompat, Arg: "true|false", Help: "Ignored."},
	DebugInfo:              {Long: "debug-info", Short: "debug-info", Kind: Text, Group: GroupCompat, Arg: "file", Deprecated: true, Help: "Ignored."},
	LinkInfo:               {Long: "link-info", Short: "link-info", Kind: Text, Group: GroupCompat, Arg: "file", Deprecated: true, Help: "Ignored."},
	Key:                    {Long: "key", Short: "k", Kind: Text, Group: GroupCompat, Arg: "key", Deprecated: true, Help: "Ignored."},
	OKey:                   {Long: "okey", Short: "ok", Kind: Unsigned, Group: GroupCompat, Arg: "N", Help: "Scrambled PTX cannot be read."},
	PTXLength:              {Long: "ptx-length", Short: "ptxlen", Kind: Unsigned, Group: GroupCompat, Arg: "N", Help: "Length of scrambled PTX."},

	RegAllocLevel:    {Long: "regAllocOptLevel", Short: "regAllocOptLevel", Kind: Number, Group: GroupCompat, Arg: "N", Help: "Ignored."},
	NoFastReg:        {Long: "no-fastreg", Short: "no-fastreg", Group: GroupCompat, Help: "Ignored."},
	NoExternSync:     {Long: "assume-extern-functions-do-not-sync", Short: "assume-extern-functions-do-not-sync", Kind: Bool, Group: GroupCompat, Arg: "true|false", Help: "Ignored: calls of external functions are always taken to synchronise."},
	PrintMemberMasks: {Long: "print-potentially-overlapping-membermasks", Short: "print-potentially-overlapping-membermasks", Group: GroupCompat, Help: "Meant GPUs before sm_70; ignored."},
	TracePID:         {Long: "use-trace-pid", Short: "use-trace-pid", Kind: Long, Group: GroupCompat, Arg: "N", Help: "Process number of the events that -fdevice-time-trace adds."},
	TraceAfter:       {Long: "ftrace-phase-after", Kind: Text, Group: GroupCompat, Arg: "name", Help: "Begin those events where the event of this name ends."},
	ForceRela:        {Long: "force-rela", Short: "force-rela", Group: GroupCompat, Help: "Write every relocation with its addend; always so from sm_90."},
	NVHost:           {Long: "nv-host", Short: "nv-host", Kind: Text, Group: GroupCompat, Arg: "file", Help: "Put this file into the section .nv.host of the cubin."},
	ExtendedShared:   {Long: "enable-extended-smem", Short: "enable-extended-smem", Kind: Bool, Group: GroupCompat, Arg: "true|false", Help: "Let static shared memory take all that a block can have."},
	RawTextures:      {Long: "set-texmode-raw", Short: "set-texmode-raw", Kind: Bool, Group: GroupCompat, Arg: "true|false", Help: "Textures by raw handles: references by name are refused."},
	NoUniforms:       {Long: "sw200428197", Short: "sw200428197", Kind: Bool, Group: GroupCompat, Arg: "true|false", Help: "Move no work to uniform registers."},
	Bug1729687:       {Long: "sw1729687", Short: "sw1729687", Kind: Bool, Group: GroupCompat, Arg: "true|false", Help: "Meant older GPUs; ignored."},
	Bug200387803:     {Long: "sw200387803", Short: "sw200387803", Kind: Bool, Group: GroupCompat, Arg: "true|false", Help: "Deprecated; ignored."},
	Bug200764156:     {Long: "sw200764156", Short: "sw200764156", Kind: Bool, Group: GroupCompat, Arg: "true|false", Help: "Meant other GPUs; ignored."},
	Bug4575628:       {Long: "sw4575628", Short: "sw4575628", Kind: Bool, Group: GroupCompat, Arg: "true|false", Help: "Ignored."},
	Bug4936628:       {Long: "sw4936628", Short: "sw4936628", Kind: Bool, Group: GroupCompat, Arg: "true|false", Help: "Ignored."},
	DescFile:         {Long: "ext-desc-file", Short: "ext-desc-file", Kind: Text, Group: GroupCompat, Arg: "file", Help: "The reference's private descriptions of instructions cannot be read."},
	DescString:       {Long: "ext-desc-string", Short: "ext-desc-string", Kind: Text, Group: GroupCompat, Arg: "text", Help: "The same, on the command line."},

	ParseOnly:        {Long: "parse-only", Group: GroupOwn, Help: "Check the PTX and stop; exit 0 when it is valid. Without -arch, for the GPU that the first text names."},
	PrintPTX:         {Long: "print-ptx", Group: GroupOwn, Help: "Print the PTX in normal form on standard output and stop."},
	Diagnostics:      {Long: "diagnostics", Kind: Choice, Group: GroupOwn, Arg: "text|pretty|json", Values: []string{"text", "pretty", "json"}, Default: "pretty on a terminal, else text", Help: "Form of messages: one line as the reference has it, with the source and a mark under it, or one JSON object a line."},
	Knob:             {Long: "knob", Kind: Strings, Group: GroupOwn, Arg: "name=value", Help: "Set tuning knobs; @file reads them from a file."},
	ListKnobs:        {Long: "list-knobs", Group: GroupOwn, Help: "Print every knob with its default."},
	View:             {Long: "view", Kind: Text, Group: GroupOwn, Arg: "file.html", Help: "Write a page that shows every phase, the code and its schedule; one file that needs nothing else."},
	Phase:            {Long: "phase", Kind: Strings, Group: GroupOwn, Arg: "name/flag[=v]", Help: "Direct a compiler phase: on, off, time, mem, dump, html, check, stop-after. A dump is an input: goptxas k.ori goes on from there."},
	StartAt:          {Long: "start-at", Kind: Text, Group: GroupOwn, Arg: "phase", Help: "With a dump (.ori) among the inputs: the phase from which its function goes on; else the one after that which wrote it."},
	CacheFolder:      {Long: "cache", Kind: Text, Group: GroupOwn, Arg: "folder", Help: "Keep compiled kernels here and take them from here; else in the folder that GOPTXAS_CACHE names."},
	Server:           {Long: "server", Kind: Text, Group: GroupOwn, Arg: "address", Help: "Compile on the server at this address, unix:path or address:port, else here; also the address that GOPTXAS_SERVER names."},
	Progress:         {Long: "progress", Kind: Choice, Group: GroupOwn, Arg: "plain|json|off", Values: []string{"plain", "json", "off"}, Default: "a line on a terminal, else off", Help: "Tell on standard error how far the compilation is: kernels, instructions, time left, memory."},
	TimeLimit:        {Long: "time-limit", Kind: Text, Group: GroupOwn, Arg: "seconds", Help: "Leave phases out that only improve code, as far as needed to end about then; a message says where."},
	MemoryLimit:      {Long: "memory-limit", Kind: Text, Group: GroupOwn, Arg: "megabytes", Help: "Do so while the process holds more than this."},
	Search:           {Long: "search", Kind: Text, Group: GroupOwn, Arg: "seconds", Help: "Compile every kernel again and again with other settings of the scheduler and the allocator for about so long in all, and keep what is estimated to be the fastest. Every candidate passes the checkers of registers and waits."},
	SearchCandidates: {Long: "search-candidates", Kind: Text, Group: GroupOwn, Arg: "N", Help: "Try exactly so many candidates of each kernel, however long it takes: the result depends on nothing but the seed."},
	SearchSeed:       {Long: "search-seed", Kind: Text, Group: GroupOwn, Arg: "N", Default: "0", Help: "What the choice of candidates begins from."},
	SearchWith:       {Long: "search-with", Kind: Text, Group: GroupOwn, Arg: "command", Help: "Compare candidates by what this command, given a cubin's name, prints: a cost, and behind it what must be the same for all, such as a hash of results. See gosass run -cost."},
	CacheSize:        {Long: "cache-size", Kind: Text, Group: GroupOwn, Arg: "megabytes", Default: "1024", Help: "How large that folder may become."},
}

// archKinds are what names of targets begin with.
var archKinds = [...]string{"sm_", "compute_", "lto_"}

// isArchName reports whether archNames returns a name.
func isArchName(name string) bool {
	for _, kind := range archKinds {
		if chip, ok := strings.CutPrefix(name, kind); ok {
			return slices.ContainsFunc(target.Archs[:], func(a target.Arch) bool { return a.Name[len("sm_"):] == chip })
		}
	}
	return false
}

// archNames returns the targets the reference knows: real ones, and virtual
// ones that stop after checking.
func archNames() []string {
	var out []string
	for _, kind := range archKinds {
		for i := range target.Chips {
			c := &target.Chips[i]
			name := kind + strconv.Itoa(c.SM)
			out = append(out, name)
			if c.PTX.A != 0 {
				out = append(out, name+"a")
			}
			if c.PTX.F != 0 {
				out = append(out, name+"f")
			}
		}
	}
	return out
}
