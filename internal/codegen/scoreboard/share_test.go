package scoreboard

import (
	"fmt"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/target"
)

// TestAddressesDoNotWaitForLoads: many loads through one pair of address
// registers leave a barrier to those who write the address again, so that
// these do not wait for what is loaded.
func TestAddressesDoNotWaitForLoads(t *testing.T) {
	const loads = 24
	var s strings.Builder
	s.WriteString("func f kernel {\nreg r0 2/2 phys=2\nreg r1 1/1 phys=4\nreg r2 2/2 phys=6\n")
	for k := range loads {
		fmt.Fprintf(&s, "reg r%d 1/1 phys=%d\n", 3+k, 10+k)
	}
	s.WriteString("b0:\n")
	for k := range loads {
		fmt.Fprintf(&s, "IMAD.WIDE.U32 r2 = r1, %#x, r0\nLDG.E r%d = [r2.64+0x0]\n", 4*k+4, 3+k)
	}
	for k := range loads {
		fmt.Fprintf(&s, "STS [%#x], r%d\n", 4*k, 3+k)
	}
	s.WriteString("EXIT\n}\n")
	m, err := ori.Parse(s.String())
	if err != nil {
		t.Fatal(err)
	}
	f := m.Funcs[0]
	Assign(f, target.Find("sm_90"), Sectors{4, 3})
	var results uint8 // barriers of loads that nobody has waited for
	for i := range f.Blocks[0].Instrs {
		if i.Op == op.IMAD && i.Sched.Wait&results != 0 {
			t.Fatalf("the address of the next load waits for one before:\n%s", f)
		}
		results &^= i.Sched.Wait
		if i.Op == op.LDG && i.Sched.WrBar >= 0 {
			results |= 1 << i.Sched.WrBar
		}
	}
}

// TestMatrixIsKept: products that share their first matrix keep it, over other
// instructions too, unless one of these writes it or waits.
func TestMatrixIsKept(t *testing.T) {
	const head = `func f kernel {
reg r0 4/4 phys=8
reg r1 2/2 phys=12
reg r2 2/2 phys=14
reg r3 4/4 phys=16
reg r4 4/4 phys=20
reg r5 1/1 phys=4
reg r6 2/2 phys=6
b0:
HMMA.16816.F32 r3 = r0, r1, r3
`
	for _, c := range []struct {
		name, between string
		kept          bool
	}{
		{"nothing between", "", true},
		{"others between", "IADD3 r5 = r5, 0x1, rz\nSTS [0x0], r6[0]", true},
		{"written", "IADD3 r0[1] = r5, 0x1, rz", false},
		{"a wait", "LDG.E r5 = [r6.64+0x0]\nIADD3 r5 = r5, 0x1, rz", false},
	} {
		m, err := ori.Parse(head + c.between + "\nHMMA.16816.F32 r4 = r0, r2, r4\nEXIT\n}\n")
		if err != nil {
			t.Fatal(err)
		}
		f := m.Funcs[0]
		Assign(f, target.Find("sm_90"), Sectors{4, 3})
		if kept := f.Blocks[0].First().Srcs()[0].Flags&ori.Reuse != 0; kept != c.kept {
			t.Errorf("%s: kept %v\n%s", c.name, kept, f)
		}
	}
}

// poll begins a function with the question whether a phase is over, and eight
// registers from r2 on for what is loaded behind it.
func poll(s *strings.Builder) {
	s.WriteString("func f kernel {\nreg r0 1/1 phys=2\nreg r1 1/1 phys=3\n")
	for k := range 8 {
		fmt.Fprintf(s, "reg r%d 1/1 phys=%d\n", 2+k, 10+k)
	}
	s.WriteString("reg p10 1/1 phys=0\nb0:\nSYNCS.PHASECHK.TRANS64.TRYWAIT p10 = [r1+0x0], r1\n")
}

// TestLoadsOverwriteTheirAddresses: a load may write the register of its address
// that loads before it still read, also where one of them shares its barrier with
// an operation of another queue.
func TestLoadsOverwriteTheirAddresses(t *testing.T) {
	var s strings.Builder
	poll(&s)
	for k := range 7 {
		fmt.Fprintf(&s, "LDS r%d = [r0+%#x]\n", 2+k, 4*k)
	}
	s.WriteString("LDS r0 = [r0+0x40]\n")
	for k := range 7 {
		fmt.Fprintf(&s, "STS [%#x], r%d\n", 4*k, 2+k)
	}
	s.WriteString("@p10 STS [0x40], r0\nEXIT\n}\n")
	m, err := ori.Parse(s.String())
	if err != nil {
		t.Fatal(err)
	}
	f := m.Funcs[0]
	Assign(f, target.Find("sm_90"), Sectors{4, 3})
	for i := range f.Blocks[0].Instrs {
		if i.Op == op.LDS && i.Sched.Wait != 0 {
			t.Fatalf("a load waits for those before it:\n%s", f)
		}
	}
}

// TestPollsAreApart: who reads what was loaded does not wait for the answer
// whether a phase is over, though more is loaded than there are barriers.
func TestPollsAreApart(t *testing.T) {
	var s strings.Builder
	poll(&s)
	for k := range 8 {
		fmt.Fprintf(&s, "LDS r%d = [r0+%#x]\n", 2+k, 4*k)
	}
	for k := range 8 {
		fmt.Fprintf(&s, "IADD3 r%d = r%d, 0x1, rz\nSTS [%#x], r%d\n", 2+k, 2+k, 4*k, 2+k)
	}
	s.WriteString("@p10 STS [0x40], r0\nEXIT\n}\n")
	m, err := ori.Parse(s.String())
	if err != nil {
		t.Fatal(err)
	}
	f := m.Funcs[0]
	Assign(f, target.Find("sm_90"), Sectors{4, 3})
	poll := f.Blocks[0].First().Sched.WrBar
	for i := range f.Blocks[0].Instrs {
		if poll >= 0 && i.Op == op.IADD3 && i.Sched.Wait>>poll&1 != 0 {
			t.Fatalf("a sum waits for the phase:\n%s", f)
		}
	}
}

// TestArrivalsReadAtOnce: the uniform address of an arrival may be written again without a
// wait, that of a look at the phase may not.
func TestArrivalsReadAtOnce(t *testing.T) {
	for _, c := range []struct {
		text  string
		waits bool
	}{
		{"SYNCS.ARRIVE.TRANS64.RED.A1T0 rz = [0x0], +[u0], rz", false},
		{"SYNCS.PHASECHK.TRANS64.TRYWAIT p2 = [0x0], +[u0], r1", true},
	} {
		m, err := ori.Parse("func f kernel {\nreg u0 1/1 phys=4\nreg r1 1/1 phys=3\nreg p2 1/1 phys=0\nb0:\n" + c.text + "\nUIADD3 u0 = u0, 0x8, urz\nSTS [0x0], u0\n@p2 STS [0x0], r1\nEXIT\n}\n")
		if err != nil {
			t.Fatal(err)
		}
		f := m.Funcs[0]
		Assign(f, target.Find("sm_90"), Sectors{4, 3})
		if i := f.Blocks[0].First().Next(); (i.Sched.Wait != 0) != c.waits {
			t.Errorf("%s: waits %v\n%s", c.text, !c.waits, f)
		}
	}
}

// TestOppositeGuards: a load for some threads does not wait for one of the
// others to the same register; a reader waits for both.
func TestOppositeGuards(t *testing.T) {
	const head = `func f kernel {
reg r0 2/2 phys=2
reg r1 2/2 phys=4
reg r2 1/1 phys=8
reg p3 1/1 phys=0
reg r4 1/1 phys=9
b0:
@p3 LDG.E r2 = [r0.64+0x0]
`
	for _, c := range []struct {
		name, text string
		waits      bool // the second load waits for the first
	}{
		{"opposite", "@~p3 LDG.E r2 = [r1.64+0x0]\n", false},
		{"the same guard", "@p3 LDG.E r2 = [r1.64+0x0]\n", true},
		{"no guard", "LDG.E r2 = [r1.64+0x0]\n", true},
		{"another predicate by now", "ISETP.NE.AND p3 = r4, rz, pt\n@~p3 LDG.E r2 = [r1.64+0x0]\n", true},
	} {
		m, err := ori.Parse(head + c.text + "IADD3 r4 = r2, 0x1, rz\nSTS [0x0], r4\nEXIT\n}\n")
		if err != nil {
			t.Fatal(err)
		}
		f := m.Funcs[0]
		a := target.Find("sm_90")
		Assign(f, a, Sectors{4, 3})
		var first, pending uint8
		for i := range f.Blocks[0].Instrs {
			switch {
			case i.Op == op.LDG && first == 0:
				first = 1 << i.Sched.WrBar
				pending = first
			case i.Op == op.LDG:
				if (i.Sched.Wait&first != 0) != c.waits {
					t.Errorf("%s: waits is %v\n%s", c.name, !c.waits, f)
				}
				pending = pending&^i.Sched.Wait | 1<<i.Sched.WrBar
			case i.Op == op.IADD3 && i.Sched.Wait&pending != pending:
				t.Errorf("%s: the reader waits for %b, pending is %b\n%s", c.name, i.Sched.Wait, pending, f)
			}
		}
	}
}
