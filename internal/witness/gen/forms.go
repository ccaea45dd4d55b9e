package gen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/goptxas/goptxas/internal/witness/gen/table"
)

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
	for _, name := range table.RegNames(arg) {
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
func (m *maker) choose(kind int) *table.Form {
	groups := m.forms[kind]
	for {
		g := groups[m.r.IntN(len(groups))]
		f := &g[m.r.IntN(len(g))]
		if len(f.Args) == 0 || strings.Count(f.Args[0], "%") <= 4 { // there are enough registers
			return f
		}
	}
}

// plain makes an instruction of arithmetic.
func (m *maker) plain() Stmt {
	f := m.choose(table.Plain)
	i := &Inst{Op: f.Op}
	var taken, before []string
	for n, a := range f.Args {
		i.Args = append(i.Args, m.put(a, n == 0, &taken))
	}
	before = m.tame(f, i.Args)
	after := clean(f.Op, i.Args[0])
	if len(after) == 0 && f.Name() != "testp" && f.Name() != "set" && m.chance(12) {
		i.Guard = "@" + m.pick("", "!") + m.reg('p')
	}
	return i.between(before, after)
}

// tame changes operands on which the witnesses need not agree, and puts
// constants in the place of some. It returns lines that stand before.
func (m *maker) tame(f *table.Form, args []string) []string {
	last := len(args) - 1
	switch n := f.Name(); n {
	case "div", "rem":
		if !f.IsInt() {
			return m.literals(f, args)
		}
		t := "b" + f.Typ()[1:]
		odd := []string{".reg ." + t + " %odd;", "or." + t + " %odd, " + args[2] + ", 1;"}
		args[2] = "%odd"
		return odd
	case "bfe", "bfi":
		if strings.HasSuffix(f.Op, "64") || args[last][0] != '%' || args[last-1][0] != '%' {
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
			for !f.IsInt() && (args[k] == args[1] || k > 2 && args[k] == args[2]) {
				args[k] = m.like(f.Args[k])
			}
		}
	}
	return m.literals(f, args)
}

// literals puts constants in the place of some operands.
func (m *maker) literals(f *table.Form, args []string) []string {
	for n := 1; n < len(args); n++ {
		switch {
		case strings.HasPrefix(args[n], "0f"):
			args[n] = m.single(f)
		case strings.HasPrefix(args[n], "0d"):
			args[n] = m.double(f)
		case n > 1 && slices.Contains(constants[:], f.Name()) && args[n][0] == '%' && m.chance(20):
			switch typ := f.Typ(); {
			case typ == "f32" && args[n][1] != 'p':
				args[n] = m.single(f)
			case typ == "f64" && args[n][1] == 'd':
				args[n] = m.double(f)
			case !f.IsInt() || strings.HasSuffix(typ, "x2"):
			case f.Name() == "shl" || f.Name() == "shr": // of larger ones the reference takes the low half
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
func (m *maker) single(f *table.Form) string {
	v := uint32(m.number(32))
	if v == 0x3f800000 && f.MayCopy() {
		v++
	}
	return fmt.Sprintf("0f%08X", v)
}

func (m *maker) double(f *table.Form) string {
	v := m.number(64)
	if v == 0x3ff0000000000000 && f.MayCopy() {
		v++
	}
	return fmt.Sprintf("0d%016X", v)
}

// constants lists instructions whose sources may be constants.
var constants = [...]string{
	"add", "sub", "mul", "mad", "min", "max", "and", "or", "xor", "setp", "set", "sad", "mul24", "mad24", "fma", "shl", "shr", "selp", "lop3", "prmt", "dp4a", "dp2a",
}
