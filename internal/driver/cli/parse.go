package cli

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/goptxas/goptxas/internal/engine/diag"
)

// Fault is the reason why a command line ends a run.
type Fault struct {
	Text string
}

// Error returns the message.
func (f *Fault) Error() string { return f.Text }

// Faultf returns a Fault with a formatted message.
func Faultf(format string, args ...any) *Fault { return &Fault{fmt.Sprintf(format, args...)} }

// parser is the state of reading one command line.
type parser struct {
	line     *Line
	warnings []diag.Message
}

// Parse reads the words of a command line. The warnings are those found
// before the end, or before the fault; they are shown whatever the options
// say about warnings.
func Parse(args []string) (*Line, []diag.Message, *Fault) {
	p := parser{line: &Line{}}
	f := p.words(args, 0)
	return p.line, p.warnings, f
}

func (p *parser) words(args []string, depth int) *Fault {
	for i := 0; i < len(args); i++ {
		w := args[i]
		if len(w) < 2 || w[0] != '-' {
			p.line.Inputs = append(p.line.Inputs, w)
			continue
		}
		used, f := p.option(w, args[i+1:], depth)
		if f != nil {
			return f
		}
		i += used
	}
	return nil
}

// option handles one word that starts with a dash and returns how many of
// the following words it took.
func (p *parser) option(w string, rest []string, depth int) (int, *Fault) {
	name, val, hasVal := strings.Cut(w, "=")
	id, ok := find(name)
	if !ok {
		if id, ok = findGlued(w); !ok {
			return 0, Faultf("Unknown option '%s'", name[1:])
		}
		name, val, hasVal = w[:2], w[2:], true
	}
	o := &Table[id]
	if o.Deprecated {
		p.warn("option '%s' has been deprecated", o.Long)
	}
	used := 0
	switch {
	case o.Kind == Flag:
		if hasVal {
			return 0, Faultf("no argument expected after '%s'", name)
		}
		v := p.line.Value(id)
		v.Set, v.On = true, true
		return 0, nil
	case hasVal:
	case o.Optional && name == "-"+o.Short:
		p.line.Value(id).Set = true // the value stays what it was, at first 0
		return 0, nil
	case len(rest) == 0:
		return 0, Faultf("argument expected after '%s'", name)
	default:
		val, used = rest[0], 1
	}
	return used, p.set(id, val, depth)
}

// find looks an option up by its name with dashes: two and the long name,
// or one and the short name.
func find(name string) (ID, bool) {
	long, isLong := strings.CutPrefix(name, "--")
	for id := range Table {
		o := &Table[id]
		if isLong && long == o.Long || !isLong && o.Short != "" && name[1:] == o.Short {
			return ID(id), true
		}
	}
	return 0, false
}

// findGlued looks up a short name with its value stuck to it.
func findGlued(w string) (ID, bool) {
	for id := range Table {
		if o := &Table[id]; o.Glued && w[1:2] == o.Short {
			return ID(id), true
		}
	}
	return 0, false
}

func (p *parser) warn(format string, args ...any) {
	p.warnings = append(p.warnings, diag.Message{Severity: diag.Warning, Text: fmt.Sprintf(format, args...)})
}

// set stores a value after checking it against the option's kind.
func (p *parser) set(id ID, text string, depth int) *Fault {
	o, v := &Table[id], p.line.Value(id)
	if o.Kind == Pairs && v.Set {
		return Faultf("redefinition of argument '%s'", o.Long)
	}
	next, f := read(o, text)
	if f != nil {
		return f
	}
	if o.Kind.isList() {
		fresh := next.List
		next.List = slices.Concat(v.List, fresh)
		*v = next
		if id == OptionsFile {
			return p.files(fresh, depth)
		}
		return nil
	}
	if v.Set && !o.same(v, &next) {
		p.warn("incompatible redefinition for option '%s', the last value of this option was used", o.Long)
	}
	*v = next
	return nil
}

// same reports whether two values of the option mean the same.
func (o *Option) same(a, b *Value) bool {
	switch o.Kind {
	case Number, Unsigned:
		return a.Num == b.Num
	case Long:
		m, _, _ := number(a.Text)
		n, _, _ := number(b.Text)
		return m == n
	case Bool:
		return a.On == b.On
	}
	return a.Text == b.Text
}

// files reads options files in place.
func (p *parser) files(names []string, depth int) *Fault {
	for _, name := range names {
		if depth == maxDepth {
			return Faultf("Too many options file opened '%s'", name)
		}
		words, f := readOptionsFile(name)
		if f == nil {
			f = p.words(words, depth+1)
		}
		if f != nil {
			return f
		}
	}
	return nil
}

// read turns the text of a value into what the option's kind makes of it.
func read(o *Option, text string) (v Value, f *Fault) {
	v = Value{Set: true, Text: text}
	switch o.Kind {
	case Bool:
		if text != "true" && text != "false" {
			return v, Faultf("'%s': expected true or false", text)
		}
		v.On = text == "true"
	case Number:
		v.Num, f = readNumber(text, "integer", math.MinInt32, math.MaxInt32)
	case Unsigned:
		v.Num, f = readNumber(text, "hex", 0, math.MaxUint32)
	case Long:
		if _, ok, big := number(text); big {
			f = Faultf("64-bit integer value (%s) out of range", text)
		} else if !ok {
			f = Faultf("'%s': expected a number", text)
		}
	case Choice:
		return v, readChoice(o, &v)
	case Strings:
		v.List = []string{text}
	case Word:
		v.List, f = splitList(text)
	case Choices:
		v.List, f = splitList(text)
		for _, item := range v.List {
			if f == nil && !o.takes(item) {
				f = Faultf("Value '%s' is not defined for option '%s'", item, o.Long)
			}
		}
	case Pairs:
		v.List, f = readPairs(text)
	}
	return v, f
}

// readNumber reads a number between lo and hi; kind is the word that the
// message about others uses.
func readNumber(text, kind string, lo, hi int64) (int32, *Fault) {
	n, ok, big := number(text)
	switch {
	case big || ok && (n > hi || n < lo):
		return 0, Faultf("32-bit %s value (%s) out of range", kind, text)
	case !ok:
		return 0, Faultf("'%s': expected a number", text)
	}
	return int32(n), nil
}

// readChoice checks a value against the option's list; where the list is of
// numbers, any spelling of the number will do.
func readChoice(o *Option, v *Value) *Fault {
	if o.takes(v.Text) {
		return nil
	}
	if _, numeric, _ := number(o.Choices()[0]); numeric {
		n, f := readNumber(v.Text, "integer", math.MinInt32, math.MaxInt32)
		if f != nil {
			return f
		}
		for _, s := range o.Values {
			if m, _, _ := number(s); m == int64(n) {
				v.Text = s
				return nil
			}
		}
	}
	return Faultf("Value '%s' is not defined for option '%s'", v.Text, o.Long)
}

func readPairs(text string) ([]string, *Fault) {
	items, f := splitList(text)
	if f != nil {
		return nil, f
	}
	for i, item := range items {
		key, _, ok := strings.Cut(item, "=")
		if !ok {
			return nil, Faultf("'%s' is not in 'keyword=value' format", item)
		}
		for _, before := range items[:i] {
			if k, _, _ := strings.Cut(before, "="); k == key {
				return nil, Faultf("redefinition of keyword '%s' ", key)
			}
		}
	}
	return items, nil
}
