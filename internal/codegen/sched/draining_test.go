package sched

import (
	"fmt"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/codegen/sched/places"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/target"
)

// copying is a kernel whose loop waits until all but so many groups of copies are
// there, multiplies n matrices, and makes the next copies behind a barrier.
func copying(n, left int) string {
	var s strings.Builder
	s.WriteString("func f kernel {\nreg r0 1/1\nreg r1 2/2\nreg u2 2/2\nreg p3 1/1\nreg r4 1/1\n")
	for k := range n {
		fmt.Fprintf(&s, "reg r%d 4/4\nreg r%d 2/2\nreg r%d 4/4\n", 3*k+5, 3*k+6, 3*k+7)
	}
	s.WriteString("b0: -> b1\nMOV r0 = 0x0\nMOV r4 = 0x8\nCS2R r1 = SRZ\nUMOV u2[0] = 0x0\nUMOV u2[1] = 0x0\n")
	for k := range n {
		fmt.Fprintf(&s, "CS2R r%[1]d[0:2] = SRZ\nCS2R r%[1]d[2:4] = SRZ\n", 3*k+7)
	}
	fmt.Fprintf(&s, "b1: -> b1, b2\nDEPBAR.LE SB0, %#x\nBAR.SYNC 0x0\n", left)
	for k := range n {
		fmt.Fprintf(&s, "LDSM.16.M88.4 r%d = [%#x]\nLDSM.16.M88.2 r%d = [%#x]\n", 3*k+5, 64*k, 3*k+6, 64*k+16)
	}
	for k := range n {
		fmt.Fprintf(&s, "HMMA.16816.F32 r%[3]d = r%[1]d, r%[2]d, r%[3]d\n", 3*k+5, 3*k+6, 3*k+7)
	}
	s.WriteString("BAR.SYNC 0x0\nLDGSTS.E.BYPASS.128 [r0+0x0], desc[u2], [r1.64+0x0]\nLDGDEPBAR\n")
	s.WriteString("IADD3 r4 = r4, -0x1, rz\nISETP.NE.AND p3 = r4, rz, pt\n@p3 BRA b1\nb2:\n")
	for k := range n {
		fmt.Fprintf(&s, "STG.E.128 desc[u2], [r1.64+%#x], r%d\n", 16*k, 3*k+7)
	}
	s.WriteString("EXIT\n}\n")
	return s.String()
}

// placed is a judge for whom orders take so many registers, one after the other.
type placed struct {
	moody
	takes []int
}

func (j *placed) Guess(float64) (cost, memory float64) { return 0, 0 }

func (j *placed) Price(float64) (cost float64, memory bool) { return 0, false }

func (j *placed) Takes() (int, bool) {
	if len(j.takes) == 0 { // whose step is asked for in the end
		return 0, false
	}
	n := j.takes[0]
	j.takes = j.takes[1:]
	return n, false
}

// TestDraining: where a loop waits for all that it copied the next copies are on their
// way before the products, if that takes no step of occupancy, and all that is read
// from shared memory has been read. Where a group may go on products stay before the barrier.
func TestDraining(t *testing.T) {
	for _, c := range []struct {
		what   string
		left   int
		copied int
		takes  []int // before it and with it
		early  bool
	}{
		{"waits for all", 0, 600, []int{90, 96}, true},
		{"takes fewer the second time", 0, 600, []int{90, 97, 96}, true},
		{"takes a step", 0, 600, []int{90, 97, 97}, false},
		{"waits for all, and nobody asked", 0, 0, nil, false},
		{"leaves a group", 1, 600, nil, false},
	} {
		m, err := ori.Parse(copying(6, c.left))
		if err != nil {
			t.Fatal(err)
		}
		f, tune := m.Funcs[0], Usual()
		tune.Copied = c.copied
		judge := &placed{takes: c.takes}
		Pre(f, target.Find("sm_90a"), Budget{Most: 255}, tune, judge)
		if len(judge.takes) > 0 {
			t.Errorf("%s: orders that take %v were not tried", c.what, judge.takes)
		}
		text, behind := order(f.Blocks[1])
		if rest := strings.ReplaceAll(text, " product", ""); rest != " DEPBAR BAR"+strings.Repeat(" LDSM", 12)+" BAR LDGSTS LDGDEPBAR" {
			t.Errorf("%s: memory is touched in another order: %s", c.what, rest)
		}
		if (behind > 0) != c.early {
			t.Errorf("%s: %d products behind the copies: %s", c.what, behind, text)
		}
	}
}

// order is what a block of a loop does, and how many products stand behind its copies.
func order(b *ori.Block) (text string, behind int) {
	copies := false
	for i := range b.Instrs {
		switch {
		case places.IsProduct(i):
			if copies {
				behind++
			}
			text += " product"
		case i.Op == op.LDGSTS, i.Op == op.LDGDEPBAR:
			copies = true
			fallthrough
		case places.IsBarrier(i), i.Op == op.DEPBAR, i.Op == op.LDSM:
			text += " " + i.Op.String()
		}
	}
	return text, behind
}

// running is a kernel whose loop waits for all that it copied, multiplies in a warp group, makes a
// matrix of the sums and multiplies with that, and makes the next copies behind a barrier. The block
// waits for the second product too unless it is open.
func running(open string) string {
	var s strings.Builder
	s.WriteString("func f kernel {\nreg r0 1/1\nreg r1 2/2\nreg u2 2/2\nreg p3 1/1\nreg r4 1/1\nreg r5 32/8\nreg r6 32/8\nreg r7 4/4\nreg u8 4/4\n")
	for k := range 32 {
		fmt.Fprintf(&s, "reg r%d 1/1\n", k+9)
	}
	s.WriteString("b0: -> b1\nMOV r0 = 0x0\nMOV r4 = 0x8\nCS2R r1 = SRZ\n")
	for k := range 2 {
		fmt.Fprintf(&s, "UMOV u2[%d] = 0x0\n", k)
	}
	for k := range 4 {
		fmt.Fprintf(&s, "UMOV u8[%d] = 0x0\n", k)
	}
	for k := 0; k < 32; k += 2 {
		fmt.Fprintf(&s, "CS2R r6[%d:%d] = SRZ\n", k, k+2)
	}
	s.WriteString("b1: -> b1, b2\nDEPBAR.LE SB0, 0x0\nBAR.SYNC 0x0\nHGMMA.64x64x16.F32.LOOSE r5 = gdesc[u8]+0x0, rz, ~upt\n")
	for k := range 32 {
		fmt.Fprintf(&s, "MUFU.EX2 r%d = r5[%d]\n", k+9, k)
	}
	for k := range 4 {
		fmt.Fprintf(&s, "F2FP.F16.F32.PACK_AB r7[%d] = r%d, r%d\n", k, 8*k+9, 8*k+16)
	}
	for k := range 32 {
		if k%8 != 0 && k%8 != 7 {
			fmt.Fprintf(&s, "STG.E desc[u2], [r1.64+%#x], r%d\n", 4*k, k+9)
		}
	}
	s.WriteString("HGMMA.64x64x16.F32.LOOSE" + open + " r6 = r7, gdesc[u8]+0x0, r6\nBAR.SYNC 0x0\nLDGSTS.E.BYPASS.128 [r0+0x0], desc[u2], [r1.64+0x0]\nLDGDEPBAR\n")
	s.WriteString("IADD3 r4 = r4, -0x1, rz\nISETP.NE.AND p3 = r4, rz, pt\n@p3 BRA b1\nb2:\n")
	for k := range 32 {
		fmt.Fprintf(&s, "STG.E desc[u2], [r1.64+%#x], r6[%d]\n", 4*k, k)
	}
	s.WriteString("EXIT\n}\n")
	return s.String()
}

// TestDrainingOpen: copies, their barrier and the end of their group pass a product that the source
// leaves running, and no other.
func TestDrainingOpen(t *testing.T) {
	for _, c := range []struct {
		open   string
		cycles int
		want   string
	}{
		{".OPEN", 600, " DEPBAR BAR HGMMA BAR LDGSTS LDGDEPBAR HGMMA"},
		{".OPEN", 0, " DEPBAR BAR HGMMA HGMMA BAR LDGSTS LDGDEPBAR"},
		{"", 600, " DEPBAR BAR HGMMA HGMMA BAR LDGSTS LDGDEPBAR"},
	} {
		m, err := ori.Parse(running(c.open))
		if err != nil {
			t.Fatal(err)
		}
		f, tune := m.Funcs[0], Usual()
		tune.Open = c.cycles
		Pre(f, target.Find("sm_90a"), Budget{Most: 255}, tune, nil)
		got := ""
		for i := range f.Blocks[1].Instrs {
			if i.IsGroupMMA() || places.IsBarrier(i) || i.Op == op.DEPBAR || i.Op == op.LDGSTS || i.Op == op.LDGDEPBAR {
				got += " " + i.Op.String()
			}
		}
		if got != c.want {
			t.Errorf("%q, %d cycles:%s instead of%s", c.open, c.cycles, got, c.want)
		}
	}
}

// both is the same with another product before it, whose sums the exponentials are scaled by, and with
// so many copies, each from an address of its own, while so many pairs live through the loop.
func both(open string, copies, through int) string {
	s := running(open)
	const first, copied = "HGMMA.64x64x16.F32.LOOSE r5 = gdesc[u8]+0x0, rz, ~upt\n", "LDGSTS.E.BYPASS.128 [r0+0x0], desc[u2], [r1.64+0x0]\n"
	s = strings.Replace(s, first, first+strings.Replace(first, "r5", "r41", 1), 1)
	for k := range 32 {
		e := fmt.Sprintf("MUFU.EX2 r%d = r5[%d]\n", k+9, k)
		s = strings.Replace(s, e, e+fmt.Sprintf("FMUL r%[1]d = r%[1]d, r41[%[2]d]\n", k+9, k), 1)
	}
	regs, list := "reg r41 32/8\n", ""
	for k := range copies {
		regs += fmt.Sprintf("reg r%d 2/2\n", k+42)
		list += fmt.Sprintf("IMAD.WIDE r%[1]d = r4, %#[2]x, r1\nLDGSTS.E.BYPASS.128 [r0+%#[2]x], desc[u2], [r%[1]d.64+0x0]\n", k+42, 16*k)
	}
	s = strings.Replace(strings.Replace(s, "b0: ", regs+"b0: ", 1), copied, list, 1)
	for k := range through {
		n := copies + 42 + k
		s = strings.Replace(s, "b0: -> b1\n", fmt.Sprintf("b0: -> b1\nCS2R r%d = SRZ\n", n), 1)
		s = strings.Replace(s, "b0: ", fmt.Sprintf("reg r%d 2/2\nb0: ", n), 1)
		s = strings.Replace(s, "EXIT\n", fmt.Sprintf("STG.E.64 desc[u2], [r1.64+0x0], r%d\nEXIT\n", n), 1)
	}
	return s
}

// TestFewerBlocks: orders whose copies pass running products take the registers of a block less, if
// that takes hardly more time and products are left running.
func TestFewerBlocks(t *testing.T) {
	for _, c := range []struct {
		open       string
		most, runs int32 // percent; threads of a block
		want       bool
	}{
		{".OPEN", 1000, 128, true}, {".OPEN", 10, 128, false}, {".OPEN", 0, 128, false}, {"", 1000, 128, false}, {".OPEN", 1000, 256, false},
	} {
		m, err := ori.Parse(both(c.open, 16, 9))
		if err != nil {
			t.Fatal(err)
		}
		f, tune := m.Funcs[0], Usual()
		f.Props.ReqNTid = [3]int32{c.runs, 1, 1}
		tune.Open, tune.Steps.Open, tune.Slack = 600, int(c.most), 80
		s := analyse(f, target.Find("sm_90a"), &tune)
		p := s.preScheduler(Budget{Most: 255}, strategy{})
		if q := p.fewerBlocks(f); (q != p && s.b.DrainsOpen(f)) != c.want {
			t.Errorf("%q, %d %%, %d threads: %v, %+v", c.open, c.most, c.runs, q.how, p.costs(f))
		}
	}
}
