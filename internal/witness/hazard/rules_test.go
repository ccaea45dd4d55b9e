package hazard

import (
	"testing"

	"github.com/goptxas/goptxas/internal/engine/bits"
	"github.com/goptxas/goptxas/internal/sass"
	"github.com/goptxas/goptxas/internal/target"
)

// TestRules checks a few lines of code with one distance just long enough,
// and one cycle shorter.
func TestRules(t *testing.T) {
	tests := []struct {
		name  string
		code  []string
		stall []int // the shortest of each line, of which the one at cut decides
		cut   int
	}{
		{
			"a vote over the carry that a sum reads",
			[]string{"UIADD3.X UR31, URZ, 0x40000040, URZ, UP1, !UPT ;", "VOTEU.ANY UP1, P1 ;", "EXIT ;"},
			[]int{2, 1, 5},
			0,
		},
		{
			"a vote over a carry that nobody reads",
			[]string{"UIADD3 UR30, UP1, UR14, 0x80, URZ ;", "VOTEU.ANY UP1, P1 ;", "EXIT ;"},
			[]int{7, 1, 5},
			0,
		},
		{
			"a move over the mask of an election",
			[]string{"ELECT P3, UR18, PT ;", "UMOV UR18, UR4 ;", "EXIT ;"},
			[]int{2, 2, 5},
			0,
		},
		{
			"an IMAD over the low word of a product",
			[]string{"IMAD.WIDE.U32 R4, R8, R9, RZ ;", "IMAD R4, R10, R11, R12 ;", "EXIT ;"},
			[]int{4, 1, 5},
			0,
		},
		{
			"a multiplication behind a wide one",
			[]string{"IMAD.WIDE.U32 R4, R8, R9, RZ ;", "IMAD R6, R10, R11, R12 ;", "EXIT ;"},
			[]int{2, 1, 5},
			0,
		},
		{
			"an argument before a call",
			[]string{"MOV R4, R8 ;", "CALL.REL.NOINC 0x30 ;", "EXIT ;", "EXIT ;"},
			[]int{7, 5, 5, 5},
			0,
		},
		{
			"a constant for the uniform datapath behind a barrier",
			[]string{"BAR.SYNC.DEFER_BLOCKING 0x0 ;", "ULDC UR1, c[0x0][0x22c] ;", "EXIT ;"},
			[]int{6, 1, 5},
			0,
		},
		{
			"a double behind a barrier",
			[]string{"BAR.SYNC.DEFER_BLOCKING 0x0 ;", "DADD R4, R6, R8 ;", "EXIT ;"},
			[]int{6, 1, 5},
			0,
		},
		{
			"what is behind CGAERRBAR",
			[]string{"CGAERRBAR ;", "CCTL.IVALL ;", "EXIT ;"},
			[]int{6, 1, 5},
			0,
		},
		{
			"what is behind DEPBAR",
			[]string{"DEPBAR.LE SB0, 0x1 ;", "MOV R4, R8 ;", "EXIT ;"},
			[]int{4, 1, 5},
			0,
		},
		{
			"two arrivals at barriers",
			[]string{"BAR.ARV 0x1, 0x40 ;", "BAR.ARV 0x2, 0x40 ;", "EXIT ;"},
			[]int{8, 6, 5},
			0,
		},
		{
			"two arrivals of a warp group",
			[]string{"WARPGROUP.ARRIVE ;", "UMOV UR18, UR4 ;", "WARPGROUP.ARRIVE ;", "EXIT ;"},
			[]int{1, 5, 6, 5},
			1,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if f := found(t, tt.code, tt.stall); len(f) != 0 {
				t.Errorf("with the shortest distance: %v", f)
			}
			tt.stall[tt.cut]--
			if f := found(t, tt.code, tt.stall); len(f) != 1 {
				t.Errorf("with a cycle less: %d findings", len(f))
			}
		})
	}
}

// TestSm120 checks distances that the reference's code keeps on sm_120, and one
// cycle less.
func TestSm120(t *testing.T) {
	for _, tt := range []struct {
		code  []string
		stall []int
	}{
		{[]string{"IMAD.WIDE.U32 R12, R0, R14, R24 ;", "R2UR UR18, R12 ;", "EXIT ;"}, []int{3, 1, 5}},
		{[]string{"UIMAD.HI.U32 UR9, UP1, UR9, UR8, UR20 ;", "UIADD3.X UR11, UPT, UPT, UR10, URZ, URZ, UP1, !UPT ;", "EXIT ;"}, []int{9, 1, 5}},
		{[]string{"IMAD.HI.U32 R55, R66, 0x40, RZ ;", "IMAD.WIDE.U32 R54, R68, 0x10, R54 ;", "EXIT ;"}, []int{6, 1, 5}},
		{[]string{"HFMA2 R11, -RZ, RZ, 0, 0 ;", "IMAD.WIDE.U32 R28, R16, R8, R10 ;", "EXIT ;"}, []int{3, 1, 5}},
		{[]string{"VOTEU.ALL UP2, P0 ;", "@!UP2 UTMALDG.2D [UR4], [UR34], desc[UR36] ;", "EXIT ;"}, []int{5, 1, 5}},
		{[]string{"UIMNMX.S64 UPT, UPT, UR4, UR4, UR6, UPT, !UPT ;", "UISETP.GT.S64.AND UP0, UPT, UR4, UR10, UPT ;", "EXIT ;"}, []int{4, 1, 5}},
		{[]string{"CS2UR UR6, SR_CLOCKLO ;", "UIADD3 UR6, UPT, UPT, UR7, UR5, URZ ;", "EXIT ;"}, []int{4, 1, 5}},
		{[]string{"CS2UR.32 UR4, SR_CLOCKLO ;", "IMAD.WIDE.U32 R2, R0, UR4, RZ ;", "EXIT ;"}, []int{6, 1, 5}},
		{[]string{"CS2R.32 R0, SR_CLOCKLO ;", "NANOSLEEP R0 ;", "EXIT ;"}, []int{4, 5, 5}},
	} {
		if f := foundOn(t, "sm_120a", tt.code, control(tt.stall)); len(f) != 0 {
			t.Errorf("%s: %v", tt.code[0], f)
		}
		tt.stall[0]--
		if f := foundOn(t, "sm_120a", tt.code, control(tt.stall)); len(f) != 1 {
			t.Errorf("%s with a cycle less: %d findings", tt.code[0], len(f))
		}
	}
}

// TestRegistersFromPool: a warp that exchanges registers with the pool goes on
// when that is over, and so a predicate made before is there.
func TestRegistersFromPool(t *testing.T) {
	code := []string{"ISETP.NE.AND P0, PT, RZ, UR6, PT ;", "USETMAXREG.DEALLOC.CTAPOOL 0x28 ;", "@P0 EXIT ;", "EXIT ;"}
	for stall, want := range map[int]int{0: 0, 4: 1} {
		c := control([]int{1, stall, 5, 5})
		c[1].WrBar, c[1].Stay, c[2].Wait = 1, false, 2
		if f := foundOn(t, "sm_120a", code, c); len(f) != want {
			t.Errorf("with a stall of %d: %v", stall, f)
		}
	}
}

func found(t *testing.T, code []string, stall []int) []Finding {
	t.Helper()
	return foundWith(t, code, control(stall))
}

// control makes control codes that only stall.
func control(stall []int) (ctrl []sass.Ctrl) {
	for _, n := range stall {
		ctrl = append(ctrl, sass.Ctrl{Stall: uint8(n), Stay: true, WrBar: sass.NoBar, RdBar: sass.NoBar})
	}
	return ctrl
}

func foundWith(t *testing.T, code []string, ctrl []sass.Ctrl) []Finding {
	t.Helper()
	return foundOn(t, "sm_90a", code, ctrl)
}

func foundOn(t *testing.T, arch string, code []string, ctrl []sass.Ctrl) []Finding {
	t.Helper()
	a := target.Find(arch)
	var words []bits.Word
	for n, text := range code {
		i, err := sass.Parse(a, text, uint64(16*n))
		if err != nil {
			t.Fatal(err)
		}
		i.SetCtrl(ctrl[n])
		w, err := i.Encode(a)
		if err != nil {
			t.Fatal(err)
		}
		words = append(words, w)
	}
	c, err := Decode(a, words)
	if err != nil {
		t.Fatal(err)
	}
	return c.Check(9)
}

// TestWaits checks a few lines of code with one wait or barrier, and without.
func TestWaits(t *testing.T) {
	plain := sass.Ctrl{Stall: 8, Stay: true, WrBar: sass.NoBar, RdBar: sass.NoBar}
	with := func(f func(*sass.Ctrl)) sass.Ctrl {
		c := plain
		f(&c)
		return c
	}
	sets := with(func(c *sass.Ctrl) { c.WrBar = 0 })
	reads := with(func(c *sass.Ctrl) { c.RdBar = 1 })
	waits := with(func(c *sass.Ctrl) { c.Wait = 1 })
	waits1 := with(func(c *sass.Ctrl) { c.Wait = 2 })
	held := with(func(c *sass.Ctrl) { c.Stall, c.Stay = 0, false })
	tests := []struct {
		name string
		code []string
		ctrl []sass.Ctrl
		cut  int // the line of which the control field makes the difference
	}{
		{"a warp that is held", []string{"ERRBAR ;", "MOV R4, R8 ;", "EXIT ;"}, []sass.Ctrl{held, plain, plain}, 0},
		{"an mbarrier that is made", []string{"SYNCS.EXCH.64 URZ, [UR8], UR10 ;", "BAR.SYNC.DEFER_BLOCKING 0x0 ;", "EXIT ;"}, []sass.Ctrl{sets, waits, plain}, 0},
		{"a barrier whose number is in a register", []string{"BAR.RED.POPC.DEFER_BLOCKING R4, R4, P0 ;", "MOV R4, R8 ;", "EXIT ;"}, []sass.Ctrl{reads, waits1, plain}, 1},
		{"a load over a load that nobody reads", []string{"LDG.E R4, desc[UR4][R8.64] ;", "LDG.E R4, desc[UR4][R10.64] ;", "EXIT ;"}, []sass.Ctrl{sets, waits, plain}, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if f := foundWith(t, tt.code, tt.ctrl); len(f) != 0 {
				t.Errorf("as it should be: %v", f)
			}
			tt.ctrl[tt.cut] = plain
			if f := foundWith(t, tt.code, tt.ctrl); len(f) != 1 {
				t.Errorf("without the wait: %v", f)
			}
		})
	}
	if f := foundWith(t, []string{"LDS.128 R4, [R8] ;", "LDS R7, [R9] ;", "EXIT ;"}, []sass.Ctrl{sets, plain, plain}); len(f) != 0 {
		t.Errorf("loads from shared memory come back in order: %v", f)
	}
}

// TestArrivals: a product stands behind an arrival of its warp group that no
// wait for products follows.
func TestArrivals(t *testing.T) {
	const arrive, product, wait = "WARPGROUP.ARRIVE ;", "HGMMA.64x8x16.F32 R24, gdesc[UR4], RZ, !UPT, gsb0 ;", "WARPGROUP.DEPBAR.LE gsb0, 0x0 ;"
	for _, c := range []struct {
		code []string
		want int
	}{
		{[]string{arrive, product, wait, arrive, product, wait, "EXIT ;"}, 0},
		{[]string{arrive, product, wait, product, wait, "EXIT ;"}, 1},
		{[]string{product, wait, "EXIT ;"}, 1},
	} {
		stall := make([]int, len(c.code))
		for n := range stall {
			stall[n] = 10
		}
		if f := found(t, c.code, stall); len(f) != c.want {
			t.Errorf("%q: %v", c.code, f)
		}
	}
}
