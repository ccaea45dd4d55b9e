package gen

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// formText lists the instructions of the scalar language, one a line, with
// registers that stand for widths: %p predicates, %h 16, %r 32 and %rd 64
// bits. TestForms says what is in it and what is left out.
//
//go:embed forms.txt
var formText string

// form is a line of the list.
type form struct {
	op   string // with its modifiers
	args []string
}

// Kinds of forms.
const (
	formPlain = iota // arithmetic
	formLoad
	formStore
	formAtom
	formKinds
)

// formTable is the parsed list.
var formTable = sync.OnceValue(parseForms)

// parseForms parses the list: forms by kind and opcode, so that an opcode with
// many forms does not crowd out the others.
func parseForms() *[formKinds][][]form {
	var t [formKinds][][]form
	last := ""
	for line := range strings.Lines(formText) {
		f := parseForm(strings.TrimSpace(line))
		k := f.kind()
		name := f.family()
		if name != last || len(t[k]) == 0 {
			t[k] = append(t[k], nil)
		}
		last = name
		g := &t[k][len(t[k])-1]
		*g = append(*g, f)
	}
	return &t
}

// parseForm splits a form into its opcode and operands.
func parseForm(line string) form {
	op, rest, _ := strings.Cut(line, " ")
	f := form{op: op}
	depth, from := 0, 0
	for n, c := range rest {
		switch c {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case ',':
			if depth == 0 {
				f.args = append(f.args, strings.TrimSpace(rest[from:n]))
				from = n + 1
			}
		}
	}
	if rest != "" {
		f.args = append(f.args, strings.TrimSpace(rest[from:]))
	}
	return f
}

func (f *form) name() string { n, _, _ := strings.Cut(f.op, "."); return n }

// family groups forms: the opcode, and for cvt what it converts to.
func (f *form) family() string {
	if f.name() != "cvt" {
		return f.name()
	}
	w := strings.Split(f.op, ".")
	return "cvt " + w[len(w)-2]
}

func (f *form) kind() int {
	switch f.name() {
	case "ld", "ldu":
		return formLoad
	case "st":
		return formStore
	case "atom", "red":
		return formAtom
	}
	return formPlain
}

// has reports whether the opcode has a modifier.
func (f *form) has(words ...string) bool {
	for _, w := range strings.Split(f.op, ".")[1:] {
		if slices.Contains(words, w) {
			return true
		}
	}
	return false
}

// typ is the last type of the opcode.
func (f *form) typ() string { return f.op[strings.LastIndexByte(f.op, '.')+1:] }

// isInt reports whether the last type is one of integers.
func (f *form) isInt() bool {
	t := f.typ()
	return t[0] == 's' || t[0] == 'u' || t[0] == 'b' && !strings.HasPrefix(t, "bf")
}

// regNames returns the registers that a text names, in order.
func regNames(text string) []string {
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

// bits32 picks a register of 32 bits.
func (m *maker) bits32() string {
	if m.chance(25) {
		return m.reg('x')
	}
	return m.reg('r')
}

// like picks a register for one of a form.
func (m *maker) like(name string) string {
	switch strings.TrimRight(name, "0123456789") {
	case "%p":
		return m.reg('p')
	case "%h":
		return m.reg('h')
	case "%r":
		return m.bits32()
	}
	return m.reg('d')
}

// put replaces the registers of an operand; results are all different.
func (m *maker) put(arg string, result bool, taken *[]string) string {
	var b strings.Builder
	for _, name := range regNames(arg) {
		at := strings.Index(arg, name)
		b.WriteString(arg[:at])
		arg = arg[at+len(name):]
		r := m.like(name)
		for result && slices.Contains(*taken, r) {
			r = m.like(name)
		}
		if result {
			*taken = append(*taken, r)
		}
		b.WriteString(r)
	}
	b.WriteString(arg)
	return b.String()
}

// choose picks a form of a kind.
func (m *maker) choose(kind int) *form {
	groups := m.forms[kind]
	for {
		g := groups[m.r.IntN(len(groups))]
		f := &g[m.r.IntN(len(g))]
		if len(f.args) == 0 || strings.Count(f.args[0], "%") <= 4 { // there are enough registers
			return f
		}
	}
}

// plain makes an instruction of arithmetic.
func (m *maker) plain() Stmt {
	f := m.choose(formPlain)
	i := &Inst{Op: f.op}
	var taken, before []string
	for n, a := range f.args {
		i.Args = append(i.Args, m.put(a, n == 0, &taken))
	}
	before = m.tame(f, i.Args)
	after := clean(f.op, i.Args[0])
	if len(after) == 0 && f.name() != "testp" && f.name() != "set" && m.chance(12) {
		i.Guard = "@" + m.pick("", "!") + m.reg('p')
	}
	return i.between(before, after)
}

// tame changes operands on which the witnesses need not agree, and puts
// constants in the place of some. It returns lines that stand before.
func (m *maker) tame(f *form, args []string) []string {
	last := len(args) - 1
	switch n := f.name(); n {
	case "div", "rem":
		if !f.isInt() {
			return m.literals(f, args)
		}
		t := "b" + f.typ()[1:]
		odd := []string{".reg ." + t + " %odd;", "or." + t + " %odd, " + args[2] + ", 1;"}
		args[2] = "%odd"
		return odd
	case "bfe", "bfi":
		if strings.HasSuffix(f.op, "64") || args[last][0] != '%' || args[last-1][0] != '%' {
			args[last-1], args[last] = fmt.Sprint(m.r.IntN(32)), fmt.Sprint(m.r.IntN(32))
		}
		return nil
	case "fns":
		args[2] = fmt.Sprint(m.r.IntN(32))
		a, before := m.operand('o')
		args[3] = a
		return before
	case "min", "max":
		for k := 2; k < len(args); k++ {
			for !f.isInt() && (args[k] == args[1] || k > 2 && args[k] == args[2]) {
				args[k] = m.like(f.args[k])
			}
		}
	}
	return m.literals(f, args)
}

// literals puts constants in the place of some operands.
func (m *maker) literals(f *form, args []string) []string {
	for n := 1; n < len(args); n++ {
		switch {
		case strings.HasPrefix(args[n], "0f"):
			args[n] = m.single(f)
		case strings.HasPrefix(args[n], "0d"):
			args[n] = m.double(f)
		case n > 1 && slices.Contains(constants[:], f.name()) && args[n][0] == '%' && m.chance(20):
			switch typ := f.typ(); {
			case typ == "f32" && args[n][1] != 'p':
				args[n] = m.single(f)
			case typ == "f64" && args[n][1] == 'd':
				args[n] = m.double(f)
			case !f.isInt() || strings.HasSuffix(typ, "x2"):
			case f.name() == "shl" || f.name() == "shr": // of larger ones the reference takes the low half
				args[n] = fmt.Sprint(m.r.IntN(80))
			case args[n][1] == 'd':
				args[n] = fmt.Sprintf("0x%x", m.number(64))
			case args[n][1] == 'h':
				args[n] = fmt.Sprint(int16(m.number(16)))
			case args[n][1] == 'r' || args[n][1] == 'x':
				args[n] = fmt.Sprintf("0x%x", uint32(m.number(32)))
			}
			return nil // one is enough
		}
	}
	return nil
}

// single and double are constants of these types for an instruction. A product
// with one may be a copy, which keeps its NaN: then one is not used.
func (m *maker) single(f *form) string {
	v := uint32(m.number(32))
	if v == 0x3f800000 && f.mayCopy() {
		v++
	}
	return fmt.Sprintf("0f%08X", v)
}

func (m *maker) double(f *form) string {
	v := m.number(64)
	if v == 0x3ff0000000000000 && f.mayCopy() {
		v++
	}
	return fmt.Sprintf("0d%016X", v)
}

// mayCopy tells of a product that one may make a copy of its other source.
func (f *form) mayCopy() bool {
	return f.name() == "mul" && !f.isInt() && !f.has("rn", "rz", "rm", "rp", "ftz", "sat")
}

// constants lists instructions whose sources may be constants.
var constants = [...]string{
	"add", "sub", "mul", "mad", "min", "max", "and", "or", "xor", "setp", "set", "sad", "mul24", "mad24", "fma", "shl", "shr", "selp", "lop3", "prmt", "dp4a", "dp2a",
}
