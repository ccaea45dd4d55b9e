// Package cli is the command line: one table with every option, the rules
// by which words become values, the checks between options, and the help
// text. What it accepts, and the words it answers with, are those of the
// reference; testdata/cli holds the observations behind every rule.
package cli

import "slices"

// Kind says what an option's value is and how it is read.
type Kind uint8

// The kinds of value.
const (
	Flag     Kind = iota // no value
	Bool                 // true or false
	Number               // 32-bit integer, C spelling
	Unsigned             // 32-bit integer without sign, C spelling
	Long                 // 64-bit integer, C spelling
	Text                 // taken as it stands
	Choice               // one of Values
	Word                 // a list of words, separated by commas
	Choices              // a list of words, each one of Values
	Strings              // a list that grows by one whole value a time
	Pairs                // keyword=value words, separated by commas
)

// isList reports whether repeating an option adds to it.
func (k Kind) isList() bool { return k == Word || k == Choices || k == Strings || k == Pairs }

// Group is the heading an option stands under in the help text.
type Group uint8

// The headings, in the order of the help text.
const (
	GroupFiles Group = iota
	GroupTarget
	GroupOptimise
	GroupResources
	GroupLink
	GroupDebug
	GroupMessages
	GroupQueries
	GroupCompat
	GroupOwn
)

var groupTitles = [...]string{
	GroupFiles:     "Files",
	GroupTarget:    "Target",
	GroupOptimise:  "Optimisation",
	GroupResources: "Registers and launch bounds",
	GroupLink:      "Linking",
	GroupDebug:     "Debugging and instrumentation",
	GroupMessages:  "Messages and reports",
	GroupQueries:   "Questions",
	GroupCompat:    "Accepted for compatibility",
	GroupOwn:       "Of goptxas alone",
}

// Option is one row of the table.
type Option struct {
	Long, Short string // without dashes; Short may equal Long or be empty
	Kind        Kind
	Group       Group
	Arg         string                 // name of the value in the help text
	Values      []string               // for Choice and Choices
	From        func() []string        // makes them where another table has them
	Is          func(text string) bool // whether something is one of those
	Default     string                 // shown in the help text
	Help        string
	Glued       bool // a value may follow the short name directly: -O2
	Optional    bool // the short name alone leaves the value as it is, at first 0
	Deprecated  bool // using it prints a warning
}

// Choices returns the values that a Choice or Choices takes.
func (o *Option) Choices() []string {
	if o.From != nil {
		return o.From()
	}
	return o.Values
}

// takes reports whether a text is one of the choices.
func (o *Option) takes(text string) bool {
	if o.Is != nil {
		return o.Is(text)
	}
	return slices.Contains(o.Choices(), text)
}

// Value is what the command line said about one option.
type Value struct {
	Set  bool
	Text string // the last value
	Num  int32  // of Unsigned: the bits
	On   bool
	List []string
}

// Line is a parsed command line.
type Line struct {
	Inputs []string
	vals   [numOptions]Value
}

// Value returns what was said about an option.
func (l *Line) Value(id ID) *Value { return &l.vals[id] }

// Has reports whether the option was given.
func (l *Line) Has(id ID) bool { return l.vals[id].Set }

// Text returns the option's value, or def where it was not given.
func (l *Line) Text(id ID, def string) string {
	if v := &l.vals[id]; v.Set {
		return v.Text
	}
	return def
}

// Num returns the option's number, or def where it was not given.
func (l *Line) Num(id ID, def int) int {
	if v := &l.vals[id]; v.Set {
		return int(v.Num)
	}
	return def
}

// Long returns a number of 64 bits, or def where none was given.
func (l *Line) Long(id ID, def int64) int64 {
	if v := &l.vals[id]; v.Set {
		n, _, _ := number(v.Text)
		return n
	}
	return def
}

// Bool returns the option's truth value, or def where it was not given.
func (l *Line) Bool(id ID, def bool) bool {
	if v := &l.vals[id]; v.Set {
		return v.On
	}
	return def
}

// List returns the items of a list option.
func (l *Line) List(id ID) []string { return l.vals[id].List }
