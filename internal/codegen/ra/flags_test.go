package ra

import (
	"fmt"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/ori"
)

// rows makes a function whose loop reads n predicates together with one of its
// own, all of them written before it, or in it too.
func rows(n int, again bool) string {
	var b strings.Builder
	b.WriteString("func f kernel {\n  reg r0 1/1\n  reg p1 1/1\n")
	for k := range 2 * n {
		fmt.Fprintf(&b, "  reg p%d 1/1\n", 2+k)
	}
	write := func() {
		for k := range n {
			fmt.Fprintf(&b, "    ISETP.LT.AND p%d = r0, %#x, pt\n", 2+k, k+1)
		}
	}
	b.WriteString("  b0: -> b1\n    S2R r0 = SR_TID.X\n")
	write()
	b.WriteString("  b1: -> b1, b2\n    ISETP.NE.AND p1 = r0, 0x7, pt\n")
	for k := range n {
		fmt.Fprintf(&b, "    PLOP3.LUT p%d = p%d, p1, pt, 0xc0, 0x0\n    @p%d STS [%#x], r0\n", 2+n+k, 2+k, 2+n+k, 4*k)
	}
	if again {
		write()
	}
	b.WriteString("    IADD3 r0 = r0, 0x1, rz\n    @p1 BRA b1\n  b2:\n    EXIT\n}\n")
	return b.String()
}

// TestFlags: predicates that a loop only reads are bits of a word where they are
// too many, and what they are read with masks it once.
func TestFlags(t *testing.T) {
	for _, c := range []struct {
		name  string
		n     int
		again bool
		want  map[string]int
	}{
		{"twelve", 12, false, map[string]int{"b0 0xfc": 7, "b1 0xc0": 7, "b1 SEL": 1, "b1 PLOP3": 5}},
		{"twelve that the loop writes", 12, true, map[string]int{"b1 PLOP3": 12}},
		{"as many as there are", 6, false, map[string]int{"b1 PLOP3": 6}},
	} {
		m, err := ori.Parse(rows(c.n, c.again))
		if err != nil {
			t.Fatal(err)
		}
		f := m.Funcs[0]
		Flags(f, FlagCost{Few: 4, Reach: 12, Masked: 3, Carried: 5, Loads: 4, Inside: 12})
		got := map[string]int{}
		for n, b := range f.Blocks {
			for i := range b.Instrs {
				for _, k := range []string{"0xfc", "0xc0", "SEL", "PLOP3"} {
					name := i.Op.String()
					if k == name || name == "LOP3" && len(i.Args) > 4 && strings.Contains(fmt.Sprintf("%#x", i.Args[len(i.Args)-1].Imm)+fmt.Sprintf("%#x", i.Args[len(i.Args)-2].Imm), k) {
						got[fmt.Sprintf("b%d %s", n, k)]++
					}
				}
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%s: %v, want %v\n%s", c.name, got, c.want, f)
		}
	}
}

// TestFlagsInside: predicates that live through a loop which does not touch them
// are bits of a word where they are far too many.
func TestFlagsInside(t *testing.T) {
	for _, c := range []struct{ n, bits int }{{24, 18}, {17, 0}} {
		var b strings.Builder
		b.WriteString("func f kernel {\n  reg r0 1/1\n")
		for k := range c.n + 1 {
			fmt.Fprintf(&b, "  reg p%d 1/1\n", 1+k)
		}
		b.WriteString("  b0: -> b1\n    S2R r0 = SR_TID.X\n")
		for k := range c.n {
			fmt.Fprintf(&b, "    ISETP.LT.AND p%d = r0, %#x, pt\n", 2+k, k+1)
		}
		b.WriteString("  b1: -> b1, b2\n    IADD3 r0 = r0, 0x1, rz\n    ISETP.NE.AND p1 = r0, 0x7, pt\n    @p1 BRA b1\n  b2:\n")
		for k := range c.n {
			fmt.Fprintf(&b, "    @p%d STS [%#x], r0\n", 2+k, 4*k)
		}
		b.WriteString("    EXIT\n}\n")
		m, err := ori.Parse(b.String())
		if err != nil {
			t.Fatal(err)
		}
		f := m.Funcs[0]
		Flags(f, FlagCost{Few: 4, Reach: 12, Masked: 3, Carried: 5, Loads: 4, Inside: 12})
		looks := 0
		for i := range f.Blocks[2].Instrs {
			if i.Op.String() == "LOP3" {
				looks++
			}
		}
		if looks != c.bits || f.Blocks[1].Len() != 3 {
			t.Errorf("%d predicates: %d bits, want %d\n%s", c.n, looks, c.bits, f)
		}
	}
}

// TestBorders: masks that live over a barrier beside masked loads are bits of
// words there, and only as many as may live over it stay predicates.
func TestBorders(t *testing.T) {
	for _, c := range []struct {
		n, loads                 int
		puts, begins, looks, own int
	}{
		{12, 12, 6, 1, 7, 5},
		{8, 8, 0, 0, 0, 8},   // too few would become bits
		{12, 2, 0, 0, 0, 12}, // nobody is short of predicates
	} {
		var b strings.Builder
		b.WriteString("func f kernel {\n  reg r0 1/1\n")
		for k := range c.n {
			fmt.Fprintf(&b, "  reg p%d 1/1\n", 1+k)
		}
		for k := range c.n {
			fmt.Fprintf(&b, "  reg r%d 1/1\n", 1+c.n+k)
		}
		at := 1 + 2*c.n
		fmt.Fprintf(&b, "  reg r%d 2/2\n  b0:\n    S2R r0 = SR_TID.X\n    S2R r%d[0] = SR_TID.X\n    S2R r%d[1] = SR_TID.X\n", at, at, at)
		for k := range c.n {
			fmt.Fprintf(&b, "    ISETP.LT.AND p%d = r0, %#x, pt\n    COPY r%d = rz\n", 1+k, k+1, 1+c.n+k)
		}
		for k := range c.loads {
			fmt.Fprintf(&b, "    @p%d LDG.E r%d = [r%d.64+%#x]\n", 1+k, 1+c.n+k, at, 4*k)
		}
		b.WriteString("    BAR.SYNC.DEFER_BLOCKING 0x0\n")
		for k := range c.n {
			fmt.Fprintf(&b, "    @p%d STG.E [r%d.64+%#x], r%d\n", 1+k, at, 4*k, 1+c.n+k)
		}
		b.WriteString("    EXIT\n}\n")
		m, err := ori.Parse(b.String())
		if err != nil {
			t.Fatal(err)
		}
		f := m.Funcs[0]
		Flags(f, FlagCost{Few: 4, Reach: 12, Masked: 3, Carried: 5, Loads: 4, Inside: 12})
		var puts, begins, looks, own int
		for i := range f.Blocks[0].Instrs {
			switch name := i.Op.String(); {
			case name == "SEL":
				begins++
			case name == "LOP3" && i.NDst == 1:
				puts++
			case name == "LOP3":
				looks++
			case name == "STG" && int(i.Guard.Reg) <= at:
				own++
			}
		}
		if puts != c.puts || begins != c.begins || looks != c.looks || own != c.own {
			t.Errorf("%d masks, %d loads: %d and %d put, %d looked at, %d stay\n%s", c.n, c.loads, begins, puts, looks, own, f)
		}
	}
}
