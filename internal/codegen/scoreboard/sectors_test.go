package scoreboard

import (
	"fmt"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/target"
)

// TestSectors: in a block with narrow stores to a sector all of four narrow loads from one wait
// for the first, unless its base changed; the first of three narrow stores to one waits for what all of them
// store.
func TestSectors(t *testing.T) {
	load := func(r, at int) string { return fmt.Sprintf("LDG.E r%d = desc[u6], [r0.64+%#x]\n", r, at) }
	store := func(r, at int) string { return fmt.Sprintf("STG.E desc[u6], [r1.64+%#x], r%d\n", at, r) }
	four := load(2, 0) + load(3, 4) + load(4, 8) + load(5, 12)
	three := store(2, 0) + store(3, 4) + store(4, 8)
	for _, c := range []struct {
		name, text string
		least      Sectors
		at         op.Op
		number     int   // of the instruction of that operation that is asked about
		waits      []int // for the loads of these numbers
		not        []int
	}{
		{"four loads", four + three, Sectors{4, 3}, op.LDG, 1, []int{0}, nil},
		{"no stores", four, Sectors{4, 3}, op.LDG, 1, nil, []int{0}},
		{"never", four + three, Sectors{0, 0}, op.LDG, 1, nil, []int{0}},
		{"too few", load(2, 0) + load(3, 4) + load(4, 8) + three, Sectors{4, 3}, op.LDG, 1, nil, []int{0}},
		{"several sectors", load(2, 0) + load(3, 32) + load(4, 64) + load(5, 96) + three, Sectors{4, 3}, op.LDG, 1, nil, []int{0}},
		{"another base", load(2, 0) + load(3, 4) + "IADD3 r0[0] = r1[0], 0x4, rz\n" + load(4, 8) + load(5, 12) + three, Sectors{4, 3}, op.LDG, 3, nil, []int{2}},
		{"three stores", load(2, 0) + load(3, 256) + load(4, 512) + store(2, 0) + store(3, 4) + store(4, 8), Sectors{4, 3}, op.STG, 0, []int{0, 1, 2}, nil},
		{"two stores", load(2, 0) + load(3, 256) + store(2, 0) + store(3, 4), Sectors{4, 3}, op.STG, 0, []int{0}, []int{1}},
		{"changed before it", load(2, 0) + load(3, 256) + store(2, 0) + "IADD3 r3 = r3, 0x1, rz\n" + store(3, 4) + store(2, 8), Sectors{4, 3}, op.STG, 0, []int{0}, []int{1}},
	} {
		var s strings.Builder
		s.WriteString("func f kernel {\nreg r0 2/2 phys=0\nreg r1 2/2 phys=2\n")
		for r := 2; r < 6; r++ {
			fmt.Fprintf(&s, "reg r%d 1/1 phys=%d\n", r, r+2)
		}
		m, err := ori.Parse(s.String() + "reg u6 2/2 phys=4\nb0:\n" + c.text + "STS [0x0], r2\nSTS [0x4], r3\nSTS [0x8], r4\nSTS [0xc], r5\nEXIT\n}\n")
		if err != nil {
			t.Fatal(c.name, err)
		}
		f, a := m.Funcs[0], target.Find("sm_90a")
		Assign(f, a, c.least)
		if err := Check(f, a); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		var loads, asked []*ori.Instr
		for i := range f.Blocks[0].Instrs {
			if i.Op == op.LDG {
				loads = append(loads, i)
			}
			if i.Op == c.at {
				asked = append(asked, i)
			}
		}
		waits := func(n int) bool { return asked[c.number].Sched.Wait>>loads[n].Sched.WrBar&1 != 0 }
		for _, n := range c.waits {
			if !waits(n) {
				t.Errorf("%s: does not wait for load %d\n%s", c.name, n, f)
			}
		}
		for _, n := range c.not {
			if waits(n) {
				t.Errorf("%s: waits for load %d\n%s", c.name, n, f)
			}
		}
	}
}
