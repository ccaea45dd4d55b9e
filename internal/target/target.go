// Package target describes the GPUs we compile for: one row for each chip,
// read by everything that differs between them, and the names by which the
// command line and PTX call it. No other package compares the number of an
// SM with one of its own.
package target

// Family groups architectures that share an instruction encoding.
type Family uint8

const (
	Turing    Family = iota // sm_75
	Ampere                  // sm_80 to sm_89
	Hopper                  // sm_90, sm_90a
	Blackwell               // sm_100 and later
	NumFamilies
)

// Variant tells which feature set a name promises.
type Variant uint8

const (
	Plain        Variant = iota // sm_90: forward compatible
	FamilyOnly                  // sm_100f: this family of chips
	ArchSpecific                // sm_90a: this chip alone
)

// Arch is one architecture name as the command line and PTX spell it.
type Arch struct {
	Name    string // sm_90a
	Variant Variant
	*Chip
}

// Chip is what the names of one SM share.
type Chip struct {
	Column uint8 // its place in Chips, by which forms of instructions name it
	SM     int   // 90
	Was    int   // the number PTX called it by before: 101 of sm_110
	PTX    Since
	Family Family
	Group  uint8 // chips between which f names are compatible; 0 = none
	Features
	Limits
	Uniforms       int    // uniform registers of a kernel that the allocator gives out
	UniformBits    int    // width of a uniform register's number in an instruction
	SharedReserved int64  // what the system keeps at the start of shared memory
	Workaround     int    // value of the attribute SW_WAR; negative where there is none
	FastPath       uint32 // word of .nv.compat
	bank0          *Bank0
	timing         *Timing
}

// Chips lists every SM, oldest first.
var Chips = [...]Chip{
	{
		Column: 0, SM: 75, PTX: Since{Plain: 63}, Family: Turing, Features: turing | MaskReport | RefsOnce, Limits: Limits{32, 16, 64 * kb, 64 * kb},
		Uniforms: 63, UniformBits: 6, Workaround: 1, bank0: &bank0Turing, timing: &timingSM75,
	},
	{
		Column: 1, SM: 80, PTX: Since{Plain: 70}, Family: Ampere, Features: ampere | War2861232, Limits: Limits{64, 32, 164 * kb, 163 * kb},
		Uniforms: 63, UniformBits: 6, Workaround: -1, bank0: &bank0Ampere, timing: &timingSM80,
	},
	{
		Column: 2, SM: 86, PTX: Since{Plain: 71}, Family: Ampere, Features: ampere | IntToFloat | ControlSpace | War2861232, Limits: Limits{48, 16, 100 * kb, 99 * kb},
		Uniforms: 63, UniformBits: 6, Workaround: -1, bank0: &bank0Ampere, timing: &timingSM86,
	},
	{
		Column: 3, SM: 87, PTX: Since{Plain: 74}, Family: Ampere, Features: ampere | IntToFloat | ControlSpace | War2861232, Limits: Limits{48, 16, 164 * kb, 163 * kb},
		Uniforms: 63, UniformBits: 6, Workaround: 2, bank0: &bank0Ampere, timing: &timingSM86,
	},
	{
		Column: 4, SM: 88, PTX: Since{Plain: 73}, Family: Ampere, Features: ampere | IntToFloat | ControlSpace | War2861232, Limits: Limits{48, 16, 100 * kb, 99 * kb},
		Uniforms: 63, UniformBits: 6, Workaround: -1, bank0: &bank0Ampere, timing: &timingSM86,
	},
	{
		Column: 5, SM: 89, PTX: Since{Plain: 78}, Family: Ampere, Features: ampere | IntToFloat | ControlSpace | PackFormats | MatrixFP8 | MatrixOrder, Limits: Limits{48, 24, 100 * kb, 99 * kb},
		Uniforms: 63, UniformBits: 6, Workaround: -1, bank0: &bank0Ampere, timing: &timingSM86,
	},
	{
		Column: 6, SM: 90, PTX: Since{Plain: 78, A: 80}, Family: Hopper, Features: hopper, Limits: Limits{64, 32, 228 * kb, 227 * kb},
		Uniforms: 63, UniformBits: 6, SharedReserved: SystemShared, Workaround: 8, bank0: &bank0Hopper, timing: &timingSM90,
	},
	{
		Column: 7, SM: 100, PTX: Since{Plain: 86, A: 86, F: 88}, Family: Blackwell, Group: 1, Features: blackwellTensor | PairedFloats | PackedInts | MinTellsSource | ConvergedRedux, Limits: Limits{64, 32, 228 * kb, 227 * kb},
		Uniforms: 80, UniformBits: 8, SharedReserved: SystemShared, Workaround: 8, FastPath: 0x09, bank0: &bank0Blackwell, timing: &timingSM100,
	},
	{
		Column: 8, SM: 103, PTX: Since{Plain: 88, A: 88, F: 88}, Family: Blackwell, Group: 1, Features: blackwellTensor | PairedFloats | PackedInts | MinTellsSource | ConvergedRedux | PairedExponents | TensorBlock16, Limits: Limits{64, 32, 228 * kb, 227 * kb},
		Uniforms: 80, UniformBits: 8, SharedReserved: SystemShared, Workaround: 8, bank0: &bank0Blackwell, timing: &timingSM103,
	},
	{
		Column: 9, SM: 110, Was: 101, PTX: Since{Plain: 90, A: 90, F: 90}, Family: Blackwell, Group: 2, Features: blackwellTensor | GuardedShared, Limits: Limits{48, 24, 228 * kb, 227 * kb},
		Uniforms: 80, UniformBits: 8, SharedReserved: SystemShared, Workaround: 8, bank0: &bank0Blackwell, timing: &timingSM110,
	},
	{
		Column: 10, SM: 120, PTX: Since{Plain: 87, A: 87, F: 88}, Family: Blackwell, Group: 3, Features: blackwellDesk, Limits: Limits{48, 24, 100 * kb, 99 * kb},
		Uniforms: 80, UniformBits: 8, SharedReserved: SystemShared, Workaround: 0, FastPath: 0x50, bank0: &bank0Blackwell, timing: &timingSM120,
	},
	{
		Column: 11, SM: 121, PTX: Since{Plain: 88, A: 88, F: 88}, Family: Blackwell, Group: 3, Features: blackwellDesk, Limits: Limits{48, 24, 100 * kb, 99 * kb},
		Uniforms: 80, UniformBits: 8, SharedReserved: SystemShared, Workaround: 0, bank0: &bank0Blackwell, timing: &timingSM120,
	},
}

// SystemShared is what the system keeps at the start of shared memory where
// it keeps anything.
const SystemShared = 0x400

// TensorAccount is the symbol of what a block writes down there about its
// tensor memory, SharedGuard that of room for a workaround.
const (
	TensorAccount = "__nv_reservedSMEM_tcgen05_partition"
	SharedGuard   = "__nv_reservedSMEM_gb10b_war_var"
)

// SharedPart is a part of the shared memory that the system keeps.
type SharedPart struct {
	Name string
	Kind uint64 // its number among those that a linker may be asked for
	Size int64
}

// SharedParts lists the parts that code on a machine has, in their order, from
// ReservedFirst on.
func (a *Arch) SharedParts(account bool) (list []SharedPart) {
	if a.Has(GuardedShared) {
		list = append(list, SharedPart{SharedGuard, 0x10, 0x80})
	}
	if account {
		list = append(list, SharedPart{TensorAccount, 1, 0x20})
	}
	return list
}

// AccountAt is where a block's account of tensor memory stands in shared memory.
func (a *Arch) AccountAt() int64 {
	at := a.Bank0().ReservedFirst
	for _, p := range a.SharedParts(false) {
		at += p.Size
	}
	return at
}

// Archs lists every architecture that code can be generated for, oldest
// first, the plain name before its f and a variants.
var Archs = [...]Arch{
	{"sm_75", Plain, &Chips[0]},
	{"sm_80", Plain, &Chips[1]},
	{"sm_86", Plain, &Chips[2]},
	{"sm_87", Plain, &Chips[3]},
	{"sm_88", Plain, &Chips[4]},
	{"sm_89", Plain, &Chips[5]},
	{"sm_90", Plain, &Chips[6]},
	{"sm_90a", ArchSpecific, &Chips[6]},
	{"sm_100", Plain, &Chips[7]},
	{"sm_100f", FamilyOnly, &Chips[7]},
	{"sm_100a", ArchSpecific, &Chips[7]},
	{"sm_103", Plain, &Chips[8]},
	{"sm_103f", FamilyOnly, &Chips[8]},
	{"sm_103a", ArchSpecific, &Chips[8]},
	{"sm_110", Plain, &Chips[9]},
	{"sm_110f", FamilyOnly, &Chips[9]},
	{"sm_110a", ArchSpecific, &Chips[9]},
	{"sm_120", Plain, &Chips[10]},
	{"sm_120f", FamilyOnly, &Chips[10]},
	{"sm_120a", ArchSpecific, &Chips[10]},
	{"sm_121", Plain, &Chips[11]},
	{"sm_121f", FamilyOnly, &Chips[11]},
	{"sm_121a", ArchSpecific, &Chips[11]},
}

// Default is the architecture of a command line that names none.
const Default = "sm_75"

// Find returns the row of an architecture name, or nil.
func Find(name string) *Arch {
	for i := range Archs {
		if Archs[i].Name == name {
			return &Archs[i]
		}
	}
	return nil
}

// FindSM returns the chip with a number, be it an old one, or nil.
func FindSM(sm int) *Chip {
	for i := range Chips {
		if c := &Chips[i]; c.SM == sm || c.Was == sm && sm != 0 {
			return c
		}
	}
	return nil
}
