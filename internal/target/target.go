// Package target describes the GPUs we compile for: one row per
// architecture name, read by everything that differs between them.
package target

// Family groups architectures that share an instruction encoding.
type Family uint8

const (
	Turing    Family = iota // sm_75
	Ampere                  // sm_80 to sm_89
	Hopper                  // sm_90, sm_90a
	Blackwell               // sm_100 and later
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
	SM      int    // 90
	Variant Variant
	Family  Family
}

// Archs lists every architecture that code can be generated for, oldest
// first, the plain name before its f and a variants.
var Archs = [...]Arch{
	{"sm_75", 75, Plain, Turing},
	{"sm_80", 80, Plain, Ampere},
	{"sm_86", 86, Plain, Ampere},
	{"sm_87", 87, Plain, Ampere},
	{"sm_88", 88, Plain, Ampere},
	{"sm_89", 89, Plain, Ampere},
	{"sm_90", 90, Plain, Hopper},
	{"sm_90a", 90, ArchSpecific, Hopper},
	{"sm_100", 100, Plain, Blackwell},
	{"sm_100f", 100, FamilyOnly, Blackwell},
	{"sm_100a", 100, ArchSpecific, Blackwell},
	{"sm_103", 103, Plain, Blackwell},
	{"sm_103f", 103, FamilyOnly, Blackwell},
	{"sm_103a", 103, ArchSpecific, Blackwell},
	{"sm_110", 110, Plain, Blackwell},
	{"sm_110f", 110, FamilyOnly, Blackwell},
	{"sm_110a", 110, ArchSpecific, Blackwell},
	{"sm_120", 120, Plain, Blackwell},
	{"sm_120f", 120, FamilyOnly, Blackwell},
	{"sm_120a", 120, ArchSpecific, Blackwell},
	{"sm_121", 121, Plain, Blackwell},
	{"sm_121f", 121, FamilyOnly, Blackwell},
	{"sm_121a", 121, ArchSpecific, Blackwell},
}

// Find returns the row of an architecture name, or nil.
func Find(name string) *Arch {
	for i := range Archs {
		if Archs[i].Name == name {
			return &Archs[i]
		}
	}
	return nil
}
