package gen

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/goptxas/goptxas/internal/witness/gen/table"
)

// Weave is a scope with registers of its own, which begin as constants or as
// what the program brought: half of what is done in it is known beforehand, or
// known on one of two ways. What goes around loops goes round in turns there,
// loops stand in loops that are left from the innermost, and predicates decide
// in another turn than made them.
type Weave struct {
	Start []Stmt // writes the pool
	Body  []Stmt
}

// pool counts the registers of a weave by kind; %rw0 is the first word.
var pool = [...]struct {
	kind     byte
	typ      string
	n        int
	from     string   // writes it from a register of the program
	with     string   // mixes it into one
	constant []string // what it may begin with
}{
	{'r', ".b32", 7, "mov.b32 $, %r#;", "add.u32 %r#, %r#, $;", []string{"0", "1", "-1", "2", "31", "32", "0x80000000", "0x7fffffff", "0x3f800000", "255", "0x10001", "0x5410"}},
	{'d', ".b64", 4, "mov.b64 $, %d#;", "xor.b64 %d#, %d#, $;", []string{"0", "1", "-1", "0x8000000000000000", "0xffffffff", "0x100000000", "0x3ff0000000000000"}},
	{'f', ".f32", 4, "mov.b32 $, %r#;", "{ .reg .b32 %wb; mov.b32 %wb, $; xor.b32 %r#, %r#, %wb; }", []string{
		"0f00000000", "0f80000000", "0f3F800000", "0fBF800000", "0f3F000000", "0f4F000000", "0fCF000000", "0f4EFFFFFF", "0f5F000000", "0f4B7FFFFF", "0f42FE0000",
		"0f43000000", "0f437F0000", "0f7F800000", "0fFF800000", "0f7FFFFFFF", "0f00000001", "0f477FE000", "0f477FF000", "0f33000000", "0f43E00000",
	}},
	{'h', ".b16", 5, "cvt.u16.u32 $, %r#;", "{ .reg .b32 %wb; cvt.s32.s16 %wb, $; add.u32 %r#, %r#, %wb; }", []string{"0", "1", "-1", "0x3c00", "0x7fff", "0x8000", "0x7c00", "0xbc00", "15", "0x3f80"}},
	{'x', ".b32", 3, "mov.b32 $, %r#;", "xor.b32 %r#, %r#, $;", []string{"0", "0x3c003c00", "0x3f803f80", "0x00010001", "0x80007fff", "0x7c00fc00"}},
	{'p', ".pred", 5, "setp.gt.s32 $, %r#, 0;", "{ .reg .b32 %wb; selp.b32 %wb, 5, 9, $; mad.lo.u32 %r#, %r#, 3, %wb; }", []string{"0", "1"}},
}

// NewWeave makes a small program of a seed around a weave.
func NewWeave(seed uint64) *Prog {
	m := &maker{r: rand.New(rand.NewPCG(seed, 0x7765617665)), p: &Prog{Name: fmt.Sprintf("k%d", seed), Seed: seed, Grid: 1, Block: 32}, small: true}
	m.p.Fill = m.pick("edge", "bits", "small", "f32")
	if m.chance(30) {
		m.spend = 1 + m.r.IntN(5)
		m.p.Funcs = append(m.p.Funcs, Func{Body: m.block(where{inFunc: true, depth: 1})})
	}
	m.spend = 8 + m.r.IntN(24)
	m.p.Body = []Stmt{m.weave(where{block: true, warp: true, whole: true})}
	m.stores()
	m.p.Stores = named(m.p.Body, m.p.Stores)
	return m.p
}

// weave makes one: all of what is spent stands in it.
func (m *maker) weave(w where) Stmt {
	k := &Weave{}
	for _, f := range pool {
		for n := range f.n {
			text, reg := f.from, fmt.Sprintf("%%%cw%d", f.kind, n)
			if m.chance(60) {
				text = "mov" + f.typ + " $, " + m.pick(f.constant...) + ";"
				if f.kind == 'p' {
					text = "setp.ne.u32 $, " + m.pick(f.constant...) + ", 0;"
				}
			}
			k.Start = append(k.Start, &Seq{[]string{strings.NewReplacer("$", reg, "#", fmt.Sprint(n%6)).Replace(text)}})
		}
	}
	m.woven = true
	for m.spend > 0 {
		k.Body = append(k.Body, m.strand(w))
	}
	m.woven = false
	return k
}

func (k *Weave) print(p *printer) {
	p.line("{")
	for _, f := range pool {
		p.line(fmt.Sprintf(".reg %s %%%cw<%d>;", f.typ, f.kind, f.n))
	}
	p.list(k.Start)
	p.list(k.Body)
	var body printer
	body.mask = "0xffffffff"
	body.list(k.Body)
	for _, f := range pool {
		for n := range f.n {
			if reg := fmt.Sprintf("%%%cw", f.kind); uses(body.out.String(), reg, n) {
				p.line(strings.NewReplacer("$", fmt.Sprintf("%s%d", reg, n), "#", fmt.Sprint(n%6)).Replace(f.with))
			}
		}
	}
	p.line("}")
}

func (k *Weave) kids() []*[]Stmt   { return []*[]Stmt{&k.Body} }
func (k *Weave) clone() Stmt       { return &Weave{cloneAll(k.Start), cloneAll(k.Body)} }
func (k *Weave) simpler() [][]Stmt { return nil }

// ofPool picks a register of the pool.
func (m *maker) ofPool(kind byte) (string, bool) {
	for _, f := range pool {
		if f.kind == kind && m.chance(85) {
			return fmt.Sprintf("%%%cw%d", kind, m.r.IntN(f.n)), true
		}
	}
	return "", false
}

// strands makes a few statements of a weave.
func (m *maker) strands(w where) []Stmt {
	var list []Stmt
	for range 1 + m.r.IntN(6) {
		if m.spend > 0 {
			list = append(list, m.strand(w))
		}
	}
	return list
}

// strand makes one statement of a weave.
func (m *maker) strand(w where) Stmt {
	m.spend--
	in := w
	in.depth++
	in.block, in.warp, in.whole = false, false, false
	switch k := m.r.IntN(100); {
	case k < 9 && w.depth < 3:
		s := &If{Pred: m.pick("", "!") + m.reg('p'), Then: m.strands(in)}
		if m.chance(60) {
			s.Else = m.strands(in)
		}
		return s
	case k < 18 && w.depth < 3:
		l := &Loop{Count: 1 + m.r.IntN(6)}
		if m.chance(30) {
			l.Reg = m.reg('r')
		}
		if m.chance(40) {
			l.Break = m.reg('p')
		}
		l.Body = m.strands(in)
		return l
	case k < 26 && w.depth < 2:
		return m.nest(in)
	case k < 38:
		return m.turnRound()
	case k < 46:
		return m.choices()
	case k < 51:
		return m.halves()
	case k < 54:
		return m.ahead()
	case k < 57:
		return m.rounded()
	case k < 63:
		return m.stmt(where{depth: max(w.depth, 2), warp: w.warp, whole: w.whole, block: w.block})
	}
	return m.fill(table.Weaves[m.r.IntN(len(table.Weaves))], true)
}

// turnRound passes the values of some registers on in a ring, now and then under
// a guard.
func (m *maker) turnRound() Stmt {
	kind := "rrrdhpx"[m.r.IntN(7)]
	n := 0
	typ := ""
	for _, f := range pool {
		if f.kind == kind {
			n, typ = f.n, f.typ
		}
	}
	ring := m.r.Perm(n)[:2+m.r.IntN(n-1)]
	guard := ""
	if m.chance(25) {
		guard = "@" + m.pick("", "!") + m.reg('p') + " "
	}
	lines := []string{"{", ".reg " + typ + " %wt;", fmt.Sprintf("mov%s %%wt, %%%cw%d;", typ, kind, ring[0])}
	if kind == 'p' && guard != "" {
		lines = append(lines, ".reg .pred %wg;", "mov.pred %wg, "+strings.TrimLeft(strings.TrimSpace(guard), "@!")+";")
		guard = guard[:strings.IndexByte(guard, '%')] + "%wg "
	}
	for k := 1; k < len(ring); k++ {
		lines = append(lines, fmt.Sprintf("%smov%s %%%cw%d, %%%[3]cw%d;", guard, typ, kind, ring[k-1], ring[k]))
	}
	return &Seq{append(lines, fmt.Sprintf("%smov%s %%%cw%d, %%wt;", guard, typ, kind, ring[len(ring)-1]), "}")}
}

// choices makes several choices between the same constants, or what a guarded
// instruction makes of them.
func (m *maker) choices() Stmt {
	a, b := m.pick(pool[0].constant...), m.pick(pool[0].constant...)
	var lines []string
	for range 1 + m.r.IntN(5) {
		d, p := m.reg('r'), m.reg('p')
		switch m.r.IntN(5) {
		case 0:
			lines = append(lines, fmt.Sprintf("selp.b32 %s, %s, %s, %s;", d, a, b, p))
		case 1:
			lines = append(lines, fmt.Sprintf("selp.b32 %s, %s, %s, %s;", d, b, a, p))
		case 2:
			lines = append(lines, fmt.Sprintf("mov.b32 %s, %s;", d, a), fmt.Sprintf("@%s%s mov.b32 %s, %s;", m.pick("", "!"), p, d, b))
		case 3:
			e := other(m, 'r', d, "")
			lines = append(lines, fmt.Sprintf("mov.b32 %s, %s;", d, a), fmt.Sprintf("mov.b32 %s, %s;", e, b),
				fmt.Sprintf("@%s%s %s %s, %s, %s;", m.pick("", "!"), p, m.pick("add.u32", "mul.lo.u32", "xor.b32", "shl.b32", "min.s32", "sub.u32"), d, m.pick(d, e), e))
		case 4:
			lines = append(lines, fmt.Sprintf("setp.%s.s32 %s, %s, %s;", m.pick("eq", "lt", "ge"), p, d, m.pick(a, b)))
		}
	}
	return &Seq{lines}
}

// halves writes parts of a word.
func (m *maker) halves() Stmt {
	h, g := m.two('h')
	r, x, p := m.reg('r'), m.reg('x'), m.reg('p')
	d := m.reg('d')
	a, b := m.two('r')
	list := [...][]string{
		{fmt.Sprintf("mov.b32 {%s, %s}, %s;", h, g, r), fmt.Sprintf("@%s add.u16 %s, %[2]s, 1;", p, h), fmt.Sprintf("mov.b32 %s, {%s, %s};", m.pick(r, x), h, g)},
		{fmt.Sprintf("mov.b32 {%s, _}, %s;", h, x), fmt.Sprintf("mov.b32 %s, {%s, %s};", r, g, h)},
		{fmt.Sprintf("@%s mov.b32 {_, %s}, %s;", p, h, r)},
		{fmt.Sprintf("@%s mov.b32 %s, {%s, %s};", p, x, h, h)},
		{fmt.Sprintf("prmt.b32 %s, %[1]s, %s, %s;", r, a, m.pick("0x3254", "0x7610", "0x5410", "0x3240", "0x0123", "0x4444", "0xba98"))},
		{fmt.Sprintf("mov.b64 {%s, %s}, %s;", a, b, d), fmt.Sprintf("@%s%s mov.b32 %s, %s;", m.pick("", "!"), p, a, r), fmt.Sprintf("mov.b64 %s, {%s, %s};", m.pick(d, m.reg('d')), m.pick(a, b), b)},
		{fmt.Sprintf("@%s mov.b64 {%s, %s}, %s;", p, a, b, d)},
		{fmt.Sprintf("@!%s mov.b64 %s, {%s, %s};", p, d, b, a)},
		{fmt.Sprintf("mov.b64 {%s, %s, _, %s}, %s;", h, g, other(m, 'h', h, g), d)},
		{fmt.Sprintf("cvt.u16.u32 %s, %s;", h, r), fmt.Sprintf("mov.b32 {_, %s}, %s;", g, r), fmt.Sprintf("mov.b32 %s, {%s, %s};", x, g, h)},
		{fmt.Sprintf("bfi.b32 %s, %s, %s, %d, %d;", r, a, r, 8*m.r.IntN(4), 8<<m.r.IntN(2))},
	}
	return &Seq{list[m.r.IntN(len(list))]}
}

// rounded makes an integer of a number that was rounded before, in one way or
// another.
func (m *maker) rounded() Stmt {
	way := func() string { return m.pick("rni", "rzi", "rmi", "rpi") }
	to, kind, _ := strings.Cut(m.pick("s8 h", "u8 h", "s16 h", "u16 h", "s32 r", "u32 r", "s64 d", "u64 d"), " ")
	f, g := m.two('f')
	typ, before, flush := "f32", "", m.pick("", ".ftz")
	switch m.r.IntN(4) {
	case 0:
		f, g = m.two('h')
		typ, flush = "f16", ""
	case 1:
		typ, flush, before = "f64", "", fmt.Sprintf("cvt.f64.f32 %%we, %s;", f)
		f, g = "%we", "%wf"
	}
	return &Seq{[]string{
		"{", ".reg .f64 %we, %wf;", before, fmt.Sprintf("cvt.%s%s%s.%s.%[4]s %s, %s;", way(), flush, m.pick("", "", "", ".sat"), typ, g, f),
		fmt.Sprintf("cvt.%s%s.%s.%s %s, %s;", way(), m.pick("", flush), to, typ, m.reg(kind[0]), g), "}",
	}}
}

// ahead passes four words on that a load brought, and loads the next four: around
// a loop they are used a turn behind.
func (m *maker) ahead() Stmt {
	now, next := m.several('r', 3), m.several('r', 4)
	lines := []string{}
	for k := range now {
		lines = append(lines, fmt.Sprintf("mov.b32 %s, %s;", now[k], next[k]))
	}
	return &Seq{append(lines, fmt.Sprintf("ld.global%s.v4.u32 {%s}, [%%in+%d];", m.pick("", ".nc"), strings.Join(next, ", "), 16*m.r.IntN(inBytes/16)))}
}

// Nest is a loop in a loop: threads leave the inner one, or both at once, from
// its middle, and values live out of all of its ends.
type Nest struct {
	Outer, Inner int    // turns
	Source       string // a register that says who leaves
	Break, Away  [2]int // where these bits of what a turn looks at are so
	Behind       bool   // a turn leaves by what the turn before saw
	First        []Stmt // in turns of the outer loop
	In           []Stmt // in turns of the inner loop, before its exits
	More         []Stmt // behind the first of them
	Then         []Stmt // behind the inner loop
	Left         []Stmt // where threads left both
}

func (s *Nest) print(p *printer) {
	n := p.label()
	line := func(format string, args ...any) {
		p.line(strings.ReplaceAll(fmt.Sprintf(format, args...), "$L", fmt.Sprint(n)))
	}
	line("{")
	line(".reg .b32 %%no, %%ni, %%look, %%some, %%was;")
	line(".reg .pred %%nb, %%na, %%nn;")
	line("mov.u32 %%no, 0;")
	line("mov.u32 %%was, 0;")
	line("setp.ne.u32 %%nb, %%no, 0;")
	line("setp.ne.u32 %%na, %%no, 0;")
	line("O$L:")
	p.list(s.First)
	line("mov.u32 %%ni, 0;")
	line("I$L:")
	p.list(s.In)
	line("mad.lo.u32 %%look, %%no, 77, %%ni;")
	line("mad.lo.u32 %%look, %%look, 0x9e3779b1, %s;", s.Source)
	line("shr.u32 %%look, %%look, 7;")
	if !s.Behind {
		s.tests(line)
	}
	line("@%%nb bra B$L;")
	line("add.u32 %%was, %%was, %%look;")
	p.list(s.More)
	line("@%%na bra A$L;")
	if s.Behind {
		s.tests(line)
	}
	line("add.u32 %%ni, %%ni, 1;")
	line("setp.lt.u32 %%nn, %%ni, %d;", s.Inner)
	line("@%%nn bra I$L;")
	line("xor.b32 %%was, %%was, %%ni;")
	line("B$L:")
	p.list(s.Then)
	line("add.u32 %%no, %%no, 1;")
	line("setp.lt.u32 %%nn, %%no, %d;", s.Outer)
	line("@%%nn bra O$L;")
	line("add.u32 %%was, %%was, 1000;")
	line("bra J$L;")
	line("A$L:")
	p.list(s.Left)
	line("mad.lo.u32 %%was, %%ni, 5, %%was;")
	line("J$L:")
	line("add.u32 %s, %[1]s, %%was;", s.Source)
	line("add.u32 %s, %[1]s, %%look;", s.Source)
	line("}")
}

// tests says who leaves.
func (s *Nest) tests(line func(string, ...any)) {
	line("and.b32 %%some, %%look, %d;", s.Break[0])
	line("setp.eq.u32 %%nb, %%some, %d;", s.Break[1])
	line("and.b32 %%some, %%look, %d;", s.Away[0])
	line("setp.eq.u32 %%na, %%some, %d;", s.Away[1])
}

func (s *Nest) kids() []*[]Stmt { return []*[]Stmt{&s.First, &s.In, &s.More, &s.Then, &s.Left} }

func (s *Nest) clone() Stmt {
	c := *s
	c.First, c.In, c.More, c.Then, c.Left = cloneAll(s.First), cloneAll(s.In), cloneAll(s.More), cloneAll(s.Then), cloneAll(s.Left)
	return &c
}

func (s *Nest) simpler() [][]Stmt {
	out := [][]Stmt{slices.Concat(s.First, s.In, s.More, s.Then, s.Left)}
	if s.Outer > 1 {
		c := s.clone().(*Nest)
		c.Outer = 1
		out = append(out, []Stmt{c})
	}
	if s.Inner > 1 {
		c := s.clone().(*Nest)
		c.Inner--
		out = append(out, []Stmt{c})
	}
	return out
}

// nest makes a loop in a loop.
func (m *maker) nest(in where) Stmt {
	s := &Nest{Outer: 1 + m.r.IntN(4), Inner: 1 + m.r.IntN(5), Source: m.reg('r'), Behind: m.chance(50)}
	for _, e := range [...]*[2]int{&s.Break, &s.Away} {
		e[0] = 1 | m.r.IntN(16)
		e[1] = e[0] & m.r.IntN(32)
	}
	for _, l := range s.kids() {
		if m.chance(60) {
			*l = m.strands(in)
		}
	}
	return s
}

// divisor makes one of so many bits.
func (m *maker) divisor(bits int) string {
	v := table.Divisors[m.r.IntN(len(table.Divisors))]
	if m.chance(30) {
		v = int64(m.number(bits))
	}
	if bits == 64 && m.chance(30) {
		v = v<<32 | v&0xffff
	}
	u := uint64(v)
	if bits < 64 {
		u &= 1<<bits - 1
	}
	if u == 0 {
		u = 3
	}
	if bits == 16 {
		return fmt.Sprint(int16(u))
	}
	return fmt.Sprintf("0x%x", u)
}
