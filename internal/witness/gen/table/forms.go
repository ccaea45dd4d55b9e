// Package table lists what random programs are made of: the forms of the
// language, and templates of instructions.
package table

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Text lists the instructions of the scalar language, one a line, with
// registers that stand for widths: %p predicates, %h 16, %r 32 and %rd 64
// bits. TestForms says what is in it and what is left out.
//
//go:embed forms.txt
var Text string

// Form is a line of the list.
type Form struct {
	Op   string // with its modifiers
	Args []string
}

// Kinds of forms.
const (
	Plain = iota // arithmetic
	Load
	Store
	Atom
	Kinds
)

// Forms is the parsed list.
var Forms = sync.OnceValue(parseForms)

// parseForms parses the list: forms by kind and opcode, so that an opcode with
// many forms does not crowd out the others.
func parseForms() *[Kinds][][]Form {
	var t [Kinds][][]Form
	last := ""
	for line := range strings.Lines(Text) {
		f := Parse(strings.TrimSpace(line))
		k := f.Kind()
		name := f.Family()
		if name != last || len(t[k]) == 0 {
			t[k] = append(t[k], nil)
		}
		last = name
		g := &t[k][len(t[k])-1]
		*g = append(*g, f)
	}
	return &t
}

// Parse splits a form into its opcode and operands.
func Parse(line string) Form {
	op, rest, _ := strings.Cut(line, " ")
	f := Form{Op: op}
	depth, from := 0, 0
	for n, c := range rest {
		switch c {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case ',':
			if depth == 0 {
				f.Args = append(f.Args, strings.TrimSpace(rest[from:n]))
				from = n + 1
			}
		}
	}
	if rest != "" {
		f.Args = append(f.Args, strings.TrimSpace(rest[from:]))
	}
	return f
}

// Name is the opcode without modifiers.
func (f *Form) Name() string { n, _, _ := strings.Cut(f.Op, "."); return n }

// Family groups forms: the opcode, and for cvt what it converts to.
func (f *Form) Family() string {
	if f.Name() != "cvt" {
		return f.Name()
	}
	w := strings.Split(f.Op, ".")
	return "cvt " + w[len(w)-2]
}

// Kind tells arithmetic from accesses to memory.
func (f *Form) Kind() int {
	switch f.Name() {
	case "ld", "ldu":
		return Load
	case "st":
		return Store
	case "atom", "red":
		return Atom
	}
	return Plain
}

// Has reports whether the opcode has a modifier.
func (f *Form) Has(words ...string) bool {
	for _, w := range strings.Split(f.Op, ".")[1:] {
		if slices.Contains(words, w) {
			return true
		}
	}
	return false
}

// Typ is the last type of the opcode.
func (f *Form) Typ() string { return f.Op[strings.LastIndexByte(f.Op, '.')+1:] }

// IsInt reports whether the last type is one of integers.
func (f *Form) IsInt() bool {
	t := f.Typ()
	return t[0] == 's' || t[0] == 'u' || t[0] == 'b' && !strings.HasPrefix(t, "bf")
}

// RegNames returns the registers that a text names, in order.
func RegNames(text string) []string {
	var out []string
	for {
		at := strings.IndexByte(text, '%')
		if at < 0 {
			return out
		}
		end := at + 1
		for end < len(text) && (text[end] >= 'a' && text[end] <= 'z' || text[end] >= '0' && text[end] <= '9') {
			end++
		}
		out = append(out, text[at:end])
		text = text[end:]
	}
}

// spaceWords are the modifiers that name a space.
var spaceWords = [...]string{"global", "shared", "shared::cta", "shared::cluster", "local", "const", "param"}

// Space returns the space that a form names, or "".
func (f *Form) Space() string {
	for _, s := range spaceWords {
		if f.Has(s) {
			s, _, _ = strings.Cut(s, "::")
			return s
		}
	}
	return ""
}

// Bytes is how much memory a form accesses.
func (f *Form) Bytes() int {
	t := f.Typ()
	n, err := strconv.Atoi(strings.TrimLeft(t, "bfsux"))
	switch {
	case err != nil: // f16x2 and bf16x2
		n = 4
	default:
		n /= 8
	}
	for _, v := range [...]int{2, 4, 8} {
		if f.Has(fmt.Sprintf("v%d", v)) {
			n *= v
		}
	}
	return n
}

// MayCopy tells of a product that one may make a copy of its other source.
func (f *Form) MayCopy() bool {
	return f.Name() == "mul" && !f.IsInt() && !f.Has("rn", "rz", "rm", "rp", "ftz", "sat")
}
