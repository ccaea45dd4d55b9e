package ra

import (
	"fmt"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// loop makes a function that adds to so many accumulators of 64 words in each
// round. While it adds to the first two, 20 other values live.
func loop(accumulators int, mods string) string {
	const beside = 20
	var b strings.Builder
	fmt.Fprintf(&b, "func f kernel {\n  reg u0 4/4\n  reg p1 1/1\n")
	at := func(n int) int { return 2 + n } // register of an accumulator
	for n := range accumulators {
		fmt.Fprintf(&b, "  reg r%d 64/8\n", at(n))
	}
	other := at(accumulators)
	for n := range beside + 1 {
		fmt.Fprintf(&b, "  reg r%d 1/1\n", other+n)
	}
	b.WriteString("  b0: -> b1\n    S2R r")
	fmt.Fprintf(&b, "%d = SR_TID.X\n", other)
	for w := range 4 {
		fmt.Fprintf(&b, "    UMOV u0[%d] = %#x\n", w, w)
	}
	for n := range accumulators {
		for w := range 64 {
			fmt.Fprintf(&b, "    MOV r%d[%d] = %#x\n", at(n), w, w)
		}
	}
	b.WriteString("  b1: -> b1, b2\n")
	for n := range beside {
		fmt.Fprintf(&b, "    S2R r%d = SR_CLOCKLO\n", other+1+n)
	}
	for n := range accumulators {
		fmt.Fprintf(&b, "    HGMMA.64x128x16.F32%s r%d = gdesc[u0]+0x0, r%d\n", mods, at(n), at(n))
		for k := 0; n == 1 && k < beside; k++ {
			fmt.Fprintf(&b, "    IADD3 r%d = r%d, r%d, rz\n", other, other, other+1+k)
		}
	}
	fmt.Fprintf(&b, "    ISETP.NE.AND p1 = r%d, 0x7, pt\n    @p1 BRA b1\n  b2:\n", other)
	for n := range accumulators {
		for w := range 64 {
			fmt.Fprintf(&b, "    STS [r%d+%#x], r%d[%d]\n", other, 256*n+4*w, at(n), w)
		}
	}
	b.WriteString("    EXIT\n}\n")
	return b.String()
}

// scaled computes words of all accumulators before the first product.
func scaled(accumulators int) string {
	var b strings.Builder
	for n := range accumulators {
		for w := range 64 {
			fmt.Fprintf(&b, "    FMUL r%d[%d] = r%d[%d], 0x40000000\n", 2+n, w, 2+n, w)
		}
	}
	return b.String()
}

// TestPark: of four accumulators the two are parked beside which the fewest
// others live; three fit; products that the source orders are left alone.
// Both have one register in the loop, also if all are scaled before the first product.
func TestPark(t *testing.T) {
	for _, c := range []struct {
		name         string
		accumulators int
		mods         string
		parked       []ori.Reg
	}{
		{"four", 4, ".LOOSE", []ori.Reg{4, 5}},
		{"three", 3, ".LOOSE", nil},
		{"four in the source's order", 4, "", nil},
		{"four, all of which are scaled before", 4, ".LOOSE", []ori.Reg{4, 5}},
	} {
		text := loop(c.accumulators, c.mods)
		if strings.Contains(c.name, "scaled") {
			text = strings.Replace(text, "    HGMMA", scaled(c.accumulators)+"    HGMMA", 1)
		}
		m, err := ori.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		f := m.Funcs[0]
		o := Options{Registers: 254, Uniforms: 63, Barriers: 16, StackReg: 1, Check: true}
		size := Park(f, &o)
		if want := int32(256 * len(c.parked)); size != want {
			t.Errorf("%s: %d bytes, want %d", c.name, size, want)
		}
		type count struct{ b0, b1, b2 [2]int } // stores and loads
		got := map[ori.Reg]*count{}
		turn := map[ori.Reg]bool{} // registers of those that are parked, in the loop
		for n, b := range f.Blocks {
			for i := range b.Instrs {
				at, words, k := 0, 1, 0
				switch i.Op {
				case op.STL:
				case op.LDL:
					at, words, k = 1, 0, 1
				default:
					continue
				}
				r := c.parked[i.Args[at].Imm/256]
				if n == 1 {
					turn[i.Args[words].Reg] = true
				}
				if got[r] == nil {
					got[r] = &count{}
				}
				x := got[r]
				[...]*[2]int{&x.b0, &x.b1, &x.b2}[n][k]++
			}
		}
		if len(got) != len(c.parked) {
			t.Errorf("%s: %d registers parked, want %d", c.name, len(got), len(c.parked))
		}
		want := count{b0: [2]int{16, 0}, b1: [2]int{16, 16}, b2: [2]int{0, 16}} // nothing is stored that was not written
		for _, r := range c.parked {
			if x := got[r]; x == nil || *x != want {
				t.Errorf("%s: r%d: %v, want %v", c.name, r, x, want)
			}
		}
		if c.parked == nil {
			continue
		}
		if len(turn) != 1 {
			t.Errorf("%s: %d registers in turn, there is room for one", c.name, len(turn))
		}
		o.FrameBytes = size
		if r, err := Run(f, o); err != nil || r.SpillBytes != 0 {
			t.Errorf("%s: %v, %v", c.name, r, err)
		}
	}
}

// TestParkWords: of four words that a block touches those go to memory that
// live where it ends, and only if it wrote them.
func TestParkWords(t *testing.T) {
	text := loop(4, ".LOOSE")
	text = strings.Replace(text, "  b0: -> b1\n", "  b0: -> b3\n", 1)
	text = strings.Replace(text, "    MOV r5[1] = 0x1\n    MOV r5[2] = 0x2\n", "", 1)
	text = strings.Replace(text, "  b1: -> b1, b2\n", "  b3: -> b1\n    MOV r5[1] = 0x1\n    MOV r5[2] = 0x2\n    IADD3 r6 = r6, r5[3], rz\n  b1: -> b1, b2\n", 1)
	m, err := ori.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	f := m.Funcs[0]
	Park(f, &Options{Registers: 254, Uniforms: 63, Barriers: 16, StackReg: 1})
	var got []string
	for i := range f.Blocks[1].Instrs {
		if i.Op == op.LDL || i.Op == op.STL {
			got = append(got, strings.TrimSpace(string(f.AppendInstr(nil, i))))
		}
	}
	const want = "STL [r27+0x108], r5[2]; STL [r27+0x104], r5[1]; LDL r5[3] = [r27+0x10c]"
	if s := strings.Join(got, "; "); s != want {
		t.Errorf("got  %s\nwant %s", s, want)
	}
}
