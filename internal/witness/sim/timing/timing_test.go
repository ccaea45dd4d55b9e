package timing

import (
	"testing"

	"github.com/goptxas/goptxas/internal/sass"
	"github.com/goptxas/goptxas/internal/target"
	"github.com/goptxas/goptxas/internal/witness/hazard"
)

// code is instructions with their control codes.
func code(t *testing.T, a *target.Arch, lines [][2]string) []sass.Inst {
	t.Helper()
	var out []sass.Inst
	for k, l := range lines {
		x, err := sass.Parse(a, l[0], uint64(16*k))
		if err != nil {
			t.Fatal(err)
		}
		c, err := sass.ParseCtrl(l[1])
		if err != nil {
			t.Fatal(err)
		}
		x.SetCtrl(c)
		out = append(out, x)
	}
	return out
}

// TestDepbarWaits: a DEPBAR waits for all that the barriers of its control
// code announce; that the last few need not have come holds for its own alone.
func TestDepbarWaits(t *testing.T) {
	a := target.Find("sm_100a")
	for _, x := range []struct {
		wait  string
		early int
	}{{"B--2---:R-:W-:-:S04", 0}, {"B------:R-:W-:-:S04", 1}} {
		list := code(t, a, [][2]string{
			{"UTMASTG.3D [UR16], [UR4] ;", "B------:R2:W-:-:S01"},
			{"UTMACMDFLUSH ;", "B------:R0:W-:-:S01"},
			{"DEPBAR.LE SB0, 0x1 ;", x.wait},
			{"UMOV UR5, URZ ;", "B------:R-:W-:-:S01"},
		})
		m, err := hazard.NewModel(a, list)
		if err != nil {
			t.Fatal(err)
		}
		machine := New(m, "k", func(pc uint32) (string, uint64) { return "", uint64(16 * pc) })
		w := machine.NewWarp()
		w.Reset()
		for pc := range list {
			i := Issue{Pc: uint32(pc), Active: 1, Mask: 1}
			if pc == 2 {
				i.Depbar, i.Keep = 1, 1
			}
			w.Issue(&i)
		}
		if n := len(machine.Reports()); n != x.early {
			t.Errorf("%s: %d reports, want %d", x.wait, n, x.early)
		}
	}
}
