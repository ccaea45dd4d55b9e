package gen

import (
	"fmt"
	"slices"
	"strings"
)

// Carried is a loop with values of its own that nobody writes before it: the
// turns that match write them, later turns and what follows the loop read
// them, where some turn has matched. So do searches for the least element or
// the last match, and loops that look at the element before.
type Carried struct {
	Turns  string // register whose low bits say how often it turns, or a number
	Source string // what turns look at comes from here
	Mask   int    // turns match where these bits of what they look at are Bits
	Bits   int
	Behind bool // turns read before they write
	Guards bool // writes are guarded; there is no branch around them
	Values []carry
	First  []Stmt // in every turn
	Match  []Stmt // in turns that match
}

// carry is one such value: what declares it, writes it and reads it.
type carry struct {
	regs          string
	writes, reads []string
}

func (s *Carried) print(p *printer) {
	n := p.label()
	line := func(format string, args ...any) {
		p.line(strings.ReplaceAll(fmt.Sprintf(format, args...), "$L", fmt.Sprint(n)))
	}
	line("{")
	line(".reg .b32 %%turn, %%last, %%seen, %%look, %%some;")
	line(".reg .pred %%way;")
	for _, v := range s.Values {
		line("%s", v.regs)
	}
	line("mov.u32 %%turn, 0;")
	line("mov.u32 %%seen, 0;")
	if strings.HasPrefix(s.Turns, "%") {
		line("and.b32 %%last, %s, 7;", s.Turns)
	} else {
		line("mov.u32 %%last, %s;", s.Turns)
	}
	line("L$L:")
	p.list(s.First)
	line("mad.lo.u32 %%look, %%turn, 0x9e3779b1, %s;", s.Source)
	line("shr.u32 %%look, %%look, 3;")
	if s.Behind {
		s.read(line, "R")
	}
	line("and.b32 %%some, %%look, %d;", s.Mask)
	line("setp.ne.u32 %%way, %%some, %d;", s.Bits)
	s.write(p, line)
	if !s.Behind {
		s.read(line, "R")
	}
	line("add.u32 %%turn, %%turn, 1;")
	line("setp.le.u32 %%way, %%turn, %%last;")
	line("@%%way bra L$L;")
	s.read(line, "E")
	line("}")
}

// write prints what turns that match do.
func (s *Carried) write(p *printer, line func(string, ...any)) {
	guard := ""
	if s.Guards {
		guard = "@!%way "
	} else {
		line("@%%way bra N$L;")
		p.list(s.Match)
	}
	for _, v := range s.Values {
		for _, w := range v.writes {
			line("%s", guard+w)
		}
	}
	line("%s", guard+"mov.u32 %seen, 1;")
	if !s.Guards {
		line("N$L:")
	}
}

// read prints the reads, past which threads go that saw no match.
func (s *Carried) read(line func(string, ...any), label string) {
	line("setp.eq.u32 %%way, %%seen, 0;")
	line("@%%way bra %s$L;", label)
	for _, v := range s.Values {
		for _, r := range v.reads {
			line("%s", r)
		}
	}
	line("%s$L:", label)
}

func (s *Carried) kids() []*[]Stmt { return []*[]Stmt{&s.First, &s.Match} }

func (s *Carried) clone() Stmt {
	c := *s
	c.Values, c.First, c.Match = slices.Clone(s.Values), cloneAll(s.First), cloneAll(s.Match)
	return &c
}

func (s *Carried) simpler() [][]Stmt {
	out := [][]Stmt{s.First, s.Match}
	for n := range s.Values {
		c := s.clone().(*Carried)
		c.Values = slices.Delete(c.Values, n, n+1)
		out = append(out, []Stmt{c})
	}
	return out
}

// carried makes such a loop; where all threads of a block go through it
// together, at times of what they share alone.
func (m *maker) carried(w where) Stmt {
	in := w
	in.depth += 2
	in.loop, in.block, in.warp, in.whole = true, false, false, false
	kind := byte('r')
	s := &Carried{Turns: fmt.Sprint(m.r.IntN(9)), Mask: 1 | m.r.IntN(8), Behind: m.chance(50), Guards: m.chance(25)}
	if w.block && !w.inFunc && m.chance(40) {
		kind = 'u'
	} else if m.chance(50) {
		s.Turns = m.reg('r')
	}
	s.Source = m.reg(kind)
	s.Bits = s.Mask & m.r.IntN(16)
	for n := range 1 + m.r.IntN(4) {
		s.Values = append(s.Values, m.carry(kind, fmt.Sprintf("%%v%c", 'a'+n)))
	}
	if kind == 'r' && m.chance(50) {
		s.First = m.block(in)
	}
	if kind == 'r' && !s.Guards && m.chance(50) {
		s.Match = m.block(in)
	}
	m.avoid(w, s)
	return s
}

// carry makes a value v that is written from %look and %turn and read into
// registers of a kind.
func (m *maker) carry(kind byte, v string) carry {
	into := m.reg(kind)
	k := m.r.IntN(9)
	if kind == 'u' {
		k = min(k, 3) // what the block shares
	}
	one := func(t string, reads []string, writes ...string) carry {
		return carry{".reg " + t + " " + v + ";", []string{m.pick(writes...)}, reads}
	}
	word := []string{m.pick("add.u32 ", "xor.b32 ", "sub.u32 ") + into + ", " + into + ", " + v + ";"}
	switch k {
	case 0, 1:
		return one(".b32", word, "mov.u32 "+v+", %look;", "mov.u32 "+v+", %turn;", "mov.b32 "+v+", "+m.reg(kind)+";")
	case 2:
		return one(".b32", word, "add.u32 "+v+", %look, 7;", "shl.b32 "+v+", %turn, 3;", "mad.lo.u32 "+v+", %look, %turn, "+m.reg(kind)+";", "not.b32 "+v+", %look;")
	case 3:
		return one(".pred", []string{"selp.u32 %some, 3, 9, " + v + ";", "add.u32 " + into + ", " + into + ", %some;", "@" + m.pick("", "!") + v + " xor.b32 " + into + ", " + into + ", 21;"},
			"setp.gt.u32 "+v+", %look, 0x10000000;", "setp.lt.u32 "+v+", %turn, 3;", "setp.ne.b32 "+v+", %some, "+m.reg(kind)+";")
	case 4:
		return one(".f32", []string{"mov.b32 %some, " + v + ";", "xor.b32 " + into + ", " + into + ", %some;"}, "cvt.rn.f32.u32 "+v+", %look;", "mov.b32 "+v+", %look;")
	case 5:
		d := m.reg('d')
		return one(".b64", []string{m.pick("add.u64 ", "xor.b64 ") + d + ", " + d + ", " + v + ";"},
			"mul.wide.u32 "+v+", %look, 0x12345;", "mov.b64 "+v+", {%look, %turn};", "cvt.u64.u32 "+v+", %look;", "add.u64 "+v+", "+d+", 5;", "mov.u64 "+v+", "+m.reg('d')+";")
	case 6:
		return one(".b16", []string{"cvt.u32.u16 %some, " + v + ";", "add.u32 " + into + ", " + into + ", %some;"}, "cvt.u16.u32 "+v+", %look;", "cvt.u16.u32 "+v+", %turn;")
	case 7: // a pair that is written and read as one
		d := m.reg('d')
		return carry{".reg .b32 " + v + "<2>;", []string{"mov.b64 {" + v + "0, " + v + "1}, " + m.reg('d') + ";"}, []string{"mov.b64 " + d + ", {" + v + "1, " + v + "0};"}}
	}
	// a chain: each is made of the one before
	return carry{
		".reg .b32 " + v + "<3>;",
		[]string{"mov.u32 " + v + "0, %look;", "add.u32 " + v + "1, " + v + "0, %turn;", "mov.u32 " + v + "2, " + v + "1;"},
		[]string{"add.u32 " + into + ", " + into + ", " + v + "2;", "xor.b32 " + into + ", " + into + ", " + v + "0;"},
	}
}
