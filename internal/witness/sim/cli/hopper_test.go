package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/ptxvm"
	"github.com/goptxas/goptxas/internal/witness/sim"
	"github.com/goptxas/goptxas/internal/witness/zoo"
)

// TestHopper runs the asynchronous kernels in the interpreter and our code for
// them in the simulator, at once, timed, and with every timing of asynchronous
// work: every byte the same, nothing read early, nothing without order. What
// needs no warp-group product runs for the SMs that came after, too.
func TestHopper(t *testing.T) {
	for _, arch := range []string{"sm_90a", "sm_100a", "sm_120a"} {
		t.Run(arch, func(t *testing.T) {
			runs := 0
			for _, k := range zoo.Hopper(t) {
				if !zoo.Runs(k.File, arch) {
					continue
				}
				k = k.For(arch)
				runs += testAsync(t, &k, arch)
			}
			t.Logf("%d runs", runs)
			if runs < 40 {
				t.Error("too few")
			}
		})
	}
}

// testAsync runs the launches of a kernel with every timing.
func testAsync(t *testing.T, k *zoo.Kernel, arch string) (runs int) {
	vm, err := ptxvm.Load(k.File, k.Text, arch)
	if err != nil {
		t.Fatal(err)
	}
	m, _ := compile(t, k, arch)
	if m == nil {
		t.Fatalf("%s is refused", k.File)
	}
	for n := range k.Launches {
		want, err := vm.Run(&k.Launches[n], ptxvm.Options{})
		if err != nil {
			t.Errorf("%s: %v", k.File, err)
			continue
		}
		for _, when := range []string{"", "early", "late", "seed:1"} {
			p, c := start(t, m, k, n)
			c.Launch.Timed = when != ""
			if c.Launch.Async, err = sim.ParseAsync(when); err != nil {
				t.Fatal(err)
			}
			st, err := p.Run(&c.Launch)
			if err != nil {
				t.Errorf("%s: %v", k.File, err)
				continue
			}
			for _, r := range st.Reports {
				t.Errorf("%s: %v", k.File, r)
			}
			for _, r := range st.Races {
				t.Errorf("%s %s: %v", k.File, when, r)
			}
			for a := range want {
				if want[a] != nil && !sameBut(want[a], c.Buffers[a], mapAt(k, a)) {
					t.Errorf("%s %s: argument %d differs", k.File, when, a)
				}
			}
			runs++
		}
	}
	return runs
}

// mapAt is where a kernel leaves a tensor map in an argument: its first eight
// bytes are an address, which is each machine's own.
func mapAt(k *zoo.Kernel, arg int) int {
	if arg == 0 && strings.HasPrefix(k.File, "tma_") {
		return 15360
	}
	return -1
}

// sameBut compares all but eight bytes.
func sameBut(a, b []byte, at int) bool {
	if at < 0 {
		return bytes.Equal(a, b)
	}
	return bytes.Equal(a[:at], b[:at]) && bytes.Equal(a[at+8:], b[at+8:])
}

// TestDriverRoutine calls a routine of the driver, of which there is no code:
// the warp does not go on anywhere.
func TestDriverRoutine(t *testing.T) {
	for _, k := range zoo.Hopper(t) {
		if k.File != "cluster_multicast.ptx" {
			continue
		}
		k = k.For("sm_120a")
		m, _ := compile(t, &k, "sm_120a")
		if m == nil {
			t.Fatal("refused")
		}
		p, c := start(t, m, &k, 0)
		if _, err := p.Run(&c.Launch); err == nil || !strings.Contains(err.Error(), "which is no instruction") {
			t.Errorf("it runs: %v", err)
		}
	}
}
