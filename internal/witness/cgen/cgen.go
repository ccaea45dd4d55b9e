// Package cgen makes random programs in CUDA C. Compiled to PTX by a
// compiler that is not ours they are a second source of programs: the shapes
// of code, types and calls are those of a real front end.
//
// The programs end, stay inside their arrays and have no races; what C
// leaves undefined beyond that does not matter, since they mean what their
// PTX says.
package cgen

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Sizes of the buffers in bytes; masks keep every index inside.
const (
	InBytes  = 4096
	OutWords = 16 // of each thread
	Threads  = 64
)

// types of variables, with how a word of the input becomes one.
var types = [...]string{"u32", "int", "u64", "long long", "unsigned short", "signed char", "float", "double"}

type maker struct {
	r     *rand.Rand
	b     strings.Builder
	vars  []variable
	loops int
	depth int
	funcs int
}

type variable struct{ name, typ string }

// prelude says what a CUDA header would, of which nothing is needed.
const prelude = `typedef unsigned int u32;
typedef unsigned long long u64;
static __attribute__((device)) __inline__ u32 thread() { u32 r; asm("mov.u32 %0, %%tid.x;" : "=r"(r)); return r; }
static __attribute__((device)) __inline__ u32 bits(float x) { u32 r; asm("mov.b32 %0, %1;" : "=r"(r) : "f"(x)); return r; }
static __attribute__((device)) __inline__ u32 bits64(double x) { u64 r; asm("mov.b64 %0, %1;" : "=l"(r) : "d"(x)); return (u32)(r >> 20); }
static __attribute__((device)) __inline__ void meet() { asm volatile("bar.sync 0;" ::: "memory"); }
`

// Program returns the text of a seed: one kernel k(in, out, n).
func Program(seed uint64) string {
	m := &maker{r: rand.New(rand.NewPCG(seed, 0xc0de))}
	m.b.WriteString(prelude)
	m.funcs = m.r.IntN(3)
	for k := range m.funcs {
		m.function(k)
	}
	m.kernel()
	return m.b.String()
}

func (m *maker) f(format string, args ...any) {
	fmt.Fprintf(&m.b, format+"\n", args...)
}

func (m *maker) declare(n int) {
	for k := range n {
		v := variable{fmt.Sprintf("v%d", k), types[m.r.IntN(len(types))]}
		m.f("%s %s = (%s)in[(t * %d + %d) & 1023];", v.typ, v.name, v.typ, 1+m.r.IntN(7), m.r.IntN(1024))
		m.vars = append(m.vars, v)
	}
}

// function writes a device function of four words.
func (m *maker) function(k int) {
	inline := ""
	if m.r.IntN(2) == 0 {
		inline = "__attribute__((noinline)) "
	}
	m.f("static __attribute__((device)) %su32 f%d(const u32* in, u32 t, u32 n, u32 x) {", inline, k)
	m.vars = []variable{{"x", "u32"}}
	saved := m.funcs
	m.funcs = k // only earlier ones, so that calls end
	m.declare(1 + m.r.IntN(4))
	m.f("u32 a[8] = {x, t, n, 3, 5, 7, 11, 13};")
	m.depth++ // calls stand in loops: few loops in here
	m.block(3 + m.r.IntN(4))
	m.depth--
	m.f("return x ^ a[t & 7];\n}")
	m.funcs, m.vars = saved, nil
}

func (m *maker) kernel() {
	m.f("extern \"C\" __attribute__((global)) void k(const u32* in, u32* out, u32 n) {\nu32 t = thread();\nu32 a[8] = {t, 2, 3, 4, 5, 6, 7, n};")
	shared := m.r.IntN(2) == 0
	if shared {
		m.f("static __attribute__((shared)) u32 s[%d];\ns[t] = in[t] ^ n;\nmeet();", Threads)
	}
	m.declare(3 + m.r.IntN(8))
	if shared {
		for range 1 + m.r.IntN(3) {
			m.block(2)
			m.f("%s += s[%s & %d];", m.lvalue(), m.integer(2), Threads-1)
		}
		m.f("meet();\ns[t] = (u32)%s;\nmeet();\na[1] += s[(t + 5) & %d];", m.integer(2), Threads-1)
	}
	m.block(6 + m.r.IntN(10))
	for k, v := range m.vars {
		switch v.typ {
		case "float":
			m.f("out[t * %d + %d] = bits(%s);", OutWords, k, v.name)
		case "double":
			m.f("out[t * %d + %d] = bits64(%s);", OutWords, k, v.name)
		default:
			m.f("out[t * %d + %d] = (u32)%s ^ (u32)((u64)%s >> 32);", OutWords, k, v.name, v.name)
		}
	}
	m.f("out[t * %d + %d] = a[n & 7] ^ a[t & 7];\n}", OutWords, OutWords-1)
}

func (m *maker) pick() variable { return m.vars[m.r.IntN(len(m.vars))] }

func (m *maker) lvalue() string {
	if m.r.IntN(5) == 0 {
		return fmt.Sprintf("a[%s & 7]", m.integer(1))
	}
	return m.pick().name
}

// integer makes an expression of type u32.
func (m *maker) integer(depth int) string { return "(u32)(" + m.value(depth, true) + ")" }

// value makes an expression; whole ones hold no float outside a conversion.
func (m *maker) value(depth int, whole bool) string {
	v := m.pick()
	name := v.name
	if whole && (v.typ == "float" || v.typ == "double") {
		name = "(int)" + name
	}
	if depth == 0 {
		switch m.r.IntN(5) {
		case 0:
			return fmt.Sprint(m.r.Uint32()>>m.r.IntN(32)) + "u"
		case 1:
			return fmt.Sprintf("a[%s & 7]", []string{"t", "n", "3"}[m.r.IntN(3)])
		}
		return name
	}
	x, y := m.value(depth-1, whole), m.value(depth-1, whole)
	switch k := m.r.IntN(16); {
	case k < 6 || !whole && k < 9:
		return fmt.Sprintf("(%s %s %s)", x, []string{"+", "-", "*"}[m.r.IntN(3)], y)
	case k < 9:
		return fmt.Sprintf("(%s %s %s)", x, []string{"&", "|", "^"}[m.r.IntN(3)], y)
	case k == 9 && whole:
		return fmt.Sprintf("(%s %s (%s & 31))", m.integer(depth-1), []string{"<<", ">>"}[m.r.IntN(2)], m.integer(0))
	case k == 10 && whole:
		return fmt.Sprintf("(%s %s ((%s & 255u) + 1u))", m.integer(depth-1), []string{"/", "%"}[m.r.IntN(2)], m.integer(0))
	case k == 11:
		return fmt.Sprintf("(%s ? %s : %s)", m.condition(depth-1), x, y)
	case k == 12:
		return fmt.Sprintf("in[%s & 1023]", m.integer(depth-1))
	case k == 13 && m.funcs > 0:
		return fmt.Sprintf("f%d(in, t, n, %s)", m.r.IntN(m.funcs), m.integer(depth-1))
	case k == 14:
		return fmt.Sprintf("(%s)(%s)", types[m.r.IntN(6)], m.value(depth-1, true))
	}
	return fmt.Sprintf("(%s + %s)", x, y)
}

func (m *maker) condition(depth int) string {
	return fmt.Sprintf("(%s %s %s)", m.value(depth, true), []string{"<", ">", "==", "!=", "<=", ">="}[m.r.IntN(6)], m.value(depth, true))
}

// block writes some statements.
func (m *maker) block(n int) {
	m.depth++
	for range n {
		m.statement()
	}
	m.depth--
}

func (m *maker) statement() {
	deep := m.depth >= 3
	switch k := m.r.IntN(12); {
	case k < 6 || deep:
		v := m.pick()
		m.f("%s %s %s;", v.name, []string{"=", "+=", "-=", "*="}[m.r.IntN(4)], m.value(1+m.r.IntN(3), v.typ != "float" && v.typ != "double"))
	case k == 6:
		m.f("a[%s & 7] %s %s;", m.integer(1), []string{"=", "+=", "^="}[m.r.IntN(3)], m.integer(2))
	case k < 9:
		m.f("if %s {", m.condition(1))
		m.block(1 + m.r.IntN(3))
		if m.r.IntN(2) == 0 {
			m.f("} else {")
			m.block(1 + m.r.IntN(3))
		}
		m.f("}")
	case k == 9:
		m.f("switch (%s & 3) {", m.integer(1))
		for c := range 3 {
			m.f("case %d:", c)
			m.block(1)
			if m.r.IntN(3) > 0 {
				m.f("break;")
			}
		}
		m.f("default: ;\n}")
	default:
		m.loops++
		i := fmt.Sprintf("i%d", m.loops)
		bound := []string{"4", "(n & 7)", "(t & 3)", "7"}[m.r.IntN(4)]
		m.f("for (u32 %s = 0; %s < %s; %s++) {", i, i, bound, i)
		m.block(1 + m.r.IntN(3))
		if m.r.IntN(3) == 0 {
			m.f("if %s %s;", m.condition(1), []string{"break", "continue"}[m.r.IntN(2)])
		}
		m.f("a[%s & 7] += %s;\n}", i, m.integer(1))
	}
}
