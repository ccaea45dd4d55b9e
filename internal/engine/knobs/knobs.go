// Package knobs holds the named, typed tuning knobs of the compiler: one table
// with a row for each knob that some phase reads, and sets of values.
//
// A Set starts from the defaults and takes assignments NAME=VALUE from the
// command line, a file or an environment variable. Once a compile has begun the
// Set is only read, from any number of goroutines.
package knobs

import (
	"fmt"
	"strconv"
	"strings"
)

// Kind is the type of a knob's value.
type Kind uint8

// The kinds. The comment shows how a value is written.
const (
	Unset     Kind = iota
	Bool           // true, false, on, off, yes, no, 1, 0; NAME alone means true
	Int            // 12, -3, 0x1f
	IntExtra       // 12 or 12:5, a number and an extra number
	Range          // 1..8, or 4 for 4..4
	List           // 1,2,3
	Float          // 0.5, held as float32
	Double         // 0.5
	String         // any text
	When           // COND?VALUE;COND?VALUE;VALUE, see Set.When
	Pairs          // FFMA:4,IMAD:5, opcode names with numbers
	Opcodes        // FFMA,IMAD, opcode names
	kindCount      // number of kinds
)

var kindNames = [kindCount]string{
	"unset", "bool", "int", "int+extra", "int range", "int list", "float", "double",
	"string", "when-string", "value pairs", "opcode list",
}

// String returns the kind's name as lists of knobs show it.
func (k Kind) String() string {
	if k < kindCount {
		return kindNames[k]
	}
	return "kind " + strconv.Itoa(int(k))
}

// Knob is one row of a table.
type Knob struct {
	Name    string
	Kind    Kind
	Default string // written as a value; "" is false, 0, empty
	Doc     string // one line
}

// ID is the index of a knob in its table.
type ID uint16

// Pair is an opcode name with its number.
type Pair struct {
	Name string
	N    int64
}

// Case is one alternative of a when-string.
type Case struct {
	Cond  []Fact // all must hold
	Value string
}

// Fact is a name with a value, or in a Case with a pattern for one.
type Fact struct{ Key, Value string }

// value holds a knob's value; which fields count depends on the kind.
type value struct {
	isSet bool
	n, hi int64 // also the extra number and the end of a range
	f     float64
	s     string
	many  *many // of kinds with lists
}

// many are the lists of a value, which hardly any knob has.
type many struct {
	list  []int64
	pairs []Pair
	cases []Case
}

// lists returns the lists of v.
func (v *value) lists() many {
	if v.many == nil {
		return many{}
	}
	return *v.many
}

// Set holds a value for every knob of a table.
type Set struct {
	table []Knob
	vals  []value
	// IsOpcode decides which names Pairs and Opcodes accept; nil accepts any
	// identifier. It is set before values are.
	IsOpcode func(name string) bool
}

// New returns the knobs of the compiler with their default values.
func New() *Set { return NewSet(table[:]) }

// NewSet returns knobs from a table of the caller's own. A default that does
// not parse is a bug of the table and panics.
func NewSet(table []Knob) *Set {
	s := &Set{table: table, vals: make([]value, len(table))}
	for i := range table {
		if k := &table[i]; k.Default != "" {
			if err := s.parse(k, k.Default, &s.vals[i]); err != nil {
				panic(fmt.Sprintf("knobs: default of %s: %v", k.Name, err))
			}
		}
	}
	return s
}

// Changed reports whether some knob was set.
func (s *Set) Changed() bool {
	for i := range s.vals {
		if s.vals[i].isSet {
			return true
		}
	}
	return false
}

// Clone returns a copy of s that can be set apart from it.
func (s *Set) Clone() *Set {
	c := *s
	c.vals = append([]value(nil), s.vals...)
	return &c
}

// Table returns the rows of the set's table.
func (s *Set) Table() []Knob { return s.table }

// find returns the index of the knob called name, whatever its case.
func (s *Set) find(name string) (int, bool) {
	for i := range s.table {
		if strings.EqualFold(s.table[i].Name, name) && s.table[i].Kind != Unset {
			return i, true
		}
	}
	return 0, false
}

// ByName returns the ID of the knob called name, whatever its case.
func (s *Set) ByName(name string) (ID, bool) {
	i, ok := s.find(name)
	return ID(i), ok
}

// Set gives knob name the value written v. An unknown name is an error that
// suggests the nearest names.
func (s *Set) Set(name, v string) error {
	i, ok := s.find(name)
	if !ok {
		return &UnknownError{Name: name, Near: s.near(name)}
	}
	var val value
	if err := s.parse(&s.table[i], v, &val); err != nil {
		return fmt.Errorf("knob %s: %w", s.table[i].Name, err)
	}
	val.isSet = true
	s.vals[i] = val
	return nil
}

// Assign handles one assignment NAME=VALUE; NAME alone sets a bool.
func (s *Set) Assign(text string) error {
	name, v, found := strings.Cut(text, "=")
	name = strings.TrimSpace(name)
	if !found {
		i, ok := s.find(name)
		if ok && s.table[i].Kind != Bool {
			return fmt.Errorf("knob %s: needs a value (%s)", s.table[i].Name, s.table[i].Kind)
		}
		v = "true"
	}
	return s.Set(name, strings.TrimSpace(v))
}

func (s *Set) get(id ID, kinds ...Kind) *value {
	k := s.table[id].Kind
	for _, want := range kinds {
		if k == want {
			return &s.vals[id]
		}
	}
	panic(fmt.Sprintf("knobs: %s is %v, read as %v", s.table[id].Name, k, kinds[0]))
}

// IsSet reports whether the user gave a value to the knob.
func (s *Set) IsSet(id ID) bool { return s.vals[id].isSet }

// Bool returns the value of a bool knob.
func (s *Set) Bool(id ID) bool { return s.get(id, Bool).n != 0 }

// Int returns the value of an int knob, with or without extra.
func (s *Set) Int(id ID) int64 { return s.get(id, Int, IntExtra).n }

// Extra returns the extra number of an int knob.
func (s *Set) Extra(id ID) int64 { return s.get(id, IntExtra).hi }

// Range returns the ends of a range knob.
func (s *Set) Range(id ID) (lo, hi int64) {
	v := s.get(id, Range)
	return v.n, v.hi
}

// List returns the numbers of a list knob; the caller must not change them.
func (s *Set) List(id ID) []int64 { return s.get(id, List).lists().list }

// Float returns the value of a float or double knob.
func (s *Set) Float(id ID) float64 { return s.get(id, Float, Double).f }

// String returns the text of a string knob.
func (s *Set) String(id ID) string { return s.get(id, String).s }

// Pairs returns the pairs of a value-pair knob; the caller must not change them.
func (s *Set) Pairs(id ID) []Pair { return s.get(id, Pairs).lists().pairs }

// Opcodes returns the names of an opcode-list knob.
func (s *Set) Opcodes(id ID) []Pair { return s.get(id, Opcodes).lists().pairs }

// When returns the value of the first alternative of a when-string whose
// conditions all hold for the facts, and whether there was one. A condition
// holds when some fact has its key and a value that its pattern matches;
// patterns know * and [a-z].
func (s *Set) When(id ID, facts ...Fact) (string, bool) {
	for _, c := range s.get(id, When).lists().cases {
		if c.holds(facts) {
			return c.Value, true
		}
	}
	return "", false
}
