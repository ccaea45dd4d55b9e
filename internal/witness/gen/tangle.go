package gen

import (
	"fmt"
	"strings"

	"github.com/goptxas/goptxas/internal/witness/gen/table"
)

// Tangle is a loop with two ways in: threads for which the predicate holds
// begin in its middle.
type Tangle struct {
	Pred          string
	Reg           string // its low bits say how often it turns
	First, Second []Stmt
}

func (s *Tangle) print(p *printer) {
	n := p.label()
	c := fmt.Sprintf("%%c%d", n)
	p.counters = append(p.counters, c)
	p.line(fmt.Sprintf("and.b32 %s, %s, 3;", c, s.Reg))
	p.line(fmt.Sprintf("@%s bra M%d;", s.Pred, n))
	p.line(fmt.Sprintf("L%d:", n))
	p.list(s.First)
	p.line(fmt.Sprintf("M%d:", n))
	p.list(s.Second)
	p.line(fmt.Sprintf("setp.eq.u32 %%loop, %s, 0;", c))
	p.line(fmt.Sprintf("sub.u32 %s, %s, 1;", c, c))
	p.line(fmt.Sprintf("@!%%loop bra L%d;", n))
}

func (s *Tangle) kids() []*[]Stmt { return []*[]Stmt{&s.First, &s.Second} }

func (s *Tangle) clone() Stmt {
	c := *s
	c.First, c.Second = cloneAll(s.First), cloneAll(s.Second)
	return &c
}

func (s *Tangle) simpler() [][]Stmt { return [][]Stmt{s.First, s.Second} }

// tangle makes such a loop.
func (m *maker) tangle(w where) Stmt {
	in := w
	in.depth += 2
	in.loop, in.block, in.warp, in.whole = true, false, false, false
	s := &Tangle{Pred: m.unknown(w, 'p'), Reg: m.reg('r')}
	s.First, s.Second = m.block(in), m.block(in)
	m.avoid(w, s)
	return s
}

// structs is a function that takes and gives structures.
const structs = `.func (.param .align 16 .b8 rv[16]) $_str(.param .align 16 .b8 s[24], .param .b8 c, .param .align 4 .b8 t[6])
{
	.reg .b64 %a<4>;
	.reg .b32 %b<4>;
	.reg .b16 %h;
	ld.param.v2.b64 {%a0, %a1}, [s];
	ld.param.b64 %a2, [s+16];
	ld.param.s8 %b0, [c];
	ld.param.u32 %b1, [t];
	ld.param.u16 %h, [t+4];
	cvt.u32.u16 %b2, %h;
	xor.b64 %a0, %a0, %a2;
	mad.wide.s32 %a1, %b0, %b1, %a1;
	add.u32 %b2, %b2, %b0;
	st.param.b64 [rv], %a0;
	st.param.v2.b32 [rv+8], {%b1, %b2};
	cvt.u32.u64 %b3, %a1;
	st.param.b32 [rv+8], %b3;
	ret;
}
`

// structCall makes a call of it.
func (m *maker) structCall() Stmt {
	a, b := m.two('r')
	return &Seq{[]string{
		"{", ".param .align 16 .b8 s[24];", ".param .b8 c;", ".param .align 4 .b8 t[6];", ".param .align 16 .b8 rv[16];",
		fmt.Sprintf("st.param.v2.b64 [s], {%s, %s};", m.reg('d'), m.reg('d')), fmt.Sprintf("st.param.b64 [s+16], %s;", m.reg('d')),
		".reg .b32 %byte;", fmt.Sprintf("and.b32 %%byte, %s, 255;", m.reg('r')), "st.param.b8 [c], %byte;", fmt.Sprintf("st.param.b32 [t], %s;", m.reg('r')), fmt.Sprintf("st.param.b16 [t+4], %s;", m.reg('h')),
		fmt.Sprintf("call (rv), %s_str, (s, c, t);", m.p.Name), fmt.Sprintf("ld.param.b64 %s, [rv];", m.reg('d')), fmt.Sprintf("ld.param.v2.b32 {%s, %s}, [rv+8];", a, b), "}",
	}}
}

// early returns from a function.
func (m *maker) early(w where) Stmt {
	return &If{Pred: m.unknown(w, 'p'), Then: []Stmt{&Seq{[]string{fmt.Sprintf("st.param.b32 [rv], %s;", m.reg('r')), "ret;"}}}}
}

// stack makes use of memory that is taken when the program runs.
func (m *maker) stack() Stmt {
	n := 16 << m.r.IntN(3)
	return &Seq{[]string{
		"{", ".reg .b64 %sv, %a, %b;", ".reg .b32 %i;", "stacksave.u64 %sv;", fmt.Sprintf("alloca.u64 %%a, %d, %d;", n, 16),
		fmt.Sprintf("st.local.v2.u64 [%%a], {%s, %s};", m.reg('d'), m.reg('d')), fmt.Sprintf("and.b32 %%i, %s, 12;", m.reg('r')), "cvt.u64.u32 %b, %i;", "add.u64 %b, %a, %b;",
		fmt.Sprintf("st.local.u32 [%%b], %s;", m.reg('r')), fmt.Sprintf("ld.local.u64 %s, [%%a+%d];", m.reg('d'), 8*m.r.IntN(2)), "stackrestore.u64 %sv;", "}",
	}}
}

// quad makes an access of 128 bits, at times an atomic one.
func (m *maker) quad() Stmt {
	at := fmt.Sprintf("[%%out+%d]", scratch+16*m.r.IntN(4))
	a, b := m.two('d')
	lines := []string{"{", ".reg .b128 %qa, %qb, %qc;", fmt.Sprintf("mov.b128 %%qa, {%s, %s};", a, m.reg('d'))}
	switch m.r.IntN(4) {
	case 0:
		lines = append(lines, fmt.Sprintf("mov.b128 %%qb, {%s, %s};", m.reg('d'), m.reg('d')), fmt.Sprintf("atom.global.cas.b128 %%qc, %s, %%qb, %%qa;", at))
	case 1:
		lines = append(lines, fmt.Sprintf("atom.global.exch.b128 %%qc, %s, %%qa;", at))
	default:
		lines = append(lines, fmt.Sprintf("st.global.b128 %s, %%qa;", at), fmt.Sprintf("ld.global.b128 %%qc, [%%out+%d];", scratch+16*m.r.IntN(4)))
	}
	return &Seq{append(lines, fmt.Sprintf("mov.b128 {%s, %s}, %%qc;", a, b), "}")}
}

// hints are instructions that change nothing.
var hints = [...]string{
	"membar.cta;", "membar.gl;", "membar.sys;", "fence.sc.cta;", "fence.acq_rel.gpu;", "fence.acq_rel.cluster;", "fence.proxy.async;", "prefetch.global.L1 [%out];",
	"prefetch.global.L2 [%in+64];", "prefetch.L1 [%in];", "prefetchu.L1 [%in];", "prefetch.global.L2::evict_last [%in];", "nanosleep.u32 5;", "fence.proxy.alias;",
}

// hint makes an instruction that changes nothing, or one that asks about an
// address.
func (m *maker) hint() Stmt {
	if m.chance(50) {
		return &Seq{[]string{hints[m.r.IntN(len(hints))]}}
	}
	f := &table.Form{Op: "ld.u32"}
	lines, at := m.place(f, 4)
	reg, _, _ := strings.Cut(at, "+")
	p := m.reg('p')
	lines = append(append([]string{"{"}, lines...), fmt.Sprintf("isspacep.%s %s, %s;", m.pick("global", "shared", "local", "const", "shared::cta", "shared::cluster"), p, reg))
	return &Seq{append(lines, "}")}
}

// carries makes a chain of carries over words of either size.
func (m *maker) carries() Stmt {
	t, kind := "32", byte('r')
	if m.chance(40) {
		t, kind = "64", 'd'
	}
	a, b := m.two(kind)
	sign := m.pick("u", "s")
	if m.chance(35) {
		h := m.pick("lo", "hi")
		return &Seq{[]string{
			fmt.Sprintf("mad.lo.cc.%s%s %s, %s, %s, %s;", sign, t, a, m.reg(kind), m.reg(kind), m.reg(kind)),
			fmt.Sprintf("madc.%s.cc.%s%s %s, %s, %s, %s;", h, sign, t, b, m.reg(kind), m.reg(kind), m.reg(kind)),
			fmt.Sprintf("madc.hi.%s%s %s, %s, %s, %s;", sign, t, m.reg(kind), m.reg(kind), m.reg(kind), m.reg(kind)),
		}}
	}
	op := m.pick("add", "sub")
	lines := []string{fmt.Sprintf("%s.cc.%s%s %s, %s, %s;", op, sign, t, a, a, m.reg(kind))}
	for range m.r.IntN(3) {
		if m.chance(20) { // a difference leaves a carry, too
			op = m.pick("add", "sub")
		}
		lines = append(lines, fmt.Sprintf("%sc.cc.%s%s %s, %s, %s;", op, sign, t, b, m.reg(kind), m.reg(kind)))
	}
	return &Seq{append(lines, fmt.Sprintf("%sc.%s%s %s, %s, %s;", op, sign, t, m.reg(kind), m.reg(kind), m.pick("0", m.reg(kind))))}
}
