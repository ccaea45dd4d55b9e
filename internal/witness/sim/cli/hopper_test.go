package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/ptxvm"
	"github.com/goptxas/goptxas/internal/witness/zoo"
)

// TestBulk runs bulk copies in the interpreter and our code for them in the
// simulator, at once and timed: every byte the same, nothing read early.
func TestBulk(t *testing.T) {
	runs := 0
	for _, k := range zoo.Hopper(t) {
		if !strings.HasPrefix(k.File, "bulk_") {
			continue
		}
		vm, err := ptxvm.Load(k.File, k.Text, "sm_90a")
		if err != nil {
			t.Fatal(err)
		}
		m, _ := compile(t, &k, "sm_90a")
		if m == nil {
			t.Fatalf("%s is refused", k.File)
		}
		for n := range k.Launches {
			want, err := vm.Run(&k.Launches[n], ptxvm.Options{})
			if err != nil {
				t.Errorf("%s: %v", k.File, err)
				continue
			}
			for _, timed := range []bool{false, true} {
				p, c := start(t, m, &k, n)
				c.Launch.Timed = timed
				st, err := p.Run(&c.Launch)
				if err != nil {
					t.Errorf("%s: %v", k.File, err)
					continue
				}
				for _, r := range st.Reports {
					t.Errorf("%s: %v", k.File, r)
				}
				for a := range want {
					if want[a] != nil && !bytes.Equal(want[a], c.Buffers[a]) {
						t.Errorf("%s: argument %d differs", k.File, a)
					}
				}
				runs++
			}
		}
	}
	t.Logf("%d runs", runs)
	if runs < 10 {
		t.Error("too few")
	}
}
