package gen

import (
	"fmt"
	"strings"

	"github.com/goptxas/goptxas/internal/witness/gen/table"
)

// What compilers of C and of tensor programs write and the other tables lack:
// counted in real kernels, form by form (docs/witnesses.md).

// real makes a statement that real programs have.
func (m *maker) real(w where) Stmt {
	switch k := m.r.IntN(20); {
	case k < 7:
		return m.custom()
	case k < 12:
		return m.compare()
	case k < 14 && !w.inFunc:
		return m.parts()
	case k < 16 && !w.inFunc:
		return m.hinted()
	case k == 16 && w.block && w.whole && !w.inFunc:
		return m.lock()
	case k == 17:
		return m.never()
	case k == 18 && !w.inFunc:
		return m.indexed()
	}
	return m.custom()
}

// custom makes a plain instruction.
func (m *maker) custom() Stmt {
	t := table.Customs[m.r.IntN(len(table.Customs))]
	if body, ok := strings.CutSuffix(t, "N"); ok { // a divisor that is not zero
		op, kinds, _ := strings.Cut(body, " ")
		d, a := m.reg(kinds[0]), m.reg(kinds[1])
		return &Seq{[]string{"{", ".reg .b16 %odd;", fmt.Sprintf("or.b16 %%odd, %s, 1;", m.reg('h')), fmt.Sprintf("%s %s, %s, %%odd;", op, d, a), "}"}}
	}
	if op, _, _ := strings.Cut(t, " "); strings.Contains(op, "bf16") && (op[:4] == "min." || op[:4] == "max.") { // of a NaN with itself the reference gives that NaN
		kind := t[len(t)-1]
		a, b := m.two(kind)
		return &Inst{Op: op, Args: []string{m.reg(kind), a, b}}
	}
	return m.fill(t, true)
}

// compare makes a comparison, of which both results may be wanted.
func (m *maker) compare() Stmt {
	c := &table.Compares[m.r.IntN(len(table.Compares))]
	rel := m.pick(strings.Fields(c.Rel)...)
	p, q := m.two('p')
	both := strings.HasSuffix(c.Typ, "x2")
	op, args := "setp."+rel, []string{p, m.reg(c.Kind), m.reg(c.Kind)}
	if both || c.Kind != 'h' && m.chance(25) || c.Rel != table.FloatRel && m.chance(25) {
		args[0] = p + "|" + q
	}
	if m.chance(30) {
		op += m.pick(".and", ".or", ".xor")
		args = append(args, m.pick("", "!")+m.reg('p'))
	}
	if c.Rel == table.FloatRel && (c.Typ == "f32" || strings.HasPrefix(c.Typ, "f16")) && m.chance(30) {
		op += ".ftz"
	}
	return &Inst{Op: op + "." + c.Typ, Args: args}
}

// parts makes an access to several bytes, half words or floats at once.
func (m *maker) parts() Stmt {
	l := [...]struct {
		typ  string
		kind byte
		n    int
		size int
	}{
		{"u8", 'r', 4, 4},
		{"s8", 'r', 2, 2},
		{"b8", 'h', 4, 4},
		{"u8", 'h', 2, 2},
		{"u16", 'h', 4, 8},
		{"s16", 'r', 2, 4},
		{"b16", 'h', 2, 4},
		{"f32", 'f', 2, 8},
		{"f32", 'f', 4, 16},
		{"s32", 'r', 4, 16},
		{"u64", 'd', 2, 16},
		{"b64", 'd', 2, 16},
		{"b16", 'h', 4, 8},
		{"f64", 'e', 2, 16},
	}[m.r.IntN(14)]
	regs := m.several(l.kind, l.n)
	list := fmt.Sprintf("v%d.%s {%s}", l.n, l.typ, strings.Join(regs, ", "))
	place := fmt.Sprintf("v%d.%s [%%sp]", l.n, unsign(l.typ))
	switch m.r.IntN(3) {
	case 0:
		return &Seq{[]string{fmt.Sprintf("ld.global%s.%s, [%%in+%d];", m.pick("", ".nc", ".L1::no_allocate", ".volatile"), list, l.size*m.r.IntN(inBytes/l.size))}}
	case 1:
		return &Seq{[]string{"// smem", fmt.Sprintf("st.shared.%s, {%s};", place, strings.Join(regs, ", "))}}
	}
	return &Seq{[]string{"// smem", fmt.Sprintf("ld.shared.%s, [%%sp];", list)}}
}

// several picks different registers of a kind.
func (m *maker) several(kind byte, n int) []string {
	seen := map[string]bool{}
	var list []string
	for len(list) < n {
		if r := m.reg(kind); !seen[r] {
			seen[r] = true
			list = append(list, r)
		}
	}
	return list
}

// hinted makes a load with a policy of the cache.
func (m *maker) hinted() Stmt {
	n := 1 << m.r.IntN(3)
	list := strings.Join(m.several('r', n), ", ")
	typ := "b32"
	if n > 1 {
		typ, list = fmt.Sprintf("v%d.b32", n), "{"+list+"}"
	}
	return &Seq{[]string{
		"{", ".reg .b64 %pol;", fmt.Sprintf("createpolicy.fractional.L2::%s.b64 %%pol, 1.0;", m.pick("evict_first", "evict_last", "evict_unchanged")),
		fmt.Sprintf("ld.global%s.L2::cache_hint.%s %s, [%%in+%d], %%pol;", m.pick("", ".L1::evict_first", ".L1::evict_last"), typ, list, 4*n*m.r.IntN(inBytes/4/n)), "}",
	}}
}

// lock lets all threads of the block add to one word, each while it holds a
// lock that it takes by itself.
func (m *maker) lock() Stmt {
	take := []string{"A$L:", "atom.acquire.cta.shared.cas.b32 %o, [%l], 0, 1;", "setp.ne.u32 %z, %o, 0;", "@%z bra A$L;"}
	work := []string{"ld.volatile.shared.u32 %v, [%l+4];", fmt.Sprintf("add.u32 %%v, %%v, %s;", m.reg('r')), "st.volatile.shared.u32 [%l+4], %v;", "atom.release.cta.shared.exch.b32 %o, [%l], 0;"}
	if m.chance(50) { // in a loop that does the work, as is written for old machines
		take = []string{"A$L:", "atom.acquire.cta.shared.cas.b32 %o, [%l], 0, 1;", "setp.ne.u32 %z, %o, 0;", "@%z bra B$L;"}
		work = append(work, "mov.u32 %o, 0;", "B$L:", "setp.ne.u32 %z, %o, 0;", "@%z bra A$L;")
	}
	lines := []string{
		"{", ".shared .align 8 .b32 lk$L[2];", ".reg .b32 %l, %o, %v;", ".reg .pred %z;", "mov.u32 %l, lk$L;", "setp.eq.u32 %z, %t, 0;", "bar.sync 0;", "@%z st.shared.v2.u32 [%l], {0, 7};", "bar.sync 0;",
	}
	lines = append(append(lines, take...), work...)
	return &Seq{append(lines, "bar.sync 0;", fmt.Sprintf("ld.shared.u32 %s, [%%l+4];", m.reg('r')), "}")}
}

// never makes what stands behind an assertion that holds, or does nothing.
func (m *maker) never() Stmt {
	if m.chance(30) { // no other grid waits, or is waited for
		return &Seq{[]string{m.pick("griddepcontrol.wait;", "griddepcontrol.launch_dependents;")}}
	}
	test := []string{"{", ".reg .b32 %i;", ".reg .pred %z;", fmt.Sprintf("and.b32 %%i, %s, 7;", m.reg('r')), "setp.gt.u32 %z, %i, 9;"}
	if m.chance(50) {
		return &Seq{append(test, "@%z trap;", "}")}
	}
	return &Seq{append(test, "@!%z bra.uni N$L;", "trap;", "N$L:", "}")}
}

// indexed makes an array in local memory that places in registers are read
// from and written to.
func (m *maker) indexed() Stmt {
	n := 4 << m.r.IntN(3)
	lines := []string{"{", fmt.Sprintf(".local .align 16 .b8 ar$L[%d];", 4*n), ".reg .b32 %i, %b;", "mov.u32 %b, ar$L;"}
	for k := 0; k < n; k += 4 {
		lines = append(lines, fmt.Sprintf("st.local.v4.u32 [%%b+%d], {%s};", 4*k, strings.Join([]string{m.reg('r'), m.reg('r'), m.reg('x'), m.reg('r')}, ", ")))
	}
	for range 1 + m.r.IntN(3) {
		lines = append(lines, fmt.Sprintf("and.b32 %%i, %s, %d;", m.reg('r'), n-1), "mad.lo.u32 %i, %i, 4, %b;", fmt.Sprintf("st.local.u32 [%%i], %s;", m.reg('r')),
			fmt.Sprintf("and.b32 %%i, %s, %d;", m.reg('r'), n-1), "mad.lo.u32 %i, %i, 4, %b;", fmt.Sprintf("ld.local.u32 %s, [%%i];", m.reg('r')))
	}
	return &Seq{append(lines, "}")}
}
