package gen

import (
	"fmt"
	"strings"
)

// Switch branches by the low bits of a register through a table of labels; a
// case may run on into the next.
type Switch struct {
	Reg   string
	Cases [][]Stmt
	Fall  []bool // by case: it runs on
}

func (s *Switch) print(p *printer) {
	n := p.label()
	var names []string
	for k := range 4 {
		names = append(names, fmt.Sprintf("C%d_%d", n, k%len(s.Cases)))
	}
	p.line("{")
	p.line(".reg .b32 %way;")
	p.line(fmt.Sprintf("and.b32 %%way, %s, 3;", s.Reg))
	p.line(fmt.Sprintf("T%d:", n))
	p.line(".branchtargets " + strings.Join(names, ", ") + ";")
	p.line(fmt.Sprintf("brx.idx %%way, T%d;", n))
	for k := range s.Cases {
		p.line(fmt.Sprintf("C%d_%d:", n, k))
		p.list(s.Cases[k])
		if !s.Fall[k] {
			p.line(fmt.Sprintf("bra%s J%d;", uni(n+k), n))
		}
	}
	p.line(fmt.Sprintf("J%d:", n))
	p.line("}")
}

func (s *Switch) kids() []*[]Stmt {
	var out []*[]Stmt
	for k := range s.Cases {
		out = append(out, &s.Cases[k])
	}
	return out
}

func (s *Switch) clone() Stmt {
	c := &Switch{Reg: s.Reg, Fall: append([]bool(nil), s.Fall...)}
	for k := range s.Cases {
		c.Cases = append(c.Cases, cloneAll(s.Cases[k]))
	}
	return c
}

func (s *Switch) simpler() [][]Stmt { return s.Cases }

// way makes a switch.
func (m *maker) way(w where) Stmt {
	in := w
	in.depth++
	in.block, in.warp, in.whole = false, false, false
	s := &Switch{Reg: m.reg('r')}
	for range 2 + m.r.IntN(3) {
		s.Cases = append(s.Cases, m.block(in))
		s.Fall = append(s.Fall, m.chance(25))
	}
	return s
}

// recursive is a function that calls itself as often as its first argument
// says.
const recursive = `.func (.param .b32 rv) $_rec(.param .b32 n, .param .b32 x)
{
	.reg .pred %p;
	.reg .b32 %n, %x, %r<3>;
	ld.param.u32 %n, [n];
	ld.param.u32 %x, [x];
	setp.eq.u32 %p, %n, 0;
	@%p bra OUT;
	{
	.param .b32 a0;
	.param .b32 a1;
	.param .b32 r0;
	sub.u32 %r0, %n, 1;
	mad.lo.u32 %r1, %x, 5, %n;
	st.param.b32 [a0], %r0;
	st.param.b32 [a1], %r1;
	call (r0), $_rec, (a0, a1);
	ld.param.b32 %r2, [r0];
	}
	xor.b32 %x, %r2, %n;
OUT:
	st.param.b32 [rv], %x;
	ret;
}
`

// recurse makes a call of the recursive function; how deep it goes is the
// block's or each thread's own affair.
func (m *maker) recurse() Stmt {
	return &Seq{[]string{
		"{", ".param .b32 a0;", ".param .b32 a1;", ".param .b32 r0;", ".reg .b32 %i;", fmt.Sprintf("and.b32 %%i, %s, 7;", m.reg("ur"[m.r.IntN(2)])),
		"st.param.b32 [a0], %i;", fmt.Sprintf("st.param.b32 [a1], %s;", m.reg('r')), fmt.Sprintf("call (r0), %s_rec, (a0, a1);", m.p.Name),
		fmt.Sprintf("ld.param.b32 %s, [r0];", m.reg('r')), "}",
	}}
}

// indirect makes a call through a register.
func (m *maker) indirect() Stmt {
	return &Seq{[]string{
		"{", ".param .b32 a0;", ".param .b64 a1;", ".param .b32 r0;", ".reg .b64 %fn, %fo;", fmt.Sprintf("mov.u64 %%fn, %s_f0;", m.p.Name),
		fmt.Sprintf("mov.u64 %%fo, %s_f%d;", m.p.Name, len(m.p.Funcs)-1), fmt.Sprintf("selp.b64 %%fn, %%fn, %%fo, %s;", m.reg('p')),
		fmt.Sprintf("st.param.b32 [a0], %s;", m.reg('r')), fmt.Sprintf("st.param.b64 [a1], %s;", m.reg('d')),
		"P$L:", ".callprototype (.param .b32 _) _ (.param .b32 _, .param .b64 _);", "call (r0), %fn, (a0, a1), P$L;", fmt.Sprintf("ld.param.b32 %s, [r0];", m.reg('r')), "}",
	}}
}
