package gen

import (
	"fmt"
	"math/rand/v2"

	"github.com/goptxas/goptxas/internal/witness/gen/table"
)

// NewPairs makes a small program of a seed for sm_100 and later GPUs, with pairs
// of floats that are put together, taken apart and chosen from between other
// statements.
func NewPairs(seed uint64) *Prog {
	m := &maker{r: rand.New(rand.NewPCG(seed, 0x7061697273)), small: true, pairs: true}
	return m.make(fmt.Sprintf("v%d", seed), seed)
}

// pair makes a statement of pairs.
func (m *maker) pair() Stmt {
	a, b := m.two('f')
	c, d := other(m, 'f', a, b), ""
	for d = c; d == a || d == b || d == c; {
		d = m.reg('f')
	}
	x, y := m.reg('d'), m.reg('d')
	switch m.r.IntN(6) {
	case 0:
		return &Seq{[]string{fmt.Sprintf("mov.b64 %s, {%s, %s};", x, a, b)}}
	case 1:
		return &Seq{[]string{fmt.Sprintf("mov.b64 {%s, %s}, %s;", a, b, x)}}
	case 2: // a sum, or what it was made of
		return &Seq{[]string{
			"{", ".reg .b64 %w;", fmt.Sprintf("%s.rn.f32x2 %%w, %s, %s;", m.pick("add", "mul", "sub"), x, y),
			fmt.Sprintf("mov.b64 {%s, %s}, %%w;", a, b), fmt.Sprintf("mov.b64 {%s, %s}, %s;", c, d, m.pick(x, y)),
			fmt.Sprintf("selp.f32 %s, %[1]s, %s, %s;", a, c, m.reg('p')), fmt.Sprintf("selp.f32 %s, %[1]s, %s, %s;", b, d, m.reg('p')), "}",
		}}
	case 3: // the same of both halves
		p := m.reg('p')
		return &Seq{[]string{
			"{", ".reg .b64 %w;", fmt.Sprintf("%s.rn.f32x2 %%w, %s, %s;", m.pick("add", "mul", "sub"), x, y),
			fmt.Sprintf("mov.b64 {%s, %s}, %%w;", a, b), fmt.Sprintf("mov.b64 {%s, %s}, %s;", c, d, x),
			fmt.Sprintf("selp.f32 %s, %[1]s, %s, %s;", a, c, p), fmt.Sprintf("selp.f32 %s, %[1]s, %s, %s;", b, d, p),
			fmt.Sprintf("mov.b64 %s, {%s, %s};", m.pick(x, y), a, b), "}",
		}}
	}
	return m.fill(table.Pairs[m.r.IntN(len(table.Pairs))], true)
}
