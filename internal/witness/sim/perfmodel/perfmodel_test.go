package perfmodel

import (
	"testing"

	"github.com/goptxas/goptxas/internal/sass"
)

// inst is an instruction that stalls for a cycle.
func inst(mnemonic string) Inst {
	return Inst{Mnemonic: mnemonic, Ctrl: sass.Ctrl{Stall: 1, Stay: true, WrBar: -1, RdBar: -1}}
}

// run lets blocks of some warps execute all of the code once.
func run(code []Inst, blocks, warps, together int) int64 {
	trace := make([]uint32, len(code))
	for n := range trace {
		trace[n] = uint32(n)
	}
	list := make([]Block, blocks)
	for n := range list {
		for range warps {
			list[n].Warps = append(list[n].Warps, trace)
		}
	}
	return Cycles(code, list, together)
}

func repeat(i Inst, n int) (list []Inst) {
	for range n {
		list = append(list, i)
	}
	return list
}

// TestUnits: warps share what they need, and nothing else.
func TestUnits(t *testing.T) {
	for _, c := range []struct {
		mnemonic    string
		warps       int
		least, most int64
	}{
		{"FFMA", 1, 100, 101},
		{"FFMA", 4, 100, 101}, // one on each scheduler
		{"FFMA", 8, 200, 201}, // two take turns
		{"ISETP.GT.AND", 4, 197, 201},
		{"MUFU.EX2", 4, 785, 801},
		{"MUFU.EX2", 8, 1585, 1601},
		{"LDS", 4, 400, 401}, // one unit for all
		{"LDS.128", 1, 397, 401},
	} {
		if n := run(repeat(inst(c.mnemonic), 100), 1, c.warps, 1); n < c.least || n > c.most {
			t.Errorf("100 %s of %d warps take %d cycles", c.mnemonic, c.warps, n)
		}
	}
}

// TestUnheld: an instruction whose unit is busy leaves its scheduler to the other warp,
// whether it stalls for that time or not.
func TestUnheld(t *testing.T) {
	cycles := func(stall uint8) int64 {
		code := []Inst{inst("MUFU.EX2"), inst("FFMA")}
		code[0].Ctrl.Stall, code[1].Ctrl.Stay = stall, false
		b := Block{Warps: make([][]uint32, 8)}
		for w := range b.Warps {
			for range 50 + 350*(w/4) {
				b.Warps[w] = append(b.Warps[w], uint32(w/4))
			}
		}
		return Cycles(code, []Block{b}, 1)
	}
	if early, late := cycles(1), cycles(8); early > 460 || late > 460 {
		t.Errorf("%d cycles where the unit keeps the warp waiting, %d where the warp stalls", early, late)
	}
}

// TestBlocks: blocks that fit run together, the others behind them.
func TestBlocks(t *testing.T) {
	code := repeat(inst("MUFU.EX2"), 400)
	for n := range code {
		code[n].Ctrl.Stall = 15
	}
	one, two, after := run(code, 1, 4, 1), run(code, 2, 4, 2), run(code, 2, 4, 1)
	if !(one < two && two < after) {
		t.Errorf("one block takes %d cycles, two together %d, one after the other %d", one, two, after)
	}
}

// TestWaits: who waits for a barrier, for products, for copies or for the
// other warps of its block issues when they are there.
func TestWaits(t *testing.T) {
	load, use := inst("LDS"), inst("FADD")
	load.Ctrl.WrBar, use.Ctrl.Wait = 2, 1<<2
	product, last := inst("HGMMA.64x128x16.F32"), inst("HGMMA.64x128x16.F32")
	last.Commits = true
	all, some := inst("WARPGROUP.DEPBAR.LE"), inst("WARPGROUP.DEPBAR.LE")
	some.Left = 1
	for _, c := range []struct {
		name        string
		code        []Inst
		least, most int64
	}{
		{"a load", []Inst{load, use}, 31, 32},
		{"products", []Inst{product, product, last, all, use}, 3*64 + startTime + endTime, 3*64 + startTime + endTime + 4},
		{"all but one group", []Inst{last, last, some, use}, 64 + startTime + endTime, 64 + startTime + endTime + 4},
		{"copies", []Inst{inst("LDGSTS.E"), inst("LDGDEPBAR"), inst("DEPBAR.LE"), use}, copyTime, copyTime + 4},
		{"a guard that never holds", []Inst{{Mnemonic: "LDS", Never: true, Ctrl: load.Ctrl}, use}, 2, 3},
	} {
		if n := run(c.code, 1, 1, 1); n < c.least || n > c.most {
			t.Errorf("%s: %d cycles", c.name, n)
		}
	}
	meet := inst("BAR.SYNC")
	code := append(append([]Inst{}, repeat(inst("MUFU.EX2"), 10)...), meet, use)
	long, short := []uint32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, []uint32{10, 11}
	if n := Cycles(code, []Block{{[][]uint32{long, short}}}, 1); n < 9*8+meeting || n > 11*8+meeting {
		t.Errorf("two warps meet and end after %d cycles", n)
	}
	if n := Cycles(code, []Block{{[][]uint32{long, {11}}}}, 1); n > 11*8+meeting {
		t.Errorf("a warp that is gone is waited for: %d cycles", n)
	}
}

// TestProducts: the time of a product is that of its columns.
func TestProducts(t *testing.T) {
	for m, want := range map[string]int{"HGMMA.64x256x16.F32": 128, "QGMMA.64x64x32.F32.E4M3.E4M3": 32, "IGMMA.64x8x32.S8.S8": 8, "HMMA.16816.F32": 0, "FFMA": 0} {
		if n := productTime(m); n != want {
			t.Errorf("%s takes %d cycles", m, n)
		}
	}
}
