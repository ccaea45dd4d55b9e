package cli

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/goptxas/goptxas"
	"github.com/goptxas/goptxas/internal/witness/launch"
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
	m, _ := compile(t, k, arch)
	if m == nil {
		t.Fatalf("%s is refused", k.File)
	}
	return testTimings(t, k, arch, m)
}

// testTimings does that with some code for the kernel.
func testTimings(t *testing.T, k *zoo.Kernel, arch string, m *sim.Module) (runs int) {
	vm, err := ptxvm.Load(k.File, k.Text, arch)
	if err != nil {
		t.Fatal(err)
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
// one for copies to several blocks leaves what the instruction leaves where
// there is one.
func TestDriverRoutine(t *testing.T) {
	var left [][][]byte
	for _, k := range zoo.Hopper(t) {
		if k.File != "cluster_multicast.ptx" {
			continue
		}
		for _, arch := range []string{"sm_90a", "sm_120a"} {
			k := k.For(arch)
			m, _ := compile(t, &k, arch)
			if m == nil {
				t.Fatal("refused")
			}
			p, c := start(t, m, &k, 0)
			if _, err := p.Run(&c.Launch); err != nil {
				t.Fatal(err)
			}
			left = append(left, c.Buffers)
		}
	}
	if len(left) != 2 || !slices.EqualFunc(left[0], left[1], bytes.Equal) {
		t.Errorf("%d runs, which leave something else", len(left))
	}
}

// TestUnknownRoutine: a warp does not go on behind a routine without a meaning.
func TestUnknownRoutine(t *testing.T) {
	const text = `.version 8.7
.target sm_90
.address_size 64
.extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);
.visible .entry k()
{ .reg .b64 %d<2>;
mov.u64 %d0, 0;
{ .param .b64 f; .param .b64 a; .param .b32 r;
st.param.b64 [f], %d0; st.param.b64 [a], %d0;
call (r), vprintf, (f, a); }
ret; }
`
	out, err := goptxas.Compile(t.Context(), []goptxas.Input{{Name: "k.ptx", Text: []byte(text)}}, goptxas.Options{Arch: "sm_90"})
	if err != nil {
		t.Fatal(err)
	}
	m, err := sim.Load(out.Cubin)
	if err != nil {
		t.Fatal(err)
	}
	p, err := m.Kernel("k")
	if err != nil {
		t.Fatal(err)
	}
	c, err := p.Prepare(&launch.Launch{Kernel: "k", Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{32, 1, 1}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Run(&c.Launch); err == nil || !strings.Contains(err.Error(), "calls vprintf of the driver") {
		t.Errorf("it runs: %v", err)
	}
}
