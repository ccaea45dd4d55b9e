package target

// Since holds the first PTX version that knows a chip by its plain name and
// by those that end in a and f, times ten; zero where there is no such name.
type Since struct{ Plain, A, F uint8 }

// retired are the numbers that PTX knows and no code is generated for, or by
// another number.
var retired = [...]struct {
	sm int
	Since
}{
	{10, Since{Plain: 10}},
	{11, Since{Plain: 10}},
	{12, Since{Plain: 12}},
	{13, Since{Plain: 12}},
	{20, Since{Plain: 20}},
	{21, Since{Plain: 20}},
	{30, Since{Plain: 30}},
	{32, Since{Plain: 40}},
	{35, Since{Plain: 31}},
	{37, Since{Plain: 41}},
	{50, Since{Plain: 40}},
	{52, Since{Plain: 41}},
	{53, Since{Plain: 42}},
	{60, Since{Plain: 50}},
	{61, Since{Plain: 50}},
	{62, Since{Plain: 50}},
	{70, Since{Plain: 51}},
	{72, Since{Plain: 61}},
	{82, Since{Plain: 62}},
	{101, Since{Plain: 86, A: 86, F: 88}},
}

// PTXSince returns the first versions of PTX that know an SM, if any does.
func PTXSince(sm int) (Since, bool) {
	for i := range retired {
		if retired[i].sm == sm {
			return retired[i].Since, true
		}
	}
	for i := range Chips {
		if Chips[i].SM == sm {
			return Chips[i].PTX, true
		}
	}
	return Since{}, false
}

// Names is a set of names that end in a or f, whose features no later name
// inherits.
type Names uint16

// The a and f names, oldest first.
const (
	On90a Names = 1 << iota
	On100a
	On100f
	On101a
	On101f
	On103a
	On103f
	On110a
	On110f
	On120a
	On120f
	On121a
	On121f

	// An f set includes the a names of its family.

	OnA100 = On100a | On101a | On103a | On110a
	OnF100 = OnA100 | On100f | On101f | On103f | On110f
	OnA120 = On120a | On121a
	OnF120 = OnA120 | On120f | On121f
)

// named gives the bits of Names.
var named = [...]struct {
	sm int
	v  Variant
}{
	{90, ArchSpecific},
	{100, ArchSpecific},
	{100, FamilyOnly},
	{101, ArchSpecific},
	{101, FamilyOnly},
	{103, ArchSpecific},
	{103, FamilyOnly},
	{110, ArchSpecific},
	{110, FamilyOnly},
	{120, ArchSpecific},
	{120, FamilyOnly},
	{121, ArchSpecific},
	{121, FamilyOnly},
}

// NameOf returns the set of one name; plain ones are in none.
func NameOf(sm int, v Variant) Names {
	for i, n := range named {
		if n.sm == sm && n.v == v {
			return 1 << i
		}
	}
	return 0
}
