package sched

import (
	"fmt"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/target"
)

// products is a loop of n products that nobody in it reads and a row of
// additions, which stand first.
func products(t *testing.T, n, additions int) *ori.Func {
	var b strings.Builder
	b.WriteString("func f kernel {\nreg r0 4/4 phys=4\nreg r1 2/2 phys=8\nreg r2 1/1 phys=10\n")
	for k := range n {
		fmt.Fprintf(&b, "reg r%d 4/4 phys=%d\n", 3+k, 12+4*k)
	}
	b.WriteString("b0: -> b0\n")
	for range additions {
		b.WriteString("IADD3 r2 = r2, 0x1, rz\n")
	}
	for k := range n {
		fmt.Fprintf(&b, "HMMA.16816.F32 r%[1]d = r0, r1, r%[1]d\n", 3+k)
	}
	b.WriteString("BRA b0\n}\n")
	m, err := ori.Parse(b.String())
	if err != nil {
		t.Fatal(err)
	}
	return m.Funcs[0]
}

// TestScarce: products issue from the first cycle on, and what else there is
// fills the gaps between them.
func TestScarce(t *testing.T) {
	f := products(t, 16, 16)
	Post(f, target.Find("sm_90a"), Usual())
	if f.Blocks[0].First().Op != op.HMMA {
		t.Fatalf("no product goes first:\n%s", f)
	}
	row := 0 // additions in a row
	for i := range f.Blocks[0].Instrs {
		if row++; i.Op != op.IADD3 {
			row = 0
		}
		if row > 2 {
			t.Fatalf("additions stand together:\n%s", f)
		}
	}
}

// TestNotScarce: a few products leave the order to the paths.
func TestNotScarce(t *testing.T) {
	f := products(t, 2, 40)
	Post(f, target.Find("sm_90a"), Usual())
	if f.Blocks[0].First().Op != op.IADD3 {
		t.Fatalf("the long path does not go first:\n%s", f)
	}
}

// TestWide: loads of 16 bytes a thread do not stand together where products
// fill the time between them.
func TestWide(t *testing.T) {
	f := products(t, 16, 0)
	b := f.Blocks[0]
	first := b.First()
	for k := range 4 {
		r := f.NewReg(ori.R, 4)
		f.Regs[r].Phys = int16(100 + 4*k)
		b.InsertBefore(f.NewInstr(op.LDSM, op.M(op.M16, op.MM88, op.M4), []ori.Operand{f.Words(r)}, []ori.Operand{{Kind: ori.KAddr, Reg: 2, N: 1, Imm: int64(64 * k)}}), first)
	}
	Post(f, target.Find("sm_90a"), Usual())
	since := 2
	for i := range b.Instrs {
		switch i.Op {
		case op.HMMA:
			since++
		case op.LDSM:
			if since == 0 {
				t.Fatalf("loads stand together:\n%s", f)
			}
			since = 0
		}
	}
}

// TestCopiesApart: asynchronous copies have products between them.
func TestCopiesApart(t *testing.T) {
	var copies strings.Builder
	for k := range 5 {
		fmt.Fprintf(&copies, "LDGSTS.E.BYPASS.128 [r35+%#x], desc[u37], [r36.64+%#x]\n", 16*k, 16*k)
	}
	text := strings.Replace(products(t, 32, 0).String(), "BRA b0", copies.String()+"BRA b0", 1)
	at := strings.Index(text, "b0:")
	f := parsed(t, text[:at]+"reg r35 1/1 phys=200\nreg r36 2/2 phys=202\nreg u37 2/2 phys=4\n"+text[at:])
	Post(f, target.Find("sm_90a"), Usual())
	copied, between := false, 0
	for i := range f.Blocks[0].Instrs {
		switch {
		case i.Op == op.HMMA:
			between++
		case i.Op == op.LDGSTS && copied && between < 3:
			t.Fatalf("%d products stand between copies:\n%s", between, f)
		case i.Op == op.LDGSTS:
			copied, between = true, 0
		}
	}
	if !copied {
		t.Fatal("nothing is copied")
	}
}

// TestCopySources: what an asynchronous copy reads is written again many products later.
func TestCopySources(t *testing.T) {
	text := strings.Replace(products(t, 40, 0).String(), "BRA b0", "LDGSTS.E.BYPASS.128 [r43+0x0], desc[u45], [r44.64+0x0]\nIADD3 r44[0] = r44[0], 0x40, rz\nBRA b0", 1)
	at := strings.Index(text, "b0:")
	f := parsed(t, text[:at]+"reg r43 1/1 phys=200\nreg r44 2/2 phys=202\nreg u45 2/2 phys=4\n"+text[at:])
	Post(f, target.Find("sm_90a"), Usual())
	copied, between := false, 0
	for i := range f.Blocks[0].Instrs {
		switch {
		case i.Op == op.LDGSTS:
			copied = true
		case i.Op == op.HMMA && copied:
			between++
		case i.Op == op.IADD3 && between < 10:
			t.Fatalf("the address is written %d products behind the copy:\n%s", between, f)
		}
	}
}
