package dag

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/codegen/sched/estimate"
	"github.com/goptxas/goptxas/internal/codegen/sched/tuning"
	"github.com/goptxas/goptxas/internal/codegen/sched/words"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/target"
)

// listed returns the graph of a block with one instruction behind it, and its
// order; rows of exponentials take turns if there are so many of them.
func listed(t *testing.T, text string, turns int) (*Graph, []int32) {
	t.Helper()
	m, err := ori.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	f, tune := m.Funcs[0], tuning.Usual()
	b := NewGrapher(words.Physical(f), target.Find("sm_90a"), &tune)
	b.Patient, b.Open, b.Turns = true, NewOpenOrder(b.Names), turns
	var run []*ori.Instr
	for i := range f.Blocks[0].Instrs {
		run = append(run, i)
	}
	g := b.Build(run[:len(run)-1], run[len(run)-1])
	return g, List(g, b.Timing, estimate.NewBusyTable(b.Timing))
}

// TestList: what waits for a load stands behind it, what a later write
// overwrites is read before, and what waits for nothing fills the time.
func TestList(t *testing.T) {
	g, got := listed(t, "func f kernel {\nreg r0 1/1 phys=0\nreg r1 1/1 phys=1\nreg r2 1/1 phys=2\nb0:\n"+
		"IADD3 r1 = r0, 0x1, rz\nLDS r2 = [0x0]\nIADD3 r2 = r2, r1, rz\nIADD3 r0 = r0, 0x1, rz\nEXIT\n}\n", 0)
	if want := []int32{1, 0, 3, 2}; !slices.Equal(got, want) {
		t.Errorf("order %v instead of %v", got, want)
	}
	if g.Height[1] <= g.Height[0] || g.Preds[2] != 3 || g.Preds[3] != 1 {
		t.Errorf("heights %v, edges into each %v", g.Height, g.Preds)
	}
}

// TestLook: while exponentials wait for their unit, all of them ready, what is
// scaled meanwhile fills the time.
func TestLook(t *testing.T) {
	const exponentials, scaled = 24, 80
	var s strings.Builder
	s.WriteString("func f kernel {\n")
	for r := range exponentials + scaled + 1 {
		fmt.Fprintf(&s, "reg r%d 1/1 phys=%d\n", r, r)
	}
	s.WriteString("b0:\n")
	for r := range scaled {
		fmt.Fprintf(&s, "FMUL r%[1]d = r%[1]d, r%[2]d\n", 1+exponentials+r, 0)
	}
	for r := range exponentials {
		fmt.Fprintf(&s, "MUFU.EX2 r%[1]d = r%[1]d\nFADD r%[1]d = r%[1]d, r%[1]d\n", 1+r)
	}
	s.WriteString("EXIT\n}\n")
	g, order := listed(t, s.String(), 1)
	row, left := 0, scaled
	for _, k := range order {
		switch g.Instrs[k].Op {
		case op.FMUL:
			row, left = 0, left-1
		case op.MUFU:
			if row++; row > 2 && left > 0 {
				t.Fatalf("%d exponentials stand together while %d words are left to scale", row, left)
			}
		}
	}
}

// TestGroupBusy: products of warp groups keep their unit for as long as they do
// only in the eyes of a block that has it for itself.
func TestGroupBusy(t *testing.T) {
	i := &ori.Instr{Args: []ori.Operand{{Kind: ori.KReg, N: 64}}}
	for alone, want := range map[bool]int32{true: 64, false: leastBusy} {
		if got := (&Graph{alone: alone}).groupBusy(i); got != want {
			t.Errorf("alone %v: %d cycles instead of %d", alone, got, want)
		}
	}
}

// TestFrameBehind: what a thread's frame holds is read behind where it was written,
// though a barrier lies between and so many stores stand before both that they are
// no longer told apart.
func TestFrameBehind(t *testing.T) {
	var s strings.Builder
	s.WriteString("func f kernel {\nreg r0 1/1 phys=0\nreg r1 1/1 phys=1\nreg r2 1/1 phys=2\nb0:\n")
	for k := range maxStores + 1 {
		fmt.Fprintf(&s, "STS [%#x], r0\n", 4*k)
	}
	s.WriteString("STL [r1+0x8], r0\nBAR.SYNC 0x0\nLDL r2 = [r1+0x8]\nMUFU.EX2 r2 = r2\nMUFU.EX2 r2 = r2\nEXIT\n}\n")
	_, order := listed(t, s.String(), 0)
	n := int32(len(order))
	if slices.Index(order, n-3) < slices.Index(order, n-5) {
		t.Errorf("the frame is read before it is written: %v", order)
	}
}
