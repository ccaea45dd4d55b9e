package pipeline

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/engine/diag"
	"github.com/goptxas/goptxas/internal/target"
)

// TestEnds takes the time away from a kernel whose phases take long, at
// various moments: the work ends inside of them, and nobody takes that for a
// bug.
func TestEnds(t *testing.T) {
	a := target.Find("sm_90")
	var s strings.Builder
	s.WriteString(".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .b64 %a;\n.reg .f32 %f<1000>;\nld.param.u64 %a, [p];\n")
	for i := range 40000 {
		fmt.Fprintf(&s, "fma.rn.f32 %%f%d, %%f%d, %%f%d, %%f%d;\n", i%1000, (i*7+1)%1000, (i*13+5)%1000, (i*29+3)%1000)
	}
	s.WriteString("st.global.f32 [%a], %f0;\nret;\n}\n")
	m := check(t, "long.ptx", s.String(), a)
	waits := []time.Duration{300 * time.Millisecond, time.Second, 1800 * time.Millisecond}
	if testing.Short() {
		waits = waits[:2]
	}
	for _, wait := range waits {
		ctx, cancel := context.WithTimeout(context.Background(), wait)
		begun := time.Now()
		_, err := Module(m, Options{Arch: a, Level: 3, Context: ctx, Repro: func(b *diag.Bug, _ []byte) string {
			t.Errorf("a bug: %v", b)
			return ""
		}}, 1, cubin.TKInfo{})
		cancel()
		late := time.Since(begun) - wait
		if err == nil {
			t.Logf("%v are enough here", wait)
			continue
		}
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v: %v", wait, err)
		}
		t.Logf("%v too late after %v", late, wait)
		if late > 3*time.Second { // tenths of a second where nothing else runs
			t.Errorf("it went on for %v", late)
		}
	}
}
