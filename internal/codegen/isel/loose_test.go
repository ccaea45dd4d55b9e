package isel

import (
	"fmt"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/target"
)

// body returns the instructions of f, one a line.
func body(f *ori.Func) string {
	var got strings.Builder
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			got.Write(f.AppendInstr(nil, i))
			got.WriteByte('\n')
		}
	}
	return got.String()
}

// TestLoose takes the order of the source away from warp-group matrix
// operations and gives them back what they need.
func TestLoose(t *testing.T) {
	const head = `func f kernel {
reg r0 4/4 phys=24
reg r1 4/4 phys=28
reg r2 1/1 phys=4
reg u3 4/4 phys=0
reg r4 4/4 phys=32
reg r5 1/1 phys=32
`
	const (
		arrive = "WARPGROUP.ARRIVE\n"
		wait0  = "WARPGROUP.DEPBAR.LE gsb0, 0x0\n"
		wait1  = "WARPGROUP.DEPBAR.LE gsb0, 0x1\n"
		pack   = "MOV r4[0] = r2\n"
		use    = "FADD r2 = r0[0], r0[1]\n"
		bar    = "BAR.SYNC.DEFER_BLOCKING 0x0\n"
	)
	first := func(end string) string { return "HGMMA.64x8x16.F32 r0 = gdesc[u3]+0x0, rz, ~upt" + end + "\n" }
	more := func(end string) string { return "HGMMA.64x8x16.F32 r0 = gdesc[u3]+0x0, r0" + end + "\n" }
	other := func(end string) string { return "HGMMA.64x8x16.F32 r1 = r4, gdesc[u3]+0x0, r1" + end + "\n" }
	for _, c := range []struct{ name, in, want string }{
		{
			"a product, its use, another",
			arrive + first("") + more(", gsb0") + wait0 + use + pack + arrive + other(", gsb0"),
			arrive + first("") + more(", gsb0") + wait0 + use + pack + arrive + other(", gsb0") + wait0,
		},
		{
			"the use of the older leaves the younger pending",
			arrive + first(", gsb0") + wait0 + other(", gsb0") + use,
			arrive + first(", gsb0") + other(", gsb0") + wait1 + use + wait0,
		},
		{
			"what a product reads is written",
			arrive + first(", gsb0") + wait0 + other(", gsb0") + "MOV r5 = 0x1\n",
			arrive + first("") + other(", gsb0") + wait0 + "MOV r5 = 0x1\n",
		},
		{
			"memory may change",
			arrive + first(", gsb0") + wait0 + other(", gsb0") + wait0 + bar + use,
			arrive + first("") + other(", gsb0") + wait0 + bar + use,
		},
		{
			"memory may change, and the source does not mind",
			arrive + first(", gsb0") + wait0 + other(", gsb0") + bar + use,
			arrive + first(", gsb0") + other(", gsb0") + wait1 + bar + use + wait0,
		},
		{
			"a pipeline of the source",
			arrive + first(", gsb0") + wait1 + pack + arrive + other(", gsb0") + wait0,
			arrive + first(", gsb0") + wait1 + pack + arrive + other(", gsb0") + wait0,
		},
		{
			"nothing in between",
			arrive + first(", gsb0") + wait0 + use,
			arrive + first(", gsb0") + wait0 + use,
		},
	} {
		m, err := ori.Parse(head + "b0:\n" + c.in + "EXIT\n}\n")
		if err != nil {
			t.Fatal(c.name, err)
		}
		f := m.Funcs[0]
		LooseGroups(f, 255)
		GroupWaits(f, target.Find("sm_90a"))
		if got := strings.TrimSuffix(body(f), "EXIT\n"); got != c.want {
			t.Errorf("%s:\n%swant\n%s", c.name, got, c.want)
		}
	}
}

// TestOpenGroups follows operations that the source does not wait for out of
// their block.
func TestOpenGroups(t *testing.T) {
	const head = `func f kernel {
reg r0 4/4 phys=24
reg r1 4/4 phys=28
reg r2 1/1 phys=4
reg u3 4/4 phys=0
reg r4 4/4 phys=32
reg p5 1/1 phys=0
reg r6 4/4 phys=24
`
	const (
		arrive  = "WARPGROUP.ARRIVE\n"
		wait0   = "WARPGROUP.DEPBAR.LE gsb0, 0x0\n"
		wait1   = "WARPGROUP.DEPBAR.LE gsb0, 0x1\n"
		sumEnd  = "HGMMA.64x8x16.F32 r0 = gdesc[u3]+0x0, rz, ~upt, gsb0\n"
		use     = "FADD r2 = r0[0], r0[1]\n"
		pack    = "MOV r4[0] = r2\n"
		product = "HGMMA.64x8x16.F32 r1 = r4, gdesc[u3]+0x0, r1, gsb0\n"
		near    = "HGMMA.64x8x16.F32 r1 = r6, gdesc[u3]+0x0, r1, gsb0\n" // its matrix lies where the first sums go
		bar     = "BAR.SYNC.DEFER_BLOCKING 0x0\n"
		back    = "@p5 BRA b1\n"
	)
	const (
		enter = "b0: -> b1\n"
		loop  = "b1: -> b1, b2\n"
		leave = "b2:\n"
		read  = "FADD r2 = r1[0], r1[1]\n"
	)
	for _, c := range []struct{ name, in, want string }{
		{
			"over the end of a round",
			enter + loop + arrive + sumEnd + wait0 + use + pack + arrive + product + bar + back + leave + wait0 + read,
			arrive + sumEnd + wait0 + use + pack + arrive + product + bar + back + wait0 + read,
		},
		{
			"registers that the next round writes",
			enter + loop + arrive + sumEnd + wait0 + use + arrive + near + bar + back + leave + wait0 + read,
			wait0 + arrive + sumEnd + wait0 + use + arrive + near + bar + back + wait0 + read,
		},
		{
			"waits that count groups",
			enter + loop + arrive + sumEnd + wait0 + use + pack + arrive + product + bar + back + leave + wait1 + read,
			arrive + sumEnd + wait0 + use + pack + arrive + product + wait0 + bar + back + wait1 + read,
		},
		{
			"operations of blocks that stay as they are",
			enter + arrive + sumEnd + loop + arrive + sumEnd + wait0 + use + pack + arrive + product + bar + back + leave + wait0 + read,
			arrive + sumEnd + wait0 + arrive + sumEnd + wait0 + use + pack + arrive + product + bar + back + wait0 + read,
		},
		{
			"memory that the next round changes behind a wait",
			enter + loop + wait0 + bar + arrive + sumEnd + wait0 + use + pack + arrive + product + back + leave + wait0 + read,
			wait0 + bar + arrive + sumEnd + wait0 + use + pack + arrive + product + back + wait0 + read,
		},
		{
			"memory that the next round changes, and the source does not mind",
			enter + loop + bar + arrive + sumEnd + wait0 + use + pack + arrive + product + back + leave + wait0 + read,
			bar + arrive + sumEnd + wait0 + use + pack + arrive + product + back + wait0 + read,
		},
		{
			"a wait before the first products of a round",
			enter + loop + wait0 + use + arrive + sumEnd + wait0 + use + pack + arrive + product + bar + back + leave + wait0 + read,
			use + arrive + sumEnd + wait0 + use + pack + arrive + product + bar + back + wait0 + read,
		},
		{
			"a result that is read without a wait",
			enter + loop + arrive + sumEnd + wait0 + use + pack + arrive + product + bar + back + leave + read,
			arrive + sumEnd + wait0 + use + pack + arrive + product + bar + back + wait0 + read,
		},
	} {
		m, err := ori.Parse(head + c.in + "EXIT\n}\n")
		if err != nil {
			t.Fatal(c.name, err)
		}
		f := m.Funcs[0]
		LooseGroups(f, 255)
		GroupWaits(f, target.Find("sm_90a"))
		if got := strings.TrimSuffix(body(f), "EXIT\n"); got != c.want {
			t.Errorf("%s:\n%swant\n%s", c.name, got, c.want)
		}
	}
}

// TestLooseFresh frees products of a block that makes more results from
// nothing than had better be there at once, and no others.
func TestLooseFresh(t *testing.T) {
	for products, want := range map[int]int{2: 0, 3: 6} {
		var b strings.Builder
		b.WriteString("func f kernel {\nreg u0 4/4\n")
		for n := range products {
			fmt.Fprintf(&b, "reg r%d 64/8\n", n+1)
		}
		fmt.Fprintf(&b, "reg r%d 1/1\nb0:\nWARPGROUP.ARRIVE\n", products+1)
		for n := range products {
			end := ""
			if n == products-1 {
				end = ", gsb0"
			}
			fmt.Fprintf(&b, "HGMMA.64x128x16.F32 r%d = gdesc[u0]+0x0, rz, ~upt\nHGMMA.64x128x16.F32 r%d = gdesc[u0]+0x0, r%d%s\n", n+1, n+1, n+1, end)
		}
		b.WriteString("WARPGROUP.DEPBAR.LE gsb0, 0x0\n")
		for n := range products {
			fmt.Fprintf(&b, "FADD r%d = r%d, r%d[5]\n", products+1, products+1, n+1)
		}
		b.WriteString("EXIT\n}\n")
		m, err := ori.Parse(b.String())
		if err != nil {
			t.Fatal(err)
		}
		f := m.Funcs[0]
		if LooseGroups(f, 255) != (want > 0) || strings.Count(f.String(), "LOOSE") != want {
			t.Errorf("%d products, want %d operations free:\n%s", products, want, f)
		}
	}
}

// TestLooseCrowded frees products that the source keeps pending if there is no
// place for all of their results.
func TestLooseCrowded(t *testing.T) {
	const text = `func f kernel {
reg u0 4/4
reg r1 128/8
reg r2 128/8
reg p3 1/1
b0: -> b0, b1
WARPGROUP.ARRIVE
HGMMA.64x256x16.F32 r1 = gdesc[u0]+0x0, r1
HGMMA.64x256x16.F32 r2 = gdesc[u0]+0x0, r2, gsb0
WARPGROUP.DEPBAR.LE gsb0, 0x1
@p3 BRA b0
b1:
WARPGROUP.DEPBAR.LE gsb0, 0x0
FADD r1 = r1, r2
EXIT
}
`
	for registers, want := range map[int]int{256: 0, 255: 2} {
		m, err := ori.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		f := m.Funcs[0]
		if LooseGroups(f, registers) != (want > 0) || strings.Count(f.String(), "LOOSE") != want {
			t.Errorf("%d registers, want %d operations free:\n%s", registers, want, f)
		}
		if strings.Contains(f.String(), "0x1\n") != (want == 0) || strings.Contains(f.String(), "OPEN") {
			t.Errorf("%d registers: products go on into the next round:\n%s", registers, f)
		}
	}
}
