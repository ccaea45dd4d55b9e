package flow

import (
	"testing"

	"github.com/goptxas/goptxas/internal/ori"
)

const aliasHead = `func f kernel {
reg r0 1/1
reg r1 1/1
reg r2 2/2
reg r3 2/2
reg r4 2/2
reg r5 1/1
reg p6 1/1
reg u7 2/2
reg r8 1/1 phys=1 fixed
reg u9 1/1
reg u10 1/1
b0:
`

// TestAlias: the last two accesses of each piece of code, and whether they
// touch the same, different or perhaps common bytes.
func TestAlias(t *testing.T) {
	const (
		maybe = iota
		same
		apart
	)
	for _, c := range []struct {
		name, code string
		want       int
	}{
		{"other spaces", "LDS r0 = [r1+0x0]\nSTG.E desc[u7], [r2.64+0x0], r0", apart},
		{"generic is everywhere", "LD.E r0 = [r2.64+0x0]\nSTS [r1+0x0], r0", maybe},
		{"one base, other words", "LDC.64 r2 = c[0x0][0x210]\nLDG.E r0 = desc[u7], [r2.64+0x0]\nSTG.E desc[u7], [r2.64+0x4], r0", apart},
		{"one base, one word", "LDC.64 r2 = c[0x0][0x210]\nLDG.E r0 = desc[u7], [r2.64+0x4]\nSTG.E desc[u7], [r2.64+0x4], r0", same},
		{"one base, overlapping", "LDC.64 r2 = c[0x0][0x210]\nLDG.E.64 r4 = desc[u7], [r2.64+0x0]\nSTG.E desc[u7], [r2.64+0x4], r0", maybe},
		{"bytes side by side", "LDC.64 r2 = c[0x0][0x210]\nLDG.E.U8 r0 = desc[u7], [r2.64+0x0]\nSTG.E.U8 desc[u7], [r2.64+0x1], r0", apart},
		{"two pointers", "LDC.64 r2 = c[0x0][0x210]\nLDC.64 r3 = c[0x0][0x218]\nLDG.E r0 = desc[u7], [r2.64+0x0]\nSTG.E desc[u7], [r3.64+0x0], r0", maybe},
		{
			"a constant added", "LDC.64 r2 = c[0x0][0x210]\nIADD3 r3[0], p6 = r2[0], 0x10, rz\nIADD3.X r3[1] = r2[1], rz, rz, p6, ~pt\nLDG.E r0 = desc[u7], [r3.64+0x4]\nSTG.E desc[u7], [r2.64+0x14], r0",
			same,
		},
		{"the same pointer read twice", "LDC.64 r2 = c[0x0][0x210]\nLDC.64 r3 = c[0x0][0x210]\nLDG.E r0 = desc[u7], [r2.64+0x0]\nSTG.E desc[u7], [r3.64+0x0], r0", same},
		{"absolute", "STS [0x10], r0\nSTS [0x14], r0", apart},
		{"the stack", "STL [r8+0x10], r0\nSTL [r8+0x14], r0", apart},
		{"a register written twice", "S2R r1 = SR_TID.X\nLDS r0 = [r1+0x0]\nS2R r1 = SR_TID.Y\nSTS [r1+0x10], r0", maybe},
		{"a sum of words", "S2R r1 = SR_TID.X\nIADD3 r5 = r1, 0x8, rz\nLDS r0 = [r5+0x0]\nSTS [r1+0x8], r0", same},
		{"one uniform part", "S2UR u9 = SR_CTAID.X\nS2R r1 = SR_TID.X\nLDS r0 = [r1+0x0], +[u9]\nSTS [r1+0x8], +[u9], r0", apart},
		{"one uniform part, one word", "S2UR u9 = SR_CTAID.X\nS2R r1 = SR_TID.X\nLDS r0 = [r1+0x8], +[u9]\nSTS [r1+0x8], +[u9], r0", same},
		{"a uniform part and none", "S2UR u9 = SR_CTAID.X\nS2R r1 = SR_TID.X\nLDS r0 = [r1+0x0], +[u9]\nSTS [r1+0x8], r0", maybe},
		{"a uniform part written twice", "S2UR u9 = SR_CTAID.X\nS2R r1 = SR_TID.X\nLDS r0 = [r1+0x0], +[u9]\nS2UR u9 = SR_CTAID.Y\nSTS [r1+0x8], +[u9], r0", maybe},
		{"two uniform parts", "S2UR u9 = SR_CTAID.X\nS2UR u10 = SR_CTAID.Y\nS2R r1 = SR_TID.X\nLDS r0 = [r1+0x0], +[u9]\nSTS [r1+0x8], +[u10], r0", maybe},
	} {
		m, err := ori.Parse(aliasHead + c.code + "\n}\n")
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		f := m.Funcs[0]
		x := AliasOf(f)
		last := f.Blocks[0].Last()
		q := x.Of(last)
		i := last.Prev()
		for x.Of(i) == nil {
			i = i.Prev()
		}
		p := x.Of(i)
		got := maybe
		switch {
		case p.Disjoint(q):
			got = apart
		case p.Same(q):
			got = same
		}
		if got != c.want || p.Disjoint(q) != q.Disjoint(p) || p.Same(q) != q.Same(p) {
			t.Errorf("%s: %d, want %d (%+v, %+v)", c.name, got, c.want, p, q)
		}
	}
}
