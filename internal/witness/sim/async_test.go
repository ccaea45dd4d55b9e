package sim

import (
	"bytes"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/oracle"
	"github.com/goptxas/goptxas/internal/witness/zoo"
)

// timings are those that every launch is tried with.
var timings = []string{"early", "late", "seed:1", "seed:2", "seed:3"}

// runAsync runs a launch with a timing.
func runAsync(t *testing.T, m *Module, k *zoo.Kernel, n int, when string) (*Case, *Stats) {
	t.Helper()
	p, err := m.Kernel(k.Launches[n].Kernel)
	if err != nil {
		t.Fatalf("%s: %v", k.File, err)
	}
	c, err := p.Prepare(&k.Launches[n], nil)
	if err != nil {
		t.Fatalf("%s: %v", k.File, err)
	}
	c.Launch.MaxSteps = 5_000_000
	if c.Launch.Async, err = ParseAsync(when); err != nil {
		t.Fatal(err)
	}
	st, err := p.Run(&c.Launch)
	if err != nil {
		t.Fatalf("%s, %s: %v", k.File, when, err)
	}
	return c, st
}

// TestAsyncReference runs the reference's code of the asynchronous kernels
// with every timing: nothing is reported, and the bytes are the same. What
// needs no warp-group product runs for the SMs that came after, too.
func TestAsyncReference(t *testing.T) {
	x := oracle.Find(t)
	for _, arch := range []string{"sm_90a", "sm_100a", "sm_120a"} {
		for _, k := range zoo.Hopper(t) {
			if !zoo.Runs(k.File, arch) {
				continue
			}
			b, err := x.CubinOf([]byte(k.For(arch).Text), "-arch", arch)
			if err != nil {
				t.Errorf("%s: %v", k.File, err)
				continue
			}
			referenceTimings(t, &k, b)
		}
	}
}

func referenceTimings(t *testing.T, k *zoo.Kernel, cubin []byte) {
	m, err := Load(cubin)
	if err != nil {
		t.Fatal(err)
	}
	for n := range k.Launches {
		want, _ := runAsync(t, m, k, n, "")
		for _, when := range timings {
			got, st := runAsync(t, m, k, n, when)
			for _, r := range st.Races {
				t.Errorf("%s, %s: %v", k.File, when, r)
			}
			for a := range got.Buffers {
				if !bytes.Equal(got.Buffers[a], want.Buffers[a]) {
					t.Errorf("%s, %s: argument %d differs", k.File, when, a)
				}
			}
		}
	}
}
