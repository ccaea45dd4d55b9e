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

// Newest is the newest version, as messages show it.
const Newest = "9.0"

// KnownVersion reports whether the version exists.
func KnownVersion(major, minor int) bool {
	for _, v := range versions {
		if v.major == major {
			return minor >= 0 && minor <= v.last
		}
	}
	return false
}

// Target is the architecture a file's .target names.
type Target struct {
	Name    string // as written: sm_90a, compute_75
	SM      int
	Variant target.Variant
	Since   isa.Version
}

// ParseTarget reads a .target word. The first result tells whether the word
// has the shape of an architecture at all, the second whether it exists.
func ParseTarget(name string) (t Target, shaped, known bool) {
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
	row, known := target.PTXSince(t.SM)
	if !known {
		return t, true, false
	}
	t.Since = isa.Version(row.Plain)
	// A suffix other than a and f is ignored.
	switch {
	case strings.HasPrefix(rest[n:], "a"):
		t.Since, t.Variant = isa.Version(row.A), target.ArchSpecific
	case strings.HasPrefix(rest[n:], "f"):
		t.Since, t.Variant = isa.Version(row.F), target.FamilyOnly
	}
	return t, true, t.Since != 0
}

// Before reports whether the target is older than the first that has what the
// language asks for.
func (t *Target) Before(sm int) bool { return t.SM < sm }

// Mismatch tells why code for t cannot be compiled for the architecture, or
// returns "".
func (t *Target) Mismatch(arch *target.Arch) string {
	sm := t.SM
	if sm > arch.SM {
		return "SM version specified by .target is higher than default SM version assumed"
	}
	same := target.FindSM(sm) == arch.Chip
	switch t.Variant {
	case target.ArchSpecific:
		if !same {
			return "Program with .target '" + t.Name + "' cannot be compiled to future architecture"
		}
		if arch.Variant != target.ArchSpecific {
			return "PTX with .target '" + t.Name + "' cannot be compiled for architecture '" + arch.Name + "'"
		}
	case target.FamilyOnly:
		if c := target.FindSM(sm); c == nil || c.Group != arch.Group {
			return "Program with .target '" + t.Name + "' cannot be compiled to different SM-family architecture"
		}
	}
	return ""
}

// plainShared is the static shared memory of a kernel for plain and f
// architectures.
const plainShared = 48 << 10

// ConstSpace is the size of the constant bank for .const variables.
const ConstSpace = 64 << 10

// StaticShared returns the static shared memory a kernel may use.
func StaticShared(arch *target.Arch, extended bool) uint64 {
	if extended || arch.Variant == target.ArchSpecific {
		return uint64(arch.SharedEach)
	}
	return plainShared
}
