package sema

import (
	"strconv"
	"strings"

	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/target"
)

// versions lists the PTX versions that exist, as major and last minor of
// each run: everything between 0 and the last minor is there.
var versions = [...]struct{ major, last int }{
	{1, 5}, {2, 3}, {3, 2}, {4, 3}, {5, 1}, {6, 5}, {7, 8}, {8, 8}, {9, 0},
}

// newest is the newest version, as messages show it.
const newest = "9.0"

// knownVersion reports whether the version exists.
func knownVersion(major, minor int) bool {
	for _, v := range versions {
		if v.major == major {
			return minor >= 0 && minor <= v.last
		}
	}
	return false
}

// ptxTarget is one architecture that .target may name and the first version
// that knows it with each suffix; zero where the combination does not exist.
type ptxTarget struct {
	sm          int
	plain, a, f isa.Version
}

// ptxTargets lists every architecture of every version, oldest first.
var ptxTargets = [...]ptxTarget{
	{sm: 10, plain: 10},
	{sm: 11, plain: 10},
	{sm: 12, plain: 12},
	{sm: 13, plain: 12},
	{sm: 20, plain: 20},
	{sm: 21, plain: 20},
	{sm: 30, plain: 30},
	{sm: 32, plain: 40},
	{sm: 35, plain: 31},
	{sm: 37, plain: 41},
	{sm: 50, plain: 40},
	{sm: 52, plain: 41},
	{sm: 53, plain: 42},
	{sm: 60, plain: 50},
	{sm: 61, plain: 50},
	{sm: 62, plain: 50},
	{sm: 70, plain: 51},
	{sm: 72, plain: 61},
	{sm: 75, plain: 63},
	{sm: 80, plain: 70},
	{sm: 82, plain: 62},
	{sm: 86, plain: 71},
	{sm: 87, plain: 74},
	{sm: 88, plain: 73},
	{sm: 89, plain: 78},
	{sm: 90, plain: 78, a: 80},
	{sm: 100, plain: 86, a: 86, f: 88},
	{sm: 101, plain: 86, a: 86, f: 88},
	{sm: 103, plain: 88, a: 88, f: 88},
	{sm: 110, plain: 90, a: 90, f: 90},
	{sm: 120, plain: 87, a: 87, f: 88},
	{sm: 121, plain: 88, a: 88, f: 88},
}

// Target is the architecture a file's .target names.
type Target struct {
	Name    string // as written: sm_90a, compute_75
	SM      int
	Variant target.Variant
	since   isa.Version
}

// parseTarget reads a .target word. The first result tells whether the word
// has the shape of an architecture at all, the second whether it exists.
func parseTarget(name string) (t Target, shaped, known bool) {
	rest, ok := strings.CutPrefix(name, "sm_")
	if !ok {
		if rest, ok = strings.CutPrefix(name, "compute_"); !ok {
			return t, false, false
		}
	}
	n := 0
	for n < len(rest) && rest[n] >= '0' && rest[n] <= '9' {
		n++
	}
	t.Name = name
	t.SM, _ = strconv.Atoi(rest[:n])
	for i := range ptxTargets {
		row := &ptxTargets[i]
		if row.sm != t.SM {
			continue
		}
		t.since = row.plain
		// A suffix other than a and f is ignored.
		switch {
		case strings.HasPrefix(rest[n:], "a"):
			t.since, t.Variant = row.a, target.ArchSpecific
		case strings.HasPrefix(rest[n:], "f"):
			t.since, t.Variant = row.f, target.FamilyOnly
		}
		return t, true, t.since != 0
	}
	return t, true, false
}

// smFamily numbers the groups that an f target may be compiled within.
func smFamily(sm int) int {
	switch {
	case sm == 100 || sm == 103:
		return 1
	case sm == 101 || sm == 110:
		return 2
	case sm == 120 || sm == 121:
		return 3
	}
	return 0
}

// mismatch tells why code for t cannot be compiled for the architecture, or
// returns "". sm_101 is the old name of sm_110.
func (t *Target) mismatch(arch *target.Arch) string {
	sm := t.SM
	if sm > arch.SM {
		return "SM version specified by .target is higher than default SM version assumed"
	}
	same := sm == arch.SM || sm == 101 && arch.SM == 110
	switch t.Variant {
	case target.ArchSpecific:
		if !same {
			return "Program with .target '" + t.Name + "' cannot be compiled to future architecture"
		}
		if arch.Variant != target.ArchSpecific {
			return "PTX with .target '" + t.Name + "' cannot be compiled for architecture '" + arch.Name + "'"
		}
	case target.FamilyOnly:
		if smFamily(sm) != smFamily(arch.SM) {
			return "Program with .target '" + t.Name + "' cannot be compiled to different SM-family architecture"
		}
	}
	return ""
}

// limits are the resources of an architecture that directives are judged
// against.
type limits struct {
	sm         int
	threads    uint64 // resident threads of one SM
	blocks     uint64 // resident blocks of one SM
	sharedArch uint64 // static shared memory with the a variant
	sharedMost uint64 // static shared memory with --enable-extended-smem
}

// plainShared is the static shared memory of a kernel for plain and f
// architectures.
const plainShared = 48 << 10

// constSpace is the size of the constant bank for .const variables.
const constSpace = 64 << 10

var archLimits = [...]limits{
	{75, 1024, 16, plainShared, 64 << 10},
	{80, 2048, 32, plainShared, 0x28c00},
	{86, 1536, 16, plainShared, 0x18c00},
	{87, 1536, 16, plainShared, 0x28c00},
	{88, 1536, 16, plainShared, 0x18c00},
	{89, 1536, 24, plainShared, 0x18c00},
	{90, 2048, 32, 0x38c00, 0x38c00},
	{100, 2048, 32, 0x38c00, 0x38c00},
	{103, 2048, 32, 0x38c00, 0x38c00},
	{110, 1536, 24, 0x38c00, 0x38c00},
	{120, 1536, 24, 0x18c00, 0x18c00},
	{121, 1536, 24, 0x18c00, 0x18c00},
}

func limitsOf(arch *target.Arch) *limits {
	for i := range archLimits {
		if archLimits[i].sm == arch.SM {
			return &archLimits[i]
		}
	}
	return &archLimits[0]
}

// shared returns the static shared memory a kernel may use.
func (l *limits) shared(arch *target.Arch, extended bool) uint64 {
	if extended {
		return l.sharedMost
	}
	if arch.Variant == target.ArchSpecific {
		return l.sharedArch
	}
	return plainShared
}
